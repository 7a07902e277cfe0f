package draw

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	uassetcodec "github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/model/uasset"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// uassetNames is the name table for parts that are drawn without a package. One
// name occurs twice.
var uassetNames = []string{
	"None", "BoolProperty", "FloatProperty", "NameProperty", "IntProperty", "StrProperty", "ObjectProperty",
	"ByteProperty", "ArrayProperty", "StructProperty", "TextProperty", "EnumProperty", "SetProperty",
	"MapProperty", "IntPoint", "Guid", "ColorMaterialInput", "ScalarMaterialInput", "TextureStreamingData",
	"MaterialTextureInfo", "FontCharacter", "FontImportOptionsData", "Vector", "PF_DXT1", "PF_DXT3", "PF_DXT5",
	"PF_BC5", "PF_B8G8R8A8", "PF_G8", "PF_A8", "Texture2D", "TextureCube", "LightMapTexture2D", "Material",
	"Class", "Package", "/Script/Engine", "T_Rock", "Size", "Size", "x",
}

// Dice is the common part of all sources of random numbers.
type Dice interface{ Intn(n int) int }

// Uasset draws parts of packages that can be encoded under one of the two
// profiles, according to the records.
type Uasset struct {
	Dice
	documented     bool
	propertiesLeft int // number of properties that can still be drawn
}

// NewUasset draws a profile, and returns a Uasset for it.
func NewUasset(d Dice) *Uasset {
	return &Uasset{Dice: d, documented: d.Intn(2) == 0, propertiesLeft: 12}
}

// UassetKinds lists the types of properties. Each is a type of its own with the
// same model.
func UassetKinds() []string { return uassetKinds }

var uassetKinds = []string{
	"BoolProperty", "FloatProperty", "NameProperty", "IntProperty", "StrProperty", "ObjectProperty",
	"ByteProperty", "ArrayProperty", "StructProperty", "OpaqueProperty",
}

// Draws of values by the type of the property, of elements by the type of the array,
// and of structures by their name.
var (
	valueDraws   map[string]func(*Uasset) uasset.Value
	elementDraws map[string]func(*Uasset, int) uasset.Elements
	structDraws  map[string]func(*Uasset) uasset.StructValue
)

// UassetParts maps each model that is not drawn field by field to its function.
func UassetParts() map[reflect.Type]func(*Uasset) any { return uassetParts }

var (
	uassetParts = map[reflect.Type]func(*Uasset) any{}
	uassetFuncs []any // the same, as functions of a Source
)

func anyUasset[T any](draw func(*Uasset) T) {
	uassetParts[reflect.TypeFor[T]()] = func(d *Uasset) any { return draw(d) }
	uassetFuncs = append(uassetFuncs, func(v *T, s Source) { *v = draw(NewUasset(s)) })
}

