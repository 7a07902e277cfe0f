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

// namesInTag returns the number of names that an unlisted type adds to the tag.
func namesInTag(typ string) int {
	switch typ {
	case "EnumProperty", "SetProperty":
		return 1
	case "MapProperty":
		return 2
	}
	return 0
}

// PropertyList is properties up to None. It uses Scope.Names.
func (p *Part) PropertyList() wire.Structure[model.PropertyList] {
	return wire.Bind(p.family, &p.part, "PropertyList", nameSize, (*part).readList, (*part).writeList)
}

// list is [Part.PropertyList] for a part that keeps no structures.
func (p *part) list() wire.Structure[model.PropertyList] {
	return wire.Describe(p.family, "PropertyList", nameSize, p.readList, p.writeList).Structure()
}

func (p *part) readList(r *wire.Reader) model.PropertyList {
	if !r.Descend("UA-LST-3") {
		return nil
	}
	defer r.Cite(r.Cite("UA-LST-1"))
	list := model.PropertyList{}
	for !r.Failed() {
		r.Cite("UA-LST-1") // a value has changed it
		if p.endsList(r.Unread()) {
			p.readID(r, "end", "UA-LST-1")
			break
		}
		r.EnterIndex(len(list))
		list = append(list, p.readProperty(r, anyProperty))
		r.Leave()
	}
	r.Ascend()
	return list
}

// endsList reports whether bytes begin with the name None.
func (p *part) endsList(b []byte) bool {
	return len(b) >= nameSize && p.names.plain(nameOf(b)) == none
}

