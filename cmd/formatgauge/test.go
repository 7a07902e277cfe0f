package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/export"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/outfile"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec"
)

// testRun is formatgauge test.
type testRun struct {
	judgeFlags
	reportFlags
	vectorFlags
	jsonFlag
	MaxTime                time.Duration
	MinPassed, Jobs        int
	NoSkips, NoDerived     bool
	FailAcceptable, Accept bool
	Known                  string
}

func (t *testRun) run(cmd *cobra.Command, args []string) error {
	// The reference has to follow its own choices.
	t.FailAcceptable = t.FailAcceptable || len(args) == 0 && t.Oneshot == ""
	opts, err := t.allOptions(cmd)
	if err != nil {
		return err
	}
	targets, err := t.targets(t.JSON)
	if err != nil {
		return err
	}
	if opts.Jobs == 0 && len(args) == 0 {
		opts.Jobs = runtime.GOMAXPROCS(0)
	}
	impl, err := t.start(cmd, args)
	if err != nil {
		return err
	}
	defer impl.Close()
	var identity report.Corpus
	vectors, err := untilInterrupted(cmd.Context(), func() (v []*corpus.Vector, err error) {
		v, identity, err = t.load(cmd, t.scope())
		return v, err
	})
	if err != nil {
		return err
	}
	if err := t.checkMatch(vectors); err != nil {
		return err
	}
	opts.Progress = progress(cmd.ErrOrStderr())
	ctx := cmd.Context()
	if t.MaxTime > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, t.MaxTime)
		defer stop()
	}
	r, err := judge.Run(ctx, impl, vectors, opts)
	if err == nil {
		if failed, _ := (&report.Run{Report: r}).UnderOtherSides(); failed > 0 {
			r.Fit, _ = judge.FindFit(ctx, impl, vectors, opts) // without it the report says how to find it
		}
	}
	if ended := impl.Close(); ended != nil && err == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "formatgauge: at the end of the run: %s\n", printable.Text(ended.Error()))
	}
	if r == nil {
		return failed(err)
	}
	run := report.NewRun(r)
	run.Corpus, run.Interrupted = identity, err != nil
	if err := writeReports(cmd, targets, run); err != nil {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return failed(fmt.Errorf("--max-time: ended after %v with %d of %d results", t.MaxTime, len(r.Results), r.Planned))
	}
	if errors.Is(err, context.Canceled) {
		return failed(fmt.Errorf("interrupted after %d of %d results", len(r.Results), r.Planned))
	}
	if one, ok := impl.(*adapter.Oneshot); ok && one.RejectsWithoutClass() > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "formatgauge: %d rejections had no class on standard error: their class was not judged\n", one.RejectsWithoutClass())
	}
	incomplete := t.checkComplete(cmd.ErrOrStderr(), r)
	if t.Accept {
		if err := t.updateKnown(cmd, opts.Known, r); err != nil {
			return err
		}
		return incomplete
	}
	if incomplete != nil || !r.Conformant() && (opts.Known == nil || !r.MatchesKnown()) || len(r.Mismatches) > 0 {
		return errFailed
	}
	return nil
}

// vectorFlags select the vectors by which an implementation is judged.
type vectorFlags struct {
	Corpus, Edition string
	WithCorpus      []string
}

// load returns the vectors, and their identity for reports. Of the embedded ones it
// returns those in a scope: see [corpus.Of].
func (f *vectorFlags) load(cmd *cobra.Command, scope string) ([]*corpus.Vector, report.Corpus, error) {
	dirs := f.WithCorpus
	parts := []fs.FS{corpus.FS()}
	var edition export.Edition
	if f.Edition != "" {
		e, err := readBounded(cmd, f.Edition, func(limit int64) (*export.Edition, error) {
			return export.Open(f.Edition, limit)
		})
		if err == nil && e.Vectors == nil {
			err = fmt.Errorf("%s contains only data: expected an edition that corpus export wrote", f.Edition)
		}
		if err == nil {
			err = spec.Replace(e.Records)
		}
		if err != nil {
			return nil, report.Corpus{}, failed(err)
		}
		edition, parts = *e, []fs.FS{e.Vectors}
	}
	if f.Corpus != "" {
		dirs, parts = append([]string{f.Corpus}, dirs...), nil
	}
	if len(dirs) == 0 && f.Edition == "" {
		vectors, err := corpus.Of(scope)
		if err != nil {
			return nil, report.Corpus{}, failed(err)
		}
		return vectors, report.Embedded(), nil
	}
	var vectors []*corpus.Vector
	for _, dir := range dirs {
		files, err := folder(dir)
		if err != nil {
			return nil, report.Corpus{}, err
		}
		var findings []corpus.Finding
		vectors, findings, err = loadForm(files)
		if err == nil && len(findings) > 0 {
			err = fmt.Errorf("%v (%s: see formatgauge corpus lint %s)", findings[0], report.Plural(len(findings), "finding"), dir)
		}
		if err != nil {
			return nil, report.Corpus{}, failed(fmt.Errorf("%s: %w", dir, err))
		}
		parts = append(parts, files)
	}
	all := corpus.Join(parts...)
	if len(dirs) == 0 || len(parts) > 1 { // else these are all
		var err error
		if vectors, err = corpus.Load(all); err != nil {
			return nil, report.Corpus{}, failed(err)
		}
	}
	identity, err := report.CorpusOf(all, len(vectors))
	if identity.Hash == edition.Index.Hash {
		identity.Number = edition.Index.Edition
	}
	return vectors, identity, failed(err)
}

