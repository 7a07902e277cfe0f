package uasset_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/formatgauge/formatgauge/codec/uasset"
	_ "github.com/formatgauge/formatgauge/internal/testrun" // the seed
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// A walker finds the positions of UA-PKG-25 and UA-PKG-18 in data that are at an offset in the
// file. It is written from the text of the clause, for a table of some names: it
// shares no code with Rebuild, and has no bound on its time.
type walker struct {
	data      []byte
	at, names int
}

// positions returns where the positions in all shader maps and bulk headers are.
func (w walker) positions() (all []int) {
	for i := 0; i < len(w.data); {
		if found, next := w.tryMap(i); len(found) > 0 {
			all, i = append(all, found...), next
			continue
		}
		if size := w.bulkHeader(i); size >= 0 {
			all = append(all, i+12)
			i += 20 + size
			continue
		}
		i++
	}
	return all
}

// bulkHeader returns the size of the payload of a bulk header (UA-PKG-18), or -1.
func (w walker) bulkHeader(i int) int {
	if i+20 > len(w.data) || w.data[i]&0x40 == 0 || w.number(i+4) != w.number(i+8) || w.number(i+12) != w.at+i+20 ||
		w.number(i+16) != 0 || w.number(i+8) > len(w.data)-i-20 {
		return -1
	}
	return w.number(i + 8)
}

// tryMap returns nothing if no shader map begins at i.
func (w walker) tryMap(i int) (found []int, next int) {
	defer func() {
		if recover() != nil {
			found = nil
		}
	}()
	next = w.shadersAndPipelines(i, nil, &found)
	factories := w.number(next)
	next += 4
	for range factories {
		factory := w.name(next)
		next = w.shadersAndPipelines(next+8, factory, &found)
	}
	return found, next
}

func (w walker) shadersAndPipelines(i int, factory []byte, found *[]int) int {
	i = w.shaderList(i, factory, found)
	pipelines := w.number(i)
	i += 4
	for range pipelines {
		w.name(i)
		i = w.shaderList(i+8, factory, found)
	}
	return i
}

func (w walker) shaderList(i int, factory []byte, found *[]int) int {
	shaders := w.number(i)
	i += 4
	for range shaders {
		w.name(i)
		end := w.number(i+8) - w.at
		if end <= i+12 {
			panic("a shader without bytes")
		}
		body := w.data[i+12 : end]
		*found = append(*found, i+8)
		if factory != nil {
			*found = append(*found, w.parameters(body, i+12, factory))
		}
		i = end
	}
	return i
}

// parameters returns the position of the one end of parameters in the bytes of a
// shader, which begin at begin.
func (w walker) parameters(body []byte, begin int, factory []byte) int {
	var all []int
	for i := 0; i+8+1+20+4 <= len(body); i++ {
		if !bytes.HasPrefix(body[i:], factory) || body[i+8] >= 6 {
			continue
		}
		at := i + 8 + 1 + 20
		end := w.number(begin+at) - w.at - begin
		if at+4 <= end && end <= len(body) {
			all = append(all, begin+at)
		}
	}
	if len(all) != 1 {
		panic("no parameters of one vertex factory")
	}
	return all[0]
}

func (w walker) number(i int) int { return int(binary.LittleEndian.Uint32(w.data[i:])) }

func (w walker) name(i int) []byte {
	if w.number(i) >= w.names {
		panic("no name")
	}
	return w.data[i : i+8]
}

// otherNames follow names in the table, so that small numbers are rows of it. One
// is like the name of a shader by chance.
var otherNames = strings.Fields(
	"Texture T_Rock Fog TangentX Flags FX Sky a b c d e f g h i j k l m n o p q r s t u v w x y z")

// A mess is data of a material as they are in real packages: shader maps between bytes
// that resemble them.
type mess struct {
	draft
	t     *rapid.T
	later []func()     // set the numbers that are offsets in the data
	alone map[int]bool // where an offset is that belongs to no shader map
}

