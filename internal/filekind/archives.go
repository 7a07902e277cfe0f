package filekind

import (
	"errors"

	"github.com/formatgauge/formatgauge/codec/ka"
)

// IsCanonical returns whether src, the encoding of a, is in canonical form: yes,
// no, or - for a version without canonical form.
func IsCanonical(c *ka.Codec, a ka.Archive, src []byte) (string, error) {
	if a.Version != ka.V0x0001 && a.Version != ka.V0x0002 {
		return "-", nil
	}
	canonical, err := c.Canonical(a, a.Version)
	if _, ok := errors.AsType[*ka.Error](err); ok {
		return "no", nil
	}
	if err != nil {
		return "", err
	}
	b, err := c.Archive().Append(nil, canonical)
	if err != nil || string(b) != string(src) {
		return "no", nil
	}
	return "yes", nil
}
