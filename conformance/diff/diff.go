// Package diff makes the same requests to two implementations and searches for
// inputs on which their answers differ. It prints nothing. It does not decide
// which answer is correct: the documents do.
//
// Inputs are the vectors of a type, given files, random values that the
// reference has encoded, and modifications of all of these: of bits and bytes,
// and of numbers, elements and other parts whose offsets the spans of the
// reference give. Other inputs are values to encode, including values without
// an encoding.
//
// The search keeps inputs that show a new behaviour of the reference. The
// behaviour is a substitute for code coverage, which a normal build does not
// have. For rejected input it is the class, the clause and the path. For
// accepted input it is the set of paths and clauses, with the order of
// magnitude of their lengths and numbers. Paths have no indices here. The
// behaviour is coarser than coverage: two inputs that take different branches
// and have the same paths are one behaviour. It says nothing about the code of
// the two implementations.
//
// A [Store] keeps these inputs for later runs and for other fuzzers. A [Promoter]
// turns an input that any fuzzer has found into a draft of a vector.
//
// The reference also suggests explanations. It is asked again with each flag on
// each other side. If its answer then is that of one of the two
// implementations, the flag is part of the finding. This is a suggestion, not a
// verdict.
//
// A draft has no verdict and does not load as a vector. Otherwise the corpus would
// record what some implementation does.
package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Options choose the inputs. At least one of Count and Duration must be greater
// than 0.
type Options struct {
	// Types to search, in order. Types that one implementation does not support
	// are omitted.
	Types []*codec.Type
	// Profile of the requests and of the reference; nil means the profile that A
	// declares, otherwise that of B, otherwise observed.
	Profile *ids.Profile
	// Context is the part of the context that does not vary.
	Context map[string]string
	// Vectors to start from; vectors of other types are ignored.
	Vectors []*corpus.Vector
	// Seeds are further inputs to start from, for every type.
	Seeds [][]byte
	// Kept are inputs of earlier runs to start from.
	Kept []Input
	// Keep, if not nil, is called with each input that shows a new difference, or a
	// new behaviour of the reference that neither a vector nor one of Kept shows.
	// It can be called from several goroutines. An error ends the run early.
	Keep func(Input) error
	// Seed determines the inputs: the same seed repeats a run.
	Seed uint64
	// Count is the number of inputs per type; 0 means no limit.
	Count int
	// Duration of the search for all types together; 0 means no limit. Shrinking
	// takes additional time.
	Duration time.Duration
	// Max is the number of findings that are shrunk and reported; 0 means 20.
	Max int
	// Classes makes different classes of rejection a difference. An input with
	// several faults can be rejected with the class of each of them.
	Classes bool
	// Progress, if not nil, is called from time to time.
	Progress func(Progress)
}

// Progress describes the progress of a run.
type Progress struct {
	Type      string
	Inputs    int // of this type so far
	Different int // inputs with different answers
	Shrinking int // findings not shrunk yet; 0 during the search
	Done      bool
}

const defaultMax = 20

// Kind is the kind of a difference.
type Kind string

const (
	// Verdict: one accepts the input and the other rejects it.
	Verdict Kind = "verdict"
	// Tree: both accept the input and return different values.
	Tree Kind = "tree"
	// Consumed: the number of consumed bytes of one is not the length of the
	// input.
	Consumed Kind = "consumed"
	// Written: the same value is encoded to different bytes, or only one
	// encodes it.
	Written Kind = "bytes"
	// Class: both reject the input, with different classes.
	Class Kind = "class"
	// Errored: one answers error, or its answer lacks a required field.
	Errored Kind = "error"
	// Crash: the process of one ends.
	Crash Kind = "crash"
	// Timeout: one gives no answer in time.
	Timeout Kind = "timeout"
	// Protocol: the answer of one violates the protocol.
	Protocol Kind = "protocol"
	// Flaky: one gives no valid answer, but does when the request is
	// repeated alone.
	Flaky Kind = "flaky"
)

// Kinds lists all kinds in the order in which findings are reported.
func Kinds() []Kind {
	return []Kind{Crash, Timeout, Protocol, Flaky, Errored, Verdict, Tree, Consumed, Written, Class}
}

// A Report holds the results of a run.
type Report struct {
	A       Side        `json:"-"`
	B       Side        `json:"-"`
	Profile ids.Profile `json:"-"`
	// Views of A and of B. Answers are compared without what one of them loses.
	Views []string     `json:"views,omitempty"`
	Seed  uint64       `json:"seed"`
	Types []TypeReport `json:"types"`
	// NotCommon lists chosen types that one of the implementations does not
	// support.
	NotCommon []string   `json:"notCommon,omitempty"`
	Findings  []*Finding `json:"-"`
	// NotExamined is the number of groups of differences that were not examined.
	NotExamined int `json:"more"`
	// Stopped says why the run ended early; empty if it did not.
	Stopped string `json:"stopped,omitempty"`
}

