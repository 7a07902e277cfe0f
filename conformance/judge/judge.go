// Package judge runs vectors, and cases derived from them, against an
// implementation. Each case gets a definite result. The package prints nothing.
//
// An acceptable answer to what only a choice of this reference demands is a tree of
// the type's schema that differs from the expected one only at paths and as far as the
// record of the choice leaves it open, or a rejection that the record permits. If
// accepting is open, but nothing states the value, there is no verdict. An
// implementation that declares a side has to follow it, also if it is a choice. A
// derived case inherits this from its vector if the implementation rejects the vector.
// What cannot be read back is no choice: a writer fails if its bytes are read as
// another value.
//
// Requests stand alone: they are shuffled with a fixed seed, and a context with
// default values is sent in both forms, so that state between requests shows. The
// results keep the order of the vectors.
//
// Unless it equals the expected tree as it is, an answer is converted to the model and
// back before the comparison, so that 0.50 and 0.5 are one number and an omitted field
// is null. An integer has only one form, so that a reader that computes with doubles
// shows its -0. Floats are compared bit by bit; nan without digits in a vector matches
// any NaN.
//
// What explains a difference is looked for here, while the whole answer is known:
// another side, a view, a parameter of the context, another answer when the case is
// repeated alone.
package judge

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Result is the result of one case under one profile.
type Result struct {
	// ID is the id of the vector; the id of a derived case begins with it.
	ID      string
	Vector  *corpus.Vector
	Profile ids.Profile
	// Outcomes are those of the operations that were asked for, or one without an
	// operation if nothing was. After a skip, and after a request without an answer, no
	// other operation is asked for.
	Outcomes []Outcome
	// Outcome is the one of these that decides: see [Decisive].
	*Outcome
	// Derived reports whether a rule derived the case from a vector.
	Derived bool
	// Rule is that rule, and Edit what it changed; empty unless Derived.
	Rule Rule
	Edit *Edit
	// Input is the decoded input: the bytes of the vector, or of the derived
	// case, of which it is nil if the case passes.
	Input []byte
	// Context is the context of the type: that of the vector or of the derived
	// case.
	Context map[string]string
	// Known is the reason from the list of known failures; "listed" if the list
	// gives no reason; empty if the failure is not listed.
	Known string
	// Duration is the time between the preceding answers and those of this case, to
	// the microsecond. Comparisons ignore it.
	Duration time.Duration
}

// Options choose what is judged, and how. The zero value judges everything.
type Options struct {
	// Profiles under which an implementation that follows any profile is judged.
	// If empty, these are documented, observed and, unless there are Sides, each
	// side with another name as an exception from observed. Such an exception is
	// judged by the vectors that list its flag, without derived cases.
	Profiles []ids.Profile
	// Profile, if not nil, replaces the profile that the implementation declares.
	Profile *ids.Profile
	// Sides are exceptions from the profile, each as flag=side.
	Sides []string
	// Filter excludes the vectors for which it returns false, and their derived
	// cases.
	Filter func(*corpus.Vector) bool
	// NoDerived excludes derived cases.
	NoDerived bool
	// FailAcceptable turns Acceptable into Fail.
	FailAcceptable bool
	// Jobs is the number of implementations that work in parallel, if the given
	// one is an [adapter.Forker]; 0 means 1, and 4 after the first hang.
	Jobs int
	// Known lists expected failures.
	Known *Known
	// Progress, if not nil, is called from time to time with the number of cases.
	Progress func(done, total int)
}

// A Report holds the results of a run.
type Report struct {
	Hello   adapter.Hello
	Results []Result // by profile, then in the order of the vectors
	// Planned is the number of results of a run that is not interrupted.
	Planned int
	// Fit is set by the caller if it has asked for it; see [FindFit].
	Fit *Fit
	// Mismatches between the list of known failures and the results; nil if no
	// list was given.
	Mismatches []Mismatch

	// excluded reports whether an entry of the list of known failures matches
	// cases that the options exclude.
	excluded func(*Entry) bool
}

// Count returns how many results have one of the statuses.
func (r *Report) Count(statuses ...Status) int {
	n := 0
	for i := range r.Results {
		if slices.Contains(statuses, r.Results[i].Status) {
			n++
		}
	}
	return n
}

// SkippedListed returns the types that hello lists in types and not in skips, and of
// which the implementation has skipped some cases, and the operations that it skipped
// after the first one of a case. The number of these cases includes derived cases.
func (r *Report) SkippedListed() (types, ops []string, cases int) {
	for i := range r.Results {
		typ, found := r.Results[i].Vector.Type, false
		for k, o := range r.Results[i].Outcomes {
			if o.Status != Skip || o.Reason == NoOperation || o.Reason == HungAlike {
				continue
			}
			found = true
			if op := string(o.Op); k > 0 && !slices.Contains(ops, op) {
				ops = append(ops, op)
			}
		}
		if !found || skipped(&r.Hello, typ) != nil {
			continue
		}
		if cases++; !slices.Contains(types, typ) {
			types = append(types, typ)
		}
	}
	return types, ops, cases
}

// Conformant reports whether at least one case passed and none failed.
func (r *Report) Conformant() bool {
	return r.Count(Pass) > 0 && r.Count(Fail, Crash, Timeout, Protocol) == 0
}

