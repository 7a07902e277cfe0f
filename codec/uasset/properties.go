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
	return bind(p.family, &p.part, "PropertyList", nameSize, (*part).properties)
}

// list is [Part.PropertyList] for a part that keeps no structures.
func (p *part) list() wire.Structure[model.PropertyList] {
	return wire.Describe(p.family, "PropertyList", nameSize, wire.Reading(p.properties),
		wire.Writing(p.properties)).Structure()
}

// properties reads or writes a list up to None.
func (p *part) properties(f wire.Fields, list model.PropertyList) model.PropertyList {
	if !f.Descend("UA-LST-3") {
		return nil
	}
	if f.R != nil {
		list = p.readList(f)
	} else {
		for i := range list {
			f.EnterIndex(i)
			p.property(f, &list[i], anyProperty)
			f.Leave()
		}
		p.writeText(f.W, none, "end")
	}
	f.Ascend()
	return list
}

func (p *part) readList(f wire.Fields) model.PropertyList {
	r := f.R
	defer r.Cite(r.Cite("UA-LST-1"))
	list := model.PropertyList{}
	for !r.Failed() {
		r.Cite("UA-LST-1") // a value has changed it
		if p.endsList(r.Unread()) {
			p.id(f, &model.FName{}, "end", "UA-LST-1")
			break
		}
		r.EnterIndex(len(list))
		list = append(list, model.Property{})
		p.property(f, &list[len(list)-1], anyProperty)
		r.Leave()
	}
	return list
}

// endsList reports whether bytes begin with the name None.
func (p *part) endsList(b []byte) bool {
	return len(b) >= nameSize && p.names.plain(nameOf(b)) == none
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
	return bind(p.family, propertyPart{&p.part, name}, name, minPropertySize, propertyPart.property)
}

// A propertyPart is the structure of a name for a property that is decoded or encoded alone.
type propertyPart struct {
	*part
	name string
}

func (p propertyPart) property(f wire.Fields, v model.Property) model.Property {
	switch {
	case f.R != nil && p.endsList(f.R.Unread()):
		p.part.name(f, &v.Name, "name", "UA-TAG-1")
		f.Fail(wire.Value, nameSize, "name", "UA-TAG-1", foundNone)
	case v.Value != nil && !accepts(p.name, p.typeOf(v.Value)):
		f.W.Fail("value", "UA-TAG-5", "expected a value of %s, found %s", p.name, wire.TypeName(v.Value))
	}
	p.part.property(f, &v, p.name)
	return v
}

const foundNone = `expected the name of a property, found the name "None", which ends a list of properties`

// property reads or writes a property for the structure of a name. Its own name is
// not None. A property to write does not change.
func (p *part) property(f wire.Fields, v *model.Property, name string) {
	if f.W != nil && p.names.plain(v.Name) == none {
		f.W.Fail("name", "UA-TAG-1", foundNone)
	}
	p.id(f, &v.Name, "name", "UA-TAG-1")
	t := tag{}
	if f.R != nil {
		t.readType(f, p, name)
	} else {
		t.typ = p.writeType(f.W, v.Value)
	}
	t.sizeAt = f.Offset()
	p.size(f, &t.size, &v.ArrayIndex)
	if !f.Failed() {
		p.value(f, &t, v)
	}
}

// A tag precedes a value.
type tag struct {
	name   model.FName // of its type, if it was read
	typ    string      // the text of its type; "" if the type has a number
	sizeAt int         // where the size is
	size   uint32      // of the value in bytes; a writer does not know it
	start  int         // of the value
	window wire.Window // of the value
}

// readType reads the type of a property for the structure of a name.
func (t *tag) readType(f wire.Fields, p *part, name string) {
	p.id(f, &t.name, "type", "UA-TAG-1")
	t.typ = p.names.plain(t.name)
	if !f.Failed() && !accepts(name, t.typ) {
		f.Fail(wire.Kind, nameSize, "type", "UA-TAG-5", "%s", p.names.misnamed(name, t.name))
	}
}

