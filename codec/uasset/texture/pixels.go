package texture

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/formatgauge/formatgauge/codec/uasset"
)

const edge = 4 // width and height of a block in pixels

// Decode decodes the stored pixels of an image. It fails for a size that is negative
// or greater than 1<<20 pixels per side, for one whose four bytes per pixel do not fit
// an int, and unless src has the bytes of the format and the size. Alpha is not
// premultiplied. A block of a compressed format is stored whole even if a part of it is
// outside the image; blue of PF_BC5 is the third component of a unit vector.
func Decode(f uasset.PixelFormat, width, height int, src []byte) (*image.NRGBA, error) {
	const maxSide = 1 << 20
	if width < 0 || height < 0 || width > maxSide || height > maxSide || int64(width)*int64(height) > math.MaxInt/4 {
		return nil, fmt.Errorf("texture: invalid image size %d by %d pixels: expected 0 to %d per side, and at most %d "+
			"in all",
			width, height, maxSide, math.MaxInt/4)
	}
	size, ok := f.PayloadSize(uint32(width), uint32(height))
	if !ok {
		return nil, fmt.Errorf("texture: format %s does not exist", f)
	}
	if uint64(len(src)) != size {
		return nil, fmt.Errorf("texture: expected %d bytes for %d by %d pixels, found %d", size, width, height, len(src))
	}
	dst := image.NewNRGBA(image.Rect(0, 0, width, height))
	switch f {
	case uasset.B8G8R8A8:
		for i := 0; i < len(src); i += 4 {
			dst.Pix[i], dst.Pix[i+1], dst.Pix[i+2], dst.Pix[i+3] = src[i+2], src[i+1], src[i], src[i+3]
		}
	case uasset.G8:
		for i, v := range src {
			dst.Pix[4*i], dst.Pix[4*i+1], dst.Pix[4*i+2], dst.Pix[4*i+3] = v, v, v, 0xFF
		}
	default:
		decodeBlocks(f, dst, src)
	}
	return dst, nil
}

// block is the 16 pixels of a block, row by row.
type block [edge * edge]color.NRGBA

func decodeBlocks(f uasset.PixelFormat, dst *image.NRGBA, src []byte) {
	size, _ := f.PayloadSize(edge, edge)
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

func decodeBlock(f uasset.PixelFormat, src []byte) (b block) {
	switch f {
	case uasset.DXT1:
		decodeColours(&b, src, true)
	case uasset.DXT3:
		decodeColours(&b, src[8:], false)
		bits := binary.LittleEndian.Uint64(src)
		for i := range b {
			b[i].A = uint8(bits>>(4*i)&0xF) * 0x11
		}
	case uasset.DXT5:
		decodeColours(&b, src[8:], false)
		for i, v := range decodeChannel(src) {
			b[i].A = v
		}
	case uasset.BC5:
		red, green := decodeChannel(src), decodeChannel(src[8:])
		for i := range b {
			b[i] = color.NRGBA{red[i], green[i], normalZ(red[i], green[i]), 0xFF}
		}
	}
	return b
}

// decodeColours decodes the 8 bytes of a BC1 block. If the first of its two
// colours, as a number, is not greater than the second and threeColours is set,
// the block has three colours and transparent black.
func decodeColours(b *block, src []byte, threeColours bool) {
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

// expand widens 5, 6 and 5 bits to 8 bits each by repeating the upper bits.
func expand(c uint16) color.NRGBA {
	r, g, b := uint8(c>>11), uint8(c>>5&0x3F), uint8(c&0x1F)
	return color.NRGBA{r<<3 | r>>2, g<<2 | g>>4, b<<3 | b>>2, 0xFF}
}

// mix returns the weighted mean of p and q, with weights m and n.
func mix(p, q color.NRGBA, m, n uint) color.NRGBA {
	return color.NRGBA{mean(p.R, q.R, m, n), mean(p.G, q.G, m, n), mean(p.B, q.B, m, n), 0xFF}
}

// mean returns the weighted mean of p and q, rounded to the nearest integer,
// halves up.
func mean(p, q uint8, m, n uint) uint8 {
	sum := m + n
	return uint8((m*uint(p) + n*uint(q) + sum/2) / sum)
}

// decodeChannel decodes 8 bytes: two end values and an index of 3 bits per
// pixel. If the first end is greater than the second, the other indices select
// six values between the ends. Otherwise they select four values between the
// ends, 0 and 255.
func decodeChannel(src []byte) (out [edge * edge]uint8) {
	p, q := src[0], src[1]
	steps := [8]uint8{p, q, 7: 0xFF}
	between := uint(4)
	if p > q {
		between = 6
	}
	for i := uint(1); i <= between; i++ {
		steps[i+1] = mean(p, q, between+1-i, i)
	}
	bits := binary.LittleEndian.Uint64(src) >> 16
	for i := range out {
		out[i] = steps[bits>>(3*i)&7]
	}
	return out
}

// normalZ returns the z component of a unit vector from its x and y components.
// The values 0 to 255 represent -1 to 1. z is positive, or 0 if x and y alone
// give a length greater than 1.
func normalZ(x, y uint8) uint8 {
	u, v := float64(x)/127.5-1, float64(y)/127.5-1
	square := 1 - float64(u*u) - float64(v*v)
	return uint8(math.Round((math.Sqrt(math.Max(0, square)) + 1) * 127.5))
}
