// Package bench compares the speed of the codecs with that of well-known code, in
// the same run. The result is the ratio. Only this module requires the code of
// others that it is compared with.
//
//	cd bench && go test -run Ratios -v .
package bench

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
)

// rounds is the number of measurements of each side. The sides are measured
// alternately, so that both run under the same conditions. The shortest time of
// each side is its result.
const rounds = 30

// side is one of the functions to compare.
type side struct {
	name string
	run  func() // one pass
}

// best returns the shortest duration of a pass for each side.
func best(sides ...side) []time.Duration {
	passes := make([]int, len(sides))
	for i, s := range sides {
		passes[i] = calibrate(s.run)
	}
	least := make([]time.Duration, len(sides))
	for range rounds {
		for i, s := range sides {
			start := time.Now()
			for range passes[i] {
				s.run()
			}
			d := time.Since(start) / time.Duration(passes[i])
			if least[i] == 0 || d < least[i] {
				least[i] = d
			}
		}
	}
	return least
}

// calibrate returns a number of passes that takes more than five milliseconds.
func calibrate(run func()) int {
	for n := 1; ; n *= 2 {
		start := time.Now()
		for range n {
			run()
		}
		if d := time.Since(start); d > 5*time.Millisecond {
			return n
		}
	}
}

// allocs returns the number of allocations per pass.
func allocs(run func()) float64 { return testing.AllocsPerRun(5, run) }

// table collects rows of results and prints them together.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...string) {
	for len(cells) < len(t.head) {
		cells = append(cells, "")
	}
	t.rows = append(t.rows, cells)
}

func (t *table) String() string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(t.head)
	b.WriteString(strings.Repeat("|---", len(t.head)) + "|\n")
	for _, r := range t.rows {
		line(r)
	}
	return b.String()
}

// subjects are the measurements by name. Each file adds its own in init.
var subjects = map[string]func(*testing.T, *table){}

// TestRatios runs all measurements and prints the table of README.md. It fails if
// a ratio does not meet its bar.
func TestRatios(t *testing.T) {
	if testing.Short() {
		t.Skip("measuring takes a while; -short leaves it out")
	}
	// With a heap of a few megabytes the garbage collector runs every few passes,
	// and which side it delays is random.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	out := &table{head: []string{"what", "against", "measured", "ratio", "bar", "met"}}
	names := make([]string, 0, len(subjects))
	for name := range subjects {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range slices.Clip(names) {
		t.Run(name[2:], func(t *testing.T) { subjects[name](t, out) })
	}
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