func init() {
	valueDraws = map[string]func(*Uasset) uasset.Value{
		"BoolProperty":   func(d *Uasset) uasset.Value { return uasset.BoolProperty(d.coin()) },
		"FloatProperty":  func(d *Uasset) uasset.Value { return uasset.FloatProperty(d.float32()) },
		"NameProperty":   func(d *Uasset) uasset.Value { return uasset.NameProperty(d.fname()) },
		"IntProperty":    func(d *Uasset) uasset.Value { return uasset.IntProperty(d.uint32()) },
		"StrProperty":    func(d *Uasset) uasset.Value { return uasset.StrProperty(d.fstring()) },
		"ObjectProperty": func(d *Uasset) uasset.Value { return uasset.ObjectProperty(d.uint32()) },
		"ByteProperty":   (*Uasset).byteProperty,
		"ArrayProperty":  func(d *Uasset) uasset.Value { return d.array() },
		"StructProperty": (*Uasset).structProperty,
		"OpaqueProperty": (*Uasset).opaque,
	}
	elementDraws = map[string]func(*Uasset, int) uasset.Elements{
		"FloatProperty":  func(d *Uasset, n int) uasset.Elements { return uasset.Floats(several(n, d.float32)) },
		"IntProperty":    func(d *Uasset, n int) uasset.Elements { return uasset.Ints(several(n, d.int32)) },
		"NameProperty":   func(d *Uasset, n int) uasset.Elements { return uasset.Names(several(n, d.fname)) },
		"StrProperty":    func(d *Uasset, n int) uasset.Elements { return uasset.Strs(several(n, d.fstring)) },
		"ObjectProperty": func(d *Uasset, n int) uasset.Elements { return uasset.Objects(several(n, d.packageIndex)) },
		"BoolProperty":   func(d *Uasset, n int) uasset.Elements { return uasset.Bools(several(n, d.coin)) },
		"StructProperty": (*Uasset).structs,
	}
	structDraws = map[string]func(*Uasset) uasset.StructValue{
		"IntPoint":              func(d *Uasset) uasset.StructValue { return uasset.IntPoint{X: d.int32(), Y: d.int32()} },
		"Guid":                  func(d *Uasset) uasset.StructValue { return d.guid() },
		"ColorMaterialInput":    func(d *Uasset) uasset.StructValue { return uasset.ColorMaterialInput(d.bytes(20)) },
		"ScalarMaterialInput":   func(d *Uasset) uasset.StructValue { return uasset.ScalarMaterialInput(d.bytes(20)) },
		"TextureStreamingData":  (*Uasset).streamingData,
		"MaterialTextureInfo":   func(d *Uasset) uasset.StructValue { return d.textureInfo() },
		"FontCharacter":         (*Uasset).fontCharacter,
		"FontImportOptionsData": func(d *Uasset) uasset.StructValue { return d.fontOptions() },
		"Vector":                func(d *Uasset) uasset.StructValue { return uasset.OpaqueStruct(d.bytes(20)) },
	}
	anyUasset((*Uasset).fname)
	anyUasset((*Uasset).fstring)
	anyUasset((*Uasset).anyProperty)
	anyUasset((*Uasset).list)
	anyUasset((*Uasset).value)
	anyUasset((*Uasset).fontCharacter)
	anyUasset((*Uasset).anyElements)
	anyUasset((*Uasset).textureInfo)
	anyUasset((*Uasset).fontOptions)
	anyUasset((*Uasset).loneMip)
	anyUasset((*Uasset).loneTexture)
	anyUasset((*Uasset).object)
	anyUasset((*Uasset).summary)
	anyUasset((*Uasset).Package)
	anyUasset(func(d *Uasset) uasset.Padding { return uasset.Padding(d.Intn(8) / 7) })
	anyUasset(func(d *Uasset) uasset.Footer { return uasset.Tag ^ uasset.Footer(d.Intn(8)/7) })
	anyUasset(func(d *Uasset) uasset.StringForm { return uasset.StringForm(d.Intn(3)) })
}

func (d *Uasset) coin() bool { return d.Intn(2) == 0 }

func (d *Uasset) uint32() uint32 {
	switch d.Intn(3) {
	case 0:
		return uint32(d.Intn(10))
	case 1:
		return 1 << d.Intn(32)
	}
	return uint32(d.Intn(1<<16))<<16 | uint32(d.Intn(1<<16))
}

func (d *Uasset) int32() int32 { return int32(d.uint32()) }

func (d *Uasset) float32() float32 { return math.Float32frombits(d.uint32()) }

func (d *Uasset) packageIndex() uasset.PackageIndex { return uasset.PackageIndex(d.uint32()) }

func (d *Uasset) uint64() uint64 { return uint64(d.uint32())<<32 | uint64(d.uint32()) }

func (d *Uasset) bytes(most int) []byte { return d.exactly(d.Intn(most + 1)) }

func (d *Uasset) guid() uasset.Guid { return uasset.Guid(d.exactly(16)) }

func (d *Uasset) maybeGuid() *uasset.Guid {
	if d.documented || d.Intn(4) > 0 {
		return nil
	}
	g := d.guid()
	return &g
}

func (d *Uasset) fstring() uasset.FString {
	text := string(d.bytes(12))
	if d.documented || d.coin() {
		return uasset.FString{Text: text}
	}
	if d.Intn(4) == 0 {
		return uasset.FString{Form: uasset.Absent}
	}
	return uasset.FString{Text: wideText(d), Form: uasset.UTF16}
}

