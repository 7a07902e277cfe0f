package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/internal/texturesample"
)

var (
	oneTexture  = []texturesample.Texture{{Name: "T_Rock", Format: uasset.DXT5, Width: 256, Height: 128}}
	allTextures = []texturesample.Texture{
		{Name: "T_DXT1", Format: uasset.DXT1, Width: 64, Height: 64},
		{Name: "T_DXT3", Format: uasset.DXT3, Width: 30, Height: 50},
		{Name: "T_DXT5", Format: uasset.DXT5, Width: 128, Height: 128},
		{Name: "T_BC5", Format: uasset.BC5, Width: 64, Height: 32},
		{Name: "T_BGRA", Format: uasset.B8G8R8A8, Width: 17, Height: 9},
		{Name: "T_G8", Format: uasset.G8, Width: 33, Height: 20, OneMip: true},
		{Name: "T_Cube", Format: uasset.DXT1, Width: 16, Height: 16, Cube: true},
	}
)

// scriptPackages writes the packages that the scripts use.
func scriptPackages(dir string) error {
	for name, textures := range map[string][]texturesample.Texture{
		"one.uasset": oneTexture, "all.uasset": allTextures, "none.uasset": nil,
		"other.uasset": oneTexture,
		"twice.uasset": {oneTexture[0], oneTexture[0]},
	} {
		b, err := texturesample.File(textures...)
		if name == "other.uasset" {
			b = bytes.ReplaceAll(b, []byte("PF_DXT5"), []byte("PF_ETC2"))
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func TestUassetScripts(t *testing.T) {
	runScripts(t, "uasset", func(e *testscript.Env) error { return scriptPackages(e.WorkDir) })
}

// uassetText is what uasset info prints.
func uassetText(t *testing.T, f *uasset.Package) string {
	t.Helper()
	text, err := filled("uasset info", hexdump.Style{}, describeUasset(f, 0))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestClassInThePackage: the class of an object can be another export.
func TestClassInThePackage(t *testing.T) {
	f, err := texturesample.Package(oneTexture[0])
	if err != nil {
		t.Fatal(err)
	}
	own := f.Exports[0]
	own.ClassIndex = 1
	f.Exports, f.Objects = append(f.Exports, own), append(f.Objects, uasset.Object{})
	if got := uassetText(t, &f); !strings.Contains(got, "\n1    T_Rock  T_Rock  ") {
		t.Error(got)
	}
}

// exports writes the packages of the scripts. The returned function runs formatgauge uasset
// texture on the package with all textures, and returns the file that it writes.
func exports(t *testing.T, to string) func(args ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := scriptPackages(dir); err != nil {
		t.Fatal(err)
	}
	return func(args ...string) []byte {
		to := filepath.Join(dir, to)
		args = append([]string{"uasset", "texture", filepath.Join(dir, "all.uasset"), "-o", to, "--export"}, args...)
		code, _, stderr := runIn(args...)
		b, err := os.ReadFile(to)
		if code != exitOK || err != nil {
			t.Fatalf("exit code %d: %s; %v", code, stderr, err)
		}
		return b
	}
}

// TestUassetPictures: the exported image of each format is the original image.
func TestUassetPictures(t *testing.T) {
	export := exports(t, "out.png")
	for _, c := range allTextures {
		t.Run(c.Name, func(t *testing.T) {
			slices := 1
			if c.Cube {
				slices = cubeFaces
			}
			got, err := png.Decode(bytes.NewReader(export(c.Name)))
			if err != nil {
				t.Fatal(err)
			}
			if want := image.Pt(c.Width, c.Height*slices); got.Bounds().Size() != want {
				t.Fatalf("size of the image is %v, want %v", got.Bounds().Size(), want)
			}
			for slice := range slices {
				original := texturesample.Picture(c.Format, c.Width, c.Height, slice)
				for i := range c.Width * c.Height {
					x, y := i%c.Width, i/c.Width
					got, want := stored(c.Format, got.At(x, y+slice*c.Height)), stored(c.Format, original.At(x, y))
					if got != want {
						t.Fatalf("slice %d, pixel %d, %d is %v, want %v", slice, x, y, got, want)
					}
				}
			}
		})
	}
}

// stored returns what a format stores of a colour. Transparent colours are all the same.
func stored(f uasset.PixelFormat, c color.Color) color.NRGBA {
	out := color.NRGBAModel.Convert(c).(color.NRGBA)
	switch {
	case f == uasset.G8:
		out.A = 255
		return color.NRGBA{R: color.GrayModel.Convert(out).(color.Gray).Y}
	case f == uasset.BC5:
		return color.NRGBA{R: out.R, G: out.G}
	case out.A == 0:
		return color.NRGBA{}
	case f == uasset.DXT1 && out.A >= 128:
		out.A = 255
	}
	return out
}

// TestUassetSurfaces: a DDS file contains the payloads unchanged, for a cube
// face by face.
func TestUassetSurfaces(t *testing.T) {
	f, err := texturesample.Package(allTextures...)
	if err != nil {
		t.Fatal(err)
	}
	export := exports(t, "out.dds")
	for i, c := range allTextures {
		t.Run(c.Name, func(t *testing.T) {
			check := func(want []byte, args ...string) {
				t.Helper()
				got := export(append([]string{c.Name}, args...)...)
				if header := len(got) - len(want); !bytes.HasSuffix(got, want) || header != 128 && header != 148 {
					t.Errorf("expected a header of 128 or 148 bytes and %d bytes of pixels, found %d bytes or other pixels",
						len(want), len(got))
				}
			}
			texture := f.Objects[i].Texture
			var all, last []byte
			for slice := range int(texture.NumSlices) {
				for j := range texture.Mips {
					pixels, ok := f.Payload(&texture.Mips[j])
					if !ok {
						t.Fatal("a payload is missing")
					}
					size := len(pixels) / int(texture.NumSlices)
					all, last = append(all, pixels[slice*size:][:size]...), pixels
				}
			}
			check(all)
			check(last, "--mip", strconv.Itoa(len(texture.Mips)-1))
		})
	}
}

// TestDescribeSoftReferences: uasset info prints the packages that a package
// refers to.
func TestDescribeSoftReferences(t *testing.T) {
	f, err := texturesample.Package(oneTexture...)
	if err != nil {
		t.Fatal(err)
	}
	plain := uassetText(t, &f)
	f.SoftPackageReferences = []uasset.FString{{Text: "/Game/A"}, {Text: "/Game/\x1bB"}}
	if got := uassetText(t, &f); !strings.Contains(got, "soft reference to /Game/A\nsoft reference to ") ||
		strings.Contains(got, "\x1b") || strings.Contains(plain, "soft reference") {
		t.Errorf("%q, without references %q", got, plain)
	}
}
