package power

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
)

// A subject is what a mutant changes: a field of a model type, wherever that type
// occurs. The elements of a list have the field [], and a value outside of a
// structure has no field. The type * stands for all fields of a kind of a family.
type subject struct{ family, typ, field string }

func (s subject) String() string {
	if s.field == "" || strings.HasPrefix(s.field, "[") {
		return s.family + "." + s.typ + s.field
	}
	return s.family + "." + s.typ + "." + s.field
}

// with returns the subject of an item.
func (s subject) with(index string) subject { return subject{s.family, s.typ, s.field + index} }

// A target is a subject, as a whole or by its contents.
type target struct {
	subject
	whole bool
}

// A valuePart is one part of a value, or of a type.
type valuePart struct {
	tree.Part
	// as is the subject to whose contents the part belongs; fieldOf the one that the
	// part as a whole belongs to. They differ for a list or structure in a field.
	as, fieldOf subject
	up          *valuePart // the structure or fixed array around it; nil if there is none
	index       int        // in up
	depth       int        // the number of lists around it

	before *valuePart // the preceding part of the same subject in the same value; nil if there is none
	// keptBefore is the last one before that is not empty; nil if there is none.
	keptBefore *valuePart
}

// everywhere is the subject of all parts of a kind of a family.
func (p *valuePart) everywhere() subject {
	return subject{p.as.family, "*", cmp.Or(p.Number, string(p.Kind))}
}

// The forms by the operators that fit them.
const (
	number      = tree.IntegerForm
	float       = tree.FloatForm
	boolean     = tree.BooleanForm
	enumeration = tree.NameForm
	text        = tree.TextForm
	opaque      = tree.BytesForm
	list        = tree.ListForm
	composite   = tree.ObjectForm // also a fixed array
)

// namedTexts are the text types that have a fixed set of values, with one of them.
var namedTexts = map[string]string{"ubi.FileMagic": "ubi/b0-l", "uasset.PixelFormat": "PF_DXT1"}

func kindOf(f *tree.Form) tree.FormKind {
	switch {
	case namedTexts[f.Model] != "":
		return enumeration
	case f.Kind == list && f.Length > 0:
		return composite
	}
	return f.Kind
}

// subjectOf returns the subject of a value of a named type.
func subjectOf(f *tree.Form) subject {
	name, _, _ := strings.Cut(f.Model, "[")
	family, typ, _ := strings.Cut(name, ".")
	return subject{family: family, typ: typ}
}

// A walk visits the parts of a value or of a type, each after its own parts. Each
// part of a type is visited once.
type walk struct {
	visit func(*valuePart)
	last  map[subject]*valuePart
	types map[typePlace]bool
}

type typePlace struct {
	form        *tree.Form
	as, fieldOf subject
	inList      bool
}

// walkParts visits the parts of a type, or of a value of it.
func walkParts(t *codec.Type, n *tree.Node, visit func(*valuePart)) {
	p := &valuePart{Part: tree.Whole(t, n)}
	if p.as = subjectOf(p.Form); p.Model == "" {
		p.as.family, p.as.typ, _ = strings.Cut(t.Name, ".") // a primitive type
	}
	p.fieldOf = p.as
	w := &walk{visit: visit, last: map[subject]*valuePart{}, types: map[typePlace]bool{}}
	w.walk(p)
}

func (w *walk) walk(p *valuePart) {
	// The contents of a named list, structure or array belong to its own type.
	if k := kindOf(p.Form); p.Model != "" && (k == list || k == composite) {
		p.as = subjectOf(p.Form)
	}
	if p.Node == nil {
		id := typePlace{p.Form, p.as, p.fieldOf, p.depth > 0}
		if w.types[id] {
			return
		}
		w.types[id] = true
	}
	for i := range p.Len() {
		q := &valuePart{Part: p.Item(i), up: p, index: i, depth: p.depth}
		switch {
		case p.Kind == tree.OneOfForm:
			q.up, q.as = nil, subjectOf(q.Form)
			if kindOf(q.Form) != composite {
				q.fieldOf = q.as
			}
		case kindOf(p.Form) == list:
			q.up, q.as, q.depth = nil, p.as.with("[]"), p.depth+1
		case p.Kind == tree.ListForm: // the items of a fixed array are fields
			q.as = p.as.with(q.Name)
			q.fieldOf = q.as
		default:
			q.as = subject{p.as.family, p.as.typ, q.Name}
			q.fieldOf = q.as
		}
		w.walk(q)
	}
	if p.Node != nil && p.fieldOf != (subject{}) {
		p.before = w.last[p.fieldOf]
		if p.keptBefore = p.before; p.before != nil && p.before.isEmpty() {
			p.keptBefore = p.before.keptBefore
		}
		w.last[p.fieldOf] = p
	}
	w.visit(p)
}

// isEmpty reports whether a part is absent, or a text, bytes or a list without items.
func (p *valuePart) isEmpty() bool {
	n := p.Node
	return n.Kind == tree.Null || !p.Pointer && n.Kind != tree.Object && n.Text == "" && len(n.Items) == 0
}

// bits returns the width of a number or float.
func (p *valuePart) bits() int {
	n, _ := strconv.Atoi(strings.TrimLeft(p.Number, "uinfloat"))
	return n
}

// number returns the bits of a number or float, and its value.
func (p *valuePart) number() (b uint64, x float64) {
	s := p.Node.Text
	if hex, isNaN := strings.CutPrefix(s, tree.NaNBits); isNaN {
		b, _ = strconv.ParseUint(hex, 16, 64)
		return b, math.NaN()
	}
	x, _ = strconv.ParseFloat(s, 64)
	switch {
	case isSigned(p):
		i, _ := strconv.ParseInt(s, 10, 64)
		return uint64(i) << (64 - p.bits()) >> (64 - p.bits()), x
	case p.Kind == tree.IntegerForm:
		b, _ = strconv.ParseUint(s, 10, 64)
		return b, x
	case p.bits() == 32:
		x, _ = strconv.ParseFloat(s, 32)
		return uint64(math.Float32bits(float32(x))), x
	}
	return math.Float64bits(x), x
}

// withBits returns the number or float with the low bits given.
func (p *valuePart) withBits(b uint64) tree.Node {
	unused := 64 - p.bits()
	signed := int64(b<<unused) >> unused
	b = b << unused >> unused
	switch {
	case isSigned(p):
		return tree.FromText(strconv.FormatInt(signed, 10))
	case p.Kind == tree.IntegerForm:
		return tree.FromText(strconv.FormatUint(b, 10))
	case p.bits() == 32:
		return tree.FromText(wire.FormatFloat32(math.Float32frombits(uint32(b))))
	}
	return tree.FromText(wire.FormatFloat64(math.Float64frombits(b)))
}
