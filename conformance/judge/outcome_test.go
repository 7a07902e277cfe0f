package judge_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// What a case is: its status or, if it is acceptable, the reason.
const (
	pass        = string(judge.Pass)
	fail        = string(judge.Fail)
	byChoice    = string(judge.ByChoice)
	limit       = string(judge.Limit)
	unsupported = string(judge.Unsupported)
)

func resultOf(r *judge.Result) string {
	if r.Status == judge.Acceptable {
		return string(r.Reason)
	}
	return string(r.Status)
}

// countReason counts the acceptable results with one of the reasons.
func countReason(r *judge.Report, reasons ...judge.Reason) (n int) {
	for i := range r.Results {
		if res := &r.Results[i]; res.Status == judge.Acceptable && slices.Contains(reasons, res.Reason) {
			n++
		}
	}
	return n
}

// failures are the results that count against the implementation.
func failures(r *judge.Report) (out []*judge.Result) {
	for i := range r.Results {
		if r.Results[i].Status.Failed() {
			out = append(out, &r.Results[i])
		}
	}
	return out
}

// TestOutcomes: every operation of a case has an outcome, also after one that fails. The
// first failure decides. The expected answer, the actual one and the difference
// are data.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	v := corpustest.Find(t, "upkg/CompactIndex/minus-64-takes-two-bytes")
	r := judgeOne(t, v, false, answering(t, map[adapter.Op]string{adapter.OpDecode: `"64"`, adapter.OpEncode: "hex ff"}))
	got, err := json.Marshal(r.Outcomes)
	if want := `[{"op":"decode","status":"fail","class":"tree","difference":{"expected":"\"-64\"","got":"\"64\""},` +
		`"expected":{"tree":"-64"},"got":{"tree":"64"}},{"op":"roundtrip","status":"pass"},` +
		`{"op":"encode","status":"fail","class":"bytes","difference":{"path":"byte 0","expected":"c0","got":"ff"},` +
		`"expected":{"hex":"c001"},"got":{"hex":"ff"}}]`; err != nil || string(got) != want || r.Outcome != &r.Outcomes[0] {
		t.Errorf("got\n%s, %v\nwant\n%s", got, err, want)
	}
}

// TestIgnoredContext: who ignores the byte order is told so, and not that each rule or
// clause fails.
func TestIgnoredContext(t *testing.T) {
	t.Parallel()
	p := ids.Observed()
	ref := adapter.NewReference()
	r := judgeAltered(t, corpustest.Of(t, "ubi.Vector2"), judge.Options{Profile: &p},
		func(q adapter.Request, a adapter.Response) adapter.Response {
			if q.Context["order"] == "big" {
				q.Context = nil
				a, _ = ref.Do(t.Context(), q)
			}
			return a
		})
	for _, res := range failures(r) {
		if res.Ignored != "order=big" {
			t.Errorf("%s: %+v", res.ID, res.Outcome)
		}
	}
	if n := len(failures(r)); n < 3 {
		t.Errorf("%d failures", n)
	}
	// A rejection without an offset shows nothing.
	opts := judge.Options{Profile: &p, NoDerived: true}
	r = judgeAltered(t, corpustest.Of(t, "upkg.Name"), opts, always(t, "truncated @"))
	for _, res := range r.Results {
		if res.Ignored != "" {
			t.Errorf("%s: %+v", res.ID, res.Outcome)
		}
	}
}
