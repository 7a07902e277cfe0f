// Package corpus contains the vectors. Each vector is a file with annotated
// bytes and the verdict that every conforming implementation gives.
//
// The package parses, checks and selects vectors. It never imports a
// codec: bytes and verdicts are written by hand or come from an independent
// computation. README.md in this
// folder describes the format.
package corpus

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

//go:embed */*/*.txtar
var files embed.FS

//go:embed LICENSE
var license []byte

// License returns the license of the vectors, CC0.
func License() []byte { return license }

// FS returns the vector files, with their paths relative to the corpus.
func FS() fs.FS { return files }

// All returns every vector of the embedded corpus, ordered by id. The vectors
// are shared: callers must not change them.
func All() ([]*Vector, error) { return Of("") }

// Of returns the vectors of the embedded corpus that belong to a family, such as upkg,
// to a structure, such as ubi.Array, or to a type, such as ubi.Array<Vector3>; all of
// them for "". It parses only the folders that contain them. The vectors are shared:
// callers must not change them.
func Of(name string) ([]*Vector, error) {
	structure := spec.StructureOf(name)
	var out []*Vector
	chosen := slices.DeleteFunc(slices.Clone(folders()), func(f folder) bool {
		return name != "" && structure != f.structure && name != spec.FamilyOf(f.structure)
	})
	for _, f := range chosen {
		go f.vectors() // each is parsed once; the next loop waits
	}
	for _, f := range chosen {
		vectors, err := f.vectors()
		if err != nil {
			return nil, err
		}
		out = append(out, vectors...)
	}
	if name != structure {
		out = slices.DeleteFunc(out, func(v *Vector) bool { return v.Type != name })
	}
	return out, nil
}

// Count returns the number of vectors of the embedded corpus.
func Count() (int, error) { return count() }

var count = sync.OnceValues(func() (int, error) {
	names, err := fs.Glob(files, vectorFiles)
	return len(names), err
})

// A folder contains the vectors of one structure.
type folder struct {
	structure string
	vectors   func() ([]*Vector, error)
}

// folders lists the folders of the embedded corpus, in the order of the ids.
var folders = sync.OnceValue(func() []folder {
	names, err := fs.Glob(files, "*/*")
	if err != nil {
		panic(err) // the pattern is invalid
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(a+"/", b+"/") })
	out := make([]folder, len(names))
	for i, name := range names {
		out[i] = folder{structureOf(name + "/"), sync.OnceValues(func() ([]*Vector, error) {
			return loadFiles(files, name+"/*"+vectorSuffix, "")
		})}
	}
	return out
})

// structureOf returns the structure of the folder of an id.
func structureOf(id string) string { return strings.Replace(path.Dir(id), "/", ".", 1) }

// Find returns the vector with the given id.
func Find(id string) (*Vector, bool) {
	structure := structureOf(id)
	at := slices.IndexFunc(folders(), func(f folder) bool { return f.structure == structure })
	if at < 0 {
		return nil, false
	}
	vectors, _ := folders()[at].vectors()
	i, ok := slices.BinarySearchFunc(vectors, id, func(v *Vector, id string) int { return cmp.Compare(v.ID, id) })
	if !ok {
		return nil, false
	}
	return vectors[i], true
}

// Mentioning returns the vectors of a family in the embedded corpus whose files contain a
// text, such as the id of a clause. It parses no others.
func Mentioning(family, text string) ([]*Vector, error) {
	return loadFiles(files, family+"/*/*"+vectorSuffix, text)
}

// Load parses all vectors of a file system laid out as FAMILY/Structure/name.txtar.
// If vectors cannot be parsed, it returns the others and a [*FormError].
func Load(fsys fs.FS) ([]*Vector, error) { return loadFiles(fsys, vectorFiles, "") }

// loadFiles parses the files that contain a text.
func loadFiles(fsys fs.FS, pattern, text string) ([]*Vector, error) {
	names, err := fs.Glob(fsys, pattern)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	out := make([]*Vector, 0, len(names))
	var faults FormError
	for i, name := range names {
		if i > 0 && name == names[i-1] {
			faults.Findings = append(faults.Findings, Finding{name, "the id exists twice: rename one of the vectors"})
			continue
		}
		content, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(content, []byte(text)) {
			continue
		}
		v, err := parse(fsys, strings.TrimSuffix(name, vectorSuffix), content)
		if err != nil {
			what := strings.TrimPrefix(err.Error(), name+": ")
			faults.Findings = append(faults.Findings, Finding{name, what})
			continue
		}
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b *Vector) int { return cmp.Compare(a.ID, b.ID) })
	if len(faults.Findings) > 0 {
		return out, &faults
	}
	return out, nil
}

// A FormError lists the vectors that cannot be parsed.
type FormError struct{ Findings []Finding }

// Error returns the first finding and the number of the others.
func (e *FormError) Error() string {
	s := e.Findings[0].String()
	if n := len(e.Findings) - 1; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	return s
}

// The names of vector files in a corpus.
const (
	vectorSuffix = ".txtar"
	vectorFiles  = "*/*/*" + vectorSuffix
)

