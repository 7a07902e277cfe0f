// Package texturesample creates packages with textures for tests. No public
// file is an all-in-one package of these engine versions with a texture. The
// package paints an image, compresses it with a simple encoder and lets the
// codec build a package with it.
package texturesample

import (
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
	f := model.Package{Summary: model.Summary{PackageFlags: 0x80000000, PackageSource: 0x5EEDF00D, SearchableNamesOffset: &searchable}}
	copy(f.Summary.PackageGuid[:], "a texture sample")
	name := func(s string) model.FName { return uasset.Name(&f, s) }
	core, class := name("/Script/CoreUObject"), name("Class")
	name("None")
	kinds := map[string]model.PackageIndex{}
	for _, kind := range []string{"Texture2D", "TextureCube"} {
		kinds[kind] = model.ImportIndex(len(f.Imports))
		f.Imports = append(f.Imports, model.Import{ClassPackage: core, ClassName: class, OuterIndex: model.ImportIndex(2), ObjectName: name(kind)})
	}
	f.Imports = append(f.Imports, model.Import{ClassPackage: core, ClassName: name("Package"), ObjectName: name("/Script/Engine")})
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
	f, _, err := uasset.New(wire.Settings{}).Rebuild(f, uasset.RebuildOptions{})
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
		{Name: name("ImportedSize"), Value: model.StructProperty{StructName: name("IntPoint"), Value: model.IntPoint{X: int32(t.Width), Y: int32(t.Height)}}},
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

// Picture paints an image whose orientation is visible: the upper left corner is
// red, blue increases to the right, green increases downwards, and in the middle
// is a disc with a transparent hole. The size of the hole depends on slice. For
// PF_BC5 the image is the normal map of a sphere.
func Picture(f model.PixelFormat, width, height, slice int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			u, v := (float64(x)+0.5)/float64(width), (float64(y)+0.5)/float64(height)
			img.SetNRGBA(x, y, paint(f, u, v, slice))
		}
	}
	return img
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
	for y := 0; y < img.Rect.Dy(); y += 4 {
		for x := 0; x < img.Rect.Dx(); x += 4 {
			out = append(out, encodeBlock(f, img, x, y)...)
		}
	}
	return out
}

func encodeBlock(f model.PixelFormat, img *image.NRGBA, x, y int) []byte {
	var b [16]color.NRGBA
	for i := range b {
		// Pixels outside the image repeat those at its edge.
		b[i] = img.NRGBAAt(min(x+i%4, img.Rect.Dx()-1), min(y+i/4, img.Rect.Dy()-1))
	}
	part := func(get func(color.NRGBA) uint8) (out [16]uint8) {
		for i := range b {
			out[i] = get(b[i])
		}
		return out
	}
	red := func(c color.NRGBA) uint8 { return c.R }
	green := func(c color.NRGBA) uint8 { return c.G }
	alpha := func(c color.NRGBA) uint8 { return c.A }
	switch f {
	case model.DXT1:
		return encodeColours(b, true)
	case model.DXT3:
		out := make([]byte, 8)
		for i, a := range part(alpha) {
			out[i/2] |= byte((int(a)*15+127)/255) << (4 * (i % 2))
		}
		return append(out, encodeColours(b, false)...)
	case model.DXT5:
		return append(encodeChannel(part(alpha)), encodeColours(b, false)...)
	case model.BC5:
		return append(encodeChannel(part(red)), encodeChannel(part(green))...)
	}
	panic(fmt.Sprintf("texturesample: no encoder for format %s", f))
}

// encodeChannel encodes values in eight steps from the greatest to the least.
func encodeChannel(v [16]uint8) []byte {
	least, greatest := v[0], v[0]
	for _, x := range v {
		least, greatest = min(least, x), max(greatest, x)
	}
	bits := uint64(0)
	for i, x := range v {
		step := 0 // counted from the greatest value
		if greatest > least {
			step = int(math.Round(7 * float64(greatest-x) / float64(greatest-least)))
		}
		index := map[int]uint64{0: 0, 7: 1}[step]
		if step > 0 && step < 7 {
			index = uint64(step) + 1
		}
		bits |= index << (3 * i)
	}
	out := []byte{greatest, least}
	for i := range 6 {
		out = append(out, byte(bits>>(8*i)))
	}
	return out
}

// encodeColours encodes a block as the two colours with the greatest distance,
// and colours between them. If oneBitAlpha is set and a pixel is transparent, the
// block has three colours and transparent black.
func encodeColours(b [16]color.NRGBA, oneBitAlpha bool) []byte {
	transparent := false
	p, q, greatest := b[0], b[0], -1
	for i, x := range b {
		transparent = transparent || oneBitAlpha && x.A < 128
		for _, y := range b[:i+1] {
			if d := distance(x, y); d > greatest && (!oneBitAlpha || x.A >= 128 && y.A >= 128) {
				p, q, greatest = x, y, d
			}
		}
	}
	c0, c1 := pack(p), pack(q)
	if (c0 < c1) != transparent {
		c0, c1 = c1, c0
	}
	palette := []color.NRGBA{unpack(c0), unpack(c1)}
	if transparent {
		palette = append(palette, interpolate(palette[0], palette[1], 0.5))
	} else if c0 != c1 {
		palette = append(palette, interpolate(palette[0], palette[1], 1.0/3), interpolate(palette[0], palette[1], 2.0/3))
	}
	bits := uint32(0)
	for i, x := range b {
		best := 0
		for j, c := range palette {
			if distance(x, c) < distance(x, palette[best]) {
				best = j
			}
		}
		if transparent && x.A < 128 {
			best = 3
		}
		bits |= uint32(best) << (2 * i)
	}
	return []byte{byte(c0), byte(c0 >> 8), byte(c1), byte(c1 >> 8), byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24)}
}

// distance returns the square of the distance between two colours.
func distance(p, q color.NRGBA) int {
	r, g, b := int(p.R)-int(q.R), int(p.G)-int(q.G), int(p.B)-int(q.B)
	return r*r + g*g + b*b
}

// pack rounds a colour to 5, 6 and 5 bits.
func pack(c color.NRGBA) uint16 {
	scale := func(v uint8, most int) uint16 { return uint16((int(v)*most + 127) / 255) }
	return scale(c.R, 31)<<11 | scale(c.G, 63)<<5 | scale(c.B, 31)
}

func unpack(c uint16) color.NRGBA {
	scale := func(v uint16, most int) uint8 { return uint8((int(v)*255 + most/2) / most) }
	return color.NRGBA{scale(c>>11, 31), scale(c>>5&0x3F, 63), scale(c&0x1F, 31), 255}
}

// interpolate returns p at t = 0 and q at t = 1.
func interpolate(p, q color.NRGBA, t float64) color.NRGBA {
	mix := func(a, b uint8) uint8 {
		return uint8(math.Round(float64(float64(a)*(1-t)) + float64(float64(b)*t)))
	}
	return color.NRGBA{mix(p.R, q.R), mix(p.G, q.G), mix(p.B, q.B), 255}
}
