package judge_test

import (
	"context"
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	words "github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // the memory of a run is small
	// The tests that run in parallel wait for processes.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// isInSmallPart selects a part of the corpus with every kind of verdict, small
// enough for processes that are started many times. An ordinary run has the vectors
// that trigger faults, and a share of the others.
func isInSmallPart(v *corpus.Vector) bool {
	triggers := v.ID == "upkg/CompactIndex/nothing" || slices.Contains(v.Flags, "upkg.ci-minus-zero")
	return (v.Structure() == "upkg.CompactIndex" || v.Structure() == "ubi.Array") && isSmall(v) &&
		(triggers || testrun.Sampled(v.ID, 4))
}

// isOneOfTwo selects two vectors: the judge stops to ask after a few faults without an answer.
func isOneOfTwo(v *corpus.Vector) bool {
	return v.ID == "upkg/CompactIndex/nothing" || v.ID == "upkg/CompactIndex/one"
}

// childOf starts a faulty adapter in a process.
func childOf(t *testing.T, mode string, opts adapter.Options) *adapter.Child {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the faults of the processes are those of Unix")
	}
	child, err := adapter.NewChild(judgetest.Command(mode), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.Close() })
	return child
}

// faulty returns a faulty adapter: in this process if its faults need no other.
func faulty(t *testing.T, mode string, opts adapter.Options) adapter.Implementation {
	t.Helper()
	if judgetest.OfAnswers(mode) {
		return judgetest.Adapter(mode)
	}
	return childOf(t, mode, opts)
}

func tryFaulty(t *testing.T, mode string, opts adapter.Options, options judge.Options) (*judge.Report, error) {
	t.Helper()
	impl := faulty(t, mode, opts)
	if options.Jobs > 0 {
		impl = childOf(t, mode, opts)
	}
	if options.Filter == nil {
		options.Filter = isInSmallPart
	}
	return judge.Run(t.Context(), impl, allVectors(t), options)
}

