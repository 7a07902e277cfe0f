package power

import (
	"encoding"
	"math"
	"path"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
)

// A subject is what a mutant changes: a field of a model type, wherever that type
// occurs. The elements of a list have the field [], and a value outside of a
// structure has no field.
type subject struct{ family, typ, field string }

func (s subject) String() string {
	if s.field == "" || strings.HasPrefix(s.field, "[") {
		return s.family + "." + s.typ + s.field
	}
	return s.family + "." + s.typ + "." + s.field
}

// A valuePart is one part of a value.
type valuePart struct {
	v reflect.Value
	// as is the subject to whose contents the part belongs; fieldOf the one that
	// the part as a whole belongs to. They differ for a list or structure in a
	// field. fieldOf is empty for what a pointer points to.
	as, fieldOf subject
	up          *valuePart // the structure or fixed array around it; nil if there is none
	index       int        // in up
	number      int        // in the order of the walk
	path        string     // in the tree, without variants: children[0].value.text
	first       *valuePart // the same part of the first element of the list around it; nil if there is none
	before      *valuePart // the preceding part of the same subject in the same value; nil if there is none
	// keptBefore is the last one before that is not zero; nil if there is none.
	keptBefore *valuePart
	// earlier is the last part of the same subject in an earlier answer, and kept the
	// last one that is not zero; both may be invalid.
	earlier, kept reflect.Value
}

// kind groups types by the operators that fit them.
type kind int

const (
	other kind = iota
	number
	float
	boolean
	enumeration
	text
	opaque
	list
	matrix
	pointer
	composite // a structure, a fixed array or a value of one of several types
)

var textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()

// namedTexts are the text types that have a fixed set of values, with one of them.
var namedTexts = map[string]string{"ubi.FileMagic": "ubi/b0-l", "uasset.PixelFormat": "PF_DXT1"}

func kindOf(t reflect.Type) kind {
	if t.Implements(textMarshaler) || namedTexts[t.String()] != "" {
		return enumeration
	}
	switch t.Kind() {
	case reflect.Bool:
		return boolean
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return number
	case reflect.Float32, reflect.Float64:
		return float
	case reflect.String:
		return text
	case reflect.Slice, reflect.Array:
		switch {
		case t.Elem().Kind() == reflect.Uint8:
			return opaque
		case t.Kind() == reflect.Slice:
			return list
		case t.Elem().Kind() == reflect.Array:
			return matrix
		}
		return composite
	case reflect.Pointer:
		return pointer
	case reflect.Struct, reflect.Interface:
		return composite
	}
	return other
}

var longName = regexp.MustCompile(`\[.*`)

// subjectOf returns the subject of a value of a named type.
func subjectOf(t reflect.Type) subject {
	return subject{family: path.Base(t.PkgPath()), typ: longName.ReplaceAllString(t.Name(), "")}
}

// A walk visits the parts of a value, each after its own parts.
type walk struct {
	visit   func(*valuePart)
	replace bool // the visitor changes the values
	count   int  // of parts visited
	before  map[subject]*valuePart
	firsts  map[string]*valuePart // of the list around, by the steps from its element
	isFirst bool                  // the element around is the first of its list
	steps   string
}

// walkValue visits the parts of a value of a type with the given name. The value
// can be set.
func walkValue(root reflect.Value, typ string, replace bool, visit func(*valuePart)) {
	w := &walk{visit: visit, replace: replace, before: map[subject]*valuePart{}}
	as := subject{}
	if t := root.Type(); t.PkgPath() == "" {
		as.family, as.typ, _ = strings.Cut(typ, ".") // a primitive type
	} else {
		as = subjectOf(t)
	}
	w.walk(&valuePart{v: root, as: as, fieldOf: as})
}

func (w *walk) walk(p *valuePart) {
	t := p.v.Type()
	k := kindOf(t)
	// The contents of a named list, structure or array belong to its own type.
	if t.PkgPath() != "" && (k == list || k == matrix || k == composite) && t.Kind() != reflect.Interface {
		p.as = subjectOf(t)
	}
	switch k {
	case pointer:
		if !p.v.IsNil() {
			w.walk(&valuePart{v: p.v.Elem(), as: p.as, path: p.path})
		}
	case list:
		w.walkList(p)
	case matrix:
		w.walkItems(p)
	case composite:
		switch t.Kind() {
		case reflect.Struct:
			for i := range t.NumField() {
				w.part(p, p.v.Field(i), i, subject{p.as.family, p.as.typ, lowerFirst(t.Field(i).Name)})
			}
		case reflect.Interface:
			if p.v.IsNil() {
				break
			}
			inner := reflect.New(p.v.Elem().Type()).Elem()
			inner.Set(p.v.Elem())
			steps := w.steps
			w.steps += "(" + inner.Type().Name() + ")"
			own := subjectOf(inner.Type())
			q := &valuePart{v: inner, as: own, path: p.path}
			if kindOf(inner.Type()) != composite {
				q.fieldOf = own
			}
			w.walk(q)
			w.steps = steps
			if w.replace {
				p.v.Set(inner)
			}
		default:
			w.walkItems(p)
		}
	}
	p.number = w.count
	w.count++
	w.link(p)
	w.visit(p)
}

