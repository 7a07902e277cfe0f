// Command formatgauge judges implementations of game-asset formats, and
// decodes, encodes, inspects and explains them.
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
	"github.com/formatgauge/formatgauge/internal/version"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // not conformant, or rejected
	exitUsage  = 2
)

// insisting is how long the adapters have to be gone before a second Ctrl-C
// ends the program: both may come from one press of an impatient hand.
const insisting = time.Second

// errFailed ends the program with exitFailed after everything has been said.
var errFailed = errors.New("failed")

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole program; tests call it too.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first Ctrl-C ends adapters and prints what is known. After that, one
	// more ends the program, whatever it waits for.
	context.AfterFunc(ctx, func() { time.AfterFunc(insisting, stop) })
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
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
	fmt.Fprintln(errOut, "see formatgauge --help")
	return exitUsage
}

// failure is an error that is not the caller's usage.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

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
		Short: "The conformance reference for game-asset binary formats",
		Long: `formatgauge judges readers and writers of game-asset binary formats in any
language, and reads, writes and explains these formats itself.

Exit codes: 0 conformant or done, 1 not conformant or rejected, 2 usage.`,
		Example: `  formatgauge test                                   judge the built-in reference
  formatgauge test -- python3 my_adapter.py          judge your own implementation
  formatgauge inspect upkg.Package Core.u            see what every byte means`,
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
			return output(cmd, "", fmt.Appendf(nil, "formatgauge %s\ncorpus %d (%s)\nprotocol %s\n", version.String(), corpus.Number, digest, adapter.Version))
		},
	}
	root.Flags().BoolVar(&showVersion, "version", false, "print the versions of the program, the corpus and the protocol")
	root.AddCommand(newTest(), newReport(), newClaim(), newDiff(), newDecode(), newEncode(), newInspect(), newExplain(), newList(), newCorpus(), newKa(), newUasset(), newServe(), newSmoke(), newFingerprint())
	return root
}

// style colours output for a terminal that wants it.
func style(w io.Writer) hexdump.Style {
	f, ok := w.(*os.File)
	return hexdump.Style{Color: ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))}
}

// input reads a file, or standard input for "-" or no name.
func input(cmd *cobra.Command, args []string) ([]byte, error) {
	if len(args) == 0 || args[0] == "-" {
		b, err := io.ReadAll(cmd.InOrStdin())
		return b, failed(err)
	}
	b, err := os.ReadFile(args[0])
	return b, failed(err)
}

// output writes to a file, or to standard output for "-" or no name.
func output(cmd *cobra.Command, name string, b []byte) error {
	if name == "" || name == "-" {
		_, err := cmd.OutOrStdout().Write(b)
		return failed(err)
	}
	return failed(os.WriteFile(name, b, 0o666))
}
