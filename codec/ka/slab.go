package ka

import (
	"encoding/binary"
	"strings"
	"unsafe"

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
	pairs    []model.Pair
	values   []model.Value
	// keys are texts of keys met lately, by a hash: in 0x0001 archives the
	// same few come again and again.
	keys *[keyCount]*model.String
}

// Blocks grow from the least to the greatest number of bytes: small inputs
// take little, and what the last block has to spare is bounded. The runtime
// puts eight bytes before a block of more than 512 that holds pointers.
const (
	leastBlock    = 256
	greatestBlock = 4 << 10
	blockHeader   = 8
)

// block makes the block after one of n elements, for at least so many.
func block[T any](n, least int) []T {
	var v T
	size := int(unsafe.Sizeof(v))
	bytes := leastBlock
	for bytes < greatestBlock && bytes-blockHeader <= (n+1)*size {
		bytes *= 2
	}
	return make([]T, 0, max((bytes-blockHeader)/size, least))
}

// next returns the place for another value, which is zero.
func next[T any](slab *[]T) *T {
	s := *slab
	if len(s) == cap(s) {
		s = block[T](cap(s), 1)
	}
	s = s[:len(s)+1]
	*slab = s
	return &s[len(s)-1]
}

// addText puts a text into its slab.
func (s *slabs) addText(text string, id *uint32) *model.String {
	p := next(&s.texts)
	p.Text, p.ID = text, id
	return p
}

// mostCarved elements share a block with others, more have their own.
const mostCarved = 32

// carve returns an empty slice of capacity n. Many small ones share a block.
func carve[T any](slab *[]T, n int) []T {
	if n == 0 || n > mostCarved {
		return make([]T, 0, n)
	}
	s := *slab
	if cap(s)-len(s) < n {
		s = block[T](cap(s), n)
	}
	at := len(s)
	*slab = s[:at+n]
	return s[at : at : at+n]
}

// roomFor doubles a slice that is full: one for which too little could be
// reserved, because counts promise more than there is.
func roomFor[S ~[]T, T any](s S) S {
	if len(s) < cap(s) {
		return s
	}
	return append(make(S, 0, max(2*len(s), 8)), s...)
}

// addWords makes room for n words in a row, at most 16.
func (s *slabs) addWords(n int) []uint32 {
	if cap(s.words)-len(s.words) < n {
		s.words = block[uint32](cap(s.words), n)
	}
	at := len(s.words)
	s.words = s.words[:at+n]
	return s.words[at : at+n : at+n]
}

// arena holds the bytes of many texts in few strings.
type arena struct {
	block strings.Builder
	size  int // of the block
}

// An archive at the beginning of a large file should cost little, so the
// strings begin small too.
const (
	leastText    = 256
	greatestText = 4 << 10
)

// text returns a copy of b.
func (a *arena) text(b []byte) string {
	if len(b) > a.block.Cap()-a.block.Len() {
		if len(b) > greatestText/8 {
			return string(b)
		}
		a.size = max(min(2*a.size, greatestText), leastText, len(b))
		a.block = strings.Builder{}
		a.block.Grow(a.size)
	}
	at := a.block.Len()
	a.block.Write(b)
	return a.block.String()[at:]
}

// keyCount is a power of two.
const keyCount = 128

// key returns a key's text, that of an earlier key if it is the same. Among
// texts that fall on one place the last one stays: what an input makes of that
// costs it only the sharing.
func (d *decoder) key(text []byte) *model.String {
	if d.keys == nil {
		d.keys = new([keyCount]*model.String)
	}
	h, n := uint64(len(text)), len(text)
	switch {
	case n >= 8: // keys that are alike differ at their ends
		h += binary.LittleEndian.Uint64(text[n-8:])
	case n >= 4:
		h += uint64(binary.LittleEndian.Uint32(text)) | uint64(binary.LittleEndian.Uint32(text[n-4:]))<<32
	case n > 0:
		h += uint64(text[0])<<16 | uint64(text[n-1])<<8
	}
	place := &d.keys[h*0x9E3779B97F4A7C15>>57]
	if k := *place; k != nil && k.Text == string(text) {
		return k
	}
	*place = d.addText(d.arena.text(text), nil)
	return *place
}
