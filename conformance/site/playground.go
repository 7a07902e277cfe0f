package site

import (
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/texturesample"
	model "github.com/formatgauge/formatgauge/model/uasset"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Module is what a playground needs beside the pages.
type Module struct {
	Program []byte // package wasm, compressed with gzip
	Runtime []byte // wasm_exec.js of the Go distribution that compiled it
	License []byte // of the Go distribution
}

// playPolicy is the policy of the playground, which loads and compiles the module, and
// shows pictures that it makes.
var playPolicy = strings.NewReplacer("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'; connect-src "+
	"'self'; worker-src 'self'", "img-src 'self'", "img-src 'self' blob:").Replace(policy)

// The names of the files of the playground. A server may unpack a file whose name ends
// with .gz, so the module has another ending.
const (
	playFolder  = "playground/"
	modulePath  = playFolder + "module.bin"
	runtimePath = playFolder + "wasm_exec.js"
	licensePath = playFolder + "wasm_exec.license.txt"
)

// sample is an input that the project makes itself.
type sample struct {
	Name, Title string
	make        func() ([]byte, error)
}

// Samples lists the samples.
func (p *sheet) Samples() []sample { return samples }

var samples = []sample{
	{"scene.ka", "a scene-like archive", sceneSample},
	{"container.sc2", "a container of archives", containerSample},
	{"package.u", "an old package", func() ([]byte, error) { return vectorBytes("upkg/Package/version-69") }},
	{"texture.uasset", "a texture", func() ([]byte, error) {
		return texturesample.File(
			texturesample.Texture{Name: "T_Disc", Format: model.DXT5, Width: 256, Height: 256},
			texturesample.Texture{Name: "T_Sphere_N", Format: model.BC5, Width: 64, Height: 64},
		)
	}},
}

func vectorBytes(id string) ([]byte, error) {
	v, ok := corpus.Find(id)
	if !ok {
		return nil, fmt.Errorf("no vector %s", id)
	}
	return v.Bytes, nil
}

// sceneTree is the value of an archive as scenes have them: entities with components.
//
//go:embed files/scene.json
var sceneTree string

func sceneSample() ([]byte, error) { return encoded("ka.Archive", sceneTree) }

// encoded returns the bytes of a tree under the observed profile.
func encoded(typ, text string) ([]byte, error) {
	t, _ := codec.Find(typ)
	n, err := tree.Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	v, err := tree.Value(t, n)
	if err != nil {
		return nil, err
	}
	c, err := t.Bind(ka.Settings{}, nil)
	if err != nil {
		return nil, err
	}
	return c.Append(nil, v)
}

// containerSample returns a header as of a scene container, then two archives.
func containerSample() ([]byte, error) {
	scene, err := sceneSample()
	if err != nil {
		return nil, err
	}
	second, err := encoded("ka.Archive", `{"version": "0x0001", "fastNames": null, "children": [
		{"key": {"type": "STRING", "value": {"text": "tags", "id": null}}, "value": {"type": "INT32", "value": "7"}}]}`)
	out := binary.LittleEndian.AppendUint32([]byte("SFV2"), 2)
	out = binary.LittleEndian.AppendUint32(out, 2)
	return append(append(out, second...), scene...), err
}

// playType, playFlag, playClause and playVector are what the page knows of the records
// and the corpus. The module has no texts.
type (
	playType struct {
		Name, Title string
		Context     []string
	}
	playFlag struct {
		ID    ids.Flag
		Page  string
		Sides []playSide
	}
	playSide   struct{ Name, Reading string }
	playClause struct {
		ID         ids.Clause
		Page, Text string
	}
	playRecords struct {
		Types   []playType
		Flags   []playFlag
		Clauses []playClause
		Vectors []string
	}
	playVector struct {
		ID, Type, Hex string
		Context       []string
	}
)

// longVector is the most bytes of a vector that the page offers.
const longVector = 64 << 10

// writePlayground writes the playground, if there is a module.
func (s *site) writePlayground() {
	m := s.module
	if m == nil {
		return
	}
	s.add(modulePath, string(m.Program))
	s.add(runtimePath, string(m.Runtime))
	s.add(licensePath, string(m.License))
	s.copyFiles(playFolder, "playground.css", "playground.js", "early.js", "worker.js")
	for _, x := range samples {
		b, err := x.make()
		if err != nil {
			s.check(fmt.Errorf("%s: %w", x.Name, err))
		}
		s.add(playFolder+x.Name, string(b))
	}
	s.writePlayData()
	s.write("playground", "playground.html", "Playground", "playground", s.example())
}

// writePlayData writes the records, and the vectors of each family.
func (s *site) writePlayData() {
	r := playRecords{Types: []playType{}, Flags: []playFlag{}, Clauses: []playClause{}, Vectors: []string{}}
	for _, t := range codec.Types() {
		x := playType{Name: t.Name, Context: pairs(t.Context)}
		if st, ok := spec.FindStructure(t.Structure()); ok {
			x.Title = st.Title
		}
		r.Types = append(r.Types, x)
	}
	for _, f := range spec.Families() {
		for i := range f.Clauses {
			c := &f.Clauses[i]
			r.Clauses = append(r.Clauses, playClause{c.ID, clauseAddress(c), c.Text})
		}
		for i := range f.Flags {
			flag := &f.Flags[i]
			if !flag.Switchable() {
				continue
			}
			x := playFlag{ID: flag.ID, Page: flagPage(flag.ID), Sides: []playSide{}}
			for _, side := range flag.Sides {
				x.Sides = append(x.Sides, playSide{side.Name, side.Reading})
			}
			r.Flags = append(r.Flags, x)
		}
		vectors := []playVector{}
		for _, v := range s.vectors {
			if v.Family() != f.Name || v.EncodeOnly() || len(v.Bytes) > longVector {
				continue
			}
			r.Vectors = append(r.Vectors, v.ID)
			vectors = append(vectors, playVector{v.ID, v.Type, hex.EncodeToString(v.Bytes), pairs(v.Context)})
		}
		s.addTree(playFolder+f.Name+".json", vectors)
	}
	s.addTree(playFolder+"records.json", r)
}

// addTree adds a value in the form that package tree describes.
func (s *site) addTree(path string, v any) {
	n, err := tree.FromModel(v)
	s.check(err)
	s.add(path, n.String())
}

// pairs returns a context as key=value.
func pairs(context map[string]string) []string {
	out := []string{}
	for _, k := range slices.Sorted(maps.Keys(context)) {
		out = append(out, k+"="+context[k])
	}
	return out
}
