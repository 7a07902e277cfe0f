package wire

import (
	"math"
	whole "math/big"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/formatgauge/formatgauge/internal/testrun"
)

// A floatForm is how the bits of a float are divided.
type floatForm struct {
	size, mantissa int // bits
	format         func(bits uint64) string
}

var (
	form32 = floatForm{32, 23, func(b uint64) string { return FormatFloat32(math.Float32frombits(uint32(b))) }}
	form64 = floatForm{64, 52, func(b uint64) string { return FormatFloat64(math.Float64frombits(b)) }}
)

// bits returns the bits of a positive float.
func (f *floatForm) bits(exponent int, mantissa uint64) uint64 {
	return uint64(exponent)<<f.mantissa | mantissa
}

func (f *floatForm) bias() int         { return 1<<(f.size-2-f.mantissa) - 1 }
func (f *floatForm) lastExponent() int { return 2 * f.bias() } // of a finite one

// floatCheck decides, by whole numbers alone, whether a text is the one of a float. A
// factor depends on the exponents, so it is kept.
type floatCheck struct {
	floatForm
	factors map[[2]int][2]*whole.Int
	a, b, c *whole.Int
}

func newFloatCheck(f floatForm) *floatCheck {
	return &floatCheck{f, map[[2]int][2]*whole.Int{}, new(whole.Int), new(whole.Int), new(whole.Int)}
}

// is compares the text of positive bits with the rule: the float is quarters/4 times a power
// of 2, the text number times a power of 10; both are multiplied until they are whole.
func (c *floatCheck) is(t *testing.T, float uint64) {
	if t.Failed() {
		return // one is enough
	}
	text := c.format(float)
	number, power, ok := parseDecimal(text)
	exponent, mantissa := int(float>>c.mantissa), float&(1<<c.mantissa-1)
	below := uint64(2) // quarters to the middle of this float and the one below
	if exponent > 1 && mantissa == 0 {
		below = 1
	}
	if exponent > 0 {
		mantissa |= 1 << c.mantissa
	}
	quarters := mantissa * 4
	f := c.factorsOf(max(exponent, 1)-c.bias()-c.mantissa-2, power)
	side := func(n, quarters uint64) int { // of a number of this power, beside a number of quarters
		return c.a.Mul(c.a.SetUint64(n), f[1]).Cmp(c.b.Mul(c.b.SetUint64(quarters), f[0]))
	}
	// An even mantissa owns both middles.
	edge := int(1 - mantissa%2)
	restores := func(n uint64) bool {
		return side(n, quarters-below) > -edge && side(n, quarters+2) < edge
	}
	other := number + 1
	if side(number, quarters) > 0 {
		other = number - 1
	}
	nearer := 1 // than other
	if restores(other) {
		// Beside the middle of both: 2 * quarters against number + other.
		nearer = c.a.Mul(c.a.SetUint64(number+other), f[1]).Cmp(c.b.Mul(c.b.SetUint64(quarters*2), f[0]))
		if other < number {
			nearer = -nearer
		}
	}
	switch tens := number - number%10; {
	case !ok || !restores(number):
		t.Errorf("%x is %s, which does not restore it", float, text)
	case restores(tens) || restores(tens+10):
		t.Errorf("%x is %s: there is a shorter one", float, text)
	case nearer < 0 || nearer == 0 && number%2 != 0:
		t.Errorf("%x is %s: %de%d is nearer, or even", float, text, other, power)
	}
}

// factorsOf returns by what to multiply a number with a power of 2, and one with a power
// of 10.
func (c *floatCheck) factorsOf(two, ten int) [2]*whole.Int {
	key := [2]int{two, ten}
	if f, known := c.factors[key]; known {
		return f
	}
	pow := func(base int64, n int) *whole.Int {
		return new(whole.Int).Exp(whole.NewInt(base), whole.NewInt(int64(max(n, 0))), nil)
	}
	f := [2]*whole.Int{
		new(whole.Int).Mul(pow(2, two), pow(10, -ten)),
		new(whole.Int).Mul(pow(10, ten), pow(2, -two)),
	}
	c.factors[key] = f
	return f
}

// parseDecimal returns a number without zeros at its end, and a power of 10.
func parseDecimal(text string) (number uint64, power int, ok bool) {
	mantissa, exponent, scientific := strings.Cut(text, "e")
	if scientific {
		n, err := strconv.Atoi(exponent)
		if err != nil {
			return 0, 0, false
		}
		power = n
	}
	zeros := 0
	after := false
	for i := range len(mantissa) {
		c := mantissa[i]
		switch {
		case c == '.':
			after = true
			continue
		case c < '0' || c > '9':
			return 0, 0, false
		case after:
			power--
		}
		if c == '0' {
			zeros++
			continue
		}
		for ; zeros > 0 && number > 0; zeros-- {
			number *= 10
		}
		zeros, number = 0, number*10+uint64(c-'0')
	}
	return number, power + zeros, number > 0
}

