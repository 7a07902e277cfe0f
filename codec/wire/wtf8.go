package wire

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Sequences of UTF-16 units are held as WTF-8: UTF-8 for well-formed text, and
// the three bytes that UTF-8 would have for a surrogate where one stands
// alone. Each sequence of units has exactly one such form.

// AppendWTF8 appends the WTF-8 form of 16-bit units.
func AppendWTF8(dst []byte, units []uint16) []byte {
	for i := 0; i < len(units); i++ {
		c := rune(units[i])
		if !utf16.IsSurrogate(c) {
			dst = utf8.AppendRune(dst, c)
			continue
		}
		if i+1 < len(units) {
			if full := utf16.DecodeRune(c, rune(units[i+1])); full != utf8.RuneError {
				dst = utf8.AppendRune(dst, full)
				i++
				continue
			}
		}
		dst = append(dst, 0xE0|byte(c>>12), 0x80|byte(c>>6&0x3F), 0x80|byte(c&0x3F))
	}
	return dst
}

// DecodeWTF8 returns the 16-bit units of a WTF-8 string. It fails where s is
// not WTF-8: not UTF-8 otherwise, or a surrogate pair spelled as two.
func DecodeWTF8(s string) ([]uint16, error) {
	units := make([]uint16, 0, len(s))
	afterHigh := false
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		if c == utf8.RuneError && size <= 1 {
			sur, ok := surrogate(s[i:])
			if !ok {
				return nil, fmt.Errorf("byte %d of the text is neither UTF-8 nor a lone surrogate", i)
			}
			low := sur >= 0xDC00
			if low && afterHigh {
				return nil, fmt.Errorf("a surrogate pair at byte %d of the text is spelled as two", i)
			}
			afterHigh = !low
			units = append(units, sur)
			i += 3
			continue
		}
		units = utf16.AppendRune(units, c)
		afterHigh = false
		i += size
	}
	return units, nil
}

// surrogate reads the three bytes of a surrogate.
func surrogate(s string) (uint16, bool) {
	if len(s) < 3 || s[0] != 0xED || s[1]&0xE0 != 0xA0 || s[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | uint16(s[1]&0x3F)<<6 | uint16(s[2]&0x3F), true
}
