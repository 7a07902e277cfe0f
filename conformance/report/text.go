package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/spec"
)

const (
	textWidth   = 100
	columnWidth = 44
	// maxPairs is the maximum number of lines in a comparison.
	maxPairs       = 40
	contextPairs   = 2
	maxSameFailure = 8
	// maxLines is the number of lines of a report on one run at most.
	maxLines = 200
	// maxListed is the number of vectors below the title of a cause.
	maxListed = 12
	// maxIDLines is the number of lines with ids of failures.
	maxIDLines = 30
)

//go:embed forms/text.txt
var textTemplate string

// textForm returns the template of a report and of a comparison.
func textForm(style hexdump.Style) *template.Template {
	var form *template.Template
	in := func(write func(t *text)) string {
		t := text{Buffer: &bytes.Buffer{}, Style: style}
		write(&t)
		return t.String()
	}
	part := func(name string, data any) string {
		return in(func(t *text) { _ = form.ExecuteTemplate(t, name, data) }) // a buffer takes everything
	}
	form = template.Must(template.New("text").Funcs(formFunctions).Funcs(template.FuncMap{
		"bad": style.Bad, "good": style.Good, "strong": style.Strong, "faint": style.Faint,
		"compare": func(f *failure) string {
			return in(func(t *text) { t.compareLines(expectedAndGot(f.Result)) })
		},
		"dump": func(f *failure) string {
			if f.NotInCorpus() && len(f.Input) == 0 {
				return "      " + style.Faint("the corpus of this program does not contain this vector") + "\n"
			}
			return dumpOf(f.Result, "      ", style)
		},
		"failures": func(s *section, room int) string { return failures(s, room, part) },
		"lines":    lines,
		"part":     part,
		"status":   statusText,
		"table":    func(s *section) string { return in(func(t *text) { t.table(s, spec.Families()) }) },
		"wrap":     wrap,
	}).Parse(textTemplate))
	return form
}

func lines(s string) int { return strings.Count(s, "\n") }

// A shownCause is a cause with its number.
type shownCause struct {
	*cause
	N, Most int
}

// failures returns the causes of failures in at most room lines: as long as there is room,
// with an example; then the titles of others. If they do not name all failures, the ids of
// all of them follow, and where the rest is.
func failures(s *section, room int, part func(name string, data any) string) string {
	named, left := 0, room
	idRoom := min(maxIDLines, room/4)
	for _, c := range s.Causes {
		named += len(c.IDs)
		if len(c.IDs) > maxListed {
			named = -1 << 30
		}
	}
	var ids []string
	total := 0
	for _, l := range s.Failing() {
		total += 1 + strings.Count(l, ", ")
		ids = append(ids, wrapText(l, textWidth-2)...)
	}
	complete := named == total
	if !complete {
		left -= min(len(ids), idRoom) + 9 // with the sentences around them
	}
	var out strings.Builder
	short, rest, wasTitle := 0, 0, false
	for i, c := range s.Causes {
		x := shownCause{c, i + 1, maxListed}
		full := part("cause", x)
		if wasTitle {
			full = "\n" + full
		}
		if titles := min(len(s.Causes)-i-1, room/4); lines(full) > left-titles {
			switch {
			case i == 0:
				full = cutLines(full, max(left-titles, 1))
			case left > 1:
				full = part("title", x)
				wasTitle = true
			default:
				full = ""
				rest++
			}
			short++
		} else {
			wasTitle = false
		}
		out.WriteString(full)
		left -= lines(full)
	}
	switch {
	case len(s.Causes) == 0:
		return ""
	case complete && short == 0:
		return out.String()
	case rest > 0:
		fmt.Fprintf(&out, "and %s\n", Plural(rest, "more cause"))
	}
	if short > 0 {
		out.WriteString("\n")
	}
	if !complete {
		out.WriteString(wrap("", causesFirst))
		fmt.Fprintf(&out, "failed\n  %s\n", strings.Join(ids[:min(len(ids), idRoom)], "\n  "))
		if n := len(ids) - idRoom; n > 0 {
			fmt.Fprintf(&out, "  ... %s\n", Plural(n, "line"))
		}
	}
	return out.String() + wrap("", elsewhere) + "\n"
}