// checkComplete returns errFailed, and prints why, if too few vectors passed or cases
// were skipped that must not be.
func (t *testRun) checkComplete(w io.Writer, r *judge.Report) (err error) {
	counts := (&report.Run{Report: r}).Counts()
	if passed := counts.Own[judge.Pass]; passed < t.MinPassed {
		fmt.Fprintf(w, "formatgauge: --min-passed: expected at least %d passed, found %d\n", t.MinPassed, passed)
		err = errFailed
	}
	if types, ops, cases := r.SkippedListed(); t.NoSkips && cases > 0 {
		fmt.Fprintf(w, "formatgauge: --no-skips: the adapter skipped %s%s of listed types: %s\n", report.Plural(cases, "case"),
			report.OnlyOps(ops), strings.Join(types, ", "))
		err = errFailed
	}
	return err
}

// scope returns what part of the embedded corpus a run needs. A list of known failures
// is compared with all vectors.
func (t *testRun) scope() string {
	if t.Known != "" {
		return ""
	}
	return t.choiceFlags.scope()
}

func (t *testRun) allOptions(cmd *cobra.Command) (judge.Options, error) {
	opts, err := t.options(cmd)
	opts.FailAcceptable, opts.NoDerived, opts.Jobs = t.FailAcceptable, t.NoDerived, t.Jobs
	if err != nil {
		return opts, err
	}
	if err := cmp.Or(notNegative("--max-time", t.MaxTime), notNegative("--min-passed", t.MinPassed),
		notNegative("--jobs", t.Jobs)); err != nil {
		return opts, err
	}
	if t.Accept && t.Known == "" {
		return opts, errors.New("--accept requires --known")
	}
	if t.Accept {
		if info, err := os.Stat(t.Known); err == nil && !info.Mode().IsRegular() {
			return opts, fmt.Errorf("--accept: %s is not a regular file", t.Known)
		}
		if err := outfile.Check(t.Known); err != nil {
			return opts, fmt.Errorf("--accept: %w", err)
		}
	}
	if t.Known != "" {
		text, err := t.readKnown(cmd)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; --accept writes it", err)
		}
		if err != nil {
			return opts, err
		}
		if opts.Known, err = judge.ParseKnown(text); err != nil {
			const shown, width = 5, 200
			lines := strings.Split(err.Error(), "\n")
			for i := range lines {
				lines[i] = page.Cut(lines[i], width)
			}
			if n := len(lines) - shown; n > 0 {
				lines = append(lines[:shown], fmt.Sprintf("%s: %s with an error; --accept writes a list of known failures to a "+
					"new file", t.Known, report.Plural(n, "more line")))
			}
			return opts, failed(fmt.Errorf("%s: %s", t.Known, strings.Join(lines, "\n")))
		}
	}
	return opts, nil
}

// readKnown reads the file of known failures. For --accept, a missing file is an
// empty list.
func (t *testRun) readKnown(cmd *cobra.Command) (string, error) {
	text, err := readFile(cmd, t.Known)
	if t.Accept && errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(text), err
}

