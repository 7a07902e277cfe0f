package judge

import (
	"encoding/hex"
	"slices"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

func newJudge(h adapter.Hello) (*judge, error) {
	view, err := schema.NewView(h.Views)
	return &judge{hello: h, view: view, why: newExplainer(h.Views)}, err
}

// restrict sets the view in which a case is judged, and what it leaves open: see limit. A side
// can add a view for the vectors that list its flag; then only decode is asked for.
func (p *pending) restrict(view *schema.View, declared []string) {
	c := p.testCase
	p.expected = &expectedTree{view: view}
	var own []string
	for _, id := range c.Vector.Flags {
		if f, ok := spec.FindFlag(id); ok {
			if s, ok := f.Side(c.selected.Side(id)); ok && s.View != "" {
				own = append(own, s.View)
			}
		}
	}
	if own != nil {
		// A test finds a view that does not exist.
		if added, err := schema.NewView(spec.MergeViews(declared, own)); err == nil {
			p.expected.view, p.ops = added, only(p.ops, []adapter.Op{adapter.OpDecode})
		}
	}
	if p.expected.view != nil {
		p.limit()
	}
}

// only returns the operations that are among others.
func only(ops, others []adapter.Op) []adapter.Op {
	return slices.DeleteFunc(slices.Clone(ops), func(op adapter.Op) bool { return !slices.Contains(others, op) })
}

// limit limits what is judged to what a view keeps. It is the only part of the judge that
// asks the reference where the fault of an input is. An answer of the reference can make a
// case not applicable, never fail.
//
// It sets open if there is no verdict: then every answer is right that accepts
// or rejects the input. It sets lossy if the view loses a part of the value: then what
// an implementation writes is compared in the view, and it need not write anything.
func (p *pending) limit() {
	e := p.testCase.Expect
	if !p.testCase.Vector.EncodeOnly() && (e.Outcome == corpus.Reject || e.Outcome == otherValue) {
		p.open = p.openFault()
		return
	}
	if n, err := p.expected.parse(p.testCase.Value()); err == nil { // otherwise reported as a fault of the vector
		_, whole, err := p.expected.view.Project(p.typ, *n)
		p.lossy = err == nil && !whole
	}
}

// openFault returns an outcome if an input that must be rejected, or decode to another
// value, may be accepted in the view.
func (p *pending) openFault() *Outcome {
	c := p.testCase
	q, _ := p.request(adapter.OpDecode) // it has no tree that could be invalid
	switch a := c.askReference(q, c.selected, c.Context); {
	case a.Reject != nil:
		if lost := p.expected.view.Loses(p.typ, a.Reject.Path); lost != "" {
			return &Outcome{
				Status: NotApplicable, Reason: LostFault, View: lost,
				Difference: &tree.Difference{Path: a.Reject.Path},
			}
		}
	case a.OK != nil && a.OK.Tree != nil && c.Expect.Outcome == otherValue:
		if d, err := p.expected.compare(p.typ, c.Expect.Tree, *a.OK.Tree); d == nil && err == nil {
			return &Outcome{Status: NotApplicable, Reason: LostValue}
		}
	}
	return nil
}

// checkLossy judges what an implementation writes of a value that its view loses in
// part. The bytes must be an encoding of the value of the expected bytes, in the view.
func (p *pending) checkLossy(a adapter.Response) Outcome {
	c, op := p.testCase, p.ops[0]
	want := WantOf(c.Expect, c.Input(), op)
	o := Outcome{Op: op, Status: Fail, Class: WrongBytes}
	switch {
	case a.Error != nil || a.Reject == nil && (a.OK == nil || a.OK.Hex == nil):
		o = check(c, p.typ, c.Expect, op, a, p.expected)
	case a.Reject != nil || want.Reject:
		return Outcome{Op: op, Status: NotApplicable, Reason: LostPart}
	case sameValue(p.expected.view, p.typ, c.decoded(hex.EncodeToString(want.Bytes)), c.decoded(*a.OK.Hex)):
		return Outcome{Op: op, Status: Pass, Reason: LostPart}
	}
	p.describe(&o, a)
	return o
}
