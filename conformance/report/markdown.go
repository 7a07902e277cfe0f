package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/internal/printable"
)

// markdownForm is the template of a report and of a comparison. GitHub accepts a summary
// of one mebibyte: after 600 KiB causes have no example, after 900 the rest is left out.
//
//go:embed forms/markdown.txt
var markdownForm string

// Markdown writes a summary in GitHub Markdown: counts, the causes of failures in
// collapsed sections, skipped types with reasons. Several implementations share the table
// of counts.
func Markdown(w io.Writer, runs ...*Run) error {
	return writeMarkdown(w, "markdown", documentOf(runs))
}

func writeMarkdown(w io.Writer, name string, data any) error {
	var b bytes.Buffer
	form := template.Must(template.New("markdown").Funcs(formFunctions).Funcs(template.FuncMap{
		"text": escapeText, "escape": mdEscape.Replace, "code": codeSpan, "fence": codeBlock, "counts": tallyCell,
		"diff":  func(f *failure) string { return diffText(expectedAndGot(f.Result)) },
		"size":  func() int { return b.Len() >> 10 },
		"where": func() string { return escapeText(elsewhere) },
		"ids": func(lines []string) string {
			room := max(0, 900<<10-b.Len())
			for i, l := range lines {
				if room -= len(l) + 1; room < 0 {
					lines = append(slices.Clone(lines[:i]), "and "+Plural(len(lines)-i, "more line"))
					break
				}
			}
			return codeBlock("", strings.Join(lines, "\n"))
		},
		"what": func(f *failure) string {
			if f.Status == judge.Fail {
				return f.What()
			}
			return string(f.Status) + ", " + f.What()
		},
	}).Parse(markdownForm))
	err := form.ExecuteTemplate(&b, name, data)
	if err == nil {
		_, err = io.WriteString(w, printable.Text(b.String()))
	}
	return err
}

// mdEscape escapes characters that have a meaning in Markdown.
var mdEscape = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "|", `\|`,
	"#", `\#`, "~", `\~`,
)

// escapeText makes a text safe in a sentence or a table cell.
func escapeText(s string) string { return mdEscape.Replace(strings.Join(strings.Fields(s), " ")) }

// codeSpan formats a text as code in a sentence. It uses HTML because backticks
// need no escape there, and a pipe does not end a table cell.
func codeSpan(s string) string {
	return "<code>" + strings.NewReplacer("|", "&#124;", "*", "&#42;", "_", "&#95;", "`", "&#96;", "[", "&#91;", "~",
		"&#126;", `\`, "&#92;", "://", "&#58;//", "@", "&#64;").Replace(html.EscapeString(s)) + "</code>"
}

// codeBlock returns a block of code with a fence that does not occur in the text.
func codeBlock(lang, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fmt.Sprintf("%s%s\n%s\n%s\n\n", fence, lang, strings.TrimRight(text, "\n"), fence)
}

// tallyCell returns the counts in a cell of a table, failures in bold.
func tallyCell(t Tally) string {
	if t.Own.Total()+t.Derived.Total() == 0 {
		return "–"
	}
	return failedCount.ReplaceAllString(t.Text("<br>derived: "), "**$0**")
}

var failedCount = regexp.MustCompile(`[1-9][0-9]* failed`)

// diffText returns a unified diff: expected lines are removed lines, actual
// lines are added lines. It is empty if there is nothing to compare.
func diffText(want, got []string) string {
	if want == nil && got == nil {
		return ""
	}
	out := []string{"--- expected", "+++ got"}
	var added []string
	for omitted, p := range nearDifferences(align(want, got), 2*maxPairs) {
		if omitted > 0 || p == nil || p.same() {
			out, added = append(out, added...), nil
		}
		if omitted > 0 {
			out = append(out, fmt.Sprintf("  ... %d lines", omitted))
		}
		switch {
		case p == nil:
			continue
		case p.same():
			out = append(out, "  "+p.want)
			continue
		case p.hasWant:
			out = append(out, "- "+p.want)
		}
		if p.hasGot {
			added = append(added, "+ "+p.got)
		}
	}
	for i, l := range out {
		out[i] = truncate(l, 4*textWidth)
	}
	return strings.Join(out, "\n")
}
