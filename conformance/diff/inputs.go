package diff

import (
	"hash/maphash"
	"maps"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/mutate"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A generator makes inputs of one type. The inputs depend only on the seed and
// on the reference.
type generator struct {
	mutate.Changer
	t            *codec.Type
	profile      string
	ref          *adapter.Reference
	fixedContext map[string]string
	queue        []Input // to be returned unmodified
	known        int     // how many of these, from the start, are stored elsewhere
	store        func(Input) error
	storeErr     error // the first one
	pool         []*mutate.Sample
	canEncode    bool            // values to encode are inputs too
	trees        []tree.Node     // with a new behaviour
	seen         map[string]bool // behaviours
	inputHashes  map[uint64]bool
	hash         maphash.Seed
	contexts     []map[string]string
}

func newGenerator(t *codec.Type, p ids.Profile, writes bool, opts Options) (*generator, error) {
	g := &generator{
		t: t, profile: p.String(), ref: adapter.NewReference(), canEncode: writes, store: opts.Keep,
		fixedContext: map[string]string{}, contexts: append(mutate.Contexts(t, maxContexts), nil),
		seen: map[string]bool{}, inputHashes: map[uint64]bool{}, hash: maphash.MakeSeed(),
	}
	g.Changer = mutate.Changer{Values: mutate.ValuesOf(t, newRand(opts.Seed, t.Name)), Pick: g.pick}
	for k := range t.Context {
		if v, ok := opts.Context[k]; ok {
			g.fixedContext[k] = v
		}
	}
	if _, err := g.codec(g.fixedContext); err != nil {
		return nil, err
	}
	for _, v := range opts.Vectors {
		if v.Type != t.Name || v.EncodeOnly() && !writes {
			continue
		}
		in := g.input(v.Bytes, v.Context)
		if v.EncodeOnly() {
			n, err := tree.ParseVector(v.Tree)
			if err != nil {
				continue
			}
			in.Bytes, in.Tree = nil, &n
		}
		g.queue = append(g.queue, in)
	}
	for _, in := range opts.Kept {
		if in.Type == t {
			g.queue = append(g.queue, g.input(in.Bytes, in.Context))
		}
	}
	g.known = len(g.queue)
	for _, b := range opts.Seeds {
		g.queue = append(g.queue, g.input(b, nil))
	}
	return g, nil
}

// NewInput returns an input to decode. The context consists of the given ones: later
// ones have precedence, and keys with their default are omitted.
func NewInput(t *codec.Type, b []byte, contexts ...map[string]string) Input {
	in := Input{Type: t, Bytes: b, Context: map[string]string{}}
	for _, c := range contexts {
		maps.Copy(in.Context, c)
	}
	maps.DeleteFunc(in.Context, func(k, v string) bool { return t.Context[k] == v })
	return in
}

// input returns an input in which fixed keys of the context have their value, also if
// it is the default.
func (g *generator) input(b []byte, context map[string]string) Input {
	in := NewInput(g.t, b, context, g.fixedContext)
	maps.Copy(in.Context, g.fixedContext)
	return in
}

// codec is the codec for a context under the profile of the run.
func (g *generator) codec(context map[string]string) (codec.Codec, error) {
	return g.ref.Bind(g.t, g.profile, context)
}

const (
	// maxTries limits how often an input that occurred before is replaced by
	// another one. Small types have few inputs.
	maxTries = 8
	// maxHashes limits the number of inputs that are remembered for that.
	maxHashes = 1 << 20
	// maxContexts is the number of contexts that are tried for other inputs.
	maxContexts = 32
	// maxInput limits the length in bytes of modified inputs.
	maxInput = 1 << 16
)

// next returns the next input, and keeps it for modification if it shows a new
// behaviour of the reference.
func (g *generator) next() Input {
	if len(g.queue) > 0 {
		in := g.queue[0]
		g.queue, g.known = g.queue[1:], g.known-1
		g.isNew(in)
		if fresh := g.keep(in, len(in.Bytes) <= maxInput); fresh && g.known < 0 {
			g.toStore(in)
		}
		return in
	}
	in := g.newInput()
	for range maxTries {
		if g.isNew(in) {
			break
		}
		in = g.newInput()
	}
	if g.keep(in, false) {
		g.toStore(in)
	}
	return in
}

func (g *generator) toStore(in Input) {
	if g.store != nil && g.storeErr == nil {
		g.storeErr = g.store(in)
	}
}

// isNew reports whether an input has not occurred before.
func (g *generator) isNew(in Input) bool {
	h := maphash.String(g.hash, in.key())
	if len(g.inputHashes) > maxHashes {
		clear(g.inputHashes)
	}
	known := g.inputHashes[h]
	g.inputHashes[h] = true
	return !known
}

// keep observes the reference with an input, and adds the input to the pool if
// the behaviour is new or if always is true. It reports whether it is new.
func (g *generator) keep(in Input, always bool) (fresh bool) {
	c, err := g.codec(in.Context)
	if err != nil {
		return false
	}
	b := observe(c, in)
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
		g.pool = append(g.pool, &mutate.Sample{Bytes: in.Bytes, Spans: b.spans, Context: in.Context})
	}
	return fresh
}

// newInput makes an input. The input may have occurred before.
func (g *generator) newInput() Input {
	if g.canEncode && g.OneIn(8) {
		if in, ok := g.valueInput(); ok {
			return in
		}
	}
	switch n := g.Dice.IntN(100); {
	case n < 12 || len(g.pool) == 0:
		if in, ok := g.drawnInput(); ok {
			return in
		}
	case n < 15:
		b := make([]byte, g.Dice.IntN(48))
		for i := range b {
			b[i] = g.Byte()
		}
		return g.input(b, g.anyContext())
	}
	if len(g.pool) == 0 {
		return g.input(nil, nil)
	}
	return g.changedInput()
}

// drawnInput returns a random value that the reference has encoded.
func (g *generator) drawnInput() (in Input, ok bool) {
	for range 4 {
		v, context := g.Next()
		if g.OneIn(4) {
			context = maps.Clone(context)
			maps.Copy(context, g.anyContext())
		}
		in = g.input(nil, context)
		c, err := g.codec(in.Context)
		if err != nil {
			continue
		}
		if b, err := c.Append(nil, v); err == nil && len(b) <= maxInput {
			in.Bytes = b
			return in, true
		}
	}
	return in, false
}

// anyContext returns a context of the vectors, or none.
func (g *generator) anyContext() map[string]string { return g.contexts[g.Dice.IntN(len(g.contexts))] }

// pick chooses one of two random samples, preferably the shorter one.
func (g *generator) pick() *mutate.Sample {
	a, b := g.pool[g.Dice.IntN(len(g.pool))], g.pool[g.Dice.IntN(len(g.pool))]
	if len(b.Bytes) < len(a.Bytes) && !g.OneIn(4) {
		return b
	}
	return a
}

// changedInput returns a sample with some modifications. The spans are valid
// only for the first one; the following ones modify bytes.
func (g *generator) changedInput() Input {
	s := g.pick()
	context := s.Context
	if g.OneIn(16) {
		context = maps.Clone(context)
		maps.Copy(context, g.anyContext())
		if _, err := g.codec(context); err != nil {
			context = s.Context
		}
	}
	var b []byte
	if len(s.Spans) > 0 && !g.OneIn(3) {
		b = g.ChangeParts(s)
	} else {
		b = g.ChangeBytes(slices.Clone(s.Bytes))
	}
	for g.OneIn(3) {
		b = g.ChangeBytes(b)
	}
	if len(b) > maxInput {
		b = b[:maxInput]
	}
	return g.input(b, context)
}
