package diff

import (
	"encoding/hex"
	"maps"
	"slices"
	"strconv"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/mutate"
)

// maxTree limits the length in bytes of the JSON of values to encode.
const maxTree = 1 << 14

// valueInput returns a value to encode: a random one, or one that the reference
// decodes, or a modification that may have no encoding.
func (g *generator) valueInput() (Input, bool) {
	in := g.input(nil, g.Context())
	var n tree.Node
	var err error
	switch {
	case len(g.pool) > 0 && g.OneIn(2):
		s := g.pick()
		in.Context = s.Context
		var c codec.Codec
		var v any
		if c, err = g.codec(in.Context); err == nil {
			v, err = c.Decode(s.Bytes)
		}
		if err == nil {
			n, err = tree.FromModel(v)
		}
	case len(g.trees) > 0 && g.OneIn(2):
		n = g.trees[g.Dice.IntN(len(g.trees))]
	default:
		v, context := g.Next()
		n, err = tree.FromModel(v)
		in = g.input(nil, context)
	}
	if err != nil {
		return in, false
	}
	if g.OneIn(4) {
		context := maps.Clone(in.Context)
		maps.Copy(context, g.anyContext())
		if _, err := g.codec(context); err == nil {
			in.Context = g.input(nil, context).Context
		}
	}
	if !g.OneIn(4) {
		changed := g.Change(n)
		for g.OneIn(3) {
			changed = g.Change(changed)
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
func simplerTrees(in Input) (out []Input) {
	whole, values := in.Tree.String(), mutate.ValuesOf(in.Type, nil)
	sizes := map[*tree.Node]int{} // to write a tree takes long
	offer := func(n tree.Node) {
		n, err := tree.Normalize(in.Type, n)
		if text := n.String(); err == nil && (len(text) < len(whole) || len(text) == len(whole) && text < whole) {
			out = append(out, Input{Type: in.Type, Context: in.Context, Tree: &n})
			sizes[&n] = len(text)
		}
	}
	simplerParts(*in.Tree, in.Type.Name, values, offer)
	slices.SortStableFunc(out, func(a, b Input) int { return sizes[a.Tree] - sizes[b.Tree] })
	return out
}

// simplerParts offers what can replace a part that is at a place.
func simplerParts(n tree.Node, place string, values *mutate.Values, offer func(tree.Node)) {
	without := func(from, to int, with ...tree.Node) {
		less := n
		less.Items = slices.Replace(slices.Clone(n.Items), from, to, with...)
		offer(less)
	}
	switch n.Kind {
	case tree.List:
		for size := len(n.Items); size > 0; size /= 2 {
			for from := 0; from+size <= len(n.Items); from += size {
				without(from, from+size)
			}
		}
	case tree.Text:
		for _, text := range simplerTexts(n.Text) {
			offer(tree.Node{Kind: tree.Text, Text: text})
		}
	case tree.Bool:
		offer(tree.Node{Kind: tree.Bool, Text: "false"})
	}
	if mutate.IsVariant(n) {
		offerVariants(n.Items[1], offer)
	}
	if n.Kind != tree.Null && values.Nullable(place) {
		offer(tree.Node{})
	}
	for i, item := range n.Items {
		simplerParts(item, mutate.PlaceIn(n, place, i), values, func(less tree.Node) { without(i, i+1, less) })
	}
}

// offerVariants offers the first values inside that can have several types.
func offerVariants(n tree.Node, offer func(tree.Node)) {
	if mutate.IsVariant(n) {
		offer(n)
	}
	for _, item := range n.Items[:min(len(n.Items), 16)] {
		offerVariants(item, offer)
	}
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
