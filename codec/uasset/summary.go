package uasset

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

const (
	// The sizes of a summary with one generation and no other counted part.
	summarySize415 = 193
	summarySize414 = 189 // without SearchableNamesOffset

	// The offsets of the count of generations.
	atGenerations415 = 109
	atGenerations414 = 105

	fileVersion = -7         // LegacyFileVersion; the document's 6 is its bitwise complement
	cookedFlags = 0x80000000 // the document's 128
	noPreload   = -1         // PreloadDependencyCount without the event-driven loader
	folderName  = none + "\x00"
)

// Offsets of fields that are compared with other parts of the package.
const (
	atTotalHeaderSize = 24
	atNameCount       = 41
	atNameOffset      = 45
	atExportCount     = 57
	atExportOffset    = 61
	atImportCount     = 65
	atImportOffset    = 69
	atSoftCount       = 77
	atSoftOffset      = 81
)

const generationSize = 8

// The offsets of the last fields depend on the size of the summary, NameOffset.

func atRegistryOffset(s *model.Summary) int { return int(s.NameOffset) - 28 - 4*len(s.ChunkIDs) }
func atBulkDataStart(s *model.Summary) int  { return int(s.NameOffset) - 24 - 4*len(s.ChunkIDs) }

// Summary is the header.
func (c *Codec) Summary() wire.Structure[model.Summary] {
	return wire.Keep(c.family, wire.Key{Name: "Summary"}, func() wire.Description[model.Summary] {
		d := wire.Describe(c.family, "Summary", summarySize414-generationSize,
			func(r *wire.Reader) (s model.Summary) {
				c.header(wire.Fields{R: r}, &s, false)
				return s
			},
			func(w *wire.Writer, s model.Summary) { c.header(wire.Fields{W: w}, &s, false) })
		d.Settings = d.Settings.Citing("", "UA-SUM-16")
		return d
	})
}

// header is [Codec.summary] with what a package needs: a value to write is checked first, and
// faults of a reader cite UA-SUM-16. whole says that the input is a whole package.
func (c *Codec) header(f wire.Fields, s *model.Summary, whole bool) {
	if f.W != nil {
		c.writeSummary(f.W, *s)
		return
	}
	defer f.R.Cite(f.R.Cite("UA-SUM-16"))
	*s = c.summary(f, *s, whole)
}

