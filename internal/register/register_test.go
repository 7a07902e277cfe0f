// Package register generates CONFORMANCE.md and a page per family in
// docs/conformance: the proofs of each structure, the clauses and the flags.
//
// A test reads the records, the list of types and the corpus, and compares the
// pages with those in the repository. A type in the list has
// properties, a fuzz target and a snapshot: the tests that walk the list fail
// without them.
package register

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"testing"
)

const repo = "../.."

// TestPagesAreCurrent compares the pages in the repository with the generated ones.
func TestPagesAreCurrent(t *testing.T) {
	pages := allPages(t)
	for name, want := range pages {
		file := filepath.Join(repo, name)
		if os.Getenv("GOLDIE_UPDATE") != "" {
			if err := os.WriteFile(file, want, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not current (%v): run GOLDIE_UPDATE=1 go test ./internal/register", name, err)
		}
	}
	entries, err := os.ReadDir(filepath.Join(repo, folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if pages[path.Join(folder, e.Name())] == nil {
			t.Errorf("%s/%s is the page of no family", folder, e.Name())
		}
	}
}

// TestLinksWithinPages: each link has one heading as its target.
func TestLinksWithinPages(t *testing.T) {
	pages := allPages(t)
	for name, page := range pages {
		headings := map[string]int{}
		for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllSubmatch(page, -1) {
			headings[anchor(string(m[1]))]++
		}
		for _, m := range regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllSubmatch(page, -1) {
			if n := headings[string(m[1])]; n != 1 {
				t.Errorf("%s: %d headings for the link %s", name, n, m[1])
			}
		}
	}
}

// TestNothingMissing: every structure has all its proofs.
func TestNothingMissing(t *testing.T) {
	pages := allPages(t)
	for name, page := range pages {
		for line := range bytes.Lines(page) {
			if bytes.Contains(line, []byte(missing)) {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}
