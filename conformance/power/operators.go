package power

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/conformance/tree"
)

// An operator makes one kind of fault in a part of a value.
type operator struct {
	group string // in the matrix
	name  string
	needs string // what a vector has to contain for the fault to show
	kinds []kind
	only  func(reflect.Type) bool // of the part; nil: every type of the kinds
	// whole operators change a part as a whole, as a field of what is around it.
	whole bool
	// swap is the index of the field that gets the value of the part; 0 if there is
	// none. The other field follows the part.
	swap int
	// inList operators need a list around the typePart, repeats operators a type that can
	// contain the part more than once.
	inList, repeats bool
	// perFamily operators give one mutant for all subjects of a family.
	perFamily bool
	// apply returns the wrong value, and whether it differs.
	apply func(*valuePart) (reflect.Value, bool)
}

// isMade reports whether a part of a type gives a mutant.
func (o *operator) isMade(p typePart) bool {
	return o.fits(p.t) && (p.inList || !o.inList) && (p.repeats || !o.repeats) && (p.fieldOf != subject{} || !o.whole)
}

func (o *operator) fits(t reflect.Type) bool {
	return slices.Contains(o.kinds, kindOf(t)) && (o.only == nil || o.only(t))
}

// operators lists all operators except those that need the names of other fields:
// see fieldPairs.
var operators = slices.Concat(numberOperators(), floatOperators(), enumerationOperators(), textOperators(), opaqueOperators(), listOperators(), geometryOperators(), stateOperators())

func changed(p *valuePart, to reflect.Value) (reflect.Value, bool) { return to, !same(p.v, to) }

// onBits makes an operator of a function on the bits of a number.
func onBits(f func(b uint64, t reflect.Type) uint64) func(*valuePart) (reflect.Value, bool) {
	return func(p *valuePart) (reflect.Value, bool) {
		return changed(p, withBits(p.v.Type(), f(bitsOf(p.v), p.v.Type())))
	}
}

func isSigned(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64 }

func wider(n int) func(reflect.Type) bool { return func(t reflect.Type) bool { return t.Bits() > n } }

// through makes an operator of writing a number in decimal with some digits.
func through(digits int) func(*valuePart) (reflect.Value, bool) {
	return func(p *valuePart) (reflect.Value, bool) {
		var f float64
		switch {
		case p.v.CanInt():
			f = float64(p.v.Int())
		case p.v.CanUint():
			f = float64(p.v.Uint())
		case bitsOf(p.v)<<(64-p.v.Type().Bits())<<1 == 0, math.IsNaN(p.v.Float()):
			return p.v, false
		default:
			f = p.v.Float()
		}
		f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'g', digits, 64), 64)
		return changed(p, fromFloat(p.v.Type(), f))
	}
}

func fromFloat(t reflect.Type, f float64) reflect.Value {
	out := reflect.New(t).Elem()
	switch {
	case out.CanInt():
		out.SetInt(int64(f) << (64 - t.Bits()) >> (64 - t.Bits()))
	case out.CanUint():
		u := uint64(math.MaxUint64)
		if f < math.MaxUint64 {
			u = uint64(f)
		}
		out.SetUint(u << (64 - t.Bits()) >> (64 - t.Bits()))
	default:
		out.SetFloat(f)
	}
	return out
}