func judgeFaulty(t *testing.T, mode string, opts adapter.Options, options judge.Options) *judge.Report {
	t.Helper()
	r, err := tryFaulty(t, mode, opts, options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// judgeAnswers judges an adapter of this process, for the faults of answers.
func judgeAnswers(t *testing.T, mode string, options judge.Options) *judge.Report {
	t.Helper()
	return judgeFaulty(t, mode, adapter.Options{}, options)
}

func failureClasses(r *judge.Report) map[judge.Class]int {
	out := map[judge.Class]int{}
	for _, res := range r.Results {
		if res.Status.Failed() {
			out[res.Class]++
		}
	}
	return out
}

// TestFaultyAdapters checks that the judge finds the fault of each faulty
// adapter and no other, and that correct adapters with unusual behaviour pass.
func TestFaultyAdapters(t *testing.T) {
	t.Parallel()
	// The classes that must be found; modes in invalid fail before cases are
	// judged.
	want := map[string][]judge.Class{
		"right": nil, "right-on-stderr": nil, "right-with-spaces": nil, "right-but-slow-to-start": nil,
		"right-by-structure": nil, "right-and-more": nil, "right-in-a-view": nil, "wider": nil, "skips": nil,
		"skips-some": nil, "declares-skips": nil,
		"accepts":      {judge.Accepted, judge.WrongTree, judge.WrongBytes},
		"schema":       {judge.Accepted, judge.WrongTree, judge.WrongBytes},
		"rejects":      {judge.Rejected, judge.WrongClass},
		"off-by-one":   {judge.WrongTree},
		"forgets-flag": {judge.Accepted},
		// It rejects the derived cases of a rejected vector with another class.
		"undeclared-flag": {judge.Rejected, judge.WrongClass},
		"wrong-class":     {judge.WrongClass},
		"unsupported":     {judge.WrongClass},
		"wrong-offset":    {judge.WrongOffset},
		"wrong-consumed":  {judge.WrongTree},
		"wrong-bytes":     {judge.WrongBytes},
		"errors":          {judge.Errored},
		"errors-below-64": nil, "errors-on-files": {judge.Errored},
		// No structure of isInSmallPart violates the protocol.
		"control-characters": {judge.WrongTree, judge.WrongClass, judge.Errored},
		// A truncated input that ends in zeros can be accepted, and one with a
		// padded fault can be rejected with another class, or at an offset beyond
		// its end.
		"ignores-trailing": {judge.Accepted}, "pads": {judge.Accepted}, "clamps-counts": {judge.Accepted, judge.WrongClass},
		"narrow-counts":    {judge.Accepted, judge.WrongClass},
		"ignores-order":    {judge.Accepted, judge.WrongBytes, judge.Rejected, judge.WrongClass, judge.WrongOffset},
		"crashes-always":   {judge.Crashed},
		"ends-early":       {judge.Crashed},
		"allocates-memory": {judge.Crashed},
		"hangs-nth":        {judge.Flaky},
		"hangs-always":     {judge.TimedOut},
		"hangs-on-lengths": {judge.TimedOut},
		"closes-input":     {judge.TimedOut},
		"garbage":          {judge.BrokeProtocol},
		"extra-lines":      {judge.BrokeProtocol},
		"disorder":         {judge.TimedOut}, // alone in a process, a request waits for another one
		"leaks-ids":        {judge.BrokeProtocol},
		"two-parts":        {judge.BrokeProtocol},
		"no-part":          {judge.BrokeProtocol},
		"unknown-class":    {judge.BrokeProtocol},
		"unknown-field":    {judge.BrokeProtocol},
		"numbers":          {judge.BrokeProtocol},
		"no-newline":       {judge.TimedOut},
		"answers-twice":    {judge.BrokeProtocol},
		"answers-early":    {judge.BrokeProtocol},
	}
	if testrun.Exhaustive { // ubi/Array/300-strings
		want["pads"] = append(want["pads"], judge.WrongOffset)
	}
	invalid := map[string]string{
		"hello-garbage": "protocol", "hello-version": `expected protocol "1", got "0.9"`, "hello-silent": "no answer within",
		"hello-dies":     "cannot find my shared library",
		"hello-no-types": "types: expected an array", "hello-view": `unknown view "ka.maps"; the views are float.values, `,
	}
	elsewhere := []string{ // TestCause, TestFlaky, TestHelloChanges, TestKeepsContext
		"crashes-on", "leaves-a-child", "garbage-on", "hangs-on", "crashes-nth", "hello-changes", "keeps-context",
	}
	for _, mode := range judgetest.Modes() {
		if slices.Contains(elsewhere, mode) {
			continue
		}
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			opts := adapter.Options{Timeout: testrun.Answer}
			options := judge.Options{}
			switch mode {
			case "garbage", "answers-early", "disorder", "no-newline", "hangs-always": // each case starts a process
				options.NoDerived, options.Filter = true, isOneOfTwo
			case "control-characters": // each class of a type starts one
				options.Filter = func(v *corpus.Vector) bool { return v.Structure() == "upkg.CompactIndex" && isInSmallPart(v) }
			case "ends-early": // each trigger starts two
				options.NoDerived = true
			}
			switch mode {
			case "disorder", "no-newline", "hangs-always": // no answer is late
				opts.Timeout = 200 * time.Millisecond
			case "hangs-nth", "hangs-on-lengths", "closes-input":
				opts.Timeout, options.NoDerived = 2*time.Second, true
			case "hello-silent":
				opts.HelloTimeout = 500 * time.Millisecond
			}
			switch mode {
			case "errors-on-files": // only long inputs are passed as files
				options.Filter = func(v *corpus.Vector) bool { return v.Structure() == "ubi.Array" && !isSmall(v) }
				options.NoDerived = true
			case "ignores-order": // of a few vectors each class
				options.Filter = func(v *corpus.Vector) bool { return v.Structure() == "ubi.Array" && isSmall(v) }
			case "allocates-memory":
				if runtime.GOOS != "linux" {
					t.Skip("this system cannot limit memory")
				}
				opts.Memory, opts.Timeout, options.NoDerived = 512<<20, time.Minute, true
			}
			report, err := tryFaulty(t, mode, opts, options)
			if text, ok := invalid[mode]; ok {
				if err == nil || !strings.Contains(err.Error(), text) {
					t.Fatalf("error %v does not contain %q", err, text)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Results) != report.Planned {
				t.Errorf("%d of %d cases have a result", len(report.Results), report.Planned)
			}
			expect, ok := want[mode]
			if !ok {
				t.Fatal("the test has no expectation for this mode")
			}
			got := failureClasses(report)
			for _, c := range expect {
				if got[c] == 0 {
					t.Errorf("no failure of class %q; found: %v", c, got)
				}
				delete(got, c)
			}
			if len(got) > 0 {
				t.Errorf("unexpected classes: %v", got)
			}
			if report.Conformant() != (len(expect) == 0 && mode != "skips") {
				t.Errorf("conformant: %v", report.Conformant())
			}
			if t.Failed() {
				for i, r := range report.Results {
					if r.Status.Failed() && !slices.Contains(expect, r.Class) && i < 1000 {
						t.Logf("%s %s %s %s: %s", r.ID, r.Status, r.Class, r.Op, words.What(r.Outcome))
					}
				}
			}
		})
	}
}

// TestCause checks that a fault is assigned to the case that causes it.
func TestCause(t *testing.T) {
	t.Parallel()
	for mode, c := range map[string]judge.Class{
		"crashes-on": judge.Crashed, "leaves-a-child": judge.Crashed,
		"garbage-on": judge.BrokeProtocol, "hangs-on": judge.TimedOut,
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			opts := adapter.Options{Timeout: testrun.Answer}
			if mode == "hangs-on" {
				opts.Timeout = 2 * time.Second
			}
			report := judgeFaulty(t, mode, opts, judge.Options{
				NoDerived: mode != "crashes-on", // each trigger starts two processes
				Filter: func(v *corpus.Vector) bool {
					return v.Structure() == "upkg.CompactIndex" && (sampled(v) || len(v.Bytes) == 0)
				},
			})
			if len(report.Results) != report.Planned {
				t.Errorf("%d of %d cases have a result", len(report.Results), report.Planned)
			}
			special := 0
			for _, r := range report.Results {
				size := len(r.Vector.Bytes)
				if r.Derived {
					size += len(r.Edit.Inserted) - r.Edit.Deleted
				}
				if size == 0 && !r.Vector.EncodeOnly() {
					special++
					if r.Class != c {
						t.Errorf("%s: %s %s, want %s", r.ID, r.Status, words.What(r.Outcome), c)
					}
				} else if r.Status.Failed() {
					t.Errorf("%s: %s %s", r.ID, r.Status, words.What(r.Outcome))
				}
			}
			if special == 0 {
				t.Error("no request triggers the fault")
			}
		})
	}
}

