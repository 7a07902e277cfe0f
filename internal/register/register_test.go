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

	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
)

const repo = "../.."

// TestPagesAreCurrent compares the pages in the repository with the generated ones, in which
// every structure has all its proofs, and each link within a page has one heading as its target.
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
		if bytes.Contains(want, []byte(missing)) {
			t.Errorf("%s: a proof is missing", name)
		}
		headings := counts(regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllSubmatch(want, -1),
			func(m [][]byte) string { return anchor(string(m[1])) })
		for _, m := range regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllSubmatch(want, -1) {
			if n := headings[string(m[1])]; n != 1 {
				t.Errorf("%s: %d headings for the link %s", name, n, m[1])
			}
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

// TestBasis: the pages show the basis of clauses, sides and vectors, and the
// reasons of choices.
func TestBasis(t *testing.T) {
	pages := allPages(t, judgetest.Choice("UPKG-CI-10", "No document says so."),
		judgetest.SideChoice("upkg.ci-minus-zero", "strict", "Only a strict reader does so."))
	const choice = `(?: \d+ \(\d+ %\) \|){3} [1-9].*\n` // after three other shares
	for want, page := range map[string]string{
		`\| UPKG-CI-10 \| must \| .* \| choice \| .* \*Reason\*: No document says so\. \*Acceptable\*: at a vector that this choice decides: a rejection of any class; the answer that the vector states as permitted; the verdict of another side\. \|`: "upkg.md",
		"\\* Side `strict` \\(basis: choice\\): .* \\*Reason\\*: Only a strict reader does so\\.": "upkg.md",
		`\| \[upkg\]\(upkg\.md\) \| \d+ clauses \|` + choice + `\|  \| \d+ sides \|` + choice +
			`\|  \| \d+ vectors \|` + choice: "basis.md",
	} {
		if !regexp.MustCompile(want).Match(pages[folder+"/"+page]) {
			t.Errorf("%s lacks %s", page, want)
		}
	}
}
