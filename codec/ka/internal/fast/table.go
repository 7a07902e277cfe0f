//go:build !purego

package fast

import (
	"math/bits"
	"math/rand/v2"

	model "github.com/formatgauge/formatgauge/model/ka"
)

// table is a table of fast names with an index by id: a hash table with open
// addressing.
type table struct {
	rows  []model.FastNameEntry
	texts []model.String // one per row, shared by its references; only when reading
	slots []slot
	shift uint8
}

// slot contains a row's id and its position plus 1; 0 in an empty slot.
type slot struct{ id, row uint32 }

// seed prevents an input from choosing ids that collide.
var seed = rand.Uint64() | 1

// slotCount returns a power of two, so that at most four fifths of the slots
// are used.
func slotCount(rows int) int { return 1 << bits.Len(uint(rows+rows/4)) }

// index fills slots, slotCount of them, all empty. Of rows with the same id the
// last counts.
func (t *table) index(slots []slot) {
	t.slots, t.shift = slots, uint8(64-bits.TrailingZeros(uint(len(slots))))
	for i := range t.rows {
		*t.slot(t.rows[i].ID) = slot{t.rows[i].ID, uint32(i + 1)}
	}
}

// slot returns the slot of an id; an empty one if no row has it.
func (t *table) slot(id uint32) *slot {
	for at := uint64(id) * seed >> t.shift; ; at++ {
		if s := &t.slots[at&uint64(len(t.slots)-1)]; s.id == id || s.row == 0 {
			return s
		}
	}
}

// has reports whether the table has a text for its id.
func (t *table) has(x *model.String) bool {
	if x.ID == nil {
		return false
	}
	row := t.slot(*x.ID).row
	return row > 0 && string(t.rows[row-1].Name) == x.Text
}
