package codec

import (
	"reflect"
	"sync"
)

// A sealed interface stands for one of a fixed set of types. sealed lists
// them by interface, each with the name that trees use.
var sealed = sync.OnceValue(func() map[reflect.Type]map[string]reflect.Type {
	return map[reflect.Type]map[string]reflect.Type{}
})

// Variant returns the type of that name behind a sealed interface.
func Variant(iface reflect.Type, name string) (reflect.Type, bool) {
	t, ok := sealed()[iface][name]
	return t, ok
}

// VariantName returns the name of a type behind a sealed interface.
func VariantName(iface, variant reflect.Type) (string, bool) {
	for name, t := range sealed()[iface] {
		if t == variant {
			return name, true
		}
	}
	return "", false
}
