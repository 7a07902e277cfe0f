// Package texturesample creates packages with textures for tests. No public
// file is an all-in-one package of these engine versions with a texture. The
// package paints an image and lets the codec build a package with it. In a
// compressed format each block has one colour that the format can store, so that
// the decoded image is the painted one.
package texturesample

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// A Texture describes a texture to create. Width and Height are in pixels.
type Texture struct {
	Name          string
	Format        model.PixelFormat
	Width, Height int
	Cube          bool
	OneMip        bool // omit the smaller mips
}

// Package returns a package of Unreal Engine 4.15 that contains the textures.
func Package(textures ...Texture) (model.Package, error) {
	searchable := uint32(0)
	f := model.Package{Summary: model.Summary{
		PackageFlags: 0x80000000, PackageSource: 0x5EEDF00D,
		SearchableNamesOffset: &searchable, Generations: make([]model.Generation, 1),
	}}
	copy(f.Summary.PackageGuid[:], "a texture sample")
	name := func(s string) model.FName { return uasset.AddName(&f, s) }
	core, class := name("/Script/CoreUObject"), name("Class")
	name("None")
	kinds := map[string]model.PackageIndex{}
	for _, kind := range []string{"Texture2D", "TextureCube"} {
		kinds[kind] = model.ImportIndex(len(f.Imports))
		f.Imports = append(f.Imports, model.Import{
			ClassPackage: core, ClassName: class, OuterIndex: model.ImportIndex(2),
			ObjectName: name(kind),
		})
	}
	f.Imports = append(f.Imports,
		model.Import{ClassPackage: core, ClassName: name("Package"), ObjectName: name("/Script/Engine")})
	for i, t := range textures {
		list := properties(name, t, i)
		kind := "Texture2D"
		if t.Cube {
			kind = "TextureCube"
		}
		f.Exports = append(f.Exports, model.Export{
			ClassIndex: kinds[kind], ObjectName: name(t.Name), ObjectFlags: 1, IsAsset: 1, FirstExportDependency: -1,
		})
		f.Objects = append(f.Objects, model.Object{Properties: &list, Texture: texture(name, t), Data: []byte{}})
	}
	f, _, err := uasset.New(wire.Settings{}).Rebuild(f)
	return f, err
}

// File returns the bytes of [Package].
func File(textures ...Texture) ([]byte, error) {
	f, err := Package(textures...)
	if err != nil {
		return nil, err
	}
	return uasset.New(wire.Settings{}).Package().Append(nil, f)
}

// properties returns properties that textures commonly have.
func properties(name func(string) model.FName, t Texture, i int) model.PropertyList {
	for _, s := range []string{"StructProperty", "BoolProperty", "ByteProperty"} {
		name(s)
	}
	group := name("TEXTUREGROUP_World")
	guid := model.Guid{0: 0xFE, 15: byte(i)}
	list := model.PropertyList{
		{
			Name: name("ImportedSize"),
			Value: model.StructProperty{
				StructName: name("IntPoint"),
				Value:      model.IntPoint{X: int32(t.Width), Y: int32(t.Height)},
			},
		},
		{Name: name("LightingGuid"), Value: model.StructProperty{StructName: name("Guid"), Value: guid}},
		{Name: name("LODGroup"), Value: model.ByteProperty{EnumName: name("TextureGroup"), ValueName: &group}},
	}
	if t.Format == model.BC5 {
		list = append(list, model.Property{Name: name("SRGB"), Value: model.BoolProperty(false)})
	}
	return list
}

const largeMip = 128 // pixels per side: cooking stores payloads of such mips at the end of the file

func texture(name func(string) model.FName, t Texture) *model.Texture2D {
	name(string(t.Format))
	out := &model.Texture2D{
		TextureStripFlags: model.StripFlags{Global: 1}, Texture2DStripFlags: model.StripFlags{Global: 1},
		PixelFormat: t.Format, SizeX: uint32(t.Width), SizeY: uint32(t.Height), NumSlices: 1, Mips: []model.Mip{},
	}
	if t.Cube {
		out.NumSlices = 6
	}
	for w, h := t.Width, t.Height; ; w, h = max(1, w/2), max(1, h/2) {
		m := model.Mip{BulkDataFlags: model.ForceInlinePayload | model.SingleUse, SizeX: uint32(w), SizeY: uint32(h)}
		if w >= largeMip && h >= largeMip {
			m.BulkDataFlags = model.PayloadAtEndOfFile | model.ForceNotInlinePayload
		}
		for slice := range out.NumSlices {
			m.Data = append(m.Data, Encode(t.Format, Picture(t.Format, w, h, int(slice)))...)
		}
		out.Mips = append(out.Mips, m)
		if w == 1 && h == 1 || t.OneMip {
			return out
		}
	}
}

