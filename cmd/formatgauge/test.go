package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

func newTest() *cobra.Command {
	var d dialectFlags
	var reports reportFlags
	var only, without []string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "test [-- ADAPTER...]",
		Short: "Judge an implementation on the corpus",
		Long: `Test judges an adapter: a command that answers requests in JSON Lines on its
standard streams. Without one it judges the built-in reference, under both
profiles. An adapter is judged under the profile that it declares.`,
		Example: `  formatgauge test
  formatgauge test -- python3 examples/adapters/python/minimal.py
  formatgauge test --report jsonl=results.jsonl --report html=results.html -- ./my-adapter
  formatgauge test --run 'upkg/*' --profile observed,upkg.ci-minus-zero=strict -- ./my-adapter`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
				return errors.New("the adapter's command stands behind --")
			}
			opts := judge.Options{Filter: func(v *corpus.Vector) bool {
				return (len(only) == 0 || matches(only, v)) && !matches(without, v)
			}}
			for _, p := range append(only, without...) {
				if _, err := path.Match(p, ""); err != nil {
					return fmt.Errorf("pattern %q: %w", p, err)
				}
			}
			if cmd.Flags().Changed("profile") || len(d.sides) > 0 {
				p, err := d.parse()
				if err != nil {
					return err
				}
				opts.Profile = &p
			}
			targets, err := reports.parse()
			if err != nil {
				return err
			}
			vectors, err := corpus.All()
			if err != nil {
				return failed(err)
			}
			impl, err := implementation(cmd, args, timeout)
			if err != nil {
				return err
			}
			defer impl.Close()
			r, err := judge.Run(cmd.Context(), impl, vectors, opts)
			if r == nil {
				return failed(err)
			}
			if err := writeReports(cmd, targets, r, err != nil); err != nil {
				return err
			}
			if errors.Is(err, context.Canceled) {
				return failed(fmt.Errorf("interrupted after %d results", len(r.Results)))
			}
			if !r.Conformant() {
				return errFailed
			}
			return nil
		},
	}
	reports.register(cmd)
	cmd.Flags().StringVar(&d.profile, "profile", spec.SideObserved, "judge under this profile instead of the declared one")
	cmd.Flags().StringArrayVar(&d.sides, "flag", nil, "flag=side to judge by, beside the profile (repeatable)")
	cmd.Flags().StringArrayVar(&only, "run", nil, "judge only vectors whose id or type matches, such as 'upkg/*/*' or 'upkg.*' (repeatable)")
	cmd.Flags().StringArrayVar(&without, "skip", nil, "leave out vectors whose id or type matches (repeatable)")
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "for one answer of the adapter (10s if left out)")
	_ = cmd.RegisterFlagCompletionFunc("flag", completeSides)
	return cmd
}

// matches compares a vector's id, its folder and its type with patterns.
func matches(patterns []string, v *corpus.Vector) bool {
	for _, p := range patterns {
		for _, s := range []string{v.ID, path.Dir(v.ID), v.Type, v.Family()} {
			if ok, _ := path.Match(p, s); ok {
				return true
			}
		}
	}
	return false
}

// implementation runs an adapter, or takes the built-in reference.
func implementation(cmd *cobra.Command, args []string, timeout time.Duration) (adapter.Implementation, error) {
	if len(args) == 0 {
		return adapter.NewReference(), nil
	}
	impl, err := adapter.NewChild(args, adapter.Options{Timeout: timeout, Stderr: cmd.ErrOrStderr()})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return impl, nil
}

func newServe() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Be an adapter: the reference behind the protocol",
		Long: `Serve answers the judge's requests from standard input on standard output,
one line of JSON each, until the input ends. It is the built-in reference as
an adapter, to compare others with and to try requests by hand.`,
		Example: `  echo '{"id":1,"op":"decode","type":"upkg.CompactIndex","hex":"4001"}' | formatgauge serve
  formatgauge test -- formatgauge serve`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return failed(adapter.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), adapter.NewReference()))
		},
	}
}
