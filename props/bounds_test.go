package props

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	ubicodec "github.com/formatgauge/formatgauge/codec/ubi"
	upkgcodec "github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/model/ubi"
	"github.com/formatgauge/formatgauge/model/upkg"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Bounds of UBI-U32Q-14 and UBI-3U16Q-8: angles in degrees, steps and length as
// fractions of 1.
const (
	u32Angle    = 0.5506
	u32Step     = math.Sqrt2 / 1024
	u16Angle    = 1.1783
	u16Step     = 1.0 / 32767
	lengthError = 1e-7
)

// drawUnit draws a unit quaternion. Some have equal components, zeros or
// negative zeros.
func drawUnit(t *rapid.T) ubi.Quaternion {
	var c [4]float64
	n := 0.0
	for n < 1e-6 {
		n = 0
		for i := range c {
			c[i] = rapid.OneOf(
				rapid.Float64Range(-1, 1),
				rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 0.5, -0.5, 1, -1}),
			).Draw(t, "component")
			n += c[i] * c[i]
		}
	}
	n = math.Sqrt(n)
	return ubi.Quaternion{X: float32(c[0] / n), Y: float32(c[1] / n), Z: float32(c[2] / n), W: float32(c[3] / n)}
}

func parts(q ubi.Quaternion) [4]float64 {
	return [4]float64{float64(q.X), float64(q.Y), float64(q.Z), float64(q.W)}
}

// angle returns the rotation between two quaternions in degrees. It computes it
// from the distance between p and the nearer of q and -q, because a cosine is
// not precise near zero.
func angle(p, q ubi.Quaternion) float64 {
	a, b := parts(p), parts(q)
	var na, nb, minus, plus float64
	for i := range a {
		na, nb = na+a[i]*a[i], nb+b[i]*b[i]
	}
	for i := range a {
		x, y := a[i]/math.Sqrt(na), b[i]/math.Sqrt(nb)
		minus, plus = minus+(x-y)*(x-y), plus+(x+y)*(x+y)
	}
	return 4 * math.Asin(math.Min(1, math.Sqrt(math.Min(minus, plus))/2)) * 180 / math.Pi
}

// length returns the norm of a quaternion.
func length(q ubi.Quaternion) float64 {
	n := 0.0
	for _, x := range parts(q) {
		n += x * x
	}
	return math.Sqrt(n)
}

// checkComponents checks that the components of a quaternion, which becomes got, have no
// error greater than a step. One is derived, and has the sign of q.
func checkComponents(t TB, q, got ubi.Quaternion, derived int, step float64) {
	t.Helper()
	want, have := parts(q), parts(got)
	sign := 1.0
	if want[derived] < 0 {
		sign = -1
	}
	for i := range want {
		if e := math.Abs(sign*want[i] - have[i]); i != derived && !(e <= step) {
			t.Fatalf("component %d of %v: error %g is greater than one step", i, q, e)
		}
	}
}

func TestQuaternionU32Bounds(t *testing.T) {
	c := ubicodec.New(wire.Settings{})
	rapid.Check(t, func(rt *rapid.T) {
		q := drawUnit(rt)
		v := testrun.Must(c.CompressU32(q))
		got := testrun.Must(c.DecompressU32(v))
		if a := angle(q, got); !(a <= u32Angle) {
			rt.Fatalf("%v becomes %v: error %g degrees", q, got, a)
		}
		if e := math.Abs(length(got) - 1); !(e <= lengthError) {
			rt.Fatalf("%v becomes %v: error of its length %g", q, got, e)
		}
		g, want := v.Greatest(), parts(q)
		checkComponents(rt, q, got, g, u32Step*(1+1e-4))
		for i := range want {
			if i > g && math.Abs(want[i]) >= math.Abs(want[g])*(1+1e-6) {
				rt.Fatalf("%v: component %d is greater than %d", q, i, g)
			}
		}
		minus, err := c.CompressU32(ubi.Quaternion{X: -q.X, Y: -q.Y, Z: -q.Z, W: -q.W})
		if err != nil || minus != v {
			rt.Fatalf("%v has code %08x, its negative has %08x", q, uint32(v), uint32(minus))
		}
	})
}

