package judge

import (
	"fmt"
	"slices"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// search looks for the sides that fit the answers best.
type search struct {
	flags   []*spec.Flag
	index   map[ids.Flag]int
	vectors []*sideVector
	byFlag  [][]*sideVector // the vectors of each flag
}

// sides is a side for each flag, as places in its list of sides.
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

// add takes up a vector, if its verdict depends on sides.
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
			p, _ = p.With(s.flags[f].ID, side.Name) // it has that side
		}
		e := v.Select(p)
		i, ok := verdictIndex[e]
		if !ok {
			i = slices.IndexFunc(t.verdicts, func(p *pending) bool { return corpus.SameVerdict(p.testCase.Expect, e) })
			if i < 0 {
				i = len(t.verdicts)
				c := &Case{ID: v.ID, Vector: v, Input: v.Bytes, Context: v.Context, Expect: e}
				t.verdicts = append(t.verdicts, &pending{testCase: c, result: newResult(c)})
			}
			verdictIndex[e] = i
		}
		t.byCombination = append(t.byCombination, i)
	}
	if !slices.ContainsFunc(t.byCombination, func(i int) bool { return i != t.byCombination[0] }) {
		return // the same verdict on all sides
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

// verdict returns the one that holds, as a place (-1 if there is none), and
// what the answers say of it.
func (t *sideVector) verdict(sides assignment) (int, state) {
	n := t.byCombination[combination(t.flags, t.stride, sides)]
	if n < 0 {
		return n, unknown
	}
	return n, t.state[n]
}

// What it costs to take sides, the heaviest first. Between two of them there
// is room for a million vectors.
const (
	// costAgainst: a vector is answered as other sides have it.
	costContradicted = 1 << 40
	// costFault: a vector is answered as no side has it. That may be a fault
	// that has nothing to do with sides.
	costUnexplained = 1 << 20
	// costAway: a flag is not on the side of the base.
	costNotBase = 1
)

// table gives the cost of each combination of the sides of some flags.
type costTable struct {
	flags, stride []int
	cost          []int64
}

func (t *costTable) costOf(sides assignment) int64 {
	return t.cost[combination(t.flags, t.stride, sides)]
}

// newTable makes a table that costs nothing.
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

// each calls do with every combination of the sides of a table's flags.
func (s *search) forEachCombination(t *costTable, sides assignment, do func(n int)) {
	for n := range t.cost {
		for i, f := range t.flags {
			sides[f] = n / t.stride[i] % len(s.flags[f].Sides)
		}
		do(n)
	}
}

// tables turns the answers into costs, one table for all vectors that depend
// on the same flags, and one for each flag that may leave its base.
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

// least finds the sides that cost least, exactly: flag by flag is taken out of
// the tables, with the best that it can do for each combination of the flags
// that it has to do with. A fixed flag has one side only.
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

// next chooses the flag whose table will be the smallest.
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

// neighbours lists the flags that share a table with a flag.
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

// result finds the sides.
func (s *search) result() ([]FlagSide, ids.Profile) {
	base := ids.Observed() // in doubt, what reads real files
	baseSides := s.assignmentOf(base)
	tables := s.costTables(baseSides)
	sides, cost := s.cheapest(tables, nil)
	documented := s.assignmentOf(ids.Documented())
	others := s.costTables(documented)
	if a, c := s.cheapest(others, nil); c < cost {
		base, baseSides, tables, sides, cost = ids.Documented(), documented, others, a, c
	}
	out := s.flagSides(tables, sides, baseSides, cost)
	// A flag that is answered like no side goes home, if that is no worse for
	// what is answered like one: a verdict that is missing there is no evidence.
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
		profile, _ = profile.With(flag.ID, flag.Sides[sides[f]].Name) // it has that side
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

// flagSide counts what the answers tell of one flag, beside the sides that are
// taken at the others.
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

// why says why nothing tells of a flag.
func (s *search) reason(f int) string {
	switch {
	case len(s.byFlag[f]) == 0:
		return "no vector that was chosen tells its sides apart"
	case slices.ContainsFunc(s.byFlag[f], func(t *sideVector) bool { return t.answered }):
		return "what was answered fits each side, beside the sides of the other flags"
	}
	return s.byFlag[f][0].verdicts[0].result.Detail
}

// answer tells what came instead of a verdict.
func (t *sideVector) contradiction(verdict int) Answer {
	r := t.verdicts[verdict].result
	a := Answer{Vector: t.vector, Op: r.Op, Class: r.Class, Want: r.Want, Got: r.Got, Detail: r.Detail}
	if i := slices.Index(t.state, matched); i >= 0 {
		a.Section = t.verdicts[i].testCase.Expect.Profile
	}
	return a
}
