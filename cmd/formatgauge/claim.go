package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/claim"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func newClaim() *cobra.Command {
	var d dialectFlags
	var to string
	var timeout time.Duration
	var schema bool
	cmd := &cobra.Command{
		Use:   "claim [flags] [-- ADAPTER...]",
		Short: "State how far an implementation conforms, to be checked by others",
		Long: `Claim judges an adapter, or the built-in reference, and writes what it shows:
implementation, version, corpus, profile, and for each type the levels reached:
  decode     what can be read is read as the expected tree
  rejects    what must be refused is refused as expected
  identical  canonical input is written back as the very same bytes
  canonical  every value is written in its canonical form, one without is refused
with the counts behind them. CONFORMANCE.md tells what a claim means. The exit
code is 0 if the implementation conforms, 1 if not; the claim is written either way.`,
		Example: `  formatgauge claim -o claim.json -- ./my-adapter
  formatgauge claim verify claim.json -- ./my-adapter
  formatgauge claim --schema > claim.schema.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if schema {
				if len(args) > 0 {
					return errors.New("--schema stands alone")
				}
				return output(cmd, to, claim.Schema)
			}
			if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
				return errors.New("the adapter's command stands behind --")
			}
			var p *ids.Profile
			if cmd.Flags().Changed("profile") || len(d.sides) > 0 {
				asked, err := d.parse()
				if err != nil {
					return err
				}
				p = &asked
			}
			c, err := makeClaim(cmd, args, timeout, p)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := c.Write(&b); err != nil {
				return failed(err)
			}
			if err := output(cmd, to, b.Bytes()); err != nil {
				return err
			}
			if to != "" && to != "-" {
				if err := writeClaim(cmd.OutOrStdout(), c); err != nil {
					return failed(err)
				}
			}
			if !c.Conformant {
				return errFailed
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&to, "output", "o", "", "file to write; standard output if left out")
	cmd.Flags().StringVar(&d.profile, "profile", ids.SideObserved, "of an adapter that follows any; others declare theirs")
	cmd.Flags().StringArrayVar(&d.sides, "flag", nil, "flag=side, beside the profile (repeatable)")
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "for one answer of the adapter (10s if left out)")
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of a claim")
	_ = cmd.RegisterFlagCompletionFunc("flag", completeSides)
	cmd.AddCommand(newClaimVerify())
	return cmd
}

func newClaimVerify() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "verify CLAIM.json [flags] [-- ADAPTER...]",
		Short: "Compute a claim again and say what differs",
		Long: `Verify checks that a claim fits the corpus and itself, then computes it again
with the adapter and says what differs. A claim of the built-in reference needs
no adapter. Without the adapter of another claim nothing is run: then only form,
corpus and sums are checked. The exit code is 0 if nothing is wrong.`,
		Example: `  formatgauge claim verify claim.json -- ./my-adapter
  formatgauge claim verify claim.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash != 1 && (dash >= 0 || len(args) > 1) {
				return errors.New("verify takes one claim; the adapter's command stands behind --")
			}
			claimed, err := readClaim(cmd, args[0])
			if err != nil {
				return failed(fmt.Errorf("%s: %w", args[0], err))
			}
			return verify(cmd, claimed, args[1:], timeout)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "for one answer of the adapter (10s if left out)")
	return cmd
}

func verify(cmd *cobra.Command, claimed *claim.Claim, command []string, timeout time.Duration) error {
	out := cmd.OutOrStdout()
	wrong := claimed.Check()
	ran := len(command) > 0 || claimed.Implementation.Name == "formatgauge"
	if ran {
		p, err := ids.ParseProfile(claimed.Profile)
		if err != nil {
			return failed(err)
		}
		computed, err := makeClaim(cmd, command, timeout, &p)
		if err != nil {
			return err
		}
		wrong = append(wrong, claim.Differences(claimed, computed)...)
	}
	for _, line := range wrong {
		fmt.Fprintln(out, line)
	}
	switch {
	case len(wrong) > 0:
		fmt.Fprintf(out, "the claim does not hold: %d findings\n", len(wrong))
		return errFailed
	case !ran:
		fmt.Fprintln(out, "form, corpus and sums are right; nothing was run: give the adapter behind --")
	default:
		fmt.Fprintln(out, "the claim holds")
	}
	return nil
}

func makeClaim(cmd *cobra.Command, command []string, timeout time.Duration, p *ids.Profile) (*claim.Claim, error) {
	impl, err := implementation(cmd, command, timeout)
	if err != nil {
		return nil, err
	}
	defer impl.Close()
	c, err := claim.Make(cmd.Context(), impl, p)
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted: there is no claim")
	}
	return c, failed(err)
}

func readClaim(cmd *cobra.Command, name string) (*claim.Claim, error) {
	var in io.Reader = cmd.InOrStdin()
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	return claim.Read(in)
}

// writeClaim shows a claim as a table, and the sentence to paste.
func writeClaim(out io.Writer, c *claim.Claim) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "type")
	for _, l := range claim.Levels {
		fmt.Fprintf(w, "\t%s", l)
	}
	fmt.Fprintln(w)
	for i := range c.Types {
		t := &c.Types[i]
		fmt.Fprint(w, t.Type)
		for _, l := range claim.Levels {
			fmt.Fprintf(w, "\t%s", cellOf(*t.Tally(l)))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s\n", c.Statement())
	return err
}

// cellOf is a level in a table: reached with n vectors, or what stands in the way.
func cellOf(t claim.Tally) string {
	switch {
	case t.Pass+t.Fail+t.Skip == 0:
		return "-"
	case t.Fail > 0:
		return fmt.Sprintf("%d of %d fail", t.Fail, t.Pass+t.Fail+t.Skip)
	case t.Skip > 0:
		return fmt.Sprintf("%d of %d skipped", t.Skip, t.Pass+t.Fail+t.Skip)
	}
	return fmt.Sprintf("yes (%d)", t.Pass)
}