func (d *Uasset) fname() uasset.FName {
	n := uasset.FName{Index: uint32(d.Intn(len(uassetNames)))}
	if !d.documented && d.Intn(4) == 0 {
		n.Number = d.uint32()
	}
	return n
}

// otherName draws a name other than None.
func (d *Uasset) otherName() uasset.FName {
	n := d.fname()
	n.Index = max(1, n.Index)
	return n
}

// named returns the first name with a text.
func named(text string) uasset.FName {
	return uasset.FName{Index: uint32(slices.Index(uassetNames, text))}
}

func (d *Uasset) anyProperty() uasset.Property {
	return d.Property(uassetKinds[d.Intn(len(uassetKinds))])
}

func (d *Uasset) value() uasset.Value { return d.anyProperty().Value }

// Property draws a property of a type.
func (d *Uasset) Property(kind string) uasset.Property {
	p := uasset.Property{Name: d.otherName(), PropertyGuid: d.maybeGuid(), Value: valueDraws[kind](d)}
	if !d.documented && d.Intn(4) == 0 {
		p.ArrayIndex = int32(d.uint32())
	}
	return p
}

func (d *Uasset) byteProperty() uasset.Value {
	if d.documented {
		b := d.bytes(9)
		return uasset.BytePair{First: b, Second: d.exactly(len(b))}
	}
	v := uasset.ByteProperty{EnumName: d.fname()}
	if d.coin() {
		b := byte(d.Intn(256))
		v.Value = &b
	} else {
		n := d.fname()
		v.ValueName = &n
	}
	return v
}

func (d *Uasset) exactly(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.Intn(256))
	}
	return b
}

func (d *Uasset) opaque() uasset.Value {
	typ := []string{"TextProperty", "EnumProperty", "SetProperty", "MapProperty"}[d.Intn(4)]
	v := uasset.OpaqueProperty{Type: named(typ), Names: []uasset.FName{}, Data: d.bytes(12)}
	switch typ {
	case "EnumProperty", "SetProperty":
		v.Names = append(v.Names, d.fname())
	case "MapProperty":
		v.Names = append(v.Names, d.fname(), d.fname())
	}
	if !d.documented && d.Intn(8) == 0 { // a name with a number is not the type without one
		v.Type, v.Names = uasset.FName{Index: uint32(1 + d.Intn(9)), Number: 1}, []uasset.FName{}
	}
	return v
}

func (d *Uasset) anyElements() uasset.Elements { return d.array().Elements }

func (d *Uasset) array() uasset.ArrayProperty {
	n, kind := d.Intn(4), uassetKinds[d.Intn(len(uassetKinds))]
	if draw := elementDraws[kind]; draw != nil {
		return uasset.ArrayProperty{InnerType: named(kind), Elements: draw(d, n)}
	}
	opaque := uasset.OpaqueElements{Count: d.uint32(), Data: d.bytes(9)}
	return uasset.ArrayProperty{InnerType: named("ByteProperty"), Elements: opaque}
}

func several[T any](n int, draw func() T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = draw()
	}
	return out
}

// structs draws elements, with the size that the inner tag must state.
func (d *Uasset) structs(n int) uasset.Elements {
	name := []string{
		"IntPoint", "Guid", "TextureStreamingData", "FontCharacter", "MaterialTextureInfo", "Vector", "ColorMaterialInput",
	}[d.Intn(7)]
	tag := uasset.InnerTag{
		Name: d.otherName(), StructName: named(name), StructGuid: d.guid(),
		PropertyGuid: d.maybeGuid(),
	}
	if name == "Vector" || name == "ColorMaterialInput" {
		b := d.bytes(30)
		tag.Size = uint32(len(b))
		return uasset.OpaqueStructs{Tag: tag, Count: d.uint32(), Data: b}
	}
	elements := several(n, func() uasset.StructValue { return structDraws[name](d) })
	for _, e := range elements {
		tag.Size += map[string]uint32{"IntPoint": 8, "Guid": 16, "TextureStreamingData": 16, "FontCharacter": 21}[name]
		if list, ok := e.(uasset.MaterialTextureInfo); ok {
			b, err := d.Codec().PropertyList(uassetcodec.Scope{Names: uassetNames}).Append(nil, uasset.PropertyList(list))
			if err != nil {
				panic(err) // drawn values can be encoded
			}
			tag.Size += uint32(len(b))
		}
	}
	return uasset.Structs{Tag: tag, Elements: elements}
}

