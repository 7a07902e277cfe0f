// Command ratios measures the codecs against peers and against an earlier revision: it
// runs the benchmarks of package real and the tests of this module, and divides. It
// writes the table of README.md and ratios.svg, and exits with 1 if a bar is missed.
//
//	cd bench && go run ./ratios
//
// The programs that are compared take turns, and the fastest run of a benchmark counts.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
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

// run measures everything, writes the table and the picture, and returns the bars that
// are missed.
func run(ctx context.Context) ([]string, error) {
	temporary, err := os.MkdirTemp("", "ratios")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	rows, omitted, err := benchmarks(ctx, temporary)
	if err != nil {
		return nil, err
	}
	var missed []string
	for _, r := range rows {
		missed = append(missed, r.missed...)
	}
	compact, err := compactIndex(ctx, temporary)
	if err != nil {
		return nil, err
	}
	others, failures, err := tests(ctx, "go", "test", "-count", "1", "-p", "1", "-v", "-run", "Ratios", "-skip",
		"Ratios/compact", ".", "./judging")
	if err != nil {
		return nil, err
	}
	rows, missed = append(append(rows, compact), others...), slices.Concat(missed, compact.missed, failures)

	var text strings.Builder
	fmt.Fprintf(&text, "![The ratios of the table as a bar chart](ratios.svg)\n\n%s, %s/%s, %d processors. The "+
		"revision before is %s.\n\n%s",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), *before, table(rows))
	for i, o := range omitted {
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
	return missed, errors.Join(
		os.WriteFile("README.md", readme, 0o644),
		os.WriteFile("ratios.svg", []byte(picture(rows)), 0o644))
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

// A program is the benchmarks of package real, built in one way.
type program struct {
	path    string
	args    []string
	order   []string          // the names of the benchmarks
	results map[string]result // the fastest of each
}

// A result is what a benchmark reports, by its unit.
type result map[string]float64

// benchmarks runs the benchmarks of real files and of hostile data. It returns what is
// left out, too: what needs a revision, files or peers that are absent.
func benchmarks(ctx context.Context, temporary string) (rows []*row, omitted []string, err error) {
	real := func(name string) string { return filepath.Join(temporary, name) }
	if err := build(ctx, real("now")); err != nil {
		return nil, nil, err
	}
	if err := build(ctx, real("purego"), "-tags", "purego"); err != nil {
		return nil, nil, err
	}
	programs := map[string]*program{
		"now":    {path: real("now"), args: []string{"-test.bench=Files|Msgp|Scan", "-test.count=4"}},
		"purego": {path: real("purego"), args: []string{"-test.bench=Files/^ka", "-test.count=4"}},
		"before": {path: real("before"), args: []string{"-test.bench=Files", "-test.count=4"}},
		"peers":  {path: real("now"), args: []string{"-test.bench=Peers"}},
	}
	if err := buildBefore(ctx, real("before"), *before, temporary); err != nil {
		fmt.Fprintf(os.Stderr, "left out: revision %s: %v\n", *before, err)
		programs["before"] = nil
	}
	for range max(1, *turns) {
		for _, name := range []string{"now", "purego", "before", "peers"} {
			if err := programs[name].run(ctx); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, c := range comparisons {
		if found := c.rows(programs); len(found) > 0 {
			rows = append(rows, found...)
		} else {
			omitted = append(omitted, c.String())
		}
	}
	return rows, omitted, nil
}

// run runs all benchmarks once.
func (p *program) run(ctx context.Context) error {
	if p == nil {
		return nil
	}
	c := exec.CommandContext(ctx, p.path, append(p.args, "-test.run=^$", "-test.benchtime=20ms")...)
	for name, folder := range map[string]string{"-data": *data, "-peers": *peers} {
		full, err := filepath.Abs(folder)
		if err != nil {
			return err
		}
		c.Args = append(c.Args, name, full)
	}
	c.Dir = "real"
	// With a heap of a few megabytes the collector would run every few passes.
	c.Env = append(os.Environ(), "GOGC=400")
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", p.path, err, out)
	}
	p.read(string(out))
	return nil
}

var benchmarkName = regexp.MustCompile(`^Benchmark(\S+?)(-\d+)?$`)

// read reads what benchmarks print.
func (p *program) read(out string) {
	if p.results == nil {
		p.results = map[string]result{}
	}
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		if len(words) < 4 || !benchmarkName.MatchString(words[0]) {
			continue
		}
		name := strings.ReplaceAll(benchmarkName.FindStringSubmatch(words[0])[1], "_", " ")
		r := result{}
		for i := 2; i+1 < len(words); i += 2 {
			r[words[i+1]], _ = strconv.ParseFloat(words[i], 64)
		}
		old, known := p.results[name]
		if !known {
			p.order = append(p.order, name)
		}
		if !known || r["ns/op"] < old["ns/op"] {
			p.results[name] = r
		}
	}
}

// build builds the benchmarks. It runs in the folder of module bench.
func build(ctx context.Context, path string, args ...string) error {
	return command(ctx, "go", append(append([]string{"test", "-c", "-o", path}, args...), "./real")...)
}

func command(ctx context.Context, name string, args ...string) error {
	if text, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, text)
	}
	return nil
}

