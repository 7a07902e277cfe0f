package uasset_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/internal/texturesample"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// The first rows of the name tables of these tests: of no type, of one pixel format,
// and of the types in shader maps.
var names = []string{
	"None", "PF_A8", "TBasePassPS", "FVelocityVS", "FLocalVertexFactory", "TSkinVertexFactory", "DepthPipeline",
}

const (
	pixelShader, vertexShader, localFactory, skinFactory, pipeline = 2, 3, 4, 5, 6 // rows
)

// bare returns a package without names.
func bare() model.Package {
	return model.Package{Summary: model.Summary{
		PackageFlags: 0x80000000, SearchableNamesOffset: new(uint32), Generations: make([]model.Generation, 1),
	}}
}

// withData returns a package with one object of a class. fill returns the data
// of the object for the offset at which they begin in the file.
func withData(t *testing.T, class string, fill func(at uint64) []byte) (*uasset.Codec, model.Package) {
	t.Helper()
	c := uasset.New(wire.Settings{})
	f := bare()
	name := func(s string) model.FName { return uasset.AddName(&f, s) }
	for _, s := range names {
		name(s)
	}
	f.Imports = []model.Import{{ClassPackage: name("/Script/Engine"), ClassName: name("Class"), ObjectName: name(class)}}
	f.Exports = []model.Export{{ClassIndex: model.ImportIndex(0), ObjectName: name("A"), FirstExportDependency: -1}}
	f.Objects = []model.Object{{Properties: &model.PropertyList{}, Data: fill(0)}}
	f, _, err := c.Rebuild(f)
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
			uasset.AddName(&g, text)
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

// self returns data, then a 64-bit number that is the position after itself.
func self(data []byte, at uint64) []byte {
	return binary.LittleEndian.AppendUint64(data, at+uint64(len(data))+8)
}

// TestRebuildUnread: data that are not understood cannot move, unless the caller
// says so. Then their bulk headers move, and nothing else. They can stay.
func TestRebuildUnread(t *testing.T) {
	before := func(data string) func(uint64) []byte { // an offset
		return func(at uint64) []byte { return append([]byte(data), words(uint32(at)+uint32(len(data)))...) }
	}
	header := func(v ...uint32) func(uint64) []byte { // a bulk header and two bytes
		return func(at uint64) []byte { return append(self(words(v...), at), 1, 2) }
	}
	after := func(v ...uint32) func(uint64) []byte { // and then an offset
		return func(at uint64) []byte { return append(words(v...), words(uint32(at))...) }
	}
	for name, k := range map[string]struct {
		class string
		fill  func(at uint64) []byte
		stays bool // the offset that is recognised as none does not move
	}{
		"any bytes":           {"StaticMesh", func(at uint64) []byte { return append(words(uint32(at)), 1) }, true},
		"at any place":        {"StaticMesh", before("abc"), true},
		"its own end":         {"StaticMesh", func(at uint64) []byte { return words(uint32(at) + 4) }, true},
		"its own start":       {"StaticMesh", func(at uint64) []byte { return words(uint32(at) - 8) }, true},
		"no inline payload":   {"SoundWave", header(0x8, 2, 2), true},
		"other element count": {"SoundWave", header(0x48, 1, 2), true},
		"size past the end":   {"SoundWave", header(0x48, 3, 3), true},
		"size of 2^32 - 1":    {"SoundWave", header(0x48, 1<<32-1, 1<<32-1), true},
		"no room before":      {"SoundWave", func(at uint64) []byte { return self(words(0x48, 0), at) }, true},
		"64 bits beside a header": {"SoundWave", func(at uint64) []byte {
			return append(bulk(nil, at, "p"), self(nil, at)...)
		}, true},
		"32 bits beside a header": {"SoundWave", func(at uint64) []byte {
			return append(bulk([]byte{1}, at, "p"), words(uint32(at)-8)...)
		}, true},
		"the end of the object": {"SoundWave", func(at uint64) []byte {
			return append(bulk(nil, at, "p"), words(uint32(at)+25)...)
		}, true},
		"row cut":                {"DataTable", after(0, 2, 0, 0, 0, 0), true},
		"bytes after rows":       {"DataTable", after(0, 1, 0, 0, 0, 0), true},
		"bytes after characters": {"Font", after(0, 1, 9), true},
		"table with a GUID":      {"DataTable", after(1, 0), true},
		"texture past itself":    {"Texture2D", func(at uint64) []byte { return otherTexture(at, 4) }, false},
		"texture before":         {"Texture2D", func(at uint64) []byte { return otherTexture(at, -70) }, false},
		"bytes after a texture": {"Texture2D", func(at uint64) []byte {
			return append(otherTexture(at, 0), 1, 0, 0, 0)
		}, false},
		"shader without a list": {"Material", func(at uint64) []byte {
			return append(words(0, pixelShader, 0, uint32(at)+17), 1, 2, 3)
		}, true},
		"shader at any place": {"MaterialInstanceConstant", func(at uint64) []byte {
			return append(append([]byte{9}, words(vertexShader, 0, uint32(at)+16)...), 1, 2, 3)
		}, true},
		"shader that ends the data": {"Material", func(at uint64) []byte {
			return append(words(pixelShader, 0, uint32(at)+13), 1)
		}, true},
	} {
		c, f := withData(t, k.class, k.fill)
		if got := written(t, c, f); !bytes.Equal(got.Objects[0].Data, f.Objects[0].Data) {
			t.Errorf("%s: the data of an unchanged package change", name)
		}
		uasset.AddName(&f, "one more name")
		_, _, err := c.Rebuild(f)
		if !isRange(err, "objects[0].data", "UA-PKG-18", `object "A" of class "`+k.class+`"`) || !namesOffset(err, &f) {
			t.Errorf("%s: %v", name, err)
		}
		got, done, err := c.RebuildUnread(f)
		if err != nil || !slices.Equal(done.Unread, []string{"objects[0]"}) {
			t.Errorf("%s: unread %v, %v", name, done.Unread, err)
			continue
		}
		want := k.fill(dataAt(&f, 0))
		for i := range want { // a bulk header moves
			if i+20 <= len(want) && bytes.Equal(want[i:i+12], words(0x48, 1, 1)) {
				binary.LittleEndian.PutUint64(want[i+12:], dataAt(&got, 0)+uint64(i)+20)
			}
		}
		if k.stays && !bytes.Equal(got.Objects[0].Data, want) {
			t.Errorf("%s: data\n%x, want\n%x", name, got.Objects[0].Data, want)
		}
	}
}

// isRange reports whether an error says that a package has no encoding, because of the part at
// a path, in these words.
func isRange(err error, path string, words ...string) bool {
	e, ok := errors.AsType[*wire.Error](err)
	return ok && e.Class == wire.Range && e.Path == path &&
		!slices.ContainsFunc(words, func(s string) bool { return !strings.Contains(err.Error(), s) })
}

// namesOffset reports whether an error names an offset in the data of the first object,
// and the number there: one that is an offset in the object.
func namesOffset(err error, f *model.Package) bool {
	var v, at uint32
	_, text, _ := strings.Cut(err.Error(), "with the number ")
	if n, _ := fmt.Sscanf(text, "%d at %d,", &v, &at); n != 2 {
		return false
	}
	e := &f.Exports[0]
	found := f.Objects[0].Data[uint64(at)-dataAt(f, 0):]
	return bytes.HasPrefix(found, words(v)) && v >= e.SerialOffset && v <= e.SerialOffset+e.SerialSize
}

// TestRebuildUnderstood: data of these classes move, and the offsets in them with them. So do
// those of any class if no number in them is an offset in the object.
func TestRebuildUnderstood(t *testing.T) {
	bytesOf := func(data ...byte) func(uint64) []byte { return func(uint64) []byte { return data } }
	pixel := func(at uint64) []byte { return otherTexture(at, 0) } // in another format
	for _, k := range []struct {
		class string
		fill  func(at uint64) []byte
	}{
		{"StaticMeshComponent", bytesOf(make([]byte, 8)...)},
		{"SoundCue", bytesOf(0, 0, 0, 0, 1, 0)},
		{"StaticMesh", bytesOf(append(words(1, 1<<16, 1<<31), "any text, and zeros\x00\x00\x00"...)...)},
		{"DataTable", bytesOf(words(0, 2, 0, 0, 0, 0, 0, 1, 0, 0)...)}, // two rows without properties
		{"Font", bytesOf(words(0, 2, 1000, 1001)...)},
		{"Material", bytesOf(append(words(0, 1, 1, 0), "1234567"...)...)},
		{"Texture2D", bytesOf(words(0, 1, 1, 1)...)},
		{"Texture2D", pixel},
		{"TextureCube", pixel},
		{"LightMapTexture2D", pixel},
		{"ShadowMapTexture2D", pixel},
	} {
		c, f := withData(t, k.class, k.fill)
		uasset.AddName(&f, "one more name")
		got := written(t, c, f)
		if want := k.fill(dataAt(&got, 0)); got.Objects[0].Texture != nil || !bytes.Equal(got.Objects[0].Data, want) {
			t.Errorf("%s: data\n%x, want\n%x", k.class, got.Objects[0].Data, want)
		}
	}
}

// TestRebuildNamesTheClass: the error names the class also if it is an export.
func TestRebuildNamesTheClass(t *testing.T) {
	c, f := withData(t, "BlueprintGeneratedClass", func(uint64) []byte { return nil })
	f.Exports = append(f.Exports,
		model.Export{ClassIndex: 1, ObjectName: uasset.AddName(&f, "B"), FirstExportDependency: -1})
	f.Objects = append(f.Objects, model.Object{Properties: &model.PropertyList{}, Data: words(0)})
	f = written(t, c, f)
	f.Objects[1].Data = words(f.Exports[1].SerialOffset)
	uasset.AddName(&f, "one more name")
	_, _, err := c.Rebuild(f)
	if err == nil || !strings.Contains(err.Error(), `object "B" of class "A"`) {
		t.Error(err)
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

// A draft is data of a material, and where they are in the file.
type draft struct {
	at    uint64
	data  []byte
	where []int // the offsets of the file in the data, 32 bits each
}

func (d *draft) words(v ...uint32) { d.data = append(d.data, words(v...)...) }

// offset adds an offset, which set computes when the part that it ends is there.
func (d *draft) offset() (set func()) {
	i := len(d.data)
	d.where = append(d.where, i)
	d.words(0)
	return func() { binary.LittleEndian.PutUint32(d.data[i:], uint32(d.at)+uint32(len(d.data))) }
}

// shader adds the name of a shader, the offset of its end, and bytes. With a
// vertex factory it also has the parameters of that factory; the name of the
// factory follows again, before a hash, as in real shaders.
func (d *draft) shader(name, factory uint32, size int) {
	d.words(name, 0)
	end := d.offset()
	d.data = append(d.data, make([]byte, size)...)
	if factory > 0 {
		d.words(factory, 0)
		d.data = append(append(d.data, 3), "20 bytes of a hash.."...)
		parameters := d.offset()
		d.words(7, 8, 9)
		parameters()
		d.words(factory, 0)
		d.data = append(d.data, "\x04another hash......."...)
		d.words(name, 0)
	}
	end()
}

const firstShader = 400 // the size of the first shader

// material fills the data of a material whose shader maps are at an offset in the
// file. parts is called before the first one.
func material(at uint64, before func(*draft)) *draft {
	d := &draft{at: at}
	d.words(0, 2, 1, 1) // no object GUID; two resources; cooked, valid
	before(d)
	d.words(1) // the shaders that need no vertex factory, and no pipelines
	d.shader(pixelShader, 0, firstShader)
	d.words(0)
	d.words(2) // vertex factories
	for _, factory := range []uint32{localFactory, skinFactory} {
		d.words(factory, 0, 3)
		for i := range 3 {
			d.shader(vertexShader, factory, 40*i+6)
		}
		d.words(1, pipeline, 0, 2) // one pipeline, with two shaders
		d.shader(vertexShader, factory, 100)
		d.shader(pixelShader, factory, 1)
	}
	d.words(1, 1) // another resource, with a map without the first kind of shaders
	d.data = append(d.data, "id"...)
	d.words(0, 0, 1, localFactory, 0, 1)
	d.shader(pixelShader, localFactory, 20)
	d.words(0)
	return d
}

// TestRebuildShaderMaps: the offsets in the shader maps of a material move with
// it, and no other byte changes. The object is at 3426 and a shader ends at 4691,
// as in a real material. A real material also has the other bytes that are given
// here: a 64-bit number that is the position after itself by chance.
func TestRebuildShaderMaps(t *testing.T) {
	const object, shaderEnd, chanceAt = 3426, 4691, 4096 - 20
	chance := []byte{0x01, 0x0F, 0, 0, 0, 0x11, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0}
	before := func(d *draft) {
		begin := object + 8 // after the name that ends the properties
		d.data = append(d.data, make([]byte, chanceAt-begin-len(d.data))...)
		d.data = append(d.data, chance...)
		d.data = append(d.data, make([]byte, shaderEnd-firstShader-4-8-4-begin-len(d.data))...)
	}
	for _, class := range []string{"Material", "MaterialInstanceConstant"} {
		c, f := withData(t, class, func(uint64) []byte { return nil })
		uasset.AddName(&f, strings.Repeat("n", object-int(f.Summary.TotalHeaderSize)-4-1-4))
		f = written(t, c, f)
		d := material(dataAt(&f, 0), before)
		f.Objects[0].Data, f.Exports[0].SerialSize = d.data, 0 // new
		f = written(t, c, f)
		end := d.where[0]
		if f.Exports[0].SerialOffset != object || !bytes.Equal(d.data[end:end+8], []byte{0x53, 0x12, 0, 0, 0, 0, 0, 0}) ||
			len(d.where) != 23 {
			t.Fatalf("the object is at %d, the first of %d offsets is %x", f.Exports[0].SerialOffset, len(d.where),
				d.data[end:end+8])
		}
		g := f
		uasset.AddName(&g, strings.Repeat("m", 36)) // with length, NUL and hashes 45 bytes
		got := written(t, c, g)
		data := got.Objects[0].Data
		want := slices.Clone(d.data)
		for _, i := range d.where {
			binary.LittleEndian.PutUint32(want[i:], binary.LittleEndian.Uint32(want[i:])+45)
		}
		if got.Exports[0].SerialOffset != object+45 || !bytes.Equal(data, want) ||
			binary.LittleEndian.Uint64(data[end:]) != 4736 || !bytes.Contains(data, chance) {
			t.Errorf("%s at %d: data\n%x, want\n%x", class, got.Exports[0].SerialOffset, data, want)
		}
		// If an offset is wrong, the other shaders of its list show that it is one. The
		// first list and the last have one shader.
		for _, i := range d.where[1 : len(d.where)-2] {
			for _, wrong := range []uint32{object - 1, 1 << 31, object + 1<<20} {
				h := f
				h.Objects = slices.Clone(f.Objects)
				h.Objects[0].Data = slices.Clone(d.data)
				binary.LittleEndian.PutUint32(h.Objects[0].Data[i:], wrong)
				uasset.AddName(&h, "one more name")
				if _, _, err := c.Rebuild(h); err == nil {
					t.Errorf("%s: the offset %d at %d is accepted", class, wrong, i)
				}
			}
		}
	}
}

// TestRebuildHostileShaders: data in which a list of shaders may begin anywhere
// do not take long: each list would extend to the end of 4 MiB. They are an error,
// also if the caller wants them to move: a shader map after them is not found.
func TestRebuildHostileShaders(t *testing.T) {
	c, f := withData(t, "Material", func(at uint64) []byte {
		data := make([]byte, 0, 1<<22)
		for len(data) < cap(data) {
			end := uint32(at) + uint32(len(data)) + 16
			data = append(data, words(vertexShader, 0, end, 1<<30)...) // the last is the count of a list
		}
		return data
	})
	uasset.AddName(&f, "one more name")
	for _, rebuild := range []func(uasset.Package) (uasset.Package, uasset.Rebuilt, error){c.Rebuild, c.RebuildUnread} {
		_, _, err := rebuild(f)
		if !isRange(err, "objects[0].data", "the search for offsets ended at ") {
			t.Error(err)
		}
	}
}

// TestRebuildDataAfterTextures: data after a texture are not another texture,
// whatever their bytes are. Only the four bytes of a light map are understood.
func TestRebuildDataAfterTextures(t *testing.T) {
	c := uasset.New(wire.Settings{})
	f := testrun.Must(texturesample.Package(rock))
	f.Names[uasset.AddName(&f, "Texture2D").Index].Name.Text = "LightMapTexture2D"
	uasset.AddName(&f, "None")
	row := uasset.AddName(&f, "PF_A8").Index
	fill := func(at uint64) []byte {
		data := otherTexture(at, 0)
		binary.LittleEndian.PutUint32(data[12:], row)
		return data
	}
	for _, k := range []struct {
		fill   func(at uint64) []byte
		unread []string
	}{
		{fill, []string{"objects[0]"}},
		{func(uint64) []byte { return words(1000) }, nil},
	} {
		f.Objects[0].Data = k.fill(0)
		g := f
		g.Exports = slices.Clone(f.Exports)
		g.Exports[0].SerialSize = 0 // new
		g = written(t, c, g)
		g.Objects[0].Data = k.fill(dataAt(&g, 0))
		uasset.AddName(&g, "one more name")
		if _, _, err := c.Rebuild(g); (err == nil) != (k.unread == nil) {
			t.Errorf("error %v, unread %v", err, k.unread)
		}
		got, done, err := c.RebuildUnread(g)
		want := k.fill(dataAt(&got, 0))
		if len(want) > 20 { // a bulk header moves, an offset that only a texture has does not
			copy(want[20:24], g.Objects[0].Data[20:24])
		}
		if err != nil || !slices.Equal(done.Unread, k.unread) || got.Objects[0].Texture == nil ||
			!bytes.Equal(got.Objects[0].Data, want) {
			t.Errorf("unread %v, data\n%x, want\n%x, %v", done.Unread, got.Objects[0].Data, want, err)
		}
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
	// The payloads of a texture stay too, if they are after those of another object.
	large := texturesample.Texture{Name: "T", Format: model.G8, Width: 128, Height: 128, OneMip: true}
	h := testrun.Must(texturesample.Package(large))
	h.BulkData = append([]byte("fog"), h.BulkData...)
	h.Objects[0].Texture.Mips[0].OffsetInFile = 3
	h.Exports = append(h.Exports, model.Export{ObjectName: uasset.AddName(&h, "Fog"), FirstExportDependency: -1})
	h.Objects = append(h.Objects, model.Object{Properties: &model.PropertyList{}, Data: words(0, 0x401, 3, 3, 0, 0)})
	got := written(t, c, h)
	if m := got.Objects[0].Texture.Mips[0]; m.OffsetInFile != 3 || !bytes.Equal(got.BulkData, h.BulkData) {
		t.Errorf("%d bytes of bulk data, and %+v", len(got.BulkData), m)
	}
	// After another payload they have to move.
	got.Objects[0].Texture.Mips[0].Data = slices.Clone(got.BulkData[3:])
	_, _, err := c.Rebuild(got)
	if !isRange(err, "objects[1].data", `object "Fog" of class ""`, "bytes of bulk data, which move") {
		t.Errorf("with a reference: %v", err)
	}
	if _, done, err := c.RebuildUnread(got); err != nil ||
		!slices.Equal(done.Unread, []string{"objects[1]"}) {
		t.Errorf("with a reference, moved: %v, %v", done.Unread, err)
	}
	got.Objects[1].Data = make([]byte, len(got.Objects[1].Data))
	if _, _, err := c.Rebuild(got); err != nil {
		t.Errorf("without references: %v", err)
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
	uasset.AddName(&f, "one more name")
	got := written(t, c, f)
	if s := got.Summary; s.SoftPackageReferencesOffset != region(&got) || s.DependsOffset != region(&got)-4 ||
		region(&got) == region(&f) {
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
		if _, _, err := c.Rebuild(g); err != nil {
			t.Errorf("%s in a package that does not change: %v", name, err)
		}
		uasset.AddName(&g, "another name")
		_, _, err := c.Rebuild(g)
		if !isRange(err, "summary."+name) {
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
		if region := s.ExportOffset + 100; s.SoftPackageReferencesCount != 2 || s.SoftPackageReferencesOffset != region ||
			s.AssetRegistryDataOffset != region+2*(4+8) {
			t.Errorf("%+v", s)
		}
		if !bytes.Equal(got.Objects[0].Data, twoBulks(dataAt(&got, 0))) {
			t.Error("the bulk headers have other offsets")
		}
		got.SoftPackageReferences = got.SoftPackageReferences[:0]
		got = written(t, c, got)
		if s := got.Summary; s.SoftPackageReferencesCount != 0 || s.AssetRegistryDataOffset != s.ExportOffset+100 ||
			s.SoftPackageReferencesOffset != s.AssetRegistryDataOffset {
			t.Errorf("without references: %+v", s)
		}
	}
}
