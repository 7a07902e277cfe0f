package ka

// ValueHeader is the type id that precedes every body.
type ValueHeader struct{ Type Type }

// Value is one of [Variants]. Writers reject any
// other implementation.
type Value interface {
	// Type returns the type id of the variant.
	Type() Type
}

// None has no content.
type None struct{}

// Type returns TypeNone.
func (None) Type() Type { return TypeNone }

// Boolean is the byte as stored: 0 is false, 1 is true; ka.bool decides about
// the others.
type Boolean uint8

// Type returns TypeBoolean.
func (Boolean) Type() Type { return TypeBoolean }

// Bool reports whether the byte is not 0.
func (v Boolean) Bool() bool { return v != 0 }

// Int32 is a signed integer of 4 bytes.
type Int32 int32

// Type returns TypeInt32.
func (Int32) Type() Type { return TypeInt32 }

// Float is an IEEE 754 number of 4 bytes. Any bits, NaN included.
type Float float32

// Type returns TypeFloat.
func (Float) Type() Type { return TypeFloat }

// String is text of single bytes, usually UTF-8, without terminator. At most
// 2^32-1 bytes.
type String struct {
	Text string
	// ID is nil for inline text. Otherwise the file contains this number, a
	// text reference, and Text is the text of its entry in the table of fast
	// names. A writer writes ID and rejects another Text (KA-STR-4).
	ID *uint32
}

// Type returns TypeString.
func (String) Type() Type { return TypeString }

// WideString is text of wide characters, in WTF-8: UTF-8 in which an unpaired
// surrogate takes three bytes. At most 2^32-1 characters.
type WideString struct {
	Text string
	ID   *uint32 // as in [String]
}

// Type returns TypeWideString.
func (WideString) Type() Type { return TypeWideString }

// ByteArray is a run of bytes. At most 2^32-1.
type ByteArray []byte

// Type returns TypeByteArray.
func (ByteArray) Type() Type { return TypeByteArray }

// Uint32 is an unsigned integer of 4 bytes.
type Uint32 uint32

// Type returns TypeUint32.
func (Uint32) Type() Type { return TypeUint32 }

// KeyedArchive is an archive nested in another. In a file its length in bytes
// precedes it; here the length follows from the content.
type KeyedArchive Archive

// Type returns TypeKeyedArchive.
func (KeyedArchive) Type() Type { return TypeKeyedArchive }

// Int64 is a signed integer of 8 bytes.
type Int64 int64

// Type returns TypeInt64.
func (Int64) Type() Type { return TypeInt64 }

// Uint64 is an unsigned integer of 8 bytes.
type Uint64 uint64

// Type returns TypeUint64.
func (Uint64) Type() Type { return TypeUint64 }

// Vector2 has two components.
type Vector2 struct{ X, Y float32 }

// Type returns TypeVector2.
func (Vector2) Type() Type { return TypeVector2 }

// Vector3 has three components.
type Vector3 struct{ X, Y, Z float32 }

// Type returns TypeVector3.
func (Vector3) Type() Type { return TypeVector3 }

// Vector4 has four components.
type Vector4 struct{ X, Y, Z, W float32 }

// Type returns TypeVector4.
func (Vector4) Type() Type { return TypeVector4 }

// Matrix2 has two rows of two.
type Matrix2 [2][2]float32

// Type returns TypeMatrix2.
func (Matrix2) Type() Type { return TypeMatrix2 }

// Matrix3 has three rows of three.
type Matrix3 [3][3]float32

// Type returns TypeMatrix3.
func (Matrix3) Type() Type { return TypeMatrix3 }

// Matrix4 has four rows of four.
type Matrix4 [4][4]float32

// Type returns TypeMatrix4.
func (Matrix4) Type() Type { return TypeMatrix4 }

// Color has red, green, blue and alpha, usually in [0, 1].
type Color struct{ R, G, B, A float32 }

// Type returns TypeColor.
func (Color) Type() Type { return TypeColor }

// FastName is a name that engines intern. At most 2^32-1 bytes.
type FastName struct {
	Text string
	ID   *uint32 // as in [String]
}

// Type returns TypeFastName.
func (FastName) Type() Type { return TypeFastName }

// AABBox3 is a box parallel to the axes. Minimum is usually the lesser corner;
// that is not required.
type AABBox3 struct{ Minimum, Maximum Vector3 }

// Type returns TypeAABBox3.
func (AABBox3) Type() Type { return TypeAABBox3 }

// FilePath is a path, whose form is not specified; engines write an absolute
// path. At most 2^32-1 bytes.
type FilePath struct {
	Text string
	ID   *uint32 // as in [String]
}

// Type returns TypeFilePath.
func (FilePath) Type() Type { return TypeFilePath }

// Float64 is an IEEE 754 number of 8 bytes. Any bits, NaN included.
type Float64 float64

// Type returns TypeFloat64.
func (Float64) Type() Type { return TypeFloat64 }

// Int8 is a signed integer of 1 byte.
type Int8 int8

// Type returns TypeInt8.
func (Int8) Type() Type { return TypeInt8 }

// Uint8 is an unsigned integer of 1 byte.
type Uint8 uint8

// Type returns TypeUint8.
func (Uint8) Type() Type { return TypeUint8 }

// Int16 is a signed integer of 2 bytes.
type Int16 int16

// Type returns TypeInt16.
func (Int16) Type() Type { return TypeInt16 }

// Uint16 is an unsigned integer of 2 bytes.
type Uint16 uint16

// Type returns TypeUint16.
func (Uint16) Type() Type { return TypeUint16 }

// Rect is a corner and the extent from it. Not in the document.
type Rect struct{ X, Y, Dx, Dy float32 }

// Type returns TypeRect.
func (Rect) Type() Type { return TypeRect }

// Array contains values of any types. At most 2^32-1.
type Array []Value

// Type returns TypeArray.
func (Array) Type() Type { return TypeArray }

// Quaternion is a rotation; W, the scalar part, is last. Not in the document.
type Quaternion struct{ X, Y, Z, W float32 }

// Type returns TypeQuaternion.
func (Quaternion) Type() Type { return TypeQuaternion }

// Transform moves, scales and rotates.
type Transform struct {
	Position   Vector3
	Scale      Vector3
	Quaternion Vector4 // the rotation; W, the scalar part, is last
}

// Type returns TypeTransform.
func (Transform) Type() Type { return TypeTransform }

// AABBox2 is a rectangle parallel to the axes. Not in the document.
type AABBox2 struct{ Minimum, Maximum Vector2 }

// Type returns TypeAABBox2.
func (AABBox2) Type() Type { return TypeAABBox2 }
