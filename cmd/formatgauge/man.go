package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/internal/outfile"
)

// manRun is formatgauge man.
type manRun struct{}

func (*manRun) run(cmd *cobra.Command, args []string) error {
	if err := os.MkdirAll(args[0], 0o777); err != nil {
		return failed(err)
	}
	for _, c := range commands(cmd.Root()) {
		text, err := filled("man", hexdump.Style{}, c)
		if err == nil {
			err = outfile.Write(filepath.Join(args[0], pageName(c)+".1"), []byte(text))
		}
		if err != nil {
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

// An option is a flag in a manual page.
type option struct{ Head, Usage string }

func optionsOf(cmd *cobra.Command) (out []option) {
	cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		name, usage := pflag.UnquoteUsage(f)
		head := strings.TrimSpace("--" + f.Name + " " + name)
		if f.Shorthand != "" {
			head = "-" + f.Shorthand + ", " + head
		}
		out = append(out, option{head, usage})
	})
	return out
}

// relatedTo lists the command that contains a command, and those that it contains.
func relatedTo(cmd *cobra.Command) []*cobra.Command {
	if cmd.HasParent() {
		return append([]*cobra.Command{cmd.Parent()}, partsOf(cmd)...)
	}
	return partsOf(cmd)
}
