package power

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

//go:embed primitives.toml
var primitivesText string

// absence says why no vector can have certain primitive values. It is in force for
// empty cells alone.
type absence struct {
	Cells  []string `toml:"cells"` // as "upkg text: NUL inside, written"; * matches any text
	Reason string   `toml:"reason"`
}

// A sample is a kind of value of some primitives.
type sample struct {
	primitives []string
	name       string
	is         func(reflect.Value) bool
}

var (
	signedNumbers   = []string{"int8", "int16", "int32", "int64"}
	unsignedNumbers = []string{"uint8", "uint16", "uint32", "uint64"}
	bothTexts       = []string{"text", "wide text"}
	bothFloats      = []string{"float32", "float64"}
)

// primitives lists the primitives in the order of the table, and samples what a
// family that has one of them has to show.
var primitives = slices.Concat(bothTexts, []string{"bytes", "bool"}, unsignedNumbers, signedNumbers, bothFloats, []string{"list", "count", "length", "depth", "rejected wide text"})

var samples = slices.Concat(
	[]sample{
		{bothTexts, "empty", ofText(func(s string) bool { return s == "" })},
		{bothTexts, "one character", ofText(func(s string) bool { return utf8.RuneCountInString(s) == 1 })},
		{bothTexts, "NUL inside", ofText(func(s string) bool { return strings.Contains(strings.TrimRight(s, "\x00"), "\x00") })},
		{bothTexts, "NUL at the end", ofText(func(s string) bool { return strings.HasSuffix(s, "\x00") })},
		{bothTexts, "blank at the start", ofText(func(s string) bool { return strings.HasPrefix(s, " ") })},
		{bothTexts, "blank at the end", ofText(func(s string) bool { return strings.HasSuffix(s, " ") })},
		{bothTexts, "CR LF", ofText(func(s string) bool { return strings.Contains(s, "\r\n") })},
		{bothTexts, "combining mark", ofText(func(s string) bool { return composed.Replace(s) != s })},
		{bothTexts, "U+FEFF first", ofText(func(s string) bool { return strings.HasPrefix(s, "\uFEFF") })},
		{bothTexts, "above U+007F", ofText(func(s string) bool { return utf8.ValidString(s) && utf8.RuneCountInString(s) < len(s) })},
		{bothTexts, "above U+FFFF", ofText(func(s string) bool { return strings.ContainsFunc(s, func(r rune) bool { return r > 0xFFFF }) })},
		{bothTexts, "longer than 255", ofText(func(s string) bool { return utf8.RuneCountInString(s) > 255 })},
		{bothTexts, "longer than 65,535", ofText(func(s string) bool { return utf8.RuneCountInString(s) > 65535 })},
		{[]string{"text"}, "not UTF-8", ofText(func(s string) bool { return !utf8.ValidString(s) })},
		{[]string{"wide text"}, "lone high surrogate", ofText(func(s string) bool { return strings.Contains(loneSurrogates(s), "h") })},
		{[]string{"wide text"}, "lone low surrogate", ofText(func(s string) bool { return strings.Contains(loneSurrogates(s), "l") })},
		{[]string{"wide text"}, "surrogates in the wrong order", ofText(func(s string) bool { return strings.Contains(loneSurrogates(s), "lh") })},
		{[]string{"bytes", "list"}, "empty", ofLength(func(n int) bool { return n == 0 })},
		{[]string{"bytes", "list"}, "one element", ofLength(func(n int) bool { return n == 1 })},
		{[]string{"bytes"}, "0 at the end", func(v reflect.Value) bool { return v.Len() > 0 && v.Index(v.Len()-1).IsZero() }},
		{[]string{"list"}, "three different elements", func(v reflect.Value) bool {
			return v.Len() >= 3 && !same(v.Index(0), v.Index(1)) && !same(v.Index(1), v.Index(2)) && !same(v.Index(0), v.Index(2))
		}},
		{[]string{"list"}, "the same element twice", func(v reflect.Value) bool { return v.Len() >= 2 && same(v.Index(0), v.Index(1)) }},
		{[]string{"bytes", "list"}, "more than 255 elements", ofLength(func(n int) bool { return n > 255 })},
		{[]string{"bytes", "list"}, "more than 65,535 elements", ofLength(func(n int) bool { return n > 65535 })},
		{[]string{"bool"}, "false", reflect.Value.IsZero},
		{[]string{"bool"}, "true", reflect.Value.Bool},
		{slices.Concat(unsignedNumbers, signedNumbers), "0", reflect.Value.IsZero},
		{unsignedNumbers, "highest bit", ofBits(func(b uint64, n int) bool { return b>>(n-1) == 1 && b != math.MaxUint64>>(64-n) })},
		{unsignedNumbers, "greatest", ofBits(func(b uint64, n int) bool { return b == math.MaxUint64>>(64-n) })},
		{signedNumbers, "-1", ofBits(func(b uint64, n int) bool { return b == math.MaxUint64>>(64-n) })},
		{signedNumbers, "least", ofBits(func(b uint64, n int) bool { return b == 1<<(n-1) })},
		{signedNumbers, "greatest", ofBits(func(b uint64, n int) bool { return b == 1<<(n-1)-1 })},
		{slices.Concat(unsignedNumbers[1:], signedNumbers[1:]), "all bytes different", ofBits(func(b uint64, n int) bool {
			seen := map[byte]bool{}
			for i := 0; i < n; i += 8 {
				seen[byte(b>>i)] = true
			}
			return len(seen) == n/8
		})},
		{bothFloats, "-0", ofBits(func(b uint64, n int) bool { return b == 1<<(n-1) })},
		{bothFloats, "infinity", func(v reflect.Value) bool { return math.IsInf(v.Float(), 1) }},
		{bothFloats, "-infinity", func(v reflect.Value) bool { return math.IsInf(v.Float(), -1) }},
		{bothFloats, "quiet NaN with payload", ofFraction(func(top bool, rest uint64) bool { return top && rest != 0 })},
		{bothFloats, "signalling NaN", ofFraction(func(top bool, rest uint64) bool { return !top && rest != 0 })},
		{bothFloats, "subnormal", func(v reflect.Value) bool {
			f := math.Abs(v.Float())
			return f > 0 && (f < 0x1p-1022 || v.Type().Bits() == 32 && f < 0x1p-126)
		}},
		{bothFloats, "nine or seventeen digits", func(v reflect.Value) bool {
			n := map[int]int{32: 8, 64: 16}[v.Type().Bits()]
			f, _ := strconv.ParseFloat(strconv.FormatFloat(v.Float(), 'g', n, 64), v.Type().Bits())
			return !math.IsNaN(f) && f != v.Float()
		}},
	},
	[]sample{
		{[]string{"count", "length"}, "exceeds the input", ofBits(func(uint64, int) bool { return true })},
		{[]string{"count", "length"}, "2^31 or more", ofBits(func(b uint64, _ int) bool { return b >= 1<<31 })},
		{[]string{"rejected wide text"}, "two surrogates that are a pair", ofText(func(s string) bool { return strings.Contains(loneSurrogates(s), "hl") })},
		{[]string{"rejected wide text"}, "stray continuation", ofText(func(s string) bool { return illFormed(s) == "stray" })},
		{[]string{"rejected wide text"}, "cut off", ofText(func(s string) bool { return illFormed(s) == "cut" })},
		{[]string{"rejected wide text"}, "longer than necessary", ofText(func(s string) bool { return illFormed(s) == "long" })},
		{[]string{"rejected wide text"}, "above U+10FFFF", ofText(func(s string) bool { return illFormed(s) == "above" })},
		{[]string{"depth"}, "bound", nil},
		{[]string{"depth"}, "bound + 1", nil},
	},
)

