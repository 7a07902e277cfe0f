package judge

import (
	"context"
	"encoding/hex"
	"errors"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/shorten"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
)

type judge struct {
	hello      adapter.Hello
	view       *schema.View // nil without views
	why        *explainer
	progress   func(done, total int)
	progressMu sync.Mutex
	done       int // with progressMu
	total      int
}

// chunkSize is the number of cases that are asked about together.
const chunkSize = 256

// judgeAll judges cases with up to jobs implementations in parallel; 0 means one, and
// several after a hang. It asks in a
// shuffled order, so that an implementation whose answers depend on earlier
// requests is noticed. The order and the distribution of the cases do not depend
// on speed, so the cases before a case are the same in each run.
func (j *judge) judgeAll(ctx context.Context, impl adapter.Implementation, cases []Case, jobs int) []Result {
	j.total = len(cases)
	workers := 1
	if _, ok := impl.(adapter.Forker); ok {
		workers = max(jobs, 1)
	}
	all := make([]turn, len(cases))
	odd := map[string]bool{}   // the number of cases of the type
	other := map[string]bool{} // the last case of the type has another context than the default
	for i, k := range shuffled(cases) {
		c := &cases[k]
		typ, _ := codec.Find(c.Vector.Type) // see checkTypes
		all[i] = turn{c, k, odd[typ.Name] || other[typ.Name]}
		odd[typ.Name] = !odd[typ.Name]
		other[typ.Name] = len(contextOf(typ, c.Context, true)) > 0
	}
	perTurn := min(chunkSize, len(cases)/workers+1)
	lists := make([][]turn, workers)
	k := 0
	for chunk := range slices.Chunk(all, perTurn) {
		lists[k%workers] = append(lists[k%workers], chunk...)
		k++
	}
	results := make([]Result, len(cases))
	inParallel(impl, lists, func(worker adapter.Implementation, mine []turn) {
		j.judgeTurns(ctx, worker, hangs{}, slices.Chunk(mine, perTurn), jobs == 0, results)
	})
	j.repeatAlone(ctx, impl, all, results)
	// Without a vector, a case was not judged, because the context ended.
	return slices.DeleteFunc(results, func(r Result) bool { return r.Vector == nil })
}

// inParallel calls use for each list of cases at the same time: for the first with impl, for
// each other one with a fork of it.
func inParallel(impl adapter.Implementation, lists [][]turn, use func(adapter.Implementation, []turn)) {
	var wg sync.WaitGroup
	for k, mine := range lists {
		wg.Go(func() {
			worker := impl
			if k > 0 {
				worker = impl.(adapter.Forker).Fork()
				defer worker.Close()
			}
			use(worker, mine)
		})
	}
	wg.Wait()
}

// judgeTurns judges chunks of cases with one process of the implementation. If spread is
// true, the cases after a hang are judged by several.
func (j *judge) judgeTurns(
	ctx context.Context, impl adapter.Implementation, hung hangs, chunks iter.Seq[[]turn], spread bool, results []Result,
) {
	var rest []turn
	_, isForker := impl.(adapter.Forker)
	for chunk := range chunks {
		switch {
		case ctx.Err() != nil:
			return
		case spread && isForker && len(hung) > 0:
			rest = append(rest, chunk...)
		default:
			j.judgeChunk(ctx, impl, hung, chunk, results)
		}
	}
	if len(rest) > 0 {
		inParallel(impl, byType(rest), func(worker adapter.Implementation, mine []turn) {
			j.judgeTurns(ctx, worker, maps.Clone(hung), slices.Chunk(mine, chunkSize), false, results)
		})
	}
}

// jobsAfterHang is the number of processes after a hang: they mostly wait.
const jobsAfterHang = 4

// byType divides cases among several processes. All cases of a type have the same one, so
// that what hangs alike is asked once.
func byType(turns []turn) [][]turn {
	out := make([][]turn, jobsAfterHang)
	of := map[string]int{}
	for _, t := range turns {
		typ := t.testCase.Vector.Type
		k, ok := of[typ]
		if !ok {
			k = len(of) % jobsAfterHang
			of[typ] = k
		}
		out[k] = append(out[k], t)
	}
	return out
}