// summary reads or writes the fields of the header. The flags aside, a value to write has no faults.
func (c *Codec) summary(f wire.Fields, s model.Summary, whole bool) model.Summary {
	versions(f)
	f.Uint32(&s.TotalHeaderSize, "totalHeaderSize", "UA-SUM-4")
	split := whole && uint64(f.R.Len()) == uint64(s.TotalHeaderSize)
	folder(f)
	f.Hex32(&s.PackageFlags, "packageFlags", "UA-SUM-6")
	if c.d.fixedFlags && s.PackageFlags != cookedFlags {
		f.Fail(wire.Value, 4, "packageFlags", "UA-SUM-6", "expected 0x%08x, the flags of a cooked package under "+
			"uasset.package-flags=documented, found 0x%08x", uint32(cookedFlags), s.PackageFlags)
	}
	f.Uint32(&s.NameCount, "nameCount", "UA-SUM-7")
	f.Uint32(&s.NameOffset, "nameOffset", "UA-SUM-7")
	if f.R != nil && c.is415(f.R, s.NameOffset) {
		s.SearchableNamesOffset = new(uint32)
	}
	constant(f, 0, wire.Unsupported, "gatherableTextDataCount", "UA-SUM-8", "no gatherable text data")
	f.Uint32(&s.GatherableTextDataOffset, "gatherableTextDataOffset", "UA-SUM-8")
	f.Uint32(&s.ExportCount, "exportCount", "UA-SUM-8")
	f.Uint32(&s.ExportOffset, "exportOffset", "UA-SUM-8")
	f.Uint32(&s.ImportCount, "importCount", "UA-SUM-8")
	f.Uint32(&s.ImportOffset, "importOffset", "UA-SUM-8")
	f.Uint32(&s.DependsOffset, "dependsOffset", "UA-SUM-9")
	f.Uint32(&s.SoftPackageReferencesCount, "softPackageReferencesCount", "UA-SUM-9")
	f.Uint32(&s.SoftPackageReferencesOffset, "softPackageReferencesOffset", "UA-SUM-9")
	if c.hasReferences(&s) {
		c.checkRegion(f.R, &s, split)
	}
	if s.SearchableNamesOffset != nil {
		f.Uint32(s.SearchableNamesOffset, "searchableNamesOffset", "UA-SUM-9")
	}
	f.Uint32(&s.ThumbnailTableOffset, "thumbnailTableOffset", "UA-SUM-9")
	f.Bytes(s.PackageGuid[:], "packageGuid", "UA-SUM-10")
	s.Generations = list(c, f, s.Generations, generation,
		countedPart{1, generationSize, "generationCount", "generations", "UA-SUM-10", "one generation"})
	s.SavedByEngineVersion = wire.In(f, "savedByEngineVersion", s.SavedByEngineVersion, c.engineVersion)
	s.CompatibleWithEngineVersion = wire.In(f, "compatibleWithEngineVersion", s.CompatibleWithEngineVersion,
		c.engineVersion)
	f.Uint32(&s.CompressionFlags, "compressionFlags", "UA-SUM-11")
	constant(f, 0, wire.Unsupported, "compressedChunkCount", "UA-SUM-11", "no compressed chunks")
	f.Hex32(&s.PackageSource, "packageSource", "UA-SUM-12")
	s.AdditionalPackagesToCook = list(c, f, s.AdditionalPackagesToCook, c.fstring, countedPart{
		0, minStringSize, "additionalPackagesToCookCount", "additionalPackagesToCook", "UA-SUM-12",
		"no additional packages to cook",
	})
	f.Uint32(&s.AssetRegistryDataOffset, "assetRegistryDataOffset", "UA-SUM-13")
	if !c.hasReferences(&s) {
		c.checkRegion(f.R, &s, split)
	}
	f.Int64(&s.BulkDataStartOffset, "bulkDataStartOffset", "UA-SUM-14")
	f.Uint32(&s.WorldTileInfoDataOffset, "worldTileInfoDataOffset", "UA-SUM-14")
	s.ChunkIDs = list(c, f, s.ChunkIDs, chunkID,
		countedPart{0, 4, "chunkIDCount", "chunkIDs", "UA-SUM-14", "no chunk ids"})
	preload := int32(noPreload)
	if f.Int32(&preload, "preloadDependencyCount", "UA-SUM-15"); preload != noPreload {
		f.Fail(wire.Unsupported, 4, "preloadDependencyCount", "UA-SUM-15", "%s",
			diagnosePreload(preload, split))
	}
	f.Uint32(&s.PreloadDependencyOffset, "preloadDependencyOffset", "UA-SUM-15")
	if f.R != nil && uint64(f.R.Offset()) != uint64(s.NameOffset) {
		rejectSize(f.R, s.NameOffset, f.R.Offset(), "", false)
	}
	return s
}

// rejectSize rejects a NameOffset that is not the size of the summary.
func rejectSize(r *wire.Reader, nameOffset uint32, size int, side string, is414 bool) {
	r.Fail(wire.Reference, atNameOffset, "nameOffset", "UA-SUM-20", "%s", diagnoseSize(nameOffset, size, side, is414))
}

// is415 reports whether a summary of a size has the layout of 4.15 (UA-SUM-7). The reader
// is after NameOffset.
func (c *Codec) is415(r *wire.Reader, nameOffset uint32) bool {
	if c.d.fixedCounts {
		if nameOffset != summarySize415 && (c.d.only415 || nameOffset != summarySize414) {
			rejectSize(r, nameOffset, summarySize415, " under uasset.counted-parts=documented", nameOffset == summarySize414)
		}
		return nameOffset == summarySize415
	}
	fits, cut := measure(r.Unread(), r.Offset(), atGenerations415, nameOffset)
	if fits {
		return true
	}
	fits414, cut414 := measure(r.Unread(), r.Offset(), atGenerations414, nameOffset)
	switch {
	case cut || cut414 && !fits414: // bytes that are missing decide
		r.Fail(wire.Truncated, r.Len(), "", "UA-SUM-16", "expected %d bytes, the size of the summary that "+
			"nameOffset states, found an input of %d", nameOffset, r.Len())
	case fits414 && c.d.only415:
		rejectSize(r, nameOffset, int(nameOffset)+summarySize415-summarySize414, "", true)
	}
	return !fits414 && nameOffset != summarySize414 || c.d.only415
}