func numberOperators() []operator {
	numbers, both := []kind{number}, []kind{number, float}
	out := []operator{
		{name: "zero", needs: "a value other than 0", kinds: both, apply: onBits(func(uint64, reflect.Type) uint64 { return 0 })},
		{name: "sign lost", needs: "a negative value, or an unsigned one with the highest bit set", kinds: numbers, apply: func(p *valuePart) (reflect.Value, bool) {
			if p.v.CanInt() && p.v.Int() < 0 {
				return changed(p, withBits(p.v.Type(), -bitsOf(p.v)))
			}
			return changed(p, withBits(p.v.Type(), bitsOf(p.v)&^(1<<(p.v.Type().Bits()-1))))
		}},
		{name: "off by one", needs: "any value", kinds: numbers, apply: onBits(func(b uint64, _ reflect.Type) uint64 { return b + 1 })},
		{name: "byte-swapped", needs: "a value whose bytes are no palindrome", kinds: both, only: wider(8), apply: onBits(func(b uint64, t reflect.Type) uint64 {
			return bits.ReverseBytes64(b) >> (64 - t.Bits())
		})},
		{name: "through a double", needs: "a value above 2^53 that is not a multiple of a power of two", kinds: numbers, only: wider(32), apply: func(p *valuePart) (reflect.Value, bool) {
			if p.v.CanInt() {
				return changed(p, fromFloat(p.v.Type(), float64(p.v.Int())))
			}
			return changed(p, fromFloat(p.v.Type(), float64(p.v.Uint())))
		}},
		{name: "%.7g", needs: "a value with more than seven significant digits", kinds: both, only: wider(16), apply: through(7)},
		{name: "%.15g", needs: "a value with more than fifteen significant digits", kinds: both, only: wider(32), apply: through(15)},
	}
	for _, n := range []int{8, 16, 32} {
		out = append(out,
			operator{
				name: fmt.Sprintf("low %d bits", n), needs: fmt.Sprintf("a value with a bit set above the low %d", n), kinds: numbers, only: wider(n),
				apply: onBits(func(b uint64, _ reflect.Type) uint64 { return b & (1<<n - 1) }),
			},
			operator{
				name: fmt.Sprintf("low %d bits, signed", n), needs: fmt.Sprintf("a value outside the range of a signed integer of %d bits", n), kinds: numbers,
				only:  func(t reflect.Type) bool { return isSigned(t) && t.Bits() > n },
				apply: onBits(func(b uint64, _ reflect.Type) uint64 { return uint64(int64(b<<(64-n)) >> (64 - n)) }),
			})
	}
	return grouped("numbers", out)
}

func grouped(group string, ops []operator) []operator {
	for i := range ops {
		ops[i].group = group
	}
	return ops
}

func floatOperators() []operator {
	floats := []kind{float}
	isNaN := func(v reflect.Value) bool { return v.Float() != v.Float() }
	return grouped("floats", []operator{
		{name: "NaN made canonical", needs: "a NaN with a sign or payload", kinds: floats, apply: func(p *valuePart) (reflect.Value, bool) {
			if !isNaN(p.v) {
				return p.v, false
			}
			return changed(p, withBits(p.v.Type(), map[int]uint64{32: 0x7FC00000, 64: 0x7FF8000000000000}[p.v.Type().Bits()]))
		}},
		{name: "NaN made quiet", needs: "a signalling NaN", kinds: floats, apply: func(p *valuePart) (reflect.Value, bool) {
			if !isNaN(p.v) {
				return p.v, false
			}
			return changed(p, withBits(p.v.Type(), bitsOf(p.v)|map[int]uint64{32: 1 << 22, 64: 1 << 51}[p.v.Type().Bits()]))
		}},
		{name: "-0 lost", needs: "-0", kinds: floats, apply: func(p *valuePart) (reflect.Value, bool) {
			return withBits(p.v.Type(), 0), bitsOf(p.v) == 1<<(p.v.Type().Bits()-1)
		}},
		{name: "sign lost", needs: "a negative value", kinds: floats, apply: onBits(func(b uint64, t reflect.Type) uint64 { return b &^ (1 << (t.Bits() - 1)) })},
		{name: "clamped to 0..1", needs: "a value above 1 or below 0", kinds: floats, apply: func(p *valuePart) (reflect.Value, bool) {
			f := p.v.Float()
			return fromFloat(p.v.Type(), min(max(f, 0), 1)), f < 0 || f > 1
		}},
		{name: "off by one", needs: "any value", kinds: floats, apply: onBits(func(b uint64, _ reflect.Type) uint64 { return b ^ 1 })},
		{name: "denormal made 0", needs: "a value below the least normal number", kinds: floats, apply: func(p *valuePart) (reflect.Value, bool) {
			least := map[int]float64{32: 0x1p-126, 64: 0x1p-1022}[p.v.Type().Bits()]
			f := math.Abs(p.v.Float())
			return withBits(p.v.Type(), 0), f > 0 && f < least
		}},
		{name: "%.8g", needs: "a value that needs nine digits", kinds: floats, only: func(t reflect.Type) bool { return t.Bits() == 32 }, apply: through(8)},
		{name: "%.16g", needs: "a value that needs seventeen digits", kinds: floats, only: wider(32), apply: through(16)},
		{name: "through a float32", needs: "a value that a float32 cannot hold", kinds: floats, only: wider(32), apply: func(p *valuePart) (reflect.Value, bool) {
			if isNaN(p.v) {
				return p.v, false
			}
			return changed(p, fromFloat(p.v.Type(), float64(float32(p.v.Float()))))
		}},
	})
}

