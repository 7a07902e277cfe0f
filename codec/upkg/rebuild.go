package upkg

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/upkg"
)

// Rebuilt says what [Codec.Rebuild] has done; see [wire.Rebuilt].
type Rebuilt = wire.Rebuilt

// Rebuild computes the layout of a changed package (UPKG-PKG-12). The caller
// changes entries of the tables in place, appends entries, or removes the last
// entries of a table. The header still contains the old counts and offsets;
// Rebuild sets them. An unchanged package stays the same.
//
// Rebuild keeps the offset and the bytes of every chunk of Data, so that no byte
// of an object moves. A table keeps its offset if it fits before the next part
// of the file, or if no part follows it. Any other table is placed at the end of
// the file. Bytes that a table no longer uses become zeros in Data. If the last
// generation has the old counts of exports and names, it gets the new ones.
//
// Rebuild rejects the removal of an entry to which an entry of a table refers. It
// does not search the data of objects for indices and references, and it does
// not keep the bytes of an object that is not inside one chunk of Data. The
// warnings say where this may matter. No object is unread, and none moves. If the layout of a package with Encodings
// changes, the result has none.
//
// Rebuild does not change the given package. The result shares unchanged parts
// with it. A package that cannot be written is an error of class [wire.Range],
// from Rebuild or from writing. So is a header by which more bytes of an old table
// would become unused than 64 KiB, 1 KiB per entry, and the bytes of Data.
func (c *Codec) Rebuild(p model.Package) (out model.Package, done Rebuilt, err error) {
	if done.Warnings, err = checkRemoved(&p); err != nil {
		return model.Package{}, Rebuilt{}, err
	}
	if len(p.Data) > 0 {
		done.Stayed = append(done.Stayed, "data")
	}
	for i := range p.Exports {
		e := &p.Exports[i]
		if _, ok := p.ObjectData(e); !ok && e.SerialOffset != nil && e.SerialSize > 0 {
			done.Warnings = append(done.Warnings, fmt.Sprintf("exports[%d]: its %d bytes at offset %d are not inside one chunk of "+
				"data and may change", i, e.SerialSize, *e.SerialOffset))
		}
	}
	if n := len(p.Encodings); n > 0 {
		if _, err := c.Package().Append(nil, p); err == nil {
			placeTables(&done, tables(&p.Header), tables(&p.Header))
			return p, done, nil // the layout is still right
		}
		p.Encodings = nil
		done.Warnings = append(done.Warnings, fmt.Sprintf("encodings: %d indices or names get the form that a writer chooses", n))
	}
	old := p.Header
	h := old
	if old.Heritage != nil {
		h.Heritage = new(*old.Heritage)
	}
	hasHeritages := old.Heritage != nil && old.Version >= heritagesFrom
	if !hasHeritages && len(p.Heritages) > 0 {
		err = rebuildError("heritages", "expected none in version %d, found %d", old.Version, len(p.Heritages))
		return model.Package{}, Rebuilt{}, err
	}
	h.NameCount, h.ImportCount, h.ExportCount = uint32(len(p.Names)), uint32(len(p.Imports)), uint32(len(p.Exports))
	h.Identity = currentIdentity(old, h)

	// The size of the new header and tables, and their old starts.
	parts := make([]extent, 1, 5)
	parts[0].old = 1
	if parts[0].size, err = sizeOf(c, "header", func(w *wire.Writer) { c.writeHeader(w, h) }); err != nil {
		return model.Package{}, Rebuilt{}, err
	}
	was := tables(&old)
	for i, t := range c.rows(&h).tablesOf(&h, &p) {
		e := extent{name: t.name, start: uint64(*t.offset), offset: t.offset, old: *was[i].count, rows: t.rows}
		if e.size, err = sizeOf(c, t.name, t.write); err != nil {
			return model.Package{}, Rebuilt{}, err
		}
		*t.count = uint32(t.rows)
		parts = append(parts, e)
	}
	data, err := place(parts, p.Data)
	if err != nil {
		return model.Package{}, Rebuilt{}, err
	}
	if old.Heritage != nil && !hasHeritages && old.Heritage.Offset == old.NameOffset {
		h.Heritage.Offset = h.NameOffset // UPKG-PKG-11
	}
	p.Header, p.Data = h, data
	placeTables(&done, was, tables(&h))
	return p, done, nil
}

// placeTables lists the tables that have rows before and after.
func placeTables(done *Rebuilt, old, now [4]table) {
	for i, t := range old {
		done.PlaceTable(t.name, *t.count, *now[i].count, *t.offset, *now[i].offset)
	}
}

// currentIdentity returns the identity with the new counts in the last
// generation, if that has the old ones.
func currentIdentity(old, h model.Header) *model.Identity {
	if old.Identity == nil || len(old.Identity.Generations) == 0 {
		return old.Identity
	}
	id := *old.Identity
	id.Generations = slices.Clone(id.Generations)
	if last := &id.Generations[len(id.Generations)-1]; *last == (model.Generation{
		ExportCount: old.ExportCount,
		NameCount:   old.NameCount,
	}) {
		*last = model.Generation{ExportCount: h.ExportCount, NameCount: h.NameCount}
	}
	return &id
}

// An extent is the header or a table in the old file.
type extent struct {
	name   string
	start  uint64
	size   uint64  // of the new header or table
	offset *uint32 // of the table, in the new header; nil for the header
	old    uint32  // entries of the old table; 1 for the header
	rows   int     // of the new table
}

