package ka

import (
	"encoding/binary"
	"math"

	model "github.com/formatgauge/formatgauge/model/ka"
)

// This code reads and writes the common values without naming fields, while
// neither a path nor spans are kept. Other values and all faults go to the code
// that names each field, which returns the same value or the error.

// quickPlainPairs appends pairs of a 0x0001 archive to out, until there are n or
// a key is not a STRING.
func (d *decoder) quickPlainPairs(out []model.Pair, n int, s scope) []model.Pair {
	r := d.r
	if s.has(model.TypeString) {
		return out
	}
	owed := d.owed + len(out)*leastPlainPair
	all := r.Unread()
	b := all
	for len(out) < n && len(b) >= 5 && model.Type(b[0]) == model.TypeString {
		size := binary.LittleEndian.Uint32(b[1:])
		if uint64(size) > uint64(len(b)-5) {
			break
		}
		end := 5 + int(size)
		key := boxText(model.TypeString, d.key(b[5:end]))
		value, more := d.quickValue(b[end:], s)
		b = b[end+more:]
		if more == 0 {
			r.Skip(len(all) - len(b))
			d.owed = max(0, owed-(len(out)+1)*leastPlainPair)
			value = d.container(s)
			if r.Failed() {
				return out
			}
			all = r.Unread()
			b = all
		}
		out = append(roomFor(out), model.Pair{Key: key, Value: value})
	}
	r.Skip(len(all) - len(b))
	d.owed = max(0, owed-len(out)*leastPlainPair)
	return out
}

// quickSize is the number of bytes that quickHeader reads.
const quickSize = 4 + 2 + 2 + 4

// quickHeader reads the length, the header and the count of a nested archive of
// version 0x0001 or 0x0102, if all are valid.
func (d *decoder) quickHeader(outer *table) (size uint32, v model.Version, count int, ok bool) {
	b := d.r.Unread()
	if len(b) < quickSize || string(b[4:6]) != tag || d.c.d.untagged || d.c.d.countStops || d.c.s.Limits.MaxCount > 0 {
		return 0, 0, 0, false
	}
	size = binary.LittleEndian.Uint32(b)
	v = model.Version(binary.LittleEndian.Uint16(b[6:]))
	n := binary.LittleEndian.Uint32(b[8:])
	least := uint64(leastPlainPair)
	if v == model.V0x0102 && outer != nil {
		least = leastPair
	} else if v != model.V0x0001 {
		return 0, 0, 0, false
	}
	if size < 8 || uint64(size) > uint64(len(b)-4) || uint64(n)*least > uint64(size-8) {
		return 0, 0, 0, false
	}
	d.r.Skip(quickSize)
	return size, v, int(n), true
}

// quickTablePairs appends pairs of a 0x0002 or 0x0102 archive to out, until
// there are n or the table has no entry for a key.
func (d *decoder) quickTablePairs(out []model.Pair, n int, s scope, isKey bool) []model.Pair {
	r := d.r
	owed := d.owed + len(out)*leastPair
	all := r.Unread()
	b := all
	for len(out) < n && len(b) >= leastPair {
		key, ok := d.quickNumber(model.TypeString, binary.LittleEndian.Uint32(b), s.table, isKey)
		if !ok {
			break
		}
		value, more := d.quickValue(b[4:], s)
		b = b[4+more:]
		if more == 0 {
			r.Skip(len(all) - len(b))
			d.owed = max(0, owed-(len(out)+1)*leastPair)
			value = d.container(s)
			if r.Failed() {
				return out
			}
			all = r.Unread()
			b = all
		}
		out = append(roomFor(out), model.Pair{Key: key, Value: value})
	}
	r.Skip(len(all) - len(b))
	d.owed = max(0, owed-len(out)*leastPair)
	return out
}

// quickElements appends elements of an array to out, until there are n.
func (d *decoder) quickElements(out model.Array, n int, s scope) model.Array {
	r := d.r
	owed := d.owed + len(out)
	all := r.Unread()
	b := all
	for len(out) < n {
		value, size := d.quickValue(b, s)
		b = b[size:]
		if size == 0 {
			r.Skip(len(all) - len(b))
			d.owed = max(0, owed-len(out)-1)
			value = d.container(s)
			if r.Failed() {
				return out
			}
			all = r.Unread()
			b = all
		}
		out = append(roomFor(out), value)
	}
	r.Skip(len(all) - len(b))
	return out
}

// container reads a value, probably an archive or array.
func (d *decoder) container(s scope) model.Value {
	if b := d.r.Unread(); len(b) > 0 {
		switch model.Type(b[0]) {
		case model.TypeKeyedArchive:
			d.r.Skip(1)
			return d.archiveValue(s)
		case model.TypeArray:
			d.r.Skip(1)
			return d.arrayValue(s)
		}
	}
	return d.value(s)
}

