package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/internal/outfile"
)

// reportFlags are the flags that select reports and their files.
type reportFlags struct {
	specs []string
}

func (f *reportFlags) register(cmd *cobra.Command) {
	names, _ := report.Formats()
	cmd.Flags().StringArrayVar(&f.specs, "report", nil,
		"write a report as `FORMAT=FILE` (repeatable); formats: "+strings.Join(names, ", ")+"; FILE - is standard output, for text the default")
	_ = cmd.RegisterFlagCompletionFunc("report", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
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
// the text report.
func (f *reportFlags) parse() ([]target, error) {
	var out []target
	for _, s := range f.specs {
		format, file, ok := strings.Cut(s, "=")
		if !ok || file == "" {
			return nil, fmt.Errorf("--report: expected FORMAT=FILE, found %q", s)
		}
		if err := checkFormat(format); err != nil {
			return nil, err
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
	if names, _ := report.Formats(); !slices.Contains(names, name) {
		return fmt.Errorf("unknown format %q: expected one of %s", name, strings.Join(names, ", "))
	}
	return nil
}

// writeReports writes the reports, first those to files: standard output may be
// a closed pipe. judgedBy identifies the vectors. interrupted reports whether the
// judge was interrupted.
func writeReports(cmd *cobra.Command, targets []target, r *judge.Report, judgedBy report.Corpus, interrupted bool) error {
	run, err := report.NewRun(r, interrupted)
	if err != nil {
		return failed(err)
	}
	run.Corpus = judgedBy
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
	var schema bool
	names, about := report.Formats()
	long := &strings.Builder{}
	long.WriteString("Report converts results that formatgauge test --report jsonl=FILE wrote. From\n" +
		"several files, one per implementation, it makes one report that compares them.\n\nFormats:\n")
	for i := range names {
		fmt.Fprintf(long, "  %-9s %s\n", names[i], about[i])
	}
	long.WriteString("\nThe exit code does not depend on the results.")
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
			if schema {
				return writeSchema(cmd, args, to, report.ResultsSchema)
			}
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
			if to == "" {
				to = "-"
			}
			return failed(writeReport(cmd, target{args[0], to}, runs...))
		},
	}
	outputFlag(cmd, &to, outputUsage)
	inputFlag(cmd)
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of a line of results")
	return cmd
}

func completeFormat(names []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return names, cobra.ShellCompDirectiveNoFileComp
		}
		return []string{"jsonl"}, cobra.ShellCompDirectiveFilterFileExt
	}
}

// readRuns reads files of results; - is standard input.
func readRuns(cmd *cobra.Command, names []string) ([]*report.Run, error) {
	var out []*report.Run
	for _, name := range names {
		run, err := readRun(cmd, name)
		if err != nil {
			return nil, err
		}
		out = append(out, run)
	}
	return out, nil
}

func readRun(cmd *cobra.Command, name string) (*report.Run, error) {
	src, err := readInput(cmd, []string{name})
	if err != nil {
		return nil, err
	}
	run, err := report.Read(bytes.NewReader(src))
	if err != nil {
		err = refused(fmt.Errorf("%s: %w", name, err))
	}
	return run, err
}
