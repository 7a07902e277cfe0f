package wire

import "sync"

// A Family is what the codec of a family has in common with the others: the prefix
// of the names of its types, its settings, and the structures that it has made.
type Family struct {
	Prefix     string
	Settings   Settings
	structures sync.Map // descriptions by Key
}

// A Key says which structure of a codec one is: by its name, and by what else it
// depends on. It decides the type of the values.
type Key struct {
	Name   string
	Number uint16   // the version of a package, or a type id
	Of     [2]*Head // the structures of which it consists
}

// Keep returns the structure of a family with a key. The first call describes it,
// later ones allocate nothing. Without a family it returns the zero Structure.
func Keep[T any](f *Family, k Key, describe func() Description[T]) Structure[T] {
	if f == nil {
		return Structure[T]{}
	}
	d, ok := f.structures.Load(k)
	if !ok {
		made := describe()
		d, _ = f.structures.LoadOrStore(k, &made)
	}
	return Structure[T]{d.(*Description[T])}
}

// Bind is [Keep] for a structure that two functions read and write. They get c, to
// which the structure belongs, such as the codec.
func Bind[C, T any](f *Family, c C, name string, least int, read func(C, *Reader) T, write func(C, *Writer, T),
) Structure[T] {
	return Keep(f, Key{Name: name}, func() Description[T] {
		return Describe(f, name, least, func(r *Reader) T { return read(c, r) }, func(w *Writer, v T) { write(c, w, v) })
	})
}

// A Head is what a description has for every type.
type Head struct {
	Name     string // in full
	Min      int    // the size of the smallest encoding in bytes
	Settings Settings
	Family   *Family
}

// A Description says how a [Structure] is read and written. Makers of structures
// have it, users of a codec do not need it.
type Description[T any] struct {
	Head
	Read  func(*Reader) T
	Write func(*Writer, T)

	// The other functions can be nil. They must give exactly the results of Read and
	// Write.

	// For many consecutive values: ReadBulk gets a count for which enough bytes remain.
	ReadBulk  func(*Reader, int) []T
	WriteBulk func(*Writer, []T)
	// Without a Reader or Writer: a result of n = 0 or nil leaves the decision, and the
	// search for the fault, to Read or Write.
	Shortcut       func(src []byte) (v T, n int)
	ShortcutAppend func(dst []byte, v T) []byte
}

// Describe describes a structure of a family: its name without the prefix, the size
// of its smallest encoding in bytes, and how it is read and written.
func Describe[T any](f *Family, name string, least int, read func(*Reader) T, write func(*Writer, T),
) Description[T] {
	if f == nil {
		return *nothing[T]()
	}
	return Description[T]{Head: Head{f.Prefix + name, least, f.Settings, f}, Read: read, Write: write}
}

// nothing describes the zero Structure. It is not inlined, to keep its callers small.
//
//go:noinline
func nothing[T any]() *Description[T] {
	const detail = "expected a structure of a codec from New, found the zero Structure"
	return &Description[T]{
		Head:  Head{Name: "wire.Structure"},
		Read:  func(r *Reader) (v T) { r.Fail(Unsupported, 0, "", "", detail); return v },
		Write: func(w *Writer, _ T) { w.Fail("", "", detail) },
	}
}

// DescriptionOf returns the description of a structure. It must not be changed.
func DescriptionOf[T any](s Structure[T]) *Description[T] {
	if s.d == nil {
		return nothing[T]()
	}
	return s.d
}

// Structure returns the structure, which no family keeps.
func (d Description[T]) Structure() Structure[T] { return Structure[T]{&d} }

// Probe is [Structure.DecodePrefix] for an input that is probably rejected: it does not
// say why.
func (d *Description[T]) Probe(src []byte) (v T, n int, ok bool) {
	v, n, fault := d.once(src)
	return v, n, fault == nil
}

// ReadN reads n consecutive values, a count that [Reader.Count] has checked.
func (d *Description[T]) ReadN(r *Reader, n int) []T {
	if d.ReadBulk != nil && r.Plain() {
		return d.ReadBulk(r, n)
	}
	return ReadN(r, n, d.Read)
}

// WriteN writes consecutive values.
func (d *Description[T]) WriteN(w *Writer, vs []T) {
	if d.WriteBulk != nil {
		d.WriteBulk(w, vs)
		return
	}
	WriteN(w, vs, d.Write)
}

// once reads without a path.
func (d *Description[T]) once(src []byte) (v T, n int, fault *Error) {
	r := readers.Get().(*Reader)
	r.begin(src, d.Settings)
	v = d.Read(r)
	n, fault = r.off, r.err
	*r = Reader{}
	readers.Put(r)
	return v, n, fault
}

// explain reads again, with the path kept. The first fault is the answer if
// the second pass finds none, which only a faulty structure can cause.
func (h *Head) explain(src []byte, fault *Error, read func(*Reader)) error {
	r := new(Reader)
	r.begin(src, h.Settings)
	r.track = true
	if read(r); r.err != nil {
		fault = r.err
	}
	return h.named(fault)
}

func (h *Head) named(err *Error) error {
	err.Type = h.Name
	return err
}

func (h *Head) trailing(src []byte, n int) error {
	return &Error{
		Type: h.Name, Class: Trailing, Offset: n, Clause: h.Settings.trailing,
		Detail: "expected the end of the input, found " + CountBytes(len(src)-n),
	}
}
