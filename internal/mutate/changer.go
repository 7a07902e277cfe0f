package mutate

import (
	"math/rand/v2"
	"slices"

	"github.com/formatgauge/formatgauge/codec/wire"
)

// A Sample is an input with the spans that the reference gives it: after a
// fault, those before it.
type Sample struct {
	Bytes []byte
	Spans []wire.Span
	Big   bool // numbers are big-endian
	// Context in which the input was read, for the caller.
	Context map[string]string

	parts *Parts // set when it is first needed
}

// Parts returns the structure of the sample.
func (s *Sample) Parts() *Parts {
	if s.parts == nil {
		s.parts = PartsOf(s.Bytes, s.Spans, s.Big)
	}
	return s.parts
}

// A Changer changes inputs and values at random.
type Changer struct {
	Rand *rand.Rand
	// Pick returns another input, of which bytes and parts are inserted; nil if
	// there is none.
	Pick func() *Sample
	// Nullable contains the shapes of parts of values that can be null.
	Nullable map[string]bool

	careful bool // prefer changes that a reader accepts
}

func (c *Changer) oneIn(n int) bool { return c.Rand.IntN(n) == 0 }

var oddBytes = []byte{0, 1, 2, 0x3F, 0x40, 0x7F, 0x80, 0xBF, 0xC0, 0xFE, 0xFF}

// Byte returns a byte that is often a special case.
func (c *Changer) Byte() byte {
	if c.oneIn(3) {
		return oddBytes[c.Rand.IntN(len(oddBytes))]
	}
	return byte(c.Rand.IntN(256))
}

// ChangeBytes modifies bytes in place, without regard to their meaning.
func (c *Changer) ChangeBytes(b []byte) []byte {
	at := c.Rand.IntN(len(b) + 1)
	if at == len(b) && len(b) > 0 && c.oneIn(2) {
		at = c.Rand.IntN(len(b))
	}
	n := 1 + c.Rand.IntN(4)
	switch op := c.Rand.IntN(8); {
	case op < 2 && at < len(b):
		b[at] ^= 1 << c.Rand.IntN(8)
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
			from := c.Rand.IntN(len(s.Bytes) + 1)
			insert = s.Bytes[from:min(from+1+c.Rand.IntN(16), len(s.Bytes))]
		}
		if len(insert) == 0 || c.oneIn(2) {
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
	numbers := 3 // of 8
	if c.careful {
		numbers = 2
	}
	switch op := c.Rand.IntN(8); {
	case op < numbers && len(p.Numbers) > 0:
		n := p.Numbers[c.Rand.IntN(len(p.Numbers))]
		b = slices.Clone(b)
		n.Put(b, c.otherNumber(n, len(b)))
		return b
	case op < 6 && len(p.Elements) > 0:
		e := &p.Elements[c.Rand.IntN(len(p.Elements))]
		fix := c.updates()
		switch c.Rand.IntN(4) {
		case 0: // remove it
			return p.Replace(b, e.Start, e.End, nil, e, -1, fix)
		case 1: // duplicate it
			return p.Replace(b, e.End, e.End, b[e.Start:e.End], e, 1, fix)
		case 2: // replace it by another one of the same shape
			if with := c.sameShape(Shape(e.path)); with != nil {
				return p.Replace(b, e.Start, e.End, with, nil, 0, fix|UpdateLengths)
			}
		default: // insert one of another input
			if with := c.sameShape(Shape(e.path)); with != nil {
				return p.Replace(b, e.Start, e.Start, with, e, 1, fix)
			}
		}
	}
	span := s.Spans[c.Rand.IntN(len(s.Spans))]
	with := c.sameShape(Shape(span.Path))
	switch op := c.Rand.IntN(4); {
	case c.careful && with != nil && c.oneIn(2):
	case op == 0:
		with = nil
	case op == 1:
		with = slices.Concat(b[span.Start:span.End], b[span.Start:span.End])
	}
	return p.Replace(b, span.Start, span.End, with, nil, 0, c.updates())
}

func (c *Changer) updates() Updates {
	if c.careful && !c.oneIn(4) {
		return UpdateAll
	}
	return Updates(c.Rand.IntN(int(UpdateAll) + 1))
}

// sameShape returns the bytes of a part with a shape, from one of a few random
// samples; nil if none has one.
func (c *Changer) sameShape(shape string) []byte {
	for range 6 {
		s := c.Pick()
		if s == nil {
			break
		}
		if found := s.Parts().shaped(shape); len(found) > 0 {
			r := found[c.Rand.IntN(len(found))]
			return s.Bytes[r[0]:r[1]]
		}
	}
	return nil
}

// otherNumber returns a number that is likely to be a special case.
func (c *Changer) otherNumber(n Number, size int) uint64 {
	most := n.max()
	left := uint64(max(size-n.End, 0))
	candidates := [...]uint64{
		n.Value + 1, n.Value + 1, n.Value - 1, n.Value - 1, 0, 0, 1, most, most - 1, most >> 1, most>>1 + 1, most>>1 + 2,
		left, left + 1, left - 1, uint64(size), n.Value << 1, n.Value >> 1, -n.Value, n.Value ^ 1<<c.Rand.IntN(8*n.width()),
		c.Rand.Uint64() >> c.Rand.IntN(64), uint64(c.Rand.IntN(32)),
	}
	return candidates[c.Rand.IntN(len(candidates))] & most
}
