// Package wire is the floor that all codecs stand on: reading and appending
// primitives, offsets, paths, limits, the one error type, and the tracing of
// spans. It knows no format.
//
// A family describes each structure once for reading and once for writing, as
// a [Structure]. Reading and writing are sticky: after the first fault
// everything else is a no-op, and the fault is what is returned. Neither
// keeps track of the path: when something fails, the structure is gone
// through a second time with tracking on, so that a path costs nothing as
// long as nothing fails.
package wire

import (
	"fmt"
	"sync"

	"github.com/formatgauge/formatgauge/spec/ids"
)

// Settings are what every codec is made from. The zero value reads real
// files: the observed profile, little-endian, default limits.
type Settings struct {
	Profile ids.Profile
	// BigEndian swaps every multi-byte number, in families that have a byte order.
	BigEndian bool
	Limits    Limits
}

// Limits bound what a hostile input may cost. The zero value is safe. Beside
// them, nothing is allocated that the bytes present cannot justify.
type Limits struct {
	// MaxDepth bounds how deep structures nest; 0 means [DefaultMaxDepth].
	MaxDepth int
	// MaxCount bounds the elements of one array; 0 leaves it to the bytes present.
	MaxCount int
}

// DefaultMaxDepth is the nesting that is followed unless said otherwise. Real
// files nest nine deep.
const DefaultMaxDepth = 64

// A Span is a run of bytes with what it means. The leaf spans of an accepted
// input cover each of its bytes exactly once.
type Span struct {
	Start, End int
	Path       string
	Value      string
	Clause     ids.Clause
}

// A Structure reads and writes one documented structure under one dialect.
// It is small, immutable and safe for concurrent use.
type Structure[T any] struct {
	name     string
	min      int
	settings Settings
	read     func(*Reader) T
	write    func(*Writer, T)
	readN    func(*Reader, int) []T
	writeN   func(*Writer, []T)
}

// New describes a structure: its full name, the least number of bytes it
// takes, and how it is read and written.
func New[T any](name string, least int, s Settings, read func(*Reader) T, write func(*Writer, T)) Structure[T] {
	return Structure[T]{name: name, min: least, settings: s, read: read, write: write}
}

// WithBulk adds a faster way for many elements in a row. It must give exactly
// what reading and writing one by one gives. readN is called with a count for
// which the bytes are present.
func (s Structure[T]) WithBulk(readN func(*Reader, int) []T, writeN func(*Writer, []T)) Structure[T] {
	s.readN, s.writeN = readN, writeN
	return s
}

// Name returns the type's full name, such as ubi.Array<Vector3>.
func (s Structure[T]) Name() string { return s.name }

// Min returns the least number of bytes that a value takes.
func (s Structure[T]) Min() int { return s.min }

// Settings returns what the structure was made with.
func (s Structure[T]) Settings() Settings { return s.settings }

// Decode reads a value that takes up all of src. Errors are of type [*Error].
func (s Structure[T]) Decode(src []byte) (T, error) {
	v, n, err := s.DecodePrefix(src)
	if err == nil && n != len(src) {
		var zero T
		return zero, s.trailing(src, n)
	}
	return v, err
}

// DecodePrefix reads a value from the beginning of src and tells how many
// bytes it took. Errors are of type [*Error].
func (s Structure[T]) DecodePrefix(src []byte) (T, int, error) {
	r := newReader(src, s.settings)
	v := s.read(r)
	if r.err == nil {
		return v, r.off, nil
	}
	var zero T
	return zero, 0, s.explain(src)
}

// Trace reads like [Structure.Decode] and returns the leaf spans too, in the
// order of the input.
func (s Structure[T]) Trace(src []byte) (T, []Span, error) {
	r := newReader(src, s.settings)
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

// writers spares Append the one allocation that it would make.
var writers = sync.Pool{New: func() any { return new(Writer) }}

// Append writes a value behind dst. Errors are of type [*Error] and class
// [Range], or [Limit] where the value nests too deep to be read back; dst is
// then returned as it was. Nothing is allocated but what dst has to grow by.
func (s Structure[T]) Append(dst []byte, v T) ([]byte, error) {
	w := writers.Get().(*Writer)
	*w = Writer{buf: dst, base: len(dst), big: s.settings.BigEndian, limits: s.settings.Limits}
	s.write(w, v)
	out, failed := w.buf, w.err != nil
	*w = Writer{}
	writers.Put(w)
	if !failed {
		return out, nil
	}
	w = &Writer{big: s.settings.BigEndian, limits: s.settings.Limits, track: true}
	s.write(w, v)
	return dst, s.named(w.err)
}

// explain reads again to learn where the fault lies.
func (s Structure[T]) explain(src []byte) error {
	r := newReader(src, s.settings)
	r.track = true
	s.read(r)
	return s.named(r.err)
}

func (s Structure[T]) named(err *Error) error {
	err.Type = s.name
	return err
}

func (s Structure[T]) trailing(src []byte, n int) error {
	return &Error{Type: s.name, Class: Trailing, Offset: n, Detail: fmt.Sprintf("bytes left over: %d", len(src)-n)}
}

// Read reads one value as part of a larger structure.
func (s Structure[T]) Read(r *Reader) T { return s.read(r) }

// Write writes one value as part of a larger structure.
func (s Structure[T]) Write(w *Writer, v T) { s.write(w, v) }

// ReadN reads n values in a row, for which [Reader.Count] has found room.
func (s Structure[T]) ReadN(r *Reader, n int) []T {
	if r.err != nil {
		return nil
	}
	if s.readN != nil && !r.track {
		return s.readN(r, n)
	}
	out := make([]T, 0, n)
	for i := range n {
		r.EnterIndex(i)
		out = append(out, s.read(r))
		r.Leave()
		if r.err != nil {
			return nil
		}
	}
	return out
}

// WriteN writes values in a row.
func (s Structure[T]) WriteN(w *Writer, vs []T) {
	if s.writeN != nil {
		s.writeN(w, vs)
		return
	}
	for i, v := range vs {
		w.EnterIndex(i)
		s.write(w, v)
		w.Leave()
	}
}
