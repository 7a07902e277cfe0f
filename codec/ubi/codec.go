// Package ubi reads and writes the base types of Myst IV's asset files
// (see [Base types]), modelled in model/ubi.
//
// A [Codec] is created once from settings. Its methods return the structures:
//
//	c := ubi.New(wire.Settings{})
//	box, err := c.Box().Decode(src)
//	names, n, err := ubi.ArrayOf(c.BasicString()).DecodePrefix(src)
//	dst, err = c.Color().Append(dst, color)
//
// A decoded value does not alias the input. It may be changed in place, and
// appending to an array changes no other. The strings of one array share
// memory: a string that is kept keeps all of them, unless strings.Clone copies
// it.
//
// [Base types]: https://tomahnaproject.github.io/tomahna-project-wiki/myst4/file-reference/base
package ubi

import (
	"strings"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ubi"
	"github.com/formatgauge/formatgauge/spec/ids"
)

type clauseID = ids.Clause

// Codec contains settings, with the profile resolved into plain fields. It is
// immutable and safe for concurrent use.
type Codec struct {
	s wire.Settings
	d dialect
}

// dialect contains the side of each switchable flag of the family.
type dialect struct {
	basicUTF16  bool    // ubi.string-utf16: a BasicString contains 16-bit units
	wideBytes   bool    // ubi.wstring-unit: the length of a BasicWString counts bytes
	u32Single   bool    // ubi.quat-u32-arithmetic: operations on two float32 round to float32
	u32RepeatsA bool    // ubi.quat-u32-repeats-a: the third element repeats the first
	u32NaN      nanRule // ubi.quat-u32-nan
	u16Single   bool    // ubi.quat-3u16-arithmetic: products of two float32 round to float32
}

// A nanRule is what happens to a code whose stored components are too long for
// a unit quaternion.
type nanRule uint8

const (
	nanKept     nanRule = iota // the derived component is NaN
	nanRejected                // the code is rejected
	nanClamped                 // the derived component is 0
)

// New returns a codec.
func New(s wire.Settings) *Codec {
	p := s.Profile
	d := dialect{
		basicUTF16:  p.Takes("ubi.string-utf16", ids.SideDocumented),
		wideBytes:   p.Takes("ubi.wstring-unit", "bytes"),
		u32Single:   p.Takes("ubi.quat-u32-arithmetic", ids.SideDocumented),
		u32NaN:      ids.Rule[nanRule]{"error": nanRejected, "clamp": nanClamped}.Of(p, "ubi.quat-u32-nan"),
		u32RepeatsA: p.Takes("ubi.quat-u32-repeats-a", ids.SideDocumented),
		u16Single:   p.Takes("ubi.quat-3u16-arithmetic", ids.SideDocumented),
	}
	return &Codec{s: s.Citing("UBI-MAGIC-8", "UBI-MAGIC-7"), d: d}
}

func structure[T any](c *Codec, name string, least int, read func(*wire.Reader) T,
	write func(*wire.Writer, T),
) wire.Structure[T] {
	return wire.New("ubi."+name, least, c.s, read, write)
}

// both describes a structure by one function for both ways.
func both[T any](c *Codec, name string, least int, body func(wire.Fields, T) T) wire.Structure[T] {
	return structure(c, name, least, wire.Reading(body), wire.Writing(body))
}

const magicSize = 8

// FileMagic is the string at the start of most asset files. The byte order of
// the settings does not affect it.
func (c *Codec) FileMagic() wire.Structure[model.FileMagic] {
	return structure(c, "FileMagic", magicSize,
		func(r *wire.Reader) model.FileMagic {
			at := r.Offset()
			if n := r.Remaining(); n < magicSize {
				r.Fail(wire.Truncated, at, "", "UBI-MAGIC-3", "expected %d bytes, found %d", magicSize, n)
			}
			m := model.FileMagic(r.Text(magicSize, "", "UBI-MAGIC-1"))
			if m != model.MagicLittle && m != model.MagicBig {
				r.Fail(wire.Magic, at, "", "UBI-MAGIC-2", "expected %q or %q, found %q (bytes % x)", model.MagicLittle,
					model.MagicBig, string(m), string(m))
			}
			return m
		},
		func(w *wire.Writer, m model.FileMagic) {
			if m != model.MagicLittle && m != model.MagicBig {
				w.Fail("", "UBI-MAGIC-4", "expected %q or %q, found %q (bytes % x)", model.MagicLittle, model.MagicBig,
					string(m), string(m))
			}
			w.Text(string(m))
		})
}

