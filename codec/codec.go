// Package codec is the list of all types: every documented structure, or
// instance of a generic one, with its name and the operations on it. Tests of
// properties, fuzz targets, snapshots, the command and the judge use this
// list. A new structure is one line in it.
package codec

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/formatgauge/formatgauge/codec/wire"
)

// A Type is a structure that can be decoded and encoded alone.
type Type struct {
	// Name is the full name, such as ubi.Array<Vector3>.
	Name string
	// Context contains the context keys of the type and their default values,
	// such as {"order": "little"} or {"version": "69"}.
	Context map[string]string

	model reflect.Type
	bind  func(wire.Settings, map[string]string) (Codec, error)
}

// A Codec is a [Type] with settings and a context. Its values have the type
// [Type.Model]. If that is a sealed interface, they are pointers to it, since
// an any would lose the type of the interface; Append accepts both forms.
type Codec interface {
	// Decode reads a value whose encoding is the whole of src. Errors are of
	// type [*wire.Error].
	Decode(src []byte) (any, error)
	// DecodePrefix reads a value from the beginning of src and returns the number
	// of bytes that it read.
	DecodePrefix(src []byte) (any, int, error)
	// Trace reads like Decode and also returns the leaf spans: after a fault,
	// those before it.
	Trace(src []byte) (any, []wire.Span, error)
	// Append appends the encoding of a value to dst. After an error it returns
	// dst unchanged.
	Append(dst []byte, v any) ([]byte, error)
}

// Structure returns the full name of the documented structure.
func (t *Type) Structure() string { s, _, _ := strings.Cut(t.Name, "<"); return s }

// Family returns the part of the name before the dot.
func (t *Type) Family() string { f, _, _ := strings.Cut(t.Name, "."); return f }

// Operation reports whether the type is an operation on a structure, such as
// decompressing it. Its values are computed, not stored.
func (t *Type) Operation() bool { return strings.Count(t.Structure(), ".") > 1 }

// New returns a pointer to a zero value of the model.
func (t *Type) New() any { return reflect.New(t.model).Interface() }

// Model returns the Go type of the values.
func (t *Type) Model() reflect.Type { return t.model }

// Bind returns the codec for settings and a context. A missing key has its
// default value. An unknown key and an invalid value are errors.
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

// Types returns all types, by family and then in the order of the documents.
// Callers must not change the list.
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

// newType returns the type of the structure that accessor returns. bind returns its
// argument for settings and a context.
func newType[C, T any](context map[string]string, accessor func(C) wire.Structure[T],
	bind func(wire.Settings, map[string]string) (C, error),
) *Type {
	c, err := bind(wire.Settings{}, context)
	if err != nil {
		panic(fmt.Sprintf("codec: the default context is invalid: %v", err))
	}
	return &Type{
		Name:    accessor(c).Name(),
		Context: context,
		model:   reflect.TypeFor[T](),
		bind: func(s wire.Settings, context map[string]string) (Codec, error) {
			c, err := bind(s, context)
			if err != nil {
				return nil, err
			}
			return erased[C, T]{c, accessor}, nil
		},
	}
}

// erased is a structure whose values are passed as any.
type erased[C, T any] struct {
	c        C
	accessor func(C) wire.Structure[T]
}

func (e erased[C, T]) structure() wire.Structure[T] { return e.accessor(e.c) }

func (e erased[C, T]) Decode(src []byte) (any, error) {
	v, err := e.structure().Decode(src)
	if err != nil {
		return nil, err
	}
	return boxed(v), nil
}

func (e erased[C, T]) DecodePrefix(src []byte) (any, int, error) {
	v, n, err := e.structure().DecodePrefix(src)
	if err != nil {
		return nil, 0, err
	}
	return boxed(v), n, nil
}

func (e erased[C, T]) Trace(src []byte) (any, []wire.Span, error) {
	v, spans, err := e.structure().Trace(src)
	if err != nil {
		return nil, spans, err
	}
	return boxed(v), spans, nil
}

func (e erased[C, T]) Append(dst []byte, v any) ([]byte, error) {
	t, ok := v.(T)
	if p, isPointer := v.(*T); isPointer && p != nil && isInterface[T]() {
		t, ok = *p, true
	}
	if !ok {
		return dst, fmt.Errorf("codec: %s: expected a value of type %s, found %s", e.structure().Name(), reflect.TypeFor[T](),
			wire.TypeName(v))
	}
	return e.structure().Append(dst, t)
}

// boxed returns v as an any: a pointer to it if T is an interface.
func boxed[T any](v T) any {
	if isInterface[T]() {
		return &v
	}
	return v
}

func isInterface[T any]() bool { return reflect.TypeFor[T]().Kind() == reflect.Interface }

// Deref returns the value that a pointer from [Type.New] points to, in the form
// in which a [Codec] passes values.
func Deref(p any) any {
	v := reflect.ValueOf(p)
	if v.Elem().Kind() == reflect.Interface {
		return p
	}
	return v.Elem().Interface()
}
