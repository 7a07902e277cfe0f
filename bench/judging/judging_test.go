// Package judging measures the judge. It is a separate test program, because
// other code in a program changes the position of short loops in memory, which
// changes the measured speed of the compact index by a fifth.
package judging

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
)

// TestRatios measures the judge as formatgauge test runs it: with the built-in
// reference, and with the reference as an adapter behind a pipe. It prints the
// rows of README.md.
func TestRatios(t *testing.T) {
	if testing.Short() {
		t.Skip("measuring takes a while; -short leaves it out")
	}
	vectors := corpustest.All(t)
	command := filepath.Join(t.TempDir(), "formatgauge")
	build := exec.Command("go", "build", "-o", command, "./cmd/formatgauge")
	build.Dir = "../.." // the command's own module
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	least := func(impl func() adapter.Implementation, opts judge.Options) (n int, d time.Duration) {
		for range 5 {
			one := impl()
			start := time.Now()
			r, err := judge.Run(t.Context(), one, vectors, opts)
			took := time.Since(start)
			if err != nil || !r.Conformant() {
				t.Fatal(err)
			}
			one.Close()
			if d == 0 || took < d {
				n, d = len(r.Results)-r.Count(judge.Skip, judge.NotApplicable), took
			}
		}
		return n, d
	}
	builtIn := func() adapter.Implementation { return adapter.NewReference() }
	behindPipe := func() adapter.Implementation {
		c, err := adapter.NewChild([]string{command, "serve"}, adapter.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}

	row := func(what, measured, bar, met string) {
		fmt.Printf("| %s |  | %s |  | %s | %s |\n", what, measured, bar, met)
	}
	met := map[bool]string{true: "yes", false: "**no**"}
	n, d := least(builtIn, judge.Options{NoDerived: true})
	said := func(n int, d time.Duration) string { return fmt.Sprintf("%d in %.2f s", n, d.Seconds()) }
	row("vectors judged, built-in reference, both profiles", said(n, d), "1 s", met[d <= time.Second])
	if d > time.Second {
		t.Errorf("the corpus takes %v", d)
	}
	n, d = least(builtIn, judge.Options{})
	row("the same with derived cases", said(n, d), "a few seconds", "")

	n, d = least(behindPipe, judge.Options{})
	perSecond := float64(n) / d.Seconds()
	row("the same through a pipe to formatgauge serve", fmt.Sprintf("%s, %.0f a second", said(n, d), perSecond),
		"20000 a second", met[perSecond >= 20000])
	if perSecond < 20000 {
		t.Errorf("%.0f cases a second go through a pipe, the bar is 20000", perSecond)
	}
}
