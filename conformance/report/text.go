package report

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/spec/ids"
)

const (
	textWidth   = 100
	columnWidth = 44
	// maxPairs is the maximum number of lines in a comparison.
	maxPairs     = 40
	contextPairs = 2
	// maxCauses is the maximum number of causes with an example, maxListed of cases
	// in a list, maxVectors of vectors of a cause.
	maxCauses      = 50
	maxListed      = 100
	maxVectors     = 12
	maxSameFailure = 8
)

// Text writes a report for a terminal or a log: the causes of failures, each with
// one example, then skipped types with reasons, then counts.
func Text(w io.Writer, style hexdump.Style, runs ...*Run) error {
	var b bytes.Buffer
	style = style.Guarded()
	for i, r := range runs {
		t := text{Buffer: &b, Style: style}
		if i > 0 {
			t.WriteString("\n")
		}
		t.section(sectionOf(r, r.Name()))
	}
	_, err := io.WriteString(w, style.Printable(b.String()))
	return err
}

type text struct {
	*bytes.Buffer
	hexdump.Style
}

// section writes a run: of the causes, the first ones have an example.
func (t *text) section(s *section) {
	for i, c := range s.Causes {
		t.line(t.Bad("cause "+strconv.Itoa(i+1)) + "  " + t.Strong(c.Title) + "  " + t.Faint(c.Counted()))
		if i < maxCauses {
			t.wrap("  ", c.About)
		}
		t.wrap("  ", c.VectorList(maxVectors))
		t.WriteString("\n")
		if i < maxCauses {
			t.writeFailure(c.Example, c.Clause)
		}
	}
	for _, f := range s.Known {
		t.line(t.Faint("known") + "  " + f.ID + "  " + t.Faint("under "+f.Under()) + "  " + oneLine(f.Known))
	}
	if len(s.Known) > 0 {
		t.WriteString("\n")
	}
	for _, d := range s.Deviations {
		t.line(t.Strong(d.Title))
		t.wrap("    ", d.About)
		for i, f := range d.Cases {
			if i == maxListed {
				t.line(t.Faint(fmt.Sprintf("    and %d more", len(d.Cases)-i)))
				break
			}
			t.line("    " + f.ID + "  " + t.Faint("under "+f.Under()) + "  " + truncate(oneLine(f.More()), textWidth))
		}
		t.WriteString("\n")
	}
	for _, what := range s.KnownMismatches {
		t.line(t.Bad("known failures") + "  " + what)
	}
	if len(s.KnownMismatches) > 0 {
		t.WriteString("\n")
	}
	for _, g := range s.Skips {
		t.line(fmt.Sprintf("skipped %d: %s", g.Count, oneLine(g.Reason)))
		t.wrap("    ", strings.Join(g.Types, ", "))
	}
	t.writeCounts(s)
}

// statusText names the status of a failure, and whether it is acceptable without --fail-acceptable.
func statusText(r *judge.Result) string {
	s := strings.ToUpper(string(r.Status))
	if r.Status == judge.Fail && r.Reason != "" {
		s += " (" + string(judge.Acceptable) + ")"
	}
	return s
}

// writeFailure writes one failure: the difference, the bytes, and the first line
// of each clause of the vector that is not written yet.
func (t *text) writeFailure(f *failure, written ids.Clause) {
	r := f.Result
	fmt.Fprintf(t, "  %s  %s  %s\n", t.Bad(statusText(r)), t.Strong(r.ID),
		t.Faint("under "+f.Under()))
	about := r.Vector.Comment
	if r.Derived {
		about = "Derived from " + r.Vector.ID + ": " + about
	}
	t.wrap("  ", about)
	if s := contextOf(r); s != "" {
		t.wrap("  ", s)
	}
	t.wrap("  ", f.What())
	t.compareLines(expectedAndGot(r))
	for _, s := range f.Notes() {
		t.wrap("  ", s)
	}
	t.WriteString("\n")
	if notInCorpus(r.Vector) && len(r.Input) == 0 {
		fmt.Fprintf(t, "      %s\n", t.Faint("the corpus of this program does not contain this vector"))
	} else {
		t.WriteString(dumpOf(r, "      ", t.Style))
	}
	t.WriteString("\n")
	for _, c := range f.Clauses(written) {
		t.wrapLabel(t.Strong(string(c.ID)), len(c.ID), truncate(c.Text, textWidth-len(c.ID)-4))
	}
	t.WriteString("\n")
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
	fmt.Fprintf(t, "      %s   %s\n", t.Faint(padTo("expected", wide)), t.Faint("got"))
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
	if len(pairs) <= maxPairs/4 {
		return true
	}
	for k := max(i-contextPairs, 0); k <= min(i+contextPairs, len(pairs)-1); k++ {
		if !pairs[k].same() {
			return true
		}
	}
	return false
}

func (t *text) pair(p *pair, width int) {
	want, got := windowAtDifference(p.want, p.got, width)
	left := padTo(want, width)
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
		l = truncate(l, 4*textWidth)
		l = style(l)
		fmt.Fprintf(t, "      %s  %s\n", t.Faint(padTo(label, len("expected"))), l)
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
		s := string(r[from:min(len(r), from+width)])
		if from > 0 {
			s = "…" + string([]rune(s)[1:])
		}
		if from+width < len(r) {
			s = string([]rune(s)[:width-1]) + "…"
		}
		return s
	}
	return window(ra), window(rb)
}

func padTo(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// truncate shortens a text to a width.
func truncate(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return s
}

// wrap writes a text in lines.
func (t *text) wrap(indent, s string) {
	for _, l := range wrapText(s, textWidth-len(indent)) {
		t.line(indent + l)
	}
}

// wrapLabel writes a text in lines to the right of a label.
func (t *text) wrapLabel(label string, width int, s string) {
	for i, l := range wrapText(s, textWidth-width-4) {
		if i > 0 {
			label = strings.Repeat(" ", width)
		}
		t.line("  " + label + "  " + l)
	}
}

func wrapText(s string, width int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			out, line = append(out, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

func (t *text) writeCounts(s *section) {
	title := s.Name()
	if s.Hello.Language != "" {
		title += " (" + oneLine(s.Hello.Language) + ")"
	}
	t.line(t.Strong(title) + "  " + t.Faint(s.JudgedBy))
	var columns []judge.Status
	head := fmt.Sprintf("  %-12s %-6s", "profile", "family")
	for _, w := range statusWords {
		switch w.Status {
		case judge.Pass, judge.Fail, judge.Skip:
		default:
			if !s.Has(w.Status) {
				continue
			}
		}
		columns = append(columns, w.Status)
		head += fmt.Sprintf(" %*s", numberWidth(w.Status), strings.Replace(string(w.Status), "not-applicable", "n/a", 1))
	}
	derived := s.Derived.Total() > 0
	if derived {
		head += fmt.Sprintf(" %7s %5s", "derived", "failed")
	}
	t.line(t.Faint(head))
	for _, g := range groups([]*Run{s.Run}) {
		for _, f := range families([]*Run{s.Run}) {
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
	verdict := t.Bad(s.Verdict)
	if s.Grade == gradeGood || s.Grade == gradeKnown {
		verdict = t.Good(s.Verdict)
	}
	t.wrap("", s.suggestion())
	t.line(s.Text("; derived: ") + ": " + verdict)
}

func numberWidth(s judge.Status) int {
	if s == judge.NotApplicable {
		return 5
	}
	return max(5, len(s))
}

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
