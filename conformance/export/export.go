// Package export writes the corpus as data for other programs: a JSON file for each
// type, with the answers that are permitted under both base profiles, tables of the
// same, and loaders that make tests of them. The judge resolves the verdicts.
//
// The verdicts exist once in Go, in package judge. A file of data lists the permitted
// answers, of which the first that fits gives the result, so that a loader needs no
// rules of its own. A test compares the results of loaders with those of the judge,
// for right and for wrong readers. The folder corpus/json is not embedded: the command
// computes it.
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
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

// templates holds the files that do not depend on the vectors: files of an edition, and
// the harnesses of a kit. Files of Go have the ending .txt there, so that they are no part
// of this module.
//
//go:embed files kit
var templates embed.FS

// A File is a file of the export. The name has slashes.
type File struct {
	Name    string
	Content []byte
}

var bases = []ids.Profile{ids.Documented(), ids.Observed()}

// JSON returns vectors whose hash is [corpus.Hash] as data, by name: a file for each
// type, an index, and the schemas.
func JSON(vectors []*corpus.Vector, hash string) ([]File, error) {
	types, err := TypeFiles(vectors)
	if err != nil {
		return nil, err
	}
	return asJSON(types, hash), nil
}

func asJSON(types []*TypeFile, hash string) []File {
	out := fromTemplates("files/schema")
	index := Index{Format: Format, Edition: corpus.Number, Hash: hash}
	for _, t := range types {
		content := lines(t, t.Vectors)
		sum := sha256.Sum256(content)
		name := corpus.FolderOf(t.Type) + ".json"
		index.Types = append(index.Types, IndexEntry{t.Type, name, len(t.Vectors), len(content), hex.EncodeToString(sum[:])})
		out = append(out, File{name, content})
	}
	return sorted(append(out, File{indexFile, lines(index, index.Types)}))
}

// Files returns an edition of the corpus: vectors, the records to which they refer, the
// same as data and as tables, loaders, licences, and a description.
func Files(vectors []*corpus.Vector, hash string) ([]File, error) {
	out := slices.DeleteFunc(fromTemplates("files"), func(f File) bool {
		return strings.HasPrefix(f.Name, npmFolder) || strings.HasPrefix(f.Name, "schema/")
	})
	out = append(out, File{"LICENSE-CC0", corpus.License()})
	types, err := TypeFiles(vectors)
	if err != nil {
		return nil, err
	}
	for _, f := range asJSON(types, hash) {
		out = append(out, File{dataFolder + f.Name, f.Content})
	}
	for _, t := range types {
		for _, p := range bases {
			out = append(out, File{path.Join("tables", p.String(), corpus.FolderOf(t.Type)+".tsv"), t.Table(p.String())})
		}
	}
	for _, v := range vectors {
		text, err := fs.ReadFile(corpus.FS(), corpus.PathOf(v.ID))
		if err != nil {
			return nil, err
		}
		out = append(out, File{path.Join(VectorFolder, corpus.PathOf(v.ID)), text})
	}
	records, err := inFolder(spec.FS(), ".")
	return sorted(append(out, records...)), err
}

// VectorFolder is the folder of an edition that contains the vectors.
const VectorFolder = "vectors"

const (
	// dataFolder is the folder of an edition that contains the files of [JSON].
	dataFolder = "json/"
	// npmFolder contains the files that only the npm package has.
	npmFolder = "npm/"
)

// release matches a version of the program that is also one of npm.
var release = regexp.MustCompile(`^v(\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?)$`)

// NPM returns the files of an npm package with the data that [Files] has returned. Its
// version is that of a released program; otherwise it names the edition.
func NPM(edition []File) []File {
	out := []File{{"LICENSE-CC0", corpus.License()}}
	for _, f := range fromTemplates("files") {
		name := path.Base(f.Name)
		if strings.HasPrefix(f.Name, npmFolder) || strings.HasPrefix(f.Name, "loaders/javascript/") || name == f.Name {
			out = append(out, File{name, bytes.ReplaceAll(f.Content, []byte("VERSION"), []byte(npmVersion(version.String())))})
		}
	}
	for _, f := range edition {
		if strings.HasPrefix(f.Name, dataFolder) {
			out = append(out, f)
		}
	}
	return sorted(out)
}

