package judge_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// long gives the same kind of answer of 20 KB to each request.
type long struct {
	*adapter.Reference
	kind string
}

func (l *long) Fork() adapter.Implementation { return l }

func (l *long) Do(_ context.Context, q adapter.Request) (adapter.Response, error) {
	a := adapter.Response{ID: q.ID}
	text := strings.Repeat("ab", 10_000)
	switch l.kind {
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
		text += "-"
		a.OK = &adapter.OK{Hex: &text}
	case "reject":
		a.Reject = &adapter.Reject{Class: "range", Message: text}
	case "skip":
		a.Skip = &adapter.Skip{Reason: text}
	case "error":
		a.Error = &adapter.Fault{Message: text}
	case "broken":
		return a, &adapter.Broken{Kind: adapter.Protocol, Detail: text}
	}
	return a, nil
}

// TestResultsOfLongAnswers: a result keeps a bounded part of an answer, with its
// length.
func TestResultsOfLongAnswers(t *testing.T) {
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	p := ids.Observed()
	opts := judge.Options{Profile: &p, Filter: func(v *corpus.Vector) bool { return v.Type == "upkg.ExportEntry" && sampled(v) }}
	for _, kind := range []string{"tree", "list", "field", "bytes", "not hex", "reject", "skip", "error", "broken"} {
		r, err := judge.Run(t.Context(), &long{adapter.NewReference(), kind}, vectors, opts)
		if err != nil {
			t.Fatal(err)
		}
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

// altersOne changes one element of a long tree.
type altersOne struct{ *adapter.Reference }

func (l *altersOne) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	a, err := l.Reference.Do(ctx, q)
	if a.OK == nil || a.OK.Tree == nil {
		return a, err
	}
	n := everywhere(*a.OK.Tree, func(n tree.Node) tree.Node {
		for i := range n.Items {
			if n.Items[i].Text == "name250" {
				n.Items[i].Text = "other"
			}
		}
		return n
	})
	a.OK.Tree = &n
	return a, err
}

// TestDifferenceInLongAnswer: the shortened trees, expected and actual, contain the
// part that differs.
func TestDifferenceInLongAnswer(t *testing.T) {
	const id = "ka/BodyV0x0002/three-hundred-names"
	v, ok := corpus.Find(id)
	if !ok {
		t.Fatalf("no vector %s", id)
	}
	r, err := judge.Run(t.Context(), &altersOne{adapter.NewReference()}, []*corpus.Vector{v},
		judge.Options{NoDerived: true})
	if err != nil {
		t.Fatal(err)
	}
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
