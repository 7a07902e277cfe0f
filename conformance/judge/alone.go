package judge

import (
	"context"
	"reflect"
	"slices"

	"github.com/formatgauge/formatgauge/conformance/adapter"
)

const (
	// sampledAlone limits the number of cases that are repeated before an answer changes.
	sampledAlone = 8
	// mostAlone limits the number of cases that are repeated in all: each needs a process.
	mostAlone = 128
)

// repeatAlone repeats the first wrong answer of each type and class alone in a fresh process.
// If an answer changes, it depends on earlier requests; then all wrong answers of the type
// are repeated.
func (j *judge) repeatAlone(ctx context.Context, impl adapter.Implementation, turns []turn, results []Result) {
	f, ok := impl.(adapter.Forker)
	if !ok || !isFork(f.Fork(), impl) {
		return
	}
	var wrong []turn
	for _, t := range turns {
		if r := &results[t.index]; r.Vector != nil && r.Status == Fail && (r.Class.isAnswer() || r.Class == Errored) {
			wrong = append(wrong, t)
		}
	}
	slices.SortFunc(wrong, func(a, b turn) int { return a.index - b.index })
	type sample struct {
		typ   string
		class Class
	}
	tried, sampled, changed := map[int]bool{}, map[sample]bool{}, map[string]bool{}
	repeat := func(most int, chosen func(*Result) bool) {
		for _, t := range wrong {
			r := &results[t.index]
			if ctx.Err() == nil && len(tried) < most && !tried[t.index] && chosen(r) {
				tried[t.index] = true
				if j.changesAlone(ctx, f.Fork(), t, r) {
					changed[r.Vector.Type] = true
				}
			}
		}
	}
	repeat(sampledAlone, func(r *Result) bool {
		s := sample{r.Vector.Type, r.Class}
		first := !sampled[s]
		sampled[s] = true
		return first
	})
	repeat(mostAlone, func(r *Result) bool { return changed[r.Vector.Type] })
}

// isFork reports whether an implementation is another process of the same kind. One that
// embeds another implementation may have a fork without its own behaviour.
func isFork(fork, impl adapter.Implementation) bool {
	t := reflect.TypeOf(fork)
	return t == reflect.TypeOf(impl) && t.Kind() == reflect.Pointer && fork != impl
}

// changesAlone repeats the request of an outcome that failed. If the answer is another one,
// the outcome becomes [Flaky].
func (j *judge) changesAlone(ctx context.Context, fresh adapter.Implementation, t turn, r *Result) bool {
	defer fresh.Close()
	p := j.pending(t.testCase)
	if len(p.ops) == 0 {
		return false
	}
	before := r.Outcome
	p.brief = t.brief != (slices.Index(p.ops, before.Op)%2 == 1)
	p.ops, p.first = []adapter.Op{before.Op}, before.Op
	q, ok := p.nextRequest()
	if !ok {
		return false
	}
	q.Expected, q.Context = p.expectedSize(), contextOf(p.typ, q.Context, p.brief)
	a, err := fresh.Do(ctx, q)
	p.record(a, err)
	after := p.result.Outcome
	if ctx.Err() != nil || after.Class == before.Class && reflect.DeepEqual(after.Got, before.Got) {
		return false
	}
	before.Message = string(before.Class) + ": " + firstOf(before)
	before.Class, before.Alone, before.Difference, before.Got = Flaky, true, nil, answerOf(a, "")
	return true
}

// firstOf describes a wrong answer in a few words.
func firstOf(o *Outcome) string {
	switch {
	case o.Difference != nil:
		return o.Difference.String()
	case o.Got != nil && o.Got.Reject != nil:
		return "rejected as " + o.Got.Reject.Class
	}
	return o.Message
}
