//go:build !purego

package fast

import (
	"unsafe"

	model "github.com/formatgauge/formatgauge/model/ka"
)

// iface is the layout of an interface with methods since Go 1.4.
type iface struct{ tab, data unsafe.Pointer }

// tabs are the first words of interfaces that contain each type of value, and
// entries the types by a hash of these words without collisions.
var (
	tabs    [32]unsafe.Pointer
	entries [256]struct {
		tab unsafe.Pointer
		typ model.Type
	}
	factor uint64 = 0x9E3779B97F4A7C15
)

func hash(tab unsafe.Pointer) uint64 { return uint64(uintptr(tab)) * factor >> 56 }

// Available reports that values can be built from and taken from memory: that
// interfaces have the layout of iface, and numbers the order of bytes of a
// file. Otherwise this package declines everything.
var Available = func() bool {
	var v model.Value
	if unsafe.Sizeof(v) != unsafe.Sizeof(iface{}) {
		return false
	}
	for _, v := range model.Variants() {
		tabs[v.Type()] = (*iface)(unsafe.Pointer(&v)).tab
	}
	for ; !spread(); factor += 2 {
	}
	number := []byte{0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01}
	v = model.Int64(0x0123456789ABCDEF)
	t, p := unbox(v)
	return t == model.TypeInt64 && string(view(p, 8)) == string(number) && box(model.TypeInt64, &number[0]) == v
}()

// spread fills entries and reports whether there is no collision.
func spread() bool {
	clear(entries[:])
	for t := range len(model.Types()) {
		e := &entries[hash(tabs[t])]
		if e.tab != nil {
			return false
		}
		e.tab, e.typ = tabs[t], model.Type(t)
	}
	return true
}

// box returns the value at p, which must not change any more, as a type.
func box[T any](t model.Type, p *T) (v model.Value) {
	*(*iface)(unsafe.Pointer(&v)) = iface{tabs[t&31], unsafe.Pointer(p)}
	return v
}

// unbox returns the type of a value and where it is; NONE and nil if it is
// none of the model's types.
func unbox(v model.Value) (model.Type, unsafe.Pointer) {
	i := (*iface)(unsafe.Pointer(&v))
	if e := &entries[hash(i.tab)]; e.tab == i.tab && i.tab != nil {
		return e.typ, i.data
	}
	return model.TypeNone, nil
}

// stringIn returns the STRING in a value, or nil.
func stringIn(v model.Value) *model.String {
	if i := (*iface)(unsafe.Pointer(&v)); i.tab == tabs[model.TypeString] {
		return (*model.String)(i.data)
	}
	return nil
}

// view returns n bytes at p.
func view(p unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// at returns the value at p.
func at[T any](p unsafe.Pointer) *T { return (*T)(p) }

// memory returns n bytes that are aligned for every number.
func memory(n int) []byte {
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// textOf returns b, which must not change any more, as text.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// idAt returns the place of four bytes, which are aligned.
func idAt(b []byte) *uint32 { return (*uint32)(unsafe.Pointer(&b[0])) }
