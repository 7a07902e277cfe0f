package uasset_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/texturesample"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// withData returns a package with one object of a class. fill returns the data
// of the object for the offset at which they begin in the file.
func withData(t *testing.T, class string, fill func(at uint64) []byte) (*uasset.Codec, model.Package) {
	t.Helper()
	c := uasset.New(wire.Settings{})
	f := model.Package{Summary: model.Summary{PackageFlags: 0x80000000, SearchableNamesOffset: new(uint32)}}
	name := func(s string) model.FName { return uasset.Name(&f, s) }
	name("None")
	name("PF_A8")
	f.Imports = []model.Import{{ClassPackage: name("/Script/Engine"), ClassName: name("Class"), ObjectName: name(class)}}
	f.Exports = []model.Export{{ClassIndex: model.ImportIndex(0), ObjectName: name("A"), FirstExportDependency: -1}}
	f.Objects = []model.Object{{Properties: &model.PropertyList{}, Data: fill(0)}}
	f, err := c.Rebuild(f)
	if err != nil {
		t.Fatal(err)
	}
	f.Objects[0].Data = fill(dataAt(&f, 0))
	return c, f
}

// dataAt returns the offset of the data of an object in the file.
func dataAt(f *model.Package, i int) uint64 {
	e := &f.Exports[i]
	return uint64(e.SerialOffset) + uint64(e.SerialSize) - uint64(len(f.Objects[i].Data))
}

