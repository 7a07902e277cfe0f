package upkg

import (
	"cmp"
	"math"
	"slices"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/upkg"
)

const (
	// lastVersion is the last package version with compact indices.
	lastVersion = 178
	// identityFrom is the first version with an identity instead of a heritage.
	identityFrom = 68

	fixedHeaderSize = 36 // up to the offset of the imports
)

// Header is the package header.
func (c *Codec) Header() wire.Structure[model.Header] {
	return structure(c, "Header", fixedHeaderSize+8, readHeader, writeHeader)
}

func readHeader(r *wire.Reader) (h model.Header) {
	at := r.Offset()
	if h.Signature = r.Uint32("signature", clauseSignature); h.Signature != model.Signature {
		r.Fail(wire.Magic, at, "signature", clauseSignature, "expected %08x, found %08x", uint32(model.Signature), h.Signature)
	}
	r.Note("%08x", h.Signature)
	at = r.Offset()
	if h.Version = r.Uint16("version", clauseVersion); h.Version > lastVersion {
		r.Fail(wire.Version, at, "version", clauseVersion, "expected at most %d, the last version with compact indices, found %d", lastVersion, h.Version)
	}
	h.Licensee = r.Uint16("licensee", clauseHeader)
	h.Flags = r.Uint32("flags", clauseHeader)
	r.Note("%08x", h.Flags)
	h.NameCount = r.Uint32("nameCount", clauseHeader)
	h.NameOffset = r.Uint32("nameOffset", clauseHeader)
	h.ExportCount = r.Uint32("exportCount", clauseHeader)
	h.ExportOffset = r.Uint32("exportOffset", clauseHeader)
	h.ImportCount = r.Uint32("importCount", clauseHeader)
	h.ImportOffset = r.Uint32("importOffset", clauseHeader)
	if h.Version < identityFrom {
		r.Enter("heritage")
		h.Heritage = &model.Heritage{
			Count:  r.Uint32("count", clauseHeritage),
			Offset: r.Uint32("offset", clauseHeritage),
		}
		r.Leave()
		return h
	}
	r.Enter("identity")
	id := &model.Identity{}
	copy(id.Guid[:], r.Bytes(len(id.Guid), "guid", clauseIdentity))
	n := r.Count(r.Uint32("generationCount", clauseIdentity), 8, 4, "generations", clauseHeaderBounds)
	id.Generations = make([]model.Generation, n)
	r.Enter("generations")
	for i := range id.Generations {
		r.EnterIndex(i)
		id.Generations[i].ExportCount = r.Uint32("exportCount", clauseIdentity)
		id.Generations[i].NameCount = r.Uint32("nameCount", clauseIdentity)
		r.Leave()
	}
	r.Leave()
	r.Leave()
	h.Identity = id
	return h
}

func writeHeader(w *wire.Writer, h model.Header) {
	switch {
	case h.Signature != model.Signature:
		w.Fail("signature", clauseHeaderRange, "expected %08x, found %08x", uint32(model.Signature), h.Signature)
	case h.Version > lastVersion:
		w.Fail("version", clauseHeaderRange, "expected at most %d, the last version with compact indices, found %d", lastVersion, h.Version)
	case (h.Heritage != nil) != (h.Version < identityFrom):
		w.Fail("heritage", clauseHeaderRange, "expected it below version %d only, found it %s in version %d", identityFrom, presence(h.Heritage != nil), h.Version)
	case (h.Identity != nil) != (h.Version >= identityFrom):
		w.Fail("identity", clauseHeaderRange, "expected it from version %d only, found it %s in version %d", identityFrom, presence(h.Identity != nil), h.Version)
	}
	if w.Failed() {
		return
	}
	w.Uint32(h.Signature)
	w.Uint16(h.Version)
	w.Uint16(h.Licensee)
	for _, v := range [...]uint32{h.Flags, h.NameCount, h.NameOffset, h.ExportCount, h.ExportOffset, h.ImportCount, h.ImportOffset} {
		w.Uint32(v)
	}
	if h.Heritage != nil {
		w.Uint32(h.Heritage.Count)
		w.Uint32(h.Heritage.Offset)
		return
	}
	w.Bytes(h.Identity.Guid[:])
	w.Uint32(w.Len(len(h.Identity.Generations), "identity.generations", clauseIdentity))
	for _, g := range h.Identity.Generations {
		w.Uint32(g.ExportCount)
		w.Uint32(g.NameCount)
	}
}

