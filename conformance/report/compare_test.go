package report_test

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/internal/chromium"
)

// TestCompare: every kind of change, also in derived cases, of which a run lists
// only those that fail. Times and texts make no difference.
func TestCompare(t *testing.T) {
	with := func(id string, s judge.Status, edit ...func(*judge.Result)) judge.Result {
		class := judge.Errored
		if !s.Disagrees() {
			class = ""
		}
		r := resultOf(t, id, class, "why")
		r.Status = s
		for _, e := range edit {
			e(&r)
		}
		return r
	}
	derived := func(id string, k int, o judge.Outcome) judge.Result {
		r := derivedOf(with(id, judge.Pass), judge.Truncated, k, "")
		set(&r, o)
		return r
	}
	passed := judge.Outcome{Status: judge.Pass}
	failed := judge.Outcome{Status: judge.Fail, Class: judge.Accepted, Message: "why"}
	notAsked := judge.Outcome{Status: judge.NotApplicable, Reason: judge.NotAsked}
	skipped := judge.Outcome{Status: judge.Skip, Reason: judge.NotAsked}
	const a, b, c, d, e, f, g, h, i = "ubi/Box/plain", "ubi/Box/inverted", "ubi/Vector2/plain", "ubi/Vector2/empty",
		"ubi/Vector3/plain", "ubi/Color/plain", "ubi/Color/minus-zeros", "ubi/Color/subnormals", "ubi/Vector4/plain"
	old := runOf(
		with(a, judge.Pass), derived(a, 1, passed), derived(a, 2, passed),
		with(b, judge.Fail), with(c, judge.Pass), with(d, judge.Fail, func(r *judge.Result) { r.Class = judge.WrongTree }),
		with(e, judge.Skip), derived(e, 1, failed), with(f, judge.Fail), with(g, judge.Pass),
		with(h, judge.Fail, func(r *judge.Result) { r.Known = "listed" }),
		derived(h, 1, failed), derived(h, 2, failed), derived(h, 3, passed),
		with(i, judge.Pass), derived(i, 1, failed), derived(i, 2, failed),
	)
	now := runOf(
		with(a, judge.Pass, func(r *judge.Result) { r.Duration = 7 }), derived(a, 1, failed), derived(a, 2, failed),
		with(b, judge.Acceptable), with(c, judge.Skip), with(d, judge.Fail),
		with(e, judge.Fail), with(g, judge.Pass), with(h, judge.Fail, func(r *judge.Result) { r.Message = "another text" }),
		with("ubi/Box/trailing", judge.Fail), derived(h, 2, failed), derived(h, 3, notAsked), derived(h, 1, passed),
		with(i, judge.Pass), derived(i, 1, passed), derived(i, 2, skipped), derived(i, 3, notAsked),
	)
	observed := []string{"observed"}
	want := []report.Change{
		{Kind: report.Broken, Vector: a, Profiles: observed, Derived: 2, From: "pass", To: "fail", Detail: "why"},
		{Kind: report.Broken, Vector: c, Profiles: observed, From: "pass", To: "skip", Detail: "why"},
		{Kind: report.Fixed, Vector: b, Profiles: observed, From: "fail", To: "acceptable", Detail: "decode: why"},
		{Kind: report.Fixed, Vector: h, Profiles: observed, Derived: 1, From: "fail", To: "pass"},
		{Kind: report.Changed, Vector: d, Profiles: observed, From: "fail", To: "fail", Detail: "decode: why"},
		{Kind: report.Changed, Vector: e, Profiles: observed, From: "skip", To: "fail", Detail: "decode: why"},
		{Kind: report.Changed, Vector: i, Profiles: observed, Derived: 2, From: "fail", To: "skip"},
		{Kind: report.New, Vector: "ubi/Box/trailing", Profiles: observed, To: "fail", Detail: "decode: why"},
		{Kind: report.Gone, Vector: f, Profiles: observed, From: "fail"},
	}
	got := report.Compare(old, now)
	if diff := cmp.Diff(want, got.Changes); diff != "" {
		t.Error(diff)
	}
	back := report.Compare(now, old)
	want = []report.Change{
		{Kind: report.Broken, Vector: b, Profiles: observed, From: "acceptable", To: "fail", Detail: "decode: why"},
		{Kind: report.Broken, Vector: h, Profiles: observed, Derived: 1, From: "pass", To: "fail", Detail: "why"},
		{Kind: report.Broken, Vector: i, Profiles: observed, Derived: 2, From: "pass", To: "fail", Detail: "why"},
	}
	if diff := cmp.Diff(want, back.Changes[:back.Count(report.Broken)]); diff != "" {
		t.Error("in the other direction:", diff)
	}
	got.Changes = append(got.Changes, report.Change{Kind: report.Gone, Vector: a, Profiles: []string{"documented", "observed"}})
	const sum = "1 broken, 1 fixed, 2 changed, 1 new, 3 gone; derived cases: 2 broken, 1 fixed, 2 changed"
	if s := got.Sum(); s != sum {
		t.Errorf("the sum is %q, want %q", s, sum)
	}
	if c := report.Compare(now, now); len(c.Changes) > 0 {
		t.Errorf("a run differs from itself: %+v", c.Changes)
	}
}

// hostileTextInPage: what the script of the page shows is printable too.
func hostileTextInPage(t *testing.T, tab *chromium.Tab) {
	got := chromium.Said(t, open(t, tab, withScript(write(t, "html", hostileRun(t, 0)), `
const d = $("details.v"); d.open = true; d.dispatchEvent(new Event("toggle"));
say(/[\p{Cf}\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u.test($("main").textContent), d.textContent.includes("\\u202e"));
`), ""))
	if want := []string{"false true"}; !cmp.Equal(got, want) {
		t.Errorf("the page says %q, want %q", got, want)
	}
}

// TestBadge: the badge has the verdict or the numbers, without markup in the names of types.
func TestBadge(t *testing.T) {
	good := runOf(resultOf(t, "ubi/Box/plain", "", ""))
	bad := runOf(resultOf(t, "ubi/Box/plain", "", ""), resultOf(t, "ubi/Vector2/plain", judge.Rejected, "why"))
	skipped := resultOf(t, "ubi/Array/three-vectors", "", "")
	set(&skipped, judge.Outcome{Status: judge.Skip, Reason: judge.Answered})
	array := runOf(good.Results[0], skipped)
	array.Hello.Types = []string{"ubi.Array"}
	cut, view := *good, *good
	cut.Interrupted = true
	view.Report = &judge.Report{
		Hello:   adapter.Hello{Views: []string{"ka.map"}, Types: good.Hello.Types},
		Results: good.Results,
	}
	for _, c := range []struct {
		run             *report.Run
		message, colour string
	}{
		{good, "conformant", "#2f7d3c"},
		{bad, "1 of 2 passed", "#b93a2b"},
		{&cut, "interrupted", "#7a5c00"},
		{&view, "conformant in the view ka.map", "#2f7d3c"},
		{runOf(), "nothing was judged", "#b93a2b"},
		{array, "conformant; cases of listed types were skipped: ubi.Array&lt;V…", "#2f7d3c"},
	} {
		svg := textOf(t, func(w io.Writer) error { return report.Badge(w, c.run) })
		contains(t, "the badge", svg,
			"<title>formatgauge corpus 1: "+c.message+"</title>", `fill="`+c.colour+`"`)
	}
}