// shuffled returns the indices of cases in the order of the requests. All cases of a
// vector stay together, so that its trees are parsed once and are not kept for long.
func shuffled(cases []Case) []int {
	var vectors []*corpus.Vector
	of := map[*corpus.Vector][]int{}
	for i := range cases {
		v := cases[i].Vector
		if of[v] == nil {
			vectors = append(vectors, v)
		}
		of[v] = append(of[v], i)
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(vectors), func(i, j int) { vectors[i], vectors[j] = vectors[j], vectors[i] })
	out := make([]int, 0, len(cases))
	for _, v := range vectors {
		out = append(out, of[v]...)
	}
	return out
}

// turn is a case in the order of the requests.
type turn struct {
	testCase *Case
	index    int  // in results
	brief    bool // the form of the context of its first request
}

// pending is a case with requests that are not answered yet.
type pending struct {
	testCase *Case
	result   *Result
	index    int // in results
	typ      *codec.Type
	ops      []adapter.Op // not asked yet
	first    adapter.Op
	open     *Outcome   // if both acceptance and rejection are right
	lossy    bool       // the view loses a part of the value
	why      *explainer // nil: differences are not explained
	hex      string
	expected *expectedTree
	// brief changes with each case of a type and with each operation. It is true after a
	// case with another context.
	brief bool
}

// judgeChunk judges some cases and stores each result at its index. It asks for the first
// operation of each case, then for the next one.
func (j *judge) judgeChunk(
	ctx context.Context, impl adapter.Implementation, hung hangs, chunk []turn, results []Result,
) {
	var open []*pending
	type key struct {
		view *schema.View
		text string
	}
	trees := map[key]*expectedTree{}
	finish := func(p *pending) {
		p.result.Duration = p.result.Duration.Round(time.Microsecond)
		if p.result.Derived && p.result.Status == Pass {
			p.result.Input = nil // those of all derived cases take a fifth of the memory
		}
		results[p.index] = *p.result
		p.expected = nil
		j.reportProgress()
	}
	for _, t := range chunk {
		p := j.pending(t.testCase)
		p.index, p.why, p.brief = t.index, j.why, t.brief
		if len(p.ops) == 0 {
			finish(p)
			continue
		}
		k := key{p.expected.view, p.testCase.Value()}
		if trees[k] == nil {
			trees[k] = p.expected
		}
		p.expected = trees[k]
		open = append(open, p)
	}
	for len(open) > 0 {
		askedAbout := open[:0:0]
		var requests []adapter.Request
		for _, p := range open {
			if like := hung.alike(p); like != "" {
				p.result.add(Outcome{Op: p.ops[0], Status: Skip, Reason: HungAlike, Message: like})
				finish(p)
				continue
			}
			q, ok := p.nextRequest()
			if !ok {
				finish(p)
				continue
			}
			q.Expected = p.expectedSize()
			q.Context = contextOf(p.typ, q.Context, p.brief)
			askedAbout, requests = append(askedAbout, p), append(requests, q)
		}
		open = open[:0]
		last, answered := time.Now(), 0
		untilHang, stop := context.WithCancel(ctx)
		adapter.DoAll(untilHang, impl, requests, func(i int, a adapter.Response, err error) {
			p := askedAbout[i]
			p.brief = !p.brief
			answered = i + 1
			now := time.Now()
			p.result.Duration += now.Sub(last)
			last = now
			if p.record(a, err) && len(p.ops) > 1 {
				p.ops = p.ops[1:]
				open = append(open, p)
				return
			}
			if p.result.Status == Timeout {
				hung.add(p)
				stop()
			}
			finish(p)
		})
		stop()
		open = append(open, askedAbout[answered:]...) // these may hang alike
		if ctx.Err() != nil {
			return
		}
	}
}

