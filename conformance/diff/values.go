package diff

import (
	"encoding/hex"
	"maps"
	"slices"
	"strconv"

	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/draw"
)

// maxTree limits the length in bytes of the JSON of values to encode.
const maxTree = 1 << 14

// valueInput returns a value to encode: a random one, or one that the reference decodes,
// or a modification that may have no encoding.
func (g *generator) valueInput() (Input, bool) {
	in := g.input(nil, draw.UsualContext(g.t))
	var n tree.Node
	var err error
	switch {
	case len(g.pool) > 0 && g.oneIn(2):
		s := g.pick()
		in.Context = s.in.Context
		c := g.codec(in.Context)
		if c == nil {
			return in, false
		}
		v, refused := c.Decode(s.in.Bytes)
		if refused != nil {
			return in, false
		}
		n, err = tree.FromModel(v)
	case len(g.trees) > 0 && g.oneIn(2):
		n = g.trees[g.rng.IntN(len(g.trees))]
	default:
		n, err = tree.FromModel(g.values.Next())
	}
	if err != nil {
		return in, false
	}
	for _, p := range nodesOf(n) {
		if p.kind == tree.Null {
			g.nullable[p.shape] = true
		}
	}
	if g.oneIn(4) {
		context := maps.Clone(in.Context)
		if maps.Copy(context, g.anyContext()); g.codec(context) != nil {
			in.Context = g.input(nil, context).Context
		}
	}
	if !g.oneIn(4) {
		changed := g.changeNode(n)
		for g.oneIn(3) {
			changed = g.changeNode(changed)
		}
		if fits, err := tree.Normalize(g.t, changed); err == nil {
			n = fits
		}
	}
	in.Tree = &n
	return in, len(n.String()) <= maxTree
}

// A node is a part of a tree.
type node struct {
	shape string // path without indices
	kind  tree.Kind
}

// nodesOf lists the parts of a tree, starting with the root.
func nodesOf(n tree.Node) []node {
	var out []node
	var walk func(tree.Node, string)
	walk = func(n tree.Node, shape string) {
		out = append(out, node{shape, n.Kind})
		for i, item := range n.Items {
			if n.Kind == tree.Object {
				walk(item, shape+"."+n.Names[i])
			} else {
				walk(item, shape+"[]")
			}
		}
	}
	walk(n, "")
	return out
}

func countNodes(n tree.Node) int { return len(nodesOf(n)) }

// replaceNode returns the tree with one part replaced. at is the index of the part in
// nodesOf.
func replaceNode(n tree.Node, at int, change func(tree.Node) tree.Node) tree.Node {
	if at == 0 {
		return change(n)
	}
	at--
	n.Items = slices.Clone(n.Items)
	for i, item := range n.Items {
		if size := countNodes(item); at >= size {
			at -= size
			continue
		}
		n.Items[i] = replaceNode(item, at, change)
		break
	}
	return n
}

var oddTexts = []string{
	"", "0", "1", "2", "-1", "63", "64", "127", "128", "255", "256", "32767", "65535", "65536", "2147483647", "-2147483648", "2147483648",
	"4294967295", "-2147483649", "34359738368", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
	"-0", "inf", "-inf", "nan", "nan:7f800001", "0.5", "1e38", "00", "a\x00b", "\u00e9", "\U0001d11e", "None",
}

