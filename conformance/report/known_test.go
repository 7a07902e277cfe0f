package report_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
)

// TestKnown: every form of the report contains the mismatches with the list of
// known failures, also after results have been read again.
func TestKnown(t *testing.T) {
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	runWith := func(list string) *report.Run {
		known, err := judge.ParseKnown(list)
		if err != nil {
			t.Fatal(err)
		}
		r, err := judge.Run(context.Background(), faulty{adapter.NewReference()}, vectors, judge.Options{
			Known: known, NoDerived: true, Filter: func(v *corpus.Vector) bool { return v.Type == "ubi.Vector3" },
		})
		if err != nil {
			t.Fatal(err)
		}
		return report.NewRun(r)
	}
	exact := "ubi/Vector3/trailing  accepted  # accepts everything\nubi/Vector3/two-floats-only  accepted  # accepts " +
		"everything\n"
	for _, c := range []struct {
		list, verdict string
		says          []string
	}{
		{exact, "not conformant, the failures match the list of known failures", []string{"accepts everything"}},
		{
			exact + "ubi/Vector3/axes  tree\n", "failures differ from the list of known failures",
			[]string{"ubi/Vector3/axes"},
		},
		{
			"ubi/Vector3/trailing  class\n", "failures differ from the list of known failures",
			[]string{"it fails with class", "two-floats-only"},
		},
	} {
		run := runWith(c.list)
		var b bytes.Buffer
		if err := report.JSONL(&b, run); err != nil {
			t.Fatal(err)
		}
		back, err := report.Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*report.Run{run, back} {
			if v := r.Verdict(); v != c.verdict {
				t.Errorf("%q: the verdict is %q, want %q", c.list, v, c.verdict)
			}
			for _, format := range []string{"text", "markdown", "html", "jsonl", "junit"} {
				text := unpacked(t, write(t, format, r))
				for _, s := range c.says {
					if !strings.Contains(text, s) {
						t.Errorf("%q: %s does not contain %q", c.list, format, s)
					}
				}
			}
		}
	}
}
