package judge_test

import (
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
)

func parseKnown(t *testing.T, text string) *judge.Known {
	t.Helper()
	k, err := judge.ParseKnown(text)
	if err != nil {
		t.Fatal(err)
	}
	if k.String() != text {
		t.Errorf("got\n%s\nwant\n%s", k, text)
	}
	return k
}

func runKnown(t *testing.T, mode, list string, options judge.Options) *judge.Report {
	t.Helper()
	options.Known = parseKnown(t, list)
	options.Filter = func(v *corpus.Vector) bool { return v.Structure() == "upkg.CompactIndex" }
	return judgedBy(t, judgetest.Adapter(mode), corpustest.All(t), options)
}

func TestParseKnown(t *testing.T) {
	k := parseKnown(t, "# a comment\n\nupkg/Name/a#truncated-*  accepted  # see https://example.org/#x\nubi/Box/b  "+
		"crash\n")
	e := k.Entries()
	if len(e) != 2 || e[0].Reason != "see https://example.org/#x" || e[0].Class != judge.Accepted || e[0].Line != 3 ||
		e[1].Reason != "" {
		t.Errorf("%+v", e)
	}
	for text, want := range map[string]string{
		"a/b/c":           "expected ID-or-pattern",
		"a/b/c d e":       "expected ID-or-pattern",
		"\na/b/c  failed": `line 2: unknown class "failed"`,
		"a/[b/c  crash":   "invalid pattern",
		"a/b/c  # crash":  "expected ID-or-pattern",
	} {
		if _, err := judge.ParseKnown(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v does not contain %q", text, err, want)
		}
	}
}

// TestKnown checks that every deviation from the list is found.
func TestKnown(t *testing.T) {
	const exact = `# CompactIndex is not done yet
upkg/CompactIndex/nothing  crash  # our issue 12
upkg/CompactIndex/*#truncated-0  crash  # the same
`
	r := runKnown(t, "crashes-on", exact, judge.Options{})
	if r.Conformant() || !r.MatchesKnown() || len(r.Mismatches) != 0 {
		t.Fatalf("conformant %v, matches %v, %v", r.Conformant(), r.MatchesKnown(), r.Mismatches)
	}
	for _, res := range r.Results {
		if res.Status.Failed() && (res.Known == "" || !strings.Contains("our issue 12 the same", res.Known)) {
			t.Errorf("%s: known reason %q", res.ID, res.Known)
		}
	}
	for name, c := range map[string]struct{ list, want string }{
		"a failure that is not listed": {strings.Replace(exact, "upkg/CompactIndex/nothing", "# ", 1), ""},
		"an unexpected pass":           {exact + "upkg/CompactIndex/one  tree\n", "upkg/CompactIndex/one  tree: it passes"},
		"a stale entry":                {exact + "upkg/CompactIndex/gone  tree\n", "no judged case matches"},
		"a changed class": {
			strings.Replace(exact, "nothing  crash", "nothing  accepted", 1),
			"it fails with class [crash]",
		},
		"a pass within a pattern": {
			strings.Replace(exact, "#truncated-0", "#truncated-*", 1),
			"#truncated-1: it passes",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := runKnown(t, "crashes-on", c.list, judge.Options{})
			if r.MatchesKnown() {
				t.Error("the report matches the list")
			}
			found := c.want == "" && len(r.Mismatches) == 0
			for _, m := range r.Mismatches {
				found = found || c.want != "" && strings.Contains(m.String(), c.want)
			}
			if !found {
				t.Errorf("mismatches %v, want %q", r.Mismatches, c.want)
			}
		})
	}
	// An entry of a vector that is excluded from the run is not stale.
	const more = exact + "ubi/Box/plain  tree\nubi/Box/plain#truncated-*  accepted\nubi/Box/pl*#*-0  accepted\n"
	if r := runKnown(t, "crashes-on", more, judge.Options{}); !r.MatchesKnown() {
		t.Errorf("%v", r.Mismatches)
	}
	if r := runKnown(t, "crashes-on", exact, judge.Options{NoDerived: true}); !r.MatchesKnown() {
		t.Errorf("%v", r.Mismatches)
	}
	if r := runKnown(t, "right", "", judge.Options{}); !r.MatchesKnown() || !r.Conformant() {
		t.Error("a correct adapter does not match an empty list")
	}
}

// TestAccept checks that Accept makes a list exact, and keeps comments and
// reasons.
func TestAccept(t *testing.T) {
	const old = `# What we know.

upkg/CompactIndex/nothing  accepted  # our issue 12
upkg/CompactIndex/one  tree  # long gone
upkg/CompactIndex/*#truncated-0  crash  # empty inputs
# The end.
upkg/CompactIndex/gone  tree
ubi/Box/plain  tree  # not in this run
`
	k := parseKnown(t, old)
	r := runKnown(t, "crashes-on", old, judge.Options{})
	const want = `# What we know.

upkg/CompactIndex/nothing  crash  # our issue 12
upkg/CompactIndex/*#truncated-0  crash  # empty inputs
# The end.
ubi/Box/plain  tree  # not in this run
`
	if got := k.Accept(r).String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if r := runKnown(t, "crashes-on", want, judge.Options{}); !r.MatchesKnown() {
		t.Errorf("the accepted list is not exact: %v", r.Mismatches)
	}
	for _, mode := range []string{"rejects", "off-by-one", "pads", "schema", "wrong-class"} {
		r := runKnown(t, mode, "", judge.Options{})
		list := parseKnown(t, "").Accept(r).String()
		if again := runKnown(t, mode, list, judge.Options{}); !again.MatchesKnown() {
			t.Errorf("%s: the accepted list is not exact: %v\n%s", mode, again.Mismatches, list)
		}
		if mode == "wrong-class" && !strings.Contains(list, "#truncated-*  class") {
			t.Errorf("truncated cases with the same class are not one entry:\n%s", list)
		}
	}
}
