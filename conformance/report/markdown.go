package report

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec/ids"
)

const (
	// maxMarkdown is the length in bytes after which causes have no example: GitHub
	// accepts a summary of one mebibyte.
	maxMarkdown = 600 << 10
)

// Markdown writes a summary in GitHub Markdown: counts, the causes of failures in
// collapsed sections, skipped types with reasons. Several implementations share the table
// of counts.
func Markdown(w io.Writer, runs ...*Run) error {
	m := markdown{}
	names := runLabels(runs)
	for i, r := range runs {
		m.title(r, names[i])
	}
	m.table(runs)
	if len(runs) == 1 {
		names[0] = "" // a single run needs no name
	}
	for i, r := range runs {
		m.failures(r, names[i])
	}
	for i, r := range runs {
		m.skips(r, names[i])
	}
	_, err := io.WriteString(w, printable.Text(m.String()))
	return err
}

type markdown struct{ bytes.Buffer }

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

// codeBlock writes a block of code with a fence that does not occur in the text.
func (m *markdown) codeBlock(lang, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(m, "%s%s\n%s\n%s\n\n", fence, lang, strings.TrimRight(text, "\n"), fence)
}

func (m *markdown) title(r *Run, name string) {
	words, grade := r.verdict()
	own, derived := r.counts()
	fmt.Fprintf(m, "### %s %s: %s\n\n", []string{"❌", "✅", "☑️", "⚠️"}[grade], escapeText(name), words)
	fmt.Fprintf(m, "%s; %s", sumText(own, derived, "; derived cases: "), escapeText(r.judgedBy()))
	if r.Hello.Language != "" {
		fmt.Fprintf(m, ", implementation in %s", escapeText(r.Hello.Language))
	}
	m.WriteString(".\n\n")
}

// table writes a row per family, and a column per implementation and profile.
func (m *markdown) table(runs []*Run) {
	gs := groups(runs)
	if len(gs) == 0 {
		return
	}
	head, rule := "| family |", "|---|"
	for _, g := range gs {
		label := ""
		if len(runs) > 1 {
			label = escapeText(g.label) + "<br>"
		}
		head += fmt.Sprintf(" %s%s |", label, escapeText(g.profile))
		rule += "---|"
	}
	fmt.Fprintf(m, "%s\n%s\n", head, rule)
	for _, f := range families(runs) {
		fmt.Fprintf(m, "| `%s` |", f.Name)
		for _, g := range gs {
			own, derived := g.of(f.Name)
			fmt.Fprintf(m, " %s |", shortCounts(own, derived))
		}
		m.WriteByte('\n')
	}
	m.WriteByte('\n')
}

func shortCounts(own, derived Counts) string {
	var parts []string
	if failed := own.Failed() + derived.Failed(); failed > 0 {
		parts = append(parts, fmt.Sprintf("**%d failed**", failed))
	}
	for _, w := range statusWords {
		n := own[w.status]
		if w.status == Known || w.status == judge.Acceptable {
			n += derived[w.status]
		}
		if n > 0 && !w.status.Failed() {
			parts = append(parts, fmt.Sprintf("%d %s", n, w.word))
		}
	}
	if len(parts) == 0 {
		return "–"
	}
	return strings.Join(parts, ", ")
}

func (m *markdown) failures(r *Run, name string) {
	var known []*failure
	for i := range r.Results {
		if res := &r.Results[i]; StatusOf(res) == Known {
			known = append(known, &failure{Result: res, profiles: []string{res.Profile.String()}})
		}
	}
	suffix := ""
	if name != "" {
		suffix = " of " + escapeText(name)
	}
	for i, c := range r.causes() {
		if i == 0 {
			fmt.Fprintf(m, "#### Causes of failures%s\n\n", suffix)
		}
		m.cause(c)
	}
	if len(r.KnownMismatches) > 0 {
		fmt.Fprintf(m, "#### Mismatches with the list of known failures%s\n\n", suffix)
		for _, s := range r.KnownMismatches {
			fmt.Fprintf(m, "- %s\n", escapeText(s))
		}
		m.WriteByte('\n')
	}
	if len(known) > 0 {
		fmt.Fprintf(m, "#### Known failures%s\n\n<details><summary>%d failures with reasons</summary>\n\n", suffix,
			len(known))
		m.list(known, func(f *failure) string { return f.Known })
		m.WriteString("</details>\n\n")
	}
	if all := r.deviations(); len(all) > 0 {
		fmt.Fprintf(m, "#### Acceptable%s\n\n", suffix)
		for _, d := range all {
			fmt.Fprintf(m, "<details><summary>%s (%d)</summary>\n\n%s\n\n", html.EscapeString(d.title), len(d.cases),
				escapeText(d.about))
			m.list(d.cases, (*failure).whatAndMore)
			m.WriteString("</details>\n\n")
		}
	}
}

