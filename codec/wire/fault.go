package wire

import "fmt"

// A Fault is a part of a value that could be read, but does not fit to the rest.
type Fault struct {
	Path   string `json:"path"`   // to the part, such as exports[3].class
	Detail string `json:"detail"` // what it is, and what it should fit to
}

// String returns path and detail.
func (f Fault) String() string { return f.Path + ": " + f.Detail }

// Outside returns the fault of a reference to entry i of a table of n entries.
func Outside(path, table string, i int64, n int) Fault {
	entries := "entries"
	if n == 1 {
		entries = "entry"
	}
	return Fault{path, fmt.Sprintf("refers to %s %d, counted from 0, and the table has %d %s", table, i, n, entries)}
}
