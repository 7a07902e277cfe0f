package main

import (
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
	"golang.org/x/term"

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

func newTest() *cobra.Command {
	var t testRun
	cmd := &cobra.Command{
		Use:   "test [flags] [-- ADAPTER...]",
		Short: "Judge an implementation on the corpus",
		Long: `Test judges an adapter: a command that answers requests in JSON Lines on its
standard streams (conformance/PROTOCOL.md). Without a command it judges the
built-in reference. An adapter is judged under the profile that it declares, with
the sides of --flag added. The reference, and an adapter that declares anyProfile,
are judged by all vectors under documented and under observed. The vectors that list
a flag also judge them under observed with each other side of the flag.

A result is acceptable, and no failure, for one of these reasons:
  choice       only a choice of this reference demands the expected answer; the
               report names the choice and its reason
  limit        the input is accepted, where a reader may reject it because of a limit
  unsupported  the input is accepted, where a reader may reject it as unsupported
With --fail-acceptable these are failures. The built-in reference is always judged with
--fail-acceptable: it has to follow its own choices.

A skipped case is no failure. The last line of the report names the types that hello
lists and of which cases were skipped. With --no-skips, such a case makes the exit
code 1. With --min-passed N, fewer than N passed vectors do. Use both in CI, where a
skip is easily overlooked. For --no-skips, types and operations that hello does not
list, and types that it lists in skips, do not count.

The judge derives further cases from each accepting vector: every truncation,
one trailing byte, greater and smaller lengths, the other byte order. The report
counts them separately.

--oneshot judges a command without the protocol. The command runs once per case.
It reads the bytes from standard input, writes the tree as JSON to standard
output, and exits with 0 (accepted), 1 (rejected) or 77 (it does not support the
type). The first word on standard error may be the class.

--view names a view (formatgauge list views): parts that the values of the adapter do
not contain, and that the judge does not compare. hello can declare views as well.

--corpus DIR judges by the vectors of DIR (FAMILY/Structure/name.txtar), and
--with-corpus DIR by these in addition to the others. An id must not exist twice.
If the form of a vector has a fault, nothing is judged (formatgauge corpus lint
DIR). The report gives the hash of all these vectors together, which formatgauge
corpus hash prints for one folder that contains them.

--edition PATH judges by an older edition, which formatgauge corpus export wrote: by its
vectors, and by its records, which say who demands a verdict.

--known names a file of expected failures, one per line:
  ID-or-pattern  class  # reason
such as
  upkg/Name/254-bytes-one-byte-length  class  # no limit of 254 bytes
All cases that a pattern matches have to fail. If the failures are exactly those in the
file, the exit code is 0, although the implementation does not conform. --accept writes
the file, or updates it and keeps the reasons.`,
		Example: `  formatgauge test
  formatgauge test -- python3 examples/adapters/python/minimal.py
  formatgauge test --report jsonl=results.jsonl --report html=results.html -- ./my-adapter
  formatgauge test --run 'upkg/*' --profile observed,upkg.ci-minus-zero=strict -- ./my-adapter
  formatgauge test --with-corpus my-vectors/ -- ./my-adapter
  formatgauge test --known known-failures.txt --accept -- ./my-adapter
  formatgauge test --run upkg.CompactIndex --oneshot './my-tool decode {type}'`,
		Args: cobra.ArbitraryArgs,
		RunE: t.run,
	}
	t.addFlags(cmd)
	return cmd
}

func (t *testRun) addFlags(cmd *cobra.Command) {
	t.reports.register(cmd)
	t.register(cmd, "judge")
	t.vectors.register(cmd)
	f := cmd.Flags()
	f.StringVar(&t.d.profile, "profile", "", "judge under `PROFILE` instead of the declared one")
	f.StringArrayVar(&t.d.sides, "flag", nil, "judge by `FLAG=SIDE` in addition to the profile (repeatable)")
	f.BoolVar(&t.opts.FailAcceptable, "fail-acceptable", false, "count acceptable answers as failures")
	f.DurationVar(&t.maxTime, "max-time", 0,
		"end the run after `TIME`, such as 10m, with the results so far and exit code 2; 0 for no limit")
	f.IntVar(&t.minPassed, "min-passed", 0,
		"fail if fewer than `N` vectors passed; each profile counts, derived cases do not")
	f.BoolVar(&t.noSkips, "no-skips", false, "fail if cases of types that hello lists, or operations of them, were skipped")
	f.BoolVar(&t.opts.NoDerived, "no-derived", false, "omit the derived cases")
	f.IntVar(&t.opts.Jobs, "jobs", 0,
		"run `N` adapters in parallel (default: 1, and 4 after a timeout; with the built-in reference or --oneshot the "+
			"number of processors)")
	f.StringVar(&t.known, "known", "", "`FILE` of known failures")
	f.BoolVar(&t.accept, "accept", false, "update the file of known failures so that it is exact")
	completeProfile(cmd)
	jsonFlag(cmd, report.ResultsSchema)
}

// testRun is one run of formatgauge test: its flags.
type testRun struct {
	judgeFlags
	reports   reportFlags
	vectors   vectorFlags
	maxTime   time.Duration
	minPassed int
	noSkips   bool
	known     string
	accept    bool
}

func (t *testRun) run(cmd *cobra.Command, args []string) error {
	// The reference has to follow its own choices.
	t.opts.FailAcceptable = t.opts.FailAcceptable || len(args) == 0 && t.oneshot == ""
	opts, err := t.allOptions(cmd)
	if err != nil {
		return err
	}
	targets, err := t.reports.parse(asJSON(cmd))
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
		v, identity, err = t.vectors.load(cmd, t.scope())
		return v, err
	})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(vectors, t.choice.selects) {
		return failed(t.choice.noMatch("--run and --skip"))
	}
	opts.Progress = progress(cmd.ErrOrStderr())
	ctx := cmd.Context()
	if t.maxTime > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, t.maxTime)
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
	run, reportErr := report.NewRun(r, err != nil)
	if reportErr != nil {
		return failed(reportErr)
	}
	run.Corpus = identity
	if err := writeReports(cmd, targets, run); err != nil {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return failed(fmt.Errorf("--max-time: ended after %v with %d of %d results", t.maxTime, len(r.Results), r.Planned))
	}
	if errors.Is(err, context.Canceled) {
		return failed(fmt.Errorf("interrupted after %d of %d results", len(r.Results), r.Planned))
	}
	if one, ok := impl.(*adapter.Oneshot); ok && one.RejectsWithoutClass() > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "formatgauge: %d rejections had no class on standard error: their class was not judged\n", one.RejectsWithoutClass())
	}
	incomplete := t.checkComplete(cmd.ErrOrStderr(), r)
	if t.accept {
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
	corpus  string
	edition string
	with    []string
}

