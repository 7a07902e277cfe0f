package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/diff"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/internal/outfile"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// diffSchema is the JSON Schema of the output of formatgauge diff --json.
//
//go:embed schema/diff.json
var diffSchema []byte

// diffRun is formatgauge diff.
type diffRun struct {
	dialectFlags
	processFlags
	jsonFlag
	For                time.Duration
	Count, Max         int
	Seed               uint64
	Seeds, Inputs, Out string
	Resume, Classes    bool

	opts diff.Options
}

func (d *diffRun) run(cmd *cobra.Command, args []string) error {
	dash := cmd.ArgsLenAtDash()
	if dash < 1 || dash == len(args) {
		return errors.New("expected a type and an adapter's command: formatgauge diff upkg.Name -- ./my-adapter")
	}
	if err := d.options(cmd, args[:dash]); err != nil {
		return err
	}
	commands := [][]string{args[dash:], nil}
	if i := slices.Index(args[dash:], "---"); i >= 0 {
		commands = [][]string{args[dash : dash+i], args[dash+i+1:]}
		if len(commands[0]) == 0 || len(commands[1]) == 0 {
			return errors.New("expected an adapter's command before and after ---")
		}
	}
	var impls []adapter.Implementation
	for _, command := range commands {
		impl, err := d.start(cmd, command)
		if err != nil {
			return err
		}
		defer impl.Close()
		impls = append(impls, impl)
	}
	if err := d.openInputs(cmd.ErrOrStderr()); err != nil {
		return failed(fmt.Errorf("--inputs: %w", err))
	}
	if d.opts.Duration > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "formatgauge: searching for %v (--for)\n", d.opts.Duration)
	}
	d.opts.Progress = diffProgress(cmd.ErrOrStderr())
	report, err := diff.Run(cmd.Context(), impls[0], impls[1], d.opts)
	switch {
	case errors.Is(err, diff.ErrNoType):
		return err
	case report == nil:
		return failed(err)
	}
	files, draftErr := d.writeDrafts(cmd.ErrOrStderr(), report)
	if err := cmp.Or(d.show(cmd, report, files), draftErr); err != nil {
		return failed(err)
	}
	if errors.Is(err, context.Canceled) {
		return failed(errors.New("interrupted: some findings may not be shrunk"))
	}
	if report.Compared() == 0 && len(report.Findings) == 0 && report.Stopped == "" {
		return failed(errors.New("nothing was compared: of every input, an adapter skipped it, or rejected it because of " +
			"its own limits"))
	}
	if !report.NoDifference() {
		return errFailed
	}
	return nil
}

// options checks the flags before anything is run.
func (d *diffRun) options(cmd *cobra.Command, patterns []string) error {
	o := &d.opts
	o.Duration, o.Count, o.Seed, o.Max, o.Classes = d.For, d.Count, d.Seed, d.Max, d.Classes
	changed := cmd.Flags().Changed
	switch {
	case changed("count") && o.Count < 1, o.Duration <= 0, o.Max < 1:
		return errors.New("--count, --for and --max: expected values greater than 0")
	case d.JSON && d.Out == "-":
		return errors.New("--json and --out - both write to standard output")
	case d.Resume && d.Inputs == "":
		return errors.New("--resume: expected --inputs DIR, which records the runs")
	case changed("count") && !changed("for"):
		o.Duration = 0
	}
	if d.Inputs != "" {
		if err := outfile.CheckDir(d.Inputs); err != nil {
			return fmt.Errorf("--inputs: %w", err)
		}
	}
	if d.Out != "" && d.Out != "-" {
		if err := outfile.CheckDir(d.Out); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	var err error
	if o.Types, err = selectTypes(patterns); err != nil {
		return err
	}
	if o.Profile, err = d.chosen(cmd); err != nil {
		return err
	}
	o.Context = d.Context
	for k, v := range o.Context {
		has := func(t *codec.Type) bool { _, ok := t.Context[k]; return ok }
		i := slices.IndexFunc(o.Types, has)
		if i < 0 {
			return fmt.Errorf("--context: none of the types has a context %q", k)
		}
		if _, err := o.Types[i].Bind(wire.Settings{}, map[string]string{k: v}); err != nil {
			return err
		}
	}
	if o.Vectors, err = corpus.All(); err != nil {
		return failed(err)
	}
	if d.Seeds != "" {
		o.Seeds, err = readSeeds(d.Seeds)
	}
	return failed(err)
}

// selectTypes returns the types that match a pattern.
func selectTypes(patterns []string) ([]*codec.Type, error) {
	var out []*codec.Type
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", p, err)
		}
		found := false
		for _, t := range codec.Types() {
			ok, _ := path.Match(p, t.Name)
			if ok = ok || p == t.Name || p == t.Family(); ok && !slices.Contains(out, t) {
				out = append(out, t)
			}
			found = found || ok
		}
		if !found {
			_, err := findType(p)
			return nil, err
		}
	}
	return out, nil
}

