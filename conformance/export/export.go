// Package export writes the corpus as plain files for people without Go: the
// verdicts under both base profiles, the derived cases, and what a runner needs to
// judge from them alone. The judge resolves the verdicts.
package export

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/outfile"
	"github.com/formatgauge/formatgauge/internal/version"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// templates holds the files that do not depend on the vectors.
//
//go:embed files
var templates embed.FS

// A File is a file of the export. The name has slashes.
type File struct {
	Name    string
	Content []byte
}

var bases = []ids.Profile{ids.Documented(), ids.Observed()}

// Files returns the export of vectors whose hash is [corpus.Hash], by name: JSON
// files with their schemas, runners, licences and a description.
func Files(vectors []*corpus.Vector, hash string) ([]File, error) {
	m := Manifest{
		Format: FormatName, Number: corpus.Number, Hash: hash, Formatgauge: version.String(), Protocol: adapter.Version,
		Vectors: len(vectors), Derived: map[string]int{},
		Licences: map[string]string{"LICENSE-CC0": "vectors and derived cases", "LICENSE-APACHE": "everything else"},
	}
	for _, p := range bases {
		m.Profiles = append(m.Profiles, p.String())
	}
	exported, err := each(vectors, exportVector)
	if err != nil {
		return nil, err
	}
	derived, _ := each(vectors, func(v *corpus.Vector) (out []Derived, err error) {
		for _, p := range bases {
			recipes, n := recipes(v, p)
			m.Derived[p.String()] += n
			if n == 0 {
				continue
			}
			if len(out) > 0 && reflect.DeepEqual(out[0].Cases, recipes) {
				out[0].Profiles = append(out[0].Profiles, p.String())
				continue
			}
			out = append(out, Derived{v.ID, []string{p.String()}, recipes})
		}
		return out, nil
	})
	flags, clauses := records()
	files, err := fromTemplates()
	if err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name  string
		lines any
	}{{"vectors", exported}, {"derived", derived}, {"flags", flags}, {"clauses", clauses}, {"types", schemas()}} {
		content, err := list(f.name, f.lines)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(content)
		files = append(files, File{f.name + ".json", content})
		m.Files = append(m.Files, FileEntry{f.name + ".json", "schema/" + f.name + ".json", hex.EncodeToString(sum[:])})
	}
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, err
	}
	return sorted(append(files, File{"corpus.json", append(text, '\n')})), nil
}

// schemas describes the trees of all types. It reads all vectors.
var schemas = sync.OnceValue(func() (out []*schema.Type) {
	for _, t := range codec.Types() {
		out = append(out, schema.Of(t))
	}
	return out
})

func each[T, R any](in []T, f func(T) ([]R, error)) (out []R, err error) {
	for _, v := range in {
		r, err := f(v)
		if err != nil {
			return nil, err
		}
		out = append(out, r...)
	}
	return out, nil
}

func sorted(files []File) []File {
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	return files
}

// fromTemplates returns the files that do not depend on the vectors, except those
// of the npm package.
func fromTemplates() ([]File, error) {
	out := []File{{"LICENSE-CC0", corpus.License()}}
	err := fs.WalkDir(templates, "files", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Dir(name) == npmFolder {
			return err
		}
		content, err := templates.ReadFile(name)
		out = append(out, File{strings.TrimPrefix(name, "files/"), content})
		return err
	})
	return out, err
}

// list returns an object with a list of one line per element, and its format.
func list(name string, elements any) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"format\": %q, %q: [", FormatName, name)
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	v := reflect.ValueOf(elements)
	for i := range v.Len() {
		b.WriteString(strings.Repeat(",", min(i, 1)) + "\n")
		if err := e.Encode(v.Index(i).Interface()); err != nil {
			return nil, err
		}
		b.Truncate(b.Len() - 1) // the newline of Encode
	}
	b.WriteString("\n]}\n")
	return b.Bytes(), nil
}

