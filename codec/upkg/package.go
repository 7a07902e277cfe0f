package upkg

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/upkg"
)

const (
	// lastVersion is the last package version with compact indices.
	lastVersion = 178
	// identityFrom is the first version with an identity instead of a heritage.
	identityFrom = 68
	// groupsFrom is the first version in which an import has a reference to its
	// package, and an export one to its group.
	groupsFrom = 50
	// heritagesFrom is the first version that stores the table of heritages.
	heritagesFrom = 42

	fixedHeaderSize = 36 // up to the offset of the imports
)

// Header is the package header.
func (c *Codec) Header() wire.Structure[model.Header] {
	return wire.Bind(c.family, c, "Header", fixedHeaderSize+8, (*Codec).readHeader, (*Codec).writeHeader)
}

func (c *Codec) readHeader(r *wire.Reader) model.Header {
	defer r.Cite(r.Cite("UPKG-HDR-6"))
	return c.header(wire.Fields{R: r}, model.Header{})
}

// isSignature reports whether a package can begin with a tag.
func (c *Codec) isSignature(v uint32) bool {
	return v == model.Signature || v == model.TripwireSignature && !c.d.oneTag
}

// expectedTag is the text of an error for another tag.
func (c *Codec) expectedTag() string {
	text, other := fmt.Sprintf("expected 0x%08x", uint32(model.Signature)), " under upkg.tag=strict"
	if !c.d.oneTag {
		other = fmt.Sprintf(" or 0x%08x", uint32(model.TripwireSignature))
	}
	return text + other + ", the tag of a package, found 0x%08x"
}

// header reads or writes a header. Only reading finds faults: a value to write has
// none.
func (c *Codec) header(f wire.Fields, h model.Header) model.Header {
	if f.Hex32(&h.Signature, "signature", "UPKG-HDR-2"); !c.isSignature(h.Signature) {
		f.Fail(wire.Magic, 4, "signature", "UPKG-HDR-2", c.expectedTag(), h.Signature)
	}
	if f.Uint16(&h.Version, "version", "UPKG-HDR-3"); h.Version > lastVersion {
		f.Fail(wire.Version, 2, "version", "UPKG-HDR-3", "expected a version of at most %d, the last one with "+
			"compact indices, found %d", lastVersion, h.Version)
	}
	f.Uint16(&h.Licensee, "licensee", "UPKG-HDR-1")
	f.Hex32(&h.Flags, "flags", "UPKG-HDR-1")
	f.Uint32(&h.NameCount, "nameCount", "UPKG-HDR-1")
	f.Uint32(&h.NameOffset, "nameOffset", "UPKG-HDR-1")
	f.Uint32(&h.ExportCount, "exportCount", "UPKG-HDR-1")
	f.Uint32(&h.ExportOffset, "exportOffset", "UPKG-HDR-1")
	f.Uint32(&h.ImportCount, "importCount", "UPKG-HDR-1")
	f.Uint32(&h.ImportOffset, "importOffset", "UPKG-HDR-1")
	if h.Version < identityFrom {
		if f.R != nil {
			h.Heritage = &model.Heritage{}
		}
		f.Enter("heritage")
		f.Uint32(&h.Heritage.Count, "count", "UPKG-HDR-4")
		f.Uint32(&h.Heritage.Offset, "offset", "UPKG-HDR-4")
		f.Leave()
		return h
	}
	if f.R != nil {
		h.Identity = &model.Identity{}
	}
	id := h.Identity
	f.Enter("identity")
	f.Bytes(id.Guid[:], "guid", "UPKG-HDR-5")
	if f.R != nil {
		n := f.R.Count(f.R.Uint32("generationCount", "UPKG-HDR-5"), 8, 4, "generationCount", "UPKG-HDR-6")
		id.Generations = make([]model.Generation, n)
	} else {
		f.W.Uint32(f.W.Len(len(id.Generations), "generations", "UPKG-HDR-5"))
	}
	f.Enter("generations")
	for i := range id.Generations {
		f.EnterIndex(i)
		f.Uint32(&id.Generations[i].ExportCount, "exportCount", "UPKG-HDR-5")
		f.Uint32(&id.Generations[i].NameCount, "nameCount", "UPKG-HDR-5")
		f.Leave()
	}
	f.Leave()
	f.Leave()
	return h
}

