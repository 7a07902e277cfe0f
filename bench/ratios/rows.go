package main

import (
	"fmt"
	"strconv"
	"strings"
)

// A comparison is of benchmarks with those of a peer, or with nothing.
type comparison struct {
	op      string // the benchmarks of the current tree
	against string // the peer, for people; empty if there is none
	program string // that runs the benchmarks of the peer
	theirs  string // their name
	bars    []bar
}

func (c comparison) String() string {
	_, op, _ := strings.Cut(c.op, "/")
	return strings.TrimSuffix(op+" / "+c.against, " / ")
}

const earlier = "the revision before"

// small are the bars of the reading of a few bytes.
var small = []bar{{of: "time", bound: 0.35}, {of: "allocations"}}

// comparisons lists what is compared, with the bars.
var comparisons = []comparison{
	{"Files/ka.Archive read", "msgp into any", "now", "Msgp/read", []bar{
		{of: "time", bound: 0.8, upTo: 4096, single: true},
		{of: "time", bound: 0.5, above: 4096, single: true},
		{of: "B/B", bound: 5, above: 64, single: true},
	}},
	{"Files/ka.Archive append", "msgp.AppendIntf", "now", "Msgp/append", []bar{
		{of: "time", bound: 0.5}, {of: "allocations"},
	}},
	{"Files/ka.Archive read", earlier, "before", "Files/ka.Archive read", nil},
	{"Files/ka.Archive append", earlier, "before", "Files/ka.Archive append", nil},
	{"Files/ka.Archive read", "wotbtools", "peers", "Peers/wotbtools", []bar{{of: "times", bound: 25}}},
	{"Files/upkg.Package read", earlier, "before", "Files/upkg.Package read", []bar{
		{of: "times", bound: 4},
		{of: "allocations", bound: 120, upTo: 20000, single: true},
		{of: "allocations", bound: 150, above: 20000, single: true},
	}},
	{"Files/upkg.Package read", "utpackage.js", "peers", "Peers/utpackage.js", []bar{{of: "times", bound: 10}}},
	{"Files/uasset.Package read", earlier, "before", "Files/uasset.Package read", []bar{
		{of: "time", bound: 0.5},
		{of: "allocations", bound: 25, single: true},
	}},
	{"Files/uasset.Package read", "ue4-dds-tools", "peers", "Peers/ue4-dds-tools", []bar{{of: "times", bound: 50}}},
	{"Files/upkg.CompactIndex read", earlier, "before", "Files/upkg.CompactIndex read", small},
	{"Files/ubi.Vector3 read", earlier, "before", "Files/ubi.Vector3 read", small},
	{"Files/ubi.Color read", earlier, "before", "Files/ubi.Color read", small},
	{"Scan/ka.Scan, hostile data", "", "", "", []bar{{of: "MB/s", bound: 5}}},
	{"Scan/ka.Scan, hostile data, gives up", "", "", "", []bar{{of: "MB/s", bound: 5}}},
}

// A bar is a bound that rows have to keep.
type bar struct {
	// of is what is bounded: our time divided by theirs (time), or theirs by ours (times),
	// the allocations of a pass, the bytes allocated per byte of the input, or MB/s.
	of          string
	bound       float64
	above, upTo float64 // the sizes of the inputs to which it applies, in bytes; upTo is 0 if there is no limit
	single      bool    // it does not apply to all inputs together
}

func (b bar) applies(size float64, together bool) bool {
	return size > b.above && (b.upTo == 0 || size <= b.upTo) && !(b.single && together)
}

func (b bar) least() bool { return b.of == "times" || b.of == "MB/s" }

func (b bar) met(v float64) bool {
	if b.least() {
		return v >= b.bound
	}
	return v <= b.bound
}

func (b bar) String() string {
	kind := "at most"
	if b.least() {
		kind = "at least"
	}
	return strings.TrimSuffix(strings.TrimSuffix(fmt.Sprintf("%s %g %s", kind, b.bound, b.of), " times"), " time")
}

