package uasset

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// The structs that the document lists.
const (
	structIntPoint      = "IntPoint"
	structGuid          = "Guid"
	structColorInput    = "ColorMaterialInput"
	structScalarInput   = "ScalarMaterialInput"
	structStreamingData = "TextureStreamingData"
	structTextureInfo   = "MaterialTextureInfo"
	structFontCharacter = "FontCharacter"
	structFontOptions   = "FontImportOptionsData"
)

// Sizes of structs in bytes.
const (
	intPointSize      = 8
	guidSize          = 16
	streamingDataSize = 16
	characterSize     = 21
	wordsSize         = 20 // of a FontCharacter in the document
)

// structKind is how a listed struct is read and written, bare.
type structKind struct {
	least int  // bytes
	fixed bool // it has no other size
	// inArray is set if elements of an array can be told apart.
	inArray bool
	read    func(*wire.Reader) model.StructValue
	write   func(*wire.Writer, model.StructValue)
}

// structKind returns how the struct of a name is read; one that the document
// does not list is kept as bytes.
func (p *part) structKind(name string) structKind {
	switch name {
	case structIntPoint:
		return fixedKind(name, intPointSize, readIntPoint, writeIntPoint)
	case structGuid:
		return fixedKind(name, guidSize, readGuidStruct, writeGuidStruct)
	case structColorInput:
		return kindOf(name, readColorInput, writeColorInput)
	case structScalarInput:
		return kindOf(name, readScalarInput, writeScalarInput)
	case structStreamingData:
		return fixedKind(name, streamingDataSize, readStreamingData, writeStreamingData)
	case structTextureInfo:
		k := kindOf(name, p.readTextureInfo, p.writeTextureInfo)
		k.least, k.inArray = nameSize, true
		return k
	case structFontCharacter:
		if p.d.fontWords {
			return fixedKind(name, wordsSize, readWords, writeWords)
		}
		return fixedKind(name, characterSize, readCharacter, writeCharacter)
	case structFontOptions:
		return kindOf(name, p.readFontOptions, p.writeFontOptions)
	}
	return kindOf(name, readOpaqueStruct, writeOpaqueStruct)
}

func kindOf[T model.StructValue](name string, read func(*wire.Reader) T, write func(*wire.Writer, T)) structKind {
	return structKind{
		read: func(r *wire.Reader) model.StructValue { return read(r) },
		write: func(w *wire.Writer, v model.StructValue) {
			t, ok := v.(T)
			if !ok {
				w.Fail("", clauseStructWrites, "%T is not what %s stands for", v, name)
				return
			}
			write(w, t)
		},
	}
}

func fixedKind[T model.StructValue](name string, size int, read func(*wire.Reader) T, write func(*wire.Writer, T)) structKind {
	k := kindOf(name, read, write)
	k.least, k.fixed, k.inArray = size, true, true
	return k
}

// readStruct reads what Size counts, and what the struct takes behind it.
func (p *part) readStruct(r *wire.Reader, t tag, kind structKind) (v model.StructValue) {
	window := wire.Window{}
	if !kind.fixed {
		window = t.open(r)
	}
	r.Enter("value")
	r.Enter("value")
	v = kind.read(r)
	if !kind.fixed {
		r.Widen(window, "", clauseSize)
	}
	if o, ok := v.(model.FontImportOptionsData); ok {
		v = p.readFontTail(r, o)
	}
	r.Leave()
	r.Leave()
	return v
}

// writeStruct writes what Size counts.
func (p *part) writeStruct(w *wire.Writer, v model.StructProperty) {
	w.Enter("value")
	p.structKind(p.names.plain(v.StructName)).write(w, v.Value)
	w.Leave()
}

// writeBehindStruct writes what a struct takes behind its Size.
func (p *part) writeBehindStruct(w *wire.Writer, v model.StructProperty) {
	if o, ok := v.Value.(model.FontImportOptionsData); ok {
		w.Enter("value")
		w.Enter("value")
		p.writeFontTail(w, o)
		w.Leave()
		w.Leave()
	}
}

