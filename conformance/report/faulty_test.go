package report_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// faulty is the reference with a fault of each kind, to have failures in the
// reports.
type faulty struct{ *adapter.Reference }

// Fork keeps the faults: that of the reference would have none.
func (w faulty) Fork() adapter.Implementation { return w }

func (faulty) Hello(ctx context.Context) (adapter.Hello, error) {
	h, err := adapter.NewReference().Hello(ctx)
	h.Name, h.Version, h.Language = "faulty", "0.3", "Go"
	h.Skips = []adapter.Skip{{Type: "ubi.Box", Reason: "boxes are <not> read & written yet | maybe never"}}
	return h, err
}

func (w faulty) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	a, err := w.Reference.Do(ctx, q)
	switch {
	case err != nil:
	case q.Type == "upkg.CompactIndex" && q.Op == adapter.OpDecode && a.OK != nil:
		a.OK.Tree.Text = strings.TrimPrefix(a.OK.Tree.Text, "-") // loses the sign
	case q.Type == "upkg.CompactIndex" && q.Op == adapter.OpEncode && a.OK != nil:
		s := *a.OK.Hex + "00" // writes an extra byte
		a.OK.Hex = &s
	case q.Type == "ubi.Vector3" && a.Reject != nil:
		a.Reject = nil // accepts everything
		a.OK = &adapter.OK{Tree: &tree.Node{Kind: tree.Text, Text: "\x01no <vector>"}}
	case q.Type == "ubi.BasicString" && a.Reject != nil && a.Reject.Offset != nil:
		at := *a.Reject.Offset + 1 // is too great by one
		a.Reject.Offset = &at
	case q.Type == "ubi.Vector4" && q.Op == adapter.OpRoundtrip && a.OK != nil:
		s := "00" + (*a.OK.Hex)[2:] // changes the first byte
		a.OK.Hex = &s
	case q.Type == "upkg.Package" && a.Reject != nil && a.Reject.Class == "reference":
		a.Reject.Class = "trailing" // where two tables overlap, this is acceptable
	case q.Type == "upkg.Package" && q.Op == adapter.OpDecode && a.OK != nil && len(a.OK.Tree.Field("names").Items) > 1:
		a.OK.Tree.Field("names").Items[1].Items[1].Text = "7" // changes one nested field
	case q.Type == "ubi.Color":
		return adapter.Response{}, &adapter.Broken{
			Kind:   adapter.Crash,
			Detail: "the process ended: exit status 2; stderr: panic: nil",
		}
	case q.Type == "ubi.Matrix22":
		return adapter.Response{}, &adapter.Broken{Kind: adapter.Timeout, Detail: "no answer within 10s"}
	case q.Type == "ubi.Matrix33":
		return adapter.Response{}, &adapter.Broken{
			Kind:   adapter.Protocol,
			Detail: `invalid character 'h' in "hello ]]> world"`,
		}
	}
	return a, err
}

var judged = sync.OnceValues(func() ([2]*judge.Report, error) {
	var out [2]*judge.Report
	for i, impl := range []adapter.Implementation{adapter.NewReference(), faulty{adapter.NewReference()}} {
		var err error
		if out[i], err = judgeOne(impl, i > 0); err != nil {
			return out, err
		}
	}
	// One failure is known.
	for i := range out[1].Results {
		if r := &out[1].Results[i]; r.Status == judge.Fail && r.Vector.Type == "upkg.Package" {
			r.Known = "https://example.org/issues/7"
			break
		}
	}
	return out, nil
})

// types are those at which it has a fault, and one that a test changes.
var types = []string{
	"ubi.Vector2", "upkg.CompactIndex", "ubi.Vector3", "ubi.BasicString", "ubi.Vector4", "upkg.Package", "ubi.Box",
	"ubi.Color", "ubi.Matrix22", "ubi.Matrix33",
}

// judgeOne judges the vectors of the types above and an eighth of the others, and
// the derived cases of one family. An exhaustive run judges the whole corpus.
func judgeOne(impl adapter.Implementation, derived bool) (*judge.Report, error) {
	all, err := corpus.All()
	if err != nil {
		return nil, err
	}
	var vectors []*corpus.Vector
	for _, v := range all {
		if slices.Contains(types, v.Type) || testrun.Sampled(v.ID, 8) {
			vectors = append(vectors, v)
		}
	}
	out := &judge.Report{}
	for _, p := range []ids.Profile{ids.Documented(), ids.Observed()} {
		for _, with := range []bool{false, true} {
			r, err := judge.Run(context.Background(), impl, vectors, judge.Options{
				Profile: &p, NoDerived: !with || !derived,
				Filter: func(v *corpus.Vector) bool { return derived && v.Family() == "ubi" == with || !derived && !with },
			})
			if err != nil {
				return nil, err
			}
			out.Hello = r.Hello
			if out.Hello.Name == "formatgauge" {
				out.Hello.Version = "" // it depends on how the test was built
			}
			out.Results = append(out.Results, r.Results...)
		}
	}
	return out, nil
}

// runs returns a run without failures and a run with many.
func runs(t testing.TB) (good, bad *report.Run) {
	t.Helper()
	r, err := judged()
	if err != nil {
		t.Fatal(err)
	}
	return report.NewRun(r[0]), report.NewRun(r[1])
}
