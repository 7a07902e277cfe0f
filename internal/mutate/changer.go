package mutate

import (
	"slices"

	"github.com/formatgauge/formatgauge/codec/wire"
)

// A Sample is an input with the spans that the reference gives it: after a
// fault, those before it.
type Sample struct {
	Bytes []byte
	Spans []wire.Span
	// Context in which the input was read.
	Context map[string]string

	parts *Parts // set when it is first needed
}

// Parts returns the structure of the sample.
func (s *Sample) Parts() *Parts {
	if s.parts == nil {
		s.parts = partsOf(s.Bytes, s.Spans, s.Context["order"] == "big")
	}
	return s.parts
}

// A Changer changes inputs and values of a type at random.
type Changer struct {
	*Values
	// Pick returns another input, of which bytes and parts are inserted; nil if
	// there is none.
	Pick func() *Sample
}

var oddBytes = []byte{0, 1, 2, 0x3F, 0x40, 0x7F, 0x80, 0xBF, 0xC0, 0xFE, 0xFF}

// Byte returns a byte that is often a special case.
func (c *Changer) Byte() byte {
	if c.OneIn(3) {
		return oddBytes[c.Dice.IntN(len(oddBytes))]
	}
	return byte(c.Dice.IntN(256))
}

// ChangeBytes modifies bytes in place, without regard to their meaning.
func (c *Changer) ChangeBytes(b []byte) []byte {
	at := c.Dice.IntN(len(b) + 1)
	if at == len(b) && len(b) > 0 && c.OneIn(2) {
		at = c.Dice.IntN(len(b))
	}
	n := 1 + c.Dice.IntN(4)
	switch op := c.Dice.IntN(8); {
	case op < 2 && at < len(b):
		b[at] ^= 1 << c.Dice.IntN(8)
	case op < 4 && at < len(b):
		b[at] = c.Byte()
	case op == 4:
		return b[:at]
	case op == 5:
		for range n {
			b = append(b, c.Byte())
		}
	case op == 6:
		return slices.Delete(b, at, min(at+n, len(b)))
	default: // insert bytes of another sample, or random ones
		var insert []byte
		if s := c.Pick(); s != nil {
			from := c.Dice.IntN(len(s.Bytes) + 1)
			insert = s.Bytes[from:min(from+1+c.Dice.IntN(16), len(s.Bytes))]
		}
		if len(insert) == 0 || c.OneIn(2) {
			insert = []byte{c.Byte()}
		}
		return slices.Insert(b, at, insert...)
	}
	return b
}

// ChangeParts returns the bytes of a sample with a change of a part that the
// spans describe. The sample must have a span.
func (c *Changer) ChangeParts(s *Sample) []byte {
	b, p := s.Bytes, s.Parts()
	switch op := c.Dice.IntN(8); {
	case op < 2 && len(p.Numbers) > 0:
		n := p.Numbers[c.Dice.IntN(len(p.Numbers))]
		b = slices.Clone(b)
		n.Put(b, c.otherNumber(n, len(b)))
		return b
	case op < 6 && len(p.Elements) > 0:
		e := &p.Elements[c.Dice.IntN(len(p.Elements))]
		fix := c.updates()
		if c.OneIn(2) { // remove it
			return p.Replace(b, e.Start, e.End, nil, e, -1, fix)
		}
		return p.Replace(b, e.End, e.End, b[e.Start:e.End], e, 1, fix) // repeat it
	}
	span := s.Spans[c.Dice.IntN(len(s.Spans))]
	with := b[span.Start:span.End]
	switch o := c.Pick(); {
	case c.OneIn(3):
		with = nil
	case o == nil || len(o.Spans) == 0 || c.OneIn(2):
		with = slices.Concat(with, with)
	default: // a part of another input
		other := o.Spans[c.Dice.IntN(len(o.Spans))]
		with = o.Bytes[other.Start:other.End]
	}
	return p.Replace(b, span.Start, span.End, with, nil, 0, c.updates())
}

func (c *Changer) updates() Updates {
	if !c.OneIn(4) {
		return UpdateAll
	}
	return Updates(c.Dice.IntN(int(UpdateAll) + 1))
}

// otherNumber returns a number that is likely to be a special case.
func (c *Changer) otherNumber(n Number, size int) uint64 {
	most := n.max()
	left := uint64(max(size-n.End, 0))
	candidates := [...]uint64{
		n.Value + 1, n.Value + 1, n.Value - 1, n.Value - 1, 0, 0, 1, most, most - 1, most >> 1, most>>1 + 1, most>>1 + 2,
		left, left + 1, left - 1, uint64(size), n.Value << 1, n.Value >> 1, -n.Value, n.Value ^ 1<<c.Dice.IntN(8*n.width()),
		c.bits() >> c.Dice.IntN(64), uint64(c.Dice.IntN(32)),
	}
	return candidates[c.Dice.IntN(len(candidates))] & most
}
