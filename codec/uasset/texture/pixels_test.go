package texture_test

import (
	"image/color"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/uasset/texture"
)

func nrgba(r, g, b, a uint8) color.NRGBA { return color.NRGBA{R: r, G: g, B: b, A: a} }

// check compares a decoded image with rows. Each character of a row is a key of
// legend.
func check(t *testing.T, f uasset.PixelFormat, width int, src []byte, legend map[rune]color.NRGBA, rows ...string) {
	t.Helper()
	img, err := texture.Decode(f, width, len(rows), src)
	if err != nil {
		t.Fatal(err)
	}
	for y, row := range rows {
		for x, r := range row {
			if got, want := img.NRGBAAt(x, y), legend[r]; got != want {
				t.Errorf("pixel %d,%d is %v, want %v", x, y, got, want)
			}
		}
	}
}

// Red is F800: 11111 000000 00000. Blue is 001F: 00000 000000 11111. As a
// number red is greater, so a block with red first has four colours:
//
//	0  255 0 0
//	1  0 0 255
//	2  (2*255 + 0)/3 = 170, 0, (0 + 255)/3 = 85
//	3  85, 0, 170
//
// The index of the first pixel is in the lowest bits: the row
// 0 1 2 3 is the byte 11 10 01 00 = E4, 3 2 1 0 is 00 01 10 11 = 1B.
var (
	fourColours = []byte{0x00, 0xF8, 0x1F, 0x00, 0xE4, 0x1B, 0x00, 0x55}
	four        = map[rune]color.NRGBA{
		'0': nrgba(255, 0, 0, 255), '1': nrgba(0, 0, 255, 255), '2': nrgba(170, 0, 85, 255), '3': nrgba(85, 0, 170, 255),
	}
)

func TestBC1FourColours(t *testing.T) {
	check(t, uasset.DXT1, 4, fourColours, four, "0123", "3210", "0000", "1111")
}

// Blue is less than red, so a block with blue first has three colours and
// transparent black.
//
//	0  0 0 255
//	1  255 0 0
//	2  (0 + 255)/2 = 127.5, rounded up: 128 0 128
//	3  0 0 0 0
func TestBC1ThreeColours(t *testing.T) {
	check(t, uasset.DXT1, 4, []byte{0x1F, 0x00, 0x00, 0xF8, 0xE4, 0x1B, 0xFF, 0xAA}, map[rune]color.NRGBA{
		'0': nrgba(0, 0, 255, 255), '1': nrgba(255, 0, 0, 255), '2': nrgba(128, 0, 128, 255), '3': {},
	}, "0123", "3210", "3333", "2222")
}

// A block with two equal colours has three colours too: index 3 is transparent
// black.
// 8410 is 10000 100000 10000: 16 of 31 becomes 10000 100 = 132, 32 of 63
// becomes 100000 10 = 130.
func TestBC1EqualColours(t *testing.T) {
	grey := nrgba(132, 130, 132, 255)
	check(t, uasset.DXT1, 4, []byte{0x10, 0x84, 0x10, 0x84, 0xE4, 0xE4, 0xE4, 0xE4},
		map[rune]color.NRGBA{'g': grey, '-': {}}, "ggg-", "ggg-", "ggg-", "ggg-")
}

// 0841 is 00001 000010 00001: 1 of 31 becomes 00001 000 = 8, 2 of 63 becomes
// 000010 00 = 8. Against black, one third is 8/3 = 2.67, rounded to 3, and
// two thirds 16/3 = 5.33, rounded to 5.
func TestBC1Rounding(t *testing.T) {
	check(t, uasset.DXT1, 4, []byte{0x41, 0x08, 0x00, 0x00, 0xE4, 0xE4, 0xE4, 0xE4}, map[rune]color.NRGBA{
		'0': nrgba(8, 8, 8, 255), '1': nrgba(0, 0, 0, 255), '2': nrgba(5, 5, 5, 255), '3': nrgba(3, 3, 3, 255),
	}, "0123", "0123", "0123", "0123")
}

