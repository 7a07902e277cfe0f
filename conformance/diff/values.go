package diff

import (
	"encoding/hex"
	"maps"
	"slices"
	"strconv"

	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/draw"
	"github.com/formatgauge/formatgauge/internal/mutate"
)

// maxTree limits the length in bytes of the JSON of values to encode.
const maxTree = 1 << 14

// valueInput returns a value to encode: a random one, or one that the reference
// decodes, or a modification that may have no encoding.
func (g *generator) valueInput() (Input, bool) {
	in := g.input(nil, draw.UsualContext(g.t))
	var n tree.Node
	var err error
	switch {
	case len(g.pool) > 0 && g.oneIn(2):
		s := g.pick()
		in.Context = s.Context
		c := g.codec(in.Context)
		if c == nil {
			return in, false
		}
		v, rejected := c.Decode(s.Bytes)
		if rejected != nil {
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
	if g.oneIn(4) {
		context := maps.Clone(in.Context)
		if maps.Copy(context, g.anyContext()); g.codec(context) != nil {
			in.Context = g.input(nil, context).Context
		}
	}
	if !g.oneIn(4) {
		changed := g.changer.ChangeNode(n)
		for g.oneIn(3) {
			changed = g.changer.ChangeNode(changed)
		}
		if fits, err := tree.Normalize(g.t, changed); err == nil {
			n = fits
		}
	}
	in.Tree = &n
	return in, len(n.String()) <= maxTree
}

// simplerTrees lists trees with one part removed or simplified, the shortest
// first. All match the model, and only nullable parts are null.
func simplerTrees(in Input, absent map[string]bool) []Input {
	var out []Input
	size := len(in.Tree.String())
	offer := func(at int, change func(tree.Node) tree.Node) {
		n, err := tree.Normalize(in.Type, mutate.ReplaceNode(*in.Tree, at, change))
		if err != nil {
			return
		}
		if text := n.String(); len(text) < size || len(text) == size && text < in.Tree.String() {
			out = append(out, Input{Type: in.Type, Context: in.Context, Tree: &n})
		}
	}
	for here, n := range mutate.Nodes(*in.Tree) {
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
		for _, inner := range variantsIn(*n.Node) {
			offer(here, func(tree.Node) tree.Node { return inner })
		}
		if n.Kind != tree.Null && absent[n.Shape] {
			offer(here, func(tree.Node) tree.Node { return tree.Node{} })
		}
	}
	slices.SortStableFunc(out, func(a, b Input) int { return a.size() - b.size() })
	return out
}

// variantsIn lists the values inside a value that can replace it: those that
// can also have several types.
func variantsIn(n tree.Node) []tree.Node {
	if !isVariant(n) {
		return nil
	}
	const most = 16
	var out []tree.Node
	for _, inner := range mutate.Nodes(n)[1:] {
		if isVariant(*inner.Node) && len(out) < most {
			out = append(out, *inner.Node)
		}
	}
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
			sameSign := (less < 0) == (v < 0)
			if sameSign && max(less, -less) < max(v, -v) {
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
