package report_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// resultOf returns a result of a vector under observed.
func resultOf(t *testing.T, id string, class judge.Class, detail string) judge.Result {
	t.Helper()
	v, ok := corpus.Find(id)
	if !ok {
		t.Fatalf("the corpus does not contain %s", id)
	}
	r := judge.Result{
		ID: id, Vector: v, Profile: ids.Observed(), Input: v.Bytes, Context: v.Context,
		Status: judge.Fail, Class: class, Op: adapter.OpDecode, Detail: detail,
	}
	if class == "" {
		r.Status, r.Op = judge.Pass, ""
	}
	return r
}

func derivedOf(r judge.Result, rule judge.Rule, k int, class judge.Class) judge.Result {
	r.ID, r.Rule, r.Derived, r.Status, r.Class = fmt.Sprintf("%s#%s-%d", r.ID, rule, k), rule, true, judge.Fail, class
	return r
}

func runOf(results ...judge.Result) *report.Run {
	return &report.Run{
		Report:      &judge.Report{Hello: adapter.Hello{Name: "mine", Version: "1", Types: []string{"ubi", "upkg"}}, Results: results},
		Formatgauge: "test", Corpus: report.Corpus{Number: 1, Hash: "sha256:" + strings.Repeat("0", 64), Vectors: 9},
	}
}

// TestCauses: the side or the view that explains failures comes before the clause,
// derived cases share the cause of their vector if it fails, and the cause with
// the most vectors is the first in each form of the report.
func TestCauses(t *testing.T) {
	side := resultOf(t, "upkg/CompactIndex/32-bits-all-set", judge.WrongTree, `the value: expected "-1", got "4294967295"`)
	side.Want, side.Got, side.Side = `"-1"`, `"4294967295"`, "observed,upkg.ci-range=documented"
	trailing := resultOf(t, "ubi/BasicString/trailing", judge.WrongOffset, "rejected at byte 5, expected reject trailing @4")
	trailing.Want, trailing.Got = "reject trailing @4", "reject trailing @5"
	more := resultOf(t, "ubi/Box/trailing", judge.WrongOffset, "rejected at byte 25, expected reject trailing @24")
	box := resultOf(t, "ubi/Box/plain", "", "")
	refused := resultOf(t, "ubi/Vector2/plain", judge.Refused, "rejected as value, expected acceptance")
	crash := resultOf(t, "ubi/Vector3/plain", judge.Crashed, "the process ended: signal 11 at 0x1234")
	crash.Status = judge.Crash
	other := resultOf(t, "ubi/Color/plain", judge.Crashed, "the process ended: signal 11 at 0x9876")
	other.Status = judge.Crash
	run := runOf(
		side, trailing, box, derivedOf(box, judge.Truncated, 3, judge.Accepted), derivedOf(box, judge.Truncated, 4, judge.Accepted),
		more, refused, derivedOf(refused, judge.Truncated, 1, judge.WrongClass), crash, other,
	)
	want := []string{
		"UBI-MAGIC-7: rejected at another offset|2 vectors",
		"crash: the process ended: signal N at NxN|2 vectors",
		"upkg.ci-range=documented|1 vector",
		"UBI-VEC2-1: rejected, expected acceptance|1 vector, 2 cases",
		"derived, truncated: accepted, expected a rejection|1 vector, 2 cases",
	}
	for format, pattern := range map[string]string{
		"text":     `(?m)^cause \d+  (.*)  (\d+ vectors?(?:, \d+ cases)?)$`,
		"markdown": `<details><summary>(.*): (\d+ vectors?(?:, \d+ cases)?)</summary>`,
		"html":     `<summary><span class="name">(.*)</span> <span class="n">(.*)</span></summary>`,
	} {
		text := write(t, format, run)
		var got []string
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			got = append(got, m[1]+"|"+m[2])
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", format, d)
		}
		// The difference of the example precedes its bytes.
		diff, bytes := strings.Index(text, "reject trailing @5"), strings.Index(text, "00000004  41")
		if diff < 0 || bytes < diff {
			t.Errorf("%s: the difference is at %d, the bytes are at %d", format, diff, bytes)
		}
	}
}

// TestCauseView: a value that differs only in what a view loses names the view; one
// that differs elsewhere, or although the view is declared, names the clause and
// the field.
func TestCauseView(t *testing.T) {
	const id, want = "upkg/NameEntry/flags-below-64", `{"name": {"text": "Rocket", "wide": false}, "flags": "2265973760"}`
	for _, c := range []struct{ got, detail, cause string }{
		{`{"name": {"text": "Rocket", "wide": false}, "flags": "0"}`, `flags: expected "2265973760", got "0"`, "view upkg.no-name-flags"},
		{`{"name": {"text": "Rocket", "wide": false}}`, `the tree in the answer does not match the model: tree: flags: expected a field`, "view upkg.no-name-flags"},
		{`{"name": {"text": "Socket", "wide": false}, "flags": "0"}`, `name.text: expected "Rocket", got "Socket"`, "UPKG-NENT-1, name.text: another value"},
	} {
		r := resultOf(t, id, judge.WrongTree, c.detail)
		r.Want, r.Got = want, c.got
		if text := write(t, "text", runOf(r)); !strings.HasPrefix(text, "cause 1  "+c.cause+"  1 vector\n") {
			t.Errorf("%s: the report begins with %.60q, want %q", c.got, text, c.cause)
		}
	}
}

// TestCausesOfMany: a report of one reader with many failures is short: what fails
// in the same way is written once.
func TestCausesOfMany(t *testing.T) {
	var results []judge.Result
	all, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		if v.Family() == "upkg" && !v.EncodeOnly() {
			results = append(results, resultOf(t, v.ID, judge.Crashed, "the process ended"))
		}
	}
	text := write(t, "text", runOf(results...))
	if n := strings.Count(text, "\n"); n > 60 || !strings.Contains(text, " more vectors\n") {
		t.Errorf("%d lines for %d failures of one cause:\n%.2000s", n, len(results), text)
	}
}

// TestExampleIsShort: of a value that was expected in place of a rejection only the
// first lines are written; two values are compared completely, also if one of them
// is a single line.
func TestExampleIsShort(t *testing.T) {
	r := resultOf(t, "upkg/Package/version-69", judge.Refused, "rejected as value, expected acceptance")
	r.Want, r.Got = r.Vector.Expect[0].Tree, "reject value"
	if text := write(t, "text", runOf(r)); !strings.Contains(text, " more lines") || strings.Contains(text, `"exports"`) {
		t.Errorf("the value is not shortened:\n%s", text)
	}
	r.Class, r.Detail, r.Got = judge.WrongTree, `header.version: expected "69", got "70"`, `{"header": "1"}`
	if text := write(t, "text", runOf(r)); strings.Contains(text, " more lines") {
		t.Errorf("the value is shortened:\n%s", text)
	}
}