func (p *part) writeList(w *wire.Writer, list model.PropertyList) {
	if !w.Descend("UA-LST-3") {
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

// minPropertySize is the size of the smallest property in bytes: name, type,
// Size, ArrayIndex, and one byte.
const minPropertySize = 25

// Property is one property of any type. It uses Scope.Names.
func (p *Part) Property() wire.Structure[model.Property] { return p.propertyOf(anyProperty) }

// BoolProperty is a property with a truth value. Like every structure with the
// name of a type of property it rejects other types and uses Scope.Names.
func (p *Part) BoolProperty() wire.Structure[model.Property] { return p.propertyOf(typeBool) }

// FloatProperty is a property with a float.
func (p *Part) FloatProperty() wire.Structure[model.Property] { return p.propertyOf(typeFloat) }

// NameProperty is a property with a name.
func (p *Part) NameProperty() wire.Structure[model.Property] { return p.propertyOf(typeName) }

// IntProperty is a property with an integer.
func (p *Part) IntProperty() wire.Structure[model.Property] { return p.propertyOf(typeInt) }

// StrProperty is a property with a string.
func (p *Part) StrProperty() wire.Structure[model.Property] { return p.propertyOf(typeStr) }

// ObjectProperty is a property with a reference to an object.
func (p *Part) ObjectProperty() wire.Structure[model.Property] { return p.propertyOf(typeObject) }

// ByteProperty is a property with a byte or an enumerator.
func (p *Part) ByteProperty() wire.Structure[model.Property] { return p.propertyOf(typeByte) }

// ArrayProperty is a property with an array.
func (p *Part) ArrayProperty() wire.Structure[model.Property] { return p.propertyOf(typeArray) }

// StructProperty is a property with a struct.
func (p *Part) StructProperty() wire.Structure[model.Property] { return p.propertyOf(typeStruct) }

// OpaqueProperty is a property of a type that the document does not list.
func (p *Part) OpaqueProperty() wire.Structure[model.Property] { return p.propertyOf(opaqueProperty) }

// Names of structures that accept several types.
const (
	anyProperty    = "Property"
	opaqueProperty = "OpaqueProperty"
)

// accepts reports whether the structure of a name accepts a type.
func accepts(name, typ string) bool {
	return name == typ || name == anyProperty || name == opaqueProperty && !isListed(typ)
}

// propertyOf returns the structure of a name.
func (p *Part) propertyOf(name string) wire.Structure[model.Property] {
	return wire.Keep(p.family, wire.Key{Name: name}, func() wire.Description[model.Property] {
		return wire.Describe(p.family, name, minPropertySize,
			func(r *wire.Reader) model.Property {
				if at := r.Offset(); p.endsList(r.Unread()) {
					p.readName(r, "name", "UA-TAG-1")
					r.Fail(wire.Value, at, "name", "UA-TAG-1", foundNone)
				}
				return p.readProperty(r, name)
			},
			func(w *wire.Writer, v model.Property) {
				if v.Value != nil && !accepts(name, p.typeOf(v.Value)) {
					w.Fail("value", "UA-TAG-5", "expected a value of %s, found %s", name, wire.TypeName(v.Value))
				}
				p.writeProperty(w, &v)
			})
	})
}

// A tag precedes a value.
type tag struct {
	at   int    // its offset
	typ  string // the text of its type; "" if the type has a number
	size uint32 // of the value in bytes
}

const foundNone = `expected the name of a property, found the name "None", which ends a list of properties`

func (t tag) sizeAt() int { return t.at + 2*nameSize }

// checkSize checks the size of a value of fixed size.
func (t tag) checkSize(r *wire.Reader, size int, clause clauseID) {
	if t.size != uint32(size) {
		why := "the size of the value in bytes"
		if size == 0 {
			why = "as the size does not count the value of a BoolProperty"
		}
		r.Fail(wire.Value, t.sizeAt(), "size", clause, "expected %d, %s, found %d", size, why, t.size)
	}
}

// open begins the window of a value.
func (t tag) open(r *wire.Reader) wire.Window {
	return r.Narrow(r.Length(int64(t.size), 1, "", t.sizeAt(), "size", "UA-TAG-3"))
}

// readProperty reads a property for the structure of a name. Its own name is
// not None.
func (p *part) readProperty(r *wire.Reader, name string) (v model.Property) {
	t := tag{at: r.Offset()}
	v.Name = p.readID(r, "name", "UA-TAG-1")
	typ := p.readID(r, "type", "UA-TAG-1")
	t.typ = p.names.plain(typ)
	if !r.Failed() && !accepts(name, t.typ) {
		r.Fail(wire.Kind, t.at+nameSize, "type", "UA-TAG-5", "%s", p.names.misnamed(name, typ))
	}
	if t.size, v.ArrayIndex = p.readSize(r); !r.Failed() {
		v.Value = p.readValue(r, t, typ, func() {
			v.PropertyGuid = p.readGuidByte(r, "propertyGuid")
			r.Cite("UA-TAG-3")
		})
	}
	return v
}

// readValue reads the rest of a tag and the value. The GUID is where guid is called.
func (p *part) readValue(r *wire.Reader, t tag, typ model.FName, guid func()) model.Value {
	switch t.typ {
	case typeBool:
		t.checkSize(r, 0, "UA-BOOL-1")
		if p.d.wordBool {
			return model.BoolProperty(readWordBool(r, "value", "UA-BOOL-1"))
		}
		v := model.BoolProperty(readByteBool(r, "value", "UA-BOOL-1"))
		guid()
		return v
	case typeFloat:
		t.checkSize(r, 4, "UA-TAG-3")
		guid()
		return model.FloatProperty(r.Float32("value", "UA-FLT-1"))
	case typeName:
		t.checkSize(r, nameSize, "UA-TAG-3")
		guid()
		return model.NameProperty(p.readName(r, "value", "UA-NPR-1"))
	case typeInt:
		t.checkSize(r, 4, "UA-TAG-3")
		guid()
		return model.IntProperty(r.Int32("value", "UA-INT-1"))
	case typeStr:
		guid()
		w := t.open(r)
		r.Enter("value")
		v := model.StrProperty(p.readString(r))
		r.Widen(w, "", "UA-TAG-3")
		r.Leave()
		return v
	case typeObject:
		t.checkSize(r, 4, "UA-TAG-3")
		if !p.d.bareObjects {
			guid()
		}
		r.Cite("UA-TAG-3")
		return model.ObjectProperty(readIndex(r, "value", "UA-OPR-1"))
	case typeByte:
		if p.d.bytePairs {
			return readBytePair(r, t)
		}
		if t.size != 1 && t.size != nameSize {
			r.Fail(wire.Value, t.sizeAt(), "size", "UA-BYTE-1", "expected 1 (a byte) or %d (a name), found %d",
				nameSize, t.size)
		}
		enum := p.readName(r, "value.enumName", "UA-BYTE-1")
		guid()
		return p.readByte(r, t, enum)
	case typeArray:
		inner := p.readID(r, "value.innerType", "UA-ARR-1")
		guid()
		return p.readArray(r, t, inner)
	case typeStruct:
		x := model.StructProperty{StructName: p.readID(r, "value.structName", "UA-STC-1")}
		kind := p.structKind(x.StructName)
		if kind.fixed {
			t.checkSize(r, kind.size, "UA-STC-2")
		}
		x.StructGuid = readGuid(r, "value.structGuid", "UA-STC-1")
		guid()
		x.Value = p.readStruct(r, t, kind)
		return x
	}
	x := model.OpaqueProperty{Type: typ}
	r.Enter("value.names")
	x.Names = wire.ReadN(r, namesInTag(t.typ), func(r *wire.Reader) model.FName { return p.readName(r, "", "UA-OPQ-1") })
	r.Leave()
	guid()
	w := t.open(r)
	x.Data = readRest(r, "value.data", "UA-OPQ-1")
	r.Widen(w, "value.data", "UA-TAG-3")
	return x
}

// readSize reads the document's length: Size and ArrayIndex.
func (p *part) readSize(r *wire.Reader) (size uint32, index int32) {
	if !p.d.wideSize {
		return r.Uint32("size", "UA-TAG-1"), r.Int32("arrayIndex", "UA-TAG-1")
	}
	at := r.Offset()
	v := r.Uint64("size", "UA-TAG-1")
	if v > math.MaxUint32 {
		r.Fail(wire.Truncated, at, "size", "UA-TAG-3", "expected %s for a size of %d, found %d remaining",
			wire.CountBytes(v), v, r.Remaining())
	}
	return uint32(v), 0
}

// readGuidByte reads the byte before a value, and the GUID if the byte is 1.
func (p *part) readGuidByte(r *wire.Reader, field string) *model.Guid {
	if p.d.noGuid {
		readNull(r, field, "UA-TAG-2")
		return nil
	}
	at := r.Offset()
	switch has := r.Uint8(field, "UA-TAG-2"); has {
	case 0:
		return nil
	case 1:
		g := readGuid(r, field, "UA-TAG-2")
		return &g
	default:
		r.Fail(wire.Value, at, field, "UA-TAG-10", "expected 0 (no GUID) or 1 (a GUID), found %d", has)
		return nil
	}
}

func readWordBool(r *wire.Reader, field string, clause clauseID) bool {
	at := r.Offset()
	v := r.Uint16(field, clause)
	if v > 1 {
		r.Fail(wire.Value, at, field, clause, "expected 0 or 1, found %d", v)
	}
	return v == 1
}

func readByteBool(r *wire.Reader, field string, clause clauseID) bool {
	v := r.Uint8(field, clause)
	if v > 1 {
		r.Note("%d, read as 1", v)
	}
	return v != 0
}

func readBytePair(r *wire.Reader, t tag) (v model.BytePair) {
	if total := 2*uint64(t.size) + 1; total > uint64(r.Remaining()) {
		r.Fail(wire.Truncated, t.sizeAt(), "size", "UA-BYTE-1", "expected %s for a size of %d (twice the size, and a byte "+
			"0), found %d remaining", wire.CountBytes(total), t.size, r.Remaining())
		return v
	}
	r.Enter("value")
	v.First = readBytes(r, int(t.size), "first", "UA-BYTE-1")
	readNull(r, "null", "UA-BYTE-1")
	v.Second = readBytes(r, int(t.size), "second", "UA-BYTE-1")
	r.Leave()
	return v
}

func (p *part) readByte(r *wire.Reader, t tag, enum model.FName) model.ByteProperty {
	v := model.ByteProperty{EnumName: enum}
	if t.size == 1 {
		b := r.Uint8("value.value", "UA-BYTE-1")
		v.Value = &b
		return v
	}
	n := p.readName(r, "value.valueName", "UA-BYTE-1")
	v.ValueName = &n
	return v
}

// typeOf returns the text of the type in the tag of a value, and "" if that
// type has a number.
func (p *part) typeOf(v model.Value) string {
	switch v := v.(type) {
	case model.OpaqueProperty:
		return p.names.plain(v.Type)
	case model.BytePair:
		return typeByte
	}
	return model.TypeName(v)
}

func (p *part) writeProperty(w *wire.Writer, v *model.Property) {
	if p.names.plain(v.Name) == none {
		w.Fail("name", "UA-TAG-1", foundNone)
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
		w.Fail("value", "UA-TAG-3", "expected at most %d bytes, found %d", uint32(math.MaxUint32), size)
	}
	patch32(w, sizeAt, uint32(size))
	if s, ok := v.Value.(model.StructProperty); ok {
		p.writeStructTail(w, s)
	}
}

func (p *part) writeType(w *wire.Writer, v model.Value) {
	switch v := v.(type) {
	case model.OpaqueProperty:
		typ := p.names.plain(v.Type)
		switch {
		case isListed(typ):
			w.Fail("value.type", "UA-OPQ-2", "expected a type that the document does not list, found %q", typ)
		case len(v.Names) != namesInTag(typ):
			w.Fail("value.names", "UA-OPQ-2", "expected %d names in the tag of %q, found %d", namesInTag(typ),
				typ, len(v.Names))
		}
		p.writeID(w, v.Type, "value.type")
	default:
		if model.TypeName(v) == "" {
			w.Fail("value", "UA-TAG-4", "expected a value of a type of the model, found %s", wire.TypeName(v))
			return
		}
		p.writeText(w, p.typeOf(v), "type")
	}
}

func (p *part) writeArrayIndex(w *wire.Writer, index int32) {
	if p.d.wideSize && index != 0 {
		w.Fail("arrayIndex", "UA-TAG-1", "expected index 0 under uasset.tag-array-index=documented, found %d", index)
	}
	w.Int32(index)
}

// writeTagEnd writes what a type adds to its tag, and the GUID byte.
func (p *part) writeTagEnd(w *wire.Writer, v *model.Property) {
	switch x := v.Value.(type) {
	case model.BoolProperty:
		w.Uint8(bit(bool(x)))
		if p.d.wordBool { // the upper byte replaces the GUID byte
			rejectGuid(w, v.PropertyGuid)
			w.Uint8(0)
			return
		}
	case model.ObjectProperty:
		if p.d.bareObjects {
			rejectGuid(w, v.PropertyGuid)
			return
		}
	case model.BytePair:
		rejectGuid(w, v.PropertyGuid)
		return
	case model.ByteProperty:
		p.writeName(w, x.EnumName, "value.enumName")
	case model.ArrayProperty:
		p.writeID(w, x.InnerType, "value.innerType")
	case model.StructProperty:
		p.writeID(w, x.StructName, "value.structName")
		w.Bytes(x.StructGuid[:])
	case model.OpaqueProperty:
		w.Enter("value.names")
		wire.WriteN(w, x.Names, func(w *wire.Writer, n model.FName) { p.writeName(w, n, "") })
		w.Leave()
	}
	p.writeGuidByte(w, v.PropertyGuid, "propertyGuid")
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// rejectGuid rejects a GUID in a tag without a GUID byte.
func rejectGuid(w *wire.Writer, g *model.Guid) {
	if g != nil {
		w.Fail("propertyGuid", "UA-TAG-2", "expected no GUID in a tag without a GUID byte, found % x", *g)
	}
}

func (p *part) writeGuidByte(w *wire.Writer, g *model.Guid, field string) {
	switch {
	case g == nil:
		w.Uint8(0)
	case p.d.noGuid:
		w.Fail(field, "UA-TAG-2", "expected no GUID under uasset.property-guid=documented, found % x", *g)
	default:
		w.Uint8(1)
		w.Bytes(g[:])
	}
}

// writeValue writes the Size bytes of a value. A truth value is in the tag.
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
			w.Fail("", "UA-BYTE-1", "expected ByteProperty under uasset.byte-property=observed, found BytePair")
		case len(x.First) != len(x.Second):
			w.Fail("second", "UA-BYTE-1", "expected %d bytes, as in the first run, found %d", len(x.First), len(x.Second))
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
		w.Fail("", "UA-BYTE-1", "expected BytePair under uasset.byte-property=documented, found ByteProperty")
	case v.Value == nil && v.ValueName == nil:
		w.Fail("", "UA-BYTE-1", "expected a byte or a name, found neither")
	case v.Value != nil && v.ValueName != nil:
		w.Fail("", "UA-BYTE-1", "expected a byte or a name, found both")
	case v.Value != nil:
		w.Uint8(*v.Value)
	default:
		p.writeName(w, *v.ValueName, "valueName")
	}
}
