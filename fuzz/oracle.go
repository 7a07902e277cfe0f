package fuzz

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/mutate"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// An Oracle checks what a codec reads from an accepted input, without the codec.
// A wrong size that is read and written in the same way passes every round trip.
// The oracle computes each count, size and offset again from the bytes, with
// integers of any size, and compares it with the spans; it compares each number
// and text in the bytes with the tree. The layouts of package spec say how.
type Oracle struct {
	layout  *node            // of the type; nil if nothing is checked
	opened  map[string]*node // by the names of their layouts
	last    int              // order of the last line
	profile ids.Profile
	context map[string]string
	base    *big.Int // offset of the input in its file
	noTree  bool     // the tree is not compared
}

// A node is what the layouts say about the parts at a path. Where one of several
// layouts applies, it has the fields of all of them.
type node struct {
	steps map[string]*node     // the parts inside, by name; [] for elements
	lines map[ids.Clause]*line // the field at this path, if it is one, by the clause of its span
	parts []*spec.Layout       // not yet part of the above: layouts can contain themselves
}

// A line is a field that is in force, with its place among the others.
type line struct {
	*spec.Field
	order int
}

// NewOracle returns the oracle of a type under a profile, in a context.
func NewOracle(t *codec.Type, profile ids.Profile, context map[string]string) *Oracle {
	o := &Oracle{opened: map[string]*node{}, profile: profile, context: context, base: new(big.Int)}
	if v, ok := context["offset"]; ok {
		o.base.SetString(v, 10)
	}
	// The elements of the tree are then not those of the input.
	o.noTree = !profile.Takes("ka.duplicate-key", "documented")
	// Bytes after a fault have no meaning.
	if l, ok := spec.FindLayout(t.Name); ok && !profile.Takes("ka.nested-fault", "ignored") {
		o.layout = &node{parts: []*spec.Layout{l}}
	}
	return o
}

// open adds the fields of its layouts to a node. Nodes with the same layouts and
// nothing else share them: values of ka contain values.
func (o *Oracle) open(n *node) *node {
	if len(n.parts) == 0 {
		return n
	}
	key := ""
	if n.steps == nil && n.lines == nil {
		for _, l := range n.parts {
			key += l.Name + "|"
		}
		if same := o.opened[key]; same != nil {
			*n = *same
			return n
		}
	}
	parts := n.parts
	n.parts = nil
	for _, l := range parts {
		o.insert(n, l)
	}
	if key != "" {
		o.opened[key] = n
	}
	return n
}

// insert adds the fields of a layout to a node. Of fields at one path with one clause,
// the first is in force.
func (o *Oracle) insert(n *node, l *spec.Layout) {
	for _, f := range l.Fields {
		if !f.Applies(o.profile) {
			continue
		}
		at := n
		for _, step := range tree.Steps(f.Path) {
			if step[0] == '[' {
				step = "[]"
			}
			if at.steps[step] == nil {
				if at.steps == nil {
					at.steps = map[string]*node{}
				}
				at.steps[step] = &node{}
			}
			at = at.steps[step]
		}
		for _, name := range f.Parts {
			if part, _ := spec.FindLayout(name); at == n {
				o.insert(n, part)
			} else if !slices.ContainsFunc(at.parts, func(l *spec.Layout) bool { return l.Name == name }) {
				at.parts = append(at.parts, part)
			}
		}
		o.last++
		for _, clause := range f.Clauses {
			if at.lines[clause] == nil && f.Kind != "" {
				if at.lines == nil {
					at.lines = map[ids.Clause]*line{}
				}
				at.lines[clause] = &line{f, o.last}
			}
		}
	}
}

// A part is a node in the tree of spans: a field, an element, or a part of these.
type part struct {
	*inspection
	name       string // of a field; [] of an element
	index      int    // of an element
	parent     *part
	node       *node
	start, end int
	spans      []wire.Span // of a field
	line       *line
	byName     map[string]*part
	elements   []*part    // nil for an element without bytes
	wrapped    *tree.Node // in the tree: the value with its type, if it has several
	value      *tree.Node
	entered    int // order of the last field inside
	texts      map[string]string
}

// An inspection is the state of one check.
type inspection struct {
	*Oracle
	src  []byte
	root *part
}

