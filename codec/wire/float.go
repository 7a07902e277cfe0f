package wire

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// FormatFloat32 gives the shortest decimal that restores the bits; of several the
// nearest; of two equally near the one whose last digit is even. It gives inf, -inf,
// -0, and nan: with eight hex digits.
func FormatFloat32(v float32) string {
	if v != v {
		return fmt.Sprintf("nan:%08x", math.Float32bits(v))
	}
	return formatFloat(float64(v), 32)
}

// FormatFloat64 is [FormatFloat32] for 64 bits; a NaN has sixteen hex digits.
func FormatFloat64(v float64) string {
	if v != v {
		return fmt.Sprintf("nan:%016x", math.Float64bits(v))
	}
	return formatFloat(v, 64)
}

func formatFloat(v float64, size int) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	format := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return toEven(v, strconv.FormatFloat(v, format, -1, size), size)
}

// toEven returns the other shortest decimal if two are equally near and the last digit
// of text is odd: versions of Go differ there.
func toEven(v float64, text string, size int) string {
	const digits = "123456789"
	mantissa, _, _ := strings.Cut(text, "e")
	first, last := strings.IndexAny(mantissa, digits), strings.LastIndexAny(mantissa, digits)
	if last < 0 {
		return text
	}
	after := last - first // the digits after the first
	if dot := strings.IndexByte(mantissa, '.'); first < dot && dot < last {
		after--
	}
	nearest := strconv.FormatFloat(v, 'e', after, size) // to even, but it may be another float
	even := nearest[strings.IndexByte(nearest, 'e')-1]
	if even == text[last] {
		return text
	}
	other := text[:last] + string(even) + text[last+1:]
	if back, err := strconv.ParseFloat(other, size); err != nil || back != v {
		return text
	}
	return other
}
