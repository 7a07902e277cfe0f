// Package ka reads and writes the DAVA Keyed Archive (document 002), modelled
// in model/ka.
//
// A [Codec] is made once from settings; its methods return the structures:
//
//	c := ka.New(wire.Settings{})
//	archive, err := c.Archive().Decode(src)
//	dst, err = c.Archive().Append(dst, archive)
//
// What is read shares memory: texts, ids and the values behind interfaces lie
// side by side in a few blocks, and byte arrays alias the input. Nothing of it
// may be changed in place; strings.Clone what is to outlive the rest.
package ka

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Codec holds settings with the profile resolved into plain fields. It is
// immutable and safe for concurrent use.
type Codec struct {
	s wire.Settings
	d dialect
}

// dialect is the side taken at each switchable flag of the family.
type dialect struct {
	untagged       bool      // ka.magic: no tag before the version
	headerless     bool      // ka.magic: data without the tag are pairs
	wideKeys       bool      // ka.key-type
	duplicates     duplicate // ka.duplicate-key
	countStops     bool      // ka.count-past-end
	scope          scoping   // ka.registry-scope
	byPosition     bool      // ka.fastname-id: numbers but the keys of 0x0002 count rows
	lastRow        bool      // ka.duplicate-id
	unknownRefused bool      // ka.unknown-id
	unit           wideUnit  // ka.wide-unit
	shortTypes     bool      // ka.types-26-28-30: there are none
	none           bool      // ka.none: the type may stand
	boolean        boolean   // ka.bool
	bareNested     bool      // ka.nested-length: no length before a nested archive
	mismatch       mismatch  // ka.nested-length-mismatch
	noColor        bool      // ka.color: its layout is unknown
	rotationSecond bool      // ka.transform-order

	// Which types of text are numbers, from ka.fastname-v1, ka.string-v2,
	// ka.wide-v2 and ka.filepath-v2.
	plain numbered // in 0x0001 and header-less archives
	top   numbered // in 0x0002
	sub   numbered // in 0x0102
}

// duplicate says which pairs with one key are kept.
type duplicate uint8

const (
	keepAll duplicate = iota
	keepLast
	keepFirst
)

// scoping says what a 0x0001 or header-less archive below a table does.
type scoping uint8

const (
	scopeEnds    scoping = iota // no table is in force in it
	scopePasses                 // the table stays in force, texts stand in place
	scopeInherit                // it follows the rules of 0x0102
)

// wideUnit says what the length of a WIDE_STRING counts.
type wideUnit uint8

const (
	fourBytes wideUnit = iota // units of UTF-32
	twoBytes                  // units of UTF-16
	bytesOf16                 // bytes, two for each unit of UTF-16
)

// size returns the bytes of a unit.
func (u wideUnit) size() int {
	if u == fourBytes {
		return 4
	}
	return 2
}

// boolean says what a byte other than 0 and 1 is.
type boolean uint8

const (
	boolKept boolean = iota
	boolRefused
	boolNonzero // anything but 0 is 1
	boolOne     // anything but 1 is 0
)

// mismatch says what becomes of a nested archive that does not fill its length.
type mismatch uint8

const (
	mismatchRefused mismatch = iota
	mismatchSliced           // what is left of the length is skipped
	mismatchIgnored          // the length bounds nothing
)

// numbered has bit t set if a number stands in place of a text of type t.
type numbered uint32

// numberedElement stands for a STRING inside an array.
const numberedElement numbered = 1 << 31

func bit(t model.Type) numbered { return 1 << t }

func (n numbered) has(t model.Type) bool { return n>>t&1 != 0 }

// inArray gives the rules for the elements of an array.
func (n numbered) inArray() numbered {
	if n&numberedElement != 0 {
		return n | bit(model.TypeString)
	}
	return n &^ bit(model.TypeString)
}

// scope is what decides how a text is spelled.
type scope struct {
	table *table // in force; nil if there is none
	numbered
}

func (s scope) inArray() scope { return scope{s.table, s.numbered.inArray()} }

