package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Writer appends. After the first fault what it appends no longer matters.
type Writer struct {
	buf    []byte
	base   int // where the value begins in buf
	big    bool
	track  bool
	depth  int
	limits Limits
	err    *Error
	path   []step
}

// Offset returns the number of bytes written for this value.
func (w *Writer) Offset() int { return len(w.buf) - w.base }

// Failed reports whether a fault has been found.
func (w *Writer) Failed() bool { return w.err != nil }

// Plain reports whether no path is kept and nothing has failed: then bytes may
// be appended to [Writer.Buffer] without a word about fields.
func (w *Writer) Plain() bool { return !w.track && w.err == nil }

// Buffer returns everything up to the place, for code that appends by itself
// and gives the result to [Writer.SetBuffer].
func (w *Writer) Buffer() []byte { return w.buf }

// SetBuffer replaces the buffer by what it has grown to.
func (w *Writer) SetBuffer(b []byte) { w.buf = b }

// Enter begins a field that has parts; [Writer.Leave] ends it.
func (w *Writer) Enter(name string) {
	if w.track && w.err == nil {
		w.path = append(w.path, step{name: name})
	}
}

// EnterIndex begins an element.
func (w *Writer) EnterIndex(i int) {
	if w.track && w.err == nil {
		w.path = append(w.path, step{index: i})
	}
}

// Leave ends what Enter began.
func (w *Writer) Leave() {
	if w.track && w.err == nil {
		w.path = w.path[:len(w.path)-1]
	}
}

// Descend begins a level of nesting and reports whether the limit allows it:
// what could not be read back is not written.
func (w *Writer) Descend(clause ids.Clause) bool {
	limit := w.limits.MaxDepth
	if limit == 0 {
		limit = DefaultMaxDepth
	}
	if w.depth >= limit {
		w.fail(Limit, "", clause, "nested deeper than %d levels", limit)
		return false
	}
	w.depth++
	return true
}

// Ascend ends a level of nesting.
func (w *Writer) Ascend() { w.depth-- }

// Fail records that the value cannot be written. Only the first fault counts.
func (w *Writer) Fail(field string, clause ids.Clause, format string, args ...any) {
	w.fail(Range, field, clause, format, args...)
}

func (w *Writer) fail(class Class, field string, clause ids.Clause, format string, args ...any) {
	if w.err != nil {
		return
	}
	w.err = &Error{Class: class, Offset: w.Offset(), Clause: clause}
	if w.track {
		w.err.Path = joinPath(w.path, field)
		w.err.Detail = fmt.Sprintf(format, args...)
	}
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

// Float32 appends a number's four bytes.
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

// Float64 appends a number's eight bytes.
func (w *Writer) Float64(v float64) { w.Uint64(math.Float64bits(v)) }

// Bytes appends b.
func (w *Writer) Bytes(b []byte) { w.buf = append(w.buf, b...) }

// Text appends the bytes of s.
func (w *Writer) Text(s string) { w.buf = append(w.buf, s...) }

// Apply appends with a function in append style.
func (w *Writer) Apply(f func(dst []byte) []byte) { w.buf = f(w.buf) }

// Written returns what was written for this value so far; it may be patched
// in place until the next append.
func (w *Writer) Written() []byte { return w.buf[w.base:] }

// Len checks that a length fits 32 bits.
func (w *Writer) Len(n int, field string, clause ids.Clause) uint32 {
	if uint64(n) > math.MaxUint32 {
		w.Fail(field, clause, "%d elements do not fit a 32-bit count", n)
	}
	return uint32(n)
}
