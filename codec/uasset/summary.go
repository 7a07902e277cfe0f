package uasset

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

const (
	summarySize415 = 193
	summarySize414 = 189 // without SearchableNamesOffset

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

// The offsets of the last fields depend on the size of the summary, NameOffset.

func atRegistryOffset(s *model.Summary) int { return int(s.NameOffset) - 28 }
func atBulkDataStart(s *model.Summary) int  { return int(s.NameOffset) - 24 }

// Summary is the header.
func (c *Codec) Summary() wire.Structure[model.Summary] {
	return wire.New("uasset.Summary", summarySize414, c.s.Citing("", clauseSummaryEnd),
		func(r *wire.Reader) model.Summary { return c.readSummary(r, false) },
		c.writeSummary)
}

// readSummary reads the header. whole says that the input is a whole package.
func (c *Codec) readSummary(r *wire.Reader, whole bool) (s model.Summary) {
	defer r.Cite(r.Cite(clauseSummaryEnd))
	size := r.Len()
	readVersions(r)
	s.TotalHeaderSize = r.Uint32("totalHeaderSize", clauseTotalHeaderSize)
	split := whole && uint64(size) == uint64(s.TotalHeaderSize)
	readFolderName(r)
	at := r.Offset()
	s.PackageFlags = r.Hex32("packageFlags", clausePackageFlags)
	if c.d.fixedFlags && s.PackageFlags != cookedFlags {
		r.Fail(wire.Value, at, "packageFlags", clausePackageFlags, "expected 0x%08x, found 0x%08x", uint32(cookedFlags),
			s.PackageFlags)
	}
	s.NameCount = r.Uint32("nameCount", clauseNameTable)
	at = r.Offset()
	s.NameOffset = r.Uint32("nameOffset", clauseNameTable)
	if s.NameOffset != summarySize415 && (c.d.only415 || s.NameOffset != summarySize414) {
		r.Fail(wire.Reference, at, "nameOffset", clauseNameOffset, "%s", diagnoseSize(s.NameOffset, c.d.only415))
	}
	readConstant(r, 0, wire.Unsupported, "gatherableTextDataCount", clauseTables, "no gatherable text data")
	s.GatherableTextDataOffset = r.Uint32("gatherableTextDataOffset", clauseTables)
	s.ExportCount = r.Uint32("exportCount", clauseTables)
	s.ExportOffset = r.Uint32("exportOffset", clauseTables)
	s.ImportCount = r.Uint32("importCount", clauseTables)
	s.ImportOffset = r.Uint32("importOffset", clauseTables)
	s.DependsOffset = r.Uint32("dependsOffset", clauseNullOffsets)
	s.SoftPackageReferencesCount = r.Uint32("softPackageReferencesCount", clauseNullOffsets)
	at = r.Offset()
	s.SoftPackageReferencesOffset = r.Uint32("softPackageReferencesOffset", clauseNullOffsets)
	if c.hasReferences(&s) {
		c.checkRegion(r, &s, at, split)
	}
	if s.NameOffset == summarySize415 {
		v := r.Uint32("searchableNamesOffset", clauseNullOffsets)
		s.SearchableNamesOffset = &v
	}
	s.ThumbnailTableOffset = r.Uint32("thumbnailTableOffset", clauseNullOffsets)
	s.PackageGuid = readGuid(r, "packageGuid", clauseIdentity)
	readConstant(r, 1, wire.Unsupported, "generationCount", clauseIdentity, "one generation")
	r.Enter("generation")
	s.Generation.ExportCount = r.Uint32("exportCount", clauseIdentity)
	s.Generation.NameCount = r.Uint32("nameCount", clauseIdentity)
	r.Leave()
	s.SavedByEngineVersion = readEngineVersion(r, "savedByEngineVersion")
	s.CompatibleWithEngineVersion = readEngineVersion(r, "compatibleWithEngineVersion")
	s.CompressionFlags = r.Uint32("compressionFlags", clauseEngine)
	readConstant(r, 0, wire.Unsupported, "compressedChunkCount", clauseEngine, "no compressed chunks")
	s.PackageSource = r.Hex32("packageSource", clauseSource)
	readConstant(r, 0, wire.Unsupported, "additionalPackagesToCookCount", clauseSource, "no additional packages to cook")
	at = r.Offset()
	s.AssetRegistryDataOffset = r.Uint32("assetRegistryDataOffset", clauseRegionSize)
	if !c.hasReferences(&s) {
		c.checkRegion(r, &s, at, split)
	}
	s.BulkDataStartOffset = r.Int64("bulkDataStartOffset", clauseBulkStartField)
	s.WorldTileInfoDataOffset = r.Uint32("worldTileInfoDataOffset", clauseBulkStartField)
	readConstant(r, 0, wire.Unsupported, "chunkIDCount", clauseBulkStartField, "no chunk ids")
	at = r.Offset()
	if n := r.Int32("preloadDependencyCount", clausePreload); n != noPreload {
		r.Fail(wire.Unsupported, at, "preloadDependencyCount", clausePreload, "%s", diagnosePreload(n, split))
	}
	s.PreloadDependencyOffset = r.Uint32("preloadDependencyOffset", clausePreload)
	return s
}

// readVersions reads the tag and the versions, which identify the format.
func readVersions(r *wire.Reader) {
	at := r.Offset()
	if tag := r.Uint32("tag", clauseTag); tag != model.Tag {
		class, detail := diagnoseTag(tag)
		r.Fail(class, at, "tag", clauseTag, "%s", detail)
	}
	r.Note("%08x", uint32(model.Tag))
	at = r.Offset()
	if v := r.Int32("legacyFileVersion", clauseVersion); v != fileVersion {
		r.Fail(wire.Version, at, "legacyFileVersion", clauseVersion, "%s", diagnoseVersion(v))
	}
	for _, field := range [...]string{
		"legacyUE3Version", "fileVersionUE4", "fileVersionLicenseeUE4",
		"customVersionCount",
	} {
		at = r.Offset()
		if v := r.Uint32(field, clauseVersioned); v != 0 {
			r.Fail(wire.Version, at, field, clauseVersioned, "%s", diagnoseVersioned(field, v))
		}
	}
}

// readFolderName reads a string of one valid value. Another length would move
// all fields after it.
func readFolderName(r *wire.Reader) {
	at := r.Offset()
	r.Enter("folderName")
	if n := r.Uint32("length", clauseFolderName); n != uint32(len(folderName)) {
		r.Fail(wire.Unsupported, at, "", clauseFolderName, "expected length %d of the folder name %s, found %d",
			len(folderName), none, int32(n))
	}
	b := r.Bytes(len(folderName), "text", clauseFolderName)
	if string(b) != folderName {
		r.Fail(wire.Unsupported, at, "", clauseFolderName, "expected the folder name %q, found %q", folderName, b)
	}
	r.Note("%q", none)
	r.Leave()
}

func readEngineVersion(r *wire.Reader, field string) (v model.EngineVersion) {
	r.Enter(field)
	v.Major = r.Uint16("major", clauseEngine)
	v.Minor = r.Uint16("minor", clauseEngine)
	v.Patch = r.Uint16("patch", clauseEngine)
	v.Changelist = r.Uint32("changelist", clauseEngine)
	readConstant(r, 0, wire.Unsupported, "branchLength", clauseEngine, "no branch name")
	r.Leave()
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
		class, detail = diagnoseRegion(size, n)
	}
	return field, class, detail
}

