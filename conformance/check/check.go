// Package check says of every file in folders what it is, and whether it is sound: the
// reference reads it and writes the same bytes back. It prints nothing.
package check

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/ubi"
	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/diff"
	"github.com/formatgauge/formatgauge/internal/filekind"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Outcome is the result of one file. The set is closed.
type Outcome string

const (
	// Sound: the file is accepted, and written back as the same bytes.
	Sound Outcome = "sound"
	// Partial: this holds for the part that is read: the first bytes, or the archives.
	Partial Outcome = "partial"
	// Inconsistent: the file is accepted and written back, but parts of it do not fit together.
	Inconsistent Outcome = "inconsistent"
	// Invalid: the file begins like one of a type, and is rejected.
	Invalid Outcome = "invalid"
	// Rewritten: the file is accepted, and written back as other bytes.
	Rewritten Outcome = "rewritten"
	// Differs: an adapter gives another answer than the reference.
	Differs Outcome = "differs"
	// Unsupported: no type reads the file, but other files of its engine or game.
	Unsupported Outcome = "unsupported"
	// LFS: the file is a pointer of Git LFS, not the file itself.
	LFS Outcome = "lfs"
	// Foreign: the file is something else.
	Foreign Outcome = "foreign"
	// Unknown: nothing is known of the file.
	Unknown Outcome = "unknown"
	// Skipped: it is no file, or a link that is not followed.
	Skipped Outcome = "skipped"
	// Unreadable: the file or folder cannot be read, or it is too long.
	Unreadable Outcome = "unreadable"
)

// Outcomes lists all outcomes in the order of a summary.
func Outcomes() []Outcome {
	return []Outcome{
		Sound, Partial, Inconsistent, Invalid, Rewritten, Differs, LFS, Unsupported, Foreign, Unknown, Skipped,
		Unreadable,
	}
}

// Change says how a file differs from a [Baseline].
type Change string

// The changes.
const (
	New     Change = "new"
	Gone    Change = "gone"
	Changed Change = "changed"
)

// A File is the result of one file, and a line of the JSON form.
type File struct {
	Kind    string  `json:"kind"` // file
	Path    string  `json:"path"` // with slashes
	Size    int64   `json:"size"`
	SHA256  string  `json:"sha256,omitempty"`
	Outcome Outcome `json:"outcome"`
	What    string  `json:"what,omitempty"` // what the file is
	Type    string  `json:"type,omitempty"` // the type as which it was read
	// Archives is the number of keyed archives in a file that holds some.
	Archives int    `json:"archives,omitempty"`
	Detail   string `json:"detail,omitempty"`
	// Inconsistencies are what does not fit together, at most [MaxInconsistencies].
	Inconsistencies []wire.Inconsistency `json:"inconsistencies,omitempty"`
	// Class and Offset of the rejection, if the reference rejects the file.
	Class    wire.Class `json:"class,omitempty"`
	Offset   *int       `json:"offset,omitempty"`
	Compared bool       `json:"compared,omitempty"`
	Change   Change     `json:"change,omitempty"`
	Was      Outcome    `json:"was,omitempty"` // in the baseline, if the file has changed
}

// MaxInconsistencies bounds the inconsistencies that are kept of a file.
const MaxInconsistencies = 1000

// Options say how files are checked.
type Options struct {
	Profile  ids.Profile
	MaxInput int64 // in bytes; files of a type that are longer are not read
	Jobs     int   // files that are read at the same time; 0 means 1
	Hash     bool  // compute SHA256
	// Except is a file that is not checked; nil for none.
	Except fs.FileInfo
	// Reader, if not nil, is compared with Reference.
	Reader, Reference adapter.Implementation
}

// checker checks one file at a time.
type checker struct {
	opts     Options
	ka       *ka.Codec
	codecs   map[string]codec.Codec
	comparer *diff.Comparer // nil without an adapter
}

func newChecker(ctx context.Context, opts Options, reader adapter.Implementation) (*checker, error) {
	c := &checker{opts: opts, ka: ka.New(ka.Settings{Profile: opts.Profile}), codecs: map[string]codec.Codec{}}
	for _, name := range []string{"ka.Archive", "upkg.Package", "uasset.Package", "ubi.FileMagic"} {
		t, _ := codec.Find(name)
		var err error
		if c.codecs[name], err = t.Bind(wire.Settings{Profile: opts.Profile}, nil); err != nil {
			return nil, err
		}
	}
	var err error
	if reader != nil {
		c.comparer, err = diff.NewComparer(ctx, opts.Reference, reader)
	}
	return c, err
}

// check checks a file. An error ends the run.
func (c *checker) check(ctx context.Context, path string, out File) (File, error) {
	type result struct {
		file   File
		src    []byte
		header bool
	}
	read := make(chan result, 1)
	go func() {
		out, src, header := c.read(path, out)
		read <- result{out, src, header}
	}()
	var r result
	select {
	case r = <-read:
	case <-ctx.Done(): // a file may never end, or never begin
		return out, context.Cause(ctx)
	}
	out = r.file
	var err error
	switch {
	case r.src == nil:
	case out.Type == "":
		err = c.archives(ctx, &out, r.src)
	default:
		out.Outcome = Sound
		if r.header {
			out.Outcome, out.Detail = Partial, "only the first 8 bytes are read"
		}
		err = c.verify(ctx, &out, out.Type, r.src)
	}
	if len(out.Inconsistencies) > 0 && (out.Outcome == Partial || out.Outcome == Unsupported) {
		out.Outcome = Inconsistent
	}
	return out, err
}

