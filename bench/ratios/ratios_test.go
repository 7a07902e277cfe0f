package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
)

func TestBars(t *testing.T) {
	in := input{name: "x", size: 100}
	for _, c := range []struct {
		name   string
		ours   result
		bars   func(*row)
		missed []string
	}{
		{"no bar", result{speed: 1}, func(*row) {}, nil},
		{"time", result{speed: 4}, func(r *row) { r.timeAtMost(0.5) }, nil},
		{
			"too slow",
			result{speed: 3},
			func(r *row) { r.timeAtMost(0.5) },
			[]string{"too slow / peer: 0.667, expected at most 0.5"},
		},
		{"times", result{speed: 8}, func(r *row) { r.fasterAtLeast(4) }, nil},
		{
			"too few times",
			result{speed: 7},
			func(r *row) { r.fasterAtLeast(4) },
			[]string{"too few times / peer: 3.5, expected at least 4"},
		},
		{
			"memory",
			result{speed: 8, allocs: 2, allocated: 600},
			func(r *row) { r.allocsAtMost(1); r.bytesAtMost(5) },
			[]string{"memory / peer: 2, expected at most 1 allocations", "memory / peer: 6, expected at most 5 B/B"},
		},
	} {
		r := newRow(c.name, in, c.ours, "peer", in, result{speed: 2, allocs: -1})
		c.bars(r)
		if missed := r.missed(); !slices.Equal(missed, c.missed) {
			t.Errorf("%s: missed %q, expected %q", c.name, missed, c.missed)
		}
		if got, want := strings.Contains(table([]*row{r}), "**no**"), c.missed != nil; got != want {
			t.Errorf("%s: the table says that a bar is missed: %v, expected %v", c.name, got, want)
		}
		if got, want := strings.Contains(picture([]*row{r}), "#c83232"), c.missed != nil; got != want {
			t.Errorf("%s: the picture shows a missed bar: %v, expected %v", c.name, got, want)
		}
	}
}

func TestReadRows(t *testing.T) {
	rows, failures := readRows(`=== RUN   TestRatios
    x_test.go:9: slow thing: 0.61 of peer: 3 bytes, the bar is 0.50
    x_test.go:10: something else
| what | against | measured | ratio | bar |
|---|---|---|---|---|
| slow thing | peer: 3 bytes | 6.1 against 10.0 ns | 0.61 | at most 0.50 |
| good thing | copy | 2.0 against 1.0 GB/s | 2.00 | at least 0.15 |
| alone |  | 5 a second |  | 1 s |
`)
	if len(rows) != 3 || !slices.Equal(failures, []string{"something else"}) {
		t.Fatalf("%d rows, failures %q", len(rows), failures)
	}
	want := `| slow thing | 3 bytes | 6.1 ns |  | peer | 10.0 ns | 0.61 |  |  | at most 0.5 | **no** |
| good thing |  | 2.0 GB/s |  | copy | 1.0 GB/s | 2 |  |  | at least 0.15 | yes |
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

// TestHostile: one kind of hostile data is rejected everywhere, the other one makes the scan give up.
func TestHostile(t *testing.T) {
	const size = 1 << 16
	for _, c := range []struct {
		src     []byte
		givesUp bool
	}{{rejectedEarly(size), false}, {readToTheEnd(size), true}} {
		found, err := ka.New(wire.Settings{}).Scan(c.src)
		if len(found) > 0 || errors.Is(err, wire.Limit) != c.givesUp {
			t.Errorf("%d archives found, error %v; expected a limit: %v", len(found), err, c.givesUp)
		}
	}
}
