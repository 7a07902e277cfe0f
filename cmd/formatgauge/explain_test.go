package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeExplains: the README shows the beginning of a real explanation.
func TestReadmeExplains(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(page), "$ formatgauge explain upkg.ci-minus-zero\n")
	shown, _, found := strings.Cut(shown, "\n...\n")
	got, err := explain("upkg.ci-minus-zero")
	if err != nil || !found || !strings.HasPrefix(got, shown+"\n") {
		t.Errorf("README.md shows\n%s\nthe explanation is\n%s", shown, got)
	}
}