// Uint32 is an unsigned integer of 32 bits, the type of lengths.
func (c *Codec) Uint32() wire.Structure[uint32] {
	return wire.New("uint32", 4, c.s,
		func(r *wire.Reader) uint32 { return r.Uint32("", "") }, (*wire.Writer).Uint32)
}

// Uint16 is an unsigned integer of 16 bits, an element of arrays.
func (c *Codec) Uint16() wire.Structure[uint16] {
	return wire.New("uint16", 2, c.s,
		func(r *wire.Reader) uint16 { return r.Uint16("", "") }, (*wire.Writer).Uint16)
}

// Uint8 is a byte, an element of arrays.
func (c *Codec) Uint8() wire.Structure[uint8] {
	return wire.New("uint8", 1, c.s,
		func(r *wire.Reader) uint8 { return r.Uint8("", "") }, (*wire.Writer).Uint8,
	).WithBulk(
		func(r *wire.Reader, n int) []uint8 { return append([]byte{}, r.Bytes(n, "", "")...) },
		(*wire.Writer).Bytes)
}

// Float32 is a float of 32 bits, the type of the components of vectors.
func (c *Codec) Float32() wire.Structure[float32] {
	return wire.New("float32", 4, c.s,
		func(r *wire.Reader) float32 { return r.Float32("", "") }, (*wire.Writer).Float32)
}

// ArrayOf is a count, then that many elements.
func ArrayOf[T any](elem wire.Structure[T]) wire.Structure[model.Array[T]] {
	return wire.New("ubi.Array<"+short(elem.Name())+">", 4, elem.Settings(),
		func(r *wire.Reader) model.Array[T] {
			n := r.Count(r.Uint32("len", "UBI-ARR-1"), elem.Min(), 4, "len", "UBI-ARR-2")
			return elem.ReadN(r, n)
		},
		func(w *wire.Writer, v model.Array[T]) {
			w.Uint32(w.Len(len(v), "len", "UBI-ARR-1"))
			elem.WriteN(w, v)
		})
}

// PairOf is a key, then its value.
func PairOf[K, V any](key wire.Structure[K], value wire.Structure[V]) wire.Structure[model.Pair[K, V]] {
	return wire.New("ubi.Pair<"+short(key.Name())+","+short(value.Name())+">", key.Min()+value.Min(), key.Settings(),
		func(r *wire.Reader) (p model.Pair[K, V]) {
			r.Enter("k")
			p.K = key.Read(r)
			r.Leave()
			r.Enter("v")
			p.V = value.Read(r)
			r.Leave()
			return p
		},
		func(w *wire.Writer, p model.Pair[K, V]) {
			w.Enter("k")
			key.Write(w, p.K)
			w.Leave()
			w.Enter("v")
			value.Write(w, p.V)
			w.Leave()
		})
}

// PairArrayOf is a count, then that many pairs in the order of the file. Keys
// may repeat.
func PairArrayOf[K, V any](key wire.Structure[K], value wire.Structure[V]) wire.Structure[model.PairArray[K, V]] {
	pair := PairOf(key, value)
	return wire.New("ubi.PairArray<"+short(key.Name())+","+short(value.Name())+">", 4, key.Settings(),
		func(r *wire.Reader) model.PairArray[K, V] {
			n := r.Count(r.Uint32("len", "UBI-PARR-1"), pair.Min(), 4, "len", "UBI-ARR-2")
			return pair.ReadN(r, n)
		},
		func(w *wire.Writer, v model.PairArray[K, V]) {
			w.Uint32(w.Len(len(v), "len", "UBI-PARR-1"))
			pair.WriteN(w, v)
		})
}

// short removes the family from a type's name, for use as an argument in
// another name.
func short(name string) string { return strings.TrimPrefix(name, "ubi.") }
