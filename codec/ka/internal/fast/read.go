//go:build !purego

package fast

import (
	"encoding/binary"
	"unicode/utf8"

	model "github.com/formatgauge/formatgauge/model/ka"
)

const (
	tag            = "KA"
	leastPair      = 5 // of a 0x0002 or 0x0102 archive: id and type id
	leastPlainPair = 6
	leastRow       = 6
)

// Decode reads the archive at the beginning of src and returns its size, or 0
// if it declines.
//
// The archive is read twice. The first reading checks everything and counts
// what the values need; it allocates nothing. The second fills blocks of exactly
// that size.
func (c *Codec) Decode(src []byte) (a model.Archive, size int) {
	r := reader{src: src, levels: c.MaxDepth}
	if size = r.archive(0, nil, &a); size < 0 || !available {
		return model.Archive{}, 0
	}
	if r.pairs.used > 0 || a.Version == model.V0x0002 {
		r.allocate()
		r.archive(0, nil, &a)
	}
	return a, size
}

// Skim reads src and keeps nothing. It returns how many bytes codec/ka would
// read before it finds a fault, or 0 if this package does not know.
func (c *Codec) Skim(src []byte) int {
	r, a := reader{src: src, levels: c.MaxDepth}, model.Archive{}
	r.archive(0, nil, &a)
	return r.stop
}

// reader is the state of one reading. Its methods take the position of what
// they read and return the position after it, or -1 to decline. t is the table
// in force.
type reader struct {
	src    []byte // up to the end of the current archive
	levels int    // that may still be entered
	stop   int    // where a fault ended the reading
	build  bool   // in the second reading

	memory   block[byte] // numbers and texts
	pairs    block[model.Pair]
	values   block[model.Value]
	texts    block[model.String]
	runs     block[model.ByteArray]
	arrays   block[model.Array]
	archives block[model.KeyedArchive]
}

// block is the memory of all things of a kind. In the first reading they are
// only counted.
type block[T any] struct {
	all  []T
	used int
}

// take returns n new elements; nil in the first reading.
func (b *block[T]) take(n int) []T {
	b.used += n
	if b.all == nil {
		return nil
	}
	return b.all[b.used-n : b.used : b.used]
}

func (b *block[T]) allocate() {
	if b.used > 0 {
		b.all = make([]T, b.used)
	}
	b.used = 0
}

// allocate begins the second reading.
func (r *reader) allocate() {
	r.build = true
	r.memory = block[byte]{all: memory(r.memory.used)}
	r.pairs.allocate()
	r.values.allocate()
	r.texts.allocate()
	r.runs.allocate()
	r.arrays.allocate()
	r.archives.allocate()
}

// fault ends the reading at a position.
func (r *reader) fault(at int) int {
	r.stop = at
	return -1
}

// count reads the number of things of at least size bytes, for which enough
// bytes must remain.
func (r *reader) count(at, size int) (n, next int) {
	if len(r.src)-at >= 4 {
		n := binary.LittleEndian.Uint32(r.src[at:])
		if at += 4; uint64(n)*uint64(size) <= uint64(len(r.src)-at) {
			return int(n), at
		}
	}
	r.stop = at
	return 0, -1
}

// archive reads a header and a body. A nil result is not kept.
func (r *reader) archive(at int, t *table, result *model.Archive) int {
	b := r.src[at:]
	if r.levels--; r.levels < 0 {
		return -1
	}
	switch {
	case len(b) < 2:
		return r.fault(at)
	case string(b[:2]) != tag || len(b) < 4:
		return r.fault(at + 2)
	}
	a := model.Archive{Version: model.Version(binary.LittleEndian.Uint16(b[2:]))}
	at += 4
	switch {
	case a.Version == model.V0x0001:
		a.Children, at = r.children(at, leastPlainPair, nil)
	case a.Version == model.V0x0002:
		var own table
		if at = r.table(at, &own); at >= 0 {
			a.FastNames = own.rows
			a.Children, at = r.children(at, leastPair, &own)
		}
	case a.Version == model.V0x0102 && t != nil:
		a.Children, at = r.children(at, leastPair, t)
	case a.Version == model.V0xff02:
		a.Children = []model.Pair{}
	default:
		return r.fault(at)
	}
	r.levels++
	if result != nil {
		*result = a
	}
	return at
}

// children reads a count and pairs of at least that many bytes.
func (r *reader) children(at, least int, t *table) ([]model.Pair, int) {
	n, at := r.count(at, least)
	if n == 0 {
		return []model.Pair{}, at
	}
	b, pairs := r.src, r.pairs.take(n)
	for i := range n {
		var key, value model.Value
		switch {
		case t != nil:
			key, at = r.reference(at, model.TypeString, t)
		case at == len(b):
			return nil, r.fault(at)
		case model.Type(b[at]) == model.TypeString:
			key, at = r.text(at+1, model.TypeString)
		case model.Type(b[at]) == model.TypeWideString:
			return nil, -1
		default:
			return nil, r.fault(at + 1)
		}
		if at < 0 {
			return nil, at
		}
		if value, at = r.value(at, t); at < 0 {
			return nil, at
		}
		if r.build {
			pairs[i] = model.Pair{Key: key, Value: value}
		}
	}
	return pairs, at
}

