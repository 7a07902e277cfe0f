package texture_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/uasset/texture"
)

// The expected headers were written by hand from the layout that Microsoft
// documents.
func TestHeader(t *testing.T) {
	reserved := strings.Repeat("00", 44)
	for _, c := range []struct {
		name string
		h    texture.Header
		want []string
	}{
		{"one mip of DXT1", texture.Header{Format: uasset.DXT1, Width: 8, Height: 4, Mips: 1}, []string{
			"44445320", "7c000000", // magic, size 124
			"07100800",                                     // caps, height, width, format, linear size
			"04000000", "08000000", "10000000", "00000000", // height 4, width 8, 2 blocks of 8 bytes, depth 0
			"01000000", reserved,
			"20000000", "04000000", "44585431", "00000000", // size 32, four-character code, DXT1, no bit count
			"00000000", "00000000", "00000000", "00000000",
			"00100000", "00000000", "00000000", "00000000", "00000000", // texture
		}},
		{"a cube of BC5", texture.Header{Format: uasset.BC5, Width: 5, Height: 5, Mips: 3, Cube: true}, []string{
			"44445320", "7c000000",
			"07100a00",                                     // flags as above, and mips
			"05000000", "05000000", "40000000", "00000000", // 4 blocks of 16 bytes
			"03000000", reserved,
			"20000000", "04000000", "44583130", "00000000", // DX10
			"00000000", "00000000", "00000000", "00000000",
			"08104000", "00fe0000", "00000000", "00000000", "00000000", // complex, texture, mips; a cube with six faces
			"53000000", "03000000", "04000000", "01000000", "00000000", // 83, two dimensions, a cube, array size 1
		}},
		{"a cube of one mip", texture.Header{Format: uasset.DXT1, Width: 4, Height: 4, Mips: 1, Cube: true}, []string{
			"44445320", "7c000000",
			"07100800",
			"04000000", "04000000", "08000000", "00000000",
			"01000000", reserved,
			"20000000", "04000000", "44585431", "00000000",
			"00000000", "00000000", "00000000", "00000000",
			"08100000", "00fe0000", "00000000", "00000000", "00000000", // complex, texture
		}},
		{"BGRA", texture.Header{Format: uasset.B8G8R8A8, Width: 3, Height: 2, Mips: 1}, []string{
			"44445320", "7c000000",
			"0f100000",                                     // caps, height, width, pitch, format
			"02000000", "03000000", "0c000000", "00000000", // 12 bytes per row
			"01000000", reserved,
			"20000000", "41000000", "00000000", "20000000", // RGB and alpha, 32 bits
			"0000ff00", "00ff0000", "ff000000", "000000ff",
			"00100000", "00000000", "00000000", "00000000", "00000000",
		}},
		{"grey", texture.Header{Format: uasset.G8, Width: 3, Height: 2, Mips: 1}, []string{
			"44445320", "7c000000",
			"0f100000",
			"02000000", "03000000", "03000000", "00000000",
			"01000000", reserved,
			"20000000", "00000200", "00000000", "08000000", // luminance, 8 bits
			"ff000000", "00000000", "00000000", "00000000",
			"00100000", "00000000", "00000000", "00000000", "00000000",
		}},
	} {
		got, err := c.h.Append([]byte("hi"))
		if want := "6869" + strings.Join(c.want, ""); err != nil || fmt.Sprintf("%x", got) != want {
			t.Errorf("%s: %v\n got %x\nwant %s", c.name, err, got, want)
		}
	}
}

func TestHeaderFaults(t *testing.T) {
	for _, h := range []texture.Header{
		{Format: "PF_99", Width: 1, Height: 1, Mips: 1},
		{Format: uasset.DXT1, Width: 0, Height: 1, Mips: 1},
		{Format: uasset.DXT1, Width: 1, Height: 1},
	} {
		if b, err := h.Append([]byte("hi")); err == nil || string(b) != "hi" {
			t.Errorf("%+v: %x, %v", h, b, err)
		}
	}
}

// TestSizes: the size of a row or of an image is computed without wrapping.
func TestHeaderSizes(t *testing.T) {
	for _, c := range []struct {
		h    texture.Header
		want uint32 // 0 if it does not fit
	}{
		{texture.Header{Format: uasset.B8G8R8A8, Width: 1<<30 - 1, Height: 1, Mips: 1}, 1<<32 - 4},
		{texture.Header{Format: uasset.B8G8R8A8, Width: 1 << 30, Height: 1, Mips: 1}, 0},
		{texture.Header{Format: uasset.G8, Width: 1<<32 - 1, Height: 1, Mips: 1}, 1<<32 - 1},
		{texture.Header{Format: uasset.DXT1, Width: 1<<32 - 1, Height: 1, Mips: 1}, 0},
		{texture.Header{Format: uasset.DXT5, Width: 1<<30 - 16, Height: 1, Mips: 1}, 1<<32 - 64},
		{texture.Header{Format: uasset.DXT5, Width: 1<<32 - 1, Height: 1<<32 - 1, Mips: 1}, 0},
	} {
		b, err := c.h.Append(nil)
		if (err != nil) != (c.want == 0) || err == nil && binary.LittleEndian.Uint32(b[20:]) != c.want {
			t.Errorf("%+v: %x, %v", c.h, b, err)
		}
	}
}
