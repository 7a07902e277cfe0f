package bench

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
)

func init() { subjects["5 judge"] = judging }

// judging measures the judge as formatgauge test runs it: the built-in
// reference, and the same behind a pipe, as an adapter in Go would be.
func judging(t *testing.T, out *table) {
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	command := filepath.Join(t.TempDir(), "formatgauge")
	build := exec.Command("go", "build", "-o", command, "./cmd/formatgauge")
	build.Dir = ".." // the command's own module
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	run := func(impl adapter.Implementation, opts judge.Options) (int, time.Duration) {
		start := time.Now()
		r, err := judge.Run(t.Context(), impl, vectors, opts)
		d := time.Since(start)
		if err != nil || !r.Conformant() {
			t.Fatal(err)
		}
		return len(r.Results) - r.Count(judge.Skip, judge.Open), d
	}
	least := func(impl func() adapter.Implementation, opts judge.Options) (n int, d time.Duration) {
		for range 5 {
			one := impl()
			m, took := run(one, opts)
			one.Close()
			if d == 0 || took < d {
				n, d = m, took
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

	n, d := least(builtIn, judge.Options{NoDerived: true})
	said := func(n int, d time.Duration) string { return fmt.Sprintf("%d in %.2f s", n, d.Seconds()) }
	out.add("vectors judged, built-in reference, both profiles", "", said(n, d), "", "1 s")
	if d > time.Second {
		t.Errorf("the corpus takes %v", d)
	}
	n, d = least(builtIn, judge.Options{})
	out.add("the same with derived cases", "", said(n, d), "", "a few seconds")

	n, d = least(behindPipe, judge.Options{})
	perSecond := float64(n) / d.Seconds()
	out.add("the same through a pipe to formatgauge serve", "", fmt.Sprintf("%s, %.0f a second", said(n, d), perSecond), "", "20000 a second")
	if perSecond < 20000 {
		t.Errorf("%.0f cases a second go through a pipe, the bar is 20000", perSecond)
	}
}