func presence(present bool) string {
	if present {
		return "present"
	}
	return "absent"
}

// bounds are the sizes of the tables that indices and references point into,
// and the names, which a trace shows. A row that is read alone has none.
type bounds struct {
	checked                 bool // upkg.ref-range: an index outside its table is rejected
	names, imports, exports uint32
	texts                   []model.NameEntry
}

func (b *bounds) hasName(i model.CompactIndex) bool {
	return b == nil || !b.checked || i >= 0 && uint64(i) < uint64(b.names)
}

func (b *bounds) has(ref model.ObjectReference) bool {
	return b == nil || !b.checked || ref.Table == model.Null || ref.Entry < b.sizeOf(ref.Table)
}

// sizeOf returns the number of rows of a table.
func (b *bounds) sizeOf(t model.Table) uint64 {
	if t == model.Import {
		return uint64(b.imports)
	}
	return uint64(b.exports)
}

// NameEntry is a row of the name table of a package version.
func (c *Codec) NameEntry(version uint16) wire.Structure[model.NameEntry] {
	return structure(c, "NameEntry", 1+4,
		func(r *wire.Reader) (e model.NameEntry) {
			r.Enter("name")
			e.Name = c.readName(r, version)
			r.Leave()
			e.Flags = r.Uint32("flags", clauseNameEntry)
			r.Note("%08x", e.Flags)
			return e
		},
		func(w *wire.Writer, e model.NameEntry) {
			w.Enter("name")
			c.writeName(w, e.Name, version)
			w.Leave()
			w.Uint32(e.Flags)
		})
}

// ImportEntry is a row of the import table.
func (c *Codec) ImportEntry() wire.Structure[model.ImportEntry] { return c.importEntry(nil) }

func (c *Codec) importEntry(b *bounds) wire.Structure[model.ImportEntry] {
	return structure(c, "ImportEntry", 1+1+4+1,
		func(r *wire.Reader) (e model.ImportEntry) {
			e.ClassPackage = c.readNameIndex(r, b, "classPackage", clauseImport)
			e.ClassName = c.readNameIndex(r, b, "className", clauseImport)
			e.Package = readPlainReference(r, b, "package", clauseImportPackage)
			e.ObjectName = c.readNameIndex(r, b, "objectName", clauseImport)
			return e
		},
		func(w *wire.Writer, e model.ImportEntry) {
			c.writeNameIndex(w, b, e.ClassPackage, "classPackage")
			c.writeNameIndex(w, b, e.ClassName, "className")
			writePlainReference(w, b, e.Package, "package", clauseImportPackage)
			c.writeNameIndex(w, b, e.ObjectName, "objectName")
		})
}

// ExportEntry is a row of the export table.
func (c *Codec) ExportEntry() wire.Structure[model.ExportEntry] { return c.exportEntry(nil) }

func (c *Codec) exportEntry(b *bounds) wire.Structure[model.ExportEntry] {
	return structure(c, "ExportEntry", 1+1+4+1+4+1,
		func(r *wire.Reader) (e model.ExportEntry) {
			e.Class = c.readBoundReference(r, b, "class", clauseExport)
			e.Super = c.readBoundReference(r, b, "super", clauseExport)
			e.Group = readPlainReference(r, b, "group", clauseExportGroup)
			e.ObjectName = c.readNameIndex(r, b, "objectName", clauseExport)
			e.ObjectFlags = r.Uint32("objectFlags", clauseExport)
			r.Note("%08x", e.ObjectFlags)
			at := r.Offset()
			e.SerialSize = model.CompactIndex(c.readIndex(r, "serialSize", clauseExport))
			if e.SerialSize < 0 {
				r.Fail(wire.Value, at, "serialSize", clauseSerialSize, "expected at least 0 bytes, found %d", e.SerialSize)
			}
			if e.SerialSize > 0 {
				offset := model.CompactIndex(c.readIndex(r, "serialOffset", clauseSerialOffset))
				e.SerialOffset = &offset
			}
			return e
		},
		func(w *wire.Writer, e model.ExportEntry) {
			if e.SerialSize < 0 || (e.SerialSize > 0) != (e.SerialOffset != nil) {
				w.Fail("serialSize", clauseExportRange, "expected at least 0 bytes, and an offset above 0 only; found %d bytes, the offset %s", e.SerialSize, presence(e.SerialOffset != nil))
				return
			}
			c.writeBoundReference(w, b, e.Class, "class")
			c.writeBoundReference(w, b, e.Super, "super")
			writePlainReference(w, b, e.Group, "group", clauseExportGroup)
			c.writeNameIndex(w, b, e.ObjectName, "objectName")
			w.Uint32(e.ObjectFlags)
			c.writeIndex(w, int64(e.SerialSize), "serialSize")
			if e.SerialOffset != nil {
				c.writeIndex(w, int64(*e.SerialOffset), "serialOffset")
			}
		})
}