func readSeeds(dir string) (out [][]byte, err error) {
	err = diff.ReadFiles(dir, func(_ string, b []byte) error {
		out = append(out, b)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("--seeds: %s contains no file of at most %d MiB", dir, diff.MaxFile>>20)
	}
	return out, err
}

// openInputs reads the inputs of --inputs, and records that a run begins.
func (d *diffRun) openInputs(w io.Writer) error {
	if d.Inputs == "" {
		return nil
	}
	store, err := diff.OpenStore(d.Inputs)
	if err != nil {
		return err
	}
	var unknown []string
	if d.opts.Kept, unknown, err = store.Inputs(d.opts.Types); err != nil {
		return err
	}
	for _, dir := range unknown {
		fmt.Fprintf(w, "formatgauge: %s is not used: it is the folder of no type, or of no context of its type\n", dir)
	}
	if d.Resume {
		d.opts.Seed += store.Runs()
	}
	d.opts.Keep = store.Keep
	return store.Begin()
}

// writeDrafts writes the findings as drafts of vectors to --out. It returns the file
// of each that is written.
func (d *diffRun) writeDrafts(w io.Writer, r *diff.Report) ([]string, error) {
	files := make([]string, len(r.Findings))
	if d.Out == "" || d.Out == "-" {
		return files, nil
	}
	var err error
	for i, f := range r.Findings {
		if files[i], err = writeDraft(w, d.Out, f.ID(), r.Draft(f).Text()); err != nil {
			break
		}
	}
	return files, err
}

// writeDraft writes a draft to a folder, unless it exists. It returns its file;
// after an error none.
func writeDraft(w io.Writer, dir, id string, text []byte) (string, error) {
	file := filepath.Join(dir, filepath.FromSlash(corpus.PathOf(id)))
	if _, err := os.Stat(file); err == nil {
		// It may have been edited. The same name means the same input.
		fmt.Fprintf(w, "formatgauge: %s already exists and is not changed\n", file)
		return file, nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return "", err
	}
	if err := outfile.Write(file, []byte(printable.Text(string(text)))); err != nil {
		return "", err
	}
	return file, nil
}

// show prints what was found, or the drafts for --out -.
func (d *diffRun) show(cmd *cobra.Command, r *diff.Report, files []string) error {
	if d.Out != "-" {
		out := diffJSON(r, files)
		out.Hint = len(r.Findings) > 0 && d.Out == ""
		return d.print(cmd, "diff", out)
	}
	for _, f := range r.Findings {
		if err := printDraft(cmd.OutOrStdout(), f.ID(), r.Draft(f).Text()); err != nil {
			return err
		}
	}
	return nil
}

// printDraft prints a draft of a vector, after a line with its file.
func printDraft(w io.Writer, id string, text []byte) error {
	_, err := fmt.Fprintf(w, "==> %s <==\n%s\n", corpus.PathOf(id), printable.Text(string(text)))
	return err
}

// inputDump returns the bytes of a finding with their meaning to the reference.
func inputDump(r *diff.Report, f *diff.Finding, st hexdump.Style) string {
	var notes []hexdump.Note
	for _, l := range r.Draft(f).Lines {
		notes = append(notes, hexdump.Note{Offset: l.Offset, Len: l.Len, Text: l.Note})
	}
	var marks []hexdump.Mark
	if f.Offset >= 0 && f.Offset <= len(f.Bytes) {
		marks = append(marks, hexdump.Mark{From: f.Offset, To: f.Offset, Text: "here", Bad: true})
	}
	var b bytes.Buffer
	hexdump.Notes(&b, "      ", f.Bytes, notes, marks, st)
	return b.String()
}

func timesSeen(f *diff.Finding) string {
	types := f.TypesSeen()
	switch {
	case len(types) > 1:
		const shown = 4
		more := ""
		if len(types) > shown {
			more = fmt.Sprintf(" and %d more", len(types)-shown)
		}
		return fmt.Sprintf("seen %d times, in %s%s", f.Count, strings.Join(types[:min(shown, len(types))], ", "), more)
	case f.Count > 1:
		return fmt.Sprintf("seen %d times", f.Count)
	}
	return "seen once"
}

// kindsText lists the kinds of differences with the number of each.
func kindsText(kinds map[diff.Kind]int) string {
	var parts []string
	for _, k := range diff.Kinds() {
		if kinds[k] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", k, kinds[k]))
		}
	}
	return strings.Join(parts, ", ")
}

