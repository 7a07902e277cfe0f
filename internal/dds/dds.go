// Package dds writes the header of DirectDraw Surface files, which store
// textures with their mips and their compression.
package dds

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Format is the layout of the pixels after the header.
type Format uint8

const (
	DXT1 Format = iota // blocks of 4 by 4 pixels, as in DXT3, DXT5 and BC5
	DXT3               // with four bits of alpha per pixel
	DXT5               // with interpolated alpha
	BC5                // of two channels
	// BGRA has one byte each of blue, green, red and alpha.
	BGRA
	// Gray has one byte per pixel.
	Gray
)

// Header describes the pixels that follow it: the mips from the largest to the
// smallest, and for a cube all mips of one face before those of the next.
type Header struct {
	Format        Format
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

// pixelFormat is the part of the header that names a format.
type pixelFormat struct {
	flags, bits            uint32
	code                   string
	red, green, blue, alph uint32
	block                  uint32 // bytes per block of 4 by 4 pixels, 0 if uncompressed
}

// formats has what the header says of each format. BC5 uses the DX10 extension, which
// has a number for it: under the older code ATI2 readers disagree on the order of its
// two halves.
var formats = map[Format]pixelFormat{
	DXT1: {flags: fourCC, code: "DXT1", block: 8},
	DXT3: {flags: fourCC, code: "DXT3", block: 16},
	DXT5: {flags: fourCC, code: "DXT5", block: 16},
	BC5:  {flags: fourCC, code: "DX10", block: 16},
	BGRA: {flags: rgb | alphaPixels, bits: 32, red: 0x00FF0000, green: 0x0000FF00, blue: 0x000000FF, alph: 0xFF000000},
	Gray: {flags: luminance, bits: 8, red: 0xFF},
}

// Append appends the header to dst: 128 bytes, or 148 for BC5. The caller
// appends the pixels. It fails for an unknown format and for a width, height or
// number of mips of 0, and for a size of a row or an image above 2^32-1 bytes.
func Append(dst []byte, h Header) ([]byte, error) {
	f, ok := formats[h.Format]
	switch {
	case !ok:
		return dst, fmt.Errorf("dds: format %d does not exist", h.Format)
	case h.Width == 0 || h.Height == 0 || h.Mips == 0:
		return dst, fmt.Errorf("dds: expected at least 1 by 1 pixels and 1 mip, found %d by %d pixels and %d mips", h.Width,
			h.Height, h.Mips)
	}
	flags := uint32(hasCaps | hasHeight | hasWidth | hasFormat)
	width, height := uint64(h.Width), uint64(h.Height)
	pitch := (width*uint64(f.bits) + 7) / 8
	if f.block > 0 {
		flags |= hasLinearSize
		if pitch = (width + 3) / 4 * ((height + 3) / 4); pitch <= math.MaxUint32 {
			pitch *= uint64(f.block)
		}
	} else {
		flags |= hasPitch
	}
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
	words(f.bits, f.red, f.green, f.blue, f.alph)
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
