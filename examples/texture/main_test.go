package main

import (
	"bytes"
	"image/png"
	"io"
	"reflect"
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

func TestExport(t *testing.T) {
	var out bytes.Buffer
	texture := texturesample.Texture{Name: "T_Rock", Format: uasset.B8G8R8A8, Width: 17, Height: 9}
	if err := export(&out, file(t, texture)); err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	if want := texturesample.Picture(uasset.B8G8R8A8, 17, 9, 0); !reflect.DeepEqual(got, want) {
		t.Errorf("the image differs from the one in the package")
	}

	texture.Format = uasset.DXT1
	for name, src := range map[string][]byte{
		"no texture": file(t), "PF_DXT1": file(t, texture),
		"no package": []byte("text"),
	} {
		if err := export(io.Discard, src); err == nil {
			t.Errorf("%s: expected an error", name)
		}
	}
}
