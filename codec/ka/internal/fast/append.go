//go:build !purego

package fast

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	model "github.com/formatgauge/formatgauge/model/ka"
)

// Append appends the encoding of an archive to dst. It returns nil if it
// declines; bytes after dst may then have changed.
func (c *Codec) Append(dst []byte, a model.Archive) []byte {
	if !available {
		return nil
	}
	w := writer{levels: c.MaxDepth}
	b := w.archive(dst, &a, nil)
	if uint64(len(b)-len(dst)) > math.MaxUint32 { // nor do lengths and counts in it fit 32 bits
		return nil
	}
	return b
}

// writer is the state of writing. Its methods append to b, and return nil to
// decline. t is the table in force.
type writer struct{ levels int } // that may still be entered

// slotPool keeps the memory of small indexes between archives.
var slotPool = sync.Pool{New: func() any { return new([]slot) }}

const mostKept = 1 << 16

// archive appends a header and a body.
func (w *writer) archive(b []byte, a *model.Archive, t *table) []byte {
	if w.levels--; w.levels < 0 || (a.Version == model.V0x0002) != (a.FastNames != nil) {
		return nil
	}
	b = append(b, tag[0], tag[1], byte(a.Version), byte(a.Version>>8))
	switch {
	case a.Version == model.V0x0001:
		b = w.children(b, a.Children, nil)
	case a.Version == model.V0x0002:
		slots := slotPool.Get().(*[]slot)
		n := slotCount(len(a.FastNames))
		*slots = slices.Grow((*slots)[:0], n)[:n]
		clear(*slots)
		t := table{rows: a.FastNames}
		t.index(*slots)
		if b = appendRows(b, t.rows); b != nil {
			b = w.children(b, a.Children, &t)
		}
		if n <= mostKept {
			slotPool.Put(slots)
		}
	case a.Version == model.V0x0102 && t != nil:
		b = w.children(b, a.Children, t)
	case a.Version == model.V0xff02 && len(a.Children) == 0:
	default:
		return nil
	}
	w.levels++
	return b
}

// appendRows appends a table of fast names.
func appendRows(b []byte, rows []model.FastNameEntry) []byte {
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
func (w *writer) children(b []byte, pairs []model.Pair, t *table) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(pairs)))
	for i := range pairs {
		switch key := stringIn(pairs[i].Key); {
		case key == nil:
			return nil
		case t != nil && t.has(key):
			b = binary.LittleEndian.AppendUint32(b, *key.ID)
		case t != nil || key.ID != nil:
			return nil
		default:
			b = append(appendWord(b, model.TypeString, uint32(len(key.Text))), key.Text...)
		}
		if b = w.value(b, pairs[i].Value, t); b == nil {
			return nil
		}
	}
	return b
}

// value appends a type id and a body.
func (w *writer) value(b []byte, v model.Value, t *table) []byte {
	typ, p := unbox(v)
	switch k := &kinds[typ]; k.form {
	case numbers:
		if k.size == 4 {
			return appendWord(b, typ, *(*uint32)(p))
		}
		return append(append(b, byte(typ)), view(p, int(k.size))...)
	case text, wideText:
		switch x := (*model.String)(p); {
		case t != nil && t.has(x):
			return appendWord(b, typ, *x.ID)
		case t != nil || x.ID != nil:
			return nil
		case k.form == wideText:
			return appendWide(b, typ, x.Text)
		default:
			return append(appendWord(b, typ, uint32(len(x.Text))), x.Text...)
		}
	case byteRun:
		x := *(*model.ByteArray)(p)
		return append(appendWord(b, typ, uint32(len(x))), x...)
	case archive:
		b = appendWord(b, typ, 0)
		start := len(b)
		if b = w.archive(b, (*model.Archive)(p), t); b != nil {
			binary.LittleEndian.PutUint32(b[start-4:], uint32(len(b)-start))
		}
		return b
	case array:
		return w.array(b, typ, *(*model.Array)(p), t)
	}
	return nil
}

// array appends a type id, a length and values.
func (w *writer) array(b []byte, typ model.Type, values model.Array, t *table) []byte {
	if w.levels--; w.levels < 0 {
		return nil
	}
	b = appendWord(b, typ, uint32(len(values)))
	for i := range values {
		if b = w.value(b, values[i], t); b == nil {
			return nil
		}
	}
	w.levels++
	return b
}

// appendWide appends a type id and inline wide text.
func appendWide(b []byte, typ model.Type, text string) []byte {
	b = appendWord(b, typ, 0)
	start := len(b)
	for _, c := range text {
		if c == utf8.RuneError { // probably a surrogate
			return nil
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(c))
	}
	binary.LittleEndian.PutUint32(b[start-4:], uint32((len(b)-start)/4))
	return b
}

func appendWord(b []byte, typ model.Type, v uint32) []byte {
	return append(b, byte(typ), byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}
