//go:build !purego

package fast

import (
	"reflect"
	"unsafe"

	model "github.com/formatgauge/formatgauge/model/ka"
)

// kind says how the body of a type of value is read and written.
type kind struct {
	form
	size, width uint8 // in bytes: of the body and of a number in it
	// tab is the first word of an interface that contains the type.
	tab unsafe.Pointer
}

type form uint8

const (
	missing form = iota
	numbers
	text
	wideText
	byteRun
	array
	archive
)

// kinds has the kind of each type id. typesByTab is a hash table without
// collisions: the types by the first words of interfaces.
var (
	kinds      [256]kind
	typesByTab [256]model.Type
	factor     uint64
)

// iface is the layout of an interface with methods since Go 1.4.
type iface struct{ tab, data unsafe.Pointer }

// available reports that values can be built from and taken from memory: that
// interfaces have the layout of iface, and numbers the order of bytes of a
// file.
var available = func() bool {
	var v model.Value
	if unsafe.Sizeof(v) != unsafe.Sizeof(iface{}) {
		return false
	}
	variants := model.Variants()
	forms := map[model.Type]form{
		model.TypeNone: missing, model.TypeWideString: wideText, model.TypeByteArray: byteRun,
		model.TypeArray: array, model.TypeKeyedArchive: archive,
	}
	tabs := make([]uintptr, len(variants))
	for t := range variants {
		k, typ := kind{form: numbers, tab: (*iface)(unsafe.Pointer(&variants[t])).tab}, reflect.TypeOf(variants[t])
		if special, ok := forms[model.Type(t)]; ok {
			k.form = special
		} else if typ.ConvertibleTo(reflect.TypeFor[model.String]()) {
			k.form = text
		} else { // memory and files have the same numbers in the same order, without gaps
			k.size, k.width = uint8(typ.Size()), uint8(number(typ).Size())
		}
		kinds[t], tabs[t] = k, uintptr(k.tab)
	}
	var ok bool
	if factor, ok = spread(tabs); !ok {
		return false
	}
	for t := range tabs {
		typesByTab[hash(kinds[t].tab)] = model.Type(t)
	}
	number := []byte{0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01}
	v = model.Int64(0x0123456789ABCDEF)
	t, p := unbox(v)
	return t == model.TypeInt64 && string(view(p, 8)) == string(number) && box(t, &number[0]) == v
}()

// number returns the type of the numbers that a type consists of.
func number(t reflect.Type) reflect.Type {
	switch t.Kind() {
	case reflect.Struct:
		return number(t.Field(0).Type)
	case reflect.Array:
		return number(t.Elem())
	}
	return t
}

// spread returns a factor by which the hashes of addresses do not collide. The
// linker decides about the addresses, so it has to find one for any of them: each
// step changes all bits of the factor, and one step in a few succeeds.
func spread(tabs []uintptr) (uint64, bool) {
	factor := uint64(0x9E3779B97F4A7C15)
	for range 1000 {
		var taken [256]bool
		collides := false
		for _, tab := range tabs {
			h := uint64(tab) * factor >> 56
			collides = collides || taken[h]
			taken[h] = true
		}
		if !collides {
			return factor, true
		}
		factor *= 0xD1342543DE82EF95
	}
	return 0, false
}

func hash(tab unsafe.Pointer) uint64 { return uint64(uintptr(tab)) * factor >> 56 }

// box returns the value at p, which must not change any more, as a type.
func box[T any](t model.Type, p *T) (v model.Value) {
	*(*iface)(unsafe.Pointer(&v)) = iface{kinds[t].tab, unsafe.Pointer(p)}
	return v
}

// unbox returns the type of a value and where it is. NONE stands for all that
// is none of the model's types.
func unbox(v model.Value) (model.Type, unsafe.Pointer) {
	i := (*iface)(unsafe.Pointer(&v))
	if t := typesByTab[hash(i.tab)]; kinds[t].tab == i.tab {
		return t, i.data
	}
	return model.TypeNone, nil
}

// stringIn returns the STRING in a value, nil for another value.
func stringIn(v model.Value) *model.String {
	if i := (*iface)(unsafe.Pointer(&v)); i.tab == kinds[model.TypeString].tab {
		return (*model.String)(i.data)
	}
	return nil
}

// view returns n bytes at p.
func view(p unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// memory returns n bytes that are aligned for every number.
func memory(n int) []byte {
	return view(unsafe.Pointer(unsafe.SliceData(make([]uint64, (n+7)/8))), n)
}

// textOf returns b, which must not change any more, as text.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
