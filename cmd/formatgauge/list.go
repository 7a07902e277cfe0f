package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

func newList() *cobra.Command {
	kinds := []string{"types", "clauses", "flags", "views", "vectors"}
	return &cobra.Command{
		Use:   "list types|clauses|flags|views|vectors [PREFIX]",
		Short: "List types, clauses, flags, views or vectors",
		Long: `List prints one line per type, clause, flag, view or vector. With PREFIX, such as
ubi or UPKG-CI, it prints those whose id begins with it, in upper or lower case.`,
		Example: `  formatgauge list types
  formatgauge list flags upkg
  formatgauge list vectors upkg/CompactIndex`,
		Args:      arguments(1, 2),
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			prefix := ""
			if len(args) > 1 {
				prefix = args[1]
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			var names []string
			found := false
			row := func(cells ...string) {
				names = append(names, cells[0], strings.FieldsFunc(cells[0], func(r rune) bool { return strings.ContainsRune("./-", r) })[0])
				if strings.HasPrefix(strings.ToLower(cells[0]), strings.ToLower(prefix)) {
					fmt.Fprintln(w, strings.TrimRight(strings.Join(cells, "\t"), "\t "))
					found = true
				}
			}
			switch args[0] {
			case "types":
				for _, t := range codec.Types() {
					s, _ := spec.FindStructure(t.Structure())
					row(t.Name, corpus.ContextText(t.Context), s.Title)
				}
			case "clauses":
				for _, f := range spec.Families() {
					for _, c := range f.Clauses {
						row(string(c.ID), string(c.Level), c.Structure, c.Text)
					}
				}
			case "flags":
				for _, f := range spec.Families() {
					for _, fl := range f.Flags {
						var sides []string
						for _, s := range fl.Sides {
							sides = append(sides, s.Name)
						}
						row(string(fl.ID), string(fl.Kind), strings.Join(sides, "|"), fl.Observed)
					}
				}
			case "views":
				for _, v := range spec.Views() {
					row(v.ID, v.Meaning)
				}
			case "vectors":
				vectors, err := corpus.All()
				if err != nil {
					return failed(err)
				}
				for _, v := range vectors {
					row(v.ID, v.Type, strings.Join(strings.Fields(v.Comment), " "))
				}
			default:
				return fmt.Errorf("expected one of %s, found %q%s", strings.Join(kinds, ", "), args[0], didYouMean(args[0], kinds))
			}
			if !found {
				return fmt.Errorf("the id of none of the %s begins with %q%s", args[0], prefix, didYouMean(prefix, names))
			}
			return failed(w.Flush())
		},
	}
}
