package ka

import (
	"math/bits"
	"math/rand/v2"

	model "github.com/formatgauge/formatgauge/model/ka"
)

// table is a table of fast names with an index by id.
type table struct {
	rows []model.FastNameEntry
	// values has one decoded text per entry, which all its references share.
	// Nil when writing.
	values []model.String
	// slots is a hash table of the rows with open addressing. Nil for few rows.
	slots []slot
	shift uint8
	// unique reports that slots is not nil and no two rows have the same id.
	unique bool
	// hint is the address of the id of row 0 if the ids are consecutive in
	// memory, as reading leaves them. Only when writing.
	hint uintptr
}

// slot contains a row's id and its position plus 1; 0 in an empty slot.
type slot struct{ id, row uint32 }

// fewRows are searched one by one.
const fewRows = 8

// seed prevents an input from choosing ids that collide.
var seed = rand.Uint64() | 1

// slotCount returns the number of slots for an index of rows: at most four per
// row, 0 for few rows.
func slotCount(rows int) int {
	if rows <= fewRows {
		return 0
	}
	return 1 << bits.Len(uint(2*rows-1))
}

// index fills slots: slotCount of them, all 0. Of several rows with the same
// id it takes the last or the first.
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

// slot returns the slot of an id; an empty one if the table does not have it.
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

// find returns the position of the row with an id, or -1.
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

// position returns n if the table has a row at that position, otherwise -1.
func (t *table) position(n uint32) int {
	if t == nil || uint64(n) >= uint64(len(t.rows)) {
		return -1
	}
	return int(n)
}

// row returns the position of the entry that a text reference selects, or -1
// (KA-V2-3). isKey reports that the reference is the key of a 0x0002 pair,
// which is an id under every side.
func (c *Codec) row(t *table, n uint32, isKey bool) int {
	if c.d.byPosition && !isKey {
		return t.position(n)
	}
	return t.find(n, c.d.lastRow)
}
