package ka

import (
	model "github.com/formatgauge/formatgauge/model/ka"
)

// slabs hold what interface values point to, many to a block, so that a leaf
// of a tree costs no allocation of its own. A block is never moved: when one
// is full, the next and larger one begins, and whatever points into the old
// one keeps it alive.
type slabs struct {
	words    []uint32 // values of up to 64 bytes without pointers
	longs    []uint64 // values of 8 bytes that want alignment
	texts    []model.String
	byteRuns []model.ByteArray
	arrays   []model.Array
	archives []model.KeyedArchive
}

// Blocks grow from the least to the greatest number of elements: small inputs
// take little, and what the last block has to spare is bounded.
const (
	leastBlock    = 8
	greatestBlock = 512
)

func grown(n int) int { return min(max(2*n, leastBlock), greatestBlock) }

// add puts a value into a slab and returns its place.
func add[T any](slab *[]T, v T) *T {
	s := *slab
	if len(s) == cap(s) {
		s = make([]T, 0, grown(cap(s)))
	}
	s = append(s, v)
	*slab = s
	return &s[len(s)-1]
}

// addWords makes room for n words in a row, at most greatestBlock.
func (s *slabs) addWords(n int) *uint32 {
	if cap(s.words)-len(s.words) < n {
		s.words = make([]uint32, 0, max(grown(cap(s.words)), n))
	}
	at := len(s.words)
	s.words = s.words[:at+n]
	return &s.words[at]
}

// window is a part of the input as a string, of which texts are substrings.
type window struct {
	text  string
	start int // in the input
	next  int // how long the next one is
}

// Windows grow too: an archive at the beginning of a large file should not
// have to copy it.
const (
	leastWindow    = 256
	greatestWindow = 64 << 10
)

// cut returns src[start:end] as a string. Windows do not overlap but where a
// text crosses the end of one, so that all of them together take at most
// twice as much as the input.
func (w *window) cut(src []byte, start, end int) string {
	if start == end {
		return ""
	}
	if i := start - w.start; i >= 0 && end-w.start <= len(w.text) {
		return w.text[i : end-w.start]
	}
	w.next = min(max(4*w.next, leastWindow), greatestWindow)
	w.text = string(src[start:min(max(end, start+w.next), len(src))])
	w.start = start
	return w.text[:end-start]
}
