package schema

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/schematest"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

// smallTree is the number of nodes up to which a tree is also changed.
const smallTree = 120

// TestSchemas: the trees of each vector, and those that the reference answers, match
// the schema of their type. A tree with
// another field, without a field that is never null, or with a part of another kind
// does not.
func TestSchemas(t *testing.T) {
	schemas, reference := map[string]*jsonschema.Schema{}, adapter.NewReference()
	type typed struct {
		typ *codec.Type
		n   tree.Node
	}
	var trees []typed
	null := map[string]bool{} // fields that are null in the tree of some vector
	for _, v := range corpustest.All(t) {
		typ := findType(t, v.Type)
		sampled := testrun.Sampled(v.ID, 8) || schemas[v.Type] == nil
		if schemas[v.Type] == nil {
			schemas[v.Type] = schematest.Compile(t, []byte(marshal(t, Of(typ).JSONSchema())))
		}
		for _, profile := range []string{"documented", "observed"} {
			q := adapter.Request{Op: adapter.OpDecode, Type: v.Type, Profile: profile, Context: v.Context}
			q.Hex = new(hex.EncodeToString(v.Bytes))
			if !sampled || v.EncodeOnly() {
				continue
			}
			if a, err := reference.Do(t.Context(), q); err != nil {
				t.Fatal(err)
			} else if a.OK != nil {
				schematest.Check(t, schemas[v.Type], a.OK.Tree.AppendJSON(nil), v.ID, "the answer of the reference")
			}
		}
		for _, e := range v.Expect {
			text := e.Tree
			if e.Outcome == corpus.Encodes {
				text = v.Tree
			}
			if text == "" {
				continue
			}
			n, err := tree.ParseVector(text)
			if err != nil {
				t.Fatal(err)
			}
			if sampled {
				schematest.Check(t, schemas[v.Type], n.AppendJSON(nil), v.ID)
			}
			if n, err = tree.Normalize(typ, n); err != nil {
				t.Fatal(err)
			}
			if size(n) > smallTree {
				continue
			}
			changeFields(tree.Whole(typ, &n), func(field string, value, _, _ tree.Node) {
				null[field] = null[field] || value.Kind == tree.Null
			})
			trees = append(trees, typed{typ, n})
		}
	}
	slices.SortStableFunc(trees, func(a, b typed) int { return size(a.n) - size(b.n) })
	shown := map[string]bool{}
	changed := 0
	for _, x := range trees {
		shows := !shown[x.typ.Name] // one tree of each type, and those with a new field or variant
		shown[x.typ.Name] = true
		changeFields(tree.Whole(x.typ, &x.n), func(field string, _, _, _ tree.Node) {
			shows = shows || !shown[field]
			shown[field] = true
		})
		if !shows {
			continue
		}
		check := func(what string, n tree.Node, valid bool) {
			changed++
			if _, err := schematest.Validate(schemas[x.typ.Name], n.AppendJSON(nil)); (err == nil) != valid {
				t.Errorf("%s: %s: %s: valid must be %v: %v", x.typ.Name, what, n, valid, err)
			}
		}
		changeFields(tree.Whole(x.typ, &x.n), func(field string, _, without, renamed tree.Node) {
			check("without "+field, without, null[field])
			check("renamed "+field, renamed, false)
		})
		replace(x.n, func(changed tree.Node) {
			_, err := tree.Normalize(x.typ, changed)
			check("another kind", changed, err == nil)
		})
	}
	t.Logf("%d schemas, %d changed trees", len(schemas), changed)
}

func size(n tree.Node) int {
	total := 1
	for _, item := range n.Items {
		total += size(item)
	}
	return total
}

// changeFields calls visit for each field of a tree in normal form: with the name of
// the field in the model, or that of the variant for its two fields; with its value; with the
// tree without it; and with the tree
// in which it has another name.
func changeFields(p tree.Part, visit func(field string, value, without, renamed tree.Node)) {
	n := *p.Node
	for i, item := range n.Items {
		part, field := tree.Part{Form: new(tree.Form), Node: &n.Items[i]}, n.Field("type").Text
		if p.Kind != tree.OneOfForm && i < p.Len() {
			part = p.Item(i)
			field = part.Field
		} else if p.Kind == tree.OneOfForm && n.Names[i] == "value" {
			part = p.Item(0)
		}
		with := func(changed tree.Node) tree.Node {
			out := n
			out.Items = slices.Clone(n.Items)
			out.Items[i] = changed
			return out
		}
		changeFields(part, func(field string, value, without, renamed tree.Node) {
			visit(field, value, with(without), with(renamed))
		})
		if n.Kind == tree.Object && p.Kind != tree.TextForm {
			without, renamed := n, n
			without.Items, without.Names = slices.Delete(slices.Clone(n.Items), i, i+1),
				slices.Delete(slices.Clone(n.Names), i, i+1)
			renamed.Names = slices.Clone(n.Names)
			renamed.Names[i] += "x"
			visit(field, item, without, renamed)
		}
	}
}

// replace calls visit with a tree in which one part has another kind.
func replace(n tree.Node, visit func(changed tree.Node)) {
	for _, other := range []tree.Node{
		{Kind: tree.Text, Text: "x"},
		{Kind: tree.Text, Text: "-1"},
		{Kind: tree.Text, Text: "0x10"},
		{Kind: tree.Bool, Text: "true"},
		{Kind: tree.List},
		{Kind: tree.Object},
	} {
		if other.Kind != n.Kind || n.Kind == tree.Text {
			visit(other)
		}
	}
	for i := range n.Items {
		replace(n.Items[i], func(changed tree.Node) {
			out := n
			out.Items = slices.Clone(n.Items)
			out.Items[i] = changed
			visit(out)
		})
	}
}
