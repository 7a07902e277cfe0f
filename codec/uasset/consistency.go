package uasset

import (
	"iter"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// Inconsistencies yields the references in the properties of a package that are outside the tables
// of imports and exports. A reader keeps these (UA-OPR-1), and rejects all others.
func Inconsistencies(f *model.Package) iter.Seq[wire.Inconsistency] {
	return func(yield func(wire.Inconsistency) bool) {
		s := search{f, yield, true}
		for i := range f.Objects {
			if list := f.Objects[i].Properties; list != nil {
				s.list(func() string { return rowPath("objects", i) + ".properties" }, *list)
			}
		}
	}
}

// search yields inconsistencies until yield returns false. Paths are only made for them.
type search struct {
	*model.Package
	yield func(wire.Inconsistency) bool
	more  bool
}

func (s *search) list(path func() string, list model.PropertyList) {
	for i := range list {
		value := func() string { return rowPath(path(), i) + ".value" }
		switch v := list[i].Value.(type) {
		case model.ObjectProperty:
			s.index(value, model.PackageIndex(v))
		case model.StructProperty:
			s.structure(func() string { return value() + ".value" }, v.Value)
		case model.ArrayProperty:
			s.elements(func() string { return value() + ".elements" }, v.Elements)
		}
	}
}

func (s *search) elements(path func() string, v model.Elements) {
	switch v := v.(type) {
	case model.Objects:
		for i, e := range v {
			s.index(func() string { return rowPath(path(), i) }, e)
		}
	case model.Structs:
		for i, e := range v.Elements {
			s.structure(func() string { return rowPath(path()+".elements", i) }, e)
		}
	}
}

func (s *search) structure(path func() string, v model.StructValue) {
	switch v := v.(type) {
	case model.MaterialTextureInfo:
		s.list(path, model.PropertyList(v))
	case model.FontImportOptionsData:
		s.list(func() string { return path() + ".properties" }, v.Properties)
	}
}

func (s *search) index(path func() string, v model.PackageIndex) {
	if !s.more || inTables(s.Package, v) {
		return
	}
	row, ok := v.Import()
	table, n := "import", len(s.Imports)
	if !ok {
		row, _ = v.Export()
		table, n = "export", len(s.Exports)
	}
	s.more = s.yield(wire.Outside(path(), table, int64(row), n))
}