// Join returns a file system with the vectors of all parts. [Load] reports a file
// that several parts contain.
func Join(parts ...fs.FS) fs.FS { return joined(parts) }

type joined []fs.FS

// Open opens a file of the first part that has it.
func (j joined) Open(name string) (fs.File, error) {
	for _, part := range j {
		if f, err := part.Open(name); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Glob lists the matches of each part. A file that several parts contain is
// listed as often.
func (j joined) Glob(pattern string) ([]string, error) {
	var out []string
	for _, part := range j {
		names, err := fs.Glob(part, pattern)
		if err != nil {
			return nil, err
		}
		out = append(out, names...)
	}
	return out, nil
}

// A Vector is an input and the verdict on it. It shows one behaviour.
type Vector struct {
	ID      string            // FAMILY/Structure/name, permanent
	Type    string            // such as ubi.Array<Vector3>
	Comment string            // what is shown and why it matters
	Clauses []ids.Clause      // the clauses that it tests
	Flags   []ids.Flag        // every flag that its verdict depends on
	Decided []Decider         // what decides the verdicts; by default, all clauses and the sides of all flags
	Context map[string]string // values that the bytes do not contain: order, version
	Typical bool              // the example of its type
	Source  string            // who worked out the bytes and verdicts, and how
	Bytes   []byte            // the input; nil for an encode-only vector
	Lines   []Line            // the annotations of Bytes
	Tree    string            // JSON of the value to encode; empty unless encode-only
	Expect  []Expectation     // in the order of the file
	// Permitted are answers that are no failure if a choice, or a limit of a reader, decides.
	Permitted []Permitted

	// Records are those to which the ids refer; nil for those of the module.
	Records *spec.Records
}

// Permitted is an answer: a tree if the input of the vector is bytes, otherwise bytes.
type Permitted struct {
	Tree  string // JSON
	Bytes []byte
	Text  string // as the file states it
}

// Under returns copies of vectors whose ids refer to other records, which say who
// demands their verdicts.
func Under(records *spec.Records, vectors []*Vector) []*Vector {
	out := make([]*Vector, len(vectors))
	for i, v := range vectors {
		c := *v
		c.Records = records
		out[i] = &c
	}
	return out
}

// lookup returns the records to which the ids of the vector refer.
func (v *Vector) lookup() *spec.Records { return cmp.Or(v.Records, spec.Embedded()) }

// EncodeOnly reports whether the input of the vector is a tree, not bytes.
func (v *Vector) EncodeOnly() bool { return v.Tree != "" }

// Inputs returns the inputs for a decoder that the vector contains: its bytes, and
// the canonical bytes of its verdicts. Callers must not change them.
func (v *Vector) Inputs() [][]byte {
	var out [][]byte
	if !v.EncodeOnly() {
		out = append(out, v.Bytes)
	}
	for i := range v.Expect {
		if b := v.Expect[i].Canonical; b != nil {
			out = append(out, b)
		}
	}
	return out
}

// Family returns the first part of the id.
func (v *Vector) Family() string { f, _, _ := strings.Cut(v.ID, "/"); return f }

// Structure returns the full name of the documented structure.
func (v *Vector) Structure() string { return spec.StructureOf(v.Type) }

// A Line is one annotated run of bytes.
type Line struct {
	Offset, Len int
	Note        string // the annotation, without its mark
	Mark        Mark   // the kind of the field at the start of the run; empty if it has no mark
	Width       int    // the width of that field in bytes: 1, 2, 4 or 8
}

// A Mark states that a field is a length or a count. The judge derives cases by
// changing marked fields.
type Mark string

const (
	// MarkLen marks the length of the bytes, characters or units that follow.
	MarkLen Mark = "len"
	// MarkCount marks the number of elements that follow.
	MarkCount Mark = "count"
)

// Value returns the number in the marked field of a line. It is read in the byte
// order of the vector: little-endian, or big-endian with the context order=big.
func (v *Vector) Value(l Line) uint64 {
	b := slices.Clone(v.Bytes[l.Offset : l.Offset+l.Width])
	if v.Context["order"] == "big" {
		slices.Reverse(b)
	}
	var eight [8]byte
	copy(eight[:], b)
	return binary.LittleEndian.Uint64(eight[:])
}

// Outcome is the kind of a verdict.
type Outcome string

const (
	// Accept: the bytes decode to the tree, and the tree encodes to the same bytes.
	Accept Outcome = "accept"
	// Noncanonical: the bytes decode to the tree, and the tree encodes to other bytes.
	Noncanonical Outcome = "noncanonical"
	// Reject: the bytes, or the tree of an encode-only vector, are rejected.
	Reject Outcome = "reject"
	// Encodes: the tree of an encode-only vector encodes to the given bytes.
	Encodes Outcome = "encodes"
)

// An Expectation is the verdict of a vector under one profile or under several.
type Expectation struct {
	Profile   string // documented, observed, a list of flag=side, or expect for all other profiles
	Outcome   Outcome
	Tree      string // JSON, for accept and noncanonical
	Class     string // of error, for reject; several separated by "|" if each of them is valid
	From, To  int    // first and last valid offset of the error; From is -1 if every offset is valid
	Canonical []byte // for noncanonical and encodes
	// CanonicalLines are the annotated lines of Canonical.
	CanonicalLines []Line
	// CanonicalClass is set instead of Canonical if the decoded value has no
	// encoding: a writer rejects it with this class, or with one of several
	// separated by "|".
	CanonicalClass string
}

// ExpectAll is the section for every profile that no other section names.
const ExpectAll = "expect"

// Select returns the expectation of the section with the same sides as a profile at the
// flags of the vector, or of the one for all others. It is nil if there is none.
func (v *Vector) Select(p ids.Profile) *Expectation {
	var all *Expectation
	for i := range v.Expect {
		e := &v.Expect[i]
		if e.Profile == ExpectAll {
			all = e
			continue
		}
		if q, err := ids.ParseProfile(e.Profile); err == nil && v.agree(p, q) {
			return e
		}
	}
	return all
}

// agree reports whether two profiles take the same side at each flag that the
// vector depends on.
func (v *Vector) agree(p, q ids.Profile) bool {
	for _, id := range v.Flags {
		if f, ok := v.lookup().Flag(id); ok && f.Switchable() && p.Side(id) != q.Side(id) {
			return false
		}
	}
	return true
}

// Short describes an expectation in one line.
func (e *Expectation) Short() string {
	switch e.Outcome {
	case Reject:
		if e.From < 0 {
			return "reject " + e.Class
		}
		if e.From != e.To {
			return fmt.Sprintf("reject %s @%d-%d", e.Class, e.From, e.To)
		}
		return fmt.Sprintf("reject %s @%d", e.Class, e.From)
	case Noncanonical:
		if e.CanonicalClass != "" {
			return "noncanonical, encoding rejected with " + e.CanonicalClass
		}
	}
	return string(e.Outcome)
}

// Under names the profiles of a section for people.
func (v *Vector) Under(e *Expectation) string {
	if e.Profile == ExpectAll && len(v.Expect) > 1 {
		return "every other profile"
	} else if e.Profile == ExpectAll {
		return "every profile"
	}
	p := v.ProfileOf(e)
	sides := v.sides(p)
	all := "every profile with " + strings.Join(sides, " and ")
	if len(sides) > 2 { // too many to name
		all = "every profile with the same side at each flag of the vector"
	}
	var names []string
	for _, base := range []ids.Profile{ids.Documented(), ids.Observed()} {
		if v.Select(base) == e {
			names = append(names, base.String())
		}
	}
	switch {
	case len(names) == 0 && len(sides) <= 2:
		return all
	case len(names) == 0:
		return p.Base() + " with " + strings.TrimPrefix(e.Profile, p.Base()+",")
	case len(sides) == 0:
		return strings.Join(names, " and ")
	}
	return strings.Join(names, " and ") + " (" + all + ")"
}

// sides lists the sides that a profile takes at the flags of a vector, as flag=side.
func (v *Vector) sides(p ids.Profile) (out []string) {
	for _, id := range v.Flags {
		if side := p.Side(id); side != "" {
			out = append(out, string(id)+"="+side)
		}
	}
	return out
}

// Unjudged returns the sides for which a vector states no verdict, so that it is not judged
// under a profile. It is empty if the vector is.
func (v *Vector) Unjudged(p ids.Profile) string {
	if v.Select(p) != nil {
		return ""
	}
	all := v.sides(p)
	others := slices.DeleteFunc(slices.Clone(all), func(side string) bool {
		return slices.ContainsFunc(v.Expect, func(e Expectation) bool {
			q, err := ids.ParseProfile(e.Profile)
			return err == nil && slices.Contains(v.sides(q), side)
		})
	})
	if len(others) == 0 { // sections take each of them, but not all together
		others = all
	}
	return strings.Join(others, " and ")
}

// Text describes an expectation in words.
func (e *Expectation) Text() string {
	class := strings.ReplaceAll(cmp.Or(e.Class, e.CanonicalClass), "|", " or ")
	switch {
	case e.Outcome == Noncanonical && class != "":
		return "noncanonical: accepted, but a writer rejects the value as " + class
	case e.Outcome == Noncanonical:
		return "noncanonical: accepted, but written as other bytes"
	case e.Outcome != Reject:
		return string(e.Outcome)
	case e.From < 0:
		return "reject as " + class
	case e.From != e.To:
		return fmt.Sprintf("reject as %s, at any offset from %s to %s", class, offset(e.From), offset(e.To))
	}
	return fmt.Sprintf("reject as %s, at offset %s", class, offset(e.From))
}

// offset returns an offset in decimal, as errors have it, and in hexadecimal, as rows of bytes do.
func offset(n int) string {
	if n < 10 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d (%#x)", n, n)
}

// Admits reports whether a class of error is one of the expected classes, which
// are separated by "|". If none is expected, each is valid.
func Admits(expected, class string) bool {
	return expected == "" || slices.Contains(strings.Split(expected, "|"), class)
}

// PathOf returns the path of the file of a vector, relative to the corpus.
func PathOf(id string) string { return path.Clean(id) + vectorSuffix }