// checkRegion checks the size of the export region. at is the offset of the
// field that contains its end.
func (c *Codec) checkRegion(r *wire.Reader, s *model.Summary, at int, split bool) {
	field, class, detail := c.exportRegion(s)
	if class == "" {
		return
	}
	if split {
		detail += "; it is also split: " + noObjects
	}
	r.Fail(class, at, field, clauseRegionSize, "%s", detail)
}

func (c *Codec) writeSummary(w *wire.Writer, s model.Summary) {
	end, class, detail := c.exportRegion(&s)
	switch {
	case c.d.fixedFlags && s.PackageFlags != cookedFlags:
		w.Fail("packageFlags", clausePackageFlags, "expected 0x%08x, found 0x%08x", uint32(cookedFlags), s.PackageFlags)
	case s.NameOffset != summarySize415 && (c.d.only415 || s.NameOffset != summarySize414):
		w.Fail("nameOffset", clauseNameOffset, "%s", diagnoseSize(s.NameOffset, c.d.only415))
	case s.SearchableNamesOffset == nil && s.NameOffset == summarySize415:
		w.Fail("searchableNamesOffset", clauseNullOffsets, "expected an offset in a summary of %d bytes, found none",
			s.NameOffset)
	case s.SearchableNamesOffset != nil && s.NameOffset != summarySize415:
		w.Fail("searchableNamesOffset", clauseNullOffsets, "expected no offset in a summary of %d bytes, found %d",
			s.NameOffset, *s.SearchableNamesOffset)
	case s.GatherableTextDataCount != 0:
		w.Fail("gatherableTextDataCount", clauseTables, "expected 0 gatherable texts, found %d", s.GatherableTextDataCount)
	case class != "":
		w.Fail(end, clauseRegionSize, "%s", detail)
	}
	if w.Failed() {
		return
	}
	w.Uint32(model.Tag)
	w.Int32(fileVersion)
	for range 4 {
		w.Uint32(0)
	}
	w.Uint32(s.TotalHeaderSize)
	w.Uint32(uint32(len(folderName)))
	w.Text(folderName)
	for _, v := range [...]uint32{
		s.PackageFlags, s.NameCount, s.NameOffset, s.GatherableTextDataCount, s.GatherableTextDataOffset,
		s.ExportCount, s.ExportOffset, s.ImportCount, s.ImportOffset,
		s.DependsOffset, s.SoftPackageReferencesCount, s.SoftPackageReferencesOffset,
	} {
		w.Uint32(v)
	}
	if s.SearchableNamesOffset != nil {
		w.Uint32(*s.SearchableNamesOffset)
	}
	w.Uint32(s.ThumbnailTableOffset)
	w.Bytes(s.PackageGuid[:])
	w.Uint32(1)
	w.Uint32(s.Generation.ExportCount)
	w.Uint32(s.Generation.NameCount)
	writeEngineVersion(w, s.SavedByEngineVersion)
	writeEngineVersion(w, s.CompatibleWithEngineVersion)
	w.Uint32(s.CompressionFlags)
	w.Uint32(0)
	w.Uint32(s.PackageSource)
	w.Uint32(0)
	w.Uint32(s.AssetRegistryDataOffset)
	w.Int64(s.BulkDataStartOffset)
	w.Uint32(s.WorldTileInfoDataOffset)
	w.Uint32(0)
	w.Int32(noPreload)
	w.Uint32(s.PreloadDependencyOffset)
}

func writeEngineVersion(w *wire.Writer, v model.EngineVersion) {
	w.Uint16(v.Major)
	w.Uint16(v.Minor)
	w.Uint16(v.Patch)
	w.Uint32(v.Changelist)
	w.Uint32(0)
}