func exportVector(v *corpus.Vector) ([]Vector, error) {
	t, ok := codec.Find(v.Type)
	if !ok {
		return nil, fmt.Errorf("vector %s: unknown type %s", v.ID, v.Type)
	}
	out := Vector{
		ID: v.ID, Type: v.Type, Comment: v.Comment, Clauses: v.Clauses, Flags: v.Flags, Decided: names(v.DecidedIn("")),
		Context: v.Context, Source: v.Source, Verdicts: map[string]Verdict{},
	}
	var err error
	if v.EncodeOnly() {
		out.Tree, err = normal(t, v.Tree)
	} else {
		out.Hex = hexOf(v.Bytes)
	}
	for _, l := range v.Lines {
		out.Spans = append(out.Spans, Span{l.Offset, l.Offset + l.Len, l.Note, l.Mark, l.Width})
	}
	for i := range v.Expect {
		s, failed := section(v, &v.Expect[i], t)
		err = cmp.Or(err, failed)
		out.Sections = append(out.Sections, s)
	}
	if err != nil {
		return nil, fmt.Errorf("vector %s: %w", v.ID, err)
	}
	for _, c := range judge.Cases([]*corpus.Vector{v}, bases, false) {
		if c.Expect == nil {
			continue
		}
		verdict := Verdict{Section: slices.IndexFunc(v.Expect, func(e corpus.Expectation) bool { return e.Profile == c.Expect.Profile }), Basis: v.Basis(c.Profile)}
		for _, choice := range c.Choices {
			verdict.Choices = append(verdict.Choices, choice.By)
			if slices.Index(spec.Opens, choice.Open) > slices.Index(spec.Opens, verdict.Open) {
				verdict.Open = choice.Open
			}
		}
		for _, choice := range c.Writing {
			verdict.Writing = append(verdict.Writing, choice.By)
		}
		out.Verdicts[c.Profile.String()] = verdict
	}
	return []Vector{out}, nil
}

func section(v *corpus.Vector, e *corpus.Expectation, t *codec.Type) (Section, error) {
	s := Section{Profile: e.Profile, Basis: v.SectionBasis(e), Decided: names(v.DecidedIn(e.Profile)), Outcome: e.Outcome}
	if e.Profile != corpus.ExpectAll {
		p, err := ids.ParseProfile(e.Profile)
		if err != nil {
			return s, err
		}
		s.Sides = map[ids.Flag]string{}
		for _, id := range v.Flags {
			if side := p.Side(id); side != "" {
				s.Sides[id] = side
			}
		}
	}
	if e.Outcome == corpus.Accept || e.Outcome == corpus.Noncanonical {
		canonical := e.Outcome == corpus.Accept
		s.Canonical = &canonical
	}
	for _, op := range judge.Operations(v, e) {
		if op == adapter.OpRoundtrip || e.Outcome == corpus.Accept && op == adapter.OpEncode {
			continue // the same bytes as encode; the input
		}
		want := judge.WantOf(e, v.Bytes, op)
		var w Want
		var err error
		switch {
		case want.Reject:
			w.Reject = reject(&want)
		case op == adapter.OpDecode:
			w.Tree, err = normal(t, want.Tree)
		default:
			w.Hex = hexOf(want.Bytes)
		}
		if err != nil {
			return s, err
		}
		if op == adapter.OpDecode {
			s.Decode = &w
		} else {
			s.Encode = &w
		}
	}
	return s, nil
}

func reject(w *judge.Want) *Reject {
	r := &Reject{Classes: []string{}, Acceptable: w.Acceptable()}
	if w.Class != "" {
		r.Classes = strings.Split(w.Class, "|")
	}
	if w.From >= 0 {
		r.From, r.To = &w.From, &w.To
	}
	return r
}

// normal returns the one form of a tree: without repeats, with all fields, with
// the shortest decimal of each float. Only nan without digits is kept, since it
// matches any NaN.
func normal(t *codec.Type, text string) (json.RawMessage, error) {
	n, err := tree.ParseVector(text)
	if err == nil {
		n, err = (*schema.View)(nil).Expected(t, n)
	}
	return n.AppendJSON(nil), err
}

