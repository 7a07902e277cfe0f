//go:build !purego

package ka

import "testing"

// TestWithoutBoxes: values are the same if interfaces have another layout.
func TestWithoutBoxes(t *testing.T) {
	if !boxes {
		t.Fatal("interfaces of this version of Go have another layout: reading a keyed archive is slow")
	}
	boxes = false
	defer func() { boxes = true }()
	TestBoxes(t)
	TestQuickIsExact(t)
}