// BC2 has 4 bits of alpha per pixel, low nibble first: bytes 10 32 are 0 1 2 3
// of 15, which become 0, 17, 34, 51. It always has four colours. Here blue is
// first: index 2 is (2*0 + 255)/3 = 85 red and 170 blue, index 3 is 170 red and
// 85 blue.
func TestBC2(t *testing.T) {
	src := []byte{
		0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE,
		0x1F, 0x00, 0x00, 0xF8, 0xE4, 0xE4, 0x00, 0x00,
	}
	check(t, uasset.DXT3, 4, src, map[rune]color.NRGBA{
		'0': nrgba(0, 0, 255, 0), '1': nrgba(255, 0, 0, 17), '2': nrgba(85, 0, 170, 34), '3': nrgba(170, 0, 85, 51),
		'4': nrgba(0, 0, 255, 68), '5': nrgba(255, 0, 0, 85), '6': nrgba(85, 0, 170, 102), '7': nrgba(170, 0, 85, 119),
		'8': nrgba(0, 0, 255, 136), '9': nrgba(0, 0, 255, 153), 'a': nrgba(0, 0, 255, 170), 'b': nrgba(0, 0, 255, 187),
		'c': nrgba(0, 0, 255, 204), 'd': nrgba(0, 0, 255, 221), 'e': nrgba(0, 0, 255, 238), 'f': nrgba(0, 0, 255, 255),
	}, "0123", "4567", "89ab", "cdef")
}

// Indices 0 to 7 of three bits each, the first pixel in the lowest bits:
// 111 110 101 100 011 010 001 000 = FAC688, stored 88 C6 FA; twice for 16 pixels.
var zeroToSeven = []byte{0x88, 0xC6, 0xFA, 0x88, 0xC6, 0xFA}

// Alphas 240 and 30: the first is greater, so there are six values between them
// in steps of 210/7 = 30.
func TestBC3EightAlphas(t *testing.T) {
	src := append(append([]byte{240, 30}, zeroToSeven...), 0x00, 0xF8, 0x1F, 0x00, 0, 0, 0, 0)
	check(t, uasset.DXT5, 4, src, map[rune]color.NRGBA{
		'0': nrgba(255, 0, 0, 240), '1': nrgba(255, 0, 0, 30), '2': nrgba(255, 0, 0, 210), '3': nrgba(255, 0, 0, 180),
		'4': nrgba(255, 0, 0, 150), '5': nrgba(255, 0, 0, 120), '6': nrgba(255, 0, 0, 90), '7': nrgba(255, 0, 0, 60),
	}, "0123", "4567", "0123", "4567")
}

// Alphas 30 and 230: the first is less, so there are four values between them in
// steps of 200/5 = 40, then 0 and 255. The block has four colours although the
// first one, blue, is less: index 3 is 170 red and 85 blue, not transparent.
func TestBC3SixAlphas(t *testing.T) {
	src := append(append([]byte{30, 230}, zeroToSeven...), 0x1F, 0x00, 0x00, 0xF8, 0xFF, 0xFF, 0xFF, 0xFF)
	check(t, uasset.DXT5, 4, src, map[rune]color.NRGBA{
		'0': nrgba(170, 0, 85, 30), '1': nrgba(170, 0, 85, 230), '2': nrgba(170, 0, 85, 70), '3': nrgba(170, 0, 85, 110),
		'4': nrgba(170, 0, 85, 150), '5': nrgba(170, 0, 85, 190), '6': nrgba(170, 0, 85, 0), '7': nrgba(170, 0, 85, 255),
	}, "0123", "4567", "0123", "4567")
}

// Sevenths of 255 are not integers: 6/7 of 255 is 218.57, 219;
// 5/7 182.14, 182; 4/7 145.71, 146; 3/7 109.29, 109; 2/7 72.86, 73; 1/7 36.43, 36.
func TestBC3Rounding(t *testing.T) {
	src := append(append([]byte{255, 0}, zeroToSeven...), 0, 0, 0, 0, 0, 0, 0, 0)
	check(t, uasset.DXT5, 4, src, map[rune]color.NRGBA{
		'0': nrgba(0, 0, 0, 255), '1': {}, '2': nrgba(0, 0, 0, 219), '3': nrgba(0, 0, 0, 182),
		'4': nrgba(0, 0, 0, 146), '5': nrgba(0, 0, 0, 109), '6': nrgba(0, 0, 0, 73), '7': nrgba(0, 0, 0, 36),
	}, "0123", "4567", "0123", "4567")
}

