package report

import (
	"fmt"
	"html"
	"io"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/internal/printable"
)

// svgText makes a text safe in SVG, on one line.
func svgText(s string, width int) string {
	return html.EscapeString(printable.Text(truncate(oneLine(s), width)))
}

// Badge writes a badge as SVG.
func Badge(w io.Writer, r *Run) error {
	t, label := r.Counts(), "formatgauge"
	message, grade := r.verdict()
	if t.Failed() > 0 || t.Has(Known) {
		message = fmt.Sprintf("%d of %d passed", t.Own[judge.Pass], t.Own[judge.Pass]+t.Own.Failed()+t.Own[Known])
	}
	message = truncate(oneLine(message), 60)
	if r.Corpus.Number > 0 {
		label = fmt.Sprintf("formatgauge corpus %d", r.Corpus.Number)
	}
	wide := func(s string) int { return 7*utf8.RuneCountInString(printable.Text(s)) + 14 }
	a, m := wide(label), wide(message)
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" role="img" aria-label="%[2]s: %[3]s">
<title>%[2]s: %[3]s</title>
<rect width="%[1]d" height="20" rx="3" fill="%[4]s"/><path d="M3 0h%[5]dv20h-%[5]dA3 3 0 0 1 0 17V3A3 3 0 0 1 3 0" fill="#444"/>
<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle">
<text x="%[6]d" y="14" textLength="%[7]d">%[2]s</text><text x="%[8]d" y="14" textLength="%[9]d">%[3]s</text>
</g>
</svg>
`, a+m, svgText(label, 80), svgText(message, 80), grade.Colour, a-3, a/2, a-14, a+m/2, m-14)
	return err
}
