package wire

import "github.com/formatgauge/formatgauge/spec/ids"

// Fields reads fields with R or, if R is nil, writes them with W. So one function
// describes a structure for both ways: it takes a value, a zero one for reading, and
// returns what it has read.
type Fields struct {
	R *Reader
	W *Writer
}

// Reading returns the function that reads what a function describes.
func Reading[T any](body func(Fields, T) T) func(*Reader) T {
	return func(r *Reader) (zero T) { return body(Fields{R: r}, zero) }
}

// Writing returns the function that writes what a function describes.
func Writing[T any](body func(Fields, T) T) func(*Writer, T) {
	return func(w *Writer, v T) { body(Fields{W: w}, v) }
}

// In reads or writes a field that has fields of its own.
func In[T any](f Fields, field string, v T, body func(Fields, T) T) T {
	f.Enter(field)
	v = body(f, v)
	f.Leave()
	return v
}

// Enter begins a field that has parts; Leave ends it.
func (f Fields) Enter(field string) { f.trail().Enter(field) }

// EnterIndex begins element i of an array; Leave ends it.
func (f Fields) EnterIndex(i int) { f.trail().EnterIndex(i) }

// Leave ends the field or element that was entered last.
func (f Fields) Leave() { f.trail().Leave() }

// Descend begins a level of nesting and reports whether the limit allows it. Ascend ends it.
func (f Fields) Descend(clause ids.Clause) bool { return f.trail().descend(f.Offset(), clause) }

// Ascend ends a level of nesting.
func (f Fields) Ascend() { f.trail().Ascend() }

// Failed reports whether a fault has been found.
func (f Fields) Failed() bool { return f.trail().Failed() }

// Offset returns the number of bytes read or written.
func (f Fields) Offset() int {
	if f.R != nil {
		return f.R.Offset()
	}
	return f.W.Offset()
}

// Fail rejects the input at the field that begins back bytes before the present offset, or
// the value to write.
func (f Fields) Fail(class Class, back int, field string, clause ids.Clause, format string, args ...any) {
	if f.R != nil {
		f.R.Fail(class, f.R.Offset()-back, field, clause, format, args...)
	} else {
		f.W.Fail(field, clause, format, args...)
	}
}

func (f Fields) trail() *trail {
	if f.R != nil {
		return &f.R.trail
	}
	return &f.W.trail
}

// either reads a number with one function, or writes it with the other.
func either[T any](f Fields, v *T, field string, clause ids.Clause, read func(*Reader, string, ids.Clause) T,
	write func(*Writer, T),
) {
	if f.R != nil {
		*v = read(f.R, field, clause)
	} else {
		write(f.W, *v)
	}
}

// Uint8 reads or writes one byte.
func (f Fields) Uint8(v *uint8, field string, clause ids.Clause) {
	either(f, v, field, clause, (*Reader).Uint8, (*Writer).Uint8)
}

// Uint16 reads or writes two bytes.
func (f Fields) Uint16(v *uint16, field string, clause ids.Clause) {
	either(f, v, field, clause, (*Reader).Uint16, (*Writer).Uint16)
}

// Uint32 reads or writes four bytes.
func (f Fields) Uint32(v *uint32, field string, clause ids.Clause) {
	either(f, v, field, clause, (*Reader).Uint32, (*Writer).Uint32)
}

// Hex32 is [Fields.Uint32] for flags and tags: a span shows eight hex digits.
func (f Fields) Hex32(v *uint32, field string, clause ids.Clause) {
	either(f, v, field, clause, (*Reader).Hex32, (*Writer).Uint32)
}

// Int32 reads or writes four bytes in two's complement.
func (f Fields) Int32(v *int32, field string, clause ids.Clause) {
	either(f, v, field, clause, (*Reader).Int32, (*Writer).Int32)
}

// Float32 reads or writes four bytes as an IEEE 754 number, every bit kept.
func (f Fields) Float32(v *float32, field string, clause ids.Clause) {
	either(f, v, field, clause, (*Reader).Float32, (*Writer).Float32)
}

// Floats are [Fields] that one clause describes, each of them a number of four bytes.
type Floats struct {
	Fields
	Clause ids.Clause
}

// Float is [Fields.Float32]: it returns what it reads, or its argument.
func (f Floats) Float(name string, v float32) float32 {
	f.Float32(&v, name, f.Clause)
	return v
}

// Uint64 reads or writes eight bytes.
func (f Fields) Uint64(v *uint64, field string, clause ids.Clause) {
	either(f, v, field, clause, (*Reader).Uint64, (*Writer).Uint64)
}

// Int64 reads or writes eight bytes in two's complement.
func (f Fields) Int64(v *int64, field string, clause ids.Clause) {
	either(f, v, field, clause, (*Reader).Int64, (*Writer).Int64)
}

// Bytes reads bytes into b, or writes b.
func (f Fields) Bytes(b []byte, field string, clause ids.Clause) {
	if f.R != nil {
		copy(b, f.R.Bytes(len(b), field, clause))
	} else {
		f.W.Bytes(b)
	}
}

// Integer reads or writes an integer of 1, 2, 4 or 8 bytes.
func Integer[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](f Fields, size int, v T,
	clause ids.Clause,
) T {
	b, h, w, d := uint8(v), uint16(v), uint32(v), uint64(v)
	switch size {
	case 1:
		f.Uint8(&b, "", clause)
		v = T(b)
	case 2:
		f.Uint16(&h, "", clause)
		v = T(h)
	case 4:
		f.Uint32(&w, "", clause)
		v = T(w)
	default:
		f.Uint64(&d, "", clause)
		v = T(d)
	}
	if f.R != nil && f.R.tracing {
		f.R.Note("%d", v)
	}
	return v
}
