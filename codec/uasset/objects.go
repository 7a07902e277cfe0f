package uasset

import (
	"errors"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// Object is the body of an export, which extends to the end of the input. It
// uses Scope.Names, Class and Offset. Data and payloads alias the input.
func (p *Part) Object() wire.Structure[model.Object] {
	return bind(p.family, p, "Object", 0,
		func(p *Part, f wire.Fields, o model.Object) model.Object { return p.object(f, o, p.class) })
}

// object reads or writes the body of an export of a class.
func (p *part) object(f wire.Fields, o model.Object, class string) model.Object {
	if f.R != nil {
		return p.readObject(f.R, class)
	}
	p.writeObject(f.W, o, class)
	return o
}

func (p *part) readObject(r *wire.Reader, class string) (o model.Object) {
	var list model.PropertyList
	f := wire.Fields{R: r}
	read := func(r *wire.Reader) { list = wire.In(wire.Fields{R: r}, "properties", list, p.properties) }
	if isTextureClass(class) {
		read(r)
	} else if !r.Try(read) && !r.Failed() {
		// The bodies of some classes do not begin with a list (UA-OBJ-4).
		o.Data = rest(f, nil, "data", "UA-OBJ-4")
		return o
	}
	if r.Failed() {
		return o
	}
	o.Properties = &list
	if p.mayContainTexture(class) && p.startsTexture(r.Unread()) {
		o.Texture = new(wire.In(f, "texture", model.Texture2D{}, p.texture))
	}
	o.Data = rest(f, nil, "data", "UA-OBJ-3")
	return o
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
	f := wire.Fields{W: w}
	if o.Properties != nil {
		wire.In(f, "properties", *o.Properties, p.properties)
	}
	if o.Texture != nil {
		wire.In(f, "texture", *o.Texture, p.texture)
	}
	w.Bytes(o.Data)
}

// mayStartList reports whether bytes begin with a list of properties. A list
// beyond the limit of depth counts.
func (p *part) mayStartList(data []byte) bool {
	_, _, err := p.list().DecodePrefix(data)
	return err == nil || errors.Is(err, wire.Limit)
}
