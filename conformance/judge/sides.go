package judge

import (
	"fmt"
	"slices"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// search finds the profile that agrees best with the answers.
type search struct {
	flags   []*spec.Flag
	vectors []*sideVector
	byFlag  [][]*sideVector // the vectors whose verdict depends on a flag
	// combinations holds the profiles of [sideVector.byCombination] for each list of
	// flags: many vectors have the same.
	combinations map[string][]ids.Profile
	// unfounded holds each [sideVector.rejection] that all sides contradict somewhere: the
	// reader lacks what it rejects so.
	unfounded map[string]bool
}

// assignment holds a side for each flag, as an index into its list of sides, and
// then the base, as an index into bases. The base does not change what is
// expected, but whether a choice decides it: see [Case.Choices].
type assignment []int

// bases are the profiles from which sides are exceptions.
var bases = []ids.Profile{ids.Observed(), ids.Documented()}

// sideVector is a vector whose verdict depends on the sides of its flags.
type sideVector struct {
	vector *corpus.Vector
	flags  []int // the base, and the flags on which the verdict depends, as indices of assignment
	stride []int // distance of two sides of a flag in byCombination
	// byCombination holds the verdict for each combination of a base and sides; nil
	// if there is none.
	byCombination []*pending
	verdicts      []*pending
	rejected      *adapter.Reject // the rejection that was answered, if any
	explained     bool            // the answers pass under some sides
}

func newSearch() *search {
	s := &search{combinations: map[string][]ids.Profile{}, unfounded: map[string]bool{}}
	for _, f := range spec.Families() {
		for i := range f.Flags {
			if f.Flags[i].Switchable() {
				s.flags = append(s.flags, &f.Flags[i])
			}
		}
	}
	s.byFlag = make([][]*sideVector, len(s.flags))
	return s
}

// add adds a vector if its verdict depends on sides.
func (s *search) add(v *corpus.Vector) {
	t := &sideVector{vector: v, flags: []int{len(s.flags)}, stride: []int{1}}
	n := len(bases)
	for f, flag := range s.flags {
		if slices.Contains(v.Flags, flag.ID) {
			t.flags, t.stride = append(t.flags, f), append(t.stride, n)
			n *= len(flag.Sides)
		}
	}
	for _, p := range s.profiles(t.flags[1:]) {
		t.byCombination = append(t.byCombination, t.verdictUnder(p))
	}
	if !slices.ContainsFunc(t.byCombination, func(p *pending) bool { return p != t.byCombination[0] }) {
		return // the same verdict for all sides
	}
	s.vectors = append(s.vectors, t)
	for _, f := range t.flags[1:] {
		s.byFlag[f] = append(s.byFlag[f], t)
	}
}

// profiles lists the combinations of a base and of sides of flags. The base changes
// first, then the side of the first flag.
func (s *search) profiles(flags []int) []ids.Profile {
	key := fmt.Sprint(flags)
	if known := s.combinations[key]; known != nil {
		return known
	}
	out := slices.Clone(bases)
	for _, f := range flags {
		before := out
		out = nil
		for _, side := range s.flags[f].Sides {
			for _, p := range before {
				p, _ = p.With(s.flags[f].ID, side.Name) // the flag has this side
				out = append(out, p)
			}
		}
	}
	s.combinations[key] = out
	return out
}

// verdictUnder returns the verdict under a profile; nil if there is none.
// Profiles share a verdict if it is the same and the same choices decide it.
func (t *sideVector) verdictUnder(p ids.Profile) *pending {
	c := newCase(t.vector, p)
	if c.Expect == nil {
		return nil
	}
	for _, o := range t.verdicts {
		if corpus.SameVerdict(o.testCase.Expect, c.Expect) && slices.Equal(o.testCase.Choices, c.Choices) {
			return o
		}
	}
	t.verdicts = append(t.verdicts, &pending{testCase: &c, result: newResult(&c), expected: &expectedTree{}})
	return t.verdicts[len(t.verdicts)-1]
}

func (t *sideVector) verdict(sides assignment) *pending {
	n := 0
	for i, f := range t.flags {
		n += sides[f] * t.stride[i]
	}
	return t.byCombination[n]
}

func (p *pending) passed() bool { return p != nil && p.result.Status == Pass }
func (p *pending) failed() bool { return p != nil && p.result.Status.Failed() }

// disagrees reports whether the answer fails or is acceptable by choice: that is no
// failure, but it can show another side. One that is acceptable for another reason shows
// none.
func (p *pending) disagrees() bool {
	return p.failed() || p != nil && p.result.Status == Acceptable && p.result.Reason == ByChoice
}

// judged reports whether there is an answer to compare with the verdict, or a
// fault in place of one.
func (p *pending) judged() bool { return p != nil && (p.passed() || p.result.Status.Disagrees()) }

func (t *sideVector) answered() bool { return slices.ContainsFunc(t.verdicts, (*pending).judged) }

// rejection is the class of a rejection, and the input from its offset on, at most a
// byte. It is empty if the answer is no rejection with class and offset.
func (t *sideVector) rejection() string {
	r := t.rejected
	if r == nil || r.Class == "" || r.Offset == nil {
		return ""
	}
	at := min(max(*r.Offset, 0), len(t.vector.Bytes))
	return r.Class + string(t.vector.Bytes[at:min(at+1, len(t.vector.Bytes))])
}

// strength says what an answer shows about two sides.
type strength int

const (
	// none: the answer agrees with both verdicts or with neither, or both sides
	// reject, or it is a rejection that proves nothing: without class or offset, or
	// one that the reader gives also where no side does.
	none strength = iota
	// weak: the answer is the right value where the other side rejects. A reader
	// that is too lenient gives it too.
	weak
	// strong: the answer is the right value where the other side demands another
	// one, or the right rejection where the other side accepts.
	strong
)

// evidence says whether the answers show the verdict p and not q.
func (s *search) evidence(t *sideVector, p, q *pending) strength {
	rejects := func(p *pending) bool { return p.testCase.Expect.Outcome == corpus.Reject }
	switch r := t.rejection(); {
	case !p.passed() || !q.disagrees():
		return none
	case !rejects(p) && rejects(q):
		return weak
	case !rejects(p), !rejects(q) && r != "" && !s.unfounded[r] && p.testCase.Expect.From >= 0:
		return strong
	}
	return none
}

// A comparison tells the present side of a flag from another one, given the sides of
// all other flags.
type comparison struct {
	is, not  []*sideVector // the vectors that are evidence for the one and for the other
	by       strength
	only     int // vectors that pass under the one and disagree under the other
	silenced int // vectors that pass under the other and under no sides with the one
}

// outweighs is the number of silenced vectors that one vector outweighs. A reader that
// takes the other side gives some answers of this one by coincidence.
const outweighs = 6

// compare compares the present side of a flag with another one. Weak evidence counts
// only if there is no strong evidence.
func (s *search) compare(f, other int, sides assignment) comparison {
	var c comparison
	var is, not [strong + 1][]*sideVector
	otherSides := slices.Clone(sides)
	otherSides[f] = other
	for _, t := range s.byFlag[f] {
		p, q := t.verdict(sides), t.verdict(otherSides)
		by, against := s.evidence(t, p, q), s.evidence(t, q, p)
		is[by], not[against] = append(is[by], t), append(not[against], t)
		c.by = max(c.by, by, against)
		switch {
		case p.passed() && q.disagrees():
			c.only++
		case p == nil && q.passed() && s.excludes(t, f, sides[f]):
			c.silenced++
		}
	}
	if c.by > none {
		c.is, c.not = is[c.by], not[c.by]
	}
	return c
}

// excludes reports whether a vector has verdicts for a side and passes under none.
func (s *search) excludes(t *sideVector, f, side int) bool {
	known := false
	for n, p := range t.byCombination {
		if s.sideAt(t, f, n) == side {
			if p.passed() {
				return false
			}
			known = known || p != nil
		}
	}
	return known
}

// sideAt returns the side of a flag in a combination.
func (s *search) sideAt(t *sideVector, f, combination int) int {
	n := len(bases)
	if f < len(s.flags) {
		n = len(s.flags[f].Sides)
	}
	return combination / t.stride[slices.Index(t.flags, f)] % n
}

// shows reports whether the answers show the present side and not the other.
func (c *comparison) shows() bool {
	return len(c.is) > len(c.not) && (c.by == strong || len(c.not) == 0) && c.silenced <= outweighs*c.only
}

// flagSide collects the evidence about one flag, given the sides of all flags. A side is
// shown if the answers show it and not another one, and say nothing about the rest, which
// are its alternatives.
func (s *search) flagSide(f int, sides assignment) FlagSide {
	flag := s.flags[f]
	out := FlagSide{Flag: flag, Side: SideNotShown}
	shown, doubtful := false, false
	var evidence, against []*sideVector
	for side := range flag.Sides {
		if side == sides[f] {
			continue
		}
		c := s.compare(f, side, sides)
		switch {
		case c.shows():
			shown = true
		case len(c.is)+len(c.not) > 0:
			doubtful = true
		default:
			out.Alternatives = append(out.Alternatives, flag.Sides[side].Name)
		}
		evidence, against = append(evidence, c.is...), append(against, c.not...)
	}
	for _, t := range s.byFlag[f] {
		if slices.Contains(evidence, t) {
			out.For = append(out.For, t.vector)
		}
		if slices.Contains(against, t) {
			out.Against = append(out.Against, t.answer(t.verdict(sides)))
		}
	}
	if shown && !doubtful {
		out.Side = flag.Sides[sides[f]].Name
	} else {
		out.Alternatives = nil
		out.Reason, out.Unasked = s.reason(f, &out)
	}
	return out
}

// reason returns why no side of a flag is shown.
func (s *search) reason(f int, side *FlagSide) (SideReason, *Outcome) {
	switch {
	case len(s.byFlag[f]) == 0:
		return NoVector, nil
	case len(side.For)+len(side.Against) > 0:
		return Contradictory, nil
	case slices.ContainsFunc(s.byFlag[f], (*sideVector).answered):
		return NoEvidence, nil
	}
	return Unjudged, s.byFlag[f][0].verdicts[0].result.Outcome
}

// answer returns the answer that disagrees with a verdict.
func (t *sideVector) answer(p *pending) Contradiction {
	a := Contradiction{Vector: t.vector, Outcome: p.result.Outcome}
	if i := slices.IndexFunc(t.verdicts, (*pending).passed); i >= 0 {
		a.Section = t.verdicts[i].testCase.Expect.Profile
	}
	return a
}

// Costs of a profile, the greatest first. A sum never reaches the next greater cost.
const (
	costDisagrees = 1 << 40
	costSilent    = 1 << 20
	costException = 1
)

// cost is that of the answers that pass under some sides, and of the exceptions from a
// base.
func (s *search) cost(sides, base assignment) (sum int64) {
	for _, t := range s.vectors {
		switch p := t.verdict(sides); {
		case p.passed() || !t.explained:
		case p.disagrees():
			sum += costDisagrees
		default:
			sum += costSilent
		}
	}
	for f := range sides {
		if sides[f] != base[f] {
			sum += costException
		}
	}
	return sum
}

// A proposal consists of a base and exceptions from it.
type proposal struct {
	sides assignment
	cost  int64
}

// propose searches for the exceptions from a base with the least cost. It gives the
// flags of one vector after the other sides under which the vector passes, as long as
// that lowers the cost. Then it starts again without an exception that the answers do
// not show ([search.flagSide]), or do not show as compared with the base and with each side
// that the records list before it.
func (s *search) propose(b int) proposal {
	base := append(make(assignment, len(s.flags)), b)
	for f, flag := range s.flags {
		base[f] = slices.IndexFunc(flag.Sides, func(side spec.Side) bool { return side.Name == bases[b].Side(flag.ID) })
	}
	excluded := map[[2]int]bool{} // flag and side
	for {
		best := proposal{base, s.cost(base, base)}
		for last := best.cost + 1; best.cost < last; {
			last = best.cost
			for _, t := range s.vectors {
				for n, p := range t.byCombination {
					if !p.passed() || t.verdict(best.sides).passed() {
						continue
					}
					sides := s.with(best.sides, t, n)
					isExcluded := func(f int) bool { return excluded[[2]int{f, sides[f]}] }
					if c := s.cost(sides, base); sides[len(s.flags)] == b && c < best.cost &&
						!slices.ContainsFunc(t.flags, isExcluded) {
						best = proposal{sides, c}
					}
				}
			}
		}
		n := len(excluded)
		for f, flag := range s.flags {
			if best.sides[f] == base[f] {
				continue
			}
			notShown := s.flagSide(f, best.sides).Side == SideNotShown
			for side := range flag.Sides {
				c := s.compare(f, side, best.sides)
				notShown = notShown || (side == base[f] || side < best.sides[f]) && !c.shows()
			}
			if notShown {
				excluded[[2]int{f, best.sides[f]}] = true
			}
		}
		if len(excluded) == n {
			return best
		}
	}
}

// with returns sides with those of a combination at the flags of a vector.
func (s *search) with(sides assignment, t *sideVector, combination int) assignment {
	sides = slices.Clone(sides)
	for _, f := range t.flags {
		sides[f] = s.sideAt(t, f, combination)
	}
	return sides
}

// distance weighs the vectors that disagree, those without a verdict and the exceptions.
func (p *proposal) distance() int64 {
	return outweighs*(p.cost/costDisagrees) + p.cost%costDisagrees/costSilent + p.cost%costSilent
}

// result sets the profile and the evidence.
func (s *search) result(out *FingerprintResult) {
	for _, t := range s.vectors {
		t.explained = slices.ContainsFunc(t.verdicts, (*pending).passed)
		if r := t.rejection(); r != "" && !slices.ContainsFunc(t.byCombination,
			func(p *pending) bool { return !p.failed() }) {
			s.unfounded[r] = true
		}
	}
	p, other := s.propose(0), s.propose(1)
	if other.distance() < p.distance() {
		p = other
	}
	out.Profile = bases[p.sides[len(s.flags)]]
	explained := map[*corpus.Vector]bool{}
	for f, flag := range s.flags {
		out.Profile, _ = out.Profile.With(flag.ID, flag.Sides[p.sides[f]].Name) // the flag has this side
		side := s.flagSide(f, p.sides)
		out.Flags = append(out.Flags, side)
		for _, a := range side.Against {
			explained[a.Vector] = true
		}
	}
	for _, t := range s.vectors {
		if t.answered() {
			out.Vectors++
		}
		switch v := t.verdict(p.sides); {
		case v == nil:
		case v.failed() && !explained[t.vector]:
			out.Unexplained = append(out.Unexplained, t.answer(v))
		case v.result.Status == Acceptable:
			out.Acceptable++
		}
	}
}
