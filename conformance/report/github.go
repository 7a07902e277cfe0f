package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/formatgauge/formatgauge/internal/printable"
)

// maxAnnotations is the number of errors of one step that GitHub shows.
const maxAnnotations = 10

var (
	commandValue    = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub writes commands for the log of GitHub Actions: a notice per run, and an
// error for each of the first failures, then for the lines of a list of known failures
// that are no longer right. GitHub shows them as annotations.
func GitHub(w io.Writer, runs ...*Run) error {
	var b strings.Builder
	annotate := func(kind, title, text string) {
		fmt.Fprintf(&b, "::%s title=%s::%s\n", kind, commandProperty.Replace(printable.Text(title)),
			commandValue.Replace(printable.Text(text)))
	}
	left := maxAnnotations
	for i, name := range runLabels(runs) {
		r := runs[i]
		annotate("notice", name, r.Verdict()+"; "+r.Counts().Text("; derived cases: ")+"; "+r.judgedBy())
		var found [][2]string
		for _, f := range r.failures() {
			found = append(found, [2]string{f.ID, fmt.Sprintf("%s under %s: %s", f.Status, f.Under(),
				truncate(oneLine(f.What()), 2*textWidth))})
		}
		for _, m := range r.KnownMismatches {
			found = append(found, [2]string{"list of known failures", m})
		}
		found = found[:min(left, len(found))]
		left -= len(found)
		for _, e := range found {
			annotate("error", name+": "+e[0], e[1])
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
