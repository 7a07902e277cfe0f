// Package bench compares the speed of the codecs with that of well-known code, in
// the same run. The result is the ratio. Only this module requires the code of
// others that it is compared with.
//
//	cd bench && go test -run Ratios -v .
package bench

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// rounds is the number of measurements of each side. The sides are measured
// alternately, so that both run under the same conditions. The shortest time of
// each side is its result.
const rounds = 30

// best returns the shortest duration of a pass for each side.
func best(sides ...func()) []time.Duration {
	passes, least := make([]int, len(sides)), make([]time.Duration, len(sides))
	for i, run := range sides {
		passes[i], least[i] = calibrate(run), time.Hour
	}
	for range rounds {
		for i, run := range sides {
			least[i] = min(least[i], measure(run, passes[i])/time.Duration(passes[i]))
		}
	}
	return least
}

// calibrate returns a number of passes that takes more than five milliseconds.
func calibrate(run func()) int {
	n := 1
	for measure(run, n) <= 5*time.Millisecond {
		n *= 2
	}
	return n
}

// measure returns the duration of n passes.
func measure(run func(), n int) time.Duration {
	start := time.Now()
	for range n {
		run()
	}
	return time.Since(start)
}

// allocs returns the number of allocations per pass.
func allocs(run func()) float64 { return testing.AllocsPerRun(5, run) }

// table is the table of README.md.
type table struct{ strings.Builder }

func (t *table) add(what, against, measured, ratio, bar, met string) {
	fmt.Fprintf(t, "| %s | %s | %s | %s | %s | %s |\n", what, against, measured, ratio, bar, met)
}

// TestRatios runs all measurements and prints the table of README.md. It fails if
// a ratio does not meet its bar.
func TestRatios(t *testing.T) {
	if testing.Short() {
		t.Skip("measuring takes a while; -short leaves it out")
	}
	// With a heap of a few megabytes the garbage collector runs every few passes,
	// and which side it delays is random.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	out := new(table)
	out.add("what", "against", "measured", "ratio", "bar", "met")
	out.WriteString("|---|---|---|---|---|---|\n")
	t.Run("compact index", func(t *testing.T) { compactIndex(t, out) })
	t.Run("arrays", func(t *testing.T) { arrays(t, out) })
	t.Run("packages with textures", func(t *testing.T) { texturePackages(t, out) })
	t.Run("files", func(t *testing.T) { realFiles(t, out) })
	fmt.Print(out)
}

// atMost adds a row and fails the test if the ratio is greater than bar.
func atMost(t *testing.T, out *table, what, against, measured string, ratio, bar float64) {
	t.Helper()
	keep(t, out, what, against, measured, ratio, bar, "at most", ratio <= bar)
}

// atLeast adds a row and fails the test if the ratio is less than bar.
func atLeast(t *testing.T, out *table, what, against, measured string, ratio, bar float64) {
	t.Helper()
	keep(t, out, what, against, measured, ratio, bar, "at least", ratio >= bar)
}

func keep(t *testing.T, out *table, what, against, measured string, ratio, bar float64, kind string, ok bool) {
	t.Helper()
	met := "yes"
	if !ok {
		met = "**no**"
		t.Errorf("%s: %.2f of %s, the bar is %.2f", what, ratio, against, bar)
	}
	out.add(what, against, measured, fmt.Sprintf("%.2f", ratio), fmt.Sprintf("%s %g", kind, bar), met)
}
