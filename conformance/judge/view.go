package judge

import (
	"encoding/hex"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
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

// viewFor returns the view in which a case is judged, and its operations: a side
// can add a view for the vectors that list its flag.
func viewFor(view *schema.View, declared []string, c *Case, ops []adapter.Op) (*schema.View, []adapter.Op) {
	var own []string
	for _, id := range c.Vector.Flags {
		if f, ok := spec.FindFlag(id); ok {
			if s, ok := f.Side(c.selected.Side(id)); ok && s.View != "" {
				own = append(own, s.View)
			}
		}
	}
	if own == nil {
		return view, ops
	}
	added, err := schema.NewView(spec.MergeViews(declared, own))
	if err != nil {
		return view, ops // the records name no such view: a test finds it
	}
	return added, onlyDecode(ops)
}

// onlyDecode returns the operations without those that encode.
func onlyDecode(ops []adapter.Op) []adapter.Op {
	return slices.DeleteFunc(slices.Clone(ops), func(op adapter.Op) bool { return op != adapter.OpDecode })
}

// limit limits what is judged to what a view keeps. It is the only part of the judge that
// asks the reference where the fault of an input is. An answer of the reference can make a
// case not applicable, never fail.
//
// It returns an outcome if there is no verdict: then every answer is right that accepts
// or rejects the input. lossy reports that the view loses a part of the value: then what
// an implementation writes is compared in the view, and it need not write anything.
func limit(view *schema.View, c *Case, t *codec.Type) (open *Outcome, lossy bool) {
	e := c.Expect
	text := e.Tree
	switch {
	case c.Vector.EncodeOnly():
		text = c.Vector.Tree
	case e.Outcome == corpus.Reject || e.Outcome == otherValue:
		return openFault(view, c, t), false
	}
	n, err := tree.ParseVector(text)
	if err != nil {
		return nil, false // reported as a fault of the vector
	}
	if _, whole, err := view.Project(t, n); err != nil || whole {
		return nil, false
	}
	return nil, true
}

// openFault returns an outcome if an input that must be rejected, or decode to another
// value, may be accepted in the view.
func openFault(view *schema.View, c *Case, t *codec.Type) *Outcome {
	switch a := c.askReference(decodeHex(c.Input()), c.selected, c.Context); {
	case a.Reject != nil:
		if lost := view.Loses(t, a.Reject.Path); lost != "" {
			return &Outcome{
				Status: NotApplicable, Reason: LostFault, View: lost,
				Difference: &tree.Difference{Path: a.Reject.Path},
			}
		}
	case a.OK != nil && a.OK.Tree != nil && c.Expect.Outcome == otherValue:
		if d, err := (&expectedTree{view: view}).compare(t, c.Expect.Tree, *a.OK.Tree); d == nil && err == nil {
			return &Outcome{Status: NotApplicable, Reason: LostValue}
		}
	}
	return nil
}

// checkLossy judges what an implementation writes of a value that its view loses in
// part. The bytes must be an encoding of the value of the expected bytes, in the view.
func (p *pending) checkLossy(a adapter.Response) Outcome {
	op, want := p.ops[0], WantOf(p.testCase.Expect, p.testCase.Input(), p.ops[0])
	o := Outcome{Op: op, Status: Fail, Class: WrongBytes}
	switch {
	case a.Error != nil || a.Reject == nil && (a.OK == nil || a.OK.Hex == nil):
		o = check(p.testCase, p.typ, p.testCase.Expect, op, a, p.expected)
	case a.Reject != nil || want.Reject:
		return Outcome{Op: op, Status: NotApplicable, Reason: LostPart}
	case p.isEncodingInView(want.Bytes, *a.OK.Hex):
		return Outcome{Op: op, Status: Pass, Reason: LostPart}
	}
	p.describe(&o, a)
	return o
}

func (p *pending) isEncodingInView(want []byte, got string) bool {
	a, b := p.decoded(hex.EncodeToString(want)), p.decoded(got)
	return a != nil && b != nil && equalIn(p.expected.view, p.typ, *a, *b)
}

// decoded returns the value that the reference reads from bytes in hex; nil if it
// rejects them.
func (p *pending) decoded(text string) *tree.Node {
	c := p.testCase
	a := c.askReference(adapter.Request{Op: adapter.OpDecode, Hex: &text}, c.Profile, c.Context)
	if a.OK == nil {
		return nil
	}
	return a.OK.Tree
}
