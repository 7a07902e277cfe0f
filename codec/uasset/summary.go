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
	return wire.New("uasset.Summary", summarySize414, c.s.Citing("", "UA-SUM-16"),
		func(r *wire.Reader) model.Summary { return c.readSummary(r, false) },
		c.writeSummary)
}

// readSummary reads the header. whole says that the input is a whole package.
func (c *Codec) readSummary(r *wire.Reader, whole bool) (s model.Summary) {
	defer r.Cite(r.Cite("UA-SUM-16"))
	size := r.Len()
	readVersions(r)
	s.TotalHeaderSize = r.Uint32("totalHeaderSize", "UA-SUM-4")
	split := whole && uint64(size) == uint64(s.TotalHeaderSize)
	readFolderName(r)
	at := r.Offset()
	s.PackageFlags = r.Hex32("packageFlags", "UA-SUM-6")
	if c.d.fixedFlags && s.PackageFlags != cookedFlags {
		r.Fail(wire.Value, at, "packageFlags", "UA-SUM-6", "expected 0x%08x, found 0x%08x", uint32(cookedFlags),
			s.PackageFlags)
	}
	s.NameCount = r.Uint32("nameCount", "UA-SUM-7")
	at = r.Offset()
	s.NameOffset = r.Uint32("nameOffset", "UA-SUM-7")
	if s.NameOffset != summarySize415 && (c.d.only415 || s.NameOffset != summarySize414) {
		r.Fail(wire.Reference, at, "nameOffset", "UA-SUM-20", "%s", diagnoseSize(s.NameOffset, c.d.only415))
	}
	readConstant(r, 0, wire.Unsupported, "gatherableTextDataCount", "UA-SUM-8", "no gatherable text data")
	s.GatherableTextDataOffset = r.Uint32("gatherableTextDataOffset", "UA-SUM-8")
	s.ExportCount = r.Uint32("exportCount", "UA-SUM-8")
	s.ExportOffset = r.Uint32("exportOffset", "UA-SUM-8")
	s.ImportCount = r.Uint32("importCount", "UA-SUM-8")
	s.ImportOffset = r.Uint32("importOffset", "UA-SUM-8")
	s.DependsOffset = r.Uint32("dependsOffset", "UA-SUM-9")
	s.SoftPackageReferencesCount = r.Uint32("softPackageReferencesCount", "UA-SUM-9")
	at = r.Offset()
	s.SoftPackageReferencesOffset = r.Uint32("softPackageReferencesOffset", "UA-SUM-9")
	if c.hasReferences(&s) {
		c.checkRegion(r, &s, at, split)
	}
	if s.NameOffset == summarySize415 {
		v := r.Uint32("searchableNamesOffset", "UA-SUM-9")
		s.SearchableNamesOffset = &v
	}
	s.ThumbnailTableOffset = r.Uint32("thumbnailTableOffset", "UA-SUM-9")
	s.PackageGuid = readGuid(r, "packageGuid", "UA-SUM-10")
	readConstant(r, 1, wire.Unsupported, "generationCount", "UA-SUM-10", "one generation")
	r.Enter("generation")
	s.Generation.ExportCount = r.Uint32("exportCount", "UA-SUM-10")
	s.Generation.NameCount = r.Uint32("nameCount", "UA-SUM-10")
	r.Leave()
	s.SavedByEngineVersion = readEngineVersion(r, "savedByEngineVersion")
	s.CompatibleWithEngineVersion = readEngineVersion(r, "compatibleWithEngineVersion")
	s.CompressionFlags = r.Uint32("compressionFlags", "UA-SUM-11")
	readConstant(r, 0, wire.Unsupported, "compressedChunkCount", "UA-SUM-11", "no compressed chunks")
	s.PackageSource = r.Hex32("packageSource", "UA-SUM-12")
	readConstant(r, 0, wire.Unsupported, "additionalPackagesToCookCount", "UA-SUM-12", "no additional packages to cook")
	at = r.Offset()
	s.AssetRegistryDataOffset = r.Uint32("assetRegistryDataOffset", "UA-SUM-13")
	if !c.hasReferences(&s) {
		c.checkRegion(r, &s, at, split)
	}
	s.BulkDataStartOffset = r.Int64("bulkDataStartOffset", "UA-SUM-14")
	s.WorldTileInfoDataOffset = r.Uint32("worldTileInfoDataOffset", "UA-SUM-14")
	readConstant(r, 0, wire.Unsupported, "chunkIDCount", "UA-SUM-14", "no chunk ids")
	at = r.Offset()
	if n := r.Int32("preloadDependencyCount", "UA-SUM-15"); n != noPreload {
		r.Fail(wire.Unsupported, at, "preloadDependencyCount", "UA-SUM-15", "%s", diagnosePreload(n, split))
	}
	s.PreloadDependencyOffset = r.Uint32("preloadDependencyOffset", "UA-SUM-15")
	return s
}

