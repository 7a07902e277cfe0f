package draw

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"reflect"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
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

// Uasset draws parts of packages that can be encoded under one of the two
// profiles, according to the records.
type Uasset struct {
	*filler
	documented     bool
	propertiesLeft int // number of properties that can still be drawn
}

// NewUasset draws a profile, and returns a Uasset for it.
func NewUasset(d Dice) *Uasset {
	u := &Uasset{documented: d.Intn(2) == 0, propertiesLeft: 12}
	u.filler = &filler{numbers{d}, uassetFuncs, reflect.ValueOf(u)}
	return u
}

// Draw draws a value of a type; p points to it.
func (d *Uasset) Draw(t *codec.Type, p any) {
	kind := strings.TrimPrefix(t.Name, "uasset.")
	switch v := p.(type) {
	case *uasset.Property:
		if kind == "Property" {
			kind = d.oneOf(uassetKinds)
		}
		*v = d.property(kind)
	case *uasset.StructValue:
		*v = d.variant(kind).(uasset.StructValue)
	default:
		d.Fuzz(p)
	}
}

// numbers are integers that are often small or a power of two.
type numbers struct{ Dice }

func (n numbers) Uint32() uint32 {
	switch n.Intn(3) {
	case 0:
		return uint32(n.Intn(10))
	case 1:
		return 1 << n.Intn(32)
	}
	return uint32(n.Intn(1<<16))<<16 | uint32(n.Intn(1<<16))
}

func (n numbers) Uint64() uint64 { return uint64(n.Uint32())<<32 | uint64(n.Uint32()) }

// uassetKinds are types of properties, all with the same model.
var uassetKinds = []string{
	"BoolProperty", "FloatProperty", "NameProperty", "IntProperty", "StrProperty", "ObjectProperty",
	"ByteProperty", "ArrayProperty", "StructProperty", "OpaqueProperty",
}

// uassetStructs are names of structs. Arrays are drawn of the first ones.
var uassetStructs = []string{
	"IntPoint", "Guid", "TextureStreamingData", "FontCharacter", "MaterialTextureInfo", "Vector", "ColorMaterialInput",
	"ScalarMaterialInput", "FontImportOptionsData",
}