// BC5 has red in its first half and green in its second. Red is 255 (x = 1) or
// 128 (x = 0.0039), green is 128 (y = 0.0039). With red 255 the third component
// is 0, stored as 127.5, rounded to 128. With red 128 it is
// sqrt(1 - 2*0.0039^2) = 0.99998: 255.
//
// Of the ends 255 and 128, indices 0 and 1, the row 0 1 0 1 is 001 000 001 000;
// twice in 3 bytes: 001000001000 001000001000 = 208208, stored 08 82 20.
func TestBC5(t *testing.T) {
	half := []byte{0x08, 0x82, 0x20, 0x08, 0x82, 0x20}
	src := append([]byte{255, 128}, half...)
	src = append(src, 128, 128, 0, 0, 0, 0, 0, 0)
	check(t, uasset.BC5, 4, src, map[rune]color.NRGBA{
		'r': nrgba(255, 128, 128, 255), 'z': nrgba(128, 128, 255, 255),
	}, "rzrz", "rzrz", "rzrz", "rzrz")
	// x = y = 1 is longer than 1: the third component is 0. With ends 255 and 255 index 0 is 255.
	check(t, uasset.BC5, 4, []byte{255, 255, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0},
		map[rune]color.NRGBA{'x': nrgba(255, 255, 128, 255)}, "xxxx", "xxxx", "xxxx", "xxxx")
	// x = y = 2*204/255 - 1 = 0.6: the third component is sqrt(1 - 0.72) = 0.52915,
	// stored as 1.52915*127.5 = 194.97, 195.
	check(t, uasset.BC5, 4, []byte{204, 204, 0, 0, 0, 0, 0, 0, 204, 204, 0, 0, 0, 0, 0, 0},
		map[rune]color.NRGBA{'x': nrgba(204, 204, 195, 255)}, "xxxx", "xxxx", "xxxx", "xxxx")
}

// An image of 5 by 3 pixels has two blocks. Pixels outside the image are not
// decoded.
func TestPartialBlocks(t *testing.T) {
	src := append([]byte(nil), fourColours...)
	src = append(src, 0x00, 0xF8, 0x1F, 0x00, 0xE5, 0xE6, 0xE7, 0xFF) // rows begin with 1, 2, 3
	check(t, uasset.DXT1, 5, src, four, "01231", "32102", "00003")
	check(t, uasset.DXT1, 1, fourColours, four, "0")
	check(t, uasset.DXT1, 2, fourColours, four, "01", "32", "00", "11")
	// 1 by 5: the second block is below the first.
	down := append([]byte(nil), fourColours...)
	down = append(down, 0x00, 0xF8, 0x1F, 0x00, 0x02, 0, 0, 0)
	check(t, uasset.DXT1, 1, down, four, "0", "3", "0", "1", "2")
}

func TestPlain(t *testing.T) {
	check(t, uasset.B8G8R8A8, 3, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, map[rune]color.NRGBA{
		'a': nrgba(3, 2, 1, 4), 'b': nrgba(7, 6, 5, 8), 'c': nrgba(11, 10, 9, 12),
	}, "abc")
	check(t, uasset.G8, 3, []byte{0, 128, 255}, map[rune]color.NRGBA{
		'a': nrgba(0, 0, 0, 255), 'b': nrgba(128, 128, 128, 255), 'c': nrgba(255, 255, 255, 255),
	}, "abc")
}

func TestPixelSizes(t *testing.T) {
	for _, c := range []struct {
		f             uasset.PixelFormat
		width, height int
		want          int
	}{
		{uasset.DXT1, 4, 4, 8},
		{uasset.DXT1, 5, 9, 2 * 3 * 8},
		{uasset.DXT3, 1, 1, 16},
		{uasset.DXT5, 128, 64, 32 * 16 * 16},
		{uasset.BC5, 2, 7, 2 * 16},
		{uasset.B8G8R8A8, 3, 5, 60},
		{uasset.G8, 3, 5, 15},
		{uasset.DXT1, 0, 7, 0},
	} {
		if got, ok := c.f.PayloadSize(uint32(c.width), uint32(c.height)); !ok || got != uint64(c.want) {
			t.Errorf("size of %d by %d pixels of format %s is %d bytes (%t), want %d", c.width, c.height, c.f, got, ok, c.want)
		}
		if _, err := texture.Decode(c.f, c.width, c.height, make([]byte, c.want)); err != nil {
			t.Error(err)
		}
	}
}

func TestPixelFaults(t *testing.T) {
	for _, c := range []struct {
		f             uasset.PixelFormat
		width, height int
		size          int
		want          string
	}{
		{uasset.DXT1, 4, 4, 7, "expected 8 bytes for 4 by 4 pixels, found 7"},
		{uasset.G8, 2, 2, 5, "expected 4 bytes"},
		{uasset.DXT1, -1, 4, 0, "invalid image size"},
		{uasset.DXT1, 1 << 30, 1 << 30, 0, "invalid image size"},
		{"PF_99", 1, 1, 1, "format PF_99 does not exist"},
	} {
		if _, err := texture.Decode(c.f, c.width, c.height, make([]byte, c.size)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v does not contain %q", err, c.want)
		}
	}
}
