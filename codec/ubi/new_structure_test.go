package ubi_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/ubi"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/corpus"
	model "github.com/formatgauge/formatgauge/model/ubi"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// The worked example of CONTRIBUTING.md. Later revisions of the page describe
// Plane; documents 000 and 001 do not.

// Plane is the set of points p with normal · p = constant.
type Plane struct {
	Normal   model.Vector3
	Constant float32
}

const clausePlane ids.Clause = "UBI-PLANE-1"

// PlaneOf is normal, constant.
func PlaneOf(c *ubi.Codec) wire.Structure[Plane] {
	vector := c.Vector3()
	return wire.New("ubi.Plane", 16, vector.Settings(),
		func(r *wire.Reader) (p Plane) {
			r.Enter("normal")
			p.Normal = vector.Read(r)
			r.Leave()
			p.Constant = r.Float32("constant", clausePlane)
			return p
		},
		func(w *wire.Writer, p Plane) {
			vector.Write(w, p.Normal)
			w.Float32(p.Constant)
		})
}

const planeVector = `The ground: straight up, through the origin but one.

clauses: UBI-PLANE-1
source: by hand
-- bytes --
00 00 00 00  normal.x: 0
00 00 00 00  normal.y: 0
00 00 80 3F  normal.z: 1
00 00 80 BF  constant: -1
-- expect --
accept
{"normal": {"x": "0", "y": "0", "z": "1"}, "constant": "-1"}
`

func Example_newStructure() {
	v, err := corpus.Parse("ubi/Plane/ground", []byte(planeVector))
	if err != nil {
		fmt.Println(err)
		return
	}
	plane := PlaneOf(ubi.New(wire.Settings{}))
	p, spans, err := plane.Trace(v.Bytes)
	fmt.Println(p, err)
	fmt.Println(spans[3].Path, spans[3].Value, spans[3].Clause)
	b, err := plane.Append(nil, p)
	fmt.Println(string(b) == string(v.Bytes), err)
	_, err = plane.Decode(v.Bytes[:10])
	fmt.Println(err)
	// Output:
	// {{0 0 1} -1} <nil>
	// constant -1 UBI-PLANE-1
	// true <nil>
	// ubi.Plane normal.z: truncated at byte 8 (0x8): expected 4 bytes, found 2 [UBI-VEC3-1]
}

// TestContributing: the code and the vector in CONTRIBUTING.md are the same as
// in this file.
func TestContributing(t *testing.T) {
	here, err := os.ReadFile("new_structure_test.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	for i, block := range strings.Split(string(page), "```") {
		lang, code, _ := strings.Cut(block, "\n")
		if i%2 == 0 || lang != "go" && lang != "txtar" {
			continue
		}
		blocks++
		if !strings.Contains(string(here), code) {
			t.Errorf("this block of CONTRIBUTING.md is not in new_structure_test.go:\n%s", code)
		}
	}
	if blocks < 3 {
		t.Errorf("CONTRIBUTING.md has %d blocks of the example, want at least 3", blocks)
	}
}
