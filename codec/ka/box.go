//go:build !purego

package ka

import (
	"unsafe"

	model "github.com/formatgauge/formatgauge/model/ka"
)

// Go puts a copy of a value that is converted to an interface into a block of
// its own: two allocations for each pair of an archive. Here an interface is
// put together from the address of a value in a slab, which nobody changes
// any more. That relies on how interfaces lie in memory, which has been the
// same since Go 1.4, and which [itabs] makes sure of; build with the tag
// purego to do without.

type iface struct{ tab, data unsafe.Pointer }

// itabs are the first words of interfaces that hold each type of value.
var itabs = func() (tabs [32]unsafe.Pointer) {
	for _, v := range model.Variants() {
		tabs[v.Type()] = (*iface)(unsafe.Pointer(&v)).tab
	}
	n := model.Int64(0x0123456789ABCDEF)
	if v := box(&tabs, model.TypeInt64, unsafe.Pointer(&n)); unsafe.Sizeof(v) != unsafe.Sizeof(iface{}) || v != model.Value(n) {
		panic("ka: interfaces of this Go lie in memory in another way: build with the tag purego")
	}
	return tabs
}()

func box(tabs *[32]unsafe.Pointer, t model.Type, p unsafe.Pointer) (v model.Value) {
	*(*iface)(unsafe.Pointer(&v)) = iface{tabs[t&31], p}
	return v
}

// boxSmall holds a value without pointers of at most 64 bytes, aligned to 4.
func boxSmall[T model.Value](s *slabs, t model.Type, v T) model.Value {
	p := (*T)(unsafe.Pointer(&s.addWords(int(unsafe.Sizeof(v)+3) / 4)[0]))
	*p = v
	return box(&itabs, t, unsafe.Pointer(p))
}

// boxWord holds one of the types of four bytes.
func boxWord(t model.Type, p *uint32) model.Value { return box(&itabs, t, unsafe.Pointer(p)) }

// boxFloats holds one of the types that are floats and nothing else.
func boxFloats(t model.Type, p []uint32) model.Value { return box(&itabs, t, unsafe.Pointer(&p[0])) }

const boxesFloats = true

// boxLong holds one of the types of eight bytes.
func boxLong(t model.Type, p *uint64) model.Value { return box(&itabs, t, unsafe.Pointer(p)) }

// boxText gives a text in a slab one of the four types of text, which are
// alike in memory.
func boxText(t model.Type, p *model.String) model.Value { return box(&itabs, t, unsafe.Pointer(p)) }

func boxBytes(p *model.ByteArray) model.Value {
	return box(&itabs, model.TypeByteArray, unsafe.Pointer(p))
}

func boxArray(p *model.Array) model.Value { return box(&itabs, model.TypeArray, unsafe.Pointer(p)) }

func boxArchive(p *model.KeyedArchive) model.Value {
	return box(&itabs, model.TypeKeyedArchive, unsafe.Pointer(p))
}