// Check compares an accepted input with its spans and the tree of its value.
func (o *Oracle) Check(src []byte, spans []wire.Span, value tree.Node) error {
	if o.layout == nil {
		return nil
	}
	if o.noTree {
		value = tree.Node{}
	}
	c := &inspection{Oracle: o, src: src}
	c.root = c.newPart(nil, "", &value)
	var all []*part
	for i := range spans {
		p, err := c.add(spans[i])
		if err != nil {
			return err
		}
		if len(p.spans) == 1 {
			all = append(all, p)
		}
	}
	for _, p := range all {
		if err := p.verify(); err != nil {
			return fmt.Errorf("%s at %d: %w [%s]", p.path(), p.spans[0].Start, err, p.line.Line)
		}
	}
	return nil
}

func (c *inspection) newPart(parent *part, name string, value *tree.Node) *part {
	n := c.layout
	if parent != nil {
		if n = parent.node.steps[name]; n == nil {
			n = &node{} // a fault, if it has bytes
		}
	}
	p := &part{
		inspection: c, name: name, parent: parent, node: c.open(n), start: -1, wrapped: value,
		value: value, entered: -1,
	}
	if mutate.IsVariant(*value) {
		p.value = &value.Items[1]
	}
	return p
}

// path returns the path of the spans of a part.
func (p *part) path() string {
	switch {
	case p.parent == nil:
		return ""
	case p.name == "[]":
		return fmt.Sprintf("%s[%d]", p.parent.path(), p.index)
	}
	return strings.TrimPrefix(p.parent.path()+"."+p.name, ".")
}

// absent is the value of a part that the tree does not contain.
var absent = &tree.Node{}

// child returns a field of a part, which it makes if necessary.
func (p *part) child(name string) *part {
	q := p.byName[name]
	if q == nil {
		value := p.value.Field(name)
		q = p.newPart(p, name, &value)
		if p.byName == nil {
			p.byName = map[string]*part{}
		}
		p.byName[name] = q
	}
	return q
}

// element returns an element of a part, which it makes if necessary. The elements
// are in order; only objects may have no bytes.
func (p *part) element(i int) (*part, error) {
	if i < len(p.elements) && p.elements[i] != nil {
		return p.elements[i], nil
	}
	if i < len(p.elements) || i > len(p.elements) && p.name != "objects" {
		return nil, fmt.Errorf("element %s[%d] follows %d elements", p.path(), i, len(p.elements))
	}
	value := absent
	if p.value.Kind == tree.List && i < len(p.value.Items) {
		value = &p.value.Items[i]
	}
	q := p.newPart(p, "[]", value)
	q.index = i
	for len(p.elements) < i {
		p.elements = append(p.elements, nil)
	}
	p.elements = append(p.elements, q)
	return q, nil
}

// add adds a span to the parts around it.
func (c *inspection) add(s wire.Span) (*part, error) {
	p := c.root
	for _, step := range tree.Steps(s.Path) {
		i, ok := tree.IndexOf(step)
		if !ok {
			p = p.child(step)
			continue
		}
		var err error
		if p, err = p.element(i); err != nil {
			return nil, err
		}
	}
	p.spans = append(p.spans, s)
	p.line = p.node.lines[s.Clause]
	if p.line == nil {
		return nil, fmt.Errorf("%s at %d: the layout has no field %s %q", p.path(), s.Start, s.Clause, p.name)
	}
	outside := p.line.Has("outside")
	if q := p.parent; q != nil && p.name != "[]" && !outside {
		if p.line.order < q.entered {
			return nil, fmt.Errorf("%s at %d: a field that precedes it is listed after it [%s]", p.path(), s.Start, p.line.Line)
		}
		q.entered = p.line.order
	}
	for q := p; q != nil; q = q.parent {
		switch {
		case q.start < 0 && (q == p || !outside):
			q.start, q.end = s.Start, s.End
		case q.end == s.Start && (q == p || q == c.root || !outside):
			q.end = s.End
		case outside || p.line.Has("apart"):
		default:
			return nil, fmt.Errorf("%s at %d: %q ends at %d", p.path(), s.Start, q.path(), q.end)
		}
	}
	if p.line.Has("within") && p.parent.byName["value"] != nil {
		p.parent.byName["value"].end = s.End
	}
	return p, nil
}

