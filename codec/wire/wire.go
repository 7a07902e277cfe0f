// Package wire is the base of all codecs: primitives for reading and
// appending, offsets, paths, limits, the error type, and the tracing of spans.
// It knows no format.
//
// A family describes each structure once for reading and once for writing, as
// a [Structure]. Reading and writing are sticky: after the first fault every
// method does nothing, and that fault is returned. Neither keeps the path.
// After a fault the structure is read or written a second time with the path
// kept, so that a path costs nothing while there is no fault.
package wire

import (
	"cmp"
	"sync"

	"github.com/formatgauge/formatgauge/spec/ids"
)

// Settings configure a codec. The zero value reads real files: the observed
// profile, little-endian, default limits.
type Settings struct {
	Profile ids.Profile
	// BigEndian selects the byte order of numbers, in families that have two.
	BigEndian bool
	Limits    Limits

	short, trailing ids.Clause
}

// Citing returns the settings for a family that has one clause about fields that the
// input does not contain completely, and one about bytes after a value. Errors of
// class [Truncated] then cite the first one instead of the clause of the field, unless
// it is empty or [Reader.Cite] changes it. Errors of class [Trailing] cite the second.
func (s Settings) Citing(short, trailing ids.Clause) Settings {
	s.short, s.trailing = short, trailing
	return s
}

// Limits bound what a hostile input may cost. The zero value is safe.
// Independently of them, a count never allocates more elements than the
// remaining bytes can contain.
type Limits struct {
	// MaxDepth is the maximum number of nested levels; 0 means [DefaultMaxDepth].
	MaxDepth int
	// MaxCount is the maximum number of elements of one array; 0 means no limit.
	MaxCount int
	// MaxSpans is the maximum number of spans of one [Structure.Trace]; 0 means no
	// limit.
	MaxSpans int
}

// DefaultMaxDepth is the default of [Limits].MaxDepth. Real files reach 13
// levels.
const DefaultMaxDepth = 64

// Depth returns MaxDepth or its default.
func (l Limits) Depth() int { return cmp.Or(l.MaxDepth, DefaultMaxDepth) }

// A Span is a run of bytes with its meaning. The leaf spans of an accepted
// input cover each of its bytes exactly once.
type Span struct {
	Start  int        `json:"start"`            // offset in the input
	End    int        `json:"end"`              // offset after the last byte
	Path   string     `json:"path"`             // to the field, such as names[3].name.text
	Value  string     `json:"value"`            // for people
	Clause ids.Clause `json:"clause,omitempty"` // that describes the field; empty if there is none
}

// A Structure reads and writes one documented structure under one dialect. A
// method of a codec returns it. It is small, immutable and safe for concurrent
// use. The zero Structure reads and writes nothing: its methods return errors.
type Structure[T any] struct{ d *Description[T] }

// Name returns the type's full name, such as ubi.Array<Vector3>.
func (s Structure[T]) Name() string { return DescriptionOf(s).Name }

// Decode reads a value whose encoding is the whole of src. Errors are of type
// [*Error].
func (s Structure[T]) Decode(src []byte) (T, error) {
	d := DescriptionOf(s)
	if d.Shortcut != nil {
		if v, n := d.Shortcut(src); n > 0 && n == len(src) {
			return v, nil
		}
	}
	v, n, err := s.DecodePrefix(src)
	if err == nil && n != len(src) {
		var zero T
		return zero, d.trailing(src, n)
	}
	return v, err
}

// DecodePrefix reads a value from the beginning of src and returns the number
// of bytes that it read. Errors are of type [*Error].
func (s Structure[T]) DecodePrefix(src []byte) (T, int, error) {
	d := DescriptionOf(s)
	if d.Shortcut != nil {
		if v, n := d.Shortcut(src); n > 0 {
			return v, n, nil
		}
	}
	v, n, fault := d.once(src)
	if fault == nil {
		return v, n, nil
	}
	var zero T
	return zero, 0, d.explain(src, fault, func(r *Reader) { d.Read(r) })
}

// Trace reads like [Structure.Decode] and also returns the leaf spans in the
// order of the input: after a fault, those before it.
func (s Structure[T]) Trace(src []byte) (T, []Span, error) {
	d := DescriptionOf(s)
	r := new(Reader)
	r.begin(src, d.Settings)
	r.track, r.tracing = true, true
	v := d.Read(r)
	var zero T
	switch {
	case r.err != nil:
		return zero, r.sortedSpans(), d.named(r.err)
	case r.off != len(src):
		return zero, r.sortedSpans(), d.trailing(src, r.off)
	}
	return v, r.sortedSpans(), nil
}

// Readers and writers are reused, as zero values: otherwise each call would
// allocate one.
var (
	readers = sync.Pool{New: func() any { return new(Reader) }}
	writers = sync.Pool{New: func() any { return new(Writer) }}
)

// Append appends the encoding of a value to dst. Errors are of type [*Error]
// and class [Range], or [Limit] for a value nested too deeply to be read back;
// dst is then returned unchanged. It allocates to extend dst and, in few
// structures, for an index of a table.
func (s Structure[T]) Append(dst []byte, v T) ([]byte, error) {
	d := DescriptionOf(s)
	if d.ShortcutAppend != nil {
		if out := d.ShortcutAppend(dst, v); out != nil {
			return out, nil
		}
	}
	w := writers.Get().(*Writer)
	w.buf, w.base, w.big, w.limits = dst, len(dst), d.Settings.BigEndian, d.Settings.Limits
	d.Write(w, v)
	out, fault := w.buf, w.err
	*w = Writer{}
	writers.Put(w)
	if fault == nil {
		return out, nil
	}
	w = &Writer{big: d.Settings.BigEndian, trail: trail{limits: d.Settings.Limits, track: true}}
	d.Write(w, v)
	if w.err != nil {
		fault = w.err
	}
	return dst, d.named(fault)
}

// ReadN reads n consecutive values with a function, a count that
// [Reader.Count] has checked. The result is nil after a fault.
func ReadN[T any](r *Reader, n int, read func(*Reader) T) []T {
	return ReadEach(r, n, func(r *Reader, v *T) { *v = read(r) })
}

// ReadEach is [ReadN] with a function that reads into a zero value in its place.
func ReadEach[T any](r *Reader, n int, read func(*Reader, *T)) []T {
	if r.err != nil {
		return nil
	}
	outer := r.share
	r.share = min(n*textPerElement, r.Remaining())
	out := make([]T, n)
	for i := range out {
		r.EnterIndex(i)
		read(r, &out[i])
		r.Leave()
		if r.err != nil {
			return nil
		}
	}
	r.share = outer
	return out
}

// textPerElement is the size of the blocks that the strings of an array share,
// in bytes per element. Rows of real name tables have 16 to 28 bytes.
const textPerElement = 32

// WriteN writes consecutive values with a function.
func WriteN[T any](w *Writer, vs []T, write func(*Writer, T)) {
	WriteEach(w, vs, func(w *Writer, v *T) { write(w, *v) })
}

// WriteEach is [WriteN] with a function that writes a value from its place.
func WriteEach[T any](w *Writer, vs []T, write func(*Writer, *T)) {
	for i := range vs {
		w.EnterIndex(i)
		write(w, &vs[i])
		w.Leave()
	}
}