// uassetFuncs draw the models in which not every combination of fields is a value
// under both profiles.
var uassetFuncs = byType([]any{
	func(v *uasset.FString, d *Uasset) {
		switch *v = (uasset.FString{Text: string(d.bytes(12))}); {
		case d.documented || d.coin():
		case d.Intn(4) == 0:
			*v = uasset.FString{Form: uasset.Absent}
		default:
			*v = uasset.FString{Text: wideText(d), Form: uasset.UTF16}
		}
	},
	func(v *uasset.FName, d *Uasset) {
		*v = uasset.FName{Index: uint32(d.Intn(len(uassetNames)))}
		if !d.documented && d.Intn(4) == 0 {
			v.Number = d.Uint32()
		}
	},
	func(v **uasset.Guid, d *Uasset) {
		if *v = nil; !d.documented && d.Intn(4) == 0 {
			*v = new(uasset.Guid)
			d.Fuzz(*v)
		}
	},
	func(v *uasset.PropertyList, d *Uasset) {
		*v = uasset.PropertyList{}
		for range d.Intn(4) {
			if d.propertiesLeft == 0 {
				break
			}
			d.propertiesLeft--
			*v = append(*v, d.property(d.oneOf(uassetKinds)))
		}
	},
	func(v *uasset.NameProperty, d *Uasset) { d.Fuzz((*uasset.FName)(v)) },
	func(v *uasset.StrProperty, d *Uasset) { d.Fuzz((*uasset.FString)(v)) },
	func(v *uasset.MaterialTextureInfo, d *Uasset) { d.Fuzz((*uasset.PropertyList)(v)) },
	func(v *uasset.ByteProperty, d *Uasset) {
		var b byte
		var name uasset.FName
		d.Fuzz(&v.EnumName)
		d.Fuzz(&b)
		d.Fuzz(&name)
		if v.Value, v.ValueName = &b, nil; d.coin() {
			v.Value, v.ValueName = nil, &name
		}
	},
	func(v *uasset.BytePair, d *Uasset) {
		v.First = d.bytes(9)
		v.Second = d.exactly(len(v.First))
	},
	func(v *uasset.ArrayProperty, d *Uasset) {
		kind := d.oneOf(uassetKinds)
		if kind == "StructProperty" {
			*v = uasset.ArrayProperty{InnerType: named(kind), Elements: d.structs()}
			return
		}
		e, ok := d.variant(strings.Replace(kind, "Property", "s", 1)).(uasset.Elements)
		if !ok {
			kind, e = "ByteProperty", drawn[uasset.OpaqueElements](d)
		}
		*v = uasset.ArrayProperty{InnerType: named(kind), Elements: e}
	},
	func(v *uasset.StructProperty, d *Uasset) {
		name := d.oneOf(uassetStructs)
		*v = uasset.StructProperty{StructName: named(name), Value: d.structValue(name)}
		d.Fuzz(&v.StructGuid)
	},
	func(v *uasset.OpaqueProperty, d *Uasset) {
		i := d.Intn(4)
		typ := []string{"TextProperty", "EnumProperty", "SetProperty", "MapProperty"}[i]
		*v = uasset.OpaqueProperty{Type: named(typ), Names: make([]uasset.FName, (i+1)/2), Data: d.bytes(12)}
		for i := range v.Names {
			d.Fuzz(&v.Names[i])
		}
		if !d.documented && d.Intn(8) == 0 { // a name with a number is not the type without one
			v.Type, v.Names = uasset.FName{Index: uint32(1 + d.Intn(9)), Number: 1}, []uasset.FName{}
		}
	},
	func(v **uasset.FontTail, d *Uasset) {
		if *v = nil; d.documented {
			*v = new(uasset.FontTail)
			d.Fuzz(*v)
			(*v).ClassID = named("None")
		}
	},
	func(v *uasset.PixelFormat, d *Uasset) { *v = uassetFormats[d.Intn(len(uassetFormats))] },
	func(v *uasset.Mip, d *Uasset) { *v = d.loneMip() },
	func(v *uasset.Texture2D, d *Uasset) { *v = d.loneTexture() },
	func(v *uasset.Object, d *Uasset) { *v = d.object() },
	func(v *uasset.Summary, d *Uasset) { *v = d.summary() },
	func(v *uasset.Package, d *Uasset) { *v = d.Package() },
	func(v *uasset.Padding, d *Uasset) { *v = uasset.Padding(d.Intn(8) / 7) },
	func(v *uasset.Footer, d *Uasset) { *v = uasset.Tag ^ uasset.Footer(d.Intn(8)/7) },
	func(v *uasset.StringForm, d *Uasset) { *v = uasset.StringForm(d.Intn(3)) },
})

func (d *Uasset) coin() bool { return d.Intn(2) == 0 }

func (d *Uasset) oneOf(names []string) string { return names[d.Intn(len(names))] }

func (d *Uasset) bytes(most int) []byte { return d.exactly(d.Intn(most + 1)) }

func (d *Uasset) exactly(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.Intn(256))
	}
	return b
}

// drawn draws a T.
func drawn[T any](d *Uasset) (v T) {
	d.Fuzz(&v)
	return v
}

// named returns the first name with a text.
func named(text string) uasset.FName {
	return uasset.FName{Index: uint32(slices.Index(uassetNames, text))}
}

// otherName draws a name other than None.
func (d *Uasset) otherName() uasset.FName {
	n := drawn[uasset.FName](d)
	n.Index = max(1, n.Index)
	return n
}

