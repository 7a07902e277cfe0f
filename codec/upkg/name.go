package upkg

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/upkg"
)

// prefixedFrom is the first package version whose names have a length.
const prefixedFrom = 64

// Name is a string in the form of a package version. Below 64 it is the
// characters and a NUL; from 64 it is a length that counts the NUL, the
// characters and a NUL.
func (c *Codec) Name(version uint16) wire.Structure[model.Name] {
	return wire.Keep(c.family, wire.Key{Name: "Name", Number: version}, func() wire.Description[model.Name] {
		return wire.Describe(c.family, "Name", 1,
			func(r *wire.Reader) model.Name { v, _ := c.readName(r, version); return v },
			func(w *wire.Writer, v model.Name) { c.writeName(w, v, version) })
	})
}

// readName reads a name. exact is true if it is sure to be written as it is
// stored.
func (c *Codec) readName(r *wire.Reader, version uint16) (v model.Name, exact bool) {
	if version < prefixedFrom {
		return readTerminated(r), true
	}
	at, src := r.Offset(), r.Unread()
	var n int64
	shortest := true
	if c.d.byteLength {
		rule := r.Cite("UPKG-NAME-9")
		n = int64(r.Uint8("length", "UPKG-NAME-2"))
		r.Cite(rule)
	} else {
		n = c.readIndex(r, "length", "UPKG-NAME-3")
		size := r.Offset() - at
		shortest = undisputed(src, size) || isShortest(src[:size], n)
	}
	switch {
	case r.Failed():
		return v, false
	case n == 0:
		if !c.d.zeroLength {
			r.Fail(wire.Value, at, "length", "UPKG-NAME-4", "expected at least 1 (the NUL) under upkg.name-length-zero=documented, found 0")
		}
		return v, false
	case n < 0:
		if !c.d.wideNames {
			r.Fail(wire.Value, at, "length", "UPKG-NAME-5", "expected at least 1 under upkg.name-unicode=documented, found %d, a wide name", n)
			return v, false
		}
		return c.readWide(r, at, n, shortest)
	}
	size := r.Length(n, 1, "", at, "length", "UPKG-NAME-9")
	if size == 0 {
		return v, false
	}
	all := r.String(size, "text", "UPKG-NAME-2")
	v.Text, exact = all[:size-1], all[size-1] == 0
	if !exact {
		v.Text = c.unterminated(r, v.Text, all, all[size-1:])
	}
	return c.finished(r, v, exact && shortest)
}

// readWide reads a name of -n 16-bit units. at is the offset of n, its length.
func (c *Codec) readWide(r *wire.Reader, at int, n int64, shortest bool) (v model.Name, exact bool) {
	size := r.Length(n, 2, "because it is negative", at, "length", "UPKG-NAME-9")
	if size == 0 {
		return v, false
	}
	b := r.Bytes(size, "text", "UPKG-NAME-5")
	text, last := b[:size-2], b[size-2:]
	v, exact = model.Name{Text: r.Units(text), Wide: true}, last[0]|last[1] == 0
	if !exact {
		v.Text = c.unterminated(r, v.Text, r.Units(b), string(last))
	}
	return c.finished(r, v, exact && shortest)
}

// finished shows the text of a name that was read, and ends it at an embedded
// NUL if the dialect does.
func (c *Codec) finished(r *wire.Reader, v model.Name, exact bool) (model.Name, bool) {
	noteText(r, v.Text)
	if c.d.cutAtNUL {
		text, _, cut := strings.Cut(v.Text, "\x00")
		return model.Name{Text: text, Wide: v.Wide}, exact && !cut
	}
	return v, exact
}

// unterminated returns the text of a name whose last character, just read, is
// not NUL. text is the name without that character, all is the name with it.
func (c *Codec) unterminated(r *wire.Reader, text, all, last string) string {
	switch c.d.terminator {
	case unterminatedRejected:
		stored := []byte(last)
		slices.Reverse(stored) // as a number
		r.Fail(wire.Value, r.Offset()-len(last), "text", "UPKG-NAME-6", "expected NUL as the last %s that the "+
			"length counts (upkg.name-terminator=documented), found 0x%x", [...]string{1: "byte", 2: "16-bit unit"}[len(last)], stored)
	case unterminatedKept:
		return all
	}
	return text
}

func readTerminated(r *wire.Reader) model.Name {
	n := bytes.IndexByte(r.Unread(), 0)
	if n < 0 {
		r.Fail(wire.Truncated, r.Offset(), "text", "UPKG-NAME-9",
			"expected a NUL before the end of the input, found none")
		return model.Name{}
	}
	text := r.String(n+1, "text", "UPKG-NAME-1")[:n]
	noteText(r, text)
	return model.Name{Text: text}
}

// noteText shows a text without its terminator.
func noteText(r *wire.Reader, text string) {
	if r.Tracing() {
		r.Note("%q", text)
	}
}

func (c *Codec) writeName(w *wire.Writer, v model.Name, version uint16) {
	terminated, clause := version < prefixedFrom, clauseID("UPKG-NAME-13")
	if terminated {
		clause = "UPKG-NAME-10"
	}
	if terminated || c.d.cutAtNUL {
		if nul := strings.IndexByte(v.Text, 0); nul >= 0 {
			w.Fail("text", clause, "expected a text without NUL, found a NUL at byte %d of it", nul)
			return
		}
	}
	switch {
	case v.Wide && (terminated || c.d.byteLength || !c.d.wideNames):
		why := "upkg.name-unicode=documented"
		if terminated {
			why = "below version 64"
		} else if c.d.byteLength {
			why = "upkg.name-length-kind=documented"
		}
		w.Fail("wide", "UPKG-NAME-10", "expected a name of single bytes (%s), found a wide name", why)
		return
	case v.Wide:
		c.writeWide(w, v.Text)
		return
	case terminated:
		w.Text(v.Text)
		w.Uint8(0)
		return
	case c.d.byteLength && len(v.Text) >= math.MaxUint8:
		w.Fail("length", "UPKG-NAME-10", "expected a text of at most %d bytes (upkg.name-length-kind=documented), found %d",
			math.MaxUint8-1, len(v.Text))
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
	n, err := wire.CountUnits(text)
	if err != nil {
		w.Fail("text", "UPKG-NAME-10", "%v", err)
		return
	}
	c.writeIndex(w, -int64(n)-1, "length")
	w.Units(text)
	w.Uint16(0)
}
