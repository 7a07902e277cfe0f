package uasset

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

const importSize = 28

// Import is one row of the import table. It uses Scope.Names.
func (c *Codec) Import(s Scope) wire.Structure[model.Import] {
	p := c.part(s)
	return structure(c, "Import", importSize, p.readImport, p.writeImport)
}

func (p *part) readImport(r *wire.Reader) (i model.Import) {
	i.ClassPackage = p.readID(r, "classPackage", "UA-IMP-1")
	i.ClassName = p.readID(r, "className", "UA-IMP-1")
	i.OuterIndex = readIndex(r, "outerIndex", "UA-IMP-1")
	i.ObjectName = p.readName(r, "objectName", "UA-IMP-1")
	return i
}

func (p *part) writeImport(w *wire.Writer, i model.Import) {
	p.writeID(w, i.ClassPackage, "classPackage")
	p.writeID(w, i.ClassName, "className")
	w.Int32(int32(i.OuterIndex))
	p.writeName(w, i.ObjectName, "objectName")
}

// Export is one row of the export table. It uses Scope.Names.
func (c *Codec) Export(s Scope) wire.Structure[model.Export] {
	p := c.part(s)
	return structure(c, "Export", c.exportEntrySize(), p.readExport, p.writeExport)
}

// exportEntrySize is the size of one row of the export table in bytes.
func (c *Codec) exportEntrySize() int {
	if c.d.wideEntries {
		return entryRegion
	}
	return entrySize
}

func (p *part) readExport(r *wire.Reader) (e model.Export) {
	e.ClassIndex = readIndex(r, "classIndex", "UA-EXP-1")
	e.SuperIndex = readIndex(r, "superIndex", "UA-EXP-1")
	e.TemplateIndex = readIndex(r, "templateIndex", "UA-EXP-1")
	e.OuterIndex = readIndex(r, "outerIndex", "UA-EXP-1")
	e.ObjectName = p.readName(r, "objectName", "UA-EXP-1")
	e.ObjectFlags = r.Hex32("objectFlags", "UA-EXP-1")
	e.SerialSize = r.Uint32("serialSize", "UA-EXP-1")
	e.SerialOffset = r.Uint32("serialOffset", "UA-EXP-1")
	e.ForcedExport = r.Uint32("forcedExport", "UA-EXP-1")
	e.NotForClient = r.Uint32("notForClient", "UA-EXP-1")
	e.NotForServer = r.Uint32("notForServer", "UA-EXP-1")
	e.PackageGuid = readGuid(r, "packageGuid", "UA-EXP-1")
	e.PackageFlags = r.Uint32("packageFlags", "UA-EXP-1")
	e.NotAlwaysLoadedForEditorGame = r.Uint32("notAlwaysLoadedForEditorGame", "UA-EXP-1")
	e.IsAsset = r.Uint32("isAsset", "UA-EXP-1")
	e.FirstExportDependency = r.Int32("firstExportDependency", "UA-EXP-1")
	e.SerializationBeforeSerializationDependencies = r.Int32("serializationBeforeSerializationDependencies", "UA-EXP-1")
	e.CreateBeforeSerializationDependencies = r.Int32("createBeforeSerializationDependencies", "UA-EXP-1")
	e.SerializationBeforeCreateDependencies = r.Int32("serializationBeforeCreateDependencies", "UA-EXP-1")
	e.CreateBeforeCreateDependencies = r.Int32("createBeforeCreateDependencies", "UA-EXP-1")
	if p.d.wideEntries {
		readConstant(r, 0, wire.Value, "dependencyCount", "UA-EXP-5", "no dependencies")
	}
	return e
}

func (p *part) writeExport(w *wire.Writer, e model.Export) {
	for _, i := range [...]model.PackageIndex{e.ClassIndex, e.SuperIndex, e.TemplateIndex, e.OuterIndex} {
		w.Int32(int32(i))
	}
	p.writeName(w, e.ObjectName, "objectName")
	for _, v := range [...]uint32{
		e.ObjectFlags, e.SerialSize, e.SerialOffset, e.ForcedExport, e.NotForClient,
		e.NotForServer,
	} {
		w.Uint32(v)
	}
	w.Bytes(e.PackageGuid[:])
	for _, v := range [...]uint32{e.PackageFlags, e.NotAlwaysLoadedForEditorGame, e.IsAsset} {
		w.Uint32(v)
	}
	for _, v := range [...]int32{
		e.FirstExportDependency,
		e.SerializationBeforeSerializationDependencies, e.CreateBeforeSerializationDependencies,
		e.SerializationBeforeCreateDependencies, e.CreateBeforeCreateDependencies,
	} {
		w.Int32(v)
	}
	if p.d.wideEntries {
		w.Uint32(0)
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
	return structure(c, "Padding", 4,
		func(r *wire.Reader) model.Padding { return readPadding(r, "") },
		func(w *wire.Writer, v model.Padding) {
			if v != 0 {
				w.Fail("", "UA-PAD-1", "expected 0 objects in the asset registry data, found %d", v)
			}
			w.Uint32(uint32(v))
		})
}

func readPadding(r *wire.Reader, field string) model.Padding {
	readConstant(r, 0, wire.Unsupported, field, "UA-PAD-1", "the number of objects in the asset registry data; a "+
		"cooked package has none")
	return 0
}

// Footer is the tag at the end of the file.
func (c *Codec) Footer() wire.Structure[model.Footer] {
	return structure(c, "Footer", 4,
		func(r *wire.Reader) model.Footer { return readFooter(r, "") },
		func(w *wire.Writer, v model.Footer) {
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
