// Package diff asks two implementations the same questions and looks for
// inputs on which they part. It prints nothing, and it does not say who is
// right: that is for the documents.
//
// Inputs are the vectors of a type, files that somebody gives, values that
// are drawn and written by the reference, and changes of all of these: of bits
// and bytes, and of numbers, elements and other parts whose places the spans
// of the reference tell. Some are no bytes but values to write, among them
// values that have no encoding.
//
// The search keeps inputs on which the reference behaves in a new way. What is
// meant by behaviour stands in for code coverage, which a normal build does
// not have: for a refusal its class, clause and place; for an accepted input
// each place that occurs in it, with its clause, and roughly how long it is
// and how often it occurs. Places are paths without indices. Two inputs that
// take different branches and fill the same places with other values are one
// behaviour, so this is coarser than coverage; and it says nothing of the code
// of the two that are compared.
//
// The reference also names what a difference may be about: it is asked again
// with each flag on each other side, and if it then answers as one of the two
// does, the flag is part of the finding. That is a hint, not a verdict.
package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Options choose what is asked. The zero value asks nothing: Count or For has
// to be given.
type Options struct {
	// Types to take in turn; those that one of the two leaves out are not asked for.
	Types []*codec.Type
	// Profile that requests carry and that the reference follows; if nil, the
	// one that A declares, or B, or observed.
	Profile *ids.Profile
	// Context that is not varied.
	Context map[string]string
	// Vectors to begin with; those of other types are not used.
	Vectors []*corpus.Vector
	// Seeds are inputs to begin with, of every type.
	Seeds [][]byte
	// Seed makes a run repeatable.
	Seed uint64
	// Count of inputs for each type; 0 is no bound.
	Count int
	// For how long to search, all types together; 0 is no bound. Shrinking
	// comes behind it.
	For time.Duration
	// Max is how many findings are shrunk and told; 0 means 20.
	Max int
	// Classes makes refusals for different reasons a difference. An input with
	// more than one fault may rightly be refused for either.
	Classes bool
	// Progress is told, now and then, what is being done.
	Progress func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	Type      string
	Inputs    int // of this type so far
	Parted    int // on how many they part
	Shrinking int // findings that are still to be shrunk; 0 while searching
	Done      bool
}

// DefaultMax is how many findings are told unless said otherwise.
const DefaultMax = 20

// Kind is the way in which two implementations part.
type Kind string

const (
	// Verdict: one accepts what the other refuses.
	Verdict Kind = "verdict"
	// Tree: both accept, and read different values.
	Tree Kind = "tree"
	// Consumed: one says that a value takes more or less than the whole input.
	Consumed Kind = "consumed"
	// Written: they read the same value and write other bytes, or only one can write it.
	Written Kind = "bytes"
	// Class: both refuse, for different reasons.
	Class Kind = "class"
	// Errored: one says that it failed itself, or lacks what was asked for.
	Errored Kind = "error"
	// Crash, Hang, Protocol: one gives no answer.
	Crash    Kind = "crash"
	Hang     Kind = "hang"
	Protocol Kind = "protocol"
	// Unsteady: one gave no answer, and gives one when it is asked this alone.
	Unsteady Kind = "unsteady"
)

// Kinds lists all kinds, the plainest first.
func Kinds() []Kind {
	return []Kind{Crash, Hang, Protocol, Unsteady, Errored, Verdict, Tree, Consumed, Written, Class}
}

// A Report is what became of a run.
type Report struct {
	A, B    Side
	Profile ids.Profile
	Seed    uint64
	Types   []TypeReport
	// NotCommon are types that were chosen and that one of the two leaves out.
	NotCommon []string
	Findings  []*Finding
	// More is how many groups of differences were not looked into.
	More int
	// Stopped says why the run ended early; empty if it did not.
	Stopped string
}

// A Side is one of the two.
type Side struct {
	Letter string // A or B
	Hello  adapter.Hello
}

