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
	name  string
	needs string                  // what a vector has to contain for the fault to show
	only  func(reflect.Type) bool // of the part; nil: every type of the kinds
	// apply returns the wrong value; one of another type, or none, if it has none.
	apply func(*valuePart) reflect.Value

	group string // in the matrix
	kinds []kind
	// whole operators change a part as a whole, as a field of what is around it.
	whole bool
	// swap is the index of the field that gets the value of the part; 0 if there is
	// none. The other field follows the part.
	swap int
	// perFamily operators give one mutant for all parts of a kind of a family.
	perFamily bool
}

// fits reports whether the operator changes parts of a type.
func (o *operator) fits(t reflect.Type) bool {
	return slices.Contains(o.kinds, kindOf(t)) && (o.only == nil || o.only(t))
}

// change returns the wrong value, and whether it differs.
func (o *operator) change(p *valuePart) (reflect.Value, bool) {
	if !o.fits(p.v.Type()) {
		return p.v, false
	}
	to := o.apply(p)
	return to, to.IsValid() && to.Type() == p.v.Type() && !same(p.v, to)
}

func group(name string, kinds []kind, ops ...operator) []operator {
	for i := range ops {
		ops[i].group, ops[i].kinds = name, kinds
	}
	return ops
}

func perFamily(ops []operator) []operator {
	for i := range ops {
		ops[i].perFamily = true
	}
	return ops
}

func whole(ops []operator) []operator {
	for i := range ops {
		ops[i].whole = true
	}
	return ops
}

// with makes an operator of the fields that each has.
func with(name, needs string, only func(reflect.Type) bool, apply func(*valuePart) reflect.Value) operator {
	return operator{name: name, needs: needs, only: only, apply: apply}
}

// operators lists all operators except those that need the names of other fields:
// see fieldPairs.
var operators = slices.Concat(numberOperators, floatOperators, textOperators, byteOperators, listOperators,
	fieldOperators)

var (
	numbers, floats, texts, lists = []kind{number}, []kind{float}, []kind{text}, []kind{list}
	numbersAndFloats              = []kind{number, float}
	allKinds                      = []kind{
		number, float, boolean, enumeration, text, opaque, list, matrix,
		pointer, composite,
	}
	// Only what can be absent or empty can be left as it was.
	optional = []kind{pointer, list, text, opaque}
)

// onBits makes an operator of a function on the bits of a number of n bits.
func onBits(f func(b uint64, n int) uint64) func(*valuePart) reflect.Value {
	return func(p *valuePart) reflect.Value { return withBits(p.v.Type(), f(bitsOf(p.v), p.v.Type().Bits())) }
}

// without makes an operator that exchanges one number of n bits for 0.
func without(which func(n int) uint64) func(*valuePart) reflect.Value {
	return onBits(func(b uint64, n int) uint64 {
		if b == which(n) {
			return 0
		}
		return b
	})
}

func isSigned(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64 }

func wider(n int) func(reflect.Type) bool { return func(t reflect.Type) bool { return t.Bits() > n } }

func floatOf(v reflect.Value) float64 {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	}
	return v.Float()
}

// through makes an operator of writing a number in decimal with some digits.
func through(digits int) func(*valuePart) reflect.Value {
	return func(p *valuePart) reflect.Value {
		f := floatOf(p.v)
		if p.v.CanFloat() && (f == 0 || math.IsNaN(f)) {
			return p.v
		}
		f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'g', digits, 64), 64)
		return fromFloat(p.v.Type(), f)
	}
}

func fromFloat(t reflect.Type, f float64) reflect.Value {
	switch {
	case isSigned(t):
		return withBits(t, uint64(int64(f)))
	case t.Kind() >= reflect.Float32:
		return reflect.ValueOf(f).Convert(t)
	case f < math.MaxUint64:
		return withBits(t, uint64(f))
	}
	return withBits(t, math.MaxUint64)
}