func (c *Codec) readNameIndex(r *wire.Reader, b *bounds, field string, clause clauseID) model.CompactIndex {
	at := r.Offset()
	i := model.CompactIndex(c.readIndex(r, field, clause))
	if !b.hasName(i) {
		r.Fail(wire.Reference, at, field, clauseInsideTable, "expected an index into %d names, found %d", b.names, i)
	}
	if r.Tracing() && b != nil && i >= 0 && int64(i) < int64(len(b.texts)) {
		r.Note("%d: %q", i, b.texts[i].Name.Text)
	}
	return i
}

func (c *Codec) writeNameIndex(w *wire.Writer, b *bounds, i model.CompactIndex, field string) {
	if !b.hasName(i) {
		w.Fail(field, clauseInsideTable, "expected an index into %d names, found %d", b.names, i)
	}
	c.writeIndex(w, int64(i), field)
}

func (c *Codec) readBoundReference(r *wire.Reader, b *bounds, field string, clause clauseID) model.ObjectReference {
	at := r.Offset()
	ref := c.readReference(r, field, clause)
	checkInside(r, b, ref, at, field)
	return ref
}

func (c *Codec) writeBoundReference(w *wire.Writer, b *bounds, ref model.ObjectReference, field string) {
	rejectOutside(w, b, ref, field)
	c.writeReference(w, ref, field)
}

func readPlainReference(r *wire.Reader, b *bounds, field string, clause clauseID) model.ObjectReference {
	at := r.Offset()
	ref := model.ReferenceTo(int64(r.Int32(field, clause)))
	noteReference(r, ref)
	checkInside(r, b, ref, at, field)
	return ref
}

func writePlainReference(w *wire.Writer, b *bounds, ref model.ObjectReference, field string, clause clauseID) {
	rejectOutside(w, b, ref, field)
	if !checkReference(w, ref, field) {
		return
	}
	v := ref.Value()
	if v < math.MinInt32 || v > math.MaxInt32 {
		w.Fail(field, clause, "expected a value of 32 bits, found %d", v)
	}
	w.Int32(int32(v))
}

func checkInside(r *wire.Reader, b *bounds, ref model.ObjectReference, at int, field string) {
	if !b.has(ref) {
		r.Fail(wire.Reference, at, field, clauseInsideTable, "expected an index into %d %ss, found %d", b.sizeOf(ref.Table), ref.Table, ref.Entry)
	}
}

func rejectOutside(w *wire.Writer, b *bounds, ref model.ObjectReference, field string) {
	if !b.has(ref) {
		w.Fail(field, clauseInsideTable, "expected an index into %d %ss, found %d", b.sizeOf(ref.Table), ref.Table, ref.Entry)
	}
}

// Package is a whole package file. The bytes of chunks alias the input.
func (c *Codec) Package() wire.Structure[model.Package] {
	return structure(c, "Package", fixedHeaderSize+8, c.readPackage, c.writePackage)
}

// A piece is the header, a table with rows, or a chunk.
type piece struct {
	name       string
	start, end int // offsets in the file
	field      int // the offset of the header field that gives start
	write      func(*wire.Writer)
}

