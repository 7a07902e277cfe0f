package uasset

import (
	"fmt"
	"math/bits"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// A file that is refused near its beginning is usually a sound file of
// another kind. What follows says which, and how that was seen.

const thisFormat = "this reads cooked all-in-one packages of Unreal Engine 4.14 and 4.15"

// notThisTag tells what a file with another tag is.
func notThisTag(tag uint32) (wire.Class, string) {
	if tag == bits.ReverseBytes32(model.Tag) {
		return wire.Unsupported, "a byte-swapped package, cooked for a big-endian platform: its tag stands in reverse"
	}
	return wire.Magic, "not an Unreal package: it does not begin with c1832a9e"
}

// Versions of earlier engines, which share the tag.
const (
	lastCompactIndexVersion = 178 // the last package version of Unreal Engine 1 and 2 in the family upkg
	firstUE4Version         = -2
	firstUE5Version         = -8
)

// notThisVersion tells which engine writes a LegacyFileVersion.
func notThisVersion(v int32) string {
	switch {
	case v <= firstUE5Version:
		return fmt.Sprintf("a package of Unreal Engine 5 or later: its file version is %d, not %d; %s", v, fileVersion, thisFormat)
	case v > fileVersion && v <= firstUE4Version:
		return fmt.Sprintf("a package of an earlier Unreal Engine 4: its file version is %d, not %d; %s", v, fileVersion, thisFormat)
	case v > 0 && v&0xFFFF <= lastCompactIndexVersion:
		return fmt.Sprintf("a package of Unreal Engine 1 or 2: its version is %d; see upkg.Package", v&0xFFFF)
	case v > 0:
		return fmt.Sprintf("a package of Unreal Engine 3: its version is %d; %s", v&0xFFFF, thisFormat)
	}
	return fmt.Sprintf("the file version is %d, not %d; %s", v, fileVersion, thisFormat)
}

// versioned tells what a version number in the header means: cooking leaves
// all of them out.
func versioned(field string, v uint32) string {
	return fmt.Sprintf("a versioned package, as an editor saves it, not a cooked one: %s is %d, not 0", field, v)
}

// notThisSummary tells what a header of another size means.
func notThisSummary(nameOffset uint32, only415 bool) string {
	if only415 && nameOffset == summarySize414 {
		return fmt.Sprintf("the header of Unreal Engine 4.14, of %d bytes; the document has %d", nameOffset, summarySize415)
	}
	engine := "another engine"
	switch {
	case nameOffset < summarySize414:
		engine = "an earlier engine, whose header is shorter"
	case nameOffset > summarySize415:
		engine = "a later engine, whose header is longer"
	}
	return fmt.Sprintf("the names begin at %d, where the header ends at %d in Unreal Engine 4.15 and at %d in 4.14: perhaps a package of %s", nameOffset, summarySize415, summarySize414, engine)
}

// Bytes in the export region for each export: an entry and an empty
// dependency array.
const (
	entrySize        = 96
	dependencySize   = 4
	entryRegion      = entrySize + dependencySize
	olderEntryRegion = 72 + dependencySize
	newerEntryRegion = 104 + dependencySize
)

// otherEngine tells who writes an export region of so many bytes for n exports.
func otherEngine(size, n int64) (wire.Class, string) {
	switch size {
	case n * olderEntryRegion:
		return wire.Unsupported, fmt.Sprintf("a package of an older engine, Unreal Engine 4.12 or 4.13: its %d exports take 72 bytes each, not %d; %s", n, entrySize, thisFormat)
	case n * newerEntryRegion:
		return wire.Unsupported, fmt.Sprintf("a package of a newer engine, Unreal Engine 4.16 or later: its %d exports take 104 bytes each, not %d; %s", n, entrySize, thisFormat)
	}
	return wire.Reference, fmt.Sprintf("the export region of %d bytes is not %d for each of %d exports", size, entryRegion, n)
}

// eventDriven tells what a count of preload dependencies means.
func eventDriven(n int32) string {
	return fmt.Sprintf("a package for the event-driven loader: it has a table of %d preload dependencies, where %d stands for none; %s", n, noPreload, thisFormat)
}

const missingHalf = "the file ends with its header, and the objects stand in a .uexp file beside it"

// split tells what is missing when the objects are.
func split(headerSize uint32) string {
	return fmt.Sprintf("the first half of a package split in two: %s, from %d on; %s", missingHalf, headerSize, thisFormat)
}
