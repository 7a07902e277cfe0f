package texture

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/formatgauge/formatgauge/codec/uasset"
)

// Header is the header of a DirectDraw Surface file. It describes the pixels that follow: the
// mips from the largest to the
// smallest, and for a cube all mips of one face before those of the next.
type Header struct {
	Format        uasset.PixelFormat
	Width, Height uint32 // of the largest mip, in pixels, at least 1
	Mips          uint32 // at least 1
	Cube          bool   // six faces: +x, -x, +y, -y, +z, -z
}

const (
	headerSize = 124
	formatSize = 32

	hasCaps, hasHeight, hasWidth, hasPitch = 0x1, 0x2, 0x4, 0x8
	hasFormat, hasMips, hasLinearSize      = 0x1000, 0x20000, 0x80000

	alphaPixels, fourCC, rgb, luminance = 0x1, 0x4, 0x40, 0x20000

	capsComplex, capsTexture, capsMipmap = 0x8, 0x1000, 0x400000
	capsCube                             = 0xFE00 // a cube map with all six faces

	dxgiBC5       = 83 // DXGI_FORMAT_BC5_UNORM
	dimension2D   = 3
	miscCube      = 4
	reservedWords = 11
)

// ddsFormat is the part of the header that names a format.
type ddsFormat struct {
	flags, bits             uint32
	code                    string
	red, green, blue, alpha uint32
}

// PF_BC5 uses the DX10 extension, which has a number for it. Under the older code
// ATI2 readers disagree on the order of its two halves.
var ddsFormats = map[uasset.PixelFormat]ddsFormat{
	uasset.DXT1:     {flags: fourCC, code: "DXT1"},
	uasset.DXT3:     {flags: fourCC, code: "DXT3"},
	uasset.DXT5:     {flags: fourCC, code: "DXT5"},
	uasset.BC5:      {flags: fourCC, code: "DX10"},
	uasset.B8G8R8A8: {flags: rgb | alphaPixels, bits: 32, red: 0xFF0000, green: 0xFF00, blue: 0xFF, alpha: 0xFF000000},
	uasset.G8:       {flags: luminance, bits: 8, red: 0xFF},
}

// Append appends the header to dst: 128 bytes, or 148 for PF_BC5. The caller
// appends the pixels. It fails for an unknown format and for a width, height or
// number of mips of 0, and for a size of a row or an image above 2^32-1 bytes.
func (h *Header) Append(dst []byte) ([]byte, error) {
	f, ok := ddsFormats[h.Format]
	switch {
	case !ok:
		return dst, fmt.Errorf("dds: format %s does not exist", h.Format)
	case h.Width == 0 || h.Height == 0 || h.Mips == 0:
		return dst, fmt.Errorf("dds: expected at least 1 by 1 pixels and 1 mip, found %d by %d pixels and %d mips", h.Width,
			h.Height, h.Mips)
	}
	flags, rows := uint32(hasCaps|hasHeight|hasWidth|hasFormat), h.Height
	if f.bits == 0 {
		flags |= hasLinearSize
	} else {
		flags, rows = flags|hasPitch, 1
	}
	pitch, _ := h.Format.PayloadSize(h.Width, rows)
	if pitch > math.MaxUint32 {
		return dst, fmt.Errorf("dds: %d by %d pixels are too many for the 32-bit size in the header", h.Width, h.Height)
	}
	caps, caps2 := uint32(capsTexture), uint32(0)
	if h.Mips > 1 {
		flags |= hasMips
		caps |= capsComplex | capsMipmap
	}
	if h.Cube {
		caps |= capsComplex
		caps2 = capsCube
	}
	words := func(v ...uint32) {
		for _, x := range v {
			dst = binary.LittleEndian.AppendUint32(dst, x)
		}
	}
	dst = append(dst, "DDS "...)
	words(headerSize, flags, h.Height, h.Width, uint32(pitch), 0, h.Mips)
	dst = append(dst, make([]byte, 4*reservedWords)...)
	words(formatSize, f.flags)
	dst = append(dst, (f.code + "\x00\x00\x00\x00")[:4]...)
	words(f.bits, f.red, f.green, f.blue, f.alpha)
	words(caps, caps2, 0, 0, 0)
	if f.code == "DX10" {
		misc := uint32(0)
		if h.Cube {
			misc = miscCube
		}
		words(dxgiBC5, dimension2D, misc, 1, 0)
	}
	return dst, nil
}
