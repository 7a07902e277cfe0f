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
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/spec"
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

// TestBasis: the pages show the basis of clauses, sides and vectors, and the
// reasons of choices.
func TestBasis(t *testing.T) {
	pages := allPages(t, judgetest.Choice("UPKG-CI-10", "No document says so."),
		judgetest.SideChoice("upkg.ci-minus-zero", "strict", "Only a strict reader does so."))
	page := string(pages["docs/conformance/upkg.md"])
	for _, want := range []string{`\| UPKG-CI-10 \| must \| .* \| choice \| .* \*Reason\*: No document says so\. \*Acceptable\*: at a vector that this choice decides: a rejection of any class; the answer that the vector states as permitted; the verdict of another side\. \|`, "\\* Side `strict` \\(basis: choice\\): .* \\*Reason\\*: Only a strict reader does so\\."} {
		if !regexp.MustCompile(want).MatchString(page) {
			t.Errorf("the page of upkg lacks %s", want)
		}
	}
	// The rows of upkg, after those of another family: clauses, sides, vectors.
	_, rest, _ := strings.Cut(string(pages[folder+"/basis.md"]), "\n## Bases\n")
	_, rest, _ = strings.Cut(rest, "| [upkg]")
	rows := strings.SplitN(rest, "\n", 4)
	for i, of := range []string{"clauses", "sides", "vectors"} {
		cells := strings.Split(rows[i], "|")
		if !strings.HasSuffix(strings.TrimSpace(cells[1+min(i, 1)]), of) {
			t.Fatalf("row %d is %s", i, rows[i])
		}
		var n int
		choice := strings.TrimSpace(cells[5+min(i, 1)])
		if _, err := fmt.Sscanf(choice, "%d", &n); err != nil || n < 1 {
			t.Errorf("%s by choice: %q", of, choice)
		}
	}
}

// TestViews: the page of views shows each with its projections.
func TestViews(t *testing.T) {
	overview := string(allPages(t)[folder+"/views.md"])
	for _, v := range spec.Views() {
		if !strings.Contains(overview, "\n| "+v.ID+" | ") {
			t.Errorf("the view %s is missing", v.ID)
		}
		for _, line := range v.Projections {
			if !strings.Contains(overview, "`"+line+"`") {
				t.Errorf("the projection %q is missing", line)
			}
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
