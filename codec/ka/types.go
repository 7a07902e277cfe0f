package ka

import (
	"reflect"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// rows has a row per type of values, by type id. It is filled at the start, because
// the rows of types that contain values refer to it.
var rows []row

func init() {
	rows = []row{
		model.TypeNone:         numbers("KA-NONE-1", 0, nothing).under("ka.none"),
		model.TypeBoolean:      numbers("KA-BOOL-1", 1, boolByte),
		model.TypeInt32:        numbers("KA-I32-1", 4, integer[model.Int32]),
		model.TypeFloat:        numbers("KA-F32-1", 4, float),
		model.TypeString:       texts[model.String]("KA-STR-1", "KA-STR-3"),
		model.TypeWideString:   texts[model.WideString]("KA-WSTR-1", "KA-WSTR-4"),
		model.TypeByteArray:    numbers("KA-BYTES-1", 4, byteArray),
		model.TypeUint32:       numbers("KA-U32-1", 4, integer[model.Uint32]),
		model.TypeKeyedArchive: newRow("KA-NEST-1", 2, coder.nested),
		model.TypeInt64:        numbers("KA-I64-1", 8, integer[model.Int64]),
		model.TypeUint64:       numbers("KA-U64-1", 8, integer[model.Uint64]),
		model.TypeVector2:      numbers("KA-VEC2-1", 8, vector2),
		model.TypeVector3:      numbers("KA-VEC3-1", 12, vector3),
		model.TypeVector4:      numbers("KA-VEC4-1", 16, vector4),
		model.TypeMatrix2:      numbers("KA-MAT2-1", 16, matrix2),
		model.TypeMatrix3:      numbers("KA-MAT3-1", 36, matrix3),
		model.TypeMatrix4:      numbers("KA-MAT4-1", 64, matrix4),
		model.TypeColor:        numbers("KA-COL-1", 16, color),
		model.TypeFastName:     texts[model.FastName]("KA-FN-2", "KA-FN-1"),
		model.TypeAABBox3:      numbers("KA-BB3-1", 24, aabbox3),
		model.TypeFilePath:     texts[model.FilePath]("KA-PATH-1", "KA-PATH-2"),
		model.TypeFloat64:      numbers("KA-F64-1", 8, float64s),
		model.TypeInt8:         numbers("KA-I8-1", 1, integer[model.Int8]),
		model.TypeUint8:        numbers("KA-U8-1", 1, integer[model.Uint8]),
		model.TypeInt16:        numbers("KA-I16-1", 2, integer[model.Int16]),
		model.TypeUint16:       numbers("KA-U16-1", 2, integer[model.Uint16]),
		model.TypeRect:         numbers("KA-RECT-1", 16, rect).under("ka.types-26-28-30"),
		model.TypeArray:        newRow("KA-ARR-1", 4, coder.array),
		model.TypeQuaternion:   numbers("KA-QUAT-1", 16, quaternion).under("ka.types-26-28-30"),
		model.TypeTransform:    numbers("KA-TRF-1", 40, transform),
		model.TypeAABBox2:      numbers("KA-BB2-1", 16, aabbox2).under("ka.types-26-28-30"),
	}
}

// A row is all that the codec knows of a type of values.
type row struct {
	clause    clauseID                                    // describes the body; for text, inline text
	reference clauseID                                    // describes a text reference (KA-V2-3)
	flag      ids.Flag                                    // decides whether the type id exists; empty if it always does
	value     func(coder, model.Value, scope) model.Value // reads a variant of this type, or writes one
	body      any                                         // bodyOf its Go type
}

// bodyOf reads and writes a body as a Go type of its own, without an interface.
type bodyOf[T model.Value] struct {
	least int // bytes
	code  func(coder, T, scope) T
}

func newRow[T model.Value](clause clauseID, least int, code func(coder, T, scope) T) row {
	return row{
		clause: clause,
		value: func(k coder, v model.Value, s scope) model.Value {
			if k.W != nil {
				code(k, v.(T), s)
				return v
			}
			var zero T
			return code(k, zero, s)
		},
		body: bodyOf[T]{least, code},
	}
}

// under returns the row of a type whose existence a flag decides.
func (r row) under(flag ids.Flag) row {
	r.flag = flag
	return r
}

// alone returns the structure of a value without its type id.
func alone[T model.Value](c *Codec) wire.Structure[T] {
	var zero T
	return wire.Keep(c.family, wire.Key{Name: "value", Number: uint16(zero.Type())}, func() wire.Description[T] {
		b := rows[zero.Type()].body.(bodyOf[T])
		return describe(c, reflect.TypeFor[T]().Name(), b.least, func(k coder, v T) T { return b.code(k, v, c.alone()) })
	})
}

// clauseOf returns the clause that describes the body of a type.
func clauseOf(t model.Type) clauseID { return rows[t].clause }

// texts returns the row of a type of text.
func texts[T interface {
	model.Value
	~struct {
		Text string
		ID   *uint32
	}
}](clause, reference clauseID,
) row {
	var zero T
	t := zero.Type()
	r := newRow(clause, 4, func(k coder, v T, s scope) T { return T(k.text(t, model.String(v), s)) })
	r.reference = reference
	return r
}

// numbers returns the row of a type whose body has no other values. The function
// describes the body for both ways: it returns its argument after writing it, or
// what it reads.
func numbers[T model.Value](clause clauseID, size int, f func(fields, T) T) row {
	return newRow(clause, size, func(k coder, v T, _ scope) T {
		return f(fields{wire.Floats{Fields: k.Fields, Clause: clause}, k.c, size}, v)
	})
}

// fields reads or writes the fields of a body.
type fields struct {
	wire.Floats
	c    *Codec
	size int // of the body in bytes
}

// lines reads or writes the lines of a matrix.
func (f fields) lines(lines ...[]float32) {
	for i, line := range lines {
		f.EnterIndex(i)
		for j := range line {
			f.Float32(&line[j], columns[j], f.Clause)
		}
		f.Leave()
	}
}

var columns = [...]string{"[0]", "[1]", "[2]", "[3]"}

// in reads or writes a field that has fields of its own.
func in[T any](f fields, name string, v T, body func(fields, T) T) T {
	f.Enter(name)
	defer f.Leave()
	return body(f, v)
}

func nothing(_ fields, v model.None) model.None { return v }

// boolByte is one byte; ka.bool decides what a byte other than 0 and 1 means.
func boolByte(f fields, v model.Boolean) model.Boolean {
	b := uint8(v)
	f.Uint8(&b, "", f.Clause)
	switch rule := f.c.d.boolean; {
	case b <= 1 || rule == boolKept:
	case f.R == nil || rule == boolRejected:
		f.Fail(wire.Value, 1, "", f.Clause, "expected 0 or 1 (any side of ka.bool but observed), found %d", b)
	case rule == boolNonzero:
		return 1
	case rule == boolOne:
		return 0
	}
	return model.Boolean(b)
}

func integer[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](f fields, v T) T {
	return wire.Integer(f.Fields, f.size, v, f.Clause)
}

func float(f fields, v model.Float) model.Float { return model.Float(f.Float("", float32(v))) }

func float64s(f fields, v model.Float64) model.Float64 {
	if f.R != nil {
		return model.Float64(f.R.Float64("", f.Clause))
	}
	f.W.Float64(float64(v))
	return v
}

// byteArray is a length and that many bytes. They alias the input.
func byteArray(f fields, v model.ByteArray) model.ByteArray {
	if f.R != nil {
		return f.R.Bytes(readLength(f.R, 1, "", f.Clause), "bytes", f.Clause)
	}
	f.W.Uint32(f.W.Len(len(v), "length", f.Clause))
	f.W.Bytes(v)
	return v
}

func vector2(f fields, v model.Vector2) model.Vector2 {
	return model.Vector2{X: f.Float("x", v.X), Y: f.Float("y", v.Y)}
}

func vector3(f fields, v model.Vector3) model.Vector3 {
	return model.Vector3{X: f.Float("x", v.X), Y: f.Float("y", v.Y), Z: f.Float("z", v.Z)}
}

func vector4(f fields, v model.Vector4) model.Vector4 {
	return model.Vector4{X: f.Float("x", v.X), Y: f.Float("y", v.Y), Z: f.Float("z", v.Z), W: f.Float("w", v.W)}
}

func matrix2(f fields, v model.Matrix2) model.Matrix2 {
	f.lines(v[0][:], v[1][:])
	return v
}

func matrix3(f fields, v model.Matrix3) model.Matrix3 {
	f.lines(v[0][:], v[1][:], v[2][:])
	return v
}

func matrix4(f fields, v model.Matrix4) model.Matrix4 {
	f.lines(v[0][:], v[1][:], v[2][:], v[3][:])
	return v
}

// color is neither read nor written with ka.color on its documented side.
func color(f fields, v model.Color) model.Color {
	if f.c.d.noColor {
		if f.R != nil {
			f.c.readNoColor(f.R, f.R.Offset())
		} else {
			f.W.Fail("", f.Clause, foundColor)
		}
	}
	return model.Color{R: f.Float("r", v.R), G: f.Float("g", v.G), B: f.Float("b", v.B), A: f.Float("a", v.A)}
}

func aabbox2(f fields, v model.AABBox2) model.AABBox2 {
	return model.AABBox2{Minimum: in(f, "minimum", v.Minimum, vector2), Maximum: in(f, "maximum", v.Maximum, vector2)}
}

func aabbox3(f fields, v model.AABBox3) model.AABBox3 {
	return model.AABBox3{Minimum: in(f, "minimum", v.Minimum, vector3), Maximum: in(f, "maximum", v.Maximum, vector3)}
}

func rect(f fields, v model.Rect) model.Rect {
	return model.Rect{X: f.Float("x", v.X), Y: f.Float("y", v.Y), Dx: f.Float("dx", v.Dx), Dy: f.Float("dy", v.Dy)}
}

func quaternion(f fields, v model.Quaternion) model.Quaternion {
	return model.Quaternion(vector4(f, model.Vector4(v)))
}

// transform is position, scale, rotation; ka.transform-order decides whether the
// rotation is second.
func transform(f fields, v model.Transform) model.Transform {
	v.Position = in(f, "position", v.Position, vector3)
	if f.c.d.rotationSecond {
		v.Quaternion = in(f, "quaternion", v.Quaternion, vector4)
	}
	v.Scale = in(f, "scale", v.Scale, vector3)
	if !f.c.d.rotationSecond {
		v.Quaternion = in(f, "quaternion", v.Quaternion, vector4)
	}
	return v
}