// walkItems visits the items of a fixed array as fields.
func (w *walk) walkItems(p *valuePart) {
	for i := range p.v.Len() {
		w.part(p, p.v.Index(i), i, subject{p.as.family, p.as.typ, p.as.field + "[" + strconv.Itoa(i) + "]"})
	}
}

func (w *walk) part(p *valuePart, v reflect.Value, i int, s subject) {
	steps := w.steps
	w.steps += "." + strconv.Itoa(i)
	path := p.path + "[" + strconv.Itoa(i) + "]"
	if p.v.Kind() == reflect.Struct {
		path = strings.TrimPrefix(p.path+"."+s.field, ".")
	}
	w.walk(&valuePart{v: v, as: s, fieldOf: s, up: p, index: i, path: path})
	w.steps = steps
}

func (w *walk) walkList(p *valuePart) {
	firsts, isFirst, steps := w.firsts, w.isFirst, w.steps
	w.firsts = map[string]*valuePart{}
	for i := range p.v.Len() {
		w.isFirst, w.steps = i == 0, ""
		w.walk(&valuePart{v: p.v.Index(i), as: subject{p.as.family, p.as.typ, p.as.field + "[]"}, path: p.path + "[" + strconv.Itoa(i) + "]"})
	}
	w.firsts, w.isFirst, w.steps = firsts, isFirst, steps
}

// link sets what the operators on fields need.
func (w *walk) link(p *valuePart) {
	if w.replace || p.fieldOf == (subject{}) {
		return
	}
	p.before = w.before[p.fieldOf]
	if p.keptBefore = p.before; p.before != nil && isZero(p.before.v) {
		p.keptBefore = p.before.keptBefore
	}
	w.before[p.fieldOf] = p
	if w.isFirst {
		w.firsts[w.steps] = p
	} else if f := w.firsts[w.steps]; f != nil && f.fieldOf == p.fieldOf {
		p.first = f
	}
}

// lowerFirst returns the name of a field in trees.
func lowerFirst(name string) string {
	if strings.ToUpper(name) == name {
		return strings.ToLower(name)
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// clone returns a deep copy that can be set.
func clone(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			if kindOf(v.Type()) == opaque || kindOf(v.Type().Elem()) <= text {
				reflect.Copy(out, v)
				break
			}
			for i := range v.Len() {
				out.Index(i).Set(clone(v.Index(i)))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(clone(v.Field(i)))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(clone(v.Elem()))
		}
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(clone(v.Elem()))
		}
	}
	return out
}

// same reports whether two values of one type are identical, floats bit by bit.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		return bitsOf(a) == bitsOf(b)
	case reflect.Slice:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return false
		}
		fallthrough
	case reflect.Array:
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		return a.Elem().Type() == b.Elem().Type() && same(a.Elem(), b.Elem())
	}
	return a.Interface() == b.Interface()
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

// A typePart is a part of a type: the static form of a valuePart.
type typePart struct {
	t           reflect.Type
	as, fieldOf subject
	up          reflect.Type // nil if there is none
	index       int
	inList      bool // a list is around it
	repeats     bool // a value can contain it more than once
	// contentsRepeat: another field of the structure has the same type.
	contentsRepeat bool
}

// walkType visits the parts of a type once each.
func walkType(t reflect.Type, name string, visit func(typePart)) {
	seen := map[typePart]bool{}
	var walk func(typePart)
	walk = func(p typePart) {
		k := kindOf(p.t)
		if p.t.PkgPath() != "" && (k == list || k == matrix || k == composite) && p.t.Kind() != reflect.Interface {
			p.as = subjectOf(p.t)
		}
		if seen[p] {
			return
		}
		seen[p] = true
		visit(p)
		p.repeats = p.repeats || p.contentsRepeat
		items := func() {
			for i := range p.t.Len() {
				s := subject{p.as.family, p.as.typ, p.as.field + "[" + strconv.Itoa(i) + "]"}
				walk(typePart{t: p.t.Elem(), as: s, fieldOf: s, up: p.t, index: i, inList: p.inList, repeats: p.repeats})
			}
		}
		switch k {
		case pointer:
			walk(typePart{t: p.t.Elem(), as: p.as, inList: p.inList, repeats: p.repeats})
		case list:
			walk(typePart{t: p.t.Elem(), as: subject{p.as.family, p.as.typ, p.as.field + "[]"}, inList: true, repeats: true})
		case matrix:
			items()
		case composite:
			switch p.t.Kind() {
			case reflect.Struct:
				for i := range p.t.NumField() {
					s := subject{p.as.family, p.as.typ, lowerFirst(p.t.Field(i).Name)}
					q := typePart{t: p.t.Field(i).Type, as: s, fieldOf: s, up: p.t, index: i, inList: p.inList, repeats: p.repeats}
					for k := range i {
						q.contentsRepeat = q.contentsRepeat || p.t.Field(k).Type == q.t
					}
					walk(q)
				}
			case reflect.Interface:
				for _, variant := range codec.Variants(p.t) {
					own := subjectOf(variant)
					q := typePart{t: variant, as: own, inList: p.inList, repeats: p.repeats}
					if kindOf(variant) != composite {
						q.fieldOf = own
					}
					walk(q)
				}
			default:
				items()
			}
		}
	}
	as := subject{}
	if t.PkgPath() == "" {
		as.family, as.typ, _ = strings.Cut(name, ".")
	} else {
		as = subjectOf(t)
	}
	walk(typePart{t: t, as: as, fieldOf: as})
}
