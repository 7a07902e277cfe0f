package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// diffSchema describes what formatgauge diff --json prints.
//
//go:embed schema/diff.json
var diffSchema []byte

func newDiff() *cobra.Command {
	var d diffRun
	cmd := &cobra.Command{
		Use:   "diff TYPE... [flags] -- ADAPTER_A... [--- ADAPTER_B...]",
		Short: "Search for inputs on which two implementations part",
		Long: `Diff asks two adapters the same questions: does this input read, as what, and
how is it written again; is this value written, and how? Without --- and a second command, B is the built-in reference.
TYPE is a full name, a pattern such as 'upkg.*', or a family; the types that
both list are taken in turn.

Inputs are the vectors, the files of --seeds, values that are drawn, and changes
of these; those on which the reference does something new are changed further.
Refusals are compared as such: what an input with two faults is refused for is
anybody's choice. --classes compares the reasons as well. What one of the two
skips, or refuses as beyond its own limits, is no difference.

Differences that look alike are one finding, told once with the smallest input
that shows it. --out writes each as a draft of a vector, with both answers and
without a verdict: neither of the two is evidence. The draft is refused by
corpus lint until somebody has worked out the verdict from the documents.

The exit code is 0 if they agree on everything, 1 if not.`,
		Example: `  formatgauge diff upkg.Name -- ./my-adapter
  formatgauge diff 'upkg.*' --for 5m --out drafts -- ./my-adapter
  formatgauge diff ka --seeds saves/ -- ./mine --- ./theirs
  formatgauge diff upkg.Name --context version=63 --count 5000 --seed 7 --json -- ./my-adapter
  formatgauge diff ubi -- formatgauge serve --profile documented --- formatgauge serve --profile observed`,
		Args: cobra.ArbitraryArgs,
		RunE: d.run,
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, text string) ([]string, cobra.ShellCompDirective) {
			return completeType(cmd, nil, text)
		},
	}
	d.dialect.register(cmd)
	d.process.register(cmd)
	f := cmd.Flags()
	f.Lookup("profile").Usage = "that requests carry and the reference follows; the one that an adapter declares if left out"
	f.Lookup("context").Usage = "what is not to be varied: order=big, version=63"
	f.StringVar(&d.seeds, "seeds", "", "folder with files to begin with")
	f.DurationVar(&d.opts.For, "for", 30*time.Second, "how long to search, all types together")
	f.IntVar(&d.opts.Count, "count", 0, "inputs to ask about for each type, in place of --for")
	f.Uint64Var(&d.opts.Seed, "seed", 1, "of the search: the same seed and --count find the same")
	f.IntVar(&d.opts.Max, "max", diff.DefaultMax, "findings to shrink and tell")
	f.BoolVar(&d.opts.Classes, "classes", false, "take refusals for different reasons for a difference")
	f.StringVar(&d.out, "out", "", "folder to write drafts of vectors to; - prints them in place of the report")
	f.BoolVar(&d.json, "json", false, "print the report as JSON")
	f.BoolVar(&d.schema, "schema", false, "print the JSON Schema of that")
	return cmd
}

// diffRun is what formatgauge diff is asked to do.
type diffRun struct {
	dialect dialectFlags
	process processFlags
	opts    diff.Options
	seeds   string
	out     string
	json    bool
	schema  bool
}

func (d *diffRun) run(cmd *cobra.Command, args []string) error {
	if d.schema {
		if len(args) > 0 {
			return errors.New("--schema stands alone")
		}
		return output(cmd, "", diffSchema)
	}
	dash := cmd.ArgsLenAtDash()
	if dash < 1 || dash == len(args) {
		return errors.New("diff takes a type and an adapter's command: formatgauge diff upkg.Name -- ./my-adapter")
	}
	if err := d.options(cmd, args[:dash]); err != nil {
		return err
	}
	commands := [][]string{args[dash:], nil}
	if i := slices.Index(args[dash:], "---"); i >= 0 {
		commands = [][]string{args[dash : dash+i], args[dash+i+1:]}
		if len(commands[0]) == 0 || len(commands[1]) == 0 {
			return errors.New("an adapter's command stands on each side of ---")
		}
	}
	var impls []adapter.Implementation
	for _, command := range commands {
		impl, err := d.process.start(cmd, command)
		if err != nil {
			return err
		}
		defer impl.Close()
		impls = append(impls, impl)
	}
	d.opts.Progress = diffProgress(cmd.ErrOrStderr())
	report, err := diff.Run(cmd.Context(), impls[0], impls[1], d.opts)
	switch {
	case errors.Is(err, diff.ErrNoType):
		return err
	case report == nil:
		return failed(err)
	}
	files, drafting := d.drafts(cmd.ErrOrStderr(), report)
	if drafting != nil {
		return failed(drafting)
	}
	if err := d.print(cmd, report, files); err != nil {
		return failed(err)
	}
	if errors.Is(err, context.Canceled) {
		return failed(errors.New("interrupted: differences that were not shrunk are told as they were met"))
	}
	if !report.Agree() {
		return errFailed
	}
	return nil
}

