package ka

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// Found is an archive inside something larger.
type Found struct {
	Offset, Length int // in bytes
	Archive        model.Archive
}

// ErrFalseStarts says that an input has so much that looks like the beginning
// of an archive, and is none, that [Codec.Scan] has given up.
var ErrFalseStarts = errors.New("ka: too much looks like an archive and is none")

// Scan finds the archives of version 0x0001 and 0x0002 in a larger file, such
// as a scene container, in their order. They do not overlap: an archive inside
// another is part of it.
//
// What is found starts with the tag, ends within src, and keeps every rule of
// the codec's profile, with counts and lengths that are exact under any
// profile. An archive of version 0xff02, four bytes that may be anything, is
// not reported by itself.
//
// The time is linear in the length of src: when failed attempts have read many
// times as much as there is, Scan returns what it has found and an error that
// is [ErrFalseStarts]. Under ka.magic=documented there is no tag to look for,
// which is an error too.
func (c *Codec) Scan(src []byte) ([]Found, error) {
	if c.d.untagged {
		return nil, errors.New("ka: without the tag of ka.magic there is nothing to scan for")
	}
	strict := *c
	strict.d.headerless, strict.d.countStops = false, false
	if strict.d.mismatch == mismatchIgnored {
		strict.d.mismatch = mismatchRefused
	}
	reach := 0 // of the attempt, in bytes
	archive := structure(&strict, "Archive", 0,
		func(r *wire.Reader) (a model.Archive) {
			d := strict.decoder(r)
			if r.Descend(clauseDepth) {
				d.archive(&a, nil, false)
				r.Ascend()
			}
			reach = r.Offset()
			return a
		}, nil)

	var found []Found
	budget := leastBudget + budgetPerByte*len(src)
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte(tag))
		if i < 0 {
			return found, nil
		}
		at += i
		if !begins(src[at:]) {
			at++
			continue
		}
		a, n, err := archive.DecodePrefix(src[at:])
		if err == nil {
			found = append(found, Found{at, n, a})
			at += n
			continue
		}
		if budget -= reach; budget < 0 {
			return found, fmt.Errorf("%w: gave up at byte %d of %d", ErrFalseStarts, at, len(src))
		}
		at++
	}
}

// What failed attempts may read.
const (
	budgetPerByte = 16
	leastBudget   = 1 << 16
)

// begins reports whether the version behind a tag is one that may stand alone.
func begins(b []byte) bool {
	return len(b) >= 4 && b[3] == 0 && (b[2] == 1 || b[2] == 2)
}