var numberOperators = slices.Concat(
	group("numbers", numbersAndFloats,
		with("zero", "a value other than 0", nil, onBits(func(uint64, int) uint64 { return 0 })),
		with("byte-swapped", "a value whose bytes are no palindrome", wider(8), onBits(func(b uint64, n int) uint64 {
			return bits.ReverseBytes64(b) >> (64 - n)
		})),
		with("%.7g", "a value with more than seven significant digits", wider(16), through(7)),
		with("%.15g", "a value with more than fifteen significant digits", wider(32), through(15)),
	),
	group("numbers", numbers,
		with("sign lost", "a negative value, or an unsigned one with the highest bit set", nil,
			func(p *valuePart) reflect.Value {
				if p.v.CanInt() && p.v.Int() < 0 {
					return withBits(p.v.Type(), -bitsOf(p.v))
				}
				return withBits(p.v.Type(), bitsOf(p.v)&^(1<<(p.v.Type().Bits()-1)))
			}),
		with("off by one", "any value", nil, onBits(func(b uint64, _ int) uint64 { return b + 1 })),
		with("through a double", "a value above 2^53 that is not a multiple of a power of two", wider(32),
			func(p *valuePart) reflect.Value {
				return fromFloat(p.v.Type(), floatOf(p.v))
			}),
	),
	group("numbers", numbers, lowBits(8, 16, 32)...),
	perFamily(group("numbers", numbers,
		with("greatest lost", "the greatest value", nil, func(p *valuePart) reflect.Value {
			if isSigned(p.v.Type()) {
				return without(func(n int) uint64 { return 1<<(n-1) - 1 })(p)
			}
			return without(func(n int) uint64 { return math.MaxUint64 >> (64 - n) })(p)
		}),
		with("least lost", "the least value", isSigned, without(func(n int) uint64 { return 1 << (n - 1) })),
		with("-1 lost", "-1", isSigned, without(func(n int) uint64 { return math.MaxUint64 >> (64 - n) })),
		with("words exchanged", "a value whose halves differ", wider(16),
			onBits(func(b uint64, n int) uint64 { return b>>(n/2) | b<<(n/2) })),
	)),
)

func lowBits(widths ...int) (out []operator) {
	for _, n := range widths {
		out = append(out,
			with(fmt.Sprintf("low %d bits", n), fmt.Sprintf("a value with a bit set above the low %d", n), wider(n),
				onBits(func(b uint64, _ int) uint64 { return b & (1<<n - 1) })),
			with(fmt.Sprintf("low %d bits, signed", n), fmt.Sprintf("a value outside the range of a signed integer of %d bits",
				n),
				func(t reflect.Type) bool { return isSigned(t) && t.Bits() > n },
				onBits(func(b uint64, _ int) uint64 { return uint64(int64(b<<(64-n)) >> (64 - n)) })))
	}
	return out
}

// ofNaN makes an operator that changes only NaNs, by a function of the number of
// bits of the fraction.
func ofNaN(f func(b uint64, fraction int) uint64) func(*valuePart) reflect.Value {
	return onFloat(func(b uint64, x float64, n int) uint64 {
		if x == x {
			return b
		}
		return f(b, map[int]int{32: 23, 64: 52}[n])
	})
}

func onFloat(f func(b uint64, x float64, n int) uint64) func(*valuePart) reflect.Value {
	return func(p *valuePart) reflect.Value {
		return withBits(p.v.Type(), f(bitsOf(p.v), p.v.Float(), p.v.Type().Bits()))
	}
}

// finite makes an operator that makes an infinity the greatest finite value.
func finite(sign int) func(*valuePart) reflect.Value {
	return onFloat(func(b uint64, x float64, _ int) uint64 {
		if math.IsInf(x, sign) {
			b--
		}
		return b
	})
}

// structures makes an operator fit structures with certain names.
func structures(names ...string) func(reflect.Type) bool {
	return func(t reflect.Type) bool { return t.Kind() == reflect.Struct && slices.Contains(names, t.Name()) }
}