func (c *Codec) writeHeader(w *wire.Writer, h model.Header) {
	hasHeritage, hasIdentity := h.Heritage != nil, h.Identity != nil
	only := clauseID("UPKG-HDR-7")
	if hasHeritage && hasIdentity {
		only = "UPKG-HDR-9"
	}
	switch {
	case !c.isSignature(h.Signature):
		w.Fail("signature", "UPKG-HDR-7", c.expectedTag(), h.Signature)
	case h.Version > lastVersion:
		w.Fail("version", "UPKG-HDR-7", "expected a version of at most %d, the last one with compact indices, found %d",
			lastVersion, h.Version)
	case hasHeritage != (h.Version < identityFrom):
		w.Fail("heritage", only,
			"expected heritage to be %s in version %d (it is present below version %d only), found it %s",
			presence(!hasHeritage), h.Version, identityFrom, presence(hasHeritage))
	case hasIdentity != (h.Version >= identityFrom):
		w.Fail("identity", only, "expected identity to be %s in version %d (it is present from "+
			"version %d on only), found it %s", presence(!hasIdentity), h.Version, identityFrom, presence(hasIdentity))
	}
	if !w.Failed() {
		c.header(wire.Fields{W: w}, h)
	}
}

func presence(present bool) string {
	if present {
		return "present"
	}
	return "absent"
}

// rows reads and writes rows of tables. If they belong to a package, it knows
// the tables that indices and references point into. It then also contains what
// rows of the package share, and is used by one goroutine.
type rows struct {
	Codec
	base    *Codec // keeps no encodings
	version uint16
	// checked is set in a package on the strict side of upkg.ref-range: an index
	// outside its table is rejected.
	checked bool
	// The sizes of the tables, and the names, which a trace shows.
	names, imports, exports uint32
	texts                   []model.NameEntry

	optional []model.CompactIndex // for fields that can be nil
}

// rows returns what reads rows of a package with this header.
func (c *Codec) rows(h *model.Header) *rows {
	return &rows{
		Codec: Codec{d: c.d}, base: c, version: h.Version, checked: c.d.rangeChecked,
		names: h.NameCount, imports: h.ImportCount, exports: h.ExportCount,
	}
}

func (t *rows) hasName(i model.CompactIndex) bool {
	return !t.checked || i >= 0 && uint64(i) < uint64(t.names)
}

func (t *rows) has(ref model.ObjectReference) bool {
	return !t.checked || ref.Table == model.Null || ref.Entry < t.sizeOf(ref.Table)
}

// sizeOf returns the number of rows of a table.
func (t *rows) sizeOf(table model.Table) uint64 {
	if table == model.Import {
		return uint64(t.imports)
	}
	return uint64(t.exports)
}

// NameEntry is a row of the name table of a package version.
func (c *Codec) NameEntry(version uint16) wire.Structure[model.NameEntry] {
	return row(c, "NameEntry", version, minNameEntry,
		func(t *rows, r *wire.Reader) (e model.NameEntry) { t.readNameEntry(r, &e); return e },
		func(t *rows, w *wire.Writer, e model.NameEntry) { t.writeNameEntry(w, &e) })
}

// row describes a row of a table of a package version.
func row[T any](c *Codec, name string, version uint16, least int, read func(*rows, *wire.Reader) T,
	write func(*rows, *wire.Writer, T),
) wire.Structure[T] {
	return wire.Keep(c.family, wire.Key{Name: name, Number: version}, func() wire.Description[T] {
		t := &rows{Codec: Codec{d: c.d}, base: c, version: version}
		return wire.Describe(c.family, name, least,
			func(r *wire.Reader) T { return read(t, r) }, func(w *wire.Writer, e T) { write(t, w, e) })
	})
}

// minNameEntry is the size of the smallest row in bytes.
const minNameEntry = 1 + 4

const guidSize = 16

// readGUID reads a row of the heritage table.
func readGUID(r *wire.Reader, g *[guidSize]byte) { copy(g[:], r.Bytes(guidSize, "", "UPKG-PKG-11")) }

func writeGUID(w *wire.Writer, g *[guidSize]byte) { w.Bytes(g[:]) }

