package uasset

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

const importSize = 28

// Import is one row of the import table. It uses Scope.Names.
func (p *Part) Import() wire.Structure[model.Import] {
	return row(p, "Import", importSize, (*part).importRow)
}

// row describes a row by one function for both ways.
func row[T any](p *Part, name string, size int, body func(*part, wire.Fields, T) T) wire.Structure[T] {
	return wire.Keep(p.family, wire.Key{Name: name}, func() wire.Description[T] {
		return wire.Describe(p.family, name, size,
			func(r *wire.Reader) (v T) { return body(&p.part, wire.Fields{R: r}, v) },
			func(w *wire.Writer, v T) { body(&p.part, wire.Fields{W: w}, v) })
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
	return row(p, "Export", p.exportEntrySize(), (*part).exportRow)
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
	if f.R != nil {
		*v = readIndex(f.R, field, clause)
	} else {
		f.W.Int32(int32(*v))
	}
}

func readIndex(r *wire.Reader, field string, clause clauseID) model.PackageIndex {
	i := model.PackageIndex(r.Int32(field, clause))
	if !r.Tracing() {
		return i
	}
	if row, ok := i.Import(); ok {
		r.Note("import %d", row)
	} else if row, ok := i.Export(); ok {
		r.Note("export %d", row)
	} else {
		r.Note("nothing")
	}
	return i
}

// Padding is the count at the end of the header.
func (c *Codec) Padding() wire.Structure[model.Padding] {
	return wire.Bind(c.family, c, "Padding", 4,
		func(_ *Codec, r *wire.Reader) model.Padding { return readPadding(r, "") },
		func(_ *Codec, w *wire.Writer, v model.Padding) {
			if v != 0 {
				w.Fail("", "UA-PAD-1", "expected 0 (the padding is the number of objects in the asset "+
					"registry data, and a cooked package has none), found %d", v)
			}
			w.Uint32(uint32(v))
		})
}

func readPadding(r *wire.Reader, field string) model.Padding {
	readConstant(r, 0, wire.Unsupported, field, "UA-PAD-1", "the padding is the number of objects in the asset "+
		"registry data, and a cooked package has none")
	return 0
}

// Footer is the tag at the end of the file.
func (c *Codec) Footer() wire.Structure[model.Footer] {
	return wire.Bind(c.family, c, "Footer", 4,
		func(_ *Codec, r *wire.Reader) model.Footer { return readFooter(r, "") },
		func(_ *Codec, w *wire.Writer, v model.Footer) {
			if v != model.Tag {
				w.Fail("", "UA-FTR-1", "expected the tag 0x%08x, found 0x%08x", uint32(model.Tag), uint32(v))
			}
			w.Uint32(uint32(v))
		})
}

func readFooter(r *wire.Reader, field string) model.Footer {
	at := r.Offset()
	v := r.Hex32(field, "UA-FTR-1")
	if v != model.Tag {
		r.Fail(wire.Magic, at, field, "UA-FTR-1", "expected the tag 0x%08x at the end of the file, found 0x%08x",
			uint32(model.Tag), v)
	}
	return model.Footer(v)
}
