package upkg

import (
	"fmt"
	"iter"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/upkg"
)

// Inconsistencies yields what does not fit together in a package that was read from a file of a
// size: indices and references outside their table, and objects that are not inside one
// run of the bytes outside the header and the tables. An object of no bytes has no place.
func Inconsistencies(p *model.Package, size int) iter.Seq[wire.Inconsistency] {
	return func(yield func(wire.Inconsistency) bool) {
		s := search{p, int64(size), yield, true}
		for i := range p.Imports {
			s.ofImport(i)
		}
		for i := range p.Exports {
			s.ofExport(i)
		}
	}
}

// search yields inconsistencies until yield returns false. Paths are only made for them.
type search struct {
	*model.Package
	size  int64
	yield func(wire.Inconsistency) bool
	more  bool
}

func (s *search) found(i wire.Inconsistency) { s.more = s.more && s.yield(i) }

func (s *search) ofImport(i int) {
	e := &s.Imports[i]
	s.name("imports", i, "classPackage", e.ClassPackage)
	s.name("imports", i, "className", e.ClassName)
	s.reference("imports", i, "package", e.Package)
	if e.PackageName != nil {
		s.name("imports", i, "packageName", *e.PackageName)
	}
	s.name("imports", i, "objectName", e.ObjectName)
}

func (s *search) ofExport(i int) {
	e := &s.Exports[i]
	s.reference("exports", i, "class", e.Class)
	s.reference("exports", i, "super", e.Super)
	s.reference("exports", i, "group", e.Group)
	s.name("exports", i, "objectName", e.ObjectName)
	if _, ok := s.Package.ObjectData(e); ok || e.SerialOffset == nil || e.SerialSize <= 0 {
		return
	}
	at, n := int64(*e.SerialOffset), int64(e.SerialSize)
	where := "in the header or in a table"
	if at < 0 || at+n > s.size {
		where = fmt.Sprintf("outside the file, which has %d bytes", s.size)
	}
	s.found(wire.Inconsistency{Path: rowPath("exports", i), Detail: fmt.Sprintf("%s at offset %d, %s", wire.CountBytes(uint64(n)), at, where)})
}

func (s *search) name(table string, row int, field string, v model.CompactIndex) {
	if _, ok := s.Package.NameAt(v); !ok {
		s.found(wire.Outside(rowPath(table, row)+"."+field, "name", int64(v), len(s.Names)))
	}
}

func (s *search) reference(table string, row int, field string, r model.ObjectReference) {
	n := len(s.Imports)
	if r.Table == model.Export {
		n = len(s.Exports)
	}
	if r.Table != model.Null && r.Entry >= uint64(n) {
		s.found(wire.Outside(rowPath(table, row)+"."+field, r.Table.String(), int64(r.Entry), n))
	}
}

func rowPath(table string, row int) string { return fmt.Sprintf("%s[%d]", table, row) }
