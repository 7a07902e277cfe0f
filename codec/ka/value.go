package ka

import (
	"encoding/binary"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// ValueHeader is the type id (KA-VH-1).
func (c *Codec) ValueHeader() wire.Structure[model.ValueHeader] {
	return structure(c, "ka.ValueHeader", 1,
		func(r *wire.Reader) model.ValueHeader { return model.ValueHeader{Type: c.readType(r)} },
		func(w *wire.Writer, v model.ValueHeader) { c.writeType(w, v.Type) })
}

// readType reads a type id. After a fault it returns that of NONE.
func (c *Codec) readType(r *wire.Reader) model.Type {
	t := model.Type(r.Uint8("type", clauseType))
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
	return structure(c, "ka.Value", 1,
		func(r *wire.Reader) model.Value {
			d := decoder{c: c, r: r}
			return d.value(c.alone())
		},
		func(w *wire.Writer, v model.Value) {
			e := encoder{c, w}
			e.value(v, c.alone())
		})
}

// Array is a length and that many values, as in a 0x0001 archive (KA-ARR-1).
func (c *Codec) Array() wire.Structure[model.Array] {
	return structure(c, "ka.Array", 4,
		func(r *wire.Reader) model.Array {
			d := decoder{c: c, r: r}
			return d.array(c.alone())
		},
		func(w *wire.Writer, v model.Array) {
			e := encoder{c, w}
			e.array(v, c.alone())
		})
}

// decoder reads one archive or a part of one.
type decoder struct {
	c      *Codec
	r      *wire.Reader
	inside bool // a length in bytes is in force at the next count: only the first archive may be outside
}

// room returns s with room for one more of n elements. Memory grows with what
// was read, not with the count: nested counts may each state
// all the remaining bytes.
func room[T any](s []T, n int) []T {
	if len(s) < cap(s) {
		return s
	}
	return append(make([]T, 0, min(n, max(4*len(s), 8))), s...)
}

// value reads a type id and a body.
func (d *decoder) value(s scope) model.Value {
	r := d.r
	t := d.c.readType(r)
	switch t {
	case model.TypeNone:
		return model.None{}
	case model.TypeBoolean:
		return d.c.readBoolean(r)
	case model.TypeInt32:
		return readInt32(r)
	case model.TypeFloat:
		return readFloat(r)
	case model.TypeString:
		return d.text(t, s)
	case model.TypeWideString:
		return model.WideString(d.text(t, s))
	case model.TypeByteArray:
		return readByteArray(r)
	case model.TypeUint32:
		return readUint32(r)
	case model.TypeKeyedArchive:
		return d.nested(s.table)
	case model.TypeInt64:
		return readInt64(r)
	case model.TypeUint64:
		return readUint64(r)
	case model.TypeVector2:
		return readVector2(r, clauseOf(t))
	case model.TypeVector3:
		return readVector3(r, clauseOf(t))
	case model.TypeVector4:
		return readVector4(r, clauseOf(t))
	case model.TypeMatrix2:
		return readMatrix2(r)
	case model.TypeMatrix3:
		return readMatrix3(r)
	case model.TypeMatrix4:
		return readMatrix4(r)
	case model.TypeColor:
		return d.c.readColor(r, r.Offset()-1)
	case model.TypeFastName:
		return model.FastName(d.text(t, s))
	case model.TypeAABBox3:
		return readAABBox3(r)
	case model.TypeFilePath:
		return model.FilePath(d.text(t, s))
	case model.TypeFloat64:
		return readFloat64(r)
	case model.TypeInt8:
		return readInt8(r)
	case model.TypeUint8:
		return readUint8(r)
	case model.TypeInt16:
		return readInt16(r)
	case model.TypeUint16:
		return readUint16(r)
	case model.TypeRect:
		return readRect(r)
	case model.TypeArray:
		return d.array(s)
	case model.TypeQuaternion:
		return readQuaternion(r)
	case model.TypeTransform:
		return d.c.readTransform(r)
	case model.TypeAABBox2:
		return readAABBox2(r)
	}
	return nil
}

// array reads a length and that many values.
func (d *decoder) array(s scope) model.Array {
	r := d.r
	if !r.Descend(clauseDepth) {
		return nil
	}
	n := r.Count(r.Uint32("length", clauseOf(model.TypeArray)), 1, 4, "length", clauseArrayCount)
	out := model.Array{}
	s = s.inArray()
	for i := 0; i < n && !r.Failed(); i++ {
		r.EnterIndex(i)
		out = append(room(out, n), d.value(s))
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
func (e *encoder) value(v model.Value, s scope) {
	w := e.w
	if v == nil {
		w.Fail("", clauseValue, "expected a value, found none")
		return
	}
	switch v := v.(type) {
	case model.None:
		e.c.writeType(w, model.TypeNone)
	case model.Boolean:
		w.Uint8(uint8(model.TypeBoolean))
		e.c.writeBoolean(w, v)
	case model.Int32:
		w.Uint8(uint8(model.TypeInt32))
		w.Int32(int32(v))
	case model.Float:
		w.Uint8(uint8(model.TypeFloat))
		writeFloat(w, v)
	case model.String:
		w.Uint8(uint8(model.TypeString))
		e.text(model.TypeString, v.Text, v.ID, s)
	case model.WideString:
		w.Uint8(uint8(model.TypeWideString))
		e.text(model.TypeWideString, v.Text, v.ID, s)
	case model.ByteArray:
		w.Uint8(uint8(model.TypeByteArray))
		writeByteArray(w, v)
	case model.Uint32:
		w.Uint8(uint8(model.TypeUint32))
		w.Uint32(uint32(v))
	case model.KeyedArchive:
		w.Uint8(uint8(model.TypeKeyedArchive))
		e.nested(v, s.table)
	case model.Int64:
		w.Uint8(uint8(model.TypeInt64))
		w.Int64(int64(v))
	case model.Uint64:
		w.Uint8(uint8(model.TypeUint64))
		w.Uint64(uint64(v))
	case model.Vector2:
		w.Uint8(uint8(model.TypeVector2))
		writeVector2(w, v)
	case model.Vector3:
		w.Uint8(uint8(model.TypeVector3))
		writeVector3(w, v)
	case model.Vector4:
		w.Uint8(uint8(model.TypeVector4))
		writeVector4(w, v)
	case model.Matrix2:
		w.Uint8(uint8(model.TypeMatrix2))
		writeMatrix2(w, v)
	case model.Matrix3:
		w.Uint8(uint8(model.TypeMatrix3))
		writeMatrix3(w, v)
	case model.Matrix4:
		w.Uint8(uint8(model.TypeMatrix4))
		writeMatrix4(w, v)
	case model.Color:
		w.Uint8(uint8(model.TypeColor))
		e.c.writeColor(w, v)
	case model.FastName:
		w.Uint8(uint8(model.TypeFastName))
		e.text(model.TypeFastName, v.Text, v.ID, s)
	case model.AABBox3:
		w.Uint8(uint8(model.TypeAABBox3))
		writeAABBox3(w, v)
	case model.FilePath:
		w.Uint8(uint8(model.TypeFilePath))
		e.text(model.TypeFilePath, v.Text, v.ID, s)
	case model.Float64:
		w.Uint8(uint8(model.TypeFloat64))
		writeFloat64(w, v)
	case model.Int8:
		w.Uint8(uint8(model.TypeInt8))
		w.Uint8(uint8(v))
	case model.Uint8:
		w.Uint8(uint8(model.TypeUint8))
		w.Uint8(uint8(v))
	case model.Int16:
		w.Uint8(uint8(model.TypeInt16))
		w.Uint16(uint16(v))
	case model.Uint16:
		w.Uint8(uint8(model.TypeUint16))
		w.Uint16(uint16(v))
	case model.Rect:
		e.c.writeType(w, model.TypeRect)
		writeRect(w, v)
	case model.Array:
		w.Uint8(uint8(model.TypeArray))
		e.array(v, s)
	case model.Quaternion:
		e.c.writeType(w, model.TypeQuaternion)
		writeQuaternion(w, v)
	case model.Transform:
		w.Uint8(uint8(model.TypeTransform))
		e.c.writeTransform(w, v)
	case model.AABBox2:
		e.c.writeType(w, model.TypeAABBox2)
		writeAABBox2(w, v)
	default: // a pointer to one of these
		w.Fail("", clauseValue, "expected a type of package model/ka, found %s", wire.TypeName(v))
	}
}

// array writes a length and the values.
func (e *encoder) array(v model.Array, s scope) {
	w := e.w
	if !w.Descend(clauseDepth) {
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
