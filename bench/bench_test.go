// Package bench measures the codecs against something known, in the same run:
// what counts is the ratio. Peers live in this module and nowhere else.
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

// rounds is how often each side is measured; the sides take turns, so that
// both see the same weather, and the least time of each counts.
const rounds = 30

// side is one of two things that are compared.
type side struct {
	name string
	run  func() // one pass
}

// best returns the least duration of a pass for each side, measured in turns.
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

// calibrate finds how many passes take about five milliseconds.
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

// allocsAndBytes counts the allocations of a pass.
func allocs(run func()) float64 { return testing.AllocsPerRun(5, run) }

// table collects rows of results and prints them together.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

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

// subjects are what the families measure; each adds its own in init.
var subjects = map[string]func(*testing.T, *table){}

// TestRatios measures everything once and prints the table of README.md. A
// bar that is missed fails.
func TestRatios(t *testing.T) {
	if testing.Short() {
		t.Skip("measuring takes a while; -short leaves it out")
	}
	// With a heap of a few megabytes the collector runs every few passes, and
	// whom it meets is luck.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	out := &table{head: []string{"what", "against", "measured", "ratio", "bar"}}
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

// atMost adds a row and fails if the ratio is above its bar.
func atMost(t *testing.T, out *table, what, against, measured string, ratio, bar float64) {
	t.Helper()
	out.add(what, against, measured, fmt.Sprintf("%.2f", ratio), fmt.Sprintf("at most %.2f", bar))
	if ratio > bar {
		t.Errorf("%s: %.2f of %s, the bar is %.2f", what, ratio, against, bar)
	}
}

// atLeast adds a row and fails if the ratio is below its bar.
func atLeast(t *testing.T, out *table, what, against, measured string, ratio, bar float64) {
	t.Helper()
	out.add(what, against, measured, fmt.Sprintf("%.2f", ratio), fmt.Sprintf("at least %.2f", bar))
	if ratio < bar {
		t.Errorf("%s: %.2f of %s, the bar is %.2f", what, ratio, against, bar)
	}
}
