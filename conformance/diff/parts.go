package diff

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec/wire"
)

// parts describes the structure of an input as its spans show it: the offsets of numbers,
// and where elements begin and end. Lengths, counts and offsets are guessed from the
// values. An incorrect guess gives an unusual input, which does no harm.
type parts struct {
	numbers    []number
	elements   []element
	boundaries map[int]bool // offsets where spans begin or end
	byShape    map[string][][2]int
}

// A number is a span whose width is that of a number.
type number struct {
	start, end int
	value      uint64
	big        bool
	integer    bool // the value of the span is the integer that its bytes encode
}

func (n number) width() int  { return n.end - n.start }
func (n number) max() uint64 { return 1<<(8*n.width()) - 1 } // also correct for eight bytes

func (n number) put(b []byte, v uint64) {
	var eight [8]byte
	binary.LittleEndian.PutUint64(eight[:], v)
	copy(b[n.start:n.end], eight[:])
	if n.big {
		slices.Reverse(b[n.start:n.end])
	}
}

func numberAt(b []byte, s wire.Span, big bool) (number, bool) {
	n := number{start: s.Start, end: s.End, big: big}
	if w := n.width(); w != 1 && w != 2 && w != 4 && w != 8 {
		return n, false
	}
	var eight [8]byte
	copy(eight[:], b[s.Start:s.End])
	if big {
		slices.Reverse(eight[:n.width()])
	}
	n.value = binary.LittleEndian.Uint64(eight[:])
	shown, _, _ := strings.Cut(s.Value, " ")
	v, err := strconv.ParseUint(shown, 10, 64)
	n.integer = err == nil && v == n.value
	return n, true
}

// An element is an element of a list.
type element struct {
	start, end int
	list       string // path
	shape      string
	countIndex int // index in numbers of the count of the list; -1 if unknown
}

func partsOf(in Input, spans []wire.Span) *parts {
	p := &parts{boundaries: map[int]bool{0: true, len(in.Bytes): true}, byShape: map[string][][2]int{}}
	big := in.Context["order"] == "big"
	open := map[string]int{} // index in elements by path
	for _, s := range spans {
		p.boundaries[s.Start], p.boundaries[s.End] = true, true
		if n, ok := numberAt(in.Bytes, s, big); ok {
			p.numbers = append(p.numbers, n)
		}
		shape := shapeOf(s.Path)
		p.byShape[shape] = append(p.byShape[shape], [2]int{s.Start, s.End})
		for i := range s.Path {
			if s.Path[i] != ']' {
				continue
			}
			path := s.Path[:i+1]
			k, ok := open[path]
			switch {
			case !ok:
				open[path] = len(p.elements)
				list := path[:strings.LastIndexByte(path, '[')]
				p.elements = append(p.elements, element{start: s.Start, end: s.End, list: list, shape: shapeOf(path), countIndex: -1})
			case p.elements[k].end == s.Start:
				p.elements[k].end = s.End
			}
		}
	}
	p.findCounts()
	for _, e := range p.elements {
		p.byShape[e.shape] = append(p.byShape[e.shape], [2]int{e.start, e.end})
	}
	return p
}

// findCounts guesses the count of each list: the last number before its first element
// that is equal to the length of the list.
func (p *parts) findCounts() {
	length, first := map[string]int{}, map[string]int{}
	for _, e := range p.elements {
		if length[e.list]++; length[e.list] == 1 {
			first[e.list] = e.start
		}
	}
	for i := range p.elements {
		e := &p.elements[i]
		for k := len(p.numbers) - 1; k >= 0; k-- {
			if n := p.numbers[k]; n.integer && n.end <= first[e.list] && n.value == uint64(length[e.list]) {
				e.countIndex = k
				break
			}
		}
	}
}

// updates says which numbers are adjusted after a change of size.
type updates int

const (
	updateCount   updates = 1 << iota // of the list that contains the changed element
	updateLengths                     // of parts that enclose the change
	updateOffsets                     // to parts that follow the change
	updateAll     = updateCount | updateLengths | updateOffsets
)

// replace replaces the bytes from start to end. If e is not nil, the number of elements
// of its list changes by more.
func (p *parts) replace(b []byte, start, end int, with []byte, e *element, more int, fix updates) []byte {
	delta := uint64(len(with) - (end - start))
	changed := slices.Clone(b)
	for k, n := range p.numbers {
		switch {
		case n.start < end && n.end > start: // part of the replaced bytes
		case e != nil && k == e.countIndex:
			if fix&updateCount != 0 {
				n.put(changed, n.value+uint64(more))
			}
		case !n.integer || n.value == 0 || n.value > uint64(len(b)):
		case fix&updateLengths != 0 && n.end <= start && n.end+int(n.value) >= end && p.boundaries[n.end+int(n.value)]:
			n.put(changed, n.value+delta)
		case fix&updateOffsets != 0 && n.value >= uint64(max(end, 1)) && p.boundaries[int(n.value)]:
			n.put(changed, n.value+delta)
		}
	}
	return slices.Concat(changed[:start], with, changed[end:])
}