// minRows returns the sizes of the smallest imports and exports of a version in bytes.
func minRows(version uint16) (imports, exports int) {
	if version < groupsFrom {
		return 1 + 1 + 1 + 1, 1 + 1 + 1 + 4 + 1
	}
	return 1 + 1 + 4 + 1, 1 + 1 + 4 + 1 + 4 + 1
}

func (t *rows) readNameEntry(r *wire.Reader, e *model.NameEntry) {
	at, src := r.Offset(), r.Unread()
	r.Enter("name")
	name, exact := t.base.readName(r, t.version)
	r.Leave()
	if t.kept != nil && !exact && !r.Failed() && !t.isCanonical(name, src[:r.Offset()-at]) {
		t.keep(at, src[:r.Offset()-at])
	}
	e.Name = name
	e.Flags = r.Hex32("flags", "UPKG-NENT-1")
}

// isCanonical reports whether a writer gives a name these bytes.
func (t *rows) isCanonical(name model.Name, stored []byte) bool {
	canonical, err := t.base.Name(t.version).Append(nil, name)
	return err == nil && bytes.Equal(canonical, stored)
}

func (t *rows) writeNameEntry(w *wire.Writer, e *model.NameEntry) {
	w.Enter("name")
	if stored, ok := t.keptAt(w); ok {
		got, err := t.base.Name(t.version).Decode(stored)
		t.writeKept(w, "", err == nil && got == e.Name && !t.isCanonical(got, stored))
	} else {
		t.writeName(w, e.Name, t.version)
	}
	w.Leave()
	w.Uint32(e.Flags)
}

// ImportEntry is a row of the import table of a package version.
func (c *Codec) ImportEntry(version uint16) wire.Structure[model.ImportEntry] {
	least, _ := minRows(version)
	return row(c, "ImportEntry", version, least,
		func(t *rows, r *wire.Reader) (e model.ImportEntry) { t.readImport(r, &e); return e },
		func(t *rows, w *wire.Writer, e model.ImportEntry) { t.writeImport(w, &e) })
}

func (t *rows) readImport(r *wire.Reader, e *model.ImportEntry) {
	e.ClassPackage = t.readNameIndex(r, "classPackage", "UPKG-IMP-1")
	e.ClassName = t.readNameIndex(r, "className", "UPKG-IMP-1")
	if t.version < groupsFrom {
		e.PackageName = t.newIndex(t.imports)
		*e.PackageName = t.readNameIndex(r, "packageName", "UPKG-IMP-3")
	} else {
		e.Package = t.readPlainReference(r, "package", "UPKG-IMP-2")
	}
	e.ObjectName = t.readNameIndex(r, "objectName", "UPKG-IMP-1")
}

func (t *rows) writeImport(w *wire.Writer, e *model.ImportEntry) {
	t.writeNameIndex(w, e.ClassPackage, "classPackage")
	t.writeNameIndex(w, e.ClassName, "className")
	old := t.version < groupsFrom
	if old != (e.PackageName != nil) {
		w.Fail("packageName", "UPKG-IMP-3", "expected packageName to be %s in version %d, found it %s",
			presence(old), t.version, presence(!old))
		return
	}
	t.writePlainReference(w, e.Package, "package", "UPKG-IMP-2")
	if old {
		t.writeNameIndex(w, *e.PackageName, "packageName")
	}
	t.writeNameIndex(w, e.ObjectName, "objectName")
}

// ExportEntry is a row of the export table of a package version.
func (c *Codec) ExportEntry(version uint16) wire.Structure[model.ExportEntry] {
	_, least := minRows(version)
	return row(c, "ExportEntry", version, least,
		func(t *rows, r *wire.Reader) (e model.ExportEntry) { t.readExport(r, &e); return e },
		func(t *rows, w *wire.Writer, e model.ExportEntry) { t.writeExport(w, &e) })
}

func (t *rows) readExport(r *wire.Reader, e *model.ExportEntry) {
	e.Class = t.readBoundReference(r, "class", "UPKG-EXP-1")
	e.Super = t.readBoundReference(r, "super", "UPKG-EXP-1")
	if t.version >= groupsFrom {
		e.Group = t.readPlainReference(r, "group", "UPKG-EXP-2")
	}
	e.ObjectName = t.readNameIndex(r, "objectName", "UPKG-EXP-1")
	e.ObjectFlags = r.Hex32("objectFlags", "UPKG-EXP-1")
	t.readSerial(r, e)
}

