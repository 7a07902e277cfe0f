package props

import (
	"encoding/binary"
	"errors"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/formatgauge/formatgauge/codec"
	uassetcodec "github.com/formatgauge/formatgauge/codec/uasset"
	upkgcodec "github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/internal/texturesample"
	"github.com/formatgauge/formatgauge/model/uasset"
	"github.com/formatgauge/formatgauge/model/upkg"
)

// The properties here compare each sum and product of sizes in a codec with
// the same computation in integers of any size.

// drawNear draws a number of at most width bits. Most are near a power of two
// at which a computation in 31, 32, 63 or 64 bits wraps.
func drawNear(t *rapid.T, width int) uint64 {
	most := ^uint64(0) >> (64 - width)
	near := uint64(1)<<rapid.SampledFrom([]int{0, 4, 16, 29, 30, 31, 32, 33, 60, 61, 62, 63}).Draw(t,
		"power") + uint64(rapid.Int64Range(-4, 4).Draw(t, "near"))
	return rapid.SampledFrom([]uint64{near, near, near, most - near%8, rapid.Uint64().Draw(t, "any")}).Draw(t,
		"size") & most
}

func drawNear32(t *rapid.T) uint32 { return uint32(drawNear(t, 32)) }

func bigOf(v uint64) *big.Int { return new(big.Int).SetUint64(v) }

func product(factors ...uint64) *big.Int {
	p := big.NewInt(1)
	for _, f := range factors {
		p.Mul(p, bigOf(f))
	}
	return p
}

// fits reports whether a number of bytes is in so many.
func fits(n *big.Int, have int) bool { return n.Cmp(big.NewInt(int64(have))) <= 0 }

// classOf returns the class of an error and its offset.
func classOf(err error) (wire.Class, int) {
	e, ok := errors.AsType[*wire.Error](err)
	if !ok {
		return "", 0
	}
	return e.Class, e.Offset
}

// exactPayload is the size of a mip by UA-MIP-4.
func exactPayload(f uasset.PixelFormat, width, height, slices uint32) *big.Int {
	block := map[uasset.PixelFormat][2]uint64{
		uasset.DXT1: {4, 8}, uasset.DXT3: {4, 16}, uasset.DXT5: {4, 16}, uasset.BC5: {4, 16}, uasset.B8G8R8A8: {1, 4},
		uasset.G8: {1, 1},
	}[f]
	up := func(v uint32) uint64 { return (uint64(v) + block[0] - 1) / block[0] }
	return product(up(width), up(height), block[1], uint64(slices))
}

// TestPayloadSizes: a mip has the size of its pixels, whatever they are. The
// payloads are at the end of the file, so that no input is too short for them.
func TestPayloadSizes(t *testing.T) {
	formats := []uasset.PixelFormat{uasset.DXT1, uasset.DXT3, uasset.DXT5, uasset.BC5, uasset.B8G8R8A8, uasset.G8}
	c := uassetcodec.New(wire.Settings{})
	rapid.Check(t, func(rt *rapid.T) {
		f := rapid.SampledFrom(formats).Draw(rt, "format")
		width, height := drawNear32(rt), drawNear32(rt)
		slices := max(1, rapid.SampledFrom([]uint32{1, 1, 6, drawNear32(rt)}).Draw(rt, "slices"))
		one, all := exactPayload(f, width, height, 1), exactPayload(f, width, height, slices)
		got, ok := f.PayloadSize(width, height)
		if most := ^uint64(0); !ok || one.IsUint64() && got != one.Uint64() || !one.IsUint64() && got != most {
			rt.Fatalf("%d by %d in %s: %d, %t, want %d", width, height, f, got, ok, one)
		}
		size := uint32(new(big.Int).And(all, bigOf(1<<32-1)).Uint64()) // right modulo 2^32
		if rapid.Bool().Draw(rt, "other") {
			size = drawNear32(rt)
		}
		b := binary.LittleEndian.AppendUint32(nil, 1)
		for _, v := range []uint32{uasset.PayloadAtEndOfFile, size, size, 0, 0, width, height} {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		m := c.In(uassetcodec.Scope{Format: f, Slices: slices}).Mip()
		v, err := m.Decode(b)
		class, at := classOf(err)
		right := all.Cmp(bigOf(uint64(size))) == 0
		if right != (err == nil) || !right && (class != wire.Value || at != 8) {
			rt.Fatalf("%d slices of %d by %d in %s have %d bytes; a size of %d gives %v", slices, width, height, f,
				all, size, err)
		}
		if _, err := m.Append(nil, uasset.Mip{
			BulkDataFlags: uasset.PayloadAtEndOfFile, Size: size, SizeX: width,
			SizeY: height,
		}); (err == nil) != right {
			rt.Fatalf("%d bytes are written with %v, %+v", size, err, v)
		}
	})
}

// TestCounts: a count is accepted only if the least size of its elements fits.
func TestCounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, least, have := drawNear32(rt), int(drawNear(rt, bits.UintSize-1)), rapid.IntRange(0, 100).Draw(rt, "bytes")
		if rapid.Bool().Draw(rt, "small") {
			n, least = n%8, least%16
		}
		s := wire.Describe(&wire.Family{}, "count", 4, func(r *wire.Reader) int {
			return r.Count(r.Uint32("n", ""), least, 4, "n", "")
		}, nil).Structure()
		got, _, err := s.DecodePrefix(append(binary.LittleEndian.AppendUint32(nil, n), make([]byte, have)...))
		if in := fits(product(uint64(n), uint64(max(least, 1))), have); in != (err == nil) || in && got != int(n) {
			rt.Fatalf("%d elements of at least %d bytes in %d bytes: %d, %v", n, least, have, got, err)
		}
	})
}

