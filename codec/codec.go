// Package codec is the list of all types: each documented structure, or
// instance of a generic one, by its name, with everything that can be done to
// it. Properties, fuzzing, snapshots, the command and the judge walk this
// list; a new structure is one line in it.
package codec

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/spec"
)

// A Type is a structure that can be read and written on its own.
type Type struct {
	// Name is the full name, such as ubi.Array<Vector3>.
	Name string
	// Context names what the type has to be told from outside, with what it
	// assumes otherwise: {"order": "little"} or {"version": "69"}.
	Context map[string]string

	model reflect.Type
	bind  func(wire.Settings, map[string]string) (Codec, error)
}

// A Codec is a [Type] under one profile, in one context. Values are of the
// type that [Type.New] points to. If that is a sealed interface they are
// pointers to it, since an any would remember only what is behind it; Append
// takes what is behind it as well.
type Codec interface {
	// Decode reads a value that takes up all of src.
	Decode(src []byte) (any, error)
	// DecodePrefix reads a value and tells how many bytes it took.
	DecodePrefix(src []byte) (any, int, error)
	// Trace reads like Decode and returns the leaf spans, those before the
	// fault if there is one.
	Trace(src []byte) (any, []wire.Span, error)
	// Append writes a value behind dst.
	Append(dst []byte, v any) ([]byte, error)
}

// Structure returns the full name of the documented structure.
func (t *Type) Structure() string { return spec.StructureOf(t.Name) }

// Family returns the part of the name before the dot.
func (t *Type) Family() string { f, _, _ := strings.Cut(t.Name, "."); return f }

// Operation reports whether the type is something that is done to a structure,
// such as decompressing it: then its values are computed, not stored.
func (t *Type) Operation() bool { return strings.Count(t.Structure(), ".") > 1 }

// New returns a pointer to a zero value of the model.
func (t *Type) New() any { return reflect.New(t.model).Interface() }

// Model returns the Go type of the values.
func (t *Type) Model() reflect.Type { return t.model }

// Bind resolves settings and context into a codec. Context keys that the type
// does not know, and values that it cannot use, are errors; keys left out
// take their default.
func (t *Type) Bind(s wire.Settings, context map[string]string) (Codec, error) {
	full := maps.Clone(t.Context)
	for k, v := range context {
		if _, ok := t.Context[k]; !ok {
			return nil, fmt.Errorf("codec: %s takes no context %q", t.Name, k)
		}
		full[k] = v
	}
	return t.bind(s, full)
}

var types = sync.OnceValue(func() []*Type {
	return slices.Concat(ubiTypes(), upkgTypes(), kaTypes(), uassetTypes())
})

// Types lists all types: families in their usual order, structures in the
// order of their documents. The list is shared: callers must not change it.
func Types() []*Type { return types() }

var byName = sync.OnceValue(func() map[string]*Type {
	m := map[string]*Type{}
	for _, t := range Types() {
		m[t.Name] = t
	}
	return m
})

// Find returns the type with the given full name.
func Find(name string) (*Type, bool) {
	t, ok := byName()[name]
	return t, ok
}

// newType lists a structure. bind makes it for settings and a context.
func newType[T any](context map[string]string, bind func(wire.Settings, map[string]string) (wire.Structure[T], error)) *Type {
	s, err := bind(wire.Settings{}, context)
	if err != nil {
		panic(fmt.Sprintf("codec: the default context does not serve: %v", err))
	}
	return &Type{
		Name:    s.Name(),
		Context: context,
		model:   reflect.TypeFor[T](),
		bind: func(s wire.Settings, context map[string]string) (Codec, error) {
			st, err := bind(s, context)
			if err != nil {
				return nil, err
			}
			return erased[T]{st}, nil
		},
	}
}

// erased is a structure whose values travel as any.
type erased[T any] struct{ s wire.Structure[T] }

func (e erased[T]) Decode(src []byte) (any, error) {
	v, err := e.s.Decode(src)
	if err != nil {
		return nil, err
	}
	return boxed(v), nil
}

func (e erased[T]) DecodePrefix(src []byte) (any, int, error) {
	v, n, err := e.s.DecodePrefix(src)
	if err != nil {
		return nil, 0, err
	}
	return boxed(v), n, nil
}

func (e erased[T]) Trace(src []byte) (any, []wire.Span, error) {
	v, spans, err := e.s.Trace(src)
	if err != nil {
		return nil, spans, err
	}
	return boxed(v), spans, nil
}

func (e erased[T]) Append(dst []byte, v any) ([]byte, error) {
	t, ok := v.(T)
	if p, isPointer := v.(*T); isPointer && p != nil && isInterface[T]() {
		t, ok = *p, true
	}
	if !ok {
		return dst, fmt.Errorf("codec: %s encodes %s, not %T", e.s.Name(), reflect.TypeFor[T](), v)
	}
	return e.s.Append(dst, t)
}

// boxed is v as values travel.
func boxed[T any](v T) any {
	if isInterface[T]() {
		return &v
	}
	return v
}

func isInterface[T any]() bool { return reflect.TypeFor[T]().Kind() == reflect.Interface }

// Deref returns the value behind a pointer that [Type.New] gave, as values
// travel.
func Deref(p any) any {
	v := reflect.ValueOf(p)
	if v.Elem().Kind() == reflect.Interface {
		return p
	}
	return v.Elem().Interface()
}
