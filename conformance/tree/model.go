package tree

import (
	"encoding"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
)

// FromModel returns the tree of a model. Fields have their Go names with the
// first letter in lower case, or all letters if the name has only capitals. A
// value of a sealed interface becomes an object with the name of its type and
// the value.
func FromModel(v any) (Node, error) {
	n, err := fromValue(reflect.ValueOf(v))
	if err != nil {
		return Node{}, fmt.Errorf("tree: %T: %w", v, err)
	}
	return n, nil
}

// ToModel fills the model that into points to. Fields that the tree lacks are
// null. Fields that the model lacks are an error.
func ToModel(n Node, into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("tree: %T is not a pointer to a model", into)
	}
	v = v.Elem()
	for v.Kind() == reflect.Pointer {
		if n.Kind == Null {
			v.SetZero()
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if err := toValue(&n, v, formFor(v.Type())); err != nil {
		return fmt.Errorf("tree: %w", err)
	}
	return nil
}

// Value returns the value of a type that a tree describes, as a [codec.Codec] takes it.
func Value(t *codec.Type, n Node) (any, error) {
	m := t.New()
	if err := ToModel(n, m); err != nil {
		return nil, err
	}
	return codec.Deref(m), nil
}

// Normalize returns the tree that the model of a type gives, so that 0.50 and
// 0.5 are the same number and an omitted field is null.
func Normalize(t *codec.Type, n Node) (Node, error) {
	m, err := Value(t, n)
	if err != nil {
		return n, err
	}
	return FromModel(m)
}

func text(s string) Node { return Node{Kind: Text, Text: s} }

var byteType = reflect.TypeFor[byte]()

// isBytes reports whether trees contain the values of a type as bytes in hex.
func isBytes(t reflect.Type) bool {
	return (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && t.Elem() == byteType
}

func fromValue(v reflect.Value) (n Node, err error) {
	for v.Kind() == reflect.Pointer {
		if v = v.Elem(); !v.IsValid() {
			return n, nil
		}
	}
	if err = new(room).set(&n, v, formFor(v.Type())); err != nil {
		return Node{}, err
	}
	return n, nil
}

// room gives nodes out of blocks: an allocation for each object costs more than its nodes.
type room struct {
	free []Node
	size int // of the last block
}

func (r *room) nodes(n int) []Node {
	if n > len(r.free) {
		r.size = min(max(2*r.size, 8), 1<<10)
		r.free = make([]Node, max(n, r.size))
	}
	out := r.free[:n:n]
	r.free = r.free[n:]
	return out
}

// set makes an empty node that of a value. Nodes are set where they stay: to copy them takes
// longer than most of what they hold.
func (r *room) set(n *Node, v reflect.Value, f *Form) error {
	switch f.Kind {
	case NameForm:
		b, err := v.Interface().(encoding.TextMarshaler).MarshalText()
		*n = text(string(b))
		return err
	case BooleanForm:
		n.Kind, n.Text = Bool, strconv.FormatBool(v.Bool())
	case IntegerForm:
		n.Kind, n.Text = Text, decimal(v)
	case FloatForm:
		n.Kind = Text
		if v.Kind() == reflect.Float64 {
			n.Text = wire.FormatFloat64(v.Float())
			break
		}
		// Not v.Float(): conversion to float64 makes a signalling NaN quiet.
		n.Text = wire.FormatFloat32(v.Convert(reflect.TypeFor[float32]()).Interface().(float32))
	case TextForm:
		*n = FromText(v.String())
	case BytesForm, ListForm:
		return r.setList(n, v, f)
	case ObjectForm:
		n.Kind, n.Names, n.Items = Object, f.names, r.nodes(len(f.Parts))
		for i := range f.Parts {
			field := v.Field(i)
			if f.Parts[i].Pointer {
				if field.IsNil() {
					continue
				}
				field = field.Elem()
			}
			if err := r.set(&n.Items[i], field, f.Parts[i].Form); err != nil {
				return fmt.Errorf("%s: %w", v.Type().Field(i).Name, err)
			}
		}
	case OneOfForm:
		return r.setOneOf(n, v, f)
	default:
		return fmt.Errorf("type %s has no tree", v.Type())
	}
	return nil
}

func decimal(v reflect.Value) string {
	if v.CanInt() {
		return strconv.FormatInt(v.Int(), 10)
	}
	return strconv.FormatUint(v.Uint(), 10)
}

func (r *room) setList(n *Node, v reflect.Value, f *Form) error {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return nil
	}
	if f.Kind == BytesForm {
		if v.Kind() == reflect.Array && !v.CanAddr() {
			array := reflect.New(v.Type()).Elem()
			array.Set(v)
			v = array
		}
		n.Kind, n.Text = Text, hex.EncodeToString(v.Bytes())
		return nil
	}
	n.Kind, n.Items = List, r.nodes(v.Len())
	for i := range n.Items {
		if err := r.set(&n.Items[i], v.Index(i), f.Elements); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return nil
}

// oneOfNames are the names in a value of a sealed interface. Nobody changes them.
var oneOfNames = []string{"type", "value"}

func (r *room) setOneOf(n *Node, v reflect.Value, f *Form) error {
	if v.IsNil() {
		return nil
	}
	v = v.Elem()
	i := slices.IndexFunc(f.Parts, func(p Part) bool { return p.model == v.Type() })
	if i < 0 {
		return fmt.Errorf("%s is not a variant of %s", v.Type(), f.model)
	}
	n.Kind, n.Names, n.Items = Object, oneOfNames, r.nodes(2)
	n.Items[0] = text(f.Parts[i].Name)
	return r.set(&n.Items[1], v, f.Parts[i].Form)
}

// FieldName returns the name of a field of a model in trees. It converts the first letter to lower case, or all letters if all are
// capitals: ID becomes id.
func FieldName(name string) string {
	if strings.ToUpper(name) == name {
		return strings.ToLower(name)
	}
	r, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(r)) + name[size:]
}

// Invalid is what is wrong with a part of a tree. Its path is completed on the way
// out, so that trees without a fault cost no paths.
type Invalid struct{ path, Text string }

// Path is that of the part.
func (e *Invalid) Path() string { return strings.TrimPrefix(e.path, ".") }

// Error returns what is wrong with the tree, and where.
func (e *Invalid) Error() string { return strings.TrimPrefix(e.Path()+": "+e.Text, ": ") }

func fail(format string, args ...any) *Invalid { return &Invalid{Text: fmt.Sprintf(format, args...)} }

func invalid(err error) *Invalid {
	if err == nil {
		return nil
	}
	return fail("%v", err)
}

func (e *Invalid) in(step string) *Invalid {
	e.path = step + e.path
	return e
}

func (e *Invalid) at(i int) *Invalid { return e.in("[" + strconv.Itoa(i) + "]") }

func expect(n *Node, k NodeKind) *Invalid {
	if n.Kind != k {
		return fail("expected %s, found %.60s", kindNames[k], n.String())
	}
	return nil
}

func toValue(n *Node, v reflect.Value, f *Form) *Invalid {
	switch f.Kind {
	case NameForm:
		if err := expect(n, Text); err != nil {
			return err
		}
		return invalid(v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.Text)))
	case BooleanForm:
		v.SetBool(n.Text == "true")
		return expect(n, Bool)
	case IntegerForm:
		return toInteger(n, v)
	case FloatForm:
		if err := expect(n, Text); err != nil {
			return err
		}
		return invalid(setFloat(v, n.Text))
	case TextForm:
		s, err := TextOf(*n)
		v.SetString(s)
		return invalid(err)
	case BytesForm, ListForm:
		return toList(n, v, f)
	case ObjectForm:
		if err := expect(n, Object); err != nil {
			return err
		}
		return toObject(n, v, f)
	case OneOfForm:
		return toOneOf(n, v, f)
	}
	return fail("type %s has no tree", v.Type())
}

