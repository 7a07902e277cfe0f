package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/check"
	"github.com/formatgauge/formatgauge/internal/outfile"
	"github.com/formatgauge/formatgauge/internal/printable"
)

func newCheck() *cobra.Command {
	var c checkRun
	cmd := &cobra.Command{
		Use:   "check [flags] PATH... [-- ADAPTER...]",
		Short: "Check that all files in folders are sound",
		Long: `Check walks through folders and says of every file what it is. Keyed archives and
packages are read and written again. Of files of Myst IV only the first bytes are
read. Of scenes and other files of DAVA the archives inside are read. There is one
line per file, with one of these outcomes:
  sound        read, and written back as the same bytes
  partial      so is the part that is read
  invalid      begins like one of the formats, and is rejected
  rewritten    read, and written back as other bytes
  differs      the adapter gives another answer than the reference
  unsupported  a file of the same engines that is not read: split, compressed,
               encrypted, or of another version
  foreign      something else
  unknown      nothing is known of it
  skipped      a pipe, a socket, a device, a link to a folder or to nothing
  unreadable   the file or folder cannot be read, or is longer than --max-input

With an adapter, its value of each file that is read is compared with that of the
reference (A), under the profile that the adapter (B) declares. So are the bytes
that it writes.

--baseline FILE takes one PATH, and compares path, size, SHA-256 and outcome with
those in FILE. Then only what has changed is a failure: files that are new, gone or
changed. --accept writes FILE. docs/check.md describes the forms.

The exit code is 1 if a file is invalid, rewritten or differs; with --baseline, if
something has changed. Otherwise it is 2 if a file is unreadable; with --baseline,
0 as long as it was unreadable before.`,
		Example: `  formatgauge check saves/
  formatgauge check --json Maps/ System/ > results.jsonl
  formatgauge check --baseline baseline.jsonl --accept assets/
  formatgauge check --baseline baseline.jsonl assets/
  formatgauge check assets/ -- ./my-adapter`,
		Args: cobra.ArbitraryArgs,
		RunE: c.run,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	c.dialect.registerProfile(cmd)
	c.process.register(cmd)
	inputFlag(cmd)
	f := cmd.Flags()
	f.Lookup("max-input").Usage = "do not read files of more than `SIZE` bytes, such as 64K, 512M or 2G"
	f.IntVar(&c.jobs, "jobs", 0, "check `N` files in parallel; 0 for the number of processors, or for 1 with an adapter")
	f.StringVar(&c.baseline, "baseline", "", "compare with the results in `FILE`; only changes are failures")
	f.BoolVar(&c.accept, "accept", false, "write the results to the file of --baseline")
	f.BoolVar(&c.json, "json", false, "print JSON Lines")
	f.BoolVar(&c.schema, "schema", false, "print the JSON Schema of these lines")
	return cmd
}

// checkRun is one run of formatgauge check: its flags.
type checkRun struct {
	dialect  dialectFlags
	process  processFlags
	jobs     int
	baseline string
	accept   bool
	json     bool
	schema   bool

	progress func(string) // nil if there is no terminal
	shown    time.Time    // when progress was shown
	reader   string       // name and version of the adapter; empty without one
	summary  *check.Summary
	out      io.Writer
	kept     *os.File // the new baseline; nil if none is written
}

func (c *checkRun) run(cmd *cobra.Command, args []string) error {
	if c.schema {
		return writeSchema(cmd, args, "", check.Schema)
	}
	var command []string
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		args, command = args[:dash], args[dash:]
	}
	roots, err := c.roots(args)
	if err != nil {
		return err
	}
	opts, err := c.options(cmd, command)
	if err != nil {
		return err
	}
	if opts.Reader != nil {
		defer opts.Reader.Close()
	}
	var old *check.Baseline
	switch {
	case c.accept:
		if c.kept, err = os.CreateTemp("", "formatgauge-"); err != nil {
			return failed(err)
		}
		defer os.Remove(c.kept.Name())
		defer c.kept.Close()
	case c.baseline != "":
		f, err := os.Open(c.baseline)
		if err != nil {
			return failed(err)
		}
		defer f.Close()
		if old, err = check.NewBaseline(f); err != nil {
			return failed(fmt.Errorf("--baseline: %s: %w", c.baseline, err))
		}
	}
	c.out, c.summary = cmd.OutOrStdout(), check.NewSummary(old != nil)
	if w, ok := c.out.(*checkedWriter); !ok || terminalLine(w.Writer) == nil { // else the lines show the progress
		c.progress = terminalLine(cmd.ErrOrStderr())
	}
	if err := c.write(check.NewHeader(opts.Profile.String(), c.reader), ""); err != nil {
		return failed(err)
	}
	return c.result(cmd.Context(), roots, opts, old)
}

// roots checks the arguments and --baseline.
func (c *checkRun) roots(args []string) ([]check.Root, error) {
	switch {
	case len(args) == 0:
		return nil, errors.New("expected a file or folder: formatgauge check assets/")
	case c.jobs < 0:
		return nil, fmt.Errorf("--jobs: expected a number from 0, found %d", c.jobs)
	case c.accept && c.baseline == "":
		return nil, errors.New("--accept: expected --baseline FILE, which it writes")
	case c.baseline != "" && len(args) > 1:
		return nil, fmt.Errorf("--baseline: expected one PATH, to which its paths are relative, found %d", len(args))
	}
	var out []check.Root
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, failed(err)
		}
		name := filepath.ToSlash(filepath.Clean(arg))
		if name == "." || c.baseline != "" {
			name = ""
		}
		if !info.IsDir() {
			name = cmp.Or(name, filepath.Base(arg))
		}
		out = append(out, check.Root{Path: arg, Name: name})
	}
	if c.accept {
		return out, outfile.Check(c.baseline)
	}
	return out, nil
}

