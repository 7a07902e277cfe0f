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

// What a [FlagSide] says where an implementation takes none of the flag's sides.
const (
	// SideOther: it answers like no side.
	SideOther = "other"
	// SideNone: nothing that was asked tells its sides apart.
	SideNone = "none"
)

// Sides tell which side of each switchable flag an implementation takes.
type Sides struct {
	Hello adapter.Hello
	// Asked is the profile that the requests named.
	Asked ids.Profile
	// Vectors is how many vectors were answered.
	Vectors int
	// Flags lists all switchable flags, in the order of the records.
	Flags []FlagSide
	// Profile is what to declare. A flag that nothing tells of is on the side
	// of its base, as far as the answers allow.
	Profile ids.Profile
}

// Definite reports whether no answer speaks against a side.
func (s *Sides) Definite() bool {
	return !slices.ContainsFunc(s.Flags, func(f FlagSide) bool { return len(f.Against) > 0 })
}

// A FlagSide is what the answers say of one flag.
type FlagSide struct {
	Flag *spec.Flag
	// Side is the one that most answers agree with, or SideOther or SideNone.
	Side string
	// Agree counts the vectors that are answered as this side has it, and not
	// as each other side has it.
	Agree int
	// Against are the vectors that tell the sides apart and are answered as
	// another side has it, or as none.
	Against []Answer
	// AsWell are other sides that explain the answers as well, together with
	// other sides of other flags.
	AsWell []string
	// Why says why there is no side.
	Why string
}

// An Answer is one that speaks against a side.
type Answer struct {
	Vector *corpus.Vector
	Op     adapter.Op
	Class  Class
	Want   string // by the profile to declare
	Got    string
	Detail string // where they part, or how there was no answer
	// Like names the section of the vector that the answers meet, if any.
	Like string
}

// Fingerprint finds out which sides an implementation takes, by the vectors
// that tell sides apart. Of the options it heeds Profile, Sides and Filter.
//
// Each vector is a constraint: it allows the combinations of sides whose
// verdict the answers meet, and those that it says nothing of. What is found
// are the sides that the fewest constraints speak against, all flags together,
// because one flag can hide another.
func Fingerprint(ctx context.Context, impl adapter.Implementation, vectors []*corpus.Vector, opts Options) (*Sides, error) {
	if err := known(vectors); err != nil {
		return nil, err
	}
	hello, err := impl.Hello(ctx)
	if err != nil {
		return nil, fmt.Errorf("the adapter does not introduce itself: %w", err)
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
	j := &judge{hello: hello}
	j.interview(ctx, impl, profiles[0], s.vectors)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := &Sides{Hello: hello, Asked: profiles[0]}
	for _, t := range s.vectors {
		if t.settle(); t.answered {
			out.Vectors++
		}
	}
	out.Flags, out.Profile = s.result()
	return out, nil
}

// telling is a vector whose verdict depends on the sides of its flags.
type telling struct {
	v     *corpus.Vector
	flags []int // that its verdict depends on, as places in search.flags
	step  []int // from one side of a flag to the next, in byCombination
	// byCombination gives the verdict for each combination of sides, as a
	// place in verdicts; -1 if the vector does not say.
	byCombination []int
	verdicts      []*pending
	state         []state // of each verdict

	answered bool
	meets    bool // one of the verdicts
}

// state is what the answers to a vector say of one of its verdicts.
type state int8

const (
	silent state = iota // nothing was asked, or there is no verdict
	met
	unmet
)

// settle sums up what was answered.
func (t *telling) settle() {
	t.state = make([]state, len(t.verdicts))
	for i, p := range t.verdicts {
		switch {
		case p.r.Status == Pass:
			t.state[i], t.meets, t.answered = met, true, true
		case p.r.Status.Bad():
			t.state[i], t.answered = unmet, true
		}
	}
}

// interview asks what shows which verdicts of each vector are met. What
// several verdicts hang on is asked once.
func (j *judge) interview(ctx context.Context, impl adapter.Implementation, profile ids.Profile, vectors []*telling) {
	open := map[*pending]bool{}
	for _, t := range vectors {
		for _, p := range t.verdicts {
			p.c.Profile = profile
			open[p] = j.prepare(p)
		}
	}
	for ctx.Err() == nil {
		var asked []*telling
		var about []*pending
		var qs []adapter.Request
		for _, t := range vectors {
			i := slices.IndexFunc(t.verdicts, func(p *pending) bool { return open[p] })
			if i < 0 {
				continue
			}
			p := t.verdicts[i]
			q, err := p.request(p.ops[0])
			if err != nil {
				p.fail(Errored, err.Error())
				open[p] = false
				continue
			}
			asked, about, qs = append(asked, t), append(about, p), append(qs, q)
		}
		if len(qs) == 0 {
			return
		}
		adapter.DoAll(ctx, impl, qs, func(i int, a adapter.Response, err error) {
			op := qs[i].Op
			for _, p := range asked[i].verdicts {
				if !open[p] || p.ops[0] != op || op == adapter.OpEncode && p.c.Expect.Tree != about[i].c.Expect.Tree {
					continue
				}
				open[p] = p.take(a, err) && len(p.ops) > 1
				p.ops = p.ops[1:]
			}
		})
	}
}
