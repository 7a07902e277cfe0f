package site

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/find"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

// tally shows the counts of one subject.
type tally struct{ report.Tally }

// Failed counts the vectors that failed.
func (t *tally) Failed() int { return failed(&t.Own) }

func failed(c *report.Counts) int { return c.Failed() + (*c)[report.Known] }

func (p *tallyPart) failed() bool { return p.Class == "reject" }

// tallyPart is a number of a tally with its sign and word.
type tallyPart struct {
	Class, Sign, Word string
	N                 int
	order             int
}

// Parts returns the numbers above zero. A sign and a word say what a colour says.
func (t *tally) Parts() []tallyPart { return parts(&t.Own) }

// DerivedParts does that for derived cases.
func (t *tally) DerivedParts() []tallyPart { return parts(&t.Derived) }

// DerivedFailed returns the failures among derived cases.
func (t *tally) DerivedFailed() int { return failed(&t.Derived) }

// DerivedShort says how many of the derived cases with a verdict passed.
func (t *tally) DerivedShort() string {
	c := &t.Derived
	if all := c.Judged(); all > 0 {
		return fmt.Sprintf("and %d of %d derived cases", (*c)[judge.Pass], all)
	}
	return ""
}

func parts(c *report.Counts) (out []tallyPart) {
	for _, p := range []tallyPart{
		{"accept", "✓", "passed", (*c)[judge.Pass], 0},
		{"reject", "✗", "failed", failed(c), 1},
		{"noncanonical", "≠", "acceptable", (*c)[judge.Acceptable], 2},
		{"soft", "−", "skipped", (*c)[judge.Skip], 3},
		{"soft", "?", "not applicable", (*c)[judge.NotApplicable], 4},
	} {
		if p.N > 0 {
			out = append(out, p)
		}
	}
	return out
}

// implementation is a judged implementation as its page shows it.
type implementation struct {
	*report.Kept
	All        tally
	Families   map[string]*tally
	Structures []*judged
	Clauses    []*judged
	Flags      []*judged
	byID       map[string]*judged
	Sides      []*takenSide
	Deviating  []*verdictGroup
	Unjudged   []*unjudged
	Faults     []*fault
}

// judged is a structure, clause or flag with the results of its vectors.
type judged struct {
	ID      string
	By      *implementation
	Address string // where the site describes it; empty if the records no longer have it
	Place   string // where the site lists its vectors
	tally
	Lists []*resultList
	Whole bool // all vectors of the corpus passed: the page of the clause lists them
}

// resultList lists the vectors with one outcome.
type resultList struct {
	tallyPart
	Vectors []*corpus.Vector
}

// Open reports whether a page shows the vectors at once.
func (l *resultList) Open() bool { return l.Word != "passed" && l.Word != "skipped" && l.N < 6 }

// takenSide is the side of a flag that an implementation declares and shows.
type takenSide struct {
	Flag            *spec.Flag
	Declared, Shown string
	Agree           int
}

// Other reports whether the answers show a side that is not the declared one.
func (s *takenSide) Other() bool { return s.Shown != "" && s.Shown != s.Declared }

// verdictGroup contains what did not pass in a structure.
type verdictGroup struct {
	Structure string
	Entries   []*deviation
}

// deviation is a vector that failed or is acceptable.
type deviation struct {
	*corpus.Vector
	tallyPart
	By      *implementation
	What    string
	Expects string // the verdict under the profile
	Choices []string
	Side    string
	count   report.Counts
	Derived []tallyPart // of the cases derived from it, unless all passed
}

// unjudged contains the vectors without a verdict for one reason.
type unjudged struct {
	tallyPart
	Reason  string
	Vectors []*corpus.Vector
}

// Ours reports whether this project wrote the implementation.
func (m *implementation) Ours() bool { return strings.HasPrefix(m.URL, repository+"/") }

// Page returns the path of its page.
func (m *implementation) Page() string { return "implementations/" + m.Name + ".html" }

// BadgeFile returns the path of its badge.
func (m *implementation) BadgeFile() string { return "implementations/" + m.Name + ".svg" }

// Verdict begins a sentence.
func (m *implementation) Verdict() string {
	verdict := m.Run.Verdict()
	return strings.ToUpper(verdict[:1]) + verdict[1:]
}

// Short shortens a revision.
func (m *implementation) Short() string { return m.Revision[:7] }