// options returns the options, and starts the adapter.
func (c *checkRun) options(cmd *cobra.Command, command []string) (opts check.Options, err error) {
	opts = check.Options{Hash: c.json || c.baseline != "", Jobs: c.jobs, Reference: adapter.NewReference()}
	if opts.MaxInput, err = parseSize("--max-input", cmd.Flag("max-input").Value.String()); err != nil {
		return opts, err
	}
	if opts.Profile, err = c.dialect.parse(); err != nil {
		return opts, err
	}
	opts.Except, _ = os.Stat(c.baseline) // if it exists
	if len(command) == 0 {
		opts.Jobs = cmp.Or(c.jobs, runtime.NumCPU())
		return opts, nil
	}
	if f := cmd.Flags(); f.Changed("profile") || f.Changed("flag") {
		opts.Reference = adapter.NewReferenceUnder(opts.Profile)
	}
	if opts.Reader, err = c.process.start(cmd, command); err != nil {
		return opts, err
	}
	h, err := opts.Reader.Hello(cmd.Context())
	if err != nil {
		opts.Reader.Close()
		return opts, failed(fmt.Errorf("no valid answer to hello: %w", err))
	}
	c.reader = strings.Join(strings.Fields(h.Name+" "+h.Version), " ")
	return opts, nil
}

// result checks the files, and prints and keeps the results.
func (c *checkRun) result(ctx context.Context, roots []check.Root, opts check.Options, old *check.Baseline) error {
	each := c.file
	if old != nil {
		each = func(f check.File) error { return old.Compare(&f, c.file) }
	}
	err := check.Run(ctx, roots, opts, each)
	if err == nil && old != nil {
		err = old.Compare(nil, c.file)
	}
	if c.progress != nil {
		c.progress("")
	}
	if err != nil {
		return failed(err)
	}
	if err := c.write(c.summary, c.summaryText()); err != nil {
		return failed(err)
	}
	if c.kept != nil {
		return failed(outfile.Stream(c.baseline, func(w io.Writer) error {
			_, err := c.kept.Seek(0, io.SeekStart)
			if err == nil {
				_, err = io.Copy(w, c.kept)
			}
			return err
		}))
	}
	if !c.summary.Passed {
		return errFailed
	}
	if n := c.summary.Counts[check.Unreadable]; n > 0 && old == nil {
		return failed(fmt.Errorf("unreadable: %d", n))
	}
	return nil
}

// file prints and keeps a result.
func (c *checkRun) file(f check.File) error {
	c.summary.Add(f)
	if c.kept != nil {
		if err := writeLine(c.kept, check.Recorded(f)); err != nil {
			return err
		}
	}
	if c.progress != nil && time.Since(c.shown) > progressDelay {
		c.shown = time.Now()
		c.progress(fmt.Sprintf("%d files", c.summary.Files))
	}
	return c.write(f, c.fileText(&f))
}

func (c *checkRun) fileText(f *check.File) string {
	text := f.What
	if f.Detail != "" {
		text = strings.TrimPrefix(text+": "+f.Detail, ": ")
	}
	if c.reader != "" && f.Type != "" && !f.Compared {
		text += "; not compared"
	}
	switch f.Change {
	case check.Gone:
		text = "gone; it was " + string(f.Outcome)
	case check.New:
		text = "new; " + text
	case check.Changed:
		text = fmt.Sprintf("changed; it was %s; %s", f.Was, text)
	}
	st := styleOf(c.out).Guarded()
	outcome := fmt.Sprintf("%-11s", f.Outcome)
	switch {
	case f.Change != "", c.summary.Changes == nil && f.Outcome.Failed():
		outcome = st.Bad(outcome)
	case f.Outcome == check.Sound || f.Outcome == check.Partial:
		outcome = st.Good(outcome)
	}
	return st.Printable(fmt.Sprintf("%s  %s: %s\n", outcome, printable.Quoted(f.Path), strings.ReplaceAll(text, "\n", " ")))
}

func (c *checkRun) summaryText() string {
	var parts []string
	for _, o := range check.Outcomes() {
		if n := c.summary.Counts[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	text := strings.TrimSuffix(count(c.summary.Files, "file")+": "+strings.Join(parts, ", "), ": ")
	if s := c.summary.Changes; s != nil {
		text += fmt.Sprintf("; %d new, %d gone, %d changed", s[check.New], s[check.Gone], s[check.Changed])
	}
	if c.reader != "" {
		text += "\nA: the reference; B: " + c.reader
	}
	return "\n" + printable.Text(text) + "\n"
}

// write prints v as a line of JSON, or text. The header is also the first line of a
// baseline.
func (c *checkRun) write(v any, text string) error {
	if _, ok := v.(check.Header); ok && c.kept != nil {
		if err := writeLine(c.kept, v); err != nil {
			return err
		}
	}
	if c.json {
		return writeLine(c.out, v)
	}
	_, err := io.WriteString(c.out, text)
	return err
}

func writeLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = io.WriteString(w, printable.Text(string(b))+"\n")
	}
	return err
}
