// Package uasset reads and writes cooked, unversioned, all-in-one packages of
// Unreal Engine 4.15 and 4.14 with their textures (see [Unreal Engine 4
// uasset file]), modelled in model/uasset.
//
// A [Codec] is created once from settings. Its methods return the structures:
//
//	c := uasset.New(wire.Settings{})
//	pkg, err := c.Package().Decode(file)
//	list, err := c.In(uasset.Scope{Names: names}).PropertyList().Decode(src)
//
// The byte slices of a decoded value alias the input: payloads, bulk data, the
// data of objects and of opaque values. A change of one is a change of the
// other. Everything else may be changed in place. Appending to a list or to
// bytes changes nothing else. The texts of the name table share memory: one that
// is kept keeps all of them, unless strings.Clone copies it.
//
// A file of another kind is rejected, and the detail of the error names that
// kind.
//
// Append writes a package as it is, and rejects counts, offsets and sizes that
// contradict its contents. [Codec.Rebuild] computes them after a change.
//
// [Unreal Engine 4 uasset file]: http://wiki.xentax.com/index.php/BARBAR_BAR
package uasset

import (
	"encoding/binary"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
	"github.com/formatgauge/formatgauge/spec/ids"
)

type clauseID = ids.Clause

// Codec contains settings, with the profile resolved into plain fields. It is
// immutable and safe for concurrent use. The structures of the zero Codec are zero too.
type Codec struct {
	family   *wire.Family
	d        dialect
	elements map[string]elementType // by the inner type of an array
	structs  map[string]structKind  // by the name of the struct
	nowhere  part                   // of structures that need no package around them
}

// dialect contains the side of each switchable flag of the family. A field is
// true on the documented side.
type dialect struct {
	fixedFlags   bool // uasset.package-flags: PackageFlags is 0x80000000
	only415      bool // uasset.header-4-14: the summary has the layout of 4.15
	fixedCounts  bool // uasset.counted-parts: one generation, and no other counted part of the summary
	plainStrings bool // uasset.name-unicode: a length is a uint32 above 0
	nameIDs      bool // uasset.fname-number: names that the document calls ids have number 0
	softNulls    bool // uasset.soft-references: no table of soft package references
	wideEntries  bool // uasset.export-size: an export has 100 bytes
	wideSize     bool // uasset.tag-array-index: the size of a property is a uint64
	noGuid       bool // uasset.property-guid: the GUID byte is a null
	wordBool     bool // uasset.bool-property: a truth value is a uint16
	bytePairs    bool // uasset.byte-property: two runs of bytes with a null between them
	bareObjects  bool // uasset.object-property: no GUID byte
	elementNulls bool // uasset.array-elements: a null before each element
	structNulls  bool // uasset.struct-array-null: a null before each element and one after the last
	fontWords    bool // uasset.font-character: 20 bytes
	fontTail     bool // uasset.font-import-options: a tail follows the list
	byTypeID     bool // uasset.texture-class: an object of any class may contain a texture
	mipsBySize   bool // uasset.mip-rule: the size of a mip decides where its payload is
	countTail    bool // uasset.mip-tail: a texture ends with the count of mips and a null
	ownG8        bool // uasset.g8-layout: PF_G8 has a separate layout
}

// New returns a codec.
func New(s wire.Settings) *Codec {
	s.BigEndian = false // UA-PKG-1: always little-endian
	documented := func(id ids.Flag) bool { return s.Profile.Takes(id, ids.SideDocumented) }
	d := dialect{
		fixedFlags:   documented("uasset.package-flags"),
		only415:      documented("uasset.header-4-14"),
		fixedCounts:  documented("uasset.counted-parts"),
		plainStrings: documented("uasset.name-unicode"),
		nameIDs:      documented("uasset.fname-number"),
		softNulls:    s.Profile.Takes("uasset.soft-references", "no-table"),
		wideEntries:  documented("uasset.export-size"),
		wideSize:     documented("uasset.tag-array-index"),
		noGuid:       documented("uasset.property-guid"),
		wordBool:     documented("uasset.bool-property"),
		bytePairs:    documented("uasset.byte-property"),
		bareObjects:  documented("uasset.object-property"),
		elementNulls: documented("uasset.array-elements"),
		structNulls:  documented("uasset.struct-array-null"),
		fontWords:    documented("uasset.font-character"),
		fontTail:     documented("uasset.font-import-options"),
		byTypeID:     documented("uasset.texture-class"),
		mipsBySize:   documented("uasset.mip-rule"),
		countTail:    documented("uasset.mip-tail"),
		ownG8:        documented("uasset.g8-layout"),
	}
	c := &Codec{
		family: &wire.Family{Prefix: "uasset.", Settings: s.Citing("", "UA-PKG-24")},
		d:      d, elements: elementTypes(d), structs: structKinds(d),
	}
	c.nowhere.Codec = c
	return c
}