func (m *mess) n(least, most int) int { return rapid.IntRange(least, most).Draw(m.t, "n") }

// inside adds a number that is the offset of a later byte of the data, or of their end.
func (m *mess) inside() {
	i := len(m.data)
	m.words(0)
	percent := m.n(0, 100)
	m.later = append(m.later, func() {
		first, last := i+5, len(m.data)
		binary.LittleEndian.PutUint32(m.data[i:], uint32(int(m.at)+first+(last-first)*percent/100))
	})
}

func (m *mess) shaderMap() {
	shaders := func(factory uint32) {
		n := m.n(0, 3)
		m.words(uint32(n))
		for range n {
			m.shader(uint32(m.n(pixelShader, vertexShader)), factory, m.n(1, 60))
		}
	}
	group := func(factory uint32) {
		shaders(factory)
		n := m.n(0, 2)
		m.words(uint32(n))
		for range n {
			m.words(pipeline, uint32(m.n(0, 1)))
			shaders(factory)
		}
	}
	group(0)
	n := m.n(0, 2)
	m.words(uint32(n))
	for i := range n {
		factory := []uint32{localFactory, skinFactory}[i]
		m.words(factory, 0)
		group(factory)
	}
}

// parts are what data of materials consist of.
var parts = map[string]func(*mess){
	"shader map":         (*mess).shaderMap,
	"another shader map": (*mess).shaderMap,
	"bulk header": func(m *mess) {
		m.data = bulk(m.data, m.at, strings.Repeat("p", m.n(0, 9)))
	},
	"zeros before a small number": func(m *mess) {
		m.data = append(m.data, make([]byte, m.n(1, 17))...)
		m.words(uint32(m.n(0, 40)))
	},
	"zeros before an offset": func(m *mess) {
		m.data = append(m.data, make([]byte, m.n(8, 17))...)
		m.inside()
	},
	"string": func(m *mess) {
		text := strings.Repeat("text", m.n(0, 5))
		m.words(uint32(len(text) + 1))
		m.data = append(append(m.data, text...), 0)
	},
	"GUID": func(m *mess) { m.data = append(m.data, rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(m.t, "guid")...) },
	"any name before an offset": func(m *mess) {
		m.words(uint32(m.n(0, len(names)+len(otherNames)-1)), 0)
		m.inside()
	},
}

// lone is the one form of UA-PKG-25 outside of a shader map: nothing but the name of
// the shader distinguishes it.
func (m *mess) lone() {
	m.words(uint32(m.n(pixelShader, vertexShader)), 0)
	m.alone[len(m.data)] = true
	m.inside()
	m.words(1)
}

// drawMess draws data that are at an offset in the file.
func drawMess(t *rapid.T, at uint64) *mess {
	m := &mess{draft: draft{at: at}, t: t, alone: map[int]bool{}}
	m.words(0)
	for range m.n(1, 6) {
		m.data = append(m.data, make([]byte, m.n(0, 3))...) // at every alignment
		kinds := slices.Sorted(maps.Keys(parts))
		parts[rapid.SampledFrom(kinds).Draw(t, "part")](m)
	}
	if m.n(0, 5) == 0 {
		m.lone()
	}
	m.data = append(m.data, make([]byte, m.n(0, 20))...)
	for _, set := range m.later {
		set()
	}
	return m
}

