package props

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/formatgauge/formatgauge/codec"
	uassetcodec "github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/model/uasset"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// computed matches the paths of fields that Rebuild computes.
var computed = regexp.MustCompile(`^summary\.(totalHeaderSize|(name|import|export)Count|(import|export)Offset|` +
	`assetRegistryDataOffset|softPackageReferences\w+|bulkDataStartOffset)$|\.serial\w+$`)

// drawPackage draws a package with the layout of one of the two profiles. Data of its
// objects may contain bulk headers.
func drawPackage(t *rapid.T) (uasset.Package, ids.Profile) {
	typ, _ := codec.Find("uasset.Package")
	p := rapid.SampledFrom([]ids.Profile{ids.Observed(), ids.Documented()}).Draw(t, "profile")
	c, n := uassetcodec.New(wire.Settings{Profile: p}), rapidDice{t}.IntN
	var laid uasset.Package
	drawSound(t, typ, func(f uasset.Package) bool {
		for i := range f.Objects {
			if o := &f.Objects[i]; o.Texture == nil && n(2) == 0 {
				o.Data = append(slices.Clip(o.Data), make([]byte, n(60))...)
			}
		}
		f.SoftPackageReferences = []uasset.FString{} // the documents have no table of them
		for i := n(3); i > 0 && p.String() == ids.SideObserved; i-- {
			f.SoftPackageReferences = append(f.SoftPackageReferences, uasset.FString{Text: "/Game/T"[:n(8)]})
		}
		var err error
		if laid, err = moving(c)(f); err == nil {
			_, err = c.Package().Append(nil, laid)
			if e, ok := errors.AsType[*wire.Error](err); ok && computed.MatchString(e.Path) {
				t.Fatalf("the rebuilt package cannot be encoded: %v", err)
			}
		}
		return err == nil
	})
	s := &laid.Summary
	for _, v := range headerOffsets(s, len(laid.SoftPackageReferences) > 0) { // the start or the end of a part
		*v = []uint32{0, 0, s.NameOffset, s.AssetRegistryDataOffset, s.TotalHeaderSize}[n(5)]
	}
	for i := range laid.Objects {
		if o, e := &laid.Objects[i], &laid.Exports[i]; n(2) == 0 {
			bulkHeader(n, o.Data, uint64(e.SerialOffset)+uint64(e.SerialSize)-uint64(len(o.Data)))
		}
	}
	return laid, p
}

// headerOffsets returns the offsets in a summary that Rebuild moves with a part.
// The offset of a table of soft package references is not among them.
func headerOffsets(s *uasset.Summary, references bool) []*uint32 {
	out := []*uint32{&s.GatherableTextDataOffset, &s.DependsOffset, &s.ThumbnailTableOffset, &s.WorldTileInfoDataOffset}
	if s.SearchableNamesOffset != nil {
		out = append(out, s.SearchableNamesOffset)
	}
	if !references {
		out = append(out, &s.SoftPackageReferencesOffset)
	}
	return out
}

// bulkHeaderSize is the size of a bulk header: flags, element count, size on
// disk, and a 64-bit offset.
const bulkHeaderSize = 20

// bulkHeader puts a bulk header with an inline payload into the data of an
// object that begin at an offset in the file, if there is room.
func bulkHeader(n func(int) int, data []byte, at uint64) {
	if len(data) < bulkHeaderSize {
		return
	}
	i := n(len(data) - bulkHeaderSize + 1)
	size := uint32(n(len(data) - i - bulkHeaderSize + 1))
	for j, v := range []uint32{0x48, size, size} {
		binary.LittleEndian.PutUint32(data[i+4*j:], v)
	}
	binary.LittleEndian.PutUint64(data[i+12:], at+uint64(i)+bulkHeaderSize)
}