// MatchesKnown reports whether something was judged, nothing was left out because the
// implementation had been given up, and the failures are exactly those in the list of
// known failures.
func (r *Report) MatchesKnown() bool {
	for i := range r.Results {
		if res := &r.Results[i]; res.Reason == NotAsked || res.Status.Failed() && res.Known == "" {
			return false
		}
	}
	return len(r.Results) > r.Count(Skip, NotApplicable, Acceptable) && len(r.Mismatches) == 0
}

// Run judges an implementation. If the context ends, it returns the results so
// far and the error of the context.
func Run(ctx context.Context, impl adapter.Implementation, vectors []*corpus.Vector, opts Options) (*Report, error) {
	j, chosen, profiles, err := begin(ctx, impl, vectors, opts)
	if err != nil {
		return nil, err
	}
	cases := Cases(chosen, profiles, func(v *corpus.Vector) bool {
		return !opts.NoDerived && skipped(&j.hello, v.Type) == nil // who lacks a type needs no derived cases of it
	})
	if j.hello.AnyProfile && opts.Profile == nil && len(opts.Profiles)+len(opts.Sides) == 0 {
		cases = append(cases, NamedSideCases(chosen)...)
	}
	report := &Report{Hello: j.hello, Planned: len(cases)}
	report.excluded = func(e *Entry) bool { return excluded(e, vectors, profiles, opts) }
	j.progress = opts.Progress
	report.Results = j.judgeAll(ctx, impl, cases, opts.Jobs)
	excuseDerived(report.Results)
	excuseUnsupported(report.Results)
	dropSides(report.Results)
	if opts.FailAcceptable {
		failAcceptable(report.Results)
	}
	if err := ctx.Err(); err != nil {
		return report, err
	}
	if opts.Known != nil {
		report.Mismatches = opts.Known.apply(report)
	}
	return report, nil
}

// begin asks for hello, and returns the vectors and the profiles that the options choose.
func begin(ctx context.Context, impl adapter.Implementation, vectors []*corpus.Vector, opts Options) (
	j *judge, chosen []*corpus.Vector, profiles []ids.Profile, err error,
) {
	if err := checkTypes(vectors); err != nil {
		return nil, nil, nil, err
	}
	hello, err := impl.Hello(ctx)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("no valid answer to hello: %w", err)
	}
	if profiles, err = profilesFor(hello, opts); err != nil {
		return nil, nil, nil, err
	}
	chosen = slices.DeleteFunc(slices.Clone(vectors), func(v *corpus.Vector) bool {
		return opts.Filter != nil && !opts.Filter(v)
	})
	j, err = newJudge(hello)
	return j, chosen, profiles, err
}

// dropSides removes the sides that rejections name, of the types of which the implementation
// accepts nothing and rejects what no side rejects: it follows none.
func dropSides(results []Result) {
	accepts, rejects := map[string]bool{}, map[string]bool{} // by type
	for i := range results {
		r := &results[i]
		e := Verdict(r.Vector, r.Profile)
		accepted := !r.Derived && e != nil && e.Outcome != corpus.Reject
		for _, o := range r.Outcomes {
			if o.Status == Pass && accepted || o.Got != nil && (o.Got.Tree != nil || o.Got.Hex != nil) {
				accepts[r.Vector.Type] = true
			}
		}
		rejects[r.Vector.Type] = rejects[r.Vector.Type] || !r.Derived && r.Class == Rejected && r.Side == ""
	}
	eachOutcome(results, func(r *Result, o *Outcome) {
		if o.Got != nil && o.Got.Reject != nil && rejects[r.Vector.Type] && !accepts[r.Vector.Type] {
			o.Side = ""
		}
	})
}

// failAcceptable turns Acceptable into Fail.
func failAcceptable(results []Result) {
	eachOutcome(results, func(_ *Result, o *Outcome) {
		if o.Status == Acceptable {
			o.Status = Fail
		}
	})
}

// eachOutcome calls change with each outcome of each result, and decides each result again.
func eachOutcome(results []Result, change func(*Result, *Outcome)) {
	for i := range results {
		r := &results[i]
		for k := range r.Outcomes {
			change(r, &r.Outcomes[k])
		}
		r.Outcome = Decisive(r.Outcomes)
	}
}

// checkTypes returns an error if a vector has a type that this program does not
// have: that is not a failure of the implementation.
func checkTypes(vectors []*corpus.Vector) error {
	for _, v := range vectors {
		if _, ok := codec.Find(v.Type); !ok {
			return fmt.Errorf("vector %s: unknown type %s; nothing is judged", v.ID, v.Type)
		}
	}
	return nil
}

func profilesFor(h adapter.Hello, opts Options) ([]ids.Profile, error) {
	var base []ids.Profile
	switch {
	case opts.Profile != nil:
		base = []ids.Profile{*opts.Profile}
	case !h.AnyProfile:
		p, err := h.DeclaredProfile()
		if err != nil {
			return nil, err
		}
		base = []ids.Profile{p}
	case len(opts.Profiles) > 0:
		base = opts.Profiles
	default:
		base = []ids.Profile{ids.Documented(), ids.Observed()}
	}
	var out []ids.Profile
	for _, p := range base {
		q, err := p.WithSides(opts.Sides)
		if err != nil {
			return nil, err
		}
		out = append(out, q)
	}
	return out, nil
}
