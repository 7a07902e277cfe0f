package power

import (
	"encoding"
	"math"
	"path"
	"reflect"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/tree"
)

// A subject is what a mutant changes: a field of a model type, wherever that type
// occurs. The elements of a list have the field [], and a value outside of a
// structure has no field. The type * stands for all fields of a kind of a family.
type subject struct{ family, typ, field string }

func (s subject) String() string {
	if s.field == "" || strings.HasPrefix(s.field, "[") {
		return s.family + "." + s.typ + s.field
	}
	return s.family + "." + s.typ + "." + s.field
}

// with returns the subject of an item.
func (s subject) with(index string) subject { return subject{s.family, s.typ, s.field + index} }

// A target is a subject, as a whole or by its contents.
type target struct {
	subject
	whole bool
}

// A valuePart is one part of a value, or of a type.
type valuePart struct {
	t reflect.Type
	v reflect.Value // not valid in a walk over a type
	// as is the subject to whose contents the part belongs; fieldOf the one that the
	// part as a whole belongs to. They differ for a list or structure in a field.
	// fieldOf is empty for what a pointer points to.
	as, fieldOf subject
	up          *valuePart // the structure or fixed array around it; nil if there is none
	index       int        // in up
	number      int        // in the order of the walk
	depth       int        // the number of lists around it

	before *valuePart // the preceding part of the same subject in the same value; nil if there is none
	// keptBefore is the last one before that is not zero; nil if there is none.
	keptBefore *valuePart
}

// everywhere is the subject of all parts of a kind of a family.
func (p *valuePart) everywhere() subject { return subject{p.as.family, "*", p.t.Kind().String()} }

// kind groups types by the operators that fit them.
type kind int

const (
	number kind = iota
	float
	boolean
	enumeration
	text
	opaque
	list
	pointer
	composite // a structure, a fixed array or a value of one of several types
)

// namedTexts are the text types that have a fixed set of values, with one of them.
var namedTexts = map[string]string{"ubi.FileMagic": "ubi/b0-l", "uasset.PixelFormat": "PF_DXT1"}

func kindOf(t reflect.Type) kind {
	switch k := t.Kind(); {
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()), namedTexts[t.String()] != "":
		return enumeration
	case k == reflect.Bool:
		return boolean
	case k >= reflect.Int && k <= reflect.Uint64:
		return number
	case k == reflect.Float32, k == reflect.Float64:
		return float
	case k == reflect.String:
		return text
	case tree.IsBytes(t):
		return opaque
	case k == reflect.Slice:
		return list
	case k == reflect.Pointer:
		return pointer
	}
	return composite
}

// subjectOf returns the subject of a value of a named type.
func subjectOf(t reflect.Type) subject {
	name, _, _ := strings.Cut(t.Name(), "[")
	return subject{family: path.Base(t.PkgPath()), typ: name}
}

// A walk visits the parts of a value or of a type, each after its own parts. Each
// part of a type is visited once.
type walk struct {
	visit   func(*valuePart)
	replace bool // the visitor changes the values
	count   int  // of parts visited
	last    map[subject]*valuePart
	types   map[typePlace]bool
}

type typePlace struct {
	t           reflect.Type
	as, fieldOf subject
	inList      bool
}

// walkParts visits the parts of a type with the given name, or of a value of it,
// which can be set.
func walkParts(t reflect.Type, root reflect.Value, typ string, replace bool, visit func(*valuePart)) {
	as := subject{}
	if t.PkgPath() == "" {
		as.family, as.typ, _ = strings.Cut(typ, ".") // a primitive type
	} else {
		as = subjectOf(t)
	}
	w := &walk{visit: visit, replace: replace, last: map[subject]*valuePart{}, types: map[typePlace]bool{}}
	w.walk(&valuePart{t: t, v: root, as: as, fieldOf: as})
}

func (w *walk) walk(p *valuePart) {
	k, isType := kindOf(p.t), !p.v.IsValid()
	// The contents of a named list, structure or array belong to its own type.
	if p.t.PkgPath() != "" && (k == list || k == composite) && p.t.Kind() != reflect.Interface {
		p.as = subjectOf(p.t)
	}
	if isType {
		id := typePlace{p.t, p.as, p.fieldOf, p.depth > 0}
		if w.types[id] {
			return
		}
		w.types[id] = true
	}
	switch {
	case k == pointer:
		if isType || !p.v.IsNil() {
			w.walk(&valuePart{t: p.t.Elem(), v: item(p.v, 0), as: p.as, depth: p.depth})
		}
	case k == list:
		n := 1
		if !isType {
			n = p.v.Len()
		}
		for i := range n {
			w.walk(&valuePart{t: p.t.Elem(), v: item(p.v, i), as: p.as.with("[]"), depth: p.depth + 1})
		}
	case k != composite:
	case p.t.Kind() == reflect.Struct:
		for i := range p.t.NumField() {
			f := p.t.Field(i)
			s := subject{p.as.family, p.as.typ, tree.FieldName(f.Name)}
			w.walk(&valuePart{t: f.Type, v: item(p.v, i), as: s, fieldOf: s, up: p, index: i, depth: p.depth})
		}
	case p.t.Kind() == reflect.Interface:
		w.variants(p)
	default: // the items of a fixed array are fields
		for i := range p.t.Len() {
			s := p.as.with("[" + strconv.Itoa(i) + "]")
			w.walk(&valuePart{t: p.t.Elem(), v: item(p.v, i), as: s, fieldOf: s, up: p, index: i, depth: p.depth})
		}
	}
	p.number = w.count
	w.count++
	if !isType && !w.replace && p.fieldOf != (subject{}) {
		p.before = w.last[p.fieldOf]
		if p.keptBefore = p.before; p.before != nil && isZero(p.before.v) {
			p.keptBefore = p.before.keptBefore
		}
		w.last[p.fieldOf] = p
	}
	w.visit(p)
}

