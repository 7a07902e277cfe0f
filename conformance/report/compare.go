package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/internal/hexdump"
)

// A ChangeKind says how the result of a vector has changed.
type ChangeKind string

const (
	// Broken: it did not fail, and fails; or it passed, and is skipped.
	Broken ChangeKind = "broken"
	// Fixed: it failed, and does not fail: it passes or is acceptable.
	Fixed ChangeKind = "fixed"
	// Changed: another outcome or another class of failure.
	Changed ChangeKind = "changed"
	// New: the older run does not contain it.
	New ChangeKind = "new"
	// Gone: the newer run does not contain it.
	Gone ChangeKind = "gone"
)

// ChangeKinds lists all kinds in the order in which they are shown.
var ChangeKinds = []ChangeKind{Broken, Fixed, Changed, New, Gone}

// A Change is a difference between two runs in one vector, or in the cases that
// are derived from it, under some profiles.
type Change struct {
	Kind     ChangeKind   `json:"kind"`
	Vector   string       `json:"vector"`
	Profiles []string     `json:"profiles"`
	Derived  int          `json:"derived,omitempty"` // the number of derived cases; 0 for the vector itself
	From     judge.Status `json:"from,omitempty"`
	To       judge.Status `json:"to,omitempty"`
	Detail   string       `json:"detail,omitempty"` // of the newer result
}

// A Comparison lists what has changed between two runs.
type Comparison struct {
	Old, New *Run
	Changes  []Change // by kind, then in the order of the results

	withProfile bool // the runs have several profiles
}

// Count returns the number of changes of a kind. A vector counts once for each
// group of profiles, and so do its derived cases.
func (c *Comparison) Count(kind ChangeKind) int { return len(c.Of(kind)) }

// caseKey identifies a case in two runs.
type caseKey struct{ id, profile string }

// results of a run by key. Of derived cases only those that disagree have an id.
type resultIndex struct {
	order   []caseKey
	results map[caseKey]*judge.Result
	derived map[caseKey][]judge.Status // by vector: of its derived cases
}

func (r *Run) index(withProfile bool) *resultIndex {
	x := &resultIndex{results: map[caseKey]*judge.Result{}, derived: map[caseKey][]judge.Status{}}
	for i := range r.Results {
		res := &r.Results[i]
		k := caseKey{id: res.ID}
		if withProfile {
			k.profile = res.Profile.String()
		}
		if res.Derived {
			of := caseKey{res.Vector.ID, k.profile}
			x.derived[of] = append(x.derived[of], res.Status)
			if !res.Status.Disagrees() {
				continue
			}
		}
		if x.results[k] == nil {
			x.order = append(x.order, k)
		}
		x.results[k] = res
	}
	return x
}

// outcome returns the outcome of a case, empty if the run does not contain it.
// A derived case without a result of its own has that of its vector if this was not
// judged. Otherwise it is assumed to have the first status of order that others have.
func (x *resultIndex) outcome(k caseKey, of *judge.Result, order ...judge.Status) (judge.Status, *judge.Result) {
	if r := x.results[k]; r != nil {
		return StatusOf(r), r
	}
	vector := caseKey{of.Vector.ID, k.profile}
	own := x.results[vector]
	found := x.derived[vector]
	switch {
	case !of.Derived || own == nil || found == nil:
		return "", nil
	case own.Status == judge.Skip || own.Status == judge.NotApplicable:
		return StatusOf(own), nil
	}
	for _, status := range order {
		if slices.Contains(found, status) {
			return status, nil
		}
	}
	return judge.Pass, nil
}

// Compare compares two runs case by case. Durations, texts of answers and the
// list of known failures make no difference. Two runs with one profile each are
// compared whatever these profiles are.
func Compare(old, now *Run) *Comparison {
	withProfile := len(old.profiles()) != 1 || len(now.profiles()) != 1
	was, is := old.index(withProfile), now.index(withProfile)
	onlyOld := slices.DeleteFunc(was.order, func(k caseKey) bool { return is.results[k] != nil })
	var changes []Change
	for _, k := range append(is.order, onlyOld...) {
		if c := changeOf(k, was, is); c.Kind != "" {
			changes = append(changes, c)
		}
	}
	var all []Change
	for _, g := range groupBy(changes, Change.shownAs) {
		c := g[0]
		for _, other := range g[1:] {
			c.Profiles = addNew(c.Profiles, other.Profiles[0])
			c.Derived += other.Derived
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b Change) int {
		return cmp.Compare(slices.Index(ChangeKinds, a.Kind), slices.Index(ChangeKinds, b.Kind))
	})
	return &Comparison{old, now, all, withProfile}
}

// shownAs returns what is the same in changes that are shown as one.
func (c Change) shownAs() [5]string {
	detail := c.Detail
	if c.Derived > 0 {
		detail = "#"
	}
	return [...]string{string(c.Kind), c.Vector, string(c.From), string(c.To), detail}
}

// changeOf returns the change of one case; its kind is empty if there is none.
func changeOf(k caseKey, was, is *resultIndex) Change {
	of := cmp.Or(is.results[k], was.results[k])
	// What is assumed neither hides a regression nor calls a failure fixed.
	from, a := was.outcome(k, of, judge.Pass, judge.Skip, judge.NotApplicable)
	to, b := is.outcome(k, of, judge.Skip, judge.Pass, judge.NotApplicable)
	kind := kindOf(from, to, a, b)
	c := Change{Kind: kind, Vector: of.Vector.ID, Profiles: []string{of.Profile.String()}, From: from, To: to}
	if of.Derived {
		c.Derived = 1
		if kind == New && !to.Failed() || kind == Gone {
			c.Kind = ""
		}
	}
	if b != nil && to != judge.Pass {
		c.Detail = oneLine(whatAt(b.Outcome))
	}
	if from == to && a != nil && b != nil && !to.Failed() {
		c.Detail = opsText(a) + ", now " + opsText(b)
	}
	return c
}

