package judge

import (
	"context"
	"slices"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// SideNotShown is the value of [FlagSide.Side] if the answers show no side.
const SideNotShown = "not shown"

// A FingerprintResult says which side of each switchable flag an implementation
// takes.
type FingerprintResult struct {
	Hello adapter.Hello
	// Asked is the profile in the requests.
	Asked ids.Profile
	// Vectors is the number of vectors that were answered.
	Vectors int
	// Acceptable is the number of vectors with this result under Profile.
	Acceptable int
	// Flags lists all switchable flags, in the order of the records.
	Flags []FlagSide
	// Unexplained lists the answers that fail under Profile and are no evidence
	// about a flag.
	Unexplained []Contradiction
	// Profile is the profile to declare: the sides that are shown, and the sides
	// of a base for all other flags.
	Profile ids.Profile
}

// Definite reports whether no answer fails under the profile to declare, or shows
// another side.
func (s *FingerprintResult) Definite() bool {
	return len(s.Unexplained) == 0 && !slices.ContainsFunc(s.Flags, func(f FlagSide) bool { return len(f.Against) > 0 })
}

// A FlagSide is the side of one flag, with the evidence.
type FlagSide struct {
	Flag *spec.Flag
	// Side is the side that the answers show, or SideNotShown.
	Side string
	// For lists the vectors that are evidence for the side of the profile.
	For []*corpus.Vector
	// Against lists the answers that are evidence for another side.
	Against []Contradiction
	// Alternatives are other sides under which the same vectors pass.
	Alternatives []string
	// Reason says why no side is shown. If nothing was asked for, Unasked is the outcome of
	// a vector.
	Reason  SideReason
	Unasked *Outcome
}

// A Contradiction is an answer that fails or is acceptable under the profile to declare.
type Contradiction struct {
	Vector *corpus.Vector
	*Outcome
	// Section names the section of the vector that the answers satisfy, if any.
	Section string
}

// SideReason says why no side of a flag is shown.
type SideReason string

const (
	// NoVector: no chosen vector distinguishes the sides.
	NoVector SideReason = "no-vector"
	// Contradictory: the answers contradict each other.
	Contradictory SideReason = "contradictory"
	// NoEvidence: no answer shows one of the sides.
	NoEvidence SideReason = "no-evidence"
	// Unjudged: no answer was judged.
	Unjudged SideReason = "unjudged"
)

// Fingerprint determines which sides an implementation takes, from the vectors
// that distinguish sides. Of the options it uses Profile, Sides and Filter.
func Fingerprint(ctx context.Context, impl adapter.Implementation, vectors []*corpus.Vector,
	opts Options,
) (*FingerprintResult, error) {
	opts.Profiles = []ids.Profile{ids.Observed()}
	j, chosen, profiles, err := begin(ctx, impl, vectors, opts)
	if err != nil {
		return nil, err
	}
	s := newSearch()
	for _, v := range chosen {
		s.add(v)
	}
	j.askVerdicts(ctx, impl, profiles[0], s.vectors)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := &FingerprintResult{Hello: j.hello, Asked: profiles[0]}
	s.result(out)
	return out, nil
}

// askVerdicts asks for everything that is needed to judge each verdict of each
// vector. A request that several verdicts need is made once.
func (j *judge) askVerdicts(ctx context.Context, impl adapter.Implementation, profile ids.Profile,
	vectors []*sideVector,
) {
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
			q, ok := p.nextRequest()
			if !ok {
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
			if a.Reject != nil {
				asked[i].rejected = a.Reject
			}
			for _, p := range asked[i].verdicts {
				if !pendingVerdicts[p] || p.ops[0] != op || op == adapter.OpEncode &&
					p.testCase.Expect.Tree != first[i].testCase.Expect.Tree {
					continue
				}
				pendingVerdicts[p] = p.record(a, err) && len(p.ops) > 1 && p.passed()
				p.ops = p.ops[1:]
			}
		})
	}
}
