package main

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/printable"
)

//go:embed skeleton/*.tmpl
var skeletons embed.FS

const adapterExample = `  formatgauge adapter new --lang python --types ubi.Vector2,ubi.Box -o adapter.py
  formatgauge adapter new --lang javascript --types upkg -o adapter.mjs
  formatgauge adapter new --lang go --types 'ka.*' -o main.go
  formatgauge adapter new --lang c --types 'ubi.Array<Vector3>' -o adapter.c`

func newAdapter() *cobra.Command {
	return group(&cobra.Command{
		Use:     "adapter",
		Short:   "Write the skeleton of an adapter",
		Example: adapterExample,
	}, newAdapterNew())
}

func newAdapterNew() *cobra.Command {
	var lang, to string
	var patterns []string
	languages := []string{"python", "javascript", "go", "c"}
	cmd := &cobra.Command{
		Use:   "new --lang LANGUAGE --types TYPE,...",
		Short: "Write the skeleton of an adapter",
		Long: `New writes an adapter that speaks the protocol and lists the given types. It answers
skip, with the reason "not implemented", until you replace the body of the function of
a type with a call of your implementation. A comment before each function gives the
fields of the tree, and an example. The adapter in C does not encode trees.

TYPE is a type, a family such as ubi, or a pattern such as 'upkg.*Entry'.`,
		Example: adapterExample,
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(languages, lang) {
				return fmt.Errorf("--lang: expected one of %s, found %q", strings.Join(languages, ", "), lang)
			}
			var list []string
			for _, p := range patterns {
				list = append(list, splitTypes(p)...)
			}
			if len(list) == 0 {
				return fmt.Errorf("expected --types with at least one type: see formatgauge list types")
			}
			text, err := skeleton(lang, list)
			if err != nil {
				return err
			}
			if _, err := os.Stat(to); err == nil { // your work may be in it
				return failed(fmt.Errorf("%s already exists", to))
			}
			return writeOutput(cmd, to, text)
		},
	}
	outputFlag(cmd, &to, outputUsage)
	cmd.Flags().StringVar(&lang, "lang", "", "`LANGUAGE` of the adapter: "+strings.Join(languages, ", "))
	cmd.Flags().StringArrayVar(&patterns, "types", nil,
		"`TYPES` that the adapter lists, separated by commas (repeatable)")
	completeWith(cmd, "lang", languages...)
	_ = cmd.RegisterFlagCompletionFunc("types", completeType)
	return cmd
}

// splitTypes splits a list at the commas that are not between angle brackets.
func splitTypes(list string) (out []string) {
	depth, start := 0, 0
	for i, c := range list + "," {
		switch {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case c == ',' && depth <= 0:
			if name := strings.TrimSpace(list[start:i]); name != "" {
				out = append(out, name)
			}
			start = i + 1
		}
	}
	return out
}

// skeletonType is a type in a template.
type skeletonType struct {
	Name   string // ubi.Array<Vector3>
	Snake  string // ubi_Array_Vector3
	Camel  string // UbiArrayVector3
	schema *schema.Type
}

// separator is what no name in a programming language contains.
var separator = regexp.MustCompile(`[^A-Za-z0-9]+`)

// skeleton returns the source of an adapter for the types that match the patterns.
func skeleton(lang string, patterns []string) ([]byte, error) {
	selected, err := selectTypes(patterns)
	if err != nil {
		return nil, err
	}
	var types []skeletonType
	for _, t := range selected {
		x := skeletonType{Name: t.Name, schema: schema.Of(t)}
		x.Snake = strings.Trim(separator.ReplaceAllString(t.Name, "_"), "_")
		for w := range strings.SplitSeq(x.Snake, "_") {
			x.Camel += strings.ToUpper(w[:1]) + w[1:]
		}
		types = append(types, x)
	}
	known := map[string]bool{}
	comment := func(prefix string, t skeletonType) string { return t.comment(prefix, known) }
	parsed, err := template.New("").Delims("<%", "%>").Funcs(template.FuncMap{"comment": comment}).ParseFS(skeletons,
		"skeleton/*.tmpl")
	if err != nil {
		return nil, failed(err)
	}
	var b bytes.Buffer
	if err := parsed.ExecuteTemplate(&b, lang+".tmpl", map[string]any{"Types": types}); err != nil {
		return nil, failed(err)
	}
	text := []byte(printable.Text(b.String()))
	if lang == "go" {
		text, err = format.Source(text)
	}
	return text, failed(err)
}

// comment describes the tree of a type in lines that begin with prefix.
func (t skeletonType) comment(prefix string, known map[string]bool) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(strings.TrimRight(prefix+fmt.Sprintf(format, args...), " \n") + "\n")
	}
	line("%s: %s", t.Name, t.schema.Title)
	for _, other := range codec.Types() { // a stored form and what it stands for
		if strings.HasPrefix(other.Name, t.Name+".") || strings.HasPrefix(t.Name, other.Name+".") {
			line("see also: %s", other.Name)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(t.schema.Context)) {
		line("context: %s, default %q", k, t.schema.Context[k])
	}
	indent := func(text string) {
		for l := range strings.Lines(text) {
			line("    %s", l)
		}
	}
	line("")
	indent(t.schema.Text(known))
	if e := t.schema.Example; e != nil {
		line("")
		line("example: %s", strings.TrimSpace(e.Vector+"  "+corpus.ContextText(e.Context)))
		if len(e.Hex) <= textWidth {
			indent(e.Hex + "\n")
		}
		indent(e.Tree.Indent())
	}
	return b.String()
}