func npmVersion(program string) string {
	if m := release.FindStringSubmatch(program); m != nil {
		return m[1]
	}
	return fmt.Sprintf("0.0.0-devel.corpus.%d", corpus.Number)
}

// TypeFiles returns the data of all types that have vectors.
func TypeFiles(vectors []*corpus.Vector) (out []*TypeFile, err error) {
	byType := map[string][]Vector{}
	for _, v := range vectors {
		t, ok := codec.Find(v.Type)
		if !ok {
			return nil, fmt.Errorf("vector %s: unknown type %s", v.ID, v.Type)
		}
		data, err := dataOf(v, t)
		if err != nil {
			return nil, fmt.Errorf("vector %s: %w", v.ID, err)
		}
		byType[v.Type] = append(byType[v.Type], data)
	}
	for _, t := range codec.Types() {
		if s := schema.Of(t); byType[t.Name] != nil {
			out = append(out, &TypeFile{Format, t.Name, t.Context, s.Tree, s.Models, byType[t.Name]})
		}
	}
	return out, nil
}

// lines returns the JSON of an object whose last field is a list, with one element of
// the list on each line.
func lines[T any](object any, list []T) []byte {
	whole, last := marshal(object), marshal(list)
	var b bytes.Buffer
	b.Write(whole[:len(whole)-len(last)]) // without the list and }
	b.WriteString("[")
	for i, element := range list {
		b.WriteString(strings.Repeat(",", min(i, 1)) + "\n")
		b.Write(marshal(element))
	}
	b.WriteString("\n]}\n")
	return bytes.Replace(b.Bytes(), []byte(":[["), []byte(":["), 1)
}

func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // a value that JSON lacks
	}
	return bytes.TrimSpace(b.Bytes())
}

func sorted(files []File) []File {
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	return files
}

// inFolder returns the files in a folder, with their whole names.
func inFolder(files fs.FS, dir string) (out []File, err error) {
	err = fs.WalkDir(files, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		out = append(out, File{name, content})
		return err
	})
	return out, err
}

// fromTemplates returns the files in a folder of the templates. Their names begin after the
// first part of the folder's name.
func fromTemplates(dir string) []File {
	out, _ := inFolder(templates, dir) // embedded files can be read
	for i := range out {
		_, out[i].Name, _ = strings.Cut(out[i].Name, "/")
	}
	return out
}

// dataOf resolves the verdicts of a vector.
func dataOf(v *corpus.Vector, t *codec.Type) (Vector, error) {
	out := Vector{ID: v.ID, Comment: v.Comment, Clauses: v.Clauses, Flags: v.Flags, Context: v.Context, Source: v.Source}
	if !v.EncodeOnly() {
		out.Hex = shortHex(v.Bytes)
	}
	for _, l := range v.Lines {
		out.Spans = append(out.Spans, Span{l.Offset, l.Offset + l.Len, l.Note})
	}
	trees := map[string]*tree.Node{}
	for _, c := range judge.Cases([]*corpus.Vector{v}, bases, nil) {
		if c.Expect == nil {
			continue
		}
		r, err := resultOf(&c, t, trees)
		if err != nil {
			return out, err
		}
		if len(out.Results) > 0 {
			if r.Profiles = out.Results[0].Profiles; reflect.DeepEqual(r, out.Results[0]) {
				out.Results = nil
			} else {
				r.Profiles = nil
			}
		}
		r.Profiles = append(r.Profiles, c.Profile.String())
		out.Results = append(out.Results, r)
	}
	return out, nil
}