// drawMip draws a small mip with pixels for a number of slices.
func drawMip(t *rapid.T, f uasset.PixelFormat, slices uint32) uasset.Mip {
	n := rapidDice{t}.IntN
	m := uasset.Mip{BulkDataFlags: 72, SizeX: uint32(n(7)), SizeY: uint32(n(7))}
	size, _ := f.PayloadSize(m.SizeX, m.SizeY)
	m.Data = rapid.SliceOfN(rapid.Byte(), int(size)*int(slices), int(size)*int(slices)).Draw(t, "pixels")
	m.Size = uint32(len(m.Data))
	return m
}

// moving is Rebuild that also moves what it does not understand.
func moving(c *uassetcodec.Codec) func(uasset.Package) (uasset.Package, error) {
	return func(f uasset.Package) (uasset.Package, error) {
		out, _, err := c.RebuildUnread(f)
		return out, err
	}
}

// TestUassetPackages: a package that is laid out for a profile can be encoded
// under it, and has the properties that CheckValue and CheckBytes check. Rebuild
// does not change it.
func TestUassetPackages(t *testing.T) {
	typ, _ := codec.Find("uasset.Package")
	rapid.Check(t, func(rt *rapid.T) {
		f, p := drawPackage(rt)
		c := testrun.Must(Bind(typ, p, nil))
		if !checkValue(rt, typ, c, f) {
			_, err := c.Append(nil, f)
			rt.Fatalf("the rebuilt package cannot be encoded: %v", err)
		}
		b, _ := c.Append(nil, f)
		CheckBytes(rt, typ, c, b)
		same, done, err := uassetcodec.New(wire.Settings{Profile: p}).Rebuild(f)
		if err != nil || len(done.Moved)+len(done.Unread) > 0 {
			rt.Fatalf("an unchanged package: %+v, %v", done, err)
		}
		if again, err := c.Append(nil, same); err != nil || !bytes.Equal(again, b) {
			rt.Fatalf("Rebuild changes an unchanged package: %v", err)
		}
	})
}

// TestUassetChanges: after a change the rebuilt package can be encoded, and
// decoding gives the same values for all that was not changed.
func TestUassetChanges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f, p := drawPackage(rt)
		before := textOf(rt, f)
		changed := f
		changed.Exports, changed.Objects = slices.Clone(f.Exports), slices.Clone(f.Objects)
		changed.Names = slices.Clone(f.Names)
		last := &changed.Names[len(changed.Names)-1].Name
		if last.Text += "_renamed"; last.Form == uasset.Absent {
			last.Form = uasset.Bytes
		}
		added := uassetcodec.AddName(&changed, "Added")
		pixels := map[int][][]byte{}
		for i := range changed.Objects {
			o := &changed.Objects[i]
			if o.Properties != nil {
				list := append(uasset.PropertyList{{Name: added, Value: uasset.IntProperty(7)}}, *o.Properties...)
				o.Properties = &list
			}
			if o.Texture == nil || o.Texture.Tail != nil {
				continue
			}
			texture := *o.Texture
			texture.Mips = append([]uasset.Mip{drawMip(rt, texture.PixelFormat, texture.NumSlices)}, texture.Mips...)
			o.Texture = &texture
			pixels[i] = [][]byte{texture.Mips[0].Data}
			for j := range f.Objects[i].Texture.Mips {
				p, ok := f.Payload(&f.Objects[i].Texture.Mips[j])
				if !ok {
					rt.Fatal("a payload is missing")
				}
				pixels[i] = append(pixels[i], p)
			}
		}
		c := uassetcodec.New(wire.Settings{Profile: p})
		got, _ := rebuilt(rt, c.Package(), moving(c), changed)
		if textOf(rt, f) != before {
			rt.Fatal("Rebuild changes its argument")
		}
		_, done, _ := c.RebuildUnread(changed)
		if _, _, err := c.Rebuild(changed); (err == nil) != (len(done.Unread) == 0) {
			rt.Fatalf("unread %v, %v", done.Unread, err)
		}
		for i, want := range pixels {
			for j := range want {
				if p, ok := got.Payload(&got.Objects[i].Texture.Mips[j]); !ok || !bytes.Equal(p, want[j]) {
					rt.Fatalf("mip %d of object %d has other pixels", j, i)
				}
			}
		}
		for i := range got.Objects {
			before, was := dataOf(&f, i)
			after, is := dataOf(&got, i)
			if !reflect.DeepEqual(is, was) || !bytes.Equal(withoutOffsets(after, is), withoutOffsets(before, was)) {
				rt.Fatalf("object %d has other data: %x with payloads %x, want %x with %x", i, after, is, before, was)
			}
			if slices.Contains(done.Unread, fmt.Sprintf("objects[%d]", i)) {
				continue
			}
			if at := suspect(before, was, &f.Exports[i]); at >= 0 && f.ClassName(&f.Exports[i]) != "Material" {
				rt.Fatalf("object %d is moved, and its data may contain an offset at %d: %x", i, at, before)
			}
		}
		if !reflect.DeepEqual(got.SoftPackageReferences, f.SoftPackageReferences) {
			rt.Fatal("Rebuild changes the soft package references")
		}
		for part, at := range map[string][2]uint32{
			"padding": {f.Summary.AssetRegistryDataOffset, got.Summary.AssetRegistryDataOffset},
			"header":  {f.Summary.TotalHeaderSize, got.Summary.TotalHeaderSize},
		} {
			references := len(f.SoftPackageReferences) > 0
			old, now := headerOffsets(&f.Summary, references), headerOffsets(&got.Summary, references)
			for i := range old {
				if *old[i] == at[0] && *now[i] != at[1] {
					rt.Fatalf("offset %d of the summary was that of the end of the %s, %d, and is %d, want %d", i, part,
						at[0], *now[i], at[1])
				}
			}
		}
		if got.Summary.PackageSource != f.Summary.PackageSource || got.Summary.PackageGuid != f.Summary.PackageGuid {
			rt.Fatal("Rebuild changes PackageSource or PackageGuid")
		}
	})
}

