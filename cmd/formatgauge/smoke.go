package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/hexdump"
)

func newSmoke() *cobra.Command {
	var p processFlags
	var verbose bool
	var schema string
	cmd := &cobra.Command{
		Use:   "smoke [flags] [-- ADAPTER...]",
		Short: "Try whether an adapter keeps to the protocol",
		Long: `Smoke asks an adapter a few things, says what it does wrong and shows what was
said. It looks at the protocol only: whether values are right, formatgauge test
tells. conformance/PROTOCOL.md is the protocol in words, --schema prints it as
JSON Schemas.

The exit code is 0 if nothing is wrong, 1 otherwise.`,
		Example: `  formatgauge smoke -- python3 my_adapter.py
  formatgauge smoke --verbose -- ./my-adapter
  formatgauge smoke --schema response > response.schema.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if schema != "" {
				return printSchema(cmd, schema, args)
			}
			if len(args) == 0 || cmd.ArgsLenAtDash() != 0 {
				return errors.New("smoke takes an adapter's command behind --: formatgauge smoke -- python3 my_adapter.py")
			}
			opts, err := p.options(cmd)
			if err != nil {
				return err
			}
			vectors, err := corpus.All()
			if err != nil {
				return failed(err)
			}
			steps, err := judge.Smoke(cmd.Context(), args, opts, vectors)
			if steps == nil {
				return err // the command cannot be run at all
			}
			if wrong := printSteps(cmd.OutOrStdout(), style(cmd.OutOrStdout()), steps, verbose); wrong > 0 {
				return errFailed
			}
			return failed(err)
		},
	}
	p.register(cmd)
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "show what was said in every step")
	cmd.Flags().StringVar(&schema, "schema", "", "print a JSON Schema: request, response or tree")
	_ = cmd.RegisterFlagCompletionFunc("schema", cobra.FixedCompletions([]string{"request", "response", "tree"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func printSchema(cmd *cobra.Command, name string, args []string) error {
	if len(args) > 0 {
		return errors.New("--schema stands alone")
	}
	text, err := fs.ReadFile(adapter.Schemas, "schema/"+name+".json")
	if err != nil {
		return fmt.Errorf("there are schemas of request, response and tree, none of %q", name)
	}
	return output(cmd, "", text)
}

// printSteps writes what was tried, and returns how much of it is wrong.
func printSteps(w io.Writer, st hexdump.Style, steps []judge.Step, verbose bool) int {
	wrong := 0
	for i := range steps {
		s := &steps[i]
		switch {
		case s.Fault != "":
			wrong++
			fmt.Fprintf(w, "%s  %s\n", st.Bad("WRONG"), s.Name)
			indented(w, s.Fault)
		default:
			fmt.Fprintf(w, "%s     %s\n", st.Good("ok"), s.Name)
		}
		if s.Note != "" {
			indented(w, s.Note)
		}
		if s.Fault != "" || verbose {
			printExchange(w, s.Exchange)
		}
	}
	switch wrong {
	case 0:
		fmt.Fprintln(w, "the adapter keeps to the protocol; formatgauge test says whether it is right")
	default:
		fmt.Fprintf(w, "%d of %d steps are wrong: conformance/PROTOCOL.md tells how it should be\n", wrong, len(steps))
	}
	return wrong
}

func indented(w io.Writer, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(w, "       %s\n", strings.TrimRight(line, "\n"))
	}
}

const (
	shownLines = 12
	shownText  = 400
)

func printExchange(w io.Writer, lines []judge.Line) {
	for i, l := range lines {
		if i == shownLines {
			fmt.Fprintf(w, "       … and %d lines more\n", len(lines)-i)
			return
		}
		arrow := "←"
		if l.Sent {
			arrow = "→"
		}
		text := strings.ToValidUTF8(l.Text, "�")
		if r := []rune(text); len(r) > shownText {
			text = string(r[:shownText]) + "…"
		}
		fmt.Fprintf(w, "       %s %s\n", arrow, text)
	}
}
