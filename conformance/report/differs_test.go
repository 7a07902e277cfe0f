package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/chromium"
	"github.com/formatgauge/formatgauge/internal/schematest"
)

// deviates answers as a reader without limits, that rejects a truncated compact index with
// another class.
func deviates(q adapter.Request, a *adapter.Response) {
	switch {
	case a.Reject == nil || q.Op != adapter.OpDecode:
	case a.Reject.Class == "limit", a.Reject.Class == "unsupported":
		*a = judgetest.Wider(q)
	case q.Type == "upkg.CompactIndex" && a.Reject.Class == "truncated":
		a.Reject.Class = "kind"
	}
}

const whyChosen = "No document <names> a class | here."

// deviatingRun judges it by two types, under all profiles.
func deviatingRun(t *testing.T, strict bool) *report.Run {
	t.Helper()
	impl := altered{
		Reference: adapter.NewReference(), answer: deviates,
		hello: func(h *adapter.Hello) { h.Name, h.Version = "deviating", "1" },
	}
	vectors := judgetest.Planted(corpustest.All(t), judgetest.Choice("UPKG-CI-10", whyChosen))
	return judgeWith(t, impl, vectors, judge.Options{
		FailAcceptable: strict, NoDerived: true,
		Filter: func(v *corpus.Vector) bool { return v.Type == "upkg.CompactIndex" || v.Type == "ka.Color" },
	})
}

// TestDeviations: every form counts what is acceptable apart from failures, and names the
// reason and the choice.
func TestDeviations(t *testing.T) {
	run := deviatingRun(t, false)
	byReason := map[judge.Reason]int{}
	for i := range run.Results {
		if r := &run.Results[i]; r.Status == judge.Acceptable {
			byReason[r.Reason]++
		}
	}
	n := run.Count(judge.Acceptable)
	if byReason[judge.ByChoice] < 2 || byReason[judge.Unsupported] < 2 || run.Verdict() != "conformant" {
		t.Fatalf("%v: %s", byReason, run.Verdict())
	}
	sum := fmt.Sprintf("%d passed, 0 failed, %d acceptable", run.Count(judge.Pass), n)
	const title = "acceptable, choice: UPKG-CI-10"
	for format, want := range map[string][]string{
		"text": {
			title, whyChosen, "upkg/CompactIndex/nothing  under documented; observed  decode: rejected as kind",
			"\nacceptable, unsupported: ", sum + ", 3 not applicable: conformant\n",
		},
		"markdown": {
			"#### Acceptable", title, `No document &lt;names&gt; a class \| here.`,
			"upkg/CompactIndex/nothing</code> under documented; observed: decode: rejected as kind", sum,
			fmt.Sprintf(", %d acceptable", byReason[judge.ByChoice]/2),
		},
		"junit": {title, `No document &lt;names&gt; a class | here.`, `acceptable, unsupported: accepts what`},
		"html":  {"0 failed", `<span class="sign acceptable"`, `No document \u003cnames\u003e a class | here.`},
		"jsonl": {
			`"status":"acceptable"`, `"reason":"unsupported"`, fmt.Sprintf(`"acceptable":%d`, n),
			`"choices":[{"by":"UPKG-CI-10"`,
		},
	} {
		contains(t, format, unpacked(t, write(t, format, run)), want...)
	}
	for _, suite := range parseXML(t, write(t, "junit", run)).Nodes {
		if suite.attr("failures") != "0" || suite.attr("errors") != "0" {
			t.Errorf("%s: %s failures", suite.attr("name"), suite.attr("failures"))
		}
		seen := map[string]bool{}
		for _, c := range suite.Nodes {
			name := c.attr("name")
			if c.XMLName.Local == "testcase" && seen[name] {
				t.Errorf("%s: two cases have the name %s", suite.attr("name"), name)
			}
			seen[name] = true
		}
	}
}

