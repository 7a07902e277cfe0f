package corpus

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/internal/outfile"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Index is the JSON form of the whole corpus, for people without Go.
type Index struct {
	Format  string        `json:"format"` // "formatgauge-corpus-1"
	Vectors []IndexVector `json:"vectors"`
}

// IndexVector is a vector in the index.
type IndexVector struct {
	ID      string            `json:"id"`
	Type    string            `json:"type"`
	Comment string            `json:"comment"`
	Clauses []ids.Clause      `json:"clauses"`
	Flags   []ids.Flag        `json:"flags,omitempty"`
	Decided []string          `json:"decided,omitempty"` // clauses, or flag=side; for verdicts without their own
	Context map[string]string `json:"context,omitempty"`
	Source  string            `json:"source"`
	Hex     *string           `json:"hex,omitempty"`  // the input
	File    string            `json:"file,omitempty"` // the path of the input as a raw file, relative to the index
	Tree    json.RawMessage   `json:"tree,omitempty"` // the value to encode, if there is no input in bytes
	Expect  []IndexVerdict    `json:"expect"`
}

// IndexVerdict is an expectation in the index.
type IndexVerdict struct {
	Profile        string          `json:"profile"`
	Basis          spec.Basis      `json:"basis"` // who demands the verdict; see [Vector.Basis]
	Decided        []string        `json:"decided,omitempty"`
	Outcome        Outcome         `json:"outcome"`
	Tree           json.RawMessage `json:"tree,omitempty"`
	Class          string          `json:"class,omitempty"` // several separated by "|" if each is valid
	From           *int            `json:"from,omitempty"`  // first and last valid offset of the error
	To             *int            `json:"to,omitempty"`
	Canonical      *string         `json:"canonical,omitempty"` // in hex
	CanonicalClass string          `json:"canonicalClass,omitempty"`
}

// FormatName identifies the form of the index.
const FormatName = "formatgauge-corpus-1"

// Export writes the vectors into a folder: index.json; bytes/ with each input
// as a raw file; seeds/ with the same inputs, one flat folder per type, for
// libFuzzer and AFL++; gofuzz/ with the same inputs in the form of Go's fuzzing.
//
// The folder must not exist. After an error it does not exist either.
func Export(dir string, vectors []*Vector) error {
	return outfile.NewDir(dir, func(dir string) error { return export(dir, vectors) })
}

func export(dir string, vectors []*Vector) error {
	index := Index{Format: FormatName}
	for _, v := range vectors {
		iv := indexVector(v)
		if !v.EncodeOnly() {
			iv.File = path.Join("bytes", v.ID)
			flat := strings.ReplaceAll(v.ID, "/", "-")
			corpusFile := "go test fuzz v1\n[]byte(" + strconv.Quote(string(v.Bytes)) + ")\n"
			for name, content := range map[string][]byte{
				iv.File: v.Bytes,
				path.Join("seeds", FolderOf(v.Type), flat):      v.Bytes,
				path.Join("gofuzz", FuzzTargetOf(v.Type), flat): []byte(corpusFile),
			} {
				if err := write(dir, name, content); err != nil {
					return err
				}
			}
		}
		index.Vectors = append(index.Vectors, iv)
	}
	text, err := json.MarshalIndent(index, "", " ")
	if err != nil {
		return err
	}
	return write(dir, "index.json", append(text, '\n'))
}

func indexVector(v *Vector) IndexVector {
	iv := IndexVector{
		ID: v.ID, Type: v.Type, Comment: v.Comment, Clauses: v.Clauses, Flags: v.Flags,
		Context: v.Context, Source: v.Source,
	}
	if v.EncodeOnly() {
		iv.Tree = json.RawMessage(v.Tree)
	} else {
		iv.Hex = hexOf(v.Bytes)
	}
	iv.Decided = names(v.decidedIn(""))
	for i := range v.Expect {
		e := &v.Expect[i]
		ie := IndexVerdict{Profile: e.Profile, Basis: v.SectionBasis(e), Decided: names(v.decidedIn(e.Profile)), Outcome: e.Outcome, Class: e.Class, CanonicalClass: e.CanonicalClass}
		if e.Tree != "" {
			ie.Tree = json.RawMessage(e.Tree)
		}
		if e.Outcome == Reject && e.From >= 0 {
			ie.From, ie.To = &e.From, &e.To
		}
		if e.Canonical != nil {
			ie.Canonical = hexOf(e.Canonical)
		}
		iv.Expect = append(iv.Expect, ie)
	}
	return iv
}

func names(deciders []Decider) (out []string) {
	for _, d := range deciders {
		out = append(out, d.String())
	}
	return out
}

// SectionBasis returns the basis of a section: under its profile, and of
// [ExpectAll] under observed if it applies there, otherwise under documented.
func (v *Vector) SectionBasis(e *Expectation) spec.Basis {
	p := ids.Observed()
	switch {
	case e.Profile != ExpectAll:
		p, _ = ids.ParseProfile(e.Profile) // the section has been parsed
	case v.Select(p) != e:
		p = ids.Documented()
	}
	return v.Basis(p)
}

func hexOf(b []byte) *string { s := hex.EncodeToString(b); return &s }

func write(dir, name string, content []byte) error {
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		return err
	}
	return os.WriteFile(full, content, 0o666)
}

// FolderOf returns the name of the folder of a type. That of ubi.Array<Vector3>
// is ubi.Array-Vector3.
func FolderOf(typ string) string {
	return strings.TrimRight(strings.NewReplacer("<", "-", ">", "", ",", "-").Replace(typ), "-")
}

// FuzzTargetOf returns the name of the fuzz target of a type. That of
// ubi.Array<Vector3> is FuzzUbiArrayVector3.
func FuzzTargetOf(typ string) string {
	var b strings.Builder
	b.WriteString("Fuzz")
	for part := range strings.FieldsFuncSeq(typ, func(r rune) bool { return strings.ContainsRune(".<>,", r) }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
