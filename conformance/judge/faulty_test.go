package judge_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	words "github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
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
	return judge.Run(t.Context(), impl, corpustest.All(t), options)
}

func judgeFaulty(t *testing.T, mode string, opts adapter.Options, options judge.Options) *judge.Report {
	t.Helper()
	r, err := tryFaulty(t, mode, opts, options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func failureClasses(r *judge.Report) map[judge.Class]int {
	out := map[judge.Class]int{}
	for _, res := range failures(r) {
		out[res.Class]++
	}
	return out
}

// TestFaultyAdapters checks that the judge finds the fault of each faulty
// adapter and no other, and that correct adapters with unusual behaviour pass.
func TestFaultyAdapters(t *testing.T) {
	t.Parallel()
	// The modes by the classes that must be found; those without a class conform.
	classes := map[judge.Class]string{
		"": "right right-on-stderr right-with-spaces right-but-slow-to-start right-by-structure right-and-more " +
			"right-in-a-view wider skips skips-some declares-skips errors-below-64",
		// A truncated input that ends in zeros can be accepted, and one with a
		// padded fault can be rejected with another class, or at an offset beyond
		// its end.
		judge.Accepted:  "accepts schema forgets-flag ignores-trailing pads clamps-counts narrow-counts ignores-order",
		judge.WrongTree: "accepts schema off-by-one wrong-consumed control-characters",
		// undeclared-flag rejects the derived cases of a rejected vector with another class.
		judge.WrongClass: "rejects undeclared-flag wrong-class unsupported clamps-counts narrow-counts ignores-order " +
			"control-characters",
		judge.Rejected:    "rejects undeclared-flag ignores-order",
		judge.WrongOffset: "wrong-offset ignores-order",
		judge.WrongBytes:  "accepts schema wrong-bytes ignores-order",
		// No structure of isInSmallPart violates the protocol.
		judge.Errored: "errors errors-on-files control-characters",
		judge.Crashed: "crashes-always ends-early allocates-memory crashes-on leaves-a-child",
		judge.Flaky:   "hangs-nth",
		// Alone in a process, a request of disorder waits for another one.
		judge.TimedOut: "hangs-always hangs-on-lengths closes-input hangs-on disorder no-newline",
		judge.BrokeProtocol: "garbage garbage-on extra-lines leaks-ids two-parts no-part unknown-class unknown-field " +
			"numbers answers-twice answers-early",
	}
	if testrun.Exhaustive { // ubi/Array/300-strings
		classes[judge.WrongOffset] += " pads"
	}
	want := map[string][]judge.Class{}
	for class, modes := range classes {
		for _, mode := range strings.Fields(modes) {
			want[mode] = append(want[mode], class)
		}
	}
	invalid := map[string]string{ // before cases are judged
		"hello-garbage": "protocol", "hello-version": `expected protocol "1", got "0.9"`, "hello-silent": "no answer within",
		"hello-dies":     "cannot find my shared library",
		"hello-no-types": "types: expected an array", "hello-view": `unknown view "ka.maps"; the views are float.values, `,
	}
	lenient := map[string]judge.Rule{ // correct on valid input: fails the cases of this rule
		"ignores-trailing": judge.Trailing, "pads": judge.Truncated, "clamps-counts": judge.Raised,
		"narrow-counts": judge.Raised, "ignores-order": judge.OtherOrder,
	}
	// The fault of these is assigned to the cases that cause it.
	triggered := "crashes-on ends-early allocates-memory closes-input leaves-a-child garbage-on hangs-on"
	elsewhere := []string{"crashes-nth", "hello-changes", "keeps-context"} // TestFlaky, TestHelloChanges, TestKeepsContext
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
			case "errors-on-files": // only long inputs are passed as files
				options.Filter = func(v *corpus.Vector) bool { return v.Structure() == "ubi.Array" && !isSmall(v) }
				options.NoDerived = true
			case "ignores-order": // of a few vectors each class
				options.Filter = func(v *corpus.Vector) bool { return v.Structure() == "ubi.Array" && isSmall(v) }
			case "ends-early", "leaves-a-child", "garbage-on": // each trigger starts two
				options.NoDerived = true
			}
			switch mode {
			case "disorder", "no-newline", "hangs-always": // no answer is late
				opts.Timeout = 200 * time.Millisecond
			case "hangs-nth", "hangs-on", "hangs-on-lengths", "closes-input":
				opts.Timeout, options.NoDerived = 2*time.Second, true
			case "hello-silent":
				opts.HelloTimeout = 500 * time.Millisecond
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
			expect := slices.Sorted(slices.Values(want[mode]))
			got := slices.Sorted(maps.Keys(failureClasses(report)))
			conforms := len(got) == 0
			if conforms {
				got = []judge.Class{""}
			}
			if !slices.Equal(got, expect) || report.Conformant() != (conforms && mode != "skips") {
				t.Errorf("conformant: %v; classes %v, want %v", report.Conformant(), got, expect)
				for _, r := range failures(report) {
					if !slices.Contains(expect, r.Class) {
						t.Logf("%s %s %s %s: %s", r.ID, r.Status, r.Class, r.Op, words.What(r.Outcome))
					}
				}
			}
			rule, ok := lenient[mode]
			if ok && !slices.ContainsFunc(failures(report), func(r *judge.Result) bool { return r.Rule == rule }) {
				t.Errorf("no case of the rule %s fails", rule)
			}
			for _, r := range report.Results {
				size := len(r.Vector.Bytes)
				if r.Derived {
					size += len(r.Edit.Inserted) - r.Edit.Deleted
				}
				causes := r.Vector.Type == "upkg.CompactIndex" && size == 0 && !r.Vector.EncodeOnly()
				if slices.Contains(strings.Fields(triggered), mode) && r.Status.Failed() != causes {
					t.Errorf("%s: %s %s", r.ID, r.Status, words.What(r.Outcome))
				}
			}
		})
	}
}