// buildBefore builds the benchmarks against another revision of the module: a worktree
// of it replaces the current tree.
func buildBefore(ctx context.Context, path, revision, temporary string) error {
	tree := filepath.Join(temporary, "tree")
	if err := command(ctx, "git", "worktree", "add", "--detach", tree, revision); err != nil {
		return err
	}
	defer command(context.Background(), "git", "worktree", "remove", "--force", tree)
	mod := filepath.Join(temporary, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(temporary, name), b, 0o644)
		}
		if err != nil {
			return err
		}
	}
	if err := command(ctx, "go", "mod", "edit", "-replace=github.com/formatgauge/formatgauge="+tree, mod); err != nil {
		return err
	}
	return build(ctx, path, "-tags", "before", "-mod=mod", "-modfile="+mod)
}

// layouts is how many layouts of the program compactIndex tries.
const layouts = 9

// compactIndex runs the test of the compact index in several layouts of the
// test program: where the linker puts two short loops decides much of their ratio.
// The row with the median of the ratios counts.
func compactIndex(ctx context.Context, temporary string) (*row, error) {
	var all []*row
	for i := range layouts {
		path := filepath.Join(temporary, "layout.test")
		if err := command(ctx, "go", "test", "-c", "-o", path, fmt.Sprint("-ldflags=-randlayout=", i+1), "."); err != nil {
			return nil, err
		}
		rows, _, err := tests(ctx, path, "-test.v", "-test.run", "Ratios/compact")
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	if len(all) != layouts {
		return nil, fmt.Errorf("compact index: %d rows from %d programs", len(all), layouts)
	}
	slices.SortFunc(all, func(a, b *row) int { return cmp.Compare(a.number(ratio), b.number(ratio)) })
	median := all[layouts/2]
	if median.cells[met] == "**no**" {
		median.missed = []string{fmt.Sprintf("%s: %s, expected %s", median.name(), median.cells[ratio], median.cells[bars])}
	}
	median.cells[what] += fmt.Sprintf(", median of %d layouts", layouts)
	return median, nil
}

var (
	testRow = regexp.MustCompile(`(?m)^\| (.*) \| (.*) \| (.*) \| ([0-9.]*) \| (.*) \| (yes|\*\*no\*\*|) \|$`)
	failure = regexp.MustCompile(`(?m)^ +\w+_test\.go:\d+: (.*)$`)
)

// tests runs a test program and returns the rows that it prints, and its failures.
func tests(ctx context.Context, name string, args ...string) (rows []*row, failures []string, err error) {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil && !failure.Match(out) {
		return nil, nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	rows, failures = readRows(string(out))
	return rows, failures, nil
}

// readRows reads what a test prints: rows of what, against, measured, ratio, bar and
// met; failures.
func readRows(out string) (rows []*row, failures []string) {
	for _, m := range testRow.FindAllStringSubmatch(out, -1) {
		rows = append(rows, &row{cells: [columns]string{
			what: m[1], against: m[2], ours: m[3], ratio: m[4], bars: m[5], met: m[6],
		}})
	}
	for _, m := range failure.FindAllStringSubmatch(out, -1) {
		failures = append(failures, m[1])
	}
	return rows, failures
}
