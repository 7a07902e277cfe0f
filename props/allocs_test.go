package props

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/ubi"
	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/internal/texturesample"
)

// tables returns an old package with n names, n imports and n exports.
func tables(n int) upkg.Package {
	p := upkg.NewPackage(69, 0)
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
	p, _, err := upkg.New(wire.Settings{}).Rebuild(p)
	return testrun.Must(p, err)
}

// cooked returns a package with a texture, n more names and n more imports.
func cooked(n int) uasset.Package {
	rock := texturesample.Texture{Name: "T_Rock", Format: uasset.DXT5, Width: 64, Height: 64}
	f := testrun.Must(texturesample.Package(rock))
	for i := range n {
		f.Imports = append(f.Imports, uasset.Import{ObjectName: uasset.AddName(&f, fmt.Sprintf("Material%d", i))})
	}
	f, _, err := uasset.New(wire.Settings{}).Rebuild(f)
	return testrun.Must(f, err)
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

// checkCost checks that reading the encoding of a value, and writing it into a given buffer,
// cost at most so many allocations, and reading so many bytes per byte of it.
func checkCost[T any](t *testing.T, s wire.Structure[T], v T, read, write, perByte float64) {
	t.Helper()
	src := testrun.Must(s.Append(nil, v))
	dst := make([]byte, 0, len(src))
	v = testrun.Must(s.Decode(src))
	if b, err := s.Append(dst, v); err != nil || !bytes.Equal(b, src) {
		t.Fatalf("%s: %x, %v, expected %x", s.Name(), b, err, src)
	}
	allocs, size := cost(func() { _, _ = s.Decode(src) })
	writeAllocs, _ := cost(func() { _, _ = s.Append(dst, v) })
	t.Logf("%s: %d bytes: reading %.1f allocations, %.2f bytes per byte; writing %.1f allocations", s.Name(), len(src),
		allocs, size/float64(len(src)), writeAllocs)
	if allocs > read || writeAllocs > write || size > perByte*float64(len(src))+1024 {
		t.Errorf("expected at most %v allocations, %v bytes per byte; %v allocations", read, perByte, write)
	}
}

// TestAllocations: what reading and writing allocate does not depend on the
// number of rows, elements and names.
func TestAllocations(t *testing.T) {
	c := ubi.New(wire.Settings{})
	for _, n := range []int{20, 2000} {
		var narrow []ubi.BasicString
		var encrypted []ubi.EncryptedString
		var wide []ubi.BasicWString
		for i := range n {
			text := fmt.Sprintf("Material%d", i)
			narrow, encrypted = append(narrow, ubi.BasicString(text)), append(encrypted, ubi.EncryptedString(text))
			wide = append(wide, ubi.BasicWString(text))
		}
		checkCost(t, ubi.ArrayOf(c.BasicString()), narrow, 4, 1, 2.5)
		checkCost(t, ubi.ArrayOf(c.EncryptedString()), encrypted, 8, 1, 2.5)
		checkCost(t, ubi.ArrayOf(c.BasicWString()), wide, 8, 1, 2)
		checkCost(t, ubi.ArrayOf(c.Vector3()), make([]ubi.Vector3, n), 2, 1, 1.1)
		checkCost(t, upkg.New(wire.Settings{}).Package(), tables(n), 16, 16, 5)
		checkCost(t, uasset.New(wire.Settings{}).Package(), cooked(n), 25, 20, 2.5)
	}
}
