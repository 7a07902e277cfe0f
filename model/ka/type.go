package ka

import "fmt"

// Type is the document's KAType: the id that selects the body of a value. One
// byte in a file.
type Type uint8

// The type ids. The document omits 26, 28 and 30; their names are those of the
// engine's types.
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

// types has the name and the zero value of each type.
var types = [...]struct {
	name string // in the document
	zero Value
}{
	TypeNone:         {"NONE", None{}},
	TypeBoolean:      {"BOOLEAN", Boolean(0)},
	TypeInt32:        {"INT32", Int32(0)},
	TypeFloat:        {"FLOAT", Float(0)},
	TypeString:       {"STRING", String{}},
	TypeWideString:   {"WIDE_STRING", WideString{}},
	TypeByteArray:    {"BYTE_ARRAY", ByteArray(nil)},
	TypeUint32:       {"UINT32", Uint32(0)},
	TypeKeyedArchive: {"KEYED_ARCHIVE", KeyedArchive{}},
	TypeInt64:        {"INT64", Int64(0)},
	TypeUint64:       {"UINT64", Uint64(0)},
	TypeVector2:      {"VECTOR2", Vector2{}},
	TypeVector3:      {"VECTOR3", Vector3{}},
	TypeVector4:      {"VECTOR4", Vector4{}},
	TypeMatrix2:      {"MATRIX2", Matrix2{}},
	TypeMatrix3:      {"MATRIX3", Matrix3{}},
	TypeMatrix4:      {"MATRIX4", Matrix4{}},
	TypeColor:        {"COLOR", Color{}},
	TypeFastName:     {"FASTNAME", FastName{}},
	TypeAABBox3:      {"AABBOX3", AABBox3{}},
	TypeFilePath:     {"FILEPATH", FilePath{}},
	TypeFloat64:      {"FLOAT64", Float64(0)},
	TypeInt8:         {"INT8", Int8(0)},
	TypeUint8:        {"UINT8", Uint8(0)},
	TypeInt16:        {"INT16", Int16(0)},
	TypeUint16:       {"UINT16", Uint16(0)},
	TypeRect:         {"RECT", Rect{}},
	TypeArray:        {"ARRAY", Array(nil)},
	TypeQuaternion:   {"QUATERNION", Quaternion{}},
	TypeTransform:    {"TRANSFORM", Transform{}},
	TypeAABBox2:      {"AABBOX2", AABBox2{}},
}

// Variants returns the zero value of every variant, in the order of their
// type ids.
func Variants() []Value {
	out := make([]Value, len(types))
	for i := range types {
		out[i] = types[i].zero
	}
	return out
}

// Valid reports whether the type id exists.
func (t Type) Valid() bool { return int(t) < len(types) }

// String returns the document's name of the type.
func (t Type) String() string {
	if t.Valid() {
		return types[t].name
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// MarshalText returns the document's name of the type. It fails if the type id
// does not exist.
func (t Type) MarshalText() ([]byte, error) {
	if !t.Valid() {
		return nil, fmt.Errorf("ka: type id %d does not exist", uint8(t))
	}
	return []byte(types[t].name), nil
}

// UnmarshalText sets the type to the one that has the document's name b.
func (t *Type) UnmarshalText(b []byte) error {
	for i := range types {
		if types[i].name == string(b) {
			*t = Type(i)
			return nil
		}
	}
	return fmt.Errorf("ka: type %q does not exist", b)
}