func (m *markdown) list(all []*failure, words func(*failure) string) {
	for i, f := range all {
		if i == maxListed || m.Len() > maxMarkdown+maxMarkdown/2 {
			fmt.Fprintf(m, "- and %d more\n", len(all)-i)
			break
		}
		fmt.Fprintf(m, "- %s under %s: %s\n", codeSpan(f.ID), escapeText(strings.Join(f.profiles, "; ")),
			escapeText(truncate(words(f), 2*textWidth)))
	}
	m.WriteByte('\n')
}

// cause writes a cause in a collapsed section, without its example if the page is
// long.
func (m *markdown) cause(c *cause) {
	if m.Len() > maxMarkdown+maxMarkdown/2 {
		return
	}
	fmt.Fprintf(m, "<details><summary>%s: %s</summary>\n\n", html.EscapeString(truncate(c.title, 2*textWidth)),
		c.counted())
	if c.about != "" {
		fmt.Fprintf(m, "%s\n\n", escapeText(c.about))
	}
	fmt.Fprintf(m, "%s\n\n", codeSpan(c.vectorList(maxListed)))
	if m.Len() < maxMarkdown {
		m.example(c.example, c.clause)
	}
	m.WriteString("</details>\n\n")
}

// example writes one failure: the difference, the bytes, and the beginning of each
// clause of the vector that is not written yet.
func (m *markdown) example(f *failure, written ids.Clause) {
	r := f.Result
	what := f.what()
	if r.Status != judge.Fail {
		what = string(r.Status) + ", " + what
	}
	fmt.Fprintf(m, "Example: %s under %s: %s\n\n", codeSpan(r.ID), escapeText(strings.Join(f.profiles, "; ")),
		escapeText(truncate(oneLine(what), 4*textWidth)))
	if r.Derived {
		fmt.Fprintf(m, "Derived from %s. ", codeSpan(r.Vector.ID))
	}
	if notInCorpus(r.Vector) {
		m.WriteString("The corpus of this program does not contain this vector. ")
	}
	fmt.Fprintf(m, "%s\n\n", escapeText(r.Vector.Comment))
	if want, got := expectedAndGot(r); want != nil || got != nil {
		var d strings.Builder
		for _, l := range diffLines(want, got) {
			d.WriteString(truncate(l, 4*textWidth) + "\n")
		}
		m.codeBlock("diff", d.String())
	}
	for _, s := range []string{sideSentence(r), acceptableSentence(r.Outcome), f.sameFailureText()} {
		if s != "" {
			fmt.Fprintf(m, "%s\n\n", escapeText(s))
		}
	}
	m.codeBlock("", dumpOf(r, "", hexdump.Style{}))
	for _, c := range f.otherClauses(written) {
		fmt.Fprintf(m, "- **%s** %s\n", c.ID, escapeText(truncate(c.Text, 2*textWidth)))
	}
	m.WriteByte('\n')
}

// diffLines returns a unified diff: expected lines are removed lines, actual
// lines are added lines.
func diffLines(want, got []string) []string {
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
	return out
}

func (m *markdown) skips(r *Run, name string) {
	groups := r.skips()
	if len(groups) == 0 {
		return
	}
	suffix := ""
	if name != "" {
		suffix = " by " + escapeText(name)
	}
	fmt.Fprintf(m, "#### Skipped%s\n\n", suffix)
	for _, g := range groups {
		var types []string
		for _, t := range g.typeList(r) {
			types = append(types, escapeText(t))
		}
		fmt.Fprintf(m, "- %s (%d): %s\n", escapeText(g.reason), g.count, strings.Join(types, ", "))
	}
	m.WriteByte('\n')
}
