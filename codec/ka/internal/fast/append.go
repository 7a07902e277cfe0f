package fast

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// Append appends the encoding of an archive to dst. It returns nil if it does
// not take the archive; the bytes after the length of dst may have changed.
func (c *Codec) Append(dst []byte, a model.Archive) []byte {
	if !Available {
		return nil
	}
	w := writer{c: c}
	return w.archive(dst, &a, nil)
}

// writer is the state of writing. Its methods append to b; they return nil if
// the archive is not taken.
type writer struct {
	c     *Codec
	depth int
}

// slotPool keeps the memory of indexes between archives.
var slotPool = sync.Pool{New: func() any { return new([]slot) }}

const mostKept = 1 << 16

// archive appends a header and a body. outer is the table in force around it.
func (w *writer) archive(b []byte, a *model.Archive, outer *table) []byte {
	if w.depth++; w.depth > w.c.MaxDepth || (a.Version == model.V0x0002) != (a.FastNames != nil) {
		return nil
	}
	b = append(b, tag[0], tag[1], byte(a.Version), byte(a.Version>>8))
	switch {
	case a.Version == model.V0x0001 && (outer == nil || w.c.PlainInTable):
		b = w.children(b, a.Children, scope{nil, w.c.Plain})
	case a.Version == model.V0x0002 && w.c.Tables:
		slots := slotPool.Get().(*[]slot)
		n := slotCount(len(a.FastNames))
		*slots = slices.Grow((*slots)[:0], n)[:n]
		clear(*slots)
		t := table{rows: a.FastNames}
		t.index(*slots, w.c.LastRow)
		if b = appendRows(b, a.FastNames); b != nil {
			b = w.children(b, a.Children, scope{&t, w.c.Top})
		}
		if n <= mostKept {
			slotPool.Put(slots)
		}
	case a.Version == model.V0x0102 && outer != nil:
		b = w.children(b, a.Children, scope{outer, w.c.Sub})
	case a.Version == model.V0xff02 && len(a.Children) == 0:
	default:
		return nil
	}
	w.depth--
	return b
}

// appendRows appends a table of fast names.
func appendRows(b []byte, rows []model.FastNameEntry) []byte {
	if uint64(len(rows)) > math.MaxUint32 {
		return nil
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(rows)))
	for i := range rows {
		if len(rows[i].Name) > math.MaxUint16 {
			return nil
		}
		b = append(binary.LittleEndian.AppendUint16(b, uint16(len(rows[i].Name))), rows[i].Name...)
	}
	for i := range rows {
		b = binary.LittleEndian.AppendUint32(b, rows[i].ID)
	}
	return b
}

// children appends a count and pairs.
func (w *writer) children(b []byte, pairs []model.Pair, s scope) []byte {
	if uint64(len(pairs)) > math.MaxUint32 {
		return nil
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(pairs)))
	for i := range pairs {
		switch k := stringIn(pairs[i].Key); {
		case k == nil:
			return nil
		case s.table != nil:
			if !s.knows(k) {
				return nil
			}
			b = binary.LittleEndian.AppendUint32(b, *k.ID)
		case k.ID != nil || has(s.InPairs, model.TypeString) || uint64(len(k.Text)) > math.MaxUint32:
			return nil
		default:
			b = append(appendWord(b, model.TypeString, uint32(len(k.Text))), k.Text...)
		}
		if b = w.value(b, pairs[i].Value, s); b == nil {
			return nil
		}
	}
	return b
}

// value appends a type id and a body.
func (w *writer) value(b []byte, v model.Value, s scope) []byte {
	t, p := unbox(v)
	k := &w.c.kinds[t]
	switch k.form {
	case boolean, numbers:
		if k.size == 4 {
			return appendWord(b, t, *at[uint32](p))
		}
		if k.form == boolean && *at[uint8](p) > 1 {
			return nil
		}
		return append(append(b, byte(t)), view(p, int(k.size))...)
	case text, wideText:
		x := at[model.String](p)
		switch {
		case has(s.InPairs, t):
			if s.knows(x) {
				return appendWord(b, t, *x.ID)
			}
		case x.ID != nil || uint64(len(x.Text)) > math.MaxUint32:
		case k.form == wideText:
			return appendWide(b, t, x.Text)
		default:
			return append(appendWord(b, t, uint32(len(x.Text))), x.Text...)
		}
	case byteRun:
		if x := *at[model.ByteArray](p); uint64(len(x)) <= math.MaxUint32 {
			return append(appendWord(b, t, uint32(len(x))), x...)
		}
	case archive:
		start := len(b) + 5
		if b = w.archive(appendWord(b, t, 0), at[model.Archive](p), s.table); b != nil && uint64(len(b)-start) <= math.MaxUint32 {
			binary.LittleEndian.PutUint32(b[start-4:], uint32(len(b)-start))
			return b
		}
	case array:
		return w.array(b, t, *at[model.Array](p), s)
	}
	return nil
}

// array appends the type id, a length and the values.
func (w *writer) array(b []byte, t model.Type, values model.Array, s scope) []byte {
	if w.depth++; w.depth > w.c.MaxDepth || uint64(len(values)) > math.MaxUint32 {
		return nil
	}
	b = appendWord(b, t, uint32(len(values)))
	s.InPairs = s.InArrays
	for i := range values {
		if b = w.value(b, values[i], s); b == nil {
			return nil
		}
	}
	w.depth--
	return b
}

// knows reports whether the table in force has a text for its id.
func (s scope) knows(x *model.String) bool {
	if x.ID == nil {
		return false
	}
	row := s.find(*x.ID)
	return row >= 0 && string(s.rows[row].Name) == x.Text
}

// appendWide appends the type id and wide text in units of four bytes.
func appendWide(b []byte, t model.Type, text string) []byte {
	b = appendWord(b, t, 0)
	start, n := len(b), uint32(0)
	for i := 0; i < len(text); n++ {
		c, size := rune(text[i]), 1
		if c >= utf8.RuneSelf {
			if c, size = wire.DecodeWTF8Rune(text[i:]); size == 0 {
				return nil
			}
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(c))
		i += size
	}
	binary.LittleEndian.PutUint32(b[start-4:], n)
	return b
}

func appendWord(b []byte, t model.Type, v uint32) []byte {
	return append(b, byte(t), byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}
