package upkg_test

import (
	"slices"
	"testing"

	"github.com/formatgauge/formatgauge/codec/upkg"
)

// TestInconsistencies: each index, reference and object of a package that points outside, one at
// a time, and what is consistent.
func TestInconsistencies(t *testing.T) {
	offset := func(v upkg.CompactIndex) *upkg.CompactIndex { return &v }
	reference := func(table upkg.Table, entry uint64) upkg.ObjectReference {
		return upkg.ObjectReference{Table: table, Entry: entry}
	}
	const size = 120 // 100 bytes of header and tables, then 20 of data
	object := func(at, n upkg.CompactIndex) func(*upkg.Package) {
		return func(p *upkg.Package) { p.Exports[1].SerialOffset, p.Exports[1].SerialSize = &at, n }
	}
	for _, c := range []struct {
		change func(*upkg.Package)
		want   []string
	}{
		{func(*upkg.Package) {}, nil},
		{func(p *upkg.Package) { p.Imports[0].ClassPackage = 2 }, []string{"imports[0].classPackage"}},
		{func(p *upkg.Package) { p.Imports[0].ClassName = -1 }, []string{"imports[0].className"}},
		{func(p *upkg.Package) { p.Imports[0].Package = reference(upkg.Import, 1) }, []string{"imports[0].package"}},
		{func(p *upkg.Package) { p.Imports[0].PackageName = offset(7) }, []string{"imports[0].packageName"}},
		{func(p *upkg.Package) { p.Imports[0].ObjectName = 2 }, []string{"imports[0].objectName"}},
		{func(p *upkg.Package) { p.Exports[1].Class = reference(upkg.Import, 1) }, []string{"exports[1].class"}},
		{func(p *upkg.Package) { p.Exports[1].Super = reference(upkg.Export, 2) }, []string{"exports[1].super"}},
		{func(p *upkg.Package) { p.Exports[1].Super = reference(upkg.Export, 1) }, nil},
		{func(p *upkg.Package) { p.Exports[1].Group = reference(upkg.Export, 1<<31) }, []string{"exports[1].group"}},
		{func(p *upkg.Package) { p.Exports[1].ObjectName = 2 }, []string{"exports[1].objectName"}},
		{object(100, 20), nil},
		{object(100, 21), []string{"exports[1]"}},
		{object(99, 2), []string{"exports[1]"}},
		{object(10, 2), []string{"exports[1]"}},
		{object(-1, 2), []string{"exports[1]"}},
		{object(1<<31-1, 1<<31-1), []string{"exports[1]"}},
		{object(300, 0), nil},
		{func(p *upkg.Package) { p.Exports[1].SerialOffset, p.Exports[1].SerialSize = nil, 0 }, nil},
		{func(p *upkg.Package) {
			p.Imports[0].ClassName, p.Imports[0].ObjectName, p.Exports[0].Class = 5, 5, reference(upkg.Export, 5)
		}, []string{"imports[0].className", "imports[0].objectName", "exports[0].class"}},
	} {
		p := &upkg.Package{
			Names:   make([]upkg.NameEntry, 2),
			Imports: make([]upkg.ImportEntry, 1),
			Exports: []upkg.ExportEntry{{}, {SerialSize: 4, SerialOffset: offset(110)}},
			Data:    []upkg.Chunk{{Offset: 100, Bytes: make([]byte, 20)}},
		}
		c.change(p)
		var got []string
		for i := range upkg.Inconsistencies(p, size) {
			got = append(got, i.Path)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
		for range upkg.Inconsistencies(p, size) {
			break // one is enough: no further one is yielded
		}
	}
}
