package judge

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/shape"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// inView limits what is judged to what the declared views keep.
//
// It is the only part of the judge that asks the reference: where the fault of an
// input is. An answer of the reference can make a case open, never fail.
type inView struct {
	view  *shape.View
	name  string // " in the view ka.texts"
	where *adapter.Reference
}

func newJudge(h adapter.Hello) (*judge, error) {
	in, err := newInView(h.Views)
	return &judge{hello: h, inView: in}, err
}

func newInView(views []string) (*inView, error) {
	view, err := shape.NewView(views)
	if view == nil {
		return nil, err
	}
	return &inView{view, spec.InViews(views), adapter.NewReference()}, err
}

// forCase returns the view in which a case is judged, and its operations: a side
// can add a view for the vectors that list its flag.
func (in *inView) forCase(declared []string, c *Case, ops []adapter.Op) (*inView, []adapter.Op) {
	var own []string
	for _, id := range c.Vector.Flags {
		if f, ok := spec.FindFlag(id); ok {
			if s, ok := f.Side(c.selected.Side(id)); ok && s.View != "" {
				own = append(own, s.View)
			}
		}
	}
	if own == nil {
		return in, ops
	}
	added, err := newInView(spec.MergeViews(declared, own))
	if err != nil {
		return in, ops // the records name no such view: a test finds it
	}
	return added, onlyDecode(ops)
}

// onlyDecode returns the operations without those that encode.
func onlyDecode(ops []adapter.Op) []adapter.Op {
	return slices.DeleteFunc(slices.Clone(ops), func(op adapter.Op) bool { return op != adapter.OpDecode })
}

// limit returns the operations that are asked for, and why the verdict is open:
// then every answer is right that accepts or rejects the input.
func (in *inView) limit(c *Case, t *codec.Type, ops []adapter.Op) ([]adapter.Op, string) {
	e := c.Expect
	if !c.Vector.EncodeOnly() && (e.Outcome == corpus.Reject || e.Outcome == otherValue) {
		return ops, in.openFault(c, t)
	}
	text := e.Tree
	if c.Vector.EncodeOnly() {
		text = c.Vector.Tree
	}
	n, err := tree.ParseVector(text)
	if err == nil {
		var whole bool
		if _, whole, err = in.view.Project(t, n); err == nil && whole {
			return ops, ""
		}
	}
	if err != nil {
		return ops, "" // reported as a fault of the vector
	}
	kept := onlyDecode(ops)
	if len(kept) == 0 {
		return nil, "the value is not kept completely" + in.name + ": it is not to be encoded"
	}
	return kept, ""
}

// openFault says why an input that must be rejected, or decode to another value,
// may be accepted in the view. It is empty if it may not.
func (in *inView) openFault(c *Case, t *codec.Type) string {
	text := hex.EncodeToString(c.Input)
	a, err := in.where.Do(context.Background(), adapter.Request{
		Op: adapter.OpDecode, Type: t.Name, Profile: c.selected.String(), Context: c.Context, Hex: &text,
	})
	switch {
	case err != nil:
	case a.Reject != nil:
		if view := in.view.Loses(t, a.Reject.Path); view != "" {
			return fmt.Sprintf("the fault is in %s, which the view %s loses: acceptance and rejection are both right", a.Reject.Path, view)
		}
	case a.OK != nil && a.OK.Tree != nil && c.Expect.Outcome == otherValue:
		if d, _, err := (&expectedTree{view: in.view}).compare(t, c.Expect.Tree, *a.OK.Tree); d == nil && err == nil {
			return "the value differs from that of the vector only in what is not kept" + in.name
		}
	}
	return ""
}

// OpsInViews returns the function that lists the operations by which a vector is
// judged under a profile, in views. The list is empty if there is no verdict.
func OpsInViews(views []string) (func(*corpus.Vector, ids.Profile) []adapter.Op, error) {
	in, err := newInView(views)
	if err != nil {
		return nil, err
	}
	return func(v *corpus.Vector, p ids.Profile) []adapter.Op {
		c := newCase(v, p)
		t, ok := codec.Find(v.Type)
		if c.Expect == nil || !ok {
			return nil
		}
		in, ops := in.forCase(views, &c, Operations(v, c.Expect))
		if in == nil {
			return ops
		}
		ops, open := in.limit(&c, t, ops)
		if open != "" {
			return nil
		}
		return ops
	}, nil
}