func words(v ...uint32) (b []byte) {
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// bulk returns data, then a bulk header with an inline payload. at is the
// offset of the data in the file.
func bulk(data []byte, at uint64, payload string) []byte {
	data = append(data, words(0x48, uint32(len(payload)), uint32(len(payload)))...)
	data = binary.LittleEndian.AppendUint64(data, at+uint64(len(data))+8)
	return append(data, payload...)
}

// twoBulks returns data like those of a sound: other bytes, a bulk header, and
// another one directly after its payload.
func twoBulks(at uint64) []byte {
	return append(bulk(bulk([]byte("\x00\x00\x00\x00abc"), at, "first payload"), at, "second"), 0xFF, 0, 1)
}

// TestRebuildBulkHeaders: the offsets of inline bulk headers move with the
// object, and no other byte changes.
func TestRebuildBulkHeaders(t *testing.T) {
	c, f := withData(t, "SoundWave", twoBulks)
	given := slices.Clone(f.Objects[0].Data)
	for _, text := range []string{"", "one more name", strings.Repeat("long", 500)} {
		g := f
		if text != "" {
			uasset.Name(&g, text)
		}
		got := written(t, c, g)
		if text != "" && dataAt(&got, 0) == dataAt(&f, 0) {
			t.Fatal("the object has not moved")
		}
		if want := twoBulks(dataAt(&got, 0)); !bytes.Equal(got.Objects[0].Data, want) {
			t.Errorf("%d more bytes: data\n%x, want\n%x", len(text), got.Objects[0].Data, want)
		}
		if !bytes.Equal(f.Objects[0].Data, given) {
			t.Fatal("Rebuild changes its argument")
		}
	}
}

// TestRebuildRefusesOffsets: data with a 64-bit number that is the position
// after itself, but not in a bulk header, cannot move. They can stay.
func TestRebuildRefusesOffsets(t *testing.T) {
	self := func(data []byte, at uint64) []byte {
		return binary.LittleEndian.AppendUint64(data, at+uint64(len(data))+8)
	}
	for name, fill := range map[string]func(at uint64) []byte{
		"size past the end": func(at uint64) []byte { return append(self(words(0x48, 3, 3), at), 1, 2) },
		"size of 2^32 - 1":  func(at uint64) []byte { return append(self(words(0x48, 1<<32-1, 1<<32-1), at), 1, 2) },
		"no room before":    func(at uint64) []byte { return self(words(0, 0), at) },
		"at the start":      func(at uint64) []byte { return self(nil, at) },
		"in another payload": func(at uint64) []byte {
			return append(self(append(self(words(0x48, 30, 30), at), words(0x48, 0, 0)...), at), make([]byte, 20)...)
		},
		"in the next header":  func(at uint64) []byte { return self(append(self(words(0x48, 5, 5), at), words(0x48, 0, 0)...), at) },
		"texture past itself": func(at uint64) []byte { return otherTexture(at, 1000) },
		"texture before":      func(at uint64) []byte { return otherTexture(at, -70) },
	} {
		class := "BodySetup"
		if strings.HasPrefix(name, "texture") {
			class = "Texture2D"
		}
		c, f := withData(t, class, fill)
		if got := written(t, c, f); !bytes.Equal(got.Objects[0].Data, f.Objects[0].Data) {
			t.Errorf("%s: the data of an unchanged package change", name)
		}
		uasset.Name(&f, "one more name")
		_, err := c.Rebuild(f)
		var e *wire.Error
		if !errors.As(err, &e) || e.Class != wire.Range || e.Path != "objects[0].data" || e.Clause != "UA-PKG-18" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// otherTexture returns a texture in PF_A8 of one inline pixel, with a SkipOffset
// that is wrong by a number of bytes.
func otherTexture(at uint64, wrong int) []byte {
	data := append(words(0), 1, 0, 1, 0)
	data = append(data, words(1, 1, 0, 0, 1, 1, 1, 6)...)
	data = append(append(data, "PF_A8\x00"...), words(0, 1, 1)...)
	data = append(bulk(data, at, "p"), words(1, 1)...)
	binary.LittleEndian.PutUint32(data[20:], uint32(int(at)+len(data)+wrong))
	return append(data, words(0, 0)...)
}

// TestRebuildOtherTextures: a texture in another format is kept as data, and
// both of its offsets move.
func TestRebuildOtherTextures(t *testing.T) {
	for _, class := range []string{"Texture2D", "TextureCube", "LightMapTexture2D", "ShadowMapTexture2D"} {
		c, f := withData(t, class, func(at uint64) []byte { return otherTexture(at, 0) })
		uasset.Name(&f, "one more name")
		got := written(t, c, f)
		if want := otherTexture(dataAt(&got, 0), 0); got.Objects[0].Texture != nil || !bytes.Equal(got.Objects[0].Data, want) {
			t.Errorf("%s: data\n%x, want\n%x", class, got.Objects[0].Data, want)
		}
	}
}

// TestRebuildDataAfterTextures: data after a texture are not another texture,
// whatever their bytes are.
func TestRebuildDataAfterTextures(t *testing.T) {
	c := uasset.New(wire.Settings{})
	f, err := texturesample.Package(rock)
	if err != nil {
		t.Fatal(err)
	}
	uasset.Name(&f, "None")
	row := uasset.Name(&f, "PF_A8").Index
	fill := func(at uint64) []byte {
		data := otherTexture(at, 0)
		binary.LittleEndian.PutUint32(data[12:], row)
		binary.LittleEndian.PutUint32(data[20:], 1<<31) // a SkipOffset would be an error
		return data
	}
	f.Objects[0].Data = fill(0)
	f = written(t, c, f)
	f.Objects[0].Data = fill(dataAt(&f, 0))
	uasset.Name(&f, "one more name")
	got := written(t, c, f)
	if want := fill(dataAt(&got, 0)); got.Objects[0].Texture == nil || !bytes.Equal(got.Objects[0].Data, want) {
		t.Errorf("data\n%x, want\n%x", got.Objects[0].Data, want)
	}
}

// TestRebuildBulkDataOfOthers: bulk data to which the data of an object may
// refer stay where they are.
func TestRebuildBulkDataOfOthers(t *testing.T) {
	c, f := withData(t, "SoundWave", func(uint64) []byte { return append(words(0, 0x401, 6, 6), make([]byte, 8)...) })
	f.BulkData = []byte("stream")
	if got := written(t, c, f); string(got.BulkData) != "stream" {
		t.Errorf("bulk data %q", got.BulkData)
	}
	g, err := texturesample.Package(texturesample.Texture{Name: "T", Format: model.G8, Width: 128, Height: 128, OneMip: true})
	if err != nil {
		t.Fatal(err)
	}
	size := len(g.BulkData)
	g.Objects[0].Texture.Mips[0].Data = slices.Clone(g.BulkData) // becomes the first payload again
	if _, err := c.Rebuild(g); err != nil {
		t.Errorf("without references: %v", err)
	}
	g.Objects[0].Data = append(words(0x401, uint32(size), uint32(size)), make([]byte, 8)...)
	_, err = c.Rebuild(g)
	var e *wire.Error
	if !errors.As(err, &e) || e.Class != wire.Range || e.Path != "objects[0].data" {
		t.Errorf("with a reference: %v", err)
	}
}

// TestRebuildSummaryOffsets: an offset in the summary moves with its part. One
// that belongs to no part is an error.
func TestRebuildSummaryOffsets(t *testing.T) {
	c, f := withData(t, "DataTable", func(uint64) []byte { return nil })
	f.Summary.SearchableNamesOffset = nil // 4.14
	f = written(t, c, f)
	region := func(f *model.Package) uint32 { return f.Summary.ExportOffset + 100*f.Summary.ExportCount }
	f.Summary.SoftPackageReferencesOffset = region(&f)
	f.Summary.DependsOffset = f.Summary.ExportOffset + 96*f.Summary.ExportCount
	uasset.Name(&f, "one more name")
	got := written(t, c, f)
	if s := got.Summary; s.SoftPackageReferencesOffset != region(&got) || s.DependsOffset != region(&got)-4 || region(&got) == region(&f) {
		t.Errorf("the export region ends at %d, in %+v", region(&got), s)
	}
	for name, change := range map[string]func(*model.Summary){
		"dependsOffset":               func(s *model.Summary) { s.DependsOffset++ },
		"softPackageReferencesOffset": func(s *model.Summary) { s.SoftPackageReferencesOffset = 7 },
		"thumbnailTableOffset":        func(s *model.Summary) { s.ThumbnailTableOffset = 1 << 31 },
		"gatherableTextDataOffset":    func(s *model.Summary) { s.GatherableTextDataOffset = 5 },
		"worldTileInfoDataOffset":     func(s *model.Summary) { s.WorldTileInfoDataOffset = 5 },
	} {
		g := got
		change(&g.Summary)
		if _, err := c.Rebuild(g); err != nil {
			t.Errorf("%s in a package that does not change: %v", name, err)
		}
		uasset.Name(&g, "another name")
		_, err := c.Rebuild(g)
		var e *wire.Error
		if !errors.As(err, &e) || e.Class != wire.Range || e.Path != "summary."+name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRebuildSoftReferences: count, offset and the parts after the table are
// computed, in 4.14 and in 4.15.
func TestRebuildSoftReferences(t *testing.T) {
	for _, searchable := range []*uint32{nil, new(uint32)} {
		c, f := withData(t, "SoundWave", twoBulks)
		f.Summary.SearchableNamesOffset = searchable
		f.SoftPackageReferences = []model.FString{{Text: "/Game/A"}, {Text: "/Game/B"}}
		got := written(t, c, f)
		s := got.Summary
		if region := s.ExportOffset + 100; s.SoftPackageReferencesCount != 2 || s.SoftPackageReferencesOffset != region || s.AssetRegistryDataOffset != region+2*(4+8) {
			t.Errorf("%+v", s)
		}
		if !bytes.Equal(got.Objects[0].Data, twoBulks(dataAt(&got, 0))) {
			t.Error("the bulk headers have other offsets")
		}
		got.SoftPackageReferences = got.SoftPackageReferences[:0]
		got = written(t, c, got)
		if s := got.Summary; s.SoftPackageReferencesCount != 0 || s.AssetRegistryDataOffset != s.ExportOffset+100 || s.SoftPackageReferencesOffset != s.AssetRegistryDataOffset {
			t.Errorf("without references: %+v", s)
		}
	}
}
