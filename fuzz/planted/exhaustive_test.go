//go:build exhaustive

package main

import (
	"testing"

	"github.com/formatgauge/formatgauge/internal/testrun"
)

// TestDiffFindsABug: diff without vectors finds a bug within a number of inputs, and
// none in the unchanged codec.
func TestDiffFindsABug(t *testing.T) {
	t.Chdir("../..")
	s := search{count: 2000, seed: testrun.Seed()}
	for _, b := range bugs {
		if b.name != "upkg-sign-of-four-bytes" {
			continue
		}
		r, err := s.run(&b, "diff")
		if err != nil || r.found == "" {
			t.Errorf("%s: %s, %v", b.name, r, err)
		}
		b.changes[0].new = b.changes[0].old
		if r, err = s.run(&b, "diff"); err != nil || r.found != "" {
			t.Errorf("unchanged: %s, %v", r, err)
		}
	}
}
