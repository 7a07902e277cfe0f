package uasset

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// An elementType describes the elements of an array of one listed type other
// than StructProperty.
type elementType struct {
	name  string // of the type of the elements in the model
	size  int    // of the smallest element in bytes, with its null
	read  func(*part, *wire.Reader, int) model.Elements
	write func(*part, *wire.Writer, model.Elements)
}

// elementTypes returns the element types by the inner type of the array.
func elementTypes(d dialect) map[string]elementType {
	boolSize := 1
	if d.wordBool {
		boolSize = 2
	}
	return map[string]elementType{
		typeFloat: elementsOf[model.Floats](4, d.elementNulls, func(_ *part, f wire.Fields, v float32) float32 {
			f.Float32(&v, "", "UA-ARR-2")
			return v
		}),
		typeInt: elementsOf[model.Ints](4, d.elementNulls, func(_ *part, f wire.Fields, v int32) int32 {
			f.Int32(&v, "", "UA-ARR-2")
			return v
		}),
		typeName: elementsOf[model.Names](nameSize, d.elementNulls, func(p *part, f wire.Fields, v model.FName) model.FName {
			p.name(f, &v, "", "UA-ARR-2")
			return v
		}),
		typeStr: elementsOf[model.Strs](minStringSize, d.elementNulls, (*part).fstring),
		typeObject: elementsOf[model.Objects](4, false,
			func(_ *part, f wire.Fields, v model.PackageIndex) model.PackageIndex {
				index(f, &v, "", "UA-ARR-2")
				return v
			}),
		typeBool: elementsOf[model.Bools](boolSize, false, func(p *part, f wire.Fields, v bool) bool {
			return p.boolean(f, v, "", "UA-BOOL-2")
		}),
	}
}

// elementsOf describes elements of at least size bytes. A null byte precedes
// each if null is set.
func elementsOf[S interface {
	~[]E
	model.Elements
}, E any](size int, null bool, body func(*part, wire.Fields, E) E) elementType {
	if null {
		size++
	}
	return elementType{
		name: model.TypeName(S(nil)),
		size: size,
		read: func(p *part, r *wire.Reader, n int) model.Elements {
			return S(each(p, wire.Fields{R: r}, make([]E, n), null, body))
		},
		write: func(p *part, w *wire.Writer, v model.Elements) {
			w.Uint32(w.Len(len(v.(S)), "", "UA-ARR-1"))
			each(p, wire.Fields{W: w}, v.(S), null, body)
		},
	}
}

// each reads elements into a slice, or writes those in it.
func each[E any](p *part, f wire.Fields, elements []E, nulls bool, body func(*part, wire.Fields, E) E) []E {
	for i := range elements {
		f.EnterIndex(i)
		if nulls {
			null(f, "null", "UA-ARR-2")
		}
		v := body(p, f, elements[i])
		f.Leave()
		switch {
		case f.W != nil:
		case f.Failed():
			return nil
		default:
			elements[i] = v
		}
	}
	return elements
}

// readArray reads the elements of an array.
func (p *part) readArray(r *wire.Reader, inner model.FName) model.Elements {
	countAt := r.Offset()
	n := r.Uint32("count", "UA-ARR-1")
	typ := p.names.plain(inner)
	elements, ok := p.elements[typ]
	switch {
	case ok:
		count := r.CountAt(n, elements.size, countAt, "count", "UA-ARR-1")
		r.Enter("elements")
		defer r.Leave()
		return elements.read(p, r, count)
	case typ == typeStruct:
		return p.readStructs(r, n, countAt)
	}
	return model.OpaqueElements{Count: n, Data: rest(wire.Fields{R: r}, nil, "elements.data", "UA-ARR-5")}
}

// readStructs reads n structs. countAt is the offset of their count.
func (p *part) readStructs(r *wire.Reader, n uint32, countAt int) model.Elements {
	f := wire.Fields{R: r}
	r.Enter("elements")
	if r.Remaining() == 0 && !r.Failed() {
		r.Fail(wire.Truncated, r.Offset(), "tag.name", "UA-ARR-3",
			"expected the inner tag, which an array of structs has also if its count is 0, found 0 bytes")
	}
	t, sizeAt := p.innerTag(f, model.InnerTag{})
	if !p.d.structNulls && uint64(t.Size) != uint64(r.Remaining()) {
		r.Fail(wire.Value, sizeAt, "tag.size", "UA-ARR-11", "expected %d, the size of the elements in bytes, found %d",
			r.Remaining(), t.Size)
	}
	r.Leave()
	kind := p.structKind(t.StructName)
	if !kind.inArray {
		return model.OpaqueStructs{Tag: t, Count: n, Data: rest(f, nil, "elements.data", "UA-ARR-4")}
	}
	size := kind.size
	if p.d.structNulls {
		size++
	}
	count := r.CountAt(n, size, countAt, "count", "UA-ARR-4")
	r.Enter("elements")
	defer r.Leave()
	return model.Structs{Tag: t, Elements: p.structElements(f, make([]model.StructValue, count), kind)}
}