func toInteger(n *Node, v reflect.Value) *Invalid {
	var err error
	what, bits := "an integer", v.Type().Bits()
	if v.CanInt() {
		var i int64
		i, err = strconv.ParseInt(n.Text, 10, bits)
		v.SetInt(i)
	} else {
		var i uint64
		what = "an unsigned integer"
		i, err = strconv.ParseUint(n.Text, 10, bits)
		v.SetUint(i)
	}
	digits := strings.TrimPrefix(n.Text, "-")
	switch {
	case n.Kind != Text:
		return fail("expected %s in a string, found %.60s", what, n.String())
	case err != nil:
		return fail("%q is not %s of %d bits", n.Text, what, bits)
	case digits[0] == '+' || digits[0] == '0' && n.Text != "0":
		return fail("%q is not the one form of this integer, which is %q: decimal, without +, leading zeros or -0",
			n.Text, decimal(v))
	}
	return nil
}

var kindNames = [...]string{Null: "null", Bool: "a boolean", Text: "a string", List: "a list", Object: "an object"}

// FromText returns the tree of a text: a string, or {"hex": ...}.
func FromText(s string) Node {
	if utf8.ValidString(s) {
		return text(s)
	}
	return Node{Kind: Object, Names: []string{"hex"}, Items: []Node{text(hex.EncodeToString([]byte(s)))}}
}

// TextOf returns the text of a tree: of a string, or of {"hex": ...}.
func TextOf(n Node) (string, error) {
	if n.Kind == Text {
		return n.Text, nil
	}
	if n.Kind == Object && len(n.Items) == 1 && n.Names[0] == "hex" && n.Items[0].Kind == Text {
		b, err := hex.DecodeString(n.Items[0].Text)
		return string(b), err
	}
	return "", fmt.Errorf(`expected a string or {"hex": ...}, found %.60s`, n.String())
}

