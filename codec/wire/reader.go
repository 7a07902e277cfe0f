package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Reader reads an input from a position onwards. After the first fault every
// method returns zero values, so that a structure is read top to bottom
// without a check after each field; loops ask Failed.
//
// Most methods take the name of the field, for the path, and the clause that
// describes it.
type Reader struct {
	trail
	buf     []byte
	off     int
	big     bool
	tracing bool // spans are kept
	spans   []Span
}

func (r *Reader) reset(src []byte, s Settings) {
	*r = Reader{buf: src, big: s.BigEndian, trail: trail{limits: s.Limits}}
}

// Offset returns the position in bytes from the start of the input.
func (r *Reader) Offset() int { return r.off }

// Remaining returns the number of unread bytes, and 0 after a fault.
func (r *Reader) Remaining() int { return len(r.buf) - r.off }

// Unread returns the unread bytes without reading them. They alias the input.
func (r *Reader) Unread() []byte { return r.buf[r.off:] }

// Len returns the number of bytes up to the end of the input or window; fewer
// after a fault.
func (r *Reader) Len() int { return len(r.buf) }

// Tracing reports whether spans are kept. Work that only serves spans can be
// omitted otherwise.
func (r *Reader) Tracing() bool { return r.tracing }

// Plain reports whether neither path nor spans are kept and there is no
// fault. Then bytes may be taken from [Reader.Unread] and skipped.
func (r *Reader) Plain() bool { return !r.track && r.err == nil }

// Skip advances the position by n bytes that the caller took from
// [Reader.Unread]. No span covers them.
func (r *Reader) Skip(n int) { r.need(n, "", "") }

// Descend begins a level of nesting and reports whether the limit allows it.
// Ascend ends it.
func (r *Reader) Descend(clause ids.Clause) bool { return r.descend(r.off, clause) }

// Fail records a fault at an offset, in the named field of the current path.
// Only the first fault counts.
func (r *Reader) Fail(class Class, offset int, field string, clause ids.Clause, format string, args ...any) {
	r.fail(class, offset, field, clause, format, args...)
	r.buf = r.buf[:min(r.off, len(r.buf))] // so that no further read succeeds
}

// Try reads with f and reports whether there was no fault. After a fault the
// reader is where it was before, as if nothing had been read. A fault of class
// [Limit] stays: it describes the reader, not the input, and must not decide
// how the input is read.
func (r *Reader) Try(f func(*Reader)) bool {
	if r.err != nil {
		return false
	}
	saved := *r
	f(r)
	if r.err == nil {
		return true
	}
	if r.err.Class != Limit {
		*r = saved
	}
	return false
}

// A Window is a part of the input outside of which nothing is read, from
// [Reader.Narrow] to [Reader.Widen].
type Window struct{ outer []byte }

// Narrow ends the input n bytes after the position until [Reader.Widen] is
// called with the window. If fewer bytes remain, that is a fault.
func (r *Reader) Narrow(n int) Window {
	w := Window{r.buf}
	if uint(n) > uint(r.Remaining()) {
		r.short(n, "", "")
	}
	if r.err == nil {
		r.buf = r.buf[:r.off+n]
	}
	return w
}

// Widen ends a window. Bytes that remain in it are trailing.
func (r *Reader) Widen(w Window, field string, clause ids.Clause) {
	if r.err == nil && r.Remaining() > 0 {
		r.Fail(Trailing, r.off, field, clause, "found %s after the end", countBytes(r.Remaining()))
	}
	if r.err == nil {
		r.buf = w.outer
	}
}

// Seek sets the position to an offset in the input or its window. Spans may
// then be read out of order.
func (r *Reader) Seek(offset int) {
	if uint(offset) > uint(len(r.buf)) {
		r.Fail(Truncated, r.off, "", "", "offset %d is beyond the end of the input, %d", offset, len(r.buf))
	}
	if r.err == nil {
		r.off = offset
	}
}

// need returns the next n bytes, or nil and a fault.
func (r *Reader) need(n int, field string, clause ids.Clause) []byte {
	if uint(n) > uint(len(r.buf)-r.off) {
		r.short(n, field, clause)
		return nil
	}
	b := r.buf[r.off : r.off+n : r.off+n]
	r.off += n
	return b
}

func (r *Reader) short(n int, field string, clause ids.Clause) {
	r.Fail(Truncated, r.off, field, clause, "expected %s, found %d", countBytes(n), r.Remaining())
}

func countBytes(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return strconv.Itoa(n) + " bytes"
}

func (r *Reader) leaf(n int, field string, clause ids.Clause, value string) {
	if n > 0 {
		r.spans = append(r.spans, Span{r.off - n, r.off, r.pathTo(field), value, clause})
	}
}

// Note replaces the value shown for the last span, where the plain number or
// the bytes say too little.
func (r *Reader) Note(format string, args ...any) {
	if r.tracing && len(r.spans) > 0 {
		r.spans[len(r.spans)-1].Value = fmt.Sprintf(format, args...)
	}
}

func (r *Reader) sortedSpans() []Span {
	slices.SortStableFunc(r.spans, func(a, b Span) int { return a.Start - b.Start })
	return r.spans
}

