package codec

import (
	"cmp"
	"reflect"
	"slices"
	"sync"

	"github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/model/uasset"
)

// A Variant is a type that implements a sealed interface, and its name in trees.
type Variant struct {
	Name string
	Type reflect.Type
}

// sealed lists the variants of each sealed interface, by name.
var sealed = sync.OnceValue(func() map[reflect.Type][]Variant {
	m := map[reflect.Type][]Variant{}
	seal(m, ka.Variants(), func(v any) string { return v.(ka.Value).Type().String() })
	seal(m, uassetVariants[uasset.Value](), uasset.TypeName)
	seal(m, uassetVariants[uasset.Elements](), uasset.TypeName)
	seal(m, uassetVariants[uasset.StructValue](), uasset.TypeName)
	return m
})

// seal lists the variants of an interface, given one value of each.
func seal[I any](m map[reflect.Type][]Variant, values []I, name func(any) string) {
	var all []Variant
	for _, x := range values {
		all = append(all, Variant{name(x), reflect.TypeOf(x)})
	}
	slices.SortFunc(all, func(a, b Variant) int { return cmp.Compare(a.Name, b.Name) })
	m[reflect.TypeFor[I]()] = all
}

// Variants returns the variants of a sealed interface, by name. Callers must not change the
// list.
func Variants(iface reflect.Type) []Variant { return sealed()[iface] }
