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
	at      map[ids.Flag]int
	vectors []*telling
	of      [][]*telling // the vectors of each flag
}

// sides is a side for each flag, as places in its list of sides.
type sides []int

func newSearch() *search {
	s := &search{at: map[ids.Flag]int{}}
	for _, f := range spec.Families() {
		for i := range f.Flags {
			if f.Flags[i].Switchable() {
				s.at[f.Flags[i].ID] = len(s.flags)
				s.flags = append(s.flags, &f.Flags[i])
			}
		}
	}
	s.of = make([][]*telling, len(s.flags))
	return s
}

// add takes up a vector, if its verdict depends on sides.
func (s *search) add(v *corpus.Vector) {
	t := &telling{v: v}
	combinations := 1
	for _, id := range v.Flags {
		if f, ok := s.at[id]; ok {
			t.flags, t.step = append(t.flags, f), append(t.step, combinations)
			combinations *= len(s.flags[f].Sides)
		}
	}
	places := map[*corpus.Expectation]int{nil: -1}
	for n := range combinations {
		p := ids.Observed()
		for i, f := range t.flags {
			side := s.flags[f].Sides[n/t.step[i]%len(s.flags[f].Sides)]
			p, _ = p.With(s.flags[f].ID, side.Name) // it has that side
		}
		e := v.Select(p)
		at, ok := places[e]
		if !ok {
			at = slices.IndexFunc(t.verdicts, func(p *pending) bool { return corpus.SameVerdict(p.c.Expect, e) })
			if at < 0 {
				at = len(t.verdicts)
				c := &Case{ID: v.ID, Vector: v, Input: v.Bytes, Context: v.Context, Expect: e}
				t.verdicts = append(t.verdicts, &pending{c: c, r: newResult(c)})
			}
			places[e] = at
		}
		t.byCombination = append(t.byCombination, at)
	}
	if !slices.ContainsFunc(t.byCombination, func(at int) bool { return at != t.byCombination[0] }) {
		return // the same verdict on all sides
	}
	s.vectors = append(s.vectors, t)
	for _, f := range t.flags {
		s.of[f] = append(s.of[f], t)
	}
}

func combination(flags, step []int, at sides) int {
	n := 0
	for i, f := range flags {
		n += at[f] * step[i]
	}
	return n
}

// verdict returns the one that holds, as a place (-1 if there is none), and
// what the answers say of it.
func (t *telling) verdict(at sides) (int, state) {
	n := t.byCombination[combination(t.flags, t.step, at)]
	if n < 0 {
		return n, silent
	}
	return n, t.state[n]
}

// What it costs to take sides, the heaviest first. Between two of them there
// is room for a million vectors.
const (
	// costAgainst: a vector is answered as other sides have it.
	costAgainst = 1 << 40
	// costFault: a vector is answered as no side has it. That may be a fault
	// that has nothing to do with sides.
	costFault = 1 << 20
	// costAway: a flag is not on the side of the base.
	costAway = 1
)

// table gives the cost of each combination of the sides of some flags.
type table struct {
	flags, step []int
	cost        []int64
}

func (t *table) of(at sides) int64 { return t.cost[combination(t.flags, t.step, at)] }

// newTable makes a table that costs nothing.
func (s *search) newTable(flags []int) *table {
	t := &table{flags: flags}
	size := 1
	for _, f := range flags {
		t.step = append(t.step, size)
		size *= len(s.flags[f].Sides)
	}
	t.cost = make([]int64, size)
	return t
}

// each calls do with every combination of the sides of a table's flags.
func (s *search) each(t *table, at sides, do func(n int)) {
	for n := range t.cost {
		for i, f := range t.flags {
			at[f] = n / t.step[i] % len(s.flags[f].Sides)
		}
		do(n)
	}
}

// tables turns the answers into costs, one table for all vectors that depend
// on the same flags, and one for each flag that may leave its base.
func (s *search) tables(home sides) []*table {
	byFlags := map[string]*table{}
	var out []*table
	for _, t := range s.vectors {
		flags := slices.Clone(t.flags)
		slices.Sort(flags)
		key := fmt.Sprint(flags)
		if byFlags[key] == nil {
			byFlags[key] = s.newTable(flags)
			out = append(out, byFlags[key])
		}
		cost := int64(costFault)
		if t.meets {
			cost = costAgainst
		}
		at := make(sides, len(s.flags))
		s.each(byFlags[key], at, func(n int) {
			if _, st := t.verdict(at); st == unmet {
				byFlags[key].cost[n] += cost
			}
		})
	}
	for f := range s.flags {
		t := s.newTable([]int{f})
		for side := range t.cost {
			if side != home[f] {
				t.cost[side] = costAway
			}
		}
		out = append(out, t)
	}
	return out
}