// read says what a file is and returns the bytes that are to be verified; nil for none.
func (c *checker) read(path string, out File) (_ File, src []byte, header bool) {
	f, err := os.Open(path)
	if err != nil {
		return out.unreadable(err), nil, false
	}
	defer f.Close()
	k, err := filekind.Of(f, out.Size)
	if err != nil {
		return out.unreadable(err), nil, false
	}
	if name, ok := bulkOf(path); ok && k.Group != filekind.LFS {
		k = filekind.Kind{Group: filekind.Unsupported, Name: "bulk data of the package " + name}
	}
	out.Outcome, out.What, out.Type = Outcome(k.Group), k.Name, k.Type
	if out.Inconsistencies, err = filekind.FooterInconsistencies(f, out.Size); err != nil {
		return out.unreadable(err), nil, false
	}
	whole := k.Group == filekind.Whole || k.Group == filekind.Holder
	length := out.Size
	switch {
	case whole && length > c.opts.MaxInput:
		return out.unreadable(fmt.Errorf("%d bytes, which is more than --max-input", length)), nil, false
	case k.Group == filekind.Header:
		length = min(length, int64(len(ubi.MagicLittle)))
	case !whole:
		length = 0
	}
	src = make([]byte, length)
	n, err := io.ReadFull(f, src)
	// The file can have become shorter.
	if src = src[:n]; err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return out.unreadable(err), nil, false
	}
	if c.opts.Hash {
		h := sha256.New()
		h.Write(src)
		rest, err := io.Copy(h, f)
		if err != nil {
			return out.unreadable(err), nil, false
		}
		out.Size, out.SHA256 = int64(n)+rest, hex.EncodeToString(h.Sum(nil))
	}
	if header = k.Group == filekind.Header; !whole && !header {
		src = nil
	}
	return out, src, header
}

// bulkOf returns the name of the package beside a file whose name says that it contains
// the bulk data of the package: such data begin with anything.
func bulkOf(name string) (string, bool) {
	ext := filepath.Ext(name)
	if !strings.EqualFold(ext, ".ubulk") {
		return "", false
	}
	pkg := strings.TrimSuffix(name, ext) + ".uasset"
	_, err := os.Stat(pkg)
	return filepath.Base(pkg), err == nil
}

// archives verifies the keyed archives in a file.
func (c *checker) archives(ctx context.Context, out *File, src []byte) error {
	found, err := c.ka.Scan(src)
	out.Outcome, out.Archives = Partial, len(found)
	out.Detail = fmt.Sprintf("keyed archives inside: %d", len(found))
	if err != nil {
		out.Detail += "; " + err.Error()
	}
	compared := true
	for _, a := range found {
		if err := c.verify(ctx, out, "ka.Archive", src[a.Offset:a.Offset+a.Length]); err != nil {
			return err
		}
		compared = compared && out.Compared
		out.Compared = compared
		if out.Outcome != Partial {
			out.Detail = fmt.Sprintf("the archive at byte %d: %s", a.Offset, out.Detail)
			return nil
		}
	}
	return nil
}

// verify reads and writes src. It changes the outcome if something is wrong.
func (c *checker) verify(ctx context.Context, out *File, typ string, src []byte) error {
	v, err := c.codecs[typ].Decode(src)
	switch fault, ok := errors.AsType[*wire.Error](err); {
	case ok:
		out.Outcome, out.Detail, out.Class, out.Offset = Invalid, err.Error(), fault.Class, &fault.Offset
		// The versions of archives are known; of packages there are others.
		if fault.Class == wire.Unsupported || fault.Class == wire.Version && typ != "ka.Archive" {
			out.Outcome, out.Detail = Unsupported, fault.Detail
			if why, rest, ok := strings.Cut(fault.Detail, " (a "); ok {
				what, rest, _ := strings.Cut(rest, ")")
				out.What, out.Detail = "a "+what, why+rest
			}
		}
	case err != nil:
		return err
	default:
		b, err := c.codecs[typ].Append(nil, v)
		if err != nil {
			out.Outcome, out.Detail = Rewritten, "it cannot be written: "+err.Error()
		} else if !bytes.Equal(b, src) {
			out.Outcome, out.Detail = Rewritten, fmt.Sprintf("%d bytes become %d other ones", len(src), len(b))
		} else {
			out.fit(v, len(src))
		}
	}
	if c.comparer == nil {
		return nil
	}
	t, _ := codec.Find(typ)
	difference, compared, err := c.comparer.Compare(ctx, t, src)
	out.Compared = compared
	if difference != "" {
		out.Outcome, out.Detail = Differs, difference
	}
	return err
}

// fit says which release of the engine a package is of, and whether its parts fit
// together. size is that of the file.
func (f *File) fit(v any, size int) {
	var all iter.Seq[wire.Inconsistency]
	switch p := v.(type) {
	case upkg.Package:
		all = upkg.Inconsistencies(&p, size)
	case uasset.Package:
		f.What = "a package of Unreal Engine " + p.Engine()
		all = uasset.Inconsistencies(&p)
	default:
		return
	}
	for i := range all {
		f.Outcome = Inconsistent
		if len(f.Inconsistencies) == MaxInconsistencies {
			f.Detail = fmt.Sprintf("more than %d inconsistencies, of which these are the first", MaxInconsistencies)
			return
		}
		f.Inconsistencies = append(f.Inconsistencies, i)
	}
}

// unreadable returns the result of a file that cannot be read.
func (f File) unreadable(err error) File {
	if at, ok := errors.AsType[*os.PathError](err); ok {
		err = at.Err
	}
	f.Outcome, f.Detail = Unreadable, err.Error()
	return f
}
