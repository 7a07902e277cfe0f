// Command formatgauge judges implementations of game-asset formats. It also
// decodes, encodes, inspects and explains these formats.
//
// A command is a struct whose fields are its flags. Its row in [rows] says what runs it, and
// commands.txt what its help says about it and its flags. What it prints as text is in forms.txt.
package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/internal/infile"
	"github.com/formatgauge/formatgauge/internal/outfile"
	"github.com/formatgauge/formatgauge/internal/printable"
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

// endGrace is the time after which a signal ends a command that has started no adapter,
// whatever it does. One that has ends the adapters and prints the results so far.
const endGrace = time.Second

// adaptersKey is the key of the context under which a command keeps an atomic.Bool: whether
// it has started an adapter.
type adaptersKey struct{}

// memoryAim is the memory in bytes that a run of the judge aims at. The garbage
// collector works harder only close to it, so that usual runs do not wait for it.
const memoryAim = 304 << 20

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
	var adapters atomic.Bool
	ctx = context.WithValue(ctx, adaptersKey{}, &adapters)
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
				case first.IsZero() && !adapters.Load():
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
	addHelp(root)
	cmd, err := root.ExecuteContextC(ctx)
	if unwritten := checked.failure(); unwritten != nil && (err == nil || errors.Is(err, errFailed)) {
		err = failed(unwritten)
	}
	code := exitCode(err)
	if err != nil && !errors.Is(err, errFailed) {
		fmt.Fprintln(errOut, "formatgauge:", printable.Text(err.Error()))
		if _, ok := errors.AsType[*failure](err); !ok {
			fmt.Fprintf(errOut, "see %s --help\n", cmd.CommandPath())
		}
	}
	if interrupted, ok := errors.AsType[*interruption](context.Cause(ctx)); ok {
		code = exitSignal + int(interrupted.signal)
	}
	return code
}

func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	if f, ok := errors.AsType[*failure](err); ok {
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
	if _, ok := errors.AsType[*failure](err); ok || err == nil {
		return err
	}
	return &failure{err, code}
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
	return hexdump.Style{Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && terminalOf(w) != nil}
}

// terminalOf returns the terminal to which a stream belongs; nil if it belongs to none.
func terminalOf(stream any) *os.File {
	if c, ok := stream.(*checkedWriter); ok {
		stream = c.Writer
	}
	if f, ok := stream.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
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

// defaultMaxInput is the default of --max-input: [infile.Max].
const defaultMaxInput = "256M"

const hexFlag = "hex"

// readInput reads the file args[0], standard input for "-" or no argument, or the bytes of --hex.
func readInput(cmd *cobra.Command, args []string) ([]byte, error) {
	if text, err := cmd.Flags().GetString(hexFlag); err == nil && cmd.Flags().Changed(hexFlag) {
		return parseHex(text, args)
	}
	if len(args) > 0 && args[0] != "-" {
		return readFile(cmd, args[0])
	}
	if terminalOf(cmd.InOrStdin()) != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "formatgauge: reading standard input, a terminal, up to Ctrl-D at the start of a line")
	}
	return readBounded(cmd, "standard input", func(limit int64) ([]byte, error) {
		return infile.Read(cmd.InOrStdin(), limit)
	})
}

// parseHex reads the value of --hex. Shells divide bytes that are not quoted into arguments.
func parseHex(text string, args []string) ([]byte, error) {
	if len(args) > 0 {
		return nil, fmt.Errorf("--hex: expected all bytes in one argument, such as '40 80 01', and no FILE, found %q too", args[0])
	}
	b, err := hex.DecodeString(strings.NewReplacer(" ", "", "\n", "", "\t", "", ",", "", "0x", "", `\x`, "").Replace(text))
	if err != nil {
		return nil, fmt.Errorf("--hex: expected pairs of hex digits, such as '40 80 01', found %q", text)
	}
	return b, nil
}

// readFile reads a file.
func readFile(cmd *cobra.Command, name string) ([]byte, error) {
	return readBounded(cmd, name, func(limit int64) ([]byte, error) { return infile.ReadFile(name, limit) })
}

// readBounded reads with a function up to --max-input, or [infile.Max] in a command
// without it. A longer input is trouble: nothing is known about the whole.
func readBounded[T any](cmd *cobra.Command, name string, read func(limit int64) (T, error)) (out T, err error) {
	limit, text, hint := int64(infile.Max), defaultMaxInput, ""
	if f := cmd.Flag("max-input"); f != nil {
		text, hint = f.Value.String(), ": --max-input raises the bound"
		if limit, err = parseSize("--max-input", text, 1); err != nil {
			return out, err
		}
	}
	return untilInterrupted(cmd.Context(), func() (T, error) {
		v, err := read(limit)
		if errors.Is(err, infile.ErrTooLong) {
			err = fmt.Errorf("%s has more than %s bytes%s", name, text, hint)
		}
		return v, err
	})
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
	if name == "" && terminalOf(cmd.OutOrStdout()) != nil {
		return errors.New("the output is not text: name a file with --output, or pipe it; --output - prints it all the same")
	}
	return writeOutput(cmd, name, b)
}
