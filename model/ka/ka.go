// Package ka models the DAVA Keyed Archive (see [KA format]): a tree of pairs
// of a key and a typed value.
//
// The types are plain data under the document's names, without its prefixes
// KA and KAValueBodyType. All numbers are little-endian in a file. Text is
// kept as the bytes of the file, whose character set is not specified (engines
// write UTF-8); wide text is kept as WTF-8.
//
// [KA format]: https://github.com/Pyogenics/WOTBSCPGFormat/wiki/KA-format
package ka

import "fmt"

// Version is the field of the header that decides what a body holds. Engines
// read it as a byte with the version and a byte with a tag (KA-HDR-3).
type Version uint16

const (
	// Headerless is the version of an archive in an older form without a
	// header: pairs up to the end of the data (KA-ARC-5).
	Headerless Version = 0
	// V0x0001 is an archive in which all text is inline.
	V0x0001 Version = 0x0001
	// V0x0002 contains a table of fast names for itself and its descendants.
	V0x0002 Version = 0x0002
	// V0x0102 uses the table of the nearest 0x0002 archive around it.
	V0x0102 Version = 0x0102
	// V0xff02 is the empty archive.
	V0xff02 Version = 0xff02
)

// Versions lists every version in ascending order.
func Versions() []Version { return []Version{Headerless, V0x0001, V0x0002, V0x0102, V0xff02} }

// String returns the version in hex, or none.
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

// MarshalText returns the version as the document writes it, or "none". It
// fails if the version does not exist.
func (v Version) MarshalText() ([]byte, error) {
	if !v.Valid() {
		return nil, fmt.Errorf("ka: version %#04x does not exist", uint16(v))
	}
	return []byte(v.String()), nil
}

// UnmarshalText sets the version from the text that [Version.MarshalText]
// returns.
func (v *Version) UnmarshalText(b []byte) error {
	for _, known := range Versions() {
		if known.String() == string(b) {
			*v = known
			return nil
		}
	}
	return fmt.Errorf("ka: version %q does not exist", b)
}

// Archive is a keyed archive, the document's KA: header and body in one.
type Archive struct {
	Version Version
	// FastNames is the table of a 0x0002 archive in file order, empty if it
	// has no rows. It is nil in every other version.
	FastNames []FastNameEntry `tree:"null"`
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

// BodyV0x0102 follows a header of version 0x0102. Alone it is read and written
// with an empty table of fast names (KA-V102-3).
type BodyV0x0102 struct{ Children []Pair }

// BodyV0xff02 follows a header of version 0xff02. It has no bytes.
type BodyV0xff02 struct{}

// FastNameString is one string of the table of fast names. At most 65,535
// bytes, no terminator.
type FastNameString string

// FastNameEntry is one entry of the table of fast names. In a file all names
// precede all ids, in the same order. Both may repeat.
type FastNameEntry struct {
	// ID is usually a hash of the name (KA-CAN-1); readers accept any number.
	ID   uint32
	Name FastNameString
}

// Pair is a child of an archive: a key and a value.
type Pair struct {
	// Key is a [String] or, in archives without a table of fast names and if
	// ka.key-type allows it, a [WideString]. In versions 0x0002 and 0x0102 it
	// is a String with an id.
	Key   Value
	Value Value
}

// BodyV0x0002Pair is a [Pair] of a 0x0002 archive. Alone it is read and written
// with an empty table of fast names (KA-P2-3).
type BodyV0x0002Pair Pair

// BodyV0x0102Pair is a [Pair] of a 0x0102 archive. Alone it is read and written
// with an empty table of fast names.
type BodyV0x0102Pair Pair
