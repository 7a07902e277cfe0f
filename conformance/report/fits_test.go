package report_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// undeclared is the reference of one family, which declares observed and follows another
// profile.
func undeclared(follows string) adapter.Implementation {
	reference := adapter.NewReference()
	return altered{
		Reference: reference,
		hello: func(h *adapter.Hello) {
			h.AnyProfile, h.Profile = false, ids.SideObserved
			h.Types = slices.DeleteFunc(h.Types, func(t string) bool { return !strings.HasPrefix(t, "upkg.") })
		},
		asked: func(q adapter.Request) adapter.Response {
			q.Profile = follows
			a, _ := reference.Do(context.Background(), q)
			return a
		},
	}
}

func judgeUndeclared(t *testing.T, follows string) *report.Run {
	t.Helper()
	return judgeWith(t, undeclared(follows), corpustest.All(t), judge.Options{NoDerived: true})
}

// TestSuggestedProfile: after many failures that are right under other sides the text says
// so, and how to find the profile.
func TestSuggestedProfile(t *testing.T) {
	t.Parallel()
	const says = "failed vectors are right under other sides"
	text := func(run *report.Run) string { return strings.Join(strings.Fields(write(t, "text", run)), " ") }
	for _, follows := range []string{"documented", "documented,upkg.ci-minus-zero=strict"} {
		run := judgeUndeclared(t, follows)
		if got := text(run); !strings.Contains(got, says+". To find the profile") {
			t.Errorf("%s: the report lacks it; it ends with\n%s", follows, got[max(0, len(got)-600):])
		}
		var err error
		run.Fit, err = judge.FindFit(t.Context(), undeclared(follows), corpustest.All(t), judge.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := "Under the profile that the answers show, 0 vectors fail: formatgauge test --profile " + follows + " -- ADAPTER."
		if got := text(run); !strings.Contains(got, want) {
			t.Errorf("%s: the report lacks the profile; it ends with\n%s", follows, got[max(0, len(got)-600):])
		}
		if again := readBack(t, run); *again.Fit != *run.Fit {
			t.Errorf("%s: read as %v", follows, again.Fit)
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