func (r *Report) sides() []*Side { return []*Side{&r.A, &r.B} }

// A Side is one of the two implementations.
type Side struct {
	Letter string // A or B
	Hello  adapter.Hello
}

// Name returns the letter and the name of the implementation.
func (s *Side) Name() string {
	return s.Letter + " (" + strings.Join(strings.Fields(s.Hello.Name), " ") + ")"
}

// A TypeReport contains the counts of one type.
type TypeReport struct {
	Type         string       `json:"type"`
	Inputs       int          `json:"inputs"`       // sent to both
	BothAccepted int          `json:"bothAccepted"` // decoded, or encoded if the input is a value
	BothRejected int          `json:"bothRejected"`
	Acceptable   int          `json:"acceptable"` // answers that differ as far as choices leave them open
	Skipped      int          `json:"leftOut"`    // skipped by one, or rejected because of its own limits
	Different    int          `json:"differ"`
	Kinds        map[Kind]int `json:"kinds"`      // of the inputs with different answers
	Behaviours   int          `json:"behaviours"` // of the reference: see the package comment
	Seconds      float64      `json:"seconds"`
}

// Compared returns the number of inputs that were compared: that neither skipped, or
// rejected because of its own limits.
func (r *Report) Compared() (n int) {
	for i := range r.Types {
		n += r.Types[i].Inputs - r.Types[i].Skipped
	}
	return n
}

// NoDifference reports whether the run was completed, compared something and found
// no difference.
func (r *Report) NoDifference() bool {
	return r.Compared() > 0 && len(r.Findings) == 0 && r.NotExamined == 0 && r.Stopped == ""
}

// ErrNoType says that the implementations have none of the chosen types in
// common.
var ErrNoType = errors.New("the two implementations have none of the chosen types in common")

// run is the state of a run.
type run struct {
	opts     Options
	impls    [2]adapter.Implementation
	view     *schema.View // of both implementations
	report   *Report
	ref      *adapter.Reference
	groups   map[string]*group
	found    []*group // in the order in which they were found
	progress func(Progress)
}

// An Input is one input for both implementations.
type Input struct {
	Type    *codec.Type       `json:"-"`
	Context map[string]string `json:"context,omitempty"` // without keys that have their default
	Bytes   []byte            `json:"-"`                 // to decode
	Tree    *tree.Node        `json:"tree,omitempty"`    // or a value to encode
}

// size is the size that shrinking reduces.
func (in *Input) size() int {
	if in.Tree != nil {
		return len(in.Tree.String())
	}
	return len(in.Bytes)
}

// key distinguishes the input from all others of its type.
func (in *Input) key() string {
	if in.Tree != nil {
		return fmt.Sprint(in.Context, " ", in.Tree)
	}
	return fmt.Sprintf("%v %x", in.Context, in.Bytes)
}

// Run compares two implementations. If the context ends, it returns the results
// so far, with findings that are not shrunk, and the error of the context.
func Run(ctx context.Context, a, b adapter.Implementation, opts Options) (*Report, error) {
	r := newRun(a, b, opts)
	if r.progress == nil {
		r.progress = func(Progress) {}
	}
	if err := r.sayHello(ctx); err != nil {
		return nil, err
	}
	var common []*codec.Type
	for _, t := range opts.Types {
		if r.isCommon(t) {
			common = append(common, t)
		} else {
			r.report.NotCommon = append(r.report.NotCommon, t.Name)
		}
	}
	if len(common) == 0 {
		return nil, ErrNoType
	}
	if opts.Count <= 0 && opts.Duration <= 0 {
		return nil, errors.New("neither the number of inputs nor the duration is limited")
	}
	end := time.Now().Add(opts.Duration)
	for i, t := range common {
		if ctx.Err() != nil || r.report.Stopped != "" {
			break
		}
		var deadline time.Time
		if opts.Duration > 0 {
			deadline = time.Now().Add(time.Until(end) / time.Duration(len(common)-i))
		}
		if err := r.search(ctx, t, deadline); err != nil {
			return nil, err
		}
	}
	r.makeFindings(ctx)
	r.progress(Progress{Done: true})
	return r.report, ctx.Err()
}

func newRun(a, b adapter.Implementation, opts Options) *run {
	return &run{
		opts: opts, impls: [2]adapter.Implementation{a, b}, ref: adapter.NewReference(), progress: opts.Progress,
		groups: map[string]*group{},
		report: &Report{A: Side{Letter: "A"}, B: Side{Letter: "B"}, Seed: opts.Seed, Types: []TypeReport{}},
	}
}

