package report_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/internal/hexdump"
)

func itoa(n int) string { return strconv.Itoa(n) }

func write(t *testing.T, format string, runs ...*report.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, format, hexdump.Style{}, runs...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSameNames: runs with the same name get distinct labels.
func TestSameNames(t *testing.T) {
	good, bad := runs(t)
	of := func(r *report.Run, language string) *report.Run {
		out := *only(r, named("ubi/BasicString/trailing", "observed"))
		out.Hello.Name, out.Hello.Version, out.Hello.Language = "same", "1", language
		return &out
	}
	all := []*report.Run{of(good, "Python"), of(bad, "JavaScript"), of(good, "Python"), of(good, "")}
	for _, format := range []string{"html", "markdown", "junit"} {
		text := write(t, format, all...)
		for _, name := range []string{"same 1 (Python) (1)", "same 1 (JavaScript)", "same 1 (Python) (3)", "same 1"} {
			if !strings.Contains(text, name) {
				t.Errorf("%s: the label %q is missing", format, name)
			}
		}
	}
}

func TestNoSuchFormat(t *testing.T) {
	good, _ := runs(t)
	if err := report.Write(&bytes.Buffer{}, "pdf", hexdump.Style{}, good); err == nil {
		t.Error("Write accepts the format pdf")
	}
}
