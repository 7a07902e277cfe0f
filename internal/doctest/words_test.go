package doctest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/spec"
)

// TestWords compares the tables of pages with the list of words.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		kind               spec.WordKind
		page, header, mark string
	}{
		{spec.ClassWord, "conformance/PROTOCOL.md", "| class | meaning |", "`"},
		{spec.ResultWord, "conformance/PROTOCOL.md", "| result | meaning |", "`"},
		{spec.TermWord, "docs/glossary.md", "| word | meaning |", ""},
		{spec.ContributorWord, "docs/glossary-contributors.md", "| word | meaning |", ""},
		{spec.UsageWord, "CONTRIBUTING.md", "| use | not |", ""},
	} {
		want := c.header + "\n|---|---|\n"
		for _, w := range spec.Words() {
			if w.Kind == c.kind {
				want += "| " + c.mark + w.Name + c.mark + " | " + w.Text + " |\n"
			}
		}
		compareTable(t, c.page, c.header+"\n", want)
	}
}

// TestPagesFigures compares the figures of readers with their kept results.
func TestPagesFigures(t *testing.T) {
	const header = "| | passed | failed | acceptable | not applicable | passed | failed | acceptable | not applicable | views |\n"
	want := header + strings.Repeat("|---", 10) + "|\n"
	manifests, err := filepath.Glob(repo + "/implementations/*/implementation.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range manifests {
		name := filepath.Base(filepath.Dir(m))
		var kept struct {
			Implementation  struct{ Views []string }
			Counts, Derived map[string]int
		}
		if err := json.Unmarshal([]byte(read(t, "implementations/results/"+name+".json")), &kept); err != nil {
			t.Fatal(err)
		}
		want += "| " + name
		for _, n := range []map[string]int{kept.Counts, kept.Derived} {
			failed := n["fail"] + n["crash"] + n["timeout"] + n["protocol"] + n["known"]
			want += fmt.Sprintf(" | %d | %d | %d | %d", n["pass"], failed, n["acceptable"], n["not-applicable"])
		}
		want += " | " + strings.Join(kept.Implementation.Views, ", ") + " |\n"
	}
	compareTable(t, "implementations/README.md", header, want)
}

// compareTable compares the table of a page that begins with header. With GOLDIE_UPDATE it
// writes the page.
func compareTable(t *testing.T, name, header, want string) {
	t.Helper()
	page := read(t, name)
	before, rest, found := strings.Cut(page, header)
	if !found {
		t.Fatalf("%s has no table %q", name, header)
	}
	for strings.HasPrefix(rest, "|") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	if page == before+want+rest {
		return
	}
	if os.Getenv("GOLDIE_UPDATE") == "" {
		t.Errorf("%s: the table %q is not current: run GOLDIE_UPDATE=1 go test ./internal/doctest -run 'Pages|Words'",
			name, header)
	} else if err := os.WriteFile(filepath.Join(repo, name), []byte(before+want+rest), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestWordsComplete: each class of errors, result and failure has a word, and no word
// is listed twice in a kind.
func TestWordsComplete(t *testing.T) {
	names := map[spec.WordKind][]string{}
	for _, w := range spec.Words() {
		if slices.Contains(names[w.Kind], w.Name) || w.Text == "" {
			t.Errorf("%s %q is listed twice, or has no text", w.Kind, w.Name)
		}
		names[w.Kind] = append(names[w.Kind], w.Name)
	}
	if n := len(names[spec.TermWord]); n > 27 {
		t.Errorf("%d words for users, want at most 27", n)
	}
	for _, k := range spec.FlagKinds {
		if !slices.Contains(names[spec.TermWord], string(k)) {
			t.Errorf("%q, a kind of flag, is not a word for users", k)
		}
	}
	check(t, names[spec.ClassWord], wire.Classes())
	check(t, names[spec.FailureWord], judge.Classes())
	check(t, names[spec.ResultWord], []judge.Status{
		judge.Pass, judge.Fail, judge.Acceptable, judge.Skip,
		judge.NotApplicable,
	})
	for _, name := range []string{
		"truncated", "ACCEPTABLE", "view", "side", "basis", "position", "trailing bytes",
		"entry", "offset",
	} {
		if len(spec.FindWords(name)) == 0 {
			t.Errorf("%q is not found", name)
		}
	}
}

func check[T ~string](t *testing.T, have []string, want []T) {
	t.Helper()
	for _, w := range want {
		if !slices.Contains(have, string(w)) {
			t.Errorf("%q is not a word", w)
		}
	}
	if len(have) != len(want) {
		t.Errorf("%d words for %q", len(have), want)
	}
}
