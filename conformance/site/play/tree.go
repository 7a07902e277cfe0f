package play

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// row is a node of the tree without its children.
type row struct {
	Name  string
	Kind  string // bool, number, text, bytes, name, null, list, object
	Type  string // the variant, where several are possible
	Text  string // the value, or what identifies an object
	Count int    // of children
}

// content returns what a value of several possible types contains.
func content(p tree.Part) tree.Part {
	if p.Kind == tree.OneOfForm && p.Len() > 0 {
		return p.Item(0)
	}
	return p
}

const (
	shownText  = 160 // characters of a text in a row
	shownBytes = 32
)

var rowKinds = map[tree.FormKind]string{
	tree.BooleanForm: "bool", tree.IntegerForm: "number", tree.FloatForm: "number", tree.TextForm: "text",
	tree.BytesForm: "bytes", tree.NameForm: "name", tree.ListForm: "list", tree.ObjectForm: "object",
}

// rowOf describes a part of a value.
func rowOf(p tree.Part) row {
	in := content(p)
	r := row{Name: p.Name, Kind: rowKinds[in.Kind], Text: in.Node.Text, Count: in.Len()}
	if p.Kind == tree.OneOfForm && p.Len() > 0 {
		r.Type = in.Name
	}
	switch n := len(in.Node.Text) / len("00"); {
	case in.Node.Kind == tree.Null && in.Kind != tree.BytesForm:
		r.Kind = "null"
	case in.Kind == tree.BytesForm && in.Length == 0 && n > shownBytes:
		r.Text = fmt.Sprintf("%s… (%d bytes)", in.Node.Text[:len("00")*shownBytes], n)
	case in.Kind == tree.TextForm, in.Kind == tree.ObjectForm:
		r.Text = summary(in, 2)
	}
	return r
}

func quoted(s string) string {
	if len(s) > shownText {
		return strconv.Quote(strings.ToValidUTF8(s[:shownText], "")) + fmt.Sprintf("… (%d bytes)", len(s))
	}
	return strconv.Quote(s)
}

// summary returns a text, or the first one in an object, which often is its name.
func summary(p tree.Part, depth int) string {
	if text, err := tree.TextOf(*p.Node); p.Kind == tree.TextForm && err == nil {
		return quoted(text)
	}
	for i := 0; i < p.Len() && p.Kind == tree.ObjectForm && depth >= 0; i++ {
		if text := summary(content(p.Item(i)), depth-1); text != "" && text != `""` {
			return text
		}
	}
	return ""
}

// at returns a node and its path.
func (s *Session) at(node []int) (path string, p tree.Part, err error) {
	p = s.root
	for _, i := range node {
		in := content(p)
		if i < 0 || i >= in.Len() {
			return "", p, errors.New("the tree has no such node")
		}
		p = in.Item(i)
		path = join(path, p.Name)
	}
	return path, p, nil
}

func join(path, step string) string {
	if path == "" || step[0] == '[' {
		return path + step
	}
	return path + "." + step
}

// children returns rows of a node from an index on.
func (s *Session) children(node []int, from, n int) ([]row, error) {
	_, p, err := s.at(node)
	if err != nil {
		return nil, err
	}
	p = content(p)
	out := []row{}
	for i := max(from, 0); i < min(p.Len(), from+min(n, shownItems)); i++ {
		out = append(out, rowOf(p.Item(i)))
	}
	return out, nil
}

// locate returns the node at the path of a span, or the nearest node around it.
func (s *Session) locate(path string) []int {
	p := content(s.root)
	node := []int{}
	for _, step := range tree.Steps(path) {
		i := p.Node.Index(step)
		if i < 0 || i >= p.Len() {
			break
		}
		node, p = append(node, i), content(p.Item(i))
	}
	return node
}

// part is a node as a whole: its place among the bytes and its tree as JSON.
type part struct {
	Path    string
	Clauses []ids.Clause // of the first spans
	Ranges  [][2]int     // of its bytes, from and to
	Tree    string       // as JSON; empty if it is long
	Row     row
}

const (
	longPart    = 64 << 10 // the most bytes of a part that can be edited as JSON
	mostClauses = 4
)

// isLeaf reports whether a part is there and has no items.
func isLeaf(p tree.Part) bool {
	p = content(p)
	return p.Len() == 0 && p.Kind != tree.ObjectForm && p.Kind != tree.OneOfForm
}

func (s *Session) part(node []int) (*part, error) {
	path, v, err := s.at(node)
	if err != nil {
		return nil, err
	}
	p := &part{Path: path, Clauses: []ids.Clause{}, Ranges: [][2]int{}, Row: rowOf(v)}
	p.Row.Name = ""
	size := 0
	for _, span := range s.spans {
		if !tree.Below(span.Path, path) {
			continue
		}
		if span.Clause != "" && len(p.Clauses) < mostClauses && !slices.Contains(p.Clauses, span.Clause) {
			p.Clauses = append(p.Clauses, span.Clause)
		}
		size += span.End - span.Start
		if n := len(p.Ranges); n > 0 && p.Ranges[n-1][1] == span.Start {
			p.Ranges[n-1][1] = span.End
		} else if n < mostRanges {
			p.Ranges = append(p.Ranges, [2]int{span.Start, span.End})
		}
	}
	in := content(v)
	if len(s.src) <= longPart || size > 0 && size <= longPart && (!isLeaf(v) || len(in.Node.Text) <= len("00")*longPart) {
		if isLeaf(v) {
			v = in // without the name of the variant
		}
		p.Tree = printable.Text(strings.TrimSuffix(v.Node.Indent(), "\n"))
	}
	return p, nil
}