// Scope is the information from a package that a part of it needs when it is
// decoded or encoded alone (UA-PKG-16). Each structure documents the fields that
// it uses.
type Scope struct {
	// Names is the texts of the name table.
	Names []string
	// Offset is the offset of the first byte of the part in the package.
	Offset uint32
	// Class is the name of the class of an object, or empty.
	Class string
	// Format and Slices are the pixel format and NumSlices of the texture of a
	// mip. Width and Height are the size of the mip in pixels.
	Format        model.PixelFormat
	Slices        uint32
	Width, Height uint32
}

// A part is a package or a part of one, while it is read or written.
type part struct {
	*Codec
	names   names
	base    int64     // the offset in the package at which the input begins
	outside *payloads // the mips whose payloads are in the bulk data; nil for a part alone
	resize  bool      // a writer computes the sizes in inner tags, and does not check them
}

// A Part returns the structures that depend on the package around them. Like a
// [Codec] it is immutable and safe for concurrent use.
type Part struct {
	part
	family *wire.Family
	class  string
	level  level
}

// In returns the structures of a codec in a package.
func (c *Codec) In(s Scope) *Part {
	entries := make([]model.NameEntry, len(s.Names))
	for i, text := range s.Names {
		entries[i].Name.Text = text
	}
	p := &Part{
		part:  part{Codec: c, names: names{entries: entries}, base: int64(s.Offset)},
		class: s.Class, level: level{s.Format, s.Slices, s.Width, s.Height},
	}
	if f := c.family; f != nil {
		p.family = &wire.Family{Prefix: f.Prefix, Settings: f.Settings}
	}
	return p
}

// constant reads or writes four bytes that have one valid value.
func constant(f wire.Fields, value uint32, class wire.Class, field string, clause clauseID, what string) {
	v := value
	if f.Uint32(&v, field, clause); v != value {
		f.Fail(class, 4, field, clause, "expected %d (%s), found %d", value, what, v)
	}
}

// null reads or writes a byte that must be 0.
func null(f wire.Fields, field string, clause clauseID) {
	v := uint8(0)
	if f.Uint8(&v, field, clause); v != 0 {
		f.Fail(wire.Value, 1, field, clause, "expected a byte with the value 0, found %d", v)
	}
}

// rest reads the remaining bytes or writes bytes. The result is nil after a fault only.
func rest(f wire.Fields, b []byte, field string, clause clauseID) []byte {
	n := 0
	if f.R != nil {
		n = f.R.Remaining()
	}
	return rawBytes(f, b, n, field, clause)
}

// rawBytes reads n bytes or writes bytes. The result is nil after a fault only.
func rawBytes(f wire.Fields, b []byte, n int, field string, clause clauseID) []byte {
	if f.W != nil {
		f.W.Bytes(b)
		return b
	}
	b = f.R.Bytes(n, field, clause)
	if b == nil && !f.R.Failed() {
		return []byte{}
	}
	return b
}

// rows reads n rows, or writes those that are given.
func rows[T any](f wire.Fields, name string, vs []T, n int, body func(wire.Fields, T) T) []T {
	f.Enter(name)
	defer f.Leave()
	if f.W != nil {
		wire.WriteEach(f.W, vs, func(w *wire.Writer, v *T) { body(wire.Fields{W: w}, *v) })
		return vs
	}
	return wire.ReadEach(f.R, n, func(r *wire.Reader, v *T) { *v = body(wire.Fields{R: r}, *v) })
}

// patch32 overwrites four bytes at an offset that was written before.
func patch32(w *wire.Writer, at int, v uint32) {
	if !w.Failed() {
		binary.LittleEndian.PutUint32(w.Written()[at:], v)
	}
}
