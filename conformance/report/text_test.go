package report_test

import (
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/hexdump"
)

// only returns a run with the results for which want returns true.
func only(r *report.Run, want func(*judge.Result) bool) *report.Run {
	out := *r
	out.Report = &judge.Report{Hello: r.Hello}
	for _, res := range r.Results {
		if want(&res) {
			out.Results = append(out.Results, copyOf(res))
		}
	}
	return &out
}

func named(id, profile string) func(*judge.Result) bool {
	return func(r *judge.Result) bool { return r.ID == id && r.Profile.String() == profile }
}

// TestText compares complete parts of the report.
func TestText(t *testing.T) {
	_, bad := runs(t)
	for _, c := range []struct{ id, want string }{
		{"ubi/BasicString/trailing", `  ubi/BasicString/trailing

  FAIL  ubi/BasicString/trailing  under observed
  One byte follows an empty string.
  decode: rejected at byte 5, expected reject trailing @4
      expected             got
      reject trailing @4 | reject trailing @5

      00000000  00 00 00 00              len: 0
      00000004  41                       trailing byte
                ^^ rejection expected here
      00000005                           end of input
                ^^ rejected here


faulty 0.3 (Go)  judged by Formatgauge `},
		{"ubi/BasicString/trailing", "cause 1  ubi.BasicString: trailing: rejected at another offset (UBI-MAGIC-7)  1 vector\n"},
		{"upkg/CompactIndex/64-takes-two-bytes", `
  encode: length: expected 2 bytes, got 3 bytes
      expected   got
      40 01    | 40 01 00
`},
		{"upkg/Package/version-69", `cause 1  view upkg.no-name-flags, upkg.NameEntry.flags: another value (UPKG-NENT-1)  1 vector
  The values differ only in what the view upkg.no-name-flags loses: declare it in views if the
  values of the reader do not contain this. `},
		{"upkg/Package/version-69", `
      00000058  10 00 07 04              name 1: Flags
                ^^ ^^ ^^ ^^ names[1].flags
`},
		{"upkg/Package/version-69", `
      ... 18 lines
        "names": [                                     "names": [
      …one", "wide": false}, "flags": "67567632"},   …one", "wide": false}, "flags": "67567632"},
      …ore", "wide": false}, "flags": "67567632"}, | …xt": "Core", "wide": false}, "flags": "7"},
`},
		{"ubi/Color/plain", `cause 1  crash: the process ended: exit status N; stderr: panic: nil  1 vector
  ubi/Color/plain

  CRASH  ubi/Color/plain  under observed
`},
		{"ubi/Color/plain", `
  decode: the process ended: exit status 2; stderr: panic: nil
      expected  {"r": "1", "g": "0.5", "b": "0.25", "a": "0.75"}

      00000000  00 00 80 3f              r: 1
`},
	} {
		contains(t, c.id, write(t, "text", only(bad, named(c.id, "observed"))), c.want)
	}
}

// TestTextOnce: a failure that occurs in the same way under two profiles, or in
// many derived cases, is written once.
func TestTextOnce(t *testing.T) {
	_, bad := runs(t)
	text := write(t, "text", only(bad, func(r *judge.Result) bool { return r.ID == "ubi/BasicString/trailing" }))
	if n := strings.Count(text, "  FAIL  "); n != 1 || !strings.Contains(text, "under documented; observed\n") {
		t.Errorf("%d failures:\n%s", n, text)
	}
	text = write(t, "text", only(bad, func(r *judge.Result) bool {
		return r.Rule == judge.Truncated && r.Vector.ID == "ubi/Matrix33/rows"
	}))
	if n := strings.Count(text, "PROTOCOL  "); n != 1 ||
		!strings.Contains(text, "  same failure: #truncated-1, #truncated-2, #truncated-3, ") {
		t.Errorf("%d failures:\n%s", n, text)
	}
}

// TestTextSide: an answer of another side names the side to declare.
func TestTextSide(t *testing.T) {
	good, _ := runs(t)
	r := only(good, named("upkg/CompactIndex/32-bits-all-set", "observed"))
	set(&r.Results[0], judge.Outcome{
		Op: "decode", Status: judge.Fail, Class: judge.WrongTree, Side: "documented",
		Difference: &tree.Difference{Want: `"-1"`, Got: `"4294967295"`},
	})
	contains(t, "the report", unwrapped(write(t, "text", r)),
		"The answer is the expected one under upkg.ci-range=documented", "declare this if it is intended")
}

var escapes = regexp.MustCompile("\x1b\\[[0-9]*m")

// TestTextColour: without colours the report is the same, and each line ends
// without colour.
func TestTextColour(t *testing.T) {
	_, bad := runs(t)
	text := textOf(t, func(w io.Writer) error { return report.Text(w, hexdump.Style{Color: true}, bad) })
	if escapes.ReplaceAllString(text, "") != write(t, "text", bad) {
		t.Error("without colours the report differs")
	}
	for line := range strings.Lines(text) {
		if all := escapes.FindAllString(line, -1); len(all) > 0 && all[len(all)-1] != "\x1b[0m" {
			t.Fatalf("a colour continues after %q", line)
		}
	}
}

// TestTextWidth: lines fit a terminal, and have no trailing spaces.
func TestTextWidth(t *testing.T) {
	good, bad := runs(t)
	// Names, annotations and values are not wrapped.
	wide := regexp.MustCompile(`  under |^ {6}([0-9a-f]{8}| *\^|expected|got|faulty|known)|^\d+ passed|^cause `)
	for line := range strings.Lines(write(t, "text", bad, good)) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line); n > 100 && !wide.MatchString(line) || strings.HasSuffix(line, " ") {
			t.Errorf("%d columns, or a trailing space: %q", n, line)
		}
	}
}

// TestTextSkips: skips with the same reason share a line, in the order of first
// occurrence.
func TestTextSkips(t *testing.T) {
	good, _ := runs(t)
	r := only(good, func(res *judge.Result) bool { return !res.Derived && res.Profile.String() == "observed" })
	for i := range r.Results {
		why := "not yet"
		if r.Results[i].Vector.Structure() == "ubi.Box" {
			why = "never"
		}
		set(&r.Results[i], judge.Outcome{Status: judge.Skip, Reason: judge.Answered, Message: why})
	}
	text := write(t, "text", r)
	notYet, never := strings.Index(text, ": not yet\n"), strings.Index(text, ": never\n    ubi.Box\n")
	if strings.Count(text, "\nskipped ")+strings.Count(text[:8], "skipped ") != 2 || notYet < 0 || never < notYet {
		t.Errorf("the report is\n%s", text)
	}
}
