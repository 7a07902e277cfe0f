package report

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/hex"
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

//go:embed html/page.html html/page.css html/page.js
var pageFiles embed.FS

const (
	// maxPageBytes is the maximum number of bytes of an input on the page,
	// maxPagePairs of lines of a comparison, maxStatic of vectors of a cause.
	maxPageBytes = 4096
	maxPagePairs = 120
	maxStatic    = 500
	// maxDerivedFull is the maximum number of derived cases of one vector that
	// are written in full.
	maxDerivedFull = 12
)

// HTML writes one self-contained page: the causes of failures, each with one
// example; a matrix of types and outcomes with a column per implementation and
// profile; the details of every vector. All except the last needs no script.
func HTML(w io.Writer, runs ...*Run) error {
	same := func(want, got *string) bool { return want != nil && got != nil && *want == *got }
	t, err := page.Templates(template.FuncMap{"same": same})
	if err == nil {
		t, err = t.ParseFS(pageFiles, "html/page.html")
	}
	if err != nil {
		return err
	}
	css, err := pageFiles.ReadFile("html/page.css")
	if err != nil {
		return err
	}
	js, err := pageFiles.ReadFile("html/page.js")
	if err != nil {
		return err
	}
	p := newPage(runs)
	p.CSS, p.JS = template.CSS(css), template.JS(js)
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "page.html", p); err != nil {
		return err
	}
	_, err = io.WriteString(w, printable.Text(b.String()))
	return err
}

// reportPage holds what the template shows without scripts, and the data for the
// script.
type reportPage struct {
	page.Frame // the style is in the page
	JS         template.JS
	Runs       []pageRun
	Causes     bool // a run has causes of failures
	Columns    []pageColumn
	Legend     []pageOutcome
	Words      []pageWord
	Families   []pageFamily
	Vectors    int
	Data       pageData
}

// pageWord explains a word of the page.
type pageWord struct{ Word, About string }

var pageWords = []pageWord{
	{"profile", "The sides by which an implementation is judged: documented or observed, and exceptions from it. The implementation declares it."},
	{"side", "Where the document, engines, files or readers differ, a flag has a side for each behaviour. An answer that is right under another side may only need a declaration."},
	{"view", "What the values of an implementation do not contain, such as the order of pairs. What a declared view loses is not compared."},
	{"derived case", "A case that a rule makes from a vector, such as a truncated input. Derived cases are counted separately."},
	{"cause", "What failures have in common: a side or a view that explains them, the rule of derived cases, a clause with the field that differs, or the message of the adapter. It is a guess."},
}

type pageRun struct {
	Label, Language, Verdict string
	Causes                   []pageCause
	Class                    string // good, bad or cut
	JudgedBy                 string // version and corpus
	OtherCorpus              bool   // judged on a corpus other than that of this program
	Derived                  string
	Columns                  []pageColumn
	Skips                    []pageSkip
	KnownMismatches          []string
}

type pageSkip struct {
	Reason string
	Count  int
	Types  string
}

type pageColumn struct {
	Run     string
	First   int // in the first column of a run: its number of columns
	Profile string
	Sum     string
	Cell    pageCell
}

// pageCell holds the outcomes of some vectors in one column.
type pageCell struct {
	Column      int
	Parts       []pagePart
	Derived     int // failed derived cases
	Description string
	Empty       bool
}

// pagePart is one outcome of a cell with its share in percent.
type pagePart struct {
	pageOutcome
	N     int
	Share string
}

type pageOutcome struct {
	Name  string `json:"name"`
	Sign  string `json:"sign"`
	About string `json:"about"`
}

type pageFamily struct {
	Name, Title string
	Cells       []pageCell
	Types       []pageType
}

type pageType struct {
	Name  string   // full
	Parts []string // without family, where a line may break
	Cells []pageCell
}

// pageCause is a cause with its example.
type pageCause struct {
	Title, About, Counted         string
	IDs                           []string
	More                          int // number of vectors that are not in IDs
	Outcome                       pageOutcome
	ID, Profiles, Comment, Detail string
	Pairs                         [][2]*string
	HasGot                        bool
	Notes                         []string
	Bytes                         string
}

func pageOutcomeOf(s judge.Status) pageOutcome {
	w, _ := wordOf(s)
	return pageOutcome{string(w.status), w.sign, w.about}
}