// least finds the sides that cost least, exactly: flag by flag is taken out of
// the tables, with the best that it can do for each combination of the flags
// that it has to do with. A fixed flag has one side only.
func (s *search) least(tables []*table, fixed map[int]int) (sides, int64) {
	type step struct {
		flag  int
		about *table
		best  []int
	}
	var steps []step
	var total int64
	at := make(sides, len(s.flags))
	left := slices.Clone(tables)
	gone := make([]bool, len(s.flags))
	for range s.flags {
		f := s.next(left, gone)
		gone[f] = true
		var with, without []*table
		for _, t := range left {
			if slices.Contains(t.flags, f) {
				with = append(with, t)
			} else {
				without = append(without, t)
			}
		}
		now := step{flag: f, about: s.newTable(neighbours(with, f))}
		now.best = make([]int, len(now.about.cost))
		s.each(now.about, at, func(n int) {
			least := int64(-1)
			for side := range s.flags[f].Sides {
				if only, ok := fixed[f]; ok && side != only {
					continue
				}
				at[f] = side
				var sum int64
				for _, t := range with {
					sum += t.of(at)
				}
				if least < 0 || sum < least {
					least, now.best[n] = sum, side
				}
			}
			now.about.cost[n] = least
		})
		steps = append(steps, now)
		left = without
		if len(now.about.flags) > 0 {
			left = append(left, now.about)
		} else {
			total += now.about.cost[0]
		}
	}
	for _, st := range slices.Backward(steps) {
		at[st.flag] = st.best[combination(st.about.flags, st.about.step, at)]
	}
	return at, total
}

// next chooses the flag whose table will be the smallest.
func (s *search) next(tables []*table, gone []bool) int {
	chosen, least := -1, 0
	for f := range s.flags {
		if gone[f] {
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
func neighbours(tables []*table, f int) []int {
	var out []int
	for _, t := range tables {
		if slices.Contains(t.flags, f) {
			out = append(out, t.flags...)
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(o int) bool { return o == f })
}

func (s *search) sidesOf(p ids.Profile) sides {
	at := make(sides, len(s.flags))
	for f, flag := range s.flags {
		at[f] = slices.IndexFunc(flag.Sides, func(side spec.Side) bool { return side.Name == p.Side(flag.ID) })
	}
	return at
}

// result finds the sides.
func (s *search) result() ([]FlagSide, ids.Profile) {
	base := ids.Observed() // in doubt, what reads real files
	home := s.sidesOf(base)
	tables := s.tables(home)
	at, cost := s.least(tables, nil)
	documented := s.sidesOf(ids.Documented())
	others := s.tables(documented)
	if a, c := s.least(others, nil); c < cost {
		base, home, tables, at, cost = ids.Documented(), documented, others, a, c
	}
	out := s.flagSides(tables, at, home, cost)
	// A flag that is answered like no side goes home, if that is no worse for
	// what is answered like one: a verdict that is missing there is no evidence.
	fixed := map[int]int{}
	for f := range out {
		if out[f].Side == SideOther && at[f] != home[f] {
			fixed[f] = home[f]
		}
	}
	if len(fixed) > 0 {
		if back, c := s.least(tables, fixed); c/costAgainst == cost/costAgainst {
			at = back
			out = s.flagSides(tables, at, home, c)
		}
	}
	profile := base
	for f, flag := range s.flags {
		profile, _ = profile.With(flag.ID, flag.Sides[at[f]].Name) // it has that side
	}
	return out, profile
}

func (s *search) flagSides(tables []*table, at, home sides, cost int64) []FlagSide {
	out := make([]FlagSide, len(s.flags))
	for f := range s.flags {
		out[f] = s.flagSide(f, at)
		if out[f].Side == SideOther || len(s.of[f]) == 0 {
			continue
		}
		for side := range s.flags[f].Sides {
			if side == at[f] {
				continue
			}
			if _, c := s.least(tables, map[int]int{f: side}); c/costFault <= cost/costFault {
				out[f].AsWell = append(out[f].AsWell, s.flags[f].Sides[side].Name)
			}
		}
	}
	for f := range out {
		o := &out[f]
		if len(s.of[f]) == 0 || len(o.AsWell) == len(s.flags[f].Sides)-1 && at[f] == home[f] && len(o.Against) == 0 {
			*o = FlagSide{Flag: o.Flag, Side: SideNone, Why: s.why(f)}
		}
	}
	return out
}

// flagSide counts what the answers tell of one flag, beside the sides that are
// taken at the others.
func (s *search) flagSide(f int, at sides) FlagSide {
	flag := s.flags[f]
	out := FlagSide{Flag: flag, Side: flag.Sides[at[f]].Name}
	other := slices.Clone(at)
	for _, t := range s.of[f] {
		n, st := t.verdict(at)
		tells, excludes := false, false
		for other[f] = range flag.Sides {
			m, of := t.verdict(other)
			tells = tells || m != n
			excludes = excludes || of == unmet
		}
		switch {
		case st == met && excludes:
			out.Agree++
		case st == unmet && tells:
			out.Against = append(out.Against, t.answer(n))
		}
	}
	if out.Agree == 0 && len(out.Against) > 0 {
		out.Side = SideOther
	}
	return out
}

// why says why nothing tells of a flag.
func (s *search) why(f int) string {
	switch {
	case len(s.of[f]) == 0:
		return "no vector that was chosen tells its sides apart"
	case slices.ContainsFunc(s.of[f], func(t *telling) bool { return t.answered }):
		return "what was answered fits each side, beside the sides of the other flags"
	}
	return s.of[f][0].verdicts[0].r.Detail
}

// answer tells what came instead of a verdict.
func (t *telling) answer(verdict int) Answer {
	r := t.verdicts[verdict].r
	a := Answer{Vector: t.v, Op: r.Op, Class: r.Class, Want: r.Want, Got: r.Got, Detail: r.Detail}
	if i := slices.Index(t.state, met); i >= 0 {
		a.Like = t.verdicts[i].c.Expect.Profile
	}
	return a
}
