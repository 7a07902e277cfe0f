package codec

import (
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/model/uasset"
)

// A sealed interface has a fixed set of types, its variants. sealed lists them
// by interface.
var sealed = sync.OnceValue(func() map[reflect.Type]variants {
	m := map[reflect.Type]variants{}
	seal(m, ka.Variants(), func(v any) string { return v.(ka.Value).Type().String() })
	seal(m, uassetVariants[uasset.Value](), uasset.TypeName)
	seal(m, uassetVariants[uasset.Elements](), uasset.TypeName)
	seal(m, uassetVariants[uasset.StructValue](), uasset.TypeName)
	return m
})

// variants are the types that implement an interface and the names that trees use.
type variants struct {
	byName map[string]reflect.Type
	names  map[reflect.Type]string
}

// seal lists the variants of an interface, given one value of each.
func seal[I any](m map[reflect.Type]variants, values []I, name func(any) string) {
	v := variants{map[string]reflect.Type{}, map[reflect.Type]string{}}
	for _, x := range values {
		t := reflect.TypeOf(x)
		v.byName[name(x)], v.names[t] = t, name(x)
	}
	m[reflect.TypeFor[I]()] = v
}

// Variant returns the variant of a sealed interface with the given name.
func Variant(iface reflect.Type, name string) (reflect.Type, bool) {
	t, ok := sealed()[iface].byName[name]
	return t, ok
}

// VariantName returns the name of a variant of a sealed interface.
func VariantName(iface, variant reflect.Type) (string, bool) {
	name, ok := sealed()[iface].names[variant]
	return name, ok
}

// Variants returns the variants of a sealed interface, by name.
func Variants(iface reflect.Type) []reflect.Type {
	byName := sealed()[iface].byName
	var out []reflect.Type
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out
}
