package ka

import "fmt"

// Type is the document's KAType: which body a value has. One byte in a file.
type Type uint8

// The types of values, by their numbers in a file. The document leaves out
// 26, 28 and 30; they are named after the engine's types.
const (
	TypeNone Type = iota
	TypeBoolean
	TypeInt32
	TypeFloat
	TypeString
	TypeWideString
	TypeByteArray
	TypeUint32
	TypeKeyedArchive
	TypeInt64
	TypeUint64
	TypeVector2
	TypeVector3
	TypeVector4
	TypeMatrix2
	TypeMatrix3
	TypeMatrix4
	TypeColor
	TypeFastName
	TypeAABBox3
	TypeFilePath
	TypeFloat64
	TypeInt8
	TypeUint8
	TypeInt16
	TypeUint16
	TypeRect
	TypeArray
	TypeQuaternion
	TypeTransform
	TypeAABBox2
)

var typeNames = [...]string{
	TypeNone:         "NONE",
	TypeBoolean:      "BOOLEAN",
	TypeInt32:        "INT32",
	TypeFloat:        "FLOAT",
	TypeString:       "STRING",
	TypeWideString:   "WIDE_STRING",
	TypeByteArray:    "BYTE_ARRAY",
	TypeUint32:       "UINT32",
	TypeKeyedArchive: "KEYED_ARCHIVE",
	TypeInt64:        "INT64",
	TypeUint64:       "UINT64",
	TypeVector2:      "VECTOR2",
	TypeVector3:      "VECTOR3",
	TypeVector4:      "VECTOR4",
	TypeMatrix2:      "MATRIX2",
	TypeMatrix3:      "MATRIX3",
	TypeMatrix4:      "MATRIX4",
	TypeColor:        "COLOR",
	TypeFastName:     "FASTNAME",
	TypeAABBox3:      "AABBOX3",
	TypeFilePath:     "FILEPATH",
	TypeFloat64:      "FLOAT64",
	TypeInt8:         "INT8",
	TypeUint8:        "UINT8",
	TypeInt16:        "INT16",
	TypeUint16:       "UINT16",
	TypeRect:         "RECT",
	TypeArray:        "ARRAY",
	TypeQuaternion:   "QUATERNION",
	TypeTransform:    "TRANSFORM",
	TypeAABBox2:      "AABBOX2",
}

// Valid reports whether there is a type of that number.
func (t Type) Valid() bool { return int(t) < len(typeNames) }

