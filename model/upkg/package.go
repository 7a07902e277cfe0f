package upkg

// Signature opens every package.
const Signature = 0x9E2A83C1

// Package is a package file: header, the three tables, and every byte outside
// them, kept verbatim. An extension: no document here describes it.
type Package struct {
	Header  Header
	Names   []NameEntry
	Imports []ImportEntry
	Exports []ExportEntry
	// Data holds what lies between and behind header and tables, above all the
	// exported objects, in the order of the file.
	Data []Chunk
}

// Header is the package header. Which fields follow the tables depends on the version.
type Header struct {
	Signature    uint32
	Version      uint16 // decides the form of names and of the header's end
	Licensee     uint16
	Flags        uint32
	NameCount    uint32
	NameOffset   uint32 // bytes from the start of the file
	ExportCount  uint32
	ExportOffset uint32
	ImportCount  uint32
	ImportOffset uint32
	// Heritage stands below version 68, Identity from there; the other is nil.
	Heritage *Heritage
	Identity *Identity
}

// Heritage locates the GUIDs of earlier versions of a package below version 68.
type Heritage struct {
	Count  uint32
	Offset uint32
}

// Identity names a package and its generations from version 68.
type Identity struct {
	Guid        [16]byte
	Generations []Generation
}

// Generation holds the sizes of two tables in an earlier version of a package.
type Generation struct {
	ExportCount uint32
	NameCount   uint32
}

// NameEntry is one row of the name table.
type NameEntry struct {
	Name  Name
	Flags uint32
}

// ImportEntry is one row of the import table. ClassPackage, ClassName and
// ObjectName count rows of the name table from 0.
type ImportEntry struct {
	ClassPackage CompactIndex
	ClassName    CompactIndex
	Package      ObjectReference // stored as a plain 32-bit integer
	ObjectName   CompactIndex
}

// ExportEntry is one row of the export table. ObjectName counts rows of the
// name table from 0. SerialOffset is nil, and absent from the file, if SerialSize is 0.
type ExportEntry struct {
	Class        ObjectReference
	Super        ObjectReference
	Group        ObjectReference // stored as a plain 32-bit integer
	ObjectName   CompactIndex
	ObjectFlags  uint32
	SerialSize   CompactIndex
	SerialOffset *CompactIndex
}

// Chunk is a run of bytes that no table covers.
type Chunk struct {
	Offset uint32 // bytes from the start of the file
	Bytes  []byte
}