// The greatest number of unused bytes of an old extent, and how much it grows with each
// entry that exists: entries of real tables are shorter. The counts and offsets in a
// header can be false.
const (
	maxUnused         = 1 << 16
	maxUnusedPerEntry = 1 << 10
)

// place sets the offsets of tables, and returns the data with the unused bytes
// of the old extents.
func place(parts []extent, old []model.Chunk) ([]model.Chunk, error) {
	starts := make([]uint64, 0, len(parts)+len(old))
	end, most := uint64(0), uint64(maxUnused)
	for _, d := range old {
		starts = append(starts, uint64(d.Offset))
		end = max(end, uint64(d.Offset)+uint64(len(d.Bytes)))
		most += uint64(len(d.Bytes))
	}
	for _, e := range parts {
		most += maxUnusedPerEntry * uint64(e.rows)
		if e.old > 0 {
			starts = append(starts, e.start)
		}
	}
	slices.Sort(starts)

	var unused []model.Chunk
	var moved []*uint32
	var sizes []uint64
	for _, e := range parts {
		// The extent ends at the next part, which is the same start if two are equal.
		limit := uint64(math.MaxUint64)
		if i, _ := slices.BinarySearch(starts, e.start); e.old > 0 && i+1 < len(starts) {
			limit = starts[i+1]
		}
		fits := e.old > 0 && e.size <= limit-min(limit, e.start)
		switch {
		case !fits && e.offset == nil:
			return nil, rebuildError("header", "expected at most %d bytes, the old size, found %d", limit, e.size)
		case !fits && e.rows > 0:
			moved, sizes = append(moved, e.offset), append(sizes, e.size)
			e.size = 0
		}
		if e.old == 0 {
			continue
		}
		stop := e.start + e.size
		end = max(end, stop)
		if limit != math.MaxUint64 && stop < limit {
			if limit-stop > most {
				return nil, rebuildError(e.name, "expected at most %d unused bytes before the next part, found %d",
					most, limit-stop)
			}
			unused = append(unused, model.Chunk{Offset: uint32(stop), Bytes: make([]byte, limit-stop)})
			end = max(end, limit)
		}
	}
	for i, offset := range moved {
		if end > math.MaxUint32 {
			return nil, rebuildError("", "expected a table at an offset of at most %d, found %d", uint32(math.MaxUint32), end)
		}
		*offset = uint32(end)
		end += sizes[i]
	}
	return joined(old, unused), nil
}

// joined returns the chunks of both lists in the order of the file, with
// adjacent ones joined.
func joined(data, unused []model.Chunk) []model.Chunk {
	if len(unused) == 0 {
		return data
	}
	all := slices.Concat(data, unused)
	slices.SortStableFunc(all, func(a, b model.Chunk) int { return cmp.Compare(a.Offset, b.Offset) })
	out := all[:1]
	for _, d := range all[1:] {
		last := &out[len(out)-1]
		if uint64(last.Offset)+uint64(len(last.Bytes)) == uint64(d.Offset) {
			last.Bytes = slices.Concat(last.Bytes, d.Bytes)
			continue
		}
		out = append(out, d)
	}
	return out
}

// sizeOf returns the size of a part of a package.
func sizeOf(c *Codec, name string, write func(*wire.Writer)) (uint64, error) {
	b, err := wire.Describe(c.family, "Package", 0, func(*wire.Reader) struct{} { return struct{}{} },
		func(w *wire.Writer, _ struct{}) {
			w.Enter(name)
			write(w)
			w.Leave()
		}).Structure().Append(nil, struct{}{})
	return uint64(len(b)), err
}

// checkRemoved returns an error if an entry refers to a removed entry, and a
// warning per table from which entries were removed.
func checkRemoved(p *model.Package) (warnings []string, err error) {
	type entries struct{ first, end uint64 }
	removed := map[string]entries{}
	table := func(name string, rows int, old uint32) {
		if uint64(rows) < uint64(old) {
			removed[name] = entries{uint64(rows), uint64(old)}
			warnings = append(warnings, fmt.Sprintf("%ss: entries %d to %d were removed, and the data of objects was not "+
				"searched for references to them", name, rows, old-1))
		}
	}
	table("name", len(p.Names), p.Header.NameCount)
	table("import", len(p.Imports), p.Header.ImportCount)
	table("export", len(p.Exports), p.Header.ExportCount)
	check := func(path string, links []link) {
		for _, l := range links {
			if r := removed[l.table]; err == nil && l.entry >= r.first && l.entry < r.end {
				err = rebuildError(path+"."+l.field, "expected no reference to a removed entry, "+
					"found one to %s %d", l.table, l.entry)
			}
		}
	}
	for i := range p.Imports {
		check(rowPath("imports", i), importLinks(&p.Imports[i]))
	}
	for i := range p.Exports {
		check(rowPath("exports", i), exportLinks(&p.Exports[i]))
	}
	return warnings, err
}

// rebuildError is the error for a package that has no layout.
func rebuildError(path, format string, args ...any) error {
	return &wire.Error{
		Type: "upkg.Package", Class: wire.Range, Path: path, Clause: "UPKG-PKG-12",
		Detail: fmt.Sprintf(format, args...),
	}
}
