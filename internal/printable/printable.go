// Package printable makes text of others safe to print: an escape sequence in it
// cannot change a terminal, and a bidirectional mark cannot change the order of
// the text around it.
package printable

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// isPlain reports whether a character is printed as it is: letters, marks,
// numbers, punctuation, symbols and spaces, newline and tab. All others are
// control characters (C0, DEL, C1), formats (such as U+202E), line separators,
// or have no meaning.
func isPlain(r rune) bool { return unicode.IsGraphic(r) || r == '\n' || r == '\t' }

// Text replaces each character that is not printable: U+001B becomes \u001b. A
// character above U+FFFF becomes two of these, as in JSON, so JSON keeps its
// meaning. A byte that is not UTF-8 becomes \xNN. Newline, tab, and a carriage
// return before a newline remain.
func Text(s string) string {
	out, _ := convert(s, true)
	return out
}

// Quoted quotes a text that is empty or contains characters that are not
// printable, or that quotes would change.
func Quoted(s string) string {
	if q := strconv.Quote(s); q != `"`+s+`"` || s == "" {
		return q
	}
	return s
}

// convert converts s. If more text can follow, it returns the bytes at the end
// that may be the beginning of a character or of CR LF.
func convert(s string, last bool) (out, rest string) {
	var b strings.Builder
	plain := 0 // start of the bytes that are not converted yet and need no change
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		invalid := r == utf8.RuneError && size == 1
		switch {
		case !last && (r == '\r' && i+1 == len(s) || invalid && !utf8.FullRuneInString(s[i:])):
			b.WriteString(s[plain:i])
			return b.String(), s[i:]
		case !invalid && isPlain(r) || r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			i += size
			continue
		}
		b.WriteString(s[plain:i])
		switch {
		case invalid:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
		plain = i
	}
	if plain == 0 {
		return s, ""
	}
	b.WriteString(s[plain:])
	return b.String(), ""
}

// Writer converts a stream as [Text] does.
type Writer struct {
	w    io.Writer
	rest string // the incomplete end of the last write
}

// NewWriter returns a writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write writes p. It keeps an incomplete character for the next call.
func (t *Writer) Write(p []byte) (int, error) {
	var out string
	out, t.rest = convert(t.rest+string(p), false)
	if _, err := io.WriteString(t.w, out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes an incomplete character at the end of the stream.
func (t *Writer) Flush() error {
	out := Text(t.rest)
	t.rest = ""
	_, err := io.WriteString(t.w, out)
	return err
}
