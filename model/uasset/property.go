package uasset

import "reflect"

// Property is one tagged property (UA-TAG-1 to 4). Its type follows from
// Value, except for an [OpaqueProperty], which contains it. Its Size field
// ("Length Property") also follows from Value.
type Property struct {
	Name         FName
	ArrayIndex   int32 // position in a fixed-size array, 0 otherwise; upper half of the document's length
	PropertyGuid *Guid // nil if the byte before the value ("null") is 0
	Value        Value
}

// PropertyList is properties in the order of the file. In a file the name None
// ends it (UA-LST-1).
type PropertyList []Property

// Value is the value of a [Property]. It is sealed: [Variants] lists its types.
type Value interface{ isValue() }

// Elements are the values in an [ArrayProperty]. It is sealed: [Variants] lists its types.
type Elements interface{ isElements() }

// StructValue is the value of a struct. It is sealed: [Variants] lists its types.
type StructValue interface{ isStruct() }

// TypeName returns the name of the type of a [Value], [Elements] or
// [StructValue], such as "BoolProperty", and "" for anything else, also for a pointer
// to one. The name of a [Value] of a listed type is the type of the property.
func TypeName(v any) string { return typeNames[reflect.TypeOf(v)] }

var typeNames = func() map[reflect.Type]string {
	names := map[reflect.Type]string{}
	for _, v := range Variants() {
		t := reflect.TypeOf(v)
		names[t] = t.Name()
	}
	return names
}()

// Variants returns one zero value of each type of [Value], [Elements] and
// [StructValue]. No type implements two of them.
func Variants() []any {
	return []any{
		BoolProperty(false), FloatProperty(0),
		NameProperty{},
		IntProperty(0),
		StrProperty{},
		ObjectProperty(0),
		ByteProperty{},
		BytePair{},
		ArrayProperty{},
		StructProperty{},
		OpaqueProperty{},

		Bools(nil), Floats(nil), Names(nil), Ints(nil), Strs(nil), Objects(nil),
		Structs{},
		OpaqueStructs{},
		OpaqueElements{},

		IntPoint{},
		Guid{},
		ColorMaterialInput(nil), ScalarMaterialInput(nil),
		TextureStreamingData{},
		MaterialTextureInfo(nil),
		FontCharacter{},
		FontCharacterWords{},
		FontImportOptionsData{},
		OpaqueStruct(nil),
	}
}

// BoolProperty is a truth value, kept in the tag: Size is 0 (UA-BOOL-1).
type BoolProperty bool

// FloatProperty is a 32-bit float; its bits are kept (UA-FLT-1).
type FloatProperty float32

// NameProperty is a name: "Name ID" and "Unknown" (UA-NPR-1).
type NameProperty FName

// IntProperty is a 32-bit integer (UA-INT-1).
type IntProperty int32

// StrProperty is a string (UA-SPR-1).
type StrProperty FString

// ObjectProperty refers to an import or export (UA-OPR-1).
type ObjectProperty PackageIndex

// ByteProperty is a byte or an enumerator, on the observed side of
// uasset.byte-property (UA-BYTE-1). Exactly one of Value and ValueName is not
// nil.
type ByteProperty struct {
	EnumName  FName  // the enumeration, or None for a plain byte
	Value     *uint8 // Size 1
	ValueName *FName // Size 8: the enumerator
}

// BytePair is a ByteProperty on the documented side of uasset.byte-property:
// two runs of Size bytes with a null byte between them.
type BytePair struct {
	First  []byte
	Second []byte // as long as First
}

// ArrayProperty is an array. InnerType is the type of the elements ("Class ID") (UA-ARR-1).
type ArrayProperty struct {
	InnerType FName
	Elements  Elements
}

// Bools are the elements of an array of BoolProperty.
type Bools []bool

// Floats are the elements of an array of FloatProperty.
type Floats []float32

// Names are the elements of an array of NameProperty.
type Names []FName

// Ints are the elements of an array of IntProperty.
type Ints []int32

// Strs are the elements of an array of StrProperty.
type Strs []FString

// Objects are the elements of an array of ObjectProperty.
type Objects []PackageIndex

// Structs are the elements of an array of one of the structs IntPoint, Guid,
// TextureStreamingData, MaterialTextureInfo, FontCharacter.
type Structs struct {
	Tag      InnerTag
	Elements []StructValue // all of one type
}

