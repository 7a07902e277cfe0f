package judge_test

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/corpus"
)

func TestMain(m *testing.M) {
	judgetest.RunIfRequested()
	os.Exit(m.Run())
}

// few is a part of the corpus with every kind of verdict, small enough for
// processes that have to be started again and again.
func isInSmallPart(v *corpus.Vector) bool {
	return v.Structure() == "upkg.CompactIndex" || v.Structure() == "ubi.Array"
}

func judgeFaulty(t *testing.T, mode string, opts adapter.Options, options judge.Options) (*judge.Report, error) {
	t.Helper()
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	child, err := adapter.NewChild(judgetest.Command(mode), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer child.Close()
	if options.Filter == nil {
		options.Filter = isInSmallPart
	}
	return judge.Run(t.Context(), child, vectors, options)
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

// The judge gives each adapter that is wrong on purpose the verdict that it
// has earned, and those that are right in an unusual way nothing but passes.
func TestPlantedWrong(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the adapters are started by env")
	}
	// What must have gone wrong, and nothing else; "" where the run itself fails.
	want := map[string][]judge.Class{
		"right": nil, "right-on-stderr": nil, "right-with-spaces": nil, "right-but-slow-to-start": nil, "right-by-structure": nil, "right-and-more": nil, "skips": nil,
		"accepts":      {judge.Accepted, judge.WrongTree, judge.WrongBytes},
		"shape":        {judge.Accepted, judge.WrongTree, judge.WrongBytes},
		"rejects":      {judge.Refused, judge.WrongClass},
		"off-by-one":   {judge.WrongTree},
		"forgets-flag": {judge.Accepted},
		// What follows from a vector that it refuses, it refuses for the wrong reason.
		"undeclared-flag": {judge.Refused, judge.WrongClass},
		"wrong-class":     {judge.WrongClass},
		"wrong-offset":    {judge.WrongOffset},
		"wrong-consumed":  {judge.WrongTree},
		"wrong-bytes":     {judge.WrongBytes},
		"errors":          {judge.Errored},
		// A vector that ends in zeros is accepted a byte early, with the class that belongs to it.
		"ignores-trailing": {judge.Accepted}, "pads": {judge.Accepted}, "clamps-counts": {judge.Accepted, judge.WrongClass},
		"narrow-counts":  {judge.Accepted, judge.WrongClass},
		"ignores-order":  {judge.Accepted, judge.Refused, judge.WrongClass},
		"crashes-nth":    {judge.Unsteady},
		"crashes-on":     {judge.Crashed},
		"crashes-always": {judge.Crashed},
		"ends-early":     {judge.Crashed},
		"leaves-a-child": {judge.Crashed},
		"eats-memory":    {judge.Crashed},
		"hangs-nth":      {judge.Unsteady},
		"hangs-on":       {judge.Hung},
		"hangs-always":   {judge.Hung},
		"deaf":           {judge.Hung},
		"garbage":        {judge.BrokeProtocol},
		"garbage-on":     {judge.BrokeProtocol},
		"chatters":       {judge.BrokeProtocol},
		"disorder":       {judge.BrokeProtocol, judge.Hung},
		"leaks-ids":      {judge.BrokeProtocol},
		"two-parts":      {judge.BrokeProtocol},
		"no-part":        {judge.BrokeProtocol},
		"unknown-class":  {judge.BrokeProtocol},
		"unknown-field":  {judge.BrokeProtocol},
		"numbers":        {judge.BrokeProtocol},
		"no-newline":     {judge.Hung},
		"answers-twice":  {judge.BrokeProtocol},
		"guesses":        {judge.BrokeProtocol},
	}
	refused := map[string]string{
		"hello-garbage": "protocol", "hello-version": `speaks protocol "0.9"`, "hello-silent": "no answer within", "hello-dies": "cannot find my shared library",
		"hello-no-types": "types: want an array",
	}
	for _, mode := range judgetest.Modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			opts := adapter.Options{Timeout: 10 * time.Second}
			options := judge.Options{}
			if strings.HasPrefix(mode, "hangs") || strings.Contains(" deaf disorder no-newline hello-silent ", " "+mode+" ") {
				opts.Timeout = 700 * time.Millisecond
				options.NoDerived = true
			}
			switch mode {
			case "hangs-always", "no-newline":
				opts.Timeout = 200 * time.Millisecond
			case "hello-silent":
				opts.HelloTimeout = 500 * time.Millisecond
			}
			if mode == "eats-memory" {
				if runtime.GOOS != "linux" {
					t.Skip("memory cannot be limited here")
				}
				opts.Memory, options.NoDerived = 512<<20, true
			}
			report, err := judgeFaulty(t, mode, opts, options)
			if text, ok := refused[mode]; ok {
				if err == nil || !strings.Contains(err.Error(), text) {
					t.Fatalf("error is %v, want %q in it", err, text)
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
				t.Fatal("nothing is said of what is wrong with it")
			}
			got := failureClasses(report)
			for _, c := range expect {
				if got[c] == 0 {
					t.Errorf("nothing is found to be wrong in the way %q; found: %v", c, got)
				}
				delete(got, c)
			}
			if len(got) > 0 {
				t.Errorf("found too: %v", got)
			}
			if report.Conformant() != (len(expect) == 0 && mode != "skips") {
				t.Errorf("conformant: %v", report.Conformant())
			}
			if t.Failed() {
				for i, r := range report.Results {
					if r.Status.Failed() && !slices.Contains(expect, r.Class) && i < 1000 {
						t.Logf("%s %s %s %s: %s", r.ID, r.Status, r.Class, r.Op, r.Detail)
					}
				}
			}
		})
	}
}