// Uint8 reads one byte.
func (r *Reader) Uint8(field string, clause ids.Clause) uint8 {
	b := r.need(1, field, clause)
	if b == nil {
		return 0
	}
	if r.tracing {
		r.leaf(1, field, clause, strconv.Itoa(int(b[0])))
	}
	return b[0]
}

// Uint16 reads two bytes.
func (r *Reader) Uint16(field string, clause ids.Clause) uint16 {
	b := r.need(2, field, clause)
	if b == nil {
		return 0
	}
	v := binary.LittleEndian.Uint16(b)
	if r.big {
		v = bits.ReverseBytes16(v)
	}
	if r.tracing {
		r.leaf(2, field, clause, strconv.Itoa(int(v)))
	}
	return v
}

// Uint32 reads four bytes.
func (r *Reader) Uint32(field string, clause ids.Clause) uint32 {
	v, ok := r.uint32(field, clause)
	if ok && r.tracing {
		r.leaf(4, field, clause, strconv.FormatUint(uint64(v), 10))
	}
	return v
}

// Int32 reads four bytes in two's complement.
func (r *Reader) Int32(field string, clause ids.Clause) int32 {
	v, ok := r.uint32(field, clause)
	if ok && r.tracing {
		r.leaf(4, field, clause, strconv.Itoa(int(int32(v))))
	}
	return int32(v)
}

// Float32 reads four bytes as an IEEE 754 number, every bit kept.
func (r *Reader) Float32(field string, clause ids.Clause) float32 {
	v, ok := r.uint32(field, clause)
	if ok && r.tracing {
		r.leaf(4, field, clause, FormatFloat32(math.Float32frombits(v)))
	}
	return math.Float32frombits(v)
}

func (r *Reader) uint32(field string, clause ids.Clause) (uint32, bool) {
	b := r.need(4, field, clause)
	if b == nil {
		return 0, false
	}
	v := binary.LittleEndian.Uint32(b)
	if r.big {
		v = bits.ReverseBytes32(v)
	}
	return v, true
}

// Uint64 reads eight bytes.
func (r *Reader) Uint64(field string, clause ids.Clause) uint64 {
	v, ok := r.uint64(field, clause)
	if ok && r.tracing {
		r.leaf(8, field, clause, strconv.FormatUint(v, 10))
	}
	return v
}

// Int64 reads eight bytes in two's complement.
func (r *Reader) Int64(field string, clause ids.Clause) int64 {
	v, ok := r.uint64(field, clause)
	if ok && r.tracing {
		r.leaf(8, field, clause, strconv.FormatInt(int64(v), 10))
	}
	return int64(v)
}

// Float64 reads eight bytes as an IEEE 754 number, every bit kept.
func (r *Reader) Float64(field string, clause ids.Clause) float64 {
	v, ok := r.uint64(field, clause)
	if ok && r.tracing {
		r.leaf(8, field, clause, FormatFloat64(math.Float64frombits(v)))
	}
	return math.Float64frombits(v)
}

func (r *Reader) uint64(field string, clause ids.Clause) (uint64, bool) {
	b := r.need(8, field, clause)
	if b == nil {
		return 0, false
	}
	v := binary.LittleEndian.Uint64(b)
	if r.big {
		v = bits.ReverseBytes64(v)
	}
	return v, true
}

// Bytes reads n bytes without copying them: they alias the input.
func (r *Reader) Bytes(n int, field string, clause ids.Clause) []byte {
	b := r.need(n, field, clause)
	if b != nil && r.tracing {
		r.leaf(n, field, clause, formatBytes(b))
	}
	return b
}

// Text is [Reader.Bytes] for text: a span shows it quoted.
func (r *Reader) Text(n int, field string, clause ids.Clause) []byte {
	b := r.need(n, field, clause)
	if b != nil && r.tracing {
		r.leaf(n, field, clause, quote(b))
	}
	return b
}

// Count checks a count that was just read from width bytes: n elements of at
// least size bytes each have to fit into the remaining bytes. It returns n, or
// 0 and a fault at the count.
func (r *Reader) Count(n uint32, size, width int, field string, clause ids.Clause) int {
	return r.CountAt(n, size, r.off-width, field, clause)
}

// CountAt is [Reader.Count] for a count at another offset.
func (r *Reader) CountAt(n uint32, size, offset int, field string, clause ids.Clause) int {
	if r.err != nil {
		return 0
	}
	high, least := bits.Mul64(uint64(n), uint64(max(size, 1)))
	if high > 0 {
		least = math.MaxUint64
	}
	if least > uint64(r.Remaining()) {
		r.Fail(Truncated, offset, field, clause, "a count of %d needs at least %d bytes, found %d", n, least, r.Remaining())
		return 0
	}
	if m := r.limits.MaxCount; m > 0 && uint64(n) > uint64(m) {
		r.Fail(Limit, offset, field, clause, "a count of %d exceeds the limit of %d", n, m)
		return 0
	}
	return int(n)
}

const shownBytes = 24

func formatBytes(b []byte) string {
	if len(b) > shownBytes {
		return fmt.Sprintf("%x... (%d bytes)", b[:shownBytes], len(b))
	}
	return fmt.Sprintf("%x", b)
}

func quote(b []byte) string {
	if len(b) > 4*shownBytes {
		return fmt.Sprintf("%q... (%d bytes)", b[:4*shownBytes], len(b))
	}
	return strconv.Quote(string(b))
}
