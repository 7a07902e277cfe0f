package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/texturesample"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// pixelPackage returns a package with one texture of one mip, of edge by edge
// pixels of four bytes.
func pixelPackage(t *testing.T, edge uint32, flags uint32) []byte {
	rock := texturesample.Texture{Name: "T_Rock", Format: model.B8G8R8A8, Width: 4, Height: 4, OneMip: true}
	f, err := texturesample.Package(rock)
	if err != nil {
		t.Fatal(err)
	}
	pixels := make([]byte, 4*edge*edge)
	f.Objects[0].Texture.Mips[0] = model.Mip{BulkDataFlags: flags, SizeX: edge, SizeY: edge, Data: pixels}
	c := uasset.New(wire.Settings{})
	if f, _, err = c.Rebuild(f); err != nil {
		t.Fatal(err)
	}
	b, err := c.Package().Append(nil, f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// texturePackages: decoded pixels alias the input, so their number does not
// change the time.
func texturePackages(t *testing.T, out *table) {
	s := uasset.New(wire.Settings{}).Package()
	decode := func(src []byte) func() {
		return func() {
			f, err := s.Decode(src)
			if err != nil {
				t.Fatal(err)
			}
			sink += uint64(len(f.BulkData))
		}
	}
	for _, c := range []struct {
		place string
		flags uint32
	}{{"at the end of the file", 1025}, {"inline", 72}} {
		large, small := pixelPackage(t, 2048, c.flags), pixelPackage(t, 512, c.flags)
		d := best(decode(large), decode(small))
		each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
		atMost(t, out, "package with 16 MiB of pixels "+c.place, "the same with 1 MiB",
			fmt.Sprintf("%.1f against %.1f µs, %.0f allocations", each(d[0]), each(d[1]), allocs(decode(large))),
			each(d[0])/each(d[1]), 2)
	}

	// A typical package, for scale, without a comparison.
	typical, err := texturesample.File(texturesample.Texture{Name: "T_Rock", Format: model.DXT5, Width: 512, Height: 512})
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Decode(typical)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 0, len(typical))
	write := func() { buf, _ = s.Append(buf[:0], f) }
	d := best(decode(typical), write)
	row := func(what string, d time.Duration, run func()) {
		speed := fmt.Sprintf("%.0f a second, %.0f allocations", float64(time.Second)/float64(d), allocs(run))
		out.add(what, "", speed, "", "", "")
	}
	row("package with a texture of ten mips, read", d[0], decode(typical))
	row("the same, written into a given buffer", d[1], write)
}