// variants visits the value of one of several types, or these types.
func (w *walk) variants(p *valuePart) {
	types := codec.Variants(p.t)
	if p.v.IsValid() {
		types = nil
		if !p.v.IsNil() {
			types = []reflect.Type{p.v.Elem().Type()}
		}
	}
	for _, t := range types {
		q := &valuePart{t: t, as: subjectOf(t), depth: p.depth}
		if kindOf(t) != composite {
			q.fieldOf = q.as
		}
		if p.v.IsValid() {
			q.v = reflect.New(t).Elem()
			q.v.Set(p.v.Elem())
		}
		w.walk(q)
		if w.replace {
			p.v.Set(q.v)
		}
	}
}

// item returns a field or an item of a value, or what a pointer points to.
func item(v reflect.Value, i int) reflect.Value {
	switch {
	case !v.IsValid():
		return v
	case v.Kind() == reflect.Pointer:
		return v.Elem()
	case v.Kind() == reflect.Struct:
		return v.Field(i)
	}
	return v.Index(i)
}

// count returns the number of items of a value that item returns.
func count(v reflect.Value) int {
	switch v.Kind() {
	case reflect.Struct:
		return v.NumField()
	case reflect.Slice, reflect.Array:
		return v.Len()
	case reflect.Pointer:
		if !v.IsNil() {
			return 1
		}
	}
	return 0
}

// clone returns a deep copy that can be set.
func clone(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch {
	case v.Kind() == reflect.Interface && !v.IsNil():
		out.Set(clone(v.Elem()))
		return out
	case v.Kind() == reflect.Slice && !v.IsNil():
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		if kindOf(v.Type()) == opaque || kindOf(v.Type().Elem()) <= text {
			reflect.Copy(out, v)
			return out
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		out.Set(reflect.New(v.Type().Elem()))
	}
	for i := range count(v) {
		item(out, i).Set(clone(item(v, i)))
	}
	return out
}

// same reports whether two values of one type are identical, floats bit by bit.
func same(a, b reflect.Value) bool {
	switch kind := a.Kind(); {
	case kind == reflect.Float32, kind == reflect.Float64:
		return bitsOf(a) == bitsOf(b)
	case kind == reflect.Interface && !a.IsNil() && !b.IsNil():
		return a.Elem().Type() == b.Elem().Type() && same(a.Elem(), b.Elem())
	case kind == reflect.Interface, kind == reflect.Pointer, kind == reflect.Slice:
		if a.IsNil() != b.IsNil() {
			return false
		}
	case kind != reflect.Struct && kind != reflect.Array:
		return a.Equal(b)
	}
	if count(a) != count(b) {
		return false
	}
	for i := range count(a) {
		if !same(item(a, i), item(b, i)) {
			return false
		}
	}
	return true
}

// bitsOf returns the bits of a number or float.
func bitsOf(v reflect.Value) uint64 {
	switch {
	case v.CanInt():
		return uint64(v.Int()) << (64 - v.Type().Bits()) >> (64 - v.Type().Bits())
	case v.CanUint():
		return v.Uint()
	case v.Kind() == reflect.Float32:
		// Not v.Float(): conversion to float64 makes a signalling NaN quiet.
		return uint64(math.Float32bits(v.Convert(reflect.TypeFor[float32]()).Interface().(float32)))
	}
	return math.Float64bits(v.Float())
}

// withBits returns the number or float of a type with the low bits given.
func withBits(t reflect.Type, b uint64) reflect.Value {
	out := reflect.New(t).Elem()
	switch {
	case out.CanInt():
		out.SetInt(int64(b<<(64-t.Bits())) >> (64 - t.Bits()))
	case out.CanUint():
		out.SetUint(b << (64 - t.Bits()) >> (64 - t.Bits()))
	case t.Kind() == reflect.Float32:
		out.Set(reflect.ValueOf(math.Float32frombits(uint32(b))).Convert(t))
	default:
		out.SetFloat(math.Float64frombits(b))
	}
	return out
}

func isZero(v reflect.Value) bool {
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}
