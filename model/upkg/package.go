package upkg

const (
	// Signature is the tag at the start of a package.
	Signature = 0x9E2A83C1
	// TripwireSignature is the tag in packages of Red Orchestra and Killing Floor.
	TripwireSignature = 0x9E2A83C2
)

// Package is a package file: the header, the tables, and all other bytes as they
// are. It is an extension: none of the documents describes it.
type Package struct {
	Header  Header
	Names   []NameEntry
	Imports []ImportEntry
	Exports []ExportEntry
	// Heritages contains the GUIDs that Header.Heritage locates. It is empty below
	// version 42 and from version 68.
	Heritages [][16]byte
	// Data contains the bytes outside the header and the tables in the order of
	// the file. They are mostly exported objects.
	Data []Chunk
	// Encodings contains, in the order of the file, the indices and names in the
	// tables that are stored in another form than a writer chooses. nil if all of
	// them have that form.
	Encodings []Encoding `tree:"null"`
}

// Header is the package header. The fields after ImportOffset depend on the
// version.
type Header struct {
	Signature    uint32 // one of the two constants
	Version      uint16 // decides the form of the tables and the end of the header
	Licensee     uint16
	Flags        uint32
	NameCount    uint32
	NameOffset   uint32 // bytes from the start of the file
	ExportCount  uint32
	ExportOffset uint32
	ImportCount  uint32
	ImportOffset uint32
	// Heritage is present below version 68, Identity from version 68. The other
	// one is nil.
	Heritage *Heritage
	Identity *Identity
}

// Heritage locates the GUIDs of earlier versions of a package below version 68.
// Below version 42 the file does not store them: Count is then 1, and Offset that
// of the names.
type Heritage struct {
	Count  uint32
	Offset uint32
}

// Identity names a package and its generations from version 68.
type Identity struct {
	Guid        [16]byte
	Generations []Generation
}

// Generation contains the sizes of two tables in an earlier version of a package.
type Generation struct {
	ExportCount uint32
	NameCount   uint32
}

// NameEntry is one row of the name table.
type NameEntry struct {
	Name  Name
	Flags uint32
}

// ImportEntry is one row of the import table. ClassPackage, ClassName, PackageName
// and ObjectName are rows of the name table, counted from 0.
type ImportEntry struct {
	ClassPackage CompactIndex
	ClassName    CompactIndex
	Package      ObjectReference // stored as a plain 32-bit integer; null below version 50
	PackageName  *CompactIndex   // stored instead of Package below version 50; else nil
	ObjectName   CompactIndex
}

// ExportEntry is one row of the export table. ObjectName is a row of the name
// table, counted from 0. SerialOffset is nil if the file does not store it: by
// default if SerialSize is 0.
type ExportEntry struct {
	Class        ObjectReference
	Super        ObjectReference
	Group        ObjectReference // stored as a plain 32-bit integer; null below version 50
	ObjectName   CompactIndex
	ObjectFlags  uint32
	SerialSize   CompactIndex
	SerialOffset *CompactIndex
}

// Encoding is the stored form of an index or of a name.
type Encoding struct {
	Offset uint32 // bytes from the start of the file
	Bytes  []byte
}

// Chunk is a run of bytes outside the header and the tables.
type Chunk struct {
	Offset uint32 // bytes from the start of the file
	Bytes  []byte
}