// TestDeviationsAsFailures: with FailAcceptable they are failures, and say why only then.
func TestDeviationsAsFailures(t *testing.T) {
	run := deviatingRun(t, true)
	if run.Count(judge.Acceptable) > 0 || run.Verdict() != "not conformant" {
		t.Fatalf("%d acceptable: %s", run.Count(judge.Acceptable), run.Verdict())
	}
	const why = "A failure only because of --fail-acceptable."
	for format, want := range map[string][]string{
		"text": {"FAIL (acceptable) upkg/", "FAIL (acceptable) ka/Color/", why}, "markdown": {why}, "html": {why},
		"junit": {"FAIL (acceptable)", why},
		"jsonl": {
			`"status":"fail","class":"class","reason":"choice"`,
			`"status":"fail","class":"accepted","reason":"unsupported"`,
		},
	} {
		contains(t, format, unwrapped(strings.ReplaceAll(write(t, format, run), "&#xA;", " ")), want...)
	}
}

// TestSchemaOfDeviations: JSON Lines match the schema. TestReadBack reads them again.
func TestSchemaOfDeviations(t *testing.T) {
	schema := schematest.Compile(t, report.ResultsSchema)
	for _, strict := range []bool{false, true} {
		run := deviatingRun(t, strict)
		for line := range strings.Lines(write(t, "jsonl", run)) {
			schematest.Check(t, schema, line)
			if !strings.Contains(line, `"outcomes":[{`) || !strings.Contains(line, `"choices":`) {
				continue
			}
			rejects(t, schema, line, edit{`"status":"[a-z]+","class"`, `"status":"pass","class"`},
				edit{`"class":"[a-z]+","reason"`, `"reason"`})
		}
	}
}

// namedSideColumn: the profiles with a named side share a column and a row.
// A vector with several results there shows the worst.
func namedSideColumn(t *testing.T, tab *chromium.Tab) {
	run := deviatingRun(t, false)
	at := slices.IndexFunc(run.Results, func(r judge.Result) bool {
		return r.Profile.String() == "observed,upkg.ci-non-minimal=strict" && r.Status == judge.Pass &&
			slices.Contains(r.Vector.Flags, "upkg.ci-minus-zero")
	})
	if at < 0 {
		t.Fatal("no vector is judged by two named sides")
	}
	changed := *run
	changed.Report = &judge.Report{Hello: run.Hello, Results: slices.Clone(run.Results)}
	set(&changed.Results[at], judge.Outcome{Op: "decode", Status: judge.Fail, Class: judge.Accepted})
	if text := write(t, "text", &changed); strings.Count(text, "\n  named sides  ") != 1 ||
		!strings.Contains(text, "under observed,upkg.ci-non-minimal=strict") {
		t.Errorf("no row for the named sides, or no profile of the failure:\n%s", text)
	}
	id := changed.Results[at].ID
	got := chromium.Said(t, open(t, tab, withScript(write(t, "html", &changed), `
say(all(".matrix th.profile").map((e) => e.textContent).join(", "));
const row = document.querySelector('details[data-v="`+id+`"]');
say([...row.querySelectorAll(".signs .sign")].map((e) => e.className).join(", "));
row.open = true; row.dispatchEvent(new Event("toggle"));
say(row.querySelector(".case.fail .where").textContent);
$("[data-outcome=acceptable]").click(); say(count());
const d = $("#list details.v"); d.open = true; d.dispatchEvent(new Event("toggle"));
say(d.querySelector(".case.acceptable .why").textContent);
`), ""))
	want := []string{
		"documented, observed, named sides",
		"sign pass, sign pass, sign fail",
		"named sides; observed,upkg.ci-non-minimal=strict",
		countOf(run, with(judge.Acceptable)),
		"acceptable, choice: UPKG-CI-10. " + whyChosen,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestNoClass: without the protocol, a rejection need not have a class.
func TestNoClass(t *testing.T) {
	r := resultOf(t, "ubi/Box/plain", judge.Rejected, "")
	r.Got.Reject.Class = ""
	if got := report.What(r.Outcome); got != "rejected without a class, expected acceptance" {
		t.Error(got)
	}
}
