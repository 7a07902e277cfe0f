package uasset

import (
	"slices"
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
	return bind(c.family, c, "Package", summarySize414-generationSize+4+footerSize, (*Codec).file)
}

// file reads or writes a package.
func (c *Codec) file(f wire.Fields, v model.Package) model.Package {
	f.Enter("summary")
	c.header(f, &v.Summary, true)
	f.Leave()
	s := &v.Summary
	if f.W != nil {
		c.checkCounts(f.W, &v)
	}
	if f.Failed() {
		return v
	}
	v.Names = table(f, "names", v.Names, c.nameEntry, s.NameCount, minNameSize, atNameCount, "summary.nameCount")
	p := &part{Codec: c, names: names{entries: v.Names}, outside: &payloads{}}

	if s.ImportOffset != 0 || s.ImportCount != 0 {
		ends(f, int64(s.ImportOffset), "importOffset", atImportOffset, "UA-PKG-2", "the preceding table")
	}
	importsAt := f.Offset()
	v.Imports = table(f, "imports", v.Imports, p.importRow, s.ImportCount, importSize, atImportCount,
		"summary.importCount")

	if s.ExportOffset != 0 || s.ExportCount != 0 {
		ends(f, int64(s.ExportOffset), "exportOffset", atExportOffset, "UA-PKG-2", "the preceding table")
	}
	exportsAt := f.Offset()
	v.Exports = table(f, "exports", v.Exports, p.exportRow, s.ExportCount, entryRegion, atExportCount,
		"summary.exportCount")
	if !c.d.wideEntries {
		for range v.Exports {
			constant(f, 0, wire.Value, "dependencyCount", "UA-PKG-23", "no dependencies")
		}
	}
	before := "the table of exports"
	switch {
	case c.hasReferences(s):
		before = "the table of soft package references"
		ends(f, int64(s.SoftPackageReferencesOffset), "softPackageReferencesOffset", atSoftOffset, "UA-PKG-2",
			"the preceding table")
		v.SoftPackageReferences = table(f, "softPackageReferences", v.SoftPackageReferences, c.fstring,
			s.SoftPackageReferencesCount, minStringSize, atSoftCount, "summary.softPackageReferencesCount")
	case f.R != nil:
		v.SoftPackageReferences = []model.FString{}
	}
	if f.W != nil {
		p.checkIndexes(f, &v, 0, 0)
	}
	ends(f, int64(s.AssetRegistryDataOffset), "assetRegistryDataOffset", atRegistryOffset(s), "UA-PKG-5", before)
	padding(f, 0, "padding")
	ends(f, int64(s.TotalHeaderSize), "totalHeaderSize", atTotalHeaderSize, "UA-PKG-5", "the header")
	if f.R != nil {
		p.checkIndexes(f, &v, importsAt, exportsAt)
		if uint64(f.R.Len()) == uint64(s.TotalHeaderSize) && anyData(v.Exports) {
			f.R.Fail(wire.Unsupported, atTotalHeaderSize, "summary.totalHeaderSize", "UA-PKG-6", "%s",
				diagnoseSplit(s.TotalHeaderSize))
		}
	}
	if p.objects(f, &v, exportsAt); f.Failed() {
		return v
	}
	ends(f, s.BulkDataStartOffset, "bulkDataStartOffset", atBulkDataStart(s), "UA-PKG-8", "the objects")
	if f.R != nil {
		v.BulkData = p.outside.read(f.R)
	} else {
		p.outside.reject(f.W, v.BulkData)
		f.W.Bytes(v.BulkData)
	}
	footer(f, model.Tag, "footer")
	return v
}

// checkCounts checks the counts in the summary of a package to write.
func (c *Codec) checkCounts(w *wire.Writer, f *model.Package) {
	s := &f.Summary
	counted := func(field string, clause clauseID, count uint32, n int) {
		if uint64(count) != uint64(n) {
			w.Fail(field, clause, "expected %d, the count in the summary, found %d", count, n)
		}
	}
	counted("names", "UA-PKG-13", s.NameCount, len(f.Names))
	counted("imports", "UA-PKG-13", s.ImportCount, len(f.Imports))
	counted("exports", "UA-PKG-13", s.ExportCount, len(f.Exports))
	counted("objects", "UA-PKG-13", s.ExportCount, len(f.Objects))
	references := uint32(0)
	if c.hasReferences(s) {
		references = s.SoftPackageReferencesCount
	}
	counted("softPackageReferences", "UA-PKG-17", references, len(f.SoftPackageReferences))
}