// A fault is put down to the case that causes it, and to no other.
func TestBlame(t *testing.T) {
	for mode, c := range map[string]judge.Class{"crashes-on": judge.Crashed, "leaves-a-child": judge.Crashed, "garbage-on": judge.BrokeProtocol, "hangs-on": judge.Hung} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			report, err := judgeFaulty(t, mode, adapter.Options{Timeout: 2 * time.Second}, judge.Options{
				NoDerived: mode == "hangs-on", // each costs its time
				Filter:    func(v *corpus.Vector) bool { return v.Structure() == "upkg.CompactIndex" },
			})
			if err != nil {
				t.Fatal(err)
			}
			special := 0
			for _, r := range report.Results {
				if len(r.Input) == 0 && !r.Vector.EncodeOnly() {
					special++
					if r.Class != c {
						t.Errorf("%s: %s %s, want %s", r.ID, r.Status, r.Detail, c)
					}
				} else if r.Status.Failed() {
					t.Errorf("%s: %s %s", r.ID, r.Status, r.Detail)
				}
			}
			if special == 0 {
				t.Error("nothing was asked that it is wrong about")
			}
		})
	}
}

// One request in fifty makes it crash, whichever it is: the judge says that it
// depends on what came before, each time, and judges everything else.
func TestUnsteady(t *testing.T) {
	report, err := judgeFaulty(t, "crashes-nth", adapter.Options{}, judge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, r := range report.Results {
		if r.Status.Failed() {
			n++
			if !strings.Contains(r.Detail, "it depends on what came before") || !strings.Contains(r.Detail, "segmentation fault") || r.Status != judge.Fail {
				t.Errorf("%s: %s %s", r.ID, r.Status, r.Detail)
			}
			if words, ok := strings.CutSuffix(r.Got, ", when it is asked this alone"); !ok || words == "nothing" {
				t.Errorf("%s: got %q", r.ID, r.Got)
			}
		}
	}
	if n < 5 || n > len(report.Results)/10 {
		t.Errorf("%d of %d cases are put down as unsteady", n, len(report.Results))
	}
}

// An adapter that takes another side without saying so is told which.
func TestUndeclaredSide(t *testing.T) {
	report, err := judgeFaulty(t, "undeclared-flag", adapter.Options{}, judge.Options{})
	if err != nil {
		t.Fatal(err)
	}
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
	report, err = judgeFaulty(t, "undeclared-flag", adapter.Options{}, judge.Options{Sides: []string{"upkg.ci-minus-zero=strict"}})
	if err != nil || !report.Conformant() {
		t.Errorf("declared, it does not conform: %v %v", failureClasses(report), err)
	}
}

// Readers that are right on every well-formed input and too kind to others
// are found by the rule that is about them.
func TestRulesFind(t *testing.T) {
	for mode, rule := range map[string]judge.Rule{
		"ignores-trailing": judge.Trailing, "pads": judge.Truncated, "clamps-counts": judge.Raised, "narrow-counts": judge.Raised, "ignores-order": judge.OtherOrder,
	} {
		t.Run(mode, func(t *testing.T) {
			report, err := judgeFaulty(t, mode, adapter.Options{}, judge.Options{Filter: func(v *corpus.Vector) bool {
				return v.Structure() == "ubi.Array" && v.Context["order"] == ""
			}})
			if err != nil {
				t.Fatal(err)
			}
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

// Several processes give what one gives.
func TestJobs(t *testing.T) {
	one, err := judgeFaulty(t, "off-by-one", adapter.Options{}, judge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	three, err := judgeFaulty(t, "off-by-one", adapter.Options{}, judge.Options{Jobs: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(one.Results) != len(three.Results) {
		t.Fatalf("%d results by one, %d by three", len(one.Results), len(three.Results))
	}
	for i := range one.Results {
		if a, b := one.Results[i], three.Results[i]; a.ID != b.ID || a.Status != b.Status || a.Detail != b.Detail {
			t.Errorf("%s %s by one, %s %s by three", a.ID, a.Status, b.ID, b.Status)
		}
	}
}

// When the context ends, the child does too, and what is known is kept.
func TestInterrupted(t *testing.T) {
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	child, err := adapter.NewChild(judgetest.Command("hangs-nth"), adapter.Options{Timeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer child.Close()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
	defer stop()
	began := time.Now()
	report, err := judge.Run(ctx, child, vectors, judge.Options{Filter: isInSmallPart})
	if err == nil || report == nil || len(report.Results) == 0 || len(report.Results) >= report.Planned {
		t.Fatalf("error %v, report %+v", err, report)
	}
	for _, r := range report.Results {
		if r.Status.Failed() {
			t.Errorf("%s: %s %s", r.ID, r.Status, r.Detail)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}
