// Package ka models the DAVA Keyed Archive (document 002): a tree of pairs of
// a key and a typed value.
//
// The types are plain data under the document's names, without its prefixes
// KA and KAValueBodyType. All numbers are little-endian in a file. Text is
// kept as the bytes that were stored, in no stated character set (engines
// write UTF-8); wide text is kept as WTF-8.
package ka

import "fmt"

// Version is the field of the header that decides what a body holds. Engines
// read it as a byte with the version and a byte with a tag (KA-HDR-3).
type Version uint16

const (
	// Headerless is the version of an archive without a header, of a still
	// older form: pairs up to the end of the data (KA-ARC-5).
	Headerless Version = 0
	// V0x0001 is a plain archive: every text stands where it is used.
	V0x0001 Version = 0x0001
	// V0x0002 carries a table of fast names for itself and its descendants.
	V0x0002 Version = 0x0002
	// V0x0102 uses the table of the 0x0002 archive that it descends from.
	V0x0102 Version = 0x0102
	// V0xff02 is the empty archive.
	V0xff02 Version = 0xff02
)

// Versions lists every version in ascending order.
func Versions() []Version { return []Version{Headerless, V0x0001, V0x0002, V0x0102, V0xff02} }

func (v Version) String() string {
	if v == Headerless {
		return "none"
	}
	return fmt.Sprintf("0x%04x", uint16(v))
}

// Valid reports whether the version is one of [Versions].
func (v Version) Valid() bool {
	switch v {
	case Headerless, V0x0001, V0x0002, V0x0102, V0xff02:
		return true
	}
	return false
}

// MarshalText gives the version as the document writes it, or "none".
func (v Version) MarshalText() ([]byte, error) {
	if !v.Valid() {
		return nil, fmt.Errorf("ka: no version %#04x", uint16(v))
	}
	return []byte(v.String()), nil
}

// UnmarshalText reads what [Version.MarshalText] gives.
func (v *Version) UnmarshalText(b []byte) error {
	for _, known := range Versions() {
		if known.String() == string(b) {
			*v = known
			return nil
		}
	}
	return fmt.Errorf("ka: no version %q", b)
}

// Archive is a keyed archive, the document's KA: header and body in one.
type Archive struct {
	Version Version
	// FastNames is the table of a 0x0002 archive in file order, empty if it
	// has no rows. It is nil in every other version.
	FastNames []FastNameEntry
	// Children are the pairs in file order; keys may repeat. A 0xff02 archive
	// has none. Never nil.
	Children []Pair
}

// Header is the header of an archive. Its version is never [Headerless].
type Header struct{ Version Version }

// BodyV0x0001 follows a header of version 0x0001. At most 2^32-1 children.
type BodyV0x0001 struct{ Children []Pair }

// BodyV0x0002 follows a header of version 0x0002. At most 2^32-1 fast names
// and 2^32-1 children. Neither slice is nil.
type BodyV0x0002 struct {
	FastNames []FastNameEntry
	Children  []Pair
}

// BodyV0x0102 follows a header of version 0x0102. Standing alone it is read
// and written with an empty table of fast names (KA-V102-3).
type BodyV0x0102 struct{ Children []Pair }

// BodyV0xff02 follows a header of version 0xff02: nothing.
type BodyV0xff02 struct{}

// FastNameString is one string of the table of fast names. At most 65,535
// bytes, no terminator.
type FastNameString string

// FastNameEntry is one row of the table of fast names. In a file all names
// stand first, then all ids in the same order. Both may repeat.
type FastNameEntry struct {
	// ID is usually a hash of the name (KA-CAN-1), to a reader any number.
	ID   uint32
	Name FastNameString
}

// Pair is a child of an archive: a key with its value.
type Pair struct {
	// Key is a [String], or a [WideString] in the versions without a table
	// of fast names where ka.key-type admits it. In versions 0x0002 and
	// 0x0102 it is a String with an id.
	Key   Value
	Value Value
}

// BodyV0x0002Pair is a [Pair] as it stands in a 0x0002 archive. Standing
// alone it is read and written with an empty table of fast names.
type BodyV0x0002Pair Pair

// BodyV0x0102Pair is a [Pair] as it stands in a 0x0102 archive. Standing
// alone it is read and written with an empty table of fast names.
type BodyV0x0102Pair Pair
