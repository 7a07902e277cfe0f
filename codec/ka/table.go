package ka

import (
	"math/bits"
	"math/rand/v2"

	model "github.com/formatgauge/formatgauge/model/ka"
)

// table is the table of fast names in force, with a way to find rows by id.
type table struct {
	rows []model.FastNameEntry
	// values has, for each row, what stands for it in what is read, so that
	// all the places that use a row share it. Nil when writing.
	values []model.String
	// slots is a hash table with open addressing: a row's number from 1, or 0.
	// Nil if there are few rows.
	slots []uint32
	shift uint8
}

// fewRows are searched one by one.
const fewRows = 8

// seed keeps an input from choosing ids that all fall on one slot.
var seed = rand.Uint64() | 1

// slotCount returns how many slots an index of so many rows needs: at most
// four to a row, 0 for few rows.
func slotCount(rows int) int {
	if rows <= fewRows {
		return 0
	}
	return 1 << bits.Len(uint(2*rows-1))
}

// index fills slots, of which there are slotCount, all 0. Of several rows with
// one id it notes the last or the first.
func (t *table) index(slots []uint32, last bool) {
	if len(slots) == 0 {
		return
	}
	t.slots, t.shift = slots, uint8(64-bits.TrailingZeros(uint(len(slots))))
	for i := range t.rows {
		if at := t.slot(t.rows[i].ID); last || slots[at] == 0 {
			slots[at] = uint32(i + 1)
		}
	}
}

// slot returns the slot that an id has, or would have.
func (t *table) slot(id uint32) int {
	at := int(uint64(id) * seed >> t.shift)
	for t.slots[at] != 0 && t.rows[t.slots[at]-1].ID != id {
		at = (at + 1) & (len(t.slots) - 1)
	}
	return at
}

// find returns the row that has an id, or -1.
func (t *table) find(id uint32, last bool) int {
	switch {
	case t == nil:
		return -1
	case t.slots != nil:
		return int(t.slots[t.slot(id)]) - 1
	}
	row := -1
	for i := range t.rows {
		if t.rows[i].ID == id {
			if row = i; !last {
				break
			}
		}
	}
	return row
}

// position returns the row that a position names, or -1.
func (t *table) position(n uint32) int {
	if t == nil || uint64(n) >= uint64(len(t.rows)) {
		return -1
	}
	return int(n)
}

// row returns the row that a number stands for, or -1. isKey tells the key of
// a 0x0002 pair, which is an id under any reading.
func (c *Codec) row(t *table, n uint32, isKey bool) int {
	if c.d.byPosition && !isKey {
		return t.position(n)
	}
	return t.find(n, c.d.lastRow)
}
