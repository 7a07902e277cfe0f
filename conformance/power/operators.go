package power

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/conformance/tree"
)

// An operator makes one kind of fault in a part of a value. There is none whose
// fault shows in every vector that shows the fault of another: a text that is cut at
// 1024 bytes stands for all shorter ones.
type operator struct {
	group string // in the table of the page
	name  string
	needs string // what a vector has to contain for the fault to show
	scope scope
	fits  fits
	apply apply // returns the wrong value; the right one if there is none
}

type (
	fits  func(*valuePart) bool
	apply func(*valuePart) tree.Node
)

// scope is what one mutant changes.
type scope int

const (
	contents scope = iota // the contents of a field
	whole                 // a field of what is around it, as a whole
	family                // all parts of a kind of a family
)

// change returns the wrong value, and whether it differs.
func (o *operator) change(p *valuePart) (tree.Node, bool) {
	if !o.fits(p) || o.scope != whole && p.Node.Kind == tree.Null {
		return *p.Node, false
	}
	to := o.apply(p)
	return to, !tree.Equal(*p.Node, to)
}

// The names of the operators that need the same part twice in a value.
const (
	previousObject = "from the previous object"
	keptObject     = "kept from the previous object where absent or empty"
)

// operators lists all operators except those that need the names of other fields:
// see otherFields.
var operators = slices.Concat(
	group("numbers",
		inField("zero", "a value other than 0", is(number, float), onBits(func(uint64, int) uint64 { return 0 })),
		inField("off by one", "any value", is(number, float), onBits(func(b uint64, _ int) uint64 { return b + 1 })),
		inField("byte-swapped", "a value whose bytes are no palindrome", wider(8, number, float),
			onBits(func(b uint64, n int) uint64 { return bits.ReverseBytes64(b) >> (64 - n) })),
		inField("sign lost", "a negative value, or an unsigned one with the highest bit set", is(number),
			onBits(func(b uint64, n int) uint64 { return b &^ (1 << (n - 1)) })),
		inField("upper half lost", "a value with a bit set in its upper half", wider(8, number),
			onBits(func(b uint64, n int) uint64 { return b & (1<<(n/2) - 1) })),
		inField("upper half lost, signed", "a value outside the range of a signed integer of half the bits",
			func(p *valuePart) bool { return isSigned(p) && p.bits() > 8 },
			onBits(func(b uint64, n int) uint64 { return uint64(int64(b<<(64-n/2)) >> (64 - n/2)) })),
		inField("%.7g", "a value with more than seven significant digits", wider(16, number), through(7)),
		inField("through a double", "a value above 2^53 that is not a multiple of a power of two", wider(32, number),
			through(17)),
		inFamily("greatest lost", "the greatest value", isSigned, without(func(n int) uint64 { return 1<<(n-1) - 1 })),
		inFamily("least lost", "the least value", isSigned, without(func(n int) uint64 { return 1 << (n - 1) })),
		inFamily("all bits lost", "-1, or the greatest unsigned value", is(number),
			without(func(n int) uint64 { return math.MaxUint64 >> (64 - n) })),
	),
	group("floats",
		inField("NaN made quiet", "a signalling NaN", is(float), onFloat(func(b uint64, x float64, n int) uint64 {
			if x != x {
				b |= map[int]uint64{32: 1 << 22, 64: 1 << 51}[n]
			}
			return b
		})),
		inField("-0 lost", "-0", is(float), without(func(n int) uint64 { return 1 << (n - 1) })),
		inField("clamped to 0..1", "a value above 1 or below 0", is(float), func(p *valuePart) tree.Node {
			if _, x := p.number(); x < 0 || x > 1 {
				return p.withNumber(min(max(x, 0), 1))
			}
			return *p.Node
		}),
		inField("denormal made 0", "a value below the least normal number", is(float),
			onFloat(func(b uint64, x float64, n int) uint64 {
				if math.Abs(x) < map[int]float64{32: 0x1p-126, 64: 0x1p-1022}[n] && x != 0 {
					return 0
				}
				return b
			})),
		inField("%.8g", "a value that needs nine digits",
			func(p *valuePart) bool { return p.Number == "float32" }, through(8)),
		inField("%.16g", "a value that needs seventeen digits", wider(32, float), through(16)),
		inField("through a float32", "a value that a float32 cannot hold", wider(32, float),
			onFloat(func(b uint64, x float64, _ int) uint64 {
				if x == x {
					b = math.Float64bits(float64(float32(x)))
				}
				return b
			})),
		inFamily("infinity made finite", "infinity", is(float), finite(1)),
		inFamily("-infinity made finite", "-infinity", is(float), finite(-1)),
	),
	group("text",
		inField("empty", "a text that is not empty", is(text), cutText(0)),
		inField("cut at 1024", "a text longer than 1024 bytes", is(text), cutText(1024)),
		inFamily("cut at 65535", "a text longer than 65535 bytes in one of the fields", is(text), cutText(65535)),
		inFamily("one character lost", "a text of one character", is(text), onText(func(s string) string {
			if utf8.RuneCountInString(s) == 1 {
				return ""
			}
			return s
		})),
		inFamily("trimmed at the start", "a blank at the start", is(text),
			onText(func(s string) string { return strings.TrimLeft(s, " \t") })),
		inField("trimmed at the end", "a space or line break at the end", is(text),
			onText(func(s string) string { return strings.TrimRight(s, " \t\r\n") })),
		inField("NUL at the end lost", "a NUL as the last character", is(text),
			onText(func(s string) string { return strings.TrimSuffix(s, "\x00") })),
		inField("lower-cased", "a capital letter", is(text), onValid(strings.ToLower)),
		inField("CRLF to LF", "CR LF", is(text), onText(strings.NewReplacer("\r\n", "\n").Replace)),
		inField("NFC", "a letter with a combining mark, such as e U+0301", is(text), onText(composed.Replace)),
		inFamily("byte order mark lost", "U+FEFF first", is(text),
			onText(func(s string) string { return strings.TrimPrefix(s, "\uFEFF") })),
		inField("Latin-1 read as UTF-8", "a character above U+007F", is(text), onText(func(s string) string {
			var b []rune
			for i := range len(s) {
				b = append(b, rune(s[i]))
			}
			return string(b)
		})),
		inField("U+FFFD for invalid bytes", "bytes that are not UTF-8 (in wide text: a lone surrogate)", is(text),
			onText(func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") })),
		inFamily("above U+FFFF dropped", "a character above U+FFFF", is(text),
			onValid(func(s string) string { return aboveBMP.ReplaceAllString(s, "") })),
		inFamily("high surrogates changed", "a lone high surrogate", is(text), surrogates(0xA0)),
		inFamily("low surrogates changed", "a lone low surrogate", is(text), surrogates(0xB0)),
	),
	group("opaque data",
		inField("reversed", "bytes that are no palindrome", is(opaque), onBytes(func(b []byte) []byte {
			slices.Reverse(b)
			return b
		})),
		inField("last byte zeroed", "a last byte other than 0", is(opaque), onBytes(func(b []byte) []byte {
			clear(b[max(0, len(b)-1):])
			return b
		})),
		inField("empty", "at least one byte", isByteSlice, cutBytes(0)),
		inField("cut at 64", "more than 64 bytes", isByteSlice, cutBytes(64)),
		inFamily("cut at 65536", "more than 65536 bytes in one of the fields", isByteSlice, cutBytes(65536)),
		inFamily("one byte lost", "a single byte", isByteSlice, onBytes(func(b []byte) []byte {
			if len(b) == 1 {
				return nil
			}
			return b
		})),
		inFamily("zeros at the end lost", "a last byte of 0", isByteSlice,
			onBytes(func(b []byte) []byte { return bytes.TrimRight(b, "\x00") })),
	),
	group("lists",
		inField("empty", "an element", is(list), cutItems(0)),
		inField("cut at 2", "more than 2 elements", is(list), cutItems(2)),
		inField("cut at 256", "more than 256 elements", is(list), cutItems(256)),
		inFamily("cut at 65535", "more than 65535 elements in one of the lists", is(list), cutItems(65535)),
		inFamily("single element lost", "a list of one element", is(list), func(p *valuePart) tree.Node {
			if len(p.Node.Items) == 1 {
				return cutItems(0)(p)
			}
			return *p.Node
		}),
		inFamily("empty in the depth", fmt.Sprintf("a list in %d other lists", deep), nests,
			func(p *valuePart) tree.Node {
				if p.depth < deep {
					return *p.Node
				}
				return cutItems(0)(p)
			}),
		inField("reversed", "elements that differ when they are read from last to first", is(list),
			onItems(func(_ *valuePart, items []tree.Node) []tree.Node {
				slices.Reverse(items)
				return items
			})),
		inField("sorted", "elements that are not in ascending order (of numbers; else of the trees as JSON)", is(list),
			onItems(sorted)),
		inField("duplicates dropped", "the same element twice", is(list),
			onItems(func(_ *valuePart, items []tree.Node) []tree.Node {
				seen := map[string]bool{}
				return slices.DeleteFunc(items, func(n tree.Node) bool {
					dup := seen[n.String()]
					seen[n.String()] = true
					return dup
				})
			})),
		inField("transposed", "a matrix that is not symmetric", isMatrix, func(p *valuePart) tree.Node {
			out := tree.Node{Kind: tree.List}
			for i := range p.Node.Items {
				column := tree.Node{Kind: tree.List}
				for _, row := range p.Node.Items {
					column.Items = append(column.Items, row.Items[i])
				}
				out.Items = append(out.Items, column)
			}
			return out
		}),
	),
	group("enumerations",
		inField("default", "a value other than the default", is(enumeration, boolean), func(p *valuePart) tree.Node {
			if s := namedTexts[p.Model]; s != "" {
				return tree.FromText(s)
			}
			return zero(p)
		}),
		inField("always true", "false", is(boolean),
			func(*valuePart) tree.Node { return tree.Node{Kind: tree.Bool, Text: "true"} }),
	),
	group("state",
		ofField(previousObject, "two objects of the type in one input that differ in the field", always,
			func(p *valuePart) tree.Node { return p.like(p.before) }),
		ofField(keptObject, "in one input, an object with a value, then one of the same type without one", canBeEmpty,
			ifEmpty(func(p *valuePart) tree.Node { return p.like(p.keptBefore) })),
	),
	group("fields",
		ofField("absent", "a value that is present", isPointer, func(*valuePart) tree.Node { return tree.Node{} }),
		ofField("zero where absent", "a value that is absent", isPointer, ifEmpty(zero)),
	),
)

func group(name string, list ...operator) []operator {
	for i := range list {
		list[i].group = name
	}
	return list
}

// inField, inFamily and ofField return operators of the three scopes.
func inField(name, needs string, on fits, f apply) operator {
	return operator{"", name, needs, contents, on, f}
}

func inFamily(name, needs string, on fits, f apply) operator {
	return operator{"", name, needs, family, on, f}
}

func ofField(name, needs string, on fits, f apply) operator {
	return operator{"", name, needs, whole, on, f}
}

func always(*valuePart) bool { return true }

func is(kinds ...tree.FormKind) fits {
	return func(p *valuePart) bool { return slices.Contains(kinds, kindOf(p.Form)) }
}

func wider(n int, kinds ...tree.FormKind) fits {
	return func(p *valuePart) bool { return is(kinds...)(p) && p.bits() > n }
}

func isSigned(p *valuePart) bool { return strings.HasPrefix(p.Number, "int") }

func isPointer(p *valuePart) bool { return p.Pointer }

func isByteSlice(p *valuePart) bool { return p.Kind == tree.BytesForm && p.Length == 0 }

func isMatrix(p *valuePart) bool {
	return p.Kind == tree.ListForm && p.Length > 0 && p.Elements.Kind == tree.ListForm && p.Elements.Length > 0
}

// canBeEmpty fits what can be absent or empty.
func canBeEmpty(p *valuePart) bool { return p.Pointer || is(list, text)(p) || isByteSlice(p) }

const deep = 30 // below the least bound of depth that a document gives

// nests fits lists of the families with nested parts.
func nests(p *valuePart) bool {
	return kindOf(p.Form) == list && slices.Contains([]string{"ka", "uasset"}, subjectOf(p.Elements).family)
}

// onBits makes an operator of a function on the bits of a number of n bits.
func onBits(f func(b uint64, n int) uint64) apply {
	return func(p *valuePart) tree.Node {
		b, _ := p.number()
		return p.withBits(f(b, p.bits()))
	}
}

// without makes an operator that exchanges one number of n bits for 0.
func without(which func(n int) uint64) apply {
	return onBits(func(b uint64, n int) uint64 {
		if b == which(n) {
			return 0
		}
		return b
	})
}

func onFloat(f func(b uint64, x float64, n int) uint64) apply {
	return func(p *valuePart) tree.Node {
		b, x := p.number()
		return p.withBits(f(b, x, p.bits()))
	}
}

// finite makes an operator that makes an infinity the greatest finite value.
func finite(sign int) apply {
	return onFloat(func(b uint64, x float64, _ int) uint64 {
		if math.IsInf(x, sign) {
			b--
		}
		return b
	})
}

// through makes an operator of writing a number in decimal with some digits.
func through(digits int) apply {
	return func(p *valuePart) tree.Node {
		_, x := p.number()
		if p.Kind == tree.FloatForm && (x == 0 || math.IsNaN(x)) {
			return *p.Node
		}
		x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
		return p.withNumber(x)
	}
}

// withNumber returns the number or float that is near.
func (p *valuePart) withNumber(x float64) tree.Node {
	switch {
	case p.Number == "float32":
		return p.withBits(uint64(math.Float32bits(float32(x))))
	case p.Kind == tree.FloatForm:
		return p.withBits(math.Float64bits(x))
	case isSigned(p):
		return p.withBits(uint64(int64(x)))
	case x < math.MaxUint64:
		return p.withBits(uint64(x))
	}
	return p.withBits(math.MaxUint64)
}

var aboveBMP = regexp.MustCompile(`[\x{10000}-\x{10FFFF}]`)

// composed maps a letter with a combining mark to the one character.
var composed = strings.NewReplacer("a\u0301", "\u00E1", "a\u0308", "\u00E4", "e\u0301", "\u00E9",
	"o\u0308", "\u00F6", "u\u0308", "\u00FC")

func onText(f func(string) string) apply {
	return func(p *valuePart) tree.Node {
		s, _ := tree.TextOf(*p.Node)
		return tree.FromText(f(s))
	}
}

// onValid makes an operator that changes only valid UTF-8.
func onValid(f func(string) string) apply {
	return onText(func(s string) string {
		if utf8.ValidString(s) {
			return f(s)
		}
		return s
	})
}

func cutText(n int) apply { return onText(func(s string) string { return s[:min(n, len(s))] }) }

// surrogates makes an operator that changes lone surrogates: those whose second byte
// in WTF-8 has the high bits given.
func surrogates(high byte) apply {
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

func onBytes(f func(b []byte) []byte) apply {
	return func(p *valuePart) tree.Node {
		b, _ := hex.DecodeString(p.Node.Text)
		return tree.FromText(hex.EncodeToString(f(b)))
	}
}

func cutBytes(n int) apply { return onBytes(func(b []byte) []byte { return b[:min(n, len(b))] }) }

// onItems makes an operator of a function that changes a copy of the elements of a list.
func onItems(f func(p *valuePart, items []tree.Node) []tree.Node) apply {
	return func(p *valuePart) tree.Node {
		return tree.Node{Kind: tree.List, Items: f(p, slices.Clone(p.Node.Items))}
	}
}

func cutItems(n int) apply {
	return onItems(func(_ *valuePart, items []tree.Node) []tree.Node { return items[:min(n, len(items))] })
}

// sorted sorts elements by their numbers, or else by their trees as JSON.
func sorted(p *valuePart, items []tree.Node) []tree.Node {
	type keyed struct {
		item   tree.Node
		number float64
		text   string
	}
	all := make([]keyed, len(items))
	for i := range items {
		all[i] = keyed{item: items[i], text: items[i].String()}
		if e := (&valuePart{Part: p.Item(i)}); is(number, float)(e) {
			b, x := e.number()
			all[i].number, all[i].text = x, strconv.FormatUint(b, 16)
		}
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.text, b.text))
	})
	for i := range all {
		items[i] = all[i].item
	}
	return items
}