// New returns a codec.
func New(s wire.Settings) *Codec {
	p := s.Profile
	s.BigEndian = false // KA-ARC-2: always little-endian
	documented := func(f ids.Flag) bool { return p.Takes(f, ids.SideDocumented) }
	d := dialect{
		untagged:       documented(flagMagic),
		headerless:     p.Takes(flagMagic, "headerless"),
		wideKeys:       !documented(flagKeyType),
		countStops:     p.Takes(flagCountPastEnd, "stop"),
		byPosition:     documented(flagFastNameID),
		lastRow:        !documented(flagDuplicateID),
		unknownRefused: documented(flagUnknownID),
		shortTypes:     documented(flagTypes),
		none:           documented(flagNone),
		bareNested:     documented(flagNestedLength),
		noColor:        documented(flagColor),
		rotationSecond: p.Takes(flagTransformOrder, "rotation-second"),
	}
	switch {
	case p.Takes(flagDuplicateKey, "last"):
		d.duplicates = keepLast
	case p.Takes(flagDuplicateKey, "first"):
		d.duplicates = keepFirst
	}
	switch {
	case documented(flagRegistryScope):
		d.scope = scopePasses
	case p.Takes(flagRegistryScope, "inherit"):
		d.scope = scopeInherit
	}
	switch {
	case documented(flagWideUnit):
		d.unit = twoBytes
	case p.Takes(flagWideUnit, "bytes"):
		d.unit = bytesOf16
	}
	switch {
	case documented(flagBool):
		d.boolean = boolRefused
	case p.Takes(flagBool, "nonzero"):
		d.boolean = boolNonzero
	case p.Takes(flagBool, "one"):
		d.boolean = boolOne
	}
	switch {
	case p.Takes(flagLengthMismatch, "slice"):
		d.mismatch = mismatchSliced
	case p.Takes(flagLengthMismatch, "ignore"):
		d.mismatch = mismatchIgnored
	}
	if documented(flagFastNameV1) {
		d.plain = bit(model.TypeFastName)
	}
	d.top = bit(model.TypeFastName)
	if !documented(flagStringV2) {
		d.top |= bit(model.TypeString) | numberedElement
	}
	if !documented(flagWideV2) {
		d.top |= bit(model.TypeWideString)
	}
	if !documented(flagFilePathV2) {
		d.top |= bit(model.TypeFilePath)
	}
	d.sub = d.top | bit(model.TypeString) // KA-P102-2
	return &Codec{s: s, d: d}
}

// alone is the scope of a value or a body that is decoded by itself (KA-VAL-2).
func (c *Codec) alone() scope { return scope{nil, c.d.plain} }

// scopeOf returns the scope inside an archive that lies in the scope of a
// table: of its own table, if it is of version 0x0002.
func (c *Codec) scopeOf(v model.Version, t *table) scope {
	switch {
	case v == model.V0x0002:
		return scope{t, c.d.top}
	case v == model.V0x0102 || c.d.scope == scopeInherit && t != nil:
		return scope{t, c.d.sub}
	case c.d.scope == scopePasses:
		return scope{t, c.d.plain}
	}
	return scope{nil, c.d.plain}
}

// bounded reports whether a byte length tells where a nested archive ends.
func (c *Codec) bounded() bool { return !c.d.bareNested && c.d.mismatch != mismatchIgnored }

// acceptsType reports whether a type id exists, with the clause that decides
// it.
func (c *Codec) acceptsType(t model.Type) (bool, clauseID) {
	if !t.Valid() {
		return false, clauseNoType
	}
	switch ids.Flag(model.Types()[t].Flag) {
	case flagNone:
		return c.d.none, clauseNone
	case flagTypes:
		return !c.d.shortTypes, clauseTypes
	}
	return true, ""
}

func structure[T any](c *Codec, name string, least int, read func(*wire.Reader) T, write func(*wire.Writer, T)) wire.Structure[T] {
	return wire.New("ka."+name, least, c.s, read, write)
}