// OpaqueStructs are the elements of an array of any other struct.
type OpaqueStructs struct {
	Tag   InnerTag
	Count uint32 // "Number of Values in the Array"
	Data  []byte // all elements, with the null bytes of the documented side of uasset.struct-array-null
}

// OpaqueElements are the elements of an array of ByteProperty or of a type
// that the document does not list.
type OpaqueElements struct {
	Count uint32 // "Number of Values in the Array"
	Data  []byte
}

// InnerTag precedes the elements of an array of structs. Its type is
// StructProperty (UA-ARR-3).
type InnerTag struct {
	Name         FName  // usually that of the array
	Size         uint32 // of all elements, in bytes
	ArrayIndex   int32
	StructName   FName
	StructGuid   Guid
	PropertyGuid *Guid // nil if absent, and always on the documented side of uasset.struct-array-null
}

// StructProperty is a struct (UA-STC-1).
type StructProperty struct {
	StructName FName // the second "Class ID"
	StructGuid Guid  // two "null"s; nonzero for user-defined structs
	Value      StructValue
}

// OpaqueProperty is a property of a type that the document does not list (UA-OPQ-1).
type OpaqueProperty struct {
	Type FName
	// Names precede the GUID byte in the tag: one for EnumProperty (the
	// enumeration) and SetProperty (the type of the elements), two for MapProperty
	// (the types of keys and values), none for other types.
	Names []FName
	Data  []byte // Size bytes
}

// IntPoint is a point on a grid, 8 bytes.
type IntPoint struct{ X, Y int32 }

// ColorMaterialInput is Size bytes. The document does not describe them.
type ColorMaterialInput []byte

// ScalarMaterialInput is Size bytes. The document does not describe them.
type ScalarMaterialInput []byte

// TextureStreamingData is two 64-bit words, each a "null". Real files use the
// name only for an array in [MaterialTextureInfo].
type TextureStreamingData struct{ First, Second uint64 }

// MaterialTextureInfo is a nested property list, which the name None ends.
type MaterialTextureInfo PropertyList

// FontCharacter is the position of a glyph in the pages of a font, 21 bytes, on
// the observed side of uasset.font-character.
type FontCharacter struct {
	StartU         int32 // pixels
	StartV         int32 // pixels
	USize          int32 // pixels
	VSize          int32 // pixels
	TextureIndex   uint8 // page
	VerticalOffset int32 // pixels
}

// FontCharacterWords is a FontCharacter on the documented side of
// uasset.font-character: 20 bytes in four words of unknown meaning.
type FontCharacterWords struct {
	A uint32
	B uint32
	C uint32
	D uint64
}

// FontImportOptionsData is a nested property list, which the name None ends.
type FontImportOptionsData struct {
	Properties PropertyList
	// Tail is the fields after the list on the documented side of
	// uasset.font-import-options. Otherwise it is nil.
	Tail *FontTail
}

// FontTail follows a FontImportOptionsData in the document. In a real file the
// same bytes are the end of the font's own properties and its table of
// characters.
type FontTail struct {
	ClassID   FName    // "Class ID": None
	Null      uint32   // "null", not checked
	ExtraData []uint32 // "Extra Data": its length is stored in words
}

// OpaqueStruct is a struct that the document does not list: Size bytes.
type OpaqueStruct []byte

func (BoolProperty) isValue()   {}
func (FloatProperty) isValue()  {}
func (NameProperty) isValue()   {}
func (IntProperty) isValue()    {}
func (StrProperty) isValue()    {}
func (ObjectProperty) isValue() {}
func (ByteProperty) isValue()   {}
func (BytePair) isValue()       {}
func (ArrayProperty) isValue()  {}
func (StructProperty) isValue() {}
func (OpaqueProperty) isValue() {}

func (Bools) isElements()          {}
func (Floats) isElements()         {}
func (Names) isElements()          {}
func (Ints) isElements()           {}
func (Strs) isElements()           {}
func (Objects) isElements()        {}
func (Structs) isElements()        {}
func (OpaqueStructs) isElements()  {}
func (OpaqueElements) isElements() {}

func (IntPoint) isStruct()              {}
func (Guid) isStruct()                  {}
func (ColorMaterialInput) isStruct()    {}
func (ScalarMaterialInput) isStruct()   {}
func (TextureStreamingData) isStruct()  {}
func (MaterialTextureInfo) isStruct()   {}
func (FontCharacter) isStruct()         {}
func (FontCharacterWords) isStruct()    {}
func (FontImportOptionsData) isStruct() {}
func (OpaqueStruct) isStruct()          {}
