package uasset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// Rebuild moves parts of a package. The offsets that it does not compute are
// in fields of the summary that other data would need, and in the data of
// objects.

// A move is an offset before and after a part has moved.
type move struct{ from, to uint64 }

// headerMoves returns the starts and ends of the parts that the offsets in a
// summary may give.
func headerMoves(old, s *model.Summary) []move {
	entries := func(s *model.Summary) uint64 { return uint64(s.ExportOffset) + entrySize*uint64(s.ExportCount) }
	region := func(s *model.Summary) uint64 { return uint64(s.ExportOffset) + entryRegion*uint64(s.ExportCount) }
	return []move{
		{uint64(old.NameOffset), uint64(s.NameOffset)},
		{uint64(old.ImportOffset), uint64(s.ImportOffset)},
		{uint64(old.ExportOffset), uint64(s.ExportOffset)},
		{entries(old), entries(s)},
		{region(old), region(s)},
		{uint64(old.AssetRegistryDataOffset), uint64(s.AssetRegistryDataOffset)},
		{uint64(old.TotalHeaderSize), uint64(s.TotalHeaderSize)},
	}
}

// relocateSummary changes the offsets in a summary that give the start or the
// end of a part. After a move, any other offset is an error. references says
// that the offset of the soft package references is already computed.
func relocateSummary(old, s *model.Summary, references bool) error {
	moves := headerMoves(old, s)
	moved := slices.ContainsFunc(moves, func(m move) bool { return m.from != m.to })
	fields := []struct {
		name string
		v    *uint32
	}{
		{"gatherableTextDataOffset", &s.GatherableTextDataOffset},
		{"dependsOffset", &s.DependsOffset},
		{"searchableNamesOffset", nil},
		{"softPackageReferencesOffset", nil},
		{"thumbnailTableOffset", &s.ThumbnailTableOffset},
		{"worldTileInfoDataOffset", &s.WorldTileInfoDataOffset},
	}
	if s.SearchableNamesOffset != nil {
		v := *s.SearchableNamesOffset // the given package keeps its own
		s.SearchableNamesOffset = &v
		fields[2].v = &v
	}
	if !references {
		fields[3].v = &s.SoftPackageReferencesOffset
	}
	for _, f := range fields {
		if f.v == nil || *f.v == 0 || !moved {
			continue
		}
		found := []uint64{}
		for _, m := range moves {
			if m.from == uint64(*f.v) && !slices.Contains(found, m.to) {
				found = append(found, m.to)
			}
		}
		if len(found) != 1 {
			return &wire.Error{
				Type: "uasset.Package", Class: wire.Range, Path: "summary." + f.name, Clause: "UA-PKG-18",
				Detail: fmt.Sprintf("expected 0 or the offset of one part, which moves, found %d", *f.v),
			}
		}
		*f.v = uint32(found[0])
	}
	return nil
}

// A body is the data of an object that moves in the file. It is understood if all
// offsets in it that are counted from the start of the file are known. These
// change with its position.
type body struct {
	*part
	class      string
	data       []byte
	at         int64   // the offset of the data in the old file
	begin, end int64   // of the object in the old file
	known      []int64 // where in the data the 32 low bits of known offsets are
	budget     int     // of names and bytes that may be read as shaders: bounds the time
}

// layouts contains the functions that read the data after the properties, by
// class. A class is here if it is known where its data contain offsets:
//   - DataTable: its rows are lists of properties. Four real packages.
//   - Font: a count and four bytes per element. See uasset.font-import-options.
//   - Textures: every format of the list has the same fields. 430 real textures.
//   - Materials: the offsets of UA-PKG-25. 379 real packages, and the engine.
var layouts = map[string]func(*body) bool{
	"DataTable":                (*body).rows,
	"Font":                     (*body).characters,
	"Texture2D":                (*body).formats,
	"TextureCube":              (*body).formats,
	"LightMapTexture2D":        (*body).formats,
	"ShadowMapTexture2D":       (*body).formats,
	"Material":                 (*body).shaderMaps,
	"MaterialInstanceConstant": (*body).shaderMaps,
}

// understood reports whether the body is understood, and finds the offsets in it.
func (b *body) understood(o *model.Object) bool {
	read := layouts[b.class]
	switch {
	case !slices.ContainsFunc(b.data, func(v byte) bool { return v != 0 }):
		return true // usually the null in place of an object GUID
	case read == nil || o.Properties == nil:
		return b.bulkHeaders()
	case o.Texture != nil && b.afterTexture(0), o.Texture == nil && read(b):
		return true
	}
	b.bulkHeaders() // they may move
	return false
}

