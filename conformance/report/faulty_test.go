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
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// altered is the reference with another hello and other answers.
type altered struct {
	*adapter.Reference
	hello  func(*adapter.Hello)
	answer func(adapter.Request, *adapter.Response)
	asked  func(adapter.Request) adapter.Response // in place of the reference
	broken map[string]adapter.Broken              // by type: what happens in place of an answer
}

// Fork keeps the changes: that of the reference would have none.
func (w altered) Fork() adapter.Implementation { return w }

func (w altered) Hello(ctx context.Context) (adapter.Hello, error) {
	h, err := w.Reference.Hello(ctx)
	if w.hello != nil {
		w.hello(&h)
	}
	return h, err
}

func (w altered) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	if b, ok := w.broken[q.Type]; ok {
		return adapter.Response{}, &b
	}
	if w.asked != nil {
		return w.asked(q), nil
	}
	a, err := w.Reference.Do(ctx, q)
	if w.answer != nil {
		w.answer(q, &a)
	}
	return a, err
}

// asking returns how to ask an implementation that does not break.
func asking(impl adapter.Implementation) func(adapter.Request) adapter.Response {
	return func(q adapter.Request) adapter.Response {
		a, _ := impl.Do(context.Background(), q)
		return a
	}
}

// judgeWith judges an implementation by vectors.
func judgeWith(t testing.TB, impl adapter.Implementation, vectors []*corpus.Vector, opts judge.Options) *report.Run {
	t.Helper()
	r, err := judge.Run(context.Background(), impl, vectors, opts)
	if err != nil {
		t.Fatal(err)
	}
	return report.NewRun(r)
}

// faulty has a fault of each kind, to have failures in the reports.
var faulty = altered{
	Reference: adapter.NewReference(),
	hello: func(h *adapter.Hello) {
		h.Name, h.Version, h.Language = "faulty", "0.3", "Go"
		h.Skips = []adapter.Skip{{Type: "ubi.Box", Reason: "boxes are <not> read & written yet | maybe never"}}
	},
	answer: faultyAnswer,
	broken: map[string]adapter.Broken{
		"ubi.Color":    {Kind: adapter.Crash, Detail: "the process ended: exit status 2; stderr: panic: nil"},
		"ubi.Matrix22": {Kind: adapter.Timeout, Detail: "no answer within 10s"},
		"ubi.Matrix33": {Kind: adapter.Protocol, Detail: `invalid character 'h' in "hello ]]> world"`},
	},
}

func faultyAnswer(q adapter.Request, a *adapter.Response) {
	switch {
	case q.Type == "upkg.CompactIndex" && q.Op == adapter.OpDecode && a.OK != nil:
		a.OK.Tree.Text = strings.TrimPrefix(a.OK.Tree.Text, "-") // loses the sign
	case q.Type == "upkg.CompactIndex" && q.Op == adapter.OpEncode && a.OK != nil:
		a.OK.Hex = new(*a.OK.Hex + "00") // writes an extra byte
	case q.Type == "ubi.Vector3" && a.Reject != nil:
		n := tree.Node{Kind: tree.Text, Text: "\x01no <vector>"} // accepts everything
		*a = adapter.Response{OK: &adapter.OK{Tree: &n}}
	case q.Type == "ubi.BasicString" && a.Reject != nil && a.Reject.Offset != nil:
		*a.Reject.Offset++
	case q.Type == "ubi.Vector4" && q.Op == adapter.OpRoundtrip && a.OK != nil:
		a.OK.Hex = new("00" + (*a.OK.Hex)[2:]) // changes the first byte
	case q.Type == "upkg.Package" && a.Reject != nil && a.Reject.Class == "reference":
		a.Reject.Class = "trailing" // where two tables overlap, this is acceptable
	case q.Type == "upkg.Package" && q.Op == adapter.OpDecode && a.OK != nil && len(a.OK.Tree.Field("names").Items) > 1:
		a.OK.Tree.Field("names").Items[1].Items[1].Text = "7" // changes one nested field
	}
}

// types are those at which it has a fault, and one that a test changes.
var types = []string{
	"ubi.Vector2", "upkg.CompactIndex", "ubi.Vector3", "ubi.BasicString", "ubi.Vector4", "upkg.Package", "ubi.Box",
	"ubi.Color", "ubi.Matrix22", "ubi.Matrix33",
}

// judgeOne judges the vectors of the types above and one in 32 of the others, and
// the derived cases of one family. An exhaustive run judges the whole corpus.
func judgeOne(t testing.TB, impl adapter.Implementation, derived bool) *judge.Report {
	vectors := slices.DeleteFunc(corpustest.All(t), func(v *corpus.Vector) bool {
		return !slices.Contains(types, v.Type) && !testrun.Sampled(v.ID, 32)
	})
	out := &judge.Report{}
	for _, p := range []ids.Profile{ids.Documented(), ids.Observed()} {
		for _, with := range []bool{false, true} {
			r := judgeWith(t, impl, vectors, judge.Options{
				Profile: &p, NoDerived: !with || !derived,
				Filter: func(v *corpus.Vector) bool { return derived && v.Family() == "ubi" == with || !derived && !with },
			})
			out.Hello = r.Hello
			if out.Hello.Name == "formatgauge" {
				out.Hello.Version = "" // it depends on how the test was built
			}
			out.Results = append(out.Results, r.Results...)
		}
	}
	return out
}

var judged struct {
	once      sync.Once
	good, bad *judge.Report
}

// runs returns a run without failures and a run with many, of which one is known.
func runs(t testing.TB) (good, bad *report.Run) {
	t.Helper()
	judged.once.Do(func() {
		good, bad := judgeOne(t, adapter.NewReference(), false), judgeOne(t, faulty, true)
		known := slices.IndexFunc(bad.Results, func(r judge.Result) bool {
			return r.Status == judge.Fail && r.Vector.Type == "upkg.Package"
		})
		bad.Results[known].Known = "https://example.org/issues/7"
		judged.good, judged.bad = good, bad
	})
	if judged.bad == nil {
		t.Fatal("the first test could not judge")
	}
	return report.NewRun(judged.good), report.NewRun(judged.bad)
}
