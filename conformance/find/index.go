// Package find answers questions about the records, the vectors and the readers that were
// judged: an index of all of them, and a short ranking. files/site.js of package site ranks
// the same index in the same way; testdata/questions.tsv holds both.
package find

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/implementations"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Kind is a kind of entries.
type Kind struct {
	Name   string
	Weight int
	// Page is the form of the address on the site: * stands for the end of the id, @ for the
	// id as a path, ^ for that of the parent, % for the id as an anchor.
	Page string
}

// Kinds lists all kinds, in the order of results that are equal.
var Kinds = []Kind{
	{"family", 5, "*/index.html"},
	{"structure", 5, "@.html"},
	{"task", 5, "words.html#task-%"},
	{"outside", 5, "words.html#outside-%"},
	{"class", 5, "words.html#class-%"},
	{"result", 5, "words.html#result-%"},
	{"failure", 5, "words.html#failure-%"},
	{"term", 5, "words.html#term-%"},
	{"contributor", 4, "words.html#contributor-%"},
	{"clause", 5, "^.html#*"},
	{"flag", 5, "flags/*.html"},
	{"view", 5, "views.html#*"},
	{"reader", 5, "implementations/*.html"},
	{"fault", 3, "faults.html#*"},
	{"vector", 2, "^-vectors.html#*"},
}

// An Entry is something that answers questions.
type Entry struct {
	Kind   string
	ID     string
	Names  string // other words by which people search for it
	Parent *Entry // a structure of a clause or vector, a family of a structure or flag, a reader of a fault
	Text   string // what it says
	More   string // what is searched only: the evidence of a flag
	Doc    string // of a task: the document that says more
	// Bytes are in hex: the beginning of the input of a vector, or the tags of a structure.
	Bytes   []string
	Cut     bool   // the input of the vector has more bytes
	Verdict string // of a vector
	Example string // the id of a vector that shows it
	Rule    string // the id of the clause that a vector tests, or that a fault breaks
	Wrong   []string
	kind    int // in Kinds
	at      int // in the index
	runs    int // of letters in the last part of the id, if it is a name
}

// Page returns the address on the site.
func (e *Entry) Page() string {
	parent := ""
	if e.Parent != nil {
		parent = strings.Replace(e.Parent.ID, ".", "/", 1)
	}
	return strings.NewReplacer("*", path.Base(e.ID), "@", strings.Replace(e.ID, ".", "/", 1), "^", parent, "%",
		strings.ReplaceAll(strings.ToLower(e.ID), " ", "-")).Replace(Kinds[e.kind].Page)
}

// Shown returns the bytes of a vector, with a sign if the input has more.
func (e *Entry) Shown() string {
	if e.Cut {
		return e.Bytes[0] + "…"
	}
	return e.Bytes[0]
}

// Index has the entries and their words.
type Index struct {
	Entries []*Entry
	Ignored []string // words that say nothing
	// Synonyms are groups of words of which each stands for all.
	Synonyms [][]string
	synonyms map[string]map[string]bool
	words    map[string][]hit
	ids      map[string]*Entry   // by id, the first of several
	failing  map[string][]string // who fails a vector
	shown    map[string][]*corpus.Vector
}

// hit says that an entry has a word.
type hit struct{ at, weight int }

const (
	maxSaid  = 160 // characters of the comment of a vector
	maxBytes = 24  // of the input of a vector
)

