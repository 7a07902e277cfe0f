package judge

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// compare compares the tree in an answer with the expected one.
func (w *expectedTree) compare(t *codec.Type, text string, got tree.Node) (*tree.Difference, Class, error) {
	if err := w.prepare(t, text); err != nil {
		return nil, Errored, err
	}
	if w.view == nil && tree.Equal(w.tree, got) { // usual, and a tree that is equal needs no conversion
		return nil, "", nil
	}
	n, _, err := w.view.Project(t, got)
	if err != nil {
		return nil, WrongTree, errors.New("the tree in the answer does not match the model: " + shorten.Text(err.Error(), maxText))
	}
	return tree.Compare(w.tree, n), "", nil
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

// Wider reports whether an implementation that accepts does more than is
// demanded: a limit is one of a reader, not of the format, and what is unsupported
// is valid.
func (w *Want) Wider() bool {
	return w.Reject && w.Class != "" && (corpus.Admits(w.Class, "limit") || corpus.Admits(w.Class, "unsupported"))
}

// check compares an answer with a verdict. The class is empty if they agree.
func check(c *Case, t *codec.Type, e *corpus.Expectation, op adapter.Op, a adapter.Response, w *expectedTree) (Class, string) {
	if a.Error != nil {
		return Errored, "the adapter answered error: " + shorten.Text(a.Error.Message, maxText)
	}
	want := WantOf(e, c.Input, op)
	switch {
	case want.Other:
		return checkOtherValue(t, e, a, w)
	case want.Reject:
		return checkReject(&want, a)
	case a.Reject != nil:
		return Refused, withMessage("rejected as "+a.Reject.Class+", expected acceptance", a.Reject)
	case a.OK == nil:
		return Errored, "the answer has neither ok nor reject"
	case op == adapter.OpDecode:
		return checkTree(c, t, e, a.OK, w)
	case a.OK.Hex == nil:
		return Errored, "the answer has no hex"
	}
	b, err := hex.DecodeString(*a.OK.Hex)
	if err != nil {
		return Errored, err.Error() // it contains one character of the answer
	}
	if d := diffBytes(want.Bytes, b); d != "" {
		return WrongBytes, d
	}
	return "", ""
}

// isAnswer reports whether the class is that of a valid answer: such a case can
// be Differs.
func (c Class) isAnswer() bool {
	return slices.Contains([]Class{Accepted, Refused, WrongClass, WrongOffset, WrongTree, WrongBytes}, c)
}

// isWider reports whether the answer accepts where the verdict is [Want.Wider].
func isWider(c *Case, op adapter.Op, a adapter.Response) bool {
	want := WantOf(c.Expect, c.Input, op)
	return want.Wider() && a.OK != nil && (a.OK.Tree != nil || op != adapter.OpDecode && a.OK.Hex != nil)
}

func withMessage(text string, r *adapter.Reject) string {
	if r.Message == "" {
		return text
	}
	return text + ": " + shorten.Text(r.Message, maxText)
}

func checkReject(want *Want, a adapter.Response) (Class, string) {
	r := a.Reject
	switch {
	case r == nil && a.OK == nil:
		return Errored, "the answer has neither ok nor reject"
	case r == nil:
		return Accepted, "accepted, expected a rejection"
	case r.Class != "" && !corpus.Admits(want.Class, r.Class):
		return WrongClass, withMessage("rejected as "+r.Class+", expected "+strings.ReplaceAll(want.Class, "|", " or "), r)
	}
	if at := r.Offset; at != nil && want.From >= 0 && (*at < want.From || *at > want.To) {
		e := corpus.Expectation{Outcome: corpus.Reject, Class: want.Class, From: want.From, To: want.To}
		return WrongOffset, fmt.Sprintf("rejected at byte %d, expected %s", *at, e.Short())
	}
	return "", ""
}

// checkOtherValue accepts a rejection and every value other than the given one.
func checkOtherValue(t *codec.Type, e *corpus.Expectation, a adapter.Response, w *expectedTree) (Class, string) {
	switch {
	case a.Reject != nil:
		return "", ""
	case a.OK == nil || a.OK.Tree == nil:
		return Errored, "the answer has no tree"
	}
	switch d, class, err := w.compare(t, e.Tree, *a.OK.Tree); {
	case err != nil:
		return class, err.Error()
	case d == nil:
		return Accepted, "accepted as the value of the vector, expected another value or a rejection"
	}
	return "", ""
}

func checkTree(c *Case, t *codec.Type, e *corpus.Expectation, ok *adapter.OK, w *expectedTree) (Class, string) {
	if ok.Tree == nil {
		return Errored, "the answer has no tree"
	}
	switch d, class, err := w.compare(t, e.Tree, *ok.Tree); {
	case err != nil:
		return class, err.Error()
	case d != nil:
		return WrongTree, d.String()
	}
	if ok.Consumed != nil && *ok.Consumed != len(c.Input) {
		return WrongTree, fmt.Sprintf("consumed: expected %d bytes, got %d", len(c.Input), *ok.Consumed)
	}
	return "", ""
}

func diffBytes(want, got []byte) string {
	n := min(len(want), len(got))
	for i := range n {
		if want[i] != got[i] {
			return fmt.Sprintf("byte %d: expected %02x, got %02x", i, want[i], got[i])
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf("expected %d bytes, got %d", len(want), len(got))
	}
	return ""
}

const shownBytes = 64

func shortHex(b []byte) string {
	if len(b) > shownBytes {
		return fmt.Sprintf("% x ... (%d bytes)", b[:shownBytes], len(b))
	}
	return fmt.Sprintf("% x", b)
}

// expectedText describes the expected answer to an operation.
func expectedText(c *Case, op adapter.Op) string {
	e := c.Expect
	switch {
	case e.Outcome == otherValue:
		return "reject, or any value other than " + shorten.Text(e.Tree, longAnswer)
	case e.Outcome == corpus.Reject && e.Class == "":
		return "reject"
	case e.Outcome == corpus.Reject:
		return e.Short()
	case op == adapter.OpDecode:
		return e.Tree
	case e.CanonicalClass != "":
		return "reject " + e.CanonicalClass
	case e.Outcome == corpus.Accept:
		return shortHex(c.Input)
	}
	return shortHex(e.Canonical)
}

const (
	// An answer of more than longAnswer bytes is shortened to about maxAnswer bytes,
	// and a text in it to maxText bytes, before it becomes part of a result: the
	// results of an implementation with long answers must fit into memory.
	longAnswer = 2 << 10
	maxAnswer  = 1 << 10
	maxText    = 1 << 8
)

// answerText describes an answer in short form. path is the first difference of
// its tree.
func answerText(a adapter.Response, path string) string {
	switch {
	case a.Reject != nil && a.Reject.Offset != nil:
		return fmt.Sprintf("reject %s @%d", a.Reject.Class, *a.Reject.Offset)
	case a.Reject != nil:
		return "reject " + a.Reject.Class
	case a.OK != nil && a.OK.Tree != nil:
		room := maxAnswer
		if path == "" {
			room /= 2 // for its start
		}
		return shorten.Tree(*a.OK.Tree, path, longAnswer, room)
	case a.OK != nil && a.OK.Hex != nil:
		b, err := hex.DecodeString(*a.OK.Hex)
		switch {
		case err != nil:
			return shorten.Text(*a.OK.Hex, maxText)
		case len(b) > longAnswer:
			return fmt.Sprintf("% x", b[:shownBytes]) + shorten.Digest(b)
		}
		return shortHex(b)
	case a.Error != nil:
		if len(a.Error.Message) > maxText { // the detail contains more of it
			return "error: " + shorten.Text(a.Error.Message, maxText/4)
		}
		return "error: " + a.Error.Message
	case a.Skip != nil:
		return "skip: " + shorten.Text(a.Skip.Reason, maxText)
	}
	return "an empty answer"
}
