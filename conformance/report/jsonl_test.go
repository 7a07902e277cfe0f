package report_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/schematest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// An edit replaces a pattern.
type edit struct{ pattern, by string }

// rejects checks that a schema accepts a line before each edit, and rejects it after.
func rejects(t *testing.T, schema *jsonschema.Schema, line string, edits ...edit) {
	t.Helper()
	schematest.Check(t, schema, line)
	for _, e := range edits {
		edited := regexp.MustCompile(e.pattern).ReplaceAllString(line, e.by)
		v, err := schematest.Validate(schema, edited)
		if v == nil || edited == line || err == nil {
			t.Errorf("%q: the schema accepts it, or it is no other line of JSON: %v\n%s", e, err, edited)
		}
	}
}

// TestSchema validates each line with an independent JSON Schema validator.
func TestSchema(t *testing.T) {
	schema := schematest.Compile(t, report.ResultsSchema)
	good, bad := runs(t)
	for _, r := range []*report.Run{good, bad} {
		n := 0
		for line := range strings.Lines(write(t, "jsonl", r)) {
			if n++; n <= 1000 || testrun.Sampled(line, 10) {
				schematest.Check(t, schema, line)
			}
		}
		want, shared := 2, false
		for i := range r.Results {
			mayShare := r.Results[i].Derived && !r.Results[i].Status.Disagrees()
			if !mayShare || !shared || r.Results[i-1].Vector != r.Results[i].Vector ||
				report.What(r.Results[i-1].Outcome) != report.What(r.Results[i].Outcome) {
				want++
			}
			shared = mayShare
		}
		if n != want {
			t.Errorf("%d lines, want %d", n, want)
		}
	}
}

// TestSchemaRejects: the schema rejects invalid lines.
func TestSchemaRejects(t *testing.T) {
	_, bad := runs(t)
	lines := strings.Split(write(t, "jsonl", bad), "\n")
	failure := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `"status":"fail"`) })
	rejects(t, schematest.Compile(t, report.ResultsSchema), lines[failure],
		edit{`"status":"fail","verdict"`, `"status":"meh","verdict"`},
		edit{`"status":"fail","verdict"`, `"status":"pass","known":"why","verdict"`},
		edit{`^{`, `{"colour":"red",`},
		edit{`"outcomes":.*,"input"`, `"input"`},
		edit{`"class":"[a-z]+",`, ``},
		edit{`"id":"[^"]+",`, ``},
		edit{`"kind":"result",`, ``},
		edit{`"input":"[0-9a-f]+"`, `"input":"0"`}) // half a byte
}