// resultOf keeps the trees of the vector by their text: most apply to both profiles.
func resultOf(c *judge.Case, t *codec.Type, trees map[string]*tree.Node) (Result, error) {
	r := Result{Basis: c.Vector.Basis(c.Profile)}
	for _, choice := range c.ChoicesOf(adapter.OpEncode) {
		r.Choices = append(r.Choices, choice.By)
	}
	text := c.Value()
	if text != "" && trees[text] == nil {
		n, err := tree.ParseVector(text)
		if err == nil {
			n, err = (*schema.View)(nil).Expected(t, n) // all fields, each number in its one spelling
		}
		if err != nil {
			return r, err
		}
		n = shortTree(n)
		trees[text] = &n
	}
	r.Tree = trees[text]
	for _, op := range judge.Operations(c.Vector, c.Expect) {
		switch answers := answersTo(c, op); op {
		case adapter.OpDecode:
			r.Decode = answers
		case adapter.OpEncode:
			r.Encode = answers
		default:
			r.Roundtrip = answers
		}
	}
	return r, nil
}

// answersTo returns what the judge permits: see [judge.WantOf] and [spec.Open].
func answersTo(c *judge.Case, op adapter.Op) []Answer {
	want := judge.WantOf(c.Expect, c.Input(), op)
	pass := Answer{Result: string(judge.Pass)}
	var also []Answer
	switch {
	case want.Reject:
		pass.Reject = &[]string{}
		if want.Class != "" {
			*pass.Reject = strings.Split(want.Class, "|")
		}
		if want.From >= 0 {
			pass.From, pass.To = &want.From, &want.To
		}
		if reason := want.Acceptable(); reason != "" {
			also = append(also, Answer{Result: string(judge.Acceptable), Reason: string(reason), Like: LikeAny})
		}
	case op == adapter.OpDecode:
		pass.Like = LikeTree
	case !c.Vector.EncodeOnly() && bytes.Equal(want.Bytes, c.Input()):
		pass.Like = LikeInput
	default:
		pass.Hex = shortHex(want.Bytes)
	}
	choices := c.ChoicesOf(op)
	byChoice := func(a Answer) Answer {
		a.Result, a.Reason = string(judge.Acceptable), string(judge.ByChoice)
		return a
	}
	like := Like("")
	for _, choice := range choices {
		like = cmp.Or(like, likeOf(choice.Open, op, want.Reject))
	}
	if len(choices) > 0 {
		also = append(also, byChoice(Answer{Reject: &[]string{}}))
	}
	if like != "" && (len(also) < 2 || also[0].Like == "") {
		also = append(also, byChoice(Answer{Like: like}))
	}
	return append([]Answer{pass}, also...)
}

// likeOf returns which values or bytes a choice permits, or no less than that: only the
// judge has a reader for bytes, compares with other sections, and measures distances.
func likeOf(open spec.Open, op adapter.Op, rejected bool) Like {
	bounds := slices.DeleteFunc(open.Bounds(), func(b spec.Bound) bool {
		return b.How == spec.Rejection || !rejected && b == spec.Bound{How: spec.Unstated}
	})
	all := func(how string) bool {
		return !slices.ContainsFunc(bounds, func(b spec.Bound) bool { return b.How != how })
	}
	switch {
	case len(bounds) == 0:
		return ""
	case rejected || op != adapter.OpDecode:
		return LikeAny
	case all(spec.Sign):
		return LikeSign
	case all(spec.Charset):
		return LikeText
	}
	return LikeAny
}

// Table returns the data of a type under a profile as a table: a line for each
// operation of a vector, with its id, the operation, the context, the input in hex, the
// permitted answers, the value, and the annotated bytes.
func (t *TypeFile) Table(profile string) []byte {
	b := fmt.Appendf(nil, "formatgauge\t%d\t%s\t%s\n", Format, t.Type, profile)
	for _, v := range t.Vectors {
		var notes string
		for _, s := range v.Spans {
			notes += fmt.Sprintf("\x04  %04x  %s", s[0], s[2])
		}
		for _, r := range v.Results {
			if !slices.Contains(r.Profiles, profile) {
				continue
			}
			context, value, input := map[string]string{}, "-", ""
			maps.Copy(context, t.Context)
			maps.Copy(context, v.Context)
			if r.Tree != nil {
				value = t.Line(*r.Tree)
			}
			if v.Hex != nil {
				input = *v.Hex
			}
			for _, op := range []struct {
				name    adapter.Op
				answers []Answer
			}{{adapter.OpDecode, r.Decode}, {adapter.OpRoundtrip, r.Roundtrip}, {adapter.OpEncode, r.Encode}} {
				if len(op.answers) == 0 {
					continue
				}
				var permitted []string
				for _, a := range op.answers {
					permitted = append(permitted, a.text(input))
				}
				row := []string{
					v.ID, string(op.name), corpus.ContextText(context), repeats.Replace(input),
					repeats.Replace(strings.Join(permitted, " ")), value, notes,
				}
				b = append(b, strings.Join(row, "\t")+"\n"...)
			}
		}
	}
	return b
}

