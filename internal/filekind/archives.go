package filekind

import (
	"bytes"

	"github.com/formatgauge/formatgauge/codec/ka"
)

// isCanonical returns whether src, the encoding of a, is in canonical form: yes,
// no, or - for a version without canonical form.
func isCanonical(c *ka.Codec, a ka.Archive, src []byte) string {
	if a.Version != ka.V0x0001 && a.Version != ka.V0x0002 {
		return "-"
	}
	canonical, err := c.Canonical(a, a.Version)
	if err != nil {
		return "no"
	}
	if b, err := c.Archive().Append(nil, canonical); err != nil || !bytes.Equal(b, src) {
		return "no"
	}
	return "yes"
}

// An Archive is a keyed archive in a file.
type Archive struct {
	Offset    int    `json:"offset"`
	Length    int    `json:"length"`
	Version   string `json:"version"`
	Keys      int    `json:"keys"`
	Names     int    `json:"names"`     // fast names
	Canonical string `json:"canonical"` // yes, no, or - for a version without canonical form
}

// Archives lists the archives in a file, up to where the scan had to stop.
func Archives(c *ka.Codec, src []byte) ([]Archive, error) {
	all, stopped := c.Scan(src)
	out := []Archive{}
	for _, f := range all {
		out = append(out, Archive{
			f.Offset, f.Length, f.Archive.Version.String(), len(f.Archive.Children), len(f.Archive.FastNames),
			isCanonical(c, f.Archive, src[f.Offset:f.Offset+f.Length]),
		})
	}
	return out, stopped
}