func newPage(runs []*Run) *reportPage {
	b := pageBuilder{columns: listedGroups(runs), vectors: map[string]int{}, derivedShown: map[int]int{}}
	p := &reportPage{Frame: page.Frame{
		Title:  "Conformance",
		Policy: "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'",
	}}
	if len(runs) == 1 {
		p.Title += " of " + runs[0].Name()
	}
	b.collect()
	p.Vectors = len(b.data.Vectors)
	p.Columns = b.pageColumns()
	embedded, _ := Embedded() // on error no corpus is marked as other
	names := runLabels(runs)
	for i, r := range runs {
		p.Runs = append(p.Runs, b.run(r, embedded))
		p.Runs[i].Label, p.Runs[i].Causes = names[i], pageCauses(r)
		p.Causes = p.Causes || len(p.Runs[i].Causes) > 0
	}
	p.Legend = b.legend()
	p.Families = b.families(runs)
	for _, w := range statusWords {
		p.Words = append(p.Words, pageWord{string(w.status), w.about})
		b.data.Outcomes = append(b.data.Outcomes, pageOutcomeOf(w.status))
	}
	p.Words = append(p.Words, pageWords...)
	p.Data = b.data
	return p
}

// pageData is the data for the script. Names that occur thousands of times are
// short.
type pageData struct {
	Outcomes []pageOutcome          `json:"outcomes"`
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
	Vector  int    `json:"v"`
	Columns []int  `json:"c"` // in which the case has this result
	Outcome int    `json:"o"`
	ID      string `json:"id,omitempty"`      // of a derived case
	Context string `json:"context,omitempty"` // if it differs from that of the vector
	Op      string `json:"op,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Side    string `json:"side,omitempty"`
	Known   string `json:"known,omitempty"`
	// Under lists the profiles in the column for named sides.
	Under      []string     `json:"under,omitempty"`
	Acceptable string       `json:"acceptable,omitempty"` // why it is no failure
	Hex        string       `json:"hex,omitempty"`
	Size       int          `json:"size,omitempty"`
	Marks      []dataMark   `json:"marks,omitempty"`
	Pairs      [][2]*string `json:"pairs,omitempty"` // expected and got, line by line; two nulls for omitted lines
}

type dataMark struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`
	Bad  bool   `json:"bad"`
}

type pageBuilder struct {
	columns      []group
	vectors      map[string]int
	all          []*corpus.Vector
	derivedShown map[int]int // derived cases written in full, by vector
	data         pageData
}

// collect sorts the vectors and collects the data.
func (b *pageBuilder) collect() {
	for _, g := range b.columns {
		for _, r := range g.results {
			if _, ok := b.vectors[r.Vector.ID]; !ok {
				b.vectors[r.Vector.ID] = len(b.all)
				b.all = append(b.all, r.Vector)
			}
		}
	}
	slices.SortFunc(b.all, func(x, y *corpus.Vector) int {
		return cmp.Or(
			cmp.Compare(familyRank(x.Family()), familyRank(y.Family())),
			cmp.Compare(structureRank(x), structureRank(y)),
			cmp.Compare(x.Type, y.Type), cmp.Compare(x.ID, y.ID))
	})
	for i, v := range b.all {
		b.vectors[v.ID] = i
	}
	b.data.Clauses, b.data.Flags = map[ids.Clause]string{}, map[ids.Flag][2]string{}
	for _, v := range b.all {
		b.data.Vectors = append(b.data.Vectors, newDataVector(v))
		for _, id := range v.Clauses {
			b.data.Clauses[id] = ""
			if c, ok := spec.FindClause(id); ok {
				b.data.Clauses[id] = c.Text
			}
		}
		for _, id := range v.Flags {
			b.data.Flags[id] = [2]string{}
			if f, ok := spec.FindFlag(id); ok {
				b.data.Flags[id] = [2]string{f.Documented, f.Observed}
			}
		}
	}
	seen := map[string]int{}
	for i := range b.columns {
		b.column(i, seen)
	}
}

// familyRank returns the index of a family in the records.
func familyRank(name string) int {
	return slices.IndexFunc(spec.Families(), func(f *spec.Family) bool { return f.Name == name })
}

