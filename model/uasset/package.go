// Package uasset models a cooked, unversioned, all-in-one package of Unreal
// Engine 4.15 or 4.14 and the textures in it (see [Unreal Engine 4 uasset file]).
//
// Fields have the engine's names. Where the document uses another name, the
// comment gives it in quotation marks. All integers are little-endian. Offsets
// are in bytes from the start of the file unless a comment says otherwise.
//
// The model omits fields that have only one valid value in such a package:
// tags, versions, counts of lists that must be empty. A codec checks and
// writes them. The model keeps every count, offset and size that the file
// stores, even if it follows from the lists, so that a package is written back
// byte for byte. A writer rejects values that contradict the lists.
//
// [Unreal Engine 4 uasset file]: http://wiki.xentax.com/index.php/BARBAR_BAR
package uasset

import "fmt"

// Tag is the first word of a package ("Unreal Header") and the last one.
const Tag = 0x9E2A83C1

// Package is a whole file (UA-PKG-1). After the summary follow, without gaps,
// the names, imports, exports, dependency arrays, soft package references,
// padding, objects, bulk data and the footer.
type Package struct {
	Summary Summary
	Names   []NameEntry // Summary.NameCount of them
	Imports []Import    // Summary.ImportCount of them
	Exports []Export    // Summary.ExportCount of them
	// SoftPackageReferences is the names of packages that are loaded on demand,
	// Summary.SoftPackageReferencesCount of them. The document does not have them.
	SoftPackageReferences []FString
	// Objects contains the body of each export in the order of Exports, which is
	// also the order of the file.
	Objects []Object
	// BulkData is the bytes from Summary.BulkDataStartOffset to the footer: the
	// payloads of mips that are not inline.
	BulkData []byte
}

// Summary is the header (UA-SUM-1 to 16): 193 bytes in 4.15 and 189 in 4.14, if it has one
// generation and nothing in the other lists.
type Summary struct {
	TotalHeaderSize uint32 // end of the header with all tables and the padding, "File Directory Offset?"
	// last three bytes of a "null", then "Unknown (128)"; 0x80000000 means filtered for cooking
	PackageFlags                uint32
	NameCount                   uint32  // "Number of Names"
	NameOffset                  uint32  // "Name Directory Offset": the size of the summary
	GatherableTextDataCount     uint32  // first half of a "null"; 0
	GatherableTextDataOffset    uint32  // second half of a "null"
	ExportCount                 uint32  // "Number Of Exports"
	ExportOffset                uint32  // "Exports Directory Offset"; may be 0 if ExportCount is
	ImportCount                 uint32  // "Number Of Imports"
	ImportOffset                uint32  // "Import Directory Offset"; may be 0 if ImportCount is
	DependsOffset               uint32  // "null"; 0 although the dependency arrays are present
	SoftPackageReferencesCount  uint32  // "null"
	SoftPackageReferencesOffset uint32  // "null"; in 4.14 the end of the dependency arrays, also without references
	SearchableNamesOffset       *uint32 // "null"; nil in 4.14, where it is absent
	ThumbnailTableOffset        uint32  // "null"
	PackageGuid                 Guid    // "GUID Hash"
	// of earlier versions of the package, the last one of this version; the document has one
	Generations                 []Generation
	SavedByEngineVersion        EngineVersion // "null"
	CompatibleWithEngineVersion EngineVersion // "null"
	CompressionFlags            uint32        // "null"
	// "Unknown": a CRC of the upper-cased name of the original file without its extension
	PackageSource            uint32
	AdditionalPackagesToCook []FString // "null"
	AssetRegistryDataOffset  uint32    // "Padding Offset": of the padding
	BulkDataStartOffset      int64     // "File Length [+4]" and the null after it: end of the last object
	WorldTileInfoDataOffset  uint32    // "null"
	ChunkIDs                 []int32   // "null"
	PreloadDependencyOffset  uint32    // "Files Data Offset": TotalHeaderSize, as nothing is preloaded
}

// Generation contains the sizes of two tables when the package was saved.
type Generation struct {
	ExportCount uint32 // "Unknown (1/2)"
	NameCount   uint32 // "Unknown (Number of Names - again?)"
}

// EngineVersion is a release of the engine. In an unversioned package all numbers are 0,
// and Branch is nil.
type EngineVersion struct {
	Major      uint16
	Minor      uint16
	Patch      uint16
	Changelist uint32
	Branch     *FString // nil stands for the form Absent
}

// Guid is a globally unique identifier: four 32-bit words, in the bytes of the
// file.
type Guid [16]byte

// StringForm is the form in which an [FString] is stored.
type StringForm uint8

const (
	// Bytes is a length n above 0, then n bytes, of which the last is NUL.
	Bytes StringForm = iota
	// UTF16 is a length -n below 0, then n UTF-16LE units, of which the last is NUL.
	UTF16
	// Absent is a length of 0 and nothing else: the engine's empty string.
	Absent
)

var formNames = [...]string{"bytes", "utf16", "absent"}

