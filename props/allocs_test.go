package props

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/ubi"
	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/texturesample"
)

// checkNoAllocs checks that a value is read and written without an allocation.
func checkNoAllocs[T comparable](t *testing.T, s wire.Structure[T], src []byte) {
	t.Helper()
	want, _, err := s.Trace(src)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, 0, len(src))
	if n := testing.AllocsPerRun(20, func() {
		if v, err := s.Decode(src); v != want || err != nil {
			t.Errorf("%s: %v, %v, expected %v", s.Name(), v, err, want)
		}
	}); n > 0 {
		t.Errorf("%s: reading allocates %v times", s.Name(), n)
	}
	if n := testing.AllocsPerRun(20, func() {
		if b, err := s.Append(dst, want); !bytes.Equal(b, src) || err != nil {
			t.Errorf("%s: %x, %v, expected %x", s.Name(), b, err, src)
		}
	}); n > 0 {
		t.Errorf("%s: writing allocates %v times", s.Name(), n)
	}
}

// distinct returns n different bytes. As floats they are not NaN.
func distinct(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(0x30 + i%0x40)
	}
	return b
}

// TestSmallValueAllocatesNothing: a value without text, lists and interfaces is
// read and written without an allocation.
func TestSmallValueAllocatesNothing(t *testing.T) {
	for _, big := range []bool{false, true} {
		c := ubi.New(wire.Settings{BigEndian: big})
		checkNoAllocs(t, c.Vector2(), distinct(8))
		checkNoAllocs(t, c.Vector3(), distinct(12))
		checkNoAllocs(t, c.Vector4(), distinct(16))
		checkNoAllocs(t, c.Quaternion(), distinct(16))
		checkNoAllocs(t, c.Matrix22(), distinct(16))
		checkNoAllocs(t, c.Matrix33(), distinct(36))
		checkNoAllocs(t, c.Matrix44(), distinct(64))
		checkNoAllocs(t, c.Color(), distinct(16))
		checkNoAllocs(t, c.Box(), distinct(24))
		checkNoAllocs(t, c.CompressedQuaternion3U16(), distinct(6))
		checkNoAllocs(t, c.CompressedQuaternionU32(), distinct(4))
		checkNoAllocs(t, c.Uint32(), distinct(4))
		checkNoAllocs(t, c.Float32(), distinct(4))
		checkNoAllocs(t, ubi.PairOf(c.Uint32(), c.Vector3()), distinct(16))
	}
	c := upkg.New(wire.Settings{})
	for _, src := range [][]byte{
		{5},
		{0x85},
		{0x7F, 0x12},
		{0x7F, 0xFF, 0x7F},
		{0xFF, 0xFF, 0xFF, 0x7F},
		{0x7F, 0xFF, 0xFF, 0xFF, 0x0F},
	} {
		checkNoAllocs(t, c.CompactIndex(), src)
		checkNoAllocs(t, c.ObjectReference(), src)
	}
	checkNoAllocs(t, upkg.IntegerOf[int8](c), distinct(1))
	checkNoAllocs(t, upkg.IntegerOf[uint16](c), distinct(2))
	checkNoAllocs(t, upkg.IntegerOf[int32](c), distinct(4))
	checkNoAllocs(t, upkg.IntegerOf[uint64](c), distinct(8))
	checkNoAllocs(t, c.ImportEntry(69), []byte{0x7F, 0x12, 3, 0xF0, 0xFF, 0xFF, 0xFF, 0x7F, 0x13})
	u := uasset.New(wire.Settings{})
	rock := u.In(uasset.Scope{Names: []string{"None", "Rock"}})
	checkNoAllocs(t, rock.FName(), []byte{1, 0, 0, 0, 9, 9, 0, 0})
	checkNoAllocs(t, rock.Import(), append(make([]byte, 16), 0xF0, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0, 9, 9, 0, 0))
	checkNoAllocs(t, rock.Export(), append(distinct(16), make([]byte, 80)...))
	checkNoAllocs(t, u.IntPoint(), distinct(8))
	checkNoAllocs(t, u.Guid(), distinct(16))
	checkNoAllocs(t, u.TextureStreamingData(), distinct(16))
	checkNoAllocs(t, u.Padding(), make([]byte, 4))
	checkNoAllocs(t, u.Footer(), []byte{0xC1, 0x83, 0x2A, 0x9E})
}

// texts returns n texts, each after its length.
func texts(n int) (narrow, wide []byte) {
	narrow = binary.LittleEndian.AppendUint32(nil, uint32(n))
	wide = bytes.Clone(narrow)
	for i := range n {
		text := fmt.Sprintf("Material%d", i)
		narrow = append(binary.LittleEndian.AppendUint32(narrow, uint32(len(text))), text...)
		wide = binary.LittleEndian.AppendUint32(wide, uint32(len(text)))
		for _, b := range []byte(text) {
			wide = append(wide, b, 0)
		}
	}
	return narrow, wide
}

