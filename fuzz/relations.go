package fuzz

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/tree"
)

// equal compares a stored number with the number that it should be.
func equal(v, want *big.Int, what string) error {
	if v.Cmp(want) != 0 {
		return fmt.Errorf("expected %s, %s, found %s", want, what, v)
	}
	return nil
}

func integer(n int) *big.Int { return big.NewInt(int64(n)) }

// offset is the offset in the file of an offset in the input.
func (p *part) offset(at int) *big.Int { return new(big.Int).Add(p.base, integer(at)) }

// stored returns the number in another field.
func (p *part) stored(path string) (*big.Int, error) {
	q := p.at(path)
	if q == nil || len(q.spans) == 0 {
		return nil, fmt.Errorf("%s is missing", path)
	}
	v, err := q.number()
	if err == nil && v == nil {
		err = fmt.Errorf("%s is no number", path)
	}
	return v, err
}

// relations are the relations of layouts that are checked. v is the number in the field p; it is
// nil if the field is no number.
var relations = map[string]func(p *part, v *big.Int, arg string) error{
	"count": relateCount, "bytes": relateBytes, "rest": relateAfter, "after": relateAfter,
	"start": relateStart, "end": relateEnd, "table": relateTable, "same": relateSame,
	"extent": relateExtent, "chain": relateChain, "elements": relateElements, "elementCount": relateElementCount,
	"mip": relateMip, "payload": relatePayload, "lookup": relateLookup, "name": relateName,
	"format": relateFormat, "variant": relateVariant, "serial": relateSerial, "chunk": relateChunk,
	"from": relateFrom, "below": relateBelow, "heritages": relateHeritages,
}

// relateCount: the number of elements of the part arg, in the bytes and in the tree.
func relateCount(p *part, v *big.Int, arg string) error {
	in := p.parent
	if in == nil {
		return nil
	}
	n := 0
	if q := in.at(arg); q != nil {
		if n = len(q.elements); n == 0 && q != in {
			n = len(q.spans)
		}
	}
	list := *in.value
	switch path, fromRoot := strings.CutPrefix(arg, "/"); {
	case fromRoot:
		list = p.root.value.Field(path)
	case arg != ".":
		list = list.Field(arg)
	}
	inTree := n
	switch list.Kind {
	case tree.List:
		inTree = len(list.Items)
	case tree.Text:
		inTree = len(list.Text) / 2 // bytes in hex
	case tree.Null:
		if arg != "extraData" {
			inTree = 0
		}
	}
	return p.equalCounts(v, n, inTree)
}

// equalCounts compares a number with the number of elements in the input, and in the
// tree if it is compared.
func (p *part) equalCounts(v *big.Int, input, inTree int) error {
	err := equal(v, integer(input), "the number of elements in the input")
	if err == nil && !p.noTree {
		err = equal(v, integer(inTree), "the number of elements in the tree")
	}
	return err
}

// relateBytes: the number of bytes of the field arg, or of units of some bytes. A
// negative number counts units of two bytes.
func relateBytes(p *part, v *big.Int, arg string) error {
	field, unit, _ := strings.Cut(arg, "*")
	size, err := strconv.Atoi(unit)
	if err != nil {
		return err
	}
	if v.Sign() < 0 {
		v, size = new(big.Int).Neg(v), 2
	}
	return equal(new(big.Int).Mul(v, integer(size)), integer(p.parent.at(field).length()),
		"the number of bytes of "+field)
}

// relateAfter: the number of bytes after the field arg, or after this one, in the part
// of this field.
func relateAfter(p *part, v *big.Int, arg string) error {
	q := p
	if arg != "" {
		q = p.parent.at(arg)
	}
	if q == nil {
		return fmt.Errorf("%s is missing", arg)
	}
	return equal(v, integer(p.parent.end-q.end), "the number of bytes after "+q.path())
}

// relateStart: the offset of the part arg, if there is one.
func relateStart(p *part, v *big.Int, arg string) error {
	q := p.parent.at(arg)
	if q == nil {
		return nil
	}
	return equal(v, p.offset(q.start), "the offset of "+arg)
}

// relateEnd: the end of the first part of arg, a list separated by |, that has bytes.
func relateEnd(p *part, v *big.Int, arg string) error {
	q := p.root
	for path := range strings.SplitSeq(arg, "|") {
		if found := p.parent.at(path); found != nil && found.start >= 0 {
			q = found
			break
		}
	}
	return equal(v, p.offset(q.end), "the end of "+q.path())
}

// relateTable: the end of the part before a table, the first part of arg. It may be
// 0 for a table without bytes.
func relateTable(p *part, v *big.Int, arg string) error {
	table, before, _ := strings.Cut(arg, "|")
	if p.at(table) == nil && v.Sign() == 0 {
		return nil
	}
	return relateEnd(p, v, before)
}

// relateSame: the number in the field arg.
func relateSame(p *part, v *big.Int, arg string) error {
	want, err := p.parent.stored(arg)
	if err != nil {
		return err
	}
	return equal(v, want, arg)
}

