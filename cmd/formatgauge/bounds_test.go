package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/internal/infile"
)

// endlessBytes gives zeros without end, and counts them.
type endlessBytes struct{ given int }

func (e *endlessBytes) Read(p []byte) (int, error) {
	clear(p)
	e.given += len(p)
	return len(p), nil
}

// TestMaxInput: an endless input ends with exit code 2 after --max-input, and so
// does a file that is longer.
func TestMaxInput(t *testing.T) {
	const limit = 64 << 10
	t.Chdir(t.TempDir()) // x.png is written there
	file := filepath.Join(t.TempDir(), "long")
	if err := os.WriteFile(file, make([]byte, limit+1), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"decode upkg.Name -", "encode upkg.Name -", "inspect upkg.Name -", "ka scan -", "ka convert --to 1 -",
		"uasset info -", "uasset texture -o x.png -",
		"upkg info -", "report text -", "claim verify -",
	} {
		in := &endlessBytes{}
		var out, errOut bytes.Buffer
		got := run(append(strings.Fields(args), "--max-input", "64K"), in, &out, &errOut)
		if want := "standard input has more than 64K bytes: --max-input raises the bound\n"; got != exitTrouble ||
			!strings.HasSuffix(errOut.String(), want) || in.given > 4*limit {
			t.Errorf("formatgauge %s: exit code %d after %d bytes\n%s", args, got, in.given, &errOut)
		}
		ofFile := append(strings.Fields(strings.TrimSuffix(args, "-")), file, "--max-input")
		got, _, stderr := runIn(append(ofFile, "64K")...)
		if got != exitTrouble || !strings.Contains(stderr, file+" has more than 64K bytes") {
			t.Errorf("formatgauge %s with a file: exit code %d\n%s", args, got, stderr)
		}
		if _, _, stderr := runIn(append(ofFile, "65537")...); strings.Contains(stderr, "max-input") {
			t.Errorf("formatgauge %s with a file of the greatest size:\n%s", args, stderr)
		}
	}
	if got, _, stderr := runIn("decode", "upkg.Name"); got != exitFailed ||
		!strings.Contains(stderr, "truncated at byte 0") {
		t.Errorf("no input: exit code %d\n%s", got, stderr)
	}
	if got, _, _ := runIn("decode", "upkg.Name", "--max-input", "lots"); got != exitTrouble {
		t.Errorf("--max-input lots: exit code %d", got)
	}
	// A baseline has the default bound, also if the files that are checked have another one.
	if err := os.Truncate(file, infile.Max+1); err != nil {
		t.Skip(err)
	}
	got, _, stderr := runIn("check", "--max-input", "1G", "--baseline", file, t.TempDir())
	if got != exitTrouble || !strings.Contains(stderr, file+" has more than 256M bytes\n") {
		t.Errorf("a long baseline: exit code %d\n%s", got, stderr)
	}
}

// TestSuggestions: the error of a mistyped name suggests a name that exists.
func TestSuggestions(t *testing.T) {
	for args, want := range map[string]string{
		"tset":                               "did you mean test?",
		"corpus lnit":                        "did you mean lint?",
		"ka scn":                             "did you mean scan?",
		"test --reprot x":                    "did you mean --report?",
		"upkg info --max-inptu 3":            "did you mean --max-input?",
		"decode upkg.CompactIndes":           "did you mean upkg.CompactIndex?",
		"decode ubi.Array<Vectr3>":           "did you mean ubi.Array<Vector3>?",
		"decode ubi.Array:Vectr3":            "did you mean ubi.Array<Vector3>?",
		"decode vectro3":                     "did you mean ubi.Vector3, ka.Vector3?",
		"encode upgk.Name":                   "did you mean upkg.Name?",
		"diff upkg.Nmae -- true":             "did you mean upkg.Name?",
		"decode upkg.Name --profile observd": "did you mean observed?",
		"decode upkg.Name --profile observed,upkg.ci-rnage=x": "did you mean upkg.ci-range?",
		"decode upkg.Name --flag upkg.ci-minus-zero=strikt":   "did you mean strict?",
		"test --flag upkg.ci-minus-zero=strikt":               "did you mean strict?",
		"test --profile documentd":                            "did you mean documented?",
		"fingerprint --profile documentd":                     "did you mean documented?",
		"serve --flag upkg.ci-minus-zreo=strict":              "did you mean upkg.ci-minus-zero?",
		"test --run upkg/CompactIndex/fifth-byte-hihg-bits":   "did you mean upkg/CompactIndex/fifth-byte-high-bits?",
		"fingerprint --run upkg.CompactIndx":                  "did you mean upkg.CompactIndex?",
		"list tpyes":                                          "did you mean types?",
		"list types upgk":                                     "did you mean upkg?",
		"list vectors upkg/CompactIndex/fifth-byte-high-bts":  "did you mean upkg/CompactIndex/fifth-byte-high-bits?",
	} {
		if code, _, stderr := runIn(strings.Fields(args)...); code != exitTrouble || !strings.Contains(stderr, want) {
			t.Errorf("formatgauge %s: exit code %d, expected %q\n%s", args, code, want, stderr)
		}
	}
	for _, args := range []string{"frobnicate", "decode x", "decode nosuch", "list types nosuch", "test --nosuch"} {
		if code, _, stderr := runIn(strings.Fields(args)...); code != exitTrouble || stderr == "" ||
			strings.Contains(stderr, "did you mean") {
			t.Errorf("formatgauge %s: exit code %d\n%s", args, code, stderr)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "ABC", 0},
		{"abc", "acb", 1},
		{"abc", "ab", 1},
		{"abc", "xabc", 1},
		{"abc", "axc", 2},
		{"kitten", "sitting", 5},
		{"ab", "ba", 1},
		{"abcd", "badc", 2},
	} {
		if got, back := distance(c.a, c.b), distance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("distance of %q and %q: %d and %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}
