package schema

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/spec"
)

// A View holds the projections of some views. A nil View has none.
type View struct {
	dropped map[string]string     // the view that drops a field
	ended   map[string]bool       // the dropped ones after which nothing is read
	mapped  map[string]projection // of a list
	folded  map[string]bool       // texts
	nan     bool
}

type projection struct {
	view   string
	by     []string
	unique bool // one element per key remains
}

// NewView returns the projections of views; nil if the list is empty.
func NewView(views []string) (*View, error) {
	if len(views) == 0 {
		return nil, nil
	}
	if err := spec.CheckViews(views); err != nil {
		return nil, err
	}
	out := &View{dropped: map[string]string{}, ended: map[string]bool{}, mapped: map[string]projection{}, folded: map[string]bool{}}
	for _, id := range views {
		v, _ := spec.FindView(id) // see CheckViews
		for _, line := range v.Projections {
			p, err := spec.ParseProjection(line)
			if err != nil {
				return nil, err
			}
			switch p.Kind {
			case spec.Drop, spec.End:
				out.dropped[p.Field] = id
				out.ended[p.Field] = out.ended[p.Field] || p.Kind == spec.End
			case spec.Map:
				out.mapped[p.Field] = projection{id, p.By, true}
			case spec.Sort:
				if _, ok := out.mapped[p.Field]; !ok {
					out.mapped[p.Field] = projection{id, p.By, false}
				}
			case spec.Fold:
				out.folded[p.Field] = true
			case spec.NaN:
				out.nan = true
			}
		}
	}
	return out, nil
}

// Project returns a tree of a type in the normal form of [tree.Normalize], with the
// projections applied. whole reports whether the
// tree contains nothing that a projection removes: no value in a dropped field,
// at most one element in a mapped list, no letter with a case in a folded text, no NaN if
// their bits are not kept.
//
// What a dropped field contains need not match the model, and the field can be
// omitted.
func (v *View) Project(t *codec.Type, n tree.Node) (projected tree.Node, whole bool, err error) {
	return v.project(t, n, false)
}

// Expected is [View.Project] for an expected tree: a NaN without bits remains one,
// since it matches any NaN.
func (v *View) Expected(t *codec.Type, n tree.Node) (tree.Node, error) {
	projected, _, err := v.project(t, n, true)
	return projected, err
}

func (v *View) project(t *codec.Type, n tree.Node, keepNaN bool) (projected tree.Node, whole bool, err error) {
	raw, whole := n, true
	if v != nil && len(v.dropped) > 0 {
		raw = v.drop(tree.Whole(t, &n), &whole)
	}
	projected, err = tree.Normalize(t, raw)
	if err != nil {
		return n, false, err
	}
	if keepNaN {
		keepAnyNaN(raw, &projected)
	}
	if v != nil && (v.nan || len(v.mapped)+len(v.folded) > 0) {
		projected = v.reorder(tree.Whole(t, &projected), &whole)
	}
	return projected, whole, nil
}

// keepAnyNaN puts the NaNs without bits that a tree has into its normal form n.
func keepAnyNaN(raw tree.Node, n *tree.Node) {
	if raw.Text == tree.NaN && strings.HasPrefix(n.Text, tree.NaNBits) {
		n.Text = tree.NaN
	}
	for i := range n.Items {
		if n.Kind == tree.Object { // the tree can lack a field
			keepAnyNaN(raw.Field(n.Names[i]), &n.Items[i])
		} else {
			keepAnyNaN(raw.Items[i], &n.Items[i])
		}
	}
}

// each returns the tree of a part with change applied to its items. A field that is
// omitted is null. A part that does not match the model is unchanged.
func each(p tree.Part, change func(tree.Part) tree.Node) tree.Node {
	n := *p.Node
	n.Items = slices.Clone(n.Items)
	for i := range p.Len() {
		item := p.Item(i)
		k, changed := i, change(item)
		switch p.Kind {
		case tree.OneOfForm:
			k = n.Index("value")
		case tree.ObjectForm:
			if k = n.Index(item.Name); k < 0 && changed.Kind != tree.Null {
				n.Names, n.Items = append(slices.Clone(n.Names), item.Name), append(n.Items, changed)
			}
		}
		if k >= 0 {
			n.Items[k] = changed
		}
	}
	return n
}