// object returns the object of an export; nil if it has no bytes.
func (p *part) object(i int) *part {
	if objects := p.at("/objects"); objects != nil && i < len(objects.elements) {
		return objects.elements[i]
	}
	return nil
}

// relateExtent: the number of bytes of the object of an export.
func relateExtent(p *part, v *big.Int, _ string) error {
	return equal(v, integer(p.object(p.parent.index).length()), "the size of the object")
}

// relateChain: the end of the object before that of an export (UA-PKG-20).
func relateChain(p *part, v *big.Int, _ string) error {
	before := p.at("/padding")
	for i := range p.parent.index {
		if o := p.object(i); o != nil {
			before = o
		}
	}
	if before == nil {
		return fmt.Errorf("the padding is missing")
	}
	return equal(v, integer(before.end), "the end of "+before.path())
}

// relateElements: the number of bytes of the elements after an inner tag (UA-ARR-11).
func relateElements(p *part, v *big.Int, _ string) error {
	return equal(v, integer(p.parent.parent.end-p.parent.end), "the number of bytes of the elements")
}

// relateElementCount: the number of elements of an array, unless they are kept as
// one run of bytes (UA-ARR-4, UA-ARR-5).
func relateElementCount(p *part, v *big.Int, _ string) error {
	kind := p.parent.value.Field("elements").Field("type").Text
	if strings.HasPrefix(kind, "Opaque") {
		return nil
	}
	list := p.parent.value.Field("elements").Field("value")
	q := p.parent.at("elements")
	if kind == "Structs" {
		list, q = list.Field("elements"), p.parent.at("elements.elements")
	}
	n := 0
	if q != nil {
		n = len(q.elements)
	}
	return p.equalCounts(v, n, len(list.Items))
}

// blocks is the side in pixels and the size in bytes of a block of a format
// (UA-MIP-4).
var blocks = map[string][2]int{
	"PF_DXT1": {4, 8}, "PF_DXT3": {4, 16}, "PF_DXT5": {4, 16}, "PF_BC5": {4, 16}, "PF_B8G8R8A8": {1, 4}, "PF_G8": {1, 1},
}

// texture returns the part around the mip of a field; nil if the mip is alone.
func (p *part) texture() *part {
	if mip := p.parent; mip.parent != nil && mip.parent.parent != nil {
		return mip.parent.parent
	}
	return nil
}

// relateMip: the size of all slices of a mip, and of its payload.
func relateMip(p *part, v *big.Int, _ string) error {
	format, slices := p.context["format"], big.NewInt(1)
	if s, ok := p.context["slices"]; ok {
		slices.SetString(s, 10)
	}
	if t := p.texture(); t != nil {
		n, err := t.stored("numSlices")
		if err != nil {
			return err
		}
		format, slices = t.at("pixelFormatText.text").withoutNUL(), n
	} else if format == "" {
		format = "PF_DXT1"
	}
	block, ok := blocks[format]
	if !ok {
		return fmt.Errorf("%q is no pixel format", format)
	}
	size := new(big.Int).Mul(slices, integer(block[1]))
	for _, side := range []string{"sizeX", "sizeY"} {
		pixels, err := p.parent.stored(side)
		if err != nil {
			return err
		}
		pixels.Add(pixels, integer(block[0]-1))
		size.Mul(size, pixels.Div(pixels, integer(block[0])))
	}
	if err := equal(v, size, "the size of the pixels"); err != nil {
		return err
	}
	data, payload := p.parent.at("data"), p.parent.at("payload")
	if whole := p.at("/footer") != nil; data == nil && payload == nil && !whole {
		return nil // the payload is at the end of the file
	}
	return equal(v, integer(data.length()+payload.length()), "the size of the payload")
}

// relatePayload: the offset of the payload of a mip, in the file if it is inline, or
// in the bulk data.
func relatePayload(p *part, v *big.Int, _ string) error {
	if data := p.parent.at("data"); data != nil {
		return equal(v, p.offset(data.start), "the offset of the payload")
	}
	if payload := p.parent.at("payload"); payload != nil {
		from, err := p.stored("/summary.bulkDataStartOffset")
		if err != nil {
			return err
		}
		return equal(v, new(big.Int).Sub(integer(payload.start), from), "the offset of the payload in the bulk data")
	}
	return nil
}

// relateLookup: the text that the table in force has for an id (KA-ARC-8, KA-V2-5).
func relateLookup(p *part, v *big.Int, _ string) error {
	if p.parent.value.Kind != tree.Object {
		return nil
	}
	want := ""
	for q := p.parent; q != nil; q = q.parent {
		if q.byName["fastNameCount"] != nil {
			want = q.table()[v.String()]
			break
		}
		if count := q.byName["count"]; q.byName["children"] != nil && (count == nil || count.spans[0].Clause == "KA-V1-1") {
			break // no table is in force
		}
	}
	text := p.parent.value.Field("text")
	have, err := textOf(&text)
	if err != nil {
		return err
	}
	if have != want {
		return fmt.Errorf("%w: expected the text %q, found %q", errTree, want, have)
	}
	return nil
}

