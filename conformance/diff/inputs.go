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

// A generator makes inputs of one type. The inputs depend only on the seed and
// on the reference.
type generator struct {
	t             *codec.Type
	profile       ids.Profile
	fixedContext  map[string]string
	rng           *rand.Rand
	values        *draw.Values
	codecs        map[string]codec.Codec
	queue         []Input // to be returned unmodified
	pool          []*sample
	canEncode     bool            // values to encode are inputs too
	trees         []tree.Node     // with a new behaviour
	nullable      map[string]bool // shapes of parts of values that have been null
	seen          map[string]bool // behaviours
	inputHashes   map[uint64]bool
	hash          maphash.Seed
	contextValues map[string][]string // values of each key of the context that varies
}

// A sample is an input to be modified.
type sample struct {
	in    Input
	spans []wire.Span
	parts *parts // set when it is first needed
}

func newGenerator(t *codec.Type, p ids.Profile, writes bool, opts Options) (*generator, error) {
	rng := newRand(opts.Seed, t.Name)
	g := &generator{
		t: t, profile: p, canEncode: writes, rng: rng, values: draw.New(t, rng.Int64()), fixedContext: map[string]string{}, codecs: map[string]codec.Codec{},
		seen: map[string]bool{}, inputHashes: map[uint64]bool{}, hash: maphash.MakeSeed(), nullable: map[string]bool{}, contextValues: map[string][]string{},
	}
	for k := range t.Context {
		if v, ok := opts.Context[k]; ok {
			g.fixedContext[k] = v
		} else {
			g.contextValues[k] = append([]string{t.Context[k]}, draw.ContextValues(k)...)
		}
	}
	if _, err := bind(t, p, g.fixedContext); err != nil {
		return nil, err
	}
	for _, v := range opts.Vectors {
		if v.Type == t.Name && !v.EncodeOnly() {
			g.queue = append(g.queue, g.input(v.Bytes, v.Context))
		}
		if v.Type == t.Name && v.EncodeOnly() && writes {
			if n, err := tree.ParseVector(v.Tree); err == nil {
				in := g.input(nil, v.Context)
				in.Tree = &n
				g.queue = append(g.queue, in)
			}
		}
	}
	for _, b := range opts.Seeds {
		g.queue = append(g.queue, g.input(b, nil))
	}
	return g, nil
}

func bind(t *codec.Type, p ids.Profile, context map[string]string) (codec.Codec, error) {
	return t.Bind(wire.Settings{Profile: p}, context)
}

// input returns an input with a context in which fixed keys have their value
// and keys with their default are omitted.
func (g *generator) input(b []byte, context map[string]string) Input {
	in := Input{Type: g.t, Bytes: b, Context: map[string]string{}}
	maps.Copy(in.Context, context)
	maps.Copy(in.Context, g.fixedContext)
	for k, v := range in.Context {
		if g.t.Context[k] == v && g.fixedContext[k] == "" {
			delete(in.Context, k)
		}
	}
	return in
}

// codec binds the type to a context; nil if the context is invalid.
func (g *generator) codec(context map[string]string) codec.Codec {
	key := fmt.Sprint(context)
	c, ok := g.codecs[key]
	if !ok {
		c, _ = bind(g.t, g.profile, context) // on error c is nil
		g.codecs[key] = c
	}
	return c
}

const (
	// maxTries limits how often an input that occurred before is replaced by
	// another one. Small types have few inputs.
	maxTries = 8
	// maxHashes limits the number of inputs that are remembered for that.
	maxHashes = 1 << 20
	// maxInput limits the length in bytes of modified inputs.
	maxInput = 1 << 16
)

// next returns the next input, and keeps it for modification if it shows a new
// behaviour of the reference.
func (g *generator) next() Input {
	if len(g.queue) > 0 {
		in := g.queue[0]
		g.queue = g.queue[1:]
		g.isNew(in)
		g.keep(in, len(in.Bytes) <= maxInput)
		return in
	}
	in := g.newInput()
	for range maxTries {
		if g.isNew(in) {
			break
		}
		in = g.newInput()
	}
	g.keep(in, false)
	return in
}

// isNew reports whether an input has not occurred before.
func (g *generator) isNew(in Input) bool {
	var h maphash.Hash
	h.SetSeed(g.hash)
	h.WriteString(in.key())
	if len(g.inputHashes) > maxHashes {
		clear(g.inputHashes)
	}
	known := g.inputHashes[h.Sum64()]
	g.inputHashes[h.Sum64()] = true
	return !known
}

// keep observes the reference with an input, and adds the input to the pool if
// the behaviour is new or if always is true.
func (g *generator) keep(in Input, always bool) {
	c := g.codec(in.Context)
	if c == nil {
		return
	}
	b := observe(c, in)
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
	case !fresh && !always || len(in.Bytes) > maxInput:
	case in.Tree != nil:
		g.trees = append(g.trees, *in.Tree)
	default:
		g.pool = append(g.pool, &sample{in: in, spans: b.spans})
	}
}

