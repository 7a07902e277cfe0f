package judge

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/spec"
)

// permitted reports whether a choice of this reference that decides the case permits
// an answer that is not the expected one. See [spec.Open].
func (p *pending) permitted(class Class, a adapter.Response) bool {
	return slices.ContainsFunc(p.testCase.Choices, func(c Choice) bool {
		switch class {
		case Refused, WrongClass, WrongOffset:
			return true
		case Accepted:
			return len(p.testCase.Expect.Alternatives) == 0 || p.isAlternative(a)
		case WrongTree:
			return p.isAlternative(a) || p.isOpenTree(a, c.Open)
		case WrongBytes:
			return c.Open != spec.OpenAcceptance && p.isEncoding(a, c.Open)
		}
		return false
	})
}

// isAlternative reports whether a tree is an alternative of the vector. Bytes are none.
func (p *pending) isAlternative(a adapter.Response) bool {
	return a.OK.Tree != nil && slices.ContainsFunc(p.testCase.Expect.Alternatives, func(text string) bool {
		d, _, err := (&expectedTree{view: p.expected.view}).compare(p.typ, text, *a.OK.Tree)
		return d == nil && err == nil
	})
}

// isOpenTree reports whether a tree is a value that a choice leaves open. If that is any
// value, the tree need not match the model: a number can have another sign.
func (p *pending) isOpenTree(a adapter.Response, open spec.Open) bool {
	if open == spec.OpenAcceptance || a.OK.Consumed != nil && *a.OK.Consumed != len(p.testCase.Input) {
		return false
	}
	got, _, err := p.expected.view.Project(p.typ, *a.OK.Tree)
	return open == spec.OpenValue || err == nil && tree.Compare(p.expected.tree, withTexts(p.expected.tree, got)) == nil
}

// isEncoding reports whether bytes are a valid encoding of a value that a choice leaves
// open. The reference decodes them: what it rejects is no encoding.
func (p *pending) isEncoding(a adapter.Response, open spec.Open) bool {
	b, err := hex.DecodeString(*a.OK.Hex)
	if err != nil {
		return false
	}
	c, err := p.typ.Bind(wire.Settings{Profile: p.testCase.Profile}, p.testCase.Context)
	if err != nil {
		return false
	}
	v, err := c.Decode(b)
	if err != nil || open == spec.OpenValue {
		return err == nil
	}
	got, err := tree.FromModel(v)
	if err != nil {
		return false
	}
	text := p.testCase.Vector.Tree
	if text == "" {
		text = p.testCase.Expect.Tree
	}
	want := &expectedTree{}
	if err := want.prepare(p.typ, text); err != nil {
		return false
	}
	got, _, err = want.view.Project(p.typ, got)
	return err == nil && tree.Compare(want.tree, withTexts(want.tree, got)) == nil
}

// withTexts returns got with the texts of want that contain bytes above 7F, at the
// places where got has any text. Text that is not UTF-8 is an object with hex.
func withTexts(want, got tree.Node) tree.Node {
	if isText(want) && isText(got) {
		if s, err := tree.TextOf(want); err == nil && strings.ContainsFunc(s, func(r rune) bool { return r > 0x7F }) {
			return want
		}
		return got
	}
	if want.Kind != got.Kind || len(want.Items) != len(got.Items) {
		return got
	}
	got.Items = slices.Clone(got.Items)
	for i := range got.Items {
		got.Items[i] = withTexts(want.Items[i], got.Items[i])
	}
	return got
}

func isText(n tree.Node) bool {
	return n.Kind == tree.Text || n.Kind == tree.Object && slices.Equal(n.Names, []string{"hex"})
}
