package report_test

import (
	"testing"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
)

// TestKnown: every form of the report contains the mismatches with the list of
// known failures, also after results have been read again.
func TestKnown(t *testing.T) {
	runWith := func(list string) *report.Run {
		known, err := judge.ParseKnown(list)
		if err != nil {
			t.Fatal(err)
		}
		return judgeWith(t, faulty, corpustest.All(t), judge.Options{
			Known: known, NoDerived: true, Filter: func(v *corpus.Vector) bool { return v.Type == "ubi.Vector3" },
		})
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
		for _, r := range []*report.Run{run, readBack(t, run)} {
			if v := r.Verdict(); v != c.verdict {
				t.Errorf("%q: the verdict is %q, want %q", c.list, v, c.verdict)
			}
			for _, format := range []string{"text", "markdown", "html", "jsonl", "junit"} {
				contains(t, c.list+": "+format, unpacked(t, write(t, format, r)), c.says...)
			}
		}
	}
}