// String returns the name of the form in trees.
func (f StringForm) String() string {
	if int(f) < len(formNames) {
		return formNames[f]
	}
	return "unknown"
}

// MarshalText returns the name of the form.
func (f StringForm) MarshalText() ([]byte, error) {
	if int(f) >= len(formNames) {
		return nil, fmt.Errorf("uasset: expected a form from 0 to %d, found %d", len(formNames)-1, uint8(f))
	}
	return []byte(formNames[f]), nil
}

// UnmarshalText reads the name of a form.
func (f *StringForm) UnmarshalText(b []byte) error {
	for i, name := range formNames {
		if name == string(b) {
			*f = StringForm(i)
			return nil
		}
	}
	return fmt.Errorf("uasset: expected a form of %q, found %q", formNames, b)
}

// FString is a string (UA-STR-1 to 3). Text does not include the terminator.
// If Form is Bytes, no document states its character set; if Form is UTF16,
// it is WTF-8, which is UTF-8 with three bytes per unpaired surrogate; if Form
// is Absent, it is empty. Text may contain NULs.
type FString struct {
	Text string
	Form StringForm
}

// FName is a name: a row of the name table, counted from 0, and a number. The
// number 0 stands for the text of the row, n for that text with the suffix
// _(n-1). The document's "Name ID" and "Class ID" are both fields as one 64-bit
// integer (UA-FNM-1).
type FName struct {
	Index  uint32
	Number uint32
}

// NameEntry is one row of the name table (UA-NAM-1).
type NameEntry struct {
	Name FString
	// The two hashes are the document's "Flags". Readers ignore them.
	NonCasePreservingHash uint16 // low 16 bits of a CRC of the upper-cased text
	CasePreservingHash    uint16 // low 16 bits of the CRC-32 of the text, four bytes per character
}

// PackageIndex points to an import if it is negative, to an export if it is
// positive, to nothing if it is 0. The document's "XOR with 255" of an import
// is the bitwise complement (UA-IMP-2).
type PackageIndex int32

// Import returns the row of the import table, counted from 0. ok is false if
// the index does not point to an import.
func (i PackageIndex) Import() (row int, ok bool) { return int(^i), i < 0 }

// Export returns the row of the export table, counted from 0. ok is false if
// the index does not point to an export.
func (i PackageIndex) Export() (row int, ok bool) { return int(i) - 1, i > 0 }

// ImportIndex returns the index of a row of the import table.
func ImportIndex(row int) PackageIndex { return ^PackageIndex(row) }

// ExportIndex returns the index of a row of the export table.
func ExportIndex(row int) PackageIndex { return PackageIndex(row) + 1 }

// Import is one row of the import table, 28 bytes (UA-IMP-1).
type Import struct {
	ClassPackage FName        // "Parent Directory Name ID": the package of the class
	ClassName    FName        // "Class ID"
	OuterIndex   PackageIndex // "Parent Import Object ID"
	ObjectName   FName        // "Name ID" and "Unknown ID"
}

// Export is one row of the export table. The document has 100 unknown bytes; a
// row has 96 (UA-EXP-1, UA-EXP-2).
type Export struct {
	ClassIndex                   PackageIndex
	SuperIndex                   PackageIndex
	TemplateIndex                PackageIndex
	OuterIndex                   PackageIndex
	ObjectName                   FName
	ObjectFlags                  uint32
	SerialSize                   uint32 // of the object, in bytes
	SerialOffset                 uint32 // of the object: TotalHeaderSize, or the end of the preceding object
	ForcedExport                 uint32 // 0 or 1; not checked
	NotForClient                 uint32 // 0 or 1; not checked
	NotForServer                 uint32 // 0 or 1; not checked
	PackageGuid                  Guid
	PackageFlags                 uint32
	NotAlwaysLoadedForEditorGame uint32 // 0 or 1; not checked
	IsAsset                      uint32 // 0 or 1; not checked
	FirstExportDependency        int32  // -1 without the event-driven loader
	// Numbers of dependencies for the event-driven loader, 0 without it.
	SerializationBeforeSerializationDependencies int32
	CreateBeforeSerializationDependencies        int32
	SerializationBeforeCreateDependencies        int32
	CreateBeforeCreateDependencies               int32
}

// Padding is the number of objects in the asset registry data, the last part
// of the header. It is 0 in a cooked package (UA-PAD-1).
type Padding uint32

// Footer is the last word of the file: [Tag] again (UA-FTR-1).
type Footer uint32

// Object is the body of an export ("FILE DATA"): SerialSize bytes (UA-OBJ-1 to 4).
type Object struct {
	// Properties is the list at the start of the body. If the body does not begin
	// with a list, it is nil and Data is the whole body.
	Properties *PropertyList
	// Texture follows the properties if the class of the export is one of a texture
	// and the pixel format is one of the six (UA-OBJ-2). Otherwise it is nil.
	Texture *Texture2D
	// Data is the rest of the body.
	Data []byte
}
