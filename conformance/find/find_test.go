package find

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/implementations"
)

var shared = sync.OnceValues(New)

// TestQuestions: one of the expected entries is among the first three. QUESTIONS can name
// another table.
func TestQuestions(t *testing.T) {
	x, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	name := os.Getenv("QUESTIONS")
	if name == "" {
		name = "testdata/questions.tsv"
	}
	table, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	n, right := 0, 0
	for line := range strings.Lines(string(table)) {
		query, want, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		var first []string
		found := x.Search(query).Found
		good := false
		for _, e := range found[:min(3, len(found))] {
			first = append(first, e.ID)
			page, _, _ := strings.Cut(e.Page(), "#")
			good = good || slices.ContainsFunc(strings.Fields(want),
				func(w string) bool {
					doc := strings.TrimSuffix(strings.TrimSuffix(e.Doc, ".md"), "/README")
					return strings.EqualFold(w, e.ID) || w == e.Page() || w == page ||
						doc != "" && (w == e.Doc || w == doc || w == path.Base(doc))
				})
		}
		if !good {
			t.Errorf("%s: %s, want one of %s", query, strings.Join(first, " | "), want)
		} else {
			right++
		}
	}
	t.Logf("%d of %d", right, n)
}

// TestStart: what the search of the site loads first is small.
func TestStart(t *testing.T) {
	x, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(x.Start())
	if err != nil || len(text) >= 60_000 {
		t.Errorf("%d bytes, want fewer than 60000: %v", len(text), err)
	}
	t.Logf("%d bytes, %d entries", len(text), len(x.Entries))
}

// TestFailing: the short reader of kept results finds the failures that the whole reader finds.
func TestFailing(t *testing.T) {
	want := map[string][]string{}
	for _, reader := range readers() {
		text, err := implementations.Results.ReadFile("results/" + reader.name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		k, err := report.ReadKept(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for i := range k.Run.Results {
			if r := &k.Run.Results[i]; !r.Derived && r.Status == judge.Fail {
				want[r.Vector.ID] = append(want[r.Vector.ID], reader.name)
			}
		}
	}
	failing := Failing()
	if len(want) < 100 || !maps.EqualFunc(failing, want, slices.Equal) {
		t.Errorf("%d vectors fail, want %d, each by the same readers", len(failing), len(want))
	}
}
