package judge_test

import (
	"slices"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// constants are answers of a reader that does not look at its input.
var constants = []string{
	`"77"`, `{}`, `[]`, `null`, `"0"`, `""`, `true`, `{"text": "a", "wide": false}`, `{"x": "77", "y": "77", "z": "77", "w": "77"}`,
	`{"properties": null, "texture": null, "data": ""}`, `{"version": "0x0001", "fastNames": null, "children": []}`,
}

// TestConstants: an answer that is the same for each input is acceptable only where it is
// one that the vector states for another side or as permitted, or differs from the
// expected one by a bound.
func TestConstants(t *testing.T) {
	t.Parallel()
	all, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	judged, acceptable := 0, map[string]int{}
	for _, p := range []ids.Profile{ids.Observed(), ids.Documented()} {
		for _, c := range judge.Cases(all, []ids.Profile{p}, false) {
			single, err := judge.NewSingle(&c)
			if err != nil {
				t.Fatal(err)
			}
			if single == nil || c.Vector.EncodeOnly() {
				continue
			}
			typ, _ := codec.Find(c.Vector.Type)
			for _, text := range constants {
				n, err := tree.Parse([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				judged++
				o := single.Judge(adapter.OpDecode, adapter.Response{OK: &adapter.OK{Tree: &n}})
				if o.Status != judge.Acceptable {
					continue
				}
				acceptable[text]++
				if !isStated(typ, c.Vector, n) && o.Class == judge.Accepted {
					t.Errorf("%s under %s: %s is acceptable, and no section states it", c.ID, p, text)
				}
			}
		}
	}
	if judged < 40_000 {
		t.Errorf("only %d answers", judged)
	}
	t.Logf("%d answers, acceptable: %v", judged, acceptable)
}

// isStated reports whether a section of a vector has the tree.
func isStated(typ *codec.Type, v *corpus.Vector, n tree.Node) bool {
	got, _, err := (*schema.View)(nil).Project(typ, n)
	equals := func(text string) bool {
		want, err := tree.ParseVector(text)
		if err != nil {
			return false
		}
		want, err = (*schema.View)(nil).Expected(typ, want)
		return err == nil && tree.Compare(want, got) == nil
	}
	return err == nil && (slices.ContainsFunc(v.Expect, func(e corpus.Expectation) bool { return e.Tree != "" && equals(e.Tree) }) ||
		slices.ContainsFunc(v.Permitted, func(e corpus.Permitted) bool { return equals(e.Tree) }))
}

// TestPermittedTrees: what vectors state as permitted has the form of the type, and it is
// neither the expected answer nor one that the reference gives.
func TestPermittedTrees(t *testing.T) {
	t.Parallel()
	all, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, v := range all {
		typ, _ := codec.Find(v.Type)
		for _, permitted := range v.Permitted {
			n++
			if v.EncodeOnly() {
				continue
			}
			node, err := tree.ParseVector(permitted.Tree)
			if err == nil {
				_, err = (*schema.View)(nil).Expected(typ, node)
			}
			if err != nil {
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
	v, _ := corpus.Find("uasset/PropertyList/three-arrays-of-points")
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