// newIndex returns a pointer to 0. Those of a table of n rows are in one slice.
func (t *rows) newIndex(n uint32) *model.CompactIndex {
	if t.kept == nil {
		return new(model.CompactIndex)
	}
	if len(t.optional) == 0 {
		t.optional = make([]model.CompactIndex, n)
	}
	p := &t.optional[0]
	t.optional = t.optional[1:]
	return p
}

func (t *rows) writeExport(w *wire.Writer, e *model.ExportEntry) {
	if !t.checkSerial(w, e) {
		return
	}
	t.writeBoundReference(w, e.Class, "class")
	t.writeBoundReference(w, e.Super, "super")
	t.writePlainReference(w, e.Group, "group", "UPKG-EXP-2")
	t.writeNameIndex(w, e.ObjectName, "objectName")
	w.Uint32(e.ObjectFlags)
	t.writeIndex(w, int64(e.SerialSize), "serialSize")
	if e.SerialOffset != nil {
		t.writeIndex(w, int64(*e.SerialOffset), "serialOffset")
	}
}

func (t *rows) readNameIndex(r *wire.Reader, field string, clause clauseID) model.CompactIndex {
	at := r.Offset()
	i := model.CompactIndex(t.readIndex(r, field, clause))
	if !t.hasName(i) {
		r.Fail(wire.Reference, at, field, "UPKG-PKG-9", outsideTable, "name", t.names, i)
	}
	if r.Tracing() && i >= 0 && int64(i) < int64(len(t.texts)) {
		r.Note("%d: %q", i, t.texts[i].Name.Text)
	}
	return i
}

func (t *rows) writeNameIndex(w *wire.Writer, i model.CompactIndex, field string) {
	if !t.hasName(i) {
		w.Fail(field, "UPKG-PKG-9", outsideTable, "name", t.names, i)
	}
	t.writeIndex(w, int64(i), field)
}

func (t *rows) readBoundReference(r *wire.Reader, field string, clause clauseID) model.ObjectReference {
	at := r.Offset()
	ref := model.ReferenceTo(t.readIndex(r, field, clause))
	if t.checked || r.Tracing() {
		t.inspect(r, ref, at, field)
	}
	return ref
}

func (t *rows) writeBoundReference(w *wire.Writer, ref model.ObjectReference, field string) {
	if !t.has(ref) {
		t.rejectOutside(w, ref, field)
	}
	t.writeReference(w, ref, field)
}

func (t *rows) readPlainReference(r *wire.Reader, field string, clause clauseID) model.ObjectReference {
	at := r.Offset()
	ref := model.ReferenceTo(int64(r.Int32(field, clause)))
	if t.checked || r.Tracing() {
		t.inspect(r, ref, at, field)
	}
	return ref
}

const outsideTable = "expected an index into the %s table (entries: %d, counted from 0) under upkg.ref-range=strict, found %d"

// inspect shows a reference that was read at an offset, and rejects one outside its table.
func (t *rows) inspect(r *wire.Reader, ref model.ObjectReference, at int, field string) {
	if r.Tracing() {
		noteReference(r, ref)
	}
	if !t.has(ref) {
		r.Fail(wire.Reference, at, field, "UPKG-PKG-9", outsideTable, ref.Table, t.sizeOf(ref.Table), ref.Entry)
	}
}

// writePlainReference writes nothing below the version that has the field.
func (t *rows) writePlainReference(w *wire.Writer, ref model.ObjectReference, field string, clause clauseID) {
	if t.version < groupsFrom {
		if ref != (model.ObjectReference{}) {
			w.Fail(field, clause, "expected null, because version %d does not contain the field, found %s %d",
				t.version, ref.Table, ref.Entry)
		}
		return
	}
	if !t.has(ref) {
		t.rejectOutside(w, ref, field)
	}
	v, ok := numberOf(w, ref, field)
	if !ok {
		return
	}
	if v < math.MinInt32 || v > math.MaxInt32 {
		w.Fail(field, clause, "expected a reference that 32 bits can store, found %d", v)
	}
	w.Int32(int32(v))
}

func (t *rows) rejectOutside(w *wire.Writer, ref model.ObjectReference, field string) {
	w.Fail(field, "UPKG-PKG-9", outsideTable, ref.Table, t.sizeOf(ref.Table), ref.Entry)
}

