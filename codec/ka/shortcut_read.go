package ka

import (
	"encoding/binary"
	"math"
	"sync/atomic"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// A shortcutReader reads an archive of the dialect of real files without a [wire.Reader],
// twice as fast. It declines for a fault and for what real files do not have; then
// the coder reads the archive from its start. It takes values of seldom types
// from the coder. After it has declined, its results are not used.
type shortcutReader struct {
	c        *Codec
	src      []byte // up to the end of the current archive
	at       int    // of the next byte
	declined bool
	levels   int // that may still be entered
	room     int // bytes of which no count has made use

	block   string // of src from blockAt
	blockAt int
}

// boxes has the texts of the table in force by id, as values that their references
// share; nil if there is none.
type boxes map[uint32]model.Value

// decodeShortcut reads the archive at the beginning of src and returns its size, or 0 if
// it declines.
func (c *Codec) decodeShortcut(src []byte) (model.Archive, int) {
	r := shortcutReader{c: c, src: src, levels: c.levels, room: len(src)}
	if a := r.archive(nil); !r.declined {
		return a, r.at
	}
	return model.Archive{}, 0
}

var zeros [8]byte

// take returns the next n bytes. If there are fewer it declines and returns zeros, at most
// 8.
func (r *shortcutReader) take(n int) []byte {
	if n > len(r.src)-r.at {
		r.declined = true
		return zeros[:min(n, len(zeros))]
	}
	r.at += n
	return r.src[r.at-n : r.at : r.at]
}

func (r *shortcutReader) uint32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }

func (r *shortcutReader) float() float32 { return math.Float32frombits(r.uint32()) }

func (r *shortcutReader) vector3() model.Vector3 {
	return model.Vector3{X: r.float(), Y: r.float(), Z: r.float()}
}

func (r *shortcutReader) uint64() uint64 { return binary.LittleEndian.Uint64(r.take(8)) }

// count reads the number of things of at least size bytes, for which enough bytes must
// remain.
func (r *shortcutReader) count(size int) int {
	n := r.uint32()
	if r.declined || uint64(n)*uint64(size) > uint64(len(r.src)-r.at) {
		r.declined = true
		return 0
	}
	return int(n)
}

// counted is count for things for which memory is allocated. Counts that together need
// more bytes than there are make it decline.
func (r *shortcutReader) counted(size int) int {
	n := r.count(size)
	if r.room -= n * size; r.room < 0 {
		r.declined = true
		return 0
	}
	return n
}

// archive reads a header and a body.
func (r *shortcutReader) archive(t boxes) (a model.Archive) {
	header := r.take(len(tag) + 2)
	a.Version = model.Version(binary.LittleEndian.Uint16(header[len(tag):]))
	r.levels--
	r.declined = r.declined || r.levels < 0 || string(header[:len(tag)]) != tag
	switch {
	case r.declined:
	case a.Version == model.V0x0001:
		a.Children = r.children(leastPlainPair, nil)
	case a.Version == model.V0x0002:
		a.FastNames, t = r.table()
		a.Children = r.children(leastPair, t)
	case a.Version == model.V0x0102 && t != nil:
		a.Children = r.children(leastPair, t)
	case a.Version == model.V0xff02:
		a.Children = []model.Pair{}
	default:
		r.declined = true
	}
	r.levels++
	return a
}

// children reads a count and pairs of at least that many bytes.
func (r *shortcutReader) children(least int, t boxes) []model.Pair {
	pairs := make([]model.Pair, r.counted(least))
	for i := range pairs {
		if t == nil {
			pairs[i].Key = r.key()
		} else {
			pairs[i].Key = r.text(model.TypeString, t)
		}
		pairs[i].Value = r.value(t)
		if r.declined {
			break
		}
	}
	return pairs
}

// seen has keys that were read last, each in the place that its bytes choose: archives
// have the same few keys again and again. They keep at most a block of bytes each.
var seen [256]atomic.Value

// key reads a type id and a key.
func (r *shortcutReader) key() model.Value {
	if model.Type(r.take(1)[0]) != model.TypeString {
		r.declined = true
	}
	n := r.count(1)
	if n == 0 || n > block {
		return model.String{Text: r.string(n)}
	}
	b := r.src[r.at : r.at+n]
	place := &seen[uint8(n*3)+b[0]*5+b[n/2]*7+b[n-1]*11]
	if v := place.Load(); v != nil && v.(model.String).Text == string(b) {
		r.at += n
		return v.(model.Value)
	}
	var key model.Value = model.String{Text: r.string(n)}
	place.Store(key)
	return key
}

