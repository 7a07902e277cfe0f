// Package report writes what the judge has found: as text, JSON Lines, JUnit,
// Markdown and HTML. It judges nothing.
//
// The JSON Lines are the form to keep: [Read] loads them again, and every
// other form can be made from them later, of several implementations at once.
package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/internal/version"
	"github.com/formatgauge/formatgauge/spec"
)

// A Run is what one implementation made of a corpus.
type Run struct {
	*judge.Report
	Formatgauge string // version of the program that judged
	Corpus      Corpus
	// Cut says that the judge was interrupted: what is missing is unknown.
	Cut bool
	// Listed says that there was a list of known failures, and Disagrees what
	// that list and the results do not agree on.
	Listed    bool
	Disagrees []string
}

// Corpus names the vectors that a run is about.
type Corpus struct {
	Number  int    `json:"number"`  // corpus.Number
	Hash    string `json:"hash"`    // as corpus.Hash gives it
	Vectors int    `json:"vectors"` // all there are, judged or not
}

// NewRun wraps what the judge found on the embedded corpus.
func NewRun(r *judge.Report, cut bool) (*Run, error) {
	c, err := Embedded()
	run := &Run{Report: r, Formatgauge: version.String(), Corpus: c, Cut: cut, Listed: r.Mismatches != nil}
	for _, m := range r.Mismatches {
		run.Disagrees = append(run.Disagrees, m.String())
	}
	return run, err
}

// Embedded describes the corpus of this program.
func Embedded() (Corpus, error) {
	all, err := corpus.All()
	if err != nil {
		return Corpus{}, err
	}
	hash, err := corpus.Digest()
	return Corpus{Number: corpus.Number, Hash: hash, Vectors: len(all)}, err
}

// String names the corpus by its number and the first 12 digits of its hash.
func (c Corpus) String() string {
	_, sum, _ := strings.Cut(c.Hash, ":")
	return fmt.Sprintf("corpus %d (%.12s)", c.Number, sum)
}

// judgedBy names the program that judged, and the corpus.
func (r *Run) judgedBy() string {
	return fmt.Sprintf("judged by Formatgauge %s, %v of %d vectors", r.Formatgauge, r.Corpus, r.Corpus.Vectors)
}

// Name returns the implementation's name and version.
func (r *Run) Name() string { return strings.TrimSpace(r.Hello.Name + " " + r.Hello.Version) }

// Verdict sums a run up in a few words.
func (r *Run) Verdict() string {
	counts, derived := r.counts()
	switch {
	case r.Cut:
		return "interrupted"
	case len(r.Disagrees) > 0:
		return "not as the list of known failures says"
	case r.Conformant():
		return "conformant"
	case r.AsKnown():
		return "not conformant, as the list of known failures says"
	case counts.Bad()+derived.Bad() == 0 && counts.Pass+derived.Pass == 0:
		return "nothing was judged"
	}
	return "not conformant"
}

// AsKnown reports whether something was judged and everything that is bad is
// what the list of known failures says.
func (r *Run) AsKnown() bool { return r.Listed && r.Report.AsKnown() && len(r.Disagrees) == 0 }

// counts returns what became of the vectors and of the cases derived from them.
func (r *Run) counts() (own, derived Counts) {
	for i := range r.Results {
		if c := &r.Results[i]; c.Derived {
			derived.add(OutcomeOf(c))
		} else {
			own.add(OutcomeOf(c))
		}
	}
	return own, derived
}

