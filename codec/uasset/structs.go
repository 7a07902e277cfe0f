package uasset

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// A structType describes a listed struct without its tag.
type structType[T model.StructValue] struct {
	name  string
	size  int  // of the smallest value, in bytes
	fixed bool // all values have that size
	// inArray is set if the elements of an array of the struct can be separated.
	inArray bool
	body    func(*part, wire.Fields, T) T // reads or writes
}

// The structs that the document lists, and any other struct.
var (
	intPoint      = fixedStruct("IntPoint", 8, intPointFields)
	guid          = fixedStruct("Guid", 16, guidFields)
	colorInput    = restStruct[model.ColorMaterialInput]("ColorMaterialInput", "UA-CMI-1")
	scalarInput   = restStruct[model.ScalarMaterialInput]("ScalarMaterialInput", "UA-SMI-1")
	streamingData = fixedStruct("TextureStreamingData", 16, streamingFields)
	textureInfo   = structType[model.MaterialTextureInfo]{
		name: "MaterialTextureInfo", size: nameSize, inArray: true, body: (*part).textureInfo,
	}
	fontCharacter = fixedStruct(nameFontCharacter, 21, characterFields)
	fontWords     = fixedStruct(nameFontCharacter, 20, wordFields)
	fontOptions   = structType[model.FontImportOptionsData]{
		name: "FontImportOptionsData", size: nameSize, body: (*part).fontOptions,
	}

	unlistedStruct = restStruct[model.OpaqueStruct]("", "UA-STC-2").kind()
)

const nameFontCharacter = "FontCharacter"

// fixedStruct describes a struct of fields of fixed size.
func fixedStruct[T model.StructValue](name string, size int, body func(wire.Fields, T) T) structType[T] {
	return structType[T]{
		name: name, size: size, fixed: true, inArray: true,
		body: func(_ *part, f wire.Fields, v T) T { return body(f, v) },
	}
}

// restStruct describes a struct that extends to the end of its bytes, which are kept.
func restStruct[T interface {
	~[]byte
	model.StructValue
}](name string, clause clauseID) structType[T] {
	return structType[T]{
		name: name,
		body: func(_ *part, f wire.Fields, v T) T { return rest(f, v, "", clause) },
	}
}

// structure returns the struct as a type that can be decoded alone.
func (t structType[T]) structure(f *wire.Family, p *part) wire.Structure[T] {
	return bind(f, p, t.name, t.size, t.body)
}

// A structKind is a structType for any T.
type structKind = structType[model.StructValue]

func (t structType[T]) kind() structKind {
	return structKind{
		t.name, t.size, t.fixed, t.inArray,
		func(p *part, f wire.Fields, v model.StructValue) model.StructValue {
			x, ok := v.(T)
			switch {
			case f.R != nil:
				return t.body(p, f, x)
			case !ok:
				f.W.Fail("", "UA-STC-3", "expected %T, found %s", x, wire.TypeName(v))
			default:
				t.body(p, f, x)
			}
			return v
		},
	}
}

// structKinds returns the listed structs by name.
func structKinds(d dialect) map[string]structKind {
	character := fontCharacter.kind()
	if d.fontWords {
		character = fontWords.kind()
	}
	kinds := map[string]structKind{}
	for _, k := range [...]structKind{
		intPoint.kind(), guid.kind(), colorInput.kind(), scalarInput.kind(),
		streamingData.kind(), textureInfo.kind(), character, fontOptions.kind(),
	} {
		kinds[k.name] = k
	}
	return kinds
}

// structKind returns the kind of the structs of a name. A struct that the
// document does not list is kept as bytes.
func (p *part) structKind(name model.FName) structKind {
	if k, ok := p.structs[p.names.plain(name)]; ok {
		return k
	}
	return unlistedStruct
}

// structValue reads or writes the value of a struct, and the fields that follow it.
func (p *part) structValue(f wire.Fields, t *tag, kind structKind, v model.StructValue) model.StructValue {
	if !kind.fixed {
		t.open(f)
	}
	f.Enter("value.value")
	v = kind.body(p, f, v)
	f.Leave()
	if !kind.fixed {
		t.close(f, "value.value")
	}
	if o, ok := v.(model.FontImportOptionsData); ok {
		f.Enter("value.value")
		o = p.fontTail(f, o)
		f.Leave()
		if f.R != nil {
			v = o
		}
	}
	return v
}

// IntPoint is the struct IntPoint without a tag.
func (c *Codec) IntPoint() wire.Structure[model.IntPoint] {
	return intPoint.structure(c.family, &c.nowhere)
}

func intPointFields(f wire.Fields, v model.IntPoint) model.IntPoint {
	f.Int32(&v.X, "x", "UA-IPT-1")
	f.Int32(&v.Y, "y", "UA-IPT-1")
	return v
}

// Guid is the struct Guid without a tag.
func (c *Codec) Guid() wire.Structure[model.Guid] { return guid.structure(c.family, &c.nowhere) }

func guidFields(f wire.Fields, v model.Guid) model.Guid {
	f.Bytes(v[:], "", "UA-GUID-1")
	return v
}

// ColorMaterialInput is the struct ColorMaterialInput without a tag, which
// extends to the end of the input.
func (c *Codec) ColorMaterialInput() wire.Structure[model.ColorMaterialInput] {
	return colorInput.structure(c.family, &c.nowhere)
}

