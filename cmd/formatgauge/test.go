package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func newTest() *cobra.Command {
	var t testRun
	cmd := &cobra.Command{
		Use:   "test [flags] [-- ADAPTER...]",
		Short: "Judge an implementation on the corpus",
		Long: `Test judges an adapter: a command that answers requests in JSON Lines on its
standard streams (conformance/PROTOCOL.md). Without one it judges the built-in
reference, under both profiles. An adapter is judged under the profile that it
declares, and by the sides that --flag adds to it.

From each vector that is accepted further cases follow: every cut, a byte
behind, lengths raised and lowered, the other byte order. They are counted
apart.

--oneshot judges a command without the protocol: it is run once for each case,
reads bytes from standard input, writes the tree as JSON to standard output,
and ends with 0 (accepted) or 1 (rejected; the first word on standard error may
be the class).

--known names a list of failures that are expected, ID-or-pattern  class
# reason on each line. It has to be exact: then the exit code is 0, although
the implementation does not conform.`,
		Example: `  formatgauge test
  formatgauge test -- python3 examples/adapters/python/minimal.py
  formatgauge test --report jsonl=results.jsonl --report html=results.html -- ./my-adapter
  formatgauge test --run 'upkg/*' --profile observed,upkg.ci-minus-zero=strict -- ./my-adapter
  formatgauge test --known known-failures.txt --accept -- ./my-adapter
  formatgauge test --run upkg.CompactIndex --oneshot './my-tool decode {type}'`,
		Args: cobra.ArbitraryArgs,
		RunE: t.run,
	}
	t.reports.register(cmd)
	t.process.register(cmd)
	t.choice.register(cmd, "judge")
	f := cmd.Flags()
	f.StringVar(&t.d.profile, "profile", "", "judge under this profile instead of the declared one")
	f.StringArrayVar(&t.d.sides, "flag", nil, "flag=side to judge by, beside the profile (repeatable)")
	f.StringVar(&t.shard, "shard", "", "judge only part i of n of the vectors, as i/n")
	f.BoolVar(&t.noDerived, "no-derived", false, "leave out the cases that follow from vectors")
	f.IntVar(&t.jobs, "jobs", 0, "adapters to run side by side (1 if left out; as many as there are processors for the built-in reference and --oneshot)")
	f.StringVar(&t.oneshot, "oneshot", "", oneshotUsage)
	f.StringVar(&t.known, "known", "", "file that lists the failures that are known")
	f.BoolVar(&t.accept, "accept", false, "write the file of known failures anew so that it is exact")
	_ = cmd.RegisterFlagCompletionFunc("flag", completeSides)
	_ = cmd.RegisterFlagCompletionFunc("profile", cobra.FixedCompletions([]string{ids.SideDocumented, ids.SideObserved}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// testRun is what formatgauge test is asked to do.
type testRun struct {
	d         dialectFlags
	reports   reportFlags
	process   processFlags
	choice    choiceFlags
	shard     string
	noDerived bool
	jobs      int
	oneshot   string
	known     string
	accept    bool
}

func (t *testRun) run(cmd *cobra.Command, args []string) error {
	opts, err := t.options(cmd)
	if err != nil {
		return err
	}
	targets, err := t.reports.parse()
	if err != nil {
		return err
	}
	impl, err := t.implementation(cmd, args, &opts)
	if err != nil {
		return err
	}
	defer impl.Close()
	vectors, err := corpus.All()
	if err != nil {
		return failed(err)
	}
	opts.Progress = progress(cmd.ErrOrStderr())
	r, err := judge.Run(cmd.Context(), impl, vectors, opts)
	if r == nil {
		return failed(err)
	}
	if err := writeReports(cmd, targets, r, err != nil); err != nil {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return failed(fmt.Errorf("interrupted after %d of %d results", len(r.Results), r.Planned))
	}
	if one, ok := impl.(*adapter.Oneshot); ok && one.Unclassed() > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "formatgauge: %d rejects came without a class on standard error: of these only the refusal was judged\n", one.Unclassed())
	}
	if t.accept {
		return t.rewrite(cmd, opts.Known, r)
	}
	if !r.Conformant() && (opts.Known == nil || !r.AsKnown()) || len(r.Mismatches) > 0 {
		return errFailed
	}
	return nil
}

func (t *testRun) options(cmd *cobra.Command) (judge.Options, error) {
	opts := judge.Options{NoDerived: t.noDerived, Jobs: t.jobs, Sides: t.d.sides}
	if err := t.choice.check(); err != nil {
		return opts, err
	}
	part, parts, err := parseShard(t.shard)
	if err != nil {
		return opts, err
	}
	opts.Filter = func(v *corpus.Vector) bool {
		return t.choice.takes(v) && judge.InShard(v.ID, part, parts)
	}
	if t.jobs < 0 {
		return opts, fmt.Errorf("%d adapters cannot run side by side", t.jobs)
	}
	if _, err := ids.Observed().WithSides(t.d.sides); err != nil {
		return opts, err
	}
	if cmd.Flags().Changed("profile") {
		p, err := ids.ParseProfile(t.d.profile)
		if err != nil {
			return opts, err
		}
		opts.Profile = &p
	}
	if t.accept && t.known == "" {
		return opts, errors.New("--accept writes the file that --known names")
	}
	if t.known != "" {
		opts.Known, err = readKnown(t.known, t.accept)
	}
	return opts, err
}

// readKnown reads a list of known failures. One that is about to be written
// need not be there yet.
func readKnown(name string, mayMiss bool) (*judge.Known, error) {
	text, err := os.ReadFile(name)
	if err != nil && (!mayMiss || !errors.Is(err, fs.ErrNotExist)) {
		return nil, failed(err)
	}
	k, err := judge.ParseKnown(string(text))
	if err != nil {
		return nil, failed(fmt.Errorf("%s: %w", name, err))
	}
	return k, nil
}

// rewrite makes the list of known failures exact.
func (t *testRun) rewrite(cmd *cobra.Command, old *judge.Known, r *judge.Report) error {
	list := old.Accept(r)
	if err := os.WriteFile(t.known, []byte(list.String()), 0o666); err != nil {
		return failed(err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "formatgauge: %s has %d entries, it had %d\n", t.known, len(list.Entries()), len(old.Entries()))
	return nil
}

func parseShard(s string) (part, parts int, err error) {
	if s == "" {
		return 1, 1, nil
	}
	i, n, ok := strings.Cut(s, "/")
	if ok {
		part, err = strconv.Atoi(i)
	}
	if ok && err == nil {
		parts, err = strconv.Atoi(n)
	}
	if !ok || err != nil || part < 1 || part > parts {
		return 0, 0, fmt.Errorf("--shard takes i/n with i from 1 to n, such as 1/4, not %q", s)
	}
	return part, parts, nil
}

// implementation runs what is to be judged.
func (t *testRun) implementation(cmd *cobra.Command, args []string, opts *judge.Options) (adapter.Implementation, error) {
	if opts.Jobs == 0 && len(args) == 0 {
		opts.Jobs = runtime.GOMAXPROCS(0)
	}
	profile, err := t.d.parse()
	if err != nil {
		return nil, err
	}
	return t.process.startEither(cmd, args, t.oneshot, profile)
}

const oneshotUsage = "a command to run once for each case, with {type}, {profile} and {context} in it"

// startEither runs an adapter, or a command for each case.
func (p *processFlags) startEither(cmd *cobra.Command, args []string, oneshot string, profile ids.Profile) (adapter.Implementation, error) {
	switch {
	case len(args) > 0 && cmd.ArgsLenAtDash() != 0:
		return nil, errors.New("the adapter's command stands behind --")
	case len(args) > 0 && oneshot != "":
		return nil, errors.New("--oneshot takes the place of an adapter")
	case oneshot == "":
		return p.start(cmd, args)
	}
	opts, err := p.options(cmd)
	if err != nil {
		return nil, err
	}
	impl, err := adapter.NewOneshot(oneshot, profile.String(), opts)
	if err != nil {
		return nil, err
	}
	return impl, nil
}

// processFlags say how an adapter is run.
type processFlags struct {
	timeout time.Duration
	memory  string
}

func (p *processFlags) register(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&p.timeout, "timeout", 0, "for one answer of the adapter (10s if left out)")
	cmd.Flags().StringVar(&p.memory, "memory", "", "that the adapter may use, such as 512M or 2G (Linux only)")
}

func (p *processFlags) options(cmd *cobra.Command) (adapter.Options, error) {
	memory, err := parseSize(p.memory)
	return adapter.Options{Timeout: p.timeout, Memory: memory, Stderr: cmd.ErrOrStderr()}, err
}

// start runs an adapter; without a command it is the built-in reference.
func (p *processFlags) start(cmd *cobra.Command, command []string) (adapter.Implementation, error) {
	opts, err := p.options(cmd)
	if err != nil {
		return nil, err
	}
	if len(command) == 0 {
		return adapter.NewReference(), nil
	}
	impl, err := adapter.NewChild(command, opts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	return impl, nil
}

// parseSize reads a number of bytes with an optional K, M or G.
func parseSize(s string) (int64, error) {
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
		return 0, fmt.Errorf("--memory takes a size such as 512M or 2G, not %q", s)
	}
	return n * unit, nil
}

// terminalLine shows a text on a terminal in place of the one before, once
// there has been something to wait for; "" makes room for what comes next.
// Elsewhere it is nil.
func terminalLine(w io.Writer) func(text string) {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	began := time.Now()
	return func(text string) {
		if text == "" || time.Since(began) > showAfter {
			fmt.Fprintf(f, "\r\x1b[K%s", text)
		}
	}
}

// progress shows on a terminal how far the judge is; elsewhere it is nil.
func progress(w io.Writer) func(done, total int) {
	line := terminalLine(w)
	if line == nil {
		return nil
	}
	return func(done, total int) {
		if done == total {
			line("")
			return
		}
		line(fmt.Sprintf("%d of %d cases", done, total))
	}
}

// showAfter is how long a run may take before it shows how far it is.
const showAfter = 300 * time.Millisecond

// choiceFlags choose vectors.
type choiceFlags struct{ only, without []string }

func (c *choiceFlags) register(cmd *cobra.Command, verb string) {
	cmd.Flags().StringArrayVar(&c.only, "run", nil, verb+" only vectors whose id or type matches, such as 'upkg/*/*' or 'upkg.*' (repeatable)")
	cmd.Flags().StringArrayVar(&c.without, "skip", nil, "leave out vectors whose id or type matches (repeatable)")
}

// check finds patterns that are none.
func (c *choiceFlags) check() error {
	for _, p := range append(slices.Clone(c.only), c.without...) {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("pattern %q: %w", p, err)
		}
	}
	return nil
}