func (c *Codec) readPackage(r *wire.Reader) (p model.Package) {
	size := r.Len()
	r.Enter("header")
	p.Header = readHeader(r)
	r.Leave()
	h := p.Header
	pieces := []piece{{name: "header", end: r.Offset()}}

	rows := *c
	rows.inTable = true
	b := c.boundsOf(h)
	p.Names = readTable(r, &pieces, "names", rows.NameEntry(h.Version), h.NameCount, h.NameOffset, 12)
	b.texts = p.Names
	p.Exports = readTable(r, &pieces, "exports", rows.exportEntry(b), h.ExportCount, h.ExportOffset, 20)
	p.Imports = readTable(r, &pieces, "imports", rows.importEntry(b), h.ImportCount, h.ImportOffset, 28)

	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.start, b.start) })
	p.Data = []model.Chunk{}
	end := 0
	for i, s := range append(pieces, piece{start: size, end: size}) {
		if r.Failed() {
			return p
		}
		if s.start < end {
			r.Fail(wire.Reference, s.field, s.name, clauseTableOverlap, "expected an offset of at least %d, where %s ends, found %d", end, pieces[i-1].name, s.start)
			return p
		}
		if s.start > end {
			r.Seek(end)
			if uint64(end) > math.MaxUint32 {
				r.Fail(wire.Limit, end, "data", clauseData, "expected data from an offset of 32 bits, found them at %d", end)
			}
			r.Enter("data")
			r.EnterIndex(len(p.Data))
			p.Data = append(p.Data, model.Chunk{Offset: uint32(end), Bytes: r.Bytes(s.start-end, "bytes", clauseData)})
			r.Leave()
			r.Leave()
		}
		end = s.end
	}
	r.Seek(size)
	return p
}

func (c *Codec) boundsOf(h model.Header) *bounds {
	return &bounds{checked: c.d.rangeChecked, names: h.NameCount, imports: h.ImportCount, exports: h.ExportCount}
}

// readTable reads a table. field is the offset of the count in the header;
// the offset of the table follows it.
func readTable[T any](r *wire.Reader, pieces *[]piece, name string, row wire.Structure[T], count, offset uint32, field int) []T {
	switch {
	case r.Failed() || count == 0:
		return []T{}
	case uint64(offset) > uint64(r.Len()):
		r.Fail(wire.Reference, field+4, name, clauseTableOffset, "expected an offset of at most %d, the size of the file, found %d", r.Len(), offset)
		return nil
	case uint64(count)*uint64(row.Min()) > uint64(r.Len())-uint64(offset):
		r.Fail(wire.Truncated, field, name, clauseTableCount, "%d rows need at least %d bytes, found %d from offset %d", count, uint64(count)*uint64(row.Min()), r.Len()-int(offset), offset)
		return nil
	}
	r.Seek(int(offset))
	r.Enter(name)
	rows := row.ReadN(r, int(count))
	r.Leave()
	*pieces = append(*pieces, piece{name: name, start: int(offset), end: r.Offset(), field: field + 4})
	return rows
}

func (c *Codec) writePackage(w *wire.Writer, p model.Package) {
	h, b := p.Header, c.boundsOf(p.Header)
	pieces := []piece{{name: "header", write: func(w *wire.Writer) { writeHeader(w, h) }}}
	pieces = addTable(w, pieces, "names", c.NameEntry(h.Version), p.Names, h.NameCount, h.NameOffset)
	pieces = addTable(w, pieces, "exports", c.exportEntry(b), p.Exports, h.ExportCount, h.ExportOffset)
	pieces = addTable(w, pieces, "imports", c.importEntry(b), p.Imports, h.ImportCount, h.ImportOffset)
	for i, d := range p.Data {
		if len(d.Bytes) == 0 {
			w.Fail("data", clauseLayout, "expected at least 1 byte in chunk %d, found 0", i)
			return
		}
		if i > 0 {
			before := p.Data[i-1]
			if end := uint64(before.Offset) + uint64(len(before.Bytes)); uint64(d.Offset) <= end {
				w.Fail("data", clauseLayout, "expected chunk %d after %d, the end of the preceding chunk, found it at %d", i, end, d.Offset)
				return
			}
		}
		pieces = append(pieces, piece{name: "data", start: int(d.Offset), write: func(w *wire.Writer) { w.Bytes(d.Bytes) }})
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.start, b.start) })
	for _, s := range pieces {
		if w.Failed() {
			return
		}
		if w.Offset() != s.start {
			w.Fail(s.name, clauseLayout, "expected it at offset %d, the end of the preceding part, found %d", w.Offset(), s.start)
			return
		}
		w.Enter(s.name)
		s.write(w)
		w.Leave()
	}
}

func addTable[T any](w *wire.Writer, pieces []piece, name string, row wire.Structure[T], rows []T, count, offset uint32) []piece {
	if uint64(count) != uint64(len(rows)) {
		w.Fail(name, clauseLayout, "expected %d rows, the count in the header, found %d", count, len(rows))
	}
	if len(rows) == 0 {
		return pieces
	}
	return append(pieces, piece{name: name, start: int(offset), write: func(w *wire.Writer) { row.WriteN(w, rows) }})
}
