package fast

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// Decode reads the archive at the beginning of src and returns its size, or 0
// if it does not take the archive.
//
// The archive is read twice. The first reading checks everything and counts
// what the values need; it allocates nothing. The second fills blocks of exactly
// that size.
func (c *Codec) Decode(src []byte) (a model.Archive, size int) {
	if !Available {
		return a, 0
	}
	r := reader{c: c, src: src}
	if size = r.archive(0, nil, &a); size < 0 {
		return model.Archive{}, 0
	}
	if r.pairs.used > 0 || a.Version == model.V0x0002 {
		r.allocate()
		r.archive(0, nil, &a)
	}
	return a, size
}

// Skim reads like Decode, but nothing is kept. If it is certain that src begins
// with no archive, it returns the number of bytes that were read in vain,
// otherwise 0.
func (c *Codec) Skim(src []byte) int {
	r, a := reader{c: c, src: src}, model.Archive{}
	if r.archive(0, nil, &a) < 0 && c.Final {
		return r.stop
	}
	return 0
}

// reader is the state of one reading. Its methods take the position of what
// they read and return the position after it, or -1 if the archive is not taken.
type reader struct {
	c     *Codec
	src   []byte // up to the end of the current archive
	depth int
	build bool // this is the second reading

	stop int // where reading ended if the archive is rejected

	// What is not yet used of the blocks for values; in the first reading, only the counts.
	memory   block[byte]
	pairs    block[model.Pair]
	values   block[model.Value]
	texts    block[model.String]
	runs     block[model.ByteArray]
	arrays   block[model.Array]
	archives block[model.KeyedArchive]
}

// block is the memory for all values of one kind.
type block[T any] struct {
	all  []T
	used int
}

// take returns n new elements in the second reading, and nil in the first.
func (b *block[T]) take(n int) []T {
	b.used += n
	if b.all == nil {
		return nil
	}
	return b.all[b.used-n : b.used : b.used]
}

// allocate ends the first reading.
func (b *block[T]) allocate() {
	if b.used > 0 {
		b.all = make([]T, b.used)
	}
	b.used = 0
}

func (r *reader) allocate() {
	r.build, r.depth = true, 0
	r.memory = block[byte]{all: memory(r.memory.used)}
	r.pairs.allocate()
	r.values.allocate()
	r.texts.allocate()
	r.runs.allocate()
	r.arrays.allocate()
	r.archives.allocate()
}

// reject ends the reading at a fault.
func (r *reader) reject(at int) int {
	r.stop = at
	return -1
}