// Name returns the letter, and the name that it gives itself.
func (s *Side) Name() string { return s.Letter + " (" + s.Hello.Name + ")" }

// A TypeReport counts what was asked of one type.
type TypeReport struct {
	Type         string
	Inputs       int // that both were asked about
	BothAccepted int // read, or written if the input is a value
	BothRefused  int
	LeftOut      int // skipped by one, or beyond its limits
	Parted       int
	Kinds        map[Kind]int // of those that parted
	Behaviours   int          // of the reference, told apart as the package comment says
	Took         time.Duration
}

// Agree reports whether nothing was found.
func (r *Report) Agree() bool { return len(r.Findings) == 0 && r.More == 0 && r.Stopped == "" }

// ErrNoType says that the two have none of the chosen types in common.
var ErrNoType = errors.New("the two have none of the chosen types in common")

// run is a search at work.
type run struct {
	opts   Options
	sides  [2]side
	report *Report
	ref    *adapter.Reference
	groups map[string]*group
	order  []*group                   // as they were found
	absent map[string]map[string]bool // by type, parts of values that may be null
	tick   func(Progress)
}

type side struct {
	impl adapter.Implementation
	ops  []adapter.Op
}

// An Input is what both are asked about.
type Input struct {
	Type    *codec.Type
	Context map[string]string // what it is told; the rest is usual
	Bytes   []byte            // to read
	Tree    *tree.Node        // or a value to write
}

// size is what shrinking makes less.
func (in *Input) size() int {
	if in.Tree != nil {
		return len(in.Tree.String())
	}
	return len(in.Bytes)
}

// text tells an input from every other one of its type.
func (in *Input) text() string {
	if in.Tree != nil {
		return fmt.Sprint(in.Context, " ", in.Tree)
	}
	return fmt.Sprintf("%v %x", in.Context, in.Bytes)
}

// Run compares two implementations. When the context ends, the report holds
// what is known so far, findings as they were met, and the error is the
// context's.
func Run(ctx context.Context, a, b adapter.Implementation, opts Options) (*Report, error) {
	r := &run{
		opts: opts, sides: [2]side{{impl: a}, {impl: b}}, ref: adapter.NewReference(), groups: map[string]*group{}, absent: map[string]map[string]bool{},
		report: &Report{A: Side{Letter: "A"}, B: Side{Letter: "B"}, Seed: opts.Seed}, tick: opts.Progress,
	}
	if r.tick == nil {
		r.tick = func(Progress) {}
	}
	if err := r.meet(ctx); err != nil {
		return nil, err
	}
	var common []*codec.Type
	for _, t := range opts.Types {
		if lists(&r.report.A.Hello, t.Name) && lists(&r.report.B.Hello, t.Name) {
			common = append(common, t)
		} else {
			r.report.NotCommon = append(r.report.NotCommon, t.Name)
		}
	}
	if len(common) == 0 {
		return nil, ErrNoType
	}
	if opts.Count <= 0 && opts.For <= 0 {
		return nil, errors.New("neither how many inputs nor how long")
	}
	end := time.Now().Add(opts.For)
	for i, t := range common {
		if ctx.Err() != nil || r.report.Stopped != "" {
			break
		}
		var deadline time.Time
		if opts.For > 0 {
			deadline = time.Now().Add(time.Until(end) / time.Duration(len(common)-i))
		}
		if err := r.search(ctx, t, deadline); err != nil {
			return nil, err
		}
	}
	r.settle(ctx)
	r.tick(Progress{Done: true})
	return r.report, ctx.Err()
}