// Profile returns the profile that was drawn.
func (d *Uasset) Profile() ids.Profile {
	if d.documented {
		return ids.Documented()
	}
	return ids.Observed()
}

// Codec returns the codec for that profile.
func (d *Uasset) Codec() *uassetcodec.Codec {
	return uassetcodec.New(wire.Settings{Profile: d.Profile()})
}

func (d *Uasset) structProperty() uasset.Value {
	names := slices.Sorted(maps.Keys(structDraws))
	name := names[d.Intn(len(names))]
	return uasset.StructProperty{StructName: named(name), StructGuid: d.guid(), Value: structDraws[name](d)}
}

func (d *Uasset) streamingData() uasset.StructValue {
	return uasset.TextureStreamingData{First: d.uint64(), Second: d.uint64()}
}

func (d *Uasset) fontCharacter() uasset.StructValue {
	if d.documented {
		return uasset.FontCharacterWords{A: d.uint32(), B: d.uint32(), C: d.uint32(), D: d.uint64()}
	}
	return uasset.FontCharacter{
		StartU: d.int32(), StartV: d.int32(), USize: d.int32(), VSize: d.int32(),
		TextureIndex: byte(d.Intn(256)), VerticalOffset: d.int32(),
	}
}

func (d *Uasset) textureInfo() uasset.MaterialTextureInfo {
	return uasset.MaterialTextureInfo(d.list())
}

func (d *Uasset) fontOptions() uasset.FontImportOptionsData {
	v := uasset.FontImportOptionsData{Properties: d.list()}
	if d.documented {
		v.Tail = &uasset.FontTail{ClassID: named("None"), Null: d.uint32(), ExtraData: several(d.Intn(4), d.uint32)}
	}
	return v
}

func (d *Uasset) list() uasset.PropertyList {
	list := uasset.PropertyList{}
	for range d.Intn(4) {
		if d.propertiesLeft == 0 {
			break
		}
		d.propertiesLeft--
		list = append(list, d.anyProperty())
	}
	return list
}

var uassetFormats = []uasset.PixelFormat{uasset.DXT1, uasset.DXT3, uasset.DXT5, uasset.BC5, uasset.B8G8R8A8, uasset.G8}

// Mip draws a small mip with pixels for a number of slices.
func (d *Uasset) Mip(f uasset.PixelFormat, slices uint32) uasset.Mip {
	m := uasset.Mip{BulkDataFlags: 72, SizeX: uint32(d.Intn(7)), SizeY: uint32(d.Intn(7))}
	if d.Intn(4) == 0 {
		m.BulkDataFlags |= 0x1000 << d.Intn(16)
	}
	size, _ := f.PayloadSize(m.SizeX, m.SizeY)
	m.Data = d.exactly(int(size) * int(slices))
	m.Size = uint32(len(m.Data))
	return m
}

// mipHead is the number of bytes of a mip that precede the payload.
const mipHead = 24

// loneMip draws a mip at offset 0 or 100.
func (d *Uasset) loneMip() uasset.Mip {
	if d.Intn(4) == 0 {
		at := int64(d.uint64())
		return uasset.Mip{BulkDataFlags: 1025, Size: 8192, OffsetInFile: at, Data: []byte{}, SizeX: 128, SizeY: 128}
	}
	f := uasset.DXT1
	if d.Intn(3) == 0 {
		f = uassetFormats[d.Intn(len(uassetFormats))]
	}
	m := d.Mip(f, []uint32{1, 1, 6}[d.Intn(3)])
	m.OffsetInFile = mipHead + 100*int64(d.Intn(3)/2)
	return m
}

// texture draws a texture with payloads. The caller sets the offsets.
func (d *Uasset) texture() uasset.Texture2D {
	t := uasset.Texture2D{
		TextureStripFlags: uasset.StripFlags{Global: byte(d.Intn(256)), Class: 1},
		PixelFormat:       uassetFormats[d.Intn(len(uassetFormats))],
		SizeX:             uint32(d.Intn(64)), SizeY: d.uint32() >> 8, NumSlices: []uint32{1, 1, 6}[d.Intn(3)],
		FirstMipToSerialize: d.uint32(), Mips: []uasset.Mip{},
	}
	n := d.Intn(4)
	if d.documented && t.PixelFormat == uasset.G8 {
		tail := d.uint64()
		n, t.Tail = 1, &tail
	}
	for range n {
		t.Mips = append(t.Mips, d.Mip(t.PixelFormat, t.NumSlices))
	}
	return t
}

