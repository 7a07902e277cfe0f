package main

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"go/format"
	"os"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

//go:embed skeleton/*.tmpl
var skeletons embed.FS

// languages are those of skeletons.
var languages = []string{"python", "javascript", "go", "c", "java", "rust"}

// adapterRun is formatgauge adapter new.
type adapterRun struct {
	outputFlag
	Lang  string
	Types []string
}

func (r *adapterRun) run(cmd *cobra.Command, _ []string) error {
	if err := oneOf("--lang", r.Lang, languages...); err != nil {
		return err
	}
	var list []string
	for _, p := range r.Types {
		list = append(list, splitTypes(p)...)
	}
	if len(list) == 0 {
		return fmt.Errorf("expected --types with at least one type: see formatgauge list types")
	}
	text, err := skeleton(r.Lang, list)
	if err != nil {
		return err
	}
	if _, err := os.Stat(r.Output); err == nil { // your work may be in it
		return failed(fmt.Errorf("%s already exists", r.Output))
	}
	return writeOutput(cmd, r.Output, text)
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

// skeleton returns the source of an adapter for the types that match the patterns.
func skeleton(lang string, patterns []string) ([]byte, error) {
	selected, err := selectTypes(patterns)
	if err != nil {
		return nil, err
	}
	var types []*schema.Type
	for _, t := range selected {
		types = append(types, schema.Of(t))
	}
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

// maxExample is how many characters the example of a type has at most.
const maxExample = 240

// comment describes a type and shows its example, in two lines that begin with prefix.
func comment(prefix string, t *schema.Type) string {
	about := t.Type + ": " + t.Title
	if len(t.Context) > 0 {
		about += ". Context: " + corpus.ContextText(t.Context)
	}
	if classes := rejections(t.Type); len(classes) > 0 {
		about += ". Rejections: " + strings.Join(classes, ", ")
	}
	example := "formatgauge explain '" + t.Type + "' shows an example"
	if e := t.Example; e != nil {
		text := strings.TrimSpace(corpus.ContextText(e.Context)+" "+cmp.Or(e.Hex, "no bytes")) + " is " + e.Tree.String()
		if len(text) <= maxExample {
			example = text
		}
	}
	return prefix + about + "\n" + prefix + example + "\n"
}

// rejections returns the classes with which vectors of a type demand a rejection under
// observed, and those of inputs that are cut or followed by bytes.
func rejections(typ string) (out []string) {
	vectors, _ := corpus.Of(typ) // the embedded corpus, which tests load
	all := map[string]bool{}
	if s, ok := spec.FindStructure(spec.StructureOf(typ)); ok && s.TakesAll == "" {
		all["truncated"], all["trailing"] = true, true
	}
	for _, v := range vectors {
		if e := v.Select(ids.Observed()); e != nil && e.Outcome == corpus.Reject {
			for c := range strings.SplitSeq(e.Class, "|") {
				all[c] = true
			}
		}
	}
	for _, c := range wire.Classes() {
		if all[string(c)] {
			out = append(out, string(c))
		}
	}
	return out
}
