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

// A Span is a run of bytes with its meaning. The leaf spans of an accepted
// input cover each of its bytes exactly once.
type Span struct {
	Start  int        `json:"start"`            // offset in the input
	End    int        `json:"end"`              // offset after the last byte
	Path   string     `json:"path"`             // to the field, such as names[3].name.text
	Value  string     `json:"value"`            // for people
	Clause ids.Clause `json:"clause,omitempty"` // that describes the field; empty if there is none
}

// A Structure reads and writes one documented structure under one dialect.
// It is small, immutable and safe for concurrent use.
type Structure[T any] struct{ *description[T] }

type description[T any] struct {
	name     string
	min      int
	settings Settings
	read     func(*Reader) T
	write    func(*Writer, T)
	readN    func(*Reader, int) []T
	writeN   func(*Writer, []T)
	quick    func(src []byte) (v T, n int)

	quickAppend func(dst []byte, v T) []byte
}

// New describes a structure: its full name, the size of its smallest encoding
// in bytes, and how it is read and written.
func New[T any](name string, least int, s Settings, read func(*Reader) T, write func(*Writer, T)) Structure[T] {
	return Structure[T]{&description[T]{name: name, min: least, settings: s, read: read, write: write}}
}

// WithBulk returns the structure with functions for many consecutive elements.
// They must give exactly the results of reading and writing one by one. readN
// is called with a count for which enough bytes remain.
func (s Structure[T]) WithBulk(readN func(*Reader, int) []T, writeN func(*Writer, []T)) Structure[T] {
	d := *s.description
	d.readN, d.writeN = readN, writeN
	return Structure[T]{&d}
}

// WithQuick returns the structure with a function that reads one value without
// a [Reader]. It must give exactly the result of reading, or n = 0: then the
// Reader decides, which also finds the fault.
func (s Structure[T]) WithQuick(quick func(src []byte) (v T, n int)) Structure[T] {
	d := *s.description
	d.quick = quick
	return Structure[T]{&d}
}

// WithQuickAppend returns the structure with a function that appends one value
// without a [Writer]. It must give exactly the result of writing, or nil: then
// the Writer decides, which also finds the fault.
func (s Structure[T]) WithQuickAppend(quick func(dst []byte, v T) []byte) Structure[T] {
	d := *s.description
	d.quickAppend = quick
	return Structure[T]{&d}
}

// Name returns the type's full name, such as ubi.Array<Vector3>.
func (s Structure[T]) Name() string { return s.name }

// Min returns the size of the smallest encoding of a value, in bytes.
func (s Structure[T]) Min() int { return s.min }

// Settings returns the settings of the structure's codec.
func (s Structure[T]) Settings() Settings { return s.settings }

// Decode reads a value whose encoding is the whole of src. Errors are of type
// [*Error].
func (s Structure[T]) Decode(src []byte) (T, error) {
	if s.quick != nil {
		if v, n := s.quick(src); n > 0 && n == len(src) {
			return v, nil
		}
	}
	v, n, err := s.DecodePrefix(src)
	if err == nil && n != len(src) {
		var zero T
		return zero, s.trailing(src, n)
	}
	return v, err
}

// DecodePrefix reads a value from the beginning of src and returns the number
// of bytes that it read. Errors are of type [*Error].
func (s Structure[T]) DecodePrefix(src []byte) (T, int, error) {
	if s.quick != nil {
		if v, n := s.quick(src); n > 0 {
			return v, n, nil
		}
	}
	v, n, fault := s.once(src)
	if fault == nil {
		return v, n, nil
	}
	var zero T
	return zero, 0, s.explain(src, fault)
}

// Probe is [Structure.DecodePrefix] for an input that is probably rejected: it does not
// say why.
func (s Structure[T]) Probe(src []byte) (v T, n int, ok bool) {
	v, n, fault := s.once(src)
	return v, n, fault == nil
}

// once reads without a path.
func (s Structure[T]) once(src []byte) (v T, n int, fault *Error) {
	r := readers.Get().(*Reader)
	r.begin(src, s.settings)
	v = s.read(r)
	n, fault = r.off, r.err
	*r = Reader{}
	readers.Put(r)
	return v, n, fault
}

// Trace reads like [Structure.Decode] and also returns the leaf spans in the
// order of the input: after a fault, those before it.
func (s Structure[T]) Trace(src []byte) (T, []Span, error) {
	r := new(Reader)
	r.begin(src, s.settings)
	r.track, r.tracing = true, true
	v := s.read(r)
	var zero T
	switch {
	case r.err != nil:
		return zero, r.sortedSpans(), s.named(r.err)
	case r.off != len(src):
		return zero, r.sortedSpans(), s.trailing(src, r.off)
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
	if s.quickAppend != nil {
		if out := s.quickAppend(dst, v); out != nil {
			return out, nil
		}
	}
	w := writers.Get().(*Writer)
	w.buf, w.base, w.big, w.limits = dst, len(dst), s.settings.BigEndian, s.settings.Limits
	s.write(w, v)
	out, fault := w.buf, w.err
	*w = Writer{}
	writers.Put(w)
	if fault == nil {
		return out, nil
	}
	w = &Writer{big: s.settings.BigEndian, trail: trail{limits: s.settings.Limits, track: true}}
	s.write(w, v)
	if w.err != nil {
		fault = w.err
	}
	return dst, s.named(fault)
}

// explain reads again, with the path kept. The first fault is the answer if
// the second pass finds none, which only a faulty structure can cause.
func (s Structure[T]) explain(src []byte, fault *Error) error {
	r := new(Reader)
	r.begin(src, s.settings)
	r.track = true
	if s.read(r); r.err != nil {
		fault = r.err
	}
	return s.named(fault)
}

func (s Structure[T]) named(err *Error) error {
	err.Type = s.name
	return err
}

func (s Structure[T]) trailing(src []byte, n int) error {
	return &Error{
		Type: s.name, Class: Trailing, Offset: n, Clause: s.settings.trailing,
		Detail: "expected the end of the input, found " + CountBytes(len(src)-n),
	}
}

// Read reads one value as part of a larger structure.
func (s Structure[T]) Read(r *Reader) T { return s.read(r) }

// Write writes one value as part of a larger structure.
func (s Structure[T]) Write(w *Writer, v T) { s.write(w, v) }

// ReadN reads n consecutive values, a count that [Reader.Count] has checked.
func (s Structure[T]) ReadN(r *Reader, n int) []T {
	if s.readN != nil && r.Plain() {
		return s.readN(r, n)
	}
	return ReadN(r, n, s.read)
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

// WriteN writes consecutive values.
func (s Structure[T]) WriteN(w *Writer, vs []T) {
	if s.writeN != nil {
		s.writeN(w, vs)
		return
	}
	WriteN(w, vs, s.write)
}

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
