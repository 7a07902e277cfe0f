package ka

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// Found is an archive in a larger file.
type Found struct {
	Offset  int // of the tag, in bytes
	Length  int // in bytes
	Archive model.Archive
}

// emptySize is the size of the empty archives of most files, in bytes.
const emptySize = 8

// Failed attempts may read scanBase bytes in all, and scanWork bytes per byte
// of the file. All attempts may take memoryBase bytes of memory, and memoryWork bytes per
// byte of the file, as far as they are counted: a byte that is read may take byteMemory
// in values, an attempt attemptMemory.
const (
	scanWork      = 64
	scanBase      = 1 << 20
	memoryWork    = 52
	memoryBase    = 1 << 16
	byteMemory    = 11
	attemptMemory = 200
)

// Scan finds the archives in a file, such as those of a scene container: every
// offset with the tag "KA" at which an archive can be decoded. Archives within
// an archive that was found are not listed. Bytes between archives are
// skipped. The profile must have the tag: ka.magic=documented is an error.
//
// Each archive must have a header and as many pairs as its count says, also
// under ka.magic=headerless and ka.count-past-end=stop: otherwise any data
// would be an archive.
//
// The 8 bytes of an empty archive also occur in files of other kinds. Archives of
// at most 8 bytes are only listed if the file contains a longer one, or consists of
// one of them.
//
// The time and the memory are linear in the length of src. For a file that prevents this, Scan
// returns the archives found so far and an error of class [wire.Limit].
func (c *Codec) Scan(src []byte) ([]Found, error) {
	if c.family == nil {
		return nil, errZero
	}
	if c.d.untagged {
		return nil, &wire.Error{Type: "ka.Archive", Class: wire.Unsupported, Detail: "a scan needs the tag of archives: choose ka.magic=observed"}
	}
	d := c.d
	d.headerless, d.countStops = false, false
	strict := bind(c.family.Settings, d)
	reach := 0 // the position at the end of an attempt; the offset of its fault may be far before
	left := memoryBase + memoryWork*len(src)
	archive := level(strict, "Archive", 0, func(k coder, a model.Archive) model.Archive {
		k.left = &left
		k.archive(&a, nil, false)
		reach = k.Offset()
		return a
	})
	// attempt decodes an archive. Most are rejected before anything is decoded.
	attempt := func(src []byte) (a model.Archive, n int, ok bool) {
		if reach = strict.hopeless(src); reach > 0 {
			return a, 0, false
		}
		a, n, ok = archive.Probe(src)
		left -= attemptMemory + byteMemory*reach
		return a, n, ok
	}
	var blocks [][]Found // without the copies of a slice that grows
	all := func() []Found { return slices.Concat(blocks...) }
	wasted, longer := int64(0), false
	for at := 0; ; {
		next := bytes.Index(src[at:], []byte(tag))
		if next < 0 {
			if !longer {
				return nil, nil
			}
			return all(), nil
		}
		at += next
		if a, n, ok := attempt(src[at:]); ok {
			last := len(blocks) - 1
			if last < 0 || len(blocks[last]) == cap(blocks[last]) {
				blocks, last = append(blocks, make([]Found, 0, 4<<min(len(blocks), 4))), last+1
			}
			blocks[last] = append(blocks[last], Found{Offset: at, Length: n, Archive: a})
			longer = longer || n > emptySize || n == len(src)
			at += n
			continue
		}
		wasted += int64(reach)
		if wasted > scanBase+scanWork*int64(len(src)) || left < 0 {
			return all(), &wire.Error{
				Type: "ka.Archive", Class: wire.Limit, Offset: at,
				Detail: "too many attempts to decode an archive failed",
			}
		}
		at += len(tag)
	}
}

// hopeless returns the number of bytes that show that no archive outside of others begins
// with src, after the tag, or 0: the version, and a count for which too few bytes follow.
func (c *Codec) hopeless(src []byte) int {
	const versionEnd, countEnd = len(tag) + 2, len(tag) + 2 + 4
	if len(src) < versionEnd {
		return len(src)
	}
	v := model.Version(binary.LittleEndian.Uint16(src[len(tag):]))
	if c.d.tagIgnored && byte(v) == 1 {
		v = model.V0x0001
	}
	least := uint64(leastPlainPair)
	switch v {
	case model.V0xff02:
		return 0
	case model.V0x0002:
		least = leastRow
	case model.V0x0001:
	default:
		return versionEnd
	}
	if rest := len(src) - countEnd; rest < 0 || least*uint64(binary.LittleEndian.Uint32(src[versionEnd:])) > uint64(rest) {
		return min(countEnd, len(src))
	}
	return 0
}