// repeats replaces the form of repeats in hex by that of tables.
var repeats = strings.NewReplacer("(", "\x01", "*", "\x02", ")", "\x03")

// Line returns a tree of the type on one line. U+0001, a part of the line, U+0002, N,
// U+0003 stand for N times this part. In the place of the opening quotation mark, U+0005
// begins a float of 32 bits, and U+0006 one of 64.
func (t *TypeFile) Line(n tree.Node) string { return t.line(n, t.Tree) }

func (t *TypeFile) line(n tree.Node, p schema.Part) string {
	if p.Kind == schema.ModelPart {
		p = (&schema.Type{Models: t.Models}).Model(p.Model).Part
	}
	switch {
	case len(n.Names) == 2 && n.Names[0] == "repeat": // of a text: an item is part of a list
		text := n.Items[1].String()
		return "\"\x01" + text[1:len(text)-1] + "\x02" + n.Items[0].Text + "\x03\""
	case n.Kind == tree.Text && p.Kind == tree.FloatForm:
		return map[string]string{"float32": "\x05", "float64": "\x06"}[p.Number] + n.String()[1:]
	case n.Kind != tree.List && n.Kind != tree.Object:
		return n.String()
	}
	var parts []string
	for i, item := range n.Items {
		switch {
		case n.Kind == tree.Object:
			name, field := n.Names[i], schema.Part{}
			if p.Kind == tree.OneOfForm && name == "value" {
				name = n.Field("type").Text
			}
			for _, f := range slices.Concat(p.Fields, p.Variants) {
				if f.Name == name {
					field = f.Part
				}
			}
			parts = append(parts, tree.Node{Kind: tree.Text, Text: n.Names[i]}.String()+":"+t.line(item, field))
		case len(item.Names) == 2 && item.Names[0] == "repeat" && item.Names[1] == "item":
			times, _ := strconv.Atoi(item.Items[0].Text)
			one := t.line(item.Items[1], *p.Elements)
			parts = append(parts, fmt.Sprintf("%s\x01,%s\x02%d\x03", one, one, times-1))
		default:
			parts = append(parts, t.line(item, *p.Elements))
		}
	}
	if n.Kind == tree.Object {
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// text returns an answer as a table writes it: pass:tree, pass:hex=0a00,
// pass:reject=truncated|magic@0-3, acceptable:any, acceptable:reject.
func (a *Answer) text(input string) string {
	switch out := a.Result + ":"; {
	case a.Reject != nil:
		out = strings.TrimSuffix(out+"reject="+strings.Join(*a.Reject, "|"), "=")
		if a.From != nil {
			out += fmt.Sprintf("@%d-%d", *a.From, *a.To)
		}
		return out
	case a.Hex != nil:
		return out + "hex=" + *a.Hex
	case a.Like == LikeInput:
		return out + "hex=" + input
	default:
		return out + string(a.Like)
	}
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

// Zip writes a ZIP file with the files in a folder; "" for none. Its bytes depend only on
// the files: it has no times.
func Zip(name, folder string, files []File) error {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.Create(path.Join(folder, f.Name))
		if err != nil {
			return err
		}
		_, _ = w.Write(f.Content) // to memory
	}
	if err := z.Close(); err != nil {
		return err
	}
	return outfile.Write(name, b.Bytes())
}