// options checks what is asked for, before anything is run.
func (d *diffRun) options(cmd *cobra.Command, patterns []string) error {
	o := &d.opts
	changed := cmd.Flags().Changed
	switch {
	case changed("count") && o.Count < 1, o.For <= 0, o.Max < 1:
		return errors.New("--count, --for and --max are more than nothing")
	case d.json && d.out == "-":
		return errors.New("--json and --out - both go to standard output")
	case changed("count") && !changed("for"):
		o.For = 0
	}
	var err error
	if o.Types, err = chosenTypes(patterns); err != nil {
		return err
	}
	p, err := d.dialect.parse()
	if err != nil {
		return err
	}
	if changed("profile") || changed("flag") {
		o.Profile = &p
	}
	o.Context = d.dialect.context
	for k := range o.Context {
		known := false
		for _, t := range o.Types {
			if _, ok := t.Context[k]; !ok {
				continue
			}
			known = true
			if _, err := t.Bind(wire.Settings{}, map[string]string{k: o.Context[k]}); err != nil {
				return err
			}
		}
		if !known {
			return fmt.Errorf("none of the types takes a context %q", k)
		}
	}
	if o.Vectors, err = corpus.All(); err != nil {
		return failed(err)
	}
	if d.seeds != "" {
		o.Seeds, err = readSeeds(d.seeds)
	}
	return failed(err)
}

// chosenTypes lists the types that any of the patterns names.
func chosenTypes(patterns []string) ([]*codec.Type, error) {
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

// maxSeed bounds a file of --seeds.
const maxSeed = 16 << 20

func readSeeds(dir string) ([][]byte, error) {
	var out [][]byte
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err != nil || info.Size() > maxSeed {
			return err
		}
		b, err := os.ReadFile(name)
		out = append(out, b)
		return err
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s holds no file of up to %d MiB", dir, maxSeed>>20)
	}
	return out, err
}