var floatOperators = slices.Concat(
	group("floats", floats,
		with("NaN made canonical", "a NaN with a sign or payload", nil, ofNaN(func(_ uint64, fraction int) uint64 {
			return map[int]uint64{23: 0x7FC00000, 52: 0x7FF8000000000000}[fraction]
		})),
		with("NaN made quiet", "a signalling NaN", nil,
			ofNaN(func(b uint64, fraction int) uint64 { return b | 1<<(fraction-1) })),
		with("-0 lost", "-0", nil, without(func(n int) uint64 { return 1 << (n - 1) })),
		with("sign lost", "a negative value", nil, onBits(func(b uint64, n int) uint64 { return b &^ (1 << (n - 1)) })),
		with("clamped to 0..1", "a value above 1 or below 0", nil, func(p *valuePart) reflect.Value {
			if f := p.v.Float(); f < 0 || f > 1 {
				return fromFloat(p.v.Type(), min(max(f, 0), 1))
			}
			return p.v
		}),
		with("off by one", "any value", nil, onBits(func(b uint64, _ int) uint64 { return b ^ 1 })),
		with("denormal made 0", "a value below the least normal number", nil,
			onFloat(func(b uint64, x float64, n int) uint64 {
				if math.Abs(x) < map[int]float64{32: 0x1p-126, 64: 0x1p-1022}[n] && x != 0 {
					return 0
				}
				return b
			})),
		with("%.8g", "a value that needs nine digits", func(t reflect.Type) bool { return t.Bits() == 32 }, through(8)),
		with("%.16g", "a value that needs seventeen digits", wider(32), through(16)),
		with("through a float32", "a value that a float32 cannot hold", wider(32),
			onFloat(func(b uint64, x float64, _ int) uint64 {
				if x == x {
					return math.Float64bits(float64(float32(x)))
				}
				return b
			})),
	),
	perFamily(group("floats", floats,
		with("infinity made finite", "infinity", nil, finite(1)),
		with("-infinity made finite", "-infinity", nil, finite(-1)),
	)),
	// Well-meant repairs of rotations and boxes.
	group("floats", []kind{composite},
		with("normalized", "a quaternion whose length is not 1", structures("Quaternion"), func(p *valuePart) reflect.Value {
			out, sum := clone(p.v), 0.0
			for i := range out.NumField() {
				sum += out.Field(i).Float() * out.Field(i).Float()
			}
			for i := range out.NumField() {
				out.Field(i).SetFloat(out.Field(i).Float() / math.Sqrt(sum))
			}
			if sum > 0 && !math.IsInf(sum, 0) {
				return out
			}
			return p.v
		}),
		with("corners ordered", "a box whose minimum exceeds its maximum", structures("Box", "AABBox2", "AABBox3"),
			func(p *valuePart) reflect.Value {
				out := clone(p.v)
				for i := range out.Field(0).NumField() {
					a, b := out.Field(0).Field(i), out.Field(1).Field(i)
					if less, more := a.Float(), b.Float(); less > more {
						a.SetFloat(more)
						b.SetFloat(less)
					}
				}
				return out
			}),
	),
)

// composed maps a letter with a combining mark to the one character.
var composed = strings.NewReplacer(
	"a\u0300", "\u00E0", "a\u0301", "\u00E1", "a\u0308", "\u00E4", "e\u0300", "\u00E8", "e\u0301", "\u00E9",
	"e\u0308", "\u00EB",
	"o\u0300", "\u00F2", "o\u0301", "\u00F3", "o\u0308", "\u00F6", "u\u0300", "\u00F9", "u\u0301", "\u00FA",
	"u\u0308", "\u00FC",
)

func onText(f func(string) string) func(*valuePart) reflect.Value {
	return func(p *valuePart) reflect.Value { return reflect.ValueOf(f(p.v.String())).Convert(p.v.Type()) }
}

// surrogates makes an operator that changes lone surrogates: those whose second byte
// in WTF-8 has the high bits given.
func surrogates(high byte) func(*valuePart) reflect.Value {
	return onText(func(s string) string {
		b := []byte(s)
		for i := range max(0, len(b)-2) {
			if b[i] == 0xED && b[i+1]&0xF0 == high {
				b[i+2] ^= 1
			}
		}
		return string(b)
	})
}

// cuts makes operators that cut parts at lengths.
func cuts(needs string, only func(reflect.Type) bool, cut func(n int) func(*valuePart) reflect.Value,
	lengths ...int,
) (out []operator) {
	for _, n := range lengths {
		out = append(out, with(fmt.Sprintf("cut at %d", n), fmt.Sprintf(needs, n), only, cut(n)))
	}
	return out
}

func cutText(n int) func(*valuePart) reflect.Value {
	return onText(func(s string) string { return s[:min(n, len(s))] })
}