// measure reports whether a summary whose count of generations is at an offset has a
// size. src is its bytes from another offset on; cut is true if they end before that is
// known.
func measure(src []byte, from int, at uint64, size uint32) (fits, cut bool) {
	count := func(width uint64) (n uint32) { // steps over a count and its elements
		switch {
		case at+4 > uint64(size):
			at = math.MaxUint32 + 1 // of no size
		case at+4 > uint64(from+len(src)):
			at, cut = math.MaxUint32+1, true
		default:
			n = binary.LittleEndian.Uint32(src[at-uint64(from):])
			at += 4 + uint64(n)*width
		}
		return n
	}
	text := func() {
		if n := int64(int32(count(0))); n < 0 {
			at += 2 * uint64(-n)
		} else {
			at += uint64(n)
		}
	}
	count(generationSize)
	at += 10
	text()
	at += 10
	text()
	at += 4
	count(16) // compressed chunks
	at += 4
	for n := count(0); n > 0 && at <= uint64(size); n-- {
		text()
	}
	at += 4 + 8 + 4
	count(4)
	return at+8 == uint64(size), cut
}

// summarySize returns the size of a summary.
func summarySize(s *model.Summary) uint64 {
	size := uint64(summarySize414)
	if s.SearchableNamesOffset != nil {
		size = summarySize415
	}
	size += generationSize*uint64(len(s.Generations)) - generationSize + 4*uint64(len(s.ChunkIDs))
	for _, branch := range []*model.FString{s.SavedByEngineVersion.Branch, s.CompatibleWithEngineVersion.Branch} {
		if branch != nil {
			size += stringSize(*branch) - minStringSize
		}
	}
	for _, name := range s.AdditionalPackagesToCook {
		size += stringSize(name)
	}
	return size
}

// A countedPart is a list in the summary.
type countedPart struct {
	only   uint32 // the count without uasset.counted-parts
	least  int    // bytes of an element
	count  string
	field  string
	clause clauseID
	what   string // of the count only
}

// list reads or writes a counted part. No elements are nil.
func list[T any](c *Codec, f wire.Fields, vs []T, body func(wire.Fields, T) T, p countedPart) []T {
	n := uint32(len(vs))
	if f.Uint32(&n, p.count, p.clause); c.d.fixedCounts && n != p.only {
		f.Fail(wire.Unsupported, 4, p.count, p.clause, "expected %d (%s under uasset.counted-parts=documented), found %d",
			p.only, p.what, n)
	}
	if f.R != nil && !c.d.fixedCounts { // the fields of a single element follow like others
		n = uint32(f.R.Count(n, p.least, 4, p.count, p.clause))
	}
	return rows(f, p.field, vs, int(n), body)
}

func chunkID(f wire.Fields, v int32) int32 { return wire.Integer(f, 4, v, "UA-SUM-14") }

func generation(f wire.Fields, v model.Generation) model.Generation {
	f.Uint32(&v.ExportCount, "exportCount", "UA-SUM-10")
	f.Uint32(&v.NameCount, "nameCount", "UA-SUM-10")
	return v
}

// versions reads or writes the tag and the versions, which identify the format.
func versions(f wire.Fields) {
	tag := uint32(model.Tag)
	if f.Uint32(&tag, "tag", "UA-SUM-1"); tag != model.Tag {
		class, detail := diagnoseTag(tag)
		f.Fail(class, 4, "tag", "UA-SUM-1", "%s", detail)
	}
	if f.R != nil {
		f.R.Note("%08x", uint32(model.Tag))
	}
	version := int32(fileVersion)
	if f.Int32(&version, "legacyFileVersion", "UA-SUM-2"); version != fileVersion {
		f.Fail(wire.Version, 4, "legacyFileVersion", "UA-SUM-2", "%s", diagnoseVersion(version))
	}
	for _, field := range [...]string{
		"legacyUE3Version", "fileVersionUE4", "fileVersionLicenseeUE4",
		"customVersionCount",
	} {
		v := uint32(0)
		if f.Uint32(&v, field, "UA-SUM-3"); v != 0 {
			f.Fail(wire.Version, 4, field, "UA-SUM-3", "%s", diagnoseVersioned(field, v))
		}
	}
}

// folder reads or writes a string of one valid value. Another length would move
// all fields after it.
func folder(f wire.Fields) {
	const size = uint32(len(folderName))
	f.Enter("folderName")
	n := size
	if f.Uint32(&n, "length", "UA-SUM-5"); n != size {
		f.Fail(wire.Unsupported, 4, "length", "UA-SUM-5", "expected %d, the length of the folder name %q with its NUL, found %d",
			size, none, int32(n))
	}
	text := [size]byte([]byte(folderName))
	if f.Bytes(text[:], "text", "UA-SUM-5"); string(text[:]) != folderName {
		f.Fail(wire.Unsupported, 4+len(text), "", "UA-SUM-5", "expected the folder name %q, found %q",
			folderName, string(text[:]))
	}
	if f.R != nil {
		f.R.Note("%q", none)
	}
	f.Leave()
}

