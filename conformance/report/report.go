// Package report writes the results of the judge as text, JSON Lines, JUnit,
// Markdown, annotations and HTML. It does not judge.
//
// The JSON Lines contain all results. [Read] reads them again, and every other
// form can be made from them later, also of several implementations together.
//
// All text about outcomes is made here, in words.go, from fields, and nothing reads it
// again. A duration is no result: nothing compares it. Text of adapters is kept
// unchanged until it is written; package printable then converts the complete output,
// so that no part is forgotten. The colour codes of the output contain a random text
// until then, so an adapter cannot forge them.
//
// The levels of a claim are counted from the outcomes of operations (levels.go), so a
// claim has no numbers of its own that could be wrong. To verify it is to judge again
// and to compare two runs.
package report

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/internal/version"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Run holds the results of one implementation on a corpus.
type Run struct {
	*judge.Report
	Formatgauge string // version of the program that judged
	Corpus      Corpus
	// Interrupted says that the judge was interrupted and results are missing.
	Interrupted bool
	// HasKnownList says that there was a list of known failures. KnownMismatches
	// lists where that list and the results disagree.
	HasKnownList    bool
	KnownMismatches []string
	// Source is the file from which the results were read, to tell runs apart.
	Source string

	read   bool   // from results: vectors may be missing or differ from those judged
	traces places // shared by the forms
}

// Corpus identifies the vectors of a run.
type Corpus struct {
	Number  int    `json:"number"`  // corpus.Number; 0 if not all vectors are those of the embedded corpus
	Hash    string `json:"hash"`    // see corpus.Hash
	Vectors int    `json:"vectors"` // number of vectors, judged or not
}

// NewRun returns the run for results on the embedded corpus. For other vectors,
// the caller sets Corpus; see [CorpusOf]. After an interruption it sets Interrupted.
func NewRun(r *judge.Report) *Run {
	run := &Run{Report: r, Formatgauge: version.String(), Corpus: Embedded(), HasKnownList: r.Mismatches != nil}
	for _, m := range r.Mismatches {
		run.KnownMismatches = append(run.KnownMismatches, m.String())
	}
	return run
}

// Embedded describes the corpus of this program.
func Embedded() Corpus {
	n, _ := corpus.Count() // no file of it can be missing
	hash, _ := corpus.Digest()
	return Corpus{Number: corpus.Number, Hash: hash, Vectors: n}
}

// CorpusOf describes the corpus of a file system with the given number of
// vectors.
func CorpusOf(fsys fs.FS, vectors int) (Corpus, error) {
	hash, err := corpus.Hash(fsys)
	if err != nil {
		return Corpus{}, err
	}
	c := Corpus{Hash: hash, Vectors: vectors}
	if hash == Embedded().Hash {
		c.Number = corpus.Number
	}
	return c, nil
}

// String names the corpus by its number and the first 12 digits of its hash.
func (c Corpus) String() string {
	_, sum, _ := strings.Cut(c.Hash, ":")
	if c.Number == 0 {
		return fmt.Sprintf("own corpus (%.12s)", sum)
	}
	return fmt.Sprintf("corpus %d (%.12s)", c.Number, sum)
}

// judgedBy names the program that judged, and the corpus.
func (r *Run) judgedBy() string {
	return fmt.Sprintf("judged by Formatgauge %s, %v of %d vectors", r.Formatgauge, r.Corpus, r.Corpus.Vectors)
}

// Name returns the implementation's name and version on one line.
func (r *Run) Name() string { return oneLine(r.Hello.Name + " " + r.Hello.Version) }

// Verdict summarizes a run in a few words.
func (r *Run) Verdict() string {
	words, _ := r.verdict()
	return words
}

// A grade is the kind of a verdict.
type grade struct {
	Class  string // on the page
	Sign   string // in Markdown
	Colour string // of the badge
	Good   bool   // in a text
}

