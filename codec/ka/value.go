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
	return wire.Bind(c.family, c, "Value", 1,
		func(c *Codec, r *wire.Reader) model.Value { return decoder{c: c, r: r}.value(c.alone()) },
		func(c *Codec, w *wire.Writer, v model.Value) { encoder{c, w}.value(v, c.alone()) })
}

// decoder reads one archive or a part of one.
type decoder struct {
	c      *Codec
	r      *wire.Reader
	inside bool // a length in bytes is in force at the next count: only the first archive may be outside
	left   *int // bytes of memory that lists may still take; nil without a bound
}

// take counts memory of a list.
func (d decoder) take(elements, size int) {
	if d.left == nil {
		return
	}
	if *d.left -= elements * size; *d.left < 0 {
		d.r.Fail(wire.Limit, d.r.Offset(), "", "", "expected lists in the memory that the size of the input allows, found more")
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
func room[T any](d decoder, s []T, n, memory int) []T {
	if len(s) < cap(s) {
		return s
	}
	n = min(n, max(4*len(s), 8))
	d.take(n, memory)
	return append(make([]T, 0, n), s...)
}

// value reads a type id and a body.
func (d decoder) value(s scope) model.Value {
	r := d.r
	t := d.c.readType(r)
	if t == model.TypeColor && d.c.d.noColor {
		d.c.readNoColor(r, r.Offset()-1)
	}
	return rows[t].read(d, s)
}

// array reads a length and that many values.
func (d decoder) array(s scope) model.Array {
	r := d.r
	if !r.Descend("KA-ARC-6") {
		return nil
	}
	n := r.Count(r.Uint32("length", clauseOf(model.TypeArray)), 1, 4, "length", "KA-ARR-2")
	out := model.Array{}
	s = s.inArray()
	for i := 0; i < n && !r.Failed(); i++ {
		r.EnterIndex(i)
		out = append(room(d, out, n, valueMemory), d.value(s))
		r.Leave()
	}
	r.Ascend()
	return out
}

// encoder writes one archive or a part of one.
type encoder struct {
	c *Codec
	w *wire.Writer
}

// value writes a type id and a body.
func (e encoder) value(v model.Value, s scope) {
	w := e.w
	if v == nil {
		w.Fail("", "KA-VAL-1", "expected a value, found none")
		return
	}
	if !known(v) { // nor is a pointer to one of the model's types
		w.Fail("", "KA-VAL-1", "expected a type of package model/ka, found %s", wire.TypeName(v))
		return
	}
	t := v.Type()
	e.c.writeType(w, t)
	rows[t].write(e, v, s)
}

// array writes a length and the values.
func (e encoder) array(v model.Array, s scope) {
	w := e.w
	if !w.Descend("KA-ARC-6") {
		return
	}
	w.Uint32(w.Len(len(v), "length", clauseOf(model.TypeArray)))
	s = s.inArray()
	for i := range v {
		if w.Failed() {
			break
		}
		w.EnterIndex(i)
		e.value(v[i], s)
		w.Leave()
	}
	w.Ascend()
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
