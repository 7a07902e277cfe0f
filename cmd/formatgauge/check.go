package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/check"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/internal/outfile"
	"github.com/formatgauge/formatgauge/internal/printable"
)

// checkRun is formatgauge check, with what it prints and keeps.
type checkRun struct {
	profileFlags
	processFlags
	inputFlag
	jsonFlag
	Jobs     int
	Baseline string
	Accept   bool

	progress func(string)    // nil if there is no terminal
	shown    time.Time       // when progress was shown
	reader   string          // name and version of the adapter; empty without one
	out      io.Writer       // standard output
	kept     io.Writer       // the new baseline; nil if none is written
	old      *check.Baseline // nil if there is none
	summary  *check.Summary
}

func (c *checkRun) run(cmd *cobra.Command, args []string) error {
	var command []string
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		args, command = args[:dash], args[dash:]
	}
	roots, err := c.roots(args)
	if err != nil {
		return err
	}
	opts := check.Options{Hash: c.JSON || c.Baseline != "", Jobs: c.Jobs, Reference: adapter.NewReference()}
	if opts.MaxInput, err = parseSize("--max-input", c.MaxInput, 1); err != nil {
		return err
	}
	if opts.Profile, err = c.parse(); err != nil {
		return err
	}
	opts.Except, _ = os.Stat(c.Baseline) // if it exists
	if len(command) == 0 {
		opts.Jobs = cmp.Or(c.Jobs, runtime.NumCPU())
	} else {
		f := cmd.Flags()
		chosen := f.Changed("profile") || f.Changed("flag")
		if chosen {
			opts.Reference = adapter.NewReferenceUnder(opts.Profile)
		}
		if opts.Reader, err = c.start(cmd, command); err != nil {
			return err
		}
		defer opts.Reader.Close()
		h, err := opts.Reader.Hello(cmd.Context())
		if err != nil {
			return failed(fmt.Errorf("no valid answer to hello: %w", err))
		}
		if !chosen && !h.AnyProfile {
			if opts.Profile, err = h.DeclaredProfile(); err != nil {
				return failed(err)
			}
		}
		c.reader = strings.Join(strings.Fields(h.Name+" "+h.Version), " ")
	}
	if c.Baseline != "" && !c.Accept {
		// The parent has no --max-input, which is the bound of the files that are checked.
		text, err := readFile(cmd.Parent(), c.Baseline)
		if errors.Is(err, fs.ErrNotExist) {
			return failed(fmt.Errorf("--baseline: %s does not exist; --accept writes it", c.Baseline))
		} else if err != nil {
			return err
		}
		if c.old, err = check.NewBaseline(bytes.NewReader(text)); err != nil {
			return failed(fmt.Errorf("--baseline: %s: %w", c.Baseline, err))
		}
	}
	c.out, c.summary = cmd.OutOrStdout(), check.NewSummary()
	if terminalOf(c.out) == nil { // else the lines show the progress
		c.progress = terminalLine(cmd.ErrOrStderr())
	}
	if !c.Accept {
		return c.result(cmd.Context(), roots, opts)
	}
	// The folder of the baseline can be one that is checked: nothing is written to it before.
	kept, err := os.CreateTemp("", "formatgauge-")
	if err != nil {
		return failed(err)
	}
	defer os.Remove(kept.Name())
	defer kept.Close()
	c.kept = kept
	err = c.result(cmd.Context(), roots, opts)
	if _, seekErr := kept.Seek(0, io.SeekStart); err == nil || errors.Is(err, errFailed) {
		err = cmp.Or(seekErr, outfile.Stream(c.Baseline, func(w io.Writer) error {
			_, err := io.Copy(w, kept)
			return err
		}))
	}
	return failed(err)
}

// roots checks the arguments, --jobs and --baseline.
func (c *checkRun) roots(args []string) (out []check.Root, err error) {
	switch {
	case len(args) == 0:
		return nil, errors.New("expected a file or folder: formatgauge check assets/")
	case c.Jobs < 0:
		return nil, fmt.Errorf("--jobs: expected a number from 0, found %d", c.Jobs)
	case c.Accept && c.Baseline == "":
		return nil, errors.New("--accept: expected --baseline FILE, which it writes")
	case c.Baseline != "" && len(args) > 1:
		return nil, fmt.Errorf("--baseline: expected one PATH, to which its paths are relative, found %d", len(args))
	case c.Accept:
		err = outfile.Check(c.Baseline)
	}
	for _, arg := range args {
		info, statErr := os.Stat(arg)
		if statErr != nil {
			return nil, failed(statErr)
		}
		name := filepath.ToSlash(filepath.Clean(arg))
		switch {
		case info.IsDir() && (name == "." || c.Baseline != ""):
			name = ""
		case c.Baseline != "":
			name = filepath.Base(arg)
		}
		out = append(out, check.Root{Path: arg, Name: name})
	}
	return out, err
}

