package play

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"strings"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/uasset/texture"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/corpus/draft"
	"github.com/formatgauge/formatgauge/internal/filekind"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// scan lists the archives in the input.
func (s *Session) scan() (any, []byte, error) {
	p := ids.Observed()
	if s.typ != nil && s.typ.Family() == "ka" {
		p = s.profile
	}
	out, err := filekind.Archives(ka.New(wire.Settings{Profile: p}), s.src)
	if len(out) > 0 {
		err = nil // the archives up to the limit are enough
	}
	return out, nil, err
}

// json returns the tree.
func (s *Session) json() (any, []byte, error) {
	if len(s.src) > largeTree {
		return nil, nil, fmt.Errorf("only the trees of files up to %d bytes are written as JSON", largeTree)
	}
	return struct{}{}, []byte(printable.Text(s.root.Node.Indent())), nil
}

// longDraft is the most bytes of a draft. A vector shows one behaviour.
const longDraft = 64 << 10

// draft returns the input as a vector without a verdict.
func (s *Session) draft(name string) (any, []byte, error) {
	if len(s.src) > longDraft {
		return nil, nil, fmt.Errorf("a draft has at most %d bytes: a vector shows one behaviour", longDraft)
	}
	d := draft.Draft{
		Type: s.typ.Name, Comment: draft.NoComment,
		Context: s.context, Source: draft.NoSource, Bytes: s.src,
	}
	family, structure, _ := strings.Cut(s.typ.Structure(), ".")
	d.ID = family + "/" + structure + "/" + name
	for id := range ids.Sides(family) {
		if s.profile.Departs(id) {
			d.Flags = append(d.Flags, id)
		}
	}
	seen := map[ids.Clause]bool{}
	at := 0
	unread := func(to int) {
		if to > at {
			d.Lines = append(d.Lines, draft.Line{Offset: at, Len: to - at, Note: "not read"})
		}
	}
	for _, span := range s.spans {
		if span.Clause != "" && !seen[span.Clause] {
			seen[span.Clause] = true
			d.Clauses = append(d.Clauses, span.Clause)
		}
		if span.Start < at { // a second span of the same bytes
			continue
		}
		unread(span.Start)
		path := span.Path
		if path == "" {
			path = "the value"
		}
		d.Lines = append(d.Lines, draft.Line{Offset: span.Start, Len: span.End - span.Start, Note: path + ": " + span.Value})
		at = span.End
	}
	unread(len(s.src))
	return struct{}{}, []byte(printable.Text(string(d.Text()))), nil
}

// pictured is a texture of a package.
type pictured struct {
	Row    int
	Name   string
	Format string
	Slices uint32
	Mips   []mip
}

type mip struct {
	Width  uint32
	Height uint32
	Bytes  uint32
}

func (s *Session) textures() []pictured {
	out := []pictured{}
	f, ok := s.value.(uasset.Package)
	if !ok {
		return out
	}
	for i := range f.Objects {
		t := f.Objects[i].Texture
		if t == nil {
			continue
		}
		p := pictured{
			i, printable.Text(f.NameText(f.Exports[i].ObjectName)), string(t.PixelFormat),
			t.NumSlices,
			[]mip{},
		}
		for _, m := range t.Mips {
			p.Mips = append(p.Mips, mip{m.SizeX, m.SizeY, m.Size})
		}
		out = append(out, p)
	}
	return out
}

// mostPixels is the most pixels of a picture: a canvas needs 4 bytes for each.
const mostPixels = 4096 * 4096

// picture returns a mip as PNG. A channel r, g, b or a is shown in grey; rgb is opaque.
func (s *Session) picture(row, level int, channel string) (any, []byte, error) {
	f, ok := s.value.(uasset.Package)
	if !ok || row < 0 || row >= len(f.Objects) || f.Objects[row].Texture == nil {
		return nil, nil, errors.New("the input has no such texture")
	}
	t := f.Objects[row].Texture
	if level < 0 || level >= len(t.Mips) {
		return nil, nil, errors.New("the texture has no such mip")
	}
	if m := t.Mips[level]; uint64(m.SizeX)*uint64(m.SizeY)*uint64(t.NumSlices) > mostPixels {
		return nil, nil, fmt.Errorf("a picture has at most %d pixels: choose a smaller mip", mostPixels)
	}
	img, err := texture.Picture(&f, t, level)
	if err != nil {
		return nil, nil, err
	}
	if k, ok := map[string]int{"r": 0, "g": 1, "b": 2, "a": 3}[channel]; ok {
		for i := 0; i < len(img.Pix); i += 4 {
			v := img.Pix[i+k]
			img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = v, v, v, 0xFF
		}
	} else if channel == "rgb" {
		for i := 3; i < len(img.Pix); i += 4 {
			img.Pix[i] = 0xFF
		}
	}
	var out bytes.Buffer
	err = png.Encode(&out, img)
	return struct {
		Width  int
		Height int
	}{img.Rect.Dx(), img.Rect.Dy()}, out.Bytes(), err
}
