package upkg

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/upkg"
)

// prefixedFrom is the package version from which names carry their length.
const prefixedFrom = 64

// Name is a string in the form of a package version: below 64 the characters
// and a NUL, from 64 a length that counts the NUL, the characters and a NUL.
func (c *Codec) Name(version uint16) wire.Structure[model.Name] {
	return structure(c, "Name", 1,
		func(r *wire.Reader) model.Name { return c.readName(r, version) },
		func(w *wire.Writer, v model.Name) { c.writeName(w, v, version) })
}

func (c *Codec) readName(r *wire.Reader, version uint16) model.Name {
	if version < prefixedFrom {
		return readTerminated(r)
	}
	if !c.inTable {
		return c.readPrefixed(r)
	}
	at, src := r.Offset(), r.Unread()
	v := c.readPrefixed(r)
	if r.Failed() {
		return v
	}
	stored := src[:r.Offset()-at]
	if want, err := c.Name(version).Append(nil, v); err != nil || !bytes.Equal(want, stored) {
		r.Fail(wire.Noncanonical, at, "", clauseTableCanonical, "spelled %x where a table has to hold %x", stored, want)
	}
	return v
}

func (c *Codec) readPrefixed(r *wire.Reader) model.Name {
	at := r.Offset()
	var n int64
	if c.d.byteLength {
		n = int64(r.Uint8("length", clauseNamePrefixed))
	} else {
		n = c.readIndex(r, "length", clauseNameLength)
	}
	switch {
	case r.Failed():
		return model.Name{}
	case n == 0:
		if !c.d.zeroLength {
			r.Fail(wire.Value, at, "length", clauseNameZero, "a length counts the terminator and cannot be 0")
		}
		return model.Name{}
	case n < 0:
		if !c.d.wideNames {
			r.Fail(wire.Value, at, "length", clauseNameUnicode, "a length of %d", n)
			return model.Name{}
		}
		return c.readWide(r, at, uint64(-n))
	}
	if uint64(n) > uint64(r.Remaining()) {
		r.Fail(wire.Truncated, at, "length", clauseNameBounds, "%d characters cannot be in the %d bytes left", n, r.Remaining())
		return model.Name{}
	}
	b := r.Bytes(int(n), "text", clauseNamePrefixed)
	text, last := string(b[:n-1]), b[n-1]
	if last != 0 {
		text = c.unterminated(r, text, string(b), 1)
	}
	r.Note("%q", text)
	return model.Name{Text: c.cut(text)}
}

func (c *Codec) readWide(r *wire.Reader, at int, n uint64) model.Name {
	if n > uint64(r.Remaining())/2 {
		r.Fail(wire.Truncated, at, "length", clauseNameBounds, "%d units of 16 bits cannot be in the %d bytes left", n, r.Remaining())
		return model.Name{}
	}
	b := r.Bytes(int(2*n), "text", clauseNameUnicode)
	units := make([]uint16, n)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	text := string(wire.AppendWTF8(nil, units[:n-1]))
	if units[n-1] != 0 {
		text = c.unterminated(r, text, string(wire.AppendWTF8(nil, units)), 2)
	}
	r.Note("%q", text)
	return model.Name{Text: c.cut(text), Wide: true}
}

// unterminated handles a name whose last character, of size bytes just read,
// is no NUL: text is the name without it, all the name with it.
func (c *Codec) unterminated(r *wire.Reader, text, all string, size int) string {
	switch c.d.terminator {
	case missingRefused:
		r.Fail(wire.Value, r.Offset()-size, "text", clauseNameTerminator, "the last character is no NUL")
	case missingKept:
		return all
	}
	return text
}

// cut ends a name at an embedded NUL if the dialect says so.
func (c *Codec) cut(text string) string {
	if c.d.cutAtNUL {
		text, _, _ = strings.Cut(text, "\x00")
	}
	return text
}

func readTerminated(r *wire.Reader) model.Name {
	n := bytes.IndexByte(r.Unread(), 0)
	if n < 0 {
		r.Fail(wire.Truncated, r.Offset(), "text", clauseNameTerminated, "no NUL ends the name")
		return model.Name{}
	}
	b := r.Bytes(n+1, "text", clauseNameTerminated)
	r.Note("%q", b[:n])
	return model.Name{Text: string(b[:n])}
}

func (c *Codec) writeName(w *wire.Writer, v model.Name, version uint16) {
	hasNUL := strings.IndexByte(v.Text, 0) >= 0
	switch {
	case version < prefixedFrom && (v.Wide || hasNUL):
		w.Fail("text", clauseNameRange, "before version %d a name has single bytes and no NUL", prefixedFrom)
		return
	case version < prefixedFrom:
		w.Text(v.Text)
		w.Uint8(0)
		return
	case c.d.cutAtNUL && hasNUL:
		w.Fail("text", clauseNameRange, "a NUL inside the name would end it")
		return
	case v.Wide:
		c.writeWide(w, v.Text)
		return
	case c.d.byteLength && len(v.Text) >= math.MaxUint8:
		w.Fail("length", clauseNameRange, "%d characters and a NUL do not fit a length of one byte", len(v.Text))
		return
	case c.d.byteLength:
		w.Uint8(uint8(len(v.Text) + 1))
	default:
		c.writeIndex(w, int64(len(v.Text))+1, "length")
	}
	w.Text(v.Text)
	w.Uint8(0)
}

func (c *Codec) writeWide(w *wire.Writer, text string) {
	if c.d.byteLength || !c.d.wideNames {
		w.Fail("wide", clauseNameRange, "a name of 16-bit units has no encoding")
		return
	}
	units, err := wire.DecodeWTF8(text)
	if err != nil {
		w.Fail("text", clauseNameRange, "%v", err)
		return
	}
	c.writeIndex(w, -int64(len(units))-1, "length")
	for _, u := range units {
		w.Uint16(u)
	}
	w.Uint16(0)
}
