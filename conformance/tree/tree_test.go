package tree

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/model/ubi"
	"github.com/formatgauge/formatgauge/model/upkg"
)

type everything struct {
	B   bool
	I   int8
	U   uint64
	F   float32
	D   float64
	S   string
	Hex []byte
	Arr [2]byte
	L   []ubi.Vector2
	A   [2]uint16
	P   *upkg.Heritage
	T   upkg.Table
}

func parsed(t *testing.T, text string) Node {
	t.Helper()
	n, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestModel(t *testing.T) {
	for _, c := range []struct {
		value everything
		json  string
	}{
		{
			everything{L: []ubi.Vector2{}, Hex: []byte{}},
			`{"b": false, "i": "0", "u": "0", "f": "0", "d": "0", "s": "", "hex": "", "arr": "0000", "l": [], "a": ["0", "0"], "p": null, "t": "null"}`,
		},
		{
			everything{
				true, -128, math.MaxUint64, math.Float32frombits(0x7F800001), math.Copysign(0, -1), "é\"\n",
				[]byte{0xAB},
				[2]byte{1, 2},
				[]ubi.Vector2{{X: 0.1, Y: float32(math.Inf(-1))}},
				[2]uint16{1, 65535},
				&upkg.Heritage{Count: 1, Offset: 2}, upkg.Export,
			},
			`{"b": true, "i": "-128", "u": "18446744073709551615", "f": "nan:7f800001", "d": "-0", "s": "é\"\n", "hex": "ab", "arr": "0102", ` +
				`"l": [{"x": "0.1", "y": "-inf"}], "a": ["1", "65535"], "p": {"count": "1", "offset": "2"}, "t": "export"}`,
		},
		{
			everything{S: "\xff", L: []ubi.Vector2{}, Hex: []byte{}},
			`{"b": false, "i": "0", "u": "0", "f": "0", "d": "0", "s": {"hex": "ff"}, "hex": "", "arr": "0000", "l": [], "a": ["0", "0"], "p": null, "t": "null"}`,
		},
	} {
		n, err := FromModel(c.value)
		if d := cmp.Diff(c.json, n.String()); d != "" || err != nil {
			t.Errorf("%v\n%s", err, d)
		}
		var back everything
		if err := ToModel(parsed(t, c.json), &back); err != nil {
			t.Fatal(err)
		}
		again, err := FromModel(back)
		if d := cmp.Diff(c.json, again.String()); d != "" || err != nil {
			t.Errorf("%v\n%s", err, d)
		}
	}
}

func TestToModelFaults(t *testing.T) {
	var e everything
	whole, err := FromModel(everything{L: []ubi.Vector2{}, Hex: []byte{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ field, json, want string }{
		{"b", `"true"`, "b: expected a boolean"},
		{"i", `"128"`, "i: \"128\" is not an integer of 8 bits"},
		{"i", `null`, "i: "},
		{"u", `"-1"`, "u: \"-1\" is not an unsigned integer of 64 bits"},
		{"i", `"+1"`, `i: "+1" is not the one form of this integer, which is "1"`},
		{"i", `"-0"`, `which is "0"`},
		{"i", `"-01"`, `which is "-1"`},
		{"u", `"+0"`, "not an unsigned integer"},
		{"u", `"-0"`, "not an unsigned integer"},
		{"u", `"00"`, `which is "0"`},
		{"u", `"1_0"`, "not an unsigned integer"},
		{"f", `"nan:3f800000"`, `f: "nan:3f800000" is not a NaN: these are the bits of 1`},
		{"f", `"nan:7f800000"`, "these are the bits of inf"},
		{"d", `"nan:8000000000000000"`, "these are the bits of -0"},
		{"d", `"nan:fff0000000000000"`, "these are the bits of -inf"},
		{"f", `"1e39"`, "out of range for a float of 32 bits"},
		{"f", `"0x1p3"`, "is not a number"},
		{"f", `"Infinity"`, "is not a number"},
		{"f", `"NaN"`, "is not a number"},
		{"f", `"nan:7fc0"`, "8 hex digits"},
		{"d", `"nan:7fc00000"`, "16 hex digits"},
		{"s", `["a"]`, "expected a string"},
		{"s", `{"hex": "0"}`, "odd length"},
		{"s", `{"hex": []}`, "expected a string or"},
		{"s", `{"hex": null}`, "expected a string or"},
		{"hex", `"0"`, "expected bytes in hex"},
		{"arr", `"00"`, "expected 2 bytes, found 1"},
		{"l", `{}`, "l: expected a list"},
		{"l", `[{"x": "0", "y": "0", "z": "0"}]`, `l[0]: unknown field "z"; the fields are x, y`},
		{"l", `[{"x": "0", "yy": "0"}]`, `l[0]: unknown field "yy"`},
		{"l", `[{"x": "0", "y": "zero"}]`, `l[0].y: "zero" is not a number`},
		{"a", `["1"]`, "expected 2 items"},
		{"p", `{"count": "1", "offset": "x"}`, `p.offset: "x"`},
		{"t", `"elsewhere"`, `no table "elsewhere"`},
		{"t", `[]`, "expected a string"},
	} {
		n := whole
		n.Items = slices.Clone(whole.Items)
		n.Items[whole.Index(c.field)] = parsed(t, c.json)
		if err := ToModel(n, &e); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s = %s: error %v does not contain %q", c.field, c.json, err, c.want)
		}
	}
	if err := ToModel(whole, e); err == nil {
		t.Error("ToModel accepts a model that is not a pointer")
	}
}

// TestNaN: the bits of any NaN are accepted and kept.
func TestNaN(t *testing.T) {
	for _, s := range []string{
		"nan:7f800001", "nan:7fffffff", "nan:ff800001", "nan:ffffffff", "nan:7ff0000000000001", "nan:ffffffffffffffff",
	} {
		f := any(new(float32))
		if len(s) > len("nan:7f800001") {
			f = new(float64)
		}
		err := ToModel(Node{Kind: Text, Text: s}, f)
		if n, err2 := FromModel(reflect.ValueOf(f).Elem().Interface()); err != nil || err2 != nil || n.Text != s {
			t.Errorf("%s: got %s, %v, %v", s, n.Text, err, err2)
		}
	}
}

func TestParseFaults(t *testing.T) {
	for _, s := range []string{
		"", "1", `{"a": 1.5}`, `"a" "b"`, `[`, `{"a"}`, `{"x": "0", "x": "0"}`,
		strings.Repeat("[", 2000) + strings.Repeat("]", 2000),
	} {
		if n, err := Parse([]byte(s)); err == nil {
			t.Errorf("%.20q is accepted as %s", s, n)
		}
	}
	const number = "expected a string, found the JSON number 1; numbers are strings"
	for s, want := range map[string]string{
		"1": "tree: " + number, `{"a": null, "b": [[], [{"c": 1}]]}`: "tree: b[1][0].c: " + number,
	} {
		if _, err := Parse([]byte(s)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", s, err, want)
		}
	}
}

func TestIndent(t *testing.T) {
	n := parsed(t, `{"short": ["1", "2"], "long": ["`+strings.Repeat("a", 60)+`", "`+
		strings.Repeat("b", 60)+`"], "none": []}`)
	want := `{
  "short": ["1", "2"],
  "long": [
    "` + strings.Repeat("a", 60) + `",
    "` + strings.Repeat("b", 60) + `"
  ],
  "none": []
}
`
	if d := cmp.Diff(want, n.Indent()); d != "" {
		t.Error(d)
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct{ want, got, path string }{
		{`{"a": "1"}`, `{"a": "1"}`, "-"},
		{`{"a": "1"}`, `{"a": "2"}`, "a"},
		{`{"a": [null, {"b": "1"}]}`, `{"a": [null, {"b": "2"}]}`, "a[1].b"},
		{`{"a": ["1"]}`, `{"a": ["1", "2"]}`, "a"},
		{`{"a": "1"}`, `{"b": "1"}`, ""},
		{`{"a": null}`, `{"a": "1"}`, "a"},
		{`"nan"`, `"nan:7fc00001"`, "-"},
		{`["nan"]`, `["nan:ffffffff"]`, "-"},
		{`"nan"`, `"0"`, ""},
		{`"nan:7fc00000"`, `"nan:7fc00001"`, ""},
	} {
		d := Compare(parsed(t, c.want), parsed(t, c.got))
		if (d == nil) != (c.path == "-") || d != nil && d.Path != c.path {
			t.Errorf("%s and %s: difference %v, want path %q", c.want, c.got, d, c.path)
		}
	}
}

// A shortened text is valid UTF-8.
func TestBrief(t *testing.T) {
	for n := range 4 {
		long := Node{Kind: Text, Text: strings.Repeat("a", 74+n) + strings.Repeat("é€𝄞", 20)}
		d := Compare(long, Node{})
		if d == nil || !utf8.ValidString(d.String()) || !strings.Contains(d.Want, "...") {
			t.Errorf("%v", d)
		}
	}
}

// TestAppendString: strings are written as encoding/json writes them. It does not ask it
// about bytes that are not UTF-8: versions of Go differ.
func TestAppendString(t *testing.T) {
	texts := []string{"", "plain", "a\xffb\xe2\x80", "\xed\xa0\x80", "\U000e0041<&>"}
	for r := range rune(0x2100) {
		texts = append(texts, "x"+string(r))
	}
	for _, s := range texts {
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode(string([]rune(s))); err != nil {
			t.Fatal(err)
		}
		if got := string(appendString(nil, s)) + "\n"; got != want.String() {
			t.Errorf("%q: got %s, want %s", s, got, want.String())
		}
	}
}
