// Package ka reads and writes the DAVA Keyed Archive (see [KA format]),
// modelled in model/ka.
//
// A [Codec] is made once from settings; its methods return the structures:
//
//	c := ka.New(wire.Settings{})
//	archive, err := c.Archive().Decode(src)
//	dst, err = c.Archive().Append(dst, archive)
//
// The caller may change a decoded archive in place: assign a [Pair], its key or
// value, an element of an [Array] or an entry of FastNames, and append to each of
// these slices. That never changes another archive, nor another part of this
// one. Three things need care:
//
//   - The bytes of a [ByteArray] are bytes of the input. A change of one is a
//     change of the other. Assign a new ByteArray instead.
//   - Texts with the same number may share its memory. Assign a new ID instead of
//     writing to *ID.
//   - A [KeyedArchive] in an interface is a copy of a slice: assign the archive
//     again after its Children were extended.
//
// Texts are copies: they never change, also if the input does. The values of one
// archive lie in a few blocks of memory, so a small part that is kept keeps much
// more: use strings.Clone and bytes.Clone.
//
// This package describes how an archive is read and written under every
// profile. Under the observed profile and without a limit of counts, shortcutReader and
// shortcutWriter take most archives before, with the same results.
//
// [KA format]: https://github.com/Pyogenics/WOTBSCPGFormat/wiki/KA-format
package ka

import (
	"fmt"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/spec/ids"
)

type clauseID = ids.Clause

// A Codec reads and writes keyed archives under one profile. It is immutable and safe
// for concurrent use. The structures of the zero Codec are zero too, and its other
// methods return errors.
type Codec struct {
	family *wire.Family
	d      dialect
	value  wire.Structure[model.Value] // for shortcutReader and shortcutWriter
	levels int                         // that shortcutReader and shortcutWriter enter; 0 for other dialects than that of real files
}

// dialect is the profile, resolved to one field per switchable flag.
type dialect struct {
	untagged       bool      // ka.magic: no tag before the version
	headerless     bool      // ka.magic: data without the tag are a header-less archive
	tagIgnored     bool      // ka.version-tag: version byte 1 may be followed by any tag byte
	wideKeys       bool      // ka.key-type
	duplicates     duplicate // ka.duplicate-key
	countStops     bool      // ka.count-past-end
	scope          scoping   // ka.registry-scope
	byPosition     bool      // ka.fastname-id: numbers are positions, except the keys of 0x0002
	lastRow        bool      // ka.duplicate-id
	rejectsUnknown bool      // ka.unknown-id
	unit           wideUnit  // ka.wide-unit
	shortTypes     bool      // ka.types-26-28-30: these types do not exist
	none           bool      // ka.none: the type exists
	boolean        boolean   // ka.bool
	bareNested     bool      // ka.nested-length: no length before a nested archive
	mismatch       mismatch  // ka.nested-length-mismatch
	faultsIgnored  bool      // ka.nested-fault: a fault within a length ends that archive only
	noColor        bool      // ka.color: its layout is unknown
	rotationSecond bool      // ka.transform-order

	// The types of text that are text references, from ka.fastname-v1, ka.string-v2,
	// ka.wide-v2 and ka.filepath-v2.
	plain references // in 0x0001 and header-less archives
	top   references // in 0x0002
	sub   references // in 0x0102
}

// duplicate selects which pairs with equal keys are kept.
type duplicate uint8

const (
	keepAll duplicate = iota
	keepLast
	keepFirst
)

// scoping selects what happens to the table in force in a 0x0001 or
// header-less archive.
type scoping uint8

const (
	scopeEnds    scoping = iota // no table is in force in it
	scopePasses                 // the table stays in force, text is inline
	scopeInherit                // it follows the rules of 0x0102
)

// wideUnit selects what the length of a WIDE_STRING counts.
type wideUnit uint8

const (
	fourBytes wideUnit = iota // units of UTF-32
	twoBytes                  // units of UTF-16
	bytesOf16                 // bytes, two per unit of UTF-16
)

// size returns the size of a unit in bytes.
func (u wideUnit) size() int {
	if u == fourBytes {
		return 4
	}
	return 2
}

var wideSides = [...]string{"under ka.wide-unit=observed", "under ka.wide-unit=utf16", "under ka.wide-unit=bytes"}

// boolean selects what a byte other than 0 and 1 means.
type boolean uint8

const (
	boolKept boolean = iota
	boolRejected
	boolNonzero // anything but 0 is 1
	boolOne     // anything but 1 is 0
)

// mismatch selects what happens to a nested archive that does not fill its
// length.
type mismatch uint8

const (
	mismatchRejected mismatch = iota
	mismatchSliced            // unread bytes within the length are skipped
	mismatchIgnored           // the length bounds nothing
)

// references has bit t set if text of type t is a text reference (KA-V2-3).
type references uint32

// referenceElement is the bit for a STRING in an array.
const referenceElement references = 1 << 31

func bit(t model.Type) references { return 1 << t }

func (r references) has(t model.Type) bool { return r>>t&1 != 0 }

// inArray returns the rules for the elements of an array.
func (r references) inArray() references {
	if r&referenceElement != 0 {
		return r | bit(model.TypeString)
	}
	return r &^ bit(model.TypeString)
}

// A form is what tells the bodies of the versions with pairs from each other.
type form struct {
	version model.Version
	count   clauseID // of the count of pairs; empty if there is none
	fits    clauseID // of a count that exceeds the data
	key     clauseID // of a key that is an id; empty if keys are text
	least   int      // the size of a pair in bytes
}

