// Command ratios measures the codecs against peers and against an earlier
// revision. It writes the table of README.md and ratios.svg, and exits with 1
// if a bar is missed.
//
//	cd bench && go run ./ratios
//
// Every program that is compared runs in a process of its own, over the same
// bytes in memory. The programs take turns, and the fastest pass of each counts.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
)

var (
	before = flag.String("before", "c604349", "`revision` to compare with")
	data   = flag.String("data", "../../shared/data", "`folder` of the real files")
	peers  = flag.String("peers", "../../shared/peers", "`folder` of the peers")
	turns  = flag.Int("turns", 5, "how often each program runs")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	missed, err := run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	for _, m := range missed {
		fmt.Println("missed:", m)
	}
	if len(missed) > 0 {
		os.Exit(1)
	}
}

// A report collects rows and what is left out of them.
type report struct {
	rows    []*row
	omitted []string
	missed  []string // bars that rows do not check themselves
}

// omit notes what is left out. The reason may name folders of this machine, so
// the page does not have it.
func (r *report) omit(what string, err error) {
	fmt.Fprintf(os.Stderr, "left out: %s: %v\n", what, err)
	r.omitted = append(r.omitted, what)
}

// run measures everything, writes the table and the picture, and returns the
// bars that are missed.
func run(ctx context.Context) ([]string, error) {
	temporary, err := os.MkdirTemp("", "ratios")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	r := &report{}
	for _, part := range []func(context.Context, string, *report) error{realFiles, hostileData, compactIndex, tests} {
		if err := part(ctx, temporary, r); err != nil {
			return nil, err
		}
	}
	for _, x := range r.rows {
		r.missed = append(r.missed, x.missed()...)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "![The ratios of the table as a bar chart](ratios.svg)\n\n%s, %s/%s, %d processors. The "+
		"revision before is %s.\n\n%s",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), *before, table(r.rows))
	for i, o := range r.omitted {
		if i == 0 {
			text.WriteString("\nLeft out:\n\n")
		}
		fmt.Fprintf(&text, "* %s\n", o)
	}
	fmt.Print(text.String())
	readme, err := os.ReadFile("README.md")
	if err != nil {
		return nil, err
	}
	if readme, err = replace(readme, text.String()); err != nil {
		return nil, err
	}
	return r.missed, errors.Join(
		os.WriteFile("README.md", readme, 0o644),
		os.WriteFile("ratios.svg", []byte(picture(r.rows)), 0o644))
}

// The lines between which README.md has the table.
const (
	begin = "<!-- ratios: written by go run ./ratios -->\n"
	end   = "<!-- ratios: end -->\n"
)

// replace puts text between the markers of a page.
func replace(page []byte, text string) ([]byte, error) {
	head, rest, ok := bytes.Cut(page, []byte(begin))
	_, tail, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return nil, fmt.Errorf("README.md: expected the lines %q and %q", begin, end)
	}
	return slices.Concat(head, []byte(begin+"\n"+text+"\n"+end), tail), nil
}
