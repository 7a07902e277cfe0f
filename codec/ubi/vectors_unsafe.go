//go:build !purego

package ubi

import (
	"encoding/binary"
	"unsafe"

	"github.com/formatgauge/formatgauge/codec/wire"
)

// copied completes the description of float32 fields that are copied as a whole:
// their memory differs from their bytes in a file at most by the order within each
// field. The fields are not read one by one unless their names are needed.
func copied[T any](d wire.Description[T]) wire.Description[T] {
	size, swapped := d.Min, d.Settings.BigEndian != hostIsBig
	d.Shortcut = func(src []byte) (v T, n int) {
		if len(src) < size {
			return v, 0
		}
		b := bytesOf(unsafe.Slice(&v, 1))
		if copy(b, src); swapped {
			swapWords(b)
		}
		return v, size
	}
	d.ReadBulk = func(r *wire.Reader, n int) []T {
		if n == 0 {
			return []T{}
		}
		src := r.Bytes(n*size, "", "")
		// Unlike make, append does not clear memory that it overwrites. It only
		// moves the bytes of the source, which may not be aligned for a T.
		vs := append([]T(nil), unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(src))), n)...)
		if swapped {
			swapWords(bytesOf(vs))
		}
		return vs
	}
	d.WriteBulk = func(w *wire.Writer, vs []T) {
		from := w.Offset()
		w.Bytes(bytesOf(vs))
		if swapped {
			swapWords(w.Written()[from:])
		}
	}
	return d
}

// bytesOf views values without padding as bytes.
func bytesOf[T any](vs []T) []byte {
	var v T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(vs))), len(vs)*int(unsafe.Sizeof(v)))
}

var hostIsBig = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// swapWords reverses the bytes of each group of four.
func swapWords(b []byte) {
	for ; len(b) >= 4; b = b[4:] {
		binary.BigEndian.PutUint32(b, binary.LittleEndian.Uint32(b))
	}
}
