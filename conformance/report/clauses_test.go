package report

import (
	"fmt"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestReadersBreakNoRuleOfWriters: the cause of a wrong value is no clause about writers,
// unless there is no other.
func TestReadersBreakNoRuleOfWriters(t *testing.T) {
	t.Parallel()
	both, writer := []ids.Clause{"UPKG-CI-6", "UPKG-CI-3"}, []ids.Clause{"UPKG-CI-6"}
	for _, c := range []struct {
		op      adapter.Op
		clauses []ids.Clause
		want    string
	}{
		{adapter.OpDecode, both, "[UPKG-CI-3]"},
		{adapter.OpDecode, writer, "[UPKG-CI-6]"},
		{adapter.OpEncode, both, "[UPKG-CI-6 UPKG-CI-3]"},
	} {
		r := judge.Result{Vector: &corpus.Vector{Clauses: c.clauses}, Outcome: &judge.Outcome{Op: c.op}}
		if got := fmt.Sprint(clausesOf(&r)); got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.op, c.clauses, got, c.want)
		}
	}
}

// TestWritersBreakNoRuleOfReaders: a value to write has no bytes, so no fault of reading.
func TestWritersBreakNoRuleOfReaders(t *testing.T) {
	t.Parallel()
	v := corpustest.Find(t, "upkg/CompactIndex/two-to-the-32-is-written")
	r := judge.NewResult(v.ID, v, ids.Observed(), judge.Outcome{Op: adapter.OpEncode, Status: judge.Fail, Class: judge.Accepted})
	if got := (places{}).of(&r); len(got.clauses) > 0 {
		t.Errorf("the clauses of the place are %v, want none", got.clauses)
	}
}
