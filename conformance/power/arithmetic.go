package power

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// computations are mutants of one structure whose answers are computed with a
// fault. The computations are independent of the codec. Without a fault they give
// the right answers: a test compares them.
var computations = []struct {
	structure string
	faults    []string
	read      func(tc *testCase, src []byte, fault string) reflect.Value // not valid if there is none
	write     func(tc *testCase, q [4]float64, fault string) []byte      // nil: only reading
}{
	{
		"ubi.EncryptedString",
		[]string{"not swizzled", "only the low four bits swizzled", "bits exchanged and inverted"},
		decrypted, nil,
	},
	{"ubi.CompressedQuaternion3U16.Quaternion", []string{
		"r kept in binary64", "components kept in binary64", "quotient instead of product", "32768 steps",
		"rounded to nearest", "-0 negates", "0 negates", "computed in binary32", "normalized before writing",
	}, read3U16, write3U16},
	{"ubi.CompressedQuaternionU32.Quaternion", []string{
		"constants in binary64", "r rounded to binary32", "components kept in binary64", "root stored last",
		"greatest chosen before normalization", "first of equal components", "not negated", "constant 0.00002",
		"constant 0.00003",
		"constant 0", "rounded to nearest", "not limited to 1023", "not normalized", "normalized in binary32",
		"1/scale in binary32",
	}, readU32, writeU32},
}

func computedMutants(byStructure map[string][]*testCase) (out []*Mutant) {
	for i, c := range computations {
		t, _ := codec.Find(c.structure)
		for _, fault := range c.faults {
			out = append(out, &Mutant{
				Family: t.Family(), Kind: "computation", Subject: c.structure, Operator: fault,
				Needs: "a value for which the result differs", cases: byStructure[c.structure],
				change: func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
					a, ok := computed(i, tc, op, fault)
					return a, ok && textOf(a) != textOf(tc.answer(op))
				},
			})
		}
	}
	return out
}

// computed returns the answer of a computation, if it gives one.
func computed(i int, tc *testCase, op adapter.Op, fault string) (adapter.Response, bool) {
	c := &computations[i]
	switch {
	case op == adapter.OpDecode && tc.read != nil:
		root := c.read(tc, tc.Input, fault)
		if !root.IsValid() {
			return adapter.Response{}, false
		}
		return decoded(tc.typ, root), true
	case op == adapter.OpEncode && c.write != nil && tc.write != nil && tc.writeErr == nil:
		var q [4]float64
		for i := range q {
			q[i] = tc.write.root.Field(i).Float()
		}
		return okBytes(c.write(tc, q, fault)), true
	}
	return adapter.Response{}, false
}

