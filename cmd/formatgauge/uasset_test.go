package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
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

// exportTexture runs formatgauge uasset texture on the package with all textures
// and returns the content of the file that it writes.
func exportTexture(t *testing.T, to string, args ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := scriptPackages(dir); err != nil {
		t.Fatal(err)
	}
	to = filepath.Join(dir, to)
	args = append([]string{"uasset", "texture", filepath.Join(dir, "all.uasset"), "-o", to}, args...)
	if code, _, stderr := runIn(args...); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	b, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestUassetPictures: the exported image of each format is the original image.
func TestUassetPictures(t *testing.T) {
	for _, c := range allTextures {
		slices := 1
		if c.Cube {
			slices = cubeFaces
		}
		t.Run(c.Name, func(t *testing.T) {
			got, err := png.Decode(bytes.NewReader(exportTexture(t, "out.png", "--export", c.Name)))
			if err != nil {
				t.Fatal(err)
			}
			if want := image.Pt(c.Width, c.Height*slices); got.Bounds().Size() != want {
				t.Fatalf("size of the image is %v, want %v", got.Bounds().Size(), want)
			}
			sum, n := 0.0, 0
			for slice := range slices {
				want := texturesample.Picture(c.Format, c.Width, c.Height, slice)
				for y := range c.Height {
					for x := range c.Width {
						sum += pixelDifference(c.Format, got.At(x, y+slice*c.Height), want.NRGBAAt(x, y))
						n++
					}
				}
			}
			if sum != 0 {
				t.Errorf("mean difference of pixels is %.2f", sum/float64(n))
			}
		})
	}
}

// TestUassetSurfaces: a DDS file contains the payloads unchanged, for a cube
// face by face.
func TestUassetSurfaces(t *testing.T) {
	f, err := texturesample.Package(allTextures...)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range allTextures {
		t.Run(c.Name, func(t *testing.T) {
			texture := f.Objects[i].Texture
			var parts [6][]byte
			for j := range texture.Mips {
				pixels, ok := f.Payload(&texture.Mips[j])
				if !ok {
					t.Fatal("a payload is missing")
				}
				size := len(pixels) / int(texture.NumSlices)
				for slice := range int(texture.NumSlices) {
					parts[slice] = append(parts[slice], pixels[slice*size:][:size]...)
				}
			}
			got := exportTexture(t, "out.dds", "--export", c.Name)
			if want := bytes.Join(parts[:], nil); !bytes.HasSuffix(got, want) || len(got)-len(want) != 128 &&
				len(got)-len(want) != 148 {
				t.Errorf("expected a header of 128 or 148 bytes and %d bytes of pixels, found %d bytes or other pixels",
					len(want), len(got))
			}
			last := len(texture.Mips) - 1
			pixels, _ := f.Payload(&texture.Mips[last])
			if got := exportTexture(t, "out.dds", "--export", c.Name, "--mip", string(rune('0'+last))); !bytes.HasSuffix(got,
				pixels) || len(got)-len(pixels) > 148 {
				t.Errorf("last mip only: expected a header and %d bytes of pixels, found %d bytes or other pixels",
					len(pixels), len(got))
			}
		})
	}
}

// pixelDifference returns the mean difference of the channels that a format
// stores. The colours of transparent pixels are not compared.
func pixelDifference(f uasset.PixelFormat, got color.Color, want color.NRGBA) float64 {
	c := color.NRGBAModel.Convert(got).(color.NRGBA)
	gap := func(x, y uint8) float64 { return math.Abs(float64(x) - float64(y)) }
	switch f {
	case uasset.G8:
		want.A = 255
		return gap(c.R, color.GrayModel.Convert(want).(color.Gray).Y)
	case uasset.BC5:
		return (gap(c.R, want.R) + gap(c.G, want.G)) / 2
	case uasset.DXT1:
		if want.A >= 128 {
			want.A = 255
		}
	}
	if c.A == 0 && want.A == 0 {
		return 0
	}
	return (gap(c.R, want.R) + gap(c.G, want.G) + gap(c.B, want.B) + gap(c.A, want.A)) / 4
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