// TestHelloChanges: after a restart, and in parallel, the answer to hello must be
// that of the first process. The result names the difference.
func TestHelloChanges(t *testing.T) {
	t.Parallel()
	onlyVector3 := func(v *corpus.Vector) bool { return v.Type == "ubi.Vector3" } // no request is a trigger
	for _, c := range []struct {
		name    string
		options judge.Options
		fails   bool
	}{
		{"one process", judge.Options{Filter: onlyVector3}, false},
		{"restart", judge.Options{Filter: isOneOfTwo, NoDerived: true}, true},
		{"parallel", judge.Options{Filter: onlyVector3, NoDerived: true, Jobs: 2}, true},
	} {
		report := judgeFaulty(t, "hello-changes", adapter.Options{}, c.options)
		found := false
		for _, r := range report.Results {
			if !r.Status.Failed() {
				continue
			}
			found = true
			if r.Status != judge.Protocol || !strings.Contains(r.Message,
				`the answer differs from that of the first process: version: "`) {
				t.Errorf("%s: %s: %s %s", c.name, r.ID, r.Status, words.What(r.Outcome))
				break
			}
		}
		if found != c.fails || !c.fails && !report.Conformant() {
			t.Errorf("%s: failures: %v, want %v", c.name, found, c.fails)
		}
	}
}