// TestHelloChanges: after a restart, and in parallel, the answer to hello must be
// that of the first process. The result names the difference.
func TestHelloChanges(t *testing.T) {
	t.Parallel()
	onlyVector3 := func(v *corpus.Vector) bool { return v.Type == "ubi.Vector3" } // no request is a trigger
	for name, options := range map[string]judge.Options{
		"one process": {Filter: onlyVector3},
		"restart":     {Filter: isOneOfTwo, NoDerived: true},
		"parallel":    {Filter: onlyVector3, NoDerived: true, Jobs: 2},
	} {
		report := judgeFaulty(t, "hello-changes", adapter.Options{}, options)
		if report.Conformant() != (name == "one process") {
			t.Errorf("%s: conformant %t: %q", name, report.Conformant(), listFailed(report))
		}
		for _, r := range failures(report) {
			if r.Status != judge.Protocol || !strings.Contains(r.Message,
				`the answer differs from that of the first process: version: "`) {
				t.Errorf("%s: %s: %s %s", name, r.ID, r.Status, words.What(r.Outcome))
				break
			}
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
	failed := failures(report)
	for _, r := range failed {
		if !r.Alone || r.Class != judge.Flaky || !strings.Contains(r.Message, "segmentation fault") ||
			r.Status != judge.Fail || r.Got == nil {
			t.Errorf("%s: %s %s, answer %v", r.ID, r.Status, words.What(r.Outcome), r.Got)
		}
	}
	if n := len(failed); n < 5 || n > len(report.Results)/10 {
		t.Errorf("%d of %d cases are flaky", n, len(report.Results))
	}
}

// TestUndeclaredSide: the failures of an adapter with an undeclared side name
// the side. The same adapter, declared on the command line, conforms.
func TestUndeclaredSide(t *testing.T) {
	const strict = "upkg.ci-minus-zero=strict"
	report := judgeFaulty(t, "undeclared-flag", adapter.Options{}, judge.Options{NoDerived: true})
	if report.Conformant() {
		t.Error("nothing failed")
	}
	for _, r := range failures(report) {
		if !strings.Contains(r.Side, strict) {
			t.Errorf("%s: the side is %q", r.ID, r.Side)
		}
	}
	report = judgeFaulty(t, "undeclared-flag", adapter.Options{}, judge.Options{Sides: []string{strict}})
	if !report.Conformant() {
		t.Errorf("with the declared side: %q", listFailed(report))
	}
}

// TestJobs: several processes give the same results as one.
func TestJobs(t *testing.T) {
	t.Parallel()
	results := func(jobs int) (out []string) {
		for _, r := range judgeFaulty(t, "off-by-one", adapter.Options{}, judge.Options{Jobs: jobs}).Results {
			out = append(out, fmt.Sprintln(r.ID, r.Status, r.Message))
		}
		return out
	}
	if d := cmp.Diff(results(0), results(3)); d != "" {
		t.Errorf("one job (-), three jobs (+):\n%s", d)
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
	report, err := judge.Run(ctx, stopper{child, stop}, corpustest.All(t), judge.Options{Filter: isInSmallPart})
	if err == nil || report == nil || len(report.Results) == 0 || len(report.Results) >= report.Planned {
		t.Fatalf("error %v, report %+v", err, report)
	}
	if failed := listFailed(report); failed != nil {
		t.Errorf("%q", failed)
	}
}
