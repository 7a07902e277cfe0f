package wire

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

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
	size    int // of the whole input, without regard to a window
	big     bool
	tracing bool // spans are kept
	spans   []Span
	rule    ids.Clause // that [Reader.Cite] set
	// The strings of an array share memory. Text of the input is cut out of block,
	// a copy of the input from blockAt on; converted text is put into texts.
	share   int // the size of the next block; a longer string has its own
	block   string
	blockAt int
	texts   strings.Builder
	scratch []byte // for a text that is being converted
}

// begin prepares a zero reader.
func (r *Reader) begin(src []byte, s Settings) {
	r.buf, r.size, r.big, r.limits, r.rule = src, len(src), s.BigEndian, s.Limits, s.short
}

// Offset returns the position in bytes from the start of the input.
func (r *Reader) Offset() int { return r.off }

// Remaining returns the number of unread bytes, and 0 after a fault.
func (r *Reader) Remaining() int { return len(r.buf) - r.off }

// Unread returns the unread bytes without reading them. They alias the input.
func (r *Reader) Unread() []byte { return r.buf[r.off:] }

// Peek returns the next byte without reading it, if there is one.
func (r *Reader) Peek() (b byte, ok bool) {
	if r.off >= len(r.buf) {
		return 0, false
	}
	return r.buf[r.off], true
}

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
func (r *Reader) Skip(n int) {
	if uint(n) <= uint(r.Remaining()) {
		r.off += n
	} else {
		r.short(n, "", "")
	}
}

// Descend begins a level of nesting and reports whether the limit allows it.
// Ascend ends it.
func (r *Reader) Descend(clause ids.Clause) bool { return r.descend(r.off, clause) }

// Fail records a fault at an offset, in the named field of the current path.
// Only the first fault counts. It is not inlined, to keep its callers small.
//
//go:noinline
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
		saved.texts = r.texts // what it contains is not overwritten
		*r = saved
	}
	return false
}

// Fault describes the fault so far, without the type. It is empty if there is none.
func (r *Reader) Fault() string {
	if r.err == nil {
		return ""
	}
	return strings.TrimSpace(r.err.Error())
}

// A Window is a part of the input outside of which nothing is read, from
// [Reader.Narrow] to [Reader.Widen].
type Window struct {
	outer, inner []byte
	steps, depth int // the path and the level at its start
}

// Narrow ends the input n bytes after the position until [Reader.Widen] is
// called with the window. If fewer bytes remain, that is a fault.
func (r *Reader) Narrow(n int) Window {
	w := Window{outer: r.buf, steps: len(r.path), depth: r.depth}
	if uint(n) > uint(r.Remaining()) {
		r.short(n, "", "")
	}
	if r.err == nil {
		r.buf = r.buf[:r.off+n]
	}
	w.inner = r.buf
	return w
}

// Forgive drops a fault that was found since [Reader.Narrow] and reports
// whether there was one. The position stays; path, level and window are those
// at its start again. A fault of class [Limit] or [Unsupported] stays: it
// describes the reader, not the input, and must not decide how the input is
// read.
func (r *Reader) Forgive(w Window) bool {
	if r.err == nil || r.err.Class == Limit || r.err.Class == Unsupported {
		return false
	}
	r.err, r.buf, r.path, r.depth = nil, w.inner, r.path[:w.steps], w.depth
	return true
}

// Widen ends a window. Bytes that remain in it are trailing.
func (r *Reader) Widen(w Window, field string, clause ids.Clause) {
	if r.err == nil && r.Remaining() > 0 {
		r.Fail(Trailing, r.off, field, clause, "expected a value that uses all bytes of its stored size, found %s unread",
			CountBytes(r.Remaining()))
	}
	if r.err == nil {
		r.buf = w.outer
	}
}

// Seek sets the position to an offset in the input or its window. Spans may
// then be read out of order.
func (r *Reader) Seek(offset int) {
	if uint(offset) > uint(len(r.buf)) {
		r.Fail(Truncated, r.off, "", "", "expected an offset of at most %d, the end of the input, found %d",
			len(r.buf), offset)
	}
	if r.err == nil {
		r.off = offset
	}
}

// take returns the next n bytes, or nil if fewer remain.
func (r *Reader) take(n int) []byte {
	at := r.off
	if uint(n) > uint(len(r.buf)-at) {
		return nil
	}
	r.off = at + n
	return r.buf[at : at+n : at+n]
}

