package upkg

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/upkg"
)

// maxIndexSize is the maximum size of a compact index in bytes.
const maxIndexSize = 5

// ConsumeCompactIndex reads a compact index as engines do: a 32-bit integer in
// any encoding. It returns the number of bytes read, or 0 if src ends before
// the index does.
func ConsumeCompactIndex(src []byte) (v int32, n int) {
	// Missing bytes are all ones, so that another byte is expected after them.
	b := uint32(math.MaxUint32)
	if len(src) < maxIndexSize {
		for i := len(src) - 1; i >= 0; i-- {
			b = b<<8 | uint32(src[i])
		}
	} else {
		b = binary.LittleEndian.Uint32(src)
	}
	// All ones if negative. A branch on the sign would be mispredicted too often.
	sign := int32(int8(b)) >> 7
	m := b & 0x3F
	if b&0x40 == 0 {
		return (int32(m) ^ sign) - sign, 1
	}
	m |= b >> 2 & (0x7F << 6)
	if b&0x8000 == 0 {
		return (int32(m) ^ sign) - sign, 2
	}
	m |= b >> 3 & (0x7F << 13)
	if b&0x800000 == 0 {
		return (int32(m) ^ sign) - sign, 3
	}
	m |= b >> 4 & (0x7F << 20)
	if b&0x80000000 == 0 {
		return (int32(m) ^ sign) - sign, 4
	}
	if len(src) < maxIndexSize {
		return 0, 0
	}
	m |= uint32(src[4]) << 27
	return (int32(m) ^ sign) - sign, 5
}

// AppendCompactIndex appends the shortest encoding of a compact index.
func AppendCompactIndex(dst []byte, v int32) []byte { return appendIndex(dst, int64(v)) }

