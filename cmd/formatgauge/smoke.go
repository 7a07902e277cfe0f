package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/hexdump"
)

// smokeRun is formatgauge smoke.
type smokeRun struct {
	processFlags
	jsonFlag
	Verbose bool
	Schema  string
}

func (r *smokeRun) run(cmd *cobra.Command, args []string) error {
	if r.Schema != "" {
		return printSchema(cmd, r.Schema, args)
	}
	if len(args) == 0 || cmd.ArgsLenAtDash() != 0 {
		return errors.New("expected an adapter's command after --: formatgauge smoke -- python3 my_adapter.py")
	}
	opts, err := r.options(cmd)
	startsAdapter(cmd)
	if err != nil {
		return err
	}
	if !r.Verbose { // a fault contains what belongs to it
		opts.Stderr = nil
	}
	vectors, err := corpus.All()
	if err != nil {
		return failed(err)
	}
	steps, err := judge.Smoke(cmd.Context(), args, opts, vectors)
	if steps == nil {
		return cannotStart(strings.Join(args, " "), err)
	}
	if err != nil { // the step in progress says nothing about the adapter
		return failed(errors.New("interrupted: the check is not complete"))
	}
	if r.JSON {
		return printSmokeJSON(cmd, steps)
	}
	wrong := 0
	err = printStyled(cmd.OutOrStdout(), func(b *bytes.Buffer, st hexdump.Style) {
		wrong = printSteps(b, st, steps, r.Verbose)
	})
	if wrong > 0 && err == nil {
		return errFailed
	}
	return failed(err)
}

// smokeStep is a step of smoke in JSON.
type smokeStep struct {
	Name     string   `json:"name"`
	Fault    string   `json:"fault,omitempty"`
	OfReader bool     `json:"ofReader,omitempty"`
	SameAs   string   `json:"sameAs,omitempty"`
	Note     string   `json:"note,omitempty"`
	Vector   string   `json:"vector,omitempty"` // shows the fault
	Exchange []string `json:"exchange"`         // lines, each after → or ←
}

func printSmokeJSON(cmd *cobra.Command, steps []judge.Step) error {
	verdict := error(nil)
	out := []smokeStep{}
	for i := range steps {
		s := &steps[i]
		o := smokeStep{s.Name, s.Fault, s.OfReader, s.SameAs, s.Note, "", []string{}}
		if s.Fault != "" {
			verdict = errFailed
		}
		if s.Example != nil {
			o.Vector = s.Example.ID
		}
		for _, l := range s.Exchange {
			o.Exchange = append(o.Exchange, arrow(l)+" "+l.Text)
		}
		out = append(out, o)
	}
	return cmp.Or(failed(printJSON(cmd.OutOrStdout(), out)), verdict)
}

// writeSchema writes the text of a schema. There must be no arguments.
func writeSchema(cmd *cobra.Command, args []string, text []byte) error {
	if len(args) > 0 {
		return errors.New("--schema cannot be combined with arguments")
	}
	to := ""
	if f := cmd.Flag("output"); f != nil {
		to = f.Value.String()
	}
	return writeOutput(cmd, to, text)
}

var protocolSchemas = []string{"request", "response", "tree"}

func printSchema(cmd *cobra.Command, name string, args []string) error {
	if err := oneOf("--schema", name, protocolSchemas...); err != nil {
		return err
	}
	text, err := fs.ReadFile(adapter.Schemas, "schema/"+name+".json")
	if err != nil {
		return failed(err)
	}
	return writeSchema(cmd, args, text)
}

// printSteps prints the result of each step and returns the number of steps with
// a fault.
func printSteps(w io.Writer, st hexdump.Style, steps []judge.Step, verbose bool) int {
	wrong, ofReader := 0, 0
	for i := range steps {
		s := &steps[i]
		switch {
		case s.Fault == "":
			fmt.Fprintf(w, "%s      %s\n", st.Good("ok"), s.Name)
		case s.OfReader:
			ofReader++
			fmt.Fprintf(w, "%s  %s\n", st.Bad("READER"), s.Name)
		default:
			wrong++
			fmt.Fprintf(w, "%s   %s\n", st.Bad("WRONG"), s.Name)
		}
		if s.SameAs != "" {
			printIndented(w, "the same as in: "+s.SameAs)
		} else {
			printIndented(w, s.Fault)
		}
		if s.Example != nil {
			printIndented(w, fmt.Sprintf("%s: %s: %s", s.Example.ID, s.Example.Op, report.What(s.Example.Outcome)))
		}
		printIndented(w, s.Note)
		if s.Fault != "" && s.SameAs == "" || verbose {
			printExchange(w, s.Exchange)
		}
	}
	switch {
	case wrong > 0:
		fmt.Fprintf(w, "%d of %d steps violate the protocol: see conformance/PROTOCOL.md\n", wrong, len(steps))
	case ofReader > 0:
		fmt.Fprintln(w, "the adapter follows the protocol")
	default:
		fmt.Fprintln(w, "the adapter follows the protocol; check its values with formatgauge test")
	}
	if ofReader > 0 {
		fmt.Fprintf(w, "%d of %d steps show a fault of the reader: see formatgauge test\n", ofReader, len(steps))
	}
	return wrong + ofReader
}

func printIndented(w io.Writer, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(w, "        %s\n", strings.TrimRight(line, "\n"))
	}
}

const (
	maxExchange = 12  // lines of one exchange
	maxText     = 400 // characters of one line
)

func printExchange(w io.Writer, lines []judge.Line) {
	for i, l := range lines {
		if i == maxExchange {
			fmt.Fprintf(w, "        … and %d more lines\n", len(lines)-i)
			return
		}
		fmt.Fprintf(w, "        %s %s\n", arrow(l), page.Cut(l.Text, maxText))
	}
}

func arrow(l judge.Line) string {
	if l.Sent {
		return "→"
	}
	return "←"
}
