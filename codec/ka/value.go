package ka

import (
	"encoding/binary"
	"math"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// ValueHeader is the type id (KA-VH-1).
func (c *Codec) ValueHeader() wire.Structure[model.ValueHeader] {
	return wire.Bind(c.family, c, "ValueHeader", 1,
		func(c *Codec, r *wire.Reader) model.ValueHeader { return model.ValueHeader{Type: c.readType(r)} },
		func(c *Codec, w *wire.Writer, v model.ValueHeader) { c.writeType(w, v.Type) })
}

// readType reads a type id. After a fault it returns that of NONE.
func (c *Codec) readType(r *wire.Reader) model.Type {
	t := model.Type(r.Uint8("type", "KA-VH-1"))
	if r.Tracing() {
		r.Note("%s", t)
	}
	if fault, clause := c.typeFault(t); fault != "" {
		r.Fail(wire.Kind, r.Offset()-1, "type", clause, "%s", fault)
		return model.TypeNone
	}
	return t
}

func (c *Codec) writeType(w *wire.Writer, t model.Type) {
	if fault, clause := c.typeFault(t); fault != "" {
		w.Fail("type", clause, "%s", fault)
	}
	w.Uint8(uint8(t))
}

// Value is a type id and the body of that type, as in a 0x0001 archive
// (KA-VAL-1, KA-VAL-2).
func (c *Codec) Value() wire.Structure[model.Value] {
	return part(c, "Value", 1, func(k coder, v model.Value) model.Value { return k.value(v, k.c.alone()) })
}

// coder reads or writes one archive or a part of one.
type coder struct {
	wire.Fields
	c      *Codec
	inside bool // a length in bytes is in force at the next count: only the first archive may be outside
	left   *int // bytes of memory that lists may still take; nil without a bound
}

// part returns the structure of a part of an archive that one function reads and writes.
func part[T any](c *Codec, name string, least int, code func(coder, T) T) wire.Structure[T] {
	return wire.Keep(c.family, wire.Key{Name: name}, func() wire.Description[T] {
		return describe(c, name, least, code)
	})
}

func describe[T any](c *Codec, name string, least int, code func(coder, T) T) wire.Description[T] {
	return wire.Describe(c.family, name, least,
		func(r *wire.Reader) (v T) { return code(coder{Fields: wire.Fields{R: r}, c: c}, v) },
		func(w *wire.Writer, v T) { code(coder{Fields: wire.Fields{W: w}, c: c}, v) })
}

// take counts memory of a list that is read.
func (k coder) take(elements, size int) {
	if k.left == nil {
		return
	}
	if *k.left -= elements * size; *k.left < 0 {
		k.Fail(wire.Limit, 0, "", "", "expected lists in the memory that the size of the input allows, found more")
	}
}

// The sizes of elements of lists in bytes.
const (
	pairMemory  = 32
	valueMemory = 16
	rowMemory   = 24
	keyMemory   = 48 // in a map
)

// room returns s with room for one more of n elements. Memory grows with what
// was read, not with the count: nested counts may each state
// all the remaining bytes.
func room[T any](k coder, s []T, n, memory int) []T {
	if len(s) < cap(s) {
		return s
	}
	n = min(n, max(4*len(s), 8))
	k.take(n, memory)
	return append(make([]T, 0, n), s...)
}

// value reads or writes a type id and a body.
func (k coder) value(v model.Value, s scope) model.Value {
	var t model.Type
	switch {
	case k.R != nil:
		if t = k.c.readType(k.R); t == model.TypeColor && k.c.d.noColor {
			k.c.readNoColor(k.R, k.R.Offset()-1)
		}
	case v == nil:
		k.W.Fail("", "KA-VAL-1", "expected a value, found none")
		return v
	case !known(v): // nor is a pointer to one of the model's types
		k.W.Fail("", "KA-VAL-1", "expected a type of package model/ka, found %s", wire.TypeName(v))
		return v
	default:
		t = v.Type()
		k.c.writeType(k.W, t)
	}
	return rows[t].value(k, v, s)
}

// array reads or writes a length and that many values.
func (k coder) array(v model.Array, s scope) model.Array {
	if !k.Descend("KA-ARC-6") {
		return nil
	}
	n, clause := len(v), clauseOf(model.TypeArray)
	if k.R != nil {
		n, v = k.R.Count(k.R.Uint32("length", clause), 1, 4, "length", "KA-ARR-2"), model.Array{}
	} else {
		k.W.Uint32(k.W.Len(n, "length", clause))
	}
	s = s.inArray()
	for i := 0; i < n && !k.Failed(); i++ {
		k.EnterIndex(i)
		if k.R != nil {
			v = append(room(k, v, n, valueMemory), k.value(nil, s))
		} else {
			k.value(v[i], s)
		}
		k.Leave()
	}
	k.Ascend()
	return v
}

// putUint32 replaces the four bytes at an offset.
func putUint32(w *wire.Writer, at int, v uint32) {
	binary.LittleEndian.PutUint32(w.Written()[at:], v)
}

const foundColor = "expected no COLOR, whose layout is unknown under ka.color=documented, found one"

// readNoColor rejects a colour whose layout is unknown.
func (c *Codec) readNoColor(r *wire.Reader, at int) {
	r.Fail(wire.Unsupported, at, "", clauseOf(model.TypeColor), foundColor)
}

// readLength reads a length that counts units of a size in bytes, and returns the
// size of all of them. why is a reason for the unit, or empty. The input must have that many.
func readLength(r *wire.Reader, unit int, why string, clause clauseID) int {
	at := r.Offset()
	return r.Length(int64(r.Uint32("length", clause)), unit, why, at, "length", "KA-ARC-7")
}

// patchLength sets a length, whose four bytes are at an offset, to the number
// of bytes written after it.
func patchLength(w *wire.Writer, at int, clause clauseID) {
	n := w.Offset() - at - 4
	if uint64(n) > math.MaxUint32 {
		w.Fail("length", clause, "expected at most 4294967295 bytes, found %d", n)
	}
	putUint32(w, at, uint32(n))
}
