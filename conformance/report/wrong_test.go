package report_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

// wrong is the reference with a fault of each kind, so that reports have
// something to show.
type wrong struct{ *adapter.Reference }

func (wrong) Hello(ctx context.Context) (adapter.Hello, error) {
	h, err := adapter.NewReference().Hello(ctx)
	h.Name, h.Version, h.Language = "wrong", "0.3", "Go"
	h.Skips = []adapter.Skip{{Type: "ubi.Box", Reason: "boxes are <not> read & written yet | maybe never"}}
	return h, err
}

func (w wrong) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	a, err := w.Reference.Do(ctx, q)
	switch {
	case err != nil:
	case q.Type == "upkg.CompactIndex" && q.Op == adapter.OpDecode && a.OK != nil:
		a.OK.Tree.Text = strings.TrimPrefix(a.OK.Tree.Text, "-") // forgets the sign
	case q.Type == "upkg.CompactIndex" && q.Op == adapter.OpEncode && a.OK != nil:
		s := *a.OK.Hex + "00" // writes a byte too many
		a.OK.Hex = &s
	case q.Type == "ubi.Vector3" && a.Reject != nil:
		a.Reject = nil // takes everything
		a.OK = &adapter.OK{Tree: &tree.Node{Kind: tree.Text, Text: "\x01no <vector>"}}
	case q.Type == "ubi.BasicString" && a.Reject != nil && a.Reject.Offset != nil:
		at := *a.Reject.Offset + 1 // is one off
		a.Reject.Offset = &at
	case q.Type == "ubi.Vector4" && q.Op == adapter.OpRecode && a.OK != nil:
		s := "00" + (*a.OK.Hex)[2:] // spoils the first byte
		a.OK.Hex = &s
	case q.Type == "upkg.Package" && q.Op == adapter.OpDecode && a.OK != nil && len(a.OK.Tree.Field("names").Items) > 1:
		a.OK.Tree.Field("names").Items[1].Items[1].Text = "7" // one field deep in a value
	case q.Type == "ubi.Color":
		return adapter.Response{}, &adapter.Broken{Kind: adapter.Crash, Detail: "it ended: exit status 2; its last words: panic: nil"}
	case q.Type == "ubi.Matrix22":
		return adapter.Response{}, &adapter.Broken{Kind: adapter.Hang, Detail: "no answer within 10s"}
	case q.Type == "ubi.Matrix33":
		return adapter.Response{}, &adapter.Broken{Kind: adapter.Protocol, Detail: `invalid character 'h' in "hello ]]> world"`}
	}
	return a, err
}

var judged = sync.OnceValues(func() ([2]*judge.Report, error) {
	var out [2]*judge.Report
	vectors, err := corpus.All()
	if err != nil {
		return out, err
	}
	for i, impl := range []adapter.Implementation{adapter.NewReference(), wrong{adapter.NewReference()}} {
		if out[i], err = judge.Run(context.Background(), impl, vectors, judge.Options{}); err != nil {
			return out, err
		}
	}
	addDerived(out[1])
	return out, nil
})

// addDerived gives a report cases that follow from vectors, and a failure that is known.
func addDerived(r *judge.Report) {
	var more []judge.Result
	known := false
	for i, res := range r.Results {
		if !known && res.Status == judge.Fail && res.Vector.Type == "upkg.Package" {
			r.Results[i].Known, known = "https://example.org/issues/7", true
		}
		if res.Status != judge.Pass || len(res.Input) < 2 || res.Derived {
			continue
		}
		d := res
		d.Derived, d.ID, d.Input = true, res.ID+"#cut-1", res.Input[:len(res.Input)-1]
		if len(more)%7 == 3 {
			d.Status, d.Op, d.Detail = judge.Fail, adapter.OpDecode, "it is accepted"
			d.Want, d.Got = fmt.Sprintf("reject truncated @0-%d", len(d.Input)), `"1"`
		}
		more = append(more, d)
		if d.Status == judge.Pass {
			d.ID, d.Input = res.ID+"#cut-2", res.Input[:len(res.Input)-2]
			more = append(more, d)
		}
	}
	// By profile, as the judge gives them.
	var out []judge.Result
	for _, p := range []spec.Profile{spec.Documented(), spec.Observed()} {
		for _, part := range [][]judge.Result{r.Results, more} {
			for _, res := range part {
				if res.Profile.String() == p.String() {
					out = append(out, res)
				}
			}
		}
	}
	r.Results = out
}

// runs returns a run without fault and one with many.
func runs(t testing.TB) (good, bad *report.Run) {
	t.Helper()
	r, err := judged()
	if err != nil {
		t.Fatal(err)
	}
	if good, err = report.NewRun(r[0], false); err != nil {
		t.Fatal(err)
	}
	if bad, err = report.NewRun(r[1], false); err != nil {
		t.Fatal(err)
	}
	return good, bad
}