// New makes the index of the records, the vectors, and the results that the repository keeps.
func New() (*Index, error) {
	vectors, err := corpus.All()
	if err != nil {
		return nil, err
	}
	x := &Index{
		words: map[string][]hit{}, ids: map[string]*Entry{}, Ignored: spec.IgnoredWords(),
		failing: Failing(), shown: ShownBy(vectors),
	}
	x.addSynonyms()
	x.addRecords()
	for _, r := range readers() {
		x.addReader(r, vectors)
	}
	for _, v := range vectors {
		e := &Entry{
			Kind: "vector", ID: v.ID, Parent: x.ids[v.Structure()], Text: v.Comment, Wrong: x.failing[v.ID],
			Bytes: []string{hex.EncodeToString(v.Bytes[:min(len(v.Bytes), maxBytes)])}, Cut: len(v.Bytes) > maxBytes,
		}
		if s := v.Select(ids.Observed()); s != nil {
			e.Verdict = s.Short()
		}
		if len(v.Clauses) > 0 {
			e.Rule = string(v.Clauses[0])
		}
		if cut := []rune(e.Text); len(cut) > maxSaid {
			e.Text = string(cut[:maxSaid]) + "…"
		}
		x.add(e)
	}
	for i, e := range x.Entries {
		e.at = i
		x.enter(e)
	}
	return x, nil
}

func (x *Index) addSynonyms() {
	x.Synonyms = spec.Synonyms()
	x.synonyms = map[string]map[string]bool{}
	for _, group := range x.Synonyms {
		for _, a := range group {
			if x.synonyms[a] == nil {
				x.synonyms[a] = map[string]bool{}
			}
			for _, b := range group {
				x.synonyms[a][b] = a != b
			}
		}
	}
}

func (x *Index) add(e *Entry) *Entry {
	e.kind = slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == e.Kind })
	e.Text = printable.Text(strings.Join(strings.Fields(strings.ReplaceAll(e.Text, "`", "")), " "))
	x.Entries = append(x.Entries, e)
	if _, known := x.ids[e.ID]; !known {
		x.ids[e.ID] = e
	}
	return e
}

func (x *Index) addRecords() {
	for _, f := range spec.Families() {
		found := f.Title + ". " + f.Found
		family := x.add(&Entry{Kind: "family", ID: f.Name, Names: found + ". " + f.Also, Text: found})
		for i := range f.Structures {
			st := &f.Structures[i]
			clauses := spec.ClausesOf(st.Name)
			e := &Entry{
				Kind: "structure", ID: st.Name, Names: st.Title + ". " + st.Also, Parent: family, Bytes: st.Tags,
				Text: st.Title + ".",
			}
			if len(clauses) > 0 {
				e.Text += " " + string(clauses[0].ID) + ": " + clauses[0].Text
			}
			x.show(x.add(e))
			for _, c := range clauses {
				x.show(x.add(&Entry{Kind: "clause", ID: string(c.ID), Parent: e, Text: c.Text}))
			}
		}
		for i := range f.Flags {
			fl := &f.Flags[i]
			x.show(x.add(&Entry{
				Kind: "flag", ID: string(fl.ID), Parent: x.flagged(fl, family), Names: string(fl.Kind),
				More: strings.Join(fl.Evidence, " "),
				Text: fl.Observed + " The document: " + fl.Documented,
			}))
		}
	}
	for _, v := range spec.Views() {
		x.add(&Entry{Kind: "view", ID: v.ID, Text: v.Meaning})
	}
	for _, w := range spec.Words() {
		if w.Kind == spec.UsageWord {
			continue
		}
		e := x.add(&Entry{Kind: string(w.Kind), ID: w.Name, Names: w.Also, Text: w.Text, Doc: w.Doc})
		if w.Kind == spec.ClassWord {
			x.show(e)
		}
	}
}

// flagged returns the structure of the first clause of a flag.
func (x *Index) flagged(f *spec.Flag, family *Entry) *Entry {
	for _, id := range f.Clauses {
		if c, ok := spec.FindClause(id); ok {
			return x.ids[c.Structure]
		}
	}
	return family
}

// show finds the vector that shows an entry best, and who fails those that show it.
func (x *Index) show(e *Entry) {
	shown := x.shown[e.ID]
	var best *corpus.Vector
	for _, v := range shown {
		if best == nil || slices.Compare(oddness(e, v), oddness(e, best)) < 0 {
			best = v
		}
	}
	if best != nil {
		e.Example = best.ID
	}
	e.Wrong = Fail(shown, x.failing)
}

