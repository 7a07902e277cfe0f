package wire

// A Rebuilt says what Rebuild of a family has done with the parts of a package. The
// lists contain paths, such as names or objects[3]. A new part is in none of them.
type Rebuilt struct {
	Moved  []string // parts with another offset than before
	Stayed []string // parts with their old offset
	// Unread are objects with data that may contain offsets which are wrong now.
	Unread   []string
	Warnings []string // what else may matter, for people
}

// PlaceTable adds a table that has rows before and after, with its counts and offsets.
func (b *Rebuilt) PlaceTable(path string, oldCount, count, from, to uint32) {
	if oldCount > 0 && count > 0 {
		b.Place(path, int64(from), int64(to))
	}
}

// Place adds a part with its offsets before and after.
func (b *Rebuilt) Place(path string, from, to int64) {
	if from == to {
		b.Stayed = append(b.Stayed, path)
	} else {
		b.Moved = append(b.Moved, path)
	}
}