func structureRank(v *corpus.Vector) int {
	f, ok := spec.FindFamily(v.Family())
	if !ok {
		return -1
	}
	return slices.IndexFunc(f.Structures, func(s spec.Structure) bool { return s.Name == v.Structure() })
}

func (b *pageBuilder) column(i int, seen map[string]int) {
	g := &b.columns[i]
	own := bytes.Repeat([]byte{'.'}, len(b.all))
	derived := make([]int, len(b.all))
	for _, r := range g.results {
		v, o := b.vectors[r.Vector.ID], StatusOf(r)
		switch {
		case !r.Derived:
			if old := own[v]; old == '.' || slices.Index(bySeverity, o) < slices.Index(bySeverity,
				statusWords[old-'0'].status) {
				_, place := wordOf(o)
				own[v] = '0' + byte(place)
			}
		case o == judge.Pass:
			derived[v]++
		}
		if o == judge.Pass || r.Derived && !r.Status.Disagrees() {
			continue
		}
		// The same failure under several profiles is one case.
		key := strings.Join([]string{
			r.ID, string(o), whatAt(r.Outcome), AnswerText(r.Expected), AnswerText(r.Got), r.Side,
			r.Known, contextOf(r), string(r.Input),
		}, "\x00")
		if k, ok := seen[key]; ok {
			c := &b.data.Cases[k]
			if !slices.Contains(c.Columns, i) {
				c.Columns = append(c.Columns, i)
			}
			if g.profile == namedSides {
				c.Under = append(c.Under, r.Profile.String())
			}
			continue
		}
		seen[key] = len(b.data.Cases)
		c := newDataCase(r, v, i, o)
		if g.profile == namedSides {
			c.Under = []string{r.Profile.String()}
		}
		if r.Derived {
			if b.derivedShown[v]++; b.derivedShown[v] > maxDerivedFull {
				c.Hex, c.Size, c.Marks, c.Pairs = "", 0, nil, nil
			}
		}
		b.data.Cases = append(b.data.Cases, c)
	}
	column := dataColumn{Run: g.label, Profile: g.profile, Own: string(own), Derived: derived}
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
		ID: v.ID, Type: v.Type, Comment: oneLine(v.Comment), Clauses: v.Clauses, Flags: v.Flags,
		Source: v.Source, Size: len(v.Bytes), Hex: hex.EncodeToString(v.Bytes[:min(len(v.Bytes), maxPageBytes)]),
	}
	if d.Clauses == nil {
		d.Clauses = []ids.Clause{}
	}
	if d.Flags == nil {
		d.Flags = []ids.Flag{}
	}
	d.Context = corpus.ContextText(v.Context)
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

func newDataCase(r *judge.Result, vector, column int, o judge.Status) dataCase {
	_, place := wordOf(o)
	d := dataCase{
		Vector: vector, Columns: []int{column}, Outcome: place,
		Op: string(r.Op), Detail: oneLine(What(r.Outcome)), Side: sideSentence(r), Known: r.Known, Context: contextOf(r),
	}
	if r.Derived {
		d.ID = r.ID
	}
	if !r.Status.Disagrees() {
		return d
	}
	d.Acceptable = acceptableSentence(r.Outcome)
	if r.Derived || notInCorpus(r.Vector) {
		d.Hex, d.Size = hex.EncodeToString(r.Input[:min(len(r.Input), maxPageBytes)]), len(r.Input)
	}
	for _, m := range marksOf(r) {
		d.Marks = append(d.Marks, dataMark{m.From, m.To, m.Text, m.Bad})
	}
	d.Pairs = dataPairs(expectedAndGot(r))
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
		var line [2]*string
		if p.hasWant && p.hasGot {
			a, b := windowAtDifference(p.want, p.got, maxPageBytes)
			line = [2]*string{&a, &b}
		} else if p.hasWant {
			a := truncate(p.want, maxPageBytes)
			line[0] = &a
		} else {
			b := truncate(p.got, maxPageBytes)
			line[1] = &b
		}
		out = append(out, line)
	}
	return out
}

