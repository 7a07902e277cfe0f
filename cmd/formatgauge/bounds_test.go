package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/internal/infile"
)

// TestMaxInput: a longer input is not read to its end, and the exit code is 2; a file that
// is longer gives the same code.
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
		in := bytes.NewReader(make([]byte, 4*limit))
		var errOut bytes.Buffer
		got := run(append(strings.Fields(args), "--max-input", "64K"), in, io.Discard, &errOut)
		if want := "standard input has more than 64K bytes: --max-input raises the bound\n"; got != exitTrouble ||
			!strings.HasSuffix(errOut.String(), want) || in.Len() == 0 {
			t.Errorf("formatgauge %s: exit code %d, %d bytes unread\n%s", args, got, in.Len(), &errOut)
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
	// A baseline has the default bound, also if the files that are checked have another one.
	if err := os.Truncate(file, infile.Max+1); err != nil {
		t.Skip(err)
	}
	got, _, stderr := runIn("check", "--max-input", "1G", "--baseline", file, t.TempDir())
	if got != exitTrouble || !strings.Contains(stderr, file+" has more than 256M bytes\n") {
		t.Errorf("a long baseline: exit code %d\n%s", got, stderr)
	}
}

func TestDistance(t *testing.T) {
	for words, want := range map[[2]string]int{
		{"", ""}: 0, {"", "abc"}: 3, {"abc", "ABC"}: 0, {"abc", "ab"}: 1, {"abc", "xabc"}: 1, {"abc", "axc"}: 2,
		{"abc", "acb"}: 1, {"ab", "ba"}: 1, {"abcd", "badc"}: 2, {"kitten", "sitting"}: 5,
	} {
		if got, back := distance(words[0], words[1]), distance(words[1], words[0]); got != want || back != want {
			t.Errorf("distance of %q: %d and %d, want %d", words, got, back, want)
		}
	}
}
