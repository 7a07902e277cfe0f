package diff

import (
	"fmt"
	"hash/maphash"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/draw"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A generator makes inputs of one type. What it makes depends on the seed and
// on the reference, and on nothing else.
type generator struct {
	t       *codec.Type
	profile ids.Profile
	fixed   map[string]string
	rng     *rand.Rand
	values  *draw.Values
	codecs  map[string]codec.Codec
	queue   []Input // still to be given as they are
	pool    []*sample
	writes  bool            // values to write are inputs, too
	trees   []tree.Node     // that showed something new
	absent  map[string]bool // parts of values that have been seen to be null
	seen    map[string]bool // behaviours
	asked   map[uint64]bool
	hash    maphash.Seed
	random  map[string][]string // what contexts may say
}

// A sample is an input worth changing.
type sample struct {
	in    Input
	spans []wire.Span
	parts *parts // when it is first needed
}

func newGenerator(t *codec.Type, p ids.Profile, writes bool, opts Options) (*generator, error) {
	rng := chance(opts.Seed, t.Name)
	g := &generator{
		t: t, profile: p, writes: writes, rng: rng, values: draw.New(t, rng.Int64()), fixed: map[string]string{}, codecs: map[string]codec.Codec{},
		seen: map[string]bool{}, asked: map[uint64]bool{}, hash: maphash.MakeSeed(), absent: map[string]bool{}, random: map[string][]string{},
	}
	for k := range t.Context {
		if v, ok := opts.Context[k]; ok {
			g.fixed[k] = v
		} else {
			g.random[k] = append([]string{t.Context[k]}, draw.ContextValues(k)...)
		}
	}
	if _, err := bind(t, p, g.fixed); err != nil {
		return nil, err
	}
	for _, v := range opts.Vectors {
		if v.Type == t.Name && !v.EncodeOnly() {
			g.queue = append(g.queue, g.told(v.Bytes, v.Context))
		}
		if v.Type == t.Name && v.EncodeOnly() && writes {
			if n, err := tree.Parse([]byte(v.Tree)); err == nil {
				in := g.told(nil, v.Context)
				in.Tree = &n
				g.queue = append(g.queue, in)
			}
		}
	}
	for _, b := range opts.Seeds {
		g.queue = append(g.queue, g.told(b, nil))
	}
	return g, nil
}

func bind(t *codec.Type, p ids.Profile, context map[string]string) (codec.Codec, error) {
	return t.Bind(wire.Settings{Profile: p}, context)
}

// told is an input in a context in which what is fixed stays so. What is
// usual is left out.
func (g *generator) told(b []byte, context map[string]string) Input {
	in := Input{Type: g.t, Bytes: b, Context: map[string]string{}}
	maps.Copy(in.Context, context)
	maps.Copy(in.Context, g.fixed)
	for k, v := range in.Context {
		if g.t.Context[k] == v && g.fixed[k] == "" {
			delete(in.Context, k)
		}
	}
	return in
}

// codec binds the type to a context; nil if it does not take that.
func (g *generator) codec(context map[string]string) codec.Codec {
	key := fmt.Sprint(context)
	c, ok := g.codecs[key]
	if !ok {
		c, _ = bind(g.t, g.profile, context) // without a codec there is no such context
		g.codecs[key] = c
	}
	return c
}

const (
	// tries bounds how often another input is made in place of one that has
	// been asked about already. Small types run out of new ones.
	tries = 8
	// maxAsked bounds how many inputs are remembered for that.
	maxAsked = 1 << 20
	// maxBytes bounds what is changed, and what changes make.
	maxBytes = 1 << 16
)

// next makes an input, and keeps it for changing if the reference does
// something new on it.
func (g *generator) next() Input {
	if len(g.queue) > 0 {
		in := g.queue[0]
		g.queue = g.queue[1:]
		g.new(in)
		g.keep(in, len(in.Bytes) <= maxBytes)
		return in
	}
	in := g.make()
	for range tries {
		if g.new(in) {
			break
		}
		in = g.make()
	}
	g.keep(in, false)
	return in
}

// new reports whether an input has not been made before.
func (g *generator) new(in Input) bool {
	var h maphash.Hash
	h.SetSeed(g.hash)
	h.WriteString(in.text())
	if len(g.asked) > maxAsked {
		clear(g.asked)
	}
	known := g.asked[h.Sum64()]
	g.asked[h.Sum64()] = true
	return !known
}

// keep watches the reference read an input, and puts it into the pool if that
// is new or if it always belongs there.
func (g *generator) keep(in Input, always bool) {
	c := g.codec(in.Context)
	if c == nil {
		return
	}
	b := behave(c, in)
	fresh := false
	b.features(func(f string) {
		if in.Tree != nil && b.fault != nil {
			f = "writing " + f
		}
		if !g.seen[f] {
			g.seen[f], fresh = true, true
		}
	})
	switch {
	case !fresh && !always || len(in.Bytes) > maxBytes:
	case in.Tree != nil:
		g.trees = append(g.trees, *in.Tree)
	default:
		g.pool = append(g.pool, &sample{in: in, spans: b.spans})
	}
}

func (g *generator) oneIn(n int) bool { return g.rng.IntN(n) == 0 }

// make makes an input, new or not.
func (g *generator) make() Input {
	if g.writes && g.oneIn(8) {
		if in, ok := g.value(); ok {
			return in
		}
	}
	switch n := g.rng.IntN(100); {
	case n < 12 || len(g.pool) == 0:
		if in, ok := g.drawn(); ok {
			return in
		}
	case n < 15:
		b := make([]byte, g.rng.IntN(48))
		for i := range b {
			b[i] = g.anyByte()
		}
		return g.told(b, g.anyContext())
	}
	if len(g.pool) == 0 {
		return g.told(nil, nil)
	}
	return g.changed()
}

// drawn is a value that is drawn and written by the reference.
func (g *generator) drawn() (Input, bool) {
	context := draw.UsualContext(g.t)
	if g.oneIn(4) {
		maps.Copy(context, g.anyContext())
	}
	in := g.told(nil, context)
	c := g.codec(in.Context)
	for range 4 {
		v := g.values.Next()
		if c == nil {
			break
		}
		if b, err := c.Append(nil, v); err == nil && len(b) <= maxBytes {
			in.Bytes = b
			return in, true
		}
	}
	return in, false
}

// anyContext says anything under some key.
func (g *generator) anyContext() map[string]string {
	context := map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(g.random)) {
		if g.oneIn(2) {
			context[k] = g.random[k][g.rng.IntN(len(g.random[k]))]
		}
	}
	return context
}

