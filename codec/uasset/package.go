package uasset

import (
	"strconv"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

const (
	footerSize    = 4
	minStringSize = 4
)

// Package is a whole file. Byte slices alias the input: payloads, bulk data,
// and the data of objects and opaque values.
func (c *Codec) Package() wire.Structure[model.Package] {
	return wire.Bind(c.family, c, "Package", summarySize414-generationSize+4+footerSize,
		(*Codec).readPackage, (*Codec).writePackage)
}

func (c *Codec) readPackage(r *wire.Reader) (f model.Package) {
	size := r.Len()
	r.Enter("summary")
	f.Summary = c.readSummary(r, true)
	r.Leave()
	s := &f.Summary
	if r.Failed() {
		return f
	}
	f.Names = readTable(r, "names", c.readNameEntry, s.NameCount, minNameSize, atNameCount, "summary.nameCount")
	p := &part{Codec: c, names: names{entries: f.Names}, outside: &payloads{}}

	checkTable(r, s.ImportCount, s.ImportOffset, atImportOffset, "summary.importOffset")
	importsAt := r.Offset()
	f.Imports = readTable(r, "imports", wire.Reading(p.importRow), s.ImportCount, importSize, atImportCount, "summary.importCount")

	checkTable(r, s.ExportCount, s.ExportOffset, atExportOffset, "summary.exportOffset")
	exportsAt := r.Offset()
	f.Exports = readTable(r, "exports", wire.Reading(p.exportRow), s.ExportCount, entryRegion, atExportCount, "summary.exportCount")
	if !c.d.wideEntries {
		for range f.Exports {
			readConstant(r, 0, wire.Value, "dependencyCount", "UA-PKG-23", "no dependencies")
		}
	}
	f.SoftPackageReferences = []model.FString{}
	if c.hasReferences(s) {
		checkTable(r, s.SoftPackageReferencesCount, s.SoftPackageReferencesOffset, atSoftOffset,
			"summary.softPackageReferencesOffset")
		f.SoftPackageReferences = readTable(r, "softPackageReferences", c.readString, s.SoftPackageReferencesCount,
			minStringSize, atSoftCount, "summary.softPackageReferencesCount")
	}
	if at := r.Offset(); uint64(s.AssetRegistryDataOffset) != uint64(at) {
		r.Fail(wire.Reference, atRegistryOffset(s), "summary.assetRegistryDataOffset", "UA-PKG-5",
			"expected %d, the end of the table of %s, found %d", at, lastTable(&f), s.AssetRegistryDataOffset)
	}
	readPadding(r, "padding")
	if at := r.Offset(); uint64(s.TotalHeaderSize) != uint64(at) {
		r.Fail(wire.Reference, atTotalHeaderSize, "summary.totalHeaderSize", "UA-PKG-5",
			"expected %d, the end of the header, found %d", at, s.TotalHeaderSize)
	}
	checkIndexes(r, &f, importsAt, exportsAt, c.exportEntrySize())
	if uint64(size) == uint64(s.TotalHeaderSize) && anyData(f.Exports) {
		r.Fail(wire.Unsupported, atTotalHeaderSize, "summary.totalHeaderSize", "UA-PKG-6", "%s",
			diagnoseSplit(s.TotalHeaderSize))
	}
	if r.Failed() {
		return f
	}
	p.readObjects(r, &f, exportsAt)
	if at := r.Offset(); s.BulkDataStartOffset != int64(at) {
		r.Fail(wire.Reference, atBulkDataStart(s), "summary.bulkDataStartOffset", "UA-PKG-8",
			"expected %d, the end of the objects, found %d", at, s.BulkDataStartOffset)
	}
	f.BulkData = p.outside.read(r)
	readFooter(r, "footer")
	return f
}

// checkTable checks the offset of a table: the position, or 0 if the table is
// empty.
func checkTable(r *wire.Reader, count, offset uint32, field int, name string) {
	if at := r.Offset(); uint64(offset) != uint64(at) && (offset != 0 || count != 0) {
		r.Fail(wire.Reference, field, name, "UA-PKG-2", "expected %d, the end of the preceding table, found %d", at,
			offset)
	}
}

// readTable reads n rows of at least size bytes each. at is the offset of n, field its path.
func readTable[T any](r *wire.Reader, name string, row func(*wire.Reader) T, n uint32, size, at int, field string) []T {
	count := r.CountAt(n, size, at, field, "UA-PKG-3")
	r.Enter(name)
	rows := wire.ReadN(r, count, row)
	r.Leave()
	return rows
}

func anyData(exports []model.Export) bool {
	for i := range exports {
		if exports[i].SerialSize > 0 {
			return true
		}
	}
	return false
}

// inTables reports whether an index is 0 or points into the tables.
func inTables(f *model.Package, i model.PackageIndex) bool {
	if row, ok := i.Import(); ok {
		return row < len(f.Imports)
	}
	row, _ := i.Export()
	return row < len(f.Exports)
}

// An indexField is a package index in a row of a table.
type indexField struct {
	name string
	at   int // in the row
	v    model.PackageIndex
}

func importIndexes(i *model.Import) [1]indexField {
	return [...]indexField{{"outerIndex", 16, i.OuterIndex}}
}

func exportIndexes(e *model.Export) [4]indexField {
	return [...]indexField{
		{"classIndex", 0, e.ClassIndex},
		{"superIndex", 4, e.SuperIndex},
		{"templateIndex", 8, e.TemplateIndex},
		{"outerIndex", 12, e.OuterIndex},
	}
}

// strayIndex returns the first index of a row that points outside the tables.
func strayIndex(f *model.Package) (table string, row int, i indexField, found bool) {
	for row := range f.Imports {
		for _, i := range importIndexes(&f.Imports[row]) {
			if !inTables(f, i.v) {
				return "imports", row, i, true
			}
		}
	}
	for row := range f.Exports {
		for _, i := range exportIndexes(&f.Exports[row]) {
			if !inTables(f, i.v) {
				return "exports", row, i, true
			}
		}
	}
	return "", 0, indexField{}, false
}

func checkIndexes(r *wire.Reader, f *model.Package, importsAt, exportsAt, entry int) {
	table, row, i, found := strayIndex(f)
	if !found {
		return
	}
	at := importsAt + row*importSize
	if table == "exports" {
		at = exportsAt + row*entry
	}
	r.Fail(wire.Reference, at+i.at, rowPath(table, row)+"."+i.name, "UA-PKG-10",
		"expected an index from %d (imports) to %d (exports), found %d", -len(f.Imports), len(f.Exports), i.v)
}

func rowPath(table string, row int) string { return table + "[" + strconv.Itoa(row) + "]" }

// readObjects reads the bodies of the exports.
func (p *part) readObjects(r *wire.Reader, f *model.Package, exportsAt int) {
	const sizeAt, offsetAt = 28, 32 // in an export
	f.Objects = make([]model.Object, 0, len(f.Exports))
	for i := range f.Exports {
		e, entry := &f.Exports[i], exportsAt+i*p.exportEntrySize()
		if uint64(e.SerialOffset) != uint64(r.Offset()) {
			r.Fail(wire.Reference, entry+offsetAt, rowPath("exports", i)+".serialOffset", "UA-PKG-20",
				"expected %d, the end of the %s, found %d (entries of %s)",
				r.Offset(), [...]string{"header", "preceding object"}[min(i, 1)], e.SerialOffset, p.entrySide())
		}
		if most := max(0, r.Remaining()-footerSize); uint64(e.SerialSize) > uint64(most) {
			r.Fail(wire.Truncated, entry+sizeAt, rowPath("exports", i)+".serialSize", "UA-PKG-7",
				"expected a size of at most %d, the number of bytes from serialOffset to the footer (the last %d bytes), found %d",
				most, footerSize, e.SerialSize)
		}
		if r.Failed() {
			return
		}
		w := r.Narrow(int(e.SerialSize))
		r.Enter("objects")
		r.EnterIndex(i)
		p.outside.setObject(i)
		f.Objects = append(f.Objects, p.readObject(r, f.ClassName(e)))
		r.Leave()
		r.Leave()
		r.Widen(w, "", "UA-OBJ-1")
	}
}

// payloads collects the mips whose payloads are not inline, in the order of
// exports and mips. A nil *payloads collects nothing.
type payloads struct {
	current mipID // that is read or written
	mips    []payload
}

// A mipID is a mip of a texture in a package.
type mipID struct{ object, mip int }

func (m mipID) path() string { return rowPath("objects", m.object) + rowPath(".texture.mips", m.mip) }

// lastTable names the table before the padding.
func lastTable(f *model.Package) string {
	if len(f.SoftPackageReferences) > 0 {
		return "soft package references"
	}
	return "exports"
}

// A payload is in the bulk data.
type payload struct {
	mipID
	at     int // the offset of the mip in the file
	size   uint32
	offset int64 // in the bulk data
}

func (ps *payloads) setObject(i int) { ps.current.object = i }

func (ps *payloads) setMip(i int) {
	if ps != nil {
		ps.current.mip = i
	}
}

func (ps *payloads) add(at int, m *model.Mip) {
	if ps != nil {
		ps.mips = append(ps.mips, payload{ps.current, at, m.Size, m.OffsetInFile})
	}
}

// check returns a class unless a payload begins at or after end, where the
// preceding one ends, and is inside bulk data of size bytes.
func (m *payload) check(end, size int64) wire.Class {
	switch {
	case m.offset < end || m.offset > size:
		return wire.Reference
	case int64(m.size) > size-m.offset:
		return wire.Truncated
	}
	return ""
}

// read reads the bulk data, which extends to the footer.
func (ps *payloads) read(r *wire.Reader) []byte {
	size := max(0, r.Remaining()-footerSize)
	end := int64(0)
	for i := range ps.mips {
		const sizeAt, offsetAt = 8, 16 // in a mip
		m := &ps.mips[i]
		switch m.check(end, int64(size)) {
		case wire.Reference:
			clause, want, bound := clauseID("UA-PKG-9"), "at most %d, its end", int64(size)
			if m.offset < end {
				clause, want, bound = "UA-PKG-21", "at least %d, the end of the preceding payload", end
			}
			r.Fail(wire.Reference, m.at+offsetAt, m.path()+".offsetInFile", clause,
				"expected an offset in the bulk data of "+want+", found %d", bound, m.offset)
		case wire.Truncated:
			r.Fail(wire.Truncated, m.at+sizeAt, m.path()+".size", "UA-PKG-9",
				"expected a payload of at most %d bytes, up to the end of the bulk data, found %d", int64(size)-m.offset, m.size)
		}
		if r.Failed() {
			return nil
		}
		end = m.offset + int64(m.size)
	}
	if !r.Tracing() {
		return readBytes(r, size, "bulkData", "UA-PKG-9")
	}
	return ps.trace(r, size)
}

// trace reads the bulk data with a span per payload.
func (ps *payloads) trace(r *wire.Reader, size int) []byte {
	all := r.Unread()[:size:size]
	read := 0
	for i := range ps.mips {
		m := &ps.mips[i]
		r.Bytes(int(m.offset)-read, "bulkData", "UA-PKG-9")
		r.Bytes(int(m.size), m.path()+".payload", "UA-PKG-9")
		read = int(m.offset) + int(m.size)
	}
	r.Bytes(size-read, "bulkData", "UA-PKG-9")
	return all
}

func (c *Codec) writePackage(w *wire.Writer, f model.Package) {
	s := &f.Summary
	w.Enter("summary")
	c.writeSummary(w, *s)
	w.Leave()
	p := &part{Codec: c, names: names{entries: f.Names}, outside: &payloads{}}
	counted(w, "names", s.NameCount, len(f.Names))
	counted(w, "imports", s.ImportCount, len(f.Imports))
	counted(w, "exports", s.ExportCount, len(f.Exports))
	counted(w, "objects", s.ExportCount, len(f.Objects))
	references := uint32(0)
	if c.hasReferences(s) {
		references = s.SoftPackageReferencesCount
	}
	if uint64(references) != uint64(len(f.SoftPackageReferences)) {
		w.Fail("softPackageReferences", "UA-PKG-17", "expected %d, the count in the summary, found %d",
			references, len(f.SoftPackageReferences))
	}
	at := func(offset int64, field string, clause clauseID) {
		if here := int64(w.Offset()); offset != here {
			w.Fail(field, clause, "expected %d, the end of the preceding part, found %d", here, offset)
		}
	}
	table := func(count, offset uint32, field string) {
		if count != 0 || offset != 0 {
			at(int64(offset), field, "UA-PKG-13")
		}
	}
	w.Enter("names")
	wire.WriteN(w, f.Names, c.writeNameEntry)
	w.Leave()
	table(s.ImportCount, s.ImportOffset, "summary.importOffset")
	w.Enter("imports")
	wire.WriteN(w, f.Imports, wire.Writing(p.importRow))
	w.Leave()
	table(s.ExportCount, s.ExportOffset, "summary.exportOffset")
	w.Enter("exports")
	wire.WriteN(w, f.Exports, wire.Writing(p.exportRow))
	w.Leave()
	if !c.d.wideEntries {
		for range f.Exports {
			w.Uint32(0)
		}
	}
	if references > 0 {
		at(int64(s.SoftPackageReferencesOffset), "summary.softPackageReferencesOffset", "UA-PKG-13")
	}
	w.Enter("softPackageReferences")
	wire.WriteN(w, f.SoftPackageReferences, c.writeString)
	w.Leave()
	rejectIndexes(w, &f)
	at(int64(s.AssetRegistryDataOffset), "summary.assetRegistryDataOffset", "UA-PKG-13")
	w.Uint32(0)
	at(int64(s.TotalHeaderSize), "summary.totalHeaderSize", "UA-PKG-13")
	if w.Failed() {
		return
	}
	for i := range f.Objects {
		e, begin := &f.Exports[i], w.Offset()
		w.Enter("objects")
		w.EnterIndex(i)
		p.outside.setObject(i)
		p.writeObject(w, f.Objects[i], f.ClassName(e))
		w.Leave()
		w.Leave()
		if size := w.Offset() - begin; uint64(e.SerialOffset) != uint64(begin) || uint64(e.SerialSize) != uint64(size) {
			w.Fail(rowPath("exports", i), "UA-PKG-13", "expected the size %d and the offset %d of the object, found "+
				"the size %d and the offset %d", size, begin, e.SerialSize, e.SerialOffset)
			return
		}
	}
	at(s.BulkDataStartOffset, "summary.bulkDataStartOffset", "UA-PKG-13")
	p.outside.reject(w, f.BulkData)
	w.Bytes(f.BulkData)
	w.Uint32(model.Tag)
}

func counted(w *wire.Writer, field string, count uint32, n int) {
	if uint64(count) != uint64(n) {
		w.Fail(field, "UA-PKG-13", "expected %d, the count in the summary, found %d", count, n)
	}
}

func rejectIndexes(w *wire.Writer, f *model.Package) {
	if table, row, i, found := strayIndex(f); found {
		w.Fail(rowPath(table, row)+"."+i.name, "UA-PKG-10", "expected an index from %d (imports) to %d (exports), "+
			"found %d", -len(f.Imports), len(f.Exports), i.v)
	}
}

// reject checks the offsets and sizes of the payloads in the bulk data.
func (ps *payloads) reject(w *wire.Writer, bulk []byte) {
	end := int64(0)
	for i := range ps.mips {
		m := &ps.mips[i]
		if class := m.check(end, int64(len(bulk))); class != "" {
			w.Fail(m.path(), "UA-PKG-9", "expected a payload in the bulk data from %d (the end of the preceding one, if any) "+
				"to at most %d (the end of the bulk data), found %d bytes at %d", end, len(bulk), m.size, m.offset)
			return
		}
		end = m.offset + int64(m.size)
	}
}
