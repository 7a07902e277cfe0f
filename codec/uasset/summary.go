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
func (c *Codec) readSummary(r *wire.Reader, whole bool) model.Summary {
	defer r.Cite(r.Cite("UA-SUM-16"))
	return c.summary(wire.Fields{R: r}, model.Summary{}, whole)
}

// summary reads or writes the header. Only reading finds faults: a value to write has
// none.
func (c *Codec) summary(f wire.Fields, s model.Summary, whole bool) model.Summary {
	versions(f)
	f.Uint32(&s.TotalHeaderSize, "totalHeaderSize", "UA-SUM-4")
	split := whole && uint64(f.R.Len()) == uint64(s.TotalHeaderSize)
	folder(f)
	f.Hex32(&s.PackageFlags, "packageFlags", "UA-SUM-6")
	if c.d.fixedFlags && s.PackageFlags != cookedFlags {
		f.R.Fail(wire.Value, f.R.Offset()-4, "packageFlags", "UA-SUM-6", "expected 0x%08x, found 0x%08x",
			uint32(cookedFlags), s.PackageFlags)
	}
	f.Uint32(&s.NameCount, "nameCount", "UA-SUM-7")
	f.Uint32(&s.NameOffset, "nameOffset", "UA-SUM-7")
	if s.NameOffset != summarySize415 && (c.d.only415 || s.NameOffset != summarySize414) {
		f.R.Fail(wire.Reference, f.R.Offset()-4, "nameOffset", "UA-SUM-20", "%s",
			diagnoseSize(s.NameOffset, c.d.only415))
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
	if s.NameOffset == summarySize415 {
		if f.R != nil {
			s.SearchableNamesOffset = new(uint32)
		}
		f.Uint32(s.SearchableNamesOffset, "searchableNamesOffset", "UA-SUM-9")
	}
	f.Uint32(&s.ThumbnailTableOffset, "thumbnailTableOffset", "UA-SUM-9")
	f.Bytes(s.PackageGuid[:], "packageGuid", "UA-SUM-10")
	constant(f, 1, wire.Unsupported, "generationCount", "UA-SUM-10", "one generation")
	f.Enter("generation")
	f.Uint32(&s.Generation.ExportCount, "exportCount", "UA-SUM-10")
	f.Uint32(&s.Generation.NameCount, "nameCount", "UA-SUM-10")
	f.Leave()
	s.SavedByEngineVersion = wire.In(f, "savedByEngineVersion", s.SavedByEngineVersion, engineVersion)
	s.CompatibleWithEngineVersion = wire.In(f, "compatibleWithEngineVersion", s.CompatibleWithEngineVersion, engineVersion)
	f.Uint32(&s.CompressionFlags, "compressionFlags", "UA-SUM-11")
	constant(f, 0, wire.Unsupported, "compressedChunkCount", "UA-SUM-11", "no compressed chunks")
	f.Hex32(&s.PackageSource, "packageSource", "UA-SUM-12")
	constant(f, 0, wire.Unsupported, "additionalPackagesToCookCount", "UA-SUM-12", "no additional packages to cook")
	f.Uint32(&s.AssetRegistryDataOffset, "assetRegistryDataOffset", "UA-SUM-13")
	if !c.hasReferences(&s) {
		c.checkRegion(f.R, &s, split)
	}
	f.Int64(&s.BulkDataStartOffset, "bulkDataStartOffset", "UA-SUM-14")
	f.Uint32(&s.WorldTileInfoDataOffset, "worldTileInfoDataOffset", "UA-SUM-14")
	constant(f, 0, wire.Unsupported, "chunkIDCount", "UA-SUM-14", "no chunk ids")
	preload := int32(noPreload)
	if f.Int32(&preload, "preloadDependencyCount", "UA-SUM-15"); preload != noPreload {
		f.R.Fail(wire.Unsupported, f.R.Offset()-4, "preloadDependencyCount", "UA-SUM-15", "%s",
			diagnosePreload(preload, split))
	}
	f.Uint32(&s.PreloadDependencyOffset, "preloadDependencyOffset", "UA-SUM-15")
	return s
}

// versions reads or writes the tag and the versions, which identify the format.
func versions(f wire.Fields) {
	tag := uint32(model.Tag)
	if f.Uint32(&tag, "tag", "UA-SUM-1"); tag != model.Tag {
		class, detail := diagnoseTag(tag)
		f.R.Fail(class, f.R.Offset()-4, "tag", "UA-SUM-1", "%s", detail)
	}
	if f.R != nil {
		f.R.Note("%08x", uint32(model.Tag))
	}
	version := int32(fileVersion)
	if f.Int32(&version, "legacyFileVersion", "UA-SUM-2"); version != fileVersion {
		f.R.Fail(wire.Version, f.R.Offset()-4, "legacyFileVersion", "UA-SUM-2", "%s", diagnoseVersion(version))
	}
	for _, field := range [...]string{
		"legacyUE3Version", "fileVersionUE4", "fileVersionLicenseeUE4",
		"customVersionCount",
	} {
		v := uint32(0)
		if f.Uint32(&v, field, "UA-SUM-3"); v != 0 {
			f.R.Fail(wire.Version, f.R.Offset()-4, field, "UA-SUM-3", "%s", diagnoseVersioned(field, v))
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
		f.R.Fail(wire.Unsupported, f.R.Offset()-4, "", "UA-SUM-5", "expected length %d of the folder name %s, found %d",
			size, none, int32(n))
	}
	text := [size]byte([]byte(folderName))
	if f.Bytes(text[:], "text", "UA-SUM-5"); string(text[:]) != folderName {
		f.R.Fail(wire.Unsupported, f.R.Offset()-4-len(text), "", "UA-SUM-5", "expected the folder name %q, found %q",
			folderName, string(text[:]))
	}
	if f.R != nil {
		f.R.Note("%q", none)
	}
	f.Leave()
}

func engineVersion(f wire.Fields, v model.EngineVersion) model.EngineVersion {
	f.Uint16(&v.Major, "major", "UA-SUM-11")
	f.Uint16(&v.Minor, "minor", "UA-SUM-11")
	f.Uint16(&v.Patch, "patch", "UA-SUM-11")
	f.Uint32(&v.Changelist, "changelist", "UA-SUM-11")
	constant(f, 0, wire.Unsupported, "branchLength", "UA-SUM-11", "no branch name")
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

// checkRegion checks the size of the export region. The field that contains its end
// was just read.
func (c *Codec) checkRegion(r *wire.Reader, s *model.Summary, split bool) {
	field, class, detail := c.exportRegion(s)
	if class == "" {
		return
	}
	if split {
		detail += "; it is also split: " + noObjects
	}
	r.Fail(class, r.Offset()-4, field, "UA-SUM-13", "%s", detail)
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
	c.summary(wire.Fields{W: w}, s, false)
}