func enumerationOperators() []operator {
	return grouped("enumerations", []operator{
		{name: "default", needs: "a value other than the default", kinds: []kind{enumeration, boolean}, apply: func(p *valuePart) (reflect.Value, bool) {
			out := reflect.New(p.v.Type()).Elem()
			if s := namedTexts[p.v.Type().String()]; s != "" {
				out.SetString(s)
			}
			return changed(p, out)
		}},
		{name: "always true", needs: "false", kinds: []kind{boolean}, apply: func(p *valuePart) (reflect.Value, bool) {
			return changed(p, reflect.ValueOf(true).Convert(p.v.Type()))
		}},
	})
}

var lengths = []int{63, 64, 127, 128, 255, 256, 1024}

// composed maps a letter with a combining mark to the one character.
var composed = strings.NewReplacer(
	"a\u0300", "\u00E0", "a\u0301", "\u00E1", "a\u0308", "\u00E4", "e\u0300", "\u00E8", "e\u0301", "\u00E9", "e\u0308", "\u00EB",
	"o\u0300", "\u00F2", "o\u0301", "\u00F3", "o\u0308", "\u00F6", "u\u0300", "\u00F9", "u\u0301", "\u00FA", "u\u0308", "\u00FC",
)

func onText(f func(string) string) func(*valuePart) (reflect.Value, bool) {
	return func(p *valuePart) (reflect.Value, bool) {
		return changed(p, reflect.ValueOf(f(p.v.String())).Convert(p.v.Type()))
	}
}

func cutText(n int) func(string) string {
	return func(s string) string { return s[:min(n, len(s))] }
}