// TestExportRegions: the size of the export region in a summary.
func TestExportRegions(t *testing.T) {
	c := uassetcodec.New(wire.Settings{}).Summary()
	valid := testrun.Must(c.Append(nil, uasset.Summary{
		NameOffset: 193, SearchableNamesOffset: new(uint32), Generations: make([]uasset.Generation, 1),
	}))
	rapid.Check(t, func(rt *rapid.T) {
		n, from := drawNear32(rt), drawNear32(rt)
		perExport := rapid.SampledFrom([]uint32{100, 100, 76, 108, drawNear32(rt)}).Draw(rt, "size")
		to := from + n*perExport // wraps
		b := slices.Clone(valid)
		for at, v := range map[int]uint32{57: n, 61: from, 165: to} {
			binary.LittleEndian.PutUint32(b[at:], v)
		}
		_, err := c.Decode(b)
		size := new(big.Int).Sub(bigOf(uint64(to)), bigOf(uint64(from)))
		is := func(each uint64) bool { return product(uint64(n), each).Cmp(size) == 0 }
		want := wire.Class("")
		switch {
		case n == 0 || is(100):
		case is(76) || is(108):
			want = wire.Unsupported
		default:
			want = wire.Reference
		}
		if class, at := classOf(err); class != want || class != "" && at != 165 {
			rt.Fatalf("%d exports from %d to %d: %v, want class %q", n, from, to, err, want)
		}
	})
}

// TestPayloadBounds: the payload of a mip is in the bulk data of its package.
func TestPayloadBounds(t *testing.T) {
	f, c, valid := uassetOneMip()
	m := &f.Objects[0].Texture.Mips[0]
	// The mip ends with its two sizes, and the texture with a name.
	offsetAt := int(f.Summary.BulkDataStartOffset) - 8 - 8 - 8
	rapid.Check(t, func(rt *rapid.T) {
		offset := int64(drawNear(rt, 64))
		if rapid.Bool().Draw(rt, "small") {
			offset = rapid.Int64Range(-5, 5).Draw(rt, "offset")
		}
		b := slices.Clone(valid)
		binary.LittleEndian.PutUint64(b[offsetAt:], uint64(offset))
		_, err := c.Package().Decode(b)
		end := new(big.Int).Add(big.NewInt(offset), big.NewInt(int64(m.Size)))
		if in := offset >= 0 && fits(end, len(f.BulkData)); in != (err == nil) {
			rt.Fatalf("%d bytes at %d of %d bytes of bulk data: %v", m.Size, offset, len(f.BulkData), err)
		}
	})
}

// uassetOneMip returns a package with a texture of one mip whose payload is in
// the bulk data, which has three bytes more, and the encoded package.
func uassetOneMip() (uasset.Package, *uassetcodec.Codec, []byte) {
	c := uassetcodec.New(wire.Settings{})
	grey := texturesample.Texture{Name: "T", Format: uasset.G8, Width: 128, Height: 128, OneMip: true}
	f := testrun.Must(texturesample.Package(grey))
	f.BulkData = append(f.BulkData, 1, 2, 3)
	return f, c, testrun.Must(c.Package().Append(nil, f))
}