// result checks the files, and prints and keeps the results.
func (c *checkRun) result(ctx context.Context, roots []check.Root, opts check.Options) error {
	header := check.NewHeader(opts.Profile.String(), c.reader)
	if err := c.write(header, header, ""); err != nil {
		return failed(err)
	}
	each := c.file
	if c.old != nil {
		c.summary.Changes = map[check.Change]int{}
		each = func(f check.File) error { return c.old.Compare(&f, c.file) }
	}
	err := check.Run(ctx, roots, opts, each)
	if err == nil && c.old != nil {
		err = c.old.Compare(nil, c.file)
	}
	if c.progress != nil {
		c.progress("")
	}
	if err == nil {
		err = c.write(c.summary, nil, c.summaryText())
	}
	switch n := c.summary.Counts[check.Unreadable]; {
	case err != nil:
		return failed(err)
	case !c.summary.Passed:
		return errFailed
	case n > 0 && c.old == nil && c.kept == nil:
		return failed(fmt.Errorf("%s could not be read: see the lines unreadable", report.Plural(n, "path")))
	}
	return nil
}

// file prints and keeps a result.
func (c *checkRun) file(f check.File) error {
	c.summary.Add(f)
	if c.progress != nil && time.Since(c.shown) > progressDelay {
		c.shown = time.Now()
		c.progress(fmt.Sprintf("%d files", c.summary.Files))
	}
	return c.write(f, check.Recorded(f), c.fileText(&f))
}

func (c *checkRun) fileText(f *check.File) string {
	text := strings.TrimPrefix(f.What+": "+f.Detail, ": ")
	if c.reader != "" && f.Type != "" && !f.Compared {
		text = strings.TrimSuffix(text, ": ") + "; not compared"
	}
	word := string(f.Outcome)
	switch f.Change {
	case check.Gone:
		word, text = "gone", "it was "+word
	case check.New:
		word, text = "new", word+"; "+text
	case check.Changed:
		before := fmt.Sprintf("%s, it was %s", word, f.Was)
		if f.Was == f.Outcome {
			before = "other bytes, still " + word
		}
		word, text = "changed", before+"; "+text
	}
	st := styleOf(c.out).Guarded()
	outcome := fmt.Sprintf("%-12s", word)
	switch {
	case c.summary.Failed(*f):
		outcome = st.Bad(outcome)
	case f.Outcome == check.Sound || f.Outcome == check.Partial:
		outcome = st.Good(outcome)
	}
	text = strings.ReplaceAll(strings.TrimSuffix(text, ": "), "\n", " ")
	lines := fmt.Sprintf("%s  %s: %s\n", outcome, printable.Quoted(f.Path), text)
	for _, i := range f.Inconsistencies {
		lines += fmt.Sprintf("%14s%s\n", "", i)
	}
	return st.Printable(lines)
}

func (c *checkRun) summaryText() string {
	var parts []string
	for _, o := range check.Outcomes() {
		if n := c.summary.Counts[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	text := report.Plural(c.summary.Files, "file") + ": " + strings.Join(parts, ", ")
	if s := c.summary.Changes; s != nil {
		text += fmt.Sprintf("; %d new, %d gone, %d changed", s[check.New], s[check.Gone], s[check.Changed])
	}
	if c.reader != "" {
		text += "\nA: the reference; B: " + c.reader
	}
	return "\n" + printable.Text(text) + "\n"
}

// write prints v as a line of JSON, or text, and keeps kept in the new baseline.
func (c *checkRun) write(v, kept any, text string) (err error) {
	if c.kept != nil && kept != nil {
		err = writeLine(c.kept, kept)
	}
	if c.JSON {
		return cmp.Or(err, writeLine(c.out, v))
	}
	_, printed := io.WriteString(c.out, text)
	return cmp.Or(err, printed)
}

func writeLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = io.WriteString(w, printable.Text(string(b))+"\n")
	}
	return err
}
