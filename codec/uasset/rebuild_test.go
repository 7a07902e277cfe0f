package uasset_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/internal/texturesample"
	model "github.com/formatgauge/formatgauge/model/uasset"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// decoded returns a package with two textures that share the bulk data.
func decoded(c *uasset.Codec) model.Package {
	return testrun.Must(c.Package().Decode(testrun.Must(texturesample.File(rock,
		texturesample.Texture{Name: "T_Large", Format: model.DXT1, Width: 256, Height: 128},
		texturesample.Texture{Name: "T_Wide", Format: model.G8, Width: 256, Height: 256}))))
}

// written rebuilds and writes a package, and reads it again.
func written(t *testing.T, c *uasset.Codec, f model.Package) model.Package {
	t.Helper()
	f, _, err := c.Rebuild(f)
	if err != nil {
		t.Fatal(err)
	}
	return testrun.Must(c.Package().Decode(testrun.Must(c.Package().Append(nil, f))))
}

// TestAppendPackage: a package is written as it was read, and its indices count rows.
func TestAppendPackage(t *testing.T) {
	f := decoded(uasset.New(wire.Settings{}))
	b := testrun.Must(uasset.AppendPackage([]byte("x"), f))
	if d := cmp.Diff(f, testrun.Must(uasset.DecodePackage(b[1:]))); d != "" || b[0] != 'x' {
		t.Error(d)
	}
	export, isExport := uasset.ExportIndex(3).Export()
	row, isImport := uasset.ImportIndex(3).Import()
	if export != 3 || row != 3 || !isExport || !isImport {
		t.Errorf("rows %d and %d", export, row)
	}
}

// moved returns a summary in which the names are some bytes later, and the parts after them
// some more.
func moved(s model.Summary, summary, names uint32) model.Summary {
	s.NameOffset += summary
	for _, offset := range []*uint32{&s.ImportOffset, &s.ExportOffset, &s.AssetRegistryDataOffset, &s.TotalHeaderSize} {
		*offset += summary + names
	}
	s.PreloadDependencyOffset = s.TotalHeaderSize
	s.BulkDataStartOffset += int64(summary + names)
	return s
}

// TestRebuildCountedParts: the parts after a longer summary move.
func TestRebuildCountedParts(t *testing.T) {
	c := uasset.New(wire.Settings{})
	f := decoded(c)
	f.Summary.Generations = []model.Generation{{ExportCount: 1, NameCount: 2}, {ExportCount: 3, NameCount: 4}}
	f.Summary.SavedByEngineVersion.Branch = &model.FString{Text: "Main"}
	f.Summary.AdditionalPackagesToCook = []model.FString{{Text: "/Game/A"}, {Form: model.Absent}}
	f.Summary.ChunkIDs = []int32{1, -1}
	uasset.AddName(&f, "Added")
	const summary, name = 8 + 5 + 12 + 4 + 8, 4 + 6 + 4
	want := moved(f.Summary, summary, name)
	want.NameCount++
	want.Generations = slices.Clone(want.Generations)
	want.Generations[1].NameCount = want.NameCount
	if d := cmp.Diff(want, written(t, c, f).Summary); d != "" {
		t.Error(d)
	}
	if f.Summary.Generations[1].NameCount != 4 {
		t.Error("Rebuild changes its argument")
	}
}

// TestRebuildAfterRenaming: the parts after a longer name move, and its hashes
// are computed.
func TestRebuildAfterRenaming(t *testing.T) {
	c := uasset.New(wire.Settings{})
	f := decoded(c)
	before := f.Summary
	row := uasset.AddName(&f, "T_Rock").Index
	f.Names[row].Name.Text = "T_Rocks"
	if _, err := c.Package().Append(nil, f); !errors.Is(err, wire.Range) {
		t.Fatalf("written without Rebuild: %v", err)
	}
	got := written(t, c, f)
	if d := cmp.Diff(moved(before, 0, 1), got.Summary); d != "" {
		t.Error(d)
	}
	loose, exact := uasset.NameHashes(model.FString{Text: "T_Rocks"})
	if n := got.Names[row]; n.NonCasePreservingHash != loose || n.CasePreservingHash != exact {
		t.Errorf("hashes %04x and %04x, want %04x and %04x", n.NonCasePreservingHash, n.CasePreservingHash, loose, exact)
	}
	for i := range got.Objects {
		for j, m := range got.Objects[i].Texture.Mips {
			old, _ := f.Payload(&f.Objects[i].Texture.Mips[j])
			if now, ok := got.Payload(&m); !ok || !bytes.Equal(now, old) {
				t.Errorf("mip %d of object %d has other pixels", j, i)
			}
		}
	}
}

