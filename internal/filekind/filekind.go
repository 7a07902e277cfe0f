// Package filekind says what a file is from a few of its bytes: one of the formats that
// the codecs read, or something else. It also knows of files with keyed archives what is
// beyond the archives.
package filekind

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
)

// Group says what can be done with a file.
type Group string

const (
	// Whole: the file is one value of a type, or begins like one.
	Whole Group = "whole"
	// Header: only the first bytes are a value of a type.
	Header Group = "header"
	// Holder: keyed archives are in the file.
	Holder Group = "holder"
	// Unsupported: no type reads the file, but other files of its engine or game.
	Unsupported Group = "unsupported"
	// LFS: the file stands for another one, which is not here.
	LFS Group = "lfs"
	// Foreign: something else.
	Foreign Group = "foreign"
	// Unknown: nothing is known.
	Unknown Group = "unknown"
)

// A Kind is what a file is.
type Kind struct {
	Group Group
	Type  string // the type that reads it, if the group is Whole or Header
	Name  string // with an article, such as "a PNG picture"
}

// Of says what a file is. It reads the beginning and the end.
func Of(r io.ReaderAt, size int64) (Kind, error) {
	const enough = 4096
	head, err := readAt(r, 0, min(size, enough))
	if err != nil {
		return Kind{}, err
	}
	from := max(0, size-enough)
	tail, err := readAt(r, from, size-from)
	if err != nil {
		return Kind{}, err
	}
	k := cmp.Or(Packed(tail), ours(head), listed(head, tail))
	switch {
	case k != Kind{}:
		return k, nil
	case size == 0:
		return Kind{Foreign, "", "an empty file"}, nil
	case size >= 4 && isText(head): // fewer bytes can be the beginning of any file
		return Kind{Foreign, "", "plain text"}, nil
	}
	return Kind{Unknown, "", fmt.Sprintf("an unknown file that begins with % x", head[:min(len(head), 8)])}, nil
}

// Hint says what src is if no type reads it whole. It is empty if one does, and for
// unknown bytes.
func Hint(src []byte) string {
	k, _ := Of(bytes.NewReader(src), int64(len(src))) // memory can be read
	if len(src) == 0 || k.Group == Whole || k.Group == Unknown {
		return ""
	}
	return "the file is " + k.Name
}

func readAt(r io.ReaderAt, at, n int64) ([]byte, error) {
	b := make([]byte, n)
	got, err := r.ReadAt(b, at)
	if errors.Is(err, io.EOF) { // the file has become shorter
		err = nil
	}
	return b[:got], err
}

// A dvpl is the footer of a DVPL file, which follows its data: four uint32 and the letters
// DVPL.
type dvpl struct{ Unpacked, Size, CRC, Compression uint32 }

const (
	dvplSize        = 20
	lastCompression = 3 // none, two forms of LZ4, deflate
)

// footer returns the footer of a DVPL file. Its size and its sum can be wrong.
func footer(tail []byte) (f dvpl, ok bool) {
	at := len(tail) - dvplSize
	if at < 0 || string(tail[at+16:]) != "DVPL" {
		return f, false
	}
	_, _ = binary.Decode(tail[at:], binary.LittleEndian, &f)
	return f, f.Compression <= lastCompression
}

// Packed recognises a DVPL file by its end. The kind of other files is empty.
func Packed(tail []byte) Kind {
	switch f, ok := footer(tail); {
	case !ok:
		return Kind{}
	case f.Compression == 0:
		return Kind{Holder, "", "packed without compression (DVPL); unpack it to read it as a whole"}
	}
	return Kind{Unsupported, "", "compressed (DVPL); unpack it first"}
}

// FooterInconsistencies returns what is wrong in the footer of a DVPL file. It reads all bytes.
func FooterInconsistencies(r io.ReaderAt, size int64) (out []wire.Inconsistency, err error) {
	tail, err := readAt(r, max(0, size-dvplSize), min(size, dvplSize))
	f, ok := footer(tail)
	if err != nil || !ok {
		return nil, err
	}
	wrong := func(field, format string, args ...any) {
		out = append(out, wire.Inconsistency{Path: "footer." + field, Detail: fmt.Sprintf(format, args...)})
	}
	size -= dvplSize
	if f.Compression == 0 && int64(f.Unpacked) != size {
		wrong("unpackedSize", "expected %d, the size of the data, which are not compressed, found %d", size, f.Unpacked)
	}
	if int64(f.Size) != size {
		wrong("size", "expected %d, the number of bytes before the footer, found %d", size, f.Size)
	}
	sum := crc32.NewIEEE()
	_, err = io.Copy(sum, io.NewSectionReader(r, 0, size))
	if sum.Sum32() != f.CRC {
		wrong("crc", "expected %08x, the CRC-32 of the data, found %08x", sum.Sum32(), f.CRC)
	}
	return out, err
}