// TestSchemaClasses: the schema has the words of the judge.
func TestSchemaClasses(t *testing.T) {
	var s struct {
		Defs struct {
			Outcome struct {
				Properties struct {
					Class  struct{ Enum []judge.Class }
					Reason struct{ Enum []judge.Reason }
				}
			}
			Status struct{ Enum []judge.Status }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(report.ResultsSchema, &s); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{
		cmp.Diff(judge.Classes(), s.Defs.Outcome.Properties.Class.Enum),
		cmp.Diff(judge.Reasons(), s.Defs.Outcome.Properties.Reason.Enum),
		cmp.Diff(judge.Statuses, s.Defs.Status.Enum),
	} {
		if d != "" {
			t.Error(d)
		}
	}
}

// TestReadBack: results are the same after writing and reading.
func TestReadBack(t *testing.T) {
	t.Parallel()
	good, bad := runs(t)
	deviating, strict := deviatingRun(t, false), deviatingRun(t, true)
	for _, r := range []*report.Run{good, bad, deviating, strict} {
		back := readBack(t, r)
		forms := []string{"jsonl"}
		if len(r.Results) < 1000 {
			forms, _ = report.Formats()
		}
		for _, form := range forms {
			if d := cmp.Diff(write(t, form, r), write(t, form, back)); form != "claim" && d != "" {
				t.Errorf("what was read gives another file in the form %s: %.3000s", form, d)
			}
		}
		profiles := cmp.Comparer(func(a, b ids.Profile) bool { return a.String() == b.String() })
		same := cmp.Comparer(func(a, b *corpus.Vector) bool { return a.ID == b.ID && bytes.Equal(a.Bytes, b.Bytes) })
		// The line of passed derived cases does not contain other fields.
		input := cmpopts.IgnoreFields(judge.Result{}, "Input")
		if d := cmp.Diff(r.Report.Hello, back.Report.Hello); d != "" {
			t.Error(d)
		}
		for i := range r.Results {
			a, b := r.Results[i], back.Results[i]
			if a.Derived && !a.Status.Disagrees() {
				a.Duration, b.Duration = 0, 0 // of all cases of the line
				a.ID, a.Rule, a.Edit, a.Context = a.Vector.ID, "", nil, b.Context
				for _, r := range []*judge.Result{&a, &b} {
					set(r, judge.Outcome{Status: r.Status, Reason: r.Reason, Message: r.Message})
				}
			}
			if d := cmp.Diff(a, b, profiles, same, input); d != "" {
				t.Fatalf("%s: %s", r.Results[i].ID, d)
			}
			const longest = 64 << 10 // a longer input is not written
			if a.Status.Failed() && len(a.Input) <= longest && !bytes.Equal(a.Input, b.Input) {
				t.Errorf("%s: the inputs differ", a.ID)
			}
		}
	}
}

// TestReadRejects: truncated and edited results are rejected.
func TestReadRejects(t *testing.T) {
	good, _ := runs(t)
	text := write(t, "jsonl", good)
	lines := strings.SplitAfter(text, "\n")
	edited := func(old, by string) string { return strings.Replace(text, old, by, 1) }
	for what, c := range map[string]struct{ text, says string }{
		"nothing":      {"", "no header"},
		"no header":    {strings.Join(lines[1:], ""), "line 1: expected exactly one header"},
		"two headers":  {lines[0] + text, "line 2: expected exactly one header"},
		"no summary":   {strings.Join(lines[:len(lines)-2], ""), "incomplete"},
		"missing line": {lines[0] + strings.Join(lines[2:], ""), "the summary has"},
		"more":         {text + lines[1], "found another line"},
		"version":      {edited(`"version":3,"formatgauge`, `"version":2,"formatgauge`), "line 1: expected"},
		"status":       {edited(`"status":"pass"`, `"status":"fine"`), `unknown status "fine"`},
		"unknown key":  {edited(`"status":"pass"`, `"x":1,"status":"pass"`), "unknown field"},
		"derived":      {edited(`"status":"pass"`, `"status":"pass","count":2`), "fields of the other kind"},
		"side":         {edited(`"documented","status"`, `"upkg.nothing=strict","status"`), "does not exist"},
		"half a line":  {lines[0] + lines[1][:len(lines[1])/2], "line 2: "},
		"no JSON":      {"hello\n", "line 1"},
		"unknown kind": {lines[0] + `{"kind":"other"}` + "\n", "unknown kind of line"},
	} {
		if _, err := report.Read(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", what, err, c.says)
		}
	}
}

// TestUnknownVector: results of vectors that are not in this corpus can be shown.
func TestUnknownVector(t *testing.T) {
	t.Parallel()
	good, _ := runs(t)
	id := good.Results[0].ID
	passed := good.Count(judge.Pass)
	text := strings.ReplaceAll(write(t, "jsonl", good), `"`+id+`"`, `"`+id+`-of-old"`)
	text = strings.Replace(text, `"status":"pass"`, `"status":"fail"`, 1)
	text = strings.Replace(text, `"status":"pass"`, `"status":"fail","class":"accepted"`, 1)
	text = strings.Replace(text, `"pass":`+itoa(passed), `"fail":1,"pass":`+itoa(passed-1), 1)
	if _, err := report.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "conformant") {
		t.Errorf("a summary that does not follow: %v", err)
	}
	r, err := report.Read(strings.NewReader(strings.Replace(text, `"conformant":true`, `"conformant":false`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	names, _ := report.Formats()
	for _, name := range slices.DeleteFunc(names, func(s string) bool { return s == "claim" }) {
		if out := write(t, name, r); !strings.Contains(out, id+"-of-old") {
			t.Errorf("%s does not contain the vector", name)
		}
	}
}
