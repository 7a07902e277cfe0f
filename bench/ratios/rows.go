package main

import (
	"fmt"
	"strconv"
	"strings"
)

// A bar is a value of a row and the bound that it has to keep.
type bar struct {
	value float64
	least bool // the bound is a lower bound
	bound float64
	unit  string
}

func (b bar) met() bool {
	if b.least {
		return b.value >= b.bound
	}
	return b.value <= b.bound
}

func (b bar) String() string {
	kind := "at most "
	if b.least {
		kind = "at least "
	}
	return strings.TrimSpace(kind + strconv.FormatFloat(b.bound, 'g', -1, 64) + " " + b.unit)
}

// A row is one measurement, in most cases beside that of a peer.
type row struct {
	what, input, ours, against, theirs string

	purego string // our side without package unsafe, and its time divided by ours

	ratio       float64 // our cost divided by theirs, or theirs by ours if inverse is set; 0 if there is no peer
	inverse     bool
	size        int     // of the input, in bytes
	memory      *result // what we allocate; nil if it is not counted
	theirMemory *result // what the peer allocates; nil if it is not counted
	bars        []bar
	otherBar    string // a bar that the row does not check
	failure     string // what a test said about its row
}

// newRow returns the row of a result beside a peer's. The peer may read the
// same tree in another form, theirIn.
func newRow(what string, in input, ours result, against string, theirIn input, theirs result) *row {
	t, theirT := ours.seconds(in), theirs.seconds(theirIn)
	r := &row{
		what: what, input: fmt.Sprint(in.size, " bytes"), ours: side(t, in.size),
		against: against, theirs: side(theirT, in.size),
		ratio: t / theirT, size: in.size, memory: &ours,
	}
	if theirs.allocs >= 0 {
		r.theirMemory = &theirs
	}
	return r
}

// timeAtMost bounds our time, divided by theirs.
func (r *row) timeAtMost(bound float64) {
	r.bars = append(r.bars, bar{value: r.ratio, bound: bound})
}

// fasterAtLeast bounds their time, divided by ours.
func (r *row) fasterAtLeast(bound float64) {
	r.ratio, r.inverse = 1/r.ratio, true
	r.bars = append(r.bars, bar{value: r.ratio, least: true, bound: bound})
}

// allocsAtMost bounds the allocations of a pass.
func (r *row) allocsAtMost(bound float64) {
	r.bars = append(r.bars, bar{value: float64(r.memory.allocs), bound: bound, unit: "allocations"})
}

// bytesAtMost bounds the bytes allocated per byte of the input.
func (r *row) bytesAtMost(bound float64) {
	r.bars = append(r.bars, bar{value: r.perByte(), bound: bound, unit: "B/B"})
}

func (r *row) perByte() float64 { return r.memory.allocated / float64(r.size) }

// readBar adds the bar that a test states.
func (r *row) readBar(s string) {
	b := bar{value: r.ratio}
	if _, err := fmt.Sscanf(s, "at most %g", &b.bound); err == nil {
		r.bars = append(r.bars, b)
	} else if _, err := fmt.Sscanf(s, "at least %g", &b.bound); err == nil {
		b.least, r.inverse = true, true
		r.bars = append(r.bars, b)
	} else {
		r.otherBar = s
	}
}

// better returns how many times lower our cost is than theirs, or 0 if there is no peer.
func (r *row) better() float64 {
	if r.inverse || r.ratio == 0 {
		return r.ratio
	}
	return 1 / r.ratio
}

func (r *row) name() string { return strings.TrimSuffix(r.what+" / "+r.against, " / ") }

// missed returns in words the bars that the row misses.
func (r *row) missed() (all []string) {
	if r.failure != "" {
		return []string{r.failure}
	}
	for _, b := range r.bars {
		if !b.met() {
			all = append(all, fmt.Sprintf("%s: %s, expected %s", r.name(), number(b.value), b))
		}
	}
	return all
}

// table prints the rows in Markdown.
func table(rows []*row) string {
	var b strings.Builder
	b.WriteString("| what | input | ours | purego | against | theirs | ratio | allocations (ours / theirs) | B/B | " +
		"bar | met |\n" + strings.Repeat("|---", 11) + "|\n")
	for _, r := range rows {
		var ratio, allocs, perByte, met string
		if r.ratio > 0 {
			ratio = number(r.ratio)
		}
		if r.memory != nil {
			allocs, perByte = strconv.Itoa(r.memory.allocs), number(r.perByte())
		}
		if r.theirMemory != nil {
			allocs += fmt.Sprintf(" / %d", r.theirMemory.allocs)
		}
		bars := []string{}
		for _, b := range r.bars {
			bars, met = append(bars, b.String()), "yes"
		}
		if r.otherBar != "" {
			bars = append(bars, r.otherBar)
		}
		if len(r.missed()) > 0 {
			met = "**no**"
		}
		cells := []string{
			r.what, r.input, r.ours, r.purego, r.against, r.theirs, ratio, allocs, perByte,
			strings.Join(bars, "; "), met,
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	return b.String()
}

// number prints three digits, or all digits before the point.
func number(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

func duration(seconds float64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}} {
		if seconds >= u.size {
			return number(seconds/u.size) + " " + u.name
		}
	}
	return number(seconds*1e9) + " ns"
}

// side prints the time of a pass and, from 64 bytes on, the bytes of the input
// per second.
func side(seconds float64, size int) string {
	s := duration(seconds)
	if size >= 64 {
		s += ", " + number(float64(size)/seconds/1e6) + " MB/s"
	}
	return s
}
