package uasset

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

const importSize = 28

// Import is one row of the import table. It uses Scope.Names.
func (p *Part) Import() wire.Structure[model.Import] {
	return bind(p.family, &p.part, "Import", importSize, (*part).importRow)
}

// bind is [wire.Bind] for a structure that one function reads and writes.
func bind[C, T any](f *wire.Family, c C, name string, size int, body func(C, wire.Fields, T) T) wire.Structure[T] {
	return wire.Keep(f, wire.Key{Name: name}, func() wire.Description[T] {
		return wire.Describe(f, name, size,
			func(r *wire.Reader) (v T) { return body(c, wire.Fields{R: r}, v) },
			func(w *wire.Writer, v T) { body(c, wire.Fields{W: w}, v) })
	})
}

func (p *part) importRow(f wire.Fields, i model.Import) model.Import {
	p.id(f, &i.ClassPackage, "classPackage", "UA-IMP-1")
	p.id(f, &i.ClassName, "className", "UA-IMP-1")
	index(f, &i.OuterIndex, "outerIndex", "UA-IMP-1")
	p.name(f, &i.ObjectName, "objectName", "UA-IMP-1")
	return i
}

// Export is one row of the export table. It uses Scope.Names.
func (p *Part) Export() wire.Structure[model.Export] {
	return bind(p.family, &p.part, "Export", p.exportEntrySize(), (*part).exportRow)
}

// exportEntrySize is the size of one row of the export table in bytes.
func (c *Codec) exportEntrySize() int {
	if c.d.wideEntries {
		return entryRegion
	}
	return entrySize
}

// entrySide says which size that is, and why.
func (c *Codec) entrySide() string {
	if c.d.wideEntries {
		return "100 bytes under uasset.export-size=documented"
	}
	return "96 bytes under uasset.export-size=observed"
}

func (p *part) exportRow(f wire.Fields, e model.Export) model.Export {
	index(f, &e.ClassIndex, "classIndex", "UA-EXP-1")
	index(f, &e.SuperIndex, "superIndex", "UA-EXP-1")
	index(f, &e.TemplateIndex, "templateIndex", "UA-EXP-1")
	index(f, &e.OuterIndex, "outerIndex", "UA-EXP-1")
	p.name(f, &e.ObjectName, "objectName", "UA-EXP-1")
	f.Hex32(&e.ObjectFlags, "objectFlags", "UA-EXP-1")
	f.Uint32(&e.SerialSize, "serialSize", "UA-EXP-1")
	f.Uint32(&e.SerialOffset, "serialOffset", "UA-EXP-1")
	f.Uint32(&e.ForcedExport, "forcedExport", "UA-EXP-1")
	f.Uint32(&e.NotForClient, "notForClient", "UA-EXP-1")
	f.Uint32(&e.NotForServer, "notForServer", "UA-EXP-1")
	f.Bytes(e.PackageGuid[:], "packageGuid", "UA-EXP-1")
	f.Uint32(&e.PackageFlags, "packageFlags", "UA-EXP-1")
	f.Uint32(&e.NotAlwaysLoadedForEditorGame, "notAlwaysLoadedForEditorGame", "UA-EXP-1")
	f.Uint32(&e.IsAsset, "isAsset", "UA-EXP-1")
	f.Int32(&e.FirstExportDependency, "firstExportDependency", "UA-EXP-1")
	f.Int32(&e.SerializationBeforeSerializationDependencies, "serializationBeforeSerializationDependencies", "UA-EXP-1")
	f.Int32(&e.CreateBeforeSerializationDependencies, "createBeforeSerializationDependencies", "UA-EXP-1")
	f.Int32(&e.SerializationBeforeCreateDependencies, "serializationBeforeCreateDependencies", "UA-EXP-1")
	f.Int32(&e.CreateBeforeCreateDependencies, "createBeforeCreateDependencies", "UA-EXP-1")
	if p.d.wideEntries {
		constant(f, 0, wire.Value, "dependencyCount", "UA-EXP-5", "no dependencies")
	}
	return e
}

// index reads or writes a package index.
func index(f wire.Fields, v *model.PackageIndex, field string, clause clauseID) {
	f.Int32((*int32)(v), field, clause)
	if f.R == nil || !f.R.Tracing() {
		return
	}
	if row, ok := v.Import(); ok {
		f.R.Note("import %d", row)
	} else if row, ok := v.Export(); ok {
		f.R.Note("export %d", row)
	} else {
		f.R.Note("nothing")
	}
}

// Padding is the count at the end of the header.
func (c *Codec) Padding() wire.Structure[model.Padding] {
	return bind(c.family, c, "Padding", 4,
		func(_ *Codec, f wire.Fields, v model.Padding) model.Padding { return padding(f, v, "") })
}

func padding(f wire.Fields, v model.Padding, field string) model.Padding {
	const what = "the padding is the number of objects in the asset registry data, and a cooked package has none"
	if f.W != nil && v != 0 {
		f.W.Fail(field, "UA-PAD-1", "expected 0 (%s), found %d", what, v)
	}
	constant(f, 0, wire.Unsupported, field, "UA-PAD-1", what)
	return v
}

// Footer is the tag at the end of the file.
func (c *Codec) Footer() wire.Structure[model.Footer] {
	return bind(c.family, c, "Footer", footerSize,
		func(_ *Codec, f wire.Fields, v model.Footer) model.Footer { return footer(f, v, "") })
}

func footer(f wire.Fields, v model.Footer, field string) model.Footer {
	if f.W != nil && v != model.Tag {
		f.W.Fail(field, "UA-FTR-1", "expected the tag 0x%08x, found 0x%08x", uint32(model.Tag), uint32(v))
	}
	if f.Hex32((*uint32)(&v), field, "UA-FTR-1"); v != model.Tag {
		f.Fail(wire.Magic, footerSize, field, "UA-FTR-1", "expected the tag 0x%08x at the end of the file, found 0x%08x",
			uint32(model.Tag), uint32(v))
	}
	return v
}
