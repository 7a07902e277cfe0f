package diff

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/formatgauge/formatgauge/spec/ids"
)

const (
	// shrinkAsks bounds the inputs that are asked about to shrink one finding.
	// What breaks a process costs a new one each time.
	shrinkAsks   = 4000
	shrinkBreaks = 120
	// shrinkFor is a bound for adapters that are slow; others do not reach it.
	shrinkFor = 20 * time.Second
	// shrinkBatch is how many smaller inputs are asked about at once. The first
	// one that still shows the difference is taken, the rest are for nothing.
	shrinkBatch = 16
)

// shrink makes the input of a group's difference smaller as long as the two
// part on it in the same way.
func (r *run) shrink(ctx context.Context, g *group) {
	o := g.best
	asks, size := shrinkAsks, shrinkBatch
	switch o.d.kind {
	case Hang, Unsteady: // each time costs the time limit, or it does not happen again
		return
	case Crash, Protocol:
		asks, size = shrinkBreaks, 1
	}
	until := time.Now().Add(shrinkFor)
	reading := ""
	if readings := r.readings(o); len(readings) > 0 {
		reading = readings[0].String()
	}
	best := o
	s := &shrinker{
		in: o.in, fixed: r.opts.Context, profile: r.report.Profile, absent: r.absent[o.in.Type.Name], batch: size,
		first: func(ins []Input) int {
			if asks -= len(ins); asks < 0 || time.Now().After(until) || ctx.Err() != nil || r.report.Stopped != "" {
				return stop
			}
			outs := r.ask(ctx, ins)
			if len(outs) < len(ins) {
				return stop
			}
			for i, p := range outs {
				if p.gone != "" {
					r.report.Stopped = p.gone
					return stop
				}
				if p.d == nil || p.d.same() != o.d.same() {
					continue
				}
				if !r.sameClause(o, p) {
					continue
				}
				if now := r.readings(p); reading != "" && (len(now) == 0 || now[0].String() != reading) {
					continue
				}
				best = p
				return i
			}
			return none
		},
	}
	s.run()
	r.examine(best)
	g.best, g.key = best, best.key
}

// sameClause keeps two faults apart that look alike from outside, where the
// reference tells them apart: by the part of the value that differs, or by what
// it refuses itself. Where another refuses, the place is anybody's guess, and
// to hold on to it would make many findings of one fault.
func (r *run) sameClause(o, p *outcome) bool {
	if o.d.kind != Tree && (o.d.kind != Verdict || o.ref.fault == nil) {
		return true
	}
	c, err := bind(p.in.Type, r.report.Profile, p.in.Context)
	if err != nil {
		return false
	}
	p.ref = behave(c, p.in)
	return o.ref.placeOf(o.d).clause == p.ref.placeOf(p.d).clause
}

// What first says when it names no input.
const (
	none = -1
	stop = -2
)

// A shrinker makes an input smaller. It goes over the input again and again
// with changes that each leave less of it, until none of them is taken.
// Changes of a value have to leave one that fits the model.
type shrinker struct {
	in      Input
	fixed   map[string]string
	profile ids.Profile
	absent  map[string]bool // parts of values that may be null
	batch   int
	// first returns the index of the first input that will do, none, or stop.
	first   func([]Input) int
	stopped bool
}

func (s *shrinker) run() {
	if s.in.Tree != nil {
		for again := true; again && !s.stopped; {
			again = s.context()
			again = s.try(simplerTrees(s.in, s.absent)) != none || again
		}
		return
	}
	for again := true; again && !s.stopped; {
		again = false
		for _, pass := range []func() bool{s.context, s.elements, s.chunks, s.texts, s.values} {
			again = pass() || again
		}
	}
}

// try offers inputs in turn, and takes the first that will do. It returns its
// index, or none.
func (s *shrinker) try(ins []Input) int {
	for from := 0; from < len(ins) && !s.stopped; from += s.batch {
		part := ins[from:min(from+s.batch, len(ins))]
		switch i := s.first(part); i {
		case none:
		case stop:
			s.stopped = true
		default:
			s.in = part[i]
			return from + i
		}
	}
	return none
}

func (s *shrinker) with(b []byte) Input {
	return Input{Type: s.in.Type, Context: s.in.Context, Bytes: b}
}

