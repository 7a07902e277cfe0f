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
	return part(c, "FastNameString", 2, coder.name)
}

func (k coder) name(v model.FastNameString) model.FastNameString {
	if k.R != nil {
		at := k.R.Offset()
		n := k.R.Length(int64(k.R.Uint16("length", "KA-FNS-1")), 1, "", at, "length", "KA-ARC-7")
		return model.FastNameString(k.R.Text(n, "text", "KA-FNS-1"))
	}
	if len(v) > maxName {
		k.W.Fail("length", "KA-FNS-3", "expected at most 65535 bytes, found %d", len(v))
		return v
	}
	k.W.Uint16(uint16(len(v)))
	k.W.Text(string(v))
	return v
}

const maxName = 1<<16 - 1

// text reads or writes inline text or a text reference.
func (k coder) text(t model.Type, v model.String, s scope) model.String {
	clause := clauseOf(t)
	switch {
	case s.has(t) && k.R != nil:
		return k.lookUp(k.R.Uint32("id", rows[t].reference), s.table, false)
	case s.has(t) && v.ID == nil:
		k.W.Fail("id", "KA-VAL-3", "expected a text reference, found text without an id")
	case s.has(t):
		k.number(v.Text, *v.ID, s.table, false)
	case v.ID != nil:
		k.W.Fail("id", "KA-VAL-3", "expected inline text without an id, found id %d", *v.ID)
	case t == model.TypeWideString && k.R != nil:
		v.Text = k.readWide()
	case t == model.TypeWideString:
		k.writeWide(v.Text)
	case k.R != nil:
		v.Text = string(k.R.Text(readLength(k.R, 1, "", clause), "text", clause))
	default:
		k.W.Uint32(k.W.Len(len(v.Text), "length", clause))
		k.W.Text(v.Text)
	}
	return v
}

// lookUp returns the text of a reference that was just read. isKey reports that
// it is the key of a 0x0002 pair.
func (k coder) lookUp(n uint32, t *table, isKey bool) model.String {
	text, row := "", k.c.row(t, n, isKey)
	switch {
	case row >= 0:
		text = string(t.rows[row].Name)
	case k.c.d.rejectsUnknown:
		k.R.Fail(wire.Reference, k.R.Offset()-4, "id", "KA-V2-6",
			"expected an entry for the number %d (0x%08x) in the table of fast names, found none", n, n)
	}
	if k.R.Tracing() {
		k.R.Note("%08x %q", n, text)
	}
	return model.String{Text: text, ID: &n}
}

// readWide reads inline wide text and returns it as WTF-8 (KA-WSTR-2).
func (k coder) readWide() string {
	r, unit := k.R, k.c.d.unit
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

// number writes a text reference. A text that differs from the table's would
// not be read back: it is rejected.
func (k coder) number(text string, n uint32, t *table, isKey bool) {
	k.W.Uint32(n)
	row := k.c.row(t, n, isKey)
	switch {
	case row >= 0 && string(t.rows[row].Name) != text:
		k.W.Fail("text", "KA-STR-4", "expected %.40q, the name for %d (0x%08x) in the table of fast names, found %.40q",
			t.rows[row].Name, n, n, text)
	case row < 0 && k.c.d.rejectsUnknown:
		k.W.Fail("id", "KA-V2-7", "expected an entry for the number %d (0x%08x) in the table of fast names, found none", n, n)
	case row < 0 && text != "":
		k.W.Fail("text", "KA-STR-4", "expected the empty text, because the table of fast names has no "+
			"entry for %d (0x%08x), found %.40q", n, n, text)
	}
}

// writeWide writes WTF-8 as inline wide text.
func (k coder) writeWide(text string) {
	w, unit := k.W, k.c.d.unit
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