// meet lets both introduce themselves, and settles on a profile.
func (r *run) meet(ctx context.Context) error {
	for i, s := range []*Side{&r.report.A, &r.report.B} {
		h, err := r.sides[i].impl.Hello(ctx)
		if err != nil {
			return fmt.Errorf("%s does not introduce itself: %w", s.Letter, err)
		}
		s.Hello, r.sides[i].ops = h, h.Operations
		if !slices.Contains(h.Operations, adapter.OpDecode) {
			return fmt.Errorf("%s does not decode", s.Name())
		}
	}
	if r.opts.Profile != nil {
		r.report.Profile = *r.opts.Profile
		return nil
	}
	for _, s := range []*Side{&r.report.A, &r.report.B} {
		if s.Hello.AnyProfile {
			continue
		}
		p, err := ids.ParseProfile(s.Hello.Profile)
		if err != nil {
			return fmt.Errorf("%s declares a profile that there is not: %w", s.Name(), err)
		}
		r.report.Profile = p
		break
	}
	return nil
}

func lists(h *adapter.Hello, typ string) bool {
	for _, s := range h.Skips {
		if s.Type == typ || s.Type == spec.StructureOf(typ) {
			return false
		}
	}
	return slices.Contains(h.Types, typ)
}

// batch is how many inputs are asked about in one go.
const batch = 256

// search asks about one type until the deadline if there is one, and no more
// often than Count says.
// Making inputs depends on the reference alone, and runs ahead of the answers.
func (r *run) search(ctx context.Context, t *codec.Type, deadline time.Time) error {
	began := time.Now()
	writes := slices.Contains(r.sides[0].ops, adapter.OpEncode) && slices.Contains(r.sides[1].ops, adapter.OpEncode)
	g, err := newGenerator(t, r.report.Profile, writes, r.opts)
	if err != nil {
		return err
	}
	batches := make(chan []Input, 1)
	stop := make(chan struct{})
	go func() {
		defer close(batches)
		for made := 0; r.opts.Count == 0 || made < r.opts.Count; {
			n := batch
			if r.opts.Count > 0 {
				n = min(n, r.opts.Count-made)
			}
			if !deadline.IsZero() && time.Now().After(deadline) || ctx.Err() != nil {
				return
			}
			ins := make([]Input, n)
			for i := range ins {
				ins[i] = g.next()
			}
			select {
			case batches <- ins:
				made += n
			case <-stop:
				return
			}
		}
	}()
	tr := TypeReport{Type: t.Name, Kinds: map[Kind]int{}}
	for ins := range batches {
		for _, o := range r.ask(ctx, ins) {
			if o.gone != "" {
				r.report.Stopped = o.gone
				continue
			}
			r.take(&tr, o)
		}
		r.tick(Progress{Type: t.Name, Inputs: tr.Inputs, Parted: tr.Parted})
		if ctx.Err() != nil || r.report.Stopped != "" {
			break
		}
	}
	close(stop)
	for range batches { // until the other side has seen it
	}
	r.absent[t.Name] = g.absent
	tr.Behaviours, tr.Took = len(g.seen), time.Since(began)
	r.report.Types = append(r.report.Types, tr)
	return nil
}

// take counts an outcome and puts a difference into its group.
func (r *run) take(tr *TypeReport, o *outcome) {
	tr.Inputs++
	switch {
	case o.d != nil:
		tr.Parted++
		tr.Kinds[o.d.kind]++
		r.group(o)
	case o.leftOut:
		tr.LeftOut++
	case o.accepted:
		tr.BothAccepted++
	default:
		tr.BothRefused++
	}
}

// maxGroups bounds how many groups are kept apart. Whoever comes to so many is
// told of a few in any case.
const maxGroups = 2000

// A group holds differences that look alike.
type group struct {
	key    string
	coarse string // of the kind only
	best   *outcome
	count  int
	types  map[string]int

	readings []Reading
}

func (r *run) group(o *outcome) {
	r.examine(o)
	g, ok := r.groups[o.key]
	if !ok && len(r.order) == maxGroups {
		r.report.More++
		return
	}
	if !ok {
		g = &group{key: o.key, coarse: o.in.Type.Name + " " + o.d.same(), best: o, types: map[string]int{}}
		r.groups[o.key] = g
		r.order = append(r.order, g)
	}
	g.add(o, 1)
}

