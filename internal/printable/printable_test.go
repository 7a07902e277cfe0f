package printable_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/formatgauge/formatgauge/internal/printable"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "",
		"a\tb\nc\r\nd é 漢 … ✅": "a\tb\nc\r\nd é 漢 … ✅",
		"\x1b[2J":              `\u001b[2J`,
		"a\x00\x07\x08\x7fb":   `a\u0000\u0007\u0008\u007fb`,
		"\rconformant":         `\u000dconformant`,
		"\u0085\u009b1m":       `\u0085\u009b1m`,
		"\x9b1m":               `\x9b1m`, // C1 as a byte
		"\xe2\x80":             `\xe2\x80`,
		"\U000e0041":           `\udb40\udc41`,
		"\ufffd":               "\ufffd",
		"\u2028":               `\u2028`,
	} {
		if got := printable.Text(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	replaced := "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\u200b"
	for r := range rune(0xa0) {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			replaced += string(r)
		}
	}
	for _, r := range replaced {
		if got, want := printable.Text(string(r)), fmt.Sprintf(`\u%04x`, r); got != want {
			t.Errorf("%U: got %q, want %q", r, got, want)
		}
	}
}

// TestTextInJSON: the JSON keeps its meaning.
func TestTextInJSON(t *testing.T) {
	want := "a\u009b\u202e\x7f\U000e0041\"\\"
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal([]byte(printable.Text(string(text))), &got); err != nil || got != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
}

func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{
		"": `""`, "Core": "Core", "a\x1b": `"a\x1b"`, "\u202ea": `"\u202ea"`, `a"`: `"a\""`,
	} {
		if got := printable.Quoted(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

// TestWriter: the result does not depend on how the stream is divided.
func TestWriter(t *testing.T) {
	stream := "é\u202e\x1b\r\n\rx\xe2\x80z漢\U000e0041\xe2\x80"
	for n := 1; n <= len(stream); n++ {
		var b strings.Builder
		w := printable.NewWriter(&b)
		var errs []error
		for part := range slices.Chunk([]byte(stream), n) {
			_, err := w.Write(part)
			errs = append(errs, err)
		}
		err := errors.Join(append(errs, w.Flush())...)
		if got, want := b.String(), printable.Text(stream); got != want || err != nil {
			t.Errorf("in parts of %d bytes: got %q (%v), want %q", n, got, err, want)
		}
	}
}