// updateKnown updates the file of known failures so that it is exact, unless
// somebody has changed it during the run.
func (t *testRun) updateKnown(cmd *cobra.Command, old *judge.Known, r *judge.Report) error {
	list := old.Accept(r)
	text, err := t.readKnown(cmd)
	switch {
	case err != nil:
		return failed(err)
	case text != old.String():
		return failed(fmt.Errorf("%s has changed during the run and was not updated: run the command again", t.Known))
	}
	if err := outfile.Write(t.Known, []byte(list.String())); err != nil {
		return failed(err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "formatgauge: %s now lists the failures: %d entries (before: %d)\n", t.Known, len(list.Entries()),
		len(old.Entries()))
	return nil
}

// judgeFlags are the flags of commands that judge by chosen vectors.
type judgeFlags struct {
	profileFlags
	processFlags
	choiceFlags
	Oneshot string
}

// options returns the vectors and the profile that the flags choose.
func (f *judgeFlags) options(cmd *cobra.Command) (judge.Options, error) {
	opts := judge.Options{Filter: f.selects, Sides: f.Flag}
	if err := f.check(); err != nil {
		return opts, err
	}
	p, err := f.parse()
	if cmd.Flags().Changed("profile") {
		opts.Profile = &p
	}
	return opts, err
}

// start starts an adapter, or the command of --oneshot per case.
func (f *judgeFlags) start(cmd *cobra.Command, args []string) (adapter.Implementation, error) {
	if err := checkDash(cmd, args); err != nil {
		return nil, err
	}
	switch {
	case len(args) > 0 && f.Oneshot != "":
		return nil, errors.New("--oneshot cannot be combined with an adapter's command")
	case f.Oneshot == "":
		return f.processFlags.start(cmd, args)
	}
	opts, err := f.processFlags.options(cmd)
	if err != nil {
		return nil, err
	}
	profile, _ := f.parse() // options has
	startsAdapter(cmd)
	impl, err := adapter.NewOneshot(f.Oneshot, profile.String(), opts)
	if err != nil {
		return nil, cannotStart(f.Oneshot, err)
	}
	return impl, nil
}

// processFlags are the flags for the process of an adapter.
type processFlags struct {
	viewFlags
	Memory string
}

// viewFlags are those without --memory.
type viewFlags struct {
	Timeout time.Duration
	View    []string
}

func (p *processFlags) options(cmd *cobra.Command) (adapter.Options, error) {
	memory, err := parseSize("--memory", p.Memory, leastMemory)
	for _, v := range p.View {
		if err == nil {
			err = oneOf("--view", v, spec.ViewIDs()...)
		}
	}
	opts := adapter.Options{Timeout: p.Timeout, Memory: memory, Views: p.View, Stderr: cmd.ErrOrStderr()}
	return opts, cmp.Or(notNegative("--timeout", p.Timeout), err)
}

// start starts an adapter, or the built-in reference if command is empty.
func (p *processFlags) start(cmd *cobra.Command, command []string) (adapter.Implementation, error) {
	opts, err := p.options(cmd)
	if err != nil {
		return nil, err
	}
	if len(command) == 0 {
		return adapter.NewReference().WithViews(p.View), nil
	}
	startsAdapter(cmd)
	impl, err := newChild(command, opts)
	if err != nil {
		return nil, cannotStart(strings.Join(command, " "), err)
	}
	return impl, nil
}

// newChild starts the command of an adapter. Tests replace it: most of theirs need no process.
var newChild = func(command []string, opts adapter.Options) (adapter.Implementation, error) {
	return adapter.NewChild(command, opts)
}

// startsAdapter says that a command starts an adapter: a signal then ends the adapter first.
func startsAdapter(cmd *cobra.Command) {
	if started, ok := cmd.Context().Value(adaptersKey{}).(*atomic.Bool); ok {
		started.Store(true)
	}
}

// cannotStart says why a command cannot be started, without repeating its name.
func cannotStart(command string, err error) error {
	if search, ok := errors.AsType[*exec.Error](err); ok {
		err = search.Err
	}
	return fmt.Errorf("cannot start %q: %w", command, err)
}

// leastMemory is the least --memory: with less, no process starts.
const leastMemory = 16 << 20

// parseSize reads a number of bytes with an optional K, M or G, the value of a flag.
func parseSize(flag, s string, least int64) (int64, error) {
	if s == "" {
		return 0, nil
	}
	digits, unit := strings.TrimRight(strings.ToUpper(s), "IB"), int64(1)
	for i, u := range []string{"K", "M", "G"} {
		if d, ok := strings.CutSuffix(digits, u); ok {
			digits, unit = d, 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || n > 1<<62/unit {
		return 0, fmt.Errorf("%s: expected a size such as 512M or 2G, found %q", flag, s)
	}
	if n *= unit; n < least {
		return 0, fmt.Errorf("%s: expected at least %dM, without which no process starts, found %s", flag, least>>20,
			report.Plural(int(n), "byte"))
	}
	return n, nil
}

// terminalLine returns a function that replaces the current line of a terminal
// with text, but not before progressDelay; "" clears the line. It returns nil if
// w is not a terminal.
func terminalLine(w io.Writer) func(text string) {
	f := terminalOf(w)
	if f == nil || os.Getenv("TERM") == "dumb" {
		return nil
	}
	started := time.Now()
	return func(text string) {
		if text == "" || time.Since(started) > progressDelay {
			fmt.Fprintf(f, "\r\x1b[K%s", text)
		}
	}
}

// progress returns a function that shows the progress of the judge. It returns
// nil if w is not a terminal.
func progress(w io.Writer) func(done, total int) {
	line := terminalLine(w)
	if line == nil {
		return nil
	}
	started := time.Now()
	return func(done, total int) {
		if done == total {
			line("")
			return
		}
		left := time.Duration(float64(time.Since(started)) / float64(max(done, 1)) * float64(total-done))
		line(fmt.Sprintf("%d of %d cases, about %v left", done, total, left.Round(time.Second)))
	}
}

// progressDelay is the time after which a run shows its progress.
const progressDelay = 300 * time.Millisecond

// choiceFlags are the flags that select vectors.
type choiceFlags struct{ Run, Skip []string }

// check returns an error if a pattern is invalid.
func (c *choiceFlags) check() error {
	for _, p := range append(slices.Clone(c.Run), c.Skip...) {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("pattern %q: %w", p, err)
		}
	}
	return nil
}

// checkMatch returns an error if none of the vectors is selected.
func (c *choiceFlags) checkMatch(vectors []*corpus.Vector) error {
	if slices.ContainsFunc(vectors, c.selects) {
		return nil
	}
	question := ""
	for _, p := range c.Run {
		if names := vectorNames(); question == "" && !slices.Contains(names, p) {
			question = didYouMean(p, names)
		}
	}
	return failed(fmt.Errorf("no vector matches --run and --skip%s", question))
}

// scope returns a structure or family, as [corpus.Of] takes it, to which all vectors
// belong that the flag --run selects; "" if there is none.
func (c *choiceFlags) scope() string {
	scope := ""
	for i, p := range c.Run {
		literal := len(p)
		if k := strings.IndexAny(p, `*?[\`); k >= 0 {
			literal = k
		}
		family, rest, isStructure := strings.Cut(strings.Replace(p[:literal], "/", ".", 1), ".")
		name, _, whole := strings.Cut(rest, "/")
		own := family
		switch {
		case !isStructure && literal < len(p):
			own = "" // the name of the family is not complete
		case isStructure && (whole || literal == len(p)):
			own = spec.StructureOf(family + "." + name)
		}
		switch {
		case i == 0:
			scope = own
		case spec.FamilyOf(scope) != spec.FamilyOf(own):
			return ""
		case scope != own:
			scope = spec.FamilyOf(own)
		}
	}
	return scope
}

// selects reports whether a vector is selected.
func (c *choiceFlags) selects(v *corpus.Vector) bool {
	return (len(c.Run) == 0 || matches(c.Run, v)) && !matches(c.Skip, v)
}

// matches reports whether a pattern matches the id of a vector, its folder, its
// type or its family.
func matches(patterns []string, v *corpus.Vector) bool {
	for _, p := range patterns {
		for _, s := range []string{v.ID, path.Dir(v.ID), v.Type, v.Family()} {
			if ok, _ := path.Match(p, s); ok {
				return true
			}
		}
	}
	return false
}

// serveRun is formatgauge serve.
type serveRun struct {
	profileFlags
}

func (r *serveRun) run(cmd *cobra.Command, _ []string) error {
	ref, err := r.reference(cmd)
	if err != nil {
		return err
	}
	_, err = untilInterrupted(cmd.Context(), func() (struct{}, error) {
		return struct{}{}, adapter.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), ref)
	})
	return err
}

// reference returns the reference under the chosen profile, or under any.
func (r *serveRun) reference(cmd *cobra.Command) (*adapter.Reference, error) {
	p, err := r.chosen(cmd)
	if err != nil || p == nil {
		return adapter.NewReference(), err
	}
	return adapter.NewReferenceUnder(*p), nil
}
