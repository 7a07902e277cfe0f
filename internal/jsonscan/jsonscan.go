// Package jsonscan reads JSON one value at a time, strictly: names are
// compared as they stand, the text is UTF-8, and every escape stands for a
// character. The protocol's lines pass through it by the ten thousand, and
// encoding/json is too lenient for a judge: it takes OK for ok.
package jsonscan

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Kind is what the next value is, told by its first byte.
type Kind byte

// The kinds of values. End is the end of the text, or no value.
const (
	End    Kind = 0
	Object Kind = '{'
	Array  Kind = '['
	String Kind = '"'
	Number Kind = '0'
	True   Kind = 't'
	False  Kind = 'f'
	Null   Kind = 'n'
)

// MaxDepth bounds the nesting of values, so that hostile text cannot exhaust
// the stack.
const MaxDepth = 1000

// A Scanner is a place in a text.
type Scanner struct {
	text  []byte
	pos   int
	depth int
}

// New returns a scanner at the beginning of a text.
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

// Next tells what the next value is without moving past it.
func (s *Scanner) Next() Kind {
	s.skipSpace()
	if s.pos == len(s.text) {
		return End
	}
	switch c := s.text[s.pos]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return Kind(c)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return Number
	}
	return End
}

// Done fails unless the text ends here.
func (s *Scanner) Done() error {
	if s.skipSpace(); s.pos < len(s.text) {
		return s.fail("more than one value")
	}
	return nil
}

func (s *Scanner) expect(k Kind, name string) error {
	if got := s.Next(); got != k {
		return s.fail("want %s, have %s", name, s.excerpt())
	}
	return nil
}

// near shows a little of what stands here.
func (s *Scanner) excerpt() string {
	if s.pos == len(s.text) {
		return "the end"
	}
	return fmt.Sprintf("%.20q", s.text[s.pos:])
}

// Object reads an object; field reads the value of each name. A name that is
// there twice is an error.
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
				return s.fail("%q is there twice", name)
			}
		}
		if len(seen) < 64 { // wider objects are told apart by whoever knows their names
			seen = append(seen, name)
		}
		if s.skipSpace(); s.pos == len(s.text) || s.text[s.pos] != ':' {
			return s.fail("want a colon, have %s", s.excerpt())
		}
		s.pos++
		return field(name)
	})
}

// Array reads an array; item reads each of its values.
func (s *Scanner) Array(item func() error) error {
	if err := s.expect(Array, "an array"); err != nil {
		return err
	}
	return s.items(']', item)
}

func (s *Scanner) items(closing byte, item func() error) error {
	if s.depth++; s.depth > MaxDepth {
		return s.fail("nested deeper than %d levels", MaxDepth)
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
			return s.fail("the text ends")
		}
		switch s.text[s.pos] {
		case ',':
			s.pos++
		case closing:
			s.pos++
			s.depth--
			return nil
		default:
			return s.fail("want a comma or %q, have %s", closing, s.excerpt())
		}
	}
}

// String reads a string.
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
	return "", s.fail("a string does not end")
}

// escaped reads the string that began at start, from its first byte that
// needs a closer look.
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
			return "", s.fail("a control character in a string")
		default:
			r, size := utf8.DecodeRune(s.text[s.pos:])
			if r == utf8.RuneError && size == 1 {
				return "", s.fail("text that is not UTF-8")
			}
			out = append(out, s.text[s.pos:s.pos+size]...)
			s.pos += size
		}
	}
	return "", s.fail("a string does not end")
}

var simple = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (s *Scanner) escape() (rune, error) {
	if s.pos+1 == len(s.text) {
		return 0, s.fail("a string does not end")
	}
	c := s.text[s.pos+1]
	if r, ok := simple[c]; ok {
		s.pos += 2
		return r, nil
	}
	r, ok := s.unit(s.pos)
	if !ok {
		return 0, s.fail("no such escape: %s", s.excerpt())
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
	return 0, s.fail("half of a surrogate pair: %s", s.excerpt())
}

// unit reads \uXXXX.
func (s *Scanner) unit(at int) (rune, bool) {
	if at+6 > len(s.text) || s.text[at] != '\\' || s.text[at+1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s.text[at+2:at+6]), 16, 16)
	return rune(v), err == nil
}

// Bool reads true or false.
func (s *Scanner) Bool() (bool, error) {
	if s.Next() == True {
		return true, s.word("true")
	}
	return false, s.word("false")
}

// Null reads null.
func (s *Scanner) Null() error { return s.word("null") }

func (s *Scanner) word(w string) error {
	s.skipSpace()
	if end := s.pos + len(w); end > len(s.text) || string(s.text[s.pos:end]) != w {
		return s.fail("want %s, have %s", w, s.excerpt())
	}
	s.pos += len(w)
	return nil
}

// Number reads a number and returns it as it stands.
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
		return "", s.fail("no number: %s", s.excerpt())
	}
	s.pos = i
	return string(s.text[start:i]), nil
}

// Int reads a number without fraction.
func (s *Scanner) Int() (int64, error) {
	text, err := s.Number()
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is no integer: %w", text, errors.Unwrap(err))
	}
	return v, nil
}

// Skip reads a value and forgets it.
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
	return s.fail("want a value, have %s", s.excerpt())
}
