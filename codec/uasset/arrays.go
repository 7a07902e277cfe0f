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
	types := map[string]elementType{
		typeFloat: elementsOf[model.Floats](4, d.elementNulls,
			func(_ *part, r *wire.Reader) float32 { return r.Float32("", "UA-ARR-2") },
			func(_ *part, w *wire.Writer, v float32) { w.Float32(v) }),
		typeInt: elementsOf[model.Ints](4, d.elementNulls,
			func(_ *part, r *wire.Reader) int32 { return r.Int32("", "UA-ARR-2") },
			func(_ *part, w *wire.Writer, v int32) { w.Int32(v) }),
		typeName: elementsOf[model.Names](nameSize, d.elementNulls,
			func(p *part, r *wire.Reader) model.FName { return p.readName(r, "", "UA-ARR-2") },
			func(p *part, w *wire.Writer, v model.FName) { p.writeName(w, v, "") }),
		typeStr: elementsOf[model.Strs](4, d.elementNulls, (*part).readString, (*part).writeString),
		typeObject: elementsOf[model.Objects](4, false,
			func(_ *part, r *wire.Reader) model.PackageIndex { return readIndex(r, "", "UA-ARR-2") },
			func(_ *part, w *wire.Writer, v model.PackageIndex) { w.Int32(int32(v)) }),
		typeBool: elementsOf[model.Bools](1, false,
			func(_ *part, r *wire.Reader) bool { return readByteBool(r, "", "UA-BOOL-2") },
			func(_ *part, w *wire.Writer, v bool) { w.Uint8(bit(v)) }),
	}
	if d.wordBool {
		types[typeBool] = elementsOf[model.Bools](2, false,
			func(_ *part, r *wire.Reader) bool { return readWordBool(r, "", "UA-BOOL-1") },
			func(_ *part, w *wire.Writer, v bool) { w.Uint16(uint16(bit(v))) })
	}
	return types
}

// elementsOf describes elements of at least size bytes. A null byte precedes
// each if null is set.
func elementsOf[S interface {
	~[]E
	model.Elements
}, E any](size int, null bool, read func(*part, *wire.Reader) E, write func(*part, *wire.Writer, E)) elementType {
	if null {
		size++
	}
	return elementType{
		name: model.TypeName(S(nil)),
		size: size,
		read: func(p *part, r *wire.Reader, n int) model.Elements {
			return S(readEach(p, r, n, null, read))
		},
		write: func(p *part, w *wire.Writer, v model.Elements) {
			w.Uint32(w.Len(len(v.(S)), "", "UA-ARR-1"))
			writeEach(p, w, v.(S), null, write)
		},
	}
}

// readEach reads n elements.
func readEach[E any](p *part, r *wire.Reader, n int, null bool, read func(*part, *wire.Reader) E) []E {
	out := make([]E, 0, n)
	r.Enter("elements")
	defer r.Leave()
	for i := range n {
		r.EnterIndex(i)
		if null {
			readNull(r, "null", "UA-ARR-2")
		}
		out = append(out, read(p, r))
		r.Leave()
		if r.Failed() {
			return nil
		}
	}
	return out
}

func writeEach[E any](p *part, w *wire.Writer, values []E, null bool, write func(*part, *wire.Writer, E)) {
	for i, v := range values {
		w.EnterIndex(i)
		if null {
			w.Uint8(0)
		}
		write(p, w, v)
		w.Leave()
	}
}

// readArray reads the value of an array.
func (p *part) readArray(r *wire.Reader, t tag, inner model.FName) model.ArrayProperty {
	v := model.ArrayProperty{InnerType: inner}
	w := t.open(r)
	r.Enter("value")
	countAt := r.Offset()
	n := r.Uint32("count", "UA-ARR-1")
	typ := p.names.plain(inner)
	elements, ok := p.elements[typ]
	switch {
	case ok:
		v.Elements = elements.read(p, r, r.CountAt(n, elements.size, countAt, "count", "UA-ARR-1"))
	case typ == typeStruct:
		v.Elements = p.readStructs(r, n, countAt)
	default:
		v.Elements = model.OpaqueElements{Count: n, Data: readRest(r, "elements.data", "UA-ARR-5")}
	}
	r.Widen(w, "elements", "UA-TAG-3")
	r.Leave()
	return v
}

