package ka

import (
	"math"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// None has no bytes (KA-NONE-1).
func (c *Codec) None() wire.Structure[model.None] {
	return structure(c, "ka.None", 0,
		func(*wire.Reader) model.None { return model.None{} },
		func(*wire.Writer, model.None) {})
}

// Boolean is one byte; ka.bool decides what a byte other than 0 and 1 means.
func (c *Codec) Boolean() wire.Structure[model.Boolean] {
	return structure(c, "ka.Boolean", 1, c.readBoolean, c.writeBoolean)
}

func (c *Codec) readBoolean(r *wire.Reader) model.Boolean {
	v := model.Boolean(r.Uint8("", clauseOf(model.TypeBoolean)))
	if v <= 1 {
		return v
	}
	switch c.d.boolean {
	case boolRejected:
		r.Fail(wire.Value, r.Offset()-1, "", clauseOf(model.TypeBoolean), "expected 0 or 1, found %d", v)
	case boolNonzero:
		return 1
	case boolOne:
		return 0
	}
	return v
}

func (c *Codec) writeBoolean(w *wire.Writer, v model.Boolean) {
	if v > 1 && c.d.boolean != boolKept {
		w.Fail("", clauseOf(model.TypeBoolean), "expected 0 or 1, found %d", v)
	}
	w.Uint8(uint8(v))
}

// Int8 is one byte.
func (c *Codec) Int8() wire.Structure[model.Int8] {
	return structure(c, "ka.Int8", 1, readInt8, func(w *wire.Writer, v model.Int8) { w.Uint8(uint8(v)) })
}

func readInt8(r *wire.Reader) model.Int8 {
	v := model.Int8(r.Uint8("", clauseOf(model.TypeInt8)))
	if r.Tracing() {
		r.Note("%d", v)
	}
	return v
}

// Uint8 is one byte.
func (c *Codec) Uint8() wire.Structure[model.Uint8] {
	return structure(c, "ka.Uint8", 1, readUint8, func(w *wire.Writer, v model.Uint8) { w.Uint8(uint8(v)) })
}

func readUint8(r *wire.Reader) model.Uint8 {
	return model.Uint8(r.Uint8("", clauseOf(model.TypeUint8)))
}

// Int16 is two bytes.
func (c *Codec) Int16() wire.Structure[model.Int16] {
	return structure(c, "ka.Int16", 2, readInt16, func(w *wire.Writer, v model.Int16) { w.Uint16(uint16(v)) })
}

func readInt16(r *wire.Reader) model.Int16 {
	v := model.Int16(r.Uint16("", clauseOf(model.TypeInt16)))
	if r.Tracing() {
		r.Note("%d", v)
	}
	return v
}

// Uint16 is two bytes.
func (c *Codec) Uint16() wire.Structure[model.Uint16] {
	return structure(c, "ka.Uint16", 2, readUint16, func(w *wire.Writer, v model.Uint16) { w.Uint16(uint16(v)) })
}

func readUint16(r *wire.Reader) model.Uint16 {
	return model.Uint16(r.Uint16("", clauseOf(model.TypeUint16)))
}

// Int32 is four bytes.
func (c *Codec) Int32() wire.Structure[model.Int32] {
	return structure(c, "ka.Int32", 4, readInt32, func(w *wire.Writer, v model.Int32) { w.Int32(int32(v)) })
}

func readInt32(r *wire.Reader) model.Int32 {
	return model.Int32(r.Int32("", clauseOf(model.TypeInt32)))
}

// Uint32 is four bytes.
func (c *Codec) Uint32() wire.Structure[model.Uint32] {
	return structure(c, "ka.Uint32", 4, readUint32, func(w *wire.Writer, v model.Uint32) { w.Uint32(uint32(v)) })
}

func readUint32(r *wire.Reader) model.Uint32 {
	return model.Uint32(r.Uint32("", clauseOf(model.TypeUint32)))
}

// Int64 is eight bytes.
func (c *Codec) Int64() wire.Structure[model.Int64] {
	return structure(c, "ka.Int64", 8, readInt64, func(w *wire.Writer, v model.Int64) { w.Int64(int64(v)) })
}

func readInt64(r *wire.Reader) model.Int64 {
	return model.Int64(r.Int64("", clauseOf(model.TypeInt64)))
}

// Uint64 is eight bytes.
func (c *Codec) Uint64() wire.Structure[model.Uint64] {
	return structure(c, "ka.Uint64", 8, readUint64, func(w *wire.Writer, v model.Uint64) { w.Uint64(uint64(v)) })
}

func readUint64(r *wire.Reader) model.Uint64 {
	return model.Uint64(r.Uint64("", clauseOf(model.TypeUint64)))
}

// Float is four bytes, every bit kept.
func (c *Codec) Float() wire.Structure[model.Float] {
	return structure(c, "ka.Float", 4, readFloat, writeFloat)
}

func readFloat(r *wire.Reader) model.Float {
	return model.Float(r.Float32("", clauseOf(model.TypeFloat)))
}

func writeFloat(w *wire.Writer, v model.Float) { w.Float32(float32(v)) }

// Float64 is eight bytes, every bit kept.
func (c *Codec) Float64() wire.Structure[model.Float64] {
	return structure(c, "ka.Float64", 8, readFloat64, writeFloat64)
}

func readFloat64(r *wire.Reader) model.Float64 {
	return model.Float64(r.Float64("", clauseOf(model.TypeFloat64)))
}

func writeFloat64(w *wire.Writer, v model.Float64) { w.Float64(float64(v)) }

// ByteArray is a length and that many bytes. A decoded value aliases the input.
func (c *Codec) ByteArray() wire.Structure[model.ByteArray] {
	return structure(c, "ka.ByteArray", 4, readByteArray, writeByteArray)
}

func readByteArray(r *wire.Reader) model.ByteArray {
	n := readLength(r, 1, clauseOf(model.TypeByteArray))
	return model.ByteArray(r.Bytes(n, "bytes", clauseOf(model.TypeByteArray)))
}

func writeByteArray(w *wire.Writer, v model.ByteArray) {
	w.Uint32(w.Len(len(v), "length", clauseOf(model.TypeByteArray)))
	w.Bytes(v)
}

// readLength reads a length that counts units of a size in bytes, and returns the
// size of all of them. The input must have that many.
func readLength(r *wire.Reader, unit int, clause clauseID) int {
	at := r.Offset()
	return r.Length(uint64(r.Uint32("length", clause)), unit, at, "length", clauseCount)
}

// patchLength sets a length, whose four bytes are at an offset, to the number
// of bytes written after it.
func patchLength(w *wire.Writer, at int, clause clauseID) {
	n := w.Offset() - at - 4
	if uint64(n) > math.MaxUint32 {
		w.Fail("length", clause, "expected at most 4294967295 bytes, found %d", n)
	}
	putUint32(w, at, uint32(n))
}