func kindOf(from, to judge.Status, a, b *judge.Result) ChangeKind {
	failed := func(o judge.Status) bool { return o.Failed() || o == Known }
	judged := func(o judge.Status) bool { return o != judge.Skip && o != judge.NotApplicable }
	switch {
	case from == "" && to == "":
		return ""
	case from == "":
		return New
	case to == "":
		return Gone
	case failed(from) && !failed(to) && judged(to):
		return Fixed
	case !failed(from) && judged(from) && failed(to), from == judge.Pass && to == judge.Skip:
		return Broken
	case a != nil && b != nil && (from == to || failed(from) && failed(to)) && a.Class == b.Class &&
		(opsText(a) == opsText(b) || a.Op == "" || b.Op == ""): // kept results have no operations
		return ""
	case from != to || failed(from), a != nil && b != nil:
		return Changed
	}
	return ""
}

// opsText lists the operations of a case, each with its status.
func opsText(r *judge.Result) string {
	var out []string
	for _, o := range r.Outcomes {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s", o.Op, o.Status)))
	}
	return strings.Join(out, ", ")
}

// Notes says why the runs may not be comparable.
func (c *Comparison) Notes() []string {
	var out []string
	note := func(what, a, b string) {
		if a != b {
			out = append(out, fmt.Sprintf("%s: %s, then %s", what, cmp.Or(a, "none"), cmp.Or(b, "none")))
		}
	}
	profiles := func(r *Run) string { // without those for named sides
		all := r.profiles()
		return strings.Join(slices.DeleteFunc(slices.Clone(all),
			func(p string) bool { return columnOf(p, all) == namedSides }), "; ")
	}
	note("implementation", c.Old.Name(), c.New.Name())
	note("language", c.Old.Hello.Language, c.New.Hello.Language)
	note("corpus", c.Old.Corpus.String(), c.New.Corpus.String())
	note("Formatgauge", c.Old.Formatgauge, c.New.Formatgauge)
	note("profiles", profiles(c.Old), profiles(c.New))
	note("views", strings.Join(c.Old.Hello.Views, ", "), strings.Join(c.New.Hello.Views, ", "))
	return out
}

// Sum returns "1 broken, 3 fixed; derived cases: 8 fixed". A vector, and each case, counts once
// under each profile.
func (c *Comparison) Sum() string {
	var vectors, derived []string
	for i, k := range ChangeKinds {
		own, cases := 0, 0
		for _, x := range c.Of(k) {
			if cases += x.Derived; x.Derived == 0 {
				own += len(x.Profiles)
			}
		}
		if own > 0 || i < 2 {
			vectors = append(vectors, fmt.Sprintf("%d %s", own, k))
		}
		if cases > 0 {
			derived = append(derived, fmt.Sprintf("%d %s", cases, k))
		}
	}
	text := strings.Join(vectors, ", ")
	if derived != nil {
		text += "; derived cases: " + strings.Join(derived, ", ")
	}
	return text
}

// What says what has changed.
func (c *Change) What() string {
	s := ""
	if c.Derived > 0 {
		s = Plural(c.Derived, "derived case") + ": "
	}
	switch c.Kind {
	case New:
		s += string(c.To)
	case Gone:
		s += string(c.From)
	default:
		s += fmt.Sprintf("%s, now %s", c.From, c.To)
	}
	if c.Detail != "" {
		s += ": " + c.Detail
	}
	return s
}

// Under names the profiles of a change, unless all changes have the same.
func (c *Comparison) Under(x *Change) string {
	if !c.withProfile {
		return ""
	}
	return " under " + strings.Join(x.Profiles, "; ")
}

// Text writes the comparison for a terminal or a log.
func (c *Comparison) Text(w io.Writer, style hexdump.Style) error {
	return writeText(w, style, "comparison", c)
}

// Of lists the changes of a kind.
func (c *Comparison) Of(kind ChangeKind) []*Change {
	var out []*Change
	for i := range c.Changes {
		if c.Changes[i].Kind == kind {
			out = append(out, &c.Changes[i])
		}
	}
	return out
}

// Markdown writes the comparison in GitHub Markdown.
func (c *Comparison) Markdown(w io.Writer) error { return writeMarkdown(w, "comparison", c) }

// Kinds returns [ChangeKinds].
func (c *Comparison) Kinds() []ChangeKind { return ChangeKinds }

// A comparisonJSON is the JSON form of a comparison.
type comparisonJSON struct {
	Old     runJSON            `json:"old"`
	New     runJSON            `json:"new"`
	Notes   []string           `json:"notes,omitempty"`
	Counts  map[ChangeKind]int `json:"counts"`
	Changes []Change           `json:"changes"`
}

type runJSON struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Corpus  Corpus `json:"corpus"`
	Counts  Counts `json:"counts"`
	Derived Counts `json:"derived"`
}

// JSON returns the value of the JSON form.
func (c *Comparison) JSON() any {
	of := func(r *Run) runJSON {
		t := r.Counts()
		return runJSON{r.Hello.Name, r.Hello.Version, r.Corpus, t.Own, t.Derived}
	}
	out := comparisonJSON{
		Old: of(c.Old), New: of(c.New), Notes: c.Notes(), Counts: map[ChangeKind]int{},
		Changes: append([]Change{}, c.Changes...),
	}
	for _, k := range ChangeKinds {
		out.Counts[k] = c.Count(k)
	}
	return out
}
