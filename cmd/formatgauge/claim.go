package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/claim"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func newClaim() *cobra.Command {
	var d dialectFlags
	var to string
	var process processFlags
	cmd := &cobra.Command{
		Use:   "claim [flags] [-- ADAPTER...]",
		Short: "Write a claim of conformance that others can check",
		Long: `Claim judges an adapter, or the built-in reference, and writes a claim: the
implementation, its version, the corpus, the profile, and for each type the
levels that it reaches, with the numbers of vectors:
  decode     valid input is decoded to the expected tree
  rejects    invalid input is rejected as expected
  identical  canonical input is encoded to the same bytes
  canonical  each value is encoded in its canonical form; a value without an
             encoding is rejected
Acceptable answers are counted separately: they are neither passed nor failed.
docs/claims.md defines what a claim means.

The exit code is 0 if the implementation conforms, 1 if not. The claim is written
in both cases.`,
		Example: `  formatgauge claim -o claim.json -- ./my-adapter
  formatgauge claim verify claim.json -- ./my-adapter
  formatgauge claim --schema > claim.schema.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkDash(cmd, args); err != nil {
				return err
			}
			p, err := d.chosen(cmd)
			if err != nil {
				return err
			}
			c, err := makeClaim(cmd, args, &process, p)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := c.Write(&b); err != nil {
				return failed(err)
			}
			if err := writeOutput(cmd, to, []byte(printable.Text(b.String()))); err != nil {
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
	outputFlag(cmd, &to, outputUsage)
	d.registerProfile(cmd)
	cmd.Flag("profile").Usage = "follow `PROFILE`, if the adapter declares anyProfile"
	process.registerViews(cmd)
	schemaFlag(cmd, "print the JSON Schema of a claim", claim.Schema)
	cmd.AddCommand(newClaimVerify())
	return cmd
}

func newClaimVerify() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "verify CLAIM.json [flags] [-- ADAPTER...]",
		Short: "Check a claim and compute it again",
		Long: `Verify checks the form of a claim, its corpus and its sums. Then it computes the
claim again with the adapter and prints the differences. A claim of the built-in
reference needs no adapter. Without a command, other claims are not computed
again. The exit code is 0 if the claim is correct, 1 otherwise.`,
		Example: `  formatgauge claim verify claim.json -- ./my-adapter
  formatgauge claim verify claim.json`,
		Args: arguments(1, math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash != 1 && (dash >= 0 || len(args) > 1) {
				return errors.New("expected one claim, then an adapter's command after --")
			}
			claimed, err := readClaim(cmd, args[0])
			if err != nil {
				return err
			}
			return verify(cmd, claimed, args[1:], timeout)
		},
	}
	cmd.Flags().DurationVar(&timeout, timeoutFlag, 0, timeoutUsage)
	inputFlag(cmd)
	return cmd
}

func verify(cmd *cobra.Command, claimed *claim.Claim, command []string, timeout time.Duration) error {
	out := cmd.OutOrStdout()
	findings := claimed.Check()
	ran := len(command) > 0 || claimed.Implementation.Name == "formatgauge"
	if ran {
		p, err := ids.ParseProfile(claimed.Profile)
		if err != nil {
			return rejected(err)
		}
		computed, err := makeClaim(cmd, command, &processFlags{timeout: timeout, views: claimed.Views}, &p)
		if err != nil {
			return err
		}
		findings = append(findings, claim.Differences(claimed, computed)...)
	}
	for _, line := range findings {
		fmt.Fprintln(out, printable.Text(line))
	}
	switch {
	case len(findings) > 0:
		fmt.Fprintf(out, "the claim is not correct: %s\n", count(len(findings), "finding"))
		return errFailed
	case !ran:
		fmt.Fprintln(out, "form, corpus and sums are correct; to compute the claim again, add the adapter's command after --")
	default:
		fmt.Fprintln(out, "the claim is correct")
	}
	return nil
}

func makeClaim(cmd *cobra.Command, command []string, process *processFlags, p *ids.Profile) (*claim.Claim, error) {
	impl, err := process.start(cmd, command)
	if err != nil {
		return nil, err
	}
	defer impl.Close()
	vectors, err := corpus.All()
	if err != nil {
		return nil, failed(err)
	}
	c, err := claim.Make(cmd.Context(), impl, vectors, p)
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted: no claim was written")
	}
	return c, failed(err)
}

func readClaim(cmd *cobra.Command, name string) (*claim.Claim, error) {
	src, err := readInput(cmd, []string{name})
	if err != nil {
		return nil, err
	}
	c, err := claim.Read(bytes.NewReader(src))
	if err != nil && !bytes.Contains(src, []byte(`"formatgauge-claim"`)) {
		err = failed(fmt.Errorf("%s is no claim: formatgauge claim -o FILE writes one", name))
	} else if err != nil {
		err = rejected(fmt.Errorf("%s: %w", name, err))
	}
	return c, err
}

// writeClaim prints a claim as a table and as a sentence.
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
			fmt.Fprintf(w, "\t%s", tallyText(*t.Tally(l)))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s\n", printable.Text(c.Statement()))
	return err
}

// tallyText describes a level in the table: reached with n vectors, or the
// number of vectors that failed or were skipped.
func tallyText(t claim.Tally) string {
	switch {
	case t.Total() == 0:
		return "-"
	case t.Failed() > 0:
		return fmt.Sprintf("%d of %d fail", t.Failed(), t.Total())
	case t[judge.Skip] > 0:
		return fmt.Sprintf("%d of %d skipped", t[judge.Skip], t.Total())
	}
	s := fmt.Sprintf("%d", t[judge.Pass])
	if n := t[judge.Acceptable]; n > 0 {
		s += fmt.Sprintf(", %d acceptable", n)
	}
	if t[judge.Pass] == 0 {
		return "no (" + s + ")"
	}
	return "yes (" + s + ")"
}
