package ubi

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ubi"
)

// BasicString is a length in bytes, then the bytes. On the documented side of
// ubi.string-utf16 it is a length in 16-bit units, then the units.
func (c *Codec) BasicString() wire.Structure[model.BasicString] {
	return wire.Bind(c.family, c, "BasicString", 4,
		func(c *Codec, r *wire.Reader) model.BasicString {
			if c.d.basicUTF16 {
				return model.BasicString(c.readUnits(r, "under ubi.string-utf16=documented", "UBI-STR-4", "UBI-STR-3", false))
			}
			n := readLength(r, "UBI-STR-1", "UBI-STR-3")
			return model.BasicString(r.String(n, "s", "UBI-STR-1"))
		},
		func(c *Codec, w *wire.Writer, v model.BasicString) {
			if c.d.basicUTF16 {
				c.writeUnits(w, string(v), false)
				return
			}
			w.Uint32(w.Len(len(v), "len", "UBI-STR-1"))
			w.Text(string(v))
		})
}

// BasicWString is a length in 16-bit units, then the units. On the side bytes
// of ubi.wstring-unit the length counts bytes.
func (c *Codec) BasicWString() wire.Structure[model.BasicWString] {
	return wire.Bind(c.family, c, "BasicWString", 4,
		func(c *Codec, r *wire.Reader) model.BasicWString {
			return model.BasicWString(c.readUnits(r, "under ubi.wstring-unit=documented", "UBI-WSTR-1", "UBI-WSTR-3", c.d.wideBytes))
		},
		func(c *Codec, w *wire.Writer, v model.BasicWString) { c.writeUnits(w, string(v), c.d.wideBytes) })
}

// EncryptedString is a length in bytes, then the swizzled bytes.
func (c *Codec) EncryptedString() wire.Structure[model.EncryptedString] {
	return wire.Bind(c.family, c, "EncryptedString", 4,
		func(_ *Codec, r *wire.Reader) model.EncryptedString {
			n := readLength(r, "UBI-ENC-1", "UBI-ENC-4")
			clear := r.Convert(r.Bytes(n, "s", "UBI-ENC-1"), Swizzle)
			if n > 0 && r.Tracing() {
				r.Note("%q", clear)
			}
			return model.EncryptedString(clear)
		},
		func(_ *Codec, w *wire.Writer, v model.EncryptedString) {
			w.Uint32(w.Len(len(v), "len", "UBI-ENC-1"))
			from := w.Offset()
			w.Text(string(v))
			b := w.Written()[from:]
			Swizzle(b[:0], b)
		})
}

// Swizzle appends the bytes of src to dst with bits 0 and 1, 2 and 3, 4 and 5,
// 6 and 7 of each byte exchanged. It is its own inverse: it encrypts and
// decrypts (UBI-ENC-2).
func Swizzle(dst, src []byte) []byte {
	for _, b := range src {
		dst = append(dst, b>>1&0x55|b<<1&0xAA)
	}
	return dst
}

// readLength reads a length in bytes.
func readLength(r *wire.Reader, clause, lengthClause clauseID) int {
	at := r.Offset()
	return r.Length(int64(r.Uint32("len", clause)), 1, "", at, "len", lengthClause)
}

func (c *Codec) readUnits(r *wire.Reader, side string, clause, lengthClause clauseID, countsBytes bool) string {
	at, unit := r.Offset(), 2
	n := r.Uint32("len", clause)
	if countsBytes {
		unit, side = 1, "under ubi.wstring-unit=bytes"
		if n%2 != 0 {
			r.Fail(wire.Value, at, "len", "UBI-WSTR-5", "expected an even number of bytes %s, found %d", side, n)
		}
	}
	b := r.Bytes(r.Length(int64(n), unit, side, at, "len", lengthClause), "s", clause)
	text := r.Units(b)
	if len(b) > 0 && r.Tracing() {
		r.Note("%q", text)
	}
	return text
}

func (c *Codec) writeUnits(w *wire.Writer, text string, countsBytes bool) {
	n, err := wire.CountUnits(text)
	if err != nil {
		w.Fail("s", "UBI-WSTR-4", "%v", err)
	}
	if countsBytes {
		n *= 2
	}
	w.Uint32(w.Len(n, "len", "UBI-WSTR-1"))
	w.Units(text)
}
