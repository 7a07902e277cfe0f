package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec"
)

// Level is a capability of an implementation for a type. docs/claims.md defines the levels.
type Level int

const (
	// Decodes: valid input decodes to the expected tree.
	Decodes Level = iota
	// Rejects: invalid input is rejected as expected.
	Rejects
	// Identical: canonical input is encoded to the same bytes after decoding.
	Identical
	// Canonical: every value is encoded in canonical form, and a value without an encoding
	// is rejected.
	Canonical
	levelCount
)

// String returns the name of a level.
func (l Level) String() string { return [...]string{"decode", "rejects", "identical", "canonical"}[l] }

// Levels holds the numbers of the vectors of a type that test each level.
type Levels struct {
	Type   string
	Counts [levelCount]Counts
}

// Reached lists the levels of which at least one vector passed, and none failed or was skipped.
func (t *Levels) Reached() (out []Level) {
	for l, n := range t.Counts {
		if n[judge.Pass] > 0 && n.Failed()+n[judge.Skip] == 0 {
			out = append(out, Level(l))
		}
	}
	return out
}

// skippedType is what a claim says of a type of which each vector that tests a level was skipped.
const skippedType = "Skipped"

// claimed says which levels are reached.
func (t *Levels) claimed() string {
	all, skips := 0, 0
	for _, n := range t.Counts {
		all, skips = all+n.Total(), skips+n[judge.Skip]
	}
	reached := strings.ReplaceAll(strings.Trim(fmt.Sprint(t.Reached()), "[]"), " ", ", ")
	switch {
	case all > 0 && all == skips:
		return skippedType
	case reached == "":
		return "No level"
	}
	return strings.ToUpper(reached[:1]) + reached[1:]
}

// Levels counts the vectors of each type by level, in the order of the list of types. A list of
// known failures and derived cases make no difference.
func (r *Run) Levels() (out []*Levels) {
	of := map[string]*Levels{}
	for i := range r.Results {
		res := &r.Results[i]
		if res.Derived {
			continue
		}
		if of[res.Vector.Type] == nil {
			of[res.Vector.Type] = &Levels{Type: res.Vector.Type}
		}
		of[res.Vector.Type].add(res, r.Hello.Operations)
	}
	for _, t := range codec.Types() {
		if n := of[t.Name]; n != nil {
			out = append(out, n)
		}
	}
	return out
}

// add counts a vector at the levels that it tests.
func (t *Levels) add(r *judge.Result, ops []adapter.Op) {
	roundtrips := slices.Contains(ops, adapter.OpRoundtrip)
	count := func(l Level, asked ...adapter.Op) {
		if s := worst(r, ops, asked); s != judge.NotApplicable {
			t.Counts[l].Add(s)
		}
	}
	written, verdict := []adapter.Op{adapter.OpEncode}, judge.Verdict(r.Vector, r.Profile)
	switch {
	case r.Vector.EncodeOnly():
		count(Canonical, adapter.OpEncode)
	case verdict == nil:
	case verdict.Outcome == corpus.Reject:
		count(Rejects, adapter.OpDecode)
	default:
		count(Decodes, adapter.OpDecode)
		switch accepted := verdict.Outcome == corpus.Accept; {
		case accepted && roundtrips:
			count(Identical, adapter.OpRoundtrip)
		case accepted:
			count(Identical, adapter.OpEncode)
		case roundtrips:
			written = append(written, adapter.OpRoundtrip)
		}
		count(Canonical, written...)
	}
}

// worst returns the status of some operations that counts most against an implementation.
func worst(r *judge.Result, listed, asked []adapter.Op) judge.Status {
	order := []judge.Status{judge.NotApplicable, judge.Pass, judge.Acceptable, judge.Skip}
	n := 0
	for _, op := range asked {
		s := statusAt(r, op, listed)
		if s.Failed() {
			return s
		}
		n = max(n, slices.Index(order, s))
	}
	return order[n]
}

// statusAt returns the status of an operation. What was not asked for is skipped, unless a view
// leaves nothing to compare: then no other operation has stopped the case.
func statusAt(r *judge.Result, op adapter.Op, listed []adapter.Op) judge.Status {
	for _, o := range r.Outcomes {
		switch {
		case o.Op != op:
		case o.Reason == judge.LostPart && !o.Status.Failed():
			return judge.NotApplicable
		default:
			return o.Status
		}
	}
	last := r.Outcomes[len(r.Outcomes)-1]
	stopped := last.Status == judge.Skip || slices.Contains([]judge.Class{
		judge.Crashed, judge.TimedOut, judge.BrokeProtocol, judge.Flaky,
	}, last.Class)
	if !stopped && (last.Op == "" || slices.Contains(listed, op)) {
		return judge.NotApplicable
	}
	return judge.Skip
}

