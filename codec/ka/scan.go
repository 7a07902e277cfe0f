package ka

import (
	"bytes"
	"errors"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// Found is an archive inside a larger file.
type Found struct {
	Offset  int // of the tag, in bytes
	Length  int // in bytes
	Archive model.Archive
}

// scanWork bounds what false starts may cost: so many bytes read in vain for
// each byte of the file, and some to begin with.
const (
	scanWork = 64
	scanBase = 1 << 20
)

// Scan finds the archives that a file consists of or contains, such as the
// archives of a scene container: every place with the tag "KA" from which a
// whole archive reads, but for those inside another. Bytes between archives
// are passed over. It needs a profile with the tag, as the observed one has.
//
// Every archive has its header here, and as many pairs as its count says, also
// under ka.magic=headerless and ka.count-past-end=stop: otherwise anything
// would be one.
//
// The time is linear in the length of src. A file made to defeat that is
// given up with an error of class [wire.Limit], and what was found before it.
func (c *Codec) Scan(src []byte) ([]Found, error) {
	if c.d.untagged {
		return nil, errors.New("ka: archives without a tag cannot be looked for: choose ka.magic=observed")
	}
	strict := *c
	strict.d.headerless, strict.d.countStops = false, false
	reach := 0 // how far an attempt has read; its fault may lie far before
	archive := structure(&strict, "Archive", 0,
		func(r *wire.Reader) (a model.Archive) {
			d := strict.decoder(r)
			if r.Descend(clauseDepth) {
				d.archive(&a, nil, false)
			}
			reach = r.Offset()
			return a
		}, nil)
	var out []Found
	vain := 0
	for at := 0; ; {
		next := bytes.Index(src[at:], []byte(tag))
		if next < 0 {
			return out, nil
		}
		at += next
		a, n, err := archive.DecodePrefix(src[at:])
		if err == nil {
			out = append(out, Found{Offset: at, Length: n, Archive: a})
			at += n
			continue
		}
		vain += reach
		if vain > scanBase+scanWork*len(src) {
			return out, &wire.Error{
				Type: "ka.Archive", Class: wire.Limit, Offset: at,
				Detail: "too much looks like the beginning of an archive and is none",
			}
		}
		at += len(tag)
	}
}
