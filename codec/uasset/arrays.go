package uasset

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// readArray reads what Size counts.
func (p *part) readArray(r *wire.Reader, t tag, inner model.FName) model.ArrayProperty {
	v := model.ArrayProperty{InnerType: inner}
	w := t.open(r)
	r.Enter("value")
	countAt := r.Offset()
	n := r.Uint32("count", clauseArray)
	v.Elements = p.readElements(r, p.names.plain(inner), n, countAt)
	r.Widen(w, "elements", clauseSize)
	r.Leave()
	return v
}

// readElements reads the elements of an array up to the end of its window.
func (p *part) readElements(r *wire.Reader, typ string, n uint32, countAt int) model.Elements {
	null := 0
	if p.d.elementNulls {
		null = 1
	}
	count := func(size int) int { return r.CountAt(n, size, countAt, "count", clauseArray) }
	switch typ {
	case typeFloat:
		return model.Floats(readEach(r, count(4+null), null, func() float32 { return r.Float32("", clauseElements) }))
	case typeInt:
		return model.Ints(readEach(r, count(4+null), null, func() int32 { return r.Int32("", clauseElements) }))
	case typeName:
		return model.Names(readEach(r, count(nameSize+null), null, func() model.FName { return p.readName(r, "", clauseElements) }))
	case typeStr:
		return model.Strs(readEach(r, count(4+null), null, func() model.FString { return p.readString(r) }))
	case typeObject:
		return model.Objects(readEach(r, count(4), 0, func() model.PackageIndex { return readIndex(r, "", clauseElements) }))
	case typeBool:
		if p.d.wordBool {
			return model.Bools(readEach(r, count(2), 0, func() bool { return readWordBool(r, "", clauseElements) }))
		}
		return model.Bools(readEach(r, count(1), 0, func() bool { return readByteBool(r, "", clauseBoolTrue) }))
	case typeStruct:
		return p.readStructs(r, n, countAt)
	}
	return model.OpaqueElements{Count: n, Data: rest(r, "elements.data", clauseOpaqueElements)}
}

// readEach reads the n elements of an array, each behind as many null bytes as
// are said.
func readEach[T any](r *wire.Reader, n, nulls int, read func() T) []T {
	out := make([]T, 0, n)
	r.Enter("elements")
	defer r.Leave()
	for i := range n {
		r.EnterIndex(i)
		if nulls > 0 {
			readNull(r, "null", clauseElements)
		}
		out = append(out, read())
		r.Leave()
		if r.Failed() {
			return nil
		}
	}
	return out
}

func (p *part) readStructs(r *wire.Reader, n uint32, countAt int) model.Elements {
	t := model.InnerTag{}
	r.Enter("elements")
	r.Enter("tag")
	t.Name = p.readID(r, "name", clauseInnerTag)
	at := r.Offset()
	if typ := p.readID(r, "type", clauseInnerTag); p.names.plain(typ) != typeStruct && !r.Failed() {
		r.Fail(wire.Kind, at, "type", clauseInnerTag, "%s, number %d, in an array of %s", p.names.texts[typ.Index], typ.Number, typeStruct)
	}
	sizeAt := r.Offset()
	t.Size, t.ArrayIndex = p.readSize(r)
	t.StructName = p.readID(r, "structName", clauseInnerTag)
	t.StructGuid = readGuid(r, "structGuid", clauseInnerTag)
	nulls := 0
	if p.d.structNulls {
		nulls = 1
	} else {
		t.PropertyGuid = p.readGuidByte(r, "propertyGuid")
		if uint64(t.Size) != uint64(r.Remaining()) {
			r.Fail(wire.Value, sizeAt, "size", clauseInnerTag, "%d bytes of elements where there are %d", t.Size, r.Remaining())
		}
	}
	r.Leave()
	r.Leave()
	kind := p.structKind(p.names.plain(t.StructName))
	if !kind.inArray {
		return model.OpaqueStructs{Tag: t, Count: n, Data: rest(r, "elements.data", clauseStructElements)}
	}
	count := r.CountAt(n, kind.least+nulls, countAt, "count", clauseStructElements)
	r.Enter("elements")
	v := model.Structs{Tag: t, Elements: readEach(r, count, nulls, func() model.StructValue { return kind.read(r) })}
	if nulls > 0 && count > 1 {
		readNull(r, "null", clauseInnerTag)
	}
	r.Leave()
	return v
}

