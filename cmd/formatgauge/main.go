// Command formatgauge judges implementations of game-asset formats. It also
// decodes, encodes, inspects and explains these formats.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/internal/outfile"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/internal/version"
)

// Exit codes. [exitCodes] describes them.
const (
	exitOK      = 0
	exitFailed  = 1
	exitTrouble = 2
	exitSignal  = 128 // added to the number of the signal
)

// exitCodes is part of the help of every command.
const exitCodes = `
Exit codes:
  0    conformant, or accepted
  1    not conformant, or the input is rejected
  2    called wrongly, or trouble: a missing file, an unwritable report, a full disk,
       an input above --max-input
  130  interrupted (INT)
  143  terminated (TERM)
`

// secondInterrupt is the time after the first Ctrl-C from which another one
// ends the program. A user may press the keys twice by accident.
const secondInterrupt = time.Second

// endGrace is the time after which a signal ends a command that runs no adapter,
// whatever it does.
const endGrace = time.Second

// memoryAim is the memory in bytes that a run of the judge aims at. The garbage
// collector works harder only close to it, so that usual runs do not wait for it.
const memoryAim = 288 << 20

// errFailed means that the command has printed the reason. The program ends with
// exitFailed.
var errFailed error = &failure{errors.New("failed"), exitFailed}

func main() { os.Exit(runAsProcess(os.Args[1:])) }

// runAsProcess runs the command line args in a process that does nothing else.
// When it returns, no process that an adapter has started runs, as far as the
// system allows it.
func runAsProcess(args []string) int {
	adoptDescendants()
	defer endDescendants()
	debug.SetMemoryLimit(memoryAim)
	return run(args, os.Stdin, os.Stdout, os.Stderr)
}

// interruption is the cause of a context that a signal has ended.
type interruption struct{ signal syscall.Signal }

func (i *interruption) Error() string { return "interrupted" }

// run runs the command line args and returns the exit code.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	root := newRoot()
	target, _, _ := root.Find(args) // the command that runs; the root after an error
	hasAdapter := target.Flags().Lookup(timeoutFlag) != nil
	done := make(chan struct{})
	defer close(done)
	go func() {
		var first time.Time
		var number syscall.Signal
		var force <-chan time.Time
		exit := func() {
			endDescendants()
			os.Exit(exitSignal + int(number))
		}
		for {
			select {
			case s := <-signals:
				// The first Ctrl-C ends the adapters and prints the results so far. The
				// next one ends the program at once.
				number, _ = s.(syscall.Signal)
				cancel(&interruption{number})
				switch {
				case !first.IsZero() && time.Since(first) > secondInterrupt:
					exit()
				case first.IsZero() && !hasAdapter:
					force = time.After(endGrace)
				}
				first = time.Now()
			case <-force:
				fmt.Fprintln(errOut, "formatgauge: interrupted")
				exit()
			case <-done:
				return
			}
		}
	}()
	checked := &checkedWriter{Writer: out}
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(checked)
	root.SetErr(errOut)
	cmd, err := root.ExecuteContextC(ctx)
	if unwritten := checked.failure(); unwritten != nil && (err == nil || errors.Is(err, errFailed)) {
		err = failed(unwritten)
	}
	code := exitCode(err)
	if err != nil && !errors.Is(err, errFailed) {
		fmt.Fprintln(errOut, "formatgauge:", printable.Text(err.Error()))
		if !errors.As(err, new(*failure)) {
			fmt.Fprintf(errOut, "see %s --help\n", cmd.CommandPath())
		}
	}
	var interrupted *interruption
	if errors.As(context.Cause(ctx), &interrupted) {
		code = exitSignal + int(interrupted.signal)
	}
	return code
}

func exitCode(err error) int {
	var f *failure
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &f):
		return f.code
	}
	return exitTrouble
}

// checkedWriter keeps the first error of a writer.
type checkedWriter struct {
	io.Writer
	mu  sync.Mutex
	err error
}

func (w *checkedWriter) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *checkedWriter) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// failure is an error that is not an error of usage.
type failure struct {
	err  error
	code int
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// failed marks err as trouble, unless it is marked already. Other errors are
// errors of usage.
func failed(err error) error { return mark(err, exitTrouble) }

// rejected marks err as the reason why the input is rejected.
func rejected(err error) error { return mark(err, exitFailed) }

func mark(err error, code int) error {
	if err == nil || errors.As(err, new(*failure)) {
		return err
	}
	return &failure{err, code}
}

func newRoot() *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "formatgauge",
		Short: "Conformance reference for game-asset binary formats",
		Long: `formatgauge judges readers and writers of game-asset binary formats in any
programming language. It also decodes, encodes, inspects and explains these
formats.`,
		Example: `  formatgauge test                                   judge the built-in reference
  formatgauge test -- python3 my_adapter.py          judge your own implementation
  formatgauge inspect upkg.Package Core.u            show the meaning of every byte`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !showVersion {
				return cmd.Help()
			}
			return writeOutput(cmd, "", fmt.Appendf(nil, "formatgauge %s\ncorpus %d (%s)\nprotocol %s\n", version.String(),
				corpus.Number, corpus.RecordedDigest(), adapter.Version))
		},
	}
	root.Flags().BoolVar(&showVersion, "version", false, "print the versions of the program, the corpus and the protocol")
	root.SetFlagErrorFunc(flagError)
	root.SetUsageTemplate(root.UsageTemplate() + exitCodes)
	root.AddCommand(newTest(), newCheck(), newReport(), newClaim(), newDiff(), newDecode(), newEncode(), newInspect(),
		newExplain(), newList(), newSchema(), newAdapter(), newCorpus(), newKa(), newUasset(), newUpkg(), newServe(),
		newSmoke(), newFingerprint(), newSite(), newMan())
	return root
}

