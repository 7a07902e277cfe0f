package report_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// claimOf judges an implementation as a claim does, and reads the file again.
func claimOf(t *testing.T, impl adapter.Implementation, p ids.Profile, filter func(*corpus.Vector) bool,
	plants ...judgetest.Plant,
) *report.Run {
	t.Helper()
	run := judgeWith(t, impl, judgetest.Planted(corpustest.All(t), plants...),
		judge.Options{Profiles: []ids.Profile{p}, NoDerived: true, Filter: filter})
	back := readBack(t, run)
	if plants == nil && (filter == nil && back.Gaps() != nil || write(t, "claim", back) != write(t, "claim", run)) {
		t.Errorf("what is read is another claim: %q", back.Gaps())
	}
	return run
}

// few are the types of which a twisted claim judges the vectors.
var few = []string{"ka.Archive", "ka.String", "ubi.Box", "ubi.BasicString", "upkg.CompactIndex"}

// twistedClaim is that of the reference with a few types and modified answers.
func twistedClaim(t *testing.T, hello func(*adapter.Hello), answer func(adapter.Request, *adapter.Response),
	plants ...judgetest.Plant,
) *report.Run {
	t.Helper()
	lists := func(h *adapter.Hello) {
		h.Types = slices.Clone(few)
		if hello != nil {
			hello(h)
		}
	}
	return claimOf(t, altered{Reference: adapter.NewReference(), hello: lists, answer: answer}, ids.Observed(),
		func(v *corpus.Vector) bool { return slices.Contains(few, v.Type) }, plants...)
}

func levelsOf(t *testing.T, r *report.Run, name string) *report.Levels {
	t.Helper()
	all := r.Levels()
	i := slices.IndexFunc(all, func(x *report.Levels) bool { return x.Type == name })
	if i < 0 {
		t.Fatalf("%s is missing", name)
	}
	return all[i]
}

var allLevels = []report.Level{report.Decodes, report.Rejects, report.Identical, report.Canonical}

// TestReference: the reference reaches every level that the corpus tests.
func TestReference(t *testing.T) {
	for _, p := range []ids.Profile{ids.Observed(), ids.Documented()} {
		r := claimOf(t, adapter.NewReference(), p, nil)
		if n := r.Counts().Own; !r.Conformant() || n[judge.Pass]+n[judge.NotApplicable] != r.Corpus.Vectors {
			t.Errorf("%v: %v of %d", p, n, r.Corpus.Vectors)
		}
		for _, x := range r.Levels() {
			reached := x.Reached()
			for l, n := range x.Counts {
				if n.Total() != n[judge.Pass] || slices.Contains(reached, report.Level(l)) != (n[judge.Pass] > 0) {
					t.Errorf("%s under %v: %v: %v", x.Type, p, report.Level(l), n)
				}
			}
		}
	}
}

