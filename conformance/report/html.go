package report

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

//go:embed html/page.html
var pageFiles embed.FS

//go:embed html/page.css
var pageCSS string

//go:embed html/page.js
var pageJS string

const (
	// maxPageBytes is the maximum number of bytes of an input on the page,
	// maxPagePairs of lines of a comparison.
	maxPageBytes = 4096
	maxPagePairs = 120
	// maxPage is the number of bytes that the page of one run has at most.
	maxPage = 2 << 20
)

// HTML writes one self-contained page: the causes of failures, each with one
// example; a matrix of types and outcomes with a column per implementation and
// profile; the details of every vector. All except the last needs no script.
func HTML(w io.Writer, runs ...*Run) error {
	var out bytes.Buffer
	form := template.Must(page.Templates(template.FuncMap{
		"other": func(r *Run) bool { return r.read && r.Corpus.Hash != Embedded().Hash },
		"pairs": func(f *failure) [][2]*string { return dataPairs(expectedAndGot(f.Result)) },
		"parts": func(name string) []string { return namePart.FindAllString(name[strings.IndexByte(name, '.')+1:], -1) },
		"size":  func() int { return out.Len() >> 10 },
		"same":  func(want, got *string) bool { return want != nil && got != nil && *want == *got },
		"where": func() string { return elsewhere },
		"word":  func(r *judge.Result) *statusWord { w, _ := wordOf(StatusOf(r)); return w },
		"words": func() []statusWord { return statusWords },
	}))
	template.Must(form.Funcs(formFunctions).ParseFS(pageFiles, "html/page.html"))
	p := reportPage{
		Frame: page.Frame{
			Title: "Conformance", CSS: template.CSS(pageCSS),
			Policy: "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'",
		},
		JS: template.JS(pageJS), document: documentOf(runs), Types: map[string][]string{},
	}
	if len(runs) == 1 {
		p.Title += " of " + runs[0].Name()
	}
	b := pageBuilder{columns: p.Columns, vectors: map[string]int{}}
	b.collectVectors()
	p.Vectors = len(b.all)
	for _, v := range b.all {
		p.Types[v.Family()] = addNew(p.Types[v.Family()], v.Type)
	}
	// Most of the page is the data, so what fits is found by trial.
	for room := maxPage; ; room /= 2 {
		b.collectResults(room)
		p.Data = packed(b.data)
		out.Reset()
		if err := form.ExecuteTemplate(&out, "page.html", p); err != nil {
			return err
		}
		if text := printable.Text(out.String()); len(text) <= maxPage*len(runs) || room == 0 {
			_, err := io.WriteString(w, text)
			return err
		}
	}
}

// packed returns the data as JSON, compressed, in base 64.
func packed(data pageData) template.HTML {
	text, _ := json.Marshal(data) // it has only texts and numbers
	var b bytes.Buffer            // it takes everything
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = io.WriteString(z, printable.Text(string(text)))
	_ = z.Close()
	return template.HTML(base64.StdEncoding.EncodeToString(b.Bytes()))
}

// namePart matches the parts of the name of a type between which a line may
// break.
var namePart = regexp.MustCompile(`[^\w]*[A-Z]*[^A-Z<,.]*[<>,.]*`)

// reportPage holds what the template shows without scripts, and the data for the
// script.
type reportPage struct {
	page.Frame // the style is in the page
	*document
	JS      template.JS
	Types   map[string][]string // by family
	Vectors int
	Data    template.HTML // see packed
}

// pageData is the data for the script. Names that occur thousands of times are
// short.
type pageData struct {
	Outcomes []statusWord           `json:"outcomes"`
	Columns  []dataColumn           `json:"columns"`
	Clauses  map[ids.Clause]string  `json:"clauses"`
	Flags    map[ids.Flag][2]string `json:"flags"` // documented, observed
	Vectors  []dataVector           `json:"vectors"`
	Cases    []dataCase             `json:"cases"` // that did not pass
}

type dataColumn struct {
	Run     string `json:"run"`
	Profile string `json:"profile"`
	Own     string `json:"own"`     // per vector: the digit of its outcome, or . if it was not judged
	Derived []int  `json:"derived"` // per vector: the number of passed derived cases
}

type dataVector struct {
	ID      string       `json:"id"`
	Type    string       `json:"type"`
	Comment string       `json:"comment"`
	Clauses []ids.Clause `json:"clauses"`
	Flags   []ids.Flag   `json:"flags"`
	Context string       `json:"context,omitempty"`
	Source  string       `json:"source,omitempty"`
	Hex     string       `json:"hex,omitempty"`
	Size    int          `json:"size"` // of the input in bytes; -1 if there is a tree instead
	Notes   [][3]any     `json:"notes,omitempty"`
	Tree    []string     `json:"tree,omitempty"` // lines
	Expect  []dataExpect `json:"expect,omitempty"`
}

