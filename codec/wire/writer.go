package wire

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Writer appends to a buffer. After the first fault the buffer is thrown away.
type Writer struct {
	trail
	buf  []byte
	base int // the offset in buf at which the value begins
	big  bool
}

// Offset returns the number of bytes written for this value.
func (w *Writer) Offset() int { return len(w.buf) - w.base }

// Descend begins a level of nesting and reports whether the limit allows it:
// a value that could not be read back is not written. Ascend ends it.
func (w *Writer) Descend(clause ids.Clause) bool { return w.descend(w.Offset(), clause) }

// Fail records that the value cannot be written, with class [Range]. Only the
// first fault counts.
func (w *Writer) Fail(field string, clause ids.Clause, format string, args ...any) {
	w.fail(Range, w.Offset(), field, clause, format, args...)
}

// Uint8 appends one byte.
func (w *Writer) Uint8(v uint8) { w.buf = append(w.buf, v) }

// Uint16 appends two bytes.
func (w *Writer) Uint16(v uint16) {
	if w.big {
		v = bits.ReverseBytes16(v)
	}
	w.buf = binary.LittleEndian.AppendUint16(w.buf, v)
}

// Uint32 appends four bytes.
func (w *Writer) Uint32(v uint32) {
	if w.big {
		v = bits.ReverseBytes32(v)
	}
	w.buf = binary.LittleEndian.AppendUint32(w.buf, v)
}

// Int32 appends four bytes in two's complement.
func (w *Writer) Int32(v int32) { w.Uint32(uint32(v)) }

// Float32 appends four bytes as an IEEE 754 number, every bit kept.
func (w *Writer) Float32(v float32) { w.Uint32(math.Float32bits(v)) }

// Uint64 appends eight bytes.
func (w *Writer) Uint64(v uint64) {
	if w.big {
		v = bits.ReverseBytes64(v)
	}
	w.buf = binary.LittleEndian.AppendUint64(w.buf, v)
}

// Int64 appends eight bytes in two's complement.
func (w *Writer) Int64(v int64) { w.Uint64(uint64(v)) }

// Float64 appends eight bytes as an IEEE 754 number, every bit kept.
func (w *Writer) Float64(v float64) { w.Uint64(math.Float64bits(v)) }

// Bytes appends b.
func (w *Writer) Bytes(b []byte) { w.buf = append(w.buf, b...) }

// Text appends the bytes of s.
func (w *Writer) Text(s string) { w.buf = append(w.buf, s...) }

// Units appends the 16-bit units of a string that is WTF-8.
func (w *Writer) Units(s string) {
	for i := 0; i < len(s); {
		c, size := DecodeWTF8Rune(s[i:])
		var pair [2]uint16
		for _, u := range appendUnit(pair[:0], c) {
			w.Uint16(u)
		}
		i += max(size, 1)
	}
}

// Apply appends with a function that returns the extended buffer.
func (w *Writer) Apply(f func(dst []byte) []byte) { w.buf = f(w.buf) }

// Written returns the bytes written for this value so far. They may be changed
// in place until the next append.
func (w *Writer) Written() []byte { return w.buf[w.base:] }

// Len returns a length or count as a uint32. A greater one is a fault.
func (w *Writer) Len(n int, field string, clause ids.Clause) uint32 {
	if uint64(n) > math.MaxUint32 {
		w.Fail(field, clause, "expected a length or count of at most 4294967295, found %d", n)
	}
	return uint32(n)
}
