package judge_test

import (
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
)

// forking is the reference with other answers, and with fresh processes.
type forking struct {
	*altered
	fork func() adapter.Implementation
}

func (f *forking) Fork() adapter.Implementation { return f.fork() }

// TestAlone: a wrong answer that is another one in a fresh process depends on earlier
// requests, one that is the same does not, and the number of processes has a limit.
func TestAlone(t *testing.T) {
	vectors := corpustest.Of(t, "upkg.CompactIndex")
	for _, always := range []bool{false, true} {
		processes := 0
		var start func() adapter.Implementation
		start = func() adapter.Implementation {
			processes++
			f := &forking{observing(nil), start}
			f.alter = func(q adapter.Request, a adapter.Response) adapter.Response {
				switch {
				case q.Op != adapter.OpDecode:
					return answerOf(t, "skip only decode")
				case a.OK != nil && (always || len(f.requests) > 10):
					return answerOf(t, `"77"`)
				}
				return a
			}
			return f
		}
		r := judgedBy(t, start(), vectors, judge.Options{NoDerived: true})
		flaky := failureClasses(r)[judge.Flaky]
		for _, res := range failures(r) {
			if res.Class == judge.Flaky && (!res.Alone || res.Status != judge.Fail || res.Message == "" || res.Got == nil ||
				res.Got.Tree == nil || string(res.Got.Tree) == `"77"`) {
				t.Errorf("%s: %+v", res.ID, res.Outcome)
			}
		}
		failed := len(failures(r)) - flaky
		if always && (flaky > 0 || failed < 20 || processes > 5) || !always && (flaky < 20 || failed > 0 || processes > 130) {
			t.Errorf("always %v: %d failed, %d depend on earlier requests, %d processes", always, failed, flaky, processes)
		}
	}
}
