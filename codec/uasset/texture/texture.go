// Package texture decodes the textures of packages of Unreal Engine 4: the block
// compressions BC1, BC2, BC3 and BC5, and two formats without compression. It also
// writes the header of DDS files, which store textures with their compression.
package texture

import (
	"errors"
	"fmt"
	"image"
	"slices"

	"github.com/formatgauge/formatgauge/codec/uasset"
)

// Slices returns the payload of a mip, slice by slice.
func Slices(f *uasset.Package, t *uasset.Texture2D, m *uasset.Mip) ([][]byte, error) {
	all, ok := f.Payload(m)
	size, _ := t.PixelFormat.PayloadSize(m.SizeX, m.SizeY)
	if !ok || size == 0 || uint64(len(all)) != size*uint64(t.NumSlices) || t.NumSlices == 0 {
		return nil, fmt.Errorf("cannot export a mip of %d by %d pixels with %d slices and %d bytes", m.SizeX, m.SizeY,
			t.NumSlices, len(all))
	}
	return slices.Collect(slices.Chunk(all, int(size))), nil
}

// Picture returns the pixels of a mip. The slices of a cube are below each other, and
// blue of PF_BC5 is computed from red and green.
func Picture(f *uasset.Package, t *uasset.Texture2D, mip int) (*image.NRGBA, error) {
	if mip < 0 || mip >= len(t.Mips) {
		return nil, errors.New("the texture has no such mip")
	}
	m := &t.Mips[mip]
	parts, err := Slices(f, t, m)
	if err != nil {
		return nil, err
	}
	width, height := int(m.SizeX), int(m.SizeY)
	all := image.NewNRGBA(image.Rect(0, 0, width, height*len(parts)))
	for i, part := range parts {
		img, err := Decode(t.PixelFormat, width, height, part)
		if err != nil {
			return nil, err
		}
		copy(all.Pix[i*len(img.Pix):], img.Pix)
	}
	return all, nil
}
