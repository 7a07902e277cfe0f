package uasset

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// Rebuild computes the layout of a changed package (UA-PKG-14): every count,
// offset and size in the summary, the exports, inner tags and mips, and the
// hashes of the names. It keeps everything else, and every order. An unchanged
// package stays the same unless it has gaps between payloads or wrong hashes.
//
// If the data of an object move, Rebuild changes the offsets that it recognises
// in them. The first are those of bulk headers with an inline payload: a 64-bit
// offset that is the position after itself, where the 32-bit size before it fits
// the object. The others are those of a texture in a format that is not one of
// the six: the 32-bit offset after the name of its format. All other bytes of
// the data are kept. The data are taken to be at the end of the object that
// SerialOffset and SerialSize describe. Data that are longer than that object are
// new, and are kept.
//
// Rebuild returns an error, which names the object or the field, for an offset
// that would become wrong: a 64-bit offset of the position after itself that is
// in no bulk header; an offset in the summary that is that of no part; and data
// that may refer to bulk data, if the bulk data do not stay in their place.
//
// If the flags of a mip with Data say that its payload is not inline, the
// payload moves to the bulk data. A mip without Data keeps the Size bytes at
// its OffsetInFile in the bulk data. Bytes of the bulk data that no mip uses
// are kept after the payloads.
//
// Rebuild does not change the given package. The result shares unchanged parts
// with it. A package that cannot be written is an error of class [wire.Range],
// from Rebuild or from writing.
func (c *Codec) Rebuild(f model.Package) (model.Package, error) {
	if len(f.Exports) != len(f.Objects) {
		return model.Package{}, rebuildError("objects", "expected %d, the number of exports, found %d", len(f.Exports), len(f.Objects))
	}
	old := f.Summary
	s := &f.Summary
	s.NameOffset = summarySize414
	if s.SearchableNamesOffset != nil {
		s.NameOffset = summarySize415
	}
	at := uint64(s.NameOffset)
	s.NameCount, s.ImportCount, s.ExportCount = uint32(len(f.Names)), uint32(len(f.Imports)), uint32(len(f.Exports))
	s.Generation = model.Generation{ExportCount: s.ExportCount, NameCount: s.NameCount}

	f.Names = slices.Clone(f.Names)
	for i := range f.Names {
		n := &f.Names[i]
		n.NonCasePreservingHash, n.CasePreservingHash = NameHashes(n.Name)
		at += stringSize(n.Name) + 4
	}
	if s.ImportOffset = uint32(at); len(f.Imports) == 0 && old.ImportOffset == 0 {
		s.ImportOffset = 0
	}
	at += importSize * uint64(len(f.Imports))
	if s.ExportOffset = uint32(at); len(f.Exports) == 0 && old.ExportOffset == 0 {
		s.ExportOffset = 0
	}
	at += entryRegion * uint64(len(f.Exports))
	region := at
	for i := range f.SoftPackageReferences {
		at += stringSize(f.SoftPackageReferences[i])
	}
	s.AssetRegistryDataOffset = uint32(at)
	at += 4
	s.TotalHeaderSize, s.PreloadDependencyOffset = uint32(at), uint32(at)
	if at > math.MaxUint32 {
		return model.Package{}, rebuildError("summary.totalHeaderSize", "expected a header of at most %d bytes, found %d", uint32(math.MaxUint32), at)
	}
	references := len(f.SoftPackageReferences)
	if !c.d.softNulls {
		s.SoftPackageReferencesCount = uint32(references)
	}
	if references > 0 {
		s.SoftPackageReferencesOffset = uint32(region)
	}
	if err := relocateSummary(&old, s, references > 0); err != nil {
		return model.Package{}, err
	}

	b := &builder{part: &part{Codec: c, names: names{entries: f.Names}}, old: f.BulkData}
	f.Exports, f.Objects = slices.Clone(f.Exports), slices.Clone(f.Objects)
	for i := range f.Objects {
		size, err := b.object(&f.Objects[i], at)
		if err != nil {
			return model.Package{}, prefixed(err, rowPath("objects", i))
		}
		o, e := &f.Objects[i], &f.Exports[i]
		from, to := uint64(e.SerialOffset)+uint64(e.SerialSize)-uint64(len(o.Data)), at+size-uint64(len(o.Data))
		if from != to && len(o.Data) > 0 && uint64(e.SerialSize) >= uint64(len(o.Data)) {
			texture := o.Texture == nil && isTextureClass(Class(&f, e))
			if o.Data, err = b.relocateData(o.Data, texture, from, to); err != nil {
				return model.Package{}, prefixed(err, rowPath("objects", i))
			}
		}
		e.SerialOffset, e.SerialSize = uint32(at), uint32(size)
		if at += size; at > math.MaxUint32 {
			return model.Package{}, rebuildError(rowPath("objects", i), "expected an end of at most %d, found %d", uint32(math.MaxUint32), at)
		}
	}
	s.BulkDataStartOffset = int64(at)
	if b.inPlace() {
		return f, nil
	}
	for i := range f.Objects {
		if refersToBulk(f.Objects[i].Data, len(f.BulkData)) {
			return model.Package{}, offsetError(rowPath("objects", i)+".data", "expected no reference to the %d bytes of bulk data, which move, found one", len(f.BulkData))
		}
	}
	f.BulkData = b.bulk()
	return f, nil
}