// side is the number of pixels per side of a block of a compressed format.
const side = 4

func isCompressed(f model.PixelFormat) bool { return f != model.B8G8R8A8 && f != model.G8 }

// Picture paints an image whose orientation is visible: the upper left corner is
// red, blue increases to the right, green increases downwards, and in the middle
// is a disc with a transparent hole. The size of the hole depends on slice. For
// PF_BC5 the image is the normal map of a sphere.
func Picture(f model.PixelFormat, width, height, slice int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			u, v := (float64(x)+0.5)/float64(width), (float64(y)+0.5)/float64(height)
			if isCompressed(f) { // the middle of the block
				u, v = float64(x/side*side+side/2)/float64(width), float64(y/side*side+side/2)/float64(height)
			}
			img.SetNRGBA(x, y, stored(f, paint(f, min(u, 1), min(v, 1), slice)))
		}
	}
	return img
}

// stored returns the nearest colour that a format can store.
func stored(f model.PixelFormat, c color.NRGBA) color.NRGBA {
	if f == model.DXT1 {
		if c.A < 128 {
			return color.NRGBA{}
		}
		c.A = 255
	}
	if f == model.DXT1 || f == model.DXT3 || f == model.DXT5 {
		c.R, c.G, c.B = c.R&^7|c.R>>5, c.G&^3|c.G>>6, c.B&^7|c.B>>5 // the upper bits again
	}
	if f == model.DXT3 {
		c.A = c.A >> 4 * 0x11
	}
	return c
}

// paint returns the colour at (u, v), each from 0 to 1.
func paint(f model.PixelFormat, u, v float64, slice int) color.NRGBA {
	dx, dy := 2*u-1, 2*v-1
	r := math.Hypot(dx, dy)
	if f == model.BC5 {
		if r > 0.9 {
			return color.NRGBA{128, 128, 255, 255}
		}
		// Green points down, as in textures of this engine.
		return color.NRGBA{level((dx/0.9 + 1) / 2), level((dy/0.9 + 1) / 2), 0, 255}
	}
	c := color.NRGBA{40, level(v), level(u), 255}
	switch {
	case u < 0.2 && v < 0.2:
		c = color.NRGBA{255, 0, 0, 255}
	case r < 0.15+0.08*float64(slice):
		c = color.NRGBA{}
	case r < 0.8:
		c = color.NRGBA{255, level(0.8 - v/2), 60, level(1 - r/2)}
	}
	return c
}

// level converts 0 to 1 to 0 to 255.
func level(v float64) uint8 { return uint8(math.Round(255 * min(1, max(0, v)))) }

// Encode encodes an image in a pixel format. It panics for a format that
// textures here do not have.
func Encode(f model.PixelFormat, img *image.NRGBA) []byte {
	var out []byte
	switch f {
	case model.B8G8R8A8:
		for i := 0; i < len(img.Pix); i += 4 {
			out = append(out, img.Pix[i+2], img.Pix[i+1], img.Pix[i], img.Pix[i+3])
		}
		return out
	case model.G8:
		for i := 0; i < len(img.Pix); i += 4 {
			out = append(out, color.GrayModel.Convert(color.NRGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], 255}).(color.Gray).Y)
		}
		return out
	}
	for y := 0; y < img.Rect.Dy(); y += side {
		for x := 0; x < img.Rect.Dx(); x += side {
			out = append(out, block(f, img.NRGBAAt(x, y))...)
		}
	}
	return out
}

// block returns a block of one colour: each pixel is the first end.
func block(f model.PixelFormat, c color.NRGBA) []byte {
	rgb := uint16(c.R>>3)<<11 | uint16(c.G>>2)<<5 | uint16(c.B>>3)
	colours := []byte{byte(rgb), byte(rgb >> 8), 0, 0, 0, 0, 0, 0}
	channel := func(v uint8) []byte { return []byte{v, 0, 0, 0, 0, 0, 0, 0} }
	switch {
	case f == model.DXT1 && c.A == 0: // three equal colours and transparent black
		return []byte{0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF}
	case f == model.DXT1:
		return colours
	case f == model.DXT3:
		return append(bytes.Repeat([]byte{c.A}, 8), colours...)
	case f == model.DXT5:
		return append(channel(c.A), colours...)
	case f == model.BC5:
		return append(channel(c.R), channel(c.G)...)
	}
	panic(fmt.Sprintf("texturesample: no encoder for format %s", f))
}
