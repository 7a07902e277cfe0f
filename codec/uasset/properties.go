package uasset

import (
	"math"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

// The types of properties that the document lists.
const (
	typeBool   = "BoolProperty"
	typeFloat  = "FloatProperty"
	typeName   = "NameProperty"
	typeInt    = "IntProperty"
	typeStr    = "StrProperty"
	typeObject = "ObjectProperty"
	typeByte   = "ByteProperty"
	typeArray  = "ArrayProperty"
	typeStruct = "StructProperty"
)

func isListed(typ string) bool {
	switch typ {
	case typeBool, typeFloat, typeName, typeInt, typeStr, typeObject, typeByte, typeArray, typeStruct:
		return true
	}
	return false
}

// namesIn counts the names that an unlisted type adds to the tag.
func namesIn(typ string) int {
	switch typ {
	case "EnumProperty", "SetProperty":
		return 1
	case "MapProperty":
		return 2
	}
	return 0
}

// PropertyList is properties up to None. It needs Names.
func (c *Codec) PropertyList(s Scope) wire.Structure[model.PropertyList] {
	p := c.part(s)
	return structure(c, "PropertyList", nameSize, p.readList, p.writeList)
}

func (p *part) readList(r *wire.Reader) model.PropertyList {
	if !r.Descend(clauseListDepth) {
		return nil
	}
	list := model.PropertyList{}
	for !r.Failed() {
		if p.endsList(r.Unread()) {
			p.readID(r, "end", clauseList)
			break
		}
		r.EnterIndex(len(list))
		list = append(list, p.readProperty(r, anyType))
		r.Leave()
	}
	r.Ascend()
	return list
}

// endsList reports whether the next name is None.
func (p *part) endsList(rest []byte) bool {
	return len(rest) >= nameSize && p.names.plain(nameOf(rest)) == none
}

func (p *part) writeList(w *wire.Writer, list model.PropertyList) {
	if !w.Descend(clauseListDepth) {
		return
	}
	for i := range list {
		w.EnterIndex(i)
		p.writeProperty(w, &list[i])
		w.Leave()
	}
	p.writeText(w, none, "end")
	w.Ascend()
}

// leastProperty is the smallest tag with its value: name, type, Size, ArrayIndex, a byte.
const leastProperty = 25

// Property is one property of any type. It needs Names.
func (c *Codec) Property(s Scope) wire.Structure[model.Property] {
	return c.oneProperty(s, "Property", anyType)
}

// BoolProperty is a property with a truth value. Like all types named after a
// kind of property it refuses the others, and needs Names.
func (c *Codec) BoolProperty(s Scope) wire.Structure[model.Property] { return c.kind(s, typeBool) }

// FloatProperty is a property with a float.
func (c *Codec) FloatProperty(s Scope) wire.Structure[model.Property] { return c.kind(s, typeFloat) }

// NameProperty is a property with a name.
func (c *Codec) NameProperty(s Scope) wire.Structure[model.Property] { return c.kind(s, typeName) }

// IntProperty is a property with an integer.
func (c *Codec) IntProperty(s Scope) wire.Structure[model.Property] { return c.kind(s, typeInt) }

// StrProperty is a property with a string.
func (c *Codec) StrProperty(s Scope) wire.Structure[model.Property] { return c.kind(s, typeStr) }

// ObjectProperty is a property with a reference to an object.
func (c *Codec) ObjectProperty(s Scope) wire.Structure[model.Property] { return c.kind(s, typeObject) }

// ByteProperty is a property with a byte or an enumerator.
func (c *Codec) ByteProperty(s Scope) wire.Structure[model.Property] { return c.kind(s, typeByte) }

// ArrayProperty is a property with a list.
func (c *Codec) ArrayProperty(s Scope) wire.Structure[model.Property] { return c.kind(s, typeArray) }

// StructProperty is a property with a struct.
func (c *Codec) StructProperty(s Scope) wire.Structure[model.Property] { return c.kind(s, typeStruct) }

// OpaqueProperty is a property of a type that the document does not list.
func (c *Codec) OpaqueProperty(s Scope) wire.Structure[model.Property] {
	return c.oneProperty(s, "OpaqueProperty", func(typ string) bool { return !isListed(typ) })
}

func (c *Codec) kind(s Scope, typ string) wire.Structure[model.Property] {
	return c.oneProperty(s, typ, func(have string) bool { return have == typ })
}

// oneProperty describes a property that stands alone, of the types that are
// asked for.
func (c *Codec) oneProperty(s Scope, name string, asked func(typ string) bool) wire.Structure[model.Property] {
	p := c.part(s)
	return structure(c, name, leastProperty,
		func(r *wire.Reader) model.Property {
			if p.endsList(r.Unread()) {
				r.Fail(wire.Value, r.Offset(), "name", clauseProperty, "%s is no property: it ends a list", none)
			}
			return p.readProperty(r, asked)
		},
		func(w *wire.Writer, v model.Property) {
			if v.Value != nil && !asked(p.listedType(v.Value)) {
				w.Fail("value", clauseKind, "%s is no %s", v.Value.TypeName(), name)
			}
			p.writeProperty(w, &v)
		})
}

func anyType(string) bool { return true }

// tag is what stands before a value.
type tag struct {
	at   int    // where it begins
	typ  string // the text of its type; "" if that has a number
	size uint32
}

func (t tag) sizeAt() int { return t.at + 2*nameSize }

// exactly checks the size of a value that has no other.
func (t tag) exactly(r *wire.Reader, size int, clause clauseID) {
	if t.size != uint32(size) {
		r.Fail(wire.Value, t.sizeAt(), "size", clause, "a value of %d bytes instead of %d", t.size, size)
	}
}

// open begins the window of a value.
func (t tag) open(r *wire.Reader) wire.Window {
	if uint64(t.size) > uint64(r.Remaining()) {
		r.Fail(wire.Truncated, t.sizeAt(), "size", clauseSize, "a value of %d bytes cannot be in the %d left", t.size, r.Remaining())
	}
	return r.Narrow(int(t.size))
}

// readProperty reads a property that is not None, of the types that are asked for.
func (p *part) readProperty(r *wire.Reader, asked func(typ string) bool) (v model.Property) {
	t := tag{at: r.Offset()}
	v.Name = p.readID(r, "name", clauseProperty)
	typ := p.readID(r, "type", clauseProperty)
	t.typ = p.names.plain(typ)
	if !r.Failed() && !asked(t.typ) {
		r.Fail(wire.Kind, t.at+nameSize, "type", clauseKind, "%s, number %d, is not the type that is asked for", p.names.texts[typ.Index], typ.Number)
	}
	t.size, v.ArrayIndex = p.readSize(r)
	if r.Failed() {
		return v
	}
	guid := func() { v.PropertyGuid = p.readGuidByte(r, "propertyGuid") }
	switch t.typ {
	case typeBool:
		t.exactly(r, 0, clauseBool)
		if p.d.wordBool {
			v.Value = model.BoolProperty(readWordBool(r, "value", clauseBool))
			break
		}
		v.Value = model.BoolProperty(readByteBool(r, "value", clauseBool))
		guid()
	case typeFloat:
		t.exactly(r, 4, clauseSize)
		guid()
		v.Value = model.FloatProperty(r.Float32("value", clauseFloat))
	case typeName:
		t.exactly(r, nameSize, clauseSize)
		guid()
		v.Value = model.NameProperty(p.readName(r, "value", clauseNameValue))
	case typeInt:
		t.exactly(r, 4, clauseSize)
		guid()
		v.Value = model.IntProperty(r.Int32("value", clauseInt))
	case typeStr:
		guid()
		w := t.open(r)
		r.Enter("value")
		v.Value = model.StrProperty(p.readString(r))
		r.Widen(w, "", clauseSize)
		r.Leave()
	case typeObject:
		t.exactly(r, 4, clauseSize)
		if !p.d.bareObjects {
			guid()
		}
		v.Value = model.ObjectProperty(readIndex(r, "value", clauseObjectValue))
	case typeByte:
		if p.d.bytePairs {
			v.Value = readBytePair(r, t)
			break
		}
		if t.size != 1 && t.size != nameSize {
			r.Fail(wire.Value, t.sizeAt(), "size", clauseByte, "a value of %d bytes is neither a byte nor a name", t.size)
		}
		enum := p.readName(r, "value.enumName", clauseByte)
		guid()
		v.Value = p.readByte(r, t, enum)
	case typeArray:
		inner := p.readID(r, "value.innerType", clauseArray)
		guid()
		v.Value = p.readArray(r, t, inner)
	case typeStruct:
		x := model.StructProperty{StructName: p.readID(r, "value.structName", clauseStruct)}
		kind := p.structKind(p.names.plain(x.StructName))
		if kind.fixed {
			t.exactly(r, kind.least, clauseStructSize)
		}
		x.StructGuid = readGuid(r, "value.structGuid", clauseStruct)
		guid()
		x.Value = p.readStruct(r, t, kind)
		v.Value = x
	default:
		x := model.OpaqueProperty{Type: typ, Names: []model.FName{}}
		for range namesIn(t.typ) {
			x.Names = append(x.Names, p.readName(r, "value.names", clauseOpaque))
		}
		guid()
		w := t.open(r)
		x.Data = rest(r, "value.data", clauseOpaque)
		r.Widen(w, "value.data", clauseSize)
		v.Value = x
	}
	return v
}

// readSize reads the document's length: Size and ArrayIndex.
func (p *part) readSize(r *wire.Reader) (size uint32, index int32) {
	if !p.d.wideSize {
		return r.Uint32("size", clauseProperty), r.Int32("arrayIndex", clauseProperty)
	}
	at := r.Offset()
	v := r.Uint64("size", clauseProperty)
	if v > math.MaxUint32 {
		r.Fail(wire.Truncated, at, "size", clauseProperty, "a value of %d bytes cannot be in the %d left", v, r.Remaining())
	}
	return uint32(v), 0
}

// readGuidByte reads the byte before a value, and the GUID if it promises one.
func (p *part) readGuidByte(r *wire.Reader, field string) *model.Guid {
	if p.d.noGuid {
		readNull(r, field, clausePropertyGuid)
		return nil
	}
	at := r.Offset()
	switch has := r.Uint8(field, clausePropertyGuid); has {
	case 0:
		return nil
	case 1:
		g := readGuid(r, field, clausePropertyGuid)
		return &g
	default:
		r.Fail(wire.Value, at, field, clausePropertyGuid, "%d tells neither that there is a GUID nor that there is none", has)
		return nil
	}
}

func readWordBool(r *wire.Reader, field string, clause clauseID) bool {
	at := r.Offset()
	v := r.Uint16(field, clause)
	if v > 1 {
		r.Fail(wire.Value, at, field, clause, "%d is neither 0 nor 1", v)
	}
	return v == 1
}

func readByteBool(r *wire.Reader, field string, clause clauseID) bool {
	v := r.Uint8(field, clause)
	if v > 1 {
		r.Note("%d, which counts as 1", v)
	}
	return v != 0
}

func readBytePair(r *wire.Reader, t tag) (v model.BytePair) {
	if 2*uint64(t.size)+1 > uint64(r.Remaining()) {
		r.Fail(wire.Truncated, t.sizeAt(), "size", clauseByte, "twice %d bytes and one between cannot be in the %d left", t.size, r.Remaining())
		return v
	}
	r.Enter("value")
	v.First = kept(r, int(t.size), "first", clauseByte)
	readNull(r, "null", clauseByte)
	v.Second = kept(r, int(t.size), "second", clauseByte)
	r.Leave()
	return v
}

func (p *part) readByte(r *wire.Reader, t tag, enum model.FName) model.ByteProperty {
	v := model.ByteProperty{EnumName: enum}
	if t.size == 1 {
		b := r.Uint8("value.value", clauseByte)
		v.Value = &b
		return v
	}
	n := p.readName(r, "value.valueName", clauseByte)
	v.ValueName = &n
	return v
}

// listedType returns the type in the tag of a value; for an opaque one "", or
// a text that the document does not list.
func (p *part) listedType(v model.Value) string {
	switch v := v.(type) {
	case model.OpaqueProperty:
		return p.names.plain(v.Type)
	case model.BytePair:
		return typeByte
	}
	return v.TypeName()
}

func (p *part) writeProperty(w *wire.Writer, v *model.Property) {
	if p.names.plain(v.Name) == none {
		w.Fail("name", clauseProperty, "%s is no property: it ends a list", none)
	}
	p.writeID(w, v.Name, "name")
	p.writeType(w, v.Value)
	sizeAt := w.Offset()
	w.Uint32(0) // patched below
	p.writeArrayIndex(w, v.ArrayIndex)
	if w.Failed() {
		return
	}
	p.writeTagEnd(w, v)
	start := w.Offset()
	p.writeValue(w, v.Value)
	size := w.Offset() - start
	if pair, ok := v.Value.(model.BytePair); ok {
		size = len(pair.First)
	}
	if uint64(size) > math.MaxUint32 {
		w.Fail("value", clauseSize, "%d bytes do not fit a size of 32 bits", size)
	}
	patch32(w, sizeAt, uint32(size))
	if s, ok := v.Value.(model.StructProperty); ok {
		p.writeBehindStruct(w, s)
	}
}

func (p *part) writeType(w *wire.Writer, v model.Value) {
	switch v := v.(type) {
	case nil:
		w.Fail("value", clauseType, "there is none")
	case model.OpaqueProperty:
		typ := p.names.plain(v.Type)
		switch {
		case isListed(typ):
			w.Fail("value.type", clauseOpaqueWrites, "%s is a type that the document lists", typ)
		case len(v.Names) != namesIn(typ):
			w.Fail("value.names", clauseOpaqueWrites, "a tag of %s holds %d names, not %d", typ, namesIn(typ), len(v.Names))
		}
		p.writeID(w, v.Type, "value.type")
	default:
		p.writeText(w, p.listedType(v), "type")
	}
}

func (p *part) writeArrayIndex(w *wire.Writer, index int32) {
	if p.d.wideSize && index != 0 {
		w.Fail("arrayIndex", clauseProperty, "the document has no room for the index %d", index)
	}
	w.Int32(index)
}

// writeTagEnd writes what a type adds to its tag, and the GUID byte.
func (p *part) writeTagEnd(w *wire.Writer, v *model.Property) {
	switch x := v.Value.(type) {
	case model.BoolProperty:
		w.Uint8(bit(bool(x)))
		if p.d.wordBool { // the upper half takes the place of the GUID byte
			refuseGuid(w, v.PropertyGuid)
			w.Uint8(0)
			return
		}
	case model.ObjectProperty:
		if p.d.bareObjects {
			refuseGuid(w, v.PropertyGuid)
			return
		}
	case model.BytePair:
		refuseGuid(w, v.PropertyGuid)
		return
	case model.ByteProperty:
		p.writeName(w, x.EnumName, "value.enumName")
	case model.ArrayProperty:
		p.writeID(w, x.InnerType, "value.innerType")
	case model.StructProperty:
		p.writeID(w, x.StructName, "value.structName")
		w.Bytes(x.StructGuid[:])
	case model.OpaqueProperty:
		for _, n := range x.Names {
			p.writeName(w, n, "value.names")
		}
	}
	p.writeGuidByte(w, v.PropertyGuid, "propertyGuid")
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// refuseGuid is for places where the document has no GUID byte.
func refuseGuid(w *wire.Writer, g *model.Guid) {
	if g != nil {
		w.Fail("propertyGuid", clausePropertyGuid, "the document has no room for a GUID here")
	}
}

func (p *part) writeGuidByte(w *wire.Writer, g *model.Guid, field string) {
	switch {
	case g == nil:
		w.Uint8(0)
	case p.d.noGuid:
		w.Fail(field, clausePropertyGuid, "the document has a null and no GUID")
	default:
		w.Uint8(1)
		w.Bytes(g[:])
	}
}

// writeValue writes what Size counts; a truth value stands in the tag.
func (p *part) writeValue(w *wire.Writer, v model.Value) {
	w.Enter("value")
	defer w.Leave()
	switch x := v.(type) {
	case model.FloatProperty:
		w.Float32(float32(x))
	case model.NameProperty:
		p.writeName(w, model.FName(x), "")
	case model.IntProperty:
		w.Int32(int32(x))
	case model.StrProperty:
		p.writeString(w, model.FString(x))
	case model.ObjectProperty:
		w.Int32(int32(x))
	case model.BytePair:
		switch {
		case !p.d.bytePairs:
			w.Fail("", clauseByte, "two runs of bytes are the document's reading of a byte")
		case len(x.First) != len(x.Second):
			w.Fail("second", clauseByte, "%d bytes, and %d before the null", len(x.Second), len(x.First))
		}
		w.Bytes(x.First)
		w.Uint8(0)
		w.Bytes(x.Second)
	case model.ByteProperty:
		p.writeByte(w, x)
	case model.ArrayProperty:
		p.writeArray(w, x)
	case model.StructProperty:
		p.writeStruct(w, x)
	case model.OpaqueProperty:
		w.Bytes(x.Data)
	}
}

func (p *part) writeByte(w *wire.Writer, v model.ByteProperty) {
	switch {
	case p.d.bytePairs:
		w.Fail("", clauseByte, "the document has two runs of bytes")
	case (v.Value == nil) == (v.ValueName == nil):
		w.Fail("", clauseByte, "it holds either a byte or a name")
	case v.Value != nil:
		w.Uint8(*v.Value)
	default:
		p.writeName(w, *v.ValueName, "valueName")
	}
}
