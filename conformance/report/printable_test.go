package report_test

import (
	"io"
	"regexp"
	"slices"
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

// hostileRun returns a run in which every text of the adapter is hostile. Its failures begin
// with one of six kinds.
func hostileRun(t *testing.T, first int) *report.Run {
	t.Helper()
	good, _ := runs(t)
	const hostile = judgetest.Hostile + "</script><script>alert(1)</script></svg>]]>"
	quoted := `{"` + hostile + `": "\u001b\u202e` + hostile + `"}`
	r := only(good, func(res *judge.Result) bool {
		return res.Vector.Type == "ubi.Vector2" && res.Profile.String() == "observed"
	})
	r.Hello.Name, r.Hello.Version, r.Hello.Language, r.Source = "a"+hostile, hostile, hostile, hostile
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
		}[(first+i)%6])
		res.Op, res.Message = adapter.OpDecode, hostile
		if (first+i)%6 == 2 {
			res.Known = hostile
		}
	}
	return r
}

// TestHostileText: no form contains a control character, a mark of text direction or markup
// that an adapter says, and the last line of the text is that of the report.
func TestHostileText(t *testing.T) {
	r, other := hostileRun(t, 0), hostileRun(t, 1)
	other.Hello.Language = "b"
	for _, color := range []bool{false, true} {
		text := textOf(t, func(w io.Writer) error { return report.Text(w, hexdump.Style{Color: color}, r) })
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
		if slices.Contains(lines, "conformant") {
			t.Error("a line of an adapter is a line of the report")
		}
	}
	c := report.Compare(r, other)
	contains(t, "the notes", strings.Join(c.Notes(), "\n"), "language: ", ", then b")
	badge := textOf(t, func(w io.Writer) error { return report.Badge(w, r) })
	parseXML(t, badge)
	texts := map[string]string{
		"html of two": write(t, "html", r, other), "markdown of two": write(t, "markdown", r, other),
		"diff":          textOf(t, func(w io.Writer) error { return c.Text(w, hexdump.Style{}) }),
		"diff markdown": textOf(t, c.Markdown),
		"badge":         badge + `\u001b\u202e`, // it contains no text of the adapter
	}
	forms, _ := report.Formats()
	for _, form := range forms {
		run := r
		if form == "jsonl" { // the tree is not JSON
			run = only(r, func(res *judge.Result) bool { return res.Got == nil || res.Got.Tree == nil })
		}
		texts[form] = write(t, form, run)
	}
	codeBlock := regexp.MustCompile("(?s)```diff\n.*?\n```\n")
	for name, text := range texts {
		checkPrintable(t, text)
		checkPrintable(t, unpacked(t, text)) // the data of a page too
		if strings.Contains(name, "markdown") {
			checkMarkdown(t, text)
			text = codeBlock.ReplaceAllString(text, "")
		}
		if strings.Contains(name, "html") || strings.Contains(name, "markdown") || name == "badge" {
			lacks(t, name, text, "<script>alert")
		}
	}
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