// pick takes the shorter of two samples, so that short ones come often and
// long ones at times.
func (g *generator) pick() *sample {
	a, b := g.pool[g.rng.IntN(len(g.pool))], g.pool[g.rng.IntN(len(g.pool))]
	if len(b.in.Bytes) < len(a.in.Bytes) && !g.oneIn(4) {
		return b
	}
	return a
}

// changed is a sample with a few changes. The spans hold for the first one
// only; what comes behind it goes by bytes.
func (g *generator) changed() Input {
	s := g.pick()
	context := s.in.Context
	if g.oneIn(16) {
		context = maps.Clone(context)
		maps.Copy(context, g.anyContext())
		if g.codec(context) == nil {
			context = s.in.Context
		}
	}
	b := slices.Clone(s.in.Bytes)
	if len(s.spans) > 0 && !g.oneIn(3) {
		b = g.changeParts(s, b)
	} else {
		b = g.changeBytes(b)
	}
	for g.oneIn(3) {
		b = g.changeBytes(b)
	}
	if len(b) > maxBytes {
		b = b[:maxBytes]
	}
	return g.told(b, context)
}

var oddBytes = []byte{0, 1, 2, 0x3F, 0x40, 0x7F, 0x80, 0xBF, 0xC0, 0xFE, 0xFF}

func (g *generator) anyByte() byte {
	if g.oneIn(3) {
		return oddBytes[g.rng.IntN(len(oddBytes))]
	}
	return byte(g.rng.IntN(256))
}

