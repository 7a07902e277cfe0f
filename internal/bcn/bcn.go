// Package bcn turns pixels as textures store them into pictures: the block
// compressions BC1, BC2, BC3 and BC5, and two plain layouts. It decodes only.
//
// A block covers 4 by 4 pixels and stands in the data whole, also where it
// reaches past the right or lower edge of the picture.
package bcn

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"
)

// Format is how pixels are stored.
type Format uint8

const (
	// BC1 (DXT1) has two colours of 16 bits and 2 bits a pixel: 8 bytes a block.
	BC1 Format = iota
	// BC2 (DXT3) has 4 bits of alpha a pixel before a BC1 block: 16 bytes.
	BC2
	// BC3 (DXT5) has two alphas and 3 bits a pixel before a BC1 block: 16 bytes.
	BC3
	// BC5 has red and green as BC3 has alpha: 16 bytes. Blue is worked out as
	// the third part of a direction of length 1.
	BC5
	// BGRA has blue, green, red and alpha of a byte each.
	BGRA
	// Gray has one byte a pixel.
	Gray
)

const edge = 4 // pixels along a side of a block

// Size returns the bytes of a picture of the given size. It fails for sizes
// that are negative or that no memory holds.
func (f Format) Size(width, height int) (int, error) {
	const most = 1 << 20 // pixels along a side, so that nothing overflows 64 bits
	if width < 0 || height < 0 || width > most || height > most {
		return 0, fmt.Errorf("bcn: no picture has %d by %d pixels", width, height)
	}
	blocks := ((width + edge - 1) / edge) * ((height + edge - 1) / edge)
	switch f {
	case BC1:
		return blocks * 8, nil
	case BC2, BC3, BC5:
		return blocks * 16, nil
	case BGRA:
		return width * height * 4, nil
	case Gray:
		return width * height, nil
	}
	return 0, fmt.Errorf("bcn: no format %d", f)
}

// Decode returns the picture in src, which has to have exactly the bytes that
// [Format.Size] gives. Alpha is not multiplied into the colours.
func Decode(f Format, width, height int, src []byte) (*image.NRGBA, error) {
	size, err := f.Size(width, height)
	if err != nil {
		return nil, err
	}
	if len(src) != size {
		return nil, fmt.Errorf("bcn: %d bytes where %d by %d pixels take %d", len(src), width, height, size)
	}
	dst := image.NewNRGBA(image.Rect(0, 0, width, height))
	switch f {
	case BGRA:
		for i := 0; i < len(src); i += 4 {
			dst.Pix[i], dst.Pix[i+1], dst.Pix[i+2], dst.Pix[i+3] = src[i+2], src[i+1], src[i], src[i+3]
		}
	case Gray:
		for i, v := range src {
			dst.Pix[4*i], dst.Pix[4*i+1], dst.Pix[4*i+2], dst.Pix[4*i+3] = v, v, v, 0xFF
		}
	default:
		decodeBlocks(f, dst, src)
	}
	return dst, nil
}

// block is 16 pixels, row by row.
type block [edge * edge]color.NRGBA

func decodeBlocks(f Format, dst *image.NRGBA, src []byte) {
	size := 16
	if f == BC1 {
		size = 8
	}
	for y := 0; y < dst.Rect.Dy(); y += edge {
		for x := 0; x < dst.Rect.Dx(); x += edge {
			b := decodeBlock(f, src[:size])
			src = src[size:]
			for i, c := range b {
				if p := image.Pt(x+i%edge, y+i/edge); p.In(dst.Rect) {
					dst.SetNRGBA(p.X, p.Y, c)
				}
			}
		}
	}
}

func decodeBlock(f Format, src []byte) (b block) {
	switch f {
	case BC1:
		colours(&b, src, true)
	case BC2:
		colours(&b, src[8:], false)
		bits := binary.LittleEndian.Uint64(src)
		for i := range b {
			b[i].A = uint8(bits>>(4*i)&0xF) * 0x11
		}
	case BC3:
		colours(&b, src[8:], false)
		for i, v := range ramp(src) {
			b[i].A = v
		}
	case BC5:
		red, green := ramp(src), ramp(src[8:])
		for i := range b {
			b[i] = color.NRGBA{red[i], green[i], third(red[i], green[i]), 0xFF}
		}
	}
	return b
}

// colours decodes the 8 bytes of a BC1 block. Where the first of its two
// colours is not the greater, as a number, and that may mean something, the
// block has three colours and transparent black.
func colours(b *block, src []byte, threeColours bool) {
	c0, c1 := binary.LittleEndian.Uint16(src), binary.LittleEndian.Uint16(src[2:])
	palette := [4]color.NRGBA{expand(c0), expand(c1)}
	p, q := palette[0], palette[1]
	if c0 > c1 || !threeColours {
		palette[2] = mix(p, q, 2, 1)
		palette[3] = mix(p, q, 1, 2)
	} else {
		palette[2] = mix(p, q, 1, 1)
		palette[3] = color.NRGBA{}
	}
	bits := binary.LittleEndian.Uint32(src[4:])
	for i := range b {
		b[i] = palette[bits>>(2*i)&3]
	}
}

// expand widens 5, 6 and 5 bits to 8 each by repeating their upper bits.
func expand(c uint16) color.NRGBA {
	r, g, b := uint8(c>>11), uint8(c>>5&0x3F), uint8(c&0x1F)
	return color.NRGBA{r<<3 | r>>2, g<<2 | g>>4, b<<3 | b>>2, 0xFF}
}

// mix returns m parts of p and n parts of q.
func mix(p, q color.NRGBA, m, n uint) color.NRGBA {
	return color.NRGBA{share(p.R, q.R, m, n), share(p.G, q.G, m, n), share(p.B, q.B, m, n), 0xFF}
}

// share rounds to the nearest, and up from the middle.
func share(p, q uint8, m, n uint) uint8 {
	sum := m + n
	return uint8((m*uint(p) + n*uint(q) + sum/2) / sum)
}

// ramp decodes 8 bytes of two ends and 3 bits a pixel. If the first end is the
// greater there are six steps between, else four, and 0 and 255.
func ramp(src []byte) (out [edge * edge]uint8) {
	p, q := src[0], src[1]
	steps := [8]uint8{p, q}
	if p > q {
		for i := uint(1); i <= 6; i++ {
			steps[i+1] = share(p, q, 7-i, i)
		}
	} else {
		for i := uint(1); i <= 4; i++ {
			steps[i+1] = share(p, q, 5-i, i)
		}
		steps[6], steps[7] = 0, 0xFF
	}
	bits := binary.LittleEndian.Uint64(src) >> 16
	for i := range out {
		out[i] = steps[bits>>(3*i)&7]
	}
	return out
}

// third works out the third part of a direction of length 1 from two, each in
// 0 to 255 for -1 to 1. It looks towards the viewer; of directions that are
// too long already it is 0.
func third(x, y uint8) uint8 {
	u, v := float64(x)/127.5-1, float64(y)/127.5-1
	left := 1 - float64(u*u) - float64(v*v)
	return uint8(math.Round((math.Sqrt(math.Max(0, left)) + 1) * 127.5))
}