// textOf returns the tree of a value as JSON.
func textOf(v any) string {
	n, err := tree.FromModel(v)
	if err != nil {
		return err.Error()
	}
	return n.String()
}

// edited is the answer to edit. Its bytes are those of the new value.
type edited struct {
	Rebuilt bool     // counts and offsets were computed again
	Changed [][2]int // where bytes changed, from and to; not all if there are many
	Count   int      // number of bytes that changed or are new
	AtMost  bool     // it may be less
}

// edit replaces a node by the tree of a text: JSON or, for a leaf, also the plain
// value. The input stays; the page opens the bytes of the answer.
func (s *Session) edit(node []int, text string) (any, []byte, error) {
	_, old, err := s.at(node)
	if err != nil {
		return nil, nil, err
	}
	n, err := tree.Parse([]byte(text))
	if k := rowOf(old).Kind; err != nil && (k == "number" || k == "name" || k == "bytes") {
		n, err = tree.Node{Kind: tree.Text, Text: strings.TrimSpace(text)}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if old.Kind == tree.OneOfForm && isLeaf(old) && (n.Kind != tree.Object || len(n.Items) != 2) {
		n = old.Node.Replace(map[*tree.Node]tree.Node{old.Item(0).Node: n})
	}
	v, err := tree.Value(s.typ, s.root.Node.Replace(map[*tree.Node]tree.Node{old.Node: n}))
	if err != nil {
		return nil, nil, err
	}
	a := &edited{}
	b, err := s.codec.Append(nil, v)
	if err == nil {
		_, err = s.codec.Decode(b)
	}
	if err != nil { // of a package, offsets may have to change
		v, rebuildErr := s.rebuilt(v)
		if rebuildErr != nil {
			return nil, nil, rebuildErr
		}
		again, appendErr := s.codec.Append(nil, v)
		if appendErr != nil {
			return nil, nil, appendErr
		}
		a.Rebuilt, b = string(again) != string(b), again
	}
	a.Changed, a.Count, a.AtMost = s.changes(b)
	return a, b, nil
}

const (
	// mostRanges is the most ranges of changed bytes in an answer.
	mostRanges = 10_000
	// comparedSpans is the most spans of which the bytes are compared one by one.
	comparedSpans = 500_000
)

// changes compares b with the input, field by field: a field that has only moved has
// not changed. If b is rejected or has very many fields, everything from the first to
// the last difference counts.
func (s *Session) changes(b []byte) (ranges [][2]int, count int, atMost bool) {
	_, spans, err := s.codec.Trace(b)
	if err != nil || max(len(spans), len(s.spans)) > comparedSpans || len(s.spans) == 0 {
		from, to := difference(s.src, b)
		return [][2]int{{from, to}}, to - from, len(s.src) != len(b)
	}
	type key struct {
		path string
		n    int // of the spans with the path
	}
	old, seen := map[key][]byte{}, map[string]int{}
	for _, span := range s.spans {
		old[key{span.Path, seen[span.Path]}] = s.src[span.Start:span.End]
		seen[span.Path]++
	}
	clear(seen)
	ranges = [][2]int{}
	for _, span := range spans {
		was := old[key{span.Path, seen[span.Path]}]
		seen[span.Path]++
		now := b[span.Start:span.End]
		from, to := difference(was, now)
		if from == to {
			continue
		}
		count += to - from
		if len(was) == len(now) { // bytes in between can be the same
			for i := from; i < to; i++ {
				if was[i] == now[i] {
					count--
				}
			}
		}
		if len(ranges) < mostRanges {
			ranges = append(ranges, [2]int{span.Start + from, span.Start + to})
		}
	}
	return ranges, count, false
}

// difference returns the part of b between what both have at their begin and end.
func difference(a, b []byte) (from, to int) {
	from, to = commonPrefix(a, b), len(b)
	for k := len(a); to > from && k > from && b[to-1] == a[k-1]; k-- {
		to--
	}
	return from, to
}

// shown is a span as the page shows it.
type shown struct {
	Path   string
	Value  string
	Clause string
}

func (s *Session) showSpans(from, n int) []shown {
	out := []shown{}
	for i := max(from, 0); i < min(len(s.spans), from+min(n, shownItems)); i++ {
		span := &s.spans[i]
		out = append(out, shown{span.Path, printable.Text(span.Value), string(span.Clause)})
	}
	return out
}

// search returns the first span from an index on whose path or value contains a text,
// whatever the case of its letters; then those before it, and -1 if there is none.
func (s *Session) search(text string, from int) int {
	text = strings.ToLower(text)
	for k := range s.spans {
		i := (max(from, 0) + k) % len(s.spans)
		span := &s.spans[i]
		if strings.Contains(strings.ToLower(span.Value), text) || strings.Contains(strings.ToLower(span.Path), text) ||
			string(span.Clause) == strings.ToUpper(text) {
			return i
		}
	}
	return -1
}
