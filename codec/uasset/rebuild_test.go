package uasset_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/texturesample"
	model "github.com/formatgauge/formatgauge/model/uasset"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// decoded returns a package with two textures that share the bulk data.
func decoded(t *testing.T, c *uasset.Codec) model.Package {
	t.Helper()
	f, err := c.Package().Decode(sample(t, rock,
		texturesample.Texture{Name: "T_Large", Format: model.DXT1, Width: 256, Height: 128},
		texturesample.Texture{Name: "T_Wide", Format: model.G8, Width: 256, Height: 256}))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// written rebuilds and writes a package, and reads it again.
func written(t *testing.T, c *uasset.Codec, f model.Package) model.Package {
	t.Helper()
	f, _, err := c.Rebuild(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Package().Append(nil, f)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Package().Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestRebuildCountedParts: the parts after a longer summary move.
func TestRebuildCountedParts(t *testing.T) {
	c := uasset.New(wire.Settings{})
	f := decoded(t, c)
	before := f.Summary
	f.Summary.Generations = []model.Generation{{ExportCount: 1, NameCount: 2}, {ExportCount: 3, NameCount: 4}}
	f.Summary.SavedByEngineVersion.Branch = &model.FString{Text: "Main"}
	f.Summary.AdditionalPackagesToCook = []model.FString{{Text: "/Game/A"}, {Form: model.Absent}}
	f.Summary.ChunkIDs = []int32{1, -1}
	uasset.AddName(&f, "Added")
	const summary, name = 8 + 5 + 12 + 4 + 8, 4 + 6 + 4
	got := written(t, c, f)
	s := got.Summary
	if s.NameOffset != before.NameOffset+summary || s.ImportOffset != before.ImportOffset+summary+name ||
		s.TotalHeaderSize != before.TotalHeaderSize+summary+name ||
		s.BulkDataStartOffset != before.BulkDataStartOffset+summary+name {
		t.Errorf("the summary is %d bytes longer, and the offsets change from %+v to %+v", summary, before, s)
	}
	if s.SavedByEngineVersion.Branch.Text != "Main" || len(s.AdditionalPackagesToCook) != 2 || s.ChunkIDs[1] != -1 {
		t.Errorf("the parts are %+v", s)
	}
	if s.Generations[0] != (model.Generation{ExportCount: 1, NameCount: 2}) || s.Generations[1].NameCount != s.NameCount ||
		s.Generations[1].ExportCount != 3 {
		t.Errorf("the generations are %+v", s.Generations)
	}
	if f.Summary.Generations[1].NameCount != 4 {
		t.Error("Rebuild changes its argument")
	}
}

// TestRebuildAfterRenaming: the parts after a longer name move, and its hashes
// are computed.
func TestRebuildAfterRenaming(t *testing.T) {
	c := uasset.New(wire.Settings{})
	f := decoded(t, c)
	before := f.Summary
	row := uasset.AddName(&f, "T_Rock").Index
	f.Names[row].Name.Text = "T_Rocks"
	if _, err := c.Package().Append(nil, f); !errors.Is(err, wire.Range) {
		t.Fatalf("written without Rebuild: %v", err)
	}
	got := written(t, c, f)
	s := got.Summary
	if s.ImportOffset != before.ImportOffset+1 || s.ExportOffset != before.ExportOffset+1 ||
		s.AssetRegistryDataOffset != before.AssetRegistryDataOffset+1 ||
		s.TotalHeaderSize != before.TotalHeaderSize+1 || s.PreloadDependencyOffset != before.PreloadDependencyOffset+1 ||
		s.BulkDataStartOffset != before.BulkDataStartOffset+1 {
		t.Errorf("the name is one byte longer, and the offsets change from %+v to %+v", before, s)
	}
	if s.PackageSource != before.PackageSource || s.PackageGuid != before.PackageGuid {
		t.Error("PackageSource or PackageGuid has changed")
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
	f := decoded(t, c)
	large, wide := f.Objects[1].Texture, f.Objects[2].Texture
	first := wide.Mips[0]
	large.Mips = large.Mips[1:]
	got := written(t, c, f)
	if m := got.Objects[2].Texture.Mips[0]; first.OffsetInFile == 0 || m.OffsetInFile != first.OffsetInFile ||
		!bytes.Equal(got.BulkData, f.BulkData) {
		t.Errorf("the first payload is that of %+v, want that of %+v", m, first)
	}
	// In another order the payloads have to move. Unused bytes are after them.
	g := decoded(t, c)
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
	f := decoded(t, c)
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
		f := model.Package{Summary: model.Summary{
			PackageFlags: 0x80000000, SearchableNamesOffset: new(uint32), Generations: make([]model.Generation, 1),
		}}
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
		given := list[0].Value
		got := written(t, c, f)
		if tag := list[0].Value.(model.ArrayProperty).Elements.(model.Structs).Tag; tag.Size != 0 || given == nil {
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
		name   string
		change func(*model.Package)
		path   string
		says   string
	}{
		{
			"an object too few", func(f *model.Package) { f.Objects = f.Objects[:2] }, "objects",
			"expected 3, the number of exports, found 2",
		},
		{"no such type", func(f *model.Package) {
			list := model.PropertyList{{Name: uasset.AddName(f, "x"), Value: model.FloatProperty(1)}}
			f.Objects[0].Properties = &list
		}, "objects[0].properties[0].type", `expected the name "FloatProperty" in the name table`},
		{
			"compressed", func(f *model.Package) { f.Objects[0].Texture.Mips[1].BulkDataFlags |= model.SerializeCompressed },
			"objects[0].texture.mips[1]", "compressed",
		},
		{
			"no payload", func(f *model.Package) { f.BulkData = f.BulkData[:10] }, "objects[1].texture.mips[0]",
			"in the 10 bytes of bulk data",
		},
		{
			"a payload before the beginning", func(f *model.Package) { f.Objects[1].Texture.Mips[0].OffsetInFile = -1 },
			"objects[1].texture.mips[0]", "found 16384 bytes at -1",
		},
	} {
		f := decoded(t, c)
		k.change(&f)
		_, _, err := c.Rebuild(f)
		if !isRange(err, k.path, k.says) {
			t.Errorf("%s: error %v, want one with %q at %s", k.name, err, k.says, k.path)
		}
	}
}

// TestAliases: byte slices alias the input.
func TestAliases(t *testing.T) {
	c := uasset.New(wire.Settings{})
	src := sample(t, rock, texturesample.Texture{Name: "T_Large", Format: model.DXT5, Width: 128, Height: 128})
	f, err := c.Package().Decode(src)
	if err != nil {
		t.Fatal(err)
	}
	inside := func(b []byte) bool {
		return &src[bytes.Index(src, b)] == &b[0]
	}
	if !inside(f.BulkData) || cap(f.BulkData) != len(f.BulkData) {
		t.Error("the bulk data were copied")
	}
	if m := f.Objects[0].Texture.Mips[0]; !inside(m.Data) || cap(m.Data) != len(m.Data) {
		t.Error("the payload was copied")
	}
	n := testing.AllocsPerRun(20, func() { _, _ = c.Package().Decode(src) })
	if n > 200 {
		t.Errorf("%.0f allocations for two textures", n)
	}
}