// parts of the input as it is now.
func (s *shrinker) parts() (*parts, behaviour) {
	c, err := bind(s.in.Type, s.profile, s.in.Context)
	if err != nil {
		return &parts{}, behaviour{}
	}
	_, spans, err := c.Trace(s.in.Bytes)
	return partsOf(s.in, spans), behaviourOf(spans, err)
}

// context leaves out what need not be said.
func (s *shrinker) context() (any bool) {
	for _, k := range slices.Sorted(maps.Keys(s.in.Context)) {
		if _, ok := s.fixed[k]; ok {
			continue
		}
		less := s.in
		less.Context = maps.Clone(s.in.Context)
		delete(less.Context, k)
		if s.try([]Input{less}) != none {
			any = true
			continue
		}
		// Of a list, such as that of names, the rows that are not reached.
		for size := strings.Count(s.in.Context[k], "|"); size > 0; size /= 2 {
			for rows := strings.Split(s.in.Context[k], "|"); len(rows) > size; rows = strings.Split(s.in.Context[k], "|") {
				less := s.in
				less.Context = maps.Clone(s.in.Context)
				less.Context[k] = strings.Join(rows[:len(rows)-size], "|")
				if s.try([]Input{less}) == none {
					break
				}
				any = true
			}
		}
	}
	return any
}

// elements drops elements of lists, the longest first, with and without the
// numbers that count and measure them.
func (s *shrinker) elements() (any bool) {
	for !s.stopped {
		p, _ := s.parts()
		es := slices.Clone(p.elements)
		slices.SortStableFunc(es, func(a, b element) int { return cmp.Compare(b.end-b.start, a.end-a.start) })
		var ins []Input
		for i := range es {
			for _, fix := range []fixes{fixAll, fixCount | fixLengths, fixCount} {
				ins = append(ins, s.with(p.replace(s.in.Bytes, es[i].start, es[i].end, nil, &es[i], -1, fix)))
			}
		}
		if s.try(distinct(ins)) == none {
			return any
		}
		any = true
	}
	return any
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

// chunks drops runs of bytes: halves first, single bytes last.
func (s *shrinker) chunks() (any bool) {
	for size := max(len(s.in.Bytes)/2, 1); size > 0 && !s.stopped; size /= 2 {
		for at := 0; at+size <= len(s.in.Bytes) && !s.stopped; {
			p, _ := s.parts()
			var ins []Input
			var from []int
			for k := at; k+size <= len(s.in.Bytes) && len(ins) < 2*s.batch; k += size {
				plain := s.with(slices.Delete(slices.Clone(s.in.Bytes), k, k+size))
				ins, from = append(ins, plain), append(from, k)
				if fixed := p.replace(s.in.Bytes, k, k+size, nil, nil, 0, fixLengths|fixOffsets); string(fixed) != string(plain.Bytes) {
					ins, from = append(ins, s.with(fixed)), append(from, k)
				}
			}
			i := s.try(ins)
			if i == none {
				at = from[len(from)-1] + size
				continue
			}
			any, at = true, from[i]
		}
	}
	return any
}

// texts halves what a length stands before, and the length with it.
func (s *shrinker) texts() (any bool) {
	for !s.stopped {
		p, b := s.parts()
		var ins []Input
		for _, n := range p.numbers {
			if !n.integer || n.value == 0 {
				continue
			}
			for _, span := range b.spans {
				unit := uint64(span.End-span.Start) / n.value
				if span.Start != n.end || unit == 0 || unit*n.value != uint64(span.End-span.Start) {
					continue
				}
				for _, left := range []uint64{0, n.value / 2, n.value - 1} {
					shorter := p.replace(s.in.Bytes, span.Start+int(left*unit), span.End, nil, nil, 0, fixLengths|fixOffsets)
					n.put(shorter, left)
					ins = append(ins, s.with(shorter))
				}
			}
		}
		if s.try(distinct(ins)) == none {
			return any
		}
		any = true
	}
	return any
}

// values makes bytes zero, or at least less.
func (s *shrinker) values() (any bool) {
	_, b := s.parts()
	for _, span := range b.spans {
		if span.End-span.Start > 1 && slices.ContainsFunc(s.in.Bytes[span.Start:span.End], func(c byte) bool { return c != 0 }) {
			zero := slices.Clone(s.in.Bytes)
			clear(zero[span.Start:span.End])
			any = s.try([]Input{s.with(zero)}) != none || any
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
					ins = append(ins, s.with(b))
				}
			}
			if s.try(distinct(ins)) == none {
				break
			}
			any = true
		}
	}
	return any
}
