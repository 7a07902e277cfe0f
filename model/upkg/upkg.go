// Package upkg models the data types of Unreal Engine 1 and 2 packages
// (see [Data Details]). As an extension it models the package tables, which none of
// the documents describes.
//
// [Data Details]: https://wiki.beyondunreal.com/Legacy:Package_File_Format/Data_Details
package upkg

import "fmt"

// Integer is an integer type that a package stores, always little-endian.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// CompactIndex is a signed integer stored in one to five bytes. Engines keep
// it in 32 bits. The document's prose allows a magnitude of 35 bits.
type CompactIndex int64

// Name is a simple string. No document states the character set of Text, which
// does not include the terminator. If Wide is set, Text is WTF-8.
type Name struct {
	Text string
	Wide bool // stored as UTF-16LE, with a negative length
}

// Table is the table that an [ObjectReference] points into.
type Table uint8

const (
	// Null is the table of a reference to nothing.
	Null Table = iota
	// Import is the import table.
	Import
	// Export is the export table.
	Export
)

var tableNames = [...]string{"null", "import", "export"}

// String returns the name of the table.
func (t Table) String() string {
	if int(t) < len(tableNames) {
		return tableNames[t]
	}
	return fmt.Sprintf("Table(%d)", uint8(t))
}

// MarshalText returns the name of the table.
func (t Table) MarshalText() ([]byte, error) {
	if int(t) >= len(tableNames) {
		return nil, fmt.Errorf("upkg: no table %d: expected one from 0 to %d", uint8(t), len(tableNames)-1)
	}
	return []byte(tableNames[t]), nil
}

// UnmarshalText reads the name of a table.
func (t *Table) UnmarshalText(b []byte) error {
	for i, name := range tableNames {
		if name == string(b) {
			*t = Table(i)
			return nil
		}
	}
	return fmt.Errorf("upkg: no table %q: expected one of %q", b, tableNames)
}

// ObjectReference points to an entry of a table, or to nothing. Entry counts
// from 0. It is 0 for a null reference.
type ObjectReference struct {
	Table Table
	Entry uint64
}

// Value returns the number that stores the reference: 0 for null, Entry+1 for
// an export, the bitwise complement of Entry for an import.
func (r ObjectReference) Value() int64 {
	switch r.Table {
	case Import:
		return ^int64(r.Entry)
	case Export:
		return int64(r.Entry) + 1
	}
	return 0
}

// ReferenceTo returns the reference that a number stores.
func ReferenceTo(value int64) ObjectReference {
	switch {
	case value < 0:
		return ObjectReference{Import, uint64(^value)}
	case value > 0:
		return ObjectReference{Export, uint64(value - 1)}
	}
	return ObjectReference{}
}