// Exceptions returns the number of sides that are not those of the base profile.
func (m *implementation) Exceptions() int {
	return strings.Count(m.Run.Results[0].Profile.String(), ",")
}

// keptRuns reads the files NAME.json of a folder, by name.
func keptRuns(files fs.FS, folder string) (out []*report.Kept, err error) {
	paths, err := fs.Glob(files, folder+"/*.json")
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		text, err := fs.ReadFile(files, p)
		if err != nil {
			return nil, err
		}
		k, err := report.ReadKept(bytes.NewReader(text))
		if err == nil && p != path.Join(folder, k.Name+".json") {
			err = fmt.Errorf("it contains %s", k.Name)
		}
		if err == nil && len(k.Run.Results) == 0 {
			err = fmt.Errorf("it has no results")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		out = append(out, k)
	}
	return out, nil
}

// judge prepares what pages show of runs. Other pages name who fails.
func (s *site) judge(runs []*report.Kept) {
	s.failing = map[string][]*deviation{}
	for _, k := range runs {
		m := s.implementation(k)
		s.judged = append(s.judged, m)
		for _, g := range m.Deviating {
			for _, d := range g.Entries {
				if d.failed() {
					s.failing[d.ID] = append(s.failing[d.ID], d)
				}
			}
		}
		s.findFaults(m)
	}
}

// matrixGroup contains the implementations of others or of this project.
type matrixGroup struct {
	Title, ID, About string
	List             []*implementation
}

// familyMatrix is what the page of the implementations of a family shows.
type familyMatrix struct {
	Family *family
	All    []*implementation
	Tables []*matrixTable
}

// matrixTable contains the results of the clauses of a structure, or of all flags.
type matrixTable struct {
	Title, ID, Kind string
	Rows            []*matrixRow
}

// matrixRow contains the results of a structure, a clause or a flag, in the order of the
// columns: nil where there are none.
type matrixRow struct {
	ID, Address, Text string
	Cells             []*judged
}

// Target returns where the vectors are.
func (j *judged) Target() string {
	if j.Whole {
		return j.Place
	}
	return j.By.Page() + "#" + j.ID
}

// Worst is the outcome that a cell shows: failures before what is acceptable, and
// vectors without a verdict only if there is nothing else. Derived cases are shown only if
// they fail and no vector does.
func (j *judged) Worst() tallyPart {
	all, derived := j.Parts(), j.DerivedFailed()
	i := slices.IndexFunc(all, func(p tallyPart) bool {
		return p.failed() || p.Class == "noncanonical" && derived == 0
	})
	if i < 0 && derived > 0 {
		return tallyPart{Class: "reject", Sign: "✗", Word: derivedFailed, N: derived}
	}
	return all[max(i, 0)]
}

// derivedFailed is the word for a subject of which only derived cases fail.
const derivedFailed = "derived failed"

// Short is the text of a cell.
func (j *judged) Short() string {
	switch w := j.Worst(); {
	case w.Word == derivedFailed:
		return fmt.Sprintf("%s %d derived", w.Sign, w.N)
	case w.N < j.Own.Total():
		return fmt.Sprintf("%s %d of %d", w.Sign, w.N, j.Own.Total())
	default:
		return fmt.Sprintf("%s %d", w.Sign, w.N)
	}
}

// Words lists the outcomes in the row.
func (r *matrixRow) Words() string {
	var out []string
	for _, j := range r.Cells {
		if j == nil {
			continue
		}
		for _, p := range j.Parts() {
			if !slices.Contains(out, p.Word) {
				out = append(out, p.Word)
			}
		}
		if j.DerivedFailed() > 0 && !slices.Contains(out, "failed") {
			out = append(out, "failed")
		}
	}
	return strings.Join(out, ",")
}

// writeImplementations writes the matrix of results, for each family that by clause
// and flag, a page for each implementation, and the faults of all.
func (s *site) writeImplementations() {
	groups := []*matrixGroup{
		{Title: "Readers that others wrote", ID: "others", About: "The adapters are ours, the readers are used " +
			"unchanged. A failure is a difference between the reader and this corpus under the profile and in the views " +
			"that its adapter declares."},
		{Title: "Examples of this project", ID: "examples", About: "Adapters in two languages, each written only from " +
			"the records."},
	}
	for _, x := range s.judged {
		g := groups[0]
		if x.Ours() {
			g = groups[1]
		}
		g.List = append(g.List, x)
		s.write("implementation", x.Page(), "Results of "+x.Name, "implementations", x)
		var badge bytes.Buffer
		s.check(report.Badge(&badge, x.Run))
		s.add(x.BadgeFile(), badge.String())
	}
	for _, f := range s.families {
		s.writeFamilyMatrix(f, slices.Concat(groups[0].List, groups[1].List))
	}
	s.write("faults", "faults.html", "Faults found", "faults", s.judged)
	groups = slices.DeleteFunc(groups, func(g *matrixGroup) bool { return len(g.List) == 0 })
	s.write("implementations", "implementations.html", "Implementations", "implementations", groups)
}

