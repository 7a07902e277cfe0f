// Package kafile contains what is known of files with keyed archives beyond the
// archives themselves.
package kafile

import (
	"encoding/binary"
	"errors"

	"github.com/formatgauge/formatgauge/codec/ka"
)

// Stored is the compression type of a DVPL file whose data are not compressed.
const Stored = 0

// Packing returns the compression type of a DVPL file. Its data are followed by a
// footer of 20 bytes: the size of the data when unpacked, the size of the data, their
// CRC-32 and the compression type, each a uint32, and the letters DVPL.
func Packing(src []byte) (how uint32, ok bool) {
	data := len(src) - 20
	if data < 0 || string(src[data+16:]) != "DVPL" || uint64(binary.LittleEndian.Uint32(src[data+4:])) != uint64(data) {
		return 0, false
	}
	return binary.LittleEndian.Uint32(src[data+12:]), true
}

// Packed says what to do with a DVPL file.
func Packed(how uint32) string {
	if how == Stored {
		return "the file is packed without compression (DVPL); unpack it first"
	}
	return "the file is compressed (DVPL); unpack it first"
}

// IsCanonical returns whether src, the encoding of a, is in canonical form: yes,
// no, or - for a version without canonical form.
func IsCanonical(c *ka.Codec, a ka.Archive, src []byte) (string, error) {
	if a.Version != ka.V0x0001 && a.Version != ka.V0x0002 {
		return "-", nil
	}
	var rejected *ka.Error
	canonical, err := c.Canonical(a, a.Version)
	if errors.As(err, &rejected) {
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
