package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

// kinds are what list prints.
var kinds = []string{"types", "clauses", "flags", "views", "vectors", "words"}

// listRun is formatgauge list.
type listRun struct {
	jsonFlag
}

func (r *listRun) run(cmd *cobra.Command, args []string) error {
	prefix := ""
	if len(args) > 1 {
		prefix = args[1]
	}
	has := func(id string) bool { return strings.HasPrefix(strings.ToLower(id), strings.ToLower(prefix)) }
	if r.JSON && args[0] == "types" {
		schemas := schemasOf(has)
		if len(schemas.Types) == 0 {
			return fmt.Errorf("no id of a type begins with %q%s", prefix, didYouMean(prefix, typeNames()))
		}
		return failed(printJSON(cmd.OutOrStdout(), schemas))
	}
	if !slices.Contains(kinds, args[0]) {
		return fmt.Errorf("expected one of %s, found %q%s", strings.Join(kinds, ", "), args[0], didYouMean(args[0], kinds))
	}
	rows, err := listed(args[0])
	if err != nil {
		return failed(err)
	}
	var names []string
	for _, cells := range rows {
		names = append(names, cells[0],
			strings.FieldsFunc(cells[0], func(r rune) bool { return strings.ContainsRune("./-", r) })[0])
	}
	rows = slices.DeleteFunc(rows, func(cells []string) bool { return !has(cells[0]) })
	switch {
	case len(rows) == 0:
		return fmt.Errorf("no id in list %s begins with %q%s", args[0], prefix, didYouMean(prefix, names))
	case r.JSON:
		return failed(printJSON(cmd.OutOrStdout(), rowsAsData(args[0], rows)))
	}
	return failed(printRows(cmd.OutOrStdout(), rows))
}

// columns names the cells of the rows of [listed].
var columns = map[string][]string{
	"clauses": {"id", "level", "structure", "text"}, "flags": {"id", "kind", "sides", "text"},
	"views": {"id", "text"}, "vectors": {"id", "type", "text"}, "words": {"id", "kind", "text"},
}

// rowList is the output of list --json, except for types.
type rowList struct {
	Format  string              `json:"format"`
	List    string              `json:"list"`
	Entries []map[string]string `json:"entries"`
}

func rowsAsData(kind string, rows [][]string) rowList {
	out := rowList{Format: "formatgauge-list-1", List: kind}
	for _, cells := range rows {
		entry := map[string]string{}
		for i, name := range columns[kind] {
			entry[name] = cells[i]
		}
		out.Entries = append(out.Entries, entry)
	}
	return out
}

// printRows prints a line for each row, on a terminal cut at its width.
func printRows(w io.Writer, rows [][]string) error {
	var table strings.Builder
	for _, cells := range rows {
		table.WriteString(strings.TrimRight(strings.Join(cells, "\t"), "\t ") + "\n")
	}
	width := terminalWidth(w)
	for line := range strings.Lines(aligned(table.String())) {
		if r := []rune(line); width > 0 && len(r) > width {
			line = string(r[:width-1]) + "…\n"
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return nil
}

// terminalWidth returns the number of columns, or 0 if w is no terminal.
func terminalWidth(w io.Writer) int {
	if f := terminalOf(w); f != nil {
		width, _, _ := term.GetSize(int(f.Fd()))
		return width
	}
	return 0
}

// listed returns a row for each type, clause, flag, view, vector or word: its id, then what
// list prints beside it.
func listed(kind string) (rows [][]string, err error) {
	row := func(cells ...string) { rows = append(rows, cells) }
	switch kind {
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
		for _, f := range spec.Flags() {
			var sides []string
			for _, s := range f.Sides {
				sides = append(sides, s.Name)
			}
			about := string(f.Clauses[0])
			if c, ok := spec.FindClause(f.Clauses[0]); ok {
				about = c.Structure + ", " + about
			}
			row(string(f.ID), string(f.Kind), strings.Join(sides, "|"), about+": "+f.Observed+" The document: "+f.Documented)
		}
	case "views":
		for _, v := range spec.Views() {
			row(v.ID, v.Meaning)
		}
	case "words":
		for _, w := range spec.Words() {
			if w.Kind != spec.UsageWord {
				row(w.Name, string(w.Kind), w.Text)
			}
		}
	case "vectors":
		vectors, err := corpus.All()
		if err != nil {
			return nil, err
		}
		for _, v := range vectors {
			row(v.ID, v.Type, strings.Join(strings.Fields(v.Comment), " "))
		}
	}
	return rows, nil
}

// listedIDs returns the ids of [listed].
func listedIDs(kind string) (out []string) {
	rows, _ := listed(kind) // without the corpus there are no suggestions
	for _, cells := range rows {
		out = append(out, cells[0])
	}
	return out
}

// typeList is the output of list types --json.
type typeList struct {
	Format string         `json:"format"`
	Types  []*schema.Type `json:"types"`
}

func schemasOf(selected func(name string) bool) typeList {
	out := typeList{Format: "formatgauge-types-1", Types: []*schema.Type{}}
	for _, t := range codec.Types() {
		if selected(t.Name) {
			out.Types = append(out.Types, schema.Of(t))
		}
	}
	return out
}

// schemaRun is formatgauge schema.
type schemaRun struct {
	outputFlag
}

func (r *schemaRun) run(cmd *cobra.Command, args []string) error {
	t, err := findType(args[0])
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := printJSON(&b, schema.Of(t).JSONSchema()); err != nil {
		return failed(err)
	}
	return writeOutput(cmd, r.Output, b.Bytes())
}