// writeFamilyMatrix writes the results of a family by clause and flag.
func (s *site) writeFamilyMatrix(f *family, all []*implementation) {
	m := &familyMatrix{Family: f}
	for _, x := range all {
		if x.Families[f.Name] != nil {
			m.All = append(m.All, x)
		}
	}
	glance := &matrixTable{Title: "At a glance", ID: "glance", Kind: "structure"}
	for _, st := range f.Structures {
		m.addRow(glance, st.Name, f.Name+"/implementations.html#"+st.Short(), st.Title)
	}
	m.addTable(glance)
	for _, st := range f.Structures {
		table := &matrixTable{Title: st.Name, ID: st.Short(), Kind: "clause"}
		for _, c := range st.Clauses {
			m.addRow(table, string(c.ID), clauseAddress(c), c.Text)
		}
		m.addTable(table)
	}
	table := &matrixTable{Title: "Flags", ID: "flags", Kind: "flag"}
	for i := range f.Flags {
		m.addRow(table, string(f.Flags[i].ID), flagPage(f.Flags[i].ID), f.Flags[i].Observed)
	}
	m.addTable(table)
	s.write("matrix", f.Name+"/implementations.html", "Implementations of "+f.Name, "implementations", m)
}

func (m *familyMatrix) addTable(t *matrixTable) {
	if len(t.Rows) > 0 {
		m.Tables = append(m.Tables, t)
	}
}

// maxTitle is the number of characters of a text beside an id.
const maxTitle = 90

func (m *familyMatrix) addRow(t *matrixTable, id, address, text string) {
	row := &matrixRow{ID: id, Address: address, Text: page.Cut(text, maxTitle)}
	for _, x := range m.All {
		row.Cells = append(row.Cells, x.byID[id])
	}
	if slices.ContainsFunc(row.Cells, func(j *judged) bool { return j != nil }) {
		t.Rows = append(t.Rows, row)
	}
}

// implementation prepares what the pages show of the run of an implementation.
func (s *site) implementation(k *report.Kept) *implementation {
	m := &implementation{Kept: k, All: tally{k.Run.Counts()}, Families: map[string]*tally{}, byID: map[string]*judged{}}
	subjects := map[*corpus.Vector][]*judged{}
	for i := range k.Run.Results {
		r := &k.Run.Results[i]
		if m.Families[r.Vector.Family()] == nil {
			m.Families[r.Vector.Family()] = &tally{}
		}
		m.Families[r.Vector.Family()].Add(r)
		if !r.Derived {
			subjects[r.Vector] = m.subjects(r.Vector)
			m.list(r, subjects[r.Vector])
		} else if g := m.Deviating; len(g) > 0 {
			if d := g[len(g)-1].last(); d.ID == r.Vector.ID {
				d.count.Add(report.StatusOf(r))
				if d.count[judge.Pass] < d.count.Total() {
					d.Derived = parts(&d.count)
				}
			}
		}
		for _, j := range subjects[r.Vector] {
			j.Add(r)
		}
	}
	for _, j := range m.byID {
		slices.SortFunc(j.Lists, func(a, b *resultList) int { return a.order - b.order })
		j.Whole = j.Own[judge.Pass] > 0 && j.Own[judge.Pass] == j.Own.Total() &&
			j.Own[judge.Pass] == len(s.shown[j.ID])
	}
	s.arrange(m)
	m.takenSides()
	return m
}

// subjects returns the structure of a vector, and those of its clauses and flags that the
// records still have.
func (m *implementation) subjects(v *corpus.Vector) (out []*judged) {
	for i, id := range find.Subjects(v) {
		j := m.byID[id]
		if j == nil {
			address, _ := placeOf(id, false)
			if address == "" && i > 0 {
				continue
			}
			j = &judged{ID: id, By: m, Address: address}
			m.byID[id] = j
		}
		out = append(out, j)
	}
	return out
}