var (
	gradeBad         = grade{"bad", "❌", "#b93a2b", false}
	gradeGood        = grade{"good", "✅", "#2f7d3c", true}
	gradeKnown       = grade{"cut", "☑️", "#7a5c00", true}  // not conformant, but as the list of known failures says
	gradeInterrupted = grade{"cut", "⚠️", "#7a5c00", false} // unknown
)

// verdict also names listed types of which cases were skipped: otherwise an
// implementation that skips what it fails would look complete.
func (r *Run) verdict() (string, grade) {
	words, grade := r.judgement()
	skipped, ops, _ := r.SkippedListed()
	if types := r.typeList(skipped); len(types) > 0 {
		words += "; cases of listed types" + OnlyOps(ops) + " were skipped: " + firstOf(5, types)
	}
	return words, grade
}

// firstOf lists the first n texts, and says how many more there are.
func firstOf(n int, all []string) string {
	text := strings.Join(all[:min(n, len(all))], ", ")
	if more := len(all) - n; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// OnlyOps continues a sentence about skipped cases with the operations that were skipped
// after another one of a case: see [judge.Report.SkippedListed].
func OnlyOps(ops []string) string {
	if len(ops) == 0 {
		return ""
	}
	return ", or only their " + strings.Join(ops, " or ") + ","
}

func (r *Run) judgement() (string, grade) {
	t := r.Counts()
	switch {
	case r.Interrupted:
		return "interrupted", gradeInterrupted
	case len(r.KnownMismatches) > 0:
		return "failures differ from the list of known failures", gradeBad
	case r.Conformant():
		return "conformant" + spec.InViews(r.Hello.Views), gradeGood
	case r.MatchesKnown():
		return "not conformant" + spec.InViews(r.Hello.Views) + ", the failures match the list of known failures", gradeKnown
	case t.Failed() > 0 || t.Has(judge.Pass):
	case t.Own[judge.Acceptable] > 0:
		return "nothing passed", gradeBad
	default:
		return "nothing was judged", gradeBad
	}
	return "not conformant" + spec.InViews(r.Hello.Views), gradeBad
}

// MatchesKnown reports whether something was judged and the failures are
// exactly those in the list of known failures.
func (r *Run) MatchesKnown() bool {
	return r.HasKnownList && r.Report.MatchesKnown() && len(r.KnownMismatches) == 0
}

// checkCounts compares the counts of results with those that a part of their file states.
func (r *Run) checkCounts(part string, stated Tally) error {
	t := r.Counts()
	if maps.Equal(t.Own, stated.Own) && maps.Equal(t.Derived, stated.Derived) {
		return nil
	}
	return fmt.Errorf("the %s %v and derived cases %v, the lines have %v and derived cases %v", part, stated.Own,
		stated.Derived, t.Own, t.Derived)
}

// profiles lists the profiles of the results in order.
func (r *Run) profiles() []string {
	var out []string
	for i := range r.Results {
		out = addNew(out, r.Results[i].Profile.String())
	}
	return out
}

// A document is what all forms of a report show.
type document struct {
	Runs     []*section
	Columns  []group
	Families []*spec.Family
}

// A section is what they show of one run.
type section struct {
	*Run
	Tally
	Label, Verdict, JudgedBy string
	Grade                    grade
	Columns                  []group
	Causes                   []*cause
	Known                    []*failure
	Deviations               []*deviation
	Skips                    []skipGroup
}

// CasesShown returns the number of cases that a text shows of each deviation.
func (s *section) CasesShown() int {
	room := 48
	if len(s.Causes) > 0 {
		room = 18
	}
	return max(2, room/max(len(s.Deviations), 1))
}

// Share returns the number of lines of each run in a text.
func (d *document) Share() int { return maxLines / max(len(d.Runs), 1) }

func documentOf(runs []*Run) *document {
	columns := groups(runs)
	d := &document{Columns: columns}
	for _, f := range spec.Families() {
		occurs := func(g group) bool { _, ok := g.Tallies[f.Name]; return ok }
		if slices.ContainsFunc(columns, occurs) {
			d.Families = append(d.Families, f)
		}
	}
	for i, label := range runLabels(runs) {
		r := runs[i]
		s := &section{
			Run: r, Label: label, JudgedBy: r.judgedBy(), Tally: r.Counts(), Causes: r.causes(),
			Deviations: r.deviations(), Skips: r.skips(),
			Columns: slices.DeleteFunc(slices.Clone(columns), func(g group) bool { return g.Run != r }),
		}
		s.Verdict, s.Grade = r.verdict()
		for _, res := range r.pick(func(res *judge.Result) bool { return StatusOf(res) == Known }) {
			s.Known = append(s.Known, &failure{Result: res, Profiles: []string{res.Profile.String()}})
		}
		d.Runs = append(d.Runs, s)
	}
	return d
}

// A format is a form of a report.
type format struct {
	name    string
	purpose string
	write   func(io.Writer, hexdump.Style, ...*Run) error
}

func formats() []format {
	plain := func(write func(io.Writer, ...*Run) error) func(io.Writer, hexdump.Style, ...*Run) error {
		return func(w io.Writer, _ hexdump.Style, runs ...*Run) error { return write(w, runs...) }
	}
	return []format{
		{"text", "for a terminal or a log; failures come first", Text},
		{"jsonl", "JSON Lines with all results; the other forms can be made from them", plain(JSONL)},
		{"junit", "JUnit XML, for CI systems", plain(JUnit)},
		{"markdown", "a summary in GitHub Markdown", plain(Markdown)},
		{"github", "annotations for the log of GitHub Actions, of the first 10 failures", plain(GitHub)},
		{"html", "one self-contained page", plain(HTML)},
		{"claim", "the levels that each type reaches, and a sentence (docs/claims.md)", plain(Claim)},
	}
}

// Formats lists the names that [Write] accepts, each with its purpose.
func Formats() (names, purposes []string) {
	for _, f := range formats() {
		names, purposes = append(names, f.name), append(purposes, f.purpose)
	}
	return names, purposes
}

// Write writes runs in the format of the given name.
func Write(w io.Writer, name string, style hexdump.Style, runs ...*Run) error {
	for _, f := range formats() {
		if f.name == name {
			return f.write(w, style, runs...)
		}
	}
	names, _ := Formats()
	return fmt.Errorf("unknown format %q; the formats are %s", name, strings.Join(names, ", "))
}

// runLabels returns a distinct name for each run: the name of the implementation
// and, where names are equal, the first of these that differs: the language, the
// profiles, the views, the corpus, the file; at last a number.
func runLabels(runs []*Run) []string {
	out, all := make([]string, len(runs)), make([]int, len(runs))
	for i, r := range runs {
		out[i], all[i] = r.Name(), i
	}
	for _, addition := range []func(int) string{
		func(i int) string { return runs[i].Hello.Language },
		func(i int) string {
			if p := runs[i].profiles(); len(p) == 1 {
				return p[0]
			}
			return ""
		},
		func(i int) string { return strings.Join(runs[i].Hello.Views, ", ") },
		func(i int) string { return runs[i].Corpus.String() },
		func(i int) string { return runs[i].Source },
		func(i int) string { return strconv.Itoa(i + 1) },
	} {
		for _, same := range groupBy(all, func(i int) string { return out[i] }) {
			differ := len(groupBy(same, addition)) > 1
			for _, i := range same {
				if a := addition(i); differ && a != "" {
					out[i] += " (" + oneLine(a) + ")"
				}
			}
		}
	}
	return out
}

// A group holds the results of one run under one profile, or under all profiles
// with a named side: a column of a table.
type group struct {
	Run     *Run
	Label   string // distinguishes the run from others
	Profile string // or namedSides
	results []*judge.Result
	// Tallies are by type, by family, and under "" in total.
	Tallies map[string]Tally
}

// namedSides is the profile of the group for all exceptions from observed by one
// side, in a run under observed: see [judge.Options.Profiles].
const namedSides = "named sides"

// columnOf returns the profile of the group to which a profile belongs.
func columnOf(profile string, all []string) string {
	if strings.HasPrefix(profile, ids.SideObserved+",") && strings.Count(profile, ",") == 1 &&
		slices.Contains(all, ids.SideObserved) {
		return namedSides
	}
	return profile
}

// groups returns the columns of all runs.
func groups(runs []*Run) []group {
	var out []group
	for i, label := range runLabels(runs) {
		all := runs[i].profiles()
		column := func(res *judge.Result) string { return columnOf(res.Profile.String(), all) }
		for _, results := range groupBy(runs[i].judged(), column) {
			out = append(out, group{
				Run: runs[i], Label: label, Profile: column(results[0]), results: results, Tallies: talliesOf(results),
			})
		}
	}
	return out
}

func talliesOf(results []*judge.Result) map[string]Tally {
	out := map[string]Tally{}
	for _, r := range results {
		for _, name := range []string{r.Vector.Type, r.Vector.Family(), ""} {
			t := out[name]
			t.Add(r)
			out[name] = t
		}
	}
	return out
}

// A failure is a failure that occurred once or several times in the same way:
// under several profiles, or in several cases derived from one vector.
type failure struct {
	*judge.Result          // the first one
	Profiles      []string // in which it occurred
	sameFailure   []string // id suffixes of the other derived cases
}

// What says what is not as expected.
func (f *failure) What() string { return whatAt(f.Outcome) }

// More says the same, and in how many more cases derived from the vector.
func (f *failure) More() string {
	if n := len(f.sameFailure); n > 0 {
		return fmt.Sprintf("%s (and %d more)", f.What(), n)
	}
	return f.What()
}

// Under names the profiles.
func (f *failure) Under() string { return strings.Join(f.Profiles, "; ") }

// Notes say what explains the failure, and which derived cases failed in the same way.
func (f *failure) Notes() []string {
	same := ""
	if f.sameFailure != nil {
		same = "same failure: " + firstOf(maxSameFailure, f.sameFailure)
	}
	return slices.DeleteFunc([]string{sideSentence(f.Result), acceptableSentence(f.Outcome), same},
		func(s string) bool { return s == "" })
}

// Clauses lists those of the vector except one. The clauses of a derived case are not
// what failed.
func (f *failure) Clauses(except ids.Clause) []*spec.Clause {
	var out []*spec.Clause
	for _, id := range f.Vector.Clauses {
		if c, ok := spec.FindClause(id); ok && id != except && !f.Derived {
			out = append(out, c)
		}
	}
	return out
}

// NotInCorpus reports whether the corpus of this program lacks the vector.
func (f *failure) NotInCorpus() bool { return len(f.Vector.Expect) == 0 }

// Dump returns the input as text.
func (f *failure) Dump() string { return dumpOf(f.Result, "", hexdump.Style{}) }

// failures lists the failures in order. Failures that occurred in the same way
// are one entry. Derived cases follow the vectors: they often have the same
// cause.
func (r *Run) failures() []*failure {
	return r.gather(func(res *judge.Result) bool { return StatusOf(res).Failed() })
}

// gather does that for the results that include selects.
func (r *Run) gather(include func(*judge.Result) bool) []*failure {
	groups := groupBy(r.pick(include), func(res *judge.Result) string {
		parts := []string{res.Vector.ID, string(res.Status), string(res.Class), string(res.Op), string(res.Reason)}
		if res.Derived {
			parts = append(parts, string(res.Rule), "derived")
		} else {
			parts = append(parts, What(res.Outcome), AnswerText(res.Expected), AnswerText(res.Got), res.Side)
		}
		return strings.Join(parts, "\x00")
	})
	var out []*failure
	for _, g := range groups {
		f := &failure{Result: g[0]}
		for _, res := range g {
			f.Profiles = addNew(f.Profiles, res.Profile.String())
			if res.ID != f.ID {
				f.sameFailure = addNew(f.sameFailure, idSuffix(res))
			}
		}
		out = append(out, f)
	}
	putFirst(out, func(f *failure) bool { return !f.Derived })
	return out
}

// pick returns the results that include selects.
func (r *Run) pick(include func(*judge.Result) bool) (out []*judge.Result) {
	for i := range r.Results {
		if include(&r.Results[i]) {
			out = append(out, &r.Results[i])
		}
	}
	return out
}

// judged returns the results of the types that hello does not exclude.
func (r *Run) judged() []*judge.Result {
	return r.pick(func(res *judge.Result) bool { return !leftOut(res) })
}

// groupBy returns the groups of what has the same key, in the order of their first members.
func groupBy[K comparable, T any](all []T, key func(T) K) (out [][]T) {
	at := map[K]int{}
	for _, x := range all {
		k := key(x)
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], x)
	}
	return out
}

