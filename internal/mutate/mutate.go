// Package mutate changes inputs with regard to their structure: numbers,
// elements and other parts at the offsets that the spans of the reference give,
// and parts of values. Differential runs and fuzz targets make their inputs
// with it.
package mutate

import (
	"bytes"
	"math/rand/v2"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/draw"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Mutator changes inputs of one type, for a fuzzer that gives it one input at
// a time. It reads them under the profile observed, in the usual context of
// [draw]. The same seed and the same calls give the same results. It is not
// safe for concurrent use.
type Mutator struct {
	t       *codec.Type
	codec   codec.Codec
	source  *rand.PCG
	changer Changer
	values  *draw.Values
	pool    []*Sample // inputs of earlier calls
}

const (
	// maxTraced is the greatest length in bytes of an input that is read: the
	// bytes of longer ones are changed without regard to their meaning.
	maxTraced = 16 << 10
	// maxModel is the same for changes of the value.
	maxModel = 2 << 10
	// maxPool is the number of inputs of which parts are inserted in others.
	maxPool = 64
)

// New returns a mutator for inputs of a type.
func New(t *codec.Type, seed int64) *Mutator {
	c, err := t.Bind(wire.Settings{Profile: ids.Observed()}, draw.UsualContext(t))
	if err != nil {
		panic("mutate: " + err.Error()) // each type has its usual context
	}
	m := &Mutator{t: t, codec: c, source: rand.NewPCG(uint64(seed), 0), values: draw.New(t, seed)}
	m.changer = Changer{Rand: rand.New(m.source), Pick: m.pick, Nullable: map[string]bool{}, careful: true}
	return m
}

// Seed seeds the random numbers again. Values that are drawn, and the inputs of
// earlier calls, do not depend on it.
func (m *Mutator) Seed(seed int64) { m.source.Seed(uint64(seed), 0) }

func (m *Mutator) pick() *Sample {
	if len(m.pool) == 0 {
		return nil
	}
	return m.pool[m.changer.Rand.IntN(len(m.pool))]
}

// read returns a copy of an input with its spans, and its value unless it is
// rejected. Some of the inputs are kept for later calls.
func (m *Mutator) read(data []byte) (*Sample, any) {
	s := &Sample{Bytes: slices.Clone(data)}
	v, spans, err := m.codec.Trace(s.Bytes)
	s.Spans = spans
	switch {
	case len(spans) == 0:
	case len(m.pool) < maxPool:
		m.pool = append(m.pool, s)
	case m.changer.oneIn(8):
		m.pool[m.changer.Rand.IntN(maxPool)] = s
	}
	if err != nil {
		v = nil
	}
	return s, v
}

// Mutate returns a changed copy of an input. It has at least one byte, and at
// most limit bytes, which must be greater than 0.
func (m *Mutator) Mutate(data []byte, limit int) []byte {
	out := m.structured(data)
	if out == nil || len(out) > limit {
		out = m.changer.ChangeBytes(slices.Clone(data[:min(len(data), limit)]))
	}
	for bytes.Equal(out, data) || m.changer.oneIn(8) {
		out = m.changer.ChangeBytes(out)
	}
	return m.fit(out, limit)
}

// fit returns a result of an allowed length.
func (m *Mutator) fit(b []byte, limit int) []byte {
	if len(b) == 0 {
		b = append(b, m.changer.Byte())
	}
	return b[:min(len(b), limit)]
}

// structured returns a changed copy of an input, or another input; nil if only
// bytes can be changed, or shall be.
func (m *Mutator) structured(data []byte) []byte {
	n := m.changer.Rand.IntN(100)
	switch {
	case len(data) > maxTraced || n < 10:
		return nil
	case n < 16 || len(data) == 0 && n < 60:
		return m.encode(m.values.Next())
	}
	s, v := m.read(data)
	if n < 40 && v != nil && len(data) <= maxModel {
		if out := m.changeValue(v); out != nil {
			return out
		}
	}
	if len(s.Spans) == 0 {
		return nil
	}
	return m.changer.ChangeParts(s)
}

// encode returns the bytes of a value; nil if it has no encoding.
func (m *Mutator) encode(v any) []byte {
	b, err := m.codec.Append(nil, v)
	if err != nil {
		return nil
	}
	return b
}

// changeValue changes a part of a value and encodes it; nil if the changed
// value has no encoding.
func (m *Mutator) changeValue(v any) []byte {
	n, err := tree.FromModel(v)
	if err != nil {
		return nil
	}
	changed := m.t.New()
	if tree.ToModel(m.changer.ChangeNode(n), changed) != nil {
		return nil
	}
	return m.encode(codec.Deref(changed))
}

// Cross returns an input made of two: a with a part of b in the place of a part
// of the same shape, or the beginning of one and the end of the other. It has at
// least one byte, and at most limit bytes, which must be greater than 0.
func (m *Mutator) Cross(a, b []byte, limit int) []byte {
	if len(a) <= maxTraced && len(b) <= maxTraced && !m.changer.oneIn(4) {
		to, _ := m.read(a)
		from, _ := m.read(b)
		if out := m.changer.exchange(to, from); out != nil && len(out) <= limit {
			return m.fit(out, limit)
		}
	}
	head := a[:min(m.changer.Rand.IntN(len(a)+1), limit)]
	tail := b[m.changer.Rand.IntN(len(b)+1):]
	return m.fit(slices.Concat(head, tail[:min(len(tail), limit-len(head))]), limit)
}

// exchange returns the bytes of a sample with one part replaced by a part of
// another one of the same shape; nil if it finds none.
func (c *Changer) exchange(to, from *Sample) []byte {
	p := to.Parts()
	for range 6 {
		n := len(p.spans) + len(p.Elements)
		if n == 0 {
			return nil
		}
		start, end, shape := p.part(c.Rand.IntN(n))
		if found := from.Parts().shaped(shape); len(found) > 0 {
			r := found[c.Rand.IntN(len(found))]
			return p.Replace(to.Bytes, start, end, from.Bytes[r[0]:r[1]], nil, 0, UpdateLengths|UpdateOffsets)
		}
	}
	return nil
}
