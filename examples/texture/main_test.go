package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/internal/texturesample"
)

func file(t *testing.T, textures ...texturesample.Texture) []byte {
	t.Helper()
	b, err := texturesample.File(textures...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func samePixels(a, b image.Image) bool {
	if a.Bounds() != b.Bounds() {
		return false
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if color.NRGBAModel.Convert(a.At(x, y)) != color.NRGBAModel.Convert(b.At(x, y)) {
				return false
			}
		}
	}
	return true
}

func TestExport(t *testing.T) {
	for _, format := range []uasset.PixelFormat{uasset.B8G8R8A8, uasset.DXT1, uasset.DXT5} {
		var out bytes.Buffer
		if err := export(&out,
			file(t, texturesample.Texture{Name: "T_Rock", Format: format, Width: 17, Height: 9})); err != nil {
			t.Fatal(err)
		}
		got, err := png.Decode(&out)
		if err != nil {
			t.Fatal(err)
		}
		if want := texturesample.Picture(format, 17, 9, 0); !samePixels(got, want) {
			t.Errorf("%s: the image differs from the one in the package", format)
		}
	}
	for name, src := range map[string][]byte{"no texture": file(t), "no package": []byte("text")} {
		if err := export(io.Discard, src); err == nil {
			t.Errorf("%s: expected an error", name)
		}
	}
}