func ofText(is func(string) bool) func(reflect.Value) bool {
	return func(v reflect.Value) bool { return is(v.String()) }
}

func ofLength(is func(int) bool) func(reflect.Value) bool {
	return func(v reflect.Value) bool { return is(v.Len()) }
}

func ofBits(is func(b uint64, n int) bool) func(reflect.Value) bool {
	return func(v reflect.Value) bool { return is(bitsOf(v), v.Type().Bits()) }
}

// ofFraction is about the fraction of a NaN: its top bit and the rest.
func ofFraction(is func(top bool, rest uint64) bool) func(reflect.Value) bool {
	return func(v reflect.Value) bool {
		n := map[int]int{32: 22, 64: 51}[v.Type().Bits()]
		b := bitsOf(v)
		return math.IsNaN(v.Float()) && is(b>>n&1 == 1, b&(1<<n-1))
	}
}

// loneSurrogates returns h or l for each lone surrogate in WTF-8, and - for every
// other byte.
func loneSurrogates(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != 0xED || i+2 >= len(s) || s[i+1] < 0xA0:
			b.WriteByte('-')
			continue
		case s[i+1] < 0xB0:
			b.WriteByte('h')
		default:
			b.WriteByte('l')
		}
		i += 2
	}
	return b.String()
}

