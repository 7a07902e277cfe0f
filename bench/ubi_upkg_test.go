package bench

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/codec/ubi"
	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
)

// sink keeps results alive.
var sink uint64

// compactIndex decodes indices with the lengths of real packages: of 426,589
// indices 297,079 have one byte, 89,574 two, 33,926 three, 6,010 four.
func compactIndex(t *testing.T, out *table) {
	const n = 20000
	r := rand.New(rand.NewPCG(1, 2))
	var indices, varints []byte
	for range n {
		bits := 6
		switch p := r.IntN(426589); {
		case p >= 297079+89574+33926:
			bits = 27
		case p >= 297079+89574:
			bits = 20
		case p >= 297079:
			bits = 13
		}
		low := int32(0)
		if bits > 6 {
			low = 1 << (bits - 7)
		}
		v := low + r.Int32N(1<<bits-low)
		// The varint has the same number of bytes: 7, 14, 21 or 28 bits.
		size := len(upkg.AppendCompactIndex(nil, v))
		u := uint64(1)<<(7*size-1) | uint64(v)&(1<<(7*size-1)-1)
		if r.IntN(426589) < 56078 {
			v = -v
		}
		indices = upkg.AppendCompactIndex(indices, v)
		varints = binary.AppendUvarint(varints, u)
	}
	if len(indices) != len(varints) {
		t.Fatalf("%d bytes against %d: not the same mix of lengths", len(indices), len(varints))
	}
	d := best(
		func() {
			sum := int64(0)
			for b := indices; len(b) > 0; {
				v, k := upkg.ConsumeCompactIndex(b)
				sum += int64(v)
				b = b[k:]
			}
			sink += uint64(sum)
		},
		func() {
			sum := uint64(0)
			for b := varints; len(b) > 0; {
				v, k := binary.Uvarint(b)
				sum += v
				b = b[k:]
			}
			sink += sum
		},
	)
	each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / n }
	atMost(t, out, "compact index, read", "binary.Uvarint, same lengths",
		fmt.Sprintf("%.2f against %.2f ns", each(d[0]), each(d[1])), each(d[0])/each(d[1]), 1.35)
}

// arrays decodes arrays of vectors and matrices. copy copies the same bytes to an
// existing buffer.
func arrays(t *testing.T, out *table) {
	for _, size := range []struct {
		name  string
		bytes int
		bar   float64
	}{{"256 KiB", 256 << 10, 0.15}, {"64 MiB", 64 << 20, 0.6}} {
		c := ubi.New(wire.Settings{})
		arrayOf(t, out, "array of Vector3, read, "+size.name, ubi.ArrayOf(c.Vector3()), size.bytes/12, 12, size.bar)
		arrayOf(t, out, "array of Matrix44, read, "+size.name, ubi.ArrayOf(c.Matrix44()), size.bytes/64, 64, size.bar)
	}
}

func arrayOf[T any, A ~[]T](t *testing.T, out *table, what string, s wire.Structure[A], n, size int, bar float64) {
	src := binary.LittleEndian.AppendUint32(nil, uint32(n))
	r := rand.New(rand.NewPCG(3, 4))
	for range n * size / 4 {
		src = binary.LittleEndian.AppendUint32(src, r.Uint32())
	}
	dst := slices.Clone(src)
	d := best(
		func() {
			v, err := s.Decode(src)
			if err != nil || len(v) != n {
				t.Fatal(len(v), err)
			}
		},
		func() { sink += uint64(copy(dst, src)) },
	)
	speed := func(d time.Duration) float64 { return float64(len(src)) / d.Seconds() / 1e9 }
	atLeast(t, out, what, "copy", fmt.Sprintf("%.1f against %.1f GB/s", speed(d[0]), speed(d[1])),
		speed(d[0])/speed(d[1]), bar)
}