// causesFirst says how to read a long list of failures.
const causesFirst = "Start with cause 1, not with this list: a cause is a group of failures that probably have one " +
	"reason, so that one change of the implementation repairs all of them."

// elsewhere says where the rest of a report is.
const elsewhere = "The results that test --report jsonl=FILE writes contain each case: formatgauge report html " +
	"FILE shows them, formatgauge report markdown FILE lists the ids of all failures."

// cutLines returns the first lines of a text, and says how many follow.
func cutLines(s string, most int) string {
	all := strings.SplitAfter(s, "\n")
	if len(all) <= most {
		return s
	}
	return strings.Join(all[:most-1], "") + fmt.Sprintf("      ... %d lines\n", len(all)-most)
}

// formFunctions are functions of the templates of all forms.
var formFunctions = template.FuncMap{
	"context": contextOf,
	"cut":     func(width int, s string) string { return truncate(oneLine(s), width) },
	"first": func(n int, list any) any {
		v := reflect.ValueOf(list)
		return v.Slice(0, min(n, v.Len())).Interface()
	},
	"more":  func(n int, list any) int { return max(0, reflect.ValueOf(list).Len()-n) },
	"join":  strings.Join,
	"line":  oneLine,
	"minus": func(a, b int) int { return a - b },
	"plus":  func(a, b int) int { return a + b },
}

// Text writes a report for a terminal or a log: the causes of failures, each with
// one example, then skipped types with reasons, then counts.
func Text(w io.Writer, style hexdump.Style, runs ...*Run) error {
	return writeText(w, style, "text", documentOf(runs))
}

func writeText(w io.Writer, style hexdump.Style, name string, data any) error {
	var b bytes.Buffer
	style = style.Guarded()
	err := textForm(style).ExecuteTemplate(&b, name, data)
	if err == nil {
		_, err = io.WriteString(w, style.Printable(b.String()))
	}
	return err
}

type text struct {
	*bytes.Buffer
	hexdump.Style
}

// statusText names the status of a failure, and whether it is acceptable without --fail-acceptable.
func statusText(f *failure) string {
	s := strings.ToUpper(string(f.Status))
	if f.Status == judge.Fail && f.Reason != "" {
		s += " (" + string(judge.Acceptable) + ")"
	}
	return s
}

// compareLines writes two columns, or one text below the other if a line is too
// long.
func (t *text) compareLines(want, got []string) {
	if want == nil && got == nil {
		return
	}
	pairs := align(want, got)
	wide := 0
	for _, p := range pairs {
		wide = max(wide, utf8.RuneCountInString(p.want), utf8.RuneCountInString(p.got))
	}
	if want == nil || got == nil || wide > columnWidth && len(want) <= 1 && len(got) <= 1 {
		t.writeLabelled("expected", want, t.Good)
		t.writeLabelled("got", got, t.Bad)
		return
	}
	wide = min(max(wide, len("expected")), columnWidth)
	fmt.Fprintf(t, "      %s   %s\n", t.Faint(fmt.Sprintf("%-*s", wide, "expected")), t.Faint("got"))
	for n, p := range nearDifferences(pairs, maxPairs) {
		t.skippedLines(n)
		if p != nil {
			t.pair(p, wide)
		}
	}
}

func (t *text) skippedLines(n int) {
	if n > 0 {
		fmt.Fprintf(t, "      %s\n", t.Faint(fmt.Sprintf("... %d lines", n)))
	}
}

// nearDifferences yields at most most pairs that are close to a difference, each with the
// number of pairs omitted before it, then nil with the number of those after them.
func nearDifferences(pairs []pair, most int) iter.Seq2[int, *pair] {
	return func(yield func(int, *pair) bool) {
		omitted, shown := 0, 0
		for i := range pairs {
			if !isNearDifference(pairs, i) || shown >= most {
				omitted++
				continue
			}
			if !yield(omitted, &pairs[i]) {
				return
			}
			omitted = 0
			shown++
		}
		yield(omitted, nil)
	}
}

// isNearDifference reports whether a pair is close enough to a difference to be
// shown.
func isNearDifference(pairs []pair, i int) bool {
	near := pairs[max(i-contextPairs, 0):min(i+contextPairs+1, len(pairs))]
	return len(pairs) <= maxPairs/4 || slices.ContainsFunc(near, func(p pair) bool { return !p.same() })
}

