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

// Rebuild lays a changed package out anew, as UA-PKG-14 says: it works out
// every count, offset and size of the summary, the exports, inner tags and
// mips, and the hashes of the names. It keeps everything else, in the order
// it has; so a package that was not changed comes out as it is, unless it has
// gaps between payloads or hashes that nobody worked out.
//
// A mip with Data whose payload does not belong inline has its payload moved
// to the bulk data; one without Data keeps the Size bytes at its
// OffsetInFile there. Bytes that no mip claims are kept behind the payloads.
//
// The package given is not changed, and shares what did not have to change
// with the one returned. What has no place in a package is an error of class
// [wire.Range], here or when the package is written.
func (c *Codec) Rebuild(f model.Package) (model.Package, error) {
	if len(f.Exports) != len(f.Objects) {
		return model.Package{}, refused("objects", "%d, and %d exports", len(f.Objects), len(f.Exports))
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
	s.AssetRegistryDataOffset = uint32(at)
	at += 4
	s.TotalHeaderSize, s.PreloadDependencyOffset = uint32(at), uint32(at)

	b := &builder{part: &part{Codec: c, names: newNames(textsOf(f.Names))}, old: f.BulkData}
	f.Exports, f.Objects = slices.Clone(f.Exports), slices.Clone(f.Objects)
	for i := range f.Objects {
		size, err := b.object(&f.Objects[i], at)
		if err != nil {
			return model.Package{}, within(err, rowPath("objects", i))
		}
		f.Exports[i].SerialOffset, f.Exports[i].SerialSize = uint32(at), uint32(size)
		if at += size; at > math.MaxUint32 {
			return model.Package{}, refused(rowPath("objects", i), "it would end at %d, beyond 32 bits", at)
		}
	}
	s.BulkDataStartOffset = int64(at)
	f.BulkData = b.bulk()
	return f, nil
}

// Name returns the first row with a text, in bytes, and adds one if there is none.
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

// Payload returns the pixels of a mip, wherever they stand: all slices of it,
// one after another. ok is false if the bulk data do not have them.
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

// refused is the error for a package that cannot be laid out.
func refused(path, format string, args ...any) error {
	return &wire.Error{Type: "uasset.Package", Class: wire.Range, Path: path, Clause: clauseRebuild, Detail: fmt.Sprintf(format, args...)}
}

// within puts the path of an error behind that of a part.
func within(err error, path string) error {
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

// builder lays out objects, and gathers the payloads at the end of the file.
type builder struct {
	*part
	old      []byte // the bulk data so far
	payloads [][]byte
	claimed  []interval // of old
	size     int64      // of all payloads
}

type interval struct{ from, to int64 }

// object lays out an object that begins at an offset, and returns its size.
func (b *builder) object(o *model.Object, at uint64) (uint64, error) {
	size := uint64(0)
	if o.Properties != nil {
		list, n, err := b.list(*o.Properties)
		if err != nil {
			return 0, within(err, "properties")
		}
		o.Properties = &list
		size += n
	}
	if o.Texture != nil {
		t := *o.Texture
		n, err := b.texture(&t, at+size)
		if err != nil {
			return 0, within(err, "texture")
		}
		o.Texture = &t
		size += n
	}
	return size + uint64(len(o.Data)), nil
}

// list gives the inner tags in a list their sizes, and returns that of the list.
func (b *builder) list(list model.PropertyList) (model.PropertyList, uint64, error) {
	list = slices.Clone(list)
	for i := range list {
		v, err := b.value(list[i].Value)
		if err != nil {
			return nil, 0, within(err, rowPath("", i)+".value")
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
		size := uint64(b.structKind(b.names.plain(x.Tag.StructName)).least) * uint64(len(x.Elements))
		for i, y := range x.Elements {
			info, ok := y.(model.MaterialTextureInfo)
			if !ok {
				continue
			}
			laid, n, err := b.textureInfo(info)
			if err != nil {
				return nil, within(err, rowPath("elements", i))
			}
			x.Elements[i] = laid
			size += n - nameSize // which is the least that is counted already
		}
		if n := uint64(len(x.Elements)); b.d.structNulls && n > 1 {
			size += n // one for each behind the first, and one behind the last
		}
		x.Tag.Size = uint32(size)
		return x, nil
	case model.OpaqueStructs:
		x.Tag.Size = uint32(len(x.Data))
		if b.d.structNulls {
			x.Tag.Size = uint32(max(0, len(x.Data)-1)) // the first null is the GUID byte of files
		}
		return x, nil
	}
	return e, nil
}

// texture lays out a texture that begins at an offset, and returns its size.
func (b *builder) texture(t *model.Texture2D, at uint64) (uint64, error) {
	begin := at
	at += formatEnd + 4*4 + 4 + uint64(len(t.PixelFormat)) + 1 + 4 + 4
	t.Mips = slices.Clone(t.Mips)
	for i := range t.Mips {
		m := &t.Mips[i]
		inline, detail := b.isInline(m.BulkDataFlags, levelOf(t, i))
		switch {
		case detail != "":
			return 0, refused(rowPath("mips", i), "flags %#x: %s", m.BulkDataFlags, detail)
		case inline:
			m.Size = uint32(len(m.Data))
			m.OffsetInFile = int64(at) + mipSize - 8
			at += uint64(len(m.Data))
		default:
			if err := b.move(m); err != nil {
				return 0, within(err, rowPath("mips", i))
			}
		}
		at += mipSize
	}
	if !b.ownLayout(t.PixelFormat) {
		t.SkipOffset = uint32(at)
	}
	return at + nameSize - begin, nil
}

// move gives a payload its place at the end of the file.
func (b *builder) move(m *model.Mip) error {
	pixels := m.Data
	if len(pixels) == 0 {
		var ok bool
		if pixels, ok = payloadIn(b.old, m); !ok {
			return refused("", "%d bytes at %d are not in %d bytes of bulk data", m.Size, m.OffsetInFile, len(b.old))
		}
		b.claimed = append(b.claimed, interval{m.OffsetInFile, m.OffsetInFile + int64(m.Size)})
	}
	m.Data, m.Size, m.OffsetInFile = []byte{}, uint32(len(pixels)), b.size
	b.payloads = append(b.payloads, pixels)
	b.size += int64(len(pixels))
	return nil
}

// bulk returns the payloads one after another, then what nobody claims.
func (b *builder) bulk() []byte {
	inPlace := len(b.claimed) == len(b.payloads)
	end := int64(0)
	for _, i := range b.claimed {
		inPlace = inPlace && i.from == end
		end = i.to
	}
	if inPlace {
		return b.old
	}
	out := make([]byte, 0, b.size)
	for _, p := range b.payloads {
		out = append(out, p...)
	}
	slices.SortFunc(b.claimed, func(x, y interval) int { return cmp.Compare(x.from, y.from) })
	end = 0
	for _, i := range b.claimed {
		if i.from > end {
			out = append(out, b.old[end:i.from]...)
		}
		end = max(end, i.to)
	}
	return append(out, b.old[end:]...)
}