// Name returns the first row of the name table with a text in form Bytes. If
// there is none, it adds one.
func Name(f *model.Package, text string) model.FName {
	for i := range f.Names {
		if n := &f.Names[i].Name; n.Text == text && n.Form == model.Bytes {
			return model.FName{Index: uint32(i)}
		}
	}
	e := model.NameEntry{Name: model.FString{Text: text}}
	e.NonCasePreservingHash, e.CasePreservingHash = NameHashes(e.Name)
	f.Names = append(f.Names, e)
	return model.FName{Index: uint32(len(f.Names) - 1)}
}

// Payload returns the pixels of a mip, from its Data or from the bulk data: all
// slices, one after another. ok is false if the bulk data do not contain them.
func Payload(f *model.Package, m *model.Mip) (pixels []byte, ok bool) {
	if uint64(len(m.Data)) == uint64(m.Size) {
		return m.Data, true
	}
	return payloadIn(f.BulkData, m)
}

func payloadIn(bulk []byte, m *model.Mip) ([]byte, bool) {
	if m.OffsetInFile < 0 || m.OffsetInFile > int64(len(bulk)) || int64(m.Size) > int64(len(bulk))-m.OffsetInFile {
		return nil, false
	}
	end := m.OffsetInFile + int64(m.Size)
	return bulk[m.OffsetInFile:end:end], true
}

func stringSize(s model.FString) uint64 {
	switch s.Form {
	case model.Absent:
		return 4
	case model.UTF16:
		return 4 + 2*(uint64(len(unitsOf(s)))+1)
	}
	return 4 + uint64(len(s.Text)) + 1
}

// rebuildError is the error for a package that has no layout.
func rebuildError(path, format string, args ...any) error {
	return &wire.Error{Type: "uasset.Package", Class: wire.Range, Path: path, Clause: clauseRebuild, Detail: fmt.Sprintf(format, args...)}
}

// offsetError is the error for an offset that cannot be moved.
func offsetError(path, format string, args ...any) error {
	return &wire.Error{Type: "uasset.Package", Class: wire.Range, Path: path, Clause: clauseRelocation, Detail: fmt.Sprintf(format, args...)}
}

// prefixed prefixes the path of an error with the path of a part.
func prefixed(err error, path string) error {
	var e *wire.Error
	if !errors.As(err, &e) {
		return err
	}
	in := *e
	in.Type = "uasset.Package"
	switch {
	case in.Path == "":
		in.Path = path
	case in.Path[0] == '[':
		in.Path = path + in.Path
	default:
		in.Path = path + "." + in.Path
	}
	return &in
}

// A builder computes the layout of objects and collects the payloads for the
// bulk data.
type builder struct {
	*part
	old      []byte // the bulk data of the given package
	payloads [][]byte
	used     []interval // of old
	size     int64      // of all payloads
}

type interval struct{ from, to int64 }

// object computes the layout of an object at an offset, and returns its size.
func (b *builder) object(o *model.Object, at uint64) (uint64, error) {
	size := uint64(0)
	if o.Properties != nil {
		list, n, err := b.list(*o.Properties)
		if err != nil {
			return 0, prefixed(err, "properties")
		}
		o.Properties = &list
		size += n
	}
	if o.Texture != nil {
		t := *o.Texture
		n, err := b.texture(&t, at+size)
		if err != nil {
			return 0, prefixed(err, "texture")
		}
		o.Texture = &t
		size += n
	}
	return size + uint64(len(o.Data)), nil
}

// list computes the sizes in the inner tags of a list, and returns the size of
// the list.
func (b *builder) list(list model.PropertyList) (model.PropertyList, uint64, error) {
	list = slices.Clone(list)
	for i := range list {
		v, err := b.value(list[i].Value)
		if err != nil {
			return nil, 0, prefixed(err, rowPath("", i)+".value")
		}
		list[i].Value = v
	}
	bytes, err := structure(b.Codec, "PropertyList", nameSize, b.readList, b.writeList).Append(nil, list)
	return list, uint64(len(bytes)), err
}

