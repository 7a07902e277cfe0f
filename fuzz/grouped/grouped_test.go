package grouped

import (
	"maps"
	"slices"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/fuzz"
)

func TestMain(m *testing.M) { fuzz.Main(m) }

func FuzzKaLarge(f *testing.F)     { targets["KaLarge"].Native(f) }
func FuzzKaSmall(f *testing.F)     { targets["KaSmall"].Native(f) }
func FuzzUassetLarge(f *testing.F) { targets["UassetLarge"].Native(f) }
func FuzzUassetSmall(f *testing.F) { targets["UassetSmall"].Native(f) }
func FuzzUbiLarge(f *testing.F)    { targets["UbiLarge"].Native(f) }
func FuzzUbiSmall(f *testing.F)    { targets["UbiSmall"].Native(f) }
func FuzzUpkgLarge(f *testing.F)   { targets["UpkgLarge"].Native(f) }
func FuzzUpkgSmall(f *testing.F)   { targets["UpkgSmall"].Native(f) }

var targets = fuzz.Groups()

// TestGroups: each type is in one group, and each group has a target above.
func TestGroups(t *testing.T) {
	want := []string{"KaLarge", "KaSmall", "UassetLarge", "UassetSmall", "UbiLarge", "UbiSmall", "UpkgLarge", "UpkgSmall"}
	if names := slices.Sorted(maps.Keys(targets)); !slices.Equal(names, want) {
		t.Errorf("groups %v, want %v", names, want)
	}
	times := map[string]int{}
	for _, g := range targets {
		for _, typ := range g.Types {
			times[typ.Name]++
			if typ.Family() != g.Types[0].Family() {
				t.Errorf("%s has types of two families", g.Name)
			}
		}
	}
	for _, typ := range codec.Types() {
		if times[typ.Name] != 1 {
			t.Errorf("%s is in %d groups", typ.Name, times[typ.Name])
		}
	}
}
