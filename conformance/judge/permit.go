package judge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/spec"
)

// permitted reports whether one of the choices that decide an answer permits another
// one than the expected. See [spec.Open].
func (p *pending) permitted(choices []Choice, class Class, a adapter.Response) bool {
	return slices.ContainsFunc(choices, func(c Choice) bool {
		switch class {
		case Rejected, WrongClass, WrongOffset, Accepted:
			return true
		case WrongTree:
			complete := a.OK.Consumed == nil || *a.OK.Consumed == len(p.testCase.Input)
			return complete && p.leavesOpen(c.Open, *a.OK.Tree)
		case WrongBytes:
			return p.isEncoding(c.Open, *a.OK.Hex)
		}
		return false
	})
}

// leavesOpen reports whether a tree differs from that of the vector only in what a
// choice leaves open.
func (p *pending) leavesOpen(open spec.Open, got tree.Node) bool {
	switch open {
	case spec.OpenAcceptance:
		return false
	case spec.OpenValue:
		return true // it need not match the model
	}
	want := &expectedTree{view: p.expected.view}
	written, err := want.parse(p.treeText())
	if err != nil {
		return false
	}
	d, err := want.compare(p.typ, p.treeText(), settled(open, *written, got))
	return d == nil && err == nil
}

// isEncoding reports whether bytes are an encoding of a value that a choice leaves
// open. The reference decodes them: what it rejects is no encoding.
func (p *pending) isEncoding(open spec.Open, text string) bool {
	n := p.decoded(text)
	return n != nil && p.leavesOpen(open, *n)
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

// settled returns got with the leaves of want where a choice leaves their difference
// open.
func settled(open spec.Open, want, got tree.Node) tree.Node {
	if isText(want) && isText(got) {
		a, err1 := tree.TextOf(want)
		b, err2 := tree.TextOf(got)
		if err1 == nil && err2 == nil && (open == spec.OpenSign && isOtherSign(a, b) ||
			open == spec.OpenText && !isASCII(a)) {
			return want
		}
		return got
	}
	return got.EachItem(want, func(got, want tree.Node) tree.Node { return settled(open, want, got) }) // a view has fewer
}

// isText reports whether a node is a text, or an object with the bytes of one that is
// not UTF-8.
func isText(n tree.Node) bool {
	return n.Kind == tree.Text || n.Kind == tree.Object && slices.Equal(n.Names, []string{"hex"})
}

func isASCII(s string) bool { return !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7F }) }

// isOtherSign reports whether two integers have the same 32 bits.
func isOtherSign(a, b string) bool {
	x, err1 := strconv.ParseInt(a, 10, 64)
	y, err2 := strconv.ParseInt(b, 10, 64)
	return err1 == nil && err2 == nil && (x-y == 1<<32 || y-x == 1<<32)
}
