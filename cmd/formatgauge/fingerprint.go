package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func newFingerprint() *cobra.Command {
	var r fingerprintRun
	cmd := &cobra.Command{
		Use:   "fingerprint [flags] [-- ADAPTER...]",
		Short: "Find out which sides an implementation takes",
		Long: `Fingerprint asks an adapter for the vectors that tell the sides of flags apart,
and says which side it takes at each flag, and what to declare. One flag can
hide another: what is printed are the sides that fit all answers together best.

  other  it answers like no side; the vectors and the answers follow
  none   nothing that was asked tells the sides apart

Without an adapter it is the built-in reference. That, and an adapter with
anyProfile, takes the sides that it is asked for: those of --profile.

--oneshot asks a command without the protocol, as formatgauge test does; its
{profile} is what --profile and --flag ask for.

--json prints one object: name, version, asked (the profile that requests
named), vectors (how many were answered), definite (nothing speaks against a
side), profile (what to declare), and flags, each with flag, side, agree (how
many vectors say so), and where there are any: asWell (sides that explain the
answers as well), why (there is none), against (vector, op, class, want, got,
detail, like: the section of the vector that the answers meet).

The exit code is 0 if nothing speaks against a side, 1 if something does.`,
		Example: `  formatgauge fingerprint -- python3 my_adapter.py
  formatgauge fingerprint --run 'upkg/*' --json -- ./my-adapter
  formatgauge fingerprint --run upkg.CompactIndex --oneshot './my-tool decode {type}'
  formatgauge fingerprint --profile documented,upkg.ci-range=observed`,
		Args: cobra.ArbitraryArgs,
		RunE: r.run,
	}
	r.process.register(cmd)
	r.choice.register(cmd, "ask for")
	r.d.registerProfile(cmd)
	cmd.Flags().StringVar(&r.oneshot, "oneshot", "", oneshotUsage)
	cmd.Flags().BoolVar(&r.json, "json", false, "print JSON")
	return cmd
}

// fingerprintRun is what formatgauge fingerprint is asked to do.
type fingerprintRun struct {
	d       dialectFlags
	process processFlags
	choice  choiceFlags
	oneshot string
	json    bool
}

func (r *fingerprintRun) run(cmd *cobra.Command, args []string) error {
	if err := r.choice.check(); err != nil {
		return err
	}
	opts := judge.Options{Filter: r.choice.takes, Sides: r.d.sides}
	p, err := ids.ParseProfile(r.d.profile)
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("profile") {
		opts.Profile = &p
	}
	asked, err := p.WithSides(r.d.sides)
	if err != nil {
		return err
	}
	impl, err := r.process.startEither(cmd, args, r.oneshot, asked)
	if err != nil {
		return err
	}
	defer impl.Close()
	vectors, err := corpus.All()
	if err != nil {
		return failed(err)
	}
	if !slices.ContainsFunc(vectors, r.choice.takes) {
		return failed(errors.New("no vector matches: nothing was asked"))
	}
	s, err := judge.Fingerprint(cmd.Context(), impl, vectors, opts)
	switch {
	case errors.Is(err, context.Canceled):
		return failed(errors.New("interrupted: there is no fingerprint"))
	case err != nil:
		return failed(err)
	case r.json:
		err = printFingerprintJSON(cmd.OutOrStdout(), s)
	default:
		err = printFingerprint(cmd.OutOrStdout(), style(cmd.OutOrStdout()), s)
	}
	if err != nil {
		return failed(err)
	}
	if !s.Definite() {
		return errFailed
	}
	return nil
}

