package report_test

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

var origin = report.Origin{
	Name: "x", Date: "2026-01-02", Revision: "0123abc", Licence: "MIT", URL: "https://example.org/x",
}

func keep(t *testing.T, r *report.Run) string {
	t.Helper()
	sides := []report.ShownSide{{Flag: "upkg.ci-range", Side: "observed", Agree: 3}}
	return textOf(t, func(w io.Writer) error {
		return report.Keep(w, &report.Kept{Origin: origin, Sides: sides, Run: r})
	})
}

// underObserved returns runs with the results under that profile only.
func underObserved(t *testing.T) (good, bad *report.Run) {
	t.Helper()
	good, bad = runs(t)
	observed := func(r *judge.Result) bool { return r.Profile.String() == ids.SideObserved }
	return only(good, observed), only(bad, observed)
}

// TestKeep: what is read again has the same outcomes and is kept as the same file.
// The types that the adapter does not list are missing.
func TestKeep(t *testing.T) {
	good, bad := underObserved(t)
	for _, r := range []*report.Run{good, bad} {
		text := keep(t, r)
		k, err := report.ReadKept(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if again := keep(t, k.Run); k.Origin != origin || again != text {
			t.Errorf("kept twice: %s", cmp.Diff(text, again))
		}
		type key struct {
			id      string
			derived bool
			outcome judge.Status
			class   judge.Class
		}
		count := func(r *report.Run) map[key]int {
			out := map[key]int{}
			for i := range r.Results {
				res := &r.Results[i]
				if res.Reason == judge.Unlisted || res.Reason == judge.Declared { // hello excludes the type
					continue
				}
				x := key{res.Vector.ID, res.Derived, res.Status, res.Class}
				if res.Derived {
					x.class = ""
				}
				out[x]++
			}
			return out
		}
		want, got := count(r), count(k.Run)
		if len(want) == 0 || !cmp.Equal(got, want) {
			t.Errorf("other outcomes: %s", cmp.Diff(want, got))
		}
		if r.Conformant() != k.Run.Conformant() {
			t.Errorf("conformant %v, was %v", k.Run.Conformant(), r.Conformant())
		}
		lines := map[string]bool{}
		for x := range want {
			lines[x.id] = true
			v, _ := corpus.Find(x.id)
			lines[v.Type] = true
		}
		if _, results, _ := strings.Cut(text, `"results": {`+"\n"); strings.Count(results, "\n") != len(lines)+1 {
			t.Errorf("%d lines, want one for each of %d vectors and types, and one more", strings.Count(results, "\n"),
				len(lines))
		}
	}
}

// TestKeptVectors: a vector that the corpus lacks is read and named.
func TestKeptVectors(t *testing.T) {
	_, bad := underObserved(t)
	run := *bad
	const id = "upkg/CompactIndex/no-longer"
	run.Report = &judge.Report{Hello: bad.Hello, Results: []judge.Result{judge.NewResult(
		id, &corpus.Vector{ID: id, Type: "upkg.CompactIndex"}, ids.Observed(),
		judge.Outcome{Op: "decode", Status: judge.Fail, Class: judge.WrongTree, Message: strings.Repeat("long \x1b", 100)},
	)}}
	text := keep(t, &run)
	k, err := report.ReadKept(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := k.Run.Results[0].ID; got != id {
		t.Errorf("read %q", got)
	}
	if d := k.Run.Results[0].Message; len([]rune(d)) > 120 || strings.Contains(d, "\x1b") ||
		!strings.HasPrefix(d, "decode: long") {
		t.Errorf("detail %q", d)
	}
	for _, wrong := range []string{
		strings.Replace(text, `"fail": 1`, `"fail": 2`, 1),
		strings.Replace(text, `{"is":"fail"`, `{"is":"fail 1 pass"`, 1),
	} {
		if _, err := report.ReadKept(strings.NewReader(wrong)); err == nil ||
			!strings.Contains(err.Error(), "the counts are") {
			t.Errorf("counts that do not match: %v", err)
		}
	}
}

// TestKeepRefuses: a part of a run is not kept.
func TestKeepRefuses(t *testing.T) {
	good, _ := underObserved(t)
	for name, change := range map[string]func(*report.Kept){
		"interrupted": func(k *report.Kept) { k.Run.Interrupted = true },
		"two profiles": func(k *report.Kept) {
			r := k.Run.Results[0]
			r.Profile = ids.Documented()
			k.Run.Report = &judge.Report{Hello: k.Run.Hello, Results: append(k.Run.Results[:1:1], r)}
		},
		"a name":     func(k *report.Kept) { k.Name = "a/b" },
		"an address": func(k *report.Kept) { k.URL = "http://example.org" },
	} {
		run := *good
		k := &report.Kept{Origin: origin, Run: &run}
		change(k)
		if err := report.Keep(io.Discard, k); err == nil {
			t.Errorf("%s: kept", name)
		}
	}
}
