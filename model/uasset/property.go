package uasset

import "errors"

var errForm = errors.New("uasset: no such form of a string")

// Property is one tagged property. Its type follows from Value, except for an
// [OpaqueProperty], which names it; its Size field ("Length Property") is
// worked out from Value (UA-TAG-1 to 4).
type Property struct {
	Name         FName
	ArrayIndex   int32 // position in a fixed-size array, 0 otherwise; upper half of the document's length
	PropertyGuid *Guid // nil if the byte before the value ("null") is 0
	Value        Value
}

// PropertyList is properties in the order of the file. In a file the name None
// ends it (UA-LST-1).
type PropertyList []Property

// A Variant is one type of a sealed interface.
type Variant interface {
	// TypeName is unique among the types of the same interface.
	TypeName() string
}

// Value is the value of a [Property]. It is sealed: [Variants] lists its types.
type Value interface {
	Variant
	value()
}

// Elements are the values in an [ArrayProperty]. It is sealed: [Variants] lists its types.
type Elements interface {
	Variant
	elements()
}

// StructValue is the value of a struct. It is sealed: [Variants] lists its types.
type StructValue interface {
	Variant
	structValue()
}

// Variants returns one zero value of each type that a [Value], [Elements] or
// [StructValue] may hold. No type implements two of them.
func Variants() []Variant {
	return []Variant{
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

// ByteProperty is a byte or an enumerator, in the observed reading of
// uasset.byte-property. Exactly one of Value and ValueName is not nil
// (UA-BYTE-1).
type ByteProperty struct {
	EnumName  FName  // the enumeration, or None for a plain byte
	Value     *uint8 // Size 1
	ValueName *FName // Size 8: the enumerator
}

// BytePair is a ByteProperty in the documented reading of
// uasset.byte-property: two runs of Size bytes with a null byte between.
type BytePair struct {
	First  []byte
	Second []byte // as long as First
}

// ArrayProperty is a list. InnerType is the type of the elements ("Class ID") (UA-ARR-1).
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

// Structs are the elements of an array of StructProperty whose struct has
// elements that can be told apart: IntPoint, Guid, TextureStreamingData,
// MaterialTextureInfo, FontCharacter.
type Structs struct {
	Tag      InnerTag
	Elements []StructValue // all of one type
}

// OpaqueStructs are the elements of an array of any other struct.
type OpaqueStructs struct {
	Tag   InnerTag
	Count uint32 // "Number of Values in the Array"
	Data  []byte // all elements; every null byte too in the documented reading of uasset.struct-array-null
}

// OpaqueElements are the elements of an array of ByteProperty or of a type
// that the document does not list.
type OpaqueElements struct {
	Count uint32 // "Number of Values in the Array"
	Data  []byte
}

// InnerTag stands once before the elements of an array of structs. Its type
// is StructProperty (UA-ARR-3).
type InnerTag struct {
	Name         FName  // that of the array, by custom
	Size         uint32 // bytes of all elements
	ArrayIndex   int32
	StructName   FName
	StructGuid   Guid
	PropertyGuid *Guid // nil if absent, and always in the documented reading of uasset.struct-array-null
}

// StructProperty is a struct (UA-STC-1).
type StructProperty struct {
	StructName FName // the second "Class ID"
	StructGuid Guid  // two "null"s; nonzero for structs that a user defined
	Value      StructValue
}

// OpaqueProperty is a property of a type that the document does not list (UA-OPQ-1).
type OpaqueProperty struct {
	Type FName
	// Names stand in the tag before the GUID byte: one for EnumProperty (the
	// enumeration) and SetProperty (the type of the elements), two for MapProperty
	// (types of keys and values), none for others.
	Names []FName
	Data  []byte // Size bytes
}

// IntPoint is a point on a grid, 8 bytes.
type IntPoint struct{ X, Y int32 }

// ColorMaterialInput is kept as it is: Size bytes.
type ColorMaterialInput []byte

// ScalarMaterialInput is kept as it is: Size bytes.
type ScalarMaterialInput []byte

// TextureStreamingData is two 64-bit words, "null" both. Real files use the
// name only for an array in [MaterialTextureInfo].
type TextureStreamingData struct{ First, Second uint64 }

// MaterialTextureInfo is a property list of its own, ended by None.
type MaterialTextureInfo PropertyList

// FontCharacter places a glyph in the pages of a font, 21 bytes, in the
// observed reading of uasset.font-character.
type FontCharacter struct {
	StartU         int32 // pixels
	StartV         int32 // pixels
	USize          int32 // pixels
	VSize          int32 // pixels
	TextureIndex   uint8 // page
	VerticalOffset int32 // pixels
}

// FontCharacterWords is a FontCharacter in the documented reading of
// uasset.font-character: 20 bytes in four words of unknown meaning.
type FontCharacterWords struct {
	A uint32
	B uint32
	C uint32
	D uint64
}

// FontImportOptionsData is a property list of its own, ended by None.
type FontImportOptionsData struct {
	Properties PropertyList
	// Tail is what the documented reading of uasset.font-import-options takes
	// behind the list; otherwise it is nil.
	Tail *FontTail
}

// FontTail is what follows a FontImportOptionsData in the document. In a real
// file it is the end of the font's own properties and its table of characters.
type FontTail struct {
	ClassID   FName    // "Class ID": None
	Null      uint32   // "null", kept as it is
	ExtraData []uint32 // "Extra Data": its length is stored in words
}

// OpaqueStruct is a struct that the document does not list: Size bytes.
type OpaqueStruct []byte

// TypeName returns "BoolProperty".
func (BoolProperty) TypeName() string { return "BoolProperty" }

// TypeName returns "FloatProperty".
func (FloatProperty) TypeName() string { return "FloatProperty" }

// TypeName returns "NameProperty".
func (NameProperty) TypeName() string { return "NameProperty" }

// TypeName returns "IntProperty".
func (IntProperty) TypeName() string { return "IntProperty" }

// TypeName returns "StrProperty".
func (StrProperty) TypeName() string { return "StrProperty" }

// TypeName returns "ObjectProperty".
func (ObjectProperty) TypeName() string { return "ObjectProperty" }

// TypeName returns "ByteProperty".
func (ByteProperty) TypeName() string { return "ByteProperty" }

// TypeName returns "BytePair".
func (BytePair) TypeName() string { return "BytePair" }

// TypeName returns "ArrayProperty".
func (ArrayProperty) TypeName() string { return "ArrayProperty" }

// TypeName returns "StructProperty".
func (StructProperty) TypeName() string { return "StructProperty" }

// TypeName returns "OpaqueProperty".
func (OpaqueProperty) TypeName() string { return "OpaqueProperty" }

// TypeName returns "Bools".
func (Bools) TypeName() string { return "Bools" }

// TypeName returns "Floats".
func (Floats) TypeName() string { return "Floats" }

// TypeName returns "Names".
func (Names) TypeName() string { return "Names" }

// TypeName returns "Ints".
func (Ints) TypeName() string { return "Ints" }

// TypeName returns "Strs".
func (Strs) TypeName() string { return "Strs" }

// TypeName returns "Objects".
func (Objects) TypeName() string { return "Objects" }

// TypeName returns "Structs".
func (Structs) TypeName() string { return "Structs" }

// TypeName returns "OpaqueStructs".
func (OpaqueStructs) TypeName() string { return "OpaqueStructs" }

// TypeName returns "OpaqueElements".
func (OpaqueElements) TypeName() string { return "OpaqueElements" }

// TypeName returns "IntPoint".
func (IntPoint) TypeName() string { return "IntPoint" }

// TypeName returns "Guid".
func (Guid) TypeName() string { return "Guid" }

// TypeName returns "ColorMaterialInput".
func (ColorMaterialInput) TypeName() string { return "ColorMaterialInput" }

// TypeName returns "ScalarMaterialInput".
func (ScalarMaterialInput) TypeName() string { return "ScalarMaterialInput" }

// TypeName returns "TextureStreamingData".
func (TextureStreamingData) TypeName() string { return "TextureStreamingData" }

// TypeName returns "MaterialTextureInfo".
func (MaterialTextureInfo) TypeName() string { return "MaterialTextureInfo" }

// TypeName returns "FontCharacter".
func (FontCharacter) TypeName() string { return "FontCharacter" }

// TypeName returns "FontCharacterWords".
func (FontCharacterWords) TypeName() string { return "FontCharacterWords" }

// TypeName returns "FontImportOptionsData".
func (FontImportOptionsData) TypeName() string { return "FontImportOptionsData" }

// TypeName returns "OpaqueStruct".
func (OpaqueStruct) TypeName() string { return "OpaqueStruct" }

func (BoolProperty) value()   {}
func (FloatProperty) value()  {}
func (NameProperty) value()   {}
func (IntProperty) value()    {}
func (StrProperty) value()    {}
func (ObjectProperty) value() {}
func (ByteProperty) value()   {}
func (BytePair) value()       {}
func (ArrayProperty) value()  {}
func (StructProperty) value() {}
func (OpaqueProperty) value() {}

func (Bools) elements()          {}
func (Floats) elements()         {}
func (Names) elements()          {}
func (Ints) elements()           {}
func (Strs) elements()           {}
func (Objects) elements()        {}
func (Structs) elements()        {}
func (OpaqueStructs) elements()  {}
func (OpaqueElements) elements() {}

func (IntPoint) structValue()              {}
func (Guid) structValue()                  {}
func (ColorMaterialInput) structValue()    {}
func (ScalarMaterialInput) structValue()   {}
func (TextureStreamingData) structValue()  {}
func (MaterialTextureInfo) structValue()   {}
func (FontCharacter) structValue()         {}
func (FontCharacterWords) structValue()    {}
func (FontImportOptionsData) structValue() {}
func (OpaqueStruct) structValue()          {}
