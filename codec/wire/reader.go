package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Reader is a place in an input. After the first fault every method returns
// zero values, so that a structure is read top to bottom without a check
// after each field; loops ask [Reader.Failed].
//
// Most methods take the name of the field for the path, and the clause that
// describes it.
type Reader struct {
	buf     []byte
	off     int
	big     bool
	track   bool // the path is kept
	tracing bool // spans are kept
	depth   int
	limits  Limits
	err     *Error
	path    []step
	spans   []Span
}

func newReader(src []byte, s Settings) *Reader {
	return &Reader{buf: src, big: s.BigEndian, limits: s.Limits}
}

// Offset returns the place in bytes from the start of the input.
func (r *Reader) Offset() int { return r.off }

// Left returns the number of bytes behind the place, and 0 after a fault.
func (r *Reader) Left() int { return len(r.buf) - r.off }

// Failed reports whether a fault has been found.
func (r *Reader) Failed() bool { return r.err != nil }

// Tracing reports whether spans are kept; what only serves them can be left out otherwise.
func (r *Reader) Tracing() bool { return r.tracing }

// Plain reports whether neither path nor spans are kept and nothing has
// failed: then bytes may be taken by [Reader.Rest] and [Reader.Skip], which
// name no field.
func (r *Reader) Plain() bool { return !r.track && r.err == nil }

// Skip moves n bytes on, which are there.
func (r *Reader) Skip(n int) { r.off += n }

// Enter begins a field that has parts; [Reader.Leave] ends it.
func (r *Reader) Enter(name string) {
	if r.track && r.err == nil {
		r.path = append(r.path, step{name: name})
	}
}

// EnterIndex begins an element.
func (r *Reader) EnterIndex(i int) {
	if r.track && r.err == nil {
		r.path = append(r.path, step{index: i})
	}
}

// Leave ends what Enter began.
func (r *Reader) Leave() {
	if r.track && r.err == nil {
		r.path = r.path[:len(r.path)-1]
	}
}

// Descend begins a level of nesting and reports whether the limit allows it;
// [Reader.Ascend] ends it.
func (r *Reader) Descend(clause ids.Clause) bool {
	limit := r.limits.MaxDepth
	if limit == 0 {
		limit = DefaultMaxDepth
	}
	if r.depth >= limit {
		r.Fail(Limit, r.off, "", clause, "nested deeper than %d levels", limit)
		return false
	}
	r.depth++
	return true
}

// Ascend ends a level of nesting.
func (r *Reader) Ascend() { r.depth-- }

// Fail records a fault at an offset, in the named field of the current path.
// Only the first fault counts.
func (r *Reader) Fail(class Class, offset int, field string, clause ids.Clause, format string, args ...any) {
	if r.err != nil {
		return
	}
	r.err = &Error{Class: class, Offset: offset, Clause: clause}
	if r.track {
		r.err.Path = joinPath(r.path, field)
		r.err.Detail = fmt.Sprintf(format, args...)
	}
	r.buf = r.buf[:min(r.off, len(r.buf))] // so that every further read comes up short
}

// step is a field, or without a name an element. It is put into words only
// where somebody asks.
type step struct {
	name  string
	index int
}

// joinPath writes steps as a.b[2].c.
func joinPath(steps []step, field string) string {
	var b strings.Builder
	name := func(s string) {
		if b.Len() > 0 && s != "" && s[0] != '[' {
			b.WriteByte('.')
		}
		b.WriteString(s)
	}
	for _, s := range steps {
		if s.name != "" {
			name(s.name)
			continue
		}
		b.WriteByte('[')
		b.WriteString(strconv.Itoa(s.index))
		b.WriteByte(']')
	}
	name(field)
	return b.String()
}

// Try reads with f and reports whether it found no fault. If it did, the
// reader is where it was before, as if nothing had been read; but a fault of
// class [Limit] stays: it says something of the reader, not of the input, and
// must not decide how that is read.
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