// value reads a type id and a body.
func (r *shortcutReader) value(t boxes) model.Value {
	switch typ := model.Type(r.take(1)[0]); typ {
	case model.TypeBoolean:
		return model.Boolean(r.take(1)[0])
	case model.TypeInt32:
		return model.Int32(r.uint32())
	case model.TypeUint32:
		return model.Uint32(r.uint32())
	case model.TypeFloat:
		return model.Float(r.float())
	case model.TypeInt64:
		return model.Int64(r.uint64())
	case model.TypeUint64:
		return model.Uint64(r.uint64())
	case model.TypeVector3:
		return r.vector3()
	case model.TypeAABBox3:
		return model.AABBox3{Minimum: r.vector3(), Maximum: r.vector3()}
	case model.TypeMatrix4:
		var m model.Matrix4
		for i := range m {
			m[i] = [4]float32{r.float(), r.float(), r.float(), r.float()}
		}
		return m
	case model.TypeString, model.TypeFastName, model.TypeFilePath, model.TypeWideString:
		if t == nil && typ == model.TypeWideString {
			return r.seldom()
		}
		return r.text(typ, t)
	case model.TypeByteArray:
		return model.ByteArray(r.take(r.count(1)))
	case model.TypeKeyedArchive:
		return r.nested(t)
	case model.TypeArray:
		return r.array(t)
	default:
		return r.seldom()
	}
}

// seldom reads the value whose type id was just read as the coder does. Its type has
// no references.
func (r *shortcutReader) seldom() model.Value {
	if r.declined {
		return nil
	}
	v, n, ok := wire.DescriptionOf(r.c.value).Probe(r.src[r.at-1:])
	r.at, r.declined = r.at-1+n, !ok
	return v
}

// text reads a text reference or inline text of single bytes.
func (r *shortcutReader) text(typ model.Type, t boxes) model.Value {
	var s model.String
	if t != nil {
		id := r.uint32()
		switch v, ok := t[id]; {
		case !ok:
			s.ID = &[]uint32{id}[0]
		case typ == model.TypeString:
			return v
		default:
			s = v.(model.String)
		}
	} else {
		s.Text = r.string(r.count(1))
	}
	switch typ {
	case model.TypeWideString:
		return model.WideString(s)
	case model.TypeFastName:
		return model.FastName(s)
	case model.TypeFilePath:
		return model.FilePath(s)
	}
	return s
}

// block is the least size of the memory of texts, in bytes.
const block = 512

// string reads n bytes, which are there, as text. Short texts share memory.
func (r *shortcutReader) string(n int) string {
	if r.at+n > r.blockAt+len(r.block) {
		r.refill(n)
	}
	r.at += n
	return r.block[r.at-n-r.blockAt : r.at-r.blockAt]
}

// refill makes a block of at least n bytes from the next byte on.
//
//go:noinline
func (r *shortcutReader) refill(n int) {
	r.block, r.blockAt = string(r.src[r.at:min(r.at+max(n, block), len(r.src))]), r.at
}

// nested reads a length and an archive.
func (r *shortcutReader) nested(t boxes) model.Value {
	n, outer := r.count(1), r.src
	r.src = r.src[:r.at+n]
	a := r.archive(t)
	r.declined = r.declined || r.at < len(r.src)
	r.src = outer
	return model.KeyedArchive(a)
}

// array reads a length and that many values.
func (r *shortcutReader) array(t boxes) model.Value {
	if r.levels--; r.levels < 0 {
		r.declined = true
		return nil
	}
	elements := make(model.Array, r.counted(1))
	for i := range elements {
		if elements[i] = r.value(t); r.declined {
			break
		}
	}
	r.levels++
	return elements
}

// table reads a table of fast names. Of rows with the same id the last counts.
func (r *shortcutReader) table() ([]model.FastNameEntry, boxes) {
	rows := make([]model.FastNameEntry, r.counted(leastRow))
	for i := range rows {
		n := int(binary.LittleEndian.Uint16(r.take(2)))
		if r.declined = r.declined || n+4*len(rows) > len(r.src)-r.at; r.declined {
			return nil, nil
		}
		rows[i].Name = model.FastNameString(r.string(n))
	}
	t, numbers := make(boxes, len(rows)), make([]uint32, len(rows))
	for i := range rows {
		numbers[i] = r.uint32()
		rows[i].ID = numbers[i]
		t[numbers[i]] = model.String{Text: string(rows[i].Name), ID: &numbers[i]}
	}
	return rows, t
}