func (b *pageBuilder) run(r *Run, here Corpus) pageRun {
	_, derived := r.counts()
	words, grade := r.verdict()
	p := pageRun{
		Language: r.Hello.Language, Verdict: words, Class: []string{"bad", "good", "cut", "cut"}[grade],
		JudgedBy: r.judgedBy(), OtherCorpus: r.read && here.Hash != "" && here.Hash != r.Corpus.Hash,
		KnownMismatches: r.KnownMismatches,
	}
	if derived.Total() > 0 {
		p.Derived = derived.String()
	}
	for i, c := range b.pageColumns() {
		if b.columns[i].run == r {
			p.Columns = append(p.Columns, c)
		}
	}
	for _, g := range r.skips() {
		p.Skips = append(p.Skips, pageSkip{g.reason, g.count, strings.Join(g.typeList(r), ", ")})
	}
	return p
}

func (b *pageBuilder) pageColumns() []pageColumn {
	out := make([]pageColumn, len(b.columns))
	first := -1
	for i, g := range b.columns {
		own, _ := g.of("")
		out[i] = pageColumn{
			Run: g.label, Profile: g.profile, Sum: own.String(),
			Cell: b.cell(i, ""),
		}
		if i == 0 || b.columns[i-1].run != g.run {
			first = i
		}
		out[first].First++
	}
	return out
}

// legend lists the outcomes that occur.
func (b *pageBuilder) legend() []pageOutcome {
	var out []pageOutcome
	for _, w := range statusWords {
		if slices.ContainsFunc(b.columns, func(g group) bool {
			own, derived := g.of("")
			return own[w.status]+derived[w.status] > 0
		}) {
			out = append(out, pageOutcomeOf(w.status))
		}
	}
	return out
}

func (b *pageBuilder) cell(column int, name string) pageCell {
	own, derived := b.columns[column].of(name)
	c := pageCell{
		Column: column, Description: sumText(own, derived, "; derived: "), Derived: derived.Failed(),
		Empty: own.Total()+derived.Total() == 0,
	}
	for _, w := range statusWords {
		if n := own[w.status]; n > 0 {
			share := fmt.Sprintf("%.2f", 100*float64(n)/float64(own.Total()))
			c.Parts = append(c.Parts, pagePart{pageOutcomeOf(w.status), n, share})
		}
	}
	return c
}

func (b *pageBuilder) families(runs []*Run) []pageFamily {
	var out []pageFamily
	for _, f := range families(runs) {
		pf := pageFamily{Name: f.Name, Title: f.Title}
		for i := range b.columns {
			pf.Cells = append(pf.Cells, b.cell(i, f.Name))
		}
		var types []string
		for _, v := range b.all {
			if v.Family() == f.Name && !slices.Contains(types, v.Type) {
				types = append(types, v.Type)
			}
		}
		for _, t := range types {
			pt := pageType{Name: t, Parts: namePart.FindAllString(strings.TrimPrefix(t, f.Name+"."), -1)}
			for i := range b.columns {
				pt.Cells = append(pt.Cells, b.cell(i, t))
			}
			pf.Types = append(pf.Types, pt)
		}
		if len(types) > 0 {
			out = append(out, pf)
		}
	}
	return out
}

// namePart matches the parts of the name of a type between which a line may
// break.
var namePart = regexp.MustCompile(`[^\w]*[A-Z]*[^A-Z<,.]*[<>,.]*`)

// pageCauses returns the causes of the failures of a run.
func pageCauses(r *Run) []pageCause {
	var out []pageCause
	for _, c := range r.causes() {
		f := c.example
		p := pageCause{
			Title: c.title, About: c.about, Counted: c.counted(), IDs: c.ids[:min(len(c.ids), maxStatic)],
			Outcome: pageOutcomeOf(StatusOf(f.Result)), ID: f.ID, Profiles: strings.Join(f.profiles, "; "),
			Comment: f.Vector.Comment, Detail: truncate(oneLine(f.what()), maxPageBytes),
			Pairs: dataPairs(expectedAndGot(f.Result)), Bytes: dumpOf(f.Result, "", hexdump.Style{}),
		}
		if f.Derived {
			p.Comment = "Derived from " + f.Vector.ID + ": " + p.Comment
		}
		p.More = len(c.ids) - len(p.IDs)
		p.HasGot = slices.ContainsFunc(p.Pairs, func(line [2]*string) bool { return line[1] != nil })
		for _, s := range []string{
			contextOf(f.Result), sideSentence(f.Result), acceptableSentence(f.Outcome),
			f.sameFailureText(),
		} {
			if s != "" {
				p.Notes = append(p.Notes, s)
			}
		}
		out = append(out, p)
	}
	return out
}
