package report

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

const (
	textWidth   = 100
	columnWidth = 44
	// maxPairs bounds the lines of one comparison.
	maxPairs    = 40
	pairsAround = 2
	// maxFull bounds the failures that are told in full.
	maxFull     = 100
	maxLikewise = 8
)

// Text writes a report for a terminal or a log: what is bad first, each with
// the vector's own words and bytes; then what is left out and why; then counts.
func Text(w io.Writer, style hexdump.Style, runs ...*Run) error {
	var b bytes.Buffer
	for i, r := range runs {
		t := text{Buffer: &b, Style: style, told: map[ids.Clause]bool{}}
		if i > 0 {
			t.WriteString("\n")
		}
		t.run(r)
	}
	_, err := w.Write(b.Bytes())
	return err
}

type text struct {
	*bytes.Buffer
	hexdump.Style
	told map[ids.Clause]bool // clauses that have been written out
}

func (t *text) run(r *Run) {
	all := r.failures()
	for i, f := range all {
		if i >= maxFull {
			t.rest(all[i:])
			break
		}
		t.bad(f)
	}
	t.known(r)
	t.disagrees(r)
	t.skips(r)
	t.counts(r)
}

// rest lists failures, a line each.
func (t *text) rest(all []*failure) {
	for _, f := range all {
		what := f.Detail
		if n := len(f.likewise); n > 0 {
			what += fmt.Sprintf(" (and %d more)", n)
		}
		fmt.Fprintf(t, "%s  %s  %s  %s\n", t.Bad(strings.ToUpper(string(f.Status))), f.ID,
			t.Faint("under "+strings.Join(f.profiles, "; ")), cut(oneLine(what), textWidth))
	}
	t.WriteString("\n")
}

func (t *text) bad(f *failure) {
	r := f.Result
	fmt.Fprintf(t, "%s  %s  %s\n", t.Bad(strings.ToUpper(string(r.Status))), t.Strong(r.ID), t.Faint("under "+strings.Join(f.profiles, "; ")))
	about := r.Vector.Comment
	if r.Derived {
		about = "Derived from " + r.Vector.ID + ": " + about
	}
	t.wrap("  ", about)
	t.WriteString("\n")
	if unknown(r.Vector) && len(r.Input) == 0 {
		fmt.Fprintf(t, "      %s\n", t.Faint("the corpus of this program has no such vector"))
	} else {
		t.WriteString(dumpOf(r, "      ", t.Style))
	}
	t.WriteString("\n")
	what := r.Detail
	if r.Op != "" {
		what = string(r.Op) + ": " + what
	}
	if s := contextOf(r); s != "" {
		t.wrap("  ", s)
	}
	t.wrap("  ", what)
	t.compare(sides(r))
	if s := sideSentence(r); s != "" {
		t.wrap("  ", s)
	}
	if s := f.others(); s != "" {
		t.wrap("  ", s)
	}
	for _, id := range r.Vector.Clauses {
		if c, ok := spec.FindClause(id); ok {
			t.clause(c)
		}
	}
	t.WriteString("\n")
}

// clause writes a clause in full the first time, and its beginning later.
func (t *text) clause(c *spec.Clause) {
	words := c.Text
	if t.told[c.ID] {
		words = cut(words, textWidth-len(c.ID)-4)
	}
	t.told[c.ID] = true
	t.wrapLabel(t.Strong(string(c.ID)), len(c.ID), words)
}

// contextOf says what the type was told if that is not what the vector says.
func contextOf(r *judge.Result) string {
	if maps.Equal(r.Context, r.Vector.Context) {
		return ""
	}
	var parts []string
	for k, v := range r.Context {
		parts = append(parts, k+"="+v)
	}
	slices.Sort(parts)
	return "read with " + strings.Join(parts, ", ")
}

// others names the derived cases that went wrong in the same way.
func (f *failure) others() string {
	n := len(f.likewise)
	if n == 0 {
		return ""
	}
	s := "likewise " + strings.Join(f.likewise[:min(n, maxLikewise)], ", ")
	if n > maxLikewise {
		s += fmt.Sprintf(" and %d more", n-maxLikewise)
	}
	return s
}

// compare writes two columns, or one below the other where a line is too long.
func (t *text) compare(want, got []string) {
	if want == nil && got == nil {
		return
	}
	pairs := align(want, got)
	wide := 0
	for _, p := range pairs {
		wide = max(wide, utf8.RuneCountInString(p.want), utf8.RuneCountInString(p.got))
	}
	if want == nil || got == nil || wide > columnWidth && len(want) <= 1 && len(got) <= 1 {
		t.stacked("expected", want, t.Good)
		t.stacked("got", got, t.Bad)
		return
	}
	wide = min(max(wide, len("expected")), columnWidth)
	fmt.Fprintf(t, "      %s   %s\n", t.Faint(padTo("expected", wide)), t.Faint("got"))
	skipped, shown := 0, 0
	for i := range pairs {
		if !near(pairs, i) || shown >= maxPairs {
			skipped++
			continue
		}
		t.skippedLines(&skipped)
		t.pair(&pairs[i], wide)
		shown++
	}
	t.skippedLines(&skipped)
}