// illFormed returns what is wrong at the first byte that is neither UTF-8 nor of a
// surrogate.
func illFormed(s string) string {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		next := byte(0)
		if len(s) > 1 {
			next = s[1]
		}
		switch c := s[0]; {
		case r != utf8.RuneError || n > 1:
		case c == 0xED && next >= 0xA0 && len(s) > 2:
			n = 3
		case c < 0xC0:
			return "stray"
		case c < 0xC2, c == 0xE0 && next&0xE0 == 0x80, c == 0xF0 && next&0xF0 == 0x80:
			return "long"
		case c > 0xF4, c == 0xF4 && next >= 0x90:
			return "above"
		default:
			return "cut"
		}
		s = s[n:]
	}
	return ""
}

// primitiveOf returns the primitive of a part, or "" if it is none that families
// share.
func primitiveOf(p *valuePart) string {
	t := p.v.Type()
	switch kindOf(t) {
	case number, float:
		if t.Name() != "CompactIndex" { // its numbers of bytes differ
			return t.Kind().String()
		}
	case boolean:
		return "bool"
	case list:
		return "list"
	case opaque:
		if t.Kind() == reflect.Slice {
			return "bytes"
		}
	case text:
		if t.Name() == "BasicWString" {
			return "wide text"
		}
		if p.up == nil || p.up.v.Kind() != reflect.Struct {
			return "text"
		}
		around := p.up.v
		if id := around.FieldByName("ID"); id.IsValid() && !id.IsZero() && id.Kind() == reflect.Pointer {
			return "" // the text of another part
		}
		wide, form := around.FieldByName("Wide"), around.FieldByName("Form")
		if around.Type().Name() == "WideString" || wide.IsValid() && wide.Bool() || form.IsValid() && fmt.Sprint(form) == "utf16" {
			return "wide text"
		}
		return "text"
	}
	return ""
}

// bounds are the depths that a reader has to accept (KA-ARC-6 says the limit of the
// reference, UA-LST-3 the least bound), and the types that count.
var bounds = map[string]struct {
	depth int
	types *regexp.Regexp
}{
	"ka":     {64, regexp.MustCompile(`^(KeyedArchive|Archive|Array|BodyV0x0...)$`)},
	"uasset": {32, regexp.MustCompile(`^(PropertyList|MaterialTextureInfo)$`)},
}

// depthOf returns how many parts of certain types contain each other.
func depthOf(v reflect.Value, types *regexp.Regexp) int {
	depth := 0
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			depth = max(depth, depthOf(v.Field(i), types))
		}
	case reflect.Slice:
		for i := range v.Len() {
			depth = max(depth, depthOf(v.Index(i), types))
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return depthOf(v.Elem(), types)
		}
	}
	if types.MatchString(v.Type().Name()) {
		depth++
	}
	return depth
}

// exceeding finds a count or length that exceeds the input in the detail of an
// error of the reference.
var exceeding = regexp.MustCompile(`for a (count|length) of (\d+)`)

// inventory contains, by cell, the vectors that have the value: for each cell of
// each family that has the primitive.
func inventory(cases []*testCase) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, tc := range cases {
		for way, has := range map[string]map[found]bool{"read": foundIn(tc, tc.read, tc.readErr, true), "written": foundIn(tc, tc.write, tc.writeErr, false)} {
			for f, is := range has {
				for _, w := range []string{"read", "written"} {
					cell := fmt.Sprintf("%s %s: %s, %s", tc.Vector.Family(), f.primitive, f.sample, w)
					if out[cell] == nil {
						out[cell] = map[string]bool{}
					}
					if is && w == way {
						out[cell][tc.ID] = true
					}
				}
			}
		}
	}
	return out
}

// found is a sample of a primitive.
type found struct{ primitive, sample string }

