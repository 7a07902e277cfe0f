package play

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
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

// root returns the value that was read.
func (s *Session) root() reflect.Value {
	v := reflect.ValueOf(s.value)
	if v.Kind() == reflect.Pointer { // to an interface
		return v.Elem()
	}
	return v
}

// content returns what pointers and interfaces contain, and an invalid value for nil.
func content(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

// count returns the number of children of a value.
func count(v reflect.Value) int {
	switch {
	case !v.IsValid() || isName(v.Type()) || tree.IsBytes(v.Type()):
	case v.Kind() == reflect.Struct:
		return v.NumField()
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		return v.Len()
	}
	return 0
}

var marshaler = reflect.TypeFor[encoding.TextMarshaler]()

func isName(t reflect.Type) bool { return t.Implements(marshaler) }

// child returns child i of a value, and its name.
func child(v reflect.Value, i int) (name string, c reflect.Value) {
	if v.Kind() == reflect.Struct {
		return tree.FieldName(v.Type().Field(i).Name), v.Field(i)
	}
	return "[" + strconv.Itoa(i) + "]", v.Index(i)
}

const (
	shownText  = 160 // characters of a text in a row
	shownBytes = 32
)

// rowOf describes a value.
func rowOf(name string, v reflect.Value) row {
	r := row{Name: name}
	if v.Kind() == reflect.Interface && !v.IsNil() {
		r.Type, _ = codec.VariantName(v.Type(), v.Elem().Type())
	}
	v = content(v)
	r.Count = count(v)
	switch {
	case !v.IsValid() || v.Kind() == reflect.Slice && v.IsNil() && !tree.IsBytes(v.Type()):
		r.Kind = "null"
	case isName(v.Type()):
		r.Kind, r.Text = "name", leaf(v)
	case tree.IsBytes(v.Type()):
		r.Kind = "bytes"
		if v.Kind() == reflect.Array || v.Len() <= shownBytes {
			r.Text = leaf(v)
		} else {
			r.Text = fmt.Sprintf("%x… (%d bytes)", v.Slice(0, shownBytes).Bytes(), v.Len())
		}
	case v.Kind() == reflect.Struct:
		r.Kind, r.Text = "object", summary(v, 2)
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		r.Kind = "list"
	case v.Kind() == reflect.String:
		r.Kind, r.Text = "text", quoted(v.String())
	case v.Kind() == reflect.Bool:
		r.Kind, r.Text = "bool", leaf(v)
	default:
		r.Kind, r.Text = "number", leaf(v)
	}
	return r
}

func leaf(v reflect.Value) string {
	n, err := tree.FromValue(v)
	if err != nil {
		return ""
	}
	return n.Text
}

func quoted(s string) string {
	if len(s) > shownText {
		return strconv.Quote(strings.ToValidUTF8(s[:shownText], "")) + fmt.Sprintf("… (%d bytes)", len(s))
	}
	return strconv.Quote(s)
}

// summary returns the first text of an object, which often is its name.
func summary(v reflect.Value, depth int) string {
	for i := range v.NumField() {
		c := content(v.Field(i))
		switch {
		case !c.IsValid():
		case c.Kind() == reflect.String && c.Len() > 0 && !isName(c.Type()):
			return quoted(c.String())
		case c.Kind() == reflect.Struct && depth > 0:
			if text := summary(c, depth-1); text != "" {
				return text
			}
		}
	}
	return ""
}

// at returns the value of a node and its path.
func (s *Session) at(node []int) (path string, v reflect.Value, err error) {
	v = s.root()
	for _, i := range node {
		in := content(v)
		if i < 0 || i >= count(in) {
			return "", v, errors.New("the tree has no such node")
		}
		var name string
		name, v = child(in, i)
		path = join(path, name)
	}
	return path, v, nil
}

func join(path, step string) string {
	if path == "" || step[0] == '[' {
		return path + step
	}
	return path + "." + step
}

// children returns rows of a node from an index on.
func (s *Session) children(node []int, from, n int) ([]row, error) {
	_, v, err := s.at(node)
	if err != nil {
		return nil, err
	}
	v = content(v)
	out := []row{}
	for i := max(from, 0); i < min(count(v), from+min(n, shownItems)); i++ {
		out = append(out, rowOf(child(v, i)))
	}
	return out, nil
}

// locate returns the node at the path of a span, or the nearest node around it.
func (s *Session) locate(path string) []int {
	v := content(s.root())
	node := []int{}
	for _, step := range tree.Steps(path) {
		i := -1
		if n, ok := tree.IndexOf(step); ok {
			if v.IsValid() && v.Kind() != reflect.Struct {
				i = n
			}
		} else if v.IsValid() && v.Kind() == reflect.Struct {
			for k := range count(v) {
				if name, _ := child(v, k); name == step {
					i = k
				}
			}
		}
		if i < 0 || i >= count(v) {
			break
		}
		_, c := child(v, i)
		node, v = append(node, i), content(c)
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

// isLeaf reports whether a value is there and has no children.
func isLeaf(v reflect.Value) bool {
	c := content(v)
	return c.IsValid() && count(c) == 0 && c.Kind() != reflect.Struct
}

func (s *Session) part(node []int) (*part, error) {
	path, v, err := s.at(node)
	if err != nil {
		return nil, err
	}
	p := &part{Path: path, Clauses: []ids.Clause{}, Ranges: [][2]int{}, Row: rowOf("", v)}
	size := 0
	for _, span := range s.spans {
		rest, in := strings.CutPrefix(span.Path, path)
		if !in || path != "" && rest != "" && rest[0] != '.' && rest[0] != '[' {
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
	if len(s.src) <= longPart || size > 0 && size <= longPart && !long(content(v)) {
		if isLeaf(v) {
			v = content(v) // without the name of the variant
		}
		if n, err := tree.FromValue(v); err == nil {
			p.Tree = printable.Text(strings.TrimSuffix(n.Indent(), "\n"))
		}
	}
	return p, nil
}

// long reports whether the text of a leaf is long.
func long(v reflect.Value) bool {
	return v.IsValid() && (v.Kind() == reflect.Slice || v.Kind() == reflect.String) && v.Len() > longPart
}

// textOf returns the tree of a value as JSON.
func textOf(v any) string {
	n, err := tree.FromModel(v)
	if err != nil {
		return err.Error()
	}
	return n.String()
}

// replaced returns a copy of a value in which the node has the value of a tree. What
// is on the way to the node is copied, all else is shared.
func replaced(v reflect.Value, node []int, n tree.Node) (reflect.Value, error) {
	out := reflect.New(v.Type()).Elem()
	if len(node) == 0 {
		return out, tree.ToModel(n, out.Addr().Interface())
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return out, errors.New("the tree has no such node")
		}
		c, err := replaced(v.Elem(), node, n)
		if err == nil && v.Kind() == reflect.Pointer {
			p := reflect.New(c.Type())
			p.Elem().Set(c)
			c = p
		}
		if err == nil {
			out.Set(c)
		}
		return out, err
	case reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		reflect.Copy(out, v)
	default:
		out.Set(v)
	}
	if node[0] < 0 || node[0] >= count(v) {
		return out, errors.New("the tree has no such node")
	}
	_, old := child(v, node[0])
	c, err := replaced(old, node[1:], n)
	if err == nil {
		_, place := child(out, node[0])
		place.Set(c)
	}
	return out, err
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
	if k := rowOf("", old).Kind; err != nil && (k == "number" || k == "name" || k == "bytes") {
		n, err = tree.Node{Kind: tree.Text, Text: strings.TrimSpace(text)}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if old.Kind() == reflect.Interface && isLeaf(old) && (n.Kind != tree.Object || len(n.Items) != 2) {
		name, _ := codec.VariantName(old.Type(), old.Elem().Type())
		n = tree.Node{
			Kind: tree.Object, Names: []string{"type", "value"},
			Items: []tree.Node{{Kind: tree.Text, Text: name}, n},
		}
	}
	root := reflect.ValueOf(s.value)
	changed, err := replaced(root, node, n)
	if err != nil {
		return nil, nil, err
	}
	a := &edited{}
	b, err := s.codec.Append(nil, changed.Interface())
	if err == nil {
		_, err = s.codec.Decode(b)
	}
	if err != nil { // of a package, offsets may have to change
		v, rebuildErr := s.rebuilt(changed.Interface())
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