// quickValue reads a common value and returns its size, otherwise 0.
func (d *decoder) quickValue(b []byte, s scope) (model.Value, int) {
	if len(b) < 5 {
		return nil, 0
	}
	switch t := model.Type(b[0]); t {
	case model.TypeBoolean:
		if b[1] <= 1 {
			return model.Boolean(b[1]), 2
		}
	case model.TypeInt32, model.TypeUint32, model.TypeFloat:
		p := d.addWords(1)
		p[0] = binary.LittleEndian.Uint32(b[1:])
		return boxWord(t, &p[0]), 5
	case model.TypeInt8:
		return model.Int8(b[1]), 2
	case model.TypeUint8:
		return model.Uint8(b[1]), 2
	case model.TypeInt64, model.TypeUint64, model.TypeFloat64:
		if len(b) >= 9 {
			p := next(&d.longs)
			*p = binary.LittleEndian.Uint64(b[1:])
			return boxLong(t, p), 9
		}
	case model.TypeVector2, model.TypeVector3, model.TypeVector4, model.TypeMatrix2, model.TypeMatrix3, model.TypeMatrix4, model.TypeAABBox3:
		n := model.Types()[t].Size / 4
		if boxes && len(b) >= 1+4*n {
			p := d.addWords(n)
			for i := range p {
				p[i] = binary.LittleEndian.Uint32(b[1+4*i:])
			}
			return box(t, &p[0]), 1 + 4*n
		}
	case model.TypeString, model.TypeFastName, model.TypeFilePath:
		if s.has(t) {
			if v, ok := d.quickNumber(t, binary.LittleEndian.Uint32(b[1:]), s.table, false); ok {
				return v, 5
			}
			return nil, 0
		}
		if n := int(binary.LittleEndian.Uint32(b[1:])); uint(n) <= uint(len(b)-5) {
			return boxText(t, d.addText(d.arena.text(b[5:5+n]), nil)), 5 + n
		}
	case model.TypeByteArray:
		if n := int(binary.LittleEndian.Uint32(b[1:])); uint(n) <= uint(len(b)-5) {
			run := next(&d.byteRuns)
			*run = b[5 : 5+n : 5+n]
			return boxBytes(run), 5 + n
		}
	}
	return nil, 0
}

// quickNumber returns the text of a known id.
func (d *decoder) quickNumber(t model.Type, n uint32, in *table, isKey bool) (model.Value, bool) {
	if isKey || !d.c.d.byPosition {
		if row := in.find(n, d.c.d.lastRow); row >= 0 {
			return boxText(t, &in.values[row]), true
		}
	}
	return nil, false
}

// keyForm is how the key of a pair is written.
type keyForm uint8

const (
	keyInPlace keyForm = iota // a STRING in place, in 0x0001
	keyID                     // an id, in 0x0002
	keyNumber                 // a number, in 0x0102
	keyNone                   // elements of an array
)

// quickItems appends pairs, or the elements of an array, to b. It is one
// function because calls would cost more than their bodies.
func (e *encoder) quickItems(b []byte, pairs []model.Pair, elements []model.Value, s scope, form keyForm) []byte {
	w := e.w
	n := max(len(pairs), len(elements))
	inPlace := !s.has(model.TypeString)
	guessed := s.table != nil && s.table.unique && !e.c.d.byPosition
	for i := 0; i < n; i++ {
		var x model.Value
		switch {
		case form == keyNone:
			x = elements[i]
		case form == keyInPlace:
			p := &pairs[i]
			k, ok := p.Key.(model.String)
			if !ok || k.ID != nil || !inPlace || uint64(len(k.Text)) > math.MaxUint32 {
				w.SetBuffer(b)
				e.plainPair(p, s)
				if b = w.Buffer(); w.Failed() {
					return b
				}
				continue
			}
			b = appendText(b, model.TypeString, k.Text)
			x = p.Value
		default:
			p := &pairs[i]
			k, ok := p.Key.(model.String)
			if !ok || k.ID == nil || !(guessed && s.table.guess(k.Text, k.ID) || e.hasText(k.Text, k.ID, s.table, form == keyID)) {
				w.SetBuffer(b)
				e.pair(p, s, form == keyID)
				if b = w.Buffer(); w.Failed() {
					return b
				}
				continue
			}
			b = binary.LittleEndian.AppendUint32(b, *k.ID)
			x = p.Value
		}
		switch v := x.(type) {
		case model.String:
			if v.ID == nil && inPlace && uint64(len(v.Text)) <= math.MaxUint32 {
				b = appendText(b, model.TypeString, v.Text)
				continue
			}
			if v.ID != nil && !inPlace && (guessed && s.table.guess(v.Text, v.ID) || e.hasText(v.Text, v.ID, s.table, false)) {
				b = appendWord(b, model.TypeString, *v.ID)
				continue
			}
		case model.Int32:
			b = appendWord(b, model.TypeInt32, uint32(v))
			continue
		case model.Uint32:
			b = appendWord(b, model.TypeUint32, uint32(v))
			continue
		case model.Float:
			b = appendWord(b, model.TypeFloat, math.Float32bits(float32(v)))
			continue
		case model.Boolean:
			if v <= 1 {
				b = append(b, byte(model.TypeBoolean), byte(v))
				continue
			}
		case model.Uint8:
			b = append(b, byte(model.TypeUint8), byte(v))
			continue
		case model.Int64:
			b = appendLong(b, model.TypeInt64, uint64(v))
			continue
		case model.Uint64:
			b = appendLong(b, model.TypeUint64, uint64(v))
			continue
		case model.Float64:
			b = appendLong(b, model.TypeFloat64, math.Float64bits(float64(v)))
			continue
		case model.ByteArray:
			if uint64(len(v)) <= math.MaxUint32 {
				b = append(appendWord(b, model.TypeByteArray, uint32(len(v))), v...)
				continue
			}
		case model.Vector2:
			b = appendFloats2(append(b, byte(model.TypeVector2)), v.X, v.Y)
			continue
		case model.Vector3:
			b = appendFloats2(appendWord(b, model.TypeVector3, math.Float32bits(v.X)), v.Y, v.Z)
			continue
		case model.Vector4:
			b = appendFloats2(appendFloats2(append(b, byte(model.TypeVector4)), v.X, v.Y), v.Z, v.W)
			continue
		case model.AABBox3:
			b = appendFloats2(append(b, byte(model.TypeAABBox3)), v.Minimum.X, v.Minimum.Y)
			b = appendFloats2(appendFloats2(b, v.Minimum.Z, v.Maximum.X), v.Maximum.Y, v.Maximum.Z)
			continue
		}
		if b = e.quickContainer(b, x, s); w.Failed() {
			return b
		}
	}
	return b
}

