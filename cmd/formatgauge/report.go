package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/internal/infile"
	"github.com/formatgauge/formatgauge/internal/outfile"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// reportFlags are the flags that select reports and their files.
type reportFlags struct {
	specs []string
}

func (f *reportFlags) register(cmd *cobra.Command) {
	names, _ := report.Formats()
	cmd.Flags().StringArrayVar(&f.specs, "report", nil,
		"write a report as `FORMAT=FILE` (repeatable); formats: "+strings.Join(names, ", ")+
			"; FILE - is standard output, for text the default; --json prints jsonl")
	_ = cmd.RegisterFlagCompletionFunc("report",
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			out := make([]string, len(names))
			for i, n := range names {
				out[i] = n + "="
			}
			return out, cobra.ShellCompDirectiveNoSpace
		})
}

// A target is one report to write.
type target struct{ format, file string }

// parse returns the reports to write, and checks their files. Without one for standard output it adds
// the text report, or the results as JSON Lines.
func (f *reportFlags) parse(asJSON bool) ([]target, error) {
	var out []target
	if asJSON {
		out = append(out, target{"jsonl", "-"})
	}
	for _, s := range f.specs {
		format, file, ok := strings.Cut(s, "=")
		if !ok || file == "" {
			return nil, fmt.Errorf("--report: expected FORMAT=FILE, found %q; an example is html=report.html", s)
		}
		if err := checkFormat(format); err != nil {
			return nil, err
		}
		if s == "jsonl=-" {
			return nil, errors.New("--report: expected a file for jsonl; --json prints the same to standard output")
		}
		if slices.ContainsFunc(out, func(t target) bool { return t.file == file }) {
			return nil, fmt.Errorf("--report: two reports have the file %s", file)
		}
		if file != "-" {
			if err := outfile.Check(file); err != nil {
				return nil, fmt.Errorf("--report: %w", err)
			}
		}
		out = append(out, target{format, file})
	}
	if !slices.ContainsFunc(out, func(t target) bool { return t.file == "-" }) {
		out = append(out, target{"text", "-"})
	}
	return out, nil
}

func checkFormat(name string) error {
	names, _ := report.Formats()
	return oneOf("format", name, names...)
}

// writeReports writes the reports, first those to files: standard output may be
// a closed pipe.
func writeReports(cmd *cobra.Command, targets []target, run *report.Run) error {
	var errs []error
	for _, stdout := range []bool{false, true} {
		for _, t := range targets {
			if (t.file == "-") == stdout {
				errs = append(errs, writeReport(cmd, t, run))
			}
		}
	}
	return failed(errors.Join(errs...))
}

func writeReport(cmd *cobra.Command, t target, runs ...*report.Run) error {
	if t.file == "-" {
		w := cmd.OutOrStdout()
		return report.Write(w, t.format, styleOf(w), runs...)
	}
	return outfile.Stream(t.file, func(w io.Writer) error { return report.Write(w, t.format, styleOf(w), runs...) })
}

func newReport() *cobra.Command {
	var to string
	names, about := report.Formats()
	long := &strings.Builder{}
	long.WriteString("Report converts results that formatgauge test --report jsonl=FILE or formatgauge\n" +
		"report keep wrote. From several files, one per implementation, it makes one report\n" +
		"that compares them.\n\nFormats:\n")
	for i := range names {
		fmt.Fprintf(long, "  %-9s %s\n", names[i], about[i])
	}
	long.WriteString("\nThe exit code does not depend on the results, except of report diff.")
	cmd := &cobra.Command{
		Use:   "report FORMAT RESULTS.jsonl...",
		Short: "Convert results to HTML, Markdown, JUnit XML or text",
		Long:  long.String(),
		Example: `  formatgauge test --report jsonl=mine.jsonl -- ./my-adapter
  formatgauge report html mine.jsonl -o mine.html
  formatgauge report markdown mine.jsonl theirs.jsonl >> "$GITHUB_STEP_SUMMARY"
  formatgauge report --schema > results.schema.json`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeFormat(names),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("expected a format and at least one file of results: formatgauge report html results.jsonl")
			}
			if err := checkFormat(args[0]); err != nil {
				return err
			}
			if args[0] == "jsonl" && len(args) > 2 {
				return fmt.Errorf("format jsonl: expected one file of results, found %d", len(args)-1)
			}
			runs, err := readRuns(cmd, args[1:])
			if err != nil {
				return failed(err)
			}
			return failed(writeReport(cmd, target{args[0], cmp.Or(to, "-")}, runs...))
		},
	}
	outputFlag(cmd, &to, outputUsage)
	inputFlag(cmd)
	schemaFlag(cmd, "print the JSON Schema of a line of results", report.ResultsSchema)
	cmd.AddCommand(newReportDiff(), newReportBadge(), newReportKeep())
	return cmd
}