// oddness orders vectors that can be the example of an entry, the best first.
func oddness(e *Entry, v *corpus.Vector) []int {
	rejected := 0
	if s := v.Select(ids.Observed()); e.Kind == "structure" && s != nil && s.Outcome == corpus.Reject {
		rejected = 1
	}
	return []int{len(v.Tree), max(0, 1-len(v.Bytes)), rejected, len(v.Clauses), len(v.Bytes)}
}

// Fail says who fails how many of some vectors.
func Fail(vectors []*corpus.Vector, failing map[string][]string) (out []string) {
	fails := map[string]int{}
	for _, v := range vectors {
		for _, name := range failing[v.ID] {
			fails[name]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fails)) {
		out = append(out, fmt.Sprintf("%s (%d of %d vectors)", name, fails[name], len(vectors)))
	}
	return out
}

// Rule returns the clause that a vector or fault is about, or nil.
func (x *Index) Rule(e *Entry) *Entry { return x.ids[e.Rule] }

// Example returns the vector that shows an entry: a vector shows itself.
func (x *Index) Example(e *Entry) *Entry {
	if e.Kind == "vector" {
		return e
	}
	return x.ids[e.Example]
}

// Subjects returns the structure of a vector, its clauses and its flags.
func Subjects(v *corpus.Vector) []string {
	out := []string{v.Structure()}
	for _, id := range v.Clauses {
		out = append(out, string(id))
	}
	for _, id := range v.Flags {
		out = append(out, string(id))
	}
	return out
}

// ShownBy lists the vectors of each structure, clause, flag and class of errors.
func ShownBy(vectors []*corpus.Vector) map[string][]*corpus.Vector {
	out := map[string][]*corpus.Vector{}
	for _, v := range vectors {
		keys := Subjects(v)
		if len(v.Expect) == 1 && v.Expect[0].Outcome == corpus.Reject {
			keys = append(keys, v.Expect[0].Class)
		}
		for _, k := range keys {
			out[k] = append(out[k], v)
		}
	}
	return out
}

// reader is an implementation of which the repository keeps results.
type reader struct {
	name string
	*report.Failures
}

// readers reads the kept results. They are embedded and a test reads each of them, so an invalid
// one is a panic.
var readers = sync.OnceValue(func() (out []reader) {
	names, _ := fs.Glob(implementations.Results, "results/*.json")
	for _, n := range names {
		text, _ := implementations.Results.ReadFile(n) // it is embedded
		f, err := report.ReadFailures(text)
		if err != nil {
			panic(n + ": " + err.Error())
		}
		out = append(out, reader{strings.TrimSuffix(path.Base(n), ".json"), f})
	}
	return out
})

// Failing returns who fails each vector.
func Failing() map[string][]string {
	out := map[string][]string{}
	for _, r := range readers() {
		for _, id := range r.Vectors {
			out[id] = append(out[id], r.name)
		}
	}
	return out
}

// addReader adds a reader and its faults.
func (x *Index) addReader(r reader, vectors []*corpus.Vector) {
	reader := x.add(&Entry{
		Kind: "reader", ID: r.name, Names: r.Language + " reader implementation parser library",
		Text: fmt.Sprintf("A reader in %s of %s. %s", r.Language, strings.Join(r.Types, ", "), r.URL),
	})
	for _, f := range Faults(r.name, vectors) {
		e := &Entry{Kind: "fault", ID: f.ID, Parent: reader, Names: faultWords, Text: f.Text, Example: f.Vectors[0].ID}
		e.Wrong = Fail(f.Vectors, x.failing)
		if len(f.Clauses) > 0 {
			e.Rule = string(f.Clauses[0])
		}
		x.add(e)
	}
}

// faultWords are how people ask for faults.
const faultWords = "wrong bug error failure reader gets fails known"

