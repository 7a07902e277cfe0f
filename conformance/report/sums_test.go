package report_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"index/suffixarray"
	"regexp"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func rejectsAll(adapter.Request) adapter.Response {
	return adapter.Response{Reject: &adapter.Reject{Class: "magic", Offset: new(0), Message: "no"}}
}

func skipsMost(q adapter.Request) adapter.Response {
	if len(q.Type)%2 == 0 {
		return rejectsAll(q)
	}
	return adapter.Response{Skip: &adapter.Skip{Reason: "not yet"}}
}

func rejectsHalf(q adapter.Request) adapter.Response {
	if len(q.Type)%2 == 0 {
		return rejectsAll(q)
	}
	return saysNonsense(q)
}

// saysNonsense answers with values that no vector expects, long and different each time.
func saysNonsense(q adapter.Request) adapter.Response {
	hex := fmt.Sprintf("%016x", q.ID)
	if q.Hex != nil {
		hex += *q.Hex
	}
	if q.Op == adapter.OpDecode {
		n := tree.Node{Kind: tree.Text, Text: fmt.Sprintf("%x\u202e", hex)}
		return adapter.Response{OK: &adapter.OK{Tree: &n}}
	}
	return adapter.Response{OK: &adapter.OK{Hex: &hex}}
}

// crudeRun judges an adapter that answers crudely, by vectors of a family or of all: by one in n
// of them.
func crudeRun(t *testing.T, say func(adapter.Request) adapter.Response, family string, n uint32) *report.Run {
	t.Helper()
	opts := judge.Options{Filter: func(v *corpus.Vector) bool { return testrun.Sampled(v.ID, n) }}
	if p := ids.Observed(); !testrun.Exhaustive {
		opts.Profile = &p
	}
	return judgeWith(t, altered{Reference: adapter.NewReference(), asked: say}, corpustest.Of(t, family), opts)
}

var counted = regexp.MustCompile(`(\d+) ([a-z]+(?: [a-z]+)*)`)

// sumOf adds the numbers of texts such as "3 passed, 1 failed"; the words of derived cases
// follow the mark.
func sumOf(mark string, texts ...string) map[string]int {
	out := map[string]int{}
	for _, text := range texts {
		own, derived, _ := strings.Cut(text, mark)
		for label, part := range map[string]string{"": own, "derived ": derived} {
			for _, m := range counted.FindAllStringSubmatch(part, -1) {
				if n, _ := strconv.Atoi(m[1]); n > 0 {
					out[label+m[2]] += n
				}
			}
		}
	}
	return out
}

func submatches(re, text string) (out []string) {
	for _, m := range regexp.MustCompile(re).FindAllStringSubmatch(text, -1) {
		out = append(out, html.UnescapeString(m[1]))
	}
	return out
}

