package uasset_test

import (
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// TestNameHashes: the hashes of None are from real packages, those of T_Rock
// are from an independent computation.
func TestNameHashes(t *testing.T) {
	for _, c := range []struct {
		name         model.FString
		loose, exact uint16
	}{
		{model.FString{Text: ""}, 0, 0},
		{model.FString{Text: "None"}, 0x03F4, 0x0DC5},
		{model.FString{Text: "T_Rock"}, 0xCB55, 0x63C1},
		{model.FString{Text: "None", Form: model.UTF16}, 0x03F4, 0x0DC5},
		{model.FString{Form: model.Absent}, 0, 0},
	} {
		loose, exact := uasset.NameHashes(c.name)
		if loose != c.loose || exact != c.exact {
			t.Errorf("%+v: %04x and %04x, want %04x and %04x", c.name, loose, exact, c.loose, c.exact)
		}
	}
	// The first hash ignores the case, the second does not.
	lower, exactLower := uasset.NameHashes(model.FString{Text: "texture"})
	upper, exactUpper := uasset.NameHashes(model.FString{Text: "TEXTURE"})
	if lower != upper || exactLower == exactUpper {
		t.Errorf("texture has %04x %04x, TEXTURE %04x %04x", lower, exactLower, upper, exactUpper)
	}
	// Upper case is not limited to ASCII.
	wide, _ := uasset.NameHashes(model.FString{Text: "é", Form: model.UTF16})
	if upper, _ := uasset.NameHashes(model.FString{Text: "É", Form: model.UTF16}); wide != upper {
		t.Errorf("é has %04x, É %04x", wide, upper)
	}
}
