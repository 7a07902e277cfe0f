package report

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
)

// nothing is the change of values that are absent.
const nothing = "null"

// A change is a way in which readers change a value.
type change struct {
	text string
	// is reports whether an expected value became another one.
	is func(want, got string) bool
}

// changesOf lists the ways that explain a difference, the most telling first.
func changesOf(r *judge.Result, kind string) (out []string) {
	d := r.Difference
	if d.Want == "" {
		return []string{"no value of the model: " + pattern(r.Message)}
	}
	want, leaf := leafText(d.Want)
	got, same := leafText(d.Got)
	switch {
	case strings.HasSuffix(d.Want, " items"):
		if itemsOf(d.Got) < itemsOf(d.Want) {
			return []string{"elements are missing"}
		}
		return []string{"more elements"}
	case d.Got == "null":
		return []string{nothing}
	case !leaf || !same:
		return nil
	}
	list := numberChanges
	switch {
	case strings.HasPrefix(kind, "float"):
		list = floatChanges
	case kind == kindText:
		list = textChanges
	case kind == "bytes":
		list = bytesChanges
	}
	for _, c := range list {
		if c.is(want, got) {
			out = append(out, c.text)
		}
	}
	return out
}

// leafText returns the text of a leaf in its short form, which may have no end. A text that
// is not UTF-8 is an object with its bytes.
func leafText(short string) (text string, ok bool) {
	if json.Unmarshal([]byte(short), &text) == nil && short != "null" {
		return text, true
	}
	if digits, found := strings.CutPrefix(short, `{"hex": "`); found {
		digits, _, _ = strings.Cut(strings.TrimSuffix(digits, "..."), `"`)
		b, err := hex.DecodeString(digits[:len(digits)&^1])
		return string(b), err == nil
	}
	text, ok = strings.CutPrefix(strings.TrimSuffix(short, "..."), `"`)
	return text, ok
}

func itemsOf(s string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(s, " items"))
	if err != nil {
		return math.MaxInt
	}
	return n
}

var floatChanges = []change{
	{"the payload of a NaN", func(want, got string) bool { return isNaN(want) && isNaN(got) }},
	{"the sign of 0", func(want, got string) bool { return want == "-0" && got == "0" }},
	{"rounded to float32", func(want, got string) bool {
		w, _ := strconv.ParseFloat(want, 64)
		g, err := strconv.ParseFloat(got, 64)
		return err == nil && float64(float32(w)) == g
	}},
}

func isNaN(s string) bool { return s == tree.NaN || strings.HasPrefix(s, tree.NaNBits) }

var textChanges = []change{
	{"upper and lower case", strings.EqualFold},
	{"the end is lost", func(want, got string) bool { return strings.HasPrefix(want, got) }},
	{"blanks are lost", func(want, got string) bool { return strings.TrimSpace(want) == got }},
	{"texts with bytes above 0x7F", func(want, _ string) bool {
		return strings.ContainsFunc(want, func(r rune) bool { return r > unicode.MaxASCII })
	}},
	{"texts with control characters", func(want, _ string) bool { return strings.ContainsFunc(want, unicode.IsControl) }},
}

var bytesChanges = []change{
	{"the same bytes in another order", func(want, got string) bool {
		if len(want) != len(got) {
			return false
		}
		pairs := func(s string) []string {
			var out []string
			for i := 0; i+1 < len(s); i += 2 {
				out = append(out, s[i:i+2])
			}
			slices.Sort(out)
			return out
		}
		return slices.Equal(pairs(want), pairs(got))
	}},
	{"the end is lost", strings.HasPrefix},
}

var numberChanges = []change{
	integer("the sign is lost", func(want, got *big.Int) bool { return want.Sign() < 0 && want.CmpAbs(got) == 0 }),
	integer("signed and unsigned", func(want, got *big.Int) bool {
		d := new(big.Int).Sub(want, got)
		n := d.Abs(d).BitLen() - 1
		return (want.Sign() < 0) != (got.Sign() < 0) && n >= 8 && n%8 == 0 && d.TrailingZeroBits() == uint(n)
	}),
	integer("cut off at a limit", func(want, got *big.Int) bool {
		next := new(big.Int).Add(got, big.NewInt(1))
		n := next.BitLen() - 1
		return want.Cmp(got) > 0 && n >= 7 && next.TrailingZeroBits() == uint(n)
	}),
	integer("upper bits are lost", func(want, got *big.Int) bool {
		d := new(big.Int).Sub(want, got)
		return got.Sign() >= 0 && d.Sign() > 0 && d.TrailingZeroBits() >= uint(max(7, got.BitLen()))
	}),
	integer("rounded to 53 bits", func(want, got *big.Int) bool {
		f, _ := new(big.Float).SetInt(want).Float64()
		rounded, _ := big.NewFloat(f).Int(nil)
		return want.BitLen() > 53 && new(big.Int).Sub(rounded, got).BitLen() <= 1
	}),
	integer("values from 2^63 on", func(want, _ *big.Int) bool { return want.BitLen() == 64 }),
	integer("values from 2^31 on", func(want, _ *big.Int) bool { return want.Sign() > 0 && want.BitLen() > 31 }),
	integer("negative values", func(want, _ *big.Int) bool { return want.Sign() < 0 }),
}

func integer(text string, is func(want, got *big.Int) bool) change {
	return change{text, func(want, got string) bool {
		w, ok := new(big.Int).SetString(want, 10)
		g, both := new(big.Int).SetString(got, 10)
		return ok && both && is(w, g)
	}}
}