// TestSums: the sums of all forms are those of the results.
func TestSums(t *testing.T) {
	good, bad := runs(t)
	words := map[judge.Status]string{
		judge.Pass: "passed", judge.Skip: "skipped", judge.NotApplicable: "not applicable",
		judge.Acceptable: "acceptable", report.Known: "known failures",
	}
	for name, r := range map[string]*report.Run{
		"conformant": good, "many failures": bad, "one family": judgeUndeclared(t, ids.Observed()),
		"rejects all": crudeRun(t, rejectsAll, "ubi", 8), "skips": crudeRun(t, skipsMost, "upkg", 4),
	} {
		want := map[string]int{}
		for i := range r.Results {
			res := &r.Results[i]
			if res.Reason == judge.Unlisted || res.Reason == judge.Declared {
				continue
			}
			word := cmp.Or(words[report.StatusOf(res)], "failed")
			if res.Derived {
				word = "derived " + word
			}
			want[word]++
		}
		check := func(form string, got map[string]int) {
			t.Helper()
			if d := gocmp.Diff(want, got); d != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, form, d)
			}
		}
		text := write(t, "text", r)
		last := text[strings.LastIndexByte(strings.TrimSpace(text), '\n')+1:]
		sum, ends := strings.CutSuffix(last, ": "+r.Verdict()+"\n")
		if !ends {
			t.Errorf("%s: the text ends with %q, without the verdict", name, last)
		}
		check("text", sumOf("; derived: ", sum))

		markdown := write(t, "markdown", r)
		check("Markdown", sumOf("; derived cases: ", submatches(`(?m)^(\d+ passed, .*); judged by`, markdown)...))
		var cells []string
		for _, row := range submatches("(?m)^\\| `[a-z]+` \\|(.*)\\|$", markdown) {
			cells = append(cells, strings.Split(strings.ReplaceAll(row, "**", ""), "|")...)
		}
		check("the table in Markdown", sumOf("<br>derived: ", cells...))

		page := write(t, "html", r)
		check("HTML", sumOf("derived of ", append(submatches(`<dd><span class="bar".*?<span class="sum">([^<]*)</span>`, page),
			"derived of "+strings.Join(submatches(`<dt>derived cases</dt><dd><span class="sum">([^<]*)<`, page), ""))...))
		check("the matrix in HTML", sumOf("; derived: ", submatches(`data-column="\d+" title="([^"]*)"`, page)...))

		junit := write(t, "junit", r)
		check("JUnit", sumOf("derived of ", append(submatches(`<property name="counts" value="([^"]*)"`, junit),
			"derived of "+strings.Join(submatches(`<property name="derived" value="([^"]*)"`, junit), ", "))...))
		failed := submatches(`<testcase [^>]* name="([^"#]*)"[^>]*>\s*<(?:failure|error)`, junit)
		if len(failed) != want["failed"] {
			t.Errorf("%s: JUnit has %d failed cases of vectors, want %d", name, len(failed), want["failed"])
		}

		lines := strings.Split(strings.TrimSpace(write(t, "jsonl", r)), "\n")
		var summary struct{ Counts, Derived report.Counts }
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &summary); err != nil {
			t.Fatal(err)
		}
		check("JSON Lines", sumOf("; derived: ", summary.Counts.String()+"; derived: "+summary.Derived.String()))
		notice, _, _ := strings.Cut(write(t, "github", r), "; judged by")
		check("GitHub", sumOf("; derived cases: ", strings.TrimPrefix(notice[strings.LastIndex(notice, "::"):], "::"+r.Verdict())))
	}
}

// TestBounds: also the reports on an adapter that rejects everything of some types, and answers
// nonsense for the others, can be read, and name every failure. An exhaustive run has an adapter
// for each.
func TestBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("judges the whole corpus")
	}
	adapters := map[string]func(adapter.Request) adapter.Response{"rejects or says nonsense": rejectsHalf}
	if testrun.Exhaustive {
		adapters["rejects all"], adapters["nonsense"] = rejectsAll, saysNonsense
	}
	for name, say := range adapters {
		r := crudeRun(t, say, "", 1)
		if n := r.Counts().Failed(); n < 30000 {
			t.Fatalf("%s: only %d failures", name, n)
		}
		failing, text := r.Failing(), write(t, "text", r)
		if n := strings.Count(text, "\n"); n > 200 {
			t.Errorf("%s: the text has %d lines", name, n)
		}
		if !strings.HasPrefix(text, "cause 1  ") || strings.Contains(text, "declare this in profile") {
			t.Errorf("%s: the text is\n%.3000s", name, text)
		}
		for form, most := range map[string]int{"html": 2 << 20, "junit": 5 << 20, "markdown": 1 << 20} {
			page := write(t, form, r)
			if len(page) > most {
				t.Errorf("%s: %s has %d bytes", name, form, len(page))
			}
			t.Logf("%s: %s has %d bytes", name, form, len(page))
			index := suffixarray.New([]byte(page)) // of tens of thousands of lines each is looked up
			has := func(text string) bool { return len(index.Lookup([]byte(text), 1)) > 0 }
			for _, line := range failing {
				id, suffixes, derived := strings.Cut(line, "#")
				if derived && !has(suffixes) || !derived && form != "junit" && !has(id) {
					t.Errorf("%s: %s lacks %s", name, form, line)
					break
				}
			}
		}
	}
}