func (g *group) add(o *outcome, n int) {
	g.count += n
	g.types[o.in.Type.Name] += n
	if simpler(o.in, g.best.in) {
		g.best = o
	}
}

// simpler reports whether an input is shorter, or as long and first in order.
func simpler(a, b Input) bool {
	return cmp.Or(cmp.Compare(a.size(), b.size()), cmp.Compare(len(a.text()), len(b.text())), cmp.Compare(a.text(), b.text())) < 0
}

// settle shrinks one difference of each group, puts those together that turn
// out to be one, and writes the findings.
func (r *run) settle(ctx context.Context) {
	limit := r.opts.Max
	if limit == 0 {
		limit = DefaultMax
	}
	queue := inTurn(r.order)
	var kept []*group
	tried := 0
	for i, g := range queue {
		// Many groups may come to the same thing; looking at all of them would
		// take longer than the search.
		if len(kept) == limit || tried == 4*limit {
			r.report.More += len(queue) - i
			break
		}
		tried++
		if ctx.Err() == nil && r.report.Stopped == "" {
			r.tick(Progress{Type: g.best.in.Type.Name, Shrinking: len(queue) - i})
			r.shrink(ctx, g)
		}
		if j := slices.IndexFunc(kept, func(k *group) bool { return k.key == g.key || k.best.sameAs(g.best) }); j >= 0 {
			kept[j].merge(g)
			continue
		}
		kept = append(kept, g)
	}
	for _, g := range r.explained(kept) {
		r.report.Findings = append(r.report.Findings, r.finding(g))
	}
	slices.SortStableFunc(r.report.Findings, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(slices.Index(Kinds(), a.Kind), slices.Index(Kinds(), b.Kind)), -cmp.Compare(a.Count, b.Count))
	})
}

// explained gives each group its readings. A difference that takes two flags
// is no finding of its own where each of them has one, or the two together.
func (r *run) explained(groups []*group) []*group {
	known := map[string]*group{}
	for _, g := range groups {
		g.readings = r.readings(g.best)
		for _, reading := range g.readings {
			known[reading.String()] = g
		}
	}
	var out []*group
	for _, g := range groups {
		if len(g.readings) == 0 && g.best.d.kind != Class {
			g.readings = r.pairedReadings(g.best)
		}
		var first *group
		for _, reading := range g.readings {
			if len(reading.Sides) != 2 {
				continue
			}
			a, b := known[Reading{reading.Who, reading.Sides[:1]}.String()], known[Reading{reading.Who, reading.Sides[1:]}.String()]
			if a != nil && b != nil {
				first = a
				break
			}
			if first = known[reading.String()]; first != nil {
				break
			}
		}
		if first == nil {
			for _, reading := range g.readings {
				known[reading.String()] = g
			}
			out = append(out, g)
			continue
		}
		for t, n := range g.types {
			first.types[t] += n
		}
		first.count += g.count
	}
	return out
}

func (g *group) merge(other *group) {
	for t, n := range other.types {
		g.types[t] += n
	}
	g.count += other.count
	if simpler(other.best.in, g.best.in) {
		g.best = other.best
	}
}

// inTurn orders groups so that each kind of difference comes up early: the
// most frequent of each kind, then the second of each.
func inTurn(groups []*group) []*group {
	byKind := map[string][]*group{}
	var kinds []string
	for _, g := range groups {
		if byKind[g.coarse] == nil {
			kinds = append(kinds, g.coarse)
		}
		byKind[g.coarse] = append(byKind[g.coarse], g)
	}
	var out []*group
	for _, k := range kinds {
		slices.SortStableFunc(byKind[k], func(a, b *group) int { return -cmp.Compare(a.count, b.count) })
	}
	for i := 0; len(out) < len(groups); i++ {
		for _, k := range kinds {
			if i < len(byKind[k]) {
				out = append(out, byKind[k][i])
			}
		}
	}
	return out
}

// chance is a source that follows from the seed and a name.
func chance(seed uint64, name string) *rand.Rand {
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, h))
}