// Ignoring names the adapters that follow another profile than that of the requests.
func (j jsonDiff) Ignoring() (out []string) {
	for _, s := range []*diff.Side{&j.Report.A, &j.Report.B} {
		if p, err := ids.ParseProfile(s.Hello.Profile); err == nil && !s.Hello.AnyProfile && p.String() != j.Profile {
			out = append(out, s.Name()+" follows "+p.String())
		}
	}
	return out
}

func perSecond(t diff.TypeReport) float64 {
	return float64(t.Inputs) / max(t.Seconds, 1e-9)
}

// What is printed; schema/diff.json describes its JSON form.
type (
	jsonDiff struct {
		*diff.Report
		A        jsonSide      `json:"a"`
		B        jsonSide      `json:"b"`
		Profile  string        `json:"profile"`
		Agree    bool          `json:"agree"`
		Findings []jsonFinding `json:"findings"`

		Hint             bool            `json:"-"` // the text says how to write drafts
		Total            diff.TypeReport `json:"-"` // of all types
		NameWidth, Width int             `json:"-"` // of the names of the adapters, and of the types
	}
	jsonSide struct {
		Name     string `json:"name"`
		Version  string `json:"version,omitempty"`
		Language string `json:"language,omitempty"`
		Profile  string `json:"profile,omitempty"`
	}
	jsonFinding struct {
		*diff.Finding
		Type     string        `json:"type"`
		Hex      *string       `json:"hex,omitempty"`
		Offset   *int          `json:"offset,omitempty"`
		Readings []jsonReading `json:"readings,omitempty"`
		ID       string        `json:"id"`
		Draft    string        `json:"draft"`
		File     string        `json:"file,omitempty"`
	}
	jsonReading struct {
		Who   string            `json:"who"`
		Sides map[string]string `json:"sides"`
	}
)

func diffJSON(r *diff.Report, files []string) jsonDiff {
	side := func(s *diff.Side) jsonSide {
		return jsonSide{
			s.Hello.Name, s.Hello.Version, s.Hello.Language,
			cmp.Or(s.Hello.Profile, map[bool]string{false: ids.SideObserved}[s.Hello.AnyProfile]),
		}
	}
	out := jsonDiff{
		Report: r, A: side(&r.A), B: side(&r.B), Profile: r.Profile.String(), Agree: r.NoDifference(),
		Findings: []jsonFinding{}, NameWidth: max(len(r.A.Name()), len(r.B.Name())), Width: len("type"),
	}
	out.Total.Kinds = map[diff.Kind]int{}
	for _, t := range r.Types {
		out.Width = max(out.Width, len(t.Type))
		out.Total.Inputs += t.Inputs
		out.Total.Different += t.Different
		for k, n := range t.Kinds {
			out.Total.Kinds[k] += n
		}
	}
	for i, f := range r.Findings {
		j := jsonFinding{
			Finding: f, Type: f.Type.Name, ID: f.ID(), Draft: string(r.Draft(f).Text()), File: files[i],
		}
		if f.Tree == nil {
			text := hex.EncodeToString(f.Bytes)
			j.Hex = &text
		}
		if f.Offset >= 0 {
			j.Offset = &f.Offset
		}
		for _, reading := range f.Readings {
			sides := map[string]string{}
			for _, s := range reading.Sides {
				sides[string(s.Flag)] = s.Side
			}
			j.Readings = append(j.Readings, jsonReading{reading.Letter, sides})
		}
		out.Findings = append(out.Findings, j)
	}
	return out
}

// diffProgress returns a function that shows the progress of the search. It
// returns nil if w is not a terminal.
func diffProgress(w io.Writer) func(diff.Progress) {
	line := terminalLine(w)
	if line == nil {
		return nil
	}
	return func(p diff.Progress) {
		switch {
		case p.Done:
			line("")
		case p.Shrinking > 0:
			line(fmt.Sprintf("shrinking: %d groups of differences remain", p.Shrinking))
		default:
			line(fmt.Sprintf("%s: %d inputs, %d differ", p.Type, p.Inputs, p.Different))
		}
	}
}