// A Fault is a cause in the list of known failures of a reader.
type Fault struct {
	ID, Text string
	Clauses  []ids.Clause     // that the text names
	Vectors  []*corpus.Vector // that fail, the shortest first
	Cases    int              // number of patterns of derived cases, if no vector fails
}

var clauseForm = regexp.MustCompile(`\b[A-Z]{2,5}-[A-Z0-9]+-[0-9]+\b`)

// Faults reads the list of known failures of a reader. A cause is a comment and the
// entries below it.
func Faults(reader string, vectors []*corpus.Vector) (out []*Fault) {
	text, err := implementations.Known.ReadFile(reader + "/known-failures.txt")
	if err != nil {
		return nil // the examples of this project have none
	}
	for part := range strings.SplitSeq(string(text), "\n\n") {
		f := &Fault{}
		var said, own, derived []string
		for line := range strings.Lines(part) {
			comment, isComment := strings.CutPrefix(strings.TrimSpace(line), "#")
			if isComment {
				said = append(said, strings.TrimSpace(comment))
			} else if words := strings.Fields(line); len(words) > 1 {
				if id, _, isDerived := strings.Cut(words[0], "#"); isDerived {
					derived = append(derived, id)
				} else {
					own = append(own, id)
				}
			}
		}
		patterns := own
		if len(own) == 0 {
			patterns, f.Cases = derived, len(derived)
		}
		f.Text = strings.Join(said, " ")
		for _, id := range clauseForm.FindAllString(f.Text, -1) {
			if !slices.Contains(f.Clauses, ids.Clause(id)) {
				f.Clauses = append(f.Clauses, ids.Clause(id))
			}
		}
		for _, v := range vectors {
			if slices.ContainsFunc(patterns, func(p string) bool { return matches(p, v.ID) }) {
				f.Vectors = append(f.Vectors, v)
			}
		}
		slices.SortStableFunc(f.Vectors, func(a, b *corpus.Vector) int {
			return cmp.Or(len(a.Bytes)+len(a.Tree)-len(b.Bytes)-len(b.Tree), strings.Compare(a.ID, b.ID))
		})
		if len(f.Vectors) > 0 {
			f.ID = fmt.Sprintf("%s-%d", reader, len(out)+1)
			out = append(out, f)
		}
	}
	return out
}

// matches is [path.Match], which is slow for the many patterns that are ids.
func matches(pattern, id string) bool {
	if !strings.ContainsAny(pattern, "*?[") {
		return pattern == id
	}
	ok, _ := path.Match(pattern, id)
	return ok
}

// Start returns what the search of the site loads first: all entries but vectors, without
// texts.
func (x *Index) Start() any {
	type start struct {
		Kinds    []any      `json:"kinds"`
		Ignored  []string   `json:"ignored"`
		Synonyms [][]string `json:"synonyms"`
		Entries  []any      `json:"entries"`
	}
	out := start{Ignored: x.Ignored, Synonyms: x.Synonyms}
	for _, k := range Kinds {
		out.Kinds = append(out.Kinds, []any{k.Name, k.Weight, k.Page})
	}
	for _, e := range x.Entries {
		if e.Kind != "vector" {
			out.Entries = append(out.Entries, []any{e.kind, parentOf(e), e.ID, e.Names, e.Bytes})
		}
	}
	return out
}

// Rest returns what it loads then: the texts of these entries, and the vectors.
func (x *Index) Rest() any {
	type rest struct {
		Texts   []any `json:"texts"`
		Vectors []any `json:"vectors"`
	}
	var out rest
	for _, e := range x.Entries {
		if e.Kind == "vector" {
			out.Vectors = append(out.Vectors, []any{parentOf(e), e.ID, e.Text, e.Shown(), e.Verdict, e.Wrong, e.Rule})
		} else {
			out.Texts = append(out.Texts, []any{e.Text, e.Wrong, e.Rule, e.Example, e.More})
		}
	}
	return out
}

func parentOf(e *Entry) int {
	if e.Parent == nil {
		return -1
	}
	return e.Parent.at
}