// moved returns the data at another offset.
func (b *body) moved(to int64) []byte {
	if len(b.known) == 0 {
		return b.data
	}
	out := slices.Clone(b.data)
	for _, i := range b.known {
		binary.LittleEndian.PutUint32(out[i:], binary.LittleEndian.Uint32(b.data[i:])+uint32(to-b.at))
	}
	return out
}

// u32 returns the number at a position, or -1 if the data end before.
func (b *body) u32(i int64) int64 {
	if i+4 > int64(len(b.data)) {
		return -1
	}
	return int64(binary.LittleEndian.Uint32(b.data[i:]))
}

// rows reads the rows of a table: each is a name and a list of properties.
func (b *body) rows() bool {
	if len(b.data) < 8 || b.u32(0) != 0 {
		return false
	}
	list := structure(b.Codec, "PropertyList", nameSize, b.readList, b.writeList)
	rest := b.data[8:]
	for n := b.u32(4); n > 0; n-- {
		if len(rest) < nameSize || !b.names.has(nameOf(rest)) {
			return false
		}
		_, size, err := list.DecodePrefix(rest[nameSize:])
		if err != nil {
			return false
		}
		rest = rest[nameSize+size:]
	}
	return len(rest) == 0
}

// characters reads the characters of a font.
func (b *body) characters() bool { return b.u32(0) == 0 && int64(len(b.data)) == 8+4*b.u32(4) }

// afterTexture reports whether the data from a position on are what follows a
// texture.
func (b *body) afterTexture(i int64) bool {
	rest := int64(len(b.data)) - i
	return rest == 0 || rest == 4 && b.class == "LightMapTexture2D" // its flags
}

// formats reads a texture whose first pixel format is not one of the six.
func (b *body) formats() bool {
	if b.u32(0) != 0 || b.u32(8) != 1 || len(b.data) < formatEnd {
		return false
	}
	i := int64(formatAt)
	for strings.HasPrefix(b.format(i), "PF_") {
		next := b.u32(i+nameSize) - b.at
		j := i + nameSize + 4*4 // SkipOffset, SizeX, SizeY, NumSlices
		j += 4 + max(0, b.u32(j))
		n := b.u32(j + 4)
		for j += 8; n > 0; n-- {
			j = b.mip(j)
			if j < 0 {
				return false
			}
		}
		if j != next {
			return false
		}
		b.known = append(b.known, i+nameSize)
		i = next
	}
	return b.format(i) == none && b.afterTexture(i+nameSize)
}

func (b *body) format(i int64) string {
	if i+nameSize > int64(len(b.data)) {
		return ""
	}
	return b.names.plain(nameOf(b.data[i:]))
}

// mip returns the end of the mip at a position, or -1.
func (b *body) mip(i int64) int64 {
	if i+mipSize > int64(len(b.data)) || b.u32(i) != 1 {
		return -1
	}
	size := int64(0)
	if b.u32(i+4)&model.ForceInlinePayload != 0 {
		if size = b.bulkHeader(i + 4); size < 0 {
			return -1
		}
	}
	return i + mipSize + size
}

// A bulk header consists of flags, element count, size on disk and a 64-bit
// offset.
const (
	bulkHeaderSize = 20
	bulkOffsetAt   = 12
)

// bulkHeader returns the size of the inline payload after a bulk header at a
// position, or -1 if there is none.
func (b *body) bulkHeader(i int64) int64 {
	if i+bulkHeaderSize > int64(len(b.data)) {
		return -1
	}
	flags, count, size := b.u32(i), b.u32(i+4), b.u32(i+8)
	payload := i + bulkHeaderSize
	if flags&model.ForceInlinePayload == 0 || count != size || size > int64(len(b.data))-payload ||
		binary.LittleEndian.Uint64(b.data[i+bulkOffsetAt:]) != uint64(b.at+payload) {
		return -1
	}
	b.known = append(b.known, i+bulkOffsetAt)
	return size
}

