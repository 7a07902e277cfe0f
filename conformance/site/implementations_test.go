package site

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/export"
	"github.com/formatgauge/formatgauge/conformance/find"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/implementations"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// runsOf returns the runs of the site.
func runsOf(s *site) (out []*report.Kept) {
	for _, m := range s.judged {
		out = append(out, m.Kept)
	}
	return out
}

// TestMatrix: every number of the matrix by clause is the number of vectors to which
// its link leads, and each vector that did not pass is on the page with its clauses.
func TestMatrix(t *testing.T) {
	files := content(t)
	runs := runsOf(theSite(t))
	if len(runs) < 12 {
		t.Errorf("results of %d implementations", len(runs))
	}
	number := regexp.MustCompile(`(\d+) (passed|failed|acceptable|skipped|not applicable)`)
	rows := 0
	inCorpus := map[string]int{} // vectors of a structure, clause or flag
	for _, v := range theSite(t).vectors {
		for _, id := range find.Subjects(v) {
			inCorpus[id]++
		}
	}
	for _, k := range runs {
		name := k.Name
		index := between(files["implementations.html"], "implementations/"+name+".html", "<tr>")
		page := files["implementations/"+name+".html"]
		bySubject, total := map[string]map[string]int{}, map[string]int{} // by words
		for i := range k.Run.Results {
			r := &k.Run.Results[i]
			if r.Derived {
				continue
			}
			word := cmp.Or(map[judge.Status]string{
				judge.Pass: "passed", judge.Acceptable: "acceptable", judge.Skip: "skipped",
				judge.NotApplicable: "not applicable",
			}[r.Status], "failed")
			total[word]++
			for _, id := range find.Subjects(r.Vector) {
				if bySubject[id] == nil {
					bySubject[id] = map[string]int{}
				}
				bySubject[id][word]++
			}
			if r.Status.Disagrees() && !strings.Contains(page, `<th scope=row><a href="../`+vectorAddress(r.Vector)+`">`) {
				t.Errorf("%s: the page lacks %s", name, r.Vector.ID)
			}
		}
		for word, n := range total {
			if !strings.Contains(index, fmt.Sprintf(" %d %s<", n, word)) {
				t.Errorf("%s: the matrix lacks %d %s", name, n, word)
			}
		}
		_, article, _ := strings.Cut(page, "<h2 id=structures>")
		for id, want := range bySubject {
			rows++
			row, _, _ := strings.Cut(between(article, `<tr id="`+id+`">`, "<tr"), "derived cases: ")
			if row == "" {
				t.Errorf("%s: no row of %s", name, id)
			}
			for _, m := range number.FindAllStringSubmatch(row, -1) {
				if fmt.Sprint(want[m[2]]) != m[1] {
					t.Errorf("%s: %s has %s, want %d", name, id, m[0], want[m[2]])
				}
			}
			whole := strings.Contains(row, "all of the corpus")
			if whole != (want["passed"] == sum(want) && sum(want) == inCorpus[id]) {
				t.Errorf("%s: %s says that all vectors passed: %v", name, id, whole)
			}
			if links := strings.Count(row, "-vectors.html#"); !whole && links != sum(want) {
				t.Errorf("%s: %s has %d links, want %d", name, id, links, sum(want))
			}
		}
		var node struct{}
		if err := xml.Unmarshal([]byte(files["implementations/"+name+".svg"]), &node); err != nil {
			t.Errorf("%s: the badge: %v", name, err)
		}
	}
	if rows < 500 {
		t.Errorf("only %d rows", rows)
	}
}

// TestFaults: each cause in a list of known failures is on the page of faults, with a
// vector that the kept results say is failed and with a clause; and clauses, flags and
// vectors name who fails them.
func TestFaults(t *testing.T) {
	t.Parallel()
	files := content(t)
	causes := regexp.MustCompile(`(?m)^#.*\n\w+/`) // the last line of a comment, then an entry
	for _, m := range theSite(t).judged {
		text, _ := implementations.Known.ReadFile(m.Name + "/known-failures.txt")
		if want := len(causes.FindAll(text, -1)); want != len(m.Faults) {
			t.Errorf("%s: %d faults, the list has %d causes", m.Name, len(m.Faults), want)
		}
		for _, f := range m.Faults {
			if len(f.Clauses) == 0 || f.Cases == 0 && f.Shown.What == "" {
				t.Errorf("%s: clauses %v, answer %q", f.ID, f.Clauses, f.Shown.What)
			}
			section := between(files["faults.html"], `id="`+f.ID+`"`, "</section>")
			if !strings.Contains(section, `href="`+vectorAddress(f.Shown.Vector)) {
				t.Errorf("%s: the page lacks %s", f.ID, f.Shown.ID)
			}
		}
	}
	for page, want := range map[string]string{
		"upkg/CompactIndex.html":             `unreal-package-lib.html#UPKG-CI-5"><span class=reject>13 of `,
		"upkg/CompactIndex-vectors.html":     `<dt class=reject>fails in<dd><a href="../implementations/libxmp.html">libxmp</a>`,
		"flags/upkg.ci-fifth-high-bits.html": `in utpackage.js</a>`,
	} {
		if !strings.Contains(files[page], want) {
			t.Errorf("%s lacks %q", page, want)
		}
	}
}

// between returns the part of a text from one mark to another one, or "".
func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}