// appendIndex appends a value whose magnitude fits 35 bits.
func appendIndex(dst []byte, v int64) []byte {
	m := uint64(max(v, -v))
	first := byte(m & 0x3F)
	if v < 0 {
		first |= 0x80
	}
	if m >>= 6; m == 0 {
		return append(dst, first)
	}
	dst = append(dst, first|0x40)
	for range maxIndexSize - 2 {
		b := byte(m & 0x7F)
		if m >>= 7; m == 0 {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
	return append(dst, byte(m))
}

// maxMagnitude is the greatest magnitude of 6+7+7+7+8 bits.
const maxMagnitude = 1<<35 - 1

// CompactIndex is a signed integer in one to five bytes.
func (c *Codec) CompactIndex() wire.Structure[model.CompactIndex] {
	return wire.Keep(c.family, wire.Key{Name: "CompactIndex"}, func() wire.Description[model.CompactIndex] {
		d := wire.Describe(c.family, "CompactIndex", 1,
			func(r *wire.Reader) model.CompactIndex { return model.CompactIndex(c.readIndex(r, "", "UPKG-CI-3")) },
			func(w *wire.Writer, v model.CompactIndex) { c.writeIndex(w, int64(v), "") })
		d.Shortcut = func(src []byte) (model.CompactIndex, int) {
			v, n, flaw := c.index(src)
			if flaw != sound {
				return 0, 0
			}
			return model.CompactIndex(v), n
		}
		return d
	})
}

// A flaw is why a compact index is rejected.
type flaw uint8

const (
	sound        flaw = iota
	notCanonical      // accepted, and kept in tables
	endsEarly
	fifthTooHigh
	isMinusZero
	isPadded
)

// index reads a compact index of n bytes.
func (c *Codec) index(src []byte) (v int64, n int, f flaw) {
	low, n := ConsumeCompactIndex(src)
	v = int64(low)
	switch {
	case n == 0:
		return 0, 0, endsEarly
	case n == maxIndexSize:
		if v, f = c.longIndex(src[:n]); f != sound {
			return v, n, f
		}
	}
	switch {
	case undisputed(src, n):
		return v, n, sound
	case c.d.minusZeroRejected && minusZero(src[:n]):
		return v, n, isMinusZero
	case c.d.paddedRejected && n > 1 && src[n-1] == 0:
		return v, n, isPadded
	}
	if c.kept != nil && !isShortest(src[:n], v) {
		return v, n, notCanonical
	}
	return v, n, sound
}

// undisputed reports whether an index has its shortest form, of n bytes, which are at most
// four. All dialects agree on it.
func undisputed(src []byte, n int) bool {
	return n == 1 && src[0] != 0x80 || n > 1 && n < maxIndexSize && src[n-1] != 0
}

// isShortest reports whether a writer gives a value these bytes.
func isShortest(stored []byte, v int64) bool {
	var b [maxIndexSize]byte
	return bytes.Equal(appendIndex(b[:0], v), stored)
}

// longIndex returns the value of an index of five bytes.
func (c *Codec) longIndex(stored []byte) (v int64, f flaw) {
	m, negative := magnitude(stored), stored[0]&0x80 != 0
	switch c.d.fifthByte {
	case fifthMasked:
		m &= 1<<32 - 1
	case fifthStrict:
		if stored[maxIndexSize-1] > 0x0F && !(negative && m == 1<<31) {
			return 0, fifthTooHigh
		}
	}
	v = int64(m)
	if negative {
		v = -v
	}
	if !c.d.wideIndex {
		v = int64(int32(v))
	}
	return v, sound
}

// magnitude returns all 35 bits.
func magnitude(stored []byte) uint64 {
	m := uint64(stored[0] & 0x3F)
	for i, b := range stored[1:] {
		if i < maxIndexSize-2 {
			b &= 0x7F
		}
		m |= uint64(b) << (6 + 7*i)
	}
	return m
}

// minusZero reports whether an index is stored as the sign and a magnitude of
// zero. A magnitude that becomes zero only by losing bits is not minus zero.
func minusZero(stored []byte) bool { return stored[0]&0x80 != 0 && magnitude(stored) == 0 }

// readIndex reads a compact index. Without a trace one in an undisputed form needs no search
// for flaws; most have one byte.
func (c *Codec) readIndex(r *wire.Reader, field string, clause clauseID) int64 {
	if b, ok := r.Peek(); ok && b&0x40 == 0 && b != 0x80 && !r.Tracing() {
		r.Skip(1)
		sign := int64(int8(b)) >> 7
		return (int64(b&0x3F) ^ sign) - sign
	}
	return c.readLongIndex(r, field, clause)
}

func (c *Codec) readLongIndex(r *wire.Reader, field string, clause clauseID) int64 {
	src := r.Unread()
	if v, n := ConsumeCompactIndex(src); undisputed(src, n) && !r.Tracing() {
		r.Skip(n)
		return int64(v)
	}
	v, n, flaw := c.index(src)
	switch flaw {
	case sound:
	case notCanonical:
		c.keep(r.Offset(), src[:n])
	default:
		rejectIndex(r, field, src, n, flaw)
		return 0
	}
	if r.Tracing() {
		if n == 1 && clause == "UPKG-CI-3" {
			clause = "UPKG-CI-2"
		}
		r.Bytes(n, field, clause)
		r.Note("%d", v)
	} else {
		r.Skip(n)
	}
	return v
}

func rejectIndex(r *wire.Reader, field string, src []byte, n int, f flaw) {
	at, stored := r.Offset(), src[:n]
	if r.Tracing() {
		r.Bytes(n, field, "UPKG-CI-3")
	}
	switch f {
	case endsEarly:
		required := ""
		if len(src) > 0 {
			required = fmt.Sprintf(", of which the last, 0x%02x, requires another", src[len(src)-1])
		}
		r.Fail(wire.Truncated, at, field, "UPKG-CI-10",
			"expected a compact index of at least %s, found %d%s", wire.CountBytes(len(src)+1), len(src), required)
	case fifthTooHigh:
		r.Fail(wire.Value, at+maxIndexSize-1, field, "UPKG-CI-5", "expected a fifth byte of at most 0x0f under "+
			"upkg.ci-fifth-high-bits=strict, found 0x%02x", src[maxIndexSize-1])
	case isMinusZero:
		r.Fail(wire.Noncanonical, at, field, "UPKG-CI-8",
			"expected the encoding 00 for zero under upkg.ci-minus-zero=strict, found minus zero (% x)", stored)
	case isPadded:
		r.Fail(wire.Noncanonical, at, field, "UPKG-CI-9", "expected the shortest encoding under "+
			"upkg.ci-non-minimal=strict, found the padded index % x", stored)
	}
}

func (c *Codec) writeIndex(w *wire.Writer, v int64, field string) {
	if c.kept != nil {
		if stored, ok := c.keptAt(w); ok {
			got, n, flaw := c.index(stored)
			c.writeKept(w, field, got == v && n == len(stored) && flaw == notCanonical)
			return
		}
	}
	if v >= 0 && v < 1<<6 {
		w.Uint8(uint8(v))
		return
	}
	if v < c.d.leastIndex || v > c.d.greatestIndex {
		w.Fail(field, "UPKG-CI-7", "expected a value from %d to %d, found %d", c.d.leastIndex, c.d.greatestIndex, v)
		return
	}
	w.Apply(func(dst []byte) []byte { return appendIndex(dst, v) })
}

// ObjectReference is a reference to an import, to an export or to nothing,
// stored as a compact index.
func (c *Codec) ObjectReference() wire.Structure[model.ObjectReference] {
	return wire.Bind(c.family, c, "ObjectReference", 1,
		func(c *Codec, r *wire.Reader) model.ObjectReference { return c.readReference(r, "", "UPKG-REF-1") },
		func(c *Codec, w *wire.Writer, v model.ObjectReference) { c.writeReference(w, v, "") })
}

func (c *Codec) readReference(r *wire.Reader, field string, clause clauseID) model.ObjectReference {
	ref := model.ReferenceTo(c.readIndex(r, field, clause))
	if r.Tracing() {
		noteReference(r, ref)
	}
	return ref
}

func noteReference(r *wire.Reader, ref model.ObjectReference) {
	if ref.Table == model.Null {
		r.Note("0: null")
		return
	}
	r.Note("%d: %s %d", ref.Value(), ref.Table, ref.Entry)
}

func (c *Codec) writeReference(w *wire.Writer, ref model.ObjectReference, field string) {
	if v, ok := numberOf(w, ref, field); ok {
		c.writeIndex(w, v, field)
	}
}

// numberOf returns the number that stores a reference, if there is one.
func numberOf(w *wire.Writer, ref model.ObjectReference, field string) (v int64, ok bool) {
	v, ok = ref.Value(), ref.Entry < math.MaxInt64
	if !ok || model.ReferenceTo(v) != ref {
		w.Fail(field, "UPKG-REF-6", "expected null with entry 0, or an import or export with an entry below %d, "+
			"found %s with entry %d",
			int64(math.MaxInt64), ref.Table, ref.Entry)
		return 0, false
	}
	return v, true
}