// sayHello asks both for hello, and chooses the profile.
func (r *run) sayHello(ctx context.Context) error {
	var err error
	for i, s := range r.report.sides() {
		if s.Hello, err = r.impls[i].Hello(ctx); err != nil {
			return fmt.Errorf("%s: no valid answer to hello: %w", s.Letter, err)
		}
		if !slices.Contains(s.Hello.Operations, adapter.OpDecode) {
			return fmt.Errorf("%s does not support decode", s.Name())
		}
	}
	r.report.Views = spec.MergeViews(r.report.A.Hello.Views, r.report.B.Hello.Views)
	if r.view, err = schema.NewView(r.report.Views); err != nil {
		return err
	}
	if r.opts.Profile != nil {
		r.report.Profile = *r.opts.Profile
		return nil
	}
	for _, s := range r.report.sides() {
		if s.Hello.AnyProfile {
			continue
		}
		if r.report.Profile, err = s.Hello.DeclaredProfile(); err != nil {
			return fmt.Errorf("%s: %w", s.Name(), err)
		}
		break
	}
	return nil
}

func (r *run) isCommon(t *codec.Type) bool {
	for _, s := range r.report.sides() {
		if !s.Hello.Lists(t.Name) || s.Hello.SkipOf(t.Name) != nil {
			return false
		}
	}
	return true
}

// bothSupport reports whether both implementations support an operation.
func (r *run) bothSupport(op adapter.Op) bool {
	return slices.Contains(r.report.A.Hello.Operations, op) && slices.Contains(r.report.B.Hello.Operations, op)
}

// batchSize is the number of inputs that are sent together.
const batchSize = 256

// search searches one type until the deadline, if there is one, and up to Count
// inputs. The next inputs depend only on the reference, so they are made in
// advance.
func (r *run) search(ctx context.Context, t *codec.Type, deadline time.Time) error {
	start := time.Now()
	g, err := newGenerator(t, r.report.Profile, r.bothSupport(adapter.OpEncode), r.opts)
	if err != nil {
		return err
	}
	made := 0
	next := func() (ins []Input) {
		n := batchSize
		if r.opts.Count > 0 {
			n = min(n, r.opts.Count-made)
		}
		if !deadline.IsZero() && time.Now().After(deadline) || ctx.Err() != nil || g.storeErr != nil {
			return nil
		}
		for made += n; n > 0; n-- {
			ins = append(ins, g.next())
		}
		return ins
	}
	tr := TypeReport{Type: t.Name, Kinds: map[Kind]int{}}
	for ins := next(); len(ins) > 0 && ctx.Err() == nil && r.report.Stopped == ""; {
		var wg sync.WaitGroup
		var following []Input
		wg.Go(func() { following = next() })
		for _, o := range r.ask(ctx, ins) {
			if o.stopped != "" {
				r.report.Stopped = o.stopped
				continue
			}
			r.count(&tr, o)
		}
		r.progress(Progress{Type: t.Name, Inputs: tr.Inputs, Different: tr.Different})
		wg.Wait()
		ins = following
	}
	r.stopFor(g.storeErr)
	tr.Behaviours, tr.Seconds = len(g.seen), time.Since(start).Seconds()
	r.report.Types = append(r.report.Types, tr)
	return nil
}

// stopFor ends the run early if an input could not be kept.
func (r *run) stopFor(err error) {
	if err != nil && r.report.Stopped == "" {
		r.report.Stopped = "an input cannot be kept: " + err.Error()
	}
}

// count counts an outcome, and adds a difference to its group.
func (r *run) count(tr *TypeReport, o *outcome) {
	tr.Inputs++
	switch {
	case o.diff != nil:
		tr.Different++
		tr.Kinds[o.diff.kind]++
		r.addToGroup(o)
	case o.skipped:
		tr.Skipped++
	case o.acceptable:
		tr.Acceptable++
	case o.accepted:
		tr.BothAccepted++
	default:
		tr.BothRejected++
	}
}

// maxGroups limits the number of groups. A report shows only a few of them.
const maxGroups = 2000

// A group holds similar differences.
type group struct {
	key     string
	kindKey string // of the type and the signature only
	best    *outcome
	count   int
	types   map[string]int

	readings []Reading
}

func (r *run) addToGroup(o *outcome) {
	r.assignGroup(o)
	g, ok := r.groups[o.key]
	if !ok && len(r.found) == maxGroups {
		r.report.NotExamined++
		return
	}
	if !ok {
		g = &group{key: o.key, kindKey: o.in.Type.Name + " " + o.diff.signature(), best: o, types: map[string]int{}}
		r.groups[o.key] = g
		r.found = append(r.found, g)
		if r.opts.Keep != nil {
			r.stopFor(r.opts.Keep(o.in))
		}
	}
	g.count++
	g.types[o.in.Type.Name]++
	if simpler(o.in, g.best.in) {
		g.best = o
	}
}