// bulkHeaders finds the bulk headers with inline payloads in the data of any
// class. It reports whether there is one, and no other number of 32 or 64 bits
// is an offset in the object.
func (b *body) bulkHeaders() bool {
	safe, start := true, int64(0) // of bytes that are in no header and no payload
	for i := int64(0); i < int64(len(b.data)); {
		if size := b.bulkHeader(i); size >= 0 {
			i += bulkHeaderSize + size
			start = i
			continue
		}
		if i++; i-start >= 4 {
			v := b.u32(i - 4)
			safe = safe && (v < b.begin || v > b.end)
		}
	}
	return safe && len(b.known) > 0
}

// shaderMaps finds the shader maps and bulk headers of a material. It reports
// whether no bytes outside of them may be the name of a shader and the offset of
// its end.
func (b *body) shaderMaps() bool {
	b.budget = 64 + 8*len(b.data)
	safe := true
	for i := int64(0); i < int64(len(b.data)); {
		if end := b.shaderMap(i); end >= 0 {
			i = end
			continue
		}
		if size := b.bulkHeader(i); size >= 0 {
			i += bulkHeaderSize + size
			continue
		}
		r := shaderReader{body: b, i: i}
		name := r.name()
		end := r.count() - b.at
		safe = safe && (r.failed || nameOf(name).Number != 0 || end <= r.i || end > int64(len(b.data)))
		i++
	}
	return safe && b.budget >= 0
}

// shaderMap returns the end of the shader map at a position, or -1.
func (b *body) shaderMap(i int64) int64 {
	known := len(b.known)
	r := shaderReader{body: b, i: i}
	r.shaders(nil)
	for n := r.count(); n > 0 && !r.failed; n-- {
		r.shaders(r.name())
	}
	if r.failed || len(b.known) == known {
		b.known = b.known[:known]
		return -1
	}
	return r.i
}

// A shaderReader reads a shader map. After a failure it reads nothing.
type shaderReader struct {
	*body
	i      int64
	failed bool
}

func (r *shaderReader) count() int64 {
	n := r.u32(r.i)
	r.failed = r.failed || n < 0
	r.i += 4
	return n
}

// name reads a name and returns its bytes.
func (r *shaderReader) name() []byte {
	r.budget--
	if r.failed || r.i+nameSize > int64(len(r.data)) || !r.names.has(nameOf(r.data[r.i:])) || r.budget < 0 {
		r.failed = true
		return nil
	}
	r.i += nameSize
	return r.data[r.i-nameSize : r.i]
}

// shaders reads a list of shaders, and a list of pipelines with a list of shaders
// each. factory is the vertex factory of the shaders, or nil.
func (r *shaderReader) shaders(factory []byte) {
	r.list(factory)
	for n := r.count(); n > 0 && !r.failed; n-- {
		r.name()
		r.list(factory)
	}
}

func (r *shaderReader) list(factory []byte) {
	for n := r.count(); n > 0 && !r.failed; n-- {
		r.name()
		at := r.i
		end := r.count() - r.at
		if r.failed || end <= r.i || end > int64(len(r.data)) {
			r.failed = true
			return
		}
		r.known = append(r.known, at)
		if factory != nil {
			r.parameters(factory, end)
		}
		r.budget -= int(end - r.i)
		r.i = end
	}
}

// parameters finds the parameters of the vertex factory in a shader: its name,
// the kind of shader, 20 bytes, and the offset of the end of the parameters.
func (r *shaderReader) parameters(factory []byte, end int64) {
	const kindAt, kinds, offsetAt = nameSize, 6, nameSize + 1 + 20
	found := 0
	for i := r.i; i+offsetAt+4 <= end; i++ {
		n := bytes.Index(r.data[i:end], factory)
		if n < 0 {
			break
		}
		i += int64(n)
		at := i + offsetAt
		if stop := r.u32(at) - r.at; at+4 <= stop && stop <= end && r.data[i+kindAt] < kinds {
			r.known = append(r.known, at)
			found++
		}
	}
	r.failed = r.failed || found != 1
}

// refersToBulk reports whether data may contain a bulk header whose payload is
// in bulk data of size bytes.
func refersToBulk(data []byte, size int) bool {
	for i := bulkOffsetAt; i+8 <= len(data); i++ {
		flags := binary.LittleEndian.Uint32(data[i-bulkOffsetAt:])
		if flags&model.PayloadAtEndOfFile == 0 || flags&model.ForceInlinePayload != 0 {
			continue
		}
		n, at := binary.LittleEndian.Uint32(data[i-4:]), binary.LittleEndian.Uint64(data[i:])
		if n > 0 && at <= uint64(size) && uint64(n) <= uint64(size)-at {
			return true
		}
	}
	return false
}
