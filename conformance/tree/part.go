package tree

import (
	"encoding"
	"math"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/formatgauge/formatgauge/codec"
)

// A Form says which trees the values of a type of the models have.
type Form struct {
	Kind     FormKind
	Model    string // the name of the type, such as ubi.Pair[string,ubi.Vector3]; empty if it has none
	Number   string // of an integer or float: uint8, int64, float32, ...
	Length   int    // of bytes or a list, if it is fixed
	Elements *Form  // of a list
	Parts    []Part // the fields of an object, or the variants of a one-of

	model reflect.Type
	names []string // of the fields of an object, which nobody changes
}

// FormKind is the kind of a form.
type FormKind string

const (
	// BooleanForm is true or false.
	BooleanForm FormKind = "boolean"
	// IntegerForm is a string: an integer in decimal.
	IntegerForm FormKind = "integer"
	// FloatForm is a string: a decimal, inf, -inf, -0, or nan: with the bits in hex.
	FloatForm FormKind = "float"
	// TextForm is a string, or {"hex": ...} if the text is not valid UTF-8.
	TextForm FormKind = "text"
	// BytesForm is a string: lower-case hex.
	BytesForm FormKind = "bytes"
	// NameForm is a string: one of several names.
	NameForm FormKind = "name"
	// ListForm is a list.
	ListForm FormKind = "list"
	// ObjectForm has fields.
	ObjectForm FormKind = "object"
	// OneOfForm is {"type": name of a variant, "value": its tree}.
	OneOfForm FormKind = "one-of"
)

// A Part is a part of a value: what its type allows there, and its tree. A part of a type
// has no tree. The tree need not match the form: then the part has no items.
type Part struct {
	*Form
	Name    string // of a field or variant, or an index such as [0]; [] for all elements of a type
	Field   string // of a field: its name in projections, such as ka.Archive.fastNames
	Null    bool   // null is a value of it
	Pointer bool   // the model has a pointer
	Node    *Node
}

var forms = struct {
	sync.Mutex
	known map[reflect.Type]*Form
}{known: map[reflect.Type]*Form{}}

// Whole returns a value of a type as a part, or the type if n is nil.
func Whole(t *codec.Type, n *Node) Part {
	return Part{Form: formFor(t.Model()), Node: n}
}

// formFor returns the form of a type with all its parts.
func formFor(t reflect.Type) *Form {
	forms.Lock()
	defer forms.Unlock()
	return formOf(t)
}

var unmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// nullTag marks a list of a model that is absent if it is nil.
const nullTag = "null"

func formOf(t reflect.Type) *Form {
	if f := forms.known[t]; f != nil {
		return f
	}
	f := &Form{Model: modelName(t), model: t}
	forms.known[t] = f // before its parts: they may have this form
	switch kind := t.Kind(); {
	case reflect.PointerTo(t).Implements(unmarshaler):
		f.Kind = NameForm
	case kind == reflect.Bool:
		f.Kind = BooleanForm
	case kind == reflect.Float32, kind == reflect.Float64:
		f.Kind, f.Number = FloatForm, kind.String()
	case kind == reflect.String:
		f.Kind = TextForm
	case isBytes(t):
		f.Kind = BytesForm
	case kind == reflect.Slice, kind == reflect.Array:
		f.Kind, f.Elements = ListForm, formOf(t.Elem())
	case kind == reflect.Interface:
		f.Kind = OneOfForm
		for _, v := range codec.Variants(t) {
			f.Parts = append(f.Parts, Part{Form: formOf(v.Type), Name: v.Name})
		}
	case kind == reflect.Struct:
		f.Kind = ObjectForm
		model, _, _ := strings.Cut(f.Model, "[") // without the arguments of a generic type
		for field := range t.Fields() {
			p := Part{Name: FieldName(field.Name), Null: field.Tag.Get("tree") == nullTag}
			if p.Field = model + "." + p.Name; field.Type.Kind() == reflect.Pointer {
				p.Null, p.Pointer, field.Type = true, true, field.Type.Elem()
			}
			p.Form = formOf(field.Type)
			f.Parts, f.names = append(f.Parts, p), append(f.names, p.Name)
		}
	case reflect.Int <= kind && kind <= reflect.Uint64:
		f.Kind, f.Number = IntegerForm, kind.String()
	}
	if t.Kind() == reflect.Array {
		f.Length = t.Len()
	}
	return f
}

