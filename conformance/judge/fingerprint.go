package judge

import (
	"context"
	"fmt"
	"slices"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Values of [FlagSide.Side] that are not sides of the flag.
const (
	// SideOther: the answers agree with no side.
	SideOther = "other"
	// SideNone: the answers do not distinguish the sides.
	SideNone = "none"
)

// A FingerprintResult says which side of each switchable flag an implementation
// takes.
type FingerprintResult struct {
	Hello adapter.Hello
	// Asked is the profile in the requests.
	Asked ids.Profile
	// Vectors is the number of vectors that were answered.
	Vectors int
	// Differ and Wider are the numbers of vectors whose answers agree with no
	// verdict, which only a choice of this reference or a limit demands.
	Differ, Wider int
	// Flags lists all switchable flags, in the order of the records.
	Flags []FlagSide
	// Profile is the profile to declare. A flag whose sides the answers do not
	// distinguish has the side of the base, unless the answers exclude it.
	Profile ids.Profile
}

// Definite reports whether no answer contradicts a side.
func (s *FingerprintResult) Definite() bool {
	return !slices.ContainsFunc(s.Flags, func(f FlagSide) bool { return len(f.Against) > 0 })
}

// A FlagSide is the side of one flag, with the evidence.
type FlagSide struct {
	Flag *spec.Flag
	// Side is the side that most answers agree with, or SideOther or SideNone.
	Side string
	// Agree counts the vectors whose answers agree with this side and exclude
	// at least one other side.
	Agree int
	// Against lists the answers that contradict this side, of vectors that
	// distinguish the sides.
	Against []Answer
	// Alternatives are other sides that agree equally well, possibly with other
	// sides of other flags.
	Alternatives []string
	// Reason says why there is no side; set only if Side is SideNone.
	Reason string
}

// An Answer is an answer that contradicts a side.
type Answer struct {
	Vector *corpus.Vector
	Op     adapter.Op
	Class  Class
	Want   string // under the profile to declare
	Got    string
	Detail string // the first difference, or why there is no answer
	// Section names the section of the vector that the answers satisfy, if any.
	Section string
}

// Fingerprint determines which sides an implementation takes, from the vectors
// that distinguish sides. Of the options it uses Profile, Sides and Filter.
//
// Each vector is a constraint: it allows the combinations of sides for which the
// answers agree with the verdict, and those for which it has no verdict. The
// result is the combination that violates the fewest constraints. It is computed
// for all flags together, because one flag can hide another.
func Fingerprint(ctx context.Context, impl adapter.Implementation, vectors []*corpus.Vector, opts Options) (*FingerprintResult, error) {
	if err := checkTypes(vectors); err != nil {
		return nil, err
	}
	hello, err := impl.Hello(ctx)
	if err != nil {
		return nil, fmt.Errorf("no valid answer to hello: %w", err)
	}
	opts.Profiles = []ids.Profile{ids.Observed()}
	profiles, err := profilesFor(hello, opts)
	if err != nil {
		return nil, err
	}
	s := newSearch()
	for _, v := range vectors {
		if opts.Filter == nil || opts.Filter(v) {
			s.add(v)
		}
	}
	j, err := newJudge(hello)
	if err != nil {
		return nil, err
	}
	j.askVerdicts(ctx, impl, profiles[0], s.vectors)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := &FingerprintResult{Hello: hello, Asked: profiles[0]}
	for _, t := range s.vectors {
		if t.summarize(); t.answered {
			out.Vectors++
		}
		switch t.lenient {
		case Differs:
			out.Differ++
		case Wider:
			out.Wider++
		}
	}
	out.Flags, out.Profile = s.result()
	return out, nil
}

// sideVector is a vector whose verdict depends on the sides of its flags.
type sideVector struct {
	vector *corpus.Vector
	flags  []int // on which the verdict depends, as indices of search.flags
	stride []int // distance of two sides of a flag in byCombination
	// byCombination holds the verdict for each combination of sides, as an
	// index of verdicts; -1 if there is none.
	byCombination []int
	verdicts      []*pending
	state         []state // of each verdict

	answered   bool
	lenient    Status // Differs or Wider, if the answers agree with no verdict and that is no failure
	matchesAny bool   // the answers agree with one of the verdicts
}

// state says whether the answers to a vector agree with one of its verdicts.
type state int8

const (
	unknown state = iota // not asked, or there is no verdict
	matched
	mismatched
)

// summarize sets the states from the results.
func (t *sideVector) summarize() {
	t.state = make([]state, len(t.verdicts))
	for i, p := range t.verdicts {
		switch {
		case p.result.Status == Pass:
			t.state[i], t.matchesAny, t.answered = matched, true, true
		case p.result.Status.Disagrees():
			t.state[i], t.answered = mismatched, true
		}
	}
	// No side explains the answers. If they are a failure under no side, they
	// contradict none. Otherwise they must not make some sides cheaper than others.
	if t.matchesAny || slices.ContainsFunc(t.verdicts, func(p *pending) bool { return p.result.Status.Failed() }) {
		return
	}
	for i, p := range t.verdicts {
		if t.state[i] == mismatched {
			t.state[i], t.lenient = unknown, p.result.Status
		}
	}
}

// askVerdicts asks for everything that is needed to judge each verdict of each
// vector. A request that several verdicts need is made once.
func (j *judge) askVerdicts(ctx context.Context, impl adapter.Implementation, profile ids.Profile, vectors []*sideVector) {
	pendingVerdicts := map[*pending]bool{}
	for _, t := range vectors {
		for _, p := range t.verdicts {
			p.testCase.Profile = profile
			pendingVerdicts[p] = j.prepare(p)
		}
	}
	for ctx.Err() == nil {
		var asked []*sideVector
		var first []*pending
		var requests []adapter.Request
		for _, t := range vectors {
			i := slices.IndexFunc(t.verdicts, func(p *pending) bool { return pendingVerdicts[p] })
			if i < 0 {
				continue
			}
			p := t.verdicts[i]
			q, err := p.request(p.ops[0])
			if err != nil {
				p.fail(Errored, err.Error())
				pendingVerdicts[p] = false
				continue
			}
			asked, first, requests = append(asked, t), append(first, p), append(requests, q)
		}
		if len(requests) == 0 {
			return
		}
		adapter.DoAll(ctx, impl, requests, func(i int, a adapter.Response, err error) {
			op := requests[i].Op
			for _, p := range asked[i].verdicts {
				if !pendingVerdicts[p] || p.ops[0] != op || op == adapter.OpEncode && p.testCase.Expect.Tree != first[i].testCase.Expect.Tree {
					continue
				}
				pendingVerdicts[p] = p.record(a, err) && len(p.ops) > 1
				p.ops = p.ops[1:]
			}
		})
	}
}
