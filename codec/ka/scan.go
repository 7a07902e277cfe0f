package ka

import (
	"bytes"
	"errors"
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
// of the file.
const (
	scanWork = 64
	scanBase = 1 << 20
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
// The time is linear in the length of src. For a file that prevents this, Scan
// returns the archives found so far and an error of class [wire.Limit].
func (c *Codec) Scan(src []byte) ([]Found, error) {
	if c.d.untagged {
		return nil, errors.New("ka: scanning needs the tag of archives: choose ka.magic=observed")
	}
	d := c.d
	d.headerless, d.countStops = false, false
	strict := bind(c.s, d)
	reach := 0 // the position at the end of an attempt; the offset of its fault may be far before
	archive := structure(strict, "ka.Archive", 0,
		func(r *wire.Reader) (a model.Archive) {
			d := decoder{c: strict, r: r}
			if r.Descend("KA-ARC-6") {
				d.archive(&a, nil, false)
			}
			reach = r.Offset()
			return a
		}, nil)
	// attempt decodes an archive. Most are rejected before anything is decoded.
	attempt := func(src []byte) (a model.Archive, n int, ok bool) {
		if strict.fast != nil {
			if reach = strict.fast.Skim(src); reach > 0 {
				return a, 0, false
			}
			if a, n = strict.fast.Decode(src); n > 0 {
				return a, n, true
			}
		}
		a, n, err := archive.DecodePrefix(src)
		return a, n, err == nil
	}
	var out []Found
	wasted := int64(0)
	for at := 0; ; {
		next := bytes.Index(src[at:], []byte(tag))
		if next < 0 {
			if !slices.ContainsFunc(out, func(f Found) bool { return f.Length > emptySize || f.Length == len(src) }) {
				return nil, nil
			}
			return out, nil
		}
		at += next
		if a, n, ok := attempt(src[at:]); ok {
			out = append(out, Found{Offset: at, Length: n, Archive: a})
			at += n
			continue
		}
		wasted += int64(reach)
		if wasted > scanBase+scanWork*int64(len(src)) {
			return out, &wire.Error{
				Type: "ka.Archive", Class: wire.Limit, Offset: at,
				Detail: "too many attempts to decode an archive failed",
			}
		}
		at += len(tag)
	}
}
