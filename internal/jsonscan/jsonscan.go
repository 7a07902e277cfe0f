// Package jsonscan scans JSON strictly, one value at a time: names are
// case-sensitive, the text must be UTF-8, and every escape must encode a
// character. encoding/json is too lenient for the protocol (it accepts OK for
// ok) and too slow for its number of lines.
package jsonscan

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ValueKind is the kind of the next value, which its first byte determines.
type ValueKind byte

// The kinds of values. End is the end of the text, or an invalid byte.
const (
	End    ValueKind = 0
	Object ValueKind = '{'
	Array  ValueKind = '['
	String ValueKind = '"'
	Number ValueKind = '0'
	True   ValueKind = 't'
	False  ValueKind = 'f'
	Null   ValueKind = 'n'
)

// MaxDepth limits the nesting of values, so that hostile text cannot exhaust the
// stack.
const MaxDepth = 1000

// A Scanner is a position in a text.
type Scanner struct {
	text  []byte
	pos   int
	depth int
}

// New returns a scanner at the start of a text.
func New(text []byte) *Scanner { return &Scanner{text: text} }

func (s *Scanner) fail(format string, args ...any) error {
	return fmt.Errorf("%s at byte %d", fmt.Sprintf(format, args...), s.pos)
}

func (s *Scanner) skipSpace() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// Next returns the kind of the next value without moving past it.
func (s *Scanner) Next() ValueKind {
	s.skipSpace()
	if s.pos == len(s.text) {
		return End
	}
	switch c := s.text[s.pos]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return ValueKind(c)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return Number
	}
	return End
}

// Done returns an error unless the text ends at the position.
func (s *Scanner) Done() error {
	if s.skipSpace(); s.pos < len(s.text) {
		return s.fail("expected the end, found another value")
	}
	return nil
}

func (s *Scanner) expect(k ValueKind, name string) error {
	if got := s.Next(); got != k {
		return s.fail("expected %s, found %s", name, s.excerpt())
	}
	return nil
}

// excerpt shows the next bytes.
func (s *Scanner) excerpt() string {
	if s.pos == len(s.text) {
		return "the end"
	}
	return fmt.Sprintf("%.20q", s.text[s.pos:])
}

// Object scans an object. It calls field at the value of each name. A name that
// occurs twice is an error.
func (s *Scanner) Object(field func(name string) error) error {
	if err := s.expect(Object, "an object"); err != nil {
		return err
	}
	var buf [8]string
	seen := buf[:0]
	return s.items('}', func() error {
		name, err := s.String()
		if err != nil {
			return err
		}
		for _, other := range seen {
			if other == name {
				return s.fail("%q occurs twice", name)
			}
		}
		if len(seen) < 64 { // in larger objects the caller checks the names
			seen = append(seen, name)
		}
		if s.skipSpace(); s.pos == len(s.text) || s.text[s.pos] != ':' {
			return s.fail("expected a colon, found %s", s.excerpt())
		}
		s.pos++
		return field(name)
	})
}

// Left returns the number of bytes that are not scanned yet.
func (s *Scanner) Left() int { return len(s.text) - s.pos }

// Array scans an array. It calls item at each value.
func (s *Scanner) Array(item func() error) error {
	if err := s.expect(Array, "an array"); err != nil {
		return err
	}
	return s.items(']', item)
}

func (s *Scanner) items(closing byte, item func() error) error {
	if s.depth++; s.depth > MaxDepth {
		return s.fail("nested more than %d levels deep", MaxDepth)
	}
	s.pos++
	s.skipSpace()
	if s.pos < len(s.text) && s.text[s.pos] == closing {
		s.pos++
		s.depth--
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if s.skipSpace(); s.pos == len(s.text) {
			return s.fail("expected a comma or a closing bracket, found the end")
		}
		switch s.text[s.pos] {
		case ',':
			s.pos++
		case closing:
			s.pos++
			s.depth--
			return nil
		default:
			return s.fail("expected a comma or %q, found %s", closing, s.excerpt())
		}
	}
}

// String scans a string.
func (s *Scanner) String() (string, error) {
	if err := s.expect(String, "a string"); err != nil {
		return "", err
	}
	start := s.pos + 1
	for i := start; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.pos = i + 1
			return string(s.text[start:i]), nil
		case c == '\\' || c >= utf8.RuneSelf || c < 0x20:
			return s.escaped(start, i)
		}
	}
	return "", s.fail("missing closing quote of a string")
}

