package register

import (
	"bytes"
	"os"
	"testing"
)

// TestCurrent compares the page in the repository with what it should say.
func TestCurrent(t *testing.T) {
	const page = "../../CONFORMANCE.md"
	want, err := Markdown(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("GOLDIE_UPDATE") != "" {
		if err := os.WriteFile(page, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(page)
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("CONFORMANCE.md is not current (%v); GOLDIE_UPDATE=1 go test ./internal/register writes it", err)
	}
}

// TestNothingMissing: every structure has all its proofs.
func TestNothingMissing(t *testing.T) {
	page, err := Markdown(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(page) {
		if bytes.Contains(line, []byte(missing)) {
			t.Errorf("%s", line)
		}
	}
}
