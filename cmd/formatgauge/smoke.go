package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
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
	out := stepsOf(steps, r.Verbose)
	if err := r.print(cmd, "smoke", out); err != nil {
		return err
	}
	if out.Wrong()+out.OfReader() > 0 {
		return errFailed
	}
	return nil
}

// smokeSteps is what smoke prints.
type smokeSteps []smokeStep

// smokeStep is a step of smoke, with its JSON form.
type smokeStep struct {
	judge.Step
	Vector   string   `json:"vector,omitempty"` // shows the fault
	Exchange []string `json:"exchange"`         // lines, each after → or ←

	Result string   `json:"-"` // of the vector
	Shown  []string `json:"-"` // the part of the exchange that the text contains
}

// Wrong returns the number of steps that violate the protocol.
func (all smokeSteps) Wrong() int { return all.faults(false) }

// OfReader returns the number of steps that show a fault of the reader.
func (all smokeSteps) OfReader() int { return all.faults(true) }

func (all smokeSteps) faults(ofReader bool) (n int) {
	for _, s := range all {
		if s.Fault != "" && s.OfReader == ofReader {
			n++
		}
	}
	return n
}

const (
	maxExchange = 12  // lines of one exchange
	maxText     = 400 // characters of one line
)

// stepsOf returns steps with what the text contains of their exchange: of those with a fault, or
// of all.
func stepsOf(steps []judge.Step, verbose bool) smokeSteps {
	out := smokeSteps{}
	for _, s := range steps {
		o := smokeStep{Step: s, Exchange: []string{}}
		if s.Example != nil {
			o.Vector = s.Example.ID
			o.Result = fmt.Sprintf("%s: %s: %s", s.Example.ID, s.Example.Op, report.What(s.Example.Outcome))
		}
		for i, l := range s.Exchange {
			arrow := map[bool]string{true: "→ ", false: "← "}[l.Sent]
			o.Exchange = append(o.Exchange, arrow+l.Text)
			switch {
			case !verbose && (s.Fault == "" || s.SameAs != ""), i > maxExchange:
			case i == maxExchange:
				o.Shown = append(o.Shown, fmt.Sprintf("… and %d more lines", len(s.Exchange)-i))
			default:
				o.Shown = append(o.Shown, arrow+page.Cut(l.Text, maxText))
			}
		}
		out = append(out, o)
	}
	return out
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
