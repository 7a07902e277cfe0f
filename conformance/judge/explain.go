package judge

import (
	"maps"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/spec"
)

// An explainer finds what may be the cause of a difference, from whole answers: results
// contain only their short forms. It changes no verdict.
type explainer struct {
	all   *schema.View // all views together
	views []namedView  // the declared views with each other view added
}

type namedView struct {
	id   string
	view *schema.View
}

func newExplainer(declared []string) *explainer {
	x := &explainer{}
	var all []string
	for _, v := range spec.Views() {
		all = append(all, v.ID)
		if slices.Contains(declared, v.ID) {
			continue
		}
		if view, err := schema.NewView(spec.MergeViews(declared, []string{v.ID})); err == nil {
			x.views = append(x.views, namedView{v.ID, view})
		}
	}
	x.all, _ = schema.NewView(all) // the ids are those of the records
	return x
}

// explain sets the view and the parameter of the context that explain a difference.
func (x *explainer) explain(p *pending, o *Outcome, a adapter.Response) {
	if x == nil {
		return
	}
	if o.Class == WrongTree && o.Difference.Path != consumed && !p.testCase.Derived() {
		o.View = x.viewOf(p, *a.OK.Tree)
	}
	if o.View == "" && o.Class.isAnswer() {
		o.Ignored = x.ignored(p, a)
	}
}

// viewOf returns the first view in which a value is the expected one; empty if there is
// none.
func (x *explainer) viewOf(p *pending, got tree.Node) string {
	want, err := p.expected.parse(p.testCase.Expect.Tree)
	if err != nil || !equalIn(x.all, p.typ, *want, got) { // no view alone explains more
		return ""
	}
	for _, v := range x.views {
		if equalIn(v.view, p.typ, *want, got) {
			return v.id
		}
	}
	return ""
}

func equalIn(view *schema.View, t *codec.Type, want, got tree.Node) bool {
	expected, err := view.Expected(t, want)
	if err != nil {
		return false
	}
	actual, _, err := view.Project(t, got)
	return err == nil && tree.Compare(expected, actual) == nil
}

// ignored returns the first parameter of the context without which the reference gives
// this answer; empty if there is none.
func (x *explainer) ignored(p *pending, a adapter.Response) string {
	c := p.testCase
	for _, name := range slices.Sorted(maps.Keys(c.Context)) {
		if c.Context[name] == p.typ.Context[name] {
			continue
		}
		q, err := p.request(p.ops[0])
		if err != nil {
			return ""
		}
		without := maps.Clone(c.Context)
		delete(without, name)
		if sameAnswer(p.typ, a, c.askReference(q, c.Profile, without)) {
			return name + "=" + c.Context[name]
		}
	}
	return ""
}

// sameAnswer reports whether two answers are the same value, bytes or rejection, with class
// and offset: without an offset, too many rejections are the same.
func sameAnswer(t *codec.Type, a, b adapter.Response) bool {
	switch {
	case a.Reject != nil && b.Reject != nil:
		at, to := a.Reject.Offset, b.Reject.Offset
		return a.Reject.Class == b.Reject.Class && at != nil && to != nil && *at == *to
	case a.OK == nil || b.OK == nil:
		return false
	case a.OK.Hex != nil && b.OK.Hex != nil:
		return *a.OK.Hex == *b.OK.Hex
	}
	return sameValue(nil, t, b, a)
}

// sameValue reports whether two answers are trees that are equal in a view.
func sameValue(view *schema.View, t *codec.Type, a, b adapter.Response) bool {
	return a.OK != nil && b.OK != nil && a.OK.Tree != nil && b.OK.Tree != nil && equalIn(view, t, *a.OK.Tree, *b.OK.Tree)
}
