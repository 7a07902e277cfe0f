package judge

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

// ofLimit are the bounds where a limit, or what is unsupported, decides.
const ofLimit = spec.OtherSide + ", " + spec.Stated + ", " + spec.Unstated

// excuse sets the status of an answer that is not the expected one, if a choice leaves it
// open, or if it accepts what others reject as a limit or as unsupported.
func (p *pending) excuse(o *Outcome, a adapter.Response) {
	if !o.Class.isAnswer() {
		return
	}
	want := WantOf(p.testCase.Expect, p.testCase.Input(), o.Op)
	if reason := want.Acceptable(); o.Class == Accepted && reason != "" {
		if o.Status = p.within(ofLimit, "", o, a); o.Status != Fail {
			o.Reason = reason
		}
	}
	choices := p.testCase.ChoicesOf(o.Op)
	for _, c := range choices {
		if o.Status == Acceptable {
			break
		}
		if status := p.within(c.Open, c.By, o, a); status == Acceptable || status == NotApplicable && o.Status == Fail {
			o.Status, o.Reason, o.Choices = status, ByChoice, choices
		}
	}
	if o.Status == NotApplicable {
		*o = Outcome{Op: o.Op, Status: NotApplicable, Reason: NoValue}
	}
}

// within says what an answer is that differs from the expected one: acceptable if bounds
// permit it, not applicable if they leave open an acceptance that cannot be compared with
// anything, and otherwise a failure.
func (p *pending) within(open spec.Open, by string, o *Outcome, a adapter.Response) Status {
	if open.Leaves(spec.OtherSide) && p.isOtherSide(o.Op, a) {
		return Acceptable
	}
	switch {
	case a.Reject != nil:
		if open.Leaves(spec.Rejection) {
			return Acceptable
		}
		return Fail
	case o.Op == adapter.OpDecode:
		return p.valueWithin(open, a.OK)
	}
	return p.bytesWithin(open, by, o, *a.OK.Hex)
}

// isOtherSide reports whether an answer is the verdict of another section of the vector. If
// the input is a value, this is the same in all sections.
func (p *pending) isOtherSide(op adapter.Op, a adapter.Response) bool {
	c := p.testCase
	return slices.ContainsFunc(c.Vector.Expect, func(e corpus.Expectation) bool {
		return (op != adapter.OpEncode || e.Tree == c.Expect.Tree) && p.satisfies(&e, op, a)
	})
}

// valueWithin judges a value that is not the expected one.
func (p *pending) valueWithin(open spec.Open, ok *adapter.OK) Status {
	if ok.Consumed != nil && *ok.Consumed != len(p.testCase.Input()) {
		return Fail
	}
	if open.Leaves(spec.Stated) || open.Leaves(spec.Unstated) {
		for _, stated := range p.testCase.Vector.Permitted {
			want := &expectedTree{view: p.expected.view}
			if d, err := want.compare(p.typ, stated.Tree, *ok.Tree); d == nil && err == nil {
				return Acceptable
			}
		}
	}
	if p.testCase.Expect.Tree != "" {
		return p.settledWithin(open, p.testCase.Expect.Tree, *ok.Tree)
	}
	if _, _, err := p.expected.view.Project(p.typ, *ok.Tree); err != nil || !p.isUnstated(open) {
		return Fail
	}
	return NotApplicable
}

// isUnstated reports whether bounds leave acceptance open and the vector states no answer
// for it, neither as permitted nor for another side.
func (p *pending) isUnstated(open spec.Open) bool {
	v := p.testCase.Vector
	accepts := func(e corpus.Expectation) bool {
		return e.Profile != p.testCase.Expect.Profile && e.Outcome != corpus.Reject && e.CanonicalClass == ""
	}
	return open.Leaves(spec.Unstated) && len(v.Permitted) == 0 &&
		(!open.Leaves(spec.OtherSide) || !slices.ContainsFunc(v.Expect, accepts))
}

// settledWithin compares a value with the tree of the vector, except at the leaves that
// bounds leave open.
func (p *pending) settledWithin(open spec.Open, text string, got tree.Node) Status {
	want := &expectedTree{view: p.expected.view}
	written, err := want.parse(text)
	if err != nil {
		return Fail
	}
	// The whole value must have the form of the type; only the sign may lack in it.
	signs := slices.DeleteFunc(open.Bounds(), func(b spec.Bound) bool { return b.How != spec.Sign })
	signed, _ := schema.Settle(signs, *written, got)
	if _, _, err := want.view.Project(p.typ, signed); err != nil {
		return Fail
	}
	settled, unstated := schema.Settle(open.Bounds(), *written, got)
	if d, err := want.compare(p.typ, text, settled); d != nil || err != nil {
		return Fail
	}
	if unstated {
		return NotApplicable
	}
	return Acceptable
}

// bytesWithin judges bytes that are not the expected ones. They must be those that the
// vector states, or an encoding of a value within the bounds. The reference decodes them:
// what it rejects is no encoding, unless it rejects it because of this choice.
func (p *pending) bytesWithin(open spec.Open, by string, o *Outcome, text string) Status {
	v := p.testCase.Vector
	if open.Leaves(spec.Stated) || open.Leaves(spec.Unstated) {
		for _, stated := range v.Permitted {
			if v.EncodeOnly() && strings.EqualFold(text, hex.EncodeToString(stated.Bytes)) {
				return Acceptable
			}
		}
	}
	c := p.testCase
	a := c.decoded(text)
	unstated := o.Class == Accepted && p.isUnstated(open)
	switch {
	case a.Reject != nil && unstated && by != "" && string(a.Reject.Clause) == by:
		return NotApplicable
	case a.OK == nil || a.OK.Tree == nil:
		return Fail
	}
	read := a.OK.Tree
	value := c.Value()
	same := p.settledWithin("", value, *read) == Acceptable
	status := Fail
	switch {
	case same && open.Leaves(spec.OtherBytes):
		status = Acceptable
	case !same:
		status = p.settledWithin(open, value, *read)
	}
	if status == Fail && unstated {
		return NotApplicable
	}
	return status
}
