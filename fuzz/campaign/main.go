// Command campaign runs fuzz targets of this checkout for a given time or number of
// executions, keeps their corpora in a folder, and enters each target in the ledger.
// fuzz/campaign.sh starts it.
package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/fuzz"
	"github.com/formatgauge/formatgauge/internal/outfile"
)

// Engines, as the flag and the ledger name them.
const (
	native    = "native"
	libFuzzer = "libfuzzer"
)

// A campaign is one run of this program.
type campaign struct {
	root, dir, ledger   string
	engine, check, time string
	jobs                int
	codecs              map[string]string
	out                 io.Writer
	command             func(t *target) *exec.Cmd // starts a target; tests replace it

	mu       sync.Mutex // for ledger and out
	findings int
}

// A target of one of the engines.
type target struct{ name, family string }

const usage = `usage: campaign.sh [FLAGS] [TARGET...]

Runs fuzz targets and enters the result of each in the ledger. TARGET is a name or a
pattern, such as upkg_package or 'FuzzKa*'; without it, all targets of the engine run.
A campaign continues with the corpus in its folder. An interrupted campaign is entered
too: at once after an interrupt, and otherwise by the next campaign in this folder.
The exit code is 1 if there is a finding.

`

func main() {
	c := campaign{out: os.Stdout}
	flag.StringVar(&c.engine, "engine", libFuzzer, "`native` or libfuzzer, which needs clang")
	flag.StringVar(&c.check, "check", "quick", "what an execution of the native engine checks: `quick` or full")
	flag.StringVar(&c.time, "time", "60s", "`time` for each target, such as 10m, or executions, such as 100000x")
	flag.IntVar(&c.jobs, "jobs", runtime.NumCPU(), "how many targets run at the same time")
	flag.StringVar(&c.dir, "dir", "", "`folder` for programs, corpora, logs and findings, for one campaign at a time (default out/campaign of the checkout)")
	flag.StringVar(&c.ledger, "ledger", "", "the `file` to enter rows in (default fuzz/LEDGER.md of the checkout)")
	flag.StringVar(&c.root, "root", ".", "the `folder` of the checkout; campaign.sh gives it")
	list := flag.Bool("list", false, "list the targets, and run nothing")
	sums := flag.Bool("sums", false, "only compute the sums of the ledger for the present codecs")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := c.main(ctx, flag.Args(), *list, *sums)
	if err != nil {
		fmt.Fprintln(os.Stderr, "campaign:", err)
		os.Exit(2)
	}
	if c.findings > 0 {
		os.Exit(1)
	}
}

func (c *campaign) main(ctx context.Context, patterns []string, list, sums bool) error {
	targets, err := c.targets(patterns)
	if err != nil {
		return err
	}
	if list {
		for _, t := range targets {
			fmt.Fprintln(c.out, t.name)
		}
		return nil
	}
	if c.check != "quick" && (c.check != "full" || c.engine == libFuzzer) {
		return fmt.Errorf("-check: expected quick, or full for the native engine, found %q", c.check)
	}
	if _, _, err := c.limit(); err != nil {
		return err
	}
	if c.root, err = filepath.Abs(c.root); err != nil {
		return err
	}
	for _, f := range []struct {
		name     *string
		standard string
	}{{&c.dir, "out/campaign"}, {&c.ledger, "fuzz/LEDGER.md"}} {
		if *f.name == "" {
			*f.name = filepath.Join(c.root, f.standard)
		} else if *f.name, err = filepath.Abs(*f.name); err != nil {
			return err
		}
	}
	if c.codecs, err = presentCodecs(c.root); err != nil {
		return err
	}
	if sums {
		return c.enter()
	}
	if err := c.build(ctx, targets); err != nil {
		return err
	}
	c.command = c.engineCommand
	return c.run(ctx, targets, c.revision(ctx))
}