// TestQuaternionU32Ties: of several equal greatest components the one with the
// highest index is omitted.
func TestQuaternionU32Ties(t *testing.T) {
	c := ubicodec.New(wire.Settings{})
	for mask := 1; mask < 16; mask++ {
		q, highest := [4]float32{0.125, 0.125, 0.125, 0.125}, 0
		for i := range q {
			if mask>>i&1 == 1 {
				q[i], highest = 0.5, i
			}
		}
		for signs := range 16 {
			s := q
			for i := range s {
				if signs>>i&1 == 1 {
					s[i] = -s[i]
				}
			}
			v, err := c.CompressU32(ubi.Quaternion{X: s[0], Y: s[1], Z: s[2], W: s[3]})
			if err != nil || v.Greatest() != highest {
				t.Errorf("%v: component %d is omitted, want %d (%v)", s, v.Greatest(), highest, err)
			}
		}
	}
}

// tooLong reports whether three elements have a length greater than 1: the rule
// of UBI-U32Q-5 in integers.
func tooLong(v ubi.CompressedQuaternionU32) bool {
	a, b, c := v.Elements()
	x, y, z := int(a)-512, int(b)-512, int(c)-512
	return x*x+y*y+z*z > 1<<19
}

// checkU32Code decodes and encodes a code. nan: the derived component is NaN. canonical: the
// derived component is a greatest one. changed: encoding a canonical code gives another one,
// as it may if another component is as great.
func checkU32Code(t *testing.T, c *ubicodec.Codec, v ubi.CompressedQuaternionU32) (nan, canonical, changed bool) {
	q := testrun.Must(c.DecompressU32(v))
	p, g := parts(q), v.Greatest()
	nan = p[g] != p[g]
	if nan != tooLong(v) || p[g] == 0 {
		t.Fatalf("%08x: the derived component is %g", uint32(v), p[g])
	}
	if nan {
		return true, false, false
	}
	canonical = true
	tie := false
	for i := range p {
		canonical = canonical && p[g] >= math.Abs(p[i])
		tie = tie || i != g && p[g] == math.Abs(p[i])
	}
	again := testrun.Must(c.CompressU32(q))
	changed = canonical && again != v
	if changed && !tie {
		t.Errorf("%08x is canonical but is encoded as %08x", uint32(v), uint32(again))
	}
	return false, canonical, changed
}

// TestQuaternionU32Codes checks a sample of the codes. The build tag exhaustive
// enables a test of all codes.
func TestQuaternionU32Codes(t *testing.T) {
	c := ubicodec.New(wire.Settings{})
	const stride = 4093 // a prime, so that every bit changes
	n, nans := 0, 0
	for code := uint64(0); code <= math.MaxUint32; code += stride {
		n++
		if nan, _, _ := checkU32Code(t, c, ubi.CompressedQuaternionU32(code)); nan {
			nans++
		}
	}
	// 3.49326 % of all codes. In a sample of a million the share differs by less
	// than 0.1 %.
	if share := 100 * float64(nans) / float64(n); math.Abs(share-3.49326) > 0.1 {
		t.Errorf("%.3f %% of %d codes have no root, want about 3.493 %%", share, n)
	}
}

// TestQuaternionU32Elements: decoding and encoding keeps each of the 1,024 codes
// of an element, if the code is canonical.
func TestQuaternionU32Elements(t *testing.T) {
	c := ubicodec.New(wire.Settings{})
	for g := range 4 {
		for i := range 3 {
			for code := range uint32(1024) {
				elements := [3]uint32{512, 512, 512}
				elements[i] = code
				code := uint32(g)<<30 | elements[0]<<20 | elements[1]<<10 | elements[2]
				checkU32Code(t, c, ubi.CompressedQuaternionU32(code))
			}
		}
	}
}

