package upkg

import (
	"encoding/binary"
	"math"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/upkg"
)

// licensees lists the layouts that this package does not read (UPKG-PKG-10).
// The same numbers can occur in packages with the engine's own layout.
var licensees = []struct {
	firstVersion, lastVersion, first, last uint16
	game, stores                           string
}{
	{100, 100, 0, 0, "a fork of Unreal Engine", "names without a length, and a heritage in the header"},
	{100, 100, 9, 22, "Splinter Cell", "a number and counted bytes before the GUID"},
	{102, 102, 28, 28, "Splinter Cell 2", "a number and counted bytes before the GUID"},
	{100, 102, 83, math.MaxUint16, "Splinter Cell", "more fields in the header and, from licensee 85 on, names with a " +
		"length byte that does not count the NUL"},
	{117, 119, 28, 30, "Unreal Championship", "names with a length of 16 bits"},
	{119, 119, 0x9127, 0x9127, "Pariah", "names with a length of 16 bits, and the fields of an export in another order"},
	{128, 128, 32, 33, "America's Army 2", "encrypted names, and the fields of an export in another order"},
	{130, 143, 56, 59, "BioShock", "names with flags of 64 bits, and exports with further fields"},
	{141, 146, 61447, 61447, "Advent Rising", "references to packages in 16 bits and, from version 144 on, indices in 32 bits"},
	{145, 151, 0, 0, "Unreal Championship 2", "fields that no source here describes"},
	{151, 159, 1, 1, "Republic Commando", "the size and offset of an object as plain integers"},
}

// readLicensed reads a package. If that fails, and a licensee with the numbers
// in the header has a layout of its own, the error says so.
func (c *Codec) readLicensed(r *wire.Reader) (p model.Package) {
	at, src := r.Offset(), r.Unread()
	if len(src) < 8 || !c.isSignature(binary.LittleEndian.Uint32(src)) {
		return c.readPackage(r)
	}
	version, licensee := binary.LittleEndian.Uint16(src[4:]), binary.LittleEndian.Uint16(src[6:])
	for _, l := range licensees {
		if version < l.firstVersion || version > l.lastVersion || licensee < l.first || licensee > l.last {
			continue
		}
		fault := ""
		if !r.Try(func(r *wire.Reader) {
			if p = c.readPackage(r); len(p.Encodings) > 0 { // more likely another layout
				r.Fail(wire.Noncanonical, int(p.Encodings[0].Offset), "encodings[0]", "UPKG-PKG-10",
					"expected the form in which a writer encodes this index or name")
			}
			fault = r.Fault()
		}) {
			if r.Tracing() { // the spans end with the licensee
				r.Enter("header")
				r.Hex32("signature", "UPKG-HDR-2")
				r.Uint16("version", "UPKG-HDR-3")
				r.Uint16("licensee", "UPKG-HDR-1")
				r.Leave()
			}
			r.Fail(wire.Unsupported, at+6, "header.licensee", "UPKG-PKG-10",
				"expected a package in the layout of Unreal Engine, found a fault in it (%s); version %d and licensee %d "+
					"are also those of %s, which stores %s", fault, version, licensee, l.game, l.stores)
		}
		return p
	}
	return c.readPackage(r)
}