// ScalarMaterialInput is the struct ScalarMaterialInput without a tag, which
// extends to the end of the input.
func (c *Codec) ScalarMaterialInput() wire.Structure[model.ScalarMaterialInput] {
	return scalarInput.structure(c.family, &c.nowhere)
}

// TextureStreamingData is the struct TextureStreamingData without a tag.
func (c *Codec) TextureStreamingData() wire.Structure[model.TextureStreamingData] {
	return streamingData.structure(c.family, &c.nowhere)
}

func streamingFields(f wire.Fields, v model.TextureStreamingData) model.TextureStreamingData {
	f.Uint64(&v.First, "first", "UA-TSD-1")
	f.Uint64(&v.Second, "second", "UA-TSD-1")
	return v
}

// MaterialTextureInfo is the struct MaterialTextureInfo without a tag. It uses
// Scope.Names.
func (p *Part) MaterialTextureInfo() wire.Structure[model.MaterialTextureInfo] {
	return textureInfo.structure(p.family, &p.part)
}

func (p *part) textureInfo(f wire.Fields, v model.MaterialTextureInfo) model.MaterialTextureInfo {
	return model.MaterialTextureInfo(p.properties(f, model.PropertyList(v)))
}

// FontCharacter is the struct FontCharacter without a tag: a
// [model.FontCharacter], or on the documented side of uasset.font-character a
// [model.FontCharacterWords].
func (c *Codec) FontCharacter() wire.Structure[model.StructValue] {
	return c.structs[nameFontCharacter].structure(c.family, &c.nowhere)
}

func characterFields(f wire.Fields, v model.FontCharacter) model.FontCharacter {
	f.Int32(&v.StartU, "startU", "UA-FCH-1")
	f.Int32(&v.StartV, "startV", "UA-FCH-1")
	f.Int32(&v.USize, "uSize", "UA-FCH-1")
	f.Int32(&v.VSize, "vSize", "UA-FCH-1")
	f.Uint8(&v.TextureIndex, "textureIndex", "UA-FCH-1")
	f.Int32(&v.VerticalOffset, "verticalOffset", "UA-FCH-1")
	return v
}

func wordFields(f wire.Fields, v model.FontCharacterWords) model.FontCharacterWords {
	f.Uint32(&v.A, "a", "UA-FCH-1")
	f.Uint32(&v.B, "b", "UA-FCH-1")
	f.Uint32(&v.C, "c", "UA-FCH-1")
	f.Uint64(&v.D, "d", "UA-FCH-1")
	return v
}

// FontImportOptionsData is the struct FontImportOptionsData without a tag. It
// uses Scope.Names.
func (p *Part) FontImportOptionsData() wire.Structure[model.FontImportOptionsData] {
	return bind(p.family, &p.part, fontOptions.name, fontOptions.size,
		func(p *part, f wire.Fields, v model.FontImportOptionsData) model.FontImportOptionsData {
			return p.fontTail(f, p.fontOptions(f, v))
		})
}

func (p *part) fontOptions(f wire.Fields, v model.FontImportOptionsData) model.FontImportOptionsData {
	f.Enter("properties")
	v.Properties = p.properties(f, v.Properties)
	f.Leave()
	return v
}

// fontTail reads or writes the fields that follow the list in the document.
func (p *part) fontTail(f wire.Fields, v model.FontImportOptionsData) model.FontImportOptionsData {
	switch {
	case !p.d.fontTail && v.Tail != nil:
		f.W.Fail("tail", "UA-FIO-1", "expected no tail under uasset.font-import-options=observed, found one of %d words",
			len(v.Tail.ExtraData))
		return v
	case !p.d.fontTail:
		return v
	case f.R != nil:
		v.Tail = &model.FontTail{}
		f.R.Cite("UA-FIO-2")
	case v.Tail == nil:
		f.W.Fail("tail", "UA-FIO-2", "expected a tail under uasset.font-import-options=documented, found none")
		return v
	}
	f.Enter("tail")
	p.tailClass(f, &v.Tail.ClassID)
	f.Uint32(&v.Tail.Null, "null", "UA-FIO-2")
	if f.R != nil {
		n := f.R.Count(f.R.Uint32("extraDataLength", "UA-FIO-2"), 4, 4, "extraDataLength", "UA-FIO-2")
		v.Tail.ExtraData = make([]uint32, n)
	} else {
		f.W.Uint32(f.W.Len(len(v.Tail.ExtraData), "extraData", "UA-FIO-2"))
	}
	for i := range v.Tail.ExtraData {
		f.Uint32(&v.Tail.ExtraData[i], "extraData", "UA-FIO-2")
	}
	f.Leave()
	return v
}

// tailClass reads or writes the name None.
func (p *part) tailClass(f wire.Fields, v *model.FName) {
	if f.W != nil && p.names.plain(*v) != none {
		f.W.Fail("classID", "UA-FIO-2", "expected the name %q with number 0, found name %d of the table "+
			"with number %d", none, v.Index, v.Number)
	}
	p.id(f, v, "classID", "UA-FIO-2")
	if f.R != nil && p.names.plain(*v) != none && !f.R.Failed() {
		f.Fail(wire.Value, nameSize, "classID", "UA-FIO-2", "%s", p.names.misnamed(none, *v))
	}
}