// profiles lists the profiles of the results in their order.
func (r *Run) profiles() []string {
	var out []string
	for i := range r.Results {
		if p := r.Results[i].Profile.String(); len(out) == 0 || out[len(out)-1] != p && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// Outcome is the status of a case, with the failures apart that are known.
type Outcome string

// Known is a failure that is listed as known.
const Known Outcome = "known"

// Outcomes lists all there are, in the order in which they are shown.
var Outcomes = []Outcome{
	Outcome(judge.Pass), Outcome(judge.Fail), Outcome(judge.Crash), Outcome(judge.Hang), Outcome(judge.Protocol),
	Known, Outcome(judge.Skip), Outcome(judge.Open),
}

// OutcomeOf returns the outcome of a case.
func OutcomeOf(r *judge.Result) Outcome {
	if r.Status.Bad() && r.Known != "" {
		return Known
	}
	return Outcome(r.Status)
}

// Bad reports whether the outcome speaks against the implementation.
func (o Outcome) Bad() bool { return judge.Status(o).Bad() }

// Counts says how many cases came out how.
type Counts struct {
	Pass     int `json:"pass"`
	Fail     int `json:"fail"`
	Crash    int `json:"crash"`
	Hang     int `json:"hang"`
	Protocol int `json:"protocol"`
	Known    int `json:"known"`
	Skip     int `json:"skip"`
	Open     int `json:"open"`
}

func (c *Counts) of(o Outcome) *int {
	switch o {
	case Outcome(judge.Pass):
		return &c.Pass
	case Outcome(judge.Crash):
		return &c.Crash
	case Outcome(judge.Hang):
		return &c.Hang
	case Outcome(judge.Protocol):
		return &c.Protocol
	case Known:
		return &c.Known
	case Outcome(judge.Skip):
		return &c.Skip
	case Outcome(judge.Open):
		return &c.Open
	}
	return &c.Fail
}

func (c *Counts) add(o Outcome) { *c.of(o)++ }

// Get returns the number of one outcome.
func (c Counts) Get(o Outcome) int { return *c.of(o) }

// Bad returns how many cases speak against the implementation.
func (c Counts) Bad() int { return c.Fail + c.Crash + c.Hang + c.Protocol }

// Total returns the number of cases.
func (c Counts) Total() int { return c.Pass + c.Bad() + c.Known + c.Skip + c.Open }

// String tells the counts in words; what is zero is left out, but for passes and failures.
func (c Counts) String() string {
	parts := []string{fmt.Sprintf("%d passed", c.Pass), fmt.Sprintf("%d failed", c.Bad())}
	for _, p := range []struct {
		n    int
		text string
	}{{c.Known, "known to fail"}, {c.Skip, "skipped"}, {c.Open, "open"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.text))
		}
	}
	return strings.Join(parts, ", ")
}

// A format is one way to write runs.
type format struct {
	name  string
	about string
	write func(io.Writer, []*Run, hexdump.Style) error
}

func plain(write func(io.Writer, ...*Run) error) func(io.Writer, []*Run, hexdump.Style) error {
	return func(w io.Writer, runs []*Run, _ hexdump.Style) error { return write(w, runs...) }
}

func formats() []format {
	return []format{
		{"text", "for a terminal or a log, failures first", func(w io.Writer, runs []*Run, style hexdump.Style) error {
			return Text(w, style, runs...)
		}},
		{"jsonl", "JSON Lines to keep, and to make the other forms from", plain(JSONL)},
		{"junit", "JUnit XML, for what shows test results in CI", plain(JUnit)},
		{"markdown", "a summary in GitHub's Markdown", plain(Markdown)},
		{"html", "one page that needs nothing else", plain(HTML)},
	}
}

// Formats lists the names that [Write] takes, each with what it is for.
func Formats() (names, about []string) {
	for _, f := range formats() {
		names, about = append(names, f.name), append(about, f.about)
	}
	return names, about
}

// Write writes runs in the format of the given name.
func Write(w io.Writer, name string, style hexdump.Style, runs ...*Run) error {
	for _, f := range formats() {
		if f.name == name {
			return f.write(w, runs, style)
		}
	}
	names, _ := Formats()
	return fmt.Errorf("no format %q, only %s", name, strings.Join(names, ", "))
}

// labels names runs so that each can be told from the others: by name, with
// the language where names are the same, with a number where that is too.
func labels(runs []*Run) []string {
	out := make([]string, len(runs))
	for i, r := range runs {
		out[i] = r.Name()
	}
	for _, more := range []func(int) string{
		func(i int) string { return runs[i].Hello.Language },
		func(i int) string { return strconv.Itoa(i + 1) },
	} {
		words := map[string]map[string]bool{} // of the runs that share a name
		for i, name := range out {
			if words[name] == nil {
				words[name] = map[string]bool{}
			}
			words[name][more(i)] = true
		}
		for i, name := range slices.Clone(out) {
			if m := more(i); len(words[name]) > 1 && m != "" {
				out[i] = name + " (" + m + ")"
			}
		}
	}
	return out
}

// A group is the results of one run under one profile: a column of a table.
type group struct {
	run     *Run
	label   string // tells the run from the others
	profile string
	results []*judge.Result
}