func (f *vectorFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.corpus, "corpus", "", "judge by the vectors of `DIR` instead of the embedded ones")
	cmd.Flags().StringArrayVar(&f.with, "with-corpus", nil,
		"judge by the vectors of `DIR` in addition to the others (repeatable)")
	cmd.Flags().StringVar(&f.edition, "edition", "",
		"judge by the vectors and records of the edition in `PATH`, a folder or a ZIP file")
	cmd.MarkFlagsMutuallyExclusive("corpus", "edition")
	_ = cmd.MarkFlagDirname("corpus")
	_ = cmd.MarkFlagDirname("with-corpus")
}

// load returns the vectors, and their identity for reports. Of the embedded ones it
// returns those in a scope: see [corpus.Of].
func (f *vectorFlags) load(cmd *cobra.Command, scope string) ([]*corpus.Vector, report.Corpus, error) {
	dirs := f.with
	parts := []fs.FS{corpus.FS()}
	var edition export.Edition
	if f.edition != "" {
		e, err := readBounded(cmd, f.edition, func(limit int64) (*export.Edition, error) {
			return export.Open(f.edition, limit)
		})
		if err == nil && e.Vectors == nil {
			err = fmt.Errorf("%s contains only data: expected an edition that corpus export wrote", f.edition)
		}
		if err == nil {
			err = spec.Replace(e.Records)
		}
		if err != nil {
			return nil, report.Corpus{}, failed(err)
		}
		edition, parts = *e, []fs.FS{e.Vectors}
	}
	if f.corpus != "" {
		dirs, parts = append([]string{f.corpus}, dirs...), nil
	}
	if len(dirs) == 0 && f.edition == "" {
		vectors, err := corpus.Of(scope)
		if err != nil {
			return nil, report.Corpus{}, failed(err)
		}
		identity, err := report.Embedded()
		return vectors, identity, failed(err)
	}
	for _, dir := range dirs {
		files, err := folder(dir)
		if err != nil {
			return nil, report.Corpus{}, err
		}
		_, findings, err := loadForm(files)
		if err == nil && len(findings) > 0 {
			err = fmt.Errorf("%v (%s: see formatgauge corpus lint %s)", findings[0], count(len(findings), "finding"), dir)
		}
		if err != nil {
			return nil, report.Corpus{}, failed(fmt.Errorf("%s: %w", dir, err))
		}
		parts = append(parts, files)
	}
	all := corpus.Join(parts...)
	vectors, err := corpus.Load(all)
	if err != nil {
		return nil, report.Corpus{}, failed(err)
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
	if passed := counts.Own[judge.Pass]; passed < t.minPassed {
		fmt.Fprintf(w, "formatgauge: --min-passed: expected at least %d passed, found %d\n", t.minPassed, passed)
		err = errFailed
	}
	if types, ops, cases := r.SkippedListed(); t.noSkips && cases > 0 {
		fmt.Fprintf(w, "formatgauge: --no-skips: the adapter skipped %s%s of listed types: %s\n", count(cases, "case"),
			report.OnlyOps(ops), strings.Join(types, ", "))
		err = errFailed
	}
	return err
}

// scope returns what part of the embedded corpus a run needs. A list of known failures
// is compared with all vectors.
func (t *testRun) scope() string {
	if t.known != "" {
		return ""
	}
	return t.choice.scope()
}

func (t *testRun) allOptions(cmd *cobra.Command) (judge.Options, error) {
	opts, err := t.options(cmd)
	if err != nil {
		return opts, err
	}
	if t.maxTime < 0 {
		return opts, fmt.Errorf("--max-time: expected 0 or greater, found %v", t.maxTime)
	}
	if t.minPassed < 0 {
		return opts, fmt.Errorf("--min-passed: expected 0 or greater, found %d", t.minPassed)
	}
	if opts.Jobs < 0 {
		return opts, fmt.Errorf("--jobs: expected 0 or greater, found %d", opts.Jobs)
	}
	if t.accept && t.known == "" {
		return opts, errors.New("--accept requires --known")
	}
	if t.accept {
		if info, err := os.Stat(t.known); err == nil && !info.Mode().IsRegular() {
			return opts, fmt.Errorf("--accept: %s is not a regular file", t.known)
		}
		if err := outfile.Check(t.known); err != nil {
			return opts, fmt.Errorf("--accept: %w", err)
		}
	}
	if t.known != "" {
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
					"new file", t.known, count(n, "more line")))
			}
			return opts, failed(fmt.Errorf("%s: %s", t.known, strings.Join(lines, "\n")))
		}
	}
	return opts, nil
}

