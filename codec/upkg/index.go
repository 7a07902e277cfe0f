package upkg

import (
	"encoding/binary"
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

// consumeMagnitude reads the sign and all 35 bits. n is 0 if src ends before
// the index does.
func consumeMagnitude(src []byte) (magnitude uint64, negative bool, n int) {
	if len(src) == 0 {
		return 0, false, 0
	}
	magnitude, negative = uint64(src[0]&0x3F), src[0]&0x80 != 0
	if src[0]&0x40 == 0 {
		return magnitude, negative, 1
	}
	for i, shift := 1, 6; i < len(src); i, shift = i+1, shift+7 {
		if i == maxIndexSize-1 {
			return magnitude | uint64(src[i])<<shift, negative, maxIndexSize
		}
		magnitude |= uint64(src[i]&0x7F) << shift
		if src[i]&0x80 == 0 {
			return magnitude, negative, i + 1
		}
	}
	return 0, false, 0
}

// AppendCompactIndex appends the shortest encoding of a compact index.
func AppendCompactIndex(dst []byte, v int32) []byte { return appendIndex(dst, int64(v)) }

// appendIndex appends a value whose magnitude fits 35 bits.
func appendIndex(dst []byte, v int64) []byte {
	return appendMagnitude(dst, uint64(max(v, -v)), v < 0)
}

func appendMagnitude(dst []byte, m uint64, negative bool) []byte {
	first := byte(m & 0x3F)
	if negative {
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
	return structure(c, "CompactIndex", 1,
		func(r *wire.Reader) model.CompactIndex { return model.CompactIndex(c.readIndex(r, "", clauseIndex)) },
		func(w *wire.Writer, v model.CompactIndex) { c.writeIndex(w, int64(v), "") })
}

// readIndex reads a compact index.
func (c *Codec) readIndex(r *wire.Reader, field string, clause clauseID) int64 {
	at := r.Offset()
	src := r.Unread()
	m, negative, n := consumeMagnitude(src)
	if n == 0 {
		r.Fail(wire.Truncated, at, field, clauseIndexTruncated, "expected byte %d of the index, found the end of the input", len(src)+1)
		return 0
	}
	if n == maxIndexSize {
		fifth := src[maxIndexSize-1]
		switch c.d.fifthByte {
		case fifthMasked:
			m &= 1<<32 - 1
		case fifthStrict:
			if fifth > 0x0F && !(negative && m == 1<<31) {
				r.Fail(wire.Value, at+maxIndexSize-1, field, clauseIndexFifth, "expected a fifth byte of at most 0f for a value of 32 bits, found %02x", fifth)
				return 0
			}
		}
	}
	v := int64(m)
	if negative {
		v = -v
	}
	if !c.d.wideIndex {
		v = int64(int32(v))
	}
	if c.d.minusZeroRejected && minusZero(src[:n]) {
		r.Fail(wire.Noncanonical, at, field, clauseIndexMinusZero, "expected 00 for zero, found minus zero, %x", src[:n])
		return 0
	}
	if c.d.paddedRejected && n > 1 && src[n-1] == 0 {
		r.Fail(wire.Noncanonical, at, field, clauseIndexPadded, "expected the shortest encoding, found the padded %x", src[:n])
		return 0
	}
	if c.inTable {
		if canonical := appendIndex(nil, v); string(canonical) != string(src[:n]) {
			r.Fail(wire.Noncanonical, at, field, clauseTableCanonical, "expected the canonical encoding %x in a table, found %x", canonical, src[:n])
			return 0
		}
	}
	if n == 1 && clause == clauseIndex {
		clause = clauseIndexFirst
	}
	r.Bytes(n, field, clause)
	r.Note("%d", v)
	return v
}

// minusZero reports whether an index is stored as the sign and a magnitude of
// zero. A magnitude that becomes zero only by losing bits is not minus zero.
func minusZero(stored []byte) bool {
	magnitude, negative, _ := consumeMagnitude(stored)
	return negative && magnitude == 0
}

func (c *Codec) writeIndex(w *wire.Writer, v int64, field string) {
	if v < c.d.leastIndex || v > c.d.greatestIndex {
		w.Fail(field, clauseIndexRange, "expected a value from %d to %d, found %d", c.d.leastIndex, c.d.greatestIndex, v)
		return
	}
	w.Apply(func(dst []byte) []byte { return appendIndex(dst, v) })
}

// ObjectReference is a reference to an import, to an export or to nothing,
// stored as a compact index.
func (c *Codec) ObjectReference() wire.Structure[model.ObjectReference] {
	return structure(c, "ObjectReference", 1,
		func(r *wire.Reader) model.ObjectReference { return c.readReference(r, "", clauseReference) },
		func(w *wire.Writer, v model.ObjectReference) { c.writeReference(w, v, "") })
}

func (c *Codec) readReference(r *wire.Reader, field string, clause clauseID) model.ObjectReference {
	ref := model.ReferenceTo(c.readIndex(r, field, clause))
	noteReference(r, ref)
	return ref
}

func noteReference(r *wire.Reader, ref model.ObjectReference) {
	if ref.Table == model.Null {
		r.Note("0: null")
		return
	}
	r.Note("%d: %s %d", ref.Value(), ref.Table, ref.Entry)
}

func (c *Codec) writeReference(w *wire.Writer, v model.ObjectReference, field string) {
	if !checkReference(w, v, field) {
		return
	}
	c.writeIndex(w, v.Value(), field)
}

// checkReference reports whether a number can store a reference.
func checkReference(w *wire.Writer, v model.ObjectReference, field string) bool {
	if v.Entry >= math.MaxInt64 || model.ReferenceTo(v.Value()) != v {
		w.Fail(field, clauseReferenceRange, "expected null with entry 0, or an import or export below %d; found %s %d", int64(math.MaxInt64), v.Table, v.Entry)
		return false
	}
	return true
}
