package wire

import "fmt"

// An Inconsistency is a part of a value that could be read, but does not fit to the rest.
type Inconsistency struct {
	Path   string `json:"path"`   // to the part, such as exports[3].class
	Detail string `json:"detail"` // what it is, and what it should fit to
}

// String returns path and detail.
func (i Inconsistency) String() string { return i.Path + ": " + i.Detail }

// Outside returns the inconsistency of a reference to entry i of a table of n entries.
func Outside(path, table string, i int64, n int) Inconsistency {
	entries := "entries"
	if n == 1 {
		entries = "entry"
	}
	return Inconsistency{path, fmt.Sprintf("refers to %s %d, counted from 0, and the table has %d %s", table, i, n, entries)}
}