func (p *part) writeArray(w *wire.Writer, v model.ArrayProperty) {
	typ := p.names.plain(v.InnerType)
	if want := elementsOf(typ); v.Elements == nil || want != elementsName(v.Elements) {
		w.Fail("elements", clauseElements, "an array of %s does not hold these elements", typ)
		return
	}
	w.Enter("elements")
	defer w.Leave()
	nulls := p.d.elementNulls
	switch x := v.Elements.(type) {
	case model.Floats:
		writeEach(w, x, nulls, func(f float32) { w.Float32(f) })
	case model.Ints:
		writeEach(w, x, nulls, func(i int32) { w.Int32(i) })
	case model.Names:
		writeEach(w, x, nulls, func(n model.FName) { p.writeName(w, n, "") })
	case model.Strs:
		writeEach(w, x, nulls, func(s model.FString) { p.writeString(w, s) })
	case model.Objects:
		writeEach(w, x, false, func(i model.PackageIndex) { w.Int32(int32(i)) })
	case model.Bools:
		writeEach(w, x, false, func(b bool) {
			w.Uint8(bit(b))
			if p.d.wordBool {
				w.Uint8(0)
			}
		})
	case model.Structs:
		w.Uint32(w.Len(len(x.Elements), "elements", clauseArray))
		p.writeStructs(w, x)
	case model.OpaqueStructs:
		w.Uint32(x.Count)
		p.writeInnerTag(w, x.Tag)
		if name := p.names.plain(x.Tag.StructName); p.structKind(name).inArray {
			w.Fail("data", clauseStructElements, "elements of %s are told apart", name)
		}
		p.checkInnerSize(w, x.Tag, len(x.Data))
		w.Bytes(x.Data)
	case model.OpaqueElements:
		w.Uint32(x.Count)
		w.Bytes(x.Data)
	}
}

// elementsOf returns which elements an array of a type holds.
func elementsOf(typ string) string {
	switch typ {
	case typeFloat:
		return model.Floats(nil).TypeName()
	case typeInt:
		return model.Ints(nil).TypeName()
	case typeName:
		return model.Names(nil).TypeName()
	case typeStr:
		return model.Strs(nil).TypeName()
	case typeObject:
		return model.Objects(nil).TypeName()
	case typeBool:
		return model.Bools(nil).TypeName()
	case typeStruct:
		return model.Structs{}.TypeName()
	}
	return model.OpaqueElements{}.TypeName()
}

// elementsName returns the name of elements as elementsOf gives it: structs
// have one type, whether they are told apart or not.
func elementsName(e model.Elements) string {
	if _, ok := e.(model.OpaqueStructs); ok {
		return model.Structs{}.TypeName()
	}
	return e.TypeName()
}

// writeEach writes a count and the elements, each behind a null if it is so said.
func writeEach[T any](w *wire.Writer, values []T, nulls bool, write func(T)) {
	w.Uint32(w.Len(len(values), "", clauseArray))
	for i, v := range values {
		w.EnterIndex(i)
		if nulls {
			w.Uint8(0)
		}
		write(v)
		w.Leave()
	}
}

func (p *part) writeStructs(w *wire.Writer, v model.Structs) {
	p.writeInnerTag(w, v.Tag)
	name := p.names.plain(v.Tag.StructName)
	kind := p.structKind(name)
	if !kind.inArray {
		w.Fail("tag.structName", clauseStructElements, "elements of %q are not told apart", name)
		return
	}
	start := w.Offset()
	w.Enter("elements")
	for i, e := range v.Elements {
		w.EnterIndex(i)
		if p.d.structNulls {
			w.Uint8(0)
		}
		kind.write(w, e)
		w.Leave()
	}
	w.Leave()
	if p.d.structNulls && len(v.Elements) > 1 {
		w.Uint8(0)
	}
	p.checkInnerSize(w, v.Tag, w.Offset()-start)
}

func (p *part) writeInnerTag(w *wire.Writer, t model.InnerTag) {
	w.Enter("tag")
	p.writeID(w, t.Name, "name")
	p.writeText(w, typeStruct, "type")
	w.Uint32(t.Size)
	p.writeArrayIndex(w, t.ArrayIndex)
	p.writeID(w, t.StructName, "structName")
	w.Bytes(t.StructGuid[:])
	if p.d.structNulls {
		refuseGuid(w, t.PropertyGuid)
	} else {
		p.writeGuidByte(w, t.PropertyGuid, "propertyGuid")
	}
	w.Leave()
}

// checkInnerSize refuses an inner tag whose Size is not that of the elements;
// the document does not say what it is.
func (p *part) checkInnerSize(w *wire.Writer, t model.InnerTag, size int) {
	if !p.d.structNulls && uint64(t.Size) != uint64(size) {
		w.Fail("tag.size", clauseInnerTag, "%d bytes of elements where there are %d", t.Size, size)
	}
}
