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

// TestKnown: every form tells whether the list of known failures is exact,
// and where it is not, and results that are read again still do.
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
		r, err := judge.Run(context.Background(), wrong{adapter.NewReference()}, vectors, judge.Options{
			Known: known, NoDerived: true, Filter: func(v *corpus.Vector) bool { return v.Type == "ubi.Vector3" },
		})
		if err != nil {
			t.Fatal(err)
		}
		run, err := report.NewRun(r, false)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	exact := "ubi/Vector3/trailing  accepted  # takes everything\nubi/Vector3/two-floats-only  accepted  # takes everything\n"
	for _, c := range []struct {
		list, verdict string
		says          []string
	}{
		{exact, "not conformant, as the list of known failures says", []string{"takes everything"}},
		{exact + "ubi/Vector3/axes  tree\n", "not as the list of known failures says", []string{"ubi/Vector3/axes"}},
		{"ubi/Vector3/trailing  class\n", "not as the list of known failures says", []string{"it fails as", "two-floats-only"}},
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
				text := write(t, format, r)
				for _, s := range c.says {
					if !strings.Contains(text, s) {
						t.Errorf("%q: %s does not say %q", c.list, format, s)
					}
				}
			}
		}
	}
}