// at returns a part by its path from p, or from the root after a slash; nil if it
// has no bytes.
func (p *part) at(path string) *part {
	path, fromRoot := strings.CutPrefix(path, "/")
	if fromRoot {
		p = p.root
	}
	if path == "." {
		return p
	}
	for step := range strings.SplitSeq(path, ".") {
		if p = p.byName[step]; p == nil {
			return nil
		}
	}
	return p
}

// length is the number of bytes of a part, which may be nil.
func (p *part) length() int {
	if p == nil {
		return 0
	}
	return p.end - p.start
}

func (p *part) bytes() []byte {
	if p == nil {
		return nil
	}
	return p.src[p.start:p.end]
}

// number checks the number of bytes of a field, and returns the integer in them; nil if
// the field is none.
func (p *part) number() (*big.Int, error) {
	b, kind := p.src[p.spans[0].Start:p.spans[0].End], p.line.Kind
	least, most := p.line.KindSize()
	switch {
	case len(b) < least, most > 0 && len(b) > most:
		return nil, fmt.Errorf("expected %d bytes, found %d", least, len(b))
	case kind == "ci", kind == "ref":
		return p.compactIndex(b)
	case kind == "ref4":
		kind = "i4"
	case len(kind) != 2 || kind[0] != 'u' && kind[0] != 'i':
		return nil, nil
	}
	v := p.unsigned(b)
	if kind[0] == 'i' && v.Bit(8*len(b)-1) != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return v, nil
}

// unsigned returns the integer in bytes, in the byte order of the context.
func (p *part) unsigned(b []byte) *big.Int {
	if p.context["order"] != "big" {
		b = bytes.Clone(b)
		slices.Reverse(b)
	}
	return new(big.Int).SetBytes(b)
}

// compactIndex is UPKG-CI-1 to UPKG-CI-5.
func (p *part) compactIndex(b []byte) (*big.Int, error) {
	v := big.NewInt(int64(b[0] & 0x3F))
	n := 1
	for more := b[0]&0x40 != 0; more && n < 5; n++ {
		if n >= len(b) {
			return nil, fmt.Errorf("expected another byte of the index after %x", b)
		}
		bits := b[n]
		if n < 4 {
			bits &= 0x7F
		} else if p.profile.Takes("upkg.ci-fifth-high-bits", "observed") {
			bits &= 0x1F
		}
		v.Or(v, new(big.Int).Lsh(big.NewInt(int64(bits)), uint(7*n-1)))
		more = b[n]&0x80 != 0
	}
	if n != len(b) {
		return nil, fmt.Errorf("expected an index of %d bytes, found %x", n, b)
	}
	if b[0]&0x80 != 0 {
		v.Neg(v)
	}
	if p.profile.Takes("upkg.ci-range", "observed") {
		half := big.NewInt(1 << 31)
		v.Add(v, half).Mod(v, big.NewInt(1<<32)).Sub(v, half)
	}
	return v, nil
}