// groups lists the columns of all runs.
func groups(runs []*Run) []group {
	var out []group
	names := labels(runs)
	for k, r := range runs {
		at := map[string]int{}
		for _, p := range r.profiles() {
			at[p] = len(out)
			out = append(out, group{run: r, label: names[k], profile: p})
		}
		for i := range r.Results {
			g := &out[at[r.Results[i].Profile.String()]]
			g.results = append(g.results, &r.Results[i])
		}
	}
	return out
}

// count returns what became of the vectors, and of the derived cases, that are wanted.
func (g *group) count(want func(*judge.Result) bool) (own, derived Counts) {
	for _, r := range g.results {
		switch {
		case !want(r):
		case r.Derived:
			derived.add(OutcomeOf(r))
		default:
			own.add(OutcomeOf(r))
		}
	}
	return own, derived
}

// families lists the families that results are about, in their usual order.
func families(runs []*Run) []*spec.Family {
	seen := map[string]bool{}
	for _, r := range runs {
		for i := range r.Results {
			seen[r.Results[i].Vector.Family()] = true
		}
	}
	var out []*spec.Family
	for _, f := range spec.Families() {
		if seen[f.Name] {
			out = append(out, f)
		}
	}
	return out
}

// A failure is what went wrong in the same way: under several profiles, or in
// several cases derived from one vector.
type failure struct {
	*judge.Result          // the first of them
	profiles      []string // that share it
	likewise      []string // other derived cases, as what their ids have beside the vector's
}

// failures gathers what is bad, in order; what went wrong in the same way is
// told once. Derived cases come behind the vectors: who mends a vector may
// have mended them.
func (r *Run) failures() []*failure {
	var own, derived []*failure
	at := map[string]*failure{}
	for i := range r.Results {
		res := &r.Results[i]
		if !OutcomeOf(res).Bad() {
			continue
		}
		key := strings.Join([]string{res.Vector.ID, string(res.Status), string(res.Class), string(res.Op), res.Detail, res.Want, res.Got, res.Side}, "\x00")
		if res.Derived {
			key = strings.Join([]string{res.Vector.ID, "", string(res.Rule), string(res.Status), string(res.Class), string(res.Op)}, "\x00")
		}
		f := at[key]
		if f == nil {
			f = &failure{Result: res}
			at[key] = f
			if res.Derived {
				derived = append(derived, f)
			} else {
				own = append(own, f)
			}
		}
		if p := res.Profile.String(); !slices.Contains(f.profiles, p) {
			f.profiles = append(f.profiles, p)
		}
		if tail := tailOf(res); res.ID != f.ID && !slices.Contains(f.likewise, tail) {
			f.likewise = append(f.likewise, tail)
		}
	}
	return append(own, derived...)
}

// tailOf is what a derived case's id has beside its vector's.
func tailOf(r *judge.Result) string { return strings.TrimPrefix(r.ID, r.Vector.ID) }

// A skipGroup is what was left out for one reason.
type skipGroup struct {
	reason string
	types  []string
	count  int
}

// skips gathers which vectors a run left out, by reason. Each profile counts.
func (r *Run) skips() []skipGroup {
	var out []skipGroup
	at := map[string]int{}
	for i := range r.Results {
		res := &r.Results[i]
		if res.Status != judge.Skip || res.Derived {
			continue
		}
		k, ok := at[res.Detail]
		if !ok {
			k = len(out)
			at[res.Detail] = k
			out = append(out, skipGroup{reason: res.Detail})
		}
		g := &out[k]
		g.count++
		if !slices.Contains(g.types, res.Vector.Type) {
			g.types = append(g.types, res.Vector.Type)
		}
	}
	return out
}

// inWords lists the types; a family that is left out whole is named once.
func (g *skipGroup) inWords(r *Run) []string {
	all := map[string][]string{}
	for i := range r.Results {
		v := r.Results[i].Vector
		if !slices.Contains(all[v.Family()], v.Type) {
			all[v.Family()] = append(all[v.Family()], v.Type)
		}
	}
	var out []string
	whole := map[string]bool{}
	for _, t := range g.types {
		family, _, _ := strings.Cut(t, ".")
		types := all[family]
		missing := slices.ContainsFunc(types, func(t string) bool { return !slices.Contains(g.types, t) })
		switch {
		case len(types) == 1 || missing:
			out = append(out, t)
		case !whole[family]:
			whole[family] = true
			out = append(out, fmt.Sprintf("all of %s (%d types)", family, len(types)))
		}
	}
	return out
}

// unknown reports whether the corpus of this program lacks a vector that
// results are about.
func unknown(v *corpus.Vector) bool { return len(v.Expect) == 0 }
