package ka

import (
	"encoding/binary"
	"strings"
	"unsafe"

	model "github.com/formatgauge/formatgauge/model/ka"
)

// slabs contain the values that interfaces point to, many per block, so that a
// value needs no allocation of its own. A full block is not moved: the next and
// larger one begins, and pointers into the old one keep it alive.
type slabs struct {
	words    []uint32 // values of up to 64 bytes without pointers
	longs    []uint64 // values of 8 bytes, which need alignment
	texts    []model.String
	byteRuns []model.ByteArray
	arrays   []model.Array
	archives []model.KeyedArchive
	pairs    []model.Pair
	values   []model.Value
	// keys are recent texts of keys, by a hash: 0x0001 archives repeat a few.
	keys *[keyCount]*model.String
}

// Blocks grow from the least to the greatest number of bytes. The runtime puts
// eight bytes before a block of more than 512 that contains pointers.
const (
	leastBlock    = 256
	greatestBlock = 4 << 10
	blockHeader   = 8
)

// block allocates the block after one of n elements, for at least least.
func block[T any](n, least int) []T {
	var v T
	size := int(unsafe.Sizeof(v))
	bytes := leastBlock
	for bytes < greatestBlock && bytes-blockHeader <= (n+1)*size {
		bytes *= 2
	}
	return make([]T, 0, max((bytes-blockHeader)/size, least))
}

// next returns a pointer to a new zero value in the slab.
func next[T any](slab *[]T) *T {
	s := *slab
	if len(s) == cap(s) {
		s = block[T](cap(s), 1)
	}
	s = s[:len(s)+1]
	*slab = s
	return &s[len(s)-1]
}

// addText stores a text in its slab.
func (s *slabs) addText(text string, id *uint32) *model.String {
	p := next(&s.texts)
	p.Text, p.ID = text, id
	return p
}

// Slices of at most mostCarved elements share a block.
const mostCarved = 32

// carve returns an empty slice of capacity n.
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

// roomFor doubles a full slice, for which too little was reserved because
// counts promise more than the input has.
func roomFor[S ~[]T, T any](s S) S {
	if len(s) < cap(s) {
		return s
	}
	return append(make(S, 0, max(2*len(s), 8)), s...)
}

// addWords returns n consecutive words, at most 16.
func (s *slabs) addWords(n int) []uint32 {
	if cap(s.words)-len(s.words) < n {
		s.words = block[uint32](cap(s.words), n)
	}
	at := len(s.words)
	s.words = s.words[:at+n]
	return s.words[at : at+n : at+n]
}

// arena contains the bytes of many texts in few strings.
type arena struct {
	block strings.Builder
	size  int // of the block
}

// The strings begin small, because a small archive may be at the start of a
// large file.
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

// key returns the text of a key, shared with an earlier equal key if that is
// still in the cache. A hostile input can only prevent the sharing.
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
