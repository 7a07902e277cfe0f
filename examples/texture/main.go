// Command texture writes the first texture of a cooked Unreal Engine 4.14 or
// 4.15 package as PNG. Package texture decodes all six pixel formats.
//
//	go run ./examples/texture T_Rock.uasset > rock.png
package main

import (
	"errors"
	"image/png"
	"io"
	"log"
	"os"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/uasset/texture"
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
		img, err := texture.Picture(&p, o.Texture, 0)
		if err != nil {
			return err
		}
		return png.Encode(w, img)
	}
	return errors.New("the package contains no texture")
}