func (j *judge) reportProgress() {
	j.progressMu.Lock()
	defer j.progressMu.Unlock()
	j.done++
	if j.progress != nil && (j.done%chunkSize == 0 || j.done == j.total) {
		j.progress(j.done, j.total)
	}
}

func newResult(c *Case) *Result {
	r := NewResult(c.ID, c.Vector, c.Profile)
	r.Derived, r.Rule, r.Edit, r.Input, r.Context = c.Derived(), c.Rule, c.Edit, c.Input(), c.Context
	return &r
}

// pending returns a case with the operations to ask for. If there are none, the result is set.
func (j *judge) pending(c *Case) *pending {
	p := &pending{testCase: c, result: newResult(c)}
	if o := skipped(&j.hello, c.Vector.Type); o != nil {
		p.result.add(*o)
		return p
	}
	if c.Expect == nil {
		p.result.add(Outcome{Status: NotApplicable, Reason: NoSection})
		return p
	}
	p.typ, _ = codec.Find(c.Vector.Type) // see checkTypes
	if p.ops = only(Operations(c.Vector, c.Expect), j.hello.Operations); len(p.ops) == 0 {
		p.result.add(Outcome{Status: Skip, Reason: NoOperation})
		return p
	}
	if p.restrict(j.view, j.hello.Views); len(p.ops) == 0 {
		p.result.add(Outcome{Status: NotApplicable, Reason: SideView})
		return p
	}
	p.first = p.ops[0]
	return p
}

// skipped returns the outcome if no case of a type is asked for.
func skipped(h *adapter.Hello, typ string) *Outcome {
	if s := h.SkipOf(typ); s != nil {
		return &Outcome{Status: Skip, Reason: Declared, Message: s.Reason}
	}
	if !h.Lists(typ) {
		return &Outcome{Status: Skip, Reason: Unlisted}
	}
	return nil
}

// Operations lists the operations that test a verdict, the most informative first.
func Operations(v *corpus.Vector, e *corpus.Expectation) []adapter.Op {
	switch {
	case v.EncodeOnly():
		return []adapter.Op{adapter.OpEncode}
	case e.Outcome == corpus.Reject || e.Outcome == otherValue:
		return []adapter.Op{adapter.OpDecode}
	}
	return []adapter.Op{adapter.OpDecode, adapter.OpRoundtrip, adapter.OpEncode}
}

func (p *pending) request(op adapter.Op) (adapter.Request, error) {
	c := p.testCase
	q := adapter.Request{Op: op, Type: c.Vector.Type, Profile: c.Profile.String(), Context: c.Context}
	if op != adapter.OpEncode {
		if p.hex == "" {
			p.hex = hex.EncodeToString(c.Input())
		}
		q.Hex = &p.hex
		return q, nil
	}
	n, err := p.expected.parse(c.Value())
	q.Tree = n
	return q, err
}

// nextRequest returns the request of the first operation, or false, with the result set,
// if there is none because of a fault of the vector.
func (p *pending) nextRequest() (adapter.Request, bool) {
	q, err := p.request(p.ops[0])
	if err != nil {
		p.result.add(Outcome{Op: p.ops[0], Status: Fail, Class: Errored, Message: err.Error()})
	}
	return q, err == nil
}

// expectedSize is the size of the expected answer, from which the limit of answers
// follows: that of the input and of the bytes to encode in hex, or of the expected
// tree in JSON if it is greater.
func (p *pending) expectedSize() int {
	e := p.testCase.Expect
	return max(2*len(p.testCase.Input()), 2*len(e.Canonical), tree.VectorSize(e.Tree),
		tree.VectorSize(p.testCase.Vector.Tree))
}

// contextOf returns the context of a request in one of two forms: with each
// parameter of the type, or brief, without those that have the default value. Both
// forms ask for the same.
func contextOf(t *codec.Type, context map[string]string, brief bool) map[string]string {
	if len(t.Context) == 0 {
		return context
	}
	if !brief {
		out := maps.Clone(t.Context)
		maps.Copy(out, context)
		return out
	}
	out := maps.Clone(context)
	maps.DeleteFunc(out, func(k, v string) bool { d, ok := t.Context[k]; return ok && d == v })
	return out
}

