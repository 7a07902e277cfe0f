package report_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/hexdump"
)

// TestNoControlCharacters: no form contains a control character or a mark of text direction
// that an adapter says, and the last line of the text is that of the report.
func TestNoControlCharacters(t *testing.T) {
	good, _ := runs(t)
	const hostile = judgetest.Hostile
	quoted := `{"` + hostile + `": "\u001b\u202e` + hostile + `"}`
	r := only(good, func(res *judge.Result) bool {
		return res.Vector.Type == "ubi.Vector2" && res.Profile.String() == "observed"
	})
	r.Hello.Name, r.Hello.Version, r.Hello.Language = "a"+hostile, hostile, hostile
	r.Hello.Skips = []adapter.Skip{{Type: "ubi.Box", Reason: hostile}}
	r.HasKnownList, r.KnownMismatches = true, []string{strings.ReplaceAll(hostile, "\n", "")} // one line of a file each
	if len(r.Results) < 6 {
		t.Fatal("too few results")
	}
	for i := range r.Results {
		res := &r.Results[i]
		set(res, []judge.Outcome{
			{Status: judge.Fail, Class: judge.Errored, Got: &judge.Answer{Error: hostile}},
			{Status: judge.Skip, Reason: judge.Answered},
			{Status: judge.Fail, Class: judge.WrongTree, Difference: &tree.Difference{
				Path: hostile, Want: hostile,
				Got: hostile,
			}, Got: &judge.Answer{Tree: []byte(quoted)}},
			{Status: judge.Protocol, Class: judge.BrokeProtocol},
			{Status: judge.Acceptable, Class: judge.Accepted, Reason: judge.Limit},
			{Status: judge.Acceptable, Class: judge.Accepted, Reason: judge.ByChoice, Choices: []judge.Choice{{By: hostile, Reason: hostile}}},
		}[i%6])
		res.Op, res.Message = adapter.OpDecode, hostile
		if i%6 == 2 {
			res.Known = hostile
		}
	}
	for _, color := range []bool{false, true} {
		var b bytes.Buffer
		if err := report.Text(&b, hexdump.Style{Color: color}, r); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if escapes.MatchString(text) != color {
			t.Errorf("colours: %v, want %v", !color, color)
		}
		text = escapes.ReplaceAllString(text, "")
		checkPrintable(t, text)
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if last := lines[len(lines)-1]; !strings.HasSuffix(last,
			"failures differ from the list of known failures; cases of listed types were skipped: ubi.Vector2") {
			t.Errorf("the last line is %q", last)
		}
		for _, l := range lines {
			if l == "conformant" {
				t.Error("a line of an adapter is a line of the report")
			}
		}
	}
	forms, _ := report.Formats()
	for _, form := range forms {
		run := r
		if form == "jsonl" { // the tree is not JSON
			run = only(r, func(res *judge.Result) bool { return res.Got == nil || res.Got.Tree == nil })
		}
		checkPrintable(t, write(t, form, run))
	}
	checkPrintable(t, write(t, "markdown", r, r))
}

func checkPrintable(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(text, `\u001b`) || !strings.Contains(text, `\u202e`) {
		t.Error("the text of the adapter is missing")
	}
	for _, r := range text {
		if unicode.In(r, unicode.Cc, unicode.Cf) && r != '\n' {
			t.Errorf("%U in %.2000q", r, text)
			return
		}
	}
}