// reportDiffSchema is the JSON Schema of the output of formatgauge report diff
// --json.
//
//go:embed schema/report-diff.json
var reportDiffSchema []byte

func newReportDiff() *cobra.Command {
	var asMarkdown bool
	var cmd *cobra.Command
	cmd = fromRuns(&cobra.Command{
		Use:   "diff OLD.jsonl NEW.jsonl",
		Short: "List what has changed between two runs",
		Long: `Diff compares two runs case by case. The kinds of changes are:
  broken   did not fail before, and fails now; or passed before, and is skipped now
  fixed    failed before, and passes or is acceptable now
  changed  has another outcome of an operation, or another class of failure
  new      not in the older run
  gone     not in the newer run

A known failure counts as a failure. Times and texts of answers are not compared. If
each run has one profile, the two may have different profiles. --json
prints one object; --schema prints its JSON Schema.

The exit code is 1 if something is broken, 0 otherwise.`,
		Example: `  formatgauge report diff main.jsonl mine.jsonl
  formatgauge report diff --markdown main.jsonl mine.jsonl >> "$GITHUB_STEP_SUMMARY"`,
		Args: arguments(2, 2),
	}, func(b *bytes.Buffer, style hexdump.Style, runs []*report.Run) error {
		c := report.Compare(runs[0], runs[1])
		var err error
		switch {
		case asJSON(cmd):
			err = printJSON(b, c.JSON())
		case asMarkdown:
			err = c.Markdown(b)
		default:
			err = c.Text(b, style)
		}
		if err == nil && c.Count(report.Broken) > 0 {
			return errFailed
		}
		return err
	})
	jsonFlag(cmd, reportDiffSchema)
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false, "print GitHub Markdown")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown")
	return cmd
}

func newReportBadge() *cobra.Command {
	return fromRuns(&cobra.Command{
		Use:   "badge RUN.jsonl",
		Short: "Write a badge with the verdict of a run",
		Long: `Badge writes an SVG picture with the number of the corpus and the verdict, or how
many vectors passed.`,
		Example: `  formatgauge report badge mine.jsonl -o badge.svg`,
		Args:    arguments(1, 1),
	}, func(b *bytes.Buffer, _ hexdump.Style, runs []*report.Run) error { return report.Badge(b, runs[0]) })
}