func sum(m map[string]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

// made returns a run with the given statuses of the vectors of upkg.CompactIndex, in
// their order; those after the last one passed.
func made(t *testing.T, name string, statuses ...judge.Status) *report.Kept {
	t.Helper()
	run := &report.Run{Report: &judge.Report{Hello: adapter.Hello{
		Protocol: "1", Name: name,
		Types: []string{"upkg.CompactIndex"}, Operations: []adapter.Op{"decode"},
	}}, Formatgauge: "devel", Corpus: report.Embedded()}
	for _, v := range theSite(t).vectors {
		if v.Type != "upkg.CompactIndex" {
			continue
		}
		r := judge.NewResult(v.ID, v, ids.Observed(), judge.Outcome{Status: judge.Pass})
		if len(statuses) > 0 {
			r.Status, statuses = statuses[0], statuses[1:]
		}
		if r.Status.Disagrees() {
			r.Class, r.Op, r.Message = judge.WrongTree, "decode", "the value: expected 1, got 2"
		}
		run.Results = append(run.Results, r)
	}
	return &report.Kept{Origin: report.Origin{
		Name: name, Date: "2026-01-02", Revision: "0123456", Licence: "MIT",
		URL: "https://example.org/x",
	}, Run: run}
}

// pagesOf writes the pages of runs.
func pagesOf(t *testing.T, runs ...*report.Kept) []export.File {
	t.Helper()
	s, err := newSite(spec.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	s.judge(runs)
	if s.writeImplementations(); s.err != nil {
		t.Fatal(s.err)
	}
	return s.files
}

// TestHostileResults: text of results remains text, and files that could lead
// elsewhere are rejected.
func TestHostileResults(t *testing.T) {
	k := made(t, "x", judge.Fail, judge.Acceptable, judge.Skip, judge.NotApplicable)
	h := &k.Run.Hello
	h.Name, h.Version, h.Language = hostile, hostile, hostile
	h.Operations = append(h.Operations, hostile)
	h.Skips = []adapter.Skip{{Type: hostile, Reason: hostile}}
	k.Run.Formatgauge, k.Licence = hostile, hostile
	k.URL = "javascript:alert(1)//" + hostile
	k.Sides = []report.ShownSide{{Flag: "upkg.ci-range", Side: hostile, Agree: 1}, {Flag: hostile, Side: hostile}}
	for i := range k.Run.Results[:4] {
		r := &k.Run.Results[i]
		r.Message, r.Side, r.Choices = hostile, hostile, []judge.Choice{{By: hostile, Reason: hostile}}
	}
	gone := &corpus.Vector{
		ID: "upkg/CompactIndex/" + hostile, Type: "upkg.CompactIndex", Clauses: []ids.Clause{hostile},
		Flags: []ids.Flag{hostile},
	}
	k.Run.Results = append(k.Run.Results, judge.NewResult(gone.ID, gone, ids.Observed(),
		judge.Outcome{Status: judge.Fail, Class: judge.Class(hostile), Message: hostile}))
	for _, f := range pagesOf(t, k) {
		harmless(t, f.Name, string(f.Content))
	}

	var b bytes.Buffer
	if err := report.Keep(&b, made(t, "x", judge.Fail)); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	read := func(path, text string) error {
		_, err := keptRuns(fstest.MapFS{path: {Data: []byte(text)}}, "results")
		return err
	}
	if err := read("results/x.json", good); err != nil || read("results/y.json", good) == nil {
		t.Errorf("%v, or the file of another implementation is read", err)
	}
	for _, c := range [][2]string{
		{`"name": "x"`, `"name": "../x"`},
		{`"name": "x"`, `"name": "X"`},
		{`"url": "https:`, `"url": "javascript:`},
		{`"revision": "0`, `"revision": "\u202e`},
		{`"licence": "MIT"`, `"licence": "<b>"`},
		{`"date": "2026-01-02"`, `"date": "2026-13-02"`},
		{`"profile": "observed"`, `"profile": "<b>"`},
		{`"pass"`, `"pass 1000000000 pass"`},
		{`"pass"`, `"pass -1 pass"`},
		{`"pass"`, `"pass 1"`},
		{`"pass"`, `"passed"`},
		{`"pass"`, `"fail"`},
		{`"pass"`, `"not-applicable"`},
		{`"class":"tree"`, `"class":"<b>"`},
		{`"class":"tree"`, `"class":"tree","more":1`},
		{`"version": 2,`, `"version": 1,`},
	} {
		text := strings.Replace(good, c[0], c[1], 1)
		if text == good {
			t.Errorf("the file lacks %s", c[0])
		}
		if read("results/x.json", text) == nil {
			t.Errorf("%s for %s is read", c[1], c[0])
		}
	}
}

// TestKeptResults: the files of the repository are small, and their vectors exist or
// are retired.
func TestKeptResults(t *testing.T) {
	for _, k := range runsOf(theSite(t)) {
		for i := range k.Run.Results {
			id := k.Run.Results[i].Vector.ID
			_, retired := spec.FindRetired(id)
			if _, known := corpus.Find(id); !known && !retired {
				t.Errorf("%s has %s, which is neither in the corpus nor retired", k.Name, id)
			}
		}
	}
	files, err := fs.ReadDir(implementations.Results, "results")
	size := 0
	for _, f := range files {
		info, _ := f.Info()
		size += int(info.Size())
	}
	const limit = 1_000_000
	if err != nil || size == 0 || size > limit {
		t.Errorf("%d bytes of results, more than %d: %v", size, limit, err)
	}
}
