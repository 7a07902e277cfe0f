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

// TypeInfo is what the records say about one type of values.
type TypeInfo struct {
	Name string // the document's name, such as INT32
	Zero Value  // the zero value of the variant
	// Size is the size of a body in bytes, or [Varies].
	Size int
	// Width is the size in bytes of each number that the body consists of; 0
	// if there is none or the size varies.
	Width int
	// Clause describes the body. For text it describes inline text, and
	// ReferenceClause a text reference (KA-V2-3).
	Clause, ReferenceClause string
	// Flag decides whether the type id exists; empty if it always does.
	Flag string
}

// Varies is the size of a body whose size depends on its content.
const Varies = -1

// types has one row per type of values. Names, variants, sizes and clauses
// follow from it.
var types = [...]TypeInfo{
	TypeNone:         {Name: "NONE", Zero: None{}, Clause: "KA-NONE-1", Flag: "ka.none"},
	TypeBoolean:      {Name: "BOOLEAN", Zero: Boolean(0), Size: 1, Width: 1, Clause: "KA-BOOL-1"},
	TypeInt32:        {Name: "INT32", Zero: Int32(0), Size: 4, Width: 4, Clause: "KA-I32-1"},
	TypeFloat:        {Name: "FLOAT", Zero: Float(0), Size: 4, Width: 4, Clause: "KA-F32-1"},
	TypeString:       {Name: "STRING", Zero: String{}, Size: Varies, Clause: "KA-STR-1", ReferenceClause: "KA-STR-3"},
	TypeWideString:   {Name: "WIDE_STRING", Zero: WideString{}, Size: Varies, Clause: "KA-WSTR-1", ReferenceClause: "KA-WSTR-4"},
	TypeByteArray:    {Name: "BYTE_ARRAY", Zero: ByteArray(nil), Size: Varies, Clause: "KA-BYTES-1"},
	TypeUint32:       {Name: "UINT32", Zero: Uint32(0), Size: 4, Width: 4, Clause: "KA-U32-1"},
	TypeKeyedArchive: {Name: "KEYED_ARCHIVE", Zero: KeyedArchive{}, Size: Varies, Clause: "KA-NEST-1"},
	TypeInt64:        {Name: "INT64", Zero: Int64(0), Size: 8, Width: 8, Clause: "KA-I64-1"},
	TypeUint64:       {Name: "UINT64", Zero: Uint64(0), Size: 8, Width: 8, Clause: "KA-U64-1"},
	TypeVector2:      {Name: "VECTOR2", Zero: Vector2{}, Size: 8, Width: 4, Clause: "KA-VEC2-1"},
	TypeVector3:      {Name: "VECTOR3", Zero: Vector3{}, Size: 12, Width: 4, Clause: "KA-VEC3-1"},
	TypeVector4:      {Name: "VECTOR4", Zero: Vector4{}, Size: 16, Width: 4, Clause: "KA-VEC4-1"},
	TypeMatrix2:      {Name: "MATRIX2", Zero: Matrix2{}, Size: 16, Width: 4, Clause: "KA-MAT2-1"},
	TypeMatrix3:      {Name: "MATRIX3", Zero: Matrix3{}, Size: 36, Width: 4, Clause: "KA-MAT3-1"},
	TypeMatrix4:      {Name: "MATRIX4", Zero: Matrix4{}, Size: 64, Width: 4, Clause: "KA-MAT4-1"},
	TypeColor:        {Name: "COLOR", Zero: Color{}, Size: 16, Width: 4, Clause: "KA-COL-1"},
	TypeFastName:     {Name: "FASTNAME", Zero: FastName{}, Size: Varies, Clause: "KA-FN-2", ReferenceClause: "KA-FN-1"},
	TypeAABBox3:      {Name: "AABBOX3", Zero: AABBox3{}, Size: 24, Width: 4, Clause: "KA-BB3-1"},
	TypeFilePath:     {Name: "FILEPATH", Zero: FilePath{}, Size: Varies, Clause: "KA-PATH-1", ReferenceClause: "KA-PATH-2"},
	TypeFloat64:      {Name: "FLOAT64", Zero: Float64(0), Size: 8, Width: 8, Clause: "KA-F64-1"},
	TypeInt8:         {Name: "INT8", Zero: Int8(0), Size: 1, Width: 1, Clause: "KA-I8-1"},
	TypeUint8:        {Name: "UINT8", Zero: Uint8(0), Size: 1, Width: 1, Clause: "KA-U8-1"},
	TypeInt16:        {Name: "INT16", Zero: Int16(0), Size: 2, Width: 2, Clause: "KA-I16-1"},
	TypeUint16:       {Name: "UINT16", Zero: Uint16(0), Size: 2, Width: 2, Clause: "KA-U16-1"},
	TypeRect:         {Name: "RECT", Zero: Rect{}, Size: 16, Width: 4, Clause: "KA-RECT-1", Flag: "ka.types-26-28-30"},
	TypeArray:        {Name: "ARRAY", Zero: Array(nil), Size: Varies, Clause: "KA-ARR-1"},
	TypeQuaternion:   {Name: "QUATERNION", Zero: Quaternion{}, Size: 16, Width: 4, Clause: "KA-QUAT-1", Flag: "ka.types-26-28-30"},
	TypeTransform:    {Name: "TRANSFORM", Zero: Transform{}, Size: 40, Width: 4, Clause: "KA-TRF-1"},
	TypeAABBox2:      {Name: "AABBOX2", Zero: AABBox2{}, Size: 16, Width: 4, Clause: "KA-BB2-1", Flag: "ka.types-26-28-30"},
}

// Types returns the table of the types of values, indexed by type id. It is
// shared: callers must not change it.
func Types() []TypeInfo { return types[:] }

// Variants returns the zero value of every variant, in the order of their
// type ids.
func Variants() []Value {
	out := make([]Value, len(types))
	for i := range types {
		out[i] = types[i].Zero
	}
	return out
}

// Valid reports whether the type id exists.
func (t Type) Valid() bool { return int(t) < len(types) }

// String returns the document's name of the type.
func (t Type) String() string {
	if t.Valid() {
		return types[t].Name
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// MarshalText returns the document's name of the type. It fails if the type id
// does not exist.
func (t Type) MarshalText() ([]byte, error) {
	if !t.Valid() {
		return nil, fmt.Errorf("ka: type id %d does not exist", uint8(t))
	}
	return []byte(types[t].Name), nil
}

// UnmarshalText sets the type to the one that has the document's name b.
func (t *Type) UnmarshalText(b []byte) error {
	for i := range types {
		if types[i].Name == string(b) {
			*t = Type(i)
			return nil
		}
	}
	return fmt.Errorf("ka: type %q does not exist", b)
}
