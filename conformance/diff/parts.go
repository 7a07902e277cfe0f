package diff

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec/wire"
)

// parts are what the spans of an input tell about its build: where numbers
// stand, where elements begin and end. What is a length, a count or an offset
// is guessed from its value; a wrong guess makes an odd input, which is no
// harm.
type parts struct {
	numbers    []number
	elements   []element
	boundaries map[int]bool // where spans begin or end
	byShape    map[string][][2]int
}

// A number is a span of a width that numbers have.
type number struct {
	start, end int
	value      uint64
	big        bool
	integer    bool // it is shown as the integer that its bytes spell
}

func (n number) width() int  { return n.end - n.start }
func (n number) max() uint64 { return 1<<(8*n.width()) - 1 } // all ones for eight bytes, too

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

// An element is one of several in a row.
type element struct {
	start, end int
	list       string // path of the list
	shape      string
	countIndex int // the number that counts them, in numbers; -1 if none seems to
}

func partsOf(in Input, spans []wire.Span) *parts {
	p := &parts{boundaries: map[int]bool{0: true, len(in.Bytes): true}, byShape: map[string][][2]int{}}
	big := in.Context["order"] == "big"
	open := map[string]int{} // path of an element: its place in elements
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

// counts looks for the number that counts each list: the last one before its
// first element that is as great as the list is long.
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

// fixes say which numbers follow a change of size.
type updates int

const (
	updateCount   updates = 1 << iota // of the list that has an element more or less
	updateLengths                     // of what lies around the change
	updateOffsets                     // of what lies behind it
	updateAll     = updateCount | updateLengths | updateOffsets
)

// replace puts bytes in place of those from start to end. If e is given, its
// list has so many elements more.
func (p *parts) replace(b []byte, start, end int, with []byte, e *element, more int, fix updates) []byte {
	delta := uint64(len(with) - (end - start))
	changed := slices.Clone(b)
	for k, n := range p.numbers {
		switch {
		case n.start < end && n.end > start: // it is what is replaced
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