func (t *text) skippedLines(n *int) {
	if *n > 0 {
		fmt.Fprintf(t, "      %s\n", t.Faint(fmt.Sprintf("... %d lines", *n)))
	}
	*n = 0
}

// near reports whether a pair is close enough to a difference to be shown.
func near(pairs []pair, i int) bool {
	if len(pairs) <= maxPairs/4 {
		return true
	}
	for k := max(i-pairsAround, 0); k <= min(i+pairsAround, len(pairs)-1); k++ {
		if !pairs[k].same() {
			return true
		}
	}
	return false
}

func (t *text) pair(p *pair, width int) {
	want, got := around(p.want, p.got, width)
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

func (t *text) stacked(label string, lines []string, paint func(string) string) {
	for i, l := range lines {
		if i == maxPairs {
			t.skippedLines(new(len(lines) - i))
			return
		}
		l = cut(l, 4*textWidth)
		l = paint(l)
		fmt.Fprintf(t, "      %s  %s\n", t.Faint(padTo(label, len("expected"))), l)
		label = ""
	}
}

// line ends without blanks.
func (t *text) line(s string) { t.WriteString(strings.TrimRight(s, " ") + "\n") }

// around cuts two lines to a width so that the place where they part is seen.
func around(a, b string, width int) (string, string) {
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

// cut shortens a text to a width.
func cut(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return s
}

// wrap breaks a text into lines.
func (t *text) wrap(indent, s string) {
	for _, l := range wrapped(s, textWidth-len(indent)) {
		t.line(indent + l)
	}
}

// wrapLabel breaks a text into lines beside a label.
func (t *text) wrapLabel(label string, width int, s string) {
	for i, l := range wrapped(s, textWidth-width-4) {
		if i > 0 {
			label = strings.Repeat(" ", width)
		}
		t.line("  " + label + "  " + l)
	}
}

func wrapped(s string, width int) []string {
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

// known lists the failures that are expected, a line each.
func (t *text) known(r *Run) {
	any := false
	for i := range r.Results {
		if res := &r.Results[i]; OutcomeOf(res) == Known {
			any = true
			t.line(fmt.Sprintf("%s  %s  %s  %s", t.Faint("known"), res.ID, t.Faint("under "+res.Profile.String()), res.Known))
		}
	}
	if any {
		t.WriteString("\n")
	}
}

// disagrees tells where the list of known failures is not exact.
func (t *text) disagrees(r *Run) {
	for _, s := range r.Disagrees {
		t.line(t.Bad("known failures") + "  " + s)
	}
	if len(r.Disagrees) > 0 {
		t.WriteString("\n")
	}
}

func (t *text) skips(r *Run) {
	for _, g := range r.skips() {
		t.line(fmt.Sprintf("skipped %d: %s", g.count, g.reason))
		t.wrap("    ", strings.Join(g.inWords(r), ", "))
	}
}

func (t *text) counts(r *Run) {
	title := r.Name()
	if r.Hello.Language != "" {
		title += " (" + r.Hello.Language + ")"
	}
	fmt.Fprintf(t, "%s  %s\n", t.Strong(title), t.Faint(r.judgedBy()))
	own, derived := r.counts()
	shown := []Outcome{Outcome(judge.Pass), Outcome(judge.Fail)}
	for _, o := range Outcomes[2:] {
		if o == Outcome(judge.Skip) || o == Outcome(judge.Open) || own.Get(o)+derived.Get(o) > 0 {
			shown = append(shown, o)
		}
	}
	var head strings.Builder
	fmt.Fprintf(&head, "  %-12s %-8s", "profile", "family")
	for _, o := range shown {
		fmt.Fprintf(&head, " %*s", numberWidth(o), o)
	}
	if derived.Total() > 0 {
		fmt.Fprintf(&head, "   %7s %6s", "derived", "failed")
	}
	t.line(t.Faint(head.String()))
	for _, g := range groups([]*Run{r}) {
		for _, f := range families([]*Run{r}) {
			own, der := g.count(func(r *judge.Result) bool { return r.Vector.Family() == f.Name })
			if own.Total()+der.Total() == 0 {
				continue
			}
			line := fmt.Sprintf("  %-12s %-8s", cut(g.profile, 12), f.Name)
			for _, o := range shown {
				line += t.number(o, own.Get(o))
			}
			if derived.Total() > 0 {
				line += fmt.Sprintf("   %7d", der.Total()-der.Skip-der.Open) + t.number(Outcome(judge.Fail), der.Bad())
			}
			t.line(line)
		}
	}
	verdict := t.Bad(r.Verdict())
	if (r.Conformant() || r.AsKnown()) && len(r.Disagrees) == 0 && !r.Cut {
		verdict = t.Good(r.Verdict())
	}
	sum := own.String()
	if derived.Total() > 0 {
		sum += "; derived: " + derived.String()
	}
	fmt.Fprintf(t, "%s: %s\n", sum, verdict)
}

func numberWidth(o Outcome) int { return max(6, len(o)) }

// number is a cell: zeros step back, what is bad stands out.
func (t *text) number(o Outcome, n int) string {
	s := fmt.Sprintf(" %*d", numberWidth(o), n)
	switch {
	case n == 0:
		return t.Faint(s)
	case o.Bad():
		return t.Bad(s)
	}
	return s
}
