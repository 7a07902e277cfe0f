package report_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
)

var (
	fences = regexp.MustCompile("^`{3,}")
	bars   = regexp.MustCompile(`(^|[^\\])\|`)
)

// checkMarkdown reports tables with different numbers of cells in their rows,
// and code fences and details that are not closed.
func checkMarkdown(t *testing.T, text string) {
	t.Helper()
	fence, cells := "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if ticks := fences.FindString(line); ticks != "" {
			switch fence {
			case "":
				fence = ticks
			case line:
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := len(bars.FindAllString(line, -1))
		if cells != 0 && n != cells {
			t.Errorf("%d cells, want %d: %s", n, cells, line)
		}
		cells = n
	}
	if fence != "" {
		t.Error("a code fence is not closed")
	}
	if a, b := strings.Count(text, "<details"), strings.Count(text, "</details>"); a != b {
		t.Errorf("%d opening and %d closing tags of details", a, b)
	}
}

func TestMarkdown(t *testing.T) {
	good, bad := runs(t)
	text := write(t, "markdown", bad)
	checkMarkdown(t, text)
	boxes := itoa(2 * len(corpustest.Of(t, "ubi.Box"))) // under two profiles
	contains(t, "the page", text,
		"### ❌ faulty 0.3: not conformant",
		"| family | documented | observed |",
		": trailing: rejected at another offset (UBI-MAGIC-7): ",
		"Example: <code>ubi/BasicString/trailing</code> under documented; observed: decode: rejected at byte 5, expected reject trailing @4\n",
		"```diff\n--- expected\n+++ got\n- reject trailing @4\n+ reject trailing @5\n```",
		"          ^^ rejection expected here\n",
		"#### Causes of failures\n",
		`- left out: boxes are &lt;not&gt; read &amp; written yet \| maybe never (`+boxes+`): ubi.Box`,
		"#### Known failures",
	)
	both := write(t, "markdown", bad, good)
	checkMarkdown(t, both)
	contains(t, "the page of both", both,
		"### ✅ formatgauge: conformant",
		"| family | faulty 0.3<br>documented | faulty 0.3<br>observed | formatgauge<br>documented |",
		"#### Causes of failures of faulty 0.3",
	)
}

// TestMarkdownFits: the page is smaller than the mebibyte that GitHub accepts, with too many
// causes, examples and ids, and with a message that is too long.
func TestMarkdownFits(t *testing.T) {
	t.Parallel()
	var results []judge.Result
	for i := range 1000 {
		r := resultOf(t, "ubi/Box/plain", judge.Errored, fmt.Sprintf("case a%dz %s", i, strings.Repeat("`|<details>* ", 100)))
		v := *r.Vector
		v.ID = fmt.Sprintf("ubi/Box/%s-%d", strings.Repeat("x", 600), i)
		r.Vector, r.ID = &v, v.ID
		results = append(results, r)
	}
	results[0].Message = strings.Repeat("`|<details>* ", 10_000)
	run := runOf(results...)
	text := write(t, "markdown", run, run)
	if len(text) > 1<<20 {
		t.Errorf("%d bytes", len(text))
	}
	checkMarkdown(t, text)
}

// TestMarkdownOfHostile: text from an adapter does not become markup.
func TestMarkdownOfHostile(t *testing.T) {
	good, _ := runs(t)
	r := only(good, named("ubi/BasicString/trailing", "observed"))
	r.Hello.Name = "a|b</summary>*c*"
	set(&r.Results[0], judge.Outcome{
		Op: "decode", Status: judge.Fail, Class: judge.Errored, Message: "x</summary><script>alert(1)</script>\n\n# heading",
		Expected: rejected("trailing", 4), Got: &judge.Answer{Error: "```\n# heading"},
	})
	text := write(t, "markdown", r)
	checkMarkdown(t, text)
	lacks(t, "the page", text, "<script>", "\n# heading\n\n", "</summary>*c*")
}