// drafts writes the findings as vectors to be decided. It returns the file of each.
func (d *diffRun) drafts(w io.Writer, r *diff.Report) ([]string, error) {
	files := make([]string, len(r.Findings))
	if d.out == "" || d.out == "-" {
		return files, nil
	}
	for i, f := range r.Findings {
		files[i] = filepath.Join(d.out, filepath.FromSlash(corpus.PathOf(f.ID())))
		if _, err := os.Stat(files[i]); err == nil {
			// Somebody may be at work on it; the same name is the same input.
			fmt.Fprintf(w, "formatgauge: %s is there already and stays as it is\n", files[i])
			continue
		}
		if err := os.MkdirAll(filepath.Dir(files[i]), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(files[i], r.Draft(f).Text(), 0o666); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func (d *diffRun) print(cmd *cobra.Command, r *diff.Report, files []string) error {
	w := cmd.OutOrStdout()
	switch {
	case d.json:
		text, err := json.MarshalIndent(diffJSON(r, files), "", "  ")
		if err != nil {
			return err
		}
		_, err = w.Write(append(text, '\n'))
		return err
	case d.out == "-":
		for _, f := range r.Findings {
			if _, err := fmt.Fprintf(w, "==> %s <==\n%s\n", corpus.PathOf(f.ID()), r.Draft(f).Text()); err != nil {
				return err
			}
		}
		return nil
	}
	var b bytes.Buffer
	st := style(w)
	for i, f := range r.Findings {
		printFinding(&b, st, r, f, files[i])
	}
	if len(r.Findings) > 0 && d.out == "" {
		fmt.Fprintf(&b, "%s\n\n", st.Faint("--out DIR writes each of these as a draft of a vector"))
	}
	printCounts(&b, st, r)
	_, err := w.Write(b.Bytes())
	return err
}

const answerWidth = 600

// printFinding tells one finding: what, where, who says what, and what the
// records say of the place.
func printFinding(b *bytes.Buffer, st hexdump.Style, r *diff.Report, f *diff.Finding, file string) {
	fmt.Fprintf(b, "%s  %s  %s\n", st.Bad("DIFFER"), st.Strong(f.Type.Name), st.Faint(timesSeen(f)))
	fmt.Fprintf(b, "  %s: %s\n", f.Op, f.Sentence())
	if len(f.Context) > 0 {
		fmt.Fprintf(b, "  with %s\n", contextText(f.Context))
	}
	b.WriteString("\n")
	if f.Tree != nil {
		for line := range strings.Lines(f.Tree.Indent()) {
			b.WriteString("      " + line)
		}
	} else {
		printInput(b, st, r, f)
	}
	b.WriteString("\n")
	wide := max(len(r.A.Name()), len(r.B.Name()))
	for _, s := range []struct{ name, text string }{{r.A.Name(), f.A.Text}, {r.B.Name(), f.B.Text}} {
		text := []rune(strings.Join(strings.Fields(s.text), " "))
		if len(text) > answerWidth {
			text = append(text[:answerWidth], '…')
		}
		fmt.Fprintf(b, "  %-*s  %s\n", wide, s.name, string(text))
	}
	for _, reading := range f.Readings {
		fmt.Fprintf(b, "  %s\n", reading)
	}
	if c, ok := spec.FindClause(f.Clause); ok {
		paragraph(b, "  "+string(c.ID), c.Text)
	}
	if file != "" {
		fmt.Fprintf(b, "  %s\n", file)
	}
	b.WriteString("\n")
}

// printInput shows the bytes with what the reference makes of them.
func printInput(b *bytes.Buffer, st hexdump.Style, r *diff.Report, f *diff.Finding) {
	var notes []hexdump.Note
	for _, l := range r.Draft(f).Lines {
		notes = append(notes, hexdump.Note{Offset: l.Offset, Len: l.Len, Text: l.Note})
	}
	var marks []hexdump.Mark
	if f.Offset >= 0 && f.Offset <= len(f.Input) {
		marks = append(marks, hexdump.Mark{From: f.Offset, To: f.Offset, Text: "here", Bad: true})
	}
	hexdump.Notes(b, "      ", f.Input, notes, marks, st)
}

func contextText(context map[string]string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(context)) {
		parts = append(parts, k+"="+context[k])
	}
	return strings.Join(parts, ", ")
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

// printCounts tells what was asked, and how it went.
func printCounts(b *bytes.Buffer, st hexdump.Style, r *diff.Report) {
	wide := len("type")
	for _, t := range r.Types {
		wide = max(wide, len(t.Type))
	}
	fmt.Fprintln(b, st.Faint(fmt.Sprintf("%-*s  %9s %8s %9s %9s %9s %9s %10s", wide, "type", "inputs", "each s", "accepted", "refused", "left out", "differ", "behaviours")))
	kinds := map[diff.Kind]int{}
	inputs, parted := 0, 0
	for _, t := range r.Types {
		fmt.Fprintf(b, "%-*s  %9d %8.0f %9d %9d %9d %9d %10d\n", wide, t.Type, t.Inputs, perSecond(t), t.BothAccepted, t.BothRefused, t.LeftOut, t.Parted, t.Behaviours)
		inputs, parted = inputs+t.Inputs, parted+t.Parted
		for k, n := range t.Kinds {
			kinds[k] += n
		}
	}
	if n := len(r.NotCommon); n > 0 {
		fmt.Fprintf(b, "%d of the chosen types are not listed by both\n", n)
	}
	for _, s := range []*diff.Side{&r.A, &r.B} {
		if p, err := ids.ParseProfile(s.Hello.Profile); err == nil && !s.Hello.AnyProfile && p.String() != r.Profile.String() {
			fmt.Fprintf(b, "%s follows %s, whatever it is asked under\n", s.Name(), p)
		}
	}
	fmt.Fprintf(b, "%s and %s under %s, seed %d: ", r.A.Name(), r.B.Name(), r.Profile, r.Seed)
	switch {
	case inputs == 0:
		fmt.Fprintln(b, st.Bad("nothing was asked"))
	case parted == 0 && r.Agree():
		fmt.Fprintf(b, "%d inputs, %s\n", inputs, st.Good("no difference"))
	default:
		var parts []string
		for _, k := range diff.Kinds() {
			if kinds[k] > 0 {
				parts = append(parts, fmt.Sprintf("%s %d", k, kinds[k]))
			}
		}
		fmt.Fprintf(b, "%d inputs, they differ on %d (%s): %s\n", inputs, parted, strings.Join(parts, ", "),
			st.Bad(findingsText(len(r.Findings))))
	}
	if r.More > 0 {
		fmt.Fprintf(b, "%d further groups of differences were not looked into (--max)\n", r.More)
	}
	if r.Stopped != "" {
		fmt.Fprintf(b, "ended early: %s\n", r.Stopped)
	}
}

func findingsText(n int) string {
	if n == 1 {
		return "1 finding"
	}
	return fmt.Sprintf("%d findings", n)
}

func perSecond(t diff.TypeReport) float64 {
	return float64(t.Inputs) / max(t.Took.Seconds(), 1e-9)
}

// The JSON form; schema/diff.json describes it.
type (
	jsonDiff struct {
		A         jsonSide      `json:"a"`
		B         jsonSide      `json:"b"`
		Profile   string        `json:"profile"`
		Seed      uint64        `json:"seed"`
		Agree     bool          `json:"agree"`
		Stopped   string        `json:"stopped,omitempty"`
		Types     []jsonType    `json:"types"`
		NotCommon []string      `json:"notCommon,omitempty"`
		Findings  []jsonFinding `json:"findings"`
		More      int           `json:"more"`
	}
	jsonSide struct {
		Name     string `json:"name"`
		Version  string `json:"version,omitempty"`
		Language string `json:"language,omitempty"`
		Profile  string `json:"profile,omitempty"`
	}
	jsonType struct {
		Type         string         `json:"type"`
		Inputs       int            `json:"inputs"`
		BothAccepted int            `json:"bothAccepted"`
		BothRefused  int            `json:"bothRefused"`
		LeftOut      int            `json:"leftOut"`
		Differ       int            `json:"differ"`
		Kinds        map[string]int `json:"kinds"`
		Behaviours   int            `json:"behaviours"`
		Seconds      float64        `json:"seconds"`
	}
	jsonFinding struct {
		Kind     string            `json:"kind"`
		Op       string            `json:"op"`
		Type     string            `json:"type"`
		Context  map[string]string `json:"context,omitempty"`
		Hex      *string           `json:"hex,omitempty"`
		Tree     *tree.Node        `json:"tree,omitempty"`
		Who      string            `json:"who,omitempty"`
		Detail   string            `json:"detail"`
		Path     string            `json:"path,omitempty"`
		Offset   *int              `json:"offset,omitempty"`
		Clause   string            `json:"clause,omitempty"`
		Readings []jsonReading     `json:"readings,omitempty"`
		A        jsonAnswer        `json:"a"`
		B        jsonAnswer        `json:"b"`
		Count    int               `json:"count"`
		Types    map[string]int    `json:"types"`
		ID       string            `json:"id"`
		Draft    string            `json:"draft"`
		File     string            `json:"file,omitempty"`
	}
	jsonReading struct {
		Who   string            `json:"who"`
		Sides map[string]string `json:"sides"`
	}
	jsonAnswer struct {
		Text   string          `json:"text"`
		OK     *adapter.OK     `json:"ok,omitempty"`
		Reject *adapter.Reject `json:"reject,omitempty"`
		Error  *adapter.Fault  `json:"error,omitempty"`
	}
)

func answerJSON(a diff.Answer) jsonAnswer {
	out := jsonAnswer{Text: a.Text}
	if r := a.Answer; r != nil {
		out.OK, out.Reject, out.Error = r.OK, r.Reject, r.Error
	}
	return out
}

func diffJSON(r *diff.Report, files []string) jsonDiff {
	side := func(s *diff.Side) jsonSide {
		return jsonSide{s.Hello.Name, s.Hello.Version, s.Hello.Language, cmp.Or(s.Hello.Profile, map[bool]string{false: ids.SideObserved}[s.Hello.AnyProfile])}
	}
	out := jsonDiff{
		A: side(&r.A), B: side(&r.B), Profile: r.Profile.String(), Seed: r.Seed, Agree: r.Agree(), Stopped: r.Stopped,
		Types: []jsonType{}, NotCommon: r.NotCommon, Findings: []jsonFinding{}, More: r.More,
	}
	for _, t := range r.Types {
		kinds := map[string]int{}
		for k, n := range t.Kinds {
			kinds[string(k)] = n
		}
		out.Types = append(out.Types, jsonType{t.Type, t.Inputs, t.BothAccepted, t.BothRefused, t.LeftOut, t.Parted, kinds, t.Behaviours, t.Took.Seconds()})
	}
	for i, f := range r.Findings {
		j := jsonFinding{
			Kind: string(f.Kind), Op: string(f.Op), Type: f.Type.Name, Context: f.Context, Tree: f.Tree, Who: f.Who,
			Detail: f.Detail, Path: f.Path, Clause: string(f.Clause), A: answerJSON(f.A), B: answerJSON(f.B),
			Count: f.Count, Types: f.Types, ID: f.ID(), Draft: string(r.Draft(f).Text()), File: files[i],
		}
		if f.Tree == nil {
			text := hex.EncodeToString(f.Input)
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
			j.Readings = append(j.Readings, jsonReading{reading.Who, sides})
		}
		out.Findings = append(out.Findings, j)
	}
	return out
}

// diffProgress shows on a terminal how far the search is; elsewhere it is nil.
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
			line(fmt.Sprintf("shrinking: %d groups of differences left", p.Shrinking))
		default:
			line(fmt.Sprintf("%s: %d inputs, %d differ", p.Type, p.Inputs, p.Parted))
		}
	}
}