// readKnown reads the file of known failures. For --accept, a missing file is an
// empty list.
func (t *testRun) readKnown(cmd *cobra.Command) (string, error) {
	text, err := readFile(cmd, t.known)
	if t.accept && errors.Is(err, fs.ErrNotExist) {
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
		return failed(fmt.Errorf("%s has changed during the run and was not updated: run the command again", t.known))
	}
	if err := outfile.Write(t.known, []byte(list.String())); err != nil {
		return failed(err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "formatgauge: %s now lists the failures: %d entries (before: %d)\n", t.known, len(list.Entries()),
		len(old.Entries()))
	return nil
}

// judgeFlags are the flags of commands that judge by chosen vectors.
type judgeFlags struct {
	d       dialectFlags
	process processFlags
	choice  choiceFlags
	oneshot string
	opts    judge.Options
}

func (f *judgeFlags) register(cmd *cobra.Command, verb string) {
	f.process.register(cmd)
	f.choice.register(cmd, verb)
	cmd.Flags().StringVar(&f.oneshot, "oneshot", "",
		"`COMMAND` to run once per case; {type}, {profile} and {context} in it are replaced")
}

// options returns the vectors and the profile that the flags choose.
func (f *judgeFlags) options(cmd *cobra.Command) (judge.Options, error) {
	f.opts.Filter, f.opts.Sides = f.choice.selects, f.d.sides
	if err := f.choice.check(); err != nil {
		return f.opts, err
	}
	p, err := f.d.parse()
	if cmd.Flags().Changed("profile") {
		f.opts.Profile = &p
	}
	return f.opts, err
}

// start starts an adapter, or the command of --oneshot per case.
func (f *judgeFlags) start(cmd *cobra.Command, args []string) (adapter.Implementation, error) {
	if err := checkDash(cmd, args); err != nil {
		return nil, err
	}
	switch {
	case len(args) > 0 && f.oneshot != "":
		return nil, errors.New("--oneshot cannot be combined with an adapter's command")
	case f.oneshot == "":
		return f.process.start(cmd, args)
	}
	opts, err := f.process.options(cmd)
	if err != nil {
		return nil, err
	}
	profile, _ := f.d.parse() // options has
	startsAdapter(cmd)
	impl, err := adapter.NewOneshot(f.oneshot, profile.String(), opts)
	if err != nil {
		return nil, cannotStart(f.oneshot, err)
	}
	return impl, nil
}

// processFlags are the flags for the process of an adapter.
type processFlags struct {
	timeout time.Duration
	memory  string
	views   []string
}

func (p *processFlags) register(cmd *cobra.Command) {
	p.registerViews(cmd)
	cmd.Flags().StringVar(&p.memory, "memory", "",
		"limit the memory of the adapter to `SIZE`, such as 512M or 2G (Linux only)")
}

// registerViews registers all flags but --memory.
func (p *processFlags) registerViews(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&p.timeout, timeoutFlag, 0, timeoutUsage)
	cmd.Flags().StringArrayVar(&p.views, "view", nil,
		"do not compare what `VIEW` says is not kept, in addition to the declared views (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("view", completeViews)
}

const (
	timeoutFlag  = "timeout" // of each command that runs adapters, and of no other
	timeoutUsage = "time limit of the adapter for one answer; 0 for 10s until the first timeout, then less"
)

func (p *processFlags) options(cmd *cobra.Command) (adapter.Options, error) {
	memory, err := parseSize("--memory", p.memory, leastMemory)
	for _, v := range p.views {
		if err == nil {
			err = oneOf("--view", v, spec.ViewIDs()...)
		}
	}
	if p.timeout < 0 {
		err = fmt.Errorf("--timeout: expected 0 or greater, found %v", p.timeout)
	}
	return adapter.Options{Timeout: p.timeout, Memory: memory, Views: p.views, Stderr: cmd.ErrOrStderr()}, err
}

// start starts an adapter, or the built-in reference if command is empty.
func (p *processFlags) start(cmd *cobra.Command, command []string) (adapter.Implementation, error) {
	opts, err := p.options(cmd)
	if err != nil {
		return nil, err
	}
	if len(command) == 0 {
		return adapter.NewReference().WithViews(p.views), nil
	}
	startsAdapter(cmd)
	impl, err := adapter.NewChild(command, opts)
	if err != nil {
		return nil, cannotStart(strings.Join(command, " "), err)
	}
	return impl, nil
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
			count(int(n), "byte"))
	}
	return n, nil
}

