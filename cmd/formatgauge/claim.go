package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// claimRun is formatgauge claim.
type claimRun struct {
	profileFlags
	viewFlags
	outputFlag
}

func (r *claimRun) run(cmd *cobra.Command, args []string) error {
	if err := checkDash(cmd, args); err != nil {
		return err
	}
	p, err := r.chosen(cmd)
	if err != nil {
		return err
	}
	run, err := judgeClaim(cmd, args, &processFlags{viewFlags: r.viewFlags}, p)
	if err != nil {
		return err
	}
	targets := []target{{"jsonl", r.Output}, {"claim", "-"}}
	if r.Output == "" || r.Output == "-" {
		targets = []target{{"jsonl", "-"}}
	}
	if err := writeReports(cmd, targets, run); err != nil {
		return err
	}
	if !run.Conformant() {
		return errFailed
	}
	return nil
}

// claimVerifyRun is formatgauge claim verify.
type claimVerifyRun struct {
	inputFlag
	Timeout time.Duration
}

func (r *claimVerifyRun) run(cmd *cobra.Command, args []string) error {
	if dash := cmd.ArgsLenAtDash(); dash != 1 && (dash >= 0 || len(args) > 1) {
		return errors.New("expected one claim, then an adapter's command after --")
	}
	runs, err := readRuns(cmd, args[:1])
	if err != nil {
		return err
	}
	return verify(cmd, runs[0], args[1:], r.Timeout)
}

func verify(cmd *cobra.Command, claimed *report.Run, command []string, timeout time.Duration) error {
	var err error
	findings := claimed.Gaps()
	ran := findings == nil && (len(command) > 0 || claimed.Hello.Name == "formatgauge")
	if ran {
		process := processFlags{viewFlags: viewFlags{timeout, claimed.Hello.Views}}
		computed, err := judgeClaim(cmd, command, &process, &claimed.Results[0].Profile)
		if err != nil {
			return err
		}
		computed.Formatgauge = claimed.Formatgauge // another version can verify it
		claimed.Results = slices.DeleteFunc(claimed.Results, func(r judge.Result) bool { return r.Derived })
		c := report.Compare(claimed, computed)
		findings = c.Notes()
		for i := range c.Changes {
			findings = append(findings, c.Changes[i].Vector+": "+c.Changes[i].What())
		}
	}
	var b strings.Builder
	const shown = 20
	for _, line := range findings[:min(shown, len(findings))] {
		fmt.Fprintln(&b, line)
	}
	if n := len(findings) - shown; n > 0 {
		fmt.Fprintf(&b, "and %d more\n", n)
	}
	switch {
	case len(findings) > 0:
		err = errFailed
		fmt.Fprintf(&b, "the claim is not correct: %s\n", report.Plural(len(findings), "finding"))
	case !ran:
		b.WriteString("form, corpus and sums are correct; to compute the claim again, add the adapter's command after --\n")
	default:
		b.WriteString("the claim is correct\n")
	}
	fmt.Fprint(cmd.OutOrStdout(), printable.Text(b.String()))
	return err
}

// judgeClaim judges an implementation by all vectors. A profile applies to one that follows any;
// nil means observed.
func judgeClaim(cmd *cobra.Command, command []string, process *processFlags, p *ids.Profile) (*report.Run, error) {
	impl, err := process.start(cmd, command)
	if err != nil {
		return nil, err
	}
	defer impl.Close()
	vectors, err := corpus.All()
	if err != nil {
		return nil, failed(err)
	}
	opts := judge.Options{Profiles: []ids.Profile{ids.Observed()}, NoDerived: true}
	if p != nil {
		opts.Profiles[0] = *p
	}
	hello, err := impl.Hello(cmd.Context())
	if err == nil && !hello.AnyProfile && p != nil {
		var own ids.Profile
		if own, err = hello.DeclaredProfile(); err == nil && own.String() != p.String() {
			err = fmt.Errorf("the adapter declares the profile %s: a claim under %s is not possible", own, *p)
		}
	}
	if err != nil {
		return nil, failed(fmt.Errorf("no claim: %w", err))
	}
	r, err := judge.Run(cmd.Context(), impl, vectors, opts)
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted: no claim was written")
	}
	if err != nil {
		return nil, failed(err)
	}
	return report.NewRun(r), nil
}
