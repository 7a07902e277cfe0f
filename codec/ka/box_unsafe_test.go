//go:build !purego

package ka

import "testing"

// TestWithoutBoxes: where interfaces lay in memory in another way, values
// would be the same.
func TestWithoutBoxes(t *testing.T) {
	if !boxes {
		t.Fatal("interfaces of this Go are not put together from slabs: reading a keyed archive is slow")
	}
	boxes = false
	defer func() { boxes = true }()
	TestBoxes(t)
	TestQuickIsExact(t)
}