// dataOf returns the data of an object, and the payloads of the bulk headers in
// them.
func dataOf(f *uasset.Package, i int) ([]byte, map[int][]byte) {
	e, data := &f.Exports[i], f.Objects[i].Data
	return data, bulkPayloads(data, uint64(e.SerialOffset)+uint64(e.SerialSize)-uint64(len(data)))
}

// suspect returns where data with bulk headers may contain the offset of another
// byte of the object, or -1.
func suspect(data []byte, headers map[int][]byte, e *uasset.Export) int {
	for i := 0; i+4 <= len(data); i++ {
		if payload, ok := headers[i]; ok {
			i += bulkHeaderSize + len(payload) - 1
			continue
		}
		v := binary.LittleEndian.Uint32(data[i:])
		overlaps := headers[i+1] != nil || headers[i+2] != nil || headers[i+3] != nil
		if !overlaps && v >= e.SerialOffset && v <= e.SerialOffset+e.SerialSize {
			return i
		}
	}
	return -1
}

// withoutOffsets returns data with zeros in place of the offsets in bulk
// headers.
func withoutOffsets(data []byte, headers map[int][]byte) []byte {
	data = slices.Clone(data)
	for at := range headers {
		clear(data[at+12:][:8])
	}
	return data
}

// TestUassetMemory: decoding allocates at most a small multiple of the size of
// the input. The inputs contain the smallest elements of each kind many times.
func TestUassetMemory(t *testing.T) {
	const n = 1 << 18
	names := []string{
		"None", "ArrayProperty", "StrProperty", "StructProperty", "MaterialTextureInfo", "BoolProperty",
		"IntPoint", "a",
	}
	word := func(v ...uint32) (b []byte) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		return b
	}
	array := func(typ uint32, inner, elements []byte) []byte {
		size := 4 + len(inner) + len(elements)
		return bytes.Join([][]byte{word(7, 0, 1, 0, uint32(size), 0, typ, 0), {0}, word(n), inner, elements}, nil)
	}
	inner := func(name, size uint32) []byte {
		return append(word(7, 0, 3, 0, n*size, 0, name, 0, 0, 0, 0, 0), 0)
	}
	c := uassetcodec.New(wire.Settings{})
	list := c.In(uassetcodec.Scope{Names: names}).PropertyList()
	for name, src := range map[string][]byte{
		"absent strings": array(2, nil, make([]byte, 4*n)),
		"empty lists":    array(3, inner(4, 8), make([]byte, 8*n)),
		"booleans":       array(5, nil, make([]byte, n)),
		"points":         array(3, inner(6, 8), make([]byte, 8*n)),
		"properties":     bytes.Repeat(append(word(7, 0, 5, 0, 0, 0), 1, 0), n),
	} {
		src = append(src, word(0, 0)...)
		var err error
		if used := exactAllocated(func() { _, err = list.Decode(src) }); err != nil || used > uint64(12*len(src)) {
			t.Errorf("%s: decoding %d bytes allocates %d bytes, want at most 12 times, %v", name, len(src), used, err)
		}
	}
	// Many names, in a package that is rejected at its last byte.
	row := append(word(2), 'a', 0, 1, 2, 3, 4)
	f := uasset.Package{Summary: uasset.Summary{
		PackageFlags: 0x80000000, SearchableNamesOffset: new(uint32), Generations: make([]uasset.Generation, 1),
	}}
	for range n {
		f.Names = append(f.Names, uasset.NameEntry{Name: uasset.FString{Text: "a"}})
	}
	f, _, err := c.Rebuild(f)
	b := testrun.Must(c.Package().Append(nil, testrun.Must(f, err)))
	if !bytes.Contains(b, row[:6]) {
		t.Fatalf("no name is % x", row)
	}
	b[len(b)-1]++
	// decoded twice, for the path of the error
	if used := exactAllocated(func() { _, err = c.Package().Decode(b) }); err == nil || used > uint64(2*8*len(b)) {
		t.Errorf("decoding %d names in %d bytes allocates %d bytes, want at most 16 times, %v", n, len(b), used, err)
	}
}

