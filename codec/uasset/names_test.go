package uasset_test

import (
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// TestNameHashes: the hashes of None, and the first one of the name in Cyrillic,
// are from real packages. The others are from an independent computation in
// Python. The first hash upper-cases a to z and no other letter: with all letters
// in upper case it would be 0x0056, 0xC8AC and 0x3A87.
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
		{model.FString{Text: "Текстура_сосны_альфа", Form: model.UTF16}, 0x58A9, 0x330F},
		{model.FString{Text: "Été", Form: model.UTF16}, 0xCD63, 0xB536},
		{model.FString{Text: "naïve", Form: model.UTF16}, 0x6016, 0x3F5E},
		{model.FString{Text: "na\xEFve"}, 0x6016, 0x3F5E}, // one unit per byte
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
}