// recipes returns the cases derived from a vector under a profile, and their number.
func recipes(v *corpus.Vector, p ids.Profile) (out []Recipe, n int) {
	cases := judge.Derive(v, p)
	for _, c := range cases {
		want := judge.WantOf(c.Expect, c.Input, adapter.OpDecode)
		r := Recipe{Case: strings.TrimPrefix(c.ID, v.ID+"#"), Rule: c.Rule}
		switch e := c.Edit; {
		case c.Rule == judge.Truncated:
			r.Case, r.Cut = string(c.Rule), [][2]int{{e.At, e.At}}
		case e.At == len(v.Bytes):
			r.Append = hex.EncodeToString(e.Inserted)
		case len(e.Inserted) > 0:
			r.At, r.Hex = &e.At, hex.EncodeToString(e.Inserted)
		}
		if c.Context["order"] != v.Context["order"] {
			r.Context = c.Context
		}
		switch {
		case want.Reject:
			if r.Reject = reject(&want); r.Cut != nil {
				r.Reject.To = nil // the end of each prefix
			}
		case want.Other:
			r.Value = "other"
		default:
			r.Value = "same"
		}
		if i := len(out) - 1; c.Rule == judge.Truncated && i >= 0 && slices.Equal(out[i].Reject.Classes, r.Reject.Classes) {
			last := &out[i].Cut[len(out[i].Cut)-1]
			if last[1]+1 == r.Cut[0][0] {
				last[1]++
			} else {
				out[i].Cut = append(out[i].Cut, r.Cut[0])
			}
			continue
		}
		out = append(out, r)
	}
	return out, len(cases)
}

func records() (flags []Flag, clauses []Clause) {
	for _, f := range spec.Families() {
		for _, c := range f.Clauses {
			clauses = append(clauses, Clause{c.ID, c.Structure, c.Level, c.Basis, c.Text, c.Reason})
		}
		for _, fl := range f.Flags {
			out := Flag{ID: fl.ID, Kind: fl.Kind, Clauses: fl.Clauses, Documented: fl.Documented, Observed: fl.Observed}
			for _, s := range fl.Sides {
				out.Sides = append(out.Sides, Side{s.Name, s.Reading, s.Basis, s.Reason, s.Lenient, s.View})
			}
			if fl.Switchable() {
				out.Profiles = map[string]string{}
				for _, p := range bases {
					out.Profiles[p.String()] = p.Side(fl.ID)
				}
			}
			flags = append(flags, out)
		}
	}
	return flags, clauses
}

func names(deciders []corpus.Decider) (out []string) {
	for _, d := range deciders {
		out = append(out, d.String())
	}
	return out
}

func hexOf(b []byte) *string { s := hex.EncodeToString(b); return &s }

// Inputs returns the inputs of vectors as raw files in bytes/, by id.
func Inputs(vectors []*corpus.Vector) (out []File) {
	for _, v := range vectors {
		if !v.EncodeOnly() {
			out = append(out, File{path.Join("bytes", v.ID), v.Bytes})
		}
	}
	return out
}

// npmFolder contains the templates of the npm package.
const npmFolder = "files/npm"

// release matches a version of the program that is also one of npm.
var release = regexp.MustCompile(`^v(\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?)$`)

// NPM returns the files of an npm package with the given files of an export. Its
// version is that of a released program; otherwise it names the corpus.
func NPM(files []File) ([]File, error) {
	v := npmVersion(version.String())
	out := slices.Clone(files)
	entries, err := templates.ReadDir(npmFolder)
	for _, e := range entries {
		content, failed := templates.ReadFile(path.Join(npmFolder, e.Name()))
		err = cmp.Or(err, failed)
		out = append(out, File{e.Name(), bytes.ReplaceAll(content, []byte("VERSION"), []byte(v))})
	}
	return sorted(out), err
}

func npmVersion(program string) string {
	if m := release.FindStringSubmatch(program); m != nil {
		return m[1]
	}
	return fmt.Sprintf("0.0.0-devel.corpus.%d", corpus.Number)
}

// Dir writes files into a folder that does not exist yet. After an error it does
// not exist either.
func Dir(dir string, files []File) error {
	return outfile.NewDir(dir, func(dir string) error {
		for _, f := range files {
			full := filepath.Join(dir, filepath.FromSlash(f.Name))
			if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(full, f.Content, 0o666); err != nil {
				return err
			}
		}
		return nil
	})
}

// Zip writes a ZIP file. Its bytes depend only on the files: it has no times.
func Zip(name string, files []File) error {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.Create(f.Name)
		if err == nil {
			_, err = w.Write(f.Content)
		}
		if err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return outfile.Write(name, b.Bytes())
}