// simpler reports whether an input is shorter, or precedes one of the same
// length.
func simpler(a, b Input) bool {
	x, y := a.key(), b.key()
	return cmp.Or(cmp.Compare(a.size(), b.size()), cmp.Compare(len(x), len(y)), cmp.Compare(x, y)) < 0
}

// makeFindings shrinks one difference of each group, merges groups whose
// differences become equal, and makes the findings.
func (r *run) makeFindings(ctx context.Context) {
	limit := cmp.Or(r.opts.Max, defaultMax)
	queue := byKindInTurn(r.found)
	var kept []*group
	tried := 0
	for i, g := range queue {
		// Many groups may become equal. Shrinking all of them would take longer
		// than the search.
		if len(kept) == limit || tried == 4*limit {
			r.report.NotExamined += len(queue) - i
			break
		}
		tried++
		if ctx.Err() == nil && r.report.Stopped == "" {
			r.progress(Progress{Type: g.best.in.Type.Name, Shrinking: len(queue) - i})
			long, key := g.best, g.key
			if r.shrink(ctx, g, ""); g.key != key && g.placed() && (r.groups[g.key] != nil ||
				slices.ContainsFunc(kept, func(k *group) bool { return k.key == g.key })) {
				g.best, g.key = long, key // the short input shows what another group shows
				r.shrink(ctx, g, key)
			}
		}
		if j := slices.IndexFunc(kept, func(k *group) bool { return k.key == g.key || k.best.sameAs(g.best) }); j >= 0 {
			kept[j].merge(g)
			continue
		}
		kept = append(kept, g)
	}
	for _, g := range r.attribute(kept) {
		r.report.Findings = append(r.report.Findings, r.finding(g))
	}
	slices.SortStableFunc(r.report.Findings, func(a, b *Finding) int {
		return cmp.Or(slices.Index(Kinds(), a.Kind)-slices.Index(Kinds(), b.Kind), b.Count-a.Count)
	})
}

// maxFlags limits the number of flags that explain a difference together.
const maxFlags = 3

// attribute gives each group its readings. A difference that needs several flags is
// not a finding of its own if each flag, or the same flags together, explains another
// finding.
func (r *run) attribute(groups []*group) []*group {
	byReading := map[string]*group{}
	for _, g := range groups {
		g.readings = r.readings(g.best, 1)
		for _, reading := range g.readings {
			byReading[reading.String()] = g
		}
	}
	var out []*group
	for _, g := range groups {
		for n := 2; n <= maxFlags && len(g.readings) == 0 && g.best.diff.kind != Class; n++ {
			g.readings = r.readings(g.best, n)
		}
		var first *group
		for _, reading := range g.readings {
			if len(reading.Sides) == 1 {
				continue
			}
			unexplained := func(side FlagSide) bool {
				return byReading[Reading{reading.Letter, []FlagSide{side}}.String()] == nil
			}
			if !slices.ContainsFunc(reading.Sides, unexplained) {
				first = byReading[Reading{reading.Letter, reading.Sides[:1]}.String()]
				break
			}
			if first = byReading[reading.String()]; first != nil {
				break
			}
		}
		if first == nil {
			for _, reading := range g.readings {
				byReading[reading.String()] = g
			}
			out = append(out, g)
			continue
		}
		first.addCounts(g)
	}
	return out
}

// placed reports whether the place of the difference in an accepted input, and no
// reading, distinguishes the group from others of its kind.
func (g *group) placed() bool {
	kind := g.best.diff.kind
	return (kind == Verdict || kind == Written) && g.best.behaviour.fault == nil && strings.HasPrefix(g.key, g.kindKey)
}

func (g *group) addCounts(other *group) {
	for t, n := range other.types {
		g.types[t] += n
	}
	g.count += other.count
}

func (g *group) merge(other *group) {
	g.addCounts(other)
	if simpler(other.best.in, g.best.in) {
		g.best = other.best
	}
}

// byKindInTurn orders groups so that each kind of difference comes early: first
// the most frequent group of each kind, then the second of each.
func byKindInTurn(groups []*group) []*group {
	kinds, turns, turn := map[string]int{}, map[string]int{}, map[*group]int{}
	for _, g := range groups {
		if _, ok := kinds[g.kindKey]; !ok {
			kinds[g.kindKey] = len(kinds)
		}
	}
	out := slices.Clone(groups)
	slices.SortStableFunc(out, func(a, b *group) int { return cmp.Compare(b.count, a.count) })
	for _, g := range out {
		turn[g] = turns[g.kindKey]
		turns[g.kindKey]++
	}
	slices.SortFunc(out, func(a, b *group) int {
		return cmp.Or(cmp.Compare(turn[a], turn[b]), cmp.Compare(kinds[a.kindKey], kinds[b.kindKey]))
	})
	return out
}

// newRand returns a generator that depends on the seed and a name.
func newRand(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	io.WriteString(h, name)
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