// ends checks that an offset in the summary is the position, where the preceding part ends.
// before names that part. at is the offset of the field and clause its rule, for faults of a
// reader.
func ends(f wire.Fields, offset int64, field string, at int, clause clauseID, before string) {
	here := int64(f.Offset())
	switch {
	case offset == here:
	case f.R != nil:
		f.R.Fail(wire.Reference, at, "summary."+field, clause, "expected %d, the end of %s, found %d", here, before, offset)
	default:
		f.W.Fail("summary."+field, "UA-PKG-13", "expected %d, the end of the preceding part, found %d", here, offset)
	}
}

// table reads n rows of at least size bytes each, or writes those that are given. at is the
// offset of n, field its path.
func table[T any](f wire.Fields, name string, vs []T, row func(wire.Fields, T) T, n uint32, size, at int,
	field string,
) []T {
	if f.R != nil {
		n = uint32(f.R.CountAt(n, size, at, field, "UA-PKG-3"))
	}
	return rows(f, name, vs, int(n), row)
}

func anyData(exports []model.Export) bool {
	return slices.ContainsFunc(exports, func(e model.Export) bool { return e.SerialSize > 0 })
}

// inTables reports whether an index is 0 or points into the tables.
func inTables(f *model.Package, i model.PackageIndex) bool {
	if row, ok := i.Import(); ok {
		return row < len(f.Imports)
	}
	row, _ := i.Export()
	return row < len(f.Exports)
}

// checkIndexes rejects indexes in the rows that point outside the tables; the first fault stays.
// A reader gives the offsets at which it found the tables.
func (p *part) checkIndexes(f wire.Fields, v *model.Package, importsAt, exportsAt int) {
	check := func(i model.PackageIndex, table string, row int, field string, at int) {
		if !inTables(v, i) {
			f.Fail(wire.Reference, f.Offset()-at, rowPath(table, row)+"."+field, "UA-PKG-10",
				"expected an index from %d (imports) to %d (exports), found %d", -len(v.Imports), len(v.Exports), i)
		}
	}
	for row := range v.Imports {
		check(v.Imports[row].OuterIndex, "imports", row, "outerIndex", importsAt+row*importSize+16)
	}
	for row := range v.Exports {
		e, at := &v.Exports[row], exportsAt+row*p.exportEntrySize()
		check(e.ClassIndex, "exports", row, "classIndex", at)
		check(e.SuperIndex, "exports", row, "superIndex", at+4)
		check(e.TemplateIndex, "exports", row, "templateIndex", at+8)
		check(e.OuterIndex, "exports", row, "outerIndex", at+12)
	}
}

func rowPath(table string, row int) string { return table + "[" + strconv.Itoa(row) + "]" }

// objects reads or writes the bodies of the exports.
func (p *part) objects(f wire.Fields, v *model.Package, exportsAt int) {
	if f.Failed() {
		return
	}
	if f.R != nil {
		v.Objects = make([]model.Object, len(v.Exports))
	}
	for i := range v.Exports {
		e, begin, w := &v.Exports[i], f.Offset(), wire.Window{}
		if f.R != nil {
			p.checkPlace(f.R, e, i, exportsAt+i*p.exportEntrySize())
			w = f.R.Narrow(int(e.SerialSize))
		}
		f.Enter("objects")
		f.EnterIndex(i)
		p.outside.setObject(i)
		o := p.object(f, v.Objects[i], v.ClassName(e))
		f.Leave()
		f.Leave()
		size := f.Offset() - begin
		switch {
		case f.R != nil:
			v.Objects[i] = o
			f.R.Widen(w, "", "UA-OBJ-1")
		case uint64(e.SerialOffset) != uint64(begin) || uint64(e.SerialSize) != uint64(size):
			f.W.Fail(rowPath("exports", i), "UA-PKG-13", "expected the size %d and the offset %d of the object, found "+
				"the size %d and the offset %d", size, begin, e.SerialSize, e.SerialOffset)
		}
		if f.Failed() {
			return
		}
	}
}

// checkPlace checks the offset and size of an object that is read. The entry of its export is at
// an offset.
func (p *part) checkPlace(r *wire.Reader, e *model.Export, i, entry int) {
	const sizeAt, offsetAt = 28, 32 // in an export
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
				"expected a payload of at most %d bytes, from offsetInFile %d to the end of the bulk data (%d bytes), found %d",
				int64(size)-m.offset, m.offset, size, m.size)
		}
		if r.Failed() {
			return nil
		}
		end = m.offset + int64(m.size)
	}
	if !r.Tracing() {
		return rawBytes(wire.Fields{R: r}, nil, size, "bulkData", "UA-PKG-9")
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
