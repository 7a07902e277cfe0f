package judge_test

import (
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestSingle: a single answer gets the status and class that a run gives.
func TestSingle(t *testing.T) {
	vectors := only(corpustest.Of(t, "upkg"), func(v *corpus.Vector) bool { return !v.EncodeOnly() })
	p := ids.Observed()
	report := judgedBy(t, &altered{Reference: adapter.NewReference(), alter: always(t, "value @")}, vectors,
		judge.Options{Profile: &p, NoDerived: true})
	rejection := answerOf(t, "value @")
	cases := judge.Cases(vectors, []ids.Profile{p}, nil)
	if len(cases) != len(report.Results) {
		t.Fatalf("%d cases, %d results", len(cases), len(report.Results))
	}
	statuses := map[judge.Status]int{}
	for i := range cases {
		single, err := judge.NewSingle(&cases[i])
		if err != nil {
			t.Fatal(err)
		}
		want := report.Results[i]
		statuses[want.Status]++
		if single == nil {
			if want.Status != judge.NotApplicable {
				t.Errorf("%s: no verdict, in a run %s", want.ID, want.Status)
			}
			continue
		}
		if got := single.Judge(single.Operations()[0], rejection); got.Status != want.Status || got.Class != want.Class {
			t.Errorf("%s: %s %s, in a run %s %s", want.ID, got.Status, got.Class, want.Status, want.Class)
		}
	}
	for _, s := range []judge.Status{judge.Fail, judge.Acceptable} {
		if statuses[s] == 0 {
			t.Errorf("no case is %s", s)
		}
	}
}
