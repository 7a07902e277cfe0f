package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/formatgauge/formatgauge/internal/outfile"
	"github.com/formatgauge/formatgauge/internal/version"
)

// manRun is formatgauge man.
type manRun struct{}

func (*manRun) run(cmd *cobra.Command, args []string) error {
	if err := os.MkdirAll(args[0], 0o777); err != nil {
		return failed(err)
	}
	for _, c := range commands(cmd.Root()) {
		if err := outfile.Write(filepath.Join(args[0], pageName(c)+".1"), manPage(c)); err != nil {
			return failed(err)
		}
	}
	return nil
}

// commands lists cmd and all commands under it that help shows.
func commands(cmd *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{cmd}
	for _, c := range partsOf(cmd) {
		out = append(out, commands(c)...)
	}
	return out
}

// partsOf lists the commands of a command that help shows.
func partsOf(cmd *cobra.Command) []*cobra.Command {
	hidden := func(c *cobra.Command) bool { return !c.IsAvailableCommand() }
	return slices.DeleteFunc(slices.Clone(cmd.Commands()), hidden)
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// roff keeps a text as it is: no line of it is a request, and no character begins
// an escape or becomes another character.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	return strings.ReplaceAll("\n"+text, "\n.", "\n\\&.")[1:]
}

// manPage returns the manual page of a command.
func manPage(cmd *cobra.Command) []byte {
	var b strings.Builder
	parts := partsOf(cmd)
	// The help is text of fixed width.
	fixed := func(heading, text string) {
		if text = strings.Trim(text, "\n"); text != "" {
			fmt.Fprintf(&b, ".SH %s\n.nf\n%s\n.fi\n", heading, roff(text))
		}
	}
	fmt.Fprintf(&b, ".TH %s 1 \"\" %q\n.SH NAME\n%s \\- %s\n", strings.ToUpper(roff(pageName(cmd))),
		"formatgauge "+version.String(), roff(pageName(cmd)), roff(cmd.Short))
	synopsis := cmd.UseLine()
	if len(parts) > 0 {
		synopsis += "\n" + cmd.CommandPath() + " COMMAND [flags]"
	}
	fixed("SYNOPSIS", synopsis)
	description := cmd.Long
	if description == "" {
		description = cmd.Short
	}
	fixed("DESCRIPTION", description)
	if len(parts) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, c := range parts {
			fmt.Fprintf(&b, ".TP\n%s\n%s\n", roff(c.Name()), roff(c.Short))
		}
	}
	if flags := cmd.NonInheritedFlags(); flags.HasAvailableFlags() {
		b.WriteString(".SH OPTIONS\n")
		flags.VisitAll(func(f *pflag.Flag) {
			name, usage := pflag.UnquoteUsage(f)
			head := strings.TrimSpace("--" + f.Name + " " + name)
			if f.Shorthand != "" {
				head = "-" + f.Shorthand + ", " + head
			}
			fmt.Fprintf(&b, ".TP\n%s\n%s\n", roff(head), roff(usage))
		})
	}
	fixed("EXAMPLES", cmd.Example)
	_, codes, _ := strings.Cut(exitCodes, ":\n")
	fixed("EXIT CODES", codes)
	var others []string
	if cmd.HasParent() {
		parts = append([]*cobra.Command{cmd.Parent()}, parts...)
	}
	for _, c := range parts {
		others = append(others, roff(pageName(c))+"(1)")
	}
	if len(others) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(others, ", "))
	}
	return []byte(b.String())
}