// readStructs reads n structs. countAt is the offset of their count.
func (p *part) readStructs(r *wire.Reader, n uint32, countAt int) model.Elements {
	t := model.InnerTag{}
	r.Enter("elements")
	r.Enter("tag")
	if r.Remaining() == 0 && !r.Failed() {
		r.Fail(wire.Truncated, r.Offset(), "name", "UA-ARR-3",
			"expected the inner tag, which an array of structs has also if its count is 0, found 0 bytes")
	}
	t.Name = p.readID(r, "name", "UA-ARR-3")
	at := r.Offset()
	if typ := p.readID(r, "type", "UA-ARR-3"); p.names.plain(typ) != typeStruct && !r.Failed() {
		r.Fail(wire.Kind, at, "type", "UA-ARR-10", "%s", p.names.misnamed(typeStruct, typ))
	}
	sizeAt := r.Offset()
	t.Size, t.ArrayIndex = p.readSize(r)
	t.StructName = p.readID(r, "structName", "UA-ARR-3")
	t.StructGuid = readGuid(r, "structGuid", "UA-ARR-3")
	if !p.d.structNulls {
		t.PropertyGuid = p.readGuidByte(r, "propertyGuid")
		if uint64(t.Size) != uint64(r.Remaining()) {
			r.Fail(wire.Value, sizeAt, "size", "UA-ARR-11", "expected %d, the size of the elements in bytes, found %d",
				r.Remaining(), t.Size)
		}
	}
	r.Leave()
	r.Leave()
	kind := p.structKind(t.StructName)
	if !kind.inArray {
		return model.OpaqueStructs{Tag: t, Count: n, Data: readRest(r, "elements.data", "UA-ARR-4")}
	}
	size := kind.size
	if p.d.structNulls {
		size++
	}
	count := r.CountAt(n, size, countAt, "count", "UA-ARR-4")
	r.Enter("elements")
	defer r.Leave()
	v := model.Structs{Tag: t, Elements: readEach(p, r, count, p.d.structNulls, kind.read)}
	if p.d.structNulls && count > 1 {
		readNull(r, "null", "UA-ARR-3")
	}
	return v
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
		sizeAt := p.writeInnerTag(w, x.Tag)
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
	sizeAt := p.writeInnerTag(w, v.Tag)
	kind := p.structKind(v.Tag.StructName)
	if !kind.inArray {
		w.Fail("tag.structName", "UA-ARR-4", "expected OpaqueStructs for elements of %q, found Structs",
			p.names.plain(v.Tag.StructName))
		return
	}
	start := w.Offset()
	w.Enter("elements")
	writeEach(p, w, v.Elements, p.d.structNulls, kind.write)
	w.Leave()
	if p.d.structNulls && len(v.Elements) > 1 {
		w.Uint8(0)
	}
	p.checkInnerSize(w, v.Tag, sizeAt, w.Offset()-start)
}

// writeInnerTag returns where the Size is.
func (p *part) writeInnerTag(w *wire.Writer, t model.InnerTag) (sizeAt int) {
	w.Enter("tag")
	p.writeID(w, t.Name, "name")
	p.writeText(w, typeStruct, "type")
	sizeAt = w.Offset()
	w.Uint32(t.Size)
	p.writeArrayIndex(w, t.ArrayIndex)
	p.writeID(w, t.StructName, "structName")
	w.Bytes(t.StructGuid[:])
	if p.d.structNulls {
		rejectGuid(w, t.PropertyGuid)
	} else {
		p.writeGuidByte(w, t.PropertyGuid, "propertyGuid")
	}
	w.Leave()
	return sizeAt
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
