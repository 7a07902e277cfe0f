package grouped

import (
	"maps"
	"slices"
	"testing"

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

// TestGroups: each group has a target above.
func TestGroups(t *testing.T) {
	want := []string{"KaLarge", "KaSmall", "UassetLarge", "UassetSmall", "UbiLarge", "UbiSmall", "UpkgLarge", "UpkgSmall"}
	if names := slices.Sorted(maps.Keys(targets)); !slices.Equal(names, want) {
		t.Errorf("groups %v, want %v", names, want)
	}
}
