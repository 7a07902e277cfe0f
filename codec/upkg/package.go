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
	// identityFrom is the first version with a GUID and generations instead of heritage.
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
		r.Fail(wire.Magic, at, "signature", clauseSignature, "%08x is not %08x", h.Signature, uint32(model.Signature))
	}
	r.Note("%08x", h.Signature)
	at = r.Offset()
	if h.Version = r.Uint16("version", clauseVersion); h.Version > lastVersion {
		r.Fail(wire.Version, at, "version", clauseVersion, "compact indices end with version %d, this is %d", lastVersion, h.Version)
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
		w.Fail("signature", clauseHeaderRange, "%08x is not %08x", h.Signature, uint32(model.Signature))
	case h.Version > lastVersion:
		w.Fail("version", clauseHeaderRange, "compact indices end with version %d, this is %d", lastVersion, h.Version)
	case (h.Heritage != nil) != (h.Version < identityFrom):
		w.Fail("heritage", clauseHeaderRange, "a heritage is there below version %d, and only there", identityFrom)
	case (h.Identity != nil) != (h.Version >= identityFrom):
		w.Fail("identity", clauseHeaderRange, "an identity is there from version %d, and only there", identityFrom)
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

// bounds are the sizes of the tables that indices and references point into,
// and the names for people who read a trace; nil for a row on its own.
type bounds struct {
	checked                 bool // upkg.ref-range: what points outside is refused
	names, imports, exports uint32
	texts                   []model.NameEntry
}

func (b *bounds) hasName(i model.CompactIndex) bool {
	return b == nil || !b.checked || i >= 0 && uint64(i) < uint64(b.names)
}

func (b *bounds) has(ref model.ObjectReference) bool {
	switch {
	case b == nil || !b.checked || ref.Table == model.Null:
		return true
	case ref.Table == model.Import:
		return ref.Entry < uint64(b.imports)
	}
	return ref.Entry < uint64(b.exports)
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
				r.Fail(wire.Value, at, "serialSize", clauseSerialSize, "a size of %d", e.SerialSize)
			}
			if e.SerialSize > 0 {
				offset := model.CompactIndex(c.readIndex(r, "serialOffset", clauseSerialOffset))
				e.SerialOffset = &offset
			}
			return e
		},
		func(w *wire.Writer, e model.ExportEntry) {
			if e.SerialSize < 0 || (e.SerialSize > 0) != (e.SerialOffset != nil) {
				w.Fail("serialSize", clauseExportRange, "an offset is there above size 0, and only there")
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
		r.Fail(wire.Reference, at, field, clauseInsideTable, "name %d of %d", i, b.names)
	}
	if r.Tracing() && b != nil && i >= 0 && int64(i) < int64(len(b.texts)) {
		r.Note("%d: %q", i, b.texts[i].Name.Text)
	}
	return i
}

func (c *Codec) writeNameIndex(w *wire.Writer, b *bounds, i model.CompactIndex, field string) {
	if !b.hasName(i) {
		w.Fail(field, clauseInsideTable, "name %d of %d", i, b.names)
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
	refuseOutside(w, b, ref, field)
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
	refuseOutside(w, b, ref, field)
	if !checkReference(w, ref, field) {
		return
	}
	v := ref.Value()
	if v < math.MinInt32 || v > math.MaxInt32 {
		w.Fail(field, clause, "%d does not fit 32 bits", v)
	}
	w.Int32(int32(v))
}

func checkInside(r *wire.Reader, b *bounds, ref model.ObjectReference, at int, field string) {
	if !b.has(ref) {
		r.Fail(wire.Reference, at, field, clauseInsideTable, "%s %d is outside its table", ref.Table, ref.Entry)
	}
}

func refuseOutside(w *wire.Writer, b *bounds, ref model.ObjectReference, field string) {
	if !b.has(ref) {
		w.Fail(field, clauseInsideTable, "%s %d is outside its table", ref.Table, ref.Entry)
	}
}

// Package is a whole package file. The bytes of its chunks alias the input.
func (c *Codec) Package() wire.Structure[model.Package] {
	return structure(c, "Package", fixedHeaderSize+8, c.readPackage, c.writePackage)
}

// piece is a part of the file with a fixed place.
type piece struct {
	name       string
	start, end int
	field      int // where the header says the start
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
			r.Fail(wire.Reference, s.field, s.name, clauseTableOverlap, "the table begins at %d, inside %s, which ends at %d", s.start, pieces[i-1].name, end)
			return p
		}
		if s.start > end {
			r.Seek(end)
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

// readTable reads the rows that the header's fields count and offset announce;
// field is where the count stands.
func readTable[T any](r *wire.Reader, pieces *[]piece, name string, row wire.Structure[T], count, offset uint32, field int) []T {
	switch {
	case r.Failed() || count == 0:
		return []T{}
	case uint64(offset) > uint64(r.Len()):
		r.Fail(wire.Reference, field+4, name, clauseTableOffset, "the table begins at %d in a file of %d bytes", offset, r.Len())
		return nil
	case uint64(count)*uint64(row.Min()) > uint64(r.Len())-uint64(offset):
		r.Fail(wire.Truncated, field, name, clauseTableCount, "%d rows of at least %d bytes cannot be in the %d bytes from there", count, row.Min(), r.Len()-int(offset))
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
		if len(d.Bytes) == 0 || i > 0 && uint64(d.Offset) <= uint64(p.Data[i-1].Offset)+uint64(len(p.Data[i-1].Bytes)) {
			w.Fail("data", clauseLayout, "chunk %d is empty, or does not lie behind the one before it with a table between", i)
			return
		}
		pieces = append(pieces, piece{name: "data", start: int(d.Offset), write: func(w *wire.Writer) { w.Bytes(d.Bytes) }})
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.start, b.start) })
	for _, s := range pieces {
		if w.Failed() {
			return
		}
		if w.Offset() != s.start {
			w.Fail(s.name, clauseLayout, "it is to begin at %d, and what stands before it ends at %d", s.start, w.Offset())
			return
		}
		w.Enter(s.name)
		s.write(w)
		w.Leave()
	}
}

func addTable[T any](w *wire.Writer, pieces []piece, name string, row wire.Structure[T], rows []T, count, offset uint32) []piece {
	if uint64(count) != uint64(len(rows)) {
		w.Fail(name, clauseLayout, "the header counts %d rows, the table has %d", count, len(rows))
	}
	if len(rows) == 0 {
		return pieces
	}
	return append(pieces, piece{name: name, start: int(offset), write: func(w *wire.Writer) { row.WriteN(w, rows) }})
}