// arrange lists the subjects in the order of the records. Structures that the records no longer
// have come first.
func (s *site) arrange(m *implementation) {
	for _, id := range slices.Sorted(maps.Keys(m.byID)) {
		if j := m.byID[id]; j.Address == "" {
			m.Structures = append(m.Structures, j)
		}
	}
	take := func(list *[]*judged, id, place string) {
		if j := m.byID[id]; j != nil {
			j.Place = place
			*list = append(*list, j)
		}
	}
	for _, f := range s.families {
		for _, st := range f.Structures {
			take(&m.Structures, st.Name, vectorsPage(st.Name))
			for _, c := range st.Clauses {
				take(&m.Clauses, string(c.ID), clauseAddress(c))
			}
		}
		for i := range f.Flags {
			take(&m.Flags, string(f.Flags[i].ID), flagPage(f.Flags[i].ID)+"#vectors")
		}
	}
}

// list enters the result of a vector in the lists.
func (m *implementation) list(r *judge.Result, subjects []*judged) {
	var c report.Counts
	c.Add(report.StatusOf(r))
	p := parts(&c)[0]
	for _, j := range subjects {
		i := slices.IndexFunc(j.Lists, func(l *resultList) bool { return l.Word == p.Word })
		if i < 0 {
			i = len(j.Lists)
			j.Lists = append(j.Lists, &resultList{tallyPart: p})
		}
		j.Lists[i].Vectors = append(j.Lists[i].Vectors, r.Vector)
		j.Lists[i].N = len(j.Lists[i].Vectors)
	}
	switch r.Status {
	case judge.Pass:
	case judge.Skip, judge.NotApplicable:
		i := slices.IndexFunc(m.Unjudged, func(u *unjudged) bool { return u.Word == p.Word && u.Reason == r.Message })
		if i < 0 {
			i = len(m.Unjudged)
			m.Unjudged = append(m.Unjudged, &unjudged{tallyPart: p, Reason: r.Message})
		}
		m.Unjudged[i].Vectors = append(m.Unjudged[i].Vectors, r.Vector)
	default:
		if n := len(m.Deviating); n == 0 || m.Deviating[n-1].Structure != r.Vector.Structure() {
			m.Deviating = append(m.Deviating, &verdictGroup{Structure: r.Vector.Structure()})
		}
		g := m.Deviating[len(m.Deviating)-1]
		d := &deviation{Vector: r.Vector, tallyPart: p, By: m, What: r.Message, Side: r.Side}
		if e := judge.Verdict(r.Vector, r.Profile); e != nil {
			d.Expects = e.Short()
		}
		for _, c := range r.Choices {
			d.Choices = append(d.Choices, c.By)
		}
		g.Entries = append(g.Entries, d)
	}
}

func (g *verdictGroup) last() *deviation { return g.Entries[len(g.Entries)-1] }

// takenSides lists the flags of which the implementation declares another side than
// the base profile, or whose side its answers show.
func (m *implementation) takenSides() {
	p := m.Run.Results[0].Profile
	for _, flag := range spec.Flags() {
		if !flag.Switchable() {
			continue
		}
		side := &takenSide{Flag: flag, Declared: p.Side(flag.ID)}
		for _, shown := range m.Kept.Sides {
			if shown.Flag == flag.ID {
				side.Shown, side.Agree = shown.Side, shown.Agree
			}
		}
		if side.Shown != "" || p.Departs(flag.ID) {
			m.Sides = append(m.Sides, side)
		}
	}
}

// Known reports whether the corpus has a vector.
func (p *sheet) Known(v *corpus.Vector) bool { _, ok := corpus.Find(v.ID); return ok }

// Corpus names the corpus of a run, and says whether the site has another one.
func (p *sheet) Corpus(k *report.Kept) string {
	if k.Run.Corpus.Hash != p.digest {
		return k.Run.Corpus.String() + "; this site shows another one"
	}
	return k.Run.Corpus.String()
}

// Types lists the types that an implementation reads, families that are complete as
// one entry.
func (m *implementation) Types() []string {
	var all, listed []string
	for _, t := range codec.Types() {
		all = append(all, t.Name)
		if m.Run.Hello.Lists(t.Name) {
			listed = append(listed, t.Name)
		}
	}
	return report.TypeList(listed, all)
}