// record adds the outcome of an answer, and reports whether to ask for another operation.
func (p *pending) record(a adapter.Response, err error) bool {
	op, r, c := p.ops[0], p.result, p.testCase
	broken, ok := errors.AsType[*adapter.Broken](err)
	switch {
	case ok:
		r.add(p.noAnswer(broken))
		return false
	case err != nil:
		r.add(Outcome{Op: op, Status: Protocol, Class: BrokeProtocol, Message: shorten.Text(err.Error(), longAnswer)})
		return false
	case a.Skip != nil:
		r.add(Outcome{Op: op, Status: Skip, Reason: Answered, Message: message(a)})
		return op != p.first
	case p.open != nil && (a.Reject != nil || a.OK != nil && (a.OK.Tree != nil || a.OK.Hex != nil)):
		p.open.Op = op
		r.add(*p.open)
		return false
	case p.lossy && op != adapter.OpDecode:
		o := p.checkLossy(a)
		r.add(o)
		return op != p.first || o.Status != NotApplicable
	}
	o := check(c, p.typ, c.Expect, op, a, p.expected)
	switch {
	case o.Status == Pass:
		r.add(o)
		return true
	case o.Class == Rejected && a.Reject.Class == string(Unsupported): // like a skip
		r.add(Outcome{Op: op, Status: Skip, Reason: Unsupported})
		return op != p.first
	}
	p.describe(&o, a)
	if c.Derived() && o.Class != WrongTree { // see excuseDerived
		o.Choices = c.Choices
	} else {
		p.excuse(&o, a)
	}
	if !c.Derived() && o.Status != NotApplicable {
		o.Side = p.otherSection(op, a)
	}
	p.why.explain(p, &o, a)
	r.add(o)
	return true
}

// describe sets the expected answer and the actual one.
func (p *pending) describe(o *Outcome, a adapter.Response) {
	path := ""
	if o.Class == WrongTree {
		path = o.Difference.Path
	}
	o.Expected, o.Got = p.expectedAnswer(o.Op, path), answerOf(a, path)
}

// otherSection names another section of the vector that an answer satisfies.
func (p *pending) otherSection(op adapter.Op, a adapter.Response) string {
	c := p.testCase
	for i := range c.Vector.Expect {
		other := &c.Vector.Expect[i]
		// The same class of rejection is no sign of a side: the offset must agree.
		isSign := a.Reject == nil || a.Reject.Offset != nil && other.From >= 0 && op == adapter.OpDecode
		if other != c.Expect && isSign && p.satisfies(other, op, a) {
			return other.Profile
		}
	}
	return ""
}

// satisfies reports whether an answer is the one that a section of the vector demands.
func (p *pending) satisfies(e *corpus.Expectation, op adapter.Op, a adapter.Response) bool {
	return slices.Contains(Operations(p.testCase.Vector, e), op) &&
		check(p.testCase, p.typ, e, op, a, &expectedTree{view: p.expected.view}).Status == Pass
}

// noAnswer returns the outcome if there is no answer to judge.
func (p *pending) noAnswer(b *adapter.Broken) Outcome {
	o := Outcome{Op: p.ops[0], Message: shorten.Text(b.Detail, longAnswer)}
	if b.NotAsked {
		o.Status, o.Reason = Skip, NotAsked
		return o
	}
	o.Status, o.Expected = Status(b.Kind), p.expectedAnswer(o.Op, "")
	o.Class = map[adapter.BrokenKind]Class{
		adapter.Crash: Crashed, adapter.Timeout: TimedOut,
		adapter.Protocol: BrokeProtocol,
	}[b.Kind]
	if b.Alone != nil {
		o.Alone, o.Got = true, answerOf(*b.Alone, "")
		if b.Kind != adapter.Protocol {
			o.Status, o.Class, o.Message = Fail, Flaky, string(b.Kind)+": "+o.Message
		}
	}
	return o
}
