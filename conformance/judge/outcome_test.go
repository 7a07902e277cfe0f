package judge_test

import (
	"slices"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
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

// TestOutcomes: every operation of a case has an outcome, also after one that fails. The
// first failure decides. The expected answer, the actual one and the difference
// are data.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	v := corpustest.Find(t, "upkg/CompactIndex/minus-64-takes-two-bytes")
	r := judgeAltered(t, []*corpus.Vector{v}, judge.Options{NoDerived: true},
		answering(map[adapter.Op]adapter.Response{
			adapter.OpDecode: {OK: &adapter.OK{Tree: &tree.Node{Kind: tree.Text, Text: "64"}}},
			adapter.OpEncode: {OK: &adapter.OK{Hex: new("ff")}},
		})).Results[0]
	if len(r.Outcomes) != 3 || r.Outcome != &r.Outcomes[0] || r.Status != judge.Fail {
		t.Fatalf("%+v", r.Outcomes)
	}
	decode, roundtrip, encode := r.Outcomes[0], r.Outcomes[1], r.Outcomes[2]
	if decode.Class != judge.WrongTree || *decode.Difference != (tree.Difference{Want: `"-64"`, Got: `"64"`}) ||
		string(decode.Expected.Tree) != `"-64"` || string(decode.Got.Tree) != `"64"` {
		t.Errorf("%+v", decode)
	}
	if roundtrip.Op != adapter.OpRoundtrip || roundtrip.Status != judge.Pass {
		t.Errorf("%+v", roundtrip)
	}
	if encode.Class != judge.WrongBytes || *encode.Difference != (tree.Difference{Path: "byte 0", Want: "c0", Got: "ff"}) || *encode.Expected.Hex != "c001" || *encode.Got.Hex != "ff" {
		t.Errorf("%+v", encode)
	}
}

// TestIgnoredContext: who ignores the byte order is told so, and not that each rule or
// clause fails.
func TestIgnoredContext(t *testing.T) {
	t.Parallel()
	p := ids.Observed()
	ref := adapter.NewReference()
	r := judgeAltered(t, vectorsOf(t, "ubi.Vector2"), judge.Options{Profile: &p},
		func(q adapter.Request, a adapter.Response) adapter.Response {
			if q.Context["order"] == "big" {
				q.Context = nil
				a, _ = ref.Do(t.Context(), q)
			}
			return a
		})
	failed := 0
	for _, res := range r.Results {
		if res.Status.Failed() {
			failed++
			if res.Ignored != "order=big" {
				t.Errorf("%s: %+v", res.ID, res.Outcome)
			}
		}
	}
	if failed < 3 {
		t.Errorf("%d failures", failed)
	}
	// A rejection without an offset shows nothing.
	r = judgeAltered(t, vectorsOf(t, "upkg.Name"), judge.Options{Profile: &p, NoDerived: true},
		always(adapter.Response{Reject: &adapter.Reject{Class: "truncated"}}))
	for _, res := range r.Results {
		if res.Ignored != "" {
			t.Errorf("%s: %+v", res.ID, res.Outcome)
		}
	}
}
