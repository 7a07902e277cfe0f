package judge_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// long gives the same kind of answer of 20 KB to each request.
func long(kind string) *altered {
	text := strings.Repeat("ab", 10_000)
	var a adapter.Response
	impl := &altered{Reference: adapter.NewReference()}
	switch kind {
	case "tree":
		a.OK = &adapter.OK{Tree: &tree.Node{Kind: tree.Text, Text: text}}
	case "list":
		n := tree.Node{Kind: tree.List}
		for range 5000 {
			n.Items = append(n.Items, tree.Node{Kind: tree.Text})
		}
		a.OK = &adapter.OK{Tree: &n}
	case "field":
		a.OK = &adapter.OK{Tree: &tree.Node{Kind: tree.Object, Names: []string{text}, Items: []tree.Node{{}}}}
	case "bytes":
		a.OK = &adapter.OK{Hex: &text}
	case "not hex":
		a.OK = &adapter.OK{Hex: new(text + "-")}
	case "reject":
		a.Reject = &adapter.Reject{Class: "range", Message: text}
	case "skip":
		a.Skip = &adapter.Skip{Reason: text}
	case "error":
		a.Error = &adapter.Fault{Message: text}
	case "broken":
		impl.fails = func(int) error { return &adapter.Broken{Kind: adapter.Protocol, Detail: text} }
	}
	impl.alter = always(a)
	return impl
}

// TestResultsOfLongAnswers: a result keeps a bounded part of an answer, with its
// length.
func TestResultsOfLongAnswers(t *testing.T) {
	vectors := allVectors(t)
	p := ids.Observed()
	opts := judge.Options{Profile: &p, Filter: func(v *corpus.Vector) bool { return v.Type == "upkg.ExportEntry" && sampled(v) }}
	for _, kind := range []string{"tree", "list", "field", "bytes", "not hex", "reject", "skip", "error", "broken"} {
		r := judgedBy(t, long(kind), vectors, opts)
		if len(r.Results) < 20 {
			t.Fatalf("%d results", len(r.Results))
		}
		shortened := 0
		for i := range r.Results {
			res := &r.Results[i]
			text, err := json.Marshal(res.Outcomes)
			if err != nil || len(text) > 3*4096 {
				t.Fatalf("%s: a result of %s contains %d bytes, %v:\n%s", kind, res.ID, len(text), err, text)
			}
			if strings.Contains(string(text), " bytes, SHA-256 ") || res.Got != nil && res.Got.Whole != nil {
				shortened++
			}
		}
		if 2*shortened < len(r.Results) && kind != "not hex" { // of that, results keep nothing
			t.Errorf("%s: %d of %d results say that the answer is shortened", kind, shortened, len(r.Results))
		}
	}
}

// TestDifferenceInLongAnswer: the shortened trees, expected and actual, contain the
// part that differs.
func TestDifferenceInLongAnswer(t *testing.T) {
	v := corpustest.Find(t, "ka/BodyV0x0002/three-hundred-names")
	alter := inTrees(func(n tree.Node) tree.Node {
		if n.Text == "name250" {
			n.Text = "other"
		}
		return n
	})
	r := judgedBy(t, &altered{Reference: adapter.NewReference(), alter: alter}, []*corpus.Vector{v},
		judge.Options{NoDerived: true})
	failed := 0
	for _, res := range r.Results {
		if res.Class != judge.WrongTree {
			continue
		}
		failed++
		want, got := string(res.Expected.Tree), string(res.Got.Tree)
		if *res.Difference != (tree.Difference{Path: "fastNames[250].name", Want: `"name250"`, Got: `"other"`}) ||
			len(want)+len(got) > 4096 ||
			strings.Replace(want, "name250", "other", 1) != got || want == got || res.Expected.Whole == nil ||
			res.Got.Whole == nil || *res.Expected.Whole == *res.Got.Whole {
			t.Errorf("%s\nwant %s\ngot  %s", res.Difference, want, got)
		}
	}
	if failed == 0 {
		t.Error("nothing failed")
	}
}