// property draws a property of a type.
func (d *Uasset) property(kind string) uasset.Property {
	p := uasset.Property{Name: d.otherName(), Value: d.variant(kind).(uasset.Value)}
	d.Fuzz(&p.PropertyGuid)
	if !d.documented && d.Intn(4) == 0 {
		d.Fuzz(&p.ArrayIndex)
	}
	return p
}

// variant draws a value, elements or a struct of the type with a name; nil if there is
// none. Two have another model under documented.
func (d *Uasset) variant(name string) any {
	if d.documented {
		name = cmp.Or(map[string]string{"ByteProperty": "BytePair", "FontCharacter": "FontCharacterWords"}[name], name)
	}
	for _, zero := range uasset.Variants() {
		if uasset.TypeName(zero) == name {
			v := reflect.New(reflect.TypeOf(zero))
			d.Fuzz(v.Interface())
			return v.Elem().Interface()
		}
	}
	return nil
}

func (d *Uasset) structValue(name string) uasset.StructValue {
	if v, ok := d.variant(name).(uasset.StructValue); ok {
		return v
	}
	return uasset.OpaqueStruct(d.bytes(20))
}

// structs draws elements, with the size that the inner tag must state.
func (d *Uasset) structs() uasset.Elements {
	name, tag := d.oneOf(uassetStructs[:7]), drawn[uasset.InnerTag](d)
	tag.Name, tag.StructName, tag.ArrayIndex = d.otherName(), named(name), 0
	if name == "Vector" || name == "ColorMaterialInput" {
		b := d.bytes(30)
		tag.Size = uint32(len(b))
		return uasset.OpaqueStructs{Tag: tag, Count: d.Uint32(), Data: b}
	}
	typ, _ := codec.Find("uasset." + name)
	c, err := typ.Bind(wire.Settings{Profile: d.Profile()}, UsualContext(typ))
	elements := []uasset.StructValue{}
	var b []byte
	for range d.Intn(4) {
		e := d.structValue(name)
		elements = append(elements, e)
		if err == nil {
			b, err = c.Append(b, e)
		}
	}
	if err != nil {
		panic(err) // drawn values can be encoded
	}
	tag.Size = uint32(len(b))
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
		at := int64(d.Uint64())
		return uasset.Mip{BulkDataFlags: 1025, Size: 8192, OffsetInFile: at, Data: []byte{}, SizeX: 128, SizeY: 128}
	}
	f := uasset.DXT1
	if d.Intn(3) == 0 {
		d.Fuzz(&f)
	}
	m := d.Mip(f, []uint32{1, 1, 6}[d.Intn(3)])
	m.OffsetInFile = mipHead + 100*int64(d.Intn(3)/2)
	return m
}

