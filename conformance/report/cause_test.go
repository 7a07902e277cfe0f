package report_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// resultOf returns a result of a vector under observed, with a message of the adapter.
func resultOf(t *testing.T, id string, class judge.Class, message string) judge.Result {
	t.Helper()
	v := corpustest.Find(t, id)
	o := judge.Outcome{Op: adapter.OpDecode, Status: judge.Fail, Class: class, Message: message}
	switch class {
	case "":
		o.Status, o.Op = judge.Pass, ""
	case judge.Rejected:
		o.Expected, o.Got = &judge.Answer{Tree: treeJSON(v)}, rejected("value")
	case judge.WrongTree:
		o.Expected, o.Got = &judge.Answer{Tree: treeJSON(v)}, &judge.Answer{Tree: []byte("null")}
	}
	r := judge.NewResult(id, v, ids.Observed(), o)
	r.Input, r.Context = v.Bytes, v.Context
	return r
}

// treeJSON returns the value of a vector.
func treeJSON(v *corpus.Vector) []byte {
	n, err := tree.ParseVector(v.Expect[0].Tree)
	if err != nil {
		return nil
	}
	return n.AppendJSON(nil)
}

func rejected(class string, at ...int) *judge.Answer {
	r := &judge.Rejection{Class: class}
	if len(at) > 0 {
		r.From, r.To = &at[0], &at[0]
	}
	return &judge.Answer{Reject: r}
}

// copyOf returns a result that can be changed.
func copyOf(r judge.Result) judge.Result {
	c := judge.NewResult(r.ID, r.Vector, r.Profile, slices.Clone(r.Outcomes)...)
	r.Outcomes, r.Outcome = c.Outcomes, c.Outcome
	return r
}

// set replaces the outcomes of a result.
func set(r *judge.Result, o judge.Outcome) {
	r.Outcomes = []judge.Outcome{o}
	r.Outcome = &r.Outcomes[0]
}

func derivedOf(r judge.Result, rule judge.Rule, k int, class judge.Class) judge.Result {
	r.ID, r.Rule, r.Derived = fmt.Sprintf("%s#%s-%d", r.ID, rule, k), rule, true
	set(&r, judge.Outcome{Op: r.Op, Status: judge.Fail, Class: class, Message: r.Message})
	return r
}

func runOf(results ...judge.Result) *report.Run {
	return &report.Run{
		Report: &judge.Report{
			Hello:   adapter.Hello{Name: "mine", Version: "1", Types: []string{"ubi", "upkg"}},
			Results: results,
		},
		Formatgauge: "test", Corpus: report.Corpus{Number: 1, Hash: "sha256:" + strings.Repeat("0", 64), Vectors: 9},
	}
}