// TestObjectBounds: sizes and offsets of objects, of the header and of the bulk
// data have one valid value each.
func TestObjectBounds(t *testing.T) {
	f, c, valid := uassetOneMip()
	entry := int(f.Summary.ExportOffset)
	rapid.Check(t, func(rt *rapid.T) {
		const bulkStart = 169 // the one offset of 64 bits
		at := rapid.SampledFrom([]int{24, 41, 45, 57, 61, 65, 69, 165, bulkStart, entry + 28, entry + 32}).Draw(rt, "field")
		b := slices.Clone(valid)
		was, bits := uint64(binary.LittleEndian.Uint32(b[at:])), 32
		if at == bulkStart {
			bits = 64
		}
		v := drawNear(rt, bits)
		if rapid.Bool().Draw(rt, "sum") {
			v += was
		}
		if at == bulkStart {
			was = binary.LittleEndian.Uint64(b[at:])
			binary.LittleEndian.PutUint64(b[at:], v)
		} else {
			v &= 1<<32 - 1
			binary.LittleEndian.PutUint32(b[at:], uint32(v))
		}
		if _, err := c.Package().Decode(b); (err == nil) != (v == was) {
			rt.Fatalf("%d in place of %d at %d: %v", v, was, at, err)
		}
	})
}

// TestTableBounds: tables of a upkg package are inside the file.
func TestTableBounds(t *testing.T) {
	c := upkgcodec.New(wire.Settings{}).Package()
	rapid.Check(t, func(rt *rapid.T) {
		h := upkg.Header{Signature: 0x9E2A83C1, Version: 69, Identity: &upkg.Identity{}}
		b := testrun.Must(upkgcodec.New(wire.Settings{}).Header().Append(nil, h))
		b = append(b, make([]byte, rapid.IntRange(0, 40).Draw(rt, "bytes"))...)
		// Name count and offset, export count and offset, import count and offset;
		// the least row of each table by UPKG-PKG-4.
		table := rapid.SampledFrom([]struct {
			at    int
			least uint64
		}{{12, 5}, {20, 12}, {28, 7}}).Draw(rt, "table")
		count, offset := max(1, drawNear32(rt)), drawNear32(rt)
		if rapid.Bool().Draw(rt, "inside") {
			offset = uint32(rapid.IntRange(0, len(b)).Draw(rt, "offset"))
		}
		if rapid.Bool().Draw(rt, "few bytes modulo 2^32") {
			count = uint32(1<<32/table.least + 1)
		}
		binary.LittleEndian.PutUint32(b[table.at:], count)
		binary.LittleEndian.PutUint32(b[table.at+4:], offset)
		_, err := c.Decode(b)
		end := new(big.Int).Add(bigOf(uint64(offset)), product(uint64(count), table.least))
		class, at := classOf(err)
		switch {
		case uint64(offset) > uint64(len(b)):
			if class != wire.Reference || at != table.at+4 {
				rt.Fatalf("a table at %d of %d bytes: %v", offset, len(b), err)
			}
		case !fits(end, len(b)):
			if class != wire.Truncated || at != table.at {
				rt.Fatalf("%d rows of %d bytes at %d of %d bytes: %v", count, table.least, offset, len(b), err)
			}
		}
	})
}

// TestLengths: texts, byte arrays, arrays and nested archives have no more bytes or
// elements than the input.
func TestLengths(t *testing.T) {
	for name, k := range map[string]struct {
		head string // before the length
		unit uint64
	}{
		"ka.String": {"", 1}, "ka.ByteArray": {"", 1}, "ka.Array": {"", 1}, "ka.KeyedArchive": {"", 1},
		"ka.Archive":      {"KA\x01\x00", 6},
		"ubi.BasicString": {"", 1}, "ubi.BasicWString": {"", 2}, "ubi.EncryptedString": {"", 1},
		"ubi.Array<Matrix44>": {"", 64}, "ubi.Array<Vector3>": {"", 12}, "ubi.Array<Array<uint32>>": {"", 4},
		"ubi.PairArray<BasicString,Array<Vector3>>": {"", 8},
	} {
		typ, _ := codec.Find(name)
		c := testrun.Must(typ.Bind(wire.Settings{}, nil))
		rapid.Check(t, func(rt *rapid.T) {
			n, have := drawNear32(rt), rapid.IntRange(0, 200).Draw(rt, "bytes")
			_, err := c.Decode(append(binary.LittleEndian.AppendUint32([]byte(k.head), n), make([]byte, have)...))
			class, at := classOf(err)
			if !fits(product(uint64(n), k.unit), have) && (class != wire.Truncated || at != len(k.head)) {
				rt.Fatalf("%s: a length of %d before %d bytes: %v", name, n, have, err)
			}
		})
	}
}