func (t Type) String() string {
	if t.Valid() {
		return typeNames[t]
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// MarshalText gives the document's name of the type.
func (t Type) MarshalText() ([]byte, error) {
	if !t.Valid() {
		return nil, fmt.Errorf("ka: no type %d", uint8(t))
	}
	return []byte(typeNames[t]), nil
}

// UnmarshalText reads the document's name of a type.
func (t *Type) UnmarshalText(b []byte) error {
	for i, name := range typeNames {
		if name == string(b) {
			*t = Type(i)
			return nil
		}
	}
	return fmt.Errorf("ka: no type %q", b)
}

// ValueHeader leads every value and says which body follows.
type ValueHeader struct{ Type Type }

// Value is one of the types listed by [Variants].
type Value interface {
	isValue()
	// Type returns the number and name of the variant.
	Type() Type
}

// Variants returns one value of every variant, in the order of their types.
func Variants() []Value {
	return []Value{
		None{},
		Boolean(0), Int32(0), Float(0),
		String{},
		WideString{},
		ByteArray(nil), Uint32(0),
		KeyedArchive{},
		Int64(0), Uint64(0),
		Vector2{},
		Vector3{},
		Vector4{},
		Matrix2{},
		Matrix3{},
		Matrix4{},
		Color{},
		FastName{},
		AABBox3{},
		FilePath{},
		Float64(0), Int8(0), Uint8(0),
		Int16(0), Uint16(0),
		Rect{},
		Array(nil),
		Quaternion{},
		Transform{},
		AABBox2{},
	}
}

// None has no content.
type None struct{}

// Boolean is the byte as stored: 0 is false, 1 is true, and what the others
// are is open (ka.bool).
type Boolean uint8

// Bool reports whether the byte is not 0.
func (v Boolean) Bool() bool { return v != 0 }

// Int32 is a signed integer of 4 bytes.
type Int32 int32

// Float is an IEEE 754 number of 4 bytes. Any bits, NaN included.
type Float float32

// String is text of single bytes, usually UTF-8, without terminator. At most
// 2^32-1 bytes.
type String struct {
	Text string
	// ID is nil for text stored where it stands. Otherwise the file holds
	// this number, and Text is what it stands for in the table of fast names;
	// a writer writes ID and refuses another Text (KA-STR-4).
	ID *uint32
}

// WideString is text of wide characters, held as WTF-8: UTF-8 in which a lone
// surrogate takes three bytes. At most 2^32-1 characters.
type WideString struct {
	Text string
	ID   *uint32 // as in [String]
}

// ByteArray is a run of bytes. At most 2^32-1.
type ByteArray []byte

// Uint32 is an unsigned integer of 4 bytes.
type Uint32 uint32

// KeyedArchive is an archive inside another. Its length in bytes stands
// before it in a file and not here: it follows from the content.
type KeyedArchive Archive

// Int64 is a signed integer of 8 bytes.
type Int64 int64

// Uint64 is an unsigned integer of 8 bytes.
type Uint64 uint64

// Vector2 has two components.
type Vector2 struct{ X, Y float32 }

// Vector3 has three components.
type Vector3 struct{ X, Y, Z float32 }

// Vector4 has four components.
type Vector4 struct{ X, Y, Z, W float32 }

// Matrix2 has two rows of two.
type Matrix2 [2][2]float32

// Matrix3 has three rows of three.
type Matrix3 [3][3]float32

// Matrix4 has four rows of four.
type Matrix4 [4][4]float32

// Color has red, green, blue and alpha, usually in [0, 1].
type Color struct{ R, G, B, A float32 }

// FastName is a name that engines intern. At most 2^32-1 bytes.
type FastName struct {
	Text string
	ID   *uint32 // as in [String]
}

// AABBox3 is a box along the axes. That Minimum is the lesser is usual, not
// required.
type AABBox3 struct{ Minimum, Maximum Vector3 }

// FilePath is a path in no stated form; engines write an absolute one. At most
// 2^32-1 bytes.
type FilePath struct {
	Text string
	ID   *uint32 // as in [String]
}

// Float64 is an IEEE 754 number of 8 bytes. Any bits, NaN included.
type Float64 float64

// Int8 is a signed integer of 1 byte.
type Int8 int8

// Uint8 is an unsigned integer of 1 byte.
type Uint8 uint8

// Int16 is a signed integer of 2 bytes.
type Int16 int16

// Uint16 is an unsigned integer of 2 bytes.
type Uint16 uint16

// Rect is a corner and the extent from it. Not in the document.
type Rect struct{ X, Y, Dx, Dy float32 }

// Array holds values of any types. At most 2^32-1.
type Array []Value

// Quaternion is a rotation; W, the scalar part, is last. Not in the document.
type Quaternion struct{ X, Y, Z, W float32 }

// Transform moves, scales and rotates.
type Transform struct {
	Position   Vector3
	Scale      Vector3
	Quaternion Vector4 // the rotation; W, the scalar part, is last
}

// AABBox2 is a rectangle along the axes. Not in the document.
type AABBox2 struct{ Minimum, Maximum Vector2 }

func (None) isValue()         {}
func (Boolean) isValue()      {}
func (Int32) isValue()        {}
func (Float) isValue()        {}
func (String) isValue()       {}
func (WideString) isValue()   {}
func (ByteArray) isValue()    {}
func (Uint32) isValue()       {}
func (KeyedArchive) isValue() {}
func (Int64) isValue()        {}
func (Uint64) isValue()       {}
func (Vector2) isValue()      {}
func (Vector3) isValue()      {}
func (Vector4) isValue()      {}
func (Matrix2) isValue()      {}
func (Matrix3) isValue()      {}
func (Matrix4) isValue()      {}
func (Color) isValue()        {}
func (FastName) isValue()     {}
func (AABBox3) isValue()      {}
func (FilePath) isValue()     {}
func (Float64) isValue()      {}
func (Int8) isValue()         {}
func (Uint8) isValue()        {}
func (Int16) isValue()        {}
func (Uint16) isValue()       {}
func (Rect) isValue()         {}
func (Array) isValue()        {}
func (Quaternion) isValue()   {}
func (Transform) isValue()    {}
func (AABBox2) isValue()      {}

// Type returns [TypeNone].
func (None) Type() Type { return TypeNone }

// Type returns [TypeBoolean].
func (Boolean) Type() Type { return TypeBoolean }

// Type returns [TypeInt32].
func (Int32) Type() Type { return TypeInt32 }

// Type returns [TypeFloat].
func (Float) Type() Type { return TypeFloat }

// Type returns [TypeString].
func (String) Type() Type { return TypeString }

// Type returns [TypeWideString].
func (WideString) Type() Type { return TypeWideString }

// Type returns [TypeByteArray].
func (ByteArray) Type() Type { return TypeByteArray }

// Type returns [TypeUint32].
func (Uint32) Type() Type { return TypeUint32 }

// Type returns [TypeKeyedArchive].
func (KeyedArchive) Type() Type { return TypeKeyedArchive }

// Type returns [TypeInt64].
func (Int64) Type() Type { return TypeInt64 }

// Type returns [TypeUint64].
func (Uint64) Type() Type { return TypeUint64 }

// Type returns [TypeVector2].
func (Vector2) Type() Type { return TypeVector2 }

// Type returns [TypeVector3].
func (Vector3) Type() Type { return TypeVector3 }

// Type returns [TypeVector4].
func (Vector4) Type() Type { return TypeVector4 }

// Type returns [TypeMatrix2].
func (Matrix2) Type() Type { return TypeMatrix2 }

// Type returns [TypeMatrix3].
func (Matrix3) Type() Type { return TypeMatrix3 }

// Type returns [TypeMatrix4].
func (Matrix4) Type() Type { return TypeMatrix4 }

// Type returns [TypeColor].
func (Color) Type() Type { return TypeColor }

// Type returns [TypeFastName].
func (FastName) Type() Type { return TypeFastName }

// Type returns [TypeAABBox3].
func (AABBox3) Type() Type { return TypeAABBox3 }

// Type returns [TypeFilePath].
func (FilePath) Type() Type { return TypeFilePath }

// Type returns [TypeFloat64].
func (Float64) Type() Type { return TypeFloat64 }

// Type returns [TypeInt8].
func (Int8) Type() Type { return TypeInt8 }

// Type returns [TypeUint8].
func (Uint8) Type() Type { return TypeUint8 }

// Type returns [TypeInt16].
func (Int16) Type() Type { return TypeInt16 }

// Type returns [TypeUint16].
func (Uint16) Type() Type { return TypeUint16 }

// Type returns [TypeRect].
func (Rect) Type() Type { return TypeRect }

// Type returns [TypeArray].
func (Array) Type() Type { return TypeArray }

// Type returns [TypeQuaternion].
func (Quaternion) Type() Type { return TypeQuaternion }

// Type returns [TypeTransform].
func (Transform) Type() Type { return TypeTransform }

// Type returns [TypeAABBox2].
func (AABBox2) Type() Type { return TypeAABBox2 }
