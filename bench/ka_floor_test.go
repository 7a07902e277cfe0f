package bench

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// Lower bounds for the time to encode a tree of this model: walking the tree, and
// walking it and writing its bytes with the shortest code, without checks.

// walkArchive returns a function that does the work of any encoder before it
// writes: it visits each pair and determines the type of its value.
func walkArchive(tb testing.TB, src []byte) func() {
	a, err := ka.New(wire.Settings{}).Archive().Decode(src)
	if err != nil {
		tb.Fatal(err)
	}
	return func() { sink += uint64(walkPairs(a.Children)) }
}

func walkPairs(pairs []model.Pair) (n int) {
	for i := range pairs {
		if k, ok := pairs[i].Key.(model.String); ok {
			n += len(k.Text)
		}
		n += walkValue(pairs[i].Value)
	}
	return n
}

func walkValue(v model.Value) (n int) {
	switch v := v.(type) {
	case model.String:
		return len(v.Text)
	case model.Int32:
		return int(v)
	case model.Uint32:
		return int(v)
	case model.Float:
		return int(v)
	case model.Boolean:
		return int(v)
	case model.Uint8:
		return int(v)
	case model.Int64:
		return int(v)
	case model.Uint64:
		return int(v)
	case model.Float64:
		return int(v)
	case model.ByteArray:
		return len(v)
	case model.Vector3:
		return int(v.X)
	case model.Vector4:
		return int(v.X)
	case model.AABBox3:
		return int(v.Minimum.X)
	case model.KeyedArchive:
		return walkPairs(v.Children)
	case model.Array:
		for _, x := range v {
			n += walkValue(x)
		}
	}
	return n
}

// writeArchive returns a function that encodes a 0x0001 archive into a buffer of
// sufficient size. It does not check limits, ids or lengths, and supports only
// the types of values that the tree contains.
func writeArchive(tb testing.TB, src []byte) func() {
	a, err := ka.New(wire.Settings{}).Archive().Decode(src)
	if err != nil {
		tb.Fatal(err)
	}
	dst := make([]byte, len(src))
	write := func() {
		at := copy(dst, "KA\x01\x00")
		binary.LittleEndian.PutUint32(dst[at:], uint32(len(a.Children)))
		writePairs(dst, at+4, a.Children)
	}
	if write(); !bytes.Equal(dst, src) {
		tb.Fatal("it writes something else")
	}
	return write
}

func writePairs(dst []byte, at int, pairs []model.Pair) int {
	for i := range pairs {
		at = writeText(dst, at, pairs[i].Key.(model.String).Text)
		at = writeValue(dst, at, pairs[i].Value)
	}
	return at
}

func writeText(dst []byte, at int, text string) int {
	at = writeWord(dst, at, model.TypeString, uint32(len(text)))
	return at + copy(dst[at:], text)
}

func writeWord(dst []byte, at int, t model.Type, v uint32) int {
	dst[at] = byte(t)
	binary.LittleEndian.PutUint32(dst[at+1:], v)
	return at + 5
}

func writeLong(dst []byte, at int, t model.Type, v uint64) int {
	dst[at] = byte(t)
	binary.LittleEndian.PutUint64(dst[at+1:], v)
	return at + 9
}

func writeByte(dst []byte, at int, t model.Type, v byte) int {
	dst[at], dst[at+1] = byte(t), v
	return at + 2
}

func writeFloats(dst []byte, at int, t model.Type, x, y, z float32) int {
	d := (*[13]byte)(dst[at:])
	d[0] = byte(t)
	binary.LittleEndian.PutUint32(d[1:], math.Float32bits(x))
	binary.LittleEndian.PutUint32(d[5:], math.Float32bits(y))
	binary.LittleEndian.PutUint32(d[9:], math.Float32bits(z))
	return at + 13
}

func writeFloat(dst []byte, at int, x float32) int {
	binary.LittleEndian.PutUint32(dst[at:], math.Float32bits(x))
	return at + 4
}

func writeValue(dst []byte, at int, v model.Value) int {
	switch v := v.(type) {
	case model.String:
		return writeText(dst, at, v.Text)
	case model.Int32:
		return writeWord(dst, at, model.TypeInt32, uint32(v))
	case model.Uint32:
		return writeWord(dst, at, model.TypeUint32, uint32(v))
	case model.Float:
		return writeWord(dst, at, model.TypeFloat, math.Float32bits(float32(v)))
	case model.Boolean:
		return writeByte(dst, at, model.TypeBoolean, byte(v))
	case model.Uint8:
		return writeByte(dst, at, model.TypeUint8, byte(v))
	case model.Int64:
		return writeLong(dst, at, model.TypeInt64, uint64(v))
	case model.Uint64:
		return writeLong(dst, at, model.TypeUint64, uint64(v))
	case model.Float64:
		return writeLong(dst, at, model.TypeFloat64, math.Float64bits(float64(v)))
	case model.ByteArray:
		at = writeWord(dst, at, model.TypeByteArray, uint32(len(v)))
		return at + copy(dst[at:], v)
	case model.Vector3:
		return writeFloats(dst, at, model.TypeVector3, v.X, v.Y, v.Z)
	case model.Vector4:
		return writeFloat(dst, writeFloats(dst, at, model.TypeVector4, v.X, v.Y, v.Z), v.W)
	case model.AABBox3:
		at = writeFloats(dst, at, model.TypeAABBox3, v.Minimum.X, v.Minimum.Y, v.Minimum.Z)
		return writeFloat(dst, writeFloat(dst, writeFloat(dst, at, v.Maximum.X), v.Maximum.Y), v.Maximum.Z)
	case model.KeyedArchive:
		d := (*[13]byte)(dst[at:])
		*d = [13]byte{byte(model.TypeKeyedArchive), 5: 'K', 6: 'A', 7: byte(v.Version)}
		binary.LittleEndian.PutUint32(d[9:], uint32(len(v.Children)))
		end := writePairs(dst, at+13, v.Children)
		binary.LittleEndian.PutUint32(d[1:], uint32(end-at-5))
		return end
	case model.Array:
		at = writeWord(dst, at, model.TypeArray, uint32(len(v)))
		for _, x := range v {
			at = writeValue(dst, at, x)
		}
		return at
	}
	panic("the tree has no such value")
}
