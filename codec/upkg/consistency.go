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
		for i := range p.Imports {
			if !yieldStray(p, rowPath("imports", i), importLinks(&p.Imports[i]), yield) {
				return
			}
		}
		for i := range p.Exports {
			e, path := &p.Exports[i], rowPath("exports", i)
			if !yieldStray(p, path, exportLinks(e), yield) {
				return
			}
			if detail := misplaced(p, e, int64(size)); detail != "" && !yield(wire.Inconsistency{Path: path, Detail: detail}) {
				return
			}
		}
	}
}

// yieldStray yields the links of a row that are outside their table, until yield returns false.
// Then it does so too.
func yieldStray(p *model.Package, path string, links []link, yield func(wire.Inconsistency) bool) bool {
	for _, l := range links {
		n := len(p.Imports)
		switch l.table {
		case "name":
			n = len(p.Names)
		case model.Export.String():
			n = len(p.Exports)
		}
		if l.table != model.Null.String() && l.entry >= uint64(n) &&
			!yield(wire.Outside(path+"."+l.field, l.table, int64(l.entry), n)) {
			return false
		}
	}
	return true
}

// misplaced says where an object is that is not inside one run of data. It is empty for others.
func misplaced(p *model.Package, e *model.ExportEntry, size int64) string {
	if _, ok := p.ObjectData(e); ok || e.SerialOffset == nil || e.SerialSize <= 0 {
		return ""
	}
	at, n := int64(*e.SerialOffset), int64(e.SerialSize)
	where := "in the header or in a table"
	if at < 0 || at+n > size {
		where = fmt.Sprintf("outside the file, which has %d bytes", size)
	}
	return fmt.Sprintf("%s at offset %d, %s", wire.CountBytes(uint64(n)), at, where)
}

// A link is an index of a name, or a reference to an import or export, in a row of a table.
type link struct {
	field string
	table string // into which it points: name, import, export or null
	entry uint64 // a negative index is greater than any entry
}

func nameLink(field string, i model.CompactIndex) link { return link{field, "name", uint64(i)} }

func objectLink(field string, r model.ObjectReference) link {
	return link{field, r.Table.String(), r.Entry}
}

func importLinks(e *model.ImportEntry) []link {
	links := []link{
		nameLink("classPackage", e.ClassPackage), nameLink("className", e.ClassName),
		objectLink("package", e.Package),
	}
	if e.PackageName != nil {
		links = append(links, nameLink("packageName", *e.PackageName))
	}
	return append(links, nameLink("objectName", e.ObjectName))
}

func exportLinks(e *model.ExportEntry) []link {
	return []link{
		objectLink("class", e.Class), objectLink("super", e.Super), objectLink("group", e.Group),
		nameLink("objectName", e.ObjectName),
	}
}

func rowPath(table string, row int) string { return fmt.Sprintf("%s[%d]", table, row) }