// arguments checks that there are least to most positional arguments, and all
// required flags.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) (err error) {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("expected %s, found %s", cmd.UseLine(), count(len(args), "argument"))
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if err == nil && !f.Changed && f.Annotations[cobra.BashCompOneRequiredFlag] != nil {
				err = fmt.Errorf("expected %s, found no --%s", cmd.UseLine(), f.Name)
			}
		})
		return err
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
	return hexdump.Style{Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)}
}

func isTerminal(w io.Writer) bool {
	if c, ok := w.(*checkedWriter); ok {
		w = c.Writer
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// printStyled prints what write writes, for a terminal in its style. It replaces
// characters that are not printable, since much of it is text from adapters.
func printStyled(w io.Writer, write func(b *bytes.Buffer, st hexdump.Style)) error {
	var b bytes.Buffer
	st := styleOf(w).Guarded()
	write(&b, st)
	_, err := io.WriteString(w, st.Printable(b.String()))
	return err
}

// printJSON prints v as indented JSON, without characters that are not printable.
func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, printable.Text(b.String()))
	return err
}

// defaultMaxInput is the default of --max-input. Files of the formats have some
// megabytes, seldom more than a hundred.
const defaultMaxInput = "256M"

// inputFlag adds the flag --max-input to a command that reads input.
func inputFlag(cmd *cobra.Command) {
	cmd.Flags().String("max-input", defaultMaxInput, "read at most `SIZE` bytes of an input, such as 64K, 512M or 2G; "+
		"a longer input gives exit code 2")
}

// readInput reads the file args[0], or standard input for "-" or no argument, up to
// --max-input. A longer input is trouble: nothing is known about the whole.
func readInput(cmd *cobra.Command, args []string) ([]byte, error) {
	text := cmd.Flag("max-input").Value.String()
	limit, err := parseSize("--max-input", text)
	if err != nil {
		return nil, err
	}
	return untilInterrupted(cmd.Context(), func() ([]byte, error) {
		in, name := cmd.InOrStdin(), "standard input"
		if len(args) > 0 && args[0] != "-" {
			f, err := os.Open(args[0])
			if err != nil {
				return nil, err
			}
			defer f.Close()
			in, name = f, args[0]
		}
		b, err := readUpTo(in, limit)
		if errors.Is(err, errTooLong) {
			err = fmt.Errorf("%s has more than %s bytes: --max-input raises the bound", name, text)
		}
		return b, err
	})
}

var errTooLong = errors.New("too long")

// readUpTo reads all bytes, or returns errTooLong if there are more than limit. It
// reads parts and joins them at the end: a growing slice would need several times the
// memory.
func readUpTo(in io.Reader, limit int64) ([]byte, error) {
	parts := [][]byte{{}}
	for size, part := int64(0), 4096; ; part = min(2*part, 4<<20) {
		b := make([]byte, part)
		n, err := io.ReadFull(in, b)
		parts = append(parts, b[:n])
		size += int64(n)
		switch {
		case size > limit:
			return nil, errTooLong
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return slices.Concat(parts...), nil
		case err != nil:
			return nil, err
		}
	}
}

// untilInterrupted returns the result of read, or an error when the context ends:
// a pipe or terminal may never end.
func untilInterrupted[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := read()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, failed(r.err)
	case <-ctx.Done():
		var none T
		return none, failed(context.Cause(ctx))
	}
}

// writeOutput writes b to a file, or to standard output for "-" or "".
func writeOutput(cmd *cobra.Command, name string, b []byte) error {
	if name == "" || name == "-" {
		_, err := cmd.OutOrStdout().Write(b)
		return failed(err)
	}
	return failed(outfile.Write(name, b))
}

// writeBinary is writeOutput for bytes that no terminal can show.
func writeBinary(cmd *cobra.Command, name string, b []byte) error {
	if name == "" && isTerminal(cmd.OutOrStdout()) {
		return errors.New("the output is not text: name a file with --output, or pipe it; --output - prints it all the same")
	}
	return writeOutput(cmd, name, b)
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