// edits are changes of a package that move its first object, the material.
var edits = map[string]func(*rapid.T, *model.Package){
	"longer name": func(t *rapid.T, f *model.Package) {
		row := slices.IndexFunc(f.Names, func(e model.NameEntry) bool { return strings.HasPrefix(e.Name.Text, "z") })
		f.Names[row].Name.Text += strings.Repeat("n", rapid.IntRange(1, 300).Draw(t, "longer"))
	},
	"another name":   func(_ *rapid.T, f *model.Package) { uasset.AddName(f, "another") },
	"another import": func(_ *rapid.T, f *model.Package) { f.Imports = append(f.Imports, f.Imports[0]) },
	"another object": func(_ *rapid.T, f *model.Package) {
		f.Exports = append(f.Exports, model.Export{ObjectName: f.Exports[0].ObjectName})
		f.Objects = append(f.Objects, model.Object{Properties: &model.PropertyList{}})
	},
	"another property": func(_ *rapid.T, f *model.Package) {
		uasset.AddName(f, "IntProperty")
		f.Objects[0].Properties = &model.PropertyList{{Name: uasset.AddName(f, "p"), Value: model.IntProperty(1)}}
	},
	"a reference": func(_ *rapid.T, f *model.Package) {
		f.SoftPackageReferences = append(f.SoftPackageReferences, model.FString{Text: "/Game/A"})
	},
}

// TestRebuildMaterials: after any change every position that the walker finds is right,
// and so is every offset of the same form; no other byte changes. Otherwise an error
// names the object and an offset in it.
func TestRebuildMaterials(t *testing.T) {
	counts := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		class := rapid.SampledFrom([]string{"Material", "MaterialInstanceConstant"}).Draw(rt, "class")
		c, f := withData(t, class, func(uint64) []byte { return nil })
		for _, s := range otherNames {
			uasset.AddName(&f, s)
		}
		f = written(t, c, f)
		m := drawMess(rt, dataAt(&f, 0))
		f.Objects[0].Data, f.Exports[0].SerialSize = m.data, 0 // new
		f = written(t, c, f)

		w := walker{m.data, int(m.at), len(f.Names)}
		moved := w.positions()
		for _, i := range m.where {
			if !slices.Contains(moved, i) {
				counts["positions that are part of another map"]++ // by chance one begins before it
			}
		}
		for i := range m.alone {
			if !slices.Contains(moved, i) {
				moved = append(moved, i)
			}
		}
		g := f
		g.Names = slices.Clone(f.Names)
		for range rapid.IntRange(1, 3).Draw(rt, "edits") {
			edits[rapid.SampledFrom(slices.Sorted(maps.Keys(edits))).Draw(rt, "edit")](rt, &g)
		}
		h, _, err := c.Rebuild(g)
		if err != nil {
			if !isRange(err, "objects[0].data") || !namesOffset(err, &f) {
				rt.Fatal(err)
			}
			counts[refusal(err, m, moved)]++
			return
		}
		by := uint32(dataAt(&h, 0)) - uint32(m.at)
		want := slices.Clone(m.data)
		for _, i := range moved {
			binary.LittleEndian.PutUint32(want[i:], binary.LittleEndian.Uint32(m.data[i:])+by)
		}
		if !bytes.Equal(h.Objects[0].Data, want) {
			rt.Fatalf("moved by %d: data\n%x, want\n%x, with offsets at %d", by, h.Objects[0].Data, want, moved)
		}
		counts[fmt.Sprintf("moved, with shader maps: %v", len(m.where) > 0)]++
	})
	t.Log(counts)
	for _, what := range []string{
		"moved, with shader maps: true", "moved, with shader maps: false", "refused: a shader in no shader map",
		"refused: a name and an offset by chance",
	} {
		if counts[what] == 0 {
			t.Errorf("none is %s", what)
		}
	}
}

// refusal says why data were refused.
func refusal(err error, m *mess, moved []int) string {
	var v, at int
	_, text, _ := strings.Cut(err.Error(), "with the number ")
	_, _ = fmt.Sscanf(text, "%d at %d,", &v, &at)
	switch i := at - int(m.at); {
	case m.alone[i]:
		return "refused: a shader in no shader map"
	case slices.Contains(m.where, i):
		return "refused: a shader map that is not recognised"
	case slices.Contains(moved, i):
		return "refused: a shader map of other names"
	}
	return "refused: a name and an offset by chance"
}