// targets lists the targets of the engine that match one of the patterns.
func (c *campaign) targets(patterns []string) ([]target, error) {
	var every []target
	switch c.engine {
	case native:
		for _, t := range codec.Types() {
			every = append(every, target{corpus.FuzzTargetOf(t.Name), t.Family()})
		}
	case libFuzzer:
		for _, t := range fuzz.Targets() {
			family := t.Types[0].Family()
			if slices.ContainsFunc(t.Types, func(t *codec.Type) bool { return t.Family() != family }) {
				family = all
			}
			every = append(every, target{t.Name, family})
		}
	default:
		return nil, fmt.Errorf("-engine: expected %s or %s, found %q", native, libFuzzer, c.engine)
	}
	if len(patterns) == 0 {
		return every, nil
	}
	chosen := map[string]bool{}
	for _, p := range patterns {
		found := false
		for _, t := range every {
			ok, err := path.Match(p, t.name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			found = found || ok
			chosen[t.name] = chosen[t.name] || ok
		}
		if !found {
			return nil, fmt.Errorf("no target matches %s; -list lists the targets", p)
		}
	}
	return slices.DeleteFunc(every, func(t target) bool { return !chosen[t.name] }), nil
}

// limit returns the time for a target, or its number of executions.
func (c *campaign) limit() (time.Duration, int64, error) {
	if text, ok := strings.CutSuffix(c.time, "x"); ok {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return 0, 0, fmt.Errorf("-time: expected a number of executions before x, found %q", c.time)
		}
		return 0, n, nil
	}
	d, err := time.ParseDuration(c.time)
	if err != nil || d < time.Second {
		return 0, 0, fmt.Errorf("-time: expected at least 1s, or executions such as 1000x, found %q", c.time)
	}
	return d, 0, nil
}

// revision returns the commit of the checkout, with a plus sign if what the targets
// are built from has other changes.
func (c *campaign) revision(ctx context.Context) string {
	git := func(args ...string) string {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = c.root
		b, err := cmd.Output()
		if err != nil {
			return "?"
		}
		return strings.TrimSpace(string(b))
	}
	r := git("rev-parse", "--short=10", "HEAD")
	if git("status", "--porcelain", "--", ".", ":!fuzz/LEDGER.md") != "" {
		r += "+"
	}
	return r
}

// build builds the programs of the targets into the folder bin.
func (c *campaign) build(ctx context.Context, targets []target) error {
	bin := filepath.Join(c.dir, "bin")
	if err := os.MkdirAll(bin, 0o777); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-fuzz=.", "-o", filepath.Join(bin, "fuzz.test"), "./fuzz")
	if c.engine == libFuzzer {
		cmd = exec.CommandContext(ctx, "bash", ".clusterfuzzlite/build.sh")
		for _, t := range targets {
			cmd.Args = append(cmd.Args, t.name)
		}
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.root, os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), "OUT="+bin, "WORK="+filepath.Join(bin, "work"))
	return cmd.Run()
}

func (c *campaign) folder(kind string, t *target) string { return filepath.Join(c.dir, kind, t.name) }

// engineCommand returns the command of a target.
func (c *campaign) engineCommand(t *target) *exec.Cmd {
	d, runs, _ := c.limit()
	bin := filepath.Join(c.dir, "bin")
	if c.engine == native {
		// One worker for each target, as for libFuzzer. Shortening what covers something
		// new would take much of the time.
		return exec.Command(filepath.Join(bin, "fuzz.test"), "-check="+c.check, "-test.run=^$", "-test.fuzz=^"+t.name+"$", "-test.fuzztime="+c.time,
			"-test.fuzzminimizetime=200x", "-test.parallel=1", "-test.fuzzcachedir="+filepath.Join(c.dir, native))
	}
	cmd := c.libFuzzerCommand(t, "-print_final_stats=1", "-artifact_prefix="+c.folder("findings", t)+"/", "-dict="+filepath.Join(bin, t.name+".dict"))
	if runs > 0 {
		cmd.Args = append(cmd.Args, fmt.Sprintf("-runs=%d", runs))
	} else {
		cmd.Args = append(cmd.Args, fmt.Sprintf("-max_total_time=%d", int(d.Seconds())))
	}
	cmd.Args = append(cmd.Args, c.folder("corpus", t), c.folder("seeds", t))
	return cmd
}

// libFuzzerCommand returns a command with the options of the target's file, which
// only the runner of OSS-Fuzz reads.
func (c *campaign) libFuzzerCommand(t *target, args ...string) *exec.Cmd {
	file := filepath.Join(c.dir, "bin", t.name)
	cmd := exec.Command(file)
	b, _ := os.ReadFile(file + ".options")
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(line, "="); ok {
			cmd.Args = append(cmd.Args, "-"+strings.TrimSpace(k)+"="+strings.TrimSpace(v))
		}
	}
	cmd.Args = append(cmd.Args, args...)
	return cmd
}