// TestRebuildAfterDroppingMips: the payload of a removed mip stays where it is,
// and so do the others. New payloads follow one another.
func TestRebuildAfterDroppingMips(t *testing.T) {
	c := uasset.New(wire.Settings{})
	f := decoded(c)
	large, wide := f.Objects[1].Texture, f.Objects[2].Texture
	first := wide.Mips[0]
	large.Mips = large.Mips[1:]
	got := written(t, c, f)
	if m := got.Objects[2].Texture.Mips[0]; first.OffsetInFile == 0 || m.OffsetInFile != first.OffsetInFile ||
		!bytes.Equal(got.BulkData, f.BulkData) {
		t.Errorf("the first payload is that of %+v, want that of %+v", m, first)
	}
	// In another order the payloads have to move. Unused bytes are after them.
	g := decoded(c)
	g.Objects = []model.Object{g.Objects[0], g.Objects[2], g.Objects[1]}
	last := g.Objects[1].Texture.Mips[1]
	g.Objects[1].Texture.Mips = g.Objects[1].Texture.Mips[1:]
	got = written(t, c, g)
	pixels := slices.Concat(g.BulkData[last.OffsetInFile:], g.BulkData[:last.OffsetInFile])
	if m := got.Objects[1].Texture.Mips[0]; m.OffsetInFile != 0 ||
		got.Objects[2].Texture.Mips[0].OffsetInFile != int64(m.Size) || !bytes.Equal(got.BulkData, pixels) {
		t.Errorf("%d bytes of bulk data of %d, %+v", len(got.BulkData), len(pixels), m)
	}
	// Payloads given as Data replace the bulk data.
	for j := range wide.Mips {
		wide.Mips[j].Data, _ = f.Payload(&wide.Mips[j])
	}
	f.BulkData = nil
	got = written(t, c, f)
	if want := int(wide.Mips[0].Size + wide.Mips[1].Size); len(got.BulkData) != want {
		t.Errorf("%d bytes of bulk data, want %d", len(got.BulkData), want)
	}
}

// TestRebuildMovesPayloads: changed flags move a payload between the object
// and the bulk data.
func TestRebuildMovesPayloads(t *testing.T) {
	c := uasset.New(wire.Settings{})
	f := decoded(c)
	small, large := &f.Objects[0].Texture.Mips[0], &f.Objects[1].Texture.Mips[0]
	smallPixels, largePixels := small.Data, f.BulkData[large.OffsetInFile:][:large.Size]
	small.BulkDataFlags = model.PayloadAtEndOfFile
	large.BulkDataFlags = model.ForceInlinePayload
	large.Data = largePixels
	got := written(t, c, f)
	s, l := got.Objects[0].Texture.Mips[0], got.Objects[1].Texture.Mips[0]
	if len(s.Data) != 0 || s.OffsetInFile != 0 || !bytes.HasPrefix(got.BulkData, smallPixels) {
		t.Errorf("the small mip is %+v", s)
	}
	if !bytes.Equal(l.Data, largePixels) || l.OffsetInFile < int64(got.Summary.TotalHeaderSize) {
		t.Errorf("the large mip has %d bytes at %d", len(l.Data), l.OffsetInFile)
	}
}