func (tc *testCase) order() binary.ByteOrder {
	if tc.Context["order"] == "big" {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func decrypted(tc *testCase, src []byte, fault string) reflect.Value {
	b := slices.Clone(src[4:])
	for i, x := range b {
		swizzled := x&0x55<<1 | x&0xAA>>1
		switch fault {
		case "":
			b[i] = swizzled
		case "only the low four bits swizzled":
			b[i] = x&0xF0 | swizzled&0x0F
		case "bits exchanged and inverted":
			b[i] = ^swizzled
		}
	}
	return reflect.ValueOf(string(b)).Convert(tc.typ.Model())
}

func (tc *testCase) quaternion(q [4]float32) reflect.Value {
	root := reflect.New(tc.typ.Model()).Elem()
	for i, x := range q {
		root.Field(i).Set(reflect.ValueOf(x))
	}
	return root
}

func length(q [4]float64) float64 {
	sum := 0.0
	for _, x := range q {
		sum = float64(sum + float64(x*x))
	}
	return math.Sqrt(sum)
}

// rest is 1 less the squares of components, which are computed in binary64, or in
// binary32 under the side documented of a flag.
type rest struct {
	r             float64
	single, exact bool
}

func (tc *testCase) rest(flag ids.Flag, fault string) *rest {
	return &rest{1, tc.Profile.Side(flag) == ids.SideDocumented, fault == "components kept in binary64"}
}

// less subtracts a component, and returns it as it is stored.
func (r *rest) less(c float64) float32 {
	stored := float32(c)
	if !r.exact {
		c = float64(stored)
	}
	square := float64(c * c)
	if r.single {
		square = float64(float32(float32(c) * float32(c)))
	}
	r.r = float64(r.r - square)
	return stored
}

func read3U16(tc *testCase, src []byte, fault string) reflect.Value {
	var q [4]float32
	r := tc.rest("ubi.quat-3u16-arithmetic", fault)
	for i := range 3 {
		code := float64(tc.order().Uint16(src[2*i:]))
		c := float64(code * float64(1.0/32767.0))
		switch fault {
		case "quotient instead of product":
			c = float64(code / 32767.0)
		case "32768 steps":
			c = float64(code / 32768.0)
		}
		q[i] = r.less(c - 1)
	}
	if fault != "r kept in binary64" {
		r.r = float64(float32(r.r))
	}
	q[3] = float32(math.Sqrt(max(r.r, 0)))
	return tc.quaternion(q)
}

func write3U16(tc *testCase, q [4]float64, fault string) []byte {
	factor := 1.0
	if q[3] < 0 || fault == "0 negates" && q[3] == 0 || fault == "-0 negates" && q[3] == 0 && math.Signbit(q[3]) {
		factor = -1
	}
	if fault == "normalized before writing" {
		factor /= length(q)
	}
	b := make([]byte, 6)
	for i := range 3 {
		c := q[i] * factor
		code := float64(1+c) * 32767
		switch fault {
		case "computed in binary32":
			code = float64(float32(float32(1+float32(c)) * 32767))
		case "rounded to nearest":
			code = math.Round(code)
		}
		tc.order().PutUint16(b[2*i:], uint16(int64(code)))
	}
	return b
}

// constantsU32 returns the greatest component and the step of a code.
func constantsU32(fault string) (half, scale float64) {
	if fault == "constants in binary64" {
		return math.Sqrt2 / 2, math.Sqrt2 / 1024
	}
	return float64(math.Float32frombits(0x3F3504F3)), float64(math.Float32frombits(0x3AB504F3))
}

func readU32(tc *testCase, src []byte, fault string) reflect.Value {
	half, scale := constantsU32(fault)
	code := tc.order().Uint32(src)
	g := int(code >> 30)
	var q [4]float32
	r, shift := tc.rest("ubi.quat-u32-arithmetic", fault), 20
	for i := range q {
		if i == g {
			continue
		}
		c := float64(float64(code>>shift&0x3FF)*scale) - half
		if r.single {
			c = float64(float32(float32(float32(code>>shift&0x3FF)*float32(scale)) - float32(half)))
		}
		q[i] = r.less(c)
		shift -= 10
	}
	if fault == "r rounded to binary32" {
		r.r = float64(float32(r.r))
	}
	if r.r < 0 {
		return reflect.Value{}
	}
	q[g] = float32(math.Sqrt(r.r))
	if fault == "root stored last" {
		root := q[g]
		copy(q[g:], q[g+1:])
		q[3] = root
	}
	return tc.quaternion(q)
}

func writeU32(tc *testCase, given [4]float64, fault string) []byte {
	half, scale := constantsU32(fault)
	q, n := given, length(given)
	for i, x := range given {
		switch fault {
		case "not normalized":
		case "normalized in binary32":
			var sum float32
			for _, x := range given {
				sum += float32(x) * float32(x)
			}
			q[i] = float64(float32(x) / float32(math.Sqrt(float64(sum))))
		case "components kept in binary64":
			q[i] = x / n
		default:
			q[i] = float64(float32(x / n))
		}
	}
	choice, g := q, 0
	if fault == "greatest chosen before normalization" {
		choice = given
	}
	for i := range choice {
		if a, b := math.Abs(choice[i]), math.Abs(choice[g]); a > b || a == b && fault != "first of equal components" {
			g = i
		}
	}
	factor, sign := 1/scale, 1.0
	if fault == "1/scale in binary32" {
		factor = float64(float32(factor))
	}
	if q[g] < 0 && fault != "not negated" {
		sign = -1
	}
	add, other := map[string]float64{
		"constant 0.00002": 0.00002, "constant 0.00003": 0.00003, "constant 0": 0,
		"rounded to nearest": 0.5,
	}[fault]
	if !other {
		add = 0.000025
	}
	code, shift := uint32(g)<<30, 20
	for i, c := range q {
		if i == g {
			continue
		}
		sum := float64(sign*c + half)
		if tc.Profile.Side("ubi.quat-u32-arithmetic") == ids.SideDocumented {
			sum = float64(float32(float32(sign*c) + float32(half)))
		}
		x := int64(float64(float64(sum*factor) + add))
		if fault != "not limited to 1023" {
			x = min(x, 1023)
		}
		code |= uint32(x) << shift
		shift -= 10
	}
	if tc.Profile.Side("ubi.quat-u32-repeats-a") == ids.SideDocumented {
		code = code&^0x3FF | code>>20&0x3FF
	}
	b := make([]byte, 4)
	tc.order().PutUint32(b, code)
	return b
}