func readOpaqueStruct(r *wire.Reader) model.OpaqueStruct     { return rest(r, "", clauseStructSize) }
func writeOpaqueStruct(w *wire.Writer, v model.OpaqueStruct) { w.Bytes(v) }

// IntPoint is the struct IntPoint, bare. It needs no scope.
func (c *Codec) IntPoint() wire.Structure[model.IntPoint] {
	return structure(c, structIntPoint, intPointSize, readIntPoint, writeIntPoint)
}

func readIntPoint(r *wire.Reader) model.IntPoint {
	return model.IntPoint{X: r.Int32("x", clauseIntPoint), Y: r.Int32("y", clauseIntPoint)}
}

func writeIntPoint(w *wire.Writer, v model.IntPoint) {
	w.Int32(v.X)
	w.Int32(v.Y)
}

// Guid is the struct Guid, bare. It needs no scope.
func (c *Codec) Guid() wire.Structure[model.Guid] {
	return structure(c, structGuid, guidSize, readGuidStruct, writeGuidStruct)
}

func readGuidStruct(r *wire.Reader) model.Guid     { return readGuid(r, "", clauseGuid) }
func writeGuidStruct(w *wire.Writer, v model.Guid) { w.Bytes(v[:]) }

// ColorMaterialInput is the struct ColorMaterialInput, bare: all bytes there
// are. It needs no scope.
func (c *Codec) ColorMaterialInput() wire.Structure[model.ColorMaterialInput] {
	return structure(c, structColorInput, 0, readColorInput, writeColorInput)
}

func readColorInput(r *wire.Reader) model.ColorMaterialInput     { return rest(r, "", clauseColorInput) }
func writeColorInput(w *wire.Writer, v model.ColorMaterialInput) { w.Bytes(v) }

// ScalarMaterialInput is the struct ScalarMaterialInput, bare: all bytes there
// are. It needs no scope.
func (c *Codec) ScalarMaterialInput() wire.Structure[model.ScalarMaterialInput] {
	return structure(c, structScalarInput, 0, readScalarInput, writeScalarInput)
}

func readScalarInput(r *wire.Reader) model.ScalarMaterialInput {
	return rest(r, "", clauseScalarInput)
}
func writeScalarInput(w *wire.Writer, v model.ScalarMaterialInput) { w.Bytes(v) }

// TextureStreamingData is the struct TextureStreamingData, bare. It needs no scope.
func (c *Codec) TextureStreamingData() wire.Structure[model.TextureStreamingData] {
	return structure(c, structStreamingData, streamingDataSize, readStreamingData, writeStreamingData)
}

func readStreamingData(r *wire.Reader) model.TextureStreamingData {
	return model.TextureStreamingData{First: r.Uint64("first", clauseStreamingData), Second: r.Uint64("second", clauseStreamingData)}
}

func writeStreamingData(w *wire.Writer, v model.TextureStreamingData) {
	w.Uint64(v.First)
	w.Uint64(v.Second)
}

// MaterialTextureInfo is the struct MaterialTextureInfo, bare. It needs Names.
func (c *Codec) MaterialTextureInfo(s Scope) wire.Structure[model.MaterialTextureInfo] {
	p := c.part(s)
	return structure(c, structTextureInfo, nameSize, p.readTextureInfo, p.writeTextureInfo)
}

func (p *part) readTextureInfo(r *wire.Reader) model.MaterialTextureInfo {
	return model.MaterialTextureInfo(p.readList(r))
}

func (p *part) writeTextureInfo(w *wire.Writer, v model.MaterialTextureInfo) {
	p.writeList(w, model.PropertyList(v))
}

