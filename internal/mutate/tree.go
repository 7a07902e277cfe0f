package mutate

import (
	"slices"
	"strconv"

	"github.com/formatgauge/formatgauge/conformance/tree"
)

// A Node is a part of a tree.
type Node struct {
	*tree.Node
	Shape string // path without indices
}

// Nodes lists the parts of a tree, starting with the root.
func Nodes(n tree.Node) []Node { return appendNodes(nil, &n, "") }

func appendNodes(out []Node, n *tree.Node, shape string) []Node {
	out = append(out, Node{n, shape})
	for i := range n.Items {
		step := "[]"
		if n.Kind == tree.Object {
			step = "." + n.Names[i]
		}
		out = appendNodes(out, &n.Items[i], shape+step)
	}
	return out
}

func clone(n tree.Node) tree.Node {
	n.Items = slices.Clone(n.Items)
	for i := range n.Items {
		n.Items[i] = clone(n.Items[i])
	}
	return n
}

// ReplaceNode returns the tree with one part replaced. at is the index of the
// part in [Nodes].
func ReplaceNode(n tree.Node, at int, change func(tree.Node) tree.Node) tree.Node {
	all := Nodes(clone(n))
	*all[at].Node = change(*all[at].Node)
	return *all[0].Node
}

var oddTexts = []string{
	"", "0", "1", "2", "-1", "63", "64", "127", "128", "255", "256", "32767", "65535", "65536",
	"2147483647", "-2147483648", "2147483648", "4294967295", "-2147483649",
	"34359738368", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
	"-0", "inf", "-inf", "nan", "nan:7f800001", "0.5", "1e38", "00", "a\x00b", "\u00e9", "\U0001d11e", "None",
}

// ChangeNode modifies one part of a tree. The result may not match the model. A
// part becomes null only if its shape has been null before: elsewhere null is
// not a value of the type, and implementations may handle it in any way.
func (c *Changer) ChangeNode(n tree.Node) tree.Node {
	all := Nodes(n)
	for _, p := range all {
		if p.Kind == tree.Null {
			c.Nullable[p.Shape] = true
		}
	}
	at := c.Rand.IntN(len(all))
	return ReplaceNode(n, at, func(n tree.Node) tree.Node {
		if c.Nullable[all[at].Shape] && c.oneIn(2) {
			return tree.Node{}
		}
		switch n.Kind {
		case tree.Bool:
			n.Text = strconv.FormatBool(n.Text != "true")
		case tree.Text:
			v, err := strconv.ParseInt(n.Text, 10, 64)
			switch {
			case err == nil && c.oneIn(2):
				n.Text = strconv.FormatInt(v+int64(1-2*c.Rand.IntN(2)), 10)
			case err == nil && c.oneIn(4):
				n.Text = strconv.FormatInt(-v, 10)
			case err != nil && c.oneIn(4):
				n.Text += n.Text
			case err != nil && c.oneIn(4):
				n.Text = n.Text[:len(n.Text)/2]
			default:
				n.Text = oddTexts[c.Rand.IntN(len(oddTexts))]
			}
		case tree.List:
			n.Items = slices.Clone(n.Items)
			switch k := len(n.Items); {
			case k == 0:
			case c.oneIn(2):
				i := c.Rand.IntN(k)
				n.Items = slices.Delete(n.Items, i, i+1)
			default:
				i := c.Rand.IntN(k)
				n.Items = slices.Insert(n.Items, c.Rand.IntN(k), n.Items[i])
			}
		case tree.Null:
			texts := []tree.Node{{Kind: tree.Text, Text: "0"}, {Kind: tree.List}}
			return texts[c.Rand.IntN(len(texts))]
		}
		return n
	})
}
