package uasset_test

import (
	"slices"
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
)

// TestInconsistencies: references in properties at every depth.
func TestInconsistencies(t *testing.T) {
	list := func(v uasset.Value) uasset.PropertyList {
		return uasset.PropertyList{{Value: uasset.IntProperty(9)}, {Value: v}}
	}
	structure := func(v uasset.StructValue) uasset.Value { return uasset.StructProperty{Value: v} }
	for _, c := range []struct {
		v    uasset.Value
		want []string
	}{
		{uasset.ObjectProperty(0), nil},
		{uasset.ObjectProperty(2), nil},
		{uasset.ObjectProperty(-1), nil},
		{uasset.ObjectProperty(3), []string{"objects[1].properties[1].value: refers to export 2, counted from 0, and the table has 2 entries"}},
		{uasset.ObjectProperty(-2), []string{"objects[1].properties[1].value: refers to import 1, counted from 0, and the table has 1 entry"}},
		{
			uasset.ArrayProperty{Elements: uasset.Objects{1, 1 << 30, -1 << 31}},
			[]string{
				"objects[1].properties[1].value.elements[1]: refers to export 1073741823, counted from 0, and the table has 2 entries",
				"objects[1].properties[1].value.elements[2]: refers to import 2147483647, counted from 0, and the table has 1 entry",
			},
		},
		{
			structure(uasset.FontImportOptionsData{Properties: list(uasset.ObjectProperty(9))}),
			[]string{"objects[1].properties[1].value.value.properties[1].value: refers to export 8, counted from 0, and the table has 2 entries"},
		},
		{
			uasset.ArrayProperty{Elements: uasset.Structs{Elements: []uasset.StructValue{
				uasset.MaterialTextureInfo(list(uasset.ObjectProperty(9))),
			}}},
			[]string{"objects[1].properties[1].value.elements.elements[0][1].value: refers to export 8, counted from 0, and the table has 2 entries"},
		},
	} {
		properties := list(c.v)
		f := &uasset.Package{
			Imports: make([]uasset.Import, 1), Exports: make([]uasset.Export, 2),
			Objects: []uasset.Object{{}, {Properties: &properties}},
		}
		var got []string
		for i := range uasset.Inconsistencies(f) {
			got = append(got, i.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
		for range uasset.Inconsistencies(f) {
			break
		}
	}
}
