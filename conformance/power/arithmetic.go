package power

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// computations are mutants of one structure whose answers are computed with a
// fault. The computations are independent of the codec. Without a fault they give
// the right answers, or none: a test compares them.
var computations = []struct {
	structure string
	faults    []string
	answer    func(tc *testCase, op adapter.Op, fault string) (adapter.Response, bool)
}{
	{"ubi.EncryptedString", []string{"not swizzled", "only the low four bits swizzled", "bits exchanged and inverted"}, encrypted},
	{"ubi.CompressedQuaternion3U16.Quaternion", []string{
		"r kept in binary64", "components kept in binary64", "quotient instead of product", "32768 steps",
		"rounded to nearest", "-0 negates", "0 negates", "computed in binary32", "normalized before writing",
	}, quaternion3U16},
	{"ubi.CompressedQuaternionU32.Quaternion", []string{
		"constants in binary64", "r rounded to binary32", "components kept in binary64", "root stored last",
		"greatest chosen before normalization", "first of equal components", "not negated", "constant 0.00002", "constant 0.00003", "constant 0", "rounded to nearest",
		"not limited to 1023", "not normalized", "normalized in binary32", "1/scale in binary32",
	}, quaternionU32},
	{"ka.Archive", []string{"table of the archive read last in force", "table of the archive read last in force for 0x0102"}, tables},
}

func computedMutants(cases []*testCase) []*Mutant {
	var out []*Mutant
	for _, c := range computations {
		own := slices.DeleteFunc(slices.Clone(cases), func(tc *testCase) bool { return tc.typ.Structure() != c.structure })
		t, _ := codec.Find(c.structure)
		for _, fault := range c.faults {
			out = append(out, &Mutant{
				Family: t.Family(), Kind: "computation", Subject: c.structure, Operator: fault, Needs: "a value for which the result differs", cases: own,
				change: func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
					a, ok := c.answer(tc, op, fault)
					return a, ok && textOf(a) != textOf(tc.answer(op))
				},
			})
		}
	}
	return out
}