// escaped scans the string that begins at start, from its first byte that is an
// escape, not ASCII or invalid.
func (s *Scanner) escaped(start, from int) (string, error) {
	out := append([]byte(nil), s.text[start:from]...)
	for s.pos = from; s.pos < len(s.text); {
		c := s.text[s.pos]
		switch {
		case c == '"':
			s.pos++
			return string(out), nil
		case c == '\\':
			r, err := s.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
		case c < 0x20:
			return "", s.fail("control character in a string")
		default:
			r, size := utf8.DecodeRune(s.text[s.pos:])
			if r == utf8.RuneError && size == 1 {
				return "", s.fail("text is not UTF-8")
			}
			out = append(out, s.text[s.pos:s.pos+size]...)
			s.pos += size
		}
	}
	return "", s.fail("missing closing quote of a string")
}

var simple = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (s *Scanner) escape() (rune, error) {
	if s.pos+1 == len(s.text) {
		return 0, s.fail("missing closing quote of a string")
	}
	c := s.text[s.pos+1]
	if r, ok := simple[c]; ok {
		s.pos += 2
		return r, nil
	}
	r, ok := s.unit(s.pos)
	if !ok {
		return 0, s.fail("invalid escape: %s", s.excerpt())
	}
	if !utf16.IsSurrogate(r) {
		s.pos += 6
		return r, nil
	}
	low, ok := s.unit(s.pos + 6)
	if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
		s.pos += 12
		return pair, nil
	}
	return 0, s.fail("unpaired surrogate: %s", s.excerpt())
}

// unit scans \uXXXX.
func (s *Scanner) unit(at int) (rune, bool) {
	if at+6 > len(s.text) || s.text[at] != '\\' || s.text[at+1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s.text[at+2:at+6]), 16, 16)
	return rune(v), err == nil
}

// Bool scans true or false.
func (s *Scanner) Bool() (bool, error) {
	if s.Next() == True {
		return true, s.word("true")
	}
	return false, s.word("false")
}

// Null scans null.
func (s *Scanner) Null() error { return s.word("null") }

func (s *Scanner) word(w string) error {
	s.skipSpace()
	if end := s.pos + len(w); end > len(s.text) || string(s.text[s.pos:end]) != w {
		return s.fail("expected %s, found %s", w, s.excerpt())
	}
	s.pos += len(w)
	return nil
}

// Number scans a number and returns its text unchanged.
func (s *Scanner) Number() (string, error) {
	if err := s.expect(Number, "a number"); err != nil {
		return "", err
	}
	start, i := s.pos, s.pos
	digits := func() bool {
		from := i
		for i < len(s.text) && s.text[i] >= '0' && s.text[i] <= '9' {
			i++
		}
		return i > from
	}
	is := func(set string) bool {
		for _, c := range []byte(set) {
			if i < len(s.text) && s.text[i] == c {
				i++
				return true
			}
		}
		return false
	}
	is("-")
	ok := is("0") || digits()
	if ok && is(".") {
		ok = digits()
	}
	if ok && is("eE") {
		is("+-")
		ok = digits()
	}
	if !ok {
		return "", s.fail("invalid number: %s", s.excerpt())
	}
	s.pos = i
	return string(s.text[start:i]), nil
}

// Int scans an integer. It can have a fraction of zeros, and no exponent.
func (s *Scanner) Int() (int64, error) {
	text, err := s.Number()
	if err != nil {
		return 0, err
	}
	whole, fraction, _ := strings.Cut(text, ".")
	v, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || strings.Trim(fraction, "0") != "" {
		return 0, fmt.Errorf("%s is not an integer of 64 bits without an exponent", text)
	}
	return v, nil
}

// Skip scans a value of any kind.
func (s *Scanner) Skip() error {
	switch s.Next() {
	case Object:
		return s.Object(func(string) error { return s.Skip() })
	case Array:
		return s.Array(s.Skip)
	case String:
		_, err := s.String()
		return err
	case Number:
		_, err := s.Number()
		return err
	case True, False:
		_, err := s.Bool()
		return err
	case Null:
		return s.Null()
	}
	return s.fail("expected a value, found %s", s.excerpt())
}