// fixed checks or writes the size of a value of fixed size.
func (t *tag) fixed(f wire.Fields, size int, clause clauseID) {
	switch {
	case f.W != nil:
		t.patch(f.W, size)
	case t.size != uint32(size):
		why := "the size of the value in bytes"
		if size == 0 {
			why = "as the size does not count the value of a BoolProperty"
		}
		f.R.Fail(wire.Value, t.sizeAt, "size", clause, "expected %d, %s, found %d", size, why, t.size)
	}
}

// open begins a value of any size.
func (t *tag) open(f wire.Fields) {
	t.start = f.Offset()
	if f.R != nil {
		t.window = f.R.Narrow(f.R.Length(int64(t.size), 1, "", t.sizeAt, "size", "UA-TAG-3"))
	}
}

// close ends a value of any size. Bytes that remain are trailing bytes of a field.
func (t *tag) close(f wire.Fields, field string) {
	if f.R != nil {
		f.R.Widen(t.window, field, "UA-TAG-3")
	} else {
		t.patch(f.W, f.W.Offset()-t.start)
	}
}

// patch writes the size of a value.
func (t *tag) patch(w *wire.Writer, size int) {
	if uint64(size) > math.MaxUint32 {
		w.Fail("value", "UA-TAG-3", "expected at most %d bytes, found %d", uint32(math.MaxUint32), size)
	}
	patch32(w, t.sizeAt, uint32(size))
}

// value reads or writes the rest of a tag and the value.
func (p *part) value(f wire.Fields, t *tag, v *model.Property) {
	switch t.typ {
	case typeBool:
		x, _ := v.Value.(model.BoolProperty)
		t.fixed(f, 0, "UA-BOOL-1")
		if f.W != nil && p.d.wordBool { // the upper byte replaces the GUID byte
			f.W.Uint8(bit(bool(x)))
			p.endTag(f, v, false)
			f.W.Uint8(0)
			return
		}
		x = model.BoolProperty(p.boolean(f, bool(x), "value", "UA-BOOL-1"))
		p.endTag(f, v, !p.d.wordBool)
		store(f, v, x)
	case typeFloat:
		x, _ := v.Value.(model.FloatProperty)
		t.fixed(f, 4, "UA-TAG-3")
		p.endTag(f, v, true)
		f.Float32((*float32)(&x), "value", "UA-FLT-1")
		store(f, v, x)
	case typeName:
		x, _ := v.Value.(model.NameProperty)
		t.fixed(f, nameSize, "UA-TAG-3")
		p.endTag(f, v, true)
		p.name(f, (*model.FName)(&x), "value", "UA-NPR-1")
		store(f, v, x)
	case typeInt:
		x, _ := v.Value.(model.IntProperty)
		t.fixed(f, 4, "UA-TAG-3")
		p.endTag(f, v, true)
		f.Int32((*int32)(&x), "value", "UA-INT-1")
		store(f, v, x)
	case typeStr:
		x, _ := v.Value.(model.StrProperty)
		p.endTag(f, v, true)
		t.open(f)
		f.Enter("value")
		x = model.StrProperty(p.fstring(f, model.FString(x)))
		f.Leave()
		t.close(f, "value")
		store(f, v, x)
	case typeObject:
		x, _ := v.Value.(model.ObjectProperty)
		t.fixed(f, 4, "UA-TAG-3")
		p.endTag(f, v, !p.d.bareObjects)
		index(f, (*model.PackageIndex)(&x), "value", "UA-OPR-1")
		store(f, v, x)
	case typeByte:
		p.byteValue(f, t, v)
	case typeArray:
		x, _ := v.Value.(model.ArrayProperty)
		p.id(f, &x.InnerType, "value.innerType", "UA-ARR-1")
		p.endTag(f, v, true)
		t.open(f)
		f.Enter("value")
		if f.R != nil {
			x.Elements = p.readArray(f.R, x.InnerType)
		} else {
			p.writeArray(f.W, x)
		}
		f.Leave()
		t.close(f, "value.elements")
		store(f, v, x)
	case typeStruct:
		x, _ := v.Value.(model.StructProperty)
		p.id(f, &x.StructName, "value.structName", "UA-STC-1")
		kind := p.structKind(x.StructName)
		if kind.fixed {
			t.fixed(f, kind.size, "UA-STC-2")
		}
		f.Bytes(x.StructGuid[:], "value.structGuid", "UA-STC-1")
		p.endTag(f, v, true)
		x.Value = p.structValue(f, t, kind, x.Value)
		store(f, v, x)
	default:
		x, _ := v.Value.(model.OpaqueProperty)
		if f.R != nil {
			x.Type = t.name
		}
		x.Names = rows(f, "value.names", x.Names, namesInTag(t.typ), func(f wire.Fields, n model.FName) model.FName {
			p.name(f, &n, "", "UA-OPQ-1")
			return n
		})
		p.endTag(f, v, true)
		t.open(f)
		x.Data = rest(f, x.Data, "value.data", "UA-OPQ-1")
		t.close(f, "value.data")
		store(f, v, x)
	}
}