// The columns of the table.
const (
	what = iota
	input
	ours
	purego
	against
	theirs
	ratio
	allocs
	perByte
	bars
	met
	columns
)

const heads = "| what | input | ours | purego | against | theirs | ratio | allocations (ours / theirs) | B/B | " +
	"bar | met |\n"

// A row is one measurement, in most cases beside that of a peer.
type row struct {
	cells  [columns]string
	missed []string // the bars that it misses, in words
}

func (r *row) name() string { return strings.TrimSuffix(r.cells[what]+" / "+r.cells[against], " / ") }

func (r *row) number(column int) float64 {
	v, _ := strconv.ParseFloat(r.cells[column], 64)
	return v
}

// rows returns a row for each input that both sides have read; without bars only for
// all inputs together.
func (c comparison) rows(programs map[string]*program) (out []*row) {
	now := programs["now"]
	for _, name := range now.order {
		in, found := strings.CutPrefix(name, c.op+"/")
		var peer result
		if c.against != "" {
			if p := programs[c.program]; p != nil {
				peer = p.results[c.theirs+"/"+in]
			}
			found = found && peer != nil
		}
		found = found && (c.bars != nil || in == "all together")
		if found {
			out = append(out, c.row(in, now.results[name], peer, programs["purego"].results[name]))
		}
	}
	return out
}

// row makes the row of a result beside that of a peer, if there is one, and beside that
// without package unsafe.
func (c comparison) row(in string, our, peer, pure result) *row {
	size := our["input-B"]
	_, op, _ := strings.Cut(c.op, "/")
	r := &row{cells: [columns]string{
		what: op + ", " + in, input: fmt.Sprintf("%.0f bytes", size), against: c.against, ours: side(our, size),
		allocs: fmt.Sprint(our["allocs/op"]), perByte: number(our["B/op"] / size),
	}}
	values := map[string]float64{"allocations": our["allocs/op"], "B/B": our["B/op"] / size, "MB/s": our["MB/s"]}
	if peer != nil {
		values["time"] = our["ns/op"] / peer["ns/op"]
		values["times"] = 1 / values["time"]
		r.cells[theirs], r.cells[ratio] = side(peer, size), number(values["time"])
		if n, counted := peer["allocs/op"]; counted {
			r.cells[allocs] += fmt.Sprintf(" / %g", n)
		}
	}
	if pure != nil {
		r.cells[purego] = duration(pure["ns/op"]) + ", " + number(pure["ns/op"]/our["ns/op"])
	}
	var list []string
	for _, b := range c.bars {
		if !b.applies(size, in == "all together") {
			continue
		}
		if b.of == "times" {
			r.cells[ratio] = number(values["times"])
		}
		if r.cells[met] == "" {
			r.cells[met] = "yes"
		}
		if !b.met(values[b.of]) {
			r.cells[met] = "**no**"
			r.missed = append(r.missed, fmt.Sprintf("%s: %s, expected %s", r.name(), number(values[b.of]), b))
		}
		list = append(list, b.String())
	}
	r.cells[bars] = strings.Join(list, "; ")
	return r
}

// table prints the rows in Markdown.
func table(rows []*row) string {
	var b strings.Builder
	b.WriteString(heads + strings.Repeat("|---", columns) + "|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r.cells[:], " | "))
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

func duration(ns float64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if ns >= u.size {
			return number(ns/u.size) + " " + u.name
		}
	}
	return number(ns) + " ns"
}

// side prints the time of a pass and, from 64 bytes on, the MB/s: those that a benchmark
// reports, or of the input.
func side(r result, size float64) string {
	speed, reported := r["MB/s"]
	if !reported {
		speed = size * 1e3 / r["ns/op"]
	}
	if size < 64 {
		return duration(r["ns/op"])
	}
	return duration(r["ns/op"]) + ", " + number(speed) + " MB/s"
}