// TestCauses: the side or the view that explains failures comes before the clause,
// derived cases share the cause of their vector if it fails, and the cause with
// the most vectors is the first in each form of the report.
func TestCauses(t *testing.T) {
	side := resultOf(t, "upkg/CompactIndex/32-bits-all-set", judge.WrongTree, "")
	side.Side = "observed,upkg.ci-range=documented"
	trailing := resultOf(t, "ubi/BasicString/trailing", judge.WrongOffset, "")
	trailing.Expected, trailing.Got = rejected("trailing", 4), rejected("trailing", 5)
	more := resultOf(t, "ubi/Box/trailing", judge.WrongOffset, "")
	more.Expected, more.Got = rejected("trailing", 24), rejected("trailing", 25)
	box := resultOf(t, "ubi/Box/plain", "", "")
	rejected := resultOf(t, "ubi/Vector2/plain", judge.Rejected, "")
	crash := resultOf(t, "ubi/Vector3/plain", judge.Crashed, "the process ended: signal 11 at 0x1234")
	crash.Status = judge.Crash
	other := resultOf(t, "ubi/Color/plain", judge.Crashed, "the process ended: signal 11 at 0x9876")
	other.Status = judge.Crash
	run := runOf(
		side, trailing, box, derivedOf(box, judge.Truncated, 3, judge.Accepted),
		derivedOf(box, judge.Truncated, 4, judge.Accepted),
		more, rejected, derivedOf(rejected, judge.Truncated, 1, judge.WrongClass), crash, other,
	)
	want := []string{
		"ubi.BasicString, ubi.Box: trailing: rejected at another offset (UBI-MAGIC-7)|2 vectors",
		"crash: the process ended: signal N at N|2 vectors",
		"upkg.ci-range=documented|1 vector",
		"ubi.Vector2: rejected, expected acceptance (UBI-VEC2-1)|1 vector, 2 cases",
		"ubi.Box: truncated: accepted, expected a rejection (UBI-BOX-1)|1 vector, 2 cases",
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

// TestOneRoot: a parameter of the context that is ignored is one cause, whatever the
// clauses, and so is what a reader says in its own words, whatever numbers and answers it
// quotes. A message of one failure does not replace the clause of many. A value that differs
// only in what a view loses names the view; another one names the clause and the field. If the
// profile has an exception, an answer that satisfies no other section of the vector is not one
// of the other side.
func TestOneRoot(t *testing.T) {
	all := []string{"ubi/Box/plain", "ubi/Vector2/plain", "ubi/Vector3/plain", "ubi/Color/plain"}
	results := func(class judge.Class, change func(*judge.Result, int)) []judge.Result {
		var out []judge.Result
		for i, id := range all {
			r := resultOf(t, id, class, "")
			change(&r, i)
			out = append(out, r)
		}
		return out
	}
	flags := resultOf(t, "upkg/NameEntry/flags-below-64", judge.WrongTree, "")
	flags.Difference = &tree.Difference{Path: "flags", Want: `"2265973760"`, Got: `"0"`}
	inView := copyOf(flags)
	inView.View = "upkg.no-name-flags"
	noSide := resultOf(t, "upkg/Name/254-bytes-one-byte-length", judge.WrongClass, "")
	noSide.Profile, _ = ids.Observed().With("upkg.name-unicode", "documented")
	for _, c := range []struct {
		results []judge.Result
		want    string
	}{
		{[]judge.Result{flags}, "upkg.NameEntry.flags: upper bits are lost (UPKG-NENT-1)  1 vector"},
		{
			[]judge.Result{inView},
			"view upkg.no-name-flags, upkg.NameEntry.flags: upper bits are lost (UPKG-NENT-1)  1 vector",
		},
		{[]judge.Result{noSide}, "upkg.Name.length: rejected with another class (UPKG-NAME-5)  1 vector"},
		{
			results(judge.WrongTree, func(r *judge.Result, i int) { r.Ignored, r.Class = "order=big", judge.Classes()[i] }),
			"the context order=big is ignored  4 vectors",
		},
		{
			results(judge.Rejected, func(r *judge.Result, i int) {
				r.Message = fmt.Sprintf("no floats of UTF-16 at %d (offset: %#x), found %q", i, i, "value "+strconv.Itoa(i))
			}),
			"rejected: no floats of UTF-16 at N  4 vectors",
		},
		{
			results(judge.Rejected, func(r *judge.Result, i int) {
				r.Message = fmt.Sprintf("can't decode bytes in position %d-%d", i, i+2)
			}),
			"rejected: can't decode bytes in position N  4 vectors",
		},
		{
			results(judge.Errored, func(r *judge.Result, i int) {
				r.Status, r.Message, r.Got = judge.Fail, fmt.Sprintf("cannot write '%d' as int32, it's %d", i, 2*i),
					&judge.Answer{Error: "x"}
			}),
			"answered error: cannot write … as int32  4 vectors",
		},
		{
			results(judge.Rejected, func(r *judge.Result, i int) { r.Message = strings.Repeat("x", i+1) })[:1],
			"ubi.Box: rejected, expected acceptance (UBI-BOX-1)  1 vector",
		},
	} {
		if text := write(t, "text", runOf(c.results...)); !strings.HasPrefix(text, "cause 1  "+c.want+"\n") ||
			strings.Contains(text, "cause 2") {
			t.Errorf("the report begins with %.120q, want %q", text, c.want)
		}
	}
}

// TestCausesOfMany: a report of one reader with many failures is short: what fails
// in the same way is written once.
func TestCausesOfMany(t *testing.T) {
	var results []judge.Result
	for _, v := range corpustest.Of(t, "upkg") {
		if !v.EncodeOnly() {
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
	r := resultOf(t, "upkg/Package/version-69", judge.Rejected, "")
	if text := write(t, "text", runOf(r)); !strings.Contains(text, " more lines") || strings.Contains(text, `"exports"`) {
		t.Errorf("the value is not shortened:\n%s", text)
	}
	r.Class, r.Difference, r.Got = judge.WrongTree, &tree.Difference{Path: "header.version", Want: `"69"`, Got: `"70"`},
		&judge.Answer{Tree: []byte(`{"header": "1"}`)}
	if text := write(t, "text", runOf(r)); strings.Contains(text, " more lines") {
		t.Errorf("the value is shortened:\n%s", text)
	}
}