// terminalLine returns a function that replaces the current line of a terminal
// with text, but not before progressDelay; "" clears the line. It returns nil if
// w is not a terminal.
func terminalLine(w io.Writer) func(text string) {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
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
type choiceFlags struct{ run, skip []string }

func (c *choiceFlags) register(cmd *cobra.Command, verb string) {
	cmd.Flags().StringArrayVar(&c.run, "run", nil, verb+
		" only vectors whose id, type or family matches `PATTERN`, such as 'upkg/*/*' or 'upkg.*' (repeatable)")
	cmd.Flags().StringArrayVar(&c.skip, "skip", nil,
		"omit vectors whose id, type or family matches `PATTERN` (repeatable)")
	completeChoice(cmd, "run", "skip")
}

// check returns an error if a pattern is invalid.
func (c *choiceFlags) check() error {
	for _, p := range append(slices.Clone(c.run), c.skip...) {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("pattern %q: %w", p, err)
		}
	}
	return nil
}

// noMatch returns the error for flags that select no vector.
func (c *choiceFlags) noMatch(flags string) error {
	question := ""
	for _, p := range c.run {
		if names := vectorNames(); question == "" && !slices.Contains(names, p) {
			question = didYouMean(p, names)
		}
	}
	return fmt.Errorf("no vector matches %s%s", flags, question)
}

// scope returns a structure or family, as [corpus.Of] takes it, to which all vectors
// belong that the flag --run selects; "" if there is none.
func (c *choiceFlags) scope() string {
	scope := ""
	for i, p := range c.run {
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
	return (len(c.run) == 0 || matches(c.run, v)) && !matches(c.skip, v)
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

func newServe() *cobra.Command {
	var d dialectFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the built-in reference as an adapter",
		Long: `Serve runs the built-in reference as an adapter. It reads requests from standard
input and writes answers to standard output, one line of JSON each, until the
input ends. Use it to compare implementations with the reference and to try
requests by hand.

Serve follows the profile of each request. With --profile or --flag it follows
only that profile and declares it, as most implementations do.`,
		Example: `  echo '{"id":1,"op":"decode","type":"upkg.CompactIndex","hex":"4001"}' | formatgauge serve
  formatgauge test -- formatgauge serve --profile documented`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ref := adapter.NewReference()
			p, err := d.chosen(cmd)
			if err != nil {
				return err
			}
			if p != nil {
				ref = adapter.NewReferenceUnder(*p)
			}
			_, err = untilInterrupted(cmd.Context(), func() (struct{}, error) {
				return struct{}{}, adapter.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), ref)
			})
			return err
		},
	}
	d.registerProfile(cmd)
	return cmd
}
