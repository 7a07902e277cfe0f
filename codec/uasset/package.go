package uasset

import (
	"strconv"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

const (
	footerSize   = 4
	leastNameRow = 8
)

// Package is a whole file. Payloads, bulk data and whatever else is kept as
// bytes alias the input.
func (c *Codec) Package() wire.Structure[model.Package] {
	return structure(c, "Package", summarySize414+4+footerSize, c.readPackage, c.writePackage)
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
	f.Names = readTable(r, "names", c.NameEntry(), s.NameCount, leastNameRow, atNameCount)
	p := &part{Codec: c, names: newNames(textsOf(f.Names)), outside: &payloads{}}

	checkTable(r, s.ImportCount, s.ImportOffset, atImportOffset, "summary.importOffset")
	importsAt := r.Offset()
	f.Imports = readTable(r, "imports", p.imports(), s.ImportCount, importSize, atImportCount)

	checkTable(r, s.ExportCount, s.ExportOffset, atExportOffset, "summary.exportOffset")
	exportsAt := r.Offset()
	f.Exports = readTable(r, "exports", p.exports(), s.ExportCount, entryRegion, atExportCount)
	if !c.d.wideEntries {
		for range f.Exports {
			want(r, 0, wire.Value, "dependencyCount", clauseExportRegion, "there is no room for dependencies")
		}
	}
	if at := r.Offset(); uint64(s.AssetRegistryDataOffset) != uint64(at) {
		r.Fail(wire.Reference, atRegistryOffset(s), "summary.assetRegistryDataOffset", clauseHeaderEnd, "it is %d; the export region ends at %d", s.AssetRegistryDataOffset, at)
	}
	readPadding(r, "padding")
	if at := r.Offset(); uint64(s.TotalHeaderSize) != uint64(at) {
		r.Fail(wire.Reference, atTotalHeaderSize, "summary.totalHeaderSize", clauseHeaderEnd, "it is %d; the header ends at %d", s.TotalHeaderSize, at)
	}
	checkIndexes(r, &f, importsAt, exportsAt, c.exportEntrySize())
	if size == int(s.TotalHeaderSize) && holdsData(f.Exports) {
		r.Fail(wire.Unsupported, atTotalHeaderSize, "summary.totalHeaderSize", clauseSplit, "%s", split(s.TotalHeaderSize))
	}
	if r.Failed() {
		return f
	}
	p.readObjects(r, &f, exportsAt)
	if at := r.Offset(); s.BulkDataStartOffset != int64(at) {
		r.Fail(wire.Reference, atBulkDataStart(s), "summary.bulkDataStartOffset", clauseBulkStart, "it is %d; the objects end at %d", s.BulkDataStartOffset, at)
	}
	f.BulkData = p.outside.read(r)
	readFooter(r, "footer")
	return f
}

// checkTable checks where a table begins: right here, or nowhere if it is empty.
func checkTable(r *wire.Reader, count, offset uint32, field int, name string) {
	if at := r.Offset(); uint64(offset) != uint64(at) && (offset != 0 || count != 0) {
		r.Fail(wire.Reference, field, name, clauseTableOffset, "the table is said to begin at %d; what stands before it ends at %d", offset, at)
	}
}

// readTable reads the rows that a count in the summary announces, each of at
// least so many bytes.
func readTable[T any](r *wire.Reader, name string, row wire.Structure[T], count uint32, least, countAt int) []T {
	n := r.CountAt(count, least, countAt, name, clauseTableCount)
	r.Enter(name)
	rows := row.ReadN(r, n)
	r.Leave()
	return rows
}

func holdsData(exports []model.Export) bool {
	for i := range exports {
		if exports[i].SerialSize > 0 {
			return true
		}
	}
	return false
}

// inTables reports whether an index points to nothing or into the tables.
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

func checkIndexes(r *wire.Reader, f *model.Package, importsAt, exportsAt, entry int) {
	check := func(i indexField, table string, row, rowAt int) {
		if !inTables(f, i.v) {
			r.Fail(wire.Reference, rowAt+i.at, rowPath(table, row)+"."+i.name, clausePackageIndex, "%d points outside %d imports and %d exports", i.v, len(f.Imports), len(f.Exports))
		}
	}
	for row := range f.Imports {
		for _, i := range importIndexes(&f.Imports[row]) {
			check(i, "imports", row, importsAt+row*importSize)
		}
	}
	for row := range f.Exports {
		for _, i := range exportIndexes(&f.Exports[row]) {
			check(i, "exports", row, exportsAt+row*entry)
		}
	}
}

func rowPath(table string, row int) string { return table + "[" + strconv.Itoa(row) + "]" }

// Class returns the name of an export's class, or "" if it has none here
// (UA-PKG-11).
func Class(f *model.Package, e *model.Export) string {
	row, ok := e.ClassIndex.Import()
	if !ok || row >= len(f.Imports) {
		return ""
	}
	name := f.Imports[row].ObjectName
	if name.Number != 0 || uint64(name.Index) >= uint64(len(f.Names)) {
		return ""
	}
	return f.Names[name.Index].Name.Text
}

// readObjects reads the bodies of the exports.
func (p *part) readObjects(r *wire.Reader, f *model.Package, exportsAt int) {
	const sizeAt, offsetAt = 28, 32 // in an export
	f.Objects = make([]model.Object, 0, len(f.Exports))
	for i := range f.Exports {
		e, entry := &f.Exports[i], exportsAt+i*p.exportEntrySize()
		if uint64(e.SerialOffset) != uint64(r.Offset()) {
			r.Fail(wire.Reference, entry+offsetAt, rowPath("exports", i)+".serialOffset", clauseObjectPlace, "it is %d; what stands before the object ends at %d", e.SerialOffset, r.Offset())
		}
		if left := max(0, r.Remaining()-footerSize); uint64(e.SerialSize) > uint64(left) {
			r.Fail(wire.Truncated, entry+sizeAt, rowPath("exports", i)+".serialSize", clauseObjectPlace, "an object of %d bytes cannot be in the %d left before the footer", e.SerialSize, left)
		}
		if r.Failed() {
			return
		}
		w := r.Narrow(int(e.SerialSize))
		r.Enter("objects")
		r.EnterIndex(i)
		p.outside.object(i)
		f.Objects = append(f.Objects, p.readObject(r, Class(f, e)))
		r.Leave()
		r.Leave()
		r.Widen(w, "", clauseObject)
	}
}

// payloads collects the mips whose payloads are not inline, in the order of
// exports and mips. A nil one collects nothing.
type payloads struct {
	now  place // what is being read or written
	mips []payload
}

// place is a mip of a texture in a package.
type place struct{ object, mip int }

func (p place) path() string { return rowPath("objects", p.object) + rowPath(".texture.mips", p.mip) }

type payload struct {
	place
	at     int // where the mip begins
	size   uint32
	offset int64
}

func (ps *payloads) object(i int) { ps.now.object = i }

func (ps *payloads) mip(i int) {
	if ps != nil {
		ps.now.mip = i
	}
}

func (ps *payloads) add(at int, m *model.Mip) {
	if ps != nil {
		ps.mips = append(ps.mips, payload{ps.now, at, m.Size, m.OffsetInFile})
	}
}

// misplaced checks that a payload lies behind the one before it, which ends at
// an offset, and inside the bulk data. It returns a class if not.
func (m *payload) misplaced(end, size int64) wire.Class {
	switch {
	case m.offset < end || m.offset > size:
		return wire.Reference
	case int64(m.size) > size-m.offset:
		return wire.Truncated
	}
	return ""
}

// read reads the bulk data, up to the footer.
func (ps *payloads) read(r *wire.Reader) []byte {
	size := max(0, r.Remaining()-footerSize)
	end := int64(0)
	for i := range ps.mips {
		const sizeAt, offsetAt = 8, 16 // in a mip
		m := &ps.mips[i]
		switch m.misplaced(end, int64(size)) {
		case wire.Reference:
			r.Fail(wire.Reference, m.at+offsetAt, m.path()+".offsetInFile", clauseBulkData, "a payload at %d, where the one before ends at %d and the bulk data at %d", m.offset, end, size)
		case wire.Truncated:
			r.Fail(wire.Truncated, m.at+sizeAt, m.path()+".size", clauseBulkData, "a payload of %d bytes at %d cannot be in %d bytes of bulk data", m.size, m.offset, size)
		}
		if r.Failed() {
			return nil
		}
		end = m.offset + int64(m.size)
	}
	if !r.Tracing() {
		return kept(r, size, "bulkData", clauseBulkData)
	}
	return ps.trace(r, size)
}

// trace reads the bulk data payload by payload, to tell them apart.
func (ps *payloads) trace(r *wire.Reader, size int) []byte {
	all := r.Unread()[:size:size]
	read := 0
	for i := range ps.mips {
		m := &ps.mips[i]
		r.Bytes(int(m.offset)-read, "bulkData", clauseBulkData)
		r.Bytes(int(m.size), m.path()+".payload", clauseBulkData)
		read = int(m.offset) + int(m.size)
	}
	r.Bytes(size-read, "bulkData", clauseBulkData)
	return all
}

func (c *Codec) writePackage(w *wire.Writer, f model.Package) {
	s := &f.Summary
	w.Enter("summary")
	c.writeSummary(w, *s)
	w.Leave()
	p := &part{Codec: c, names: newNames(textsOf(f.Names)), outside: &payloads{}}
	counted(w, "names", s.NameCount, len(f.Names))
	counted(w, "imports", s.ImportCount, len(f.Imports))
	counted(w, "exports", s.ExportCount, len(f.Exports))
	counted(w, "objects", s.ExportCount, len(f.Objects))
	at := func(offset int64, field string, clause clauseID) {
		if here := int64(w.Offset()); offset != here {
			w.Fail(field, clause, "it is %d; what stands before ends at %d", offset, here)
		}
	}
	table := func(count, offset uint32, field string) {
		if count != 0 || offset != 0 {
			at(int64(offset), field, clausePackageWrites)
		}
	}
	w.Enter("names")
	c.NameEntry().WriteN(w, f.Names)
	w.Leave()
	table(s.ImportCount, s.ImportOffset, "summary.importOffset")
	w.Enter("imports")
	p.imports().WriteN(w, f.Imports)
	w.Leave()
	table(s.ExportCount, s.ExportOffset, "summary.exportOffset")
	w.Enter("exports")
	p.exports().WriteN(w, f.Exports)
	w.Leave()
	if !c.d.wideEntries {
		for range f.Exports {
			w.Uint32(0)
		}
	}
	refuseIndexes(w, &f)
	at(int64(s.AssetRegistryDataOffset), "summary.assetRegistryDataOffset", clausePackageWrites)
	w.Uint32(0)
	at(int64(s.TotalHeaderSize), "summary.totalHeaderSize", clausePackageWrites)
	if w.Failed() {
		return
	}
	for i := range f.Objects {
		e, begin := &f.Exports[i], w.Offset()
		w.Enter("objects")
		w.EnterIndex(i)
		p.outside.object(i)
		p.writeObject(w, f.Objects[i], Class(&f, e))
		w.Leave()
		w.Leave()
		if size := w.Offset() - begin; uint64(e.SerialOffset) != uint64(begin) || uint64(e.SerialSize) != uint64(size) {
			w.Fail(rowPath("exports", i), clausePackageWrites, "an object of %d bytes at %d, where there are %d at %d", e.SerialSize, e.SerialOffset, size, begin)
			return
		}
	}
	at(s.BulkDataStartOffset, "summary.bulkDataStartOffset", clausePackageWrites)
	p.outside.refuse(w, f.BulkData)
	w.Bytes(f.BulkData)
	w.Uint32(model.Tag)
}

func counted(w *wire.Writer, field string, count uint32, n int) {
	if uint64(count) != uint64(n) {
		w.Fail(field, clausePackageWrites, "the summary counts %d, and there are %d", count, n)
	}
}

func refuseIndexes(w *wire.Writer, f *model.Package) {
	check := func(i indexField, table string, row int) {
		if !inTables(f, i.v) {
			w.Fail(rowPath(table, row)+"."+i.name, clausePackageIndex, "%d points outside %d imports and %d exports", i.v, len(f.Imports), len(f.Exports))
		}
	}
	for row := range f.Imports {
		for _, i := range importIndexes(&f.Imports[row]) {
			check(i, "imports", row)
		}
	}
	for row := range f.Exports {
		for _, i := range exportIndexes(&f.Exports[row]) {
			check(i, "exports", row)
		}
	}
}

// refuse checks the payloads of mips that are not inline against the bulk data.
func (ps *payloads) refuse(w *wire.Writer, bulk []byte) {
	end := int64(0)
	for i := range ps.mips {
		m := &ps.mips[i]
		if class := m.misplaced(end, int64(len(bulk))); class != "" {
			w.Fail(m.path(), clauseBulkData, "a payload of %d bytes at %d, where the one before ends at %d and the bulk data at %d", m.size, m.offset, end, len(bulk))
			return
		}
		end = m.offset + int64(m.size)
	}
}
