package ka

import (
	"encoding/binary"
	"math"

	model "github.com/formatgauge/formatgauge/model/ka"
)

// A shortcutWriter writes an archive of the dialect of real files without a [wire.Writer].
// It declines for a fault and for what real files do not have; then the coder
// writes the archive from its start. It leaves values of seldom types to the coder.
type shortcutWriter struct {
	c        *Codec
	b        []byte
	declined bool
	levels   int // that may still be entered
}

// names has the names of the table in force by id; nil if there is none.
type names map[uint32]model.FastNameString

// appendShortcut appends the encoding of an archive to dst. It returns nil if it
// declines; bytes after dst may then have changed.
func (c *Codec) appendShortcut(dst []byte, a model.Archive) []byte {
	w := shortcutWriter{c: c, b: dst, levels: c.levels}
	w.archive(&a, nil)
	if w.declined || uint64(len(w.b)-len(dst)) > math.MaxUint32 { // nor do lengths and counts in it fit 32 bits
		return nil
	}
	return w.b
}

func (w *shortcutWriter) uint32(v uint32) { w.b = binary.LittleEndian.AppendUint32(w.b, v) }

// word appends a type id and a number.
func (w *shortcutWriter) word(t model.Type, v uint32) {
	w.b = append(w.b, byte(t), byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}

// long appends a type id and a number.
func (w *shortcutWriter) long(t model.Type, v uint64) {
	w.b = binary.LittleEndian.AppendUint64(append(w.b, byte(t)), v)
}

// floats appends a type id and numbers.
func (w *shortcutWriter) floats(t model.Type, numbers ...float32) {
	w.b = append(w.b, byte(t))
	for _, n := range numbers {
		w.uint32(math.Float32bits(n))
	}
}

// archive appends a header and a body.
func (w *shortcutWriter) archive(a *model.Archive, t names) {
	w.levels--
	w.declined = w.declined || w.levels < 0 || (a.Version == model.V0x0002) != (a.FastNames != nil)
	w.b = binary.LittleEndian.AppendUint16(append(w.b, tag...), uint16(a.Version))
	switch {
	case w.declined:
	case a.Version == model.V0x0001:
		w.children(a.Children, nil)
	case a.Version == model.V0x0002:
		w.children(a.Children, w.table(a.FastNames))
	case a.Version == model.V0x0102 && t != nil:
		w.children(a.Children, t)
	case a.Version == model.V0xff02 && len(a.Children) == 0:
	default:
		w.declined = true
	}
	w.levels++
}

// table appends a table of fast names.
func (w *shortcutWriter) table(rows []model.FastNameEntry) names {
	t := make(names, len(rows))
	w.uint32(uint32(len(rows)))
	for i := range rows {
		w.declined = w.declined || len(rows[i].Name) > maxName
		w.b = append(binary.LittleEndian.AppendUint16(w.b, uint16(len(rows[i].Name))), rows[i].Name...)
		t[rows[i].ID] = rows[i].Name
	}
	for i := range rows {
		w.uint32(rows[i].ID)
	}
	return t
}

// children appends a count and pairs.
func (w *shortcutWriter) children(pairs []model.Pair, t names) {
	w.uint32(uint32(len(pairs)))
	for i := range pairs {
		if w.declined {
			break
		}
		key, ok := pairs[i].Key.(model.String)
		w.declined = !ok
		if t == nil {
			w.b = append(w.b, byte(model.TypeString))
		}
		w.text(key, t)
		w.value(pairs[i].Value, t)
	}
}

// value appends a type id and a body.
func (w *shortcutWriter) value(v model.Value, t names) {
	switch x := v.(type) {
	case model.Boolean:
		w.b = append(w.b, byte(model.TypeBoolean), byte(x))
	case model.Int32:
		w.word(model.TypeInt32, uint32(x))
	case model.Uint32:
		w.word(model.TypeUint32, uint32(x))
	case model.Float:
		w.word(model.TypeFloat, math.Float32bits(float32(x)))
	case model.Int64:
		w.long(model.TypeInt64, uint64(x))
	case model.Uint64:
		w.long(model.TypeUint64, uint64(x))
	case model.Vector3:
		w.floats(model.TypeVector3, x.X, x.Y, x.Z)
	case model.AABBox3:
		w.floats(model.TypeAABBox3, x.Minimum.X, x.Minimum.Y, x.Minimum.Z, x.Maximum.X, x.Maximum.Y, x.Maximum.Z)
	case model.Matrix4:
		w.b = append(w.b, byte(model.TypeMatrix4))
		for i := range 16 {
			w.uint32(math.Float32bits(x[i/4][i%4]))
		}
	case model.String:
		w.b = append(w.b, byte(model.TypeString))
		w.text(x, t)
	case model.ByteArray:
		w.word(model.TypeByteArray, uint32(len(x)))
		w.b = append(w.b, x...)
	case model.KeyedArchive:
		w.word(model.TypeKeyedArchive, 0)
		start := len(w.b)
		w.archive((*model.Archive)(&x), t)
		binary.LittleEndian.PutUint32(w.b[start-4:], uint32(len(w.b)-start))
	case model.Array:
		w.array(x, t)
	case model.WideString, model.FastName, model.FilePath:
		w.reference(v, t)
	default:
		w.seldom(v)
	}
}

// reference appends a value of a type of text that is seldom inline.
func (w *shortcutWriter) reference(v model.Value, t names) {
	if t == nil {
		w.seldom(v)
		return
	}
	w.b = append(w.b, byte(v.Type()))
	switch x := v.(type) {
	case model.WideString:
		w.text(model.String(x), t)
	case model.FastName:
		w.text(model.String(x), t)
	case model.FilePath:
		w.text(model.String(x), t)
	}
}

// seldom appends a value as the coder does. Its type has no references.
func (w *shortcutWriter) seldom(v model.Value) {
	b, err := w.c.value.Append(w.b, v)
	w.b, w.declined = b, w.declined || err != nil
}

// text appends a text reference or inline text of single bytes.
func (w *shortcutWriter) text(s model.String, t names) {
	if t != nil {
		w.declined = w.declined || s.ID == nil
		if w.declined {
			return
		}
		name, ok := t[*s.ID]
		w.declined = !ok || string(name) != s.Text
		w.uint32(*s.ID)
		return
	}
	w.declined = w.declined || s.ID != nil
	w.uint32(uint32(len(s.Text)))
	w.b = append(w.b, s.Text...)
}

// array appends the type id, a length and values.
func (w *shortcutWriter) array(values model.Array, t names) {
	w.levels--
	w.declined = w.declined || w.levels < 0
	w.word(model.TypeArray, uint32(len(values)))
	for i := range values {
		if w.declined {
			break
		}
		w.value(values[i], t)
	}
	w.levels++
}