// value reads a type id and a body.
func (r *reader) value(at int, t *table) (v model.Value, next int) {
	b := r.src
	if at >= len(b) {
		return nil, r.fault(at)
	}
	typ, k := model.Type(b[at]), &kinds[b[at]]
	at++
	switch k.form {
	case numbers:
		size, width := int(k.size), int(k.width)
		if rest := len(b) - at; rest < size {
			return nil, r.fault(at + rest - rest%width)
		}
		r.memory.used = (r.memory.used + width - 1) &^ (width - 1)
		if place := r.memory.take(size); r.build {
			copy(place, b[at:])
			v = box(typ, &place[0])
		}
		return v, at + size
	case text, wideText:
		switch {
		case t != nil:
			return r.reference(at, typ, t)
		case k.form == wideText:
			return r.wide(at)
		}
		return r.text(at, typ)
	case byteRun:
		n, at := r.count(at, 1)
		if at < 0 {
			return nil, at
		}
		if place := r.runs.take(1); r.build {
			place[0] = b[at : at+n : at+n]
			v = box(typ, &place[0])
		}
		return v, at + n
	case archive:
		return r.nested(at, t)
	case array:
		return r.array(at, t)
	}
	return nil, r.fault(at)
}

// text reads inline text of single bytes.
func (r *reader) text(at int, typ model.Type) (v model.Value, next int) {
	n, at := r.count(at, 1)
	if at < 0 {
		return nil, at
	}
	content, place := r.memory.take(n), r.texts.take(1)
	if r.build {
		copy(content, r.src[at:])
		place[0].Text = textOf(content)
		v = box(typ, &place[0])
	}
	return v, at + n
}

// wide reads inline wide text.
func (r *reader) wide(at int) (v model.Value, next int) {
	n, at := r.count(at, 4)
	if at < 0 {
		return nil, at
	}
	b, size := r.src[at:at+4*n], 0
	for i := 0; i < len(b); i += 4 {
		c := utf8.RuneLen(rune(binary.LittleEndian.Uint32(b[i:])))
		if c < 0 { // a surrogate or a fault
			return nil, -1
		}
		size += c
	}
	content, place := r.memory.take(size), r.texts.take(1)
	if r.build {
		text := content[:0]
		for i := 0; i < len(b); i += 4 {
			text = utf8.AppendRune(text, rune(binary.LittleEndian.Uint32(b[i:])))
		}
		place[0].Text = textOf(text)
		v = box(model.TypeWideString, &place[0])
	}
	return v, at + len(b)
}

// reference reads a text reference.
func (r *reader) reference(at int, typ model.Type, t *table) (v model.Value, next int) {
	if len(r.src)-at < 4 {
		return nil, r.fault(at)
	}
	if id := binary.LittleEndian.Uint32(r.src[at:]); r.build {
		if row := t.slot(id).row; row > 0 {
			v = box(typ, &t.texts[row-1])
		} else {
			v = box(typ, &model.String{ID: &[]uint32{id}[0]})
		}
	}
	return v, at + 4
}

// nested reads a length and an archive.
func (r *reader) nested(at int, t *table) (v model.Value, next int) {
	if r.levels == 0 {
		return nil, -1
	}
	n, at := r.count(at, 1)
	if at < 0 {
		return nil, at
	}
	src := r.src
	r.src = src[:at+n]
	var place *model.KeyedArchive
	if all := r.archives.take(1); r.build {
		place = &all[0]
		v = box(model.TypeKeyedArchive, place)
	}
	if next = r.archive(at, t, (*model.Archive)(place)); next >= 0 && next < len(r.src) {
		return nil, r.fault(next)
	}
	r.src = src
	return v, next
}

// array reads a length and that many values.
func (r *reader) array(at int, t *table) (v model.Value, next int) {
	if r.levels--; r.levels < 0 {
		return nil, -1
	}
	n, at := r.count(at, 1)
	if at < 0 {
		return nil, at
	}
	elements, place := model.Array{}, r.arrays.take(1)
	if n > 0 {
		elements = r.values.take(n)
	}
	for i := range n {
		if v, at = r.value(at, t); at < 0 {
			return nil, at
		}
		if r.build {
			elements[i] = v
		}
	}
	if r.build {
		place[0] = elements
		v = box(model.TypeArray, &place[0])
	}
	r.levels++
	return v, at
}

// table reads a table of fast names.
func (r *reader) table(at int, t *table) int {
	n, at := r.count(at, leastRow)
	if at < 0 {
		return at
	}
	b, texts := r.src, r.texts.take(n)
	if r.build {
		t.rows, t.texts = make([]model.FastNameEntry, n), texts
	}
	for i := range n {
		if len(b)-at < 2 {
			return r.fault(at)
		}
		size := int(binary.LittleEndian.Uint16(b[at:]))
		if at += 2; len(b)-at < size {
			return r.fault(at)
		}
		if name := r.memory.take(size); r.build {
			copy(name, b[at:])
			texts[i].Text = textOf(name)
			t.rows[i].Name = model.FastNameString(texts[i].Text)
		}
		at += size
	}
	if len(b)-at < 4*n {
		return r.fault(at + (len(b)-at)&^3)
	}
	if r.build {
		ids := make([]uint32, n)
		for i := range ids {
			ids[i] = binary.LittleEndian.Uint32(b[at+4*i:])
			t.rows[i].ID, texts[i].ID = ids[i], &ids[i]
		}
		t.index(make([]slot, slotCount(n)))
	}
	return at + 4*n
}
