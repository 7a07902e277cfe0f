// Package uasset reads and writes cooked, unversioned, all-in-one packages of
// Unreal Engine 4.15 and 4.14 with their textures (document 003), modelled in
// model/uasset.
//
// A [Codec] is made once from settings; its methods return the structures:
//
//	c := uasset.New(wire.Settings{})
//	pkg, err := c.Package().Decode(file)
//	list, err := c.PropertyList(uasset.Scope{Names: names}).Decode(src)
//
// Whatever is kept as bytes aliases the input: the payloads of mips, bulk
// data, the data of objects, opaque properties and structs. A file that is no
// such package is refused with what it is instead in the error's detail.
//
// Append writes a package as it is and refuses one whose counts, offsets and
// sizes do not fit; [Codec.Rebuild] works them out after a change.
package uasset

import (
	"encoding/binary"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Codec holds settings with the profile resolved into plain fields. It is
// immutable and safe for concurrent use.
type Codec struct {
	s wire.Settings
	d dialect
}

// dialect is the side taken at each switchable flag of the family: every
// field is a documented reading.
type dialect struct {
	fixedFlags   bool // uasset.package-flags: 0x80000000 and nothing else
	only415      bool // uasset.header-4-14: 193 bytes
	plainStrings bool // uasset.name-unicode: a length is a uint32 above 0
	nameIDs      bool // uasset.fname-number: names that the document calls ids have no number
	wideEntries  bool // uasset.export-size: 100 bytes for each export
	wideSize     bool // uasset.tag-array-index: the size of a property is a uint64
	noGuid       bool // uasset.property-guid: the GUID byte is a null
	wordBool     bool // uasset.bool-property: a uint16
	bytePairs    bool // uasset.byte-property: two runs with a null between
	bareObjects  bool // uasset.object-property: no GUID byte
	elementNulls bool // uasset.array-elements: a null before each element
	structNulls  bool // uasset.struct-array-null: a null before each element and one behind the last
	fontWords    bool // uasset.font-character: 20 bytes
	fontTail     bool // uasset.font-import-options: it takes what follows
	mipsBySize   bool // uasset.mip-rule: the size of a mip tells where its payload is
	countTail    bool // uasset.mip-tail: the count of mips and a null end a texture
	ownG8        bool // uasset.g8-layout: PF_G8 has a layout of its own
}

// New returns a codec.
func New(s wire.Settings) *Codec {
	s.BigEndian = false // UA-PKG-1: always little-endian
	documented := func(id ids.Flag) bool { return s.Profile.Takes(id, ids.SideDocumented) }
	return &Codec{s: s, d: dialect{
		fixedFlags:   documented(flagPackageFlags),
		only415:      documented(flagHeader414),
		plainStrings: documented(flagNameUnicode),
		nameIDs:      documented(flagNameNumber),
		wideEntries:  documented(flagExportSize),
		wideSize:     documented(flagTagArrayIndex),
		noGuid:       documented(flagPropertyGuid),
		wordBool:     documented(flagBoolProperty),
		bytePairs:    documented(flagByteProperty),
		bareObjects:  documented(flagObjectProperty),
		elementNulls: documented(flagArrayElements),
		structNulls:  documented(flagStructArrayNull),
		fontWords:    documented(flagFontCharacter),
		fontTail:     documented(flagFontImportOptions),
		mipsBySize:   documented(flagMipRule),
		countTail:    documented(flagMipTail),
		ownG8:        documented(flagG8Layout),
	}}
}

// Scope is what the package around a part tells it (UA-PKG-16). Parts say
// which fields they look at; the zero value serves wherever nothing depends
// on it.
type Scope struct {
	// Names holds the texts of the name table.
	Names []string
	// Offset is the absolute position of the part's first byte.
	Offset uint32
	// Class is the name of an object's class, if it has one.
	Class string
	// Format, Slices, Width and Height are what a texture says of one of its
	// mips: NumSlices, and the pixels of this level. No Slices mean one.
	Format        model.PixelFormat
	Slices        uint32
	Width, Height uint32
}

// part is one package, or a part of one, being read or written.
type part struct {
	*Codec
	names   names
	base    int64     // the absolute position of offset 0
	outside *payloads // collects the mips at the end of the file; nil if nobody asks
}

func (c *Codec) part(s Scope) *part {
	return &part{Codec: c, names: newNames(s.Names), base: int64(s.Offset)}
}

func structure[T any](c *Codec, name string, least int, read func(*wire.Reader) T, write func(*wire.Writer, T)) wire.Structure[T] {
	return wire.New("uasset."+name, least, c.s, read, write)
}

// want reads four bytes that can hold one value only.
func want(r *wire.Reader, value uint32, class wire.Class, field string, clause clauseID, otherwise string) {
	at := r.Offset()
	if v := r.Uint32(field, clause); v != value {
		r.Fail(class, at, field, clause, "%d: %s", v, otherwise)
	}
}

// readNull reads a byte that must be 0.
func readNull(r *wire.Reader, field string, clause clauseID) {
	at := r.Offset()
	if v := r.Uint8(field, clause); v != 0 {
		r.Fail(wire.Value, at, field, clause, "%d where the document has a null", v)
	}
}

func readGuid(r *wire.Reader, field string, clause clauseID) (g model.Guid) {
	copy(g[:], r.Bytes(len(g), field, clause))
	return g
}

// rest reads what is left, which is never nil.
func rest(r *wire.Reader, field string, clause clauseID) []byte {
	return kept(r, r.Remaining(), field, clause)
}

// kept reads n bytes, which are never nil unless reading fails.
func kept(r *wire.Reader, n int, field string, clause clauseID) []byte {
	b := r.Bytes(n, field, clause)
	if b == nil && !r.Failed() {
		return []byte{}
	}
	return b
}

// patch32 overwrites four bytes written before.
func patch32(w *wire.Writer, at int, v uint32) {
	if !w.Failed() {
		binary.LittleEndian.PutUint32(w.Written()[at:], v)
	}
}