// decline ends the reading at something that codec/ka has to decide.
func (r *reader) decline() int {
	r.stop = 0
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

// archive reads a header and a body. outer is the table in force around it. The
// result need not be kept in the first reading.
func (r *reader) archive(at int, outer *table, result *model.Archive) int {
	b := r.src[at:]
	if r.depth++; r.depth > r.c.MaxDepth {
		return r.decline()
	}
	switch {
	case len(b) < 2:
		return r.reject(at)
	case string(b[:2]) != tag || len(b) < 4:
		return r.reject(at + 2)
	}
	at += 4
	a := model.Archive{Version: model.Version(binary.LittleEndian.Uint16(b[2:]))}
	switch a.Version {
	case model.V0x0001:
		if outer != nil && !r.c.PlainInTable {
			return r.decline()
		}
		a.Children, at = r.children(at, leastPair+1, scope{nil, r.c.Plain})
	case model.V0x0002:
		if !r.c.Tables {
			return r.decline()
		}
		var t table
		if at = r.table(at, &t); at >= 0 {
			a.FastNames = t.rows
			a.Children, at = r.children(at, leastPair, scope{&t, r.c.Top})
		}
	case model.V0x0102:
		if outer == nil {
			return r.reject(at)
		}
		a.Children, at = r.children(at, leastPair, scope{outer, r.c.Sub})
	case model.V0xff02:
		a.Children = []model.Pair{}
	default:
		return r.reject(at)
	}
	r.depth--
	if result != nil {
		*result = a
	}
	return at
}

// children reads a count and pairs of at least that many bytes. A key without a
// table is a STRING, otherwise an id.
func (r *reader) children(at, least int, s scope) ([]model.Pair, int) {
	n, at := r.count(at, least)
	if n == 0 {
		return []model.Pair{}, at
	}
	b, pairs := r.src, r.pairs.take(n)
	for i := range n {
		var key, value model.Value
		switch {
		case s.table != nil:
			if len(b)-at < 4 {
				return nil, r.reject(at)
			}
			key = r.reference(binary.LittleEndian.Uint32(b[at:]), model.TypeString, s.table)
			at += 4
		case at == len(b):
			return nil, r.reject(at)
		case model.Type(b[at]) == model.TypeWideString || has(s.InPairs, model.TypeString):
			return nil, r.decline()
		case model.Type(b[at]) != model.TypeString:
			return nil, r.reject(at + 1)
		default:
			var size int
			if size, at = r.count(at+1, 1); at < 0 {
				return nil, at
			}
			key = r.text(model.TypeString, b[at:at+size])
			at += size
		}
		if value, at = r.value(at, s); at < 0 {
			return nil, at
		}
		if r.build {
			pairs[i] = model.Pair{Key: key, Value: value}
		}
	}
	return pairs, at
}

// value reads a type id and a body.
func (r *reader) value(at int, s scope) (v model.Value, next int) {
	b := r.src
	if at >= len(b) {
		return nil, r.reject(at)
	}
	t, k := model.Type(b[at]), &r.c.kinds[b[at]]
	at++
	switch k.form {
	case boolean, numbers:
		size, width := int(k.size), int(k.width)
		if rest := len(b) - at; rest < size {
			return nil, r.reject(at + rest - rest%width)
		}
		if k.form == boolean && b[at] > 1 {
			return nil, r.decline()
		}
		if place := r.number(size, width); r.build {
			copy(place, b[at:])
			v = box(t, &place[0])
		}
		return v, at + size
	case text, wideText:
		if has(s.InPairs, t) {
			if len(b)-at < 4 {
				return nil, r.reject(at)
			}
			return r.reference(binary.LittleEndian.Uint32(b[at:]), t, s.table), at + 4
		}
		if k.form == wideText {
			return r.wide(at)
		}
		n, at := r.count(at, 1)
		if at >= 0 {
			v = r.text(t, b[at:at+n])
			at += n
		}
		return v, at
	case byteRun:
		n, at := r.count(at, 1)
		if at < 0 {
			return nil, at
		}
		if place := r.runs.take(1); r.build {
			place[0] = b[at : at+n : at+n]
			v = box(t, &place[0])
		}
		return v, at + n
	case archive:
		return r.nested(at, s.table)
	case array:
		return r.array(at, s)
	case declined:
		return nil, r.decline()
	}
	return nil, r.reject(at)
}

// number returns memory for numbers of a width.
func (r *reader) number(size, width int) []byte {
	r.memory.used = (r.memory.used + width - 1) &^ (width - 1)
	return r.memory.take(size)
}

// text makes a value of inline text.
func (r *reader) text(t model.Type, b []byte) model.Value {
	if r.build {
		return r.textValue(t, b)
	}
	r.memory.used += len(b)
	r.texts.used++
	return nil
}

func (r *reader) textValue(t model.Type, b []byte) model.Value {
	content, place := r.memory.take(len(b)), r.texts.take(1)
	copy(content, b)
	place[0].Text = textOf(content)
	return box(t, &place[0])
}

// wide reads inline wide text in units of four bytes.
func (r *reader) wide(at int) (model.Value, int) {
	n, at := r.count(at, 4)
	if at < 0 {
		return nil, at
	}
	size := 0
	for i := range n {
		switch c := binary.LittleEndian.Uint32(r.src[at+4*i:]); {
		case c < utf8.RuneSelf:
			size++
		case c > utf8.MaxRune:
			return nil, r.reject(at + 4*n)
		case utf16.IsSurrogate(rune(c)):
			size += 3
		default:
			size += utf8.RuneLen(rune(c))
		}
	}
	content, place := r.memory.take(size), r.texts.take(1)
	if !r.build {
		return nil, at + 4*n
	}
	for i, text := 0, content[:0]; i < n; i++ {
		if c := rune(binary.LittleEndian.Uint32(r.src[at+4*i:])); c < utf8.RuneSelf {
			text = append(text, byte(c))
		} else {
			text = wire.AppendWTF8Rune(text, c)
		}
	}
	place[0].Text = textOf(content)
	return box(model.TypeWideString, &place[0]), at + 4*n
}

// reference makes a value of a text reference.
func (r *reader) reference(id uint32, t model.Type, in *table) model.Value {
	if !r.build {
		return nil
	}
	if row := in.find(id); row >= 0 {
		return box(t, &in.texts[row])
	}
	own := id
	return box(t, &model.String{ID: &own})
}

// nested reads a length and an archive.
func (r *reader) nested(at int, outer *table) (v model.Value, next int) {
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
	if next = r.archive(at, outer, (*model.Archive)(place)); next >= 0 && next < at+n {
		return nil, r.reject(next)
	}
	r.src = src
	return v, next
}

// array reads a length and that many values.
func (r *reader) array(at int, s scope) (v model.Value, next int) {
	if r.depth++; r.depth > r.c.MaxDepth {
		return nil, r.decline()
	}
	n, at := r.count(at, 1)
	if at < 0 {
		return nil, at
	}
	s.InPairs = s.InArrays
	elements, place := model.Array(r.values.take(n)), r.arrays.take(1)
	for i := range n {
		var x model.Value
		if x, at = r.value(at, s); at < 0 {
			return nil, at
		}
		if r.build {
			elements[i] = x
		}
	}
	if r.build {
		if n == 0 {
			elements = model.Array{}
		}
		place[0] = elements
		v = box(model.TypeArray, &place[0])
	}
	r.depth--
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
			return r.reject(at)
		}
		size := int(binary.LittleEndian.Uint16(b[at:]))
		if at += 2; len(b)-at < size {
			return r.reject(at)
		}
		if name := r.memory.take(size); r.build {
			copy(name, b[at:])
			texts[i].Text = textOf(name)
			t.rows[i].Name = model.FastNameString(texts[i].Text)
		}
		at += size
	}
	for i := range n {
		if len(b)-at < 4 {
			return r.reject(at)
		}
		if id := r.number(4, 4); r.build {
			t.rows[i].ID = binary.LittleEndian.Uint32(b[at:])
			copy(id, b[at:])
			texts[i].ID = idAt(id)
		}
		at += 4
	}
	if r.build {
		t.index(make([]slot, slotCount(n)), r.c.LastRow)
	}
	return at
}