func toList(n *Node, v reflect.Value, f *Form) *Invalid {
	if n.Kind == Null && v.Kind() == reflect.Slice {
		v.SetZero()
		return nil
	}
	if f.Kind == BytesForm {
		b, err := hex.DecodeString(n.Text)
		if err != nil || n.Kind != Text {
			return fail("expected bytes in hex, found %.60s", n.String())
		}
		if v.Kind() == reflect.Array {
			if len(b) != v.Len() {
				return fail("expected %d bytes, found %d", v.Len(), len(b))
			}
			reflect.Copy(v, reflect.ValueOf(b))
			return nil
		}
		v.SetBytes(b)
		return nil
	}
	if n.Kind != List {
		return fail("expected a list, found %.60s", n.String())
	}
	if v.Kind() == reflect.Array && len(n.Items) != v.Len() {
		return fail("expected %d items, found %d", v.Len(), len(n.Items))
	}
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items)))
	}
	for i := range n.Items {
		if err := toValue(&n.Items[i], v.Index(i), f.Elements); err != nil {
			return err.at(i)
		}
	}
	return nil
}

func toObject(n *Node, v reflect.Value, f *Form) *Invalid {
	inOrder := slices.Equal(n.Names, f.names)
	for i, name := range n.Names { // a misspelled field is also missing: the name says more
		switch {
		case inOrder:
		case !slices.Contains(f.names, name):
			return fail("unknown field %q; the fields are %s", name, strings.Join(f.names, ", "))
		case slices.Contains(n.Names[:i], name):
			return fail("field %q occurs twice", name)
		}
	}
	for i := range f.Parts {
		p, field, item := &f.Parts[i], v.Field(i), (*Node)(nil)
		if inOrder {
			item = &n.Items[i]
		} else {
			item = n.field(p.Name)
		}
		if p.Pointer && item.Kind == Null {
			field.SetZero()
			continue
		}
		if p.Pointer {
			field.Set(reflect.New(p.model))
			field = field.Elem()
		}
		if err := toValue(item, field, p.Form); err != nil {
			return err.in("." + p.Name)
		}
	}
	return nil
}

func toOneOf(n *Node, v reflect.Value, f *Form) *Invalid {
	if n.Kind == Null {
		v.SetZero()
		return nil
	}
	if n.Kind != Object || len(n.Items) != 2 {
		return fail(`expected {"type": ..., "value": ...}, found %.60s`, n.String())
	}
	name := n.Field("type").Text
	i := slices.IndexFunc(f.Parts, func(p Part) bool { return p.Name == name })
	if i < 0 {
		return fail("unknown type %q", name)
	}
	value := reflect.New(f.Parts[i].model).Elem()
	if err := toValue(n.field("value"), value, f.Parts[i].Form); err != nil {
		return err.in(".value")
	}
	v.Set(value)
	return nil
}

// setFloat parses a decimal, inf, -inf, nan: followed by the bits of a NaN in
// hex, or nan for the quiet NaN without payload.
func setFloat(v reflect.Value, s string) error {
	size := v.Type().Bits()
	var bits uint64
	if digits, ok := strings.CutPrefix(s, NaNBits); ok {
		b, err := strconv.ParseUint(digits, 16, size)
		if err != nil || len(digits) != size/4 {
			return fmt.Errorf("expected nan: followed by %d hex digits, found %q", size/4, s)
		}
		if f := math.Float64frombits(b); size == 64 && !math.IsNaN(f) {
			return fmt.Errorf("%q is not a NaN: these are the bits of %s", s, wire.FormatFloat64(f))
		}
		if f := math.Float32frombits(uint32(b)); size == 32 && f == f {
			return fmt.Errorf("%q is not a NaN: these are the bits of %s", s, wire.FormatFloat32(f))
		}
		bits = b
	} else if s == NaN {
		bits = map[int]uint64{32: 0x7FC00000, 64: 0x7FF8000000000000}[size]
	} else {
		f, err := strconv.ParseFloat(s, size)
		if errors.Is(err, strconv.ErrSyntax) || strings.ContainsAny(s, "xX_iInN") && s != "inf" && s != "-inf" {
			return fmt.Errorf("%q is not a number", s)
		}
		if err != nil {
			return fmt.Errorf("%q is out of range for a float of %d bits", s, size)
		}
		bits = math.Float64bits(f)
		if size == 32 {
			bits = uint64(math.Float32bits(float32(f)))
		}
	}
	if size == 32 {
		// Not v.SetFloat: conversion from float64 makes a signalling NaN quiet.
		v.Set(reflect.ValueOf(math.Float32frombits(uint32(bits))).Convert(v.Type()))
		return nil
	}
	v.SetFloat(math.Float64frombits(bits))
	return nil
}