// TestLevels: each fault costs exactly the level that it affects.
func TestLevels(t *testing.T) {
	const typ = "upkg.CompactIndex"
	decodes, rejects, identical, canonical := allLevels[0], allLevels[1], allLevels[2], allLevels[3]
	only := func(ops ...adapter.Op) func(*adapter.Hello) {
		return func(h *adapter.Hello) { h.Operations = ops }
	}
	of := func(op adapter.Op, change func(adapter.Request, *adapter.Response)) func(adapter.Request, *adapter.Response) {
		return func(q adapter.Request, a *adapter.Response) {
			if q.Type == typ && q.Op == op {
				change(q, a)
			}
		}
	}
	for _, c := range []struct {
		name   string
		hello  func(*adapter.Hello)
		answer func(adapter.Request, *adapter.Response)
		want   []report.Level
		ok     bool
	}{
		{"no fault", nil, nil, allLevels, true},
		{"loses the sign", nil, of(adapter.OpDecode, func(_ adapter.Request, a *adapter.Response) {
			if a.OK != nil {
				a.OK.Tree.Text = strings.TrimPrefix(a.OK.Tree.Text, "-")
			}
		}), []report.Level{rejects, identical, canonical}, false},
		{"accepts everything", nil, of(adapter.OpDecode, func(_ adapter.Request, a *adapter.Response) {
			if a.Reject != nil {
				*a = adapter.Response{OK: &adapter.OK{Tree: &tree.Node{Kind: tree.Text, Text: "0"}}}
			}
		}), []report.Level{decodes, identical, canonical}, false},
		{"writes padding in the round trip", nil, of(adapter.OpRoundtrip, func(q adapter.Request, a *adapter.Response) {
			if a.OK != nil && *a.OK.Hex != *q.Hex {
				a.OK.Hex = q.Hex
			}
		}), []report.Level{decodes, rejects, identical}, false},
		{"writes an extra byte in the round trip", nil, of(adapter.OpRoundtrip, func(q adapter.Request, a *adapter.Response) {
			if a.OK != nil && *a.OK.Hex == *q.Hex {
				a.OK.Hex = new(*q.Hex + "00")
			}
		}), []report.Level{decodes, rejects, canonical}, false},
		{"skips roundtrip", nil, of(adapter.OpRoundtrip, func(_ adapter.Request, a *adapter.Response) {
			*a = adapter.Response{Skip: &adapter.Skip{Reason: "not yet"}}
		}), []report.Level{decodes, rejects}, true},
		{"only decodes", only(adapter.OpDecode), nil, []report.Level{decodes, rejects}, true},
		{"has no round trip", only(adapter.OpDecode, adapter.OpEncode), nil, allLevels, true},
		{"only the round trip", only(adapter.OpRoundtrip), nil, []report.Level{identical}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := twistedClaim(t, c.hello, c.answer)
			if x := levelsOf(t, got, typ); !slices.Equal(x.Reached(), c.want) || got.Conformant() != c.ok {
				t.Errorf("levels %v, conformant %v; want %v, %v\n%+v", x.Reached(), got.Conformant(), c.want, c.ok, x)
			}
		})
	}
}

// TestAcceptableLevels: answers that are acceptable, by choice or as unsupported, are counted
// apart. They do not prevent a level that other vectors reach.
func TestAcceptableLevels(t *testing.T) {
	if r := twistedClaim(t, nil, deviates); r.Conformant() || r.Count(judge.Acceptable) == 0 {
		t.Errorf("without a choice: %v", r.Counts())
	}
	r := twistedClaim(t, nil, deviates, judgetest.Choice("UPKG-CI-10", "No document says so."))
	if !r.Conformant() || r.Count(judge.Acceptable) == 0 {
		t.Errorf("%v", r.Counts())
	}
	x := levelsOf(t, r, "upkg.CompactIndex")
	if n := x.Counts[report.Rejects]; n[judge.Acceptable] == 0 || n[judge.Pass] == 0 ||
		!slices.Contains(x.Reached(), report.Rejects) {
		t.Errorf("%+v", x)
	}
	if x := levelsOf(t, r, "ka.Archive").Counts[report.Rejects]; x[judge.Acceptable] == 0 || x.Failed() > 0 {
		t.Errorf("%v", x)
	}
	if s := write(t, "claim", r); !strings.Contains(s, " acceptable, ") {
		t.Error(s)
	}
}