// TestQuaternionU32RepeatsA: with the erratum of document 001 a writer stores
// the first element again in place of the third. Reading is the same.
func TestQuaternionU32RepeatsA(t *testing.T) {
	p := testrun.Must(ids.Observed().With("ubi.quat-u32-repeats-a", ids.SideDocumented))
	correct, erratum := ubicodec.New(wire.Settings{}), ubicodec.New(wire.Settings{Profile: p})
	rapid.Check(t, func(rt *rapid.T) {
		q := drawUnit(rt)
		v, _ := correct.CompressU32(q)
		s, _ := erratum.CompressU32(q)
		a, _, _ := v.Elements()
		if uint32(s) != uint32(v)&^0x3FF|uint32(a) {
			rt.Fatalf("%v: %08x, with the erratum %08x", q, uint32(v), uint32(s))
		}
	})
}

func TestQuaternion3U16Bounds(t *testing.T) {
	c := ubicodec.New(wire.Settings{})
	rapid.Check(t, func(rt *rapid.T) {
		q := drawUnit(rt)
		got := c.Decompress3U16(testrun.Must(c.Compress3U16(q)))
		if a := angle(q, got); !(a <= u16Angle) {
			rt.Fatalf("%v becomes %v: error %g degrees", q, got, a)
		}
		checkComponents(rt, q, got, 3, u16Step*(1+2e-3))
	})
}

// TestQuaternion3U16Elements decodes and encodes all 65,536 codes of a
// component: 32,767 of them become one less, the others are kept
// (UBI-3U16Q-7).
func TestQuaternion3U16Elements(t *testing.T) {
	c := ubicodec.New(wire.Settings{})
	decreased := 0
	for code := range 1 << 16 {
		k := uint16(code)
		q := c.Decompress3U16(ubi.CompressedQuaternion3U16{X: k, Y: 32767, Z: 32767})
		if q.W < 0 || q.W != q.W || math.Signbit(float64(q.W)) {
			t.Fatalf("code %d gives w %g", k, q.W)
		}
		v, err := c.Compress3U16(q)
		if err != nil || v.Y != 32767 || v.Z != 32767 {
			t.Fatalf("code %d is encoded as %v, %v", k, v, err)
		}
		switch v.X {
		case k:
		case k - 1:
			decreased++
		default:
			t.Errorf("code %d is encoded as %d", k, v.X)
		}
	}
	if decreased != 32767 {
		t.Errorf("%d codes become one less, want 32767", decreased)
	}
}

// TestSwizzle: Swizzle is its own inverse, and so one to one, has sixteen fixed
// points, keeps the length, and treats each byte alone.
func TestSwizzle(t *testing.T) {
	fixed := 0
	for i := range 256 {
		s := ubicodec.Swizzle(nil, []byte{byte(i)})[0]
		if back := ubicodec.Swizzle(nil, []byte{s})[0]; back != byte(i) {
			t.Errorf("%02x becomes %02x and then %02x", i, s, back)
		}
		if s == byte(i) {
			fixed++
		}
	}
	if fixed != 16 {
		t.Errorf("%d fixed points, want 16", fixed)
	}
	rapid.Check(t, func(rt *rapid.T) {
		b := rapid.SliceOf(rapid.Byte()).Draw(rt, "bytes")
		s := ubicodec.Swizzle([]byte("x"), b)
		if len(s) != len(b)+1 || s[0] != 'x' {
			rt.Fatalf("%x becomes %x", b, s)
		}
		for i := range b {
			if s[i+1] != ubicodec.Swizzle(nil, b[i:i+1])[0] {
				rt.Fatalf("the result for byte %d of %x depends on other bytes", i, b)
			}
		}
	})
}

