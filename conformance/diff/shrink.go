package diff

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/mutate"
	"github.com/formatgauge/formatgauge/spec/ids"
)

const (
	// maxShrinkInputs limits the number of inputs for one finding. Each crash
	// costs a new process, so their limit maxShrinkCrashes is lower.
	maxShrinkInputs  = 4000
	maxShrinkCrashes = 120
	// maxShrinkTime is a limit for slow adapters; others do not reach it.
	maxShrinkTime = 20 * time.Second
	// shrinkBatch is the number of smaller inputs that are sent together. The
	// first one that shows the difference is used.
	shrinkBatch = 16
)

// shrink reduces the input of a group as long as the two implementations differ
// in the same way. If key is not empty, the key of the group stays this one.
func (r *run) shrink(ctx context.Context, g *group, key string) {
	o := g.best
	asks, size := maxShrinkInputs, shrinkBatch
	switch o.diff.kind {
	case Timeout, Flaky: // a hang costs the time limit; a flaky fault may not occur again
		return
	case Crash, Protocol:
		asks, size = maxShrinkCrashes, 1
	}
	until := time.Now().Add(maxShrinkTime)
	reading := ""
	if readings := r.readings(o, 1); len(readings) > 0 {
		reading = readings[0].String()
	}
	best := o
	s := &shrinker{
		in: o.in, fixedContext: r.opts.Context, profile: r.report.Profile, batch: size,
		firstKept: func(ins []Input) int {
			if asks -= len(ins); asks < 0 || time.Now().After(until) || ctx.Err() != nil || r.report.Stopped != "" {
				return stopShrinking
			}
			outs := r.ask(ctx, ins)
			if len(outs) < len(ins) {
				return stopShrinking
			}
			for i, p := range outs {
				if p.stopped != "" {
					r.report.Stopped = p.stopped
					return stopShrinking
				}
				if p.diff == nil || p.diff.signature() != o.diff.signature() || !r.sameClause(o, p) {
					continue
				}
				if now := r.readings(p, 1); reading != "" && (len(now) == 0 || now[0].String() != reading) {
					continue
				}
				if r.assignGroup(p); key != "" && p.key != key {
					continue
				}
				best = p
				return i
			}
			return noInput
		},
	}
	s.run()
	g.best, g.key = best, best.key
}

// sameClause distinguishes faults with the same signature by the clause of the
// part that differs, or of the fault if the reference rejects the input. In
// other cases the clause is not reliable, and would make many findings of one
// fault.
func (r *run) sameClause(o, p *outcome) bool {
	if o.diff.kind != Tree && (o.diff.kind != Verdict || o.behaviour.fault == nil) {
		return true
	}
	var err error
	if p.behaviour, err = r.observe(p.in); err != nil {
		return false
	}
	return o.behaviour.differenceLocation(o.diff).Clause == p.behaviour.differenceLocation(p.diff).Clause
}

// Results of firstKept other than an index.
const (
	noInput       = -1
	stopShrinking = -2
)

// A shrinker reduces an input. It applies modifications that each make the
// input simpler, until none of them shows the difference. A modified value must
// match the model.
type shrinker struct {
	in           Input
	fixedContext map[string]string
	profile      ids.Profile
	batch        int
	// firstKept returns the index of the first input that shows the difference,
	// noInput or stopShrinking.
	firstKept func([]Input) int
	stopped   bool
}

func (s *shrinker) run() {
	passes := []func() bool{s.shrinkContext, s.dropElements, s.dropBytes, s.shortenTexts, s.zeroBytes}
	if s.in.Tree != nil {
		passes = []func() bool{s.shrinkContext, s.simplifyTree}
	}
	for again := true; again && !s.stopped; {
		again = false
		for _, pass := range passes {
			again = pass() || again
		}
	}
}

func (s *shrinker) simplifyTree() bool { return s.try(simplerTrees(s.in)) != noInput }

// try offers inputs, and keeps the first one that shows the difference. It
// returns its index, or noInput.
func (s *shrinker) try(ins []Input) int {
	for from := 0; from < len(ins) && !s.stopped; from += s.batch {
		part := ins[from:min(from+s.batch, len(ins))]
		switch i := s.firstKept(part); i {
		case noInput:
		case stopShrinking:
			s.stopped = true
		default:
			s.in = part[i]
			return from + i
		}
	}
	return noInput
}

func (s *shrinker) withBytes(b []byte) Input {
	return Input{Type: s.in.Type, Context: s.in.Context, Bytes: b}
}

// parts returns the structure of the current input, and its spans. If the reference
// panics, it has none.
func (s *shrinker) parts() (p *mutate.Parts, spans []wire.Span) {
	p = &mutate.Parts{}
	defer func() { _ = recover() }()
	c, err := s.in.Type.Bind(wire.Settings{Profile: s.profile}, s.in.Context)
	if err != nil {
		return p, nil
	}
	_, spans, _ = c.Trace(s.in.Bytes)
	sample := mutate.Sample{Bytes: s.in.Bytes, Spans: spans, Context: s.in.Context}
	return sample.Parts(), spans
}

