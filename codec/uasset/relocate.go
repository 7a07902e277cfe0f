package uasset

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

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
	if !slices.ContainsFunc(moves, func(m move) bool { return m.from != m.to }) {
		return nil
	}
	type field struct {
		name string
		v    *uint32
	}
	fields := []field{{"gatherableTextDataOffset", &s.GatherableTextDataOffset}, {"dependsOffset", &s.DependsOffset}}
	if s.SearchableNamesOffset != nil {
		s.SearchableNamesOffset = new(*s.SearchableNamesOffset) // the given package keeps its own
		fields = append(fields, field{"searchableNamesOffset", s.SearchableNamesOffset})
	}
	if !references {
		fields = append(fields, field{"softPackageReferencesOffset", &s.SoftPackageReferencesOffset})
	}
	fields = append(fields, field{"thumbnailTableOffset", &s.ThumbnailTableOffset},
		field{"worldTileInfoDataOffset", &s.WorldTileInfoDataOffset})
	for _, f := range fields {
		if *f.v == 0 {
			continue
		}
		found := []uint64{}
		for _, m := range moves {
			if m.from == uint64(*f.v) && !slices.Contains(found, m.to) {
				found = append(found, m.to)
			}
		}
		if len(found) != 1 {
			return rangeError("UA-PKG-18", "summary."+f.name, "expected 0 or the offset of one part, which moves, found %d",
				*f.v)
		}
		*f.v = uint32(found[0])
	}
	return nil
}

// A body is the data of an object that moves in the file. The offsets in it that
// are counted from the start of the file have to change with its position.
type body struct {
	*part
	class      string
	data       []byte
	at         int64   // the offset of the data in the old file
	begin, end int64   // of the object in the old file
	known      []int64 // where in the data the 32 low bits of known offsets are
	doubt      int64   // where in the data the first number is that may be another offset, or -1
	// budget is the number of names and bytes that may still be read as shaders. It
	// bounds the time. If it is used up, doubt is where the search ended.
	budget int
}

// suspect says that the number at a position may be an offset that is not known.
func (b *body) suspect(i int64) {
	if b.doubt < 0 {
		b.doubt = i
	}
}

// layouts contains the functions that read the data after the properties, by
// class, and report whether they could. A class is here if it is known where its data
// contain offsets:
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

// find finds the offsets in the body, and the first number that may be another one.
func (b *body) find(o *model.Object) {
	b.doubt = -1
	read, understood := layouts[b.class], false
	switch {
	case o.Texture != nil:
		understood = b.afterTexture(0)
	case o.Properties != nil && read != nil:
		understood = read(b)
	}
	if !understood {
		b.bulkHeaders()
	}
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
	list := b.list()
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
	for strings.HasPrefix(b.text(i), "PF_") {
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
	return b.text(i) == none && b.afterTexture(i+nameSize)
}

// text returns the text of the name with number 0 at a position, or "".
func (b *body) text(i int64) string {
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
// class. Every other number of 32 or 64 bits that is an offset in the object may be
// one that has to change.
func (b *body) bulkHeaders() {
	start := int64(0) // of bytes that are in no header and no payload
	for i := int64(0); i < int64(len(b.data)); {
		if size := b.bulkHeader(i); size >= 0 {
			i += bulkHeaderSize + size
			start = i
			continue
		}
		if i++; i-start >= 4 {
			if v := b.u32(i - 4); v >= b.begin && v <= b.end {
				b.suspect(i - 4)
			}
		}
	}
}

// shaderMaps finds the shader maps and bulk headers of a material. Elsewhere the
// name of a shader, and after it the offset of a later part, may belong to a shader
// map that was not recognised. No other number is an offset: real materials have
// zeros before small numbers everywhere.
func (b *body) shaderMaps() bool {
	b.budget = 1<<16 + 16*len(b.data)
	for i := int64(0); i < int64(len(b.data)); {
		if end := b.shaderMap(i); end >= 0 {
			i = end
			continue
		}
		if size := b.bulkHeader(i); size >= 0 {
			i += bulkHeaderSize + size
			continue
		}
		if b.budget < 0 {
			b.doubt = i
			break
		}
		if at := i + nameSize; isShader(b.text(i)) && b.endsAfter(at) {
			b.suspect(at)
		}
		i++
	}
	return true
}

// isShader reports whether a name is like those that the engine gives to its types
// of shaders.
func isShader(name string) bool {
	return len(name) > 1 && (name[0] == 'F' || name[0] == 'T') && 'A' <= name[1] && name[1] <= 'Z'
}

// endsAfter reports whether the number at a position is the offset of a later part.
func (b *body) endsAfter(i int64) bool {
	end := b.u32(i) - b.at
	return i+4 < end && end <= int64(len(b.data))
}

// shaderMap returns the end of the shader map at a position, or -1.
func (b *body) shaderMap(i int64) int64 {
	known, doubt := len(b.known), b.doubt
	r := shaderReader{body: b, i: i}
	r.shaders(nil)
	for n := r.count(); n > 0 && !r.failed; n-- {
		r.shaders(r.name())
	}
	if r.failed || len(b.known) == known {
		b.known, b.doubt = b.known[:known], doubt
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
		name, at := r.name(), r.i
		if r.failed || !r.endsAfter(at) {
			r.failed = true
			return
		}
		if !isShader(r.names.text(nameOf(name))) {
			r.suspect(at) // the list may be other bytes
		}
		r.known = append(r.known, at)
		r.i += 4
		end := r.u32(at) - r.at
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
