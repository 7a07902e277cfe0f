package uasset

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"sync"
	"unicode"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// FString is a string with its length.
func (c *Codec) FString() wire.Structure[model.FString] {
	return bind(c.family, c, "FString", minStringSize, (*Codec).fstring)
}

// fstring reads or writes a string.
func (c *Codec) fstring(f wire.Fields, v model.FString) model.FString {
	if f.R != nil {
		return c.readString(f.R)
	}
	c.writeString(f.W, v)
	return v
}

func (c *Codec) readString(r *wire.Reader) model.FString {
	at := r.Offset()
	n := r.Int32("length", "UA-STR-1")
	switch {
	case r.Failed():
		return model.FString{}
	case n > 0 || n < 0 && c.d.plainStrings:
		return model.FString{Text: readText(r, at, uint32(n))}
	case n == 0 && c.d.plainStrings:
		r.Fail(wire.Value, at, "length", "UA-STR-2", "expected at least 1 (the NUL) under uasset.name-unicode=documented, found 0")
		return model.FString{}
	case n == 0:
		return model.FString{Form: model.Absent}
	}
	return model.FString{Text: readUnits(r, at, int64(n)), Form: model.UTF16}
}

// readText reads n bytes, of which the last is NUL. at is the offset of their
// length.
func readText(r *wire.Reader, at int, n uint32) string {
	size := r.Length(int64(n), 1, "", at, "length", "UA-STR-4")
	if size == 0 {
		return ""
	}
	all := r.String(size, "text", "UA-STR-1")
	text, last := all[:size-1], all[size-1]
	if last != 0 {
		r.Fail(wire.Value, r.Offset()-1, "text", "UA-STR-4", "expected NUL as the last byte, found 0x%02x", last)
	}
	if r.Tracing() {
		r.Note("%q", text)
	}
	return text
}

// readUnits reads -n 16-bit units, of which the last is NUL. at is the offset of n,
// their length.
func readUnits(r *wire.Reader, at int, n int64) string {
	size := r.Length(n, 2, "because it is negative", at, "length", "UA-STR-4")
	if size == 0 {
		return ""
	}
	b := r.Bytes(size, "text", "UA-STR-3")
	if last := binary.LittleEndian.Uint16(b[size-2:]); last != 0 {
		r.Fail(wire.Value, r.Offset()-2, "text", "UA-STR-4", "expected NUL as the last 16-bit unit, found 0x%04x", last)
	}
	text := r.Units(b[:size-2])
	if r.Tracing() {
		r.Note("%q in UTF-16", text)
	}
	return text
}

func (c *Codec) writeString(w *wire.Writer, v model.FString) {
	switch {
	case v.Form == model.Bytes:
		if uint64(len(v.Text)) >= math.MaxInt32 {
			w.Fail("text", "UA-STR-5", "expected a text of at most %d bytes, found %d", math.MaxInt32-1, len(v.Text))
			return
		}
		w.Uint32(uint32(len(v.Text) + 1))
		w.Text(v.Text)
		w.Uint8(0)
	case c.d.plainStrings:
		w.Fail("form", "UA-STR-5", "expected form %s under uasset.name-unicode=documented, found %s", model.Bytes, v.Form)
	case v.Form == model.Absent && v.Text == "":
		w.Uint32(0)
	case v.Form == model.UTF16:
		writeUnits(w, v.Text)
	case v.Form == model.Absent:
		w.Fail("text", "UA-STR-5", "expected no text in a string of form %s, found %d bytes", v.Form, len(v.Text))
	default:
		w.Fail("form", "UA-STR-5", "expected a form from 0 to %d, found %d", model.Absent, v.Form)
	}
}

func writeUnits(w *wire.Writer, text string) {
	n, err := wire.CountUnits(text)
	switch {
	case err != nil:
		w.Fail("text", "UA-STR-5", "%v", err)
		return
	case uint64(n) >= math.MaxInt32:
		w.Fail("text", "UA-STR-5", "expected a text of at most %d units, found %d", math.MaxInt32-1, n)
		return
	}
	w.Int32(-int32(n + 1))
	w.Units(text)
	w.Uint16(0)
}

// names is the name table of a package.
type names struct {
	entries []model.NameEntry
	once    sync.Once
	rows    map[string]uint32 // the first row of each text, computed for writing
}

// row returns the first row with a text.
func (n *names) row(text string) (row uint32, ok bool) {
	n.once.Do(func() {
		n.rows = make(map[string]uint32, len(n.entries))
		for i := len(n.entries) - 1; i >= 0; i-- {
			n.rows[n.entries[i].Name.Text] = uint32(i)
		}
	})
	row, ok = n.rows[text]
	return row, ok
}

// text returns the text of a name in the table.
func (n *names) text(v model.FName) string { return n.entries[v.Index].Name.Text }

// plain returns the text of a name with number 0, and "" for any other name:
// only number 0 selects a type, a struct, a format or the end (UA-FNM-3).
func (n *names) plain(v model.FName) string {
	if v.Number != 0 || !n.has(v) {
		return ""
	}
	return n.text(v)
}

// misnamed says that a name is not the required one, which has number 0. The table
// contains the name.
func (n *names) misnamed(required string, found model.FName) string {
	number := ""
	switch {
	case required == opaqueProperty:
		return "expected a type that the document does not list, found " + n.quote(found)
	case found.Number != 0:
		number = " with number 0"
	}
	return fmt.Sprintf("expected the name %q%s, found %s", required, number, n.quote(found))
}