// A Window is the part of the input that [Reader.Narrow] leaves in sight.
type Window struct{ outer []byte }

// Narrow lets the input end n bytes behind the place, which are there, until
// [Reader.Widen] is called with the window.
func (r *Reader) Narrow(n int) Window {
	w := Window{r.buf}
	if r.err == nil {
		r.buf = r.buf[:r.off+n]
	}
	return w
}

// Widen ends a window. Bytes left over in it are trailing.
func (r *Reader) Widen(w Window, field string, clause ids.Clause) {
	if r.err == nil && r.Left() > 0 {
		r.Fail(Trailing, r.off, field, clause, "bytes left over: %d", r.Left())
	}
	if r.err == nil {
		r.buf = w.outer
	}
}

// need returns the next n bytes, or nil and a fault.
func (r *Reader) need(n int, field string, clause ids.Clause) []byte {
	if len(r.buf)-r.off < n {
		r.short(uint64(n), field, clause)
		return nil
	}
	b := r.buf[r.off : r.off+n : r.off+n]
	r.off += n
	return b
}

func (r *Reader) short(n uint64, field string, clause ids.Clause) {
	r.Fail(Truncated, r.off, field, clause, "needs %d, has %d", n, len(r.buf)-r.off)
}

func (r *Reader) leaf(n int, field string, clause ids.Clause, value string) {
	if n > 0 {
		r.spans = append(r.spans, Span{r.off - n, r.off, joinPath(r.path, field), value, clause})
	}
}

// Note replaces the value shown for the span read last, where the bare number
// says too little.
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

// Text reads n bytes as a string, which may hold anything.
func (r *Reader) Text(n int, field string, clause ids.Clause) string {
	b := r.need(n, field, clause)
	if b != nil && r.tracing {
		r.leaf(n, field, clause, quote(b))
	}
	return string(b)
}

// TextBytes reads n bytes like [Reader.Text] without copying them: they alias
// the input.
func (r *Reader) TextBytes(n int, field string, clause ids.Clause) []byte {
	b := r.need(n, field, clause)
	if b != nil && r.tracing {
		r.leaf(n, field, clause, quote(b))
	}
	return b
}

// Take reads n bytes like [Reader.Bytes] for a field whose meaning is worked
// out by the caller, who names it with [Reader.Note].
func (r *Reader) Take(n int, field string, clause ids.Clause) []byte {
	b := r.need(n, field, clause)
	if b != nil && r.tracing {
		r.leaf(n, field, clause, "")
	}
	return b
}

// Rest returns the bytes behind the place without moving.
func (r *Reader) Rest() []byte { return r.buf[r.off:] }

// Seek moves to an offset of the input. Spans may then be read out of order.
func (r *Reader) Seek(offset int) {
	if r.err == nil {
		r.off = offset
	}
}

// Len returns the length of the input; less after a fault.
func (r *Reader) Len() int { return len(r.buf) }

// Count checks a count read before: n elements of at least size bytes each
// have to fit into what is left. It returns n, or 0 and a fault at the count,
// which took width bytes.
func (r *Reader) Count(n uint32, size, width int, field string, clause ids.Clause) int {
	return r.CountAt(n, size, r.off-width, field, clause)
}

// CountAt is [Reader.Count] for a count that does not stand right before the
// place but at an offset.
func (r *Reader) CountAt(n uint32, size, at int, field string, clause ids.Clause) int {
	if r.err != nil {
		return 0
	}
	if uint64(n)*uint64(max(size, 1)) > uint64(r.Left()) {
		left := r.Left()
		r.Fail(Truncated, at, field, clause, "%d elements of at least %d bytes cannot be in the %d bytes left", n, max(size, 1), left)
		return 0
	}
	if m := r.limits.MaxCount; m > 0 && uint64(n) > uint64(m) {
		r.Fail(Limit, at, field, clause, "%d elements are more than the limit of %d", n, m)
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
