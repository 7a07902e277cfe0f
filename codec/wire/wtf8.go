package wire

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Models represent sequences of UTF-16 units as WTF-8: UTF-8 for well-formed
// text, and three bytes in the pattern of UTF-8 for each unpaired surrogate.
// Each sequence of units has exactly one such form.

// AppendWTF8 appends the WTF-8 form of 16-bit units.
func AppendWTF8(dst []byte, units []uint16) []byte {
	return appendUnits(dst, len(units), func(i int) uint16 { return units[i] })
}

func appendUnits(dst []byte, n int, unit func(i int) uint16) []byte {
	for i := 0; i < n; i++ {
		c := rune(unit(i))
		if utf16.IsSurrogate(c) && i+1 < n {
			if full := utf16.DecodeRune(c, rune(unit(i+1))); full != utf8.RuneError {
				c = full
				i++
			}
		}
		dst = AppendWTF8Rune(dst, c)
	}
	return dst
}

// AppendWTF8Rune appends a code point, which may be a surrogate.
func AppendWTF8Rune(dst []byte, c rune) []byte {
	if utf16.IsSurrogate(c) {
		return append(dst, 0xE0|byte(c>>12), 0x80|byte(c>>6&0x3F), 0x80|byte(c&0x3F))
	}
	return utf8.AppendRune(dst, c)
}

// DecodeWTF8 returns the 16-bit units of a WTF-8 string. It fails like
// [CountUnits].
func DecodeWTF8(s string) ([]uint16, error) {
	n, err := CountUnits(s)
	if err != nil {
		return nil, err
	}
	units := make([]uint16, 0, n)
	for i := 0; i < len(s); {
		c, size := DecodeWTF8Rune(s[i:])
		units = appendUnit(units, c)
		i += size
	}
	return units, nil
}

// appendUnit appends a code point, which may be a surrogate.
func appendUnit(units []uint16, c rune) []uint16 {
	if utf16.IsSurrogate(c) {
		return append(units, uint16(c))
	}
	return utf16.AppendRune(units, c)
}

// CountUnits returns the number of 16-bit units of a WTF-8 string. It fails if
// s is not WTF-8: an invalid byte sequence, or a surrogate pair encoded as two
// surrogates.
func CountUnits(s string) (n int, err error) {
	afterHigh := false
	for i := 0; i < len(s); {
		c, size := DecodeWTF8Rune(s[i:])
		low := utf16.IsSurrogate(c) && c >= 0xDC00
		switch {
		case size == 0:
			return 0, fmt.Errorf("expected UTF-8 or a surrogate of three bytes at byte %d of the text, found 0x%02x", i, s[i])
		case low && afterHigh:
			return 0, fmt.Errorf("expected one character of four bytes, found two surrogates of three bytes each, the second "+
				"at byte %d of the text", i)
		case c > 0xFFFF:
			n++
		}
		n++
		afterHigh = utf16.IsSurrogate(c) && !low
		i += size
	}
	return n, nil
}

// DecodeWTF8Rune returns the first code point of s, which may be a surrogate,
// and its size in bytes: 0 if s is empty or does not begin with a code point.
func DecodeWTF8Rune(s string) (rune, int) {
	c, size := utf8.DecodeRuneInString(s)
	if c != utf8.RuneError || size > 1 {
		return c, size
	}
	if len(s) < 3 || s[0] != 0xED || s[1]&0xE0 != 0xA0 || s[2]&0xC0 != 0x80 {
		return utf8.RuneError, 0
	}
	return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
}
