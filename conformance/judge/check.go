package judge

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/shorten"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
)

// expectedTree holds the tree of an expectation, as the vector writes it and with
// the projections of the views.
type expectedTree struct {
	view    *schema.View
	written *tree.Node // nil: not parsed yet
	ready   bool
	tree    tree.Node
}

func (w *expectedTree) parse(text string) (*tree.Node, error) {
	if w.written == nil {
		n, err := tree.ParseVector(text)
		if err != nil {
			return nil, fmt.Errorf("tree of the vector: %w", err)
		}
		w.written = &n
	}
	return w.written, nil
}

func (w *expectedTree) prepare(t *codec.Type, text string) error {
	if w.ready {
		return nil
	}
	n, err := w.parse(text)
	if err != nil {
		return err
	}
	if w.tree, err = w.view.Expected(t, *n); err != nil {
		return fmt.Errorf("tree of the vector: %w", err)
	}
	w.ready = true
	return nil
}

// compare compares the tree in an answer with the expected one. The error is a
// [tree.Invalid] if the answer does not match the model.
func (w *expectedTree) compare(t *codec.Type, text string, got tree.Node) (*tree.Difference, error) {
	written, err := w.parse(text)
	if err != nil {
		return nil, err
	}
	if w.view == nil && tree.Equal(*written, got) { // usual, and needs no conversion
		return nil, nil
	}
	if err := w.prepare(t, text); err != nil {
		return nil, err
	}
	if w.view == nil && tree.Equal(w.tree, got) { // the vector omits what is null
		return nil, nil
	}
	n, _, err := w.view.Project(t, got)
	if err != nil {
		return nil, err
	}
	return tree.Compare(w.tree, n), nil
}

// A Want is the expected answer to one operation. Exactly one of Tree, Bytes and
// Reject is set.
type Want struct {
	Tree string // of decode, in JSON as in the vector
	// Other demands any other value than Tree, or a rejection.
	Other  bool
	Bytes  []byte // of encode and roundtrip
	Reject bool
	Class  string // of the rejection: several separated by "|"; empty if each is valid
	// From and To are the first and the last valid offset of a rejection. From is
	// -1 if each offset is valid.
	From, To int
}

// WantOf returns the answer that a verdict on an input demands.
func WantOf(e *corpus.Expectation, input []byte, op adapter.Op) Want {
	switch {
	case e.Outcome == corpus.Reject && op == adapter.OpDecode:
		return Want{Reject: true, Class: e.Class, From: e.From, To: e.To}
	case e.Outcome == corpus.Reject:
		return Want{Reject: true, Class: e.Class, From: -1}
	case op == adapter.OpDecode:
		return Want{Tree: e.Tree, Other: e.Outcome == otherValue}
	case e.CanonicalClass != "":
		return Want{Reject: true, Class: e.CanonicalClass, From: -1}
	case e.Outcome == corpus.Accept:
		return Want{Bytes: input}
	}
	return Want{Bytes: e.Canonical}
}

// Acceptable returns why acceptance is no failure where a rejection is expected: a limit is
// one of a reader, not of the format, and what is unsupported is valid. It is empty if
// acceptance is a failure.
func (w *Want) Acceptable() Reason {
	for _, r := range []Reason{Limit, Unsupported} {
		if w.Reject && w.Class != "" && corpus.Admits(w.Class, string(r)) {
			return r
		}
	}
	return ""
}

// check compares an answer with a verdict. The outcome has a status, the class, the
// first difference, and the message if there is no answer to compare.
func check(c *Case, t *codec.Type, e *corpus.Expectation, op adapter.Op, a adapter.Response, w *expectedTree) Outcome {
	want := WantOf(e, c.Input(), op)
	out := Outcome{Op: op, Status: Fail, Message: message(a)}
	malformed := func(text string) Outcome {
		out.Class, out.Message = Errored, text
		return out
	}
	switch {
	case a.Error != nil:
		out.Class = Errored
	case a.Reject == nil && a.OK == nil:
		return malformed("the answer has neither ok nor reject")
	case a.Reject == nil && op == adapter.OpDecode && a.OK.Tree == nil:
		return malformed("the answer has no tree")
	case a.Reject == nil && op != adapter.OpDecode && a.OK.Hex == nil:
		return malformed("the answer has no hex")
	case want.Reject && a.Reject == nil:
		out.Class = Accepted
	case want.Reject:
		out.Class = want.rejectedWith(a.Reject)
	case want.Other && a.Reject != nil:
	case a.Reject != nil:
		out.Class = Rejected
	case op != adapter.OpDecode:
		b, err := hex.DecodeString(*a.OK.Hex)
		if err != nil {
			return malformed(err.Error()) // it contains one character of the answer
		}
		if out.Difference = diffBytes(want.Bytes, b); out.Difference != nil {
			out.Class = WrongBytes
		}
	default:
		d, err := w.compare(t, e.Tree, *a.OK.Tree)
		switch invalid, ok := errors.AsType[*tree.Invalid](err); {
		case ok && w.ready:
			out.Class, out.Difference, out.Message = WrongTree, &tree.Difference{Path: invalid.Path()},
				shorten.Text(invalid.Text, maxText)
		case err != nil:
			return malformed(shorten.Text(err.Error(), maxText))
		case want.Other && d == nil:
			out.Class = Accepted
		case want.Other:
		case d != nil:
			out.Class, out.Difference = WrongTree, d
		case a.OK.Consumed != nil && *a.OK.Consumed != len(c.Input()):
			out.Class, out.Difference = WrongTree, &tree.Difference{
				Path: consumed, Want: sizeText(len(c.Input())),
				Got: sizeText(*a.OK.Consumed),
			}
		}
	}
	if out.Class == "" {
		return Outcome{Op: op, Status: Pass}
	}
	return out
}

// rejectedWith returns the class of an outcome if a rejection is expected.
func (w *Want) rejectedWith(r *adapter.Reject) Class {
	switch at := r.Offset; {
	case r.Class != "" && !corpus.Admits(w.Class, r.Class):
		return WrongClass
	case at != nil && w.From >= 0 && (*at < w.From || *at > w.To):
		return WrongOffset
	}
	return ""
}

// consumed is the path of a difference in the number of bytes that were read.
const consumed = "consumed"

func sizeText(n int) string { return fmt.Sprintf("%d bytes", n) }

func diffBytes(want, got []byte) *tree.Difference {
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			return &tree.Difference{
				Path: fmt.Sprintf("byte %d", i), Want: fmt.Sprintf("%02x", want[i]),
				Got: fmt.Sprintf("%02x", got[i]),
			}
		}
	}
	if len(want) != len(got) {
		return &tree.Difference{Path: "length", Want: sizeText(len(want)), Got: sizeText(len(got))}
	}
	return nil
}
