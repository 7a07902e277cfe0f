package wire

import (
	"fmt"
	"math"
	"strconv"
)

// FormatFloat32 gives the shortest decimal that restores the bits; inf, -inf,
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
	return strconv.FormatFloat(v, format, -1, size)
}