// foundIn returns, for each sample of each primitive in a value, whether the value
// has it. The value can be nil, or one that is rejected.
func foundIn(tc *testCase, v *value, err *wire.Error, reading bool) map[found]bool {
	has := map[found]bool{}
	visit := func(primitive string, v reflect.Value) {
		for i := range samples {
			s := &samples[i]
			f := found{primitive, s.name}
			if s.is != nil && slices.Contains(s.primitives, primitive) && !has[f] {
				has[f] = s.is(v)
			}
		}
	}
	if b, ok := bounds[tc.Vector.Family()]; ok {
		has[found{"depth", "bound"}] = v != nil && err == nil && depthOf(v.root, b.types) == b.depth
		has[found{"depth", "bound + 1"}] = err != nil && err.Class == wire.Limit
	}
	if err != nil && reading {
		if f := exceeding.FindStringSubmatch(err.Detail); f != nil {
			n, _ := strconv.ParseUint(f[2], 10, 64)
			visit(f[1], reflect.ValueOf(n))
		}
	}
	if v == nil {
		return has
	}
	walkValue(v.root, tc.typ.Name, false, func(p *valuePart) {
		switch name := primitiveOf(p); {
		case err == nil:
			visit(name, p.v)
		case name == "wide text":
			visit("rejected wide text", p.v)
		}
	})
	return has
}

const primitivesTitle = "\n## Shared primitives\n"

const primitivesHead = primitivesTitle + `
What one family tests of a text, a number, a count or a depth, the others test too. Each cell gives the numbers of vectors that decode such a value and that encode one; a value of which a count, length or depth is rejected has no tree and counts for decoding; *rejected wide text* is a value that a writer rejects. A family without the primitive has an empty cell, and a number in parentheses is a reason ([primitives.toml](../conformance/power/primitives.toml)). Lengths of text are in characters.

`

// Primitives returns the section about the values of shared primitives, and an
// error if a cell is empty without a reason or a reason is for no empty cell.
func Primitives(vectors []*corpus.Vector) (string, error) {
	var file struct {
		Absent []absence `toml:"absent"`
	}
	if _, err := toml.Decode(primitivesText, &file); err != nil {
		return "", err
	}
	cases, err := newCases(allCases(vectors))
	if err != nil {
		return "", err
	}
	cells := inventory(cases)
	needed := make([][]bool, len(file.Absent))
	for i, a := range file.Absent {
		needed[i] = make([]bool, len(a.Cells))
	}
	var errs []error
	one := func(cell string) string {
		if n := len(cells[cell]); n > 0 {
			return strconv.Itoa(n)
		}
		found := ""
		for i, a := range file.Absent {
			for k, pattern := range a.Cells {
				if matches(pattern, cell) {
					needed[i][k] = true
					found = fmt.Sprintf("(%d)", i+1)
				}
			}
		}
		if found == "" {
			errs = append(errs, fmt.Errorf("no vector has %s, and primitives.toml does not say why", cell))
		}
		return found
	}
	var families []string
	for _, f := range spec.Families() {
		families = append(families, f.Name)
	}
	var b strings.Builder
	b.WriteString(primitivesHead)
	fmt.Fprintf(&b, "| primitive | value | %s |\n| --- | --- |%s\n", strings.Join(families, " | "), strings.Repeat(" --- |", len(families)))
	for _, primitive := range primitives {
		for _, s := range samples {
			if !slices.Contains(s.primitives, primitive) {
				continue
			}
			fmt.Fprintf(&b, "| %s | %s |", primitive, s.name)
			for _, family := range families {
				cell := fmt.Sprintf("%s %s: %s, ", family, primitive, s.name)
				if cells[cell+"read"] == nil && cells[cell+"written"] == nil {
					b.WriteString(" |")
					continue
				}
				fmt.Fprintf(&b, " %s / %s |", one(cell+"read"), one(cell+"written"))
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("\n")
	for i, a := range file.Absent {
		fmt.Fprintf(&b, "(%d) %s\n\n", i+1, a.Reason)
		for k, used := range needed[i] {
			if !used {
				errs = append(errs, fmt.Errorf("primitives.toml: %q matches no empty cell", a.Cells[k]))
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n"), errors.Join(errs...)
}

// WithPrimitives returns the page with another section of Primitives.
func WithPrimitives(page, section string) string {
	head, tail, _ := strings.Cut(page, survivedTitle)
	head, _, _ = strings.Cut(head, primitivesTitle)
	return head + section + survivedTitle + tail
}