// need returns the next n bytes, or nil and a fault.
func (r *Reader) need(n int, field string, clause ids.Clause) []byte {
	b := r.take(n)
	if b == nil && n != 0 {
		r.short(n, field, clause)
	}
	return b
}

// short records that fewer than n bytes remain.
func (r *Reader) short(n int, field string, clause ids.Clause) {
	r.Fail(Truncated, r.off, field, cmp.Or(r.rule, clause), "expected %s, found %s", CountBytes(n), r.found("", ""))
}

// found describes the remaining bytes in an error: their number, where they start and end.
func (r *Reader) found(start, end string) string {
	if len(r.buf) < r.size {
		end = fmt.Sprintf(" up to offset %d, where an enclosing length or size ends", len(r.buf))
	}
	return strconv.Itoa(r.Remaining()) + start + end
}

// Cite sets the clause that errors cite if the input does not contain a field
// completely, and returns the one before. If it is empty, they cite the clause of the
// field.
func (r *Reader) Cite(rule ids.Clause) (before ids.Clause) {
	before, r.rule = r.rule, rule
	return before
}

// CountBytes returns a number of bytes as text: "1 byte", "2 bytes".
func CountBytes[T int | uint32 | uint64](n T) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

func (r *Reader) leaf(n int, field string, clause ids.Clause, value string) {
	if m := r.limits.MaxSpans; m > 0 && len(r.spans) == m && n > 0 {
		r.Fail(Limit, r.off-n, field, clause, "expected at most %d spans in the trace, the limit, found more", m)
	} else if n > 0 {
		r.spans = append(r.spans, Span{r.off - n, r.off, r.pathTo(field), value, clause})
	}
}

// Note replaces the value shown for the last span, where the plain number or
// the bytes say too little. After a fault it does nothing: values that were read
// since are zero, and the last span can be that of another field.
func (r *Reader) Note(format string, args ...any) {
	if r.tracing && r.err == nil && len(r.spans) > 0 {
		r.spans[len(r.spans)-1].Value = fmt.Sprintf(format, args...)
	}
}

func (r *Reader) sortedSpans() []Span {
	slices.SortStableFunc(r.spans, func(a, b Span) int { return a.Start - b.Start })
	return r.spans
}

// Uint8 reads one byte.
func (r *Reader) Uint8(field string, clause ids.Clause) uint8 {
	b := r.take(1)
	if b == nil {
		r.short(1, field, clause)
		return 0
	}
	if r.tracing {
		r.leaf(1, field, clause, strconv.Itoa(int(b[0])))
	}
	return b[0]
}