// FontCharacter is the struct FontCharacter, bare: a model.FontCharacter, or
// with uasset.font-character on its documented side model.FontCharacterWords.
// It needs no scope.
func (c *Codec) FontCharacter() wire.Structure[model.StructValue] {
	k := c.part(Scope{}).structKind(structFontCharacter)
	return structure(c, structFontCharacter, k.least, k.read, k.write)
}

func readCharacter(r *wire.Reader) (v model.FontCharacter) {
	v.StartU = r.Int32("startU", clauseFontCharacter)
	v.StartV = r.Int32("startV", clauseFontCharacter)
	v.USize = r.Int32("uSize", clauseFontCharacter)
	v.VSize = r.Int32("vSize", clauseFontCharacter)
	v.TextureIndex = r.Uint8("textureIndex", clauseFontCharacter)
	v.VerticalOffset = r.Int32("verticalOffset", clauseFontCharacter)
	return v
}

func writeCharacter(w *wire.Writer, v model.FontCharacter) {
	w.Int32(v.StartU)
	w.Int32(v.StartV)
	w.Int32(v.USize)
	w.Int32(v.VSize)
	w.Uint8(v.TextureIndex)
	w.Int32(v.VerticalOffset)
}

func readWords(r *wire.Reader) (v model.FontCharacterWords) {
	v.A = r.Uint32("a", clauseFontCharacter)
	v.B = r.Uint32("b", clauseFontCharacter)
	v.C = r.Uint32("c", clauseFontCharacter)
	v.D = r.Uint64("d", clauseFontCharacter)
	return v
}

func writeWords(w *wire.Writer, v model.FontCharacterWords) {
	w.Uint32(v.A)
	w.Uint32(v.B)
	w.Uint32(v.C)
	w.Uint64(v.D)
}

// FontImportOptionsData is the struct FontImportOptionsData, bare. It needs Names.
func (c *Codec) FontImportOptionsData(s Scope) wire.Structure[model.FontImportOptionsData] {
	p := c.part(s)
	return structure(c, structFontOptions, nameSize,
		func(r *wire.Reader) model.FontImportOptionsData { return p.readFontTail(r, p.readFontOptions(r)) },
		func(w *wire.Writer, v model.FontImportOptionsData) {
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

// readFontTail reads what the document takes behind the list.
func (p *part) readFontTail(r *wire.Reader, v model.FontImportOptionsData) model.FontImportOptionsData {
	if !p.d.fontTail {
		return v
	}
	tail := &model.FontTail{}
	r.Enter("tail")
	at := r.Offset()
	tail.ClassID = p.readID(r, "classID", clauseFontTail)
	if p.names.plain(tail.ClassID) != none {
		r.Fail(wire.Value, at, "classID", clauseFontTail, "the class is not %s", none)
	}
	tail.Null = r.Uint32("null", clauseFontTail)
	n := r.Count(r.Uint32("extraDataLength", clauseFontTail), 4, 4, "extraDataLength", clauseFontTail)
	tail.ExtraData = make([]uint32, 0, n)
	for range n {
		tail.ExtraData = append(tail.ExtraData, r.Uint32("extraData", clauseFontTail))
	}
	r.Leave()
	v.Tail = tail
	return v
}

func (p *part) writeFontTail(w *wire.Writer, v model.FontImportOptionsData) {
	switch {
	case !p.d.fontTail && v.Tail != nil:
		w.Fail("tail", clauseFontOptions, "what follows belongs to the font")
		return
	case !p.d.fontTail:
		return
	case v.Tail == nil:
		w.Fail("tail", clauseFontTail, "the document takes what follows")
		return
	}
	w.Enter("tail")
	if p.names.plain(v.Tail.ClassID) != none {
		w.Fail("classID", clauseFontTail, "the class is not %s", none)
	}
	p.writeID(w, v.Tail.ClassID, "classID")
	w.Uint32(v.Tail.Null)
	w.Uint32(w.Len(len(v.Tail.ExtraData), "extraData", clauseFontTail))
	for _, x := range v.Tail.ExtraData {
		w.Uint32(x)
	}
	w.Leave()
}
