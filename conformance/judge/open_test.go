package judge_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// constants are answers of a reader that does not look at its input.
var constants = []string{
	`"77"`, `{}`, `[]`, `null`, `"0"`, `""`, `true`, `{"text": "a", "wide": false}`, `{"x": "77", "y": "77", "z": "77", "w": "77"}`,
	`{"properties": null, "texture": null, "data": ""}`, `{"version": "0x0001", "fastNames": null, "children": []}`,
}

// casesOfBothBases are the cases of vectors under observed, and of those with flags, whose
// verdicts can differ, under documented.
func casesOfBothBases(t *testing.T) []judge.Case {
	t.Helper()
	return slices.Concat(judge.Cases(corpustest.All(t), []ids.Profile{ids.Observed()}, nil),
		judge.Cases(flaggedVectors(t), []ids.Profile{ids.Documented()}, nil))
}

// TestConstants: an answer that is the same for each input is acceptable only where it is
// one that the vector states for another side or as permitted, or differs from the
// expected one by a bound.
func TestConstants(t *testing.T) {
	t.Parallel()
	judged := 0
	for _, c := range casesOfBothBases(t) {
		single, err := judge.NewSingle(&c)
		if err != nil {
			t.Fatal(err)
		}
		if single == nil || c.Vector.EncodeOnly() || tree.VectorSize(c.Expect.Tree) > 5000 {
			continue
		}
		typ, _ := codec.Find(c.Vector.Type)
		for _, text := range constants {
			a := answerOf(t, text)
			judged++
			o := single.Judge(adapter.OpDecode, a)
			if o.Status == judge.Acceptable && o.Class == judge.Accepted && !isStated(typ, c.Vector, *a.OK.Tree) {
				t.Errorf("%s under %s: %s is acceptable, and no section states it", c.ID, c.Profile, text)
			}
		}
	}
	if judged < 40_000 {
		t.Errorf("only %d answers", judged)
	}
}

// expectedTree returns the tree of a vector in its normal form.
func expectedTree(typ *codec.Type, text string) (tree.Node, error) {
	n, err := tree.ParseVector(text)
	if err != nil {
		return n, err
	}
	return (*schema.View)(nil).Expected(typ, n)
}

// isStated reports whether a section of a vector has the tree.
func isStated(typ *codec.Type, v *corpus.Vector, n tree.Node) bool {
	got, _, err := (*schema.View)(nil).Project(typ, n)
	equals := func(text string) bool {
		want, err := expectedTree(typ, text)
		return err == nil && tree.Compare(want, got) == nil
	}
	return err == nil && (slices.ContainsFunc(v.Expect, func(e corpus.Expectation) bool { return e.Tree != "" && equals(e.Tree) }) ||
		slices.ContainsFunc(v.Permitted, func(e corpus.Permitted) bool { return equals(e.Tree) }))
}

// TestPermittedTrees: what vectors state as permitted has the form of the type, and it is
// neither the expected answer nor one that the reference gives.
func TestPermittedTrees(t *testing.T) {
	t.Parallel()
	n := 0
	for _, v := range corpustest.All(t) {
		typ, _ := codec.Find(v.Type)
		n += len(v.Permitted)
		for _, permitted := range v.Permitted {
			if _, err := expectedTree(typ, permitted.Tree); err != nil && !v.EncodeOnly() {
				t.Errorf("%s: %v", v.ID, err)
			}
		}
	}
	if n < 70 {
		t.Errorf("only %d permitted answers", n)
	}
}

// TestNoEditByChoice: arrays of structs whose inner Size only a choice checks derive no
// cases from it, but from the lengths and counts that others demand.
func TestNoEditByChoice(t *testing.T) {
	t.Parallel()
	v := corpustest.Find(t, "uasset/PropertyList/three-arrays-of-points")
	at := map[int]int{}
	for _, c := range judge.Derive(v, ids.Observed()) {
		if c.Rule == judge.Raised || c.Rule == judge.Lowered {
			at[c.Edit.At]++
		}
	}
	if at[53] != 0 || at[171] != 0 || at[16] == 0 || at[33] == 0 {
		t.Errorf("cases at offsets: %v", at)
	}
}

// TestLeavesByChoice: where a choice decides an accepted input, a value in which one leaf
// differs is a failure, unless the record of the choice names the leaf or a section states
// the value.
func TestLeavesByChoice(t *testing.T) {
	t.Parallel()
	count := map[judge.Status]int{}
	for _, c := range casesOfBothBases(t) {
		if len(c.Choices) == 0 || c.Expect == nil || c.Expect.Tree == "" || c.Vector.EncodeOnly() || len(c.Expect.Tree) > 5000 ||
			!testrun.Sampled(c.ID, 4) {
			continue
		}
		single, err := judge.NewSingle(&c)
		if err != nil || single == nil {
			t.Fatal(c.ID, err)
		}
		typ, _ := codec.Find(c.Vector.Type)
		want, err := tree.ParseVector(c.Expect.Tree)
		if err != nil {
			t.Fatal(err)
		}
		eachLeaf(want, "", func(path string, other tree.Node) {
			o := single.Judge(adapter.OpDecode, adapter.Response{OK: &adapter.OK{Tree: &other}})
			count[o.Status]++
			named := slices.ContainsFunc(c.Choices, func(by judge.Choice) bool {
				return slices.ContainsFunc(by.Open.Bounds(), func(b spec.Bound) bool {
					return b.Path != "" && (b.How == spec.Unstated || b.How == spec.Name) &&
						strings.Contains("."+path+".", "."+b.Path+".")
				})
			})
			if !o.Status.Failed() && !named && !isStated(typ, c.Vector, other) {
				t.Errorf("%s under %s: a change of %s is %s", c.ID, c.Profile, path, o.Status)
			}
		})
	}
	if count[judge.Fail] < 1000 {
		t.Errorf("%v", count)
	}
}

// eachLeaf visits trees in which one text differs from that of a tree, far from it: a
// number is twice as great plus 3, another text is longer.
func eachLeaf(n tree.Node, path string, visit func(string, tree.Node)) {
	if n.Kind == tree.Text {
		changed := n
		if i, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
			changed.Text = strconv.FormatInt(2*i+3, 10)
		} else if f, err := strconv.ParseFloat(n.Text, 64); err == nil {
			changed.Text = strconv.FormatFloat(2*f+3, 'g', -1, 32)
		} else {
			changed.Text += "00"
		}
		visit(path, changed)
		return
	}
	for i, item := range n.Items {
		below := path
		if n.Kind == tree.Object {
			below = strings.TrimPrefix(path+"."+n.Names[i], ".")
		}
		eachLeaf(item, below, func(path string, changed tree.Node) {
			whole := n
			whole.Items = slices.Clone(n.Items)
			whole.Items[i] = changed
			visit(path, whole)
		})
	}
}