// verify checks a field: its size, its value in the tree, and its relations.
func (p *part) verify() error {
	v, err := p.number()
	if err != nil {
		return err
	}
	if err := p.checkKind(v); err != nil {
		return err
	}
	for _, r := range p.line.Relations {
		if err := p.relate(r, v); err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	return nil
}

// relate checks a relation of a field with a number.
func (p *part) relate(r spec.Relation, v *big.Int) error {
	// Of a structure that is decoded alone, the parts beyond it are unknown.
	part, inFile := strings.CutPrefix(r.Arg, "/")
	part, _, _ = strings.Cut(part, "|")
	check := relations[r.Name]
	if check == nil || inFile && p.root.node.steps[part] == nil {
		return nil
	}
	return check(p, v, r.Arg)
}

var errTree = errors.New("the tree has another value")

// checkKind compares the bytes of a field with the tree.
func (p *part) checkKind(v *big.Int) error {
	b, kind := p.src[p.spans[0].Start:p.spans[0].End], p.line.Kind
	n := p.value
	if isHex := len(n.Names) == 1 && n.Names[0] == "hex"; n.Kind == tree.Null && p.parent != nil && v == nil && !isHex {
		n = p.parent.value // the tree of a text alone is the text
		if n.Kind == tree.List {
			n = absent
		}
	}
	switch {
	case kind[0] == '=':
		return p.checkTag(kind[1:])
	case kind == "ref" || kind == "ref4":
		return p.checkReference(v)
	case v != nil && n.Kind != tree.Text:
		return nil
	case v != nil:
		return p.same(n, v.String())
	case kind == "element":
		return p.checkElement(b)
	}
	if body, ok := strings.CutSuffix(kind, "z"); ok {
		nul, _ := p.line.KindSize()
		end := len(b) - nul
		if len(bytes.Trim(b[end:], "\x00")) > 0 {
			return fmt.Errorf("expected a NUL at the end of %.40x", b)
		}
		b, kind = b[:end], body
	}
	if text := textKinds[kind]; text != nil {
		return p.same(n, text(p, b))
	}
	if check := otherKinds[kind]; check != nil {
		return check(p, n, b)
	}
	panic("fuzz: the layout names an unknown kind: " + p.line.Line)
}

// textKinds gives the text in the tree for the bytes of a field, by kind.
var textKinds = map[string]func(*part, []byte) string{
	"raw":   func(_ *part, b []byte) string { return hex.EncodeToString(b) },
	"raw16": func(_ *part, b []byte) string { return hex.EncodeToString(b) },
	"text":  func(_ *part, b []byte) string { return string(b) },
	"text8": func(_ *part, b []byte) string { return string(b) },
	"utf16": func(p *part, b []byte) string { return p.units(b, 2) },
	"utf32": func(p *part, b []byte) string { return p.units(b, 4) },
	"swizzled": func(_ *part, b []byte) string {
		b = bytes.Clone(b)
		for i, x := range b { // UBI-ENC-2
			b[i] = x>>1&0x55 | x<<1&0xAA
		}
		return string(b)
	},
	"bool1":   func(_ *part, b []byte) string { return strconv.FormatBool(b[0] != 0) },
	"bool2":   func(_ *part, b []byte) string { return strconv.FormatBool(b[0] != 0) },
	"version": func(_ *part, b []byte) string { return fmt.Sprintf("0x%02x%02x", b[1], b[0]) },
}

// otherKinds compares the bytes of a field with a node of the tree, by kind.
var otherKinds = map[string]func(*part, *tree.Node, []byte) error{
	"f4": (*part).checkFloat,
	"f8": (*part).checkFloat,
	"type": func(p *part, _ *tree.Node, b []byte) error {
		name := valueTypes()[strconv.Itoa(int(b[0]))]
		if name == "" {
			return fmt.Errorf("%x is no type of a value", b)
		}
		typ := p.parent.wrapped.Field("type")
		return p.same(&typ, name)
	},
	"fname": func(p *part, n *tree.Node, b []byte) error {
		index, number := p.unsigned(b[:4]), p.unsigned(b[4:])
		if !p.line.Loose && n.Kind == tree.Object &&
			(n.Field("index").Text != index.String() || n.Field("number").Text != number.String()) {
			return fmt.Errorf("%w: expected index %s and number %s, found %s", errTree, index, number, n)
		}
		return nil
	},
	"guid": func(p *part, _ *tree.Node, b []byte) error {
		if b[0] > 1 || len(p.bytes()) != 1+16*int(b[0]) {
			return fmt.Errorf("expected 0, or 1 and 16 bytes, found %x", p.bytes())
		}
		if b[0] == 0 && p.value.Kind != tree.Null {
			return fmt.Errorf("%w: expected null, found %s", errTree, p.value)
		}
		return p.same(p.value, hex.EncodeToString(p.bytes()[1:]))
	},
}

// same compares a text of the bytes with a node, if there is one and the layout says so.
func (p *part) same(n *tree.Node, want string) error {
	if p.line.Loose || n.Kind == tree.Null || n.Kind == tree.Object && len(n.Names) != 1 {
		return nil
	}
	have, err := textOf(n)
	if err == nil && have != want {
		err = fmt.Errorf("%w: expected %.60q, found %.60q", errTree, want, have)
	}
	return err
}

// checkTag compares each span of a field with bytes.
func (p *part) checkTag(want string) error {
	for _, s := range p.spans {
		if got := hex.EncodeToString(p.src[s.Start:s.End]); got != want {
			return fmt.Errorf("expected the bytes %s, found %s", want, got)
		}
	}
	return nil
}

// textOf returns the text of a node, which may be bytes that are no text.
func textOf(n *tree.Node) (string, error) {
	if n.Kind != tree.Object {
		return n.Text, nil
	}
	return tree.TextOf(*n)
}

// valueTypes are the types of KA-VH-1 and KA-VH-2, by id.
var valueTypes = sync.OnceValue(func() map[string]string {
	types := map[string]string{}
	for _, id := range []ids.Clause{"KA-VH-1", "KA-VH-2"} {
		clause, _ := spec.FindClause(id)
		for _, m := range typeID.FindAllStringSubmatch(clause.Text, -1) {
			types[m[2]+m[3]] = m[1] + m[4]
		}
	}
	return types
})

var typeID = regexp.MustCompile(`\b([A-Z0-9_]+) (\d+)\b|\b(\d+) ([A-Z0-9_]+)\b`)

// checkReference is UPKG-REF-2 to UPKG-REF-4.
func (p *part) checkReference(v *big.Int) error {
	table, entry := "null", new(big.Int)
	switch v.Sign() {
	case -1:
		table, entry = "import", entry.Sub(entry.Neg(v), big.NewInt(1))
	case 1:
		table, entry = "export", entry.Sub(v, big.NewInt(1))
	}
	if p.value.Kind == tree.Object && (p.value.Field("table").Text != table ||
		p.value.Field("entry").Text != entry.String()) {
		return fmt.Errorf("%w: expected %s %s, found %s", errTree, table, entry, p.value)
	}
	return nil
}

// checkFloat compares bits: each float has one decimal with which it is restored.
func (p *part) checkFloat(n *tree.Node, b []byte) error {
	if n.Kind != tree.Text {
		return nil
	}
	bits := p.unsigned(b).Uint64()
	var have uint64
	if digits, ok := strings.CutPrefix(n.Text, "nan:"); ok {
		v, err := strconv.ParseUint(digits, 16, 8*len(b))
		if err != nil {
			return err
		}
		have = v
	} else {
		f, err := strconv.ParseFloat(n.Text, 8*len(b))
		if err != nil {
			return err
		}
		if have = math.Float64bits(f); len(b) == 4 {
			have = uint64(math.Float32bits(float32(f)))
		}
	}
	if have != bits {
		return fmt.Errorf("%w: expected a float of the bits %0*x, found %s", errTree, 2*len(b), bits, n.Text)
	}
	return nil
}

// units converts units of two or four bytes to the text in a tree: surrogates are
// three bytes each, except a pair of units of two bytes.
func (p *part) units(b []byte, size int) string {
	var units []rune
	for i := 0; i+size <= len(b); i += size {
		u := rune(p.unsigned(b[i : i+size]).Int64())
		if last := len(units) - 1; size == 2 && last >= 0 && utf16.DecodeRune(units[last], u) != utf8.RuneError {
			units[last] = utf16.DecodeRune(units[last], u)
			continue
		}
		units = append(units, u)
	}
	var out []byte
	for _, u := range units {
		if utf16.IsSurrogate(u) {
			out = append(out, 0xED, 0x80|byte(u>>6&0x3F), 0x80|byte(u&0x3F))
			continue
		}
		out = utf8.AppendRune(out, u)
	}
	return string(out)
}

// checkElement checks an element of an array of uasset by the type of the array
// (UA-ARR-2).
func (p *part) checkElement(b []byte) error {
	kind := map[string]string{
		"Floats": "f4", "Names": "fname", "Ints": "i4", "Objects": "i4",
	}[p.parent.wrapped.Field("type").Text]
	if kind == "" {
		return fmt.Errorf("an array of %q has no such elements", p.parent.wrapped.Field("type").Text)
	}
	q, f := *p, *p.line.Field
	f.Kind = kind
	q.line = &line{&f, 0}
	v, err := q.number()
	if err != nil {
		return err
	}
	return q.checkKind(v)
}