func (g *generator) oneIn(n int) bool { return g.rng.IntN(n) == 0 }

// newInput makes an input. The input may have occurred before.
func (g *generator) newInput() Input {
	if g.canEncode && g.oneIn(8) {
		if in, ok := g.valueInput(); ok {
			return in
		}
	}
	switch n := g.rng.IntN(100); {
	case n < 12 || len(g.pool) == 0:
		if in, ok := g.drawnInput(); ok {
			return in
		}
	case n < 15:
		b := make([]byte, g.rng.IntN(48))
		for i := range b {
			b[i] = g.anyByte()
		}
		return g.input(b, g.anyContext())
	}
	if len(g.pool) == 0 {
		return g.input(nil, nil)
	}
	return g.changedInput()
}

// drawnInput returns a random value that the reference has encoded.
func (g *generator) drawnInput() (Input, bool) {
	context := draw.UsualContext(g.t)
	if g.oneIn(4) {
		maps.Copy(context, g.anyContext())
	}
	in := g.input(nil, context)
	c := g.codec(in.Context)
	for range 4 {
		v := g.values.Next()
		if c == nil {
			break
		}
		if b, err := c.Append(nil, v); err == nil && len(b) <= maxInput {
			in.Bytes = b
			return in, true
		}
	}
	return in, false
}

// anyContext returns random values for some of the keys that vary.
func (g *generator) anyContext() map[string]string {
	context := map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(g.contextValues)) {
		if g.oneIn(2) {
			context[k] = g.contextValues[k][g.rng.IntN(len(g.contextValues[k]))]
		}
	}
	return context
}

// pick chooses one of two random samples, preferably the shorter one.
func (g *generator) pick() *sample {
	a, b := g.pool[g.rng.IntN(len(g.pool))], g.pool[g.rng.IntN(len(g.pool))]
	if len(b.in.Bytes) < len(a.in.Bytes) && !g.oneIn(4) {
		return b
	}
	return a
}

// changedInput returns a sample with some modifications. The spans are valid
// only for the first one; the following ones modify bytes.
func (g *generator) changedInput() Input {
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
	if len(b) > maxInput {
		b = b[:maxInput]
	}
	return g.input(b, context)
}

var oddBytes = []byte{0, 1, 2, 0x3F, 0x40, 0x7F, 0x80, 0xBF, 0xC0, 0xFE, 0xFF}

func (g *generator) anyByte() byte {
	if g.oneIn(3) {
		return oddBytes[g.rng.IntN(len(oddBytes))]
	}
	return byte(g.rng.IntN(256))
}

// changeBytes modifies bytes without regard to their meaning.
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
	default: // insert bytes of another sample, or random ones
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

// changeParts modifies a part that the spans describe.
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
		fix := updates(g.rng.IntN(int(updateAll) + 1))
		switch g.rng.IntN(4) {
		case 0: // remove it
			return p.replace(b, e.start, e.end, nil, &e, -1, fix)
		case 1: // duplicate it
			return p.replace(b, e.end, e.end, slices.Clone(b[e.start:e.end]), &e, 1, fix)
		case 2: // replace it by another one of the same shape
			if with := g.sameShape(e.shape); with != nil {
				return p.replace(b, e.start, e.end, with, nil, 0, fix|updateLengths)
			}
		default: // insert one of another input
			if with := g.sameShape(e.shape); with != nil {
				return p.replace(b, e.start, e.start, with, &e, 1, fix)
			}
		}
	}
	span := s.spans[g.rng.IntN(len(s.spans))]
	with := g.sameShape(shapeOf(span.Path))
	switch g.rng.IntN(4) {
	case 0:
		with = nil
	case 1:
		with = slices.Concat(b[span.Start:span.End], b[span.Start:span.End])
	}
	return p.replace(b, span.Start, span.End, with, nil, 0, updates(g.rng.IntN(int(updateAll)+1)))
}

// sameShape returns the bytes of a part with a shape, from one of a few random
// samples; nil if none has one.
func (g *generator) sameShape(shape string) []byte {
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

// otherNumber returns a number that is likely to be a special case.
func (g *generator) otherNumber(n number, size int) uint64 {
	most := n.max()
	left := uint64(max(size-n.end, 0))
	candidates := []uint64{
		n.value + 1, n.value + 1, n.value - 1, n.value - 1, 0, 0, 1, most, most - 1, most >> 1, most>>1 + 1, most>>1 + 2,
		left, left + 1, left - 1, uint64(size), n.value << 1, n.value >> 1, -n.value, n.value ^ 1<<g.rng.IntN(8*n.width()),
		g.rng.Uint64() >> g.rng.IntN(64), uint64(g.rng.IntN(32)),
	}
	return candidates[g.rng.IntN(len(candidates))] & most
}