// forms are the forms of these bodies, by version.
var forms = map[model.Version]*form{
	model.Headerless: {version: model.Headerless, least: leastPlainPair},
	model.V0x0001:    {model.V0x0001, "KA-V1-1", "KA-V1-2", "", leastPlainPair},
	model.V0x0002:    {model.V0x0002, "KA-V2-1", "KA-V2-2", "KA-P2-1", leastPair},
	model.V0x0102:    {model.V0x0102, "KA-V102-1", "KA-V102-1", "KA-P102-1", leastPair},
}

var plainForm = forms[model.V0x0001]

// tabled reports whether keys are ids.
func (f *form) tabled() bool { return f.key != "" }

// scope is the form of a body. It decides whether text in it is inline or a reference, and to
// which table.
type scope struct {
	*form
	table *table // in force; nil if there is none
	references
}

func (s scope) inArray() scope { return scope{s.form, s.table, s.references.inArray()} }

// New returns a codec. The byte order of the settings is ignored: archives are
// little-endian (KA-ARC-2).
func New(s wire.Settings) *Codec {
	s.BigEndian = false
	return bind(s.Citing("KA-ARC-3", "KA-ARC-3"), resolve(s.Profile))
}

// bind returns the codec of a dialect.
func bind(s wire.Settings, d dialect) *Codec {
	c := &Codec{family: &wire.Family{Prefix: "ka.", Settings: s}, d: d}
	if d == realFiles && s.Limits.MaxCount == 0 {
		c.value = c.Value()
		c.levels = s.Limits.Depth()
	}
	return c
}

var errZero = &wire.Error{
	Type: "ka.Codec", Class: wire.Unsupported, Detail: "expected a codec that New returns, found the zero Codec",
}

// realFiles is the dialect that shortcutReader and shortcutWriter know.
var realFiles = resolve(ids.Observed())

// resolve looks every flag up.
func resolve(p ids.Profile) dialect {
	documented := func(f ids.Flag) bool { return p.Takes(f, ids.SideDocumented) }
	d := dialect{
		untagged:       documented("ka.magic"),
		headerless:     p.Takes("ka.magic", "headerless"),
		tagIgnored:     p.Takes("ka.version-tag", "ignored"),
		wideKeys:       !documented("ka.key-type"),
		countStops:     p.Takes("ka.count-past-end", "stop"),
		byPosition:     documented("ka.fastname-id"),
		lastRow:        !p.Takes("ka.duplicate-id", "first"),
		rejectsUnknown: documented("ka.unknown-id"),
		shortTypes:     documented("ka.types-26-28-30"),
		none:           documented("ka.none"),
		bareNested:     documented("ka.nested-length"),
		faultsIgnored:  p.Takes("ka.nested-fault", "ignored"),
		noColor:        documented("ka.color"),
		rotationSecond: p.Takes("ka.transform-order", "rotation-second"),
		duplicates:     ids.Rule[duplicate]{"last": keepLast, "first": keepFirst}.Of(p, "ka.duplicate-key"),
		scope:          ids.Rule[scoping]{"documented": scopePasses, "inherit": scopeInherit}.Of(p, "ka.registry-scope"),
		unit:           ids.Rule[wideUnit]{"utf16": twoBytes, "bytes": bytesOf16}.Of(p, "ka.wide-unit"),
		boolean:        ids.Rule[boolean]{"zero-one": boolRejected, "nonzero": boolNonzero, "one": boolOne}.Of(p, "ka.bool"),
		mismatch: ids.Rule[mismatch]{
			"slice": mismatchSliced, "ignore": mismatchIgnored,
		}.Of(p, "ka.nested-length-mismatch"),
	}
	if documented("ka.fastname-v1") {
		d.plain = bit(model.TypeFastName)
	}
	d.top = bit(model.TypeFastName)
	if !documented("ka.string-v2") {
		d.top |= bit(model.TypeString) | referenceElement
	}
	if !documented("ka.wide-v2") {
		d.top |= bit(model.TypeWideString)
	}
	if !documented("ka.filepath-v2") {
		d.top |= bit(model.TypeFilePath)
	}
	d.sub = d.top | bit(model.TypeString) // KA-P102-2
	return d
}

// alone is the scope of a value or body that is decoded alone (KA-VAL-2).
func (c *Codec) alone() scope { return scope{plainForm, nil, c.d.plain} }

// scopeOf returns the scope inside an archive of version v. t is the table in
// force around it or, in version 0x0002, its own.
func (c *Codec) scopeOf(v model.Version, t *table) scope {
	f := forms[v]
	switch {
	case v == model.V0x0002:
		return scope{f, t, c.d.top}
	case v == model.V0x0102 || c.d.scope == scopeInherit && t != nil:
		return scope{f, t, c.d.sub}
	case c.d.scope == scopePasses:
		return scope{f, t, c.d.plain}
	}
	return scope{f, nil, c.d.plain}
}

// bounded reports whether a length in bytes bounds a nested archive.
func (c *Codec) bounded() bool { return !c.d.bareNested && c.d.mismatch != mismatchIgnored }

// typeFault returns why a type id does not exist and the clause that says so;
// "" for a type that exists.
func (c *Codec) typeFault(t model.Type) (string, clauseID) {
	if !t.Valid() {
		return fmt.Sprintf("expected a type id of at most %d, found %d", len(rows)-1, uint8(t)), "KA-VH-3"
	}
	switch flag := rows[t].flag; {
	case flag == "":
	case flag == "ka.none" && !c.d.none:
		return fmt.Sprintf("expected a type id that exists under %s=observed, found %d (%s)", flag, uint8(t), t), "KA-NONE-2"
	case flag == "ka.types-26-28-30" && c.d.shortTypes:
		return fmt.Sprintf("expected a type id that exists under %s=documented, found %d (%s)", flag, uint8(t), t), "KA-VH-2"
	}
	return "", ""
}
