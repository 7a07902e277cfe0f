package judge_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestResultsOfLongAnswers: a result keeps a bounded part of an answer, with its
// length.
func TestResultsOfLongAnswers(t *testing.T) {
	vectors := corpustest.All(t)
	p := ids.Observed()
	opts := judge.Options{Profile: &p, Filter: func(v *corpus.Vector) bool { return v.Type == "upkg.ExportEntry" && sampled(v) }}
	text := strings.Repeat("ab", 10_000)
	list := tree.Node{Kind: tree.List, Items: slices.Repeat([]tree.Node{{Kind: tree.Text}}, 5000)}
	for kind, a := range map[string]adapter.Response{
		"tree":    {OK: &adapter.OK{Tree: new(tree.FromText(text))}},
		"list":    {OK: &adapter.OK{Tree: &list}},
		"field":   {OK: &adapter.OK{Tree: &tree.Node{Kind: tree.Object, Names: []string{text}, Items: []tree.Node{{}}}}},
		"bytes":   {OK: &adapter.OK{Hex: &text}},
		"not hex": {OK: &adapter.OK{Hex: new(text + "-")}},
		"reject":  {Reject: &adapter.Reject{Class: "range", Message: text}},
		"skip":    {Skip: &adapter.Skip{Reason: text}},
		"error":   {Error: &adapter.Fault{Message: text}},
		"broken":  {},
	} {
		impl := &altered{Reference: adapter.NewReference()}
		impl.alter = func(adapter.Request, adapter.Response) adapter.Response { return a }
		if kind == "broken" {
			impl.fails = func(int) error { return &adapter.Broken{Kind: adapter.Protocol, Detail: text} }
		}
		r := judgedBy(t, impl, vectors, opts)
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
	res := judgeOne(t, v, false, alter)
	if res.Class != judge.WrongTree {
		t.Fatalf("%+v", res.Outcome)
	}
	want, got := string(res.Expected.Tree), string(res.Got.Tree)
	if *res.Difference != (tree.Difference{Path: "fastNames[250].name", Want: `"name250"`, Got: `"other"`}) ||
		len(want)+len(got) > 4096 || strings.Replace(want, "name250", "other", 1) != got || want == got ||
		res.Expected.Whole == nil || res.Got.Whole == nil || *res.Expected.Whole == *res.Got.Whole {
		t.Errorf("%s\nwant %s\ngot  %s", res.Difference, want, got)
	}
}
