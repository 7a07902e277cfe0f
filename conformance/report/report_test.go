package report_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/internal/hexdump"
)

func itoa(n int) string { return strconv.Itoa(n) }

// textOf returns what a function writes.
func textOf(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func write(t *testing.T, format string, runs ...*report.Run) string {
	t.Helper()
	return textOf(t, func(w io.Writer) error { return report.Write(w, format, hexdump.Style{}, runs...) })
}

// unwrapped returns a text without line breaks.
func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }

// readBack returns the run that the results of a run give when they are read again.
func readBack(t *testing.T, r *report.Run) *report.Run {
	t.Helper()
	back, err := report.Read(strings.NewReader(write(t, "jsonl", r)))
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// contains checks that a text has parts.
func contains(t *testing.T, name, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s lacks %q:\n%.3000s", name, part, text)
		}
	}
}

// lacks checks that a text has none of some parts.
func lacks(t *testing.T, name, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%s contains %q:\n%.3000s", name, part, text)
		}
	}
}

var packedData = regexp.MustCompile(`id="data">[^<]*`)

// unpacked returns a page with its data as JSON. Other forms remain as they are.
func unpacked(t *testing.T, page string) string {
	t.Helper()
	return packedData.ReplaceAllStringFunc(page, func(s string) string {
		before, data, _ := strings.Cut(s, ">")
		z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
		if err != nil {
			t.Fatal(err)
		}
		return before + ">" + textOf(t, func(w io.Writer) error {
			_, err := io.Copy(w, z)
			return err
		})
	})
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
		contains(t, format, write(t, format, all...),
			"same 1 (Python) (1)", "same 1 (JavaScript)", "same 1 (Python) (3)", "same 1")
	}
}

// TestReportsNameTheirVersions: every form gives the version of the program and
// the number and hash of the corpus.
func TestReportsNameTheirVersions(t *testing.T) {
	good, _ := runs(t)
	run := *only(good, named("ubi/BasicString/trailing", "observed"))
	run.Formatgauge, run.Corpus.Number = "v7.6.5", 4321
	_, digest, _ := strings.Cut(run.Corpus.Hash, ":")
	names, _ := report.Formats()
	for _, format := range names {
		contains(t, format, write(t, format, &run), "v7.6.5", "4321", digest[:12])
	}
}

func TestNoSuchFormat(t *testing.T) {
	good, _ := runs(t)
	if err := report.Write(&bytes.Buffer{}, "pdf", hexdump.Style{}, good); err == nil {
		t.Error("Write accepts the format pdf")
	}
}