// TestUassetVectors: Rebuild changes no package of the corpus that a profile
// reads, except hashes of names that are wrong.
func TestUassetVectors(t *testing.T) {
	read := 0
	for _, v := range corpustest.Of(t, "uasset.Package") {
		for _, p := range []ids.Profile{ids.Observed(), ids.Documented()} {
			c := uassetcodec.New(wire.Settings{Profile: p})
			f, err := c.Package().Decode(v.Bytes)
			if err != nil {
				continue
			}
			read++
			for i := range f.Names {
				n := &f.Names[i]
				n.NonCasePreservingHash, n.CasePreservingHash = uassetcodec.NameHashes(n.Name)
			}
			want := testrun.Must(c.Package().Append(nil, f))
			same, done, err := c.Rebuild(f)
			if err != nil || len(done.Moved)+len(done.Unread) > 0 {
				t.Errorf("%s, %s: %+v, %v", v.ID, p, done, err)
				continue
			}
			if got, err := c.Package().Append(nil, same); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %s: Rebuild changes the package, %v", v.ID, p, err)
			}
		}
	}
	if read < 100 {
		t.Errorf("%d packages are read", read)
	}
}

// bulkPayloads returns the payload of each bulk header with an inline payload that
// is in data at an offset in the file, by its position in the data.
func bulkPayloads(data []byte, at uint64) map[int][]byte {
	out := map[int][]byte{}
	for i := 0; i+bulkHeaderSize <= len(data); i++ {
		count, size, offset := data[i+4:i+8], binary.LittleEndian.Uint32(data[i+8:]), binary.LittleEndian.Uint64(data[i+12:])
		if end := i + bulkHeaderSize; data[i]&uasset.ForceInlinePayload != 0 && bytes.Equal(count, data[i+8:i+12]) &&
			offset == at+uint64(end) && uint64(size) <= uint64(len(data)-end) {
			out[i] = data[end : end+int(size)]
		}
	}
	return out
}