func (tc *testCase) order() binary.ByteOrder {
	if tc.Context["order"] == "big" {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func encrypted(tc *testCase, op adapter.Op, fault string) (adapter.Response, bool) {
	if op != adapter.OpDecode || tc.read == nil {
		return adapter.Response{}, false
	}
	b := slices.Clone(tc.Input[4:])
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
	return decoded(tc.typ, reflect.ValueOf(string(b)).Convert(tc.typ.Model())), true
}

func (tc *testCase) quaternion(q [4]float32) (adapter.Response, bool) {
	root := reflect.New(tc.typ.Model()).Elem()
	for i, x := range q {
		root.Field(i).Set(reflect.ValueOf(x))
	}
	return decoded(tc.typ, root), true
}

func components(v reflect.Value) (q [4]float64) {
	for i := range q {
		q[i] = v.Field(i).Float()
	}
	return q
}

func length(q [4]float64) float64 {
	sum := 0.0
	for _, x := range q {
		sum = float64(sum + float64(x*x))
	}
	return math.Sqrt(sum)
}

// square multiplies in binary64, or in binary32.
func square(c float64, single bool) float64 {
	if single {
		return float64(float32(float32(c) * float32(c)))
	}
	return float64(c * c)
}

func quaternion3U16(tc *testCase, op adapter.Op, fault string) (adapter.Response, bool) {
	order := tc.order()
	single := tc.Profile.Side("ubi.quat-3u16-arithmetic") == ids.SideDocumented
	if op == adapter.OpDecode {
		if tc.read == nil {
			return adapter.Response{}, false
		}
		var q [4]float32
		rest := 1.0
		for i := range 3 {
			code := float64(order.Uint16(tc.Input[2*i:]))
			c := float64(code*float64(1.0/32767.0)) - 1
			switch fault {
			case "quotient instead of product":
				c = float64(code/32767.0) - 1
			case "32768 steps":
				c = float64(code/32768.0) - 1
			}
			q[i] = float32(c)
			if fault != "components kept in binary64" {
				c = float64(q[i])
			}
			rest = float64(rest - square(c, single))
		}
		if fault != "r kept in binary64" {
			rest = float64(float32(rest))
		}
		if rest > 0 {
			q[3] = float32(math.Sqrt(rest))
		}
		return tc.quaternion(q)
	}
	if op != adapter.OpEncode || tc.write == nil || tc.writeErr != nil {
		return adapter.Response{}, false
	}
	q := components(tc.write.root)
	negate := q[3] < 0
	switch fault {
	case "-0 negates":
		negate = math.Signbit(q[3]) && q[3] == q[3]
	case "0 negates":
		negate = q[3] <= 0
	case "normalized before writing":
		n := length(q)
		for i := range q {
			q[i] /= n
		}
	}
	b := make([]byte, 6)
	for i := range 3 {
		if negate {
			q[i] = -q[i]
		}
		code := float64(1+q[i]) * 32767
		switch fault {
		case "computed in binary32":
			code = float64(float32(float32(1+float32(q[i])) * 32767))
		case "rounded to nearest":
			code = math.Round(code)
		}
		order.PutUint16(b[2*i:], uint16(int64(code)))
	}
	return okBytes(b), true
}

func quaternionU32(tc *testCase, op adapter.Op, fault string) (adapter.Response, bool) {
	single := tc.Profile.Side("ubi.quat-u32-arithmetic") == ids.SideDocumented
	half, scale := float64(math.Float32frombits(0x3F3504F3)), float64(math.Float32frombits(0x3AB504F3))
	if fault == "constants in binary64" {
		half, scale = math.Sqrt2/2, math.Sqrt2/1024
	}
	if op == adapter.OpDecode {
		if tc.read == nil {
			return adapter.Response{}, false
		}
		code := tc.order().Uint32(tc.Input)
		g := int(code >> 30)
		var q [4]float32
		rest, shift := 1.0, 20
		for i := range 4 {
			if i == g {
				continue
			}
			c := float64(float64(code>>shift&0x3FF)*scale) - half
			if single {
				c = float64(float32(float32(float32(code>>shift&0x3FF)*float32(scale)) - float32(half)))
			}
			q[i] = float32(c)
			if fault != "components kept in binary64" {
				c = float64(q[i])
			}
			rest = float64(rest - square(c, single))
			shift -= 10
		}
		if fault == "r rounded to binary32" {
			rest = float64(float32(rest))
		}
		if rest < 0 {
			return adapter.Response{}, false
		}
		q[g] = float32(math.Sqrt(rest))
		if fault == "root stored last" {
			root := q[g]
			copy(q[g:], q[g+1:])
			q[3] = root
		}
		return tc.quaternion(q)
	}
	if op != adapter.OpEncode || tc.write == nil || tc.writeErr != nil {
		return adapter.Response{}, false
	}
	given := components(tc.write.root)
	q, n := given, length(given)
	for i := range q {
		switch fault {
		case "not normalized":
		case "normalized in binary32":
			var sum float32
			for _, x := range given {
				sum += float32(x) * float32(x)
			}
			q[i] = float64(float32(given[i]) / float32(math.Sqrt(float64(sum))))
		case "components kept in binary64":
			q[i] = given[i] / n
		default:
			q[i] = float64(float32(given[i] / n))
		}
	}
	choice, g := q, 0
	if fault == "greatest chosen before normalization" {
		choice = given
	}
	for i := range 4 {
		if a, b := math.Abs(choice[i]), math.Abs(choice[g]); a > b || a == b && fault != "first of equal components" {
			g = i
		}
	}
	if q[g] < 0 && fault != "not negated" {
		for i := range q {
			q[i] = -q[i]
		}
	}
	factor, add := 1/scale, 0.000025
	switch fault {
	case "1/scale in binary32":
		factor = float64(float32(factor))
	case "constant 0.00002":
		add = 0.00002
	case "constant 0.00003":
		add = 0.00003
	case "constant 0":
		add = 0
	case "rounded to nearest":
		add = 0.5
	}
	code, shift := uint32(g)<<30, 20
	for i, c := range q {
		if i == g {
			continue
		}
		sum := float64(c + half)
		if single {
			sum = float64(float32(float32(c) + float32(half)))
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
	return okBytes(b), true
}

// tables looks up text references in another table than the one in force: in that
// of the archive that was read last, everywhere or only in 0x0102 archives.
func tables(tc *testCase, op adapter.Op, fault string) (adapter.Response, bool) {
	if op != adapter.OpDecode || tc.read == nil {
		return adapter.Response{}, false
	}
	l := &lookup{fault: fault, known: true}
	a := l.archive(tc.read.root.Interface().(ka.Archive), nil)
	if !l.known {
		return rejects("reference", 0), fault != ""
	}
	return decoded(tc.typ, reflect.ValueOf(a)), true
}

type lookup struct {
	fault string
	last  []ka.FastNameEntry
	known bool // every text reference so far is in the table
}

func (l *lookup) archive(a ka.Archive, inForce []ka.FastNameEntry) ka.Archive {
	switch {
	case a.Version == ka.V0x0002:
		inForce, l.last = a.FastNames, a.FastNames
	case a.Version == ka.V0x0102 && l.fault != "":
		inForce = l.last
	}
	out := a
	out.Children = slices.Clone(a.Children)
	for i, p := range out.Children {
		// Keys precede their values, but a nested archive may precede a pair.
		if l.fault == "table of the archive read last in force" && a.Version != ka.V0x0001 {
			inForce = l.last
		}
		out.Children[i] = ka.Pair{Key: l.value(p.Key, inForce), Value: l.value(p.Value, inForce)}
	}
	return out
}

func (l *lookup) value(v ka.Value, inForce []ka.FastNameEntry) ka.Value {
	find := func(text string, id *uint32) string {
		if id == nil {
			return text
		}
		found := ""
		known := false
		for _, e := range inForce {
			if e.ID == *id {
				found, known = string(e.Name), true
			}
		}
		l.known = l.known && known
		return found
	}
	switch v := v.(type) {
	case ka.String:
		v.Text = find(v.Text, v.ID)
		return v
	case ka.WideString:
		v.Text = find(v.Text, v.ID)
		return v
	case ka.FastName:
		v.Text = find(v.Text, v.ID)
		return v
	case ka.FilePath:
		v.Text = find(v.Text, v.ID)
		return v
	case ka.KeyedArchive:
		return ka.KeyedArchive(l.archive(ka.Archive(v), inForce))
	case ka.Array:
		out := slices.Clone(v)
		for i := range out {
			out[i] = l.value(out[i], inForce)
		}
		return out
	}
	return v
}