// changeNode modifies one part of a tree. The result may not match the model. A part
// becomes null only if its shape has been null before: elsewhere null is not a value of
// the type, and implementations may handle it in any way.
func (g *generator) changeNode(n tree.Node) tree.Node {
	all := nodesOf(n)
	at := g.rng.IntN(len(all))
	return replaceNode(n, at, func(n tree.Node) tree.Node {
		if g.nullable[all[at].shape] && g.oneIn(2) {
			return tree.Node{}
		}
		switch n.Kind {
		case tree.Bool:
			n.Text = strconv.FormatBool(n.Text != "true")
		case tree.Text:
			v, err := strconv.ParseInt(n.Text, 10, 64)
			switch {
			case err == nil && g.oneIn(2):
				n.Text = strconv.FormatInt(v+int64(1-2*g.rng.IntN(2)), 10)
			case err == nil && g.oneIn(4):
				n.Text = strconv.FormatInt(-v, 10)
			case err != nil && g.oneIn(4):
				n.Text += n.Text
			case err != nil && g.oneIn(4):
				n.Text = n.Text[:len(n.Text)/2]
			default:
				n.Text = oddTexts[g.rng.IntN(len(oddTexts))]
			}
		case tree.List:
			n.Items = slices.Clone(n.Items)
			switch k := len(n.Items); {
			case k == 0:
			case g.oneIn(2):
				i := g.rng.IntN(k)
				n.Items = slices.Delete(n.Items, i, i+1)
			default:
				i := g.rng.IntN(k)
				n.Items = slices.Insert(n.Items, g.rng.IntN(k), n.Items[i])
			}
		case tree.Null:
			texts := []tree.Node{{Kind: tree.Text, Text: "0"}, {Kind: tree.List}}
			return texts[g.rng.IntN(len(texts))]
		}
		return n
	})
}

// simplerTrees lists trees with one part removed or simplified, the shortest first. All
// match the model, and only nullable parts are null.
func simplerTrees(in Input, absent map[string]bool) []Input {
	var out []Input
	size := len(in.Tree.String())
	offer := func(at int, change func(tree.Node) tree.Node) {
		n, err := tree.Normalize(in.Type, replaceNode(*in.Tree, at, change))
		if err != nil {
			return
		}
		if text := n.String(); len(text) < size || len(text) == size && text < in.Tree.String() {
			out = append(out, Input{Type: in.Type, Context: in.Context, Tree: &n})
		}
	}
	at := 0
	all := nodesOf(*in.Tree)
	var walk func(tree.Node)
	walk = func(n tree.Node) {
		here := at
		at++
		switch n.Kind {
		case tree.List:
			for size := len(n.Items); size > 0; size /= 2 {
				for from := 0; from+size <= len(n.Items); from += size {
					offer(here, func(n tree.Node) tree.Node {
						n.Items = slices.Delete(slices.Clone(n.Items), from, from+size)
						return n
					})
				}
			}
		case tree.Text:
			for _, text := range simplerTexts(n.Text) {
				offer(here, func(tree.Node) tree.Node { return tree.Node{Kind: tree.Text, Text: text} })
			}
		case tree.Bool:
			offer(here, func(tree.Node) tree.Node { return tree.Node{Kind: tree.Bool, Text: "false"} })
		}
		for _, inner := range variantsIn(n) {
			offer(here, func(tree.Node) tree.Node { return inner })
		}
		if n.Kind != tree.Null && absent[all[here].shape] {
			offer(here, func(tree.Node) tree.Node { return tree.Node{} })
		}
		for _, item := range n.Items {
			walk(item)
		}
	}
	walk(*in.Tree)
	slices.SortStableFunc(out, func(a, b Input) int { return a.size() - b.size() })
	return out
}

// variantsIn lists the values inside a value that can replace it: those that can also
// have several types.
func variantsIn(n tree.Node) []tree.Node {
	if !isVariant(n) {
		return nil
	}
	const most = 16
	var out []tree.Node
	var walk func(tree.Node)
	walk = func(n tree.Node) {
		for _, item := range n.Items {
			if isVariant(item) && len(out) < most {
				out = append(out, item)
			}
			walk(item)
		}
	}
	walk(n)
	return out
}

// simplerTexts lists simpler texts.
func simplerTexts(text string) []string {
	out := []string{"", "0", "1"}
	if b, err := hex.DecodeString(text); err == nil && len(b) > 0 {
		out = append(out, text[:len(b)/2*2], text[2:], hex.EncodeToString(make([]byte, len(b))))
	}
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		for _, less := range []int64{v / 2, v - 1, v + 1} {
			if less < 0 == (v < 0) && max(less, -less) < max(v, -v) {
				out = append(out, strconv.FormatInt(less, 10))
			}
		}
		return out
	}
	if r := []rune(text); len(r) > 1 {
		out = append(out, string(r[:len(r)/2]), string(r[1:]), string(r[:len(r)-1]))
	}
	return out
}