// run runs the targets, some of them at the same time.
func (c *campaign) run(ctx context.Context, targets []target, revision string) error {
	for _, kind := range []string{"logs", "findings", native} {
		if err := os.MkdirAll(filepath.Join(c.dir, kind), 0o777); err != nil {
			return err
		}
	}
	left, err := filepath.Glob(filepath.Join(c.dir, "logs", "*.log"))
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range left {
		fmt.Fprintf(c.out, "%s is of a campaign that was killed\n", name)
		errs = append(errs, c.collect(name))
	}
	queue := make(chan target)
	var wg sync.WaitGroup
	for range max(c.jobs, 1) {
		wg.Go(func() {
			for t := range queue {
				if err := c.one(ctx, &t, revision); err != nil {
					c.mu.Lock()
					errs = append(errs, fmt.Errorf("%s: %w", t.name, err))
					c.mu.Unlock()
				}
			}
		})
	}
	for _, t := range targets {
		select {
		case queue <- t:
		case <-ctx.Done():
		}
	}
	close(queue)
	wg.Wait()
	return errors.Join(errs...)
}

// grace is the time that a target has after its limit, or after an interrupt, until
// it is killed.
const grace = time.Minute

// one runs a target, enters it, and minimises its corpus.
func (c *campaign) one(ctx context.Context, t *target, revision string) error {
	if ctx.Err() != nil {
		return nil
	}
	// minimise can have been killed between its last steps.
	if _, err := os.Stat(c.folder("corpus", t)); errors.Is(err, os.ErrNotExist) {
		if err := os.Rename(c.folder("corpus", t)+".new", c.folder("corpus", t)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	for _, kind := range []string{"findings", "corpus", "run"} {
		if err := os.MkdirAll(c.folder(kind, t), 0o777); err != nil {
			return err
		}
	}
	if c.engine == libFuzzer {
		if err := unzip(filepath.Join(c.dir, "bin", t.name+"_seed_corpus.zip"), c.folder("seeds", t)); err != nil {
			return err
		}
	}
	name := c.folder("logs", t) + ".log"
	log, err := os.Create(name)
	if err != nil {
		return err
	}
	fmt.Fprintf(log, logHeader, time.Now().UTC().Format(time.RFC3339), revision, c.codecs[t.family], c.engine, c.check, t.name)
	cmd := c.command(t)
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, c.folder("run", t)
	d, _, _ := c.limit()
	runErr := wait(ctx, cmd, d)
	if runErr != nil && ctx.Err() == nil {
		fmt.Fprintf(log, logEnd, runErr)
	}
	if err := log.Close(); err != nil {
		return err
	}
	if err := c.collect(name); err != nil {
		if runErr != nil {
			return fmt.Errorf("%w (%w)", err, runErr)
		}
		return err
	}
	if c.engine == libFuzzer && ctx.Err() == nil {
		return c.minimise(ctx, t)
	}
	return nil
}

// wait runs a command. If d is not 0, the command gets an interrupt when its time has
// passed and it has not ended by itself.
func wait(ctx context.Context, cmd *exec.Cmd, d time.Duration) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var late <-chan time.Time
	if d > 0 {
		late = time.After(d + grace)
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	case <-late:
	}
	if cmd.Process.Signal(os.Interrupt) == nil {
		select {
		case err := <-done:
			return err
		case <-time.After(grace):
		}
	}
	_ = cmd.Process.Kill() // it may have ended
	return <-done
}

// collect enters the row of a log in the ledger, and shows its findings.
func (c *campaign) collect(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	log, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	r, err := parseLog(log, info.ModTime())
	if err != nil {
		_ = os.Rename(name, name+".broken") // the next campaign does not read it again
		return fmt.Errorf("%w; see %s.broken", err, name)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.out, "%s: %s executions, %s, %d s, findings: %s\n", r.Target, grouped(r.Executions), r.Coverage, r.Seconds, r.Findings)
	if r.Findings != "none" {
		c.findings++
		fmt.Fprintf(c.out, "  %s.entered\n", name)
		if err := c.show(&r); err != nil {
			return err
		}
	}
	// In this order, a row is never entered twice, even if the program is killed here.
	if err := os.Rename(name, name+".entered"); err != nil {
		return err
	}
	if err := c.enter(r); err != nil {
		return errors.Join(err, os.Rename(name+".entered", name))
	}
	return nil
}

// show keeps the findings of a native target, as bytes and in the form that Go reads,
// and prints how to reproduce the findings of any target.
func (c *campaign) show(r *row) error {
	t := target{name: r.Target}
	dir := c.folder("findings", &t)
	if r.Engine == native {
		made := filepath.Join(c.folder("run", &t), "testdata", "fuzz", t.name)
		kept := filepath.Join(dir, "testdata", "fuzz", t.name)
		files, err := os.ReadDir(made)
		if err != nil && !errors.Is(err, os.ErrNotExist) { // a seed is in no file
			return err
		}
		if err := os.MkdirAll(kept, 0o777); err != nil {
			return err
		}
		for _, f := range files {
			b, err := os.ReadFile(filepath.Join(made, f.Name()))
			if err != nil {
				return err
			}
			input, err := goInput(b)
			if err != nil {
				return fmt.Errorf("%s: %w", f.Name(), err)
			}
			if err := os.WriteFile(filepath.Join(dir, "crash-"+f.Name()), input, 0o666); err != nil {
				return err
			}
			// A next run would stop at a finding in its folder.
			if err := os.Rename(filepath.Join(made, f.Name()), filepath.Join(kept, f.Name())); err != nil {
				return err
			}
		}
	}
	for f := range strings.SplitSeq(r.Findings, ", ") {
		f = strings.TrimSuffix(f, open)
		file := filepath.Join(dir, f)
		if _, err := os.Stat(file); err != nil {
			continue // the log says what happened
		}
		if r.Engine == native {
			fmt.Fprintf(c.out, "  (cd %s && %s -check=%s -test.run='^%s$/^%s$')\n", dir, filepath.Join(c.dir, "bin", "fuzz.test"), r.Check, t.name, strings.TrimPrefix(f, "crash-"))
		} else {
			fmt.Fprintf(c.out, "  %s %s\n", filepath.Join(c.dir, "bin", t.name), file)
		}
	}
	return nil
}

// goInput returns the bytes of an input in the text form of Go's engine.
func goInput(text []byte) ([]byte, error) {
	_, line, _ := bytes.Cut(text, []byte("\n"))
	s, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "[]byte(")
	s, closed := strings.CutSuffix(s, ")")
	if !ok || !closed {
		return nil, fmt.Errorf("expected one []byte, found %.80q", line)
	}
	s, err := strconv.Unquote(s)
	return []byte(s), err
}

