package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

var texts = []string{
	`null`, ` true `, `false`, `0`, `-0`, `-12.5e+3`, `1E9`, `""`, `"a\u00e9\ud83d\ude00\n\/\\"`, `[]`, `{}`,
	`[1, [2], {"a": null}]`,
	`{"a":1,"b":[true,"x"]}`, "\"\u2028\"", `{"": ""}`,
	"", " ", `nul`, `+1`, `01`, `1.`, `.5`, `1e`, `-`, `"a`, `"\x"`, `"\u12"`, "\"\n\"", `[1,]`, `[1 2]`, `{"a"}`,
	`{"a":}`, `{a:1}`, `{"a":1,}`, `[`, `{`, `1 2`, `"\`,
	`{"a":1,"b":2]`, `[1}`, "\x00", `truex`,
}

// check tests that this package and encoding/json accept the same texts, except
// repeated names and text that is not Unicode.
func check(t *testing.T, text []byte) {
	s := New(text)
	err := s.Skip()
	if err == nil {
		err = s.Done()
	}
	valid := json.Valid(text)
	if err == nil && !valid {
		t.Errorf("%q is accepted, and it is not JSON", text)
	}
	if err != nil && valid && utf8.Valid(text) && !strings.Contains(err.Error(), "twice") &&
		!strings.Contains(err.Error(), "surrogate") {
		t.Errorf("%q is JSON, and is rejected: %v", text, err)
	}
	if err == nil && s.text[len(s.text)-1] == '"' && text[0] == '"' {
		var want string
		got, _ := New(text).String()
		if json.Unmarshal(text, &want) != nil || got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestAgainstEncodingJSON(t *testing.T) {
	for _, text := range texts {
		check(t, []byte(text))
	}
}

func FuzzAgainstEncodingJSON(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 0 {
			check(t, text)
		}
	})
}

func TestStricter(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"a":2}`:           "twice",
		`"\ud800"`:                "surrogate",
		"\"\xff\"":                "not UTF-8",
		strings.Repeat("[", 2000): "nested more than",
		`"` + strings.Repeat("a", 100) + "\\u0zzz": "invalid escape",
	} {
		if err := New([]byte(text)).Skip(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: error %v does not contain %q", text, err, want)
		}
	}
	for _, text := range []string{
		"1.5", "1.00000000000000000000001", "1e2", "1.0e2", "1e-400", "1e999999999",
		"9223372036854775808",
	} {
		if v, err := New([]byte(text)).Int(); err == nil {
			t.Errorf("%s is accepted as the integer %d", text, v)
		}
	}
	for text, want := range map[string]int64{
		" -9223372036854775808": -1 << 63, "5.0": 5, "-0.00": 0, "9007199254740993.0": 1<<53 + 1,
	} {
		if v, err := New([]byte(text)).Int(); err != nil || v != want {
			t.Errorf("%s is %d, error %v", text, v, err)
		}
	}
}