// TestFlaky: one request in fifty makes the adapter crash. The judge says
// that the fault depends on earlier requests, and judges all other cases.
func TestFlaky(t *testing.T) {
	t.Parallel()
	report := judgeFaulty(t, "crashes-nth", adapter.Options{}, judge.Options{
		Filter: func(v *corpus.Vector) bool {
			return v.Structure() == "upkg.CompactIndex" || v.Structure() == "upkg.NameEntry"
		},
	})
	n := 0
	for _, r := range report.Results {
		if r.Status.Failed() {
			n++
			if !r.Alone || r.Class != judge.Flaky || !strings.Contains(r.Message, "segmentation fault") ||
				r.Status != judge.Fail {
				t.Errorf("%s: %s %s", r.ID, r.Status, words.What(r.Outcome))
			}
			if r.Got == nil {
				t.Errorf("%s: no answer", r.ID)
			}
		}
	}
	if n < 5 || n > len(report.Results)/10 {
		t.Errorf("%d of %d cases are flaky", n, len(report.Results))
	}
}

// TestUndeclaredSide: the failures of an adapter with an undeclared side name
// the side.
func TestUndeclaredSide(t *testing.T) {
	report := judgeAnswers(t, "undeclared-flag", judge.Options{})
	n := 0
	for _, r := range report.Results {
		if r.Status.Failed() && !r.Derived {
			n++
			if !strings.Contains(r.Side, "upkg.ci-minus-zero=strict") {
				t.Errorf("%s: the side is %q", r.ID, r.Side)
			}
		}
	}
	if n == 0 {
		t.Error("nothing failed")
	}
	// The same adapter, declared on the command line, conforms.
	report = judgeAnswers(t, "undeclared-flag", judge.Options{Sides: []string{"upkg.ci-minus-zero=strict"}})
	if !report.Conformant() {
		t.Errorf("with the declared side: %v", failureClasses(report))
	}
}

// TestRulesFind: readers that are correct on valid input and too lenient
// otherwise fail the cases of the corresponding rule.
func TestRulesFind(t *testing.T) {
	for mode, rule := range map[string]judge.Rule{
		"ignores-trailing": judge.Trailing, "pads": judge.Truncated, "clamps-counts": judge.Raised,
		"narrow-counts": judge.Raised, "ignores-order": judge.OtherOrder,
	} {
		t.Run(mode, func(t *testing.T) {
			report := judgeAnswers(t, mode, judge.Options{Filter: func(v *corpus.Vector) bool {
				return v.Structure() == "ubi.Array" && v.Context["order"] == "" && isInSmallPart(v)
			}})
			found := map[judge.Rule]int{}
			for _, r := range report.Results {
				if r.Status.Failed() && r.Derived {
					found[r.Rule]++
				}
			}
			if found[rule] == 0 {
				t.Errorf("no case of the rule %s fails; failing: %v", rule, found)
			}
		})
	}
}

// TestJobs: several processes give the same results as one.
func TestJobs(t *testing.T) {
	t.Parallel()
	one := judgeFaulty(t, "off-by-one", adapter.Options{}, judge.Options{})
	three := judgeFaulty(t, "off-by-one", adapter.Options{}, judge.Options{Jobs: 3})
	if len(one.Results) != len(three.Results) {
		t.Fatalf("one job: %d results, three jobs: %d", len(one.Results), len(three.Results))
	}
	for i := range one.Results {
		if a, b := one.Results[i], three.Results[i]; a.ID != b.ID || a.Status != b.Status || a.Message != b.Message {
			t.Errorf("one job: %s %s, three jobs: %s %s", a.ID, a.Status, b.ID, b.Status)
		}
	}
}

// A stopper stops after some answers.
type stopper struct {
	*adapter.Child
	stop func()
}

func (s stopper) DoAll(ctx context.Context, qs []adapter.Request, answer func(int, adapter.Response, error)) {
	s.Child.DoAll(ctx, qs, func(i int, a adapter.Response, err error) {
		answer(i, a, err)
		if i == 20 {
			s.stop()
		}
	})
}

// TestInterrupted: when the context ends, the child ends, which hangs, and
// the results so far are kept.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	child := childOf(t, "hangs-nth", adapter.Options{Timeout: testrun.Answer})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	report, err := judge.Run(ctx, stopper{child, stop}, allVectors(t), judge.Options{Filter: isInSmallPart})
	if err == nil || report == nil || len(report.Results) == 0 || len(report.Results) >= report.Planned {
		t.Fatalf("error %v, report %+v", err, report)
	}
	for _, r := range report.Results {
		if r.Status.Failed() {
			t.Errorf("%s: %s %s", r.ID, r.Status, words.What(r.Outcome))
		}
	}
}