// store keeps a value that was read. One that was written is the same as before.
func store[T model.Value](f wire.Fields, v *model.Property, x T) {
	if f.R != nil {
		v.Value = x
	}
}

// endTag reads or writes the GUID byte, if the tag has one. The value follows.
func (p *part) endTag(f wire.Fields, v *model.Property, has bool) {
	g := p.guidByte(f, v.PropertyGuid, has)
	if f.R != nil {
		v.PropertyGuid = g
		f.R.Cite("UA-TAG-3")
	}
}

// guidByte reads or writes the byte before a value, if the tag has one, and the GUID if
// the byte is 1.
func (p *part) guidByte(f wire.Fields, g *model.Guid, has bool) *model.Guid {
	switch {
	case has && !p.d.noGuid:
		return optionalGuid(f, g)
	case !has && g != nil:
		f.W.Fail("propertyGuid", "UA-TAG-2", "expected no GUID in a tag without a GUID byte, found % x", *g)
	case g != nil:
		f.W.Fail("propertyGuid", "UA-TAG-2", "expected no GUID under uasset.property-guid=documented, found % x", *g)
	case has:
		null(f, "propertyGuid", "UA-TAG-2")
	}
	return g
}

func optionalGuid(f wire.Fields, g *model.Guid) *model.Guid {
	has := bit(g != nil)
	switch f.Uint8(&has, "propertyGuid", "UA-TAG-2"); has {
	case 0:
	case 1:
		if f.R != nil {
			g = new(model.Guid)
		}
		f.Bytes(g[:], "propertyGuid", "UA-TAG-2")
	default:
		f.Fail(wire.Value, 1, "propertyGuid", "UA-TAG-10", "expected 0 (no GUID) or 1 (a GUID), found %d", has)
	}
	return g
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// size reads or writes the document's length: Size and ArrayIndex. A writer computes the
// Size later.
func (p *part) size(f wire.Fields, size *uint32, index *int32) {
	switch {
	case f.R != nil && p.d.wideSize:
		v := f.R.Uint64("size", "UA-TAG-1")
		if v > math.MaxUint32 {
			f.Fail(wire.Truncated, 8, "size", "UA-TAG-3", "expected %s for a size of %d, found %d remaining",
				wire.CountBytes(v), v, f.R.Remaining())
		}
		*size = uint32(v)
	case f.R != nil:
		*size, *index = f.R.Uint32("size", "UA-TAG-1"), f.R.Int32("arrayIndex", "UA-TAG-1")
	default:
		f.W.Uint32(*size)
		if p.d.wideSize && *index != 0 {
			f.W.Fail("arrayIndex", "UA-TAG-1", "expected index 0 under uasset.tag-array-index=documented, found %d", *index)
		}
		f.W.Int32(*index)
	}
}

// boolean reads or writes a truth value. The clause is that of a single byte.
func (p *part) boolean(f wire.Fields, v bool, field string, clause clauseID) bool {
	if p.d.wordBool {
		n := uint16(bit(v))
		if f.Uint16(&n, field, "UA-BOOL-1"); n > 1 {
			f.Fail(wire.Value, 2, field, "UA-BOOL-1", "expected 0 or 1, found %d", n)
		}
		return n == 1
	}
	n := bit(v)
	if f.Uint8(&n, field, clause); n > 1 {
		f.R.Note("%d, read as 1", n)
	}
	return n != 0
}

// byteValue reads or writes the rest of the tag of a ByteProperty and its value.
func (p *part) byteValue(f wire.Fields, t *tag, v *model.Property) {
	pair, isPair := v.Value.(model.BytePair)
	if isPair || f.R != nil && p.d.bytePairs {
		p.endTag(f, v, false)
		store(f, v, p.bytePair(f, t, pair))
		return
	}
	x, _ := v.Value.(model.ByteProperty)
	if f.R != nil && t.size != 1 && t.size != nameSize {
		f.R.Fail(wire.Value, t.sizeAt, "size", "UA-BYTE-1", "expected 1 (a byte) or %d (a name), found %d", nameSize, t.size)
	}
	p.name(f, &x.EnumName, "value.enumName", "UA-BYTE-1")
	p.endTag(f, v, true)
	f.Enter("value")
	switch {
	case f.W != nil:
		t.start = f.Offset()
		p.writeByte(f.W, x)
	case t.size == 1:
		x.Value = new(f.R.Uint8("value", "UA-BYTE-1"))
	default:
		x.ValueName = new(model.FName)
		p.name(f, x.ValueName, "valueName", "UA-BYTE-1")
	}
	f.Leave()
	if f.W != nil {
		t.patch(f.W, f.W.Offset()-t.start)
	}
	store(f, v, x)
}

// bytePair reads or writes two runs of bytes with a null between them. The size is that of one.
func (p *part) bytePair(f wire.Fields, t *tag, v model.BytePair) model.BytePair {
	if f.R != nil {
		if total := 2*uint64(t.size) + 1; total > uint64(f.R.Remaining()) {
			f.R.Fail(wire.Truncated, t.sizeAt, "size", "UA-BYTE-1", "expected %s for a size of %d (twice the size, and a byte "+
				"0), found %d remaining", wire.CountBytes(total), t.size, f.R.Remaining())
			return v
		}
	}
	f.Enter("value")
	switch {
	case f.R != nil:
	case !p.d.bytePairs:
		f.W.Fail("", "UA-BYTE-1", "expected ByteProperty under uasset.byte-property=observed, found BytePair")
	case len(v.First) != len(v.Second):
		f.W.Fail("second", "UA-BYTE-1", "expected %d bytes, as in the first run, found %d", len(v.First), len(v.Second))
	}
	v.First = rawBytes(f, v.First, int(t.size), "first", "UA-BYTE-1")
	null(f, "null", "UA-BYTE-1")
	v.Second = rawBytes(f, v.Second, int(t.size), "second", "UA-BYTE-1")
	f.Leave()
	if f.W != nil {
		t.patch(f.W, len(v.First))
	}
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

// writeType writes the type in the tag of a value and returns its text.
func (p *part) writeType(w *wire.Writer, v model.Value) string {
	typ := p.typeOf(v)
	o, ok := v.(model.OpaqueProperty)
	switch {
	case !ok && typ == "":
		w.Fail("value", "UA-TAG-4", "expected a value of a type of the model, found %s", wire.TypeName(v))
	case !ok:
		p.writeText(w, typ, "type")
	case isListed(typ):
		w.Fail("value.type", "UA-OPQ-2", "expected a type that the document does not list, found %q", typ)
	case len(o.Names) != namesInTag(typ):
		w.Fail("value.names", "UA-OPQ-2", "expected %d names in the tag of %q, found %d", namesInTag(typ),
			typ, len(o.Names))
	default:
		p.id(wire.Fields{W: w}, &o.Type, "value.type", "")
	}
	return typ
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
		p.name(wire.Fields{W: w}, v.ValueName, "valueName", "")
	}
}