var textOperators = slices.Concat(
	group("text", texts,
		with("empty", "a text that is not empty", nil, cutText(0)),
		with("trimmed", "a space or line break at an end", nil, onText(strings.TrimSpace)),
		with("trimmed at the end", "a space or line break at the end", nil,
			onText(func(s string) string { return strings.TrimRight(s, " \t\r\n") })),
		with("NUL at the end lost", "a NUL as the last character", nil,
			onText(func(s string) string { return strings.TrimSuffix(s, "\x00") })),
		with("lower-cased", "a capital letter", nil, onText(func(s string) string {
			b := []byte(s)
			for i, c := range b {
				if c >= 'A' && c <= 'Z' {
					b[i] |= 0x20
				}
			}
			return string(b)
		})),
		with("CRLF to LF", "CR LF", nil, onText(func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") })),
		with("NFC", "a letter with a combining mark, such as e U+0301", nil, onText(composed.Replace)),
		with("U+FFFD for invalid bytes", "bytes that are not UTF-8 (in wide text: a lone surrogate)", nil,
			onText(func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") })),
		with("Latin-1 read as UTF-8", "a character above U+007F", nil, onText(func(s string) string {
			var b []rune
			for i := range len(s) {
				b = append(b, rune(s[i]))
			}
			return string(b)
		})),
		with("last character dropped", "a text that is not empty", nil, onText(func(s string) string {
			_, n := utf8.DecodeLastRuneInString(s)
			return s[:len(s)-n]
		})),
		with("cut at NUL", "a NUL inside", nil,
			onText(func(s string) string { s, _, _ = strings.Cut(s, "\x00"); return s })),
	),
	group("text", texts, cuts("a text longer than %d bytes", nil, cutText, 63, 64, 127, 128, 255, 256, 1024)...),
	perFamily(group("text", texts, cuts("a text longer than %d bytes in one of the fields", nil, cutText, 65535)...)),
	perFamily(group("text", texts,
		with("trimmed at the start", "a blank at the start", nil,
			onText(func(s string) string { return strings.TrimLeft(s, " \t") })),
		with("byte order mark lost", "U+FEFF first", nil,
			onText(func(s string) string { return strings.TrimPrefix(s, "\uFEFF") })),
		with("U+FFFD above U+FFFF", "a character above U+FFFF", nil, onText(func(s string) string {
			if !utf8.ValidString(s) {
				return s
			}
			return strings.Map(func(r rune) rune {
				if r > 0xFFFF {
					return utf8.RuneError
				}
				return r
			}, s)
		})),
		with("one character lost", "a text of one character", nil, onText(func(s string) string {
			if utf8.RuneCountInString(s) == 1 {
				return ""
			}
			return s
		})),
		with("high surrogates changed", "a lone high surrogate", nil, surrogates(0xA0)),
		with("low surrogates changed", "a lone low surrogate", nil, surrogates(0xB0)),
	)),
)

func onBytes(f func(b []byte) []byte) func(*valuePart) reflect.Value {
	return func(p *valuePart) reflect.Value {
		b := make([]byte, p.v.Len())
		reflect.Copy(reflect.ValueOf(b), p.v)
		b = f(b)
		out := clone(p.v)
		if p.v.Kind() == reflect.Array {
			reflect.Copy(out, reflect.ValueOf(b))
		} else if !bytes.Equal(b, p.v.Bytes()) {
			out.SetBytes(b)
		}
		return out
	}
}

func cutBytes(n int) func(*valuePart) reflect.Value {
	return onBytes(func(b []byte) []byte { return b[:min(n, len(b))] })
}

func clearFrom(start func(length int) int) func(*valuePart) reflect.Value {
	return onBytes(func(b []byte) []byte { clear(b[max(0, min(start(len(b)), len(b))):]); return b })
}

func isSlice(t reflect.Type) bool { return t.Kind() == reflect.Slice }

var byteOperators = slices.Concat(
	group("opaque data", []kind{opaque},
		with("zeroed", "a byte other than 0", nil, clearFrom(func(int) int { return 0 })),
		with("reversed", "bytes that are no palindrome", nil,
			onBytes(func(b []byte) []byte { slices.Reverse(b); return b })),
		with("last byte zeroed", "a last byte other than 0", nil, clearFrom(func(n int) int { return n - 1 })),
		with("zeroed after 8 bytes", "a byte other than 0 after the first 8", nil, clearFrom(func(int) int { return 8 })),
		with("empty", "at least one byte", isSlice, cutBytes(0)),
		with("last byte dropped", "at least one byte", isSlice,
			onBytes(func(b []byte) []byte { return b[:max(0, len(b)-1)] })),
	),
	group("opaque data", []kind{opaque}, cuts("more than %d bytes", isSlice, cutBytes, 4, 8, 64)...),
	perFamily(group("opaque data", []kind{opaque}, cuts("more than %d bytes in one of the fields", isSlice,
		cutBytes, 65536)...)),
	perFamily(group("opaque data", []kind{opaque},
		with("zeros at the end lost", "a last byte of 0", isSlice,
			onBytes(func(b []byte) []byte { return bytes.TrimRight(b, "\x00") })),
		with("one byte lost", "a single byte", isSlice, onBytes(func(b []byte) []byte {
			if len(b) == 1 {
				return b[:0]
			}
			return b
		})),
	)),
)

// onItems makes an operator of a function on the indices of a list: it returns the
// indices of the elements to keep, in order.
func onItems(f func(v reflect.Value, all []int) []int) func(*valuePart) reflect.Value {
	return func(p *valuePart) reflect.Value {
		if p.v.Len() == 0 {
			return p.v
		}
		all := make([]int, p.v.Len())
		for i := range all {
			all[i] = i
		}
		kept := f(p.v, all)
		out := reflect.MakeSlice(p.v.Type(), len(kept), len(kept))
		for i, k := range kept {
			out.Index(i).Set(p.v.Index(k))
		}
		return out
	}
}

func cutItems(n int) func(*valuePart) reflect.Value {
	return onItems(func(_ reflect.Value, all []int) []int { return all[:min(n, len(all))] })
}

// nests fits lists of the families with nested parts.
func nests(t reflect.Type) bool {
	return slices.Contains([]string{"ka", "uasset"}, subjectOf(t.Elem()).family)
}

const deep = 30 // below the least bound of depth that a document gives

var listOperators = slices.Concat(
	group("lists", lists,
		with("empty", "an element", nil, cutItems(0)),
		with("first repeated", "two elements that differ", nil,
			onItems(func(_ reflect.Value, all []int) []int { clear(all); return all })),
		with("last dropped", "an element", nil, onItems(func(_ reflect.Value, all []int) []int { return all[:len(all)-1] })),
		with("reversed", "elements that differ when they are read from last to first", nil,
			onItems(func(_ reflect.Value, all []int) []int { slices.Reverse(all); return all })),
		with("sorted", "elements that are not in ascending order (of numbers; of texts; else of the trees as JSON)", nil,
			onItems(func(v reflect.Value, all []int) []int {
				keys := keysOf(v)
				slices.SortStableFunc(all, func(a, b int) int {
					return cmp.Or(cmp.Compare(keys[a].number, keys[b].number), cmp.Compare(keys[a].text, keys[b].text))
				})
				return all
			})),
		with("duplicates dropped", "the same element twice", nil, onItems(func(v reflect.Value, all []int) []int {
			keys, seen := keysOf(v), map[string]bool{}
			return slices.DeleteFunc(all, func(i int) bool {
				dup := seen[keys[i].text]
				seen[keys[i].text] = true
				return dup
			})
		})),
	),
	group("lists", lists, cuts("more than %d elements", nil, cutItems, 1, 2, 3, 10, 64, 100, 255, 256)...),
	perFamily(group("lists", lists, cuts("more than %d elements in one of the lists", nil, cutItems, 1000, 65535)...)),
	perFamily(group("lists", lists,
		with("single element lost", "a list of one element", nil, onItems(func(_ reflect.Value, all []int) []int {
			if len(all) == 1 {
				return nil
			}
			return all
		})),
		with("empty in the depth", fmt.Sprintf("a list in %d other lists", deep), nests, func(p *valuePart) reflect.Value {
			if strings.Count(p.path, "[") < deep {
				return p.v
			}
			return cutItems(0)(p)
		}),
	)),
	group("lists", []kind{matrix}, with("transposed", "a matrix that is not symmetric", nil,
		func(p *valuePart) reflect.Value {
			out := reflect.New(p.v.Type()).Elem()
			for i := range p.v.Len() {
				for k := range p.v.Len() {
					out.Index(i).Index(k).Set(p.v.Index(k).Index(i))
				}
			}
			return out
		})),
)

// A key is by what a list is sorted.
type key struct {
	number float64
	text   string
}

// keysOf returns a key for each element of a list.
func keysOf(v reflect.Value) []key {
	out := make([]key, v.Len())
	for i := range out {
		switch e := v.Index(i); kindOf(e.Type()) {
		case number, float:
			out[i] = key{floatOf(e), strconv.FormatUint(bitsOf(e), 16)}
		case text:
			out[i].text = e.String()
		default:
			n, err := tree.FromValue(e)
			if out[i].text = n.String(); err != nil {
				out[i].text = err.Error()
			}
		}
	}
	return out
}

// from makes an operator that takes the value of another part.
func from(get func(*valuePart) *valuePart) func(*valuePart) reflect.Value {
	return func(p *valuePart) reflect.Value {
		if q := get(p); q != nil {
			return q.v
		}
		return reflect.Value{}
	}
}

// ifEmpty limits an operator to parts that are absent or empty.
func ifEmpty(f func(*valuePart) reflect.Value) func(*valuePart) reflect.Value {
	return func(p *valuePart) reflect.Value {
		if isZero(p.v) {
			return f(p)
		}
		return p.v
	}
}

func canBeEmpty(t reflect.Type) bool { return t.Kind() != reflect.Array }

// The names of the operators that need the same part twice in a value, and in a list.
const (
	previousObject = "from the previous object"
	keptObject     = "kept from the previous object where absent or empty"
	firstElement   = "from the first element"
)

var fieldOperators = slices.Concat(
	group("enumerations", []kind{enumeration, boolean}, with("default", "a value other than the default", nil,
		func(p *valuePart) reflect.Value {
			out := reflect.New(p.v.Type()).Elem()
			if s := namedTexts[p.v.Type().String()]; s != "" {
				out.SetString(s)
			}
			return out
		})),
	group("enumerations", []kind{boolean}, with("always true", "false", nil, func(p *valuePart) reflect.Value {
		return reflect.ValueOf(true).Convert(p.v.Type())
	})),
	whole(group("state", allKinds,
		with(previousObject, "two objects of the type in one input that differ in the field", nil,
			from(func(p *valuePart) *valuePart { return p.before })),
		with("from the previous answer", "two vectors that differ in the field", nil,
			func(p *valuePart) reflect.Value { return p.earlier }),
	)),
	whole(group("state", optional,
		with(keptObject, "in one input, an object with a value, then one of the same type without one", canBeEmpty,
			ifEmpty(from(func(p *valuePart) *valuePart { return p.keptBefore }))),
		with("kept from the previous answer where absent or empty", "a vector with a value and, later in the order of "+
			"ids, one without", canBeEmpty,
			ifEmpty(func(p *valuePart) reflect.Value { return p.kept })),
	)),
	whole(group("lists", allKinds,
		with(firstElement, "a list whose elements differ in the field", nil,
			from(func(p *valuePart) *valuePart { return p.first })))),
	whole(group("fields", []kind{pointer},
		with("absent", "a value that is present", nil, func(p *valuePart) reflect.Value { return reflect.Zero(p.v.Type()) }),
		with("zero where absent", "a value that is absent", nil,
			ifEmpty(func(p *valuePart) reflect.Value { return reflect.New(p.v.Type().Elem()) })),
	)),
)

// fieldPairs returns the operators that confuse a part with another one of the same
// type in the structure or fixed array around it.
func fieldPairs(p *valuePart) (out []operator) {
	if p.up == nil {
		return nil
	}
	around := reflect.Zero(p.up.t)
	swapped := false
	for i := range count(around) {
		if i == p.index || item(around, i).Type() != p.t {
			continue
		}
		name := fmt.Sprintf("[%d]", i)
		if p.up.t.Kind() == reflect.Struct {
			name = tree.FieldName(p.up.t.Field(i).Name)
		}
		op := operator{
			name: "taken from " + name, needs: "different values in both fields", group: "fields", kinds: allKinds, whole: true,
			apply: func(q *valuePart) reflect.Value {
				if q.up == nil {
					return q.v
				}
				return item(q.up.v, i)
			},
		}
		out = append(out, op)
		if i > p.index && !swapped {
			swapped = true
			op.name, op.swap = "swapped with "+name, i
			out = append(out, op)
		}
	}
	return out
}

// operatorsFor returns the operators that change a part of a type.
func operatorsFor(p *valuePart) []operator {
	out := slices.DeleteFunc(slices.Clone(operators), func(o operator) bool {
		return !o.fits(p.t) || o.whole && p.fieldOf == subject{} || o.name == firstElement && !p.inList ||
			(o.name == previousObject || o.name == keptObject) && !p.repeats
	})
	if p.fieldOf != (subject{}) {
		out = append(out, fieldPairs(p)...)
	}
	return out
}
