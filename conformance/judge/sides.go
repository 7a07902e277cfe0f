package judge

import (
	"fmt"
	"slices"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// search finds the sides that agree best with the answers.
type search struct {
	flags   []*spec.Flag
	index   map[ids.Flag]int
	vectors []*sideVector
	byFlag  [][]*sideVector // the vectors whose verdict depends on a flag
}

// assignment holds a side for each flag, as an index into its list of sides.
type assignment []int

func newSearch() *search {
	s := &search{index: map[ids.Flag]int{}}
	for _, f := range spec.Families() {
		for i := range f.Flags {
			if f.Flags[i].Switchable() {
				s.index[f.Flags[i].ID] = len(s.flags)
				s.flags = append(s.flags, &f.Flags[i])
			}
		}
	}
	s.byFlag = make([][]*sideVector, len(s.flags))
	return s
}

// add adds a vector if its verdict depends on sides.
func (s *search) add(v *corpus.Vector) {
	t := &sideVector{vector: v}
	combinations := 1
	for _, id := range v.Flags {
		if f, ok := s.index[id]; ok {
			t.flags, t.stride = append(t.flags, f), append(t.stride, combinations)
			combinations *= len(s.flags[f].Sides)
		}
	}
	verdictIndex := map[*corpus.Expectation]int{nil: -1}
	for n := range combinations {
		p := ids.Observed()
		for i, f := range t.flags {
			side := s.flags[f].Sides[n/t.stride[i]%len(s.flags[f].Sides)]
			p, _ = p.With(s.flags[f].ID, side.Name) // the flag has this side
		}
		e := v.Select(p)
		i, ok := verdictIndex[e]
		if !ok {
			i = slices.IndexFunc(t.verdicts, func(p *pending) bool { return corpus.SameVerdict(p.testCase.Expect, e) })
			if i < 0 {
				i = len(t.verdicts)
				c := newCase(v, p)
				t.verdicts = append(t.verdicts, &pending{testCase: &c, result: newResult(&c)})
			}
			verdictIndex[e] = i
		}
		if i >= 0 && len(newCase(v, p).Choices) == 0 {
			t.verdicts[i].testCase.Choices = nil // something stronger demands it under these sides
		}
		t.byCombination = append(t.byCombination, i)
	}
	if !slices.ContainsFunc(t.byCombination, func(i int) bool { return i != t.byCombination[0] }) {
		return // the same verdict for all sides
	}
	s.vectors = append(s.vectors, t)
	for _, f := range t.flags {
		s.byFlag[f] = append(s.byFlag[f], t)
	}
}

func combination(flags, stride []int, sides assignment) int {
	n := 0
	for i, f := range flags {
		n += sides[f] * stride[i]
	}
	return n
}

// verdict returns the index of the verdict that applies (-1 if there is none),
// and whether the answers agree with it.
func (t *sideVector) verdict(sides assignment) (int, state) {
	n := t.byCombination[combination(t.flags, t.stride, sides)]
	if n < 0 {
		return n, unknown
	}
	return n, t.state[n]
}

// Costs of an assignment, the greatest first. Each is more than a million times
// the next, so a sum never reaches the next greater cost.
const (
	// costContradicted: the answers agree with the verdict for other sides.
	costContradicted = 1 << 40
	// costUnexplained: the answers agree with no verdict of the vector. The cause
	// may be a fault that does not depend on sides.
	costUnexplained = 1 << 20
	// costNotBase: a flag is on a side other than that of the base profile.
	costNotBase = 1
)

// costTable holds the cost of each combination of the sides of some flags.
type costTable struct {
	flags, stride []int
	cost          []int64
}

func (t *costTable) costOf(sides assignment) int64 {
	return t.cost[combination(t.flags, t.stride, sides)]
}

// newTable returns a table in which all costs are zero.
func (s *search) newTable(flags []int) *costTable {
	t := &costTable{flags: flags}
	size := 1
	for _, f := range flags {
		t.stride = append(t.stride, size)
		size *= len(s.flags[f].Sides)
	}
	t.cost = make([]int64, size)
	return t
}

// forEachCombination calls do for each combination of the sides of the flags of
// a table.
func (s *search) forEachCombination(t *costTable, sides assignment, do func(n int)) {
	for n := range t.cost {
		for i, f := range t.flags {
			sides[f] = n / t.stride[i] % len(s.flags[f].Sides)
		}
		do(n)
	}
}

// costTables derives costs from the answers: a table for each set of flags on
// which vectors depend, and a table for each flag.
func (s *search) costTables(base assignment) []*costTable {
	byFlags := map[string]*costTable{}
	var out []*costTable
	for _, t := range s.vectors {
		flags := slices.Clone(t.flags)
		slices.Sort(flags)
		key := fmt.Sprint(flags)
		if byFlags[key] == nil {
			byFlags[key] = s.newTable(flags)
			out = append(out, byFlags[key])
		}
		cost := int64(costUnexplained)
		if t.matchesAny {
			cost = costContradicted
		}
		sides := make(assignment, len(s.flags))
		s.forEachCombination(byFlags[key], sides, func(n int) {
			if _, st := t.verdict(sides); st == mismatched {
				byFlags[key].cost[n] += cost
			}
		})
	}
	for f := range s.flags {
		t := s.newTable([]int{f})
		for side := range t.cost {
			if side != base[f] {
				t.cost[side] = costNotBase
			}
		}
		out = append(out, t)
	}
	return out
}

// cheapest returns the assignment with the least cost. It is exact: it eliminates
// one flag after the other from the tables, and notes the best side for each
// combination of the sides of the neighbouring flags. A flag in fixed has only
// the given side.
func (s *search) cheapest(tables []*costTable, fixed map[int]int) (assignment, int64) {
	type step struct {
		flag  int
		about *costTable
		best  []int
	}
	var steps []step
	var total int64
	sides := make(assignment, len(s.flags))
	remaining := slices.Clone(tables)
	eliminated := make([]bool, len(s.flags))
	for range s.flags {
		f := s.nextFlag(remaining, eliminated)
		eliminated[f] = true
		var with, without []*costTable
		for _, t := range remaining {
			if slices.Contains(t.flags, f) {
				with = append(with, t)
			} else {
				without = append(without, t)
			}
		}
		eliminate := step{flag: f, about: s.newTable(neighbours(with, f))}
		eliminate.best = make([]int, len(eliminate.about.cost))
		s.forEachCombination(eliminate.about, sides, func(n int) {
			least := int64(-1)
			for side := range s.flags[f].Sides {
				if only, ok := fixed[f]; ok && side != only {
					continue
				}
				sides[f] = side
				var sum int64
				for _, t := range with {
					sum += t.costOf(sides)
				}
				if least < 0 || sum < least {
					least, eliminate.best[n] = sum, side
				}
			}
			eliminate.about.cost[n] = least
		})
		steps = append(steps, eliminate)
		remaining = without
		if len(eliminate.about.flags) > 0 {
			remaining = append(remaining, eliminate.about)
		} else {
			total += eliminate.about.cost[0]
		}
	}
	for _, st := range slices.Backward(steps) {
		sides[st.flag] = st.best[combination(st.about.flags, st.about.stride, sides)]
	}
	return sides, total
}

// nextFlag returns the flag whose elimination gives the smallest table.
func (s *search) nextFlag(tables []*costTable, eliminated []bool) int {
	chosen, least := -1, 0
	for f := range s.flags {
		if eliminated[f] {
			continue
		}
		size := 1
		for _, o := range neighbours(tables, f) {
			size *= len(s.flags[o].Sides)
		}
		if chosen < 0 || size < least {
			chosen, least = f, size
		}
	}
	return chosen
}

// neighbours lists the flags that occur in a table together with flag f.
func neighbours(tables []*costTable, f int) []int {
	var out []int
	for _, t := range tables {
		if slices.Contains(t.flags, f) {
			out = append(out, t.flags...)
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(o int) bool { return o == f })
}

func (s *search) assignmentOf(p ids.Profile) assignment {
	sides := make(assignment, len(s.flags))
	for f, flag := range s.flags {
		sides[f] = slices.IndexFunc(flag.Sides, func(side spec.Side) bool { return side.Name == p.Side(flag.ID) })
	}
	return sides
}

// result returns the sides that agree best with the answers.
func (s *search) result() ([]FlagSide, ids.Profile) {
	base := ids.Observed() // preferred if the costs are equal: it reads real files
	baseSides := s.assignmentOf(base)
	tables := s.costTables(baseSides)
	sides, cost := s.cheapest(tables, nil)
	documented := s.assignmentOf(ids.Documented())
	others := s.costTables(documented)
	if a, c := s.cheapest(others, nil); c < cost {
		base, baseSides, tables, sides, cost = ids.Documented(), documented, others, a, c
	}
	out := s.flagSides(tables, sides, baseSides, cost)
	// A flag whose answers agree with no side gets the side of the base, unless
	// that contradicts more vectors: answers without a verdict are no evidence.
	fixed := map[int]int{}
	for f := range out {
		if out[f].Side == SideOther && sides[f] != baseSides[f] {
			fixed[f] = baseSides[f]
		}
	}
	if len(fixed) > 0 {
		if back, c := s.cheapest(tables, fixed); c/costContradicted == cost/costContradicted {
			sides = back
			out = s.flagSides(tables, sides, baseSides, c)
		}
	}
	profile := base
	for f, flag := range s.flags {
		profile, _ = profile.With(flag.ID, flag.Sides[sides[f]].Name) // the flag has this side
	}
	return out, profile
}

func (s *search) flagSides(tables []*costTable, sides, base assignment, cost int64) []FlagSide {
	out := make([]FlagSide, len(s.flags))
	for f := range s.flags {
		out[f] = s.flagSide(f, sides)
		if out[f].Side == SideOther || len(s.byFlag[f]) == 0 {
			continue
		}
		for side := range s.flags[f].Sides {
			if side == sides[f] {
				continue
			}
			if _, c := s.cheapest(tables, map[int]int{f: side}); c/costUnexplained <= cost/costUnexplained {
				out[f].Alternatives = append(out[f].Alternatives, s.flags[f].Sides[side].Name)
			}
		}
	}
	for f := range out {
		o := &out[f]
		if len(s.byFlag[f]) == 0 || len(o.Alternatives) == len(s.flags[f].Sides)-1 && sides[f] == base[f] && len(o.Against) == 0 {
			*o = FlagSide{Flag: o.Flag, Side: SideNone, Reason: s.reason(f)}
		}
	}
	return out
}

// flagSide counts the vectors that confirm or contradict the side of one flag,
// given the sides of the other flags.
func (s *search) flagSide(f int, sides assignment) FlagSide {
	flag := s.flags[f]
	out := FlagSide{Flag: flag, Side: flag.Sides[sides[f]].Name}
	other := slices.Clone(sides)
	for _, t := range s.byFlag[f] {
		n, state := t.verdict(sides)
		depends, excludes := false, false
		for other[f] = range flag.Sides {
			m, otherState := t.verdict(other)
			depends = depends || m != n
			excludes = excludes || otherState == mismatched
		}
		switch {
		case state == matched && excludes:
			out.Agree++
		case state == mismatched && depends:
			out.Against = append(out.Against, t.contradiction(n))
		}
	}
	if out.Agree == 0 && len(out.Against) > 0 {
		out.Side = SideOther
	}
	return out
}

// reason returns why no side of a flag was found.
func (s *search) reason(f int) string {
	switch {
	case len(s.byFlag[f]) == 0:
		return "no chosen vector distinguishes its sides"
	case slices.ContainsFunc(s.byFlag[f], func(t *sideVector) bool { return t.answered }):
		return "the answers agree with each side, given the sides of the other flags"
	}
	return s.byFlag[f][0].verdicts[0].result.Detail
}

// contradiction returns the answer that contradicts a verdict.
func (t *sideVector) contradiction(verdict int) Answer {
	r := t.verdicts[verdict].result
	a := Answer{Vector: t.vector, Op: r.Op, Class: r.Class, Want: r.Want, Got: r.Got, Detail: r.Detail}
	if i := slices.Index(t.state, matched); i >= 0 {
		a.Section = t.verdicts[i].testCase.Expect.Profile
	}
	return a
}