// enter writes the ledger with new rows before those that it has.
func (c *campaign) enter(rows ...row) error {
	b, err := os.ReadFile(c.ledger)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	old, err := parseLedger(string(b))
	if err != nil {
		return fmt.Errorf("%s: %w", c.ledger, err)
	}
	return outfile.Write(c.ledger, []byte(render(append(rows, old...), c.codecs)))
}

// minimise replaces the corpus of a libFuzzer target by the inputs that its coverage
// needs.
func (c *campaign) minimise(ctx context.Context, t *target) error {
	corpus := c.folder("corpus", t)
	fresh := corpus + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	if err := os.MkdirAll(fresh, 0o777); err != nil {
		return err
	}
	log, err := os.Create(c.folder("logs", t) + ".merge")
	if err != nil {
		return err
	}
	cmd := c.libFuzzerCommand(t, "-merge=1", "-artifact_prefix="+c.folder("run", t)+"/", fresh, corpus, c.folder("seeds", t))
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, c.folder("run", t)
	err = errors.Join(wait(ctx, cmd, 0), log.Close())
	switch {
	case ctx.Err() != nil:
		return os.RemoveAll(fresh)
	case err != nil:
		return fmt.Errorf("minimising the corpus: %w; see %s", err, log.Name())
	}
	old := corpus + ".old"
	if err := os.RemoveAll(old); err != nil {
		return err
	}
	if err := os.Rename(corpus, old); err != nil {
		return err
	}
	if err := os.Rename(fresh, corpus); err != nil {
		return err
	}
	return os.RemoveAll(old)
}

// unzip replaces a folder by the files of an archive.
func unzip(file, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	r, err := zip.OpenReader(file)
	if err != nil {
		return err
	}
	defer r.Close()
	return os.CopyFS(dir, r)
}
