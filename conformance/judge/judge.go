// Package judge runs vectors, and the cases that follow from them, against an
// implementation and gives each a definite result. It prints nothing.
package judge

import (
	"context"
	"fmt"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Status is the result of a case.
type Status string

const (
	// Pass: every answer is the expected one.
	Pass Status = "pass"
	// Fail: an answer is not the expected one.
	Fail Status = "fail"
	// Skip: the implementation leaves this out, and says why.
	Skip Status = "skip"
	// Open: the vector does not say what is expected of this mixture of sides.
	Open Status = "open"
	// Crash: the implementation ended, and does so again when it is asked this alone.
	Crash Status = "crash"
	// Hang: the implementation did not answer in time.
	Hang Status = "hang"
	// Protocol: the implementation did not keep to the protocol.
	Protocol Status = "protocol"
)

// Bad reports whether a case with this result speaks against the implementation.
func (s Status) Bad() bool { return s == Fail || s == Crash || s == Hang || s == Protocol }

// Class is the way in which a case went wrong. A list of known failures names
// it, so that a failure that turns into another one is noticed.
type Class string

const (
	// Accepted: what has to be refused is accepted.
	Accepted Class = "accepted"
	// Refused: what has to be accepted is refused.
	Refused Class = "refused"
	// WrongClass: it is refused, for another reason.
	WrongClass Class = "class"
	// WrongOffset: it is refused for the right reason, at another place.
	WrongOffset Class = "offset"
	// WrongTree: it reads as another value.
	WrongTree Class = "tree"
	// WrongBytes: it is written as other bytes.
	WrongBytes Class = "bytes"
	// Errored: the adapter says that it failed itself, or the answer lacks what was asked for.
	Errored Class = "error"
	// Unsteady: it broke, and answers when it is asked this alone.
	Unsteady Class = "unsteady"
	// Crashed, Hung, BrokeProtocol: as the statuses say.
	Crashed       Class = "crash"
	Hung          Class = "hang"
	BrokeProtocol Class = "protocol"
)

// Classes lists all ways in which a case can go wrong.
func Classes() []Class {
	return []Class{
		Accepted, Refused, WrongClass, WrongOffset, WrongTree, WrongBytes, Errored, Unsteady, Crashed, Hung, BrokeProtocol,
	}
}

// A Result is what became of one case under one profile.
type Result struct {
	// ID is the vector's id, or begins with it if the case is derived.
	ID      string
	Vector  *corpus.Vector
	Profile ids.Profile
	Status  Status
	// Class says how it went wrong; empty unless Status is bad.
	Class Class
	// Derived is set for a case that follows from a vector by a rule.
	Derived bool
	// Rule is that rule.
	Rule Rule
	// Input is what was decoded: the vector's bytes, or what a rule made of them.
	Input []byte
	// Context is what the type was told: the vector's, or what a rule made of it.
	Context map[string]string
	// Known is the reason given for a failure that is listed as known; "listed"
	// if the list gives none.
	Known  string
	Op     adapter.Op // the operation that decided, if not all passed
	Want   string     // in short; only if Op failed
	Got    string
	Detail string // where they part, or the reason of a skip
	// Side names the section of the vector that the answer would have met.
	Side string
}

// Options choose what is judged, and how. The zero value judges everything.
type Options struct {
	// Profiles to judge an implementation under that follows any; both, if empty.
	Profiles []ids.Profile
	// Profile replaces the one that the implementation declares.
	Profile *ids.Profile
	// Sides are taken beside the profile, as flag=side.
	Sides []string
	// Filter leaves out vectors, and what follows from them, for which it is false.
	Filter func(*corpus.Vector) bool
	// NoDerived leaves out the cases that follow from vectors.
	NoDerived bool
	// Jobs is how many implementations work side by side, if the one given is
	// an [adapter.Forker]; 0 means one.
	Jobs int
	// Known lists failures that are expected.
	Known *Known
	// Progress is told, now and then, how many of the cases are done.
	Progress func(done, total int)
}

// A Report is what became of all vectors.
type Report struct {
	Hello   adapter.Hello
	Results []Result // by profile, then in the order of the vectors
	// Planned is the number of results that a run comes to if it is not interrupted.
	Planned int
	// Mismatches are what the list of known failures and the results do not
	// agree on; nil if no list was given.
	Mismatches []Mismatch

	// leftOut reports whether an entry of the list of known failures stands
	// for cases that were not to be judged.
	leftOut func(*Entry) bool
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

// Conformant reports whether something was judged and nothing is bad.
func (r *Report) Conformant() bool {
	return r.Count(Pass) > 0 && r.Count(Fail, Crash, Hang, Protocol) == 0
}

// AsKnown reports whether something was judged and everything that is bad is
// exactly what the list of known failures says.
func (r *Report) AsKnown() bool {
	for i := range r.Results {
		if res := &r.Results[i]; res.Status.Bad() && res.Known == "" {
			return false
		}
	}
	return len(r.Results) > r.Count(Skip, Open) && len(r.Mismatches) == 0
}

// Run judges an implementation. When the context ends, the report holds what
// is known so far and the error is the context's.
func Run(ctx context.Context, impl adapter.Implementation, vectors []*corpus.Vector, opts Options) (*Report, error) {
	if err := known(vectors); err != nil {
		return nil, err
	}
	hello, err := impl.Hello(ctx)
	if err != nil {
		return nil, fmt.Errorf("the adapter does not introduce itself: %w", err)
	}
	profiles, err := profilesFor(hello, opts)
	if err != nil {
		return nil, err
	}
	var chosen []*corpus.Vector
	for _, v := range vectors {
		if opts.Filter == nil || opts.Filter(v) {
			chosen = append(chosen, v)
		}
	}
	cases := Cases(chosen, profiles, !opts.NoDerived)
	report := &Report{Hello: hello, Planned: len(cases)}
	report.leftOut = func(e *Entry) bool { return leftOut(e, vectors, profiles, opts) }
	j := &judge{hello: hello, progress: opts.Progress}
	report.Results = j.all(ctx, impl, cases, max(opts.Jobs, 1))
	if err := ctx.Err(); err != nil {
		return report, err
	}
	if opts.Known != nil {
		report.Mismatches = opts.Known.apply(report)
	}
	return report, nil
}

// known reports vectors of a type that this program lacks: that is no fault of
// whom they judge.
func known(vectors []*corpus.Vector) error {
	for _, v := range vectors {
		if _, ok := codec.Find(v.Type); !ok {
			return fmt.Errorf("%s is of type %s, which is not in the list of types: nothing is judged", v.ID, v.Type)
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
		p, err := ids.ParseProfile(h.Profile)
		if err != nil {
			return nil, fmt.Errorf("the adapter declares a profile that there is not: %w", err)
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
