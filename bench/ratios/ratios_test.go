package main

import (
	"slices"
	"strings"
	"testing"
)

func TestBars(t *testing.T) {
	for _, c := range []struct {
		name   string
		ours   result
		bars   []bar
		missed []string
	}{
		{"no bar", result{"ns/op": 4}, nil, nil},
		{"time", result{"ns/op": 1}, []bar{{of: "time", bound: 0.5}}, nil},
		{
			"too slow",
			result{"ns/op": 4},
			[]bar{{of: "time", bound: 0.5}},
			[]string{"too slow, x / peer: 0.667, expected at most 0.5"},
		},
		{"of others", result{"ns/op": 4}, []bar{{of: "time", bound: 0.5, above: 100}, {of: "time", upTo: 99}}, nil},
		{"times", result{"ns/op": 1}, []bar{{of: "times", bound: 4}}, nil},
		{
			"too few times",
			result{"ns/op": 2},
			[]bar{{of: "times", bound: 4}},
			[]string{"too few times, x / peer: 3, expected at least 4"},
		},
		{
			"memory",
			result{"ns/op": 1, "allocs/op": 2, "B/op": 600},
			[]bar{{of: "allocations", bound: 1}, {of: "B/B", bound: 5}},
			[]string{"memory, x / peer: 2, expected at most 1 allocations", "memory, x / peer: 6, expected at most 5 B/B"},
		},
		{
			"speed",
			result{"ns/op": 1, "MB/s": 4},
			[]bar{{of: "MB/s", bound: 5}},
			[]string{"speed, x / peer: 4, expected at least 5 MB/s"},
		},
	} {
		c.ours["input-B"] = 100
		r := comparison{op: "Files/" + c.name, against: "peer", bars: c.bars}.row("x", c.ours, result{"ns/op": 6}, nil)
		if !slices.Equal(r.missed, c.missed) {
			t.Errorf("%s: missed %q, expected %q", c.name, r.missed, c.missed)
		}
		if got, want := strings.Contains(table([]*row{r}), "**no**"), c.missed != nil; got != want {
			t.Errorf("%s: the table says that a bar is missed: %v, expected %v", c.name, got, want)
		}
		if got, want := strings.Contains(picture([]*row{r}), "#c83232"), c.missed != nil; got != want {
			t.Errorf("%s: the picture shows a missed bar: %v, expected %v", c.name, got, want)
		}
	}
}

// TestRows: of several runs the fastest counts, and a row needs both sides.
func TestRows(t *testing.T) {
	now, before := &program{}, &program{}
	now.read(`goos: linux
BenchmarkFiles/a_read/x_at_12-2   100   30.0 ns/op   200 input-B   400 B/op   2 allocs/op
BenchmarkFiles/a_read/all_together-2   100   50.0 ns/op   300 input-B   0 B/op   0 allocs/op
BenchmarkFiles/a_read/x_at_12-2   100   20.0 ns/op   200 input-B   400 B/op   2 allocs/op
PASS
`)
	before.read("BenchmarkFiles/a_read/x_at_12   100   80.0 ns/op   200 input-B   800 B/op   4 allocs/op\n")
	c := comparison{"Files/a read", "old", "before", "Files/a read", []bar{{of: "times", bound: 5}}}
	rows := c.rows(map[string]*program{"now": now, "before": before, "purego": before})
	want := "| a read, x at 12 | 200 bytes | 20 ns, 10000 MB/s | 80 ns, 4 | old | 80 ns, 2500 MB/s | 4 | 2 / 4 | 2 | " +
		"at least 5 | **no** |\n"
	if got := table(rows); len(rows) != 1 || !strings.HasSuffix(got, want) {
		t.Errorf("the table is\n%s\nexpected at its end\n%s", got, want)
	}
}

func TestReadRows(t *testing.T) {
	rows, failures := readRows(`=== RUN   TestRatios
    x_test.go:9: slow thing: 0.61 of peer: 3 bytes, the bar is 0.50
    x_test.go:10: something else
| what | against | measured | ratio | bar | met |
|---|---|---|---|---|---|
| slow thing | peer: 3 bytes | 6.1 against 10.0 ns | 0.61 | at most 0.5 | **no** |
| good thing | copy | 2.0 against 1.0 GB/s | 2.00 | at least 0.15 | yes |
| alone |  | 5 a second |  | 1 s |  |
`)
	if !slices.Equal(failures, []string{"slow thing: 0.61 of peer: 3 bytes, the bar is 0.50", "something else"}) {
		t.Fatalf("failures %q", failures)
	}
	want := `| slow thing |  | 6.1 against 10.0 ns |  | peer: 3 bytes |  | 0.61 |  |  | at most 0.5 | **no** |
| good thing |  | 2.0 against 1.0 GB/s |  | copy |  | 2.00 |  |  | at least 0.15 | yes |
| alone |  | 5 a second |  |  |  |  |  |  | 1 s |  |
`
	if got := table(rows); !strings.HasSuffix(got, want) {
		t.Errorf("the table is\n%s\nexpected at its end\n%s", got, want)
	}
}

func TestReplace(t *testing.T) {
	page := "before\n" + begin + "old\n" + end + "after\n"
	b, err := replace([]byte(page), "new\n")
	if want := "before\n" + begin + "\nnew\n\n" + end + "after\n"; err != nil || string(b) != want {
		t.Errorf("%q, %v; expected %q", b, err, want)
	}
	if _, err := replace([]byte("no markers\n"), "new\n"); err == nil {
		t.Error("a page without markers: expected an error")
	}
}