// like returns the value of another part of the same form, or that of the part.
func (p *valuePart) like(other *valuePart) tree.Node {
	if other == nil || other.Form != p.Form {
		other = p
	}
	return *other.Node
}

// zero returns the zero value, if it is valid. It is not null.
func zero(p *valuePart) tree.Node {
	if p.Kind == tree.ListForm {
		return tree.Node{Kind: tree.List}
	}
	if n, err := (tree.Part{Form: p.Form}).Zero(); err == nil {
		return n
	}
	return *p.Node
}

// ifEmpty limits an operator to parts that are absent or empty.
func ifEmpty(f apply) apply {
	return func(p *valuePart) tree.Node {
		if p.isEmpty() {
			return f(p)
		}
		return *p.Node
	}
}

// otherFields returns the operators that confuse a part with another one of the same
// form in the structure or fixed array around it.
func otherFields(p *valuePart) (out []operator) {
	for i := 0; p.up != nil && i < p.up.Len(); i++ {
		other := p.up.Item(i)
		if i == p.index || other.Form != p.Form || other.Pointer != p.Pointer {
			continue
		}
		taken := func(q *valuePart) tree.Node {
			if q.up == nil {
				return *q.Node
			}
			return q.like(&valuePart{Part: q.up.Item(i)})
		}
		out = append(out,
			operator{"fields", "taken from " + other.Name, "different values in both fields", whole, always, taken})
	}
	return out
}

// operatorsFor returns the operators that change a part of a type.
func operatorsFor(p *valuePart) []operator {
	out := slices.DeleteFunc(slices.Clone(operators), func(o operator) bool {
		return !o.fits(p) || o.scope == whole && p.fieldOf == subject{} ||
			(o.name == previousObject || o.name == keptObject) && p.depth == 0
	})
	return append(out, otherFields(p)...)
}
