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
	// slots is a hash table of the rows with open addressing. Nil if there are
	// few rows.
	slots []slot
	shift uint8
	// unique tells that slots is there and no two rows have one id.
	unique bool
	// hint is where the id of row 0 would lie, if the ids lay side by side as
	// reading leaves them: a guess, so that the row of an id can be guessed
	// from its address. Only when writing.
	hint uintptr
}

// slot holds a row's id and number, counted from 1; 0 if it is empty.
type slot struct{ id, row uint32 }

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
func (t *table) index(slots []slot, last bool) {
	if len(slots) == 0 {
		return
	}
	t.slots, t.shift, t.unique = slots, uint8(64-bits.TrailingZeros(uint(len(slots)))), true
	for i := range t.rows {
		id := t.rows[i].ID
		at := t.slot(id)
		t.unique = t.unique && at.row == 0
		if last || at.row == 0 {
			*at = slot{id, uint32(i + 1)}
		}
	}
}

// slot returns the slot that an id has, or would have.
func (t *table) slot(id uint32) *slot {
	mask := uint64(len(t.slots) - 1)
	at := uint64(id) * seed >> t.shift
	for {
		s := &t.slots[at&mask]
		if s.id == id || s.row == 0 {
			return s
		}
		at++
	}
}

// find returns the row that has an id, or -1.
func (t *table) find(id uint32, last bool) int {
	switch {
	case t == nil:
		return -1
	case t.slots != nil:
		return int(t.slot(id).row) - 1
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
