package uasset

import (
	"encoding/binary"
	"slices"
	"strings"

	model "github.com/formatgauge/formatgauge/model/uasset"
)

// Rebuild moves parts of a package. The offsets that it does not compute are
// in fields of the summary that other data would need, and in the bytes of
// objects that are kept.

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
			return offsetError("summary."+f.name, "expected 0 or the offset of one part, which moves, found %d", *f.v)
		}
		*f.v = uint32(found[0])
	}
	return nil
}

// Offsets in a bulk header, in bytes from its offset of the payload. The
// payload follows that offset if it is inline.
const (
	bulkFlagsBefore = 12
	bulkSizeBefore  = 4 // the size on disk
	bulkOffsetSize  = 8
)

// relocateData returns the data at the end of an object with its offsets
// changed: from is where the data begin in the old file, and to is where they
// begin in the new one. texture says that the data are those of a texture that
// is not read.
//
// A bulk header consists of flags, element count, size on disk and a 64-bit
// offset. It is recognised if the offset is the position after itself and the
// size on disk fits the object.
func (p *part) relocateData(data []byte, texture bool, from, to uint64) ([]byte, error) {
	out, payloadEnd := data, 0
	put := func() []byte {
		if &out[0] == &data[0] {
			out = slices.Clone(data)
		}
		return out
	}
	for i := 0; i+bulkOffsetSize <= len(data); i++ {
		v := binary.LittleEndian.Uint64(data[i:])
		if v != from+uint64(i)+bulkOffsetSize {
			continue
		}
		rest := len(data) - i - bulkOffsetSize
		if i < bulkFlagsBefore || i-bulkFlagsBefore < payloadEnd || uint64(binary.LittleEndian.Uint32(data[i-bulkSizeBefore:])) > uint64(rest) {
			return nil, offsetError("data", "expected offsets in bulk headers only, which can be moved from %d to %d; found the 64-bit offset %d of the byte after it, which is in none", from, to, v)
		}
		payloadEnd = i + bulkOffsetSize + int(binary.LittleEndian.Uint32(data[i-bulkSizeBefore:]))
		binary.LittleEndian.PutUint64(put()[i:], to+uint64(i)+bulkOffsetSize)
	}
	if !texture {
		return out, nil
	}
	// A texture in another format: each format of its list has a name and the
	// 32-bit offset of the next name.
	for i := formatAt; i+nameSize+4 <= len(data) && strings.HasPrefix(p.names.plain(nameOf(data[i:])), "PF_"); {
		skip := uint64(binary.LittleEndian.Uint32(data[i+nameSize:]))
		next := skip - from
		if skip < from || next < uint64(i+nameSize+4) || next+nameSize > uint64(len(data)) {
			return nil, offsetError("data", "expected the offset of a name in the texture, from %d to %d, found %d", from, from+uint64(len(data)), skip)
		}
		binary.LittleEndian.PutUint32(put()[i+nameSize:], uint32(to+next))
		i = int(next)
	}
	return out, nil
}

// refersToBulk reports whether data may contain a bulk header whose payload is
// in bulk data of size bytes.
func refersToBulk(data []byte, size int) bool {
	for i := bulkFlagsBefore; i+bulkOffsetSize <= len(data); i++ {
		flags := binary.LittleEndian.Uint32(data[i-bulkFlagsBefore:])
		if flags&model.PayloadAtEndOfFile == 0 || flags&model.ForceInlinePayload != 0 {
			continue
		}
		n, at := binary.LittleEndian.Uint32(data[i-bulkSizeBefore:]), binary.LittleEndian.Uint64(data[i:])
		if n > 0 && at <= uint64(size) && uint64(n) <= uint64(size)-at {
			return true
		}
	}
	return false
}