// Package is a whole package file. The bytes of chunks alias the input.
func (c *Codec) Package() wire.Structure[model.Package] {
	return wire.Bind(c.family, c, "Package", fixedHeaderSize+8, (*Codec).readLicensed, (*Codec).writePackage)
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
	p.Header = c.readHeader(r)
	r.Leave()
	h := p.Header
	pieces := append(make([]piece, 0, 6), piece{name: "header", end: r.Offset()}) // 4 tables, and the end of the file

	t := c.rows(&h)
	r.Cite("UPKG-PKG-4")
	t.kept = new([]model.Encoding)
	of := tables(&h)
	p.Names = readTable(r, &pieces, of[nameTable], t.readNameEntry)
	t.texts = p.Names
	p.Exports = readTable(r, &pieces, of[exportTable], t.readExport)
	p.Imports = readTable(r, &pieces, of[importTable], t.readImport)
	p.Heritages = readTable(r, &pieces, of[heritageTable], readGUID)

	slices.SortFunc(*t.kept, func(a, b model.Encoding) int { return cmp.Compare(a.Offset, b.Offset) })
	p.Encodings = *t.kept
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.start, b.start) })
	p.Data = []model.Chunk{}
	end := 0
	for i, s := range append(pieces, piece{start: size, end: size}) {
		if r.Failed() {
			return p
		}
		if s.start < end {
			r.Fail(wire.Reference, s.field, inHeader(s.name, "Offset"), "UPKG-PKG-5", "expected an offset of at least "+
				"%d, the end of the preceding part (%s), found %d", end, pieces[i-1].name, s.start)
			return p
		}
		if s.start > end {
			r.Seek(end)
			if uint64(end) > math.MaxUint32 {
				r.Fail(wire.Limit, end, "data", "UPKG-PKG-7", "expected data from an offset of 32 bits, found them at %d", end)
			}
			r.Enter("data")
			r.EnterIndex(len(p.Data))
			p.Data = append(p.Data, model.Chunk{Offset: uint32(end), Bytes: r.Bytes(s.start-end, "bytes", "UPKG-PKG-7")})
			r.Leave()
			r.Leave()
		}
		end = s.end
	}
	r.Seek(size)
	return p
}

// A table is what the header says about one.
type table struct {
	name          string
	least         int     // bytes of a row
	count, offset *uint32 // in the header
	field         int     // the offset of the count in the stored header; the offset of the table follows it
}

// The tables in the order in which they are read.
const (
	nameTable = iota
	exportTable
	importTable
	heritageTable
)

// tables returns the tables of a header. That of the heritages is empty if it is not stored.
func tables(h *model.Header) [4]table {
	minImport, minExport := minRows(h.Version)
	heritage := h.Heritage
	if heritage == nil || h.Version < heritagesFrom {
		heritage = &model.Heritage{}
	}
	return [...]table{
		nameTable:     {"names", minNameEntry, &h.NameCount, &h.NameOffset, 12},
		exportTable:   {"exports", minExport, &h.ExportCount, &h.ExportOffset, 20},
		importTable:   {"imports", minImport, &h.ImportCount, &h.ImportOffset, 28},
		heritageTable: {"heritages", guidSize, &heritage.Count, &heritage.Offset, fixedHeaderSize},
	}
}

// rowsOf is a table with the rows of a package, and how they are written.
type rowsOf struct {
	table
	rows  int
	write func(*wire.Writer)
}

func (t *rows) tablesOf(h *model.Header, p *model.Package) [4]rowsOf {
	of := tables(h)
	return [...]rowsOf{
		{of[nameTable], len(p.Names), func(w *wire.Writer) { wire.WriteEach(w, p.Names, t.writeNameEntry) }},
		{of[exportTable], len(p.Exports), func(w *wire.Writer) { wire.WriteEach(w, p.Exports, t.writeExport) }},
		{of[importTable], len(p.Imports), func(w *wire.Writer) { wire.WriteEach(w, p.Imports, t.writeImport) }},
		{of[heritageTable], len(p.Heritages), func(w *wire.Writer) { wire.WriteEach(w, p.Heritages, writeGUID) }},
	}
}