// Uint16 reads two bytes.
func (r *Reader) Uint16(field string, clause ids.Clause) uint16 {
	b := r.take(2)
	if b == nil {
		r.short(2, field, clause)
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
	return r.load32(field, clause, func(v uint32) string { return strconv.FormatUint(uint64(v), 10) })
}

// Hex32 is [Reader.Uint32] for flags and tags: a span shows eight hex digits.
func (r *Reader) Hex32(field string, clause ids.Clause) uint32 {
	return r.load32(field, clause, func(v uint32) string { return fmt.Sprintf("%08x", v) })
}

// Int32 reads four bytes in two's complement.
func (r *Reader) Int32(field string, clause ids.Clause) int32 {
	return int32(r.load32(field, clause, func(v uint32) string { return strconv.Itoa(int(int32(v))) }))
}

// Float32 reads four bytes as an IEEE 754 number, every bit kept.
func (r *Reader) Float32(field string, clause ids.Clause) float32 {
	return math.Float32frombits(r.load32(field, clause,
		func(v uint32) string { return FormatFloat32(math.Float32frombits(v)) }))
}

// load32 reads four bytes. A span shows them in a format.
func (r *Reader) load32(field string, clause ids.Clause, format func(uint32) string) uint32 {
	b := r.take(4)
	if b == nil {
		r.short(4, field, clause)
		return 0
	}
	v := binary.LittleEndian.Uint32(b)
	if r.big {
		v = bits.ReverseBytes32(v)
	}
	if r.tracing {
		r.leaf(4, field, clause, format(v))
	}
	return v
}

// Uint64 reads eight bytes.
func (r *Reader) Uint64(field string, clause ids.Clause) uint64 {
	return r.load64(field, clause, func(v uint64) string { return strconv.FormatUint(v, 10) })
}

// Int64 reads eight bytes in two's complement.
func (r *Reader) Int64(field string, clause ids.Clause) int64 {
	return int64(r.load64(field, clause, func(v uint64) string { return strconv.FormatInt(int64(v), 10) }))
}

// Float64 reads eight bytes as an IEEE 754 number, every bit kept.
func (r *Reader) Float64(field string, clause ids.Clause) float64 {
	return math.Float64frombits(r.load64(field, clause,
		func(v uint64) string { return FormatFloat64(math.Float64frombits(v)) }))
}

func (r *Reader) load64(field string, clause ids.Clause, format func(uint64) string) uint64 {
	b := r.take(8)
	if b == nil {
		r.short(8, field, clause)
		return 0
	}
	v := binary.LittleEndian.Uint64(b)
	if r.big {
		v = bits.ReverseBytes64(v)
	}
	if r.tracing {
		r.leaf(8, field, clause, format(v))
	}
	return v
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

// String is [Reader.Text] as a string. It shares memory with other strings of
// the same array.
func (r *Reader) String(n int, field string, clause ids.Clause) string {
	at := r.off
	if b := r.Text(n, field, clause); len(b) == 0 {
		return ""
	}
	if at < r.blockAt || r.off > r.blockAt+len(r.block) {
		r.blockAt, r.block = at, string(r.buf[at:min(at+max(n, r.share), len(r.buf))])
	}
	return r.block[at-r.blockAt : r.off-r.blockAt]
}

// Convert returns the text that a function makes of bytes. It shares memory
// with other converted texts of the same array.
func (r *Reader) Convert(b []byte, appendText func(dst, src []byte) []byte) string {
	r.scratch = appendText(r.scratch[:0], b)
	if len(r.scratch) > r.texts.Cap()-r.texts.Len() {
		r.texts = strings.Builder{}
		r.texts.Grow(max(len(r.scratch), r.share))
	}
	at := r.texts.Len()
	r.texts.Write(r.scratch)
	return r.texts.String()[at:]
}

// Units returns the WTF-8 form of bytes that are 16-bit units, like
// [Reader.Convert].
func (r *Reader) Units(b []byte) string {
	var order binary.ByteOrder = binary.LittleEndian
	if r.big {
		order = binary.BigEndian
	}
	return r.Convert(b, func(dst, src []byte) []byte {
		return appendUnits(dst, len(src)/2, func(i int) uint16 { return order.Uint16(src[2*i:]) })
	})
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
		start, end := "", " remaining"
		if r.off > offset+8 { // the elements do not follow the count
			start, end = fmt.Sprintf(" from offset %d", r.off), " to the end of the input"
		}
		r.Fail(Truncated, offset, field, clause, "expected at least %s for a count of %d (at least %s each), "+
			"found %s", CountBytes(least), n, CountBytes(max(size, 1)), r.found(start, end))
		return 0
	}
	if m := r.limits.MaxCount; m > 0 && uint64(n) > uint64(m) {
		r.Fail(Limit, offset, field, clause, "expected a count of at most %d, the limit, found %d", m, n)
		return 0
	}
	return int(n)
}

// Length checks a length or size that is stored at an offset: n units of a size in
// bytes, or -n if n is below 0, have to be in the remaining bytes. It returns their size,
// or 0 and a fault at the length, which shows n as it is stored, and why it has this unit.
func (r *Reader) Length(n int64, unit int, why string, offset int, field string, clause ids.Clause) int {
	units := uint64(n)
	if n < 0 {
		units = -units
	}
	high, size := bits.Mul64(units, uint64(unit))
	if high > 0 {
		size = math.MaxUint64
	}
	if size > uint64(r.Remaining()) {
		noun := "length"
		if field == "size" {
			noun = field
		}
		what := ""
		if why != "" {
			what = fmt.Sprintf(" (in units of %s, %s)", CountBytes(unit), why)
		}
		r.Fail(Truncated, offset, field, clause, "expected %s for a %s of %d%s, found %s", CountBytes(size), noun,
			n, what, r.found("", " remaining"))
		return 0
	}
	return int(size)
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