// structElements reads structs into a slice, or writes those in it.
func (p *part) structElements(f wire.Fields, elements []model.StructValue, kind structKind) []model.StructValue {
	f.Enter("elements")
	elements = each(p, f, elements, p.d.structNulls, kind.body)
	f.Leave()
	if p.d.structNulls && len(elements) > 1 {
		null(f, "null", "UA-ARR-3")
	}
	return elements
}

func (p *part) writeArray(w *wire.Writer, v model.ArrayProperty) {
	w.Enter("elements")
	defer w.Leave()
	typ := p.names.plain(v.InnerType)
	expected := model.TypeName(model.OpaqueElements{})
	elements, ok := p.elements[typ]
	switch {
	case ok:
		expected = elements.name
	case typ == typeStruct:
		expected = model.TypeName(model.Structs{})
	}
	found := model.TypeName(v.Elements)
	if _, ok := v.Elements.(model.OpaqueStructs); ok {
		found = model.TypeName(model.Structs{}) // the other form of an array of structs
	}
	if found != expected {
		w.Fail("", "UA-ARR-2", "expected %s in an array of %s, found %s", expected, typ, wire.TypeName(v.Elements))
		return
	}
	switch x := v.Elements.(type) {
	case model.Structs:
		w.Uint32(w.Len(len(x.Elements), "elements", "UA-ARR-1"))
		p.writeStructs(w, x)
	case model.OpaqueStructs:
		w.Uint32(x.Count)
		_, sizeAt := p.innerTag(wire.Fields{W: w}, x.Tag)
		if p.structKind(x.Tag.StructName).inArray {
			w.Fail("data", "UA-ARR-4", "expected Structs for elements of %q, found OpaqueStructs",
				p.names.plain(x.Tag.StructName))
		}
		p.checkInnerSize(w, x.Tag, sizeAt, len(x.Data))
		w.Bytes(x.Data)
	case model.OpaqueElements:
		w.Uint32(x.Count)
		w.Bytes(x.Data)
	default:
		elements.write(p, w, x)
	}
}

func (p *part) writeStructs(w *wire.Writer, v model.Structs) {
	f := wire.Fields{W: w}
	_, sizeAt := p.innerTag(f, v.Tag)
	kind := p.structKind(v.Tag.StructName)
	if !kind.inArray {
		w.Fail("tag.structName", "UA-ARR-4", "expected OpaqueStructs for elements of %q, found Structs",
			p.names.plain(v.Tag.StructName))
		return
	}
	start := w.Offset()
	p.structElements(f, v.Elements, kind)
	p.checkInnerSize(w, v.Tag, sizeAt, w.Offset()-start)
}

// innerTag reads or writes an inner tag. sizeAt is where its Size is.
func (p *part) innerTag(f wire.Fields, t model.InnerTag) (_ model.InnerTag, sizeAt int) {
	f.Enter("tag")
	p.id(f, &t.Name, "name", "UA-ARR-3")
	if f.R != nil {
		p.readStructType(f)
	} else {
		p.writeText(f.W, typeStruct, "type")
	}
	sizeAt = f.Offset()
	p.size(f, &t.Size, &t.ArrayIndex)
	p.id(f, &t.StructName, "structName", "UA-ARR-3")
	f.Bytes(t.StructGuid[:], "structGuid", "UA-ARR-3")
	t.PropertyGuid = p.guidByte(f, t.PropertyGuid, !p.d.structNulls)
	f.Leave()
	return t, sizeAt
}

// readStructType reads the type in an inner tag.
func (p *part) readStructType(f wire.Fields) {
	var typ model.FName
	if p.id(f, &typ, "type", "UA-ARR-3"); p.names.plain(typ) != typeStruct && !f.R.Failed() {
		f.Fail(wire.Kind, nameSize, "type", "UA-ARR-10", "%s", p.names.misnamed(typeStruct, typ))
	}
}

// checkInnerSize checks the Size of an inner tag, or computes it. The document does
// not say what it counts.
func (p *part) checkInnerSize(w *wire.Writer, t model.InnerTag, at, size int) {
	switch {
	case p.resize && p.d.structNulls:
		patch32(w, at, uint32(max(0, size-1))) // in files the first null is the GUID byte
	case p.resize:
		patch32(w, at, uint32(size))
	case !p.d.structNulls && uint64(t.Size) != uint64(size):
		w.Fail("tag.size", "UA-ARR-11", "expected %d, the size of the elements in bytes, found %d", size, t.Size)
	}
}
