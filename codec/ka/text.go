package ka

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// FastNameString is a length, a uint16, and the bytes (KA-FNS-1).
func (c *Codec) FastNameString() wire.Structure[model.FastNameString] {
	return wire.Bind(c.family, c, "FastNameString", 2,
		func(_ *Codec, r *wire.Reader) model.FastNameString {
			return model.FastNameString(r.Text(readNameLength(r), "text", "KA-FNS-1"))
		},
		func(_ *Codec, w *wire.Writer, v model.FastNameString) { writeName(w, v) })
}

func readNameLength(r *wire.Reader) int {
	at := r.Offset()
	return r.Length(int64(r.Uint16("length", "KA-FNS-1")), 1, "", at, "length", "KA-ARC-7")
}

func writeName(w *wire.Writer, v model.FastNameString) {
	if len(v) > maxName {
		w.Fail("length", "KA-FNS-3", "expected at most 65535 bytes, found %d", len(v))
		return
	}
	w.Uint16(uint16(len(v)))
	w.Text(string(v))
}

const maxName = 1<<16 - 1

// text reads inline text or a text reference.
func (d decoder) text(t model.Type, s scope) model.String {
	r := d.r
	if s.has(t) {
		return d.lookUp(r.Uint32("id", rows[t].reference), s.table, false)
	}
	if t == model.TypeWideString {
		return model.String{Text: d.wide()}
	}
	clause := clauseOf(t)
	n := readLength(r, 1, "", clause)
	return model.String{Text: string(r.Text(n, "text", clause))}
}

// lookUp returns the text of a reference that was just read. isKey reports that
// it is the key of a 0x0002 pair.
func (d decoder) lookUp(n uint32, t *table, isKey bool) model.String {
	text, row := "", d.c.row(t, n, isKey)
	switch {
	case row >= 0:
		text = string(t.rows[row].Name)
	case d.c.d.rejectsUnknown:
		d.r.Fail(wire.Reference, d.r.Offset()-4, "id", "KA-V2-6",
			"expected an entry for the number %d (0x%08x) in the table of fast names, found none", n, n)
	}
	if d.r.Tracing() {
		d.r.Note("%08x %q", n, text)
	}
	return model.String{Text: text, ID: &n}
}

// wide reads inline wide text and returns it as WTF-8 (KA-WSTR-2).
func (d decoder) wide() string {
	r, unit := d.r, d.c.d.unit
	at := r.Offset()
	perCount := unit.size()
	if unit == bytesOf16 {
		perCount = 1
	}
	n := readLength(r, perCount, wideSides[unit], clauseOf(model.TypeWideString))
	if n%unit.size() != 0 {
		r.Fail(wire.Value, at, "length", clauseOf(model.TypeWideString), "expected an even number of bytes %s, found %d",
			wideSides[unit], n)
		return ""
	}
	b := r.Bytes(n, "text", clauseOf(model.TypeWideString))
	text := ""
	if unit == fourBytes {
		text = utf32(r, b)
	} else {
		text = r.Units(b)
	}
	if n > 0 && r.Tracing() {
		r.Note("%q", text)
	}
	return text
}

// utf32 returns the WTF-8 form of the units of UTF-32 that were read last.
func utf32(r *wire.Reader, b []byte) string {
	text := make([]byte, 0, len(b))
	for i := 0; i < len(b); i += 4 {
		c := binary.LittleEndian.Uint32(b[i:])
		if c > utf8.MaxRune {
			r.Fail(wire.Value, r.Offset()-len(b)+i, "text", "KA-WSTR-3", "expected a code point up to 0x10ffff %s, found %#x",
				wideSides[fourBytes], c)
			return ""
		}
		text = wire.AppendWTF8Rune(text, rune(c))
	}
	return string(text)
}

// text writes inline text or a text reference.
func (e encoder) text(t model.Type, v model.String, s scope) {
	w, text, id := e.w, v.Text, v.ID
	switch {
	case !s.has(t) && id != nil:
		w.Fail("id", "KA-VAL-3", "expected inline text without an id, found id %d", *id)
	case !s.has(t) && t == model.TypeWideString:
		e.wide(text)
	case !s.has(t):
		w.Uint32(w.Len(len(text), "length", clauseOf(t)))
		w.Text(text)
	case id == nil:
		w.Fail("id", "KA-VAL-3", "expected a text reference, found text without an id")
	default:
		e.number(text, *id, s.table, false)
	}
}

// number writes a text reference. A text that differs from the table's would
// not be read back: it is rejected.
func (e encoder) number(text string, n uint32, t *table, isKey bool) {
	e.w.Uint32(n)
	row := e.c.row(t, n, isKey)
	switch {
	case row >= 0 && string(t.rows[row].Name) != text:
		e.w.Fail("text", "KA-STR-4", "expected %.40q, the name for %d (0x%08x) in the table of fast names, found %.40q",
			t.rows[row].Name, n, n, text)
	case row < 0 && e.c.d.rejectsUnknown:
		e.w.Fail("id", "KA-V2-7", "expected an entry for the number %d (0x%08x) in the table of fast names, found none", n, n)
	case row < 0 && text != "":
		e.w.Fail("text", "KA-STR-4", "expected the empty text, because the table of fast names has no "+
			"entry for %d (0x%08x), found %.40q", n, n, text)
	}
}

// wide writes WTF-8 as inline wide text.
func (e encoder) wide(text string) {
	w, unit := e.w, e.c.d.unit
	at := w.Offset()
	w.Uint32(0)
	units, afterHigh := 0, false
	for i := 0; i < len(text); {
		c, size := wire.DecodeWTF8Rune(text[i:])
		low := c >= 0xDC00 && c <= 0xDFFF
		switch {
		case size == 0:
			w.Fail("text", "KA-WSTR-5", "expected UTF-8 or a surrogate of three bytes at byte %d of the text, found 0x%02x",
				i, text[i])
			return
		case unit == fourBytes:
			w.Uint32(uint32(c))
		case c > 0xFFFF:
			high, low := utf16.EncodeRune(c)
			w.Uint16(uint16(high))
			w.Uint16(uint16(low))
			units++
		case low && afterHigh:
			w.Fail("text", "KA-WSTR-5", "expected one character of four bytes, found two surrogates of three bytes each, the "+
				"second at byte %d of the text", i)
			return
		default:
			w.Uint16(uint16(c))
		}
		units++
		i += size
		afterHigh = c >= 0xD800 && c < 0xDC00
	}
	if unit == bytesOf16 {
		units *= 2
	}
	putUint32(w, at, w.Len(units, "length", clauseOf(model.TypeWideString)))
}