// TestRebuildInnerTags: the inner tag of an array of structs has the right size
// at any depth.
func TestRebuildInnerTags(t *testing.T) {
	for _, profile := range []ids.Profile{ids.Observed(), ids.Documented()} {
		c := uasset.New(wire.Settings{Profile: profile})
		f := bare()
		name := func(s string) model.FName { return uasset.AddName(&f, s) }
		array := func(of string, elements ...model.StructValue) model.Property {
			return model.Property{Name: name("Items"), Value: model.ArrayProperty{
				InnerType: name("StructProperty"),
				Elements:  model.Structs{Tag: model.InnerTag{Name: name("Items"), StructName: name(of)}, Elements: elements},
			}}
		}
		for _, s := range []string{"None", "ArrayProperty", "StructProperty"} {
			name(s)
		}
		deep := model.MaterialTextureInfo{array("IntPoint", model.IntPoint{X: 1}, model.IntPoint{Y: 2})}
		list := model.PropertyList{array("MaterialTextureInfo", deep, model.MaterialTextureInfo{})}
		f.Exports = []model.Export{{ObjectName: name("A")}}
		f.Objects = []model.Object{{Properties: &list, Data: []byte("rest")}}
		got := written(t, c, f)
		if tag := list[0].Value.(model.ArrayProperty).Elements.(model.Structs).Tag; tag.Size != 0 {
			t.Error("Rebuild changes its argument")
		}
		outer := (*got.Objects[0].Properties)[0].Value.(model.ArrayProperty).Elements.(model.Structs)
		inner := outer.Elements[0].(model.MaterialTextureInfo)[0].Value.(model.ArrayProperty).Elements.(model.Structs)
		// Two points of 8 bytes. The list that contains them: a tag of 24 bytes,
		// InnerType 8, a GUID byte, the count 4, an inner tag of 48 and its GUID byte,
		// the points, and None 8. The empty list: None 8.
		points, lists := uint32(16), uint32(24+8+1+4+48+1+16+8+8)
		if profile.Base() == ids.SideDocumented {
			// In each of the two arrays: a null before each of two elements and one after
			// the last, but no GUID byte.
			points, lists = points+2, lists+2+2
		}
		if inner.Tag.Size != points || outer.Tag.Size != lists {
			t.Errorf("%s: the sizes are %d and %d, want %d and %d", profile, inner.Tag.Size, outer.Tag.Size, points, lists)
		}
	}
}

func TestRebuildFaults(t *testing.T) {
	c := uasset.New(wire.Settings{})
	for _, k := range []struct {
		path, says string
		change     func(*model.Package)
	}{
		{"objects", "expected 3, the number of exports, found 2", func(f *model.Package) { f.Objects = f.Objects[:2] }},
		{"objects[0].properties[0].type", `expected the name "FloatProperty" in the name table`, func(f *model.Package) {
			f.Objects[0].Properties = &model.PropertyList{{Name: uasset.AddName(f, "x"), Value: model.FloatProperty(1)}}
		}},
		{"objects[0].texture.mips[1]", "compressed", func(f *model.Package) {
			f.Objects[0].Texture.Mips[1].BulkDataFlags |= model.SerializeCompressed
		}},
		{"objects[1].texture.mips[0]", "in the 10 bytes of bulk data", func(f *model.Package) { f.BulkData = f.BulkData[:10] }},
		{"objects[1].texture.mips[0]", "found 16384 bytes at -1", func(f *model.Package) {
			f.Objects[1].Texture.Mips[0].OffsetInFile = -1
		}},
	} {
		f := decoded(c)
		k.change(&f)
		if _, _, err := c.Rebuild(f); !isRange(err, k.path, k.says) {
			t.Errorf("error %v, want one with %q at %s", err, k.says, k.path)
		}
	}
}

// TestAliases: byte slices alias the input.
func TestAliases(t *testing.T) {
	c := uasset.New(wire.Settings{})
	src := testrun.Must(texturesample.File(rock,
		texturesample.Texture{Name: "T_Large", Format: model.DXT5, Width: 128, Height: 128}))
	f := testrun.Must(c.Package().Decode(src))
	inside := func(b []byte) bool { return &src[bytes.Index(src, b)] == &b[0] && cap(b) == len(b) }
	if !inside(f.BulkData) {
		t.Error("the bulk data were copied")
	}
	if !inside(f.Objects[0].Texture.Mips[0].Data) {
		t.Error("the payload was copied")
	}
	if n := testing.AllocsPerRun(20, func() { _, _ = c.Package().Decode(src) }); n > 200 {
		t.Errorf("%.0f allocations for two textures", n)
	}
}
