package main

import (
	_ "embed"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/conformance/diff"
	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/internal/version"
	"github.com/formatgauge/formatgauge/spec"
)

// forms has what commands print as text, as templates.
//
//go:embed forms.txt
var forms string

// formFunctions are the functions of [forms] that need no style.
var formFunctions = template.FuncMap{
	// texts
	"contains": strings.Contains, "contextText": corpus.ContextText, "count": report.Plural, "cut": page.Cut,
	"indent": indented, "join": strings.Join, "line": cutLine, "par": paragraph, "quoted": printable.Quoted,
	"trim": strings.Trim, "upper": strings.ToUpper,

	// results of adapters
	"answer": report.AnswerText, "chunk": slices.Chunk[[]string], "inViews": spec.InViews, "kinds": kindsText,
	"notShown": notShownSides, "perSecond": perSecond, "seen": timesSeen, "shown": shownFlags, "what": report.What,

	// manual pages
	"exitCodes": func() string { return exitCodes[strings.Index(exitCodes, ":\n")+1:] },
	"options":   optionsOf, "page": pageName, "parts": partsOf, "related": relatedTo, "roff": roff,
	"version": func() string { return "formatgauge " + version.String() },
}

// parsedForms has the templates of [forms] with functions that [filled] replaces.
var parsedForms = sync.OnceValue(func() *template.Template {
	all := template.New("").Funcs(formFunctions).Funcs(explainFunctions)
	return template.Must(all.Funcs(functionsOf(all, hexdump.Style{})).Parse(forms))
})

// functionsOf returns the functions of forms that need a style or the forms themselves.
func functionsOf(all *template.Template, st hexdump.Style) template.FuncMap {
	return template.FuncMap{
		"bad": st.Bad, "faint": st.Faint, "good": st.Good, "strong": st.Strong,
		"dump": func(r *diff.Report, f *diff.Finding) string { return inputDump(r, f, st) },
		"table": func(name string, data any) (string, error) {
			text, err := execute(all, name, data)
			return aligned(text), err
		},
	}
}

func execute(all *template.Template, name string, data any) (string, error) {
	var b strings.Builder
	err := all.ExecuteTemplate(&b, name, data)
	return b.String(), err
}

// filled returns what the form of a name makes of data.
func filled(name string, st hexdump.Style, data any) (string, error) {
	all := template.Must(parsedForms().Clone())
	return execute(all.Funcs(functionsOf(all, st)), name, data)
}

// aligned puts cells that end with tabs in columns.
func aligned(text string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = io.WriteString(w, text) // to memory
	w.Flush()
	return b.String()
}

// indented puts an indent before each line of a text.
func indented(text, indent string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(indent + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

// print prints a value as the flag --json says: as JSON, or by the form of a name. The form
// is for a terminal in its style, and without characters that are not printable, since much
// is text from adapters.
func (j jsonFlag) print(cmd *cobra.Command, form string, v any) error {
	w := cmd.OutOrStdout()
	if j.JSON {
		return failed(printJSON(w, v))
	}
	st := styleOf(w).Guarded()
	text, err := filled(form, st, v)
	if err == nil {
		_, err = io.WriteString(w, st.Printable(text))
	}
	return failed(err)
}
