package judge_test

import (
	"context"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// leaking is wrong about some answers, about others only after the first requests.
type leaking struct {
	*adapter.Reference
	asked, forks *int
	always       bool
}

func newLeaking(always bool, forks *int) *leaking {
	return &leaking{adapter.NewReference(), new(int), forks, always}
}

func (l *leaking) Fork() adapter.Implementation {
	*l.forks++
	return newLeaking(l.always, l.forks)
}

func (l *leaking) Hello(ctx context.Context) (adapter.Hello, error) {
	h, err := l.Reference.Hello(ctx)
	h.Profile, h.AnyProfile, h.Operations = "observed", false, []adapter.Op{adapter.OpDecode}
	return h, err
}

func (l *leaking) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	a, err := l.Reference.Do(ctx, q)
	if *l.asked++; a.OK != nil && (l.always || *l.asked > 10) && a.OK.Tree.Kind == tree.Text {
		a.OK.Tree.Text = "77"
	}
	return a, err
}

// TestAlone: a wrong answer that is another one in a fresh process depends on earlier
// requests, one that is the same does not, and the number of processes has a limit.
func TestAlone(t *testing.T) {
	vectors := corpustest.Of(t, "upkg.CompactIndex")
	for _, always := range []bool{false, true} {
		forks := 0
		r := judgedBy(t, newLeaking(always, &forks), vectors,
			judge.Options{NoDerived: true, Profile: new(ids.Observed())})
		failed, flaky := 0, 0
		for i := range r.Results {
			switch o := r.Results[i].Outcome; {
			case o.Class == judge.Flaky:
				flaky++
				if !o.Alone || o.Status != judge.Fail || o.Message == "" || o.Got == nil || o.Got.Tree == nil ||
					string(o.Got.Tree) == `"77"` {
					t.Errorf("%s: %+v", r.Results[i].ID, o)
				}
			case o.Status.Failed():
				failed++
			}
		}
		if always && (flaky > 0 || failed < 20 || forks > 4) || !always && (flaky < 20 || failed > 0 || forks > 129) {
			t.Errorf("always %v: %d failed, %d depend on earlier requests, %d processes", always, failed, flaky, forks)
		}
	}
}