// readVersions reads the tag and the versions, which identify the format.
func readVersions(r *wire.Reader) {
	at := r.Offset()
	if tag := r.Uint32("tag", "UA-SUM-1"); tag != model.Tag {
		class, detail := diagnoseTag(tag)
		r.Fail(class, at, "tag", "UA-SUM-1", "%s", detail)
	}
	r.Note("%08x", uint32(model.Tag))
	at = r.Offset()
	if v := r.Int32("legacyFileVersion", "UA-SUM-2"); v != fileVersion {
		r.Fail(wire.Version, at, "legacyFileVersion", "UA-SUM-2", "%s", diagnoseVersion(v))
	}
	for _, field := range [...]string{
		"legacyUE3Version", "fileVersionUE4", "fileVersionLicenseeUE4",
		"customVersionCount",
	} {
		at = r.Offset()
		if v := r.Uint32(field, "UA-SUM-3"); v != 0 {
			r.Fail(wire.Version, at, field, "UA-SUM-3", "%s", diagnoseVersioned(field, v))
		}
	}
}

// readFolderName reads a string of one valid value. Another length would move
// all fields after it.
func readFolderName(r *wire.Reader) {
	at := r.Offset()
	r.Enter("folderName")
	if n := r.Uint32("length", "UA-SUM-5"); n != uint32(len(folderName)) {
		r.Fail(wire.Unsupported, at, "", "UA-SUM-5", "expected length %d of the folder name %s, found %d",
			len(folderName), none, int32(n))
	}
	b := r.Bytes(len(folderName), "text", "UA-SUM-5")
	if string(b) != folderName {
		r.Fail(wire.Unsupported, at, "", "UA-SUM-5", "expected the folder name %q, found %q", folderName, b)
	}
	r.Note("%q", none)
	r.Leave()
}

func readEngineVersion(r *wire.Reader, field string) (v model.EngineVersion) {
	r.Enter(field)
	v.Major = r.Uint16("major", "UA-SUM-11")
	v.Minor = r.Uint16("minor", "UA-SUM-11")
	v.Patch = r.Uint16("patch", "UA-SUM-11")
	v.Changelist = r.Uint32("changelist", "UA-SUM-11")
	readConstant(r, 0, wire.Unsupported, "branchLength", "UA-SUM-11", "no branch name")
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
	r.Fail(class, at, field, "UA-SUM-13", "%s", detail)
}

func (c *Codec) writeSummary(w *wire.Writer, s model.Summary) {
	end, class, detail := c.exportRegion(&s)
	switch {
	case c.d.fixedFlags && s.PackageFlags != cookedFlags:
		w.Fail("packageFlags", "UA-SUM-6", "expected 0x%08x, found 0x%08x", uint32(cookedFlags), s.PackageFlags)
	case s.NameOffset != summarySize415 && (c.d.only415 || s.NameOffset != summarySize414):
		w.Fail("nameOffset", "UA-SUM-20", "%s", diagnoseSize(s.NameOffset, c.d.only415))
	case s.SearchableNamesOffset == nil && s.NameOffset == summarySize415:
		w.Fail("searchableNamesOffset", "UA-SUM-9", "expected an offset in a summary of %d bytes, found none",
			s.NameOffset)
	case s.SearchableNamesOffset != nil && s.NameOffset != summarySize415:
		w.Fail("searchableNamesOffset", "UA-SUM-9", "expected no offset in a summary of %d bytes, found %d",
			s.NameOffset, *s.SearchableNamesOffset)
	case s.GatherableTextDataCount != 0:
		w.Fail("gatherableTextDataCount", "UA-SUM-8", "expected 0 gatherable texts, found %d", s.GatherableTextDataCount)
	case class != "":
		w.Fail(end, "UA-SUM-13", "%s", detail)
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
