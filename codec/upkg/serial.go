package upkg

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/upkg"
)

// A serialRule says for which sizes of an object its offset is stored.
type serialRule uint8

const (
	offsetIfPositive    serialRule = iota // a size below 0 is rejected
	offsetIfNotNegative                   // also for size 0
	offsetIfNonzero                       // also for sizes below 0
	offsetAlways
)

func (s serialRule) valid(size model.CompactIndex) bool { return s != offsetIfPositive || size >= 0 }

// hasOffset reports whether an offset follows a size.
func (s serialRule) hasOffset(size model.CompactIndex) bool {
	return size > 0 || size == 0 && s == offsetIfNotNegative || size < 0 && s == offsetIfNonzero || s == offsetAlways
}

// readSerial reads the size and offset of an object.
func (t *rows) readSerial(r *wire.Reader, e *model.ExportEntry) {
	at := r.Offset()
	e.SerialSize = model.CompactIndex(t.readIndex(r, "serialSize", "UPKG-EXP-1"))
	if !t.d.serial.valid(e.SerialSize) {
		r.Fail(wire.Value, at, "serialSize", "UPKG-EXP-4", "expected a size of at least 0 (upkg.serial-offset=positive), found %d",
			e.SerialSize)
	}
	if t.d.serial.hasOffset(e.SerialSize) {
		e.SerialOffset = t.newIndex(t.exports)
		*e.SerialOffset = model.CompactIndex(t.readIndex(r, "serialOffset", "UPKG-EXP-3"))
	}
}

// checkSerial reports whether the size and offset of an object can be written.
func (c *Codec) checkSerial(w *wire.Writer, e *model.ExportEntry) bool {
	if !c.d.serial.valid(e.SerialSize) {
		w.Fail("serialSize", "UPKG-EXP-6", "expected a size of at least 0 (upkg.serial-offset=positive), found %d",
			e.SerialSize)
		return false
	}
	want := c.d.serial.hasOffset(e.SerialSize)
	if want != (e.SerialOffset != nil) {
		clause := clauseID("UPKG-EXP-7")
		if want {
			clause = "UPKG-EXP-5"
		}
		w.Fail("serialOffset", clause, "expected an offset to be %s after a size of %d (upkg.serial-offset), found it %s", presence(want),
			e.SerialSize, presence(!want))
		return false
	}
	return true
}