// loneTexture draws a texture at offset 0 or 100.
func (d *Uasset) loneTexture() uasset.Texture2D {
	t := d.texture()
	at := int64(49+len(t.PixelFormat)) + 100*int64(d.Intn(3)/2)
	for i := range t.Mips {
		t.Mips[i].OffsetInFile = at + mipHead
		at += mipHead + int64(len(t.Mips[i].Data)) + 8
	}
	t.SkipOffset = uint32(at)
	return t
}

func (d *Uasset) object() uasset.Object {
	o := uasset.Object{Data: d.bytes(60)}
	if d.coin() {
		o.Data = make([]byte, d.Intn(8)) // data that can move; too short for a list
	}
	if len(o.Data) >= 20 {
		o.Data[16] |= 1 // the number of a name that would begin a texture
	}
	if d.Intn(8) == 0 {
		return o
	}
	list := d.list()
	o.Properties = &list
	return o
}

func (d *Uasset) generation() uasset.Generation {
	return uasset.Generation{ExportCount: d.uint32(), NameCount: d.uint32()}
}

func (d *Uasset) summary() uasset.Summary {
	s := uasset.Summary{
		TotalHeaderSize: d.uint32(), PackageFlags: 0x80000000, NameCount: d.uint32(), NameOffset: 193,
		GatherableTextDataOffset: d.uint32(),
		ExportCount:              uint32(d.Intn(5)), ExportOffset: d.uint32() >> 4,
		ImportCount: d.uint32(), ImportOffset: d.uint32(), DependsOffset: d.uint32(), ThumbnailTableOffset: d.uint32(),
		SoftPackageReferencesCount: d.uint32(), SoftPackageReferencesOffset: d.uint32(),
		PackageGuid: d.guid(), Generation: d.generation(),
		SavedByEngineVersion: uasset.EngineVersion{
			Major: uint16(d.Intn(1 << 16)), Minor: 1, Patch: 2, Changelist: d.uint32(),
		},
		CompatibleWithEngineVersion: uasset.EngineVersion{Patch: uint16(d.Intn(1 << 16)), Changelist: d.uint32()},
		CompressionFlags:            d.uint32(), PackageSource: d.uint32(), BulkDataStartOffset: int64(d.uint64()),
		WorldTileInfoDataOffset: d.uint32(), PreloadDependencyOffset: d.uint32(),
	}
	s.AssetRegistryDataOffset = s.ExportOffset + 100*s.ExportCount
	if !d.documented { // the table, if any, is between the two offsets
		s.SoftPackageReferencesCount = uint32(d.Intn(3))
		s.SoftPackageReferencesOffset = s.AssetRegistryDataOffset
		s.AssetRegistryDataOffset += uint32(d.Intn(2)) * min(1, s.SoftPackageReferencesCount) * d.uint32() >> 4
	}
	if !d.documented {
		s.PackageFlags = d.uint32()
	}
	if v := d.uint32(); d.documented || d.coin() {
		s.SearchableNamesOffset = &v
	} else {
		s.NameOffset = 189
	}
	return s
}

