//go:build !purego

package ka

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// TestShortcutTakes: the short cut takes every valid archive of the corpus, except
// those named here. Package props compares the results.
func TestShortcutTakes(t *testing.T) {
	c := New(wire.Settings{})
	var declined []string
	for _, v := range corpustest.Of(t, "ka.Archive") {
		a, n, err := c.Archive().DecodePrefix(v.Bytes)
		if err != nil {
			continue
		}
		if _, size := c.decodeShortcut(v.Bytes); size != n {
			declined = append(declined, "read "+v.ID)
		}
		if !bytes.Equal(c.appendShortcut(nil, a), v.Bytes[:n]) {
			declined = append(declined, "append "+v.ID)
		}
	}
	want := []string{ // references without a row
		"append ka/Archive/id-of-the-outer-table-only",
		"append ka/Archive/positions-in-0x0102",
		"append ka/Archive/unknown-key-in-0x0002",
	}
	if !slices.Equal(declined, want) {
		t.Errorf("the short cut declines\n%s", strings.Join(declined, "\n"))
	}
	if codecFor("documented").levels > 0 || codecFor("observed,ka.bool=one").levels > 0 {
		t.Error("the short cut is used for another dialect")
	}
}

// TestAllocations: small and large archives take at most an allocation for each key and
// value and a few more, and little memory.
func TestAllocations(t *testing.T) {
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
		"small":                {bare, model.V0x0001, 13, 5},
		"large":                {large, model.V0x0001, 5500, 5},
		"small, in 0x0002":     {bare, model.V0x0002, 17, 7},
		"large, in 0x0002":     {large, model.V0x0002, 2730, 5},
		"bytes":                {plainArchive(pairOf("pixels", model.ByteArray(make([]byte, 1<<20)))), model.V0x0001, 4, 1},
		"a table without uses": {model.Archive{Version: model.V0x0001, Children: []model.Pair{}}, model.V0x0002, 2, 10},
	} {
		t.Run(name, func(t *testing.T) {
			_, src := encoded(c, tc.tree, tc.to)
			read := func() { testrun.Must(c.Archive().Decode(src)) }
			if n := testing.AllocsPerRun(50, read); n > tc.allocations {
				t.Errorf("%.0f allocations, expected at most %.0f", n, tc.allocations)
			}
			if used := testrun.Allocated(read); used > tc.perByte*uint64(len(src)) {
				t.Errorf("%d bytes of input take %d bytes of memory", len(src), used)
			}
		})
	}
}

// TestAppendAllocations: writing into a given buffer allocates nothing but the index of a
// table.
func TestAppendAllocations(t *testing.T) {
	c := New(wire.Settings{})
	bare := plainArchive()
	for i := range 40 {
		bare.Children = append(bare.Children, pairOf(fmt.Sprint("key ", i), model.KeyedArchive(plainArchive(
			pairOf("a", text("text")), pairOf("b", model.WideString(text("wide"))), pairOf("c", model.Matrix4{}),
			pairOf("d", model.Array{model.Int32(1), text("x")}), pairOf("e", model.Transform{}), pairOf("f", model.Color{}),
		))))
	}
	for v, most := range map[model.Version]float64{model.V0x0001: 0, model.V0x0002: 4} {
		s := c.Archive()
		a, b := encoded(c, bare, v)
		if n := testing.AllocsPerRun(20, func() { b = testrun.Must(s.Append(b[:0], a)) }); n > most {
			t.Errorf("%s: %.0f allocations", v, n)
		}
		got, err := s.Decode(b)
		if err != nil || !reflect.DeepEqual(got, a) {
			t.Errorf("%s: it is read back as another: %v", v, err)
		}
	}
}
