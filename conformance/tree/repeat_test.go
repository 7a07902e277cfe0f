package tree_test

import (
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/tree"
)

func TestParseVector(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`["1", {"repeat": "3", "item": "2"}, "1"]`, `["1", "2", "2", "2", "1"]`},
		{`{"text": {"repeat": "2", "text": "ab"}}`, `{"text": "abab"}`},
		{`[{"repeat": "2", "item": {"a": {"repeat": "2", "text": "x"}}}]`, `[{"a": "xx"}, {"a": "xx"}]`},
		{`[{"repeat": "2", "item": [{"repeat": "2", "item": "x"}]}]`, `[["x", "x"], ["x", "x"]]`},
		{`[{"repeat": "3", "text": "ab"}, {"repeat": "2", "item": null}]`, `["ababab", null, null]`},
		// Not a repeat: other fields, or an element where there is no list.
		{`{"repeat": "2", "item": "x"}`, `{"repeat": "2", "item": "x"}`},
		{`[{"repeat": "2", "item": "x", "more": "y"}]`, `[{"repeat": "2", "item": "x", "more": "y"}]`},
		{`[]`, `[]`},
	} {
		got, err := tree.ParseVector(c.text)
		if err != nil || got.String() != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.text, got.String(), err, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{`[{"repeat": "0", "item": "x"}]`, `cannot repeat "0" times`},
		{`[{"repeat": "x", "item": "x"}]`, `cannot repeat "x" times`},
		{`[{"repeat": "1048577", "item": "x"}]`, `cannot repeat "1048577" times`},
		{`{"a": {"repeat": "600000", "text": "ab"}}`, `cannot repeat "ab" 600000 times`},
		{`{"a": {"repeat": "2", "text": null}}`, `cannot repeat null 2 times`},
		{`[{"repeat": "2", "item": {"repeat": "0", "text": "x"}}]`, `cannot repeat "0" times`},
		{`{`, ``},
	} {
		if _, err := tree.ParseVector(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v; want %s", c.text, err, c.want)
		}
	}
}
