// Command planted measures how long it takes to find planted bugs. Each bug is a
// small change of a codec, made in memory (go build -overlay). Two searches begin
// with each:
//
//	go run ./fuzz/planted -for 10m [NAME...]
//
// diff: formatgauge diff compares the changed codec with the unchanged reference.
// It begins without vectors, because a vector may show the bug at once; with -vectors
// it begins with them. fuzz: the native target of the type of the bug, with the full
// check and so with the oracle, begins with the inputs of all vectors; their verdicts
// are not used.
//
// The command prints a row of the table in README.md for each bug. Seconds depend on
// the machine, the number of inputs does not depend on it for diff.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/diff"
	"github.com/formatgauge/formatgauge/corpus"
)

// A search is a way to find a bug.
type search struct {
	limit   time.Duration // of each search
	count   int           // inputs of diff, instead of the limit; 0 means no number
	seed    uint64
	vectors []*corpus.Vector // from which diff begins
}

// A result is what a search found.
type result struct {
	found   string // what showed the bug; empty if nothing did
	inputs  string
	seconds float64
}

func (r result) String() string {
	return fmt.Sprintf("%s | %s | %.2f", cmp.Or(r.found, "not found"), r.inputs, r.seconds)
}

func main() {
	var s search
	flag.DurationVar(&s.limit, "for", 10*time.Minute, "time limit of each search")
	flag.IntVar(&s.count, "count", 0, "number of inputs of diff, instead of the time limit")
	flag.Uint64Var(&s.seed, "seed", 1, "seed of diff")
	only := flag.String("search", "diff,fuzz", "the searches")
	vectors := flag.Bool("vectors", false, "diff begins with the vectors")
	flag.Parse()
	if *vectors {
		var err error
		if s.vectors, err = corpus.All(); err != nil {
			fatal(err)
		}
	}
	for _, name := range flag.Args() {
		if !slices.ContainsFunc(bugs, func(b bug) bool { return b.name == name }) {
			fatal(fmt.Errorf("no bug %q", name))
		}
	}
	for i := range bugs {
		b := &bugs[i]
		if flag.NArg() > 0 && !slices.Contains(flag.Args(), b.name) {
			continue
		}
		for kind := range strings.SplitSeq(*only, ",") {
			r, err := s.run(b, kind)
			if err != nil {
				fatal(fmt.Errorf("%s: %w", b.name, err))
			}
			fmt.Printf("| %s | `%s` | %s | %s |\n", b.what, b.typ, kind, r)
		}
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "planted:", err)
	os.Exit(1)
}

// run makes one search for one bug.
func (s *search) run(b *bug, kind string) (r result, err error) {
	work, err := os.MkdirTemp("", "planted")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(work)
	overlay, err := b.overlay(work)
	if err != nil {
		return r, err
	}
	program := filepath.Join(work, "program")
	args := []string{"build", "-overlay", overlay, "-o", program, "./cmd/formatgauge"}
	if kind == "fuzz" {
		args = []string{"test", "-c", "-fuzz=.", "-overlay", overlay, "-o", program, "./fuzz"}
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return r, fmt.Errorf("go %s: %w\n%s", args[0], err, out)
	}
	switch kind {
	case "diff":
		return s.diff(program, b)
	case "fuzz":
		return s.fuzz(program, work, b)
	}
	return r, fmt.Errorf("no search %q", kind)
}

// overlay writes the changed files and the list of them, and returns its name.
func (b *bug) overlay(work string) (string, error) {
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	texts := map[string]string{}
	for _, c := range b.changes {
		text, ok := texts[c.file]
		if !ok {
			raw, err := os.ReadFile(filepath.FromSlash(c.file))
			if err != nil {
				return "", err
			}
			text = string(raw)
		}
		if !strings.Contains(text, c.old) {
			return "", fmt.Errorf("%s does not contain %q", c.file, c.old)
		}
		texts[c.file] = strings.ReplaceAll(text, c.old, c.new)
	}
	replace := map[string]string{}
	for file, text := range texts {
		to := filepath.Join(work, fmt.Sprintf("%d.go", len(replace)))
		replace[filepath.Join(root, filepath.FromSlash(file))] = to
		if err := os.WriteFile(to, []byte(text), 0o666); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(work, "overlay.json")
	return name, os.WriteFile(name, list, 0o666)
}

// diff compares the program with the reference until the first difference.
func (s *search) diff(program string, b *bug) (r result, err error) {
	child, err := adapter.NewChild([]string{program, "serve"}, adapter.Options{})
	if err != nil {
		return r, err
	}
	defer child.Close()
	t, ok := codec.Find(b.typ)
	if !ok {
		return r, fmt.Errorf("no type %s", b.typ)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	inputs, start := 0, time.Now()
	opts := diff.Options{
		Types: []*codec.Type{t}, Vectors: s.vectors, Seed: s.seed, Duration: s.limit, Count: s.count, Max: 1,
		Progress: func(p diff.Progress) {
			if p.Type != "" && p.Shrinking == 0 {
				inputs = max(inputs, p.Inputs)
			}
			if p.Different > 0 && r.seconds == 0 {
				r.seconds = time.Since(start).Seconds()
				cancel()
			}
		},
	}
	if s.count > 0 {
		opts.Duration = 0
	}
	report, err := diff.Run(ctx, child, adapter.NewReference(), opts)
	if err != nil && !errors.Is(err, context.Canceled) {
		return r, err
	}
	if r.inputs = fmt.Sprint(inputs); r.seconds == 0 {
		r.seconds = time.Since(start).Seconds()
	}
	if len(report.Findings) > 0 {
		r.found = "another " + string(report.Findings[0].Kind)
	}
	return r, nil
}

var execs = regexp.MustCompile(`execs: (\d+)`)

// fuzz runs the native target until it fails.
func (s *search) fuzz(program, work string, b *bug) (r result, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), s.limit+2*time.Minute)
	defer cancel()
	start := time.Now()
	c := exec.CommandContext(ctx, program, "-test.run=^$", "-test.fuzz=^"+corpus.FuzzTargetOf(b.typ)+"$",
		"-test.fuzztime="+s.limit.String(),
		"-test.parallel=1", "-test.fuzzminimizetime=1x", "-test.fuzzcachedir="+filepath.Join(work, "cache"))
	c.Dir = work
	out, err := c.CombinedOutput()
	r.seconds = time.Since(start).Seconds()
	r.inputs = "the seeds"
	if all := execs.FindAllSubmatch(out, -1); all != nil {
		r.inputs = string(all[len(all)-1][1])
	}
	switch exit := (*exec.ExitError)(nil); {
	case err == nil || ctx.Err() != nil:
	case !errors.As(err, &exit):
		return r, err
	case bytes.Contains(out, []byte("is accepted, but")):
		r.found = "the oracle"
	case bytes.Contains(out, []byte("--- FAIL")):
		r.found = "another property"
	case bytes.Contains(out, []byte("context deadline exceeded")):
	default:
		return r, fmt.Errorf("the target fails without a finding:\n%s", out)
	}
	return r, nil
}
