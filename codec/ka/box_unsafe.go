//go:build !purego

package ka

import (
	"unsafe"

	model "github.com/formatgauge/formatgauge/model/ka"
)

// iface is the layout of an interface with methods since Go 1.4.
type iface struct{ tab, data unsafe.Pointer }

// itabs are the first words of interfaces that contain each type of value.
var itabs [32]unsafe.Pointer

// boxes reports that interfaces have the layout of iface. It is checked at
// start: another layout costs time, not safety. The build tag purego does
// without.
var boxes = func() bool {
	var v model.Value
	if unsafe.Sizeof(v) != unsafe.Sizeof(iface{}) {
		return false
	}
	for _, v := range model.Variants() {
		itabs[v.Type()] = (*iface)(unsafe.Pointer(&v)).tab
	}
	n := model.Int64(0x0123456789ABCDEF)
	v = n
	if was := (*iface)(unsafe.Pointer(&v)); was.data == nil || *(*model.Int64)(was.data) != n {
		return false
	}
	return box(model.TypeInt64, &n) == v
}()

// box returns the value at p, which must not change any more, as a type.
func box[T any](t model.Type, p *T) (v model.Value) {
	*(*iface)(unsafe.Pointer(&v)) = iface{itabs[t&31], unsafe.Pointer(p)}
	return v
}

// boxCopy boxes a copy in a slab.
func boxCopy[T model.Value](s *slabs, t model.Type, v T) model.Value {
	p := (*T)(unsafe.Pointer(&s.addWords(int(unsafe.Sizeof(v)+3) / 4)[0]))
	*p = v
	return box(t, p)
}

// address returns the address of an id. It is only good for a guess.
func address(id *uint32) uintptr { return uintptr(unsafe.Pointer(id)) }

// sameText reports whether two texts are the same bytes in memory.
func sameText(a, b string) bool {
	return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b)
}
