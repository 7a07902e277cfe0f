package uasset

import "math"

// PixelFormat names how pixels are stored, by the text that the file gives twice.
type PixelFormat string

// The six formats of the document. A texture in another one is kept as bytes.
const (
	DXT1     PixelFormat = "PF_DXT1"     // 8 bytes for each block of 4 by 4
	DXT3     PixelFormat = "PF_DXT3"     // 16 bytes for each block
	DXT5     PixelFormat = "PF_DXT5"     // 16 bytes for each block
	BC5      PixelFormat = "PF_BC5"      // 16 bytes for each block
	B8G8R8A8 PixelFormat = "PF_B8G8R8A8" // 4 bytes for each pixel: blue, green, red, alpha
	G8       PixelFormat = "PF_G8"       // 1 byte for each pixel
)

// PayloadSize returns the number of bytes that one slice of the given size
// takes, at most 2^64-1, and whether the format is one of the six (UA-MIP-4).
func (f PixelFormat) PayloadSize(width, height uint32) (size uint64, ok bool) {
	w, h := uint64(width), uint64(height)
	blocks := (w + 3) / 4 * ((h + 3) / 4)
	switch f {
	case DXT1:
		return blocks * 8, true
	case DXT3, DXT5, BC5:
		return blocks * 16, true
	case B8G8R8A8:
		if w*h > math.MaxUint64/4 {
			return math.MaxUint64, true
		}
		return w * h * 4, true
	case G8:
		return w * h, true
	}
	return 0, false
}

// Texture2D is what follows the properties of a texture, from the 32-bit null
// (no object GUID) to the name None that ends the list of formats (UA-TEX-1 to 8).
type Texture2D struct {
	TextureStripFlags   StripFlags  // of UTexture, "Flags (1/3)": 1, 0 in every known file
	Texture2DStripFlags StripFlags  // of UTexture2D, "Flags (1/0)": 1, 0 in every known file
	PixelFormat         PixelFormat // "Type ID", and the text of "Type Name"
	// SkipOffset is where the name that ends the list stands, "Offset to Largest
	// Mipmap [+8]"; for PF_G8 "Length of Image Data?".
	SkipOffset uint32
	SizeX      uint32 // pixels, "Original Image Width"
	SizeY      uint32 // pixels, "Original Image Height"
	NumSlices  uint32 // "Unknown (1)": 6 for a cube
	// FirstMipToSerialize is the number of greater mips left out in cooking: "null", for PF_BC5 "Unknown (1)".
	FirstMipToSerialize uint32
	Mips                []Mip // the greatest first
	// Tail is the "Unknown (28)" that ends a PF_G8 texture in the documented
	// reading of uasset.g8-layout; otherwise it is nil.
	Tail *uint64
}

// StripFlags tell what cooking left out.
type StripFlags struct {
	Global uint8 // bit 0: no editor data, bit 1: no server data
	Class  uint8
}

// Bits of [Mip].BulkDataFlags (UA-MIP-2).
const (
	PayloadAtEndOfFile    = 0x0001 // OffsetInFile counts from BulkDataStartOffset
	SerializeCompressed   = 0x0002 // zlib; not read here
	SingleUse             = 0x0008
	Unused                = 0x0020 // no payload; not read here
	ForceInlinePayload    = 0x0040 // the payload follows OffsetInFile
	CompressedBitWindow   = 0x0080 // zlib; not read here
	PayloadInSeparateFile = 0x0100 // not read here
	ForceNotInlinePayload = 0x0400
)

// Mip is one level of detail. An inline one usually has flags 72 (0x48), one
// at the end of the file 1025 (0x401) (UA-MIP-1).
type Mip struct {
	BulkDataFlags uint32 // "Flags"
	Size          uint32 // bytes of the payload, stored twice: as element count and as size on disk
	// OffsetInFile is where the payload stands: from the start of the file if it
	// is inline, from BulkDataStartOffset if not.
	OffsetInFile int64
	Data         []byte // the pixels; empty if they are not inline
	SizeX        uint32 // pixels
	SizeY        uint32 // pixels
}