// table returns the fast names of an archive by id.
func (p *part) table() map[string]string {
	if p.texts == nil {
		p.texts = map[string]string{}
		if names := p.byName["fastNames"]; names != nil {
			for _, e := range names.elements {
				if id, err := e.stored("id"); err == nil {
					p.texts[id.String()] = string(e.at("name.text").bytes())
				}
			}
		}
	}
	return p.texts
}

// nameText returns the text of the name in a field, if its number is 0.
func (p *part) nameText() (string, bool) {
	b := p.src[p.spans[0].Start:p.spans[0].End]
	if p.unsigned(b[4:8]).Sign() != 0 {
		return "", false
	}
	i := p.unsigned(b[:4]).Uint64()
	if list, ok := p.context["names"]; ok {
		names, err := codec.SplitNames(list)
		if err != nil || i >= uint64(len(names)) {
			return "", false
		}
		return names[i], true
	}
	names := p.at("/names")
	if names == nil || i >= uint64(len(names.elements)) {
		return "", false
	}
	text := names.elements[i].at("name.text")
	switch {
	case text == nil:
		return "", false
	case text.line.Kind == "utf16z":
		return strings.TrimSuffix(p.units(text.bytes(), 2), "\x00"), true
	}
	return text.withoutNUL(), true
}

// withoutNUL is the text in the bytes of a part, which may be nil.
func (p *part) withoutNUL() string { return strings.TrimSuffix(string(p.bytes()), "\x00") }

// relateName: the name arg, with number 0.
func relateName(p *part, _ *big.Int, arg string) error {
	if text, ok := p.nameText(); !ok || text != arg {
		return fmt.Errorf("expected the name %s, found %q", arg, text)
	}
	return nil
}

// relateFormat: the name of the pixel format, which the texture contains again and
// the tree has.
func relateFormat(p *part, _ *big.Int, _ string) error {
	text, _ := p.nameText()
	if again := p.parent.at("pixelFormatText.text").withoutNUL(); text != again || p.value.Text != text {
		return fmt.Errorf("%w: the name is %q, the text %q, the value %q", errTree, text, again, p.value.Text)
	}
	return nil
}

// properties are the types of properties that are read (UA-TAG-5, UA-OPQ-1).
var properties = strings.Fields("BoolProperty FloatProperty NameProperty IntProperty StrProperty ObjectProperty " +
	"ByteProperty ArrayProperty StructProperty")

// relateVariant: the kind of the value of a property is that of its type (UA-TAG-4).
func relateVariant(p *part, _ *big.Int, _ string) error {
	have := p.parent.value.Field("value").Field("type").Text
	want, ok := p.nameText()
	if !ok || !slices.Contains(properties, want) {
		want = "OpaqueProperty"
	}
	if want == "ByteProperty" && p.profile.Takes("uasset.byte-property", "documented") {
		want = "BytePair"
	}
	if have != want {
		return fmt.Errorf("%w: expected a value of kind %s, found %s", errTree, want, have)
	}
	return nil
}

// relateSerial: SerialOffset is present for some values of SerialSize (UPKG-EXP-3).
func relateSerial(p *part, v *big.Int, _ string) error {
	want := map[string]bool{
		"positive": v.Sign() > 0, "not-negative": v.Sign() >= 0, "nonzero": v.Sign() != 0, "always": true,
	}[p.profile.Side("upkg.serial-offset")]
	if have := p.parent.at("serialOffset") != nil; have != want {
		return fmt.Errorf("expected a SerialOffset: %t, found: %t", want, have)
	}
	return nil
}

// version returns the version of a package of Unreal Engine 1 or 2.
func (p *part) version() (int, error) {
	for _, path := range []string{"header.version", "version"} {
		if v, err := p.root.stored(path); err == nil {
			return int(v.Int64()), nil
		}
	}
	return strconv.Atoi(cmp.Or(p.context["version"], "69"))
}

// relateFrom: the version is at least arg.
func relateFrom(p *part, _ *big.Int, arg string) error {
	if relateBelow(p, nil, arg) == nil {
		return fmt.Errorf("found it below version %s", arg)
	}
	return nil
}

// relateBelow: the version is below arg.
func relateBelow(p *part, _ *big.Int, arg string) error {
	v, err := p.version()
	limit, err2 := strconv.Atoi(arg)
	if err == nil && err2 == nil && v >= limit {
		err = fmt.Errorf("found it in version %d, from %d on", v, limit)
	}
	return cmp.Or(err, err2)
}

// relateHeritages: the number of heritages, which no version below 42 stores
// (UPKG-PKG-11).
func relateHeritages(p *part, v *big.Int, _ string) error {
	if relateBelow(p, nil, "42") == nil {
		v = integer(0)
	}
	return relateCount(p, v, "/heritages")
}

// relateChunk: the tree has the offset of a chunk.
func relateChunk(p *part, _ *big.Int, _ string) error {
	if have := p.parent.value.Field("offset").Text; have != strconv.Itoa(p.start) {
		return fmt.Errorf("%w: expected the offset %d, found %s", errTree, p.start, have)
	}
	return nil
}
