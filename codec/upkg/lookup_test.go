package upkg_test

import (
	"math"
	"testing"

	"github.com/formatgauge/formatgauge/codec/upkg"
)

// TestLookup: what exists is found, and no index of a hostile file panics.
func TestLookup(t *testing.T) {
	t.Parallel()
	offset := func(n upkg.CompactIndex) *upkg.CompactIndex { return &n }
	p := &upkg.Package{
		Names:   []upkg.NameEntry{{Name: upkg.Name{Text: "None"}}, {Name: upkg.Name{Text: "Texture"}}},
		Imports: []upkg.ImportEntry{{ObjectName: 1}, {ObjectName: 2}},
		Data:    []upkg.Chunk{{Offset: 10, Bytes: []byte("abc")}, {Offset: 20, Bytes: []byte("defg")}},
	}
	for _, c := range []struct {
		index upkg.CompactIndex
		want  string
	}{{0, "None"}, {1, "Texture"}, {2, ""}, {-1, ""}, {math.MaxInt32, ""}, {math.MinInt64, ""}, {math.MaxInt64, ""}} {
		if got, ok := p.NameAt(c.index); got != c.want || ok != (c.want != "") {
			t.Errorf("name %d: %q, %v", c.index, got, ok)
		}
	}
	for _, c := range []struct {
		class int64
		want  string
	}{{0, "Class"}, {-1, "Texture"}, {-2, ""}, {-3, ""}, {1, ""}, {math.MinInt64, ""}, {math.MaxInt64, ""}} {
		if got, ok := p.ClassName(&upkg.ExportEntry{Class: upkg.ReferenceTo(c.class)}); got != c.want ||
			ok != (c.want != "") {
			t.Errorf("class %d: %q, %v", c.class, got, ok)
		}
	}
	for _, c := range []struct {
		at   *upkg.CompactIndex
		size upkg.CompactIndex
		want string
	}{
		{offset(10), 3, "abc"},
		{offset(21), 2, "ef"},
		{offset(10), 4, ""}, // beyond the chunk
		{offset(13), 1, ""},
		{offset(9), 2, ""},
		{offset(-1), 1, ""},
		{offset(21), math.MaxInt64, ""},
		{offset(math.MaxInt64), 1, ""},
		{offset(10), 0, ""},
		{offset(10), -1, ""},
		{nil, 3, ""},
	} {
		got, ok := p.ObjectData(&upkg.ExportEntry{SerialOffset: c.at, SerialSize: c.size})
		if string(got) != c.want || ok != (c.want != "") {
			t.Errorf("%d bytes: %q, %v", c.size, got, ok)
		}
	}
}
