package report_test

import (
	"context"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// undeclared is the reference of one family, which declares observed and follows another
// profile.
type undeclared struct {
	*adapter.Reference
	follows string
}

func (u undeclared) Hello(ctx context.Context) (adapter.Hello, error) {
	h, err := u.Reference.Hello(ctx)
	h.AnyProfile, h.Profile = false, ids.SideObserved
	var types []string
	for _, t := range h.Types {
		if strings.HasPrefix(t, "upkg.") {
			types = append(types, t)
		}
	}
	h.Types = types
	return h, err
}

func (u undeclared) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	q.Profile = u.follows
	return u.Reference.Do(ctx, q)
}

func judgeUndeclared(t *testing.T, follows string) *report.Run {
	t.Helper()
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	r, err := judge.Run(t.Context(), undeclared{adapter.NewReference(), follows}, vectors, judge.Options{NoDerived: true})
	if err != nil {
		t.Fatal(err)
	}
	return report.NewRun(r)
}

// TestSuggestedProfile: after many failures that are right under other sides the text says
// so, and how to find the profile.
func TestSuggestedProfile(t *testing.T) {
	t.Parallel()
	const says = "failed vectors are right under other sides"
	text := func(run *report.Run) string { return strings.Join(strings.Fields(write(t, "text", run)), " ") }
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, follows := range []string{"documented", "documented,upkg.ci-minus-zero=strict"} {
		run := judgeUndeclared(t, follows)
		if got := text(run); !strings.Contains(got, says+". To find the profile") {
			t.Errorf("%s: the report lacks it; it ends with\n%s", follows, got[max(0, len(got)-600):])
		}
		if run.Fit, err = judge.FindFit(t.Context(), undeclared{adapter.NewReference(), follows}, vectors, judge.Options{}); err != nil {
			t.Fatal(err)
		}
		want := "Under the profile that the answers show, 0 vectors fail: formatgauge test --profile " + follows + " -- ADAPTER."
		if got := text(run); !strings.Contains(got, want) {
			t.Errorf("%s: the report lacks the profile; it ends with\n%s", follows, got[max(0, len(got)-600):])
		}
		again, err := report.Read(strings.NewReader(write(t, "jsonl", run)))
		if err != nil || *again.Fit != *run.Fit {
			t.Errorf("%s: read as %v, %v", follows, again.Fit, err)
		}
	}
	if got := text(judgeUndeclared(t, "observed")); strings.Contains(got, says) {
		t.Errorf("a profile is suggested without failures:\n%s", got)
	}
	mostlyCrashes := judgeUndeclared(t, "documented")
	for i := range mostlyCrashes.Results {
		if r := &mostlyCrashes.Results[i]; !r.Status.Failed() {
			set(r, judge.Outcome{Op: "decode", Status: judge.Crash, Class: judge.Crashed})
		}
	}
	got := text(mostlyCrashes)
	if strings.Contains(got, says) {
		t.Error("a profile is suggested to a reader that crashes")
	}
	if !strings.Contains(got, "Start with cause 1") {
		t.Error("nothing says how to read a long list")
	}
}

// TestUnlistedTypes: the page and the cases of JUnit contain only types that the adapter
// lists; the page names the others in one line.
func TestUnlistedTypes(t *testing.T) {
	t.Parallel()
	run := judgeUndeclared(t, "observed")
	for _, format := range []string{"html", "junit"} {
		text := unpacked(t, write(t, format, run))
		if !strings.Contains(text, "upkg/CompactIndex/") {
			t.Errorf("%s: no vector of a listed type", format)
		}
		for _, id := range []string{"ubi/BasicString/", "ka/Archive/", "uasset/Package/"} {
			if strings.Contains(text, id) {
				t.Errorf("%s contains vectors of a type that is not listed: %s", format, id)
			}
		}
		if format == "html" && !strings.Contains(text, "does not list the type") {
			t.Error("the page does not name what was skipped")
		}
	}
}