// changeBytes changes something without knowing what it means.
func (g *generator) changeBytes(b []byte) []byte {
	at := g.rng.IntN(len(b) + 1)
	if at == len(b) && len(b) > 0 && g.oneIn(2) {
		at = g.rng.IntN(len(b))
	}
	n := 1 + g.rng.IntN(4)
	switch op := g.rng.IntN(8); {
	case op < 2 && at < len(b):
		b[at] ^= 1 << g.rng.IntN(8)
	case op < 4 && at < len(b):
		b[at] = g.anyByte()
	case op == 4:
		return b[:at]
	case op == 5:
		for range n {
			b = append(b, g.anyByte())
		}
	case op == 6:
		return slices.Delete(b, at, min(at+n, len(b)))
	default: // bytes of another sample, or any
		other := g.pick().in.Bytes
		from := g.rng.IntN(len(other) + 1)
		insert := slices.Clone(other[from:min(from+1+g.rng.IntN(16), len(other))])
		if len(insert) == 0 || g.oneIn(2) {
			insert = []byte{g.anyByte()}
		}
		return slices.Insert(b, at, insert...)
	}
	return b
}

// changeParts changes something of which the spans tell what it is.
func (g *generator) changeParts(s *sample, b []byte) []byte {
	if s.parts == nil {
		s.parts = partsOf(s.in, s.spans)
	}
	p := s.parts
	switch op := g.rng.IntN(8); {
	case op < 3 && len(p.numbers) > 0:
		n := p.numbers[g.rng.IntN(len(p.numbers))]
		n.put(b, g.otherNumber(n, len(b)))
		return b
	case op < 6 && len(p.elements) > 0:
		e := p.elements[g.rng.IntN(len(p.elements))]
		fix := fixes(g.rng.IntN(int(fixAll) + 1))
		switch g.rng.IntN(4) {
		case 0: // dropped
			return p.replace(b, e.start, e.end, nil, &e, -1, fix)
		case 1: // doubled
			return p.replace(b, e.end, e.end, slices.Clone(b[e.start:e.end]), &e, 1, fix)
		case 2: // replaced by another of the same shape
			if with := g.likeIt(e.shape); with != nil {
				return p.replace(b, e.start, e.end, with, nil, 0, fix|fixLengths)
			}
		default: // one more, of another input
			if with := g.likeIt(e.shape); with != nil {
				return p.replace(b, e.start, e.start, with, &e, 1, fix)
			}
		}
	}
	span := s.spans[g.rng.IntN(len(s.spans))]
	with := g.likeIt(shapeOf(span.Path))
	switch g.rng.IntN(4) {
	case 0:
		with = nil
	case 1:
		with = slices.Concat(b[span.Start:span.End], b[span.Start:span.End])
	}
	return p.replace(b, span.Start, span.End, with, nil, 0, fixes(g.rng.IntN(int(fixAll)+1)))
}

// likeIt are the bytes of a part of that shape, of another sample if one of
// a few has it.
func (g *generator) likeIt(shape string) []byte {
	for range 6 {
		other := g.pick()
		if other.parts == nil {
			other.parts = partsOf(other.in, other.spans)
		}
		if found := other.parts.byShape[shape]; len(found) > 0 {
			r := found[g.rng.IntN(len(found))]
			return slices.Clone(other.in.Bytes[r[0]:r[1]])
		}
	}
	return nil
}

// otherNumber is a number that somebody may not have thought of.
func (g *generator) otherNumber(n number, size int) uint64 {
	most := n.most()
	left := uint64(max(size-n.end, 0))
	candidates := []uint64{
		n.value + 1, n.value + 1, n.value - 1, n.value - 1, 0, 0, 1, most, most - 1, most >> 1, most>>1 + 1, most>>1 + 2,
		left, left + 1, left - 1, uint64(size), n.value << 1, n.value >> 1, -n.value, n.value ^ 1<<g.rng.IntN(8*n.width()),
		g.rng.Uint64() >> g.rng.IntN(64), uint64(g.rng.IntN(32)),
	}
	return candidates[g.rng.IntN(len(candidates))] & most
}
