package spec

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/spec/ids"
)

// Each fault in a file of layouts is named, with file and line.
func TestLayoutFaults(t *testing.T) {
	const layout = "# a comment\nubi.Box\n  pMin,pMax  ubi.Vector3  UBI-BOX-1\n\nubi.Vector3\n  x,y,z  f4  UBI-VEC3-1\n"
	load := func(fsys fs.FS) error { _, err := loadLayouts(fsys, "ubi.txt", embedded); return err }
	namesFaults(t, "ubi.txt", load, layout, map[string]textFault{
		"unknown kind": {"f4", "f5", `ubi.txt:6: unknown kind "f5"`},
		"unknown layout": {
			"ubi.Vector3  ", "ubi.Vector5  ",
			`ubi.txt:3: pMin,pMax ubi.Vector5 UBI-BOX-1: unknown kind or layout "ubi.Vector5"`,
		},
		"unknown clause":   {"UBI-BOX-1", "UBI-BOX-9", `ubi.txt:3: unknown clause "UBI-BOX-9"`},
		"unknown relation": {"", "  w  f4  UBI-VEC4-1  sum:x\n", `ubi.txt:7: unknown relation "sum:x"`},
		"unknown flag":     {"", "  w  f4  UBI-VEC4-1  ubi.w=observed\n", `ubi.txt:7: unknown side "ubi.w=observed"`},
		"unknown side": {
			"", "  w  f4  UBI-VEC4-1  ubi.wstring-unit=bytes|other\n",
			`ubi.txt:7: unknown side "ubi.wstring-unit=bytes|other"`,
		},
		"no clause":           {"", "  w  f4\n", "ubi.txt:7: expected a field, a kind and a clause"},
		"wrong bytes":         {"", "  w  =zz  UBI-VEC4-1\n", `ubi.txt:7: unknown kind "=zz"`},
		"wrong indent":        {"", "   w  f4  UBI-VEC4-1\n", "ubi.txt:7: a layout is not indented"},
		"field alone":         {layout, "  w  f4  UBI-VEC4-1\n", "ubi.txt:1: a layout is not indented"},
		"foreign layout":      {"", "xyz.Box\n", `ubi.txt:7: "xyz.Box" is not the name of a layout`},
		"double layout":       {"", "ubi.Box\n", `ubi.txt:7: "ubi.Box" is not the name of a layout, or is listed twice`},
		"bits of nothing":     {"", "    32  a  UBI-U32-2\n", `ubi.txt:7: "32" are no bits of a field of kind "f4"`},
		"bits twice":          {"", "    9-0  a  UBI-U32-2\n    9  b  UBI-U32-2\n", `ubi.txt:8: the bits "9" follow bit 0`},
		"bits without clause": {"", "    9-0  a\n", "ubi.txt:7: expected bits, a name and a clause"},
		"clause of bits":      {"", "    9-0  a  UBI-U32-22\n", `ubi.txt:7: unknown clause "UBI-U32-22"`},
	})
}

// TestLayoutRows compares layouts with what the documents state.
func TestLayoutRows(t *testing.T) {
	for name, want := range map[string]string{
		"ubi.Vector3":                            "0 x 4, 4 y 4, 8 z 4",
		"ubi.Box":                                "0 pMin 12, 12 pMax 12",
		"ubi.BasicString":                        "0 len 4, 4 s any",
		"ubi.Array<uint16>":                      "0 len 4, 4 [] 2",
		"ubi.Array<Array<uint32>>":               "0 len 4, 4 [] at least 4",
		"ubi.PairArray<BasicString,BasicString>": "0 len 4, 4 [] at least 8",
		"ubi.Pair<uint32,float32>":               "0 k 4, 4 v 4",
		"upkg.CompactIndex":                      "0 value 1-5",
		"upkg.NameEntry":                         "0 name any, - flags 4",
		"upkg.ExportEntry": "0 class 1-5, - super 1-5, - group 4, - objectName 1-5, - objectFlags " +
			"4, - serialSize 1-5, - serialOffset 1-5",
		"ka.Header":       "0 tag 2, 2 version 2",
		"ka.String":       "0 id 4, - length 4, - text any",
		"ka.Matrix3":      "0 [3][3] 9 × 4",
		"ka.Value":        "0 type 1, 1 contents any", // one of the bodies is a text
		"uasset.Property": "0 contents at least 25",
		"uasset.StructProperty": "0 name 8, 8 type 8, 16 size 4, 20 arrayIndex 4, 24 value.structName 8, " +
			"32 value.structGuid 16, 48 propertyGuid 1-17, - value.value any",
		"uasset.Guid":   "0 value 16",
		"uasset.Import": "0 classPackage 8, 8 className 8, 16 outerIndex 4, 20 objectName 8",
		"uasset.ByteProperty": "0 name 8, 8 type 8, 16 size 4, 20 arrayIndex 4, 24 value.enumName 8, " +
			"32 propertyGuid 1-17, - value.value 1, - value.valueName 8",
	} {
		l, ok := FindLayout(name)
		if !ok {
			t.Errorf("%s has no layout", name)
			continue
		}
		var got []string
		for _, r := range l.Outlines(ids.Observed())[0].Rows {
			offset := "-"
			if r.Offset >= 0 {
				offset = strconv.Itoa(r.Offset)
			}
			if r.Under == "" {
				got = append(got, offset+" "+r.Name()+" "+r.SizeText())
			}
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: %s, want %s", name, s, want)
		}
	}
	for _, name := range []string{"ubi.Array", "ubi.Array<Vector9>", "xyz.Box", "ubi.Cube"} {
		if l, ok := FindLayout(name); ok {
			t.Errorf("%s has the layout %s", name, l.Name)
		}
	}
}

// TestLayoutBits: the bits of the fields for which a clause speaks of bits.
func TestLayoutBits(t *testing.T) {
	for place, want := range map[[2]string][]int{ // by layout and field: how many of each byte
		{"upkg.CompactIndex", ""}:           {8, 8, 8, 8, 8},
		{"ubi.CompressedQuaternionU32", ""}: {32},
		{"ubi.EncryptedString", "s"}:        {8},
		{"uasset.Mip", "bulkDataFlags"}:     {6},
	} {
		l, _ := FindLayout(place[0])
		i := slices.IndexFunc(l.Fields, func(f *Field) bool { return f.Path == place[1] })
		got := make([]int, len(want))
		for _, b := range l.Fields[i].Bits {
			got[b.Byte] += b.High - b.Low + 1
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d bits, want %d", place, got, want)
		}
	}
}
