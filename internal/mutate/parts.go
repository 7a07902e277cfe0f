package mutate

import (
	"encoding/binary"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
)

// Parts describes the structure of an input as its spans show it: the offsets
// of numbers, and where elements begin and end. Lengths, counts and offsets are
// guessed from the values. An incorrect guess gives an unusual input, which
// does no harm.
type Parts struct {
	Numbers  []Number
	Elements []Element

	boundaries []bool // by offset: a span begins or ends there
}

// A Number is a span whose width is that of a number.
type Number struct {
	Start, End int
	Value      uint64
	Integer    bool // the value of the span is the integer that its bytes encode
	big        bool
}

func (n Number) width() int  { return n.End - n.Start }
func (n Number) max() uint64 { return 1<<(8*n.width()) - 1 } // also correct for eight bytes

// Put writes a value at the offset of the number.
func (n Number) Put(b []byte, v uint64) {
	var eight [8]byte
	binary.LittleEndian.PutUint64(eight[:], v)
	copy(b[n.Start:n.End], eight[:])
	if n.big {
		slices.Reverse(b[n.Start:n.End])
	}
}

func numberAt(b []byte, s wire.Span, big bool) (Number, bool) {
	n := Number{Start: s.Start, End: s.End, big: big}
	if w := n.width(); w != 1 && w != 2 && w != 4 && w != 8 {
		return n, false
	}
	var eight [8]byte
	copy(eight[:], b[s.Start:s.End])
	if big {
		slices.Reverse(eight[:n.width()])
	}
	n.Value = binary.LittleEndian.Uint64(eight[:])
	shown, _, _ := strings.Cut(s.Value, " ")
	v, err := strconv.ParseUint(shown, 10, 64)
	n.Integer = err == nil && v == n.Value
	return n, true
}

// An Element is an element of a list.
type Element struct {
	Start, End int

	path   string
	before int // how many numbers were read before it
}

func (e *Element) list() string { return tree.Around(e.path) }

// partsOf returns the structure of the bytes to which spans belong.
func partsOf(b []byte, spans []wire.Span, big bool) *Parts {
	p := &Parts{boundaries: make([]bool, len(b)+1)}
	p.boundaries[0], p.boundaries[len(b)] = true, true
	open := map[string]int{} // index in Elements by path
	for _, s := range spans {
		p.boundaries[s.Start], p.boundaries[s.End] = true, true
		before := len(p.Numbers)
		if n, ok := numberAt(b, s, big); ok {
			p.Numbers = append(p.Numbers, n)
		}
		for i := range len(s.Path) {
			if s.Path[i] != ']' {
				continue
			}
			path := s.Path[:i+1]
			k, ok := open[path]
			switch {
			case !ok:
				open[path] = len(p.Elements)
				p.Elements = append(p.Elements, Element{Start: s.Start, End: s.End, path: path, before: before})
			case p.Elements[k].End == s.Start:
				p.Elements[k].End = s.End
			}
		}
	}
	return p
}

// boundary reports whether a span begins or ends at an offset.
func (p *Parts) boundary(at uint64) bool { return at < uint64(len(p.boundaries)) && p.boundaries[at] }

// countOf guesses the count of the list of an element: the last number before
// the first element of the list that is equal to the length of the list. It
// returns the index in Numbers; -1 if there is none.
func (p *Parts) countOf(e *Element) int {
	list := e.list()
	length := uint64(0)
	var first *Element
	for i := range p.Elements {
		if other := &p.Elements[i]; other.list() == list {
			if length++; first == nil {
				first = other
			}
		}
	}
	for k := first.before - 1; k >= 0; k-- {
		if n := p.Numbers[k]; n.Integer && n.End <= first.Start && n.Value == length {
			return k
		}
	}
	return -1
}

// Runs returns each run of adjacent elements of one list, of the given size, as
// indices in Elements. No two runs overlap.
func (p *Parts) Runs(size int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		open := map[string][]int{} // by list: the run so far
		for i := range p.Elements {
			e := &p.Elements[i]
			run := open[e.list()]
			if len(run) > 0 && p.Elements[run[len(run)-1]].End != e.Start {
				run = nil
			}
			run = append(run, i)
			if len(run) == size {
				if !yield(run) {
					return
				}
				run = nil
			}
			open[e.list()] = run
		}
	}
}

// Updates says which numbers are adjusted after a change of size.
type Updates int

const (
	// of the list that contains the changed element
	UpdateCount   Updates                                       = 1 << iota
	UpdateLengths                                               // of parts that enclose the change
	UpdateOffsets                                               // to parts that follow the change
	UpdateAll     = UpdateCount | UpdateLengths | UpdateOffsets // of all kinds
)

// Replace replaces the bytes from start to end. If e is not nil, the number of
// elements of its list changes by more.
func (p *Parts) Replace(b []byte, start, end int, with []byte, e *Element, more int, fix Updates) []byte {
	delta := uint64(len(with) - (end - start))
	count := -1
	if e != nil {
		count = p.countOf(e)
	}
	out := make([]byte, 0, len(b)+int(delta))
	out = append(append(append(out, b[:start]...), with...), b[end:]...)
	for k, n := range p.Numbers {
		moved := n
		switch {
		case n.Start < end && n.End > start: // part of the replaced bytes
			continue
		case n.Start >= end:
			moved.Start, moved.End = n.Start+int(delta), n.End+int(delta)
		}
		switch {
		case k == count:
			if fix&UpdateCount != 0 {
				moved.Put(out, n.Value+uint64(more))
			}
		case !n.Integer || n.Value == 0 || n.Value > uint64(len(b)):
		case fix&UpdateLengths != 0 && n.End <= start && n.End+int(n.Value) >= end && p.boundary(uint64(n.End)+n.Value):
			moved.Put(out, n.Value+delta)
		case fix&UpdateOffsets != 0 && n.Value >= uint64(max(end, 1)) && p.boundary(n.Value):
			moved.Put(out, n.Value+delta)
		}
	}
	return out
}
