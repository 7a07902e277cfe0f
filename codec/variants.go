package codec

import (
	"reflect"
	"sync"

	"github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/model/uasset"
)

// A sealed interface stands for one of a fixed set of types. sealed lists
// them by interface, each with the name that trees use.
var sealed = sync.OnceValue(func() map[reflect.Type]variants {
	m := map[reflect.Type]variants{}
	seal(m, ka.Variants(), func(v ka.Value) string { return v.Type().String() })
	seal(m, uassetVariants[uasset.Value](), uasset.Value.TypeName)
	seal(m, uassetVariants[uasset.Elements](), uasset.Elements.TypeName)
	seal(m, uassetVariants[uasset.StructValue](), uasset.StructValue.TypeName)
	return m
})

type variants struct {
	byName map[string]reflect.Type
	names  map[reflect.Type]string
}

// seal lists the variants of an interface by one value of each.
func seal[I any](m map[reflect.Type]variants, values []I, name func(I) string) {
	v := variants{map[string]reflect.Type{}, map[reflect.Type]string{}}
	for _, x := range values {
		t := reflect.TypeOf(x)
		v.byName[name(x)], v.names[t] = t, name(x)
	}
	m[reflect.TypeFor[I]()] = v
}

// Variant returns the type of that name behind a sealed interface.
func Variant(iface reflect.Type, name string) (reflect.Type, bool) {
	t, ok := sealed()[iface].byName[name]
	return t, ok
}

// VariantName returns the name of a type behind a sealed interface.
func VariantName(iface, variant reflect.Type) (string, bool) {
	name, ok := sealed()[iface].names[variant]
	return name, ok
}
