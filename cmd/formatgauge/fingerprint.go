package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
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
	if err := r.checkMatch(vectors); err != nil {
		return err
	}
	s, err := judge.Fingerprint(cmd.Context(), impl, vectors, opts)
	switch {
	case errors.Is(err, context.Canceled):
		return failed(errors.New("interrupted: no fingerprint was computed"))
	case err != nil:
		return failed(err)
	}
	out := jsonFingerprint{s.Hello.Name, s.Hello.Version, s.Asked.String(), s.Definite(), "", s.Hello.Views, s}
	if s.Proposes() {
		out.Profile = s.Profile.String()
	}
	if err := r.print(cmd, "fingerprint", out); err != nil {
		return err
	}
	if !s.Definite() {
		return errFailed
	}
	return nil
}

// shownFlags returns the flags about whose sides there are answers.
func shownFlags(flags []judge.FlagSide) []judge.FlagSide {
	return slices.DeleteFunc(slices.Clone(flags), func(f judge.FlagSide) bool { return len(f.For)+len(f.Against) == 0 })
}

// unshown are flags whose sides are not shown for one reason.
type unshown struct {
	Why   string
	Flags []string // "all N of FAMILY" if all flags of a family have this reason
}

// notShownSides returns the flags whose side is not shown by reason.
func notShownSides(flags []judge.FlagSide) (out []unshown) {
	inFamily, sameReason := map[string]int{}, map[string]int{}
	for i := range flags {
		family := spec.FamilyOf(string(flags[i].Flag))
		inFamily[family]++
		sameReason[family+notShown(&flags[i])]++
	}
	for i := range flags {
		if flags[i].Side != judge.SideNotShown {
			continue
		}
		name, why := string(flags[i].Flag), notShown(&flags[i])
		if family := spec.FamilyOf(name); inFamily[family] == sameReason[family+why] {
			name = fmt.Sprintf("all %d of %s", inFamily[family], family)
		}
		at := slices.IndexFunc(out, func(u unshown) bool { return u.Why == why })
		if at < 0 {
			at, out = len(out), append(out, unshown{Why: why})
		}
		if !slices.Contains(out[at].Flags, name) {
			out[at].Flags = append(out[at].Flags, name)
		}
	}
	return out
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

// cutLine puts s on one line of at most n characters.
func cutLine(s string, n int) string { return page.Cut(strings.Join(strings.Fields(s), " "), n) }

// jsonFingerprint is what is printed; schema/fingerprint.json describes its JSON form.
type jsonFingerprint struct {
	Name     string   `json:"name"`
	Version  string   `json:"version,omitempty"`
	Asked    string   `json:"asked"`
	Definite bool     `json:"definite"`
	Profile  string   `json:"profile,omitempty"`
	Views    []string `json:"views,omitempty"`
	*judge.FingerprintResult
}
