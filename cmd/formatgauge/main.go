// Command formatgauge judges implementations of game-asset formats. It also
// decodes, encodes, inspects and explains these formats.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/internal/outfile"
	"github.com/formatgauge/formatgauge/internal/version"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // not conformant, rejected, or an error of input or output
	exitUsage  = 2
)

// secondInterrupt is the time after the first Ctrl-C from which another one
// ends the program. A user may press the keys twice by accident.
const secondInterrupt = time.Second

// errFailed means that the command has printed the reason. The program ends with
// exitFailed.
var errFailed = errors.New("failed")

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run runs the command line args and returns the exit code.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first Ctrl-C ends the adapters and prints the results so far. The next
	// one ends the program at once.
	context.AfterFunc(ctx, func() { time.AfterFunc(secondInterrupt, stop) })
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	cmd, err := root.ExecuteContextC(ctx)
	var failed *failure
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFailed):
		return exitFailed
	case errors.As(err, &failed):
		fmt.Fprintln(errOut, "formatgauge:", failed.err)
		return exitFailed
	}
	fmt.Fprintln(errOut, "formatgauge:", err)
	fmt.Fprintf(errOut, "see %s --help\n", cmd.CommandPath())
	return exitUsage
}

// failure is an error that is not an error of usage.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// failed marks err as a failure, for exitFailed. Other errors give exitUsage.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return &failure{err}
}

func newRoot() *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "formatgauge",
		Short: "Conformance reference for game-asset binary formats",
		Long: `formatgauge judges readers and writers of game-asset binary formats in any
programming language. It also decodes, encodes, inspects and explains these
formats.

Exit codes: 0 conformant or done; 1 not conformant, rejected or failed;
2 error in the command line, or an output that cannot be written.`,
		Example: `  formatgauge test                                   judge the built-in reference
  formatgauge test -- python3 my_adapter.py          judge your own implementation
  formatgauge inspect upkg.Package Core.u            show the meaning of every byte`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !showVersion {
				return cmd.Help()
			}
			digest, err := corpus.Digest()
			if err != nil {
				return failed(err)
			}
			return writeOutput(cmd, "", fmt.Appendf(nil, "formatgauge %s\ncorpus %d (%s)\nprotocol %s\n", version.String(), corpus.Number, digest, adapter.Version))
		},
	}
	root.Flags().BoolVar(&showVersion, "version", false, "print the versions of the program, the corpus and the protocol")
	root.AddCommand(newTest(), newReport(), newClaim(), newDiff(), newDecode(), newEncode(), newInspect(), newExplain(), newList(), newCorpus(), newKa(), newUasset(), newUpkg(), newServe(), newSmoke(), newFingerprint())
	return root
}

// arguments checks that there are least to most positional arguments.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("expected %s, found %s", cmd.UseLine(), count(len(args), "argument"))
		}
		return nil
	}
}

// checkDash checks that arguments, which are an adapter's command, follow --.
func checkDash(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
		return fmt.Errorf("unexpected argument %q: an adapter's command must follow --", args[0])
	}
	return nil
}

// styleOf returns a style with colours if w is a terminal that supports them.
func styleOf(w io.Writer) hexdump.Style {
	f, ok := w.(*os.File)
	return hexdump.Style{Color: ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))}
}

// readInput reads the file args[0], or standard input for "-" or no argument.
func readInput(cmd *cobra.Command, args []string) ([]byte, error) {
	if len(args) == 0 || args[0] == "-" {
		b, err := io.ReadAll(cmd.InOrStdin())
		return b, failed(err)
	}
	b, err := os.ReadFile(args[0])
	return b, failed(err)
}

// writeOutput writes b to a file, or to standard output for "-" or "".
func writeOutput(cmd *cobra.Command, name string, b []byte) error {
	if name == "" || name == "-" {
		_, err := cmd.OutOrStdout().Write(b)
		return failed(err)
	}
	return failed(outfile.Write(name, b))
}

// outputFlag adds the flag --output. Before cmd runs, the file is checked.
func outputFlag(cmd *cobra.Command, to *string, usage string) {
	cmd.Flags().StringVarP(to, "output", "o", "", usage)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *to == "" || *to == "-" {
			return nil
		}
		return outfile.Check(*to)
	}
}

const outputUsage = "write to `FILE` instead of standard output"
