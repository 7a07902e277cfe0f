//go:build !purego

package ka

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/corpus"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// needsFast skips a test on a machine without the short cut.
func needsFast(t *testing.T) {
	t.Helper()
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("big-endian: package fast declines everything")
	}
}

// archiveVectors returns the inputs of the vectors of archives.
func archiveVectors(t *testing.T) (ids []string, inputs [][]byte) {
	t.Helper()
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		if v.Type == "ka.Archive" {
			ids, inputs = append(ids, v.ID), append(inputs, v.Bytes)
		}
	}
	return ids, inputs
}

// TestFastTakes: package fast takes every valid archive of the corpus, except
// those named here. Package props compares the results.
func TestFastTakes(t *testing.T) {
	needsFast(t)
	c := New(wire.Settings{})
	var declined []string
	names, inputs := archiveVectors(t)
	for i, src := range inputs {
		a, n, err := c.archive.DecodePrefix(src)
		if err != nil {
			continue
		}
		if _, size := c.fast.Decode(src); size != n {
			declined = append(declined, "read "+names[i])
		}
		if !bytes.Equal(c.fast.Append(nil, a), src[:n]) {
			declined = append(declined, "append "+names[i])
		}
	}
	want := []string{ // references without a row
		"append ka/Archive/id-of-the-outer-table-only",
		"append ka/Archive/positions-in-0x0102",
		"append ka/Archive/unknown-key-in-0x0002",
	}
	if !slices.Equal(declined, want) {
		t.Errorf("package fast declines\n%s", strings.Join(declined, "\n"))
	}
	if codecFor(t, "documented").fast != nil || codecFor(t, "observed,ka.bool=one").fast != nil {
		t.Error("package fast is used for another dialect")
	}
}

// TestSkim: if Skim says that an archive is rejected, reading rejects it after
// that many bytes.
func TestSkim(t *testing.T) {
	needsFast(t)
	c := New(wire.Settings{})
	reach := 0
	s := structure(c, "ka.Archive", 0, func(r *wire.Reader) (a model.Archive) {
		d := decoder{c: c, r: r}
		if r.Descend("KA-ARC-6") {
			d.archive(&a, nil, false)
		}
		reach = r.Offset()
		return a
	}, nil)
	rejected, known := 0, 0
	check := func(src []byte) {
		_, n, err := s.DecodePrefix(src)
		if err != nil {
			rejected++
		}
		skimmed := c.fast.Skim(src)
		if skimmed > 0 {
			known++
		}
		if skimmed > 0 && (err == nil || skimmed != reach) {
			t.Fatalf("%x is skimmed up to %d and read up to %d: %d bytes, %v", src, skimmed, reach, n, err)
		}
	}
	_, inputs := archiveVectors(t)
	for _, src := range inputs {
		for i := 0; i < len(src); i += 1 + len(src)/200 {
			check(src[:i])
			for _, b := range []byte{0, 1, 2, 3, 4, 5, 6, 8, 11, 27, 31, 0xFF} {
				changed := bytes.Clone(src)
				changed[i] = b
				check(changed)
			}
		}
	}
	if known*10 < rejected*9 {
		t.Errorf("Skim knows %d of %d rejected inputs", known, rejected)
	}
}

// TestAllocations: small and large archives take few allocations and little
// memory. Hostile data take nothing while they are scanned.
func TestAllocations(t *testing.T) {
	needsFast(t)
	bare := plainArchive(
		pairOf("##name", text("NMaterial")), pairOf("#id", model.ByteArray("12345678")),
		pairOf("flags", model.KeyedArchive(plainArchive())),
		pairOf("materialName", text("Instance")), pairOf("parent", model.Uint64(3)), pairOf("scale", model.Vector3{X: 1}),
	)
	large := plainArchive()
	for i := range 300 {
		large.Children = append(large.Children, pairOf(fmt.Sprint("child ", i), model.KeyedArchive(bare)),
			pairOf(fmt.Sprint("list ", i), model.Array{text("text"), model.Int32(1)}))
	}
	c := New(wire.Settings{})
	for name, tc := range map[string]struct {
		tree        model.Archive
		to          model.Version
		allocations float64
		perByte     uint64 // bytes of memory per byte of input; a row of a small table alone takes 60
	}{
		"empty":                {plainArchive(), model.V0x0001, 0, 0},
		"small":                {bare, model.V0x0001, 5, 5},
		"large":                {large, model.V0x0001, 7, 5},
		"small, in 0x0002":     {bare, model.V0x0002, 8, 6},
		"large, in 0x0002":     {large, model.V0x0002, 10, 5},
		"bytes":                {plainArchive(pairOf("pixels", model.ByteArray(make([]byte, 1<<20)))), model.V0x0001, 4, 1},
		"a table without uses": {model.Archive{Version: model.V0x0001, Children: []model.Pair{}}, model.V0x0002, 2, 10},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := c.Canonical(tc.tree, tc.to)
			if err != nil {
				t.Fatal(err)
			}
			src, err := c.Archive().Append(nil, a)
			if err != nil {
				t.Fatal(err)
			}
			if n := testing.AllocsPerRun(50, func() { _, err = c.Archive().Decode(src) }); n > tc.allocations || err != nil {
				t.Errorf("%.0f allocations, expected at most %.0f; error: %v", n, tc.allocations, err)
			}
			if used := cost(c, src); used > tc.perByte*uint64(len(src)) {
				t.Errorf("%d bytes of input take %d bytes of memory", len(src), used)
			}
		})
	}
	head := "KA\x01\x00" + le32(1) + "\x04" + le32(0) + "\x1b" + le32(12288)
	hostile := []byte(head + strings.Repeat("\x06"+le32(uint32(len(head)+1))+head, 20000))
	if n := testing.AllocsPerRun(2, func() { _, _ = c.Scan(hostile) }); n > 20 {
		t.Errorf("scanning allocates %.0f times", n)
	}
}

// TestAppendAllocatesNothing: writing either version into a given buffer does
// not allocate.
func TestAppendAllocatesNothing(t *testing.T) {
	needsFast(t)
	c := New(wire.Settings{})
	bare := plainArchive()
	for i := range 40 {
		bare.Children = append(bare.Children, pairOf(fmt.Sprint("key ", i), model.KeyedArchive(plainArchive(
			pairOf("a", text("text")), pairOf("b", model.WideString(text("wide"))), pairOf("c", model.Matrix4{}),
			pairOf("d", model.Array{model.Int32(1), text("x")}), pairOf("e", model.Transform{}), pairOf("f", model.Color{}),
		))))
	}
	for _, v := range []model.Version{model.V0x0001, model.V0x0002} {
		a, err := c.Canonical(bare, v)
		if err != nil {
			t.Fatal(err)
		}
		s := c.Archive()
		b, err := s.Append(nil, a)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(20, func() { b, err = s.Append(b[:0], a) }); n > 0 || err != nil {
			t.Errorf("%s: %.0f allocations, %v", v, n, err)
		}
		got, err := s.Decode(b)
		if err != nil || !reflect.DeepEqual(got, a) {
			t.Errorf("%s: it is read back as another: %v", v, err)
		}
	}
}
