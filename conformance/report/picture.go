package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/internal/printable"
)

// svgText makes a text safe in SVG, on one line.
func svgText(s string, width int) string {
	return html.EscapeString(printable.Text(truncate(oneLine(s), width)))
}

// Trend writes a picture of several runs, oldest first, as SVG: a bar per run
// with the vectors that passed, failed, and are acceptable. The description
// contains all numbers as text. Derived cases are not counted.
func Trend(w io.Writer, runs ...*Run) error {
	const left, top, row, bar, width = 220, 40, 44, 560, 960
	series := []struct {
		name, colour string
		of           func(Counts) int
	}{
		{"passed", "#2f7d5c", func(c Counts) int { return c[judge.Pass] }},
		{"failed", "#b93a2b", func(c Counts) int { return c.Failed() + c[Known] }},
		{"acceptable", "#8a7d00", func(c Counts) int { return c[judge.Acceptable] }},
	}
	var about strings.Builder
	names := runLabels(runs)
	own := make([]Counts, len(runs))
	most := 1
	for i, r := range runs {
		own[i], _ = r.counts()
		most = max(most, own[i].Judged())
		fmt.Fprintf(&about, "%s, %v: %v; %s.\n", names[i], r.Corpus, own[i], r.Verdict())
	}
	var b bytes.Buffer
	height := top + row*len(runs) + 16
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="14">
<title id="title">Results of %s</title>
<desc id="desc">%s</desc>
<style>text { fill: #22282b } .soft { fill: #5f686d } @media (prefers-color-scheme: dark) { .paper { fill: #14181b } text { fill: #dfe4e4 } .soft { fill: #98a3a8 } }</style>
<rect class="paper" width="%[1]d" height="%[2]d" fill="#fffefc"/>
`, width, height, plural(len(runs), "run"), html.EscapeString(printable.Text(about.String())))
	x := left
	for _, s := range series {
		fmt.Fprintf(&b, `<rect x="%d" y="12" width="12" height="12" rx="3" fill="%s"/><text x="%d" y="23">%s</text>`+"\n",
			x, s.colour, x+18, s.name)
		x += 40 + 8*utf8.RuneCountInString(s.name)
	}
	for i := range runs {
		y := top + row*i
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", left-12, y+19, svgText(names[i], 28))
		at, numbers := 0, []string{}
		for _, s := range series {
			n := s.of(own[i])
			numbers = append(numbers, fmt.Sprint(n))
			if n == 0 {
				continue
			}
			from, to := left+bar*at/most, left+bar*(at+n)/most
			at += n
			// A few failures are visible, however many vectors there are.
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="18" fill="%s"><title>%d %s</title></rect>`+"\n", from, y+5,
				max(to-from, 2), s.colour, n, s.name)
		}
		fmt.Fprintf(&b, `<text class="soft" x="%d" y="%d">%s</text>`+"\n", left+bar+10, y+19, strings.Join(numbers, " / "))
		fmt.Fprintf(&b, `<text class="soft" x="%d" y="%d" font-size="12">%s</text>`+"\n", left, y+37,
			svgText(runs[i].Verdict(), 90))
	}
	b.WriteString("</svg>\n")
	_, err := w.Write(b.Bytes())
	return err
}

// badge returns what a badge says, and a colour: a name for shields.io and its
// code.
func (r *Run) badge() (label, message, colour, code string) {
	own, derived := r.counts()
	failed := own.Failed() + own[Known] + derived.Failed() + derived[Known]
	message = r.Verdict()
	if failed > 0 {
		message = fmt.Sprintf("%d of %d passed", own[judge.Pass], own[judge.Pass]+own.Failed()+own[Known])
	}
	message = truncate(oneLine(message), 60)
	label = "formatgauge"
	if r.Corpus.Number > 0 {
		label = fmt.Sprintf("formatgauge corpus %d", r.Corpus.Number)
	}
	switch _, grade := r.judgement(); grade {
	case gradeGood:
		return label, message, "brightgreen", "#2f7d3c"
	case gradeKnown, gradeInterrupted:
		return label, message, "yellow", "#7a5c00"
	}
	return label, message, "red", "#b93a2b"
}

// Badge writes a badge as SVG.
func Badge(w io.Writer, r *Run) error {
	label, message, _, code := r.badge()
	wide := func(s string) int { return 7*utf8.RuneCountInString(printable.Text(s)) + 14 }
	a, m := wide(label), wide(message)
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" role="img" aria-label="%[2]s: %[3]s">
<title>%[2]s: %[3]s</title>
<rect width="%[1]d" height="20" rx="3" fill="%[4]s"/><path d="M3 0h%[5]dv20h-%[5]dA3 3 0 0 1 0 17V3A3 3 0 0 1 3 0" fill="#444"/>
<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle">
<text x="%[6]d" y="14" textLength="%[7]d">%[2]s</text><text x="%[8]d" y="14" textLength="%[9]d">%[3]s</text>
</g>
</svg>
`, a+m, svgText(label, 80), svgText(message, 80), code, a-3, a/2, a-14, a+m/2, m-14)
	return err
}

// Shields writes a badge in the JSON of shields.io endpoints.
func Shields(w io.Writer, r *Run) error {
	label, message, colour, _ := r.badge()
	text, err := json.Marshal(struct {
		Version int    `json:"schemaVersion"`
		Label   string `json:"label"`
		Message string `json:"message"`
		Color   string `json:"color"`
	}{1, label, message, colour})
	if err == nil {
		_, err = fmt.Fprintln(w, printable.Text(string(text)))
	}
	return err
}
