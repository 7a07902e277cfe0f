// Package mutate draws values from those of the vectors, with parts of one in another
// (values.go), and changes inputs with regard to their structure: numbers, elements and
// other parts at the offsets that the spans of the reference give. Differential runs, fuzz
// targets and properties make their inputs with it.
package mutate

import (
	"bytes"
	"math/rand/v2"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Mutator changes inputs of one type, for a fuzzer that gives it one input at
// a time. It reads them under the profile observed, in the usual context.
// The same seed and the same calls give the same results. It is not
// safe for concurrent use.
type Mutator struct {
	Changer
	codec  codec.Codec
	source *rand.PCG
	pool   []*Sample // inputs of earlier calls
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
	m := &Mutator{source: rand.NewPCG(uint64(seed), 0)}
	m.Changer = Changer{ValuesOf(t, rand.New(m.source)), m.pick}
	var err error
	if m.codec, err = t.Bind(wire.Settings{Profile: ids.Observed()}, m.Context()); err != nil {
		panic("mutate: " + err.Error()) // each type has its usual context
	}
	return m
}

// Seed seeds the random numbers again. The inputs of earlier calls do not depend on it.
func (m *Mutator) Seed(seed int64) { m.source.Seed(uint64(seed), 0) }

func (m *Mutator) pick() *Sample {
	if len(m.pool) == 0 {
		return nil
	}
	return m.pool[m.Dice.IntN(len(m.pool))]
}

// read returns a copy of an input with its spans, and its value unless it is
// rejected. Some of the inputs are kept for later calls.
func (m *Mutator) read(data []byte) (s *Sample, v any, err error) {
	s = &Sample{Bytes: slices.Clone(data)}
	v, s.Spans, err = m.codec.Trace(s.Bytes)
	switch {
	case len(s.Spans) == 0:
	case len(m.pool) < maxPool:
		m.pool = append(m.pool, s)
	case m.OneIn(8):
		m.pool[m.Dice.IntN(maxPool)] = s
	}
	return s, v, err
}

// Mutate returns a changed copy of an input. It has at least one byte, and at
// most limit bytes, which must be greater than 0.
func (m *Mutator) Mutate(data []byte, limit int) []byte {
	out := m.structured(data)
	if out == nil || len(out) > limit {
		out = m.ChangeBytes(slices.Clone(data[:min(len(data), limit)]))
	}
	for bytes.Equal(out, data) || m.OneIn(8) {
		out = m.ChangeBytes(out)
	}
	if len(out) == 0 {
		out = append(out, m.Byte())
	}
	return out[:min(len(out), limit)]
}

// structured returns a changed copy of an input, or another input; nil if only
// bytes can be changed, or shall be.
func (m *Mutator) structured(data []byte) []byte {
	n := m.Dice.IntN(100)
	switch {
	case len(data) > maxTraced || n < 10:
		return nil
	case n < 16 || len(data) == 0 && n < 60:
		v, _ := m.Next()
		b, _ := m.codec.Append(nil, v) // nil if it has no encoding
		return b
	}
	s, v, err := m.read(data)
	if n < 50 && err == nil && len(data) <= maxModel {
		if changed, err := m.ChangeModel(v); err == nil {
			b, _ := m.codec.Append(nil, changed)
			return b
		}
	}
	if len(s.Spans) == 0 {
		return nil
	}
	return m.ChangeParts(s)
}