// modelName returns the name of a type without the paths of packages, also of those of its
// arguments. It needs no regexp, which makes the playground larger.
func modelName(t reflect.Type) string {
	if t.PkgPath() == "" {
		return ""
	}
	args := strings.Split(t.Name(), ",")
	for i, arg := range args {
		before, name, found := strings.Cut(arg, "[")
		if args[i] = path.Base(before); found {
			args[i] += "[" + path.Base(name)
		}
	}
	return path.Base(t.PkgPath()) + "." + strings.Join(args, ",")
}

// Names returns the valid names of a form. It is slow.
func (f *Form) Names() (out []string) {
	if f.Kind != NameForm { // an unsigned integer of at most 16 bits
		return nil
	}
	v := reflect.New(f.model).Elem()
	for i := range uint64(math.MaxUint16 + 1) {
		if v.OverflowUint(i) {
			break
		}
		v.SetUint(i)
		if e, ok := v.Interface().(interface{ Valid() bool }); ok && !e.Valid() { // cheaper than an error
			continue
		}
		if b, err := v.Interface().(encoding.TextMarshaler).MarshalText(); err == nil {
			out = append(out, string(b))
		}
	}
	return out
}

// Zero returns the tree of the zero value of the model. An enumeration need not have one.
func (p Part) Zero() (Node, error) {
	if p.Pointer {
		return Node{}, nil
	}
	return fromValue(reflect.Zero(p.model))
}

// Len returns the number of items: fields, elements, or the one variant of a value. A
// type has all its variants, and one element in each list without a fixed length.
func (p Part) Len() int {
	switch {
	case p.Node == nil && p.Kind == ListForm:
		return max(p.Length, 1)
	case p.Kind == ListForm && p.Node.Kind == List:
		return len(p.Node.Items)
	case p.Node == nil, p.Kind == ObjectForm && p.Node.Kind == Object:
		return len(p.Parts)
	case p.Kind == OneOfForm && p.Node.Kind == Object && p.variant() >= 0:
		return 1
	}
	return 0
}

func (p Part) variant() int {
	return slices.IndexFunc(p.Parts, func(v Part) bool { return v.Name == p.Node.field("type").Text })
}

// Item returns an item. A field that the tree lacks is null.
func (p Part) Item(i int) Part {
	if p.Kind == ListForm {
		item := Part{Form: p.Elements, Name: "[" + strconv.Itoa(i) + "]"}
		if p.Node != nil {
			item.Node = &p.Node.Items[i]
		} else if p.Length == 0 {
			item.Name = "[]"
		}
		return item
	}
	k, name := i, p.Parts[i].Name
	if p.Kind == OneOfForm && p.Node != nil {
		k, name = p.variant(), "value"
	}
	item := p.Parts[k]
	if p.Node != nil {
		item.Node = p.Node.field(name)
	}
	return item
}

// Replace returns the tree with other parts, by the nodes that they replace. The tree of a
// vector has to be normalised before: its equal elements can be one node.
func (n *Node) Replace(parts map[*Node]Node) Node {
	if other, ok := parts[n]; ok || len(n.Items) == 0 {
		if ok {
			return other
		}
		return *n
	}
	out := *n
	out.Items = make([]Node, len(n.Items))
	for i := range n.Items {
		out.Items[i] = n.Items[i].Replace(parts)
	}
	return out
}