func (t *text) pair(p *pair, width int) {
	want, got := windowAtDifference(p.want, p.got, width)
	left := fmt.Sprintf("%-*s", width, want)
	sign := " "
	switch {
	case p.same():
	case p.hasWant && p.hasGot:
		sign = "|"
	case p.hasWant:
		sign = "<"
	default:
		sign = ">"
	}
	if !p.same() {
		left, got, sign = t.Good(left), t.Bad(got), t.Bad(sign)
	}
	t.line("      " + left + " " + sign + " " + got)
}

func (t *text) writeLabelled(label string, lines []string, style func(string) string) {
	for i, l := range lines {
		if i == maxPairs {
			t.skippedLines(len(lines) - i)
			return
		}
		t.line("      " + t.Faint(fmt.Sprintf("%-8s", label)) + "  " + style(truncate(l, 4*textWidth)))
		label = ""
	}
}

// line writes a line without trailing spaces.
func (t *text) line(s string) { t.WriteString(strings.TrimRight(s, " ") + "\n") }

// windowAtDifference shortens two lines so that the first difference is visible.
func windowAtDifference(a, b string, width int) (string, string) {
	ra, rb := []rune(a), []rune(b)
	if len(ra) <= width && len(rb) <= width {
		return a, b
	}
	n := 0
	for n < len(ra) && n < len(rb) && ra[n] == rb[n] {
		n++
	}
	from := max(0, n-width/3)
	window := func(r []rune) string {
		from := min(from, max(len(r)-width, 0))
		to := min(from+width, len(r))
		out := slices.Clone(r[from:to])
		if from > 0 {
			out[0] = '…'
		}
		if to < len(r) {
			out[len(out)-1] = '…'
		}
		return string(out)
	}
	return window(ra), window(rb)
}

// truncate shortens a text to a width.
func truncate(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return s
}

// wrap breaks a text into lines that begin with indent.
func wrap(indent, s string) string {
	var b strings.Builder
	for _, l := range wrapText(s, textWidth-len(indent)) {
		b.WriteString(indent + l + "\n")
	}
	return b.String()
}

func wrapText(s string, width int) []string {
	var out []string
	for _, word := range strings.Fields(s) {
		last := len(out) - 1
		if last >= 0 && utf8.RuneCountInString(out[last])+1+utf8.RuneCountInString(word) <= width {
			out[last] += " " + word
		} else {
			out = append(out, word)
		}
	}
	return out
}

// table writes a row for each profile and family.
func (t *text) table(s *section, families []*spec.Family) {
	var columns []judge.Status
	head := fmt.Sprintf("  %-12s %-6s", "profile", "family")
	always := []judge.Status{judge.Pass, judge.Fail, judge.Skip}
	for _, w := range statusWords {
		if slices.Contains(always, w.Status) || s.Has(w.Status) {
			columns = append(columns, w.Status)
			head += fmt.Sprintf(" %*s", numberWidth(w.Status), columnHead(w.Status))
		}
	}
	derived := s.Derived.Total() > 0
	if derived {
		head += fmt.Sprintf(" %7s %5s", "derived", "failed")
	}
	t.line(t.Faint(head))
	for _, g := range s.Columns {
		for _, f := range families {
			n, ok := g.Tallies[f.Name]
			if !ok {
				continue
			}
			line := fmt.Sprintf("  %-12s %-6s", truncate(g.Profile, 12), f.Name)
			for _, o := range columns {
				line += t.number(o, n.Own[o])
			}
			if derived {
				line += fmt.Sprintf(" %7d", n.Derived.Judged()) + t.number(judge.Fail, n.Derived.Failed())
			}
			t.line(line)
		}
	}
}

func columnHead(s judge.Status) string { return strings.Replace(string(s), "not-applicable", "n/a", 1) }

func numberWidth(s judge.Status) int { return max(5, len(columnHead(s))) }

// number formats a cell: zeros are faint, failures are highlighted.
func (t *text) number(o judge.Status, n int) string {
	s := fmt.Sprintf(" %*d", numberWidth(o), n)
	switch {
	case n == 0:
		return t.Faint(s)
	case o.Failed():
		return t.Bad(s)
	}
	return s
}
