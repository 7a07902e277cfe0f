package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/corpus/corpustest"
)

// TestPicture compares the image in the README with the output of the command.
func TestPicture(t *testing.T) {
	const picture = "../../docs/inspect.svg"
	v := corpustest.Find(t, "upkg/Package/version-69")
	name := t.TempDir() + "/small.u"
	if err := os.WriteFile(name, v.Bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runIn("inspect", "upkg.Package", name, "--color", "always")
	if code != exitOK {
		t.Fatal(stderr)
	}
	const rows = 14
	lines := strings.SplitAfterN(stdout, "\n", rows+2) // the head, the rows, the rest
	lines[rows+1] = "..."
	want := renderSVG("$ formatgauge inspect upkg.Package small.u", strings.Join(lines, ""))
	if os.Getenv("GOLDIE_UPDATE") != "" {
		if err := os.WriteFile(picture, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(picture)
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("docs/inspect.svg differs from the output of inspect (%v); update it with GOLDIE_UPDATE=1 go test "+
			"./cmd/formatgauge", err)
	}
}
