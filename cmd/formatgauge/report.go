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
type reportFlags struct{ Report []string }

// A target is one report to write.
type target struct{ format, file string }

// targets returns the reports to write, and checks their files. Without one for standard output it adds
// the text report, or the results as JSON Lines.
func (f *reportFlags) targets(asJSON bool) ([]target, error) {
	var out []target
	if asJSON {
		out = append(out, target{"jsonl", "-"})
	}
	for _, s := range f.Report {
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

// reportRun is formatgauge report.
type reportRun struct {
	inputFlag
	outputFlag
}

func (r *reportRun) run(cmd *cobra.Command, args []string) error {
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
	return failed(writeReport(cmd, target{args[0], cmp.Or(r.Output, "-")}, runs...))
}

// reportDiffSchema is the JSON Schema of the output of formatgauge report diff
// --json.
//
//go:embed schema/report-diff.json
var reportDiffSchema []byte

// reportDiffRun is formatgauge report diff.
type reportDiffRun struct {
	runsFlags
	jsonFlag
	Markdown bool
}

func (r *reportDiffRun) run(cmd *cobra.Command, args []string) error {
	return r.fromRuns(cmd, args, r.write)
}

func (r *reportDiffRun) write(b *bytes.Buffer, style hexdump.Style, runs []*report.Run) error {
	c := report.Compare(runs[0], runs[1])
	var err error
	switch {
	case r.JSON:
		err = printJSON(b, c.JSON())
	case r.Markdown:
		err = c.Markdown(b)
	default:
		err = c.Text(b, style)
	}
	if err == nil && c.Count(report.Broken) > 0 {
		return errFailed
	}
	return err
}

// badgeRun is formatgauge report badge.
type badgeRun struct{ runsFlags }

func (r *badgeRun) run(cmd *cobra.Command, args []string) error {
	return r.fromRuns(cmd, args, func(b *bytes.Buffer, _ hexdump.Style, runs []*report.Run) error {
		return report.Badge(b, runs[0])
	})
}

// keepRun is formatgauge report keep.
type keepRun struct {
	runsFlags
	report.Origin
	Fingerprint string
}

func (r *keepRun) run(cmd *cobra.Command, args []string) error { return r.fromRuns(cmd, args, r.write) }

func (r *keepRun) write(b *bytes.Buffer, _ hexdump.Style, runs []*report.Run) error {
	k := report.Kept{Origin: r.Origin, Run: runs[0]}
	if k.Date == "today" {
		k.Date = time.Now().UTC().Format(time.DateOnly)
	}
	if err := k.Check(); err != nil {
		return err
	}
	if r.Fingerprint != "" {
		var err error
		if k.Sides, err = shownSides(r.Fingerprint, k.Run.Hello.Profile); err != nil {
			return err
		}
	}
	return rejected(report.Keep(b, &k))
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

// runsFlags are the flags of a command that reads runs and writes one file.
type runsFlags struct {
	inputFlag
	outputFlag
}

// fromRuns reads runs and writes what write writes, also if it returns errFailed.
func (r *runsFlags) fromRuns(cmd *cobra.Command, args []string,
	write func(*bytes.Buffer, hexdump.Style, []*report.Run) error,
) error {
	runs, err := readRuns(cmd, args)
	if err != nil {
		return failed(err)
	}
	style := hexdump.Style{}
	if r.Output == "" || r.Output == "-" {
		style = styleOf(cmd.OutOrStdout())
	}
	var b bytes.Buffer
	verdict := write(&b, style, runs)
	if verdict != nil && !errors.Is(verdict, errFailed) {
		return failed(verdict)
	}
	return cmp.Or(writeOutput(cmd, r.Output, b.Bytes()), verdict)
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