// TestFormatFloat: floats that are no numbers, and some that are.
func TestFormatFloat(t *testing.T) {
	for want, bits := range map[string]uint64{
		"0": 0, "-0": 0x80000000, "1": 0x3F800000, "0.1": 0x3DCCCCCD, "inf": 0x7F800000, "-inf": 0xFF800000,
		"nan:7fc00001": 0x7FC00001, "nan:ff800001": 0xFF800001, "1e-45": 1, "3.4028235e+38": 0x7F7FFFFF, "16777218": 0x4B800001,
	} {
		if got := form32.format(bits); got != want {
			t.Errorf("%08x is %s, want %s", bits, got, want)
		}
	}
	for want, bits := range map[string]uint64{
		"nan:7ff8000000000001": 0x7FF8000000000001, "0.1": 0x3FB999999999999A, "5e-324": 1,
	} {
		if got := form64.format(bits); got != want {
			t.Errorf("%016x is %s, want %s", bits, got, want)
		}
	}
}

// TestFloatText: each float has the text of the rule. It takes every exponent with the
// mantissas at its edges and with one bit, and drawn floats. An exhaustive run takes more of
// them, and all floats of 32 bits.
func TestFloatText(t *testing.T) {
	for _, f := range []floatForm{form32, form64} {
		t.Run(strconv.Itoa(f.size), func(t *testing.T) {
			edge, drawn := uint64(6), 60_000
			if testrun.Exhaustive {
				edge, drawn = 40, 1_000_000
			}
			c := newFloatCheck(f)
			last := uint64(1)<<f.mantissa - 1
			for exponent := range f.lastExponent() + 1 {
				for i := range edge {
					bit := (uint64(exponent)*edge + i) % uint64(f.mantissa)
					for _, m := range []uint64{i, last - i, last/2 - i, last/2 + i, 1 << bit} {
						if exponent > 0 || m > 0 {
							c.is(t, f.bits(exponent, m))
						}
					}
				}
			}
			random := testrun.Rand(t)
			for range drawn {
				if b := random.Uint64() >> (65 - f.size); b > 0 && b < f.bits(f.lastExponent()+1, 0) {
					c.is(t, b)
				}
			}
		})
	}
}

// TestFloatTies: the shortest decimals of a float tie only if it is an odd number of 2^-q,
// where its step is from 10 to 90 units of the last digit that it has in full. Of many, it
// draws some; [TestAllFloats] takes all of 32 bits.
func TestFloatTies(t *testing.T) {
	for _, f := range []floatForm{form32, form64} {
		var wait sync.WaitGroup
		defer wait.Wait()
		for zeros := range f.mantissa + 1 { // at the end of the mantissa
			wait.Go(func() {
				c, random := newFloatCheck(f), testrun.Rand(t)
				five, step := 1.0, math.Exp2(float64(zeros))
				for q := 1; five < 90*step; q++ {
					if five *= 5; five < 10*step || five > 90*step {
						continue
					}
					exponent := f.bias() + f.mantissa - zeros - q
					count := uint64(1) << max(f.mantissa-zeros-1, 0)
					const most = 1 << 12
					for i := range min(count, most) {
						if count > most {
							i = random.Uint64N(count)
						}
						c.is(t, f.bits(exponent, (2*i+1)<<zeros&(1<<f.mantissa-1)))
					}
				}
			})
		}
	}
}

// TestAllFloats takes every float of 32 bits.
func TestAllFloats(t *testing.T) {
	if !testrun.Exhaustive {
		t.Skip("it takes 2^32 floats")
	}
	var wait sync.WaitGroup
	const parts = 1 << 8
	for part := range uint64(parts) {
		wait.Go(func() {
			c := newFloatCheck(form32)
			for b := part << 23; b < (part+1)<<23; b++ {
				text := form32.format(b)
				if b > 0 && b < form32.bits(form32.lastExponent()+1, 0) {
					c.is(t, b)
				} else if b > 0 && b<<41>>41 != 0 && text != "nan:"+strconv.FormatUint(b, 16) {
					t.Errorf("%x is %s", b, text)
				}
				if got := form32.format(b | 1<<31); b <= form32.bits(form32.lastExponent()+1, 0) && got != "-"+text {
					t.Errorf("%x is %s, and the negative one %s", b, text, got)
				}
			}
		})
	}
	wait.Wait()
}