func newReportKeep() *cobra.Command {
	var k report.Kept
	var fingerprint string
	cmd := fromRuns(&cobra.Command{
		Use:   "keep RUN.jsonl --name NAME --revision COMMIT --licence SPDX --url URL",
		Short: "Shorten a run to what a repository keeps",
		Long: `Keep shortens a run to the outcome of each vector of the types that the implementation
lists, the numbers of outcomes of derived cases, and the first difference of each
answer that is not as expected. The folder implementations/results contains such
files, and the site shows them. The run must be complete and have one profile.`,
		Example: `  formatgauge fingerprint --json -- ./my-adapter > sides.json
  formatgauge report keep mine.jsonl --name mine --revision 3c1a5f1 --licence MIT \
    --url https://example.org/mine --fingerprint sides.json -o mine.json`,
		Args: arguments(1, 1),
	}, func(b *bytes.Buffer, _ hexdump.Style, runs []*report.Run) error {
		k.Run = runs[0]
		if err := k.Check(); err != nil {
			return err
		}
		if fingerprint != "" {
			var err error
			if k.Sides, err = shownSides(fingerprint, k.Run.Hello.Profile); err != nil {
				return err
			}
		}
		if err := report.Keep(b, &k); err != nil {
			return rejected(err)
		}
		return nil
	})
	for _, f := range []struct {
		to          *string
		name, usage string
	}{
		{&k.Name, "name", "`NAME` of the implementation, and of its page"},
		{&k.Revision, "revision", "`COMMIT` of the implementation that was judged"},
		{&k.Licence, "licence", "licence of the implementation, as an `SPDX` identifier"},
		{&k.URL, "url", "`URL` of the implementation's source or site"},
	} {
		cmd.Flags().StringVar(f.to, f.name, "", f.usage)
		_ = cmd.MarkFlagRequired(f.name)
	}
	cmd.Flags().StringVar(&k.Date, "date", time.Now().UTC().Format(time.DateOnly), "`DATE` of the run")
	cmd.Flag("date").DefValue = "today"
	cmd.Flags().StringVar(&fingerprint, "fingerprint", "",
		"also keep the sides in `FILE`, the output of formatgauge fingerprint --json")
	return cmd
}

// shownSides returns the sides that a fingerprint shows. If the answers fit several, it is
// the declared one of them.
func shownSides(file, declared string) (out []report.ShownSide, err error) {
	text, err := infile.ReadFile(file, infile.Max)
	if err != nil {
		return nil, err
	}
	var f jsonFingerprint
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, rejected(fmt.Errorf("%s: %w", file, err))
	}
	p, err := ids.ParseProfile(declared)
	if err != nil {
		return nil, err
	}
	for _, side := range f.Flags {
		if own := p.Side(side.Flag); slices.Contains(side.Alternatives, own) {
			side.Side = own
		}
		if side.Side != judge.SideNotShown {
			out = append(out, report.ShownSide{Flag: side.Flag, Side: side.Side, Agree: len(side.For)})
		}
	}
	return out, nil
}

// fromRuns completes a command that reads runs and writes one file, also if write returns
// errFailed.
func fromRuns(cmd *cobra.Command, write func(*bytes.Buffer, hexdump.Style, []*report.Run) error) *cobra.Command {
	var to string
	cmd.ValidArgsFunction = completeResults
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		runs, err := readRuns(cmd, args)
		if err != nil {
			return failed(err)
		}
		style := hexdump.Style{}
		if to == "" || to == "-" {
			style = styleOf(cmd.OutOrStdout())
		}
		var b bytes.Buffer
		verdict := write(&b, style, runs)
		if verdict != nil && !errors.Is(verdict, errFailed) {
			return failed(verdict)
		}
		return cmp.Or(writeOutput(cmd, to, b.Bytes()), verdict)
	}
	outputFlag(cmd, &to, outputUsage)
	inputFlag(cmd)
	return cmd
}

func completeResults(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"jsonl"}, cobra.ShellCompDirectiveFilterFileExt
}

func completeFormat(names []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return names, cobra.ShellCompDirectiveNoFileComp
		}
		return completeResults(nil, nil, "")
	}
}

// readRuns reads files of results; - is standard input.
func readRuns(cmd *cobra.Command, names []string) ([]*report.Run, error) {
	var out []*report.Run
	for _, name := range names {
		src, err := readInput(cmd, []string{name})
		if err != nil {
			return nil, err
		}
		run, err := report.Open(src)
		if err != nil && !bytes.Contains(src, []byte(`"formatgauge-results"`)) {
			return nil, failed(fmt.Errorf("%s has no results: formatgauge test --report jsonl=FILE writes them", name))
		} else if err != nil {
			return nil, rejected(fmt.Errorf("%s: %w", name, err))
		}
		run.Source = filepath.Base(name)
		out = append(out, run)
	}
	return out, nil
}
