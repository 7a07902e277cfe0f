package uasset

import (
	"errors"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// Object is the body of an export, which extends to the end of the input. It
// uses Scope.Names, Class and Offset. Data and payloads alias the input.
func (p *Part) Object() wire.Structure[model.Object] {
	return wire.Bind(p.family, p, "Object", 0,
		func(p *Part, r *wire.Reader) model.Object { return p.readObject(r, p.class) },
		func(p *Part, w *wire.Writer, o model.Object) { p.writeObject(w, o, p.class) })
}

func (p *part) readObject(r *wire.Reader, class string) (o model.Object) {
	var list model.PropertyList
	if isTextureClass(class) {
		list = p.readListOf(r)
	} else if !r.Try(func(r *wire.Reader) { list = p.readListOf(r) }) && !r.Failed() {
		// The bodies of some classes do not begin with a list (UA-OBJ-4).
		o.Data = readRest(r, "data", "UA-OBJ-4")
		return o
	}
	if r.Failed() {
		return o
	}
	o.Properties = &list
	if p.mayContainTexture(class) && p.startsTexture(r.Unread()) {
		r.Enter("texture")
		t := p.readTexture(r)
		r.Leave()
		o.Texture = &t
	}
	o.Data = readRest(r, "data", "UA-OBJ-3")
	return o
}

func (p *part) readListOf(r *wire.Reader) model.PropertyList {
	r.Enter("properties")
	list := p.readList(r)
	r.Leave()
	return list
}

func (p *part) writeObject(w *wire.Writer, o model.Object, class string) {
	mayContain := p.mayContainTexture(class)
	switch {
	case o.Properties == nil && isTextureClass(class):
		w.Fail("properties", "UA-OBJ-4", "expected a list of properties in an object of class %q, found none", class)
	case o.Properties == nil && o.Texture != nil:
		w.Fail("texture", "UA-OBJ-2", "expected a list of properties before a texture, found none")
	case o.Properties == nil && p.mayStartList(o.Data):
		w.Fail("properties", "UA-OBJ-4", "expected data that do not begin with a list of properties, found %d "+
			"bytes that do", len(o.Data))
	case o.Texture != nil && !mayContain:
		w.Fail("texture", "UA-OBJ-12", "expected no texture in an object of class %q, found one", class)
	case o.Texture == nil && o.Properties != nil && mayContain && p.startsTexture(o.Data):
		w.Fail("data", "UA-OBJ-12", "expected data that do not begin with a texture, found %d bytes that do",
			len(o.Data))
	}
	if w.Failed() {
		return
	}
	if o.Properties != nil {
		w.Enter("properties")
		p.writeList(w, *o.Properties)
		w.Leave()
	}
	if o.Texture != nil {
		w.Enter("texture")
		p.writeTexture(w, *o.Texture)
		w.Leave()
	}
	w.Bytes(o.Data)
}

// mayStartList reports whether bytes begin with a list of properties. A list
// beyond the limit of depth counts.
func (p *part) mayStartList(data []byte) bool {
	_, _, err := p.list().DecodePrefix(data)
	return err == nil || errors.Is(err, wire.Limit)
}
