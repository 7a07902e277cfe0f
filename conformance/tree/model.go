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
	"sync"
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
	if err := toValue(&n, v.Elem()); err != nil {
		return fmt.Errorf("tree: %w", err)
	}
	return nil
}

// Normalize returns the tree that the model of a type gives, so that 0.50 and
// 0.5 are the same number and an omitted field is null.
func Normalize(t *codec.Type, n Node) (Node, error) {
	m := t.New()
	if err := ToModel(n, m); err != nil {
		return n, err
	}
	return FromModel(codec.Deref(m))
}

func text(s string) Node { return Node{Kind: Text, Text: s} }

var byteType = reflect.TypeFor[byte]()

// isBytes reports whether trees contain the values of a type as bytes in hex.
func isBytes(t reflect.Type) bool {
	return (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && t.Elem() == byteType
}

func fromValue(v reflect.Value) (n Node, err error) {
	if err = new(room).set(&n, v); err != nil {
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
func (r *room) set(n *Node, v reflect.Value) error {
	if v.Kind() != reflect.Interface && v.Kind() != reflect.Pointer && v.Type().NumMethod() > 0 {
		if m, ok := v.Interface().(encoding.TextMarshaler); ok {
			b, err := m.MarshalText()
			*n = text(string(b))
			return err
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		n.Kind, n.Text = Bool, strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n.Kind, n.Text = Text, strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n.Kind, n.Text = Text, strconv.FormatUint(v.Uint(), 10)
	case reflect.Float32:
		// Not v.Float(): conversion to float64 makes a signalling NaN quiet.
		f := v.Convert(reflect.TypeFor[float32]()).Interface().(float32)
		n.Kind, n.Text = Text, wire.FormatFloat32(f)
	case reflect.Float64:
		n.Kind, n.Text = Text, wire.FormatFloat64(v.Float())
	case reflect.String:
		*n = FromText(v.String())
	case reflect.Slice, reflect.Array:
		return r.setList(n, v)
	case reflect.Struct:
		n.Kind, n.Names, n.Items = Object, fieldNames(v.Type()), r.nodes(v.NumField())
		for i := range n.Items {
			if err := r.set(&n.Items[i], v.Field(i)); err != nil {
				return fmt.Errorf("%s: %w", v.Type().Field(i).Name, err)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return r.set(n, v.Elem())
		}
	case reflect.Interface:
		return r.setSealed(n, v)
	default:
		return fmt.Errorf("type %s has no tree", v.Type())
	}
	return nil
}

func (r *room) setList(n *Node, v reflect.Value) error {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return nil
	}
	if isBytes(v.Type()) {
		b := make([]byte, v.Len())
		reflect.Copy(reflect.ValueOf(b), v)
		n.Kind, n.Text = Text, hex.EncodeToString(b)
		return nil
	}
	n.Kind, n.Items = List, r.nodes(v.Len())
	for i := range n.Items {
		if err := r.set(&n.Items[i], v.Index(i)); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return nil
}

// sealedNames are the names in a value of a sealed interface. Nobody changes them.
var sealedNames = []string{"type", "value"}

func (r *room) setSealed(n *Node, v reflect.Value) error {
	if v.IsNil() {
		return nil
	}
	name, ok := codec.VariantName(v.Type(), v.Elem().Type())
	if !ok {
		return fmt.Errorf("%s is not a variant of %s", v.Elem().Type(), v.Type())
	}
	n.Kind, n.Names, n.Items = Object, sealedNames, r.nodes(2)
	n.Items[0] = text(name)
	return r.set(&n.Items[1], v.Elem())
}

var namesByType sync.Map // reflect.Type to []string

// fieldNames returns the names of the fields of a struct in trees. The caller must
// not change them.
func fieldNames(t reflect.Type) []string {
	if names, ok := namesByType.Load(t); ok {
		return names.([]string)
	}
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = FieldName(t.Field(i).Name)
	}
	namesByType.Store(t, names)
	return names
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

func toValue(n *Node, v reflect.Value) *Invalid {
	t := v.Type()
	if v.Kind() != reflect.Interface && v.Kind() != reflect.Pointer && v.CanAddr() &&
		reflect.PointerTo(t).NumMethod() > 0 {
		if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
			if err := expect(n, Text); err != nil {
				return err
			}
			if err := u.UnmarshalText([]byte(n.Text)); err != nil {
				return fail("%v", err)
			}
			return nil
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(n.Text == "true")
		return expect(n, Bool)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		i, err := strconv.ParseInt(n.Text, 10, t.Bits())
		v.SetInt(i)
		return checkInteger(n, strconv.FormatInt(i, 10), "an integer", t.Bits(), err)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		i, err := strconv.ParseUint(n.Text, 10, t.Bits())
		v.SetUint(i)
		return checkInteger(n, strconv.FormatUint(i, 10), "an unsigned integer", t.Bits(), err)
	case reflect.Float32, reflect.Float64:
		if err := expect(n, Text); err != nil {
			return err
		}
		if err := setFloat(v, n.Text); err != nil {
			return fail("%v", err)
		}
		return nil
	case reflect.String:
		s, err := TextOf(*n)
		if err != nil {
			return fail("%v", err)
		}
		v.SetString(s)
		return nil
	case reflect.Slice, reflect.Array:
		return toList(n, v)
	case reflect.Struct:
		if err := expect(n, Object); err != nil {
			return err
		}
		return toStruct(n, v)
	case reflect.Pointer:
		if n.Kind == Null {
			v.SetZero()
			return nil
		}
		v.Set(reflect.New(t.Elem()))
		return toValue(n, v.Elem())
	case reflect.Interface:
		return toSealed(n, v)
	}
	return fail("type %s has no tree", t)
}

// checkInteger returns what is wrong with an integer in a tree. err is that of parsing it.
func checkInteger(n *Node, decimal, what string, bits int, err error) *Invalid {
	switch {
	case n.Kind != Text:
		return fail("expected %s in a string, found %.60s", what, n.String())
	case err != nil:
		return fail("%q is not %s of %d bits", n.Text, what, bits)
	case decimal != n.Text:
		return fail("%q is not the one form of this integer, which is %q: decimal, without +, leading zeros or -0",
			n.Text, decimal)
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

func toList(n *Node, v reflect.Value) *Invalid {
	if n.Kind == Null && v.Kind() == reflect.Slice {
		v.SetZero()
		return nil
	}
	if isBytes(v.Type()) {
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
		if err := toValue(&n.Items[i], v.Index(i)); err != nil {
			return err.at(i)
		}
	}
	return nil
}

func toStruct(n *Node, v reflect.Value) *Invalid {
	names := fieldNames(v.Type())
	for i, name := range n.Names { // a misspelled field is also missing: the name says more
		if !slices.Contains(names, name) {
			return fail("unknown field %q; the fields are %s", name, strings.Join(names, ", "))
		}
		if slices.Contains(n.Names[:i], name) {
			return fail("field %q occurs twice", name)
		}
	}
	for i, name := range names {
		if err := toValue(n.field(name), v.Field(i)); err != nil {
			return err.in("." + name)
		}
	}
	return nil
}

func toSealed(n *Node, v reflect.Value) *Invalid {
	if n.Kind == Null {
		v.SetZero()
		return nil
	}
	if n.Kind != Object || len(n.Items) != 2 {
		return fail(`expected {"type": ..., "value": ...}, found %.60s`, n.String())
	}
	t, ok := codec.Variant(v.Type(), n.Field("type").Text)
	if !ok {
		return fail("unknown type %q", n.Field("type").Text)
	}
	value := reflect.New(t).Elem()
	if err := toValue(n.field("value"), value); err != nil {
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