// quickContainer appends a value, probably an archive or array, to b.
func (e *encoder) quickContainer(b []byte, x model.Value, s scope) []byte {
	switch v := x.(type) {
	case model.KeyedArchive:
		if b, ok := e.quickNested(b, &v, s.table); ok || e.w.Failed() {
			return b
		}
	case model.Array:
		if uint64(len(v)) <= math.MaxUint32 && e.w.Descend(clauseDepth) {
			b = e.quickItems(appendWord(b, model.TypeArray, uint32(len(v))), nil, v, s.inArray(), keyNone)
			e.w.Ascend()
			return b
		}
	}
	e.w.SetBuffer(b)
	e.value(x, s)
	return e.w.Buffer()
}

// quickNested appends the type id, the length and a nested archive of version
// 0x0001 or 0x0102 to b. It reports false for other archives.
func (e *encoder) quickNested(b []byte, a *model.KeyedArchive, outer *table) ([]byte, bool) {
	form := keyInPlace
	if a.Version == model.V0x0102 && outer != nil {
		form = keyNumber
	} else if a.Version != model.V0x0001 {
		return b, false
	}
	if a.FastNames != nil || e.special || uint64(len(a.Children)) > math.MaxUint32 || !e.w.Descend(clauseDepth) {
		return b, false
	}
	at, n := len(b)+1, len(a.Children)
	b = append(b, byte(model.TypeKeyedArchive), 0, 0, 0, 0, tag[0], tag[1], byte(a.Version), byte(a.Version>>8),
		byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	b = e.quickItems(b, a.Children, nil, e.c.scopeOf(a.Version, outer), form)
	size := len(b) - at - 4
	if uint64(size) > math.MaxUint32 {
		e.w.Fail("length", clauseOf(model.TypeKeyedArchive), "%d bytes do not fit a 32-bit length", size)
	}
	binary.LittleEndian.PutUint32(b[at:], uint32(size))
	e.w.Ascend()
	return b, true
}

// hasText reports whether a number of the table has a text.
func (e *encoder) hasText(text string, id *uint32, t *table, isKey bool) bool {
	n := *id
	if t != nil && t.slots != nil && (isKey || !e.c.d.byPosition) {
		row := t.slot(n).row
		if row == 0 || string(t.rows[row-1].Name) != text {
			return false
		}
		t.hint = address(id) - uintptr(row-1)*sizeOfID
		return true
	}
	row := e.c.row(t, n, isKey)
	return row >= 0 && string(t.rows[row].Name) == text
}

// sizeOfID is the distance in bytes of consecutive ids in memory.
const sizeOfID = 4

// guess reports whether the row that the address of an id suggests has that id
// and the same text in memory. False proves nothing. The table must be unique.
func (t *table) guess(text string, id *uint32) bool {
	row := (address(id) - t.hint) / sizeOfID
	if row >= uintptr(len(t.rows)) {
		return false
	}
	r := &t.rows[row]
	return r.ID == *id && sameText(string(r.Name), text)
}

func appendWord(b []byte, t model.Type, v uint32) []byte {
	return append(b, byte(t), byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}

func appendLong(b []byte, t model.Type, v uint64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, byte(t)), v)
}

func appendFloats2(b []byte, x, y float32) []byte {
	p, q := math.Float32bits(x), math.Float32bits(y)
	return append(b, byte(p), byte(p>>8), byte(p>>16), byte(p>>24), byte(q), byte(q>>8), byte(q>>16), byte(q>>24))
}

func appendText(b []byte, t model.Type, text string) []byte {
	return append(appendWord(b, t, uint32(len(text))), text...)
}