func (c *choiceFlags) takes(v *corpus.Vector) bool {
	return (len(c.only) == 0 || matches(c.only, v)) && !matches(c.without, v)
}

// matches compares a vector's id, its folder and its type with patterns.
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

// implementation runs an adapter, or takes the built-in reference.
func implementation(cmd *cobra.Command, args []string, timeout time.Duration) (adapter.Implementation, error) {
	return (&processFlags{timeout: timeout}).start(cmd, args)
}

func newServe() *cobra.Command {
	var d dialectFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Be an adapter: the reference behind the protocol",
		Long: `Serve answers the judge's requests from standard input on standard output,
one line of JSON each, until the input ends. It is the built-in reference as
an adapter, to compare others with and to try requests by hand.

It follows the profile of each request. With --profile or --flag it follows one
alone and declares it, as most implementations do.`,
		Example: `  echo '{"id":1,"op":"decode","type":"upkg.CompactIndex","hex":"4001"}' | formatgauge serve
  formatgauge test -- formatgauge serve --profile documented`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ref := adapter.NewReference()
			if cmd.Flags().Changed("profile") || cmd.Flags().Changed("flag") {
				p, err := d.parse()
				if err != nil {
					return err
				}
				ref = adapter.NewReferenceUnder(p)
			}
			return failed(adapter.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), ref))
		},
	}
	d.registerProfile(cmd)
	return cmd
}