// drop sets dropped fields to the zero value of the model. whole becomes false if
// one had a value.
func (v *View) drop(p tree.Part, whole *bool) tree.Node {
	if _, ok := v.dropped[p.Field]; ok {
		if zero, err := p.Zero(); err == nil { // else an enumeration without zero: a test finds it
			*whole = *whole && p.Node.Kind == tree.Null
			return zero
		}
	}
	return each(p, func(item tree.Part) tree.Node { return v.drop(item, whole) })
}

// reorder sorts the elements of mapped lists by their keys, keeps the last one of
// each key where keys are unique, folds texts, and removes the bits of NaNs if they
// are not kept.
func (v *View) reorder(p tree.Part, whole *bool) tree.Node {
	out := each(p, func(item tree.Part) tree.Node { return v.reorder(item, whole) })
	if v.nan && p.Kind == tree.FloatForm && strings.HasPrefix(out.Text, tree.NaN) {
		*whole, out.Text = false, tree.NaN
	}
	if p, ok := v.mapped[p.Field]; ok {
		*whole = *whole && len(out.Items) <= 1
		out.Items = p.apply(out.Items)
	}
	if v.folded[p.Field] {
		out = fold(out, whole)
	}
	return out
}

// fold returns a text in lower case. Of text that is not UTF-8 only ASCII letters have
// a case.
func fold(n tree.Node, whole *bool) tree.Node {
	text, err := tree.TextOf(n)
	if err != nil {
		return n
	}
	upper, lower := bytes.ToUpper, bytes.ToLower
	if !utf8.ValidString(text) {
		upper, lower = ascii('a', 'A'), ascii('A', 'a')
	}
	big := upper([]byte(text))
	small := string(lower(big)) // two letters can have one upper case
	*whole = *whole && string(big) == small
	return tree.FromText(small)
}

// ascii returns the function that replaces 26 letters by others.
func ascii(from, to byte) func([]byte) []byte {
	return func(text []byte) []byte {
		out := bytes.Clone(text)
		for i, c := range out {
			if from <= c && c < from+26 {
				out[i] = c - from + to
			}
		}
		return out
	}
}

// apply returns the elements in the order of the keys: of each key the last one,
// or all in their order.
func (p projection) apply(items []tree.Node) []tree.Node {
	key := func(n tree.Node) string {
		for _, name := range p.by {
			n = n.Field(name)
		}
		text, err := tree.TextOf(n)
		if err != nil {
			return n.String()
		}
		return text
	}
	out := slices.Clone(items)
	if p.unique {
		slices.Reverse(out)
	}
	slices.SortStableFunc(out, func(a, b tree.Node) int { return cmp.Compare(key(a), key(b)) })
	if !p.unique {
		return out
	}
	return slices.CompactFunc(out, func(a, b tree.Node) bool { return key(a) == key(b) })
}

// Loses returns the view that loses a part of a type: the part, or one that
// contains it, is dropped; or it is a list that is mapped, not one of its
// elements; or the path is that of a value whose end the view does not know. The path is that of an error of the reference. The result is empty if
// no view loses the part.
func (v *View) Loses(t *codec.Type, path string) string {
	if v == nil {
		return ""
	}
	return v.loses(tree.Whole(t, nil), tree.Steps(path))
}

func (v *View) loses(p tree.Part, steps []string) string {
	if view := v.dropped[p.Field]; view != "" {
		return view
	}
	if len(steps) == 0 {
		for _, f := range p.Parts {
			if p.Kind == tree.ObjectForm && v.ended[f.Field] {
				return v.dropped[f.Field]
			}
		}
		return v.mapped[p.Field].view
	}
	for i := range p.Len() {
		item, rest := p.Item(i), steps[1:]
		switch {
		case p.Kind == tree.OneOfForm: // paths do not name the variant
			rest = steps
		case p.Kind == tree.ObjectForm && item.Name != steps[0], p.Kind == tree.ListForm && steps[0][0] != '[':
			continue
		}
		if view := v.loses(item, rest); view != "" {
			return view
		}
	}
	return ""
}