func textOperators() []operator {
	out := []operator{
		{name: "empty", needs: "a text that is not empty", apply: onText(func(string) string { return "" })},
		{name: "trimmed", needs: "a space or line break at an end", apply: onText(strings.TrimSpace)},
		{name: "trimmed at the end", needs: "a space or line break at the end", apply: onText(func(s string) string { return strings.TrimRight(s, " \t\r\n") })},
		{name: "NUL at the end lost", needs: "a NUL as the last character", apply: onText(func(s string) string { return strings.TrimSuffix(s, "\x00") })},
		{name: "lower-cased", needs: "a capital letter", apply: onText(func(s string) string { return mapASCII(s, 'A', 'Z', 'a'-'A') })},
		{name: "CRLF to LF", needs: "CR LF", apply: onText(func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") })},
		{name: "NFC", needs: "a letter with a combining mark, such as e U+0301", apply: onText(composed.Replace)},
		{name: "U+FFFD for invalid bytes", needs: "bytes that are not UTF-8 (in wide text: a lone surrogate)", apply: onText(func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") })},
		{name: "Latin-1 read as UTF-8", needs: "a character above U+007F", apply: onText(func(s string) string {
			var b []rune
			for i := range len(s) {
				b = append(b, rune(s[i]))
			}
			return string(b)
		})},
		{name: "last character dropped", needs: "a text that is not empty", apply: onText(func(s string) string {
			_, n := utf8.DecodeLastRuneInString(s)
			return s[:len(s)-n]
		})},
		{name: "cut at NUL", needs: "a NUL inside", apply: onText(func(s string) string { s, _, _ = strings.Cut(s, "\x00"); return s })},
		{name: "cut at 65535", needs: "a text longer than 65,535 bytes in one of the fields", perFamily: true, apply: onText(cutText(65535))},
	}
	for _, n := range lengths {
		out = append(out, operator{name: fmt.Sprintf("cut at %d", n), needs: fmt.Sprintf("a text longer than %d bytes", n), apply: onText(cutText(n))})
	}
	for i := range out {
		out[i].kinds = []kind{text}
	}
	return grouped("text", out)
}

func mapASCII(s string, from, to byte, by int) string {
	b := []byte(s)
	for i, c := range b {
		if c >= from && c <= to {
			b[i] = byte(int(c) + by)
		}
	}
	return string(b)
}

func opaqueOperators() []operator {
	onBytes := func(f func(b []byte) []byte) func(*valuePart) (reflect.Value, bool) {
		return func(p *valuePart) (reflect.Value, bool) {
			b := make([]byte, p.v.Len())
			reflect.Copy(reflect.ValueOf(b), p.v)
			f2 := f(bytes.Clone(b))
			if bytes.Equal(b, f2) {
				return p.v, false
			}
			out := reflect.New(p.v.Type()).Elem()
			if p.v.Kind() == reflect.Array {
				reflect.Copy(out, reflect.ValueOf(f2))
			} else {
				out.SetBytes(f2)
			}
			return out, true
		}
	}
	keep := func(n int) func([]byte) []byte { // cut, or zeroed in a fixed array
		return func(b []byte) []byte { return b[:min(n, len(b))] }
	}
	out := []operator{
		{name: "zeroed", needs: "a byte other than 0", apply: onBytes(func(b []byte) []byte { clear(b); return b })},
		{name: "reversed", needs: "bytes that are no palindrome", apply: onBytes(func(b []byte) []byte { slices.Reverse(b); return b })},
		{name: "last byte zeroed", needs: "a last byte other than 0", apply: onBytes(func(b []byte) []byte {
			if len(b) > 0 {
				b[len(b)-1] = 0
			}
			return b
		})},
		{name: "zeroed after 8 bytes", needs: "a byte other than 0 after the first 8", apply: onBytes(func(b []byte) []byte { clear(b[min(8, len(b)):]); return b })},
		{name: "empty", needs: "at least one byte", only: isSlice, apply: onBytes(keep(0))},
		{name: "last byte dropped", needs: "at least one byte", only: isSlice, apply: onBytes(func(b []byte) []byte { return b[:max(0, len(b)-1)] })},
		{name: "cut at 65536", needs: "more than 65,536 bytes in one of the fields", only: isSlice, perFamily: true, apply: onBytes(keep(65536))},
	}
	for _, n := range []int{4, 8, 64} {
		out = append(out, operator{name: fmt.Sprintf("cut at %d", n), needs: fmt.Sprintf("more than %d bytes", n), only: isSlice, apply: onBytes(keep(n))})
	}
	for i := range out {
		out[i].kinds = []kind{opaque}
	}
	return grouped("opaque data", out)
}

func isSlice(t reflect.Type) bool { return t.Kind() == reflect.Slice }

// onItems makes an operator of a function on the indices of a list: it returns the
// indices of the elements to keep, in order.
func onItems(f func(v reflect.Value) []int) func(*valuePart) (reflect.Value, bool) {
	return func(p *valuePart) (reflect.Value, bool) {
		if p.v.Len() == 0 {
			return p.v, false
		}
		kept := f(p.v)
		out := reflect.MakeSlice(p.v.Type(), len(kept), len(kept))
		for i, k := range kept {
			out.Index(i).Set(p.v.Index(k))
		}
		return changed(p, out)
	}
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func cutItems(n int) func(*valuePart) (reflect.Value, bool) {
	return onItems(func(v reflect.Value) []int { return upTo(min(n, v.Len())) })
}

func listOperators() []operator {
	out := []operator{
		{name: "empty", needs: "an element", apply: cutItems(0)},
		{name: "first repeated", needs: "two elements that differ", apply: onItems(func(v reflect.Value) []int { return make([]int, v.Len()) })},
		{name: "last dropped", needs: "an element", apply: onItems(func(v reflect.Value) []int { return upTo(v.Len() - 1) })},
		{name: "reversed", needs: "elements that differ when they are read from last to first", apply: onItems(func(v reflect.Value) []int {
			out := upTo(v.Len())
			slices.Reverse(out)
			return out
		})},
		{name: "sorted", needs: "elements that are not in ascending order (of numbers; of texts; else of the trees as JSON)", apply: onItems(func(v reflect.Value) []int {
			keys := keysOf(v)
			out := upTo(v.Len())
			slices.SortStableFunc(out, func(a, b int) int { return compareKeys(keys[a], keys[b]) })
			return out
		})},
		{name: "duplicates dropped", needs: "the same element twice", apply: onItems(func(v reflect.Value) []int {
			keys, seen := keysOf(v), map[string]bool{}
			return slices.DeleteFunc(upTo(v.Len()), func(i int) bool {
				dup := seen[keys[i].text]
				seen[keys[i].text] = true
				return dup
			})
		})},
	}
	for _, n := range []int{1, 2, 3, 10, 64, 100, 255, 256} {
		out = append(out, operator{name: fmt.Sprintf("cut at %d", n), needs: fmt.Sprintf("more than %d elements", n), apply: cutItems(n)})
	}
	for _, n := range []int{1000, 65535} {
		out = append(out, operator{name: fmt.Sprintf("cut at %d", n), needs: fmt.Sprintf("more than %d elements in one of the lists", n), perFamily: true, apply: cutItems(n)})
	}
	for i := range out {
		out[i].kinds = []kind{list}
	}
	out = append(out, operator{name: "transposed", needs: "a matrix that is not symmetric", kinds: []kind{matrix}, apply: func(p *valuePart) (reflect.Value, bool) {
		out := reflect.New(p.v.Type()).Elem()
		for i := range p.v.Len() {
			for k := range p.v.Len() {
				out.Index(i).Index(k).Set(p.v.Index(k).Index(i))
			}
		}
		return changed(p, out)
	}})
	return grouped("lists", out)
}

type key struct {
	number float64
	text   string
}

func compareKeys(a, b key) int {
	if c := cmp.Compare(a.number, b.number); c != 0 {
		return c
	}
	return cmp.Compare(a.text, b.text)
}

// keysOf returns a key for each element of a list.
func keysOf(v reflect.Value) []key {
	out := make([]key, v.Len())
	for i := range out {
		e := v.Index(i)
		switch kindOf(e.Type()) {
		case number, float:
			out[i].text = strconv.FormatUint(bitsOf(e), 16)
			switch {
			case e.CanInt():
				out[i].number = float64(e.Int())
			case e.CanUint():
				out[i].number = float64(e.Uint())
			default:
				out[i].number = e.Float()
			}
		case text:
			out[i].text = e.String()
		default:
			n, err := tree.FromModel(e.Interface())
			if e.Kind() == reflect.Interface && !e.IsNil() { // an any loses the type of the interface
				n, err = tree.FromModel(e.Elem().Interface())
			}
			out[i].text = n.String()
			if err != nil {
				out[i].text = err.Error()
			}
		}
	}
	return out
}

// geometryOperators make well-meant repairs of rotations and boxes.
func geometryOperators() []operator {
	structures := []kind{composite}
	named := func(names ...string) func(reflect.Type) bool {
		return func(t reflect.Type) bool { return t.Kind() == reflect.Struct && slices.Contains(names, t.Name()) }
	}
	return grouped("floats", []operator{
		{name: "normalized", needs: "a quaternion whose length is not 1", kinds: structures, only: named("Quaternion"), apply: func(p *valuePart) (reflect.Value, bool) {
			out, sum := clone(p.v), 0.0
			for i := range out.NumField() {
				sum += out.Field(i).Float() * out.Field(i).Float()
			}
			for i := range out.NumField() {
				out.Field(i).SetFloat(out.Field(i).Float() / math.Sqrt(sum))
			}
			return out, sum > 0 && !math.IsInf(sum, 0) && !same(out, p.v)
		}},
		{name: "corners ordered", needs: "a box whose minimum exceeds its maximum", kinds: structures, only: named("Box", "AABBox2", "AABBox3"), apply: func(p *valuePart) (reflect.Value, bool) {
			out := clone(p.v)
			for i := range out.Field(0).NumField() {
				a, b := out.Field(0).Field(i), out.Field(1).Field(i)
				if less, more := a.Float(), b.Float(); less > more {
					a.SetFloat(more)
					b.SetFloat(less)
				}
			}
			return changed(p, out)
		}},
	})
}

var wholeKinds = []kind{number, float, boolean, enumeration, text, opaque, list, matrix, pointer, composite}

func isZero(v reflect.Value) bool {
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

func stateOperators() []operator {
	from := func(get func(*valuePart) reflect.Value, ifZero bool) func(*valuePart) (reflect.Value, bool) {
		return func(p *valuePart) (reflect.Value, bool) {
			v := get(p)
			if !v.IsValid() || v.Type() != p.v.Type() || ifZero && !isZero(p.v) {
				return p.v, false
			}
			return changed(p, v)
		}
	}
	valueOf := func(q *valuePart) reflect.Value {
		if q == nil {
			return reflect.Value{}
		}
		return q.v
	}
	before := func(p *valuePart) reflect.Value { return valueOf(p.before) }
	keptBefore := func(p *valuePart) reflect.Value { return valueOf(p.keptBefore) }
	first := func(p *valuePart) reflect.Value { return valueOf(p.first) }
	earlier := func(p *valuePart) reflect.Value { return p.earlier }
	kept := func(p *valuePart) reflect.Value { return p.kept }
	// Only what can be absent or empty can be left as it was.
	optional := []kind{pointer, list, text, opaque}
	canBeEmpty := func(t reflect.Type) bool { return t.Kind() != reflect.Array }
	out := grouped("state", []operator{
		{name: "from the previous object", needs: "two objects of the type in one input that differ in the field", kinds: wholeKinds, repeats: true, apply: from(before, false)},
		{
			name: "kept from the previous object where absent or empty", needs: "in one input, an object with a value, then one of the same type without one",
			kinds: optional, only: canBeEmpty, repeats: true, apply: from(keptBefore, true),
		},
		{name: "from the previous answer", needs: "two vectors that differ in the field", kinds: wholeKinds, apply: from(earlier, false)},
		{
			name: "kept from the previous answer where absent or empty", needs: "a vector with a value and, later in the order of ids, one without",
			kinds: optional, only: canBeEmpty, apply: from(kept, true),
		},
	})
	out = append(out, grouped("lists", []operator{
		{name: "from the first element", needs: "a list whose elements differ in the field", kinds: wholeKinds, inList: true, apply: from(first, false)},
	})...)
	out = append(out, grouped("fields", []operator{
		{name: "absent", needs: "a value that is present", kinds: []kind{pointer}, apply: func(p *valuePart) (reflect.Value, bool) {
			return reflect.Zero(p.v.Type()), !p.v.IsNil()
		}},
		{name: "zero where absent", needs: "a value that is absent", kinds: []kind{pointer}, apply: func(p *valuePart) (reflect.Value, bool) {
			return reflect.New(p.v.Type().Elem()), p.v.IsNil()
		}},
	})...)
	for i := range out {
		out[i].whole = true
	}
	return out
}

// fieldPairs returns the operators that confuse a field of a structure, or an
// item of a fixed array, with another one of the same type.
func fieldPairs(p typePart) []operator {
	if p.up == nil {
		return nil
	}
	n, typ := 0, func(int) reflect.Type { return p.t }
	name := func(i int) string { return "[" + strconv.Itoa(i) + "]" }
	if p.up.Kind() == reflect.Struct {
		n, typ = p.up.NumField(), func(i int) reflect.Type { return p.up.Field(i).Type }
		name = func(i int) string { return lowerFirst(p.up.Field(i).Name) }
	} else {
		n = p.up.Len()
	}
	var out []operator
	swapped := false
	for i := range n {
		if i == p.index || typ(i) != p.t {
			continue
		}
		taken := func(q *valuePart) (reflect.Value, bool) {
			if q.up == nil || q.up.v.Type() != p.up {
				return q.v, false // another instance of a generic type
			}
			return changed(q, fieldOf(q.up.v, i))
		}
		out = append(out, operator{
			group: "fields", name: "taken from " + name(i), needs: "different values in both fields", kinds: wholeKinds, whole: true, apply: taken,
		})
		if i > p.index && !swapped {
			swapped = true
			out = append(out, operator{
				group: "fields", name: "swapped with " + name(i), needs: "different values in both fields", kinds: wholeKinds, whole: true, swap: i, apply: taken,
			})
		}
	}
	return out
}

func fieldOf(v reflect.Value, i int) reflect.Value {
	if v.Kind() == reflect.Struct {
		return v.Field(i)
	}
	return v.Index(i)
}