// texture draws a texture with payloads. The caller sets the offsets.
func (d *Uasset) texture() uasset.Texture2D {
	t := uasset.Texture2D{
		TextureStripFlags: drawn[uasset.StripFlags](d), PixelFormat: drawn[uasset.PixelFormat](d),
		SizeX: uint32(d.Intn(64)), SizeY: d.Uint32() >> 8, NumSlices: []uint32{1, 1, 6}[d.Intn(3)],
		FirstMipToSerialize: d.Uint32(), Mips: []uasset.Mip{},
	}
	n := d.Intn(4)
	if d.documented && t.PixelFormat == uasset.G8 {
		tail := d.Uint64()
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
	o.Properties = new(uasset.PropertyList)
	d.Fuzz(o.Properties)
	return o
}

func (d *Uasset) summary() (s uasset.Summary) {
	d.FuzzNoCustom(&s)
	s.NameOffset, s.GatherableTextDataCount = 193, 0
	d.countedParts(&s)
	s.ExportCount, s.ExportOffset = uint32(d.Intn(5)), s.ExportOffset>>4
	s.AssetRegistryDataOffset = s.ExportOffset + 100*s.ExportCount
	switch {
	case d.documented:
		s.PackageFlags = 0x80000000
		if s.SearchableNamesOffset == nil {
			s.SearchableNamesOffset = new(uint32)
		}
	default: // the table, if any, is between the two offsets
		s.SoftPackageReferencesCount = uint32(d.Intn(3))
		s.SoftPackageReferencesOffset = s.AssetRegistryDataOffset
		s.AssetRegistryDataOffset += uint32(d.Intn(2)) * min(1, s.SoftPackageReferencesCount) * d.Uint32() >> 4
		if s.SearchableNamesOffset == nil {
			s.NameOffset -= 4
		}
	}
	return s
}

// countedParts draws the parts that have counts, and adds their sizes to NameOffset.
func (d *Uasset) countedParts(s *uasset.Summary) {
	s.Generations = []uasset.Generation{drawn[uasset.Generation](d)}
	s.SavedByEngineVersion.Branch, s.CompatibleWithEngineVersion.Branch = nil, nil
	s.AdditionalPackagesToCook, s.ChunkIDs = []uasset.FString{}, []int32{}
	if d.documented || d.coin() {
		return
	}
	for range d.Intn(3) {
		s.Generations = append(s.Generations, drawn[uasset.Generation](d))
		s.ChunkIDs = append(s.ChunkIDs, int32(d.Uint32()))
		s.NameOffset += 8 + 4
	}
	for range d.Intn(3) {
		text := uasset.FString{Text: strings.Repeat("n", d.Intn(9))}
		s.AdditionalPackagesToCook = append(s.AdditionalPackagesToCook, text)
		s.SavedByEngineVersion.Branch = &text
		s.NameOffset += 4 + uint32(len(text.Text)) + 1
	}
	if b := s.SavedByEngineVersion.Branch; b != nil {
		s.NameOffset += uint32(len(b.Text)) + 1
	}
}

// Package draws a whole package with the layout of one of the two profiles.
func (d *Uasset) Package() uasset.Package {
	f := uasset.Package{
		Summary: drawn[uasset.Summary](d), Imports: []uasset.Import{}, Exports: []uasset.Export{},
		SoftPackageReferences: []uasset.FString{}, Objects: []uasset.Object{}, BulkData: []byte{},
	}
	for _, text := range uassetNames {
		f.Names = append(f.Names, uasset.NameEntry{Name: uasset.FString{Text: text}})
	}
	for range d.Intn(3) {
		f.Names = append(f.Names, uasset.NameEntry{Name: drawn[uasset.FString](d)})
	}
	for range d.Intn(3) {
		if !d.documented {
			f.SoftPackageReferences = append(f.SoftPackageReferences, drawn[uasset.FString](d))
		}
	}
	for _, v := range headerOffsets(&f.Summary, false) {
		*v = 0
	}
	class := []string{"Texture2D", "LightMapTexture2D", "Material"}
	for i := range d.Intn(4) {
		f.Imports = append(f.Imports, uasset.Import{
			ClassPackage: drawn[uasset.FName](d), ClassName: drawn[uasset.FName](d),
			OuterIndex: uasset.PackageIndex(-d.Intn(i + 1)), ObjectName: named(class[i]),
		})
	}
	for range d.Intn(4) {
		e := uasset.Export{
			ClassIndex: uasset.PackageIndex(-d.Intn(len(f.Imports) + 1)), ObjectName: drawn[uasset.FName](d),
			FirstExportDependency: -1, ObjectFlags: d.Uint32(), PackageGuid: drawn[uasset.Guid](d),
		}
		o := d.object()
		if class := uassetcodec.Class(&f, &e); strings.Contains(class, "Texture") || d.documented && d.coin() {
			o.Properties = new(uasset.PropertyList)
			d.Fuzz(o.Properties)
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
		s.PreloadDependencyOffset = d.Uint32()
		for i := range s.Generations {
			s.Generations[i] = drawn[uasset.Generation](d)
		}
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