func (c *Codec) engineVersion(f wire.Fields, v model.EngineVersion) model.EngineVersion {
	f.Uint16(&v.Major, "major", "UA-SUM-11")
	f.Uint16(&v.Minor, "minor", "UA-SUM-11")
	f.Uint16(&v.Patch, "patch", "UA-SUM-11")
	f.Uint32(&v.Changelist, "changelist", "UA-SUM-11")
	f.Enter("branch")
	defer f.Leave()
	switch {
	case f.W != nil && v.Branch != nil:
		c.writeString(f.W, *v.Branch)
	case f.W != nil || c.d.fixedCounts || bytes.HasPrefix(f.R.Unread(), []byte{0, 0, 0, 0}):
		constant(f, 0, wire.Unsupported, "length", "UA-SUM-11", "no branch name")
	default:
		branch := c.readString(f.R)
		v.Branch = &branch
	}
	return v
}

// hasReferences reports whether a table of soft package references follows the
// export region.
func (c *Codec) hasReferences(s *model.Summary) bool {
	return !c.d.softNulls && s.SoftPackageReferencesCount > 0
}

// exportRegion checks the size of the export region, which depends on the
// engine. It returns the field that contains the end of the region, and no
// class if the size is right.
func (c *Codec) exportRegion(s *model.Summary) (field string, class wire.Class, detail string) {
	field, end := "assetRegistryDataOffset", s.AssetRegistryDataOffset
	if c.hasReferences(s) {
		field, end = "softPackageReferencesOffset", s.SoftPackageReferencesOffset
	}
	n, size := int64(s.ExportCount), int64(end)-int64(s.ExportOffset)
	if n > 0 && size != n*entryRegion {
		class, detail = diagnoseRegion(size, n, c.entrySide())
	}
	return field, class, detail
}

// checkRegion checks the size of the export region. The field that contains its end
// was just read.
func (c *Codec) checkRegion(r *wire.Reader, s *model.Summary, split bool) {
	field, class, detail := c.exportRegion(s)
	if class == "" {
		return
	}
	if split {
		detail += "; the package is also " + noObjects
	}
	r.Fail(class, r.Offset()-4, field, "UA-SUM-13", "%s", detail)
}

func (c *Codec) writeSummary(w *wire.Writer, s model.Summary) {
	end, class, detail := c.exportRegion(&s)
	switch {
	case s.SearchableNamesOffset == nil && c.d.only415:
		w.Fail("searchableNamesOffset", "UA-SUM-9", "expected an offset under uasset.header-4-14=documented, found none")
	case c.d.fixedCounts && uncounted(&s) != "":
		w.Fail(uncounted(&s), "UA-SUM-20", "expected one generation and no element of any other counted part "+
			"under uasset.counted-parts=documented, found a different number here")
	case isAbsent(s.SavedByEngineVersion.Branch) || isAbsent(s.CompatibleWithEngineVersion.Branch):
		w.Fail("branch", "UA-SUM-11", "expected null or a string of form bytes or utf16, found one of form absent")
	case uint64(s.NameOffset) != summarySize(&s):
		w.Fail("nameOffset", "UA-SUM-20", "expected %d, the size of the summary, found %d", summarySize(&s), s.NameOffset)
	case s.GatherableTextDataCount != 0:
		w.Fail("gatherableTextDataCount", "UA-SUM-8", "expected 0 gatherable texts, found %d", s.GatherableTextDataCount)
	case class != "":
		w.Fail(end, "UA-SUM-13", "%s", detail)
	}
	if w.Failed() {
		return
	}
	c.summary(wire.Fields{W: w}, s, false)
	if fits, _ := measure(w.Written(), 0, atGenerations415, s.NameOffset); fits && s.SearchableNamesOffset == nil {
		w.Fail("searchableNamesOffset", "UA-SUM-7", "expected an offset in a summary that has the size of one "+
			"of 4.15, found none")
	}
}

// uncounted returns the field of a counted part that the document does not have.
func uncounted(s *model.Summary) string {
	switch {
	case len(s.Generations) != 1:
		return "generations"
	case s.SavedByEngineVersion.Branch != nil:
		return "savedByEngineVersion.branch"
	case s.CompatibleWithEngineVersion.Branch != nil:
		return "compatibleWithEngineVersion.branch"
	case len(s.AdditionalPackagesToCook) > 0:
		return "additionalPackagesToCook"
	case len(s.ChunkIDs) > 0:
		return "chunkIDs"
	}
	return ""
}

func isAbsent(branch *model.FString) bool { return branch != nil && branch.Form == model.Absent }