// ours recognises the files of the types.
func ours(head []byte) Kind {
	tag := uint32(0)
	if len(head) >= 4 {
		tag = binary.LittleEndian.Uint32(head)
	}
	switch {
	// A text can begin with the two letters, an archive has a version after them.
	case bytes.HasPrefix(head, []byte("KA")) && (len(head) == 2 || head[2] < ' '):
		return Kind{Whole, "ka.Archive", "a keyed archive"}
	case bytes.HasPrefix(head, []byte("ubi/b")):
		return Kind{Header, "ubi.FileMagic", "a file of Myst IV"}
	case tag == upkg.TripwireSignature:
		return Kind{Whole, "upkg.Package", "a package of Red Orchestra or Killing Floor"}
	case tag != upkg.Signature:
		return Kind{}
	case len(head) < 8:
		return Kind{Whole, "upkg.Package", "an Unreal package that ends after its tag"}
	}
	// Later engines store a small negative number where earlier ones store version and
	// licensee, each of 16 bits.
	const (
		compactIndices        = 178 // the last version with them
		chunkSize             = 0x20000
		firstCache, lastCache = 3, 13
	)
	v := binary.LittleEndian.Uint32(head[4:])
	switch {
	case v == chunkSize || v == 0 && len(head) >= 16 && binary.LittleEndian.Uint64(head[8:]) == chunkSize:
		return Kind{Unsupported, "", "compressed data of Unreal Engine 3 or later; unpack it first"}
	case v >= firstCache && v <= lastCache:
		return Kind{Unsupported, "", fmt.Sprintf("a cache of the asset registry of Unreal Engine 4, version %d", v)}
	case int32(v) < 0 && v&0xFFFF > compactIndices:
		return Kind{Whole, "uasset.Package", fmt.Sprintf("a package of Unreal Engine 4 or 5, file version %d", int32(v))}
	case v&0xFFFF > compactIndices: // those of Splinter Cell, Unreal Engine 2, reach 466
		return Kind{Unsupported, "", fmt.Sprintf("possibly a package of Unreal Engine 3, or of a later Unreal Engine 2, version %d",
			v&0xFFFF)}
	}
	return Kind{Whole, "upkg.Package", fmt.Sprintf("a package of Unreal Engine 1 or 2, version %d", v&0xFFFF)}
}

// A mark is bytes at an offset that tell a kind.
type mark struct {
	At    int // below 0: from the end
	Bytes string
	Kind  Kind
}

//go:embed kinds.txt
var kindsText string

// marks parses the lines of kinds.txt. A test reads each.
var marks = sync.OnceValue(func() (out []mark) {
	for line := range strings.Lines(kindsText) {
		at, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			continue // a comment
		}
		group, name, _ := strings.Cut(strings.TrimSpace(rest[len(quoted):]), " ")
		m := mark{Kind: Kind{Group: Group(group), Name: name}}
		m.At, _ = strconv.Atoi(at)
		m.Bytes, _ = strconv.Unquote(quoted)
		out = append(out, m)
	}
	return out
})

func listed(head, tail []byte) Kind {
	for _, m := range marks() {
		b, at := head, m.At
		if at < 0 {
			b, at = tail, len(tail)+at
		}
		if at >= 0 && at <= len(b) && bytes.HasPrefix(b[at:], []byte(m.Bytes)) {
			return m.Kind
		}
	}
	return Kind{}
}

// isText reports whether b is the beginning of a text, in UTF-8 or in an extension of
// ASCII.
func isText(b []byte) bool {
	high := 0
	for _, c := range b {
		if c < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", rune(c)) || c == 0x7F {
			return false
		}
		if c >= utf8.RuneSelf {
			high++
		}
	}
	for cut := 0; cut < utf8.UTFMax && cut < len(b); cut++ { // the last character can be cut
		if utf8.Valid(b[:len(b)-cut]) {
			return true
		}
	}
	return 4*high <= len(b)
}