// shrinkContext removes keys of the context that are not needed, and shortens lists,
// such as the list of names.
func (s *shrinker) shrinkContext() (shrunk bool) {
	try := func(k, value string) bool {
		less := s.in
		less.Context = maps.Clone(s.in.Context)
		if less.Context[k] = value; value == s.in.Type.Context[k] {
			delete(less.Context, k)
		}
		kept := s.try([]Input{less}) != noInput
		shrunk = shrunk || kept
		return kept
	}
	for _, k := range slices.Sorted(maps.Keys(s.in.Context)) {
		if _, ok := s.fixedContext[k]; ok || try(k, s.in.Type.Context[k]) {
			continue
		}
		for size := strings.Count(s.in.Context[k], "|"); size > 0; {
			rows := strings.Split(s.in.Context[k], "|")
			if len(rows) <= size || !try(k, strings.Join(rows[:len(rows)-size], "|")) {
				size /= 2
			}
		}
	}
	return shrunk
}

// maxRuns limits the number of runs of elements that are tried at once.
const maxRuns = 64

// dropElements removes adjacent elements of a list at once: halves of the longest list
// first, single elements last, and these also without adjusting lengths and offsets.
func (s *shrinker) dropElements() (shrunk bool) {
	for size := 1 << 15; size > 0 && !s.stopped; {
		fixes := []mutate.Updates{mutate.UpdateAll}
		if size == 1 {
			fixes = append(fixes, mutate.UpdateCount|mutate.UpdateLengths, mutate.UpdateCount)
		}
		p, _ := s.parts()
		runs := slices.Collect(p.Runs(size))
		length := func(run []int) int { return p.Elements[run[size-1]].End - p.Elements[run[0]].Start }
		slices.SortStableFunc(runs, func(a, b []int) int { return cmp.Compare(length(b), length(a)) })
		dropped := false
		for some := range slices.Chunk(runs, maxRuns) { // not a copy of the input per run
			var ins []Input
			for _, run := range some {
				first, last := &p.Elements[run[0]], &p.Elements[run[size-1]]
				for _, fix := range fixes {
					ins = append(ins, s.withBytes(p.Replace(s.in.Bytes, first.Start, last.End, nil, first, -size, fix)))
				}
			}
			if dropped = s.try(distinct(ins)) != noInput; dropped || s.stopped || size > 1 {
				break
			}
		}
		if shrunk = shrunk || dropped; !dropped {
			size /= 2
		}
	}
	return shrunk
}

func distinct(ins []Input) []Input {
	var out []Input
	for _, in := range ins {
		if !slices.ContainsFunc(out, func(o Input) bool { return string(o.Bytes) == string(in.Bytes) }) {
			out = append(out, in)
		}
	}
	return out
}

// dropBytes removes ranges of bytes: halves first, single bytes last.
func (s *shrinker) dropBytes() (shrunk bool) {
	for size := max(len(s.in.Bytes)/2, 1); size > 0 && !s.stopped; size /= 2 {
		for at := 0; at+size <= len(s.in.Bytes) && !s.stopped; {
			p, _ := s.parts()
			var ins []Input
			var from []int
			for k := at; k+size <= len(s.in.Bytes) && len(ins) < 2*s.batch; k += size {
				plain := s.withBytes(slices.Delete(slices.Clone(s.in.Bytes), k, k+size))
				ins, from = append(ins, plain), append(from, k)
				fixed := p.Replace(s.in.Bytes, k, k+size, nil, nil, 0, mutate.UpdateLengths|mutate.UpdateOffsets)
				if string(fixed) != string(plain.Bytes) {
					ins, from = append(ins, s.withBytes(fixed)), append(from, k)
				}
			}
			i := s.try(ins)
			if i == noInput {
				at = from[len(from)-1] + size
				continue
			}
			shrunk, at = true, from[i]
		}
	}
	return shrunk
}

// shortenTexts shortens parts that follow their length, together with the length.
func (s *shrinker) shortenTexts() (shrunk bool) {
	for ; !s.stopped; shrunk = true {
		p, spans := s.parts()
		var ins []Input
		for _, n := range p.Numbers {
			if !n.Integer || n.Value == 0 {
				continue
			}
			for _, span := range spans {
				size := uint64(span.End - span.Start)
				unit := size / n.Value
				if span.Start != n.End || unit == 0 || unit*n.Value != size {
					continue
				}
				for _, left := range []uint64{0, n.Value / 2, n.Value - 1} {
					from := span.Start + int(left*unit)
					shorter := p.Replace(s.in.Bytes, from, span.End, nil, nil, 0, mutate.UpdateLengths|mutate.UpdateOffsets)
					n.Put(shorter, left)
					ins = append(ins, s.withBytes(shorter))
				}
			}
		}
		if s.try(distinct(ins)) == noInput {
			return shrunk
		}
	}
	return shrunk
}

// zeroBytes replaces bytes by zero or by a smaller value.
func (s *shrinker) zeroBytes() (shrunk bool) {
	_, spans := s.parts()
	for _, span := range spans {
		part := s.in.Bytes[span.Start:span.End]
		if len(part) > 1 && slices.ContainsFunc(part, func(c byte) bool { return c != 0 }) {
			zero := slices.Clone(s.in.Bytes)
			clear(zero[span.Start:span.End])
			shrunk = s.try([]Input{s.withBytes(zero)}) != noInput || shrunk
		}
	}
	for at := 0; at < len(s.in.Bytes) && !s.stopped; at++ {
		for s.in.Bytes[at] != 0 {
			c := s.in.Bytes[at]
			var ins []Input
			for _, less := range []byte{0, 1, c / 2, c - 1, c &^ 0x80, c &^ 0x40, c &^ 0x0F, c & 0x0F} {
				if less < c {
					b := slices.Clone(s.in.Bytes)
					b[at] = less
					ins = append(ins, s.withBytes(b))
				}
			}
			if s.try(distinct(ins)) == noInput {
				break
			}
			shrunk = true
		}
	}
	return shrunk
}