// inHeader returns the path of the Count or Offset of a table. That of heritages is the path
// of the table: who does not keep them need not find the fault (view upkg.no-heritages).
func inHeader(table, field string) string {
	if table == "heritages" {
		return table
	}
	return "header." + strings.TrimSuffix(table, "s") + field
}

func readTable[T any](r *wire.Reader, pieces *[]piece, t table, row func(*wire.Reader, *T)) []T {
	count, offset := *t.count, *t.offset
	least := uint64(count) * uint64(t.least)
	switch {
	case r.Failed() || count == 0:
		return []T{}
	case uint64(offset) > uint64(r.Len()):
		r.Fail(wire.Reference, t.field+4, inHeader(t.name, "Offset"), "UPKG-PKG-3", "expected an offset of at most %d, "+
			"the size of the file, found %d", r.Len(), offset)
		return nil
	case least > uint64(r.Len())-uint64(offset):
		r.Fail(wire.Truncated, t.field, inHeader(t.name, "Count"), "UPKG-PKG-4",
			"expected at least %s for a count of %d (at least %s each), found %d from offset %d to the end of the file",
			wire.CountBytes(least), count, wire.CountBytes(t.least), r.Len()-int(offset), offset)
		return nil
	}
	r.Seek(int(offset))
	r.Enter(t.name)
	rows := wire.ReadEach(r, int(count), row)
	r.Leave()
	*pieces = append(*pieces, piece{name: t.name, start: int(offset), end: r.Offset(), field: t.field + 4})
	return rows
}

func (c *Codec) writePackage(w *wire.Writer, p model.Package) {
	h := p.Header
	t := c.rows(&h)
	if len(p.Encodings) > 0 {
		t.kept = &p.Encodings
	}
	pieces := append(make([]piece, 0, 5+len(p.Data)),
		piece{name: "header", write: func(w *wire.Writer) { c.writeHeader(w, h) }})
	for _, e := range t.tablesOf(&h, &p) {
		if uint64(*e.count) != uint64(e.rows) {
			w.Fail(e.name, "UPKG-PKG-8", "expected %d entries, the count in the header, found %d", *e.count, e.rows)
		}
		if e.rows > 0 {
			pieces = append(pieces, piece{name: e.name, start: int(*e.offset), write: e.write})
		}
	}
	for i, d := range p.Data {
		if len(d.Bytes) == 0 {
			w.Fail("data", "UPKG-PKG-8", "expected at least 1 byte in chunk %d, found 0", i)
			return
		}
		if i > 0 {
			before := p.Data[i-1]
			if end := uint64(before.Offset) + uint64(len(before.Bytes)); uint64(d.Offset) <= end {
				w.Fail("data", "UPKG-PKG-8", "expected chunk %d after %d, the end of the preceding chunk, found it at %d",
					i, end, d.Offset)
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
			w.Fail(s.name, "UPKG-PKG-8", "expected this part at offset %d, the end of the preceding one, found it at %d",
				w.Offset(), s.start)
			return
		}
		w.Enter(s.name)
		s.write(w)
		w.Leave()
	}
	if len(p.Encodings) > 0 {
		w.Fail("encodings", "UPKG-PKG-13", "expected an index or a name at each offset, in ascending order, found none at %d",
			p.Encodings[0].Offset)
	}
}

// keep keeps the encoding of an index or a name.
func (c *Codec) keep(offset int, stored []byte) {
	*c.kept = append(*c.kept, model.Encoding{Offset: uint32(offset), Bytes: slices.Clip(stored)})
}

// keptAt returns the encoding that is kept for the position, if there is one.
func (c *Codec) keptAt(w *wire.Writer) (stored []byte, ok bool) {
	if c.kept == nil || len(*c.kept) == 0 || uint64((*c.kept)[0].Offset) != uint64(w.Offset()) {
		return nil, false
	}
	return (*c.kept)[0].Bytes, true
}

// writeKept writes the encoding that is kept for the position. It has to fit the value that
// is to be written.
func (c *Codec) writeKept(w *wire.Writer, field string, fits bool) {
	stored := (*c.kept)[0].Bytes
	*c.kept = (*c.kept)[1:]
	if !fits {
		w.Fail(field, "UPKG-PKG-13", "expected an encoding of the value that a writer does not choose, found % x", stored)
	}
	w.Bytes(stored)
}