// maxMagnitudes are the greatest magnitudes of one to four bytes (UPKG-CI-6),
// then a bound that no value exceeds, for five bytes.
var maxMagnitudes = [...]int64{63, 8191, 1048575, 134217727, math.MaxInt64}

// indexSize returns the number of bytes of a compact index.
func indexSize(v int64) int {
	for i, most := range maxMagnitudes {
		if max(v, -v) <= most {
			return i + 1
		}
	}
	panic("unreachable")
}

func checkIndex(t TB, v int32) {
	b := upkgcodec.AppendCompactIndex(nil, v)
	if len(b) != indexSize(int64(v)) {
		t.Fatalf("%d is encoded in %d bytes, want %d", v, len(b), indexSize(int64(v)))
	}
	// With and without bytes after it: the reader has a code path for each.
	for _, src := range [][]byte{b, append(append([]byte(nil), b...), 0xFF, 0xFF, 0xFF, 0xFF, 0xFF)} {
		if got, n := upkgcodec.ConsumeCompactIndex(src); got != v || n != len(b) {
			t.Fatalf("%d is encoded as %x and decoded as %d from %d bytes", v, b, got, n)
		}
	}
	for cut := range b {
		if _, n := upkgcodec.ConsumeCompactIndex(b[:cut]); n != 0 {
			t.Fatalf("the first %d bytes of %x are accepted", cut, b)
		}
	}
}

// TestCompactIndexBoundaries checks the values around each change of length, of
// both signs.
func TestCompactIndexBoundaries(t *testing.T) {
	for _, most := range maxMagnitudes[:4] {
		for d := int64(-3); d <= 3; d++ {
			checkIndex(t, int32(most+d))
			checkIndex(t, int32(-most-d))
		}
	}
	for _, v := range []int32{0, 1, -1, math.MaxInt32, math.MinInt32, math.MinInt32 + 1} {
		checkIndex(t, v)
	}
	for v := int32(-70000); v <= 70000; v++ {
		checkIndex(t, v)
	}
}

func TestCompactIndexRange(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { checkIndex(rt, rapid.Int32().Draw(rt, "v")) })
}

// TestConsumeCompactIndex: the fast reader and the structure give the same
// result for any bytes.
func TestConsumeCompactIndex(t *testing.T) {
	c := upkgcodec.New(wire.Settings{}).CompactIndex()
	rapid.Check(t, func(rt *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 8).Draw(rt, "bytes")
		v, n := upkgcodec.ConsumeCompactIndex(b)
		slow, m, err := c.DecodePrefix(b)
		if (err != nil) != (n == 0) || n != m || err == nil && slow != upkg.CompactIndex(v) {
			rt.Fatalf("%x: %d of %d bytes, and %d of %d, %v", b, v, n, slow, m, err)
		}
	})
}

// TestQuaternion3U16Drift follows the code of ubi.quat-3u16-drift with the
// greatest known drift: after 32 round trips it stays the same, 6.5251 degrees
// away.
func TestQuaternion3U16Drift(t *testing.T) {
	c := ubicodec.New(wire.Settings{})
	first := ubi.CompressedQuaternion3U16{X: 0xC3DE, Y: 0xD3DE, Z: 0xC4DC}
	v, steps := first, 0
	for next := v; ; steps++ {
		if next = testrun.Must(c.Compress3U16(c.Decompress3U16(v))); next == v {
			break
		}
		v = next
	}
	if want := (ubi.CompressedQuaternion3U16{X: 0xC3BE, Y: 0xD3BE, Z: 0xC4BE}); v != want || steps != 32 {
		t.Errorf("%d round trips end at %v, want 32 and %v", steps, v, want)
	}
	if a := angle(c.Decompress3U16(first), c.Decompress3U16(v)); !(a > 6.5251 && a < 6.5252) {
		t.Errorf("drift of %g degrees, want 6.5251", a)
	}
}
