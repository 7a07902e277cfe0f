package judge

import (
	"fmt"
	"math"
	"slices"

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
	located       bool // the answer is a rejection with class and offset
}

func newSearch() *search {
	s := &search{combinations: map[string][]ids.Profile{}}
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

// disagrees reports whether the answer fails or differs. One that differs from a
// choice of this reference is no failure, but it can show another side. One that
// is wider shows none.
func (p *pending) disagrees() bool { return p.failed() || p != nil && p.result.Status == Differs }

// judged reports whether there is an answer to compare with the verdict, or a
// fault in place of one.
func (p *pending) judged() bool { return p != nil && (p.passed() || p.result.Status.Disagrees()) }

func (t *sideVector) answered() bool { return slices.ContainsFunc(t.verdicts, (*pending).judged) }

// strength says what an answer shows about two sides.
type strength int

const (
	// none: the answer agrees with both verdicts or with neither, or is a rejection
	// without class or offset, or both sides reject.
	none strength = iota
	// weak: the answer is the right value where the other side rejects. A reader
	// that is too lenient gives it too.
	weak
	// strong: the answer is the right value where the other side demands another
	// one, or the right rejection where the other side accepts.
	strong
)

// evidence says whether the answers show the verdict p and not q.
func (t *sideVector) evidence(p, q *pending) strength {
	rejects := func(p *pending) bool { return p.testCase.Expect.Outcome == corpus.Reject }
	switch {
	case !p.passed() || !q.disagrees():
		return none
	case !rejects(p) && rejects(q):
		return weak
	case !rejects(p), !rejects(q) && t.located && p.testCase.Expect.From >= 0:
		return strong
	}
	return none
}

// flagSide collects the evidence about one flag, given the sides of all flags.
// Weak evidence counts only if there is no strong evidence, and shows a side only
// if none contradicts it.
func (s *search) flagSide(f int, sides assignment) FlagSide {
	flag := s.flags[f]
	out := FlagSide{Flag: flag, Side: flag.Sides[sides[f]].Name}
	other := slices.Clone(sides)
	disagree := make([]int, len(flag.Sides)) // vectors that fail or differ, for each side
	var agree [strong + 1]int
	var against [strong + 1][]Answer
	for _, t := range s.byFlag[f] {
		p := t.verdict(sides)
		var is, not strength
		for other[f] = range flag.Sides {
			q := t.verdict(other)
			is, not = max(is, t.evidence(p, q)), max(not, t.evidence(q, p))
			if q.disagrees() {
				disagree[other[f]]++
			}
		}
		agree[is]++
		if not > none {
			against[not] = append(against[not], t.answer(p))
		}
	}
	by, allowed := strong, agree[strong]
	if agree[strong]+len(against[strong]) == 0 {
		by, allowed = weak, 0
	}
	out.Agree, out.Against = agree[by], against[by]
	if out.Agree == 0 || len(out.Against) > allowed {
		out.Side, out.Reason = SideNotShown, s.reason(f, &out)
		return out
	}
	for side, n := range disagree {
		if side != sides[f] && n <= disagree[sides[f]] {
			out.Alternatives = append(out.Alternatives, flag.Sides[side].Name)
		}
	}
	return out
}

// reason returns why no side of a flag is shown.
func (s *search) reason(f int, side *FlagSide) string {
	switch {
	case len(s.byFlag[f]) == 0:
		return "no chosen vector distinguishes its sides"
	case side.Agree+len(side.Against) > 0:
		return "the answers contradict each other"
	case slices.ContainsFunc(s.byFlag[f], (*sideVector).answered):
		return "no answer shows one of its sides"
	}
	return s.byFlag[f][0].verdicts[0].result.Detail
}

// answer returns the answer that disagrees with a verdict.
func (t *sideVector) answer(p *pending) Answer {
	r := p.result
	a := Answer{Vector: t.vector, Op: r.Op, Class: r.Class, Want: r.Want, Got: r.Got, Detail: r.Detail}
	if i := slices.IndexFunc(t.verdicts, (*pending).passed); i >= 0 {
		a.Section = t.verdicts[i].testCase.Expect.Profile
	}
	return a
}

// domain lists the given side of a flag, and each side that some answer shows,
// given some sides of the other flags.
func (s *search) domain(f, base int) []int {
	out := []int{base}
	for _, t := range s.byFlag[f] {
		stride := t.stride[slices.Index(t.flags, f)]
		for n, p := range t.byCombination {
			side := n / stride % len(s.flags[f].Sides)
			for o := range s.flags[f].Sides {
				if !slices.Contains(out, side) && t.evidence(p, t.byCombination[n+(o-side)*stride]) > none {
					out = append(out, side)
				}
			}
		}
	}
	return out
}

// Costs of a profile, the greatest first. A sum never reaches the next greater
// cost.
const (
	costFailed    = 1 << 45
	costDisagrees = 1 << 30
	costNotPassed = 1 << 15
	costException = 1
)

// A term is a part of the cost that depends on some flags.
type term struct {
	flags []int
	cost  func(assignment) int64
}

// cost is that of the vector under some sides. If no side explains the answers,
// only failures count, and a side without a verdict is no better than one that
// fails.
func (t *sideVector) cost(sides assignment) int64 {
	p := t.verdict(sides)
	explained := slices.ContainsFunc(t.verdicts, (*pending).passed)
	switch {
	case p.passed():
		return 0
	case p.failed() && explained:
		return costFailed + costDisagrees + costNotPassed
	case p.disagrees() && explained:
		return costDisagrees + costNotPassed
	case explained:
		return costNotPassed
	case p.failed() || !p.judged() && slices.ContainsFunc(t.verdicts, (*pending).failed):
		return costFailed
	}
	return 0
}

func total(terms []term, sides assignment) int64 {
	var sum int64
	for _, t := range terms {
		sum += t.cost(sides)
	}
	return sum
}

// cheapest returns the assignment with the least cost, with a side from domain for
// each flag; sides other than the first are exceptions. It is exact: it eliminates
// one flag after the other, and notes the best side for each combination of the
// sides of the flags that share a term with it.
func cheapest(terms []term, domain [][]int) (assignment, int64) {
	type choice struct {
		side int
		cost int64
	}
	sides := make(assignment, len(domain))
	free := make([]bool, len(domain))
	for f, d := range domain {
		sides[f], free[f] = d[0], len(d) > 1
	}
	var steps []func()
	for {
		f, about := nextFlag(terms, free)
		if f < 0 {
			break
		}
		var with, without []term
		for _, t := range terms {
			if slices.Contains(t.flags, f) {
				with = append(with, t)
			} else {
				without = append(without, t)
			}
		}
		known := map[string]choice{}
		choose := func() choice {
			key := make([]byte, len(about))
			for i, o := range about {
				key[i] = byte(sides[o])
			}
			best, ok := known[string(key)]
			if ok {
				return best
			}
			best.cost = math.MaxInt64
			for i, side := range domain[f] {
				sides[f] = side
				if c := total(with, sides) + costException*int64(min(i, 1)); c < best.cost {
					best = choice{side, c}
				}
			}
			known[string(key)] = best
			return best
		}
		terms = append(without, term{about, func(assignment) int64 { return choose().cost }})
		steps = append(steps, func() { sides[f] = choose().side })
		free[f] = false
	}
	cost := total(terms, sides)
	for _, step := range slices.Backward(steps) {
		step()
	}
	return sides, cost
}

// nextFlag returns the free flag that shares terms with the fewest other free
// flags, and these flags; -1 if no flag is free.
func nextFlag(terms []term, free []bool) (flag int, about []int) {
	flag = -1
	for f := range free {
		if !free[f] {
			continue
		}
		var others []int
		for _, t := range terms {
			if slices.Contains(t.flags, f) {
				others = append(others, t.flags...)
			}
		}
		slices.Sort(others)
		others = slices.DeleteFunc(slices.Compact(others), func(o int) bool { return o == f || !free[o] })
		if flag < 0 || len(others) < len(about) {
			flag, about = f, others
		}
	}
	return flag, about
}

// A proposal is a profile of a base and of sides that are shown.
type proposal struct {
	base  ids.Profile
	sides assignment
	// cost is that of the proposal, costOfBase that of the base alone.
	cost, costOfBase int64
}

// propose returns the proposal with the least cost in which each exception from
// the base is shown, and the side of the base disagrees with more answers.
func (s *search) propose(b int) proposal {
	base := bases[b]
	var terms []term
	for _, t := range s.vectors {
		terms = append(terms, term{t.flags, t.cost})
	}
	sides := append(make(assignment, len(s.flags)), b)
	domain := append(make([][]int, len(s.flags)), []int{b})
	for f, flag := range s.flags {
		sides[f] = slices.IndexFunc(flag.Sides, func(side spec.Side) bool { return side.Name == base.Side(flag.ID) })
		domain[f] = s.domain(f, sides[f])
	}
	for {
		best, cost := cheapest(terms, domain)
		done := true
		for f, flag := range s.flags {
			if best[f] == sides[f] {
				continue
			}
			if side := s.flagSide(f, best); side.Side == SideNotShown || slices.Contains(side.Alternatives, base.Side(flag.ID)) {
				domain[f] = slices.DeleteFunc(domain[f], func(side int) bool { return side == best[f] })
				done = false
			}
		}
		if done {
			return proposal{base, best, cost, total(terms, sides)}
		}
	}
}

// distance is the number of vectors that do not pass, plus the number of
// exceptions from the base.
func (p *proposal) distance() int64 {
	return p.cost%costDisagrees/costNotPassed + p.cost%costNotPassed
}

// choose returns the proposal with the least distance, observed if they are equal,
// unless it fails more vectors than the other base alone. At least one of the two
// does not, because no proposal fails more vectors than its base.
func (s *search) choose() proposal {
	p, other := s.propose(0), s.propose(1)
	if other.distance() < p.distance() {
		p, other = other, p
	}
	if p.cost/costFailed > other.costOfBase/costFailed {
		return other
	}
	return p
}

// result sets the profile and the evidence.
func (s *search) result(out *FingerprintResult) {
	p := s.choose()
	out.Profile = p.base
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
		case v.result.Status == Differs:
			out.Differ++
		case v.result.Status == Wider:
			out.Wider++
		}
	}
}
