package ka

import model "github.com/formatgauge/formatgauge/model/ka"

// table is a table of fast names with an index.
type table struct {
	rows []model.FastNameEntry
	byID map[uint32]int // the row of an id
}

// noNames is the table of what is decoded alone but needs a table.
var noNames = &table{}

// newTable returns a table. Of several rows with the same id, ka.duplicate-id
// says which one counts.
func (c *Codec) newTable(rows []model.FastNameEntry) *table {
	t := &table{rows, make(map[uint32]int, len(rows))}
	for i := range rows {
		if _, taken := t.byID[rows[i].ID]; !taken || c.d.lastRow {
			t.byID[rows[i].ID] = i
		}
	}
	return t
}

// row returns the position of the entry that a text reference selects, or -1
// (KA-V2-3). isKey reports that the reference is the key of a 0x0002 pair,
// which is an id under every side.
func (c *Codec) row(t *table, n uint32, isKey bool) int {
	switch {
	case t == nil:
	case c.d.byPosition && !isKey:
		if uint64(n) < uint64(len(t.rows)) {
			return int(n)
		}
	default:
		if row, ok := t.byID[n]; ok {
			return row
		}
	}
	return -1
}
