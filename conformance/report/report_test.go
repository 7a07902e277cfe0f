package report_test

import (
	"bytes"
	"strconv"
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

func TestNoSuchFormat(t *testing.T) {
	good, _ := runs(t)
	if err := report.Write(&bytes.Buffer{}, "pdf", hexdump.Style{}, good); err == nil {
		t.Error("there is no format pdf")
	}
}
