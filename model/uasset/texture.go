package uasset

import (
	"math"
	"math/bits"
)

// PixelFormat is the format of pixels: the text that the file contains twice.
type PixelFormat string

// The six formats of the document. A texture in another format is kept as bytes.
const (
	DXT1     PixelFormat = "PF_DXT1"     // 8 bytes per block of 4 by 4 pixels
	DXT3     PixelFormat = "PF_DXT3"     // 16 bytes per block
	DXT5     PixelFormat = "PF_DXT5"     // 16 bytes per block
	BC5      PixelFormat = "PF_BC5"      // 16 bytes per block
	B8G8R8A8 PixelFormat = "PF_B8G8R8A8" // 4 bytes per pixel: blue, green, red, alpha
	G8       PixelFormat = "PF_G8"       // 1 byte per pixel
)

// blockOf returns the side in pixels and the size in bytes of a square block of
// a format. ok is false for a format that is not one of the six.
func blockOf(f PixelFormat) (side, size uint64, ok bool) {
	switch f {
	case DXT1:
		return 4, 8, true
	case DXT3, DXT5, BC5:
		return 4, 16, true
	case B8G8R8A8:
		return 1, 4, true
	case G8:
		return 1, 1, true
	}
	return 1, 0, false
}

// PayloadSize returns the size in bytes of one slice of width by height
// pixels, and whether the format is one of the six (UA-MIP-4). It returns
// 2^64-1 for a size that does not fit 64 bits.
func (f PixelFormat) PayloadSize(width, height uint32) (size uint64, ok bool) {
	side, bytes, ok := blockOf(f)
	blocks := (uint64(width) + side - 1) / side * ((uint64(height) + side - 1) / side)
	high, size := bits.Mul64(blocks, bytes)
	if high > 0 {
		return math.MaxUint64, ok
	}
	return size, ok
}

// Texture2D is the body of a texture after its properties, from the 32-bit
// null (no object GUID) to the name None that ends the list of formats
// (UA-TEX-1 to 8).
type Texture2D struct {
	TextureStripFlags   StripFlags  // of UTexture, "Flags (1/3)": 1, 0 in every known file
	Texture2DStripFlags StripFlags  // of UTexture2D, "Flags (1/0)": 1, 0 in every known file
	PixelFormat         PixelFormat // "Type ID", and the text of "Type Name"
	// SkipOffset is the offset of the name that ends the list, "Offset to Largest
	// Mipmap [+8]"; for PF_G8 "Length of Image Data?".
	SkipOffset uint32
	SizeX      uint32 // pixels, "Original Image Width"
	SizeY      uint32 // pixels, "Original Image Height"
	NumSlices  uint32 // "Unknown (1)": 6 for a cube
	// FirstMipToSerialize is the number of greater mips that cooking omitted: "null", for PF_BC5 "Unknown (1)".
	FirstMipToSerialize uint32
	Mips                []Mip // the greatest first
	// Tail is the "Unknown (28)" that ends a PF_G8 texture on the documented side
	// of uasset.g8-layout. Otherwise it is nil.
	Tail *uint64
}

// StripFlags are the kinds of data that cooking omitted.
type StripFlags struct {
	Global uint8 // bit 0: no editor data, bit 1: no server data
	Class  uint8
}

// Bits of [Mip].BulkDataFlags (UA-MIP-2).
const (
	PayloadAtEndOfFile    = 0x0001 // OffsetInFile counts from BulkDataStartOffset
	SerializeCompressed   = 0x0002 // zlib; not supported
	SingleUse             = 0x0008
	Unused                = 0x0020 // no payload; not supported
	ForceInlinePayload    = 0x0040 // the payload follows OffsetInFile
	CompressedBitWindow   = 0x0080 // zlib; not supported
	PayloadInSeparateFile = 0x0100 // not supported
	ForceNotInlinePayload = 0x0400
)

// Mip is one level of detail (UA-MIP-1). The usual flags are 72 (0x48) if its
// payload is inline, and 1025 (0x401) if it is at the end of the file.
type Mip struct {
	BulkDataFlags uint32 // "Flags"
	Size          uint32 // of the payload in bytes, stored twice: as element count and as size on disk
	// OffsetInFile is the offset of the payload: from the start of the file if it
	// is inline, from BulkDataStartOffset if not.
	OffsetInFile int64
	Data         []byte // the payload; empty if it is not inline
	SizeX        uint32 // pixels
	SizeY        uint32 // pixels
}
