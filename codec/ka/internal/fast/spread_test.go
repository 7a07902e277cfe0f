//go:build !purego

package fast

import (
	"testing"

	"github.com/formatgauge/formatgauge/internal/testrun"
)

// TestSpread: a factor is found for any addresses, also if the linker does not
// put all types in one row.
func TestSpread(t *testing.T) {
	random := testrun.Rand(t)
	for range 200 {
		tabs := make([]uintptr, 31)
		at := uintptr(0x900000)
		for i := range tabs {
			tabs[i] = at
			at += 8 * uintptr(4+random.IntN(60))
		}
		factor, ok := spread(tabs)
		if !ok {
			t.Fatalf("no factor for %x", tabs)
		}
		seen := map[uint64]bool{}
		for _, tab := range tabs {
			seen[uint64(tab)*factor>>56] = true
		}
		if len(seen) != len(tabs) {
			t.Fatalf("factor %x: %d hashes of %d addresses", factor, len(seen), len(tabs))
		}
	}
}