// Claim writes how far each run conforms, under each of its profiles: the levels of each type as
// a table, and all as a sentence.
func Claim(w io.Writer, runs ...*Run) error {
	var b strings.Builder
	for _, r := range runs {
		all := r.profiles()
		vectors := r.pick(func(x *judge.Result) bool {
			return !x.Derived && columnOf(x.Profile.String(), all) != namedSides
		})
		for _, g := range groupBy(vectors, func(x *judge.Result) string { return x.Profile.String() }) {
			own := *r
			own.Report = &judge.Report{Hello: r.Hello}
			for _, x := range g {
				if x.Op == "" && x.Status == judge.Pass {
					return fmt.Errorf("%s: kept results have no operations, of which the levels consist", r.Name())
				}
				own.Results = append(own.Results, *x)
			}
			own.claim(&b)
		}
	}
	_, err := io.WriteString(w, printable.Text(b.String()))
	return err
}

func (r *Run) claim(b *strings.Builder) {
	types := r.Levels()
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "type")
	for l := range levelCount {
		fmt.Fprintf(table, "\t%v", l)
	}
	var all []string
	for _, t := range types {
		all = append(all, t.Type)
		if t.claimed() == skippedType {
			continue
		}
		fmt.Fprint(table, "\n"+t.Type)
		for _, n := range t.Counts {
			fmt.Fprint(table, "\t"+levelText(n))
		}
	}
	table.Flush() // into memory
	var own Counts
	for i := range r.Results {
		own.Add(r.Results[i].Status)
	}
	verb := "conforms"
	if !r.Conformant() {
		verb = "does not conform"
	}
	fmt.Fprintf(b, "\n\n%s %s to Formatgauge %s%s, corpus %d (%s), profile %s; %d vectors, %v.", r.Name(), verb,
		r.Formatgauge, spec.InViews(r.Hello.Views), r.Corpus.Number, r.Corpus.Hash, r.Results[0].Profile, r.Corpus.Vectors,
		own)
	groups := groupBy(types, (*Levels).claimed)
	putFirst(groups, func(g []*Levels) bool { return g[0].claimed() != skippedType })
	for _, g := range groups {
		var names []string
		for _, t := range g {
			names = append(names, t.Type)
		}
		fmt.Fprintf(b, " %s: %s.", g[0].claimed(), strings.Join(TypeList(names, all), ", "))
	}
	b.WriteString("\n")
}

// levelText says whether a level is reached, and with how many vectors.
func levelText(n Counts) string {
	switch {
	case n.Total() == 0:
		return "-"
	case n.Failed() > 0:
		return fmt.Sprintf("%d of %d fail", n.Failed(), n.Total())
	case n[judge.Skip] > 0:
		return fmt.Sprintf("%d of %d skipped", n[judge.Skip], n.Total())
	}
	word, s := "yes", fmt.Sprint(n[judge.Pass])
	if n[judge.Pass] == 0 {
		word = "no"
	}
	if k := n[judge.Acceptable]; k > 0 {
		s += fmt.Sprintf(", %d acceptable", k)
	}
	return word + " (" + s + ")"
}

// Gaps says what a run lacks to be a claim: it judges each vector of the corpus of this program
// once, under one profile.
func (r *Run) Gaps() (out []string) {
	here := Embedded()
	vectors, err := corpus.All()
	switch {
	case err != nil:
		return []string{err.Error()}
	case r.Interrupted:
		return []string{"the run was interrupted"}
	case len(r.profiles()) != 1:
		return []string{fmt.Sprintf("expected one profile, found %d", len(r.profiles()))}
	case r.Corpus != here:
		return []string{fmt.Sprintf("the run is on %v of %d vectors, this program has %v of %d", r.Corpus, r.Corpus.Vectors,
			here, here.Vectors)}
	}
	results := map[string]int{}
	for i := range r.Results {
		if !r.Results[i].Derived {
			results[r.Results[i].ID]++
		}
	}
	for _, v := range vectors {
		if n := results[v.ID]; n != 1 {
			out = append(out, fmt.Sprintf("%s: %s, expected 1", v.ID, Plural(n, "result")))
		}
		delete(results, v.ID)
	}
	for id := range results {
		out = append(out, id+": not in the corpus")
	}
	slices.Sort(out)
	return out
}