func (b *builder) value(v model.Value) (model.Value, error) {
	switch x := v.(type) {
	case model.ArrayProperty:
		elements, err := b.elements(x.Elements)
		x.Elements = elements
		return x, err
	case model.StructProperty:
		var err error
		switch y := x.Value.(type) {
		case model.MaterialTextureInfo:
			x.Value, _, err = b.textureInfo(y)
		case model.FontImportOptionsData:
			y.Properties, _, err = b.list(y.Properties)
			x.Value = y
		}
		return x, err
	}
	return v, nil
}

func (b *builder) textureInfo(v model.MaterialTextureInfo) (model.StructValue, uint64, error) {
	list, size, err := b.list(model.PropertyList(v))
	return model.MaterialTextureInfo(list), size, err
}

func (b *builder) elements(e model.Elements) (model.Elements, error) {
	switch x := e.(type) {
	case model.Structs:
		x.Elements = slices.Clone(x.Elements)
		size := uint64(b.structKind(x.Tag.StructName).size) * uint64(len(x.Elements))
		for i, y := range x.Elements {
			info, ok := y.(model.MaterialTextureInfo)
			if !ok {
				continue
			}
			rebuilt, n, err := b.textureInfo(info)
			if err != nil {
				return nil, prefixed(err, rowPath("elements", i))
			}
			x.Elements[i] = rebuilt
			size += n - nameSize // the smallest size is already counted
		}
		if n := uint64(len(x.Elements)); b.d.structNulls && n > 1 {
			size += n // nulls: one before each element but the first, one after the last
		}
		x.Tag.Size = uint32(size)
		return x, nil
	case model.OpaqueStructs:
		x.Tag.Size = uint32(len(x.Data))
		if b.d.structNulls {
			x.Tag.Size = uint32(max(0, len(x.Data)-1)) // in files the first null is the GUID byte
		}
		return x, nil
	}
	return e, nil
}

// texture computes the layout of a texture at an offset, and returns its size.
func (b *builder) texture(t *model.Texture2D, begin uint64) (uint64, error) {
	end := begin + formatEnd + 4*4 + 4 + uint64(len(t.PixelFormat)) + 1 + 4 + 4
	t.Mips = slices.Clone(t.Mips)
	for i := range t.Mips {
		m := &t.Mips[i]
		inline, detail := b.isInline(m.BulkDataFlags, levelOf(t, i))
		switch {
		case detail != "":
			return 0, rebuildError(rowPath("mips", i), "%s", detail)
		case inline:
			m.Size = uint32(len(m.Data))
			m.OffsetInFile = int64(end) + mipSize - 8
			end += uint64(len(m.Data))
		default:
			if err := b.move(m); err != nil {
				return 0, prefixed(err, rowPath("mips", i))
			}
		}
		end += mipSize
	}
	if !b.ownLayout(t.PixelFormat) {
		t.SkipOffset = uint32(end)
	}
	return end + nameSize - begin, nil
}

// move appends a payload to the bulk data.
func (b *builder) move(m *model.Mip) error {
	pixels := m.Data
	if len(pixels) == 0 {
		var ok bool
		if pixels, ok = payloadIn(b.old, m); !ok {
			return rebuildError("", "expected a payload in the %d bytes of bulk data, found %d bytes at %d", len(b.old), m.Size, m.OffsetInFile)
		}
		b.used = append(b.used, interval{m.OffsetInFile, m.OffsetInFile + int64(m.Size)})
	}
	if uint64(len(pixels)) > math.MaxUint32 {
		return rebuildError("", "expected a payload of at most %d bytes, found %d", uint32(math.MaxUint32), len(pixels))
	}
	m.Data, m.Size, m.OffsetInFile = []byte{}, uint32(len(pixels)), b.size
	b.payloads = append(b.payloads, pixels)
	b.size += int64(len(pixels))
	return nil
}

// inPlace reports whether all payloads are where they were, one after another.
func (b *builder) inPlace() bool {
	end := int64(0)
	for _, i := range b.used {
		if i.from != end {
			return false
		}
		end = i.to
	}
	return len(b.used) == len(b.payloads)
}

// bulk returns the payloads one after another, then the unused bytes of the old
// bulk data.
func (b *builder) bulk() []byte {
	out := make([]byte, 0, b.size)
	for _, p := range b.payloads {
		out = append(out, p...)
	}
	slices.SortFunc(b.used, func(x, y interval) int { return cmp.Compare(x.from, y.from) })
	end := int64(0)
	for _, i := range b.used {
		if i.from > end {
			out = append(out, b.old[end:i.from]...)
		}
		end = max(end, i.to)
	}
	return append(out, b.old[end:]...)
}