// tables returns an old package with n names, n imports and n exports.
func tables(t *testing.T, n int) []byte {
	t.Helper()
	c := upkg.New(wire.Settings{})
	p := upkg.Package{Header: upkg.Header{
		Signature: upkg.Signature, Version: 69,
		Identity: &upkg.Identity{Generations: []upkg.Generation{{ExportCount: 1, NameCount: 2}}},
	}}
	for i := range n {
		class, offset := upkg.ReferenceTo(int64(-i)), upkg.CompactIndex(20000*i)
		p.Names = append(p.Names, upkg.NameEntry{Name: upkg.Name{Text: fmt.Sprintf("Material%d", i)}, Flags: 0x70010})
		p.Imports = append(p.Imports, upkg.ImportEntry{
			ClassName: upkg.CompactIndex(i), Package: class, ObjectName: upkg.CompactIndex(n - 1),
		})
		p.Exports = append(p.Exports, upkg.ExportEntry{
			Class: class, ObjectName: upkg.CompactIndex(i), ObjectFlags: 0x70004,
			SerialSize: 300, SerialOffset: &offset,
		})
	}
	p, _, err := c.Rebuild(p)
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Package().Append(nil, p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// cooked returns a package with a texture, n more names and n more imports.
func cooked(t *testing.T, n int) []byte {
	t.Helper()
	f, err := texturesample.Package(texturesample.Texture{Name: "T_Rock", Format: uasset.DXT5, Width: 64, Height: 64})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		f.Imports = append(f.Imports, uasset.Import{ObjectName: uasset.AddName(&f, fmt.Sprintf("Material%d", i))})
	}
	c := uasset.New(wire.Settings{})
	if f, _, err = c.Rebuild(f); err != nil {
		t.Fatal(err)
	}
	b, err := c.Package().Append(nil, f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// cost returns the allocations of a call, and their bytes.
func cost(run func()) (allocs, bytes float64) {
	const times = 10
	run()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		run()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / times, float64(after.TotalAlloc-before.TotalAlloc) / times
}

// checkCost checks that reading src, and writing its value into a given buffer,
// cost at most so many allocations, and reading so many bytes per byte of src.
func checkCost[T any](t *testing.T, s wire.Structure[T], src []byte, read, write, perByte float64) {
	t.Helper()
	v, err := s.Decode(src)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, 0, len(src))
	if b, err := s.Append(dst, v); err != nil || !bytes.Equal(b, src) {
		t.Fatalf("%s: %x, %v, expected %x", s.Name(), b, err, src)
	}
	allocs, size := cost(func() { _, _ = s.Decode(src) })
	writeAllocs, _ := cost(func() { _, _ = s.Append(dst, v) })
	t.Logf("%s: %d bytes: reading %.1f allocations, %.2f bytes per byte; writing %.1f allocations", s.Name(), len(src),
		allocs, size/float64(len(src)), writeAllocs)
	if allocs > read || writeAllocs > write {
		t.Errorf("%s: reading %d bytes allocates %.1f times, expected at most %v; writing %.1f times, expected at most %v",
			s.Name(), len(src), allocs, read, writeAllocs, write)
	}
	if size > perByte*float64(len(src))+1024 {
		t.Errorf("%s: reading %d bytes allocates %.0f bytes, expected at most %v per byte", s.Name(),
			len(src), size, perByte)
	}
}

// TestAllocations: what reading and writing allocate does not depend on the
// number of rows, elements and names.
func TestAllocations(t *testing.T) {
	c := ubi.New(wire.Settings{})
	for _, n := range []int{20, 2000} {
		narrow, wide := texts(n)
		checkCost(t, ubi.ArrayOf(c.BasicString()), narrow, 4, 1, 2.5)
		checkCost(t, ubi.ArrayOf(c.EncryptedString()), narrow, 8, 1, 2.5)
		checkCost(t, ubi.ArrayOf(c.BasicWString()), wide, 8, 1, 2)
		checkCost(t, ubi.ArrayOf(c.Vector3()), append(binary.LittleEndian.AppendUint32(nil, uint32(n)), distinct(12*n)...),
			2, 1, 1.1)
		checkCost(t, upkg.New(wire.Settings{}).Package(), tables(t, n), 16, 16, 5)
		checkCost(t, uasset.New(wire.Settings{}).Package(), cooked(t, n), 25, 20, 2.5)
	}
}
