package judge_test

import (
	"context"
	"encoding/hex"
	"sync/atomic"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// hangsOnLengths is the reference, but hangs where a length exceeds the input by at least
// some bytes.
type hangsOnLengths struct {
	*adapter.Reference
	hangs func(adapter.Response) bool
	asked atomic.Int64 // requests on which it hung
}

func (h *hangsOnLengths) Fork() adapter.Implementation { return h }

func (h *hangsOnLengths) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	a, err := h.Reference.Do(ctx, q)
	if h.hangs(a) {
		h.asked.Add(1)
		return adapter.Response{}, &adapter.Broken{Kind: adapter.Timeout, Detail: "no answer"}
	}
	return a, err
}

// TestHangs: of what hangs alike one case is asked for, and names the others; everything
// else has a verdict.
func TestHangs(t *testing.T) {
	t.Parallel()
	onAll := func(a adapter.Response) bool { return judgetest.ExceedsInput(a, 0) }
	// A reader that reads one element after the other beyond the end soon ends if there are few.
	onGreat := func(a adapter.Response) bool { return judgetest.ExceedsInput(a, 1<<24) }
	for name, c := range map[string]struct {
		hangs func(adapter.Response) bool
		scope string
		most  int64 // requests on which it hangs
		least int   // cases that hang alike
	}{
		"each length": {onAll, "ubi", 30, 3000}, "great lengths": {onGreat, "ka", 140, 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vectors := someOfEach(corpustest.Of(t, c.scope), 3, 2)
			h := &hangsOnLengths{Reference: adapter.NewReference(), hangs: c.hangs}
			p := ids.Observed()
			r := judgedBy(t, h, vectors, judge.Options{Profile: &p})
			hung := map[string]bool{}
			for _, res := range r.Results {
				if res.Status == judge.Timeout {
					hung[res.ID] = true
				}
			}
			ref := adapter.NewReferenceUnder(p)
			alike := 0
			for _, res := range r.Results {
				if res.Reason != judge.HungAlike {
					continue
				}
				alike++
				text := hex.EncodeToString(res.Input)
				a, _ := ref.Do(t.Context(), // it never returns an error
					adapter.Request{Op: adapter.OpDecode, Type: res.Vector.Type, Context: res.Context, Hex: &text})
				if !hung[res.Message] || !c.hangs(a) {
					t.Errorf("%s would not hang like %s", res.ID, res.Message)
				}
			}
			if n := h.asked.Load(); n != int64(len(hung)) || n > c.most || alike < c.least {
				t.Errorf("%d requests hung, %d cases; %d were not asked", n, len(hung), alike)
			}
			if n := r.Count(judge.Fail, judge.Crash, judge.Protocol); n > 0 {
				t.Errorf("%d other failures", n)
			}
		})
	}
}
