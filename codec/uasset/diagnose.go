package uasset

import (
	"fmt"
	"math/bits"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// A file that is rejected at its beginning is usually a valid file of another
// kind. These functions name that kind in the detail of the error, in parentheses
// after what was found.

const thisFormat = "supported are cooked packages in one file, of Unreal Engine 4.14 and 4.15"

// diagnoseTag names the kind of a file that begins with another tag.
func diagnoseTag(tag uint32) (wire.Class, string) {
	bytes := fmt.Sprintf("expected the tag 0x%08x, found 0x%08x", uint32(model.Tag), tag)
	if tag == bits.ReverseBytes32(model.Tag) {
		return wire.Unsupported, bytes + " (a byte-swapped package, for a big-endian platform)"
	}
	return wire.Magic, bytes + " (not an Unreal package)"
}

// Versions of earlier engines, which share the tag.
const (
	lastCompactIndexVersion = 178 // the last package version of Unreal Engine 1 and 2 in the family upkg
	firstUE4Version         = -2
	firstUE5Version         = -8
	firstCacheVersion       = 3 // of AssetRegistryCache, with the tag of a package
	lastCacheVersion        = 13
)

// diagnoseVersion names the engine that writes a LegacyFileVersion.
func diagnoseVersion(v int32) string {
	found := fmt.Sprintf("expected file version %d, found %d", fileVersion, v)
	switch {
	case v <= firstUE5Version:
		found += " (a package of Unreal Engine 5 or later)"
	case v > fileVersion && v <= firstUE4Version:
		found += " (a package of an earlier Unreal Engine 4)"
	case v >= firstCacheVersion && v <= lastCacheVersion:
		found += fmt.Sprintf(" (a cache of the asset registry of Unreal Engine 4, version %d, and no package)", v)
	case v > 0 && v&0xFFFF <= lastCompactIndexVersion:
		found += fmt.Sprintf(" (a package of Unreal Engine 1 or 2, version %d, which the type upkg.Package reads)", v&0xFFFF)
	case v > 0:
		found += fmt.Sprintf(" (possibly a package of Unreal Engine 3, or of a later Unreal Engine 2, version %d)", v&0xFFFF)
	}
	return found + "; " + thisFormat
}

// diagnoseVersioned describes a version number above 0 in the summary. Cooking
// sets all of them to 0.
func diagnoseVersioned(field string, v uint32) string {
	return fmt.Sprintf("expected %s 0, found %d (a versioned package, as an editor saves it, not a cooked one)", field, v)
}

// diagnoseSize describes a NameOffset that is not the size of the summary.
func diagnoseSize(nameOffset uint32, size int, side string, is414 bool) string {
	engine := "possibly a package of an earlier engine, whose summary is shorter"
	switch {
	case is414:
		engine = "a package of Unreal Engine 4.14, which needs uasset.header-4-14=observed"
	case uint64(nameOffset) > uint64(size):
		engine = "possibly a package of a later engine, whose summary is longer"
	}
	return fmt.Sprintf("expected %d, the size of the summary%s, found %d (%s)", size, side, nameOffset, engine)
}

// Sizes per export in the export region, in bytes: an entry and an empty
// dependency array.
const (
	entrySize        = 96
	dependencySize   = 4
	entryRegion      = entrySize + dependencySize
	olderEntryRegion = 72 + dependencySize
	newerEntryRegion = 104 + dependencySize
)

// diagnoseRegion names the engine that writes an export region of size bytes
// for n exports. side is the size of an entry, and why.
func diagnoseRegion(size, n int64, side string) (wire.Class, string) {
	found := ""
	switch size {
	case n * olderEntryRegion:
		found = "72 bytes (a package of an older engine, Unreal Engine 4.12 or 4.13)"
	case n * newerEntryRegion:
		found = "104 bytes (a package of a newer engine, Unreal Engine 4.16 or later)"
	default:
		return wire.Reference, fmt.Sprintf("expected exportOffset%+d (%d bytes per export, number of exports: %d), "+
			"found exportOffset%+d", entryRegion*n, entryRegion, n, size)
	}
	return wire.Unsupported, fmt.Sprintf("expected exportOffset%+d (number of exports: %d, entries of %s), found "+
		"exportOffset%+d, so entries of %s; %s", entryRegion*n, n, side, size, found, thisFormat)
}

// diagnosePreload describes a count of preload dependencies. split says that
// the file ends with its header.
func diagnosePreload(n int32, split bool) string {
	kind := "a package for the event-driven loader"
	if split {
		kind += ", " + noObjects
	}
	return fmt.Sprintf("expected %d (no list of preload dependencies), "+
		"found a list of %d preload dependencies (%s); %s", noPreload, n, kind, thisFormat)
}

const noObjects = "split in two files, of which this one contains the header and the other, a .uexp file, the objects"

// diagnoseSplit describes a file that ends with its header.
func diagnoseSplit(headerSize uint32) string {
	return fmt.Sprintf("expected objects from offset %d, found the end of the file (a package %s); %s", headerSize,
		noObjects, thisFormat)
}