func printFingerprint(w io.Writer, st hexdump.Style, s *judge.Sides) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	rows := 0
	for _, f := range s.Flags {
		if f.Side == judge.SideNone {
			continue
		}
		if rows == 0 {
			fmt.Fprintln(table, "flag\tside\tvectors\tagainst")
		}
		rows++
		side := f.Side
		if len(f.AsWell) > 0 {
			side += " (or " + strings.Join(f.AsWell, ", ") + ")"
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\n", f.Flag.ID, side, f.Agree, len(f.Against))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	printNone(w, s.Flags)
	printAgainst(w, st, s.Flags)
	if s.Hello.AnyProfile {
		fmt.Fprintf(w, "it follows any profile, and was asked for %s\n", s.Asked)
	}
	fmt.Fprintf(w, "%s\n  %s\nas an option:\n  --profile %s\n", st.Strong("declare in hello:"), declaration(s.Profile), s.Profile)
	return nil
}

// declaration is what hello has to say.
func declaration(p ids.Profile) string { return fmt.Sprintf(`"profile": "%s",`, p) }

// printNone lists the flags that nothing tells of, by the reason. A family
// that has the same reason throughout is named once.
func printNone(w io.Writer, flags []judge.FlagSide) {
	var reasons []string
	of := map[string][]string{}
	inFamily, alike := map[string]int{}, map[string]int{}
	for _, f := range flags {
		inFamily[f.Flag.Family()]++
		alike[f.Flag.Family()+f.Why]++
	}
	for _, f := range flags {
		if f.Side != judge.SideNone {
			continue
		}
		family, what := f.Flag.Family(), string(f.Flag.ID)
		if n := inFamily[family]; n == alike[family+f.Why] {
			what = fmt.Sprintf("all %d of %s", n, family)
		}
		if of[f.Why] == nil {
			reasons = append(reasons, f.Why)
		}
		if !slices.Contains(of[f.Why], what) {
			of[f.Why] = append(of[f.Why], what)
		}
	}
	for _, why := range reasons {
		fmt.Fprintf(w, "none, %s:\n", why)
		for some := range slices.Chunk(of[why], 4) {
			fmt.Fprintf(w, "  %s\n", strings.Join(some, ", "))
		}
	}
	if len(reasons) > 0 {
		fmt.Fprintln(w)
	}
}

// printAgainst shows each vector that speaks against a side once, below the
// flags that it is about.
func printAgainst(w io.Writer, st hexdump.Style, flags []judge.FlagSide) {
	shown := map[string]bool{}
	for _, f := range flags {
		if len(f.Against) == 0 {
			continue
		}
		if f.Side == judge.SideOther {
			fmt.Fprintf(w, "%s answers like no side:\n", st.Bad(string(f.Flag.ID)))
		} else {
			fmt.Fprintf(w, "%s is %s, but:\n", st.Bad(string(f.Flag.ID)), f.Side)
		}
		for _, a := range f.Against {
			if shown[a.Vector.ID] {
				fmt.Fprintf(w, "  %s, above\n", a.Vector.ID)
				continue
			}
			shown[a.Vector.ID] = true
			fmt.Fprintf(w, "  %s  (formatgauge explain %s)\n", a.Vector.ID, a.Vector.ID)
			fmt.Fprintf(w, "    %s: want %s\n", a.Op, cut(a.Want))
			if a.Got != "" {
				fmt.Fprintf(w, "    got %s\n", cut(a.Got))
			}
			if a.Got == "" || a.Class == judge.Unsteady {
				fmt.Fprintf(w, "    %s\n", cut(a.Detail))
			}
			if a.Like != "" {
				fmt.Fprintf(w, "    that is -- %s --\n", a.Like)
			}
		}
		fmt.Fprintln(w)
	}
}

// cut shortens what is shown on one line.
func cut(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > shownText {
		return string(r[:shownText]) + "…"
	}
	return s
}

type jsonFingerprint struct {
	Name     string         `json:"name"`
	Version  string         `json:"version,omitempty"`
	Asked    string         `json:"asked"`
	Vectors  int            `json:"vectors"`
	Definite bool           `json:"definite"`
	Profile  string         `json:"profile"`
	Flags    []jsonFlagSide `json:"flags"`
}

type jsonFlagSide struct {
	Flag    ids.Flag      `json:"flag"`
	Side    string        `json:"side"`
	Agree   int           `json:"agree"`
	AsWell  []string      `json:"asWell,omitempty"`
	Why     string        `json:"why,omitempty"`
	Against []jsonAgainst `json:"against,omitempty"`
}

type jsonAgainst struct {
	Vector string      `json:"vector"`
	Op     adapter.Op  `json:"op"`
	Class  judge.Class `json:"class"`
	Want   string      `json:"want"`
	Got    string      `json:"got,omitempty"`
	Detail string      `json:"detail"`
	Like   string      `json:"like,omitempty"`
}

func printFingerprintJSON(w io.Writer, s *judge.Sides) error {
	out := jsonFingerprint{
		Name: s.Hello.Name, Version: s.Hello.Version, Asked: s.Asked.String(), Vectors: s.Vectors,
		Definite: s.Definite(), Profile: s.Profile.String(),
	}
	for _, f := range s.Flags {
		row := jsonFlagSide{Flag: f.Flag.ID, Side: f.Side, Agree: f.Agree, AsWell: f.AsWell, Why: f.Why}
		for _, a := range f.Against {
			row.Against = append(row.Against, jsonAgainst{a.Vector.ID, a.Op, a.Class, a.Want, a.Got, a.Detail, a.Like})
		}
		out.Flags = append(out.Flags, row)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