// Package draws a whole package with the layout of one of the two profiles.
func (d *Uasset) Package() uasset.Package {
	f := uasset.Package{
		Summary: d.summary(), Imports: []uasset.Import{}, Exports: []uasset.Export{},
		SoftPackageReferences: []uasset.FString{}, Objects: []uasset.Object{}, BulkData: []byte{},
	}
	for _, text := range uassetNames {
		f.Names = append(f.Names, uasset.NameEntry{Name: uasset.FString{Text: text}})
	}
	for range d.Intn(3) {
		f.Names = append(f.Names, uasset.NameEntry{Name: d.fstring()})
	}
	for range d.Intn(3) {
		if !d.documented {
			f.SoftPackageReferences = append(f.SoftPackageReferences, d.fstring())
		}
	}
	for _, v := range headerOffsets(&f.Summary, false) {
		*v = 0
	}
	class := []string{"Texture2D", "LightMapTexture2D", "Material"}
	for i := range d.Intn(4) {
		f.Imports = append(f.Imports, uasset.Import{
			ClassPackage: d.fname(), ClassName: d.fname(),
			OuterIndex: uasset.PackageIndex(-d.Intn(i + 1)), ObjectName: named(class[i]),
		})
	}
	for range d.Intn(4) {
		e := uasset.Export{
			ClassIndex: uasset.PackageIndex(-d.Intn(len(f.Imports) + 1)), ObjectName: d.fname(),
			FirstExportDependency: -1, ObjectFlags: d.uint32(), PackageGuid: d.guid(),
		}
		o := d.object()
		if class := uassetcodec.Class(&f, &e); strings.Contains(class, "Texture") || d.documented && d.coin() {
			list := d.list()
			o.Properties = &list
			if d.coin() {
				t := d.texture()
				for i := range t.Mips {
					if !d.documented && d.coin() { // payload at the end of the file
						t.Mips[i].BulkDataFlags = 1025
					}
				}
				o.Texture = &t
			} else {
				o.Data = d.bytes(19) // too short for a texture
			}
		}
		f.Exports, f.Objects = append(f.Exports, e), append(f.Objects, o)
	}
	laid, _, err := d.Codec().Rebuild(f, uassetcodec.RebuildOptions{})
	if err != nil {
		panic(err) // drawn packages can be laid out
	}
	s := &laid.Summary
	if d.Intn(4) == 0 { // bytes that are not the payload of a mip, before and after the payloads
		before := d.bytes(9)
		laid.BulkData = bytes.Join([][]byte{before, laid.BulkData, d.bytes(9)}, nil)
		for i := range laid.Objects {
			if t := laid.Objects[i].Texture; t != nil {
				for j := range t.Mips {
					if !d.documented && t.Mips[j].BulkDataFlags == 1025 {
						t.Mips[j].OffsetInFile += int64(len(before))
					}
				}
			}
		}
	}
	if d.coin() { // values that no reader uses
		s.Generation, s.PreloadDependencyOffset = d.generation(), d.uint32()
	}
	for _, v := range headerOffsets(s, len(f.SoftPackageReferences) > 0) { // the start or the end of a part
		*v = []uint32{0, 0, s.NameOffset, s.AssetRegistryDataOffset, s.TotalHeaderSize}[d.Intn(5)]
	}
	for i := range laid.Objects {
		o, e := &laid.Objects[i], &laid.Exports[i]
		if d.coin() {
			d.bulkHeader(o.Data, uint64(e.SerialOffset)+uint64(e.SerialSize)-uint64(len(o.Data)))
		}
	}
	return laid
}

// headerOffsets returns the offsets in a summary that Rebuild moves with a part.
// The offset of a table of soft package references is not among them.
func headerOffsets(s *uasset.Summary, references bool) []*uint32 {
	out := []*uint32{&s.GatherableTextDataOffset, &s.DependsOffset, &s.ThumbnailTableOffset, &s.WorldTileInfoDataOffset}
	if s.SearchableNamesOffset != nil {
		out = append(out, s.SearchableNamesOffset)
	}
	if !references {
		out = append(out, &s.SoftPackageReferencesOffset)
	}
	return out
}

// bulkHeaderSize is the size of a bulk header: flags, element count, size on
// disk, and a 64-bit offset.
const bulkHeaderSize = 20

// bulkHeader puts a bulk header with an inline payload into the data of an
// object that begin at an offset in the file, if there is room.
func (d *Uasset) bulkHeader(data []byte, at uint64) {
	if len(data) < bulkHeaderSize {
		return
	}
	i := d.Intn(len(data) - bulkHeaderSize + 1)
	size := uint32(d.Intn(len(data) - i - bulkHeaderSize + 1))
	for j, v := range []uint32{0x48, size, size} {
		binary.LittleEndian.PutUint32(data[i+4*j:], v)
	}
	binary.LittleEndian.PutUint64(data[i+12:], at+uint64(i)+bulkHeaderSize)
}
