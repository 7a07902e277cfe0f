package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// fingerprintSchema is the JSON Schema of the output of formatgauge fingerprint
// --json.
//
//go:embed schema/fingerprint.json
var fingerprintSchema []byte

// fingerprintRun is formatgauge fingerprint.
type fingerprintRun struct {
	judgeFlags
	jsonFlag
}

func (r *fingerprintRun) run(cmd *cobra.Command, args []string) error {
	opts, err := r.options(cmd)
	if err != nil {
		return err
	}
	impl, err := r.start(cmd, args)
	if err != nil {
		return err
	}
	defer impl.Close()
	vectors, err := corpus.All()
	if err != nil {
		return failed(err)
	}
	if !slices.ContainsFunc(vectors, r.selects) {
		return failed(r.noMatch("--run and --skip"))
	}
	s, err := judge.Fingerprint(cmd.Context(), impl, vectors, opts)
	switch {
	case errors.Is(err, context.Canceled):
		return failed(errors.New("interrupted: no fingerprint was computed"))
	case err != nil:
		return failed(err)
	case r.JSON:
		err = printFingerprintJSON(cmd.OutOrStdout(), s)
	default:
		err = printStyled(cmd.OutOrStdout(), func(b *bytes.Buffer, st hexdump.Style) { printFingerprint(b, st, s) })
	}
	if err != nil {
		return failed(err)
	}
	if !s.Definite() {
		return errFailed
	}
	return nil
}

func printFingerprint(w *bytes.Buffer, st hexdump.Style, s *judge.FingerprintResult) {
	if s.NotAsked > 0 {
		fmt.Fprintf(w, "%s after faults: %d vectors were answered, %d were not asked.\n"+
			"The answers are too few to show a side. formatgauge smoke -- ADAPTER shows faults.\n",
			st.Bad("the implementation was given up"), s.Vectors, s.NotAsked)
		return
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	rows := 0
	for _, f := range s.Flags {
		if len(f.For)+len(f.Against) == 0 {
			continue
		}
		if rows == 0 {
			fmt.Fprintln(table, "flag\tside\tagree\tcontradict")
		}
		rows++
		side := f.Side
		if len(f.Alternatives) > 0 {
			side += " (or " + strings.Join(f.Alternatives, ", ") + ")"
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\n", f.Flag, side, len(f.For), len(f.Against))
	}
	table.Flush() // into memory
	fmt.Fprintln(w)
	if s.Acceptable > 0 {
		fmt.Fprintf(w, "%d vectors are acceptable: no failure\n", s.Acceptable)
	}
	printNotShown(w, s.Flags)
	for _, f := range s.Flags {
		printAnswers(w, st, f.Against, fmt.Sprintf("%s: these answers contradict %s", f.Flag, s.Profile.Side(f.Flag)))
	}
	printAnswers(w, st, s.Unexplained, "these answers fail under the profile and show no side")
	if s.Hello.AnyProfile {
		fmt.Fprintf(w, "the implementation follows the profile of each request, here %s\n", s.Asked)
	}
	if len(s.Hello.Views) > 0 {
		fmt.Fprintf(w, "the answers are compared%s\n", spec.InViews(s.Hello.Views))
	}
	if !s.Proposes() {
		fmt.Fprintln(w, "no side is shown, so there is no profile to declare")
		return
	}
	fmt.Fprintf(w, "%s\n  %s\nor judge with:\n  --profile %s\n", st.Strong("declare in hello:"), declaration(s.Profile),
		s.Profile)
}

// declaration returns the field profile of hello.
func declaration(p ids.Profile) string { return fmt.Sprintf(`"profile": "%s",`, p) }

// printNotShown lists the flags whose side is not shown by reason. If all flags of
// a family have one reason, it prints the family instead.
func printNotShown(w io.Writer, flags []judge.FlagSide) {
	var reasons []string
	byReason := map[string][]string{}
	inFamily, sameReason := map[string]int{}, map[string]int{}
	for i := range flags {
		inFamily[spec.FamilyOf(string(flags[i].Flag))]++
		sameReason[spec.FamilyOf(string(flags[i].Flag))+notShown(&flags[i])]++
	}
	for _, f := range flags {
		if f.Side != judge.SideNotShown {
			continue
		}
		family, name, why := spec.FamilyOf(string(f.Flag)), string(f.Flag), notShown(&f)
		if n := inFamily[family]; n == sameReason[family+why] {
			name = fmt.Sprintf("all %d of %s", n, family)
		}
		if byReason[why] == nil {
			reasons = append(reasons, why)
		}
		if !slices.Contains(byReason[why], name) {
			byReason[why] = append(byReason[why], name)
		}
	}
	for _, why := range reasons {
		fmt.Fprintf(w, "not shown, %s:\n", why)
		for line := range slices.Chunk(byReason[why], 4) {
			fmt.Fprintf(w, "  %s\n", strings.Join(line, ", "))
		}
	}
	if len(reasons) > 0 {
		fmt.Fprintln(w)
	}
}

// notShown says why the side of a flag is not shown; empty if it is.
func notShown(f *judge.FlagSide) string {
	if f.Unasked != nil {
		return report.What(f.Unasked)
	}
	return map[judge.SideReason]string{
		judge.NoVector:      "no chosen vector distinguishes its sides",
		judge.Contradictory: "the answers contradict each other",
		judge.NoEvidence:    "no answer shows one of its sides",
		judge.GivenUp:       "the implementation was given up",
	}[f.Reason]
}

// printAnswers prints answers that fail or are acceptable, under a title.
func printAnswers(w io.Writer, st hexdump.Style, answers []judge.Contradiction, title string) {
	if len(answers) == 0 {
		return
	}
	fmt.Fprintf(w, "%s:\n", st.Bad(title))
	for _, a := range answers {
		fmt.Fprintf(w, "  %s  (formatgauge explain %s)\n", a.Vector, a.Vector)
		fmt.Fprintf(w, "    %s: expected %s\n", a.Op, cutLine(report.AnswerText(a.Expected)))
		if a.Got != nil {
			fmt.Fprintf(w, "    got %s\n", cutLine(report.AnswerText(a.Got)))
		}
		if a.Got == nil || a.Alone {
			fmt.Fprintf(w, "    %s\n", cutLine(report.What(a.Outcome)))
		}
		if a.Section != "" {
			fmt.Fprintf(w, "    the answers match section -- %s --\n", a.Section)
		}
	}
	fmt.Fprintln(w)
}

// cutLine puts s on one line of at most maxText characters.
func cutLine(s string) string {
	return page.Cut(strings.Join(strings.Fields(s), " "), maxText)
}

// jsonFingerprint is the JSON form; schema/fingerprint.json describes it.
type jsonFingerprint struct {
	Name     string   `json:"name"`
	Version  string   `json:"version,omitempty"`
	Asked    string   `json:"asked"`
	Definite bool     `json:"definite"`
	Profile  string   `json:"profile,omitempty"`
	Views    []string `json:"views,omitempty"`
	*judge.FingerprintResult
}

func printFingerprintJSON(w io.Writer, s *judge.FingerprintResult) error {
	out := jsonFingerprint{s.Hello.Name, s.Hello.Version, s.Asked.String(), s.Definite(), "", s.Hello.Views, s}
	if s.Proposes() {
		out.Profile = s.Profile.String()
	}
	return printJSON(w, out)
}