// TestLevelsInViews: in a view a level counts the vectors that test it there.
func TestLevelsInViews(t *testing.T) {
	views := func(h *adapter.Hello) { h.Views = []string{"ka.texts"} }
	whole, r := twistedClaim(t, nil, nil), twistedClaim(t, views, nil)
	if s := write(t, "claim", r); !r.Conformant() || !strings.Contains(s, " in the view ka.texts, corpus ") {
		t.Error(s)
	}
	in, out := levelsOf(t, r, "ka.Archive"), levelsOf(t, whole, "ka.Archive")
	if !slices.Equal(in.Reached(), allLevels) || !maps.Equal(in.Counts[report.Decodes], out.Counts[report.Decodes]) {
		t.Errorf("%+v, without the view %+v", in, out)
	}
	for _, l := range allLevels[1:] {
		if a, b := in.Counts[l], out.Counts[l]; a[judge.Pass] == 0 || a[judge.Pass] >= b[judge.Pass] ||
			a.Total() != a[judge.Pass] {
			t.Errorf("%v: %v, without the view %v", l, a, b)
		}
	}
	x, y := levelsOf(t, r, "upkg.CompactIndex"), levelsOf(t, whole, "upkg.CompactIndex")
	if !slices.EqualFunc(x.Counts[:], y.Counts[:], maps.Equal[report.Counts, report.Counts]) {
		t.Errorf("a type of another family: %+v, without the view %+v", x, y)
	}
	// Decoding fails where the value is not the expected one in the view either.
	wrong := twistedClaim(t, views, func(q adapter.Request, a *adapter.Response) {
		if q.Type == "ka.String" && q.Op == adapter.OpDecode && a.OK != nil {
			a.OK.Tree = &tree.Node{Kind: tree.Object, Names: []string{"text"}, Items: []tree.Node{{Kind: tree.Text, Text: "?"}}}
		}
	})
	if x := levelsOf(t, wrong, "ka.String"); wrong.Conformant() || x.Counts[report.Decodes].Failed() == 0 ||
		slices.Contains(x.Reached(), report.Decodes) {
		t.Errorf("%+v", x)
	}
	// What is written is judged in the view, and a failure counts, also of what the view loses.
	writes := twistedClaim(t, views, func(q adapter.Request, a *adapter.Response) {
		if q.Type == "ka.Archive" && q.Op != adapter.OpDecode && a.OK != nil {
			a.OK.Hex = new("00")
		}
	})
	n := levelsOf(t, writes, "ka.Archive").Counts[report.Canonical]
	if n.Failed() <= in.Counts[report.Canonical].Total() || n.Failed() != writes.Counts().Failed() {
		t.Errorf("%v, %v", n, writes.Counts())
	}
	// An error where acceptance and rejection are both right is a failure of its level.
	errs := twistedClaim(t, views, func(q adapter.Request, a *adapter.Response) {
		if q.Type == "ka.Archive" && q.Op == adapter.OpDecode && a.Reject != nil {
			*a = adapter.Response{ID: a.ID, Error: &adapter.Fault{Message: "KeyError"}}
		}
	})
	if n := levelsOf(t, errs, "ka.Archive").Counts[report.Rejects]; n.Total() <= in.Counts[report.Rejects].Total() ||
		n.Failed() != errs.Counts().Failed() {
		t.Errorf("%v, %v", n, errs.Counts())
	}
}

// TestClaimText: types that are not supported are named at the end, and a run with several
// profiles has a claim for each.
func TestClaimText(t *testing.T) {
	skips := twistedClaim(t, func(h *adapter.Hello) {
		h.Types = slices.DeleteFunc(h.Types, func(s string) bool { return strings.HasPrefix(s, "ka.") })
		h.Skips = []adapter.Skip{{Type: "ubi.Box", Reason: "no boxes"}}
	}, nil)
	_, after, _ := strings.Cut(write(t, "claim", skips), "Skipped: ")
	if !strings.Contains(after, "all of ka (") || !strings.Contains(after, "ubi.Box") ||
		strings.Contains(after, "CompactIndex") {
		t.Error(after)
	}
	good, _ := runs(t)
	if s := write(t, "claim", good); strings.Count(s, " conforms to ") != 2 || len(good.Gaps()) != 1 {
		t.Errorf("%s\n%q", s, good.Gaps())
	}
}

// TestGaps: what is not the whole corpus, once, is no claim.
func TestGaps(t *testing.T) {
	whole := claimOf(t, adapter.NewReference(), ids.Observed(), nil)
	for says, change := range map[string]func(*report.Run){
		"interrupted":          func(r *report.Run) { r.Interrupted = true },
		"this program has":     func(r *report.Run) { r.Corpus.Hash = "sha256:0" },
		": 0 results, ":        func(r *report.Run) { r.Results = r.Results[1:] },
		": 2 results, ":        func(r *report.Run) { r.Results = append(r.Results, r.Results[0]) },
		": not in the corpus":  func(r *report.Run) { r.Results[0].ID = "ka/A/x" },
		"one profile, found 2": func(r *report.Run) { r.Results[0].Profile = ids.Documented() },
	} {
		r := *whole
		r.Report = &judge.Report{Hello: whole.Hello, Results: slices.Clone(whole.Results)}
		change(&r)
		if found := strings.Join(r.Gaps(), "\n"); !strings.Contains(found, says) {
			t.Errorf("%q, want %q", found, says)
		}
	}
}