// addNew appends what a list does not contain yet.
func addNew[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

// putFirst moves what a function selects to the front. Otherwise the order remains.
func putFirst[T any](list []T, selects func(T) bool) {
	slices.SortStableFunc(list, func(a, b T) int {
		switch {
		case selects(a) == selects(b):
			return 0
		case selects(a):
			return -1
		}
		return 1
	})
}

// A deviation holds the cases that are acceptable for the same reason.
type deviation struct {
	Title string // says what they have in common
	About string // why that is no failure
	Cases []*failure
}

// Counted returns "3 cases".
func (d *deviation) Counted() string { return Plural(len(d.Cases), "case") }

// deviations lists what is acceptable: by choice, then for the other reasons.
func (r *Run) deviations() (out []*deviation) {
	all := r.gather(func(res *judge.Result) bool { return res.Status == judge.Acceptable })
	putFirst(all, func(f *failure) bool { return f.Reason == judge.ByChoice })
	title := func(f *failure) string { title, _ := acceptable(f.Outcome); return title }
	for _, g := range groupBy(all, title) {
		_, about := acceptable(g[0].Outcome)
		out = append(out, &deviation{title(g[0]), about, g})
	}
	return out
}

// idSuffix returns the part of the id of a derived case that follows the
// vector's id.
func idSuffix(r *judge.Result) string { return strings.TrimPrefix(r.ID, r.Vector.ID) }

// A skipGroup holds what was skipped, or left out, for one reason.
type skipGroup struct {
	Word   string // what happened to it: only what was skipped counts
	Reason string
	Types  []string // a family is one entry: see [TypeList]
	Count  int
}

// skips groups the vectors that were skipped or left out by reason. Each profile counts.
func (r *Run) skips() (out []skipGroup) {
	all := r.pick(func(res *judge.Result) bool { return res.Status == judge.Skip && !res.Derived })
	for _, of := range groupBy(all, func(res *judge.Result) string { return What(res.Outcome) }) {
		g := skipGroup{Word: "skipped", Reason: What(of[0].Outcome), Count: len(of)}
		if leftOut(of[0]) {
			g.Word = "left out"
		}
		for _, res := range of {
			g.Types = append(g.Types, res.Vector.Type)
		}
		g.Types = r.typeList(g.Types)
		out = append(out, g)
	}
	return out
}

// typeList lists types of which the run can have more.
func (r *Run) typeList(types []string) []string {
	var all []string
	for i := range r.Results {
		all = append(all, r.Results[i].Vector.Type)
	}
	return TypeList(types, all)
}

// TypeList returns a list of types, each once, in which a family is one entry if types
// contains all of its types in all.
func TypeList(types, all []string) []string {
	lacks := func(t string) bool { return !slices.Contains(types, t) }
	whole := map[string]string{} // the entries of families
	for _, g := range groupBy(slices.Compact(slices.Sorted(slices.Values(all))), spec.FamilyOf) {
		if family := spec.FamilyOf(g[0]); len(g) > 1 && !slices.ContainsFunc(g, lacks) {
			whole[family] = fmt.Sprintf("all of %s (%d types)", family, len(g))
		}
	}
	var out []string
	for _, t := range types {
		out = addNew(out, cmp.Or(whole[spec.FamilyOf(t)], t))
	}
	return out
}