// quote returns a name in the table as a part of an error.
func (n *names) quote(v model.FName) string {
	if v.Number == 0 {
		return strconv.Quote(n.text(v))
	}
	return fmt.Sprintf("%q with number %d", n.text(v), v.Number)
}

// note shows a name in the table.
func (n *names) note(r *wire.Reader, v model.FName) {
	if v.Number == 0 {
		r.Note("%s", n.text(v))
	} else {
		r.Note("%s, number %d", n.text(v), v.Number)
	}
}

func (n *names) has(v model.FName) bool { return uint64(v.Index) < uint64(len(n.entries)) }

// none is the name that ends lists.
const none = "None"

// FName is a row of the name table and a number. Decoded alone, it is a name that
// the document calls an id. It uses Scope.Names.
func (p *Part) FName() wire.Structure[model.FName] {
	return bind(p.family, &p.part, "FName", nameSize, func(p *part, f wire.Fields, v model.FName) model.FName {
		p.id(f, &v, "", "UA-FNM-1")
		return v
	})
}

const nameSize = 8

// name reads or writes a name that may have a number on any side.
func (p *part) name(f wire.Fields, v *model.FName, field string, clause clauseID) {
	if f.R != nil {
		b := f.R.Bytes(nameSize, field, clause)
		if b == nil {
			return
		}
		*v = nameOf(b)
	}
	switch {
	case !p.names.has(*v):
		f.Fail(wire.Reference, nameSize, field, "UA-FNM-2", "expected an index into the name table (entries: %d, counted "+
			"from 0), found %d", len(p.names.entries), v.Index)
	case f.W != nil:
		f.W.Uint32(v.Index)
		f.W.Uint32(v.Number)
	case f.R.Tracing():
		p.names.note(f.R, *v)
	}
}

// id reads or writes a name that the document calls a 64-bit id (UA-FNM-1).
func (p *part) id(f wire.Fields, v *model.FName, field string, clause clauseID) {
	if f.W != nil && p.d.nameIDs && v.Number != 0 {
		f.W.Fail(field, "UA-FNM-1", "expected number 0 in an id under uasset.fname-number=documented, found %d", v.Number)
	}
	p.name(f, v, field, clause)
	if f.R != nil && p.d.nameIDs && v.Number != 0 {
		f.Fail(wire.Reference, nameSize, field, "UA-FNM-1", "expected an index into the name table (entries: %d, counted "+
			"from 0), found %#x (64 bits under uasset.fname-number=documented)", len(p.names.entries),
			uint64(v.Number)<<32|uint64(v.Index))
	}
}

func nameOf(b []byte) model.FName {
	return model.FName{Index: binary.LittleEndian.Uint32(b), Number: binary.LittleEndian.Uint32(b[4:])}
}

// writeText writes the first name with a text.
func (p *part) writeText(w *wire.Writer, text, field string) {
	row, ok := p.names.row(text)
	if !ok {
		w.Fail(field, "UA-FNM-3", "expected the name %q in the name table, found none", text)
	}
	p.name(wire.Fields{W: w}, &model.FName{Index: row}, field, "")
}

// NameEntry is one row of the name table.
func (c *Codec) NameEntry() wire.Structure[model.NameEntry] {
	return bind(c.family, c, "NameEntry", minNameSize, (*Codec).nameEntry)
}

const minNameSize = 4 + 4

func (c *Codec) nameEntry(f wire.Fields, e model.NameEntry) model.NameEntry {
	f.Enter("name")
	e.Name = c.fstring(f, e.Name)
	f.Leave()
	f.Uint16(&e.NonCasePreservingHash, "nonCasePreservingHash", "UA-NAM-1")
	f.Uint16(&e.CasePreservingHash, "casePreservingHash", "UA-NAM-1")
	return e
}

// NameHashes returns the two hashes of a row of the name table (UA-NAM-2). The
// first one is the same for texts that differ only in the case of a to z.
// Readers ignore them. A writer that changes a name computes them again.
func NameHashes(name model.FString) (nonCasePreserving, casePreserving uint16) {
	units := unitsOf(name)
	wide := slices.ContainsFunc(units, func(u uint16) bool { return u > unicode.MaxASCII })
	var upper, all []byte
	for _, u := range units {
		all = append(all, byte(u), byte(u>>8), 0, 0)
		if 'a' <= u && u <= 'z' { // the engine changes no other letter
			u -= 'a' - 'A'
		}
		upper = append(upper, byte(u))
		if wide {
			upper = append(upper, byte(u>>8))
		}
	}
	// Update complements its argument and its result; the engine does not.
	return uint16(^crc32.Update(math.MaxUint32, &looseTable, upper)), uint16(crc32.ChecksumIEEE(all))
}

// unitsOf returns a text in 16-bit units. A byte of a text in form Bytes is one
// unit.
func unitsOf(s model.FString) []uint16 {
	if s.Form == model.UTF16 {
		if units, err := wire.DecodeWTF8(s.Text); err == nil {
			return units
		}
	}
	units := make([]uint16, 0, len(s.Text))
	for _, b := range []byte(s.Text) {
		units = append(units, uint16(b))
	}
	return units
}

// looseTable is the table of the polynomial of [crc32.IEEE], 0x04C11DB7, with the most
// significant bit first.
var looseTable = func() (t crc32.Table) {
	for i := range t {
		t[i] = bits.Reverse32(crc32.IEEETable[bits.Reverse8(uint8(i))])
	}
	return t
}()
