package report_test

import (
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
func undeclared(follows ids.Profile) adapter.Implementation {
	return altered{Reference: adapter.NewReferenceUnder(follows), hello: func(h *adapter.Hello) {
		h.Profile = ids.SideObserved
		h.Types = slices.DeleteFunc(h.Types, func(t string) bool { return !strings.HasPrefix(t, "upkg.") })
	}}
}

func judgeUndeclared(t *testing.T, follows ids.Profile) *report.Run {
	t.Helper()
	return judgeWith(t, undeclared(follows), corpustest.All(t), judge.Options{NoDerived: true})
}

// TestSuggestedProfile: after many failures that are right under other sides the text says
// so, and how to find the profile.
func TestSuggestedProfile(t *testing.T) {
	t.Parallel()
	const says = "failed vectors are right under other sides"
	text := func(run *report.Run) string { return unwrapped(write(t, "text", run)) }
	strict, err := ids.Documented().With("upkg.ci-minus-zero", "strict")
	for _, follows := range []ids.Profile{ids.Documented(), strict} {
		run := judgeUndeclared(t, follows)
		contains(t, follows.String(), text(run), says+". To find the profile")
		if err == nil {
			run.Fit, err = judge.FindFit(t.Context(), undeclared(follows), corpustest.All(t), judge.Options{})
		}
		if err != nil {
			t.Fatal(err)
		}
		contains(t, follows.String(), text(run), "Under the profile that the answers show, 0 vectors fail: "+
			"formatgauge test --profile "+follows.String()+" -- ADAPTER.")
		if again := readBack(t, run); *again.Fit != *run.Fit {
			t.Errorf("%s: read as %v", follows, again.Fit)
		}
	}
	lacks(t, "a run without failures", text(judgeUndeclared(t, ids.Observed())), says)
	mostlyCrashes := judgeUndeclared(t, ids.Documented())
	for i := range mostlyCrashes.Results {
		if r := &mostlyCrashes.Results[i]; !r.Status.Failed() {
			set(r, judge.Outcome{Op: "decode", Status: judge.Crash, Class: judge.Crashed})
		}
	}
	got := text(mostlyCrashes)
	lacks(t, "the run of a reader that crashes", got, says)
	contains(t, "the run of a reader that crashes", got, "Start with cause 1") // how to read a long list
}

// TestUnlistedTypes: the page and the cases of JUnit contain only types that the adapter
// lists; the page names the others in one line.
func TestUnlistedTypes(t *testing.T) {
	t.Parallel()
	run := judgeUndeclared(t, ids.Observed())
	for format, skipped := range map[string]string{"html": "does not list the type", "junit": ""} {
		text := unpacked(t, write(t, format, run))
		contains(t, format, text, "upkg/CompactIndex/", skipped)
		lacks(t, format, text, "ubi/BasicString/", "ka/Archive/", "uasset/Package/")
	}
}
