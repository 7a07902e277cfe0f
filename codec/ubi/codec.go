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
// immutable and safe for concurrent use. The structures of the zero Codec are zero too.
type Codec struct {
	family *wire.Family
	d      dialect
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
	return &Codec{&wire.Family{Prefix: "ubi.", Settings: s.Citing("UBI-MAGIC-8", "UBI-MAGIC-7")}, d}
}

const magicSize = 8

// FileMagic is the string at the start of most asset files. The byte order of
// the settings does not affect it.
func (c *Codec) FileMagic() wire.Structure[model.FileMagic] {
	return wire.Bind(c.family, c, "FileMagic", magicSize,
		func(_ *Codec, r *wire.Reader) model.FileMagic {
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
		func(_ *Codec, w *wire.Writer, m model.FileMagic) {
			if m != model.MagicLittle && m != model.MagicBig {
				w.Fail("", "UBI-MAGIC-4", "expected %q or %q, found %q (bytes % x)", model.MagicLittle, model.MagicBig,
					string(m), string(m))
			}
			w.Text(string(m))
		})
}

// Uint32 is an unsigned integer of 32 bits, the type of lengths.
func (c *Codec) Uint32() wire.Structure[uint32] {
	return number(c, "uint32", 4, (*wire.Reader).Uint32, (*wire.Writer).Uint32)
}

// Uint16 is an unsigned integer of 16 bits, an element of arrays.
func (c *Codec) Uint16() wire.Structure[uint16] {
	return number(c, "uint16", 2, (*wire.Reader).Uint16, (*wire.Writer).Uint16)
}

// Uint8 is a byte, an element of arrays.
func (c *Codec) Uint8() wire.Structure[uint8] {
	return number(c, "uint8", 1, (*wire.Reader).Uint8, (*wire.Writer).Uint8)
}

// Float32 is a float of 32 bits, the type of the components of vectors.
func (c *Codec) Float32() wire.Structure[float32] {
	return number(c, "float32", 4, (*wire.Reader).Float32, (*wire.Writer).Float32)
}

// number describes a number, whose name has no prefix.
func number[T any](c *Codec, name string, size int, read func(*wire.Reader, string, clauseID) T,
	write func(*wire.Writer, T),
) wire.Structure[T] {
	return wire.Keep(c.family, wire.Key{Name: name}, func() wire.Description[T] {
		d := wire.Describe(c.family, name, size, func(r *wire.Reader) T { return read(r, "", "") }, write)
		d.Name = name
		if b, ok := any(&d).(*wire.Description[uint8]); ok {
			b.ReadBulk = func(r *wire.Reader, n int) []uint8 { return append([]byte{}, r.Bytes(n, "", "")...) }
			b.WriteBulk = (*wire.Writer).Bytes
		}
		return d
	})
}

// ArrayOf is a count, then that many elements.
func ArrayOf[T any](elem wire.Structure[T]) wire.Structure[model.Array[T]] {
	e := wire.DescriptionOf(elem)
	return list[model.Array[T]]("Array", short(e.Name), e, "UBI-ARR-1")
}

// PairOf is a key, then its value.
func PairOf[K, V any](key wire.Structure[K], value wire.Structure[V]) wire.Structure[model.Pair[K, V]] {
	type pair = model.Pair[K, V]
	k, v := wire.DescriptionOf(key), wire.DescriptionOf(value)
	of := wire.Key{Name: "Pair", Of: [2]*wire.Head{&k.Head, &v.Head}}
	return wire.Keep(k.Family, of, func() wire.Description[pair] {
		return wire.Describe(k.Family, "Pair<"+short(k.Name)+","+short(v.Name)+">", k.Min+v.Min,
			func(r *wire.Reader) (p pair) {
				r.Enter("k")
				p.K = k.Read(r)
				r.Leave()
				r.Enter("v")
				p.V = v.Read(r)
				r.Leave()
				return p
			},
			func(w *wire.Writer, p pair) {
				w.Enter("k")
				k.Write(w, p.K)
				w.Leave()
				w.Enter("v")
				v.Write(w, p.V)
				w.Leave()
			})
	})
}

// PairArrayOf is a count, then that many pairs in the order of the file. Keys
// may repeat.
func PairArrayOf[K, V any](key wire.Structure[K], value wire.Structure[V]) wire.Structure[model.PairArray[K, V]] {
	pair := wire.DescriptionOf(PairOf(key, value))
	arguments := strings.TrimSuffix(strings.TrimPrefix(pair.Name, "ubi.Pair<"), ">")
	return list[model.PairArray[K, V]]("PairArray", arguments, pair, "UBI-PARR-1")
}

// list describes a count and that many elements. clause is about the count.
func list[L ~[]T, T any](name, arguments string, elem *wire.Description[T], clause clauseID) wire.Structure[L] {
	return wire.Keep(elem.Family, wire.Key{Name: name, Of: [2]*wire.Head{&elem.Head}}, func() wire.Description[L] {
		return wire.Describe(elem.Family, name+"<"+arguments+">", 4,
			func(r *wire.Reader) L {
				return elem.ReadN(r, r.Count(r.Uint32("len", clause), elem.Min, 4, "len", "UBI-ARR-2"))
			},
			func(w *wire.Writer, v L) {
				w.Uint32(w.Len(len(v), "len", clause))
				elem.WriteN(w, v)
			})
	})
}

// short removes the family from a type's name, for use as an argument in
// another name.
func short(name string) string { return strings.TrimPrefix(name, "ubi.") }
