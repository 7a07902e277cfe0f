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
	read    func(*part, *wire.Reader) T
	write   func(*part, *wire.Writer, T)
}

// The structs that the document lists, and any other struct.
var (
	intPoint      = fixedStruct("IntPoint", 8, intPointFields)
	guid          = fixedStruct("Guid", 16, guidFields)
	colorInput    = restStruct[model.ColorMaterialInput]("ColorMaterialInput", "UA-CMI-1")
	scalarInput   = restStruct[model.ScalarMaterialInput]("ScalarMaterialInput", "UA-SMI-1")
	streamingData = fixedStruct("TextureStreamingData", 16, streamingFields)
	textureInfo   = structType[model.MaterialTextureInfo]{
		name: "MaterialTextureInfo", size: nameSize, inArray: true,
		read: (*part).readTextureInfo, write: (*part).writeTextureInfo,
	}
	fontCharacter = fixedStruct(nameFontCharacter, 21, characterFields)
	fontWords     = fixedStruct(nameFontCharacter, 20, wordFields)
	fontOptions   = structType[model.FontImportOptionsData]{
		name: "FontImportOptionsData", size: nameSize,
		read: (*part).readFontOptions, write: (*part).writeFontOptions,
	}

	unlistedStruct = restStruct[model.OpaqueStruct]("", "UA-STC-2").kind()
)

const nameFontCharacter = "FontCharacter"

// fixedStruct describes a struct of fields of fixed size.
func fixedStruct[T model.StructValue](name string, size int, body func(wire.Fields, T) T) structType[T] {
	read, write := wire.Reading(body), wire.Writing(body)
	return structType[T]{
		name: name, size: size, fixed: true, inArray: true,
		read:  func(_ *part, r *wire.Reader) T { return read(r) },
		write: func(_ *part, w *wire.Writer, v T) { write(w, v) },
	}
}

// restStruct describes a struct that extends to the end of its bytes, which are kept.
func restStruct[T interface {
	~[]byte
	model.StructValue
}](name string, clause clauseID) structType[T] {
	return structType[T]{
		name:  name,
		read:  func(_ *part, r *wire.Reader) T { return readRest(r, "", clause) },
		write: func(_ *part, w *wire.Writer, v T) { w.Bytes(v) },
	}
}

// structure returns the struct as a type that can be decoded alone.
func (t structType[T]) structure(f *wire.Family, p *part) wire.Structure[T] {
	return wire.Bind(f, p, t.name, t.size, t.read, t.write)
}

// A structKind is a structType for any T.
type structKind = structType[model.StructValue]

func (t structType[T]) kind() structKind {
	return structKind{
		t.name, t.size, t.fixed, t.inArray,
		func(p *part, r *wire.Reader) model.StructValue { return t.read(p, r) },
		func(p *part, w *wire.Writer, v model.StructValue) {
			x, ok := v.(T)
			if !ok {
				var zero T
				w.Fail("", "UA-STC-3", "expected %T, found %s", zero, wire.TypeName(v))
				return
			}
			t.write(p, w, x)
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

// readStruct reads the Size bytes of a struct, and the fields that follow them.
func (p *part) readStruct(r *wire.Reader, t tag, kind structKind) (v model.StructValue) {
	window := wire.Window{}
	if !kind.fixed {
		window = t.open(r)
	}
	r.Enter("value")
	r.Enter("value")
	v = kind.read(p, r)
	if !kind.fixed {
		r.Widen(window, "", "UA-TAG-3")
	}
	if o, ok := v.(model.FontImportOptionsData); ok {
		v = p.readFontTail(r, o)
	}
	r.Leave()
	r.Leave()
	return v
}

// writeStruct writes the Size bytes of a struct.
func (p *part) writeStruct(w *wire.Writer, v model.StructProperty) {
	w.Enter("value")
	p.structKind(v.StructName).write(p, w, v.Value)
	w.Leave()
}

// writeStructTail writes the fields that follow the Size bytes of a struct.
func (p *part) writeStructTail(w *wire.Writer, v model.StructProperty) {
	if o, ok := v.Value.(model.FontImportOptionsData); ok {
		w.Enter("value")
		w.Enter("value")
		p.writeFontTail(w, o)
		w.Leave()
		w.Leave()
	}
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

func (p *part) readTextureInfo(r *wire.Reader) model.MaterialTextureInfo {
	return model.MaterialTextureInfo(p.readList(r))
}

func (p *part) writeTextureInfo(w *wire.Writer, v model.MaterialTextureInfo) {
	p.writeList(w, model.PropertyList(v))
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
	return wire.Bind(p.family, &p.part, fontOptions.name, fontOptions.size,
		func(p *part, r *wire.Reader) model.FontImportOptionsData {
			return p.readFontTail(r, p.readFontOptions(r))
		},
		func(p *part, w *wire.Writer, v model.FontImportOptionsData) {
			p.writeFontOptions(w, v)
			p.writeFontTail(w, v)
		})
}

func (p *part) readFontOptions(r *wire.Reader) (v model.FontImportOptionsData) {
	r.Enter("properties")
	v.Properties = p.readList(r)
	r.Leave()
	return v
}

func (p *part) writeFontOptions(w *wire.Writer, v model.FontImportOptionsData) {
	w.Enter("properties")
	p.writeList(w, v.Properties)
	w.Leave()
}

// readFontTail reads the fields that follow the list in the document.
func (p *part) readFontTail(r *wire.Reader, v model.FontImportOptionsData) model.FontImportOptionsData {
	if !p.d.fontTail {
		return v
	}
	tail := &model.FontTail{}
	r.Cite("UA-FIO-2")
	r.Enter("tail")
	at := r.Offset()
	tail.ClassID = p.readID(r, "classID", "UA-FIO-2")
	if p.names.plain(tail.ClassID) != none && !r.Failed() {
		r.Fail(wire.Value, at, "classID", "UA-FIO-2", "%s", p.names.misnamed(none, tail.ClassID))
	}
	tail.Null = r.Uint32("null", "UA-FIO-2")
	n := r.Count(r.Uint32("extraDataLength", "UA-FIO-2"), 4, 4, "extraDataLength", "UA-FIO-2")
	tail.ExtraData = make([]uint32, 0, n)
	for range n {
		tail.ExtraData = append(tail.ExtraData, r.Uint32("extraData", "UA-FIO-2"))
	}
	r.Leave()
	v.Tail = tail
	return v
}

func (p *part) writeFontTail(w *wire.Writer, v model.FontImportOptionsData) {
	switch {
	case !p.d.fontTail && v.Tail != nil:
		w.Fail("tail", "UA-FIO-1", "expected no tail under uasset.font-import-options=observed, found one of %d words",
			len(v.Tail.ExtraData))
		return
	case !p.d.fontTail:
		return
	case v.Tail == nil:
		w.Fail("tail", "UA-FIO-2", "expected a tail under uasset.font-import-options=documented, found none")
		return
	}
	w.Enter("tail")
	if p.names.plain(v.Tail.ClassID) != none {
		w.Fail("classID", "UA-FIO-2", "expected the name %q with number 0, found name %d of the table "+
			"with number %d", none, v.Tail.ClassID.Index, v.Tail.ClassID.Number)
	}
	p.writeID(w, v.Tail.ClassID, "classID")
	w.Uint32(v.Tail.Null)
	w.Uint32(w.Len(len(v.Tail.ExtraData), "extraData", "UA-FIO-2"))
	for _, x := range v.Tail.ExtraData {
		w.Uint32(x)
	}
	w.Leave()
}