type dataExpect struct {
	Profile string   `json:"profile"`
	Short   string   `json:"short"`
	Tree    []string `json:"tree,omitempty"`  // lines
	Bytes   []string `json:"bytes,omitempty"` // lines
}

type dataCase struct {
	Vector  int   `json:"v"`
	Columns []int `json:"c"` // in which the case has this result
	Outcome int   `json:"o"`
	// Derived is the number of cases derived from the vector, with the same outcome by the same
	// rule; IDs lists them. What follows is about the first.
	Derived int    `json:"n,omitempty"`
	IDs     string `json:"ids,omitempty"`
	Context string `json:"context,omitempty"` // if it differs from that of the vector
	Op      string `json:"op,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Side    string `json:"side,omitempty"`
	Known   string `json:"known,omitempty"`
	// Under lists the profiles in the column for named sides.
	Under      []string       `json:"under,omitempty"`
	Acceptable string         `json:"acceptable,omitempty"` // why it is no failure
	Hex        string         `json:"hex,omitempty"`
	Size       int            `json:"size,omitempty"`
	Marks      []hexdump.Mark `json:"marks,omitempty"`
	Pairs      [][2]*string   `json:"pairs,omitempty"` // expected and got, line by line; two nulls for omitted lines
}

type pageBuilder struct {
	columns []group
	vectors map[string]int
	all     []*corpus.Vector
	room    int // bytes that are left for answers and changed inputs
	data    pageData
}

// collectVectors sorts the vectors and collects what is known of them.
func (b *pageBuilder) collectVectors() {
	for _, g := range b.columns {
		for _, r := range g.results {
			if _, ok := b.vectors[r.Vector.ID]; !ok {
				b.vectors[r.Vector.ID] = len(b.all)
				b.all = append(b.all, r.Vector)
			}
		}
	}
	rank := map[string]int{} // of families and structures: their order in the records
	for _, f := range spec.Families() {
		rank[f.Name] = len(rank) + 1
		for _, s := range f.Structures {
			rank[s.Name] = len(rank) + 1
		}
	}
	slices.SortFunc(b.all, func(x, y *corpus.Vector) int {
		return cmp.Or(
			cmp.Compare(rank[x.Family()], rank[y.Family()]), cmp.Compare(rank[x.Structure()], rank[y.Structure()]),
			cmp.Compare(x.Type, y.Type), cmp.Compare(x.ID, y.ID))
	})
	for i, v := range b.all {
		b.vectors[v.ID] = i
	}
	b.data.Outcomes, b.data.Clauses, b.data.Flags = statusWords, map[ids.Clause]string{}, map[ids.Flag][2]string{}
	for _, v := range b.all {
		b.data.Vectors = append(b.data.Vectors, newDataVector(v))
		for _, id := range v.Clauses {
			if c, ok := spec.FindClause(id); ok {
				b.data.Clauses[id] = c.Text
			}
		}
		for _, id := range v.Flags {
			if f, ok := spec.FindFlag(id); ok {
				b.data.Flags[id] = [2]string{f.Documented, f.Observed}
			}
		}
	}
}

// collectResults collects the results of the vectors, with answers and inputs of room bytes at most.
func (b *pageBuilder) collectResults(room int) {
	b.room, b.data.Columns, b.data.Cases = room, nil, nil
	seen := map[string]int{}
	for i := range b.columns {
		b.column(i, seen)
	}
}

func (b *pageBuilder) column(i int, seen map[string]int) {
	g := &b.columns[i]
	own := bytes.Repeat([]byte{'.'}, len(b.all))
	derived := make([]int, len(b.all))
	var cases []*judge.Result // that did not pass
	for _, r := range g.results {
		v, o := b.vectors[r.Vector.ID], StatusOf(r)
		switch {
		case !r.Derived:
			if old := own[v]; old == '.' || slices.Index(bySeverity, o) < slices.Index(bySeverity,
				statusWords[old-'0'].Status) {
				_, place := wordOf(o)
				own[v] = '0' + byte(place)
			}
		case o == judge.Pass:
			derived[v]++
		}
		if o != judge.Pass && (!r.Derived || r.Status.Disagrees()) {
			cases = append(cases, r)
		}
	}
	together := func(r *judge.Result) string {
		if !r.Derived {
			return r.ID + " " + r.Profile.String()
		}
		return strings.Join([]string{r.Vector.ID, string(StatusOf(r)), string(r.Rule), r.Known, r.Profile.String()}, "\x00")
	}
	for _, results := range groupBy(cases, together) {
		r := results[0]
		ids := ""
		if r.Derived {
			ids = ranges(suffixesOf(results))
		}
		// The same failure under several profiles is one case.
		key := strings.Join([]string{
			r.ID, string(StatusOf(r)), whatAt(r.Outcome), AnswerText(r.Expected), AnswerText(r.Got), r.Side,
			r.Known, contextOf(r), string(r.Input), ids,
		}, "\x00")
		k, ok := seen[key]
		if !ok {
			k = len(b.data.Cases)
			seen[key] = k
			b.data.Cases = append(b.data.Cases, b.newCase(r, len(results), ids))
		}
		c := &b.data.Cases[k]
		c.Columns = addNew(c.Columns, i)
		if g.Profile == namedSides {
			c.Under = append(c.Under, r.Profile.String())
		}
	}
	column := dataColumn{Run: g.Label, Profile: g.Profile, Own: string(own), Derived: derived}
	b.data.Columns = append(b.data.Columns, column)
}

// bySeverity lists the outcomes of which one is shown for a vector with several
// results in a column, the first that occurs.
var bySeverity = []judge.Status{
	judge.Crash, judge.Timeout, judge.Protocol, judge.Fail, Known, judge.Acceptable, judge.Pass, judge.Skip,
	judge.NotApplicable,
}

func newDataVector(v *corpus.Vector) dataVector {
	d := dataVector{
		ID: v.ID, Type: v.Type, Comment: oneLine(v.Comment),
		Clauses: append([]ids.Clause{}, v.Clauses...), Flags: append([]ids.Flag{}, v.Flags...),
		Source: v.Source, Size: len(v.Bytes), Hex: hex.EncodeToString(v.Bytes[:min(len(v.Bytes), maxPageBytes)]),
		Context: corpus.ContextText(v.Context),
	}
	for _, l := range v.Lines {
		d.Notes = append(d.Notes, [3]any{l.Offset, l.Len, l.Note})
	}
	if v.EncodeOnly() {
		d.Size, d.Tree = -1, limited(treeLines(v.Tree))
	}
	for i := range v.Expect {
		e := &v.Expect[i]
		x := dataExpect{Profile: e.Profile, Short: e.Short()}
		if e.Profile == corpus.ExpectAll {
			x.Profile = "every profile"
			if len(v.Expect) > 1 {
				x.Profile = "every other profile"
			}
		}
		if e.Tree != "" {
			x.Tree = limited(treeLines(e.Tree))
		}
		if e.Canonical != nil {
			x.Bytes = limited(byteLines(e.Canonical, len(e.Canonical) > bytesPerRow))
		}
		d.Expect = append(d.Expect, x)
	}
	return d
}

// limited limits the number and the length of lines.
func limited(all []string) []string {
	out := make([]string, 0, min(len(all), maxPagePairs+1))
	for i, l := range all {
		if i == maxPagePairs {
			out = append(out, fmt.Sprintf("... %d more lines", len(all)-i))
			break
		}
		out = append(out, truncate(l, maxPageBytes))
	}
	return out
}

// maxPageDetail is the number of characters of what is said of an answer.
const maxPageDetail = 200

// newCase returns the case for a result, or for several of derived cases with these ids.
func (b *pageBuilder) newCase(r *judge.Result, n int, ids string) dataCase {
	_, place := wordOf(StatusOf(r))
	d := dataCase{
		Vector: b.vectors[r.Vector.ID], Outcome: place, IDs: ids, Op: string(r.Op), Detail: oneLine(What(r.Outcome)),
		Side: sideSentence(r), Known: r.Known, Context: contextOf(r),
	}
	if r.Derived {
		d.Derived = n
	}
	if !r.Status.Disagrees() {
		return d
	}
	d.Acceptable = acceptableSentence(r.Outcome)
	if b.room <= 0 {
		d.Detail, d.Known = truncate(d.Detail, maxPageDetail), truncate(d.Known, maxPageDetail)
		return d
	}
	if f := (&failure{Result: r}); f.Derived || f.NotInCorpus() {
		d.Hex, d.Size = hex.EncodeToString(r.Input[:min(len(r.Input), maxPageBytes)]), len(r.Input)
	}
	d.Marks, d.Pairs = marksOf(r), dataPairs(expectedAndGot(r))
	text, _ := json.Marshal(d)
	b.room -= len(text)
	return d
}

// dataPairs aligns two texts, and omits lines that are far from any difference.
func dataPairs(want, got []string) [][2]*string {
	var out [][2]*string
	for omitted, p := range nearDifferences(align(want, got), maxPagePairs) {
		if omitted > 0 {
			out = append(out, [2]*string{})
		}
		if p == nil {
			break
		}
		a, b := truncate(p.want, maxPageBytes), truncate(p.got, maxPageBytes)
		line := [2]*string{&a, &b}
		switch {
		case !p.hasWant:
			line[0] = nil
		case !p.hasGot:
			line[1] = nil
		default:
			a, b = windowAtDifference(p.want, p.got, maxPageBytes)
		}
		out = append(out, line)
	}
	return out
}
