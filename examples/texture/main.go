// Command texture writes the first texture of a cooked Unreal Engine 4.14 or
// 4.15 package as PNG. It supports the pixel format PF_B8G8R8A8 only:
// decompression is not part of the library. formatgauge uasset texture exports
// every format.
//
//	go run ./examples/texture T_Rock.uasset > rock.png
package main

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"log"
	"os"

	"github.com/formatgauge/formatgauge/codec/uasset"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: texture PACKAGE")
	}
	src, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = export(os.Stdout, src)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// export writes the largest mip of the first texture in a package.
func export(w io.Writer, src []byte) error {
	p, err := uasset.DecodePackage(src)
	if err != nil {
		return err
	}
	for _, o := range p.Objects {
		if o.Texture == nil || len(o.Texture.Mips) == 0 {
			continue
		}
		m := &o.Texture.Mips[0]
		pixels, ok := uasset.Payload(&p, m)
		if !ok || o.Texture.PixelFormat != uasset.B8G8R8A8 || o.Texture.NumSlices != 1 {
			return fmt.Errorf("cannot export %s with %d slices", o.Texture.PixelFormat, o.Texture.NumSlices)
		}
		img := image.NewNRGBA(image.Rect(0, 0, int(m.SizeX), int(m.SizeY)))
		for i := 0; i < len(pixels); i += 4 { // blue, green, red, alpha
			copy(img.Pix[i:], []byte{pixels[i+2], pixels[i+1], pixels[i], pixels[i+3]})
		}
		return png.Encode(w, img)
	}
	return errors.New("the package contains no texture")
}
