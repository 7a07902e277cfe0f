package uasset

import (
	"errors"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// Object is the body of an export: all bytes there are. It needs Names, Class
// and Offset. Data and payloads alias the input.
func (c *Codec) Object(s Scope) wire.Structure[model.Object] {
	p := c.part(s)
	return structure(c, "Object", 0,
		func(r *wire.Reader) model.Object { return p.readObject(r, s.Class) },
		func(w *wire.Writer, o model.Object) { p.writeObject(w, o, s.Class) })
}

func (p *part) readObject(r *wire.Reader, class string) (o model.Object) {
	if !isTextureClass(class) {
		// Some classes of the engine do not begin with a list (UA-OBJ-4).
		clause := clauseObjectWhole
		var list model.PropertyList
		if r.Try(func(r *wire.Reader) { list = p.readListOf(r) }) {
			o.Properties, clause = &list, clauseObjectData
		}
		if r.Failed() {
			return o
		}
		o.Data = rest(r, "data", clause)
		return o
	}
	list := p.readListOf(r)
	if r.Failed() {
		return o
	}
	o.Properties = &list
	if p.startsTexture(r.Unread()) {
		r.Enter("texture")
		t := p.readTexture(r)
		r.Leave()
		o.Texture = &t
	}
	o.Data = rest(r, "data", clauseObjectData)
	return o
}

func (p *part) readListOf(r *wire.Reader) model.PropertyList {
	r.Enter("properties")
	list := p.readList(r)
	r.Leave()
	return list
}

func (p *part) writeObject(w *wire.Writer, o model.Object, class string) {
	holdsTexture := isTextureClass(class)
	switch {
	case o.Properties == nil && holdsTexture:
		w.Fail("properties", clauseObjectWhole, "a %s begins with a list of properties", class)
	case o.Properties == nil && o.Texture != nil:
		w.Fail("texture", clauseObjectTexture, "a texture stands behind a list of properties")
	case o.Properties == nil && p.mayStartList(o.Data):
		w.Fail("properties", clauseObjectWhole, "the data begin with a list of properties")
	case o.Texture != nil && !holdsTexture:
		w.Fail("texture", clauseObjectTexture, "an object of class %q holds none", class)
	case o.Texture == nil && holdsTexture && p.startsTexture(o.Data):
		w.Fail("data", clauseObjectTexture, "the data begin with a texture")
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

// mayStartList reports whether bytes begin with a list, or with what is one
// for a reader that goes deeper.
func (p *part) mayStartList(data []byte) bool {
	_, _, err := structure(p.Codec, "PropertyList", nameSize, p.readList, p.writeList).DecodePrefix(data)
	var fault *wire.Error
	return err == nil || errors.As(err, &fault) && fault.Class == wire.Limit
}
