package site

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// layout is the layout of the bytes of a type. It follows from the shape of the trees
// and from the spans of all vectors that the observed profile accepts, or the
// documented one if it accepts none.
type layout struct {
	Type    string
	Context string
	Profile string
	Rows    []*field
	Size    int // in bytes, if all encodings have the same; otherwise 0
	Vectors int // from which the layout follows
}

// field is a row of a layout: a field of the type, or one of the bytes that its values
// do not contain, such as a count.
type field struct {
	Name     string // its path, with [] for any index
	Type     string // what it contains; empty if the value does not contain it
	Model    string // the structure that it is, if it is one
	Clauses  []ids.Clause
	Size     int  // of one occurrence in bytes, if it is always the same
	Least    int  // otherwise the least and greatest size in the vectors, of a number
	Most     int  // of a few bytes
	Offset   int  // -1 if it is not always the same
	Repeated bool // an element of a list
	Count    int  // of a list of a fixed number of elements
	Optional bool // missing in some vectors

	numeric    bool // a number or the like, with a size of its own
	natural    int  // the size of its number in memory
	composite  bool // spans inside it are parts of it
	fixedCount int  // the length of the list of which it is an element, if the model fixes it

	// What the vectors show.
	sizes, starts, counts map[int]bool
	values                map[string]bool
	in                    int // number of vectors that contain it
}

// Bytes describes the size.
func (f *field) Bytes() string {
	switch {
	case f.Size > 0 && f.Count > 1:
		return fmt.Sprintf("%d × %d", f.Count, f.Size)
	case f.Size > 0 && f.Repeated:
		return strconv.Itoa(f.Size) + " each"
	case f.Size > 0:
		return strconv.Itoa(f.Size)
	case f.Most > 0:
		return fmt.Sprintf("%d to %d", f.Least, f.Most)
	}
	return "varies"
}

// trace reads bytes under a profile. After a fault it returns the spans before it.
func trace(t *codec.Type, v *corpus.Vector, p ids.Profile, src []byte) ([]wire.Span, error) {
	c, err := t.Bind(wire.Settings{Profile: p}, v.Context)
	if err != nil {
		return nil, err
	}
	_, spans, err := c.Trace(src)
	return spans, err
}

// maxSpans is the number of spans up to which a vector counts for a layout: more are
// repetitions, which take time.
const maxSpans = 2000

// accepted returns the spans of each vector of a type that a profile accepts.
func (s *site) accepted(t *codec.Type, p ids.Profile) (out [][]wire.Span) {
	for _, v := range s.vectors {
		if v.Type != t.Name || v.EncodeOnly() {
			continue
		}
		e := v.Select(p)
		if e == nil || e.Outcome == corpus.Reject {
			continue
		}
		if spans, err := trace(t, v, p, v.Bytes); err == nil && len(spans) <= maxSpans {
			out = append(out, spans)
		}
	}
	return out
}

// layoutOf returns the layout of a type.
func (s *site) layoutOf(t *codec.Type) *layout {
	if l := s.layouts[t.Name]; l != nil {
		return l
	}
	l := &layout{Type: t.Name, Context: corpus.ContextText(t.Context), Profile: ids.SideObserved}
	s.layouts[t.Name] = l // before the types inside it
	sources := s.accepted(t, ids.Observed())
	if len(sources) == 0 {
		l.Profile = ids.SideDocumented
		sources = s.accepted(t, ids.Documented())
	}
	l.Vectors = len(sources)
	w := &walker{shape: s.shapes[t.Name], structure: t.Structure(), expand: map[string]bool{}}
	for i := 0; i < len(sources); i++ {
		if _, name := w.occurrences(sources[i]); name != "" {
			w.expand[name] = true // its parts have rows of their own
			i = -1
		}
	}
	rows := map[string]*field{}
	for _, spans := range sources {
		l.merge(w, rows, spans)
	}
	for _, f := range l.Rows {
		s.settle(f, len(sources))
	}
	l.place()
	return l
}

// walker finds the row to which a path belongs.
type walker struct {
	shape     *tree.TypeShape
	structure string
	expand    map[string]bool // rows whose parts have rows of their own
}

var stepForm = regexp.MustCompile(`[^.\[\]]+|\[[0-9]+\]`)

// row returns the name of the row of a path, the length of the part of the path that
// leads to it, and the row without its measures.
func (w *walker) row(path string) (name string, end int, f field) {
	steps := stepForm.FindAllStringIndex(path, -1)
	part, fixed := w.shape.Tree, 0 // the length of the list around the part
	for k := 0; ; k++ {
		if k > 0 {
			end = steps[k-1][1]
		}
		f = field{Type: part.String(), fixedCount: fixed}
		if part.Kind == tree.ModelPart {
			if _, documented := spec.FindStructure(part.Model); documented && k > 0 && !w.expand[name] {
				f.Model, f.composite = part.Model, true
				return name, end, f
			}
			m := w.shape.Model(part.Model)
			part = m.Part
		}
		last := k == len(steps)
		if part.Kind == tree.OneOfPart && (k > 0 || last || path != "type") {
			f.Type, f.composite = fmt.Sprintf("one of %d types", len(part.Variants)), true
			return cmp.Or(name, "value"), end, f
		}
		if last {
			f.measure(&part)
			return cmp.Or(name, "value"), end, f
		}
		step := path[steps[k][0]:steps[k][1]]
		i := -1
		if step[0] == '[' {
			name += "[]"
			if part.Kind == tree.ListPart {
				if !strings.HasSuffix(name, "[][]") {
					fixed = 1 // the outermost list
				}
				fixed, part = fixed*part.Length, *part.Elements
				continue
			}
		} else {
			name = strings.TrimPrefix(name+"."+step, ".")
			i = slices.IndexFunc(part.Fields, func(f tree.NamedPart) bool { return f.Name == step })
		}
		if i < 0 { // not part of the value
			return name, steps[k][1], field{numeric: true}
		}
		part, fixed = part.Fields[i].Part, 0
	}
}

// measure notes what the kind of a part says about its size.
func (f *field) measure(p *tree.Part) {
	switch p.Kind {
	case tree.BooleanPart, tree.NamePart, tree.ObjectPart: // of an object, a single span
		f.numeric = true
	case tree.IntegerPart, tree.FloatPart:
		f.numeric = true
		bits, _ := strconv.Atoi(strings.TrimLeft(p.Number, "abcdefghijklmnopqrstuvwxyz"))
		f.natural = bits / 8
	case tree.BytesPart:
		f.natural = p.Length
	}
}

// occurrence is a run of spans that belong to one row.
type occurrence struct {
	name, prefix string
	field        field
	start, end   int
	clauses      []ids.Clause
	kinds        []string // of its spans
	value        string   // of all spans
}

// occurrences groups the spans of a vector. It also returns the name of a row whose
// parts are not next to each other.
func (w *walker) occurrences(spans []wire.Span) (out []*occurrence, scattered string) {
	last := map[string]*occurrence{}
	for _, span := range spans {
		name, end, f := w.row(span.Path)
		prefix := name + "\x00" + span.Path[:end]
		o := last[prefix]
		if o == nil || o.end != span.Start {
			if o != nil && f.Model != "" && scattered == "" {
				scattered = name
			}
			o = &occurrence{name: name, prefix: prefix, field: f, start: span.Start}
			last[prefix] = o
			out = append(out, o)
		}
		o.end = span.End
		o.value += span.Value + "\x00"
		if kind := kindOf(span.Value); !slices.Contains(o.kinds, kind) {
			o.kinds = append(o.kinds, kind)
		}
		if c, ok := spec.FindClause(span.Clause); ok && (c.Structure == w.structure || !f.composite) && !slices.Contains(o.clauses, span.Clause) {
			o.clauses = append(o.clauses, span.Clause)
		}
	}
	return out, scattered
}

// merge adds what the spans of a vector show.
func (l *layout) merge(w *walker, rows map[string]*field, spans []wire.Span) {
	found, _ := w.occurrences(spans)
	pos := 0
	seen := map[string]int{}
	for _, o := range found {
		f := rows[o.name]
		if f == nil {
			f = &o.field
			f.Name, f.sizes, f.starts, f.counts = o.name, map[int]bool{}, map[int]bool{}, map[int]bool{}
			f.values = map[string]bool{}
			rows[o.name] = f
			l.Rows = slices.Insert(l.Rows, pos, f)
		}
		if seen[o.name] == 0 {
			f.in++
			pos = slices.Index(l.Rows, f) + 1
			f.starts[o.start] = true
		}
		seen[o.name]++
		f.sizes[o.end-o.start] = true
		f.values[o.value] = true
		for _, c := range o.clauses {
			if !slices.Contains(f.Clauses, c) {
				f.Clauses = append(f.Clauses, c)
			}
		}
		if f.Type == "" {
			f.Type = strings.Trim(strings.Join(o.kinds, ", "), ", ")
		}
	}
	for name, n := range seen {
		rows[name].counts[n] = true
	}
}

// kindOf says what the bytes contain that no value contains.
func kindOf(value string) string {
	switch {
	case strings.HasPrefix(value, `"`):
		return "text"
	case strings.Trim(value, "0123456789") == "" && value != "":
		return "number"
	}
	return ""
}

// settle decides what is fixed in a row.
func (s *site) settle(f *field, vectors int) {
	f.Repeated = f.Repeated || strings.Contains(f.Name, "[]")
	f.Optional = f.in < vectors && !f.Repeated
	sizes := slices.Sorted(maps.Keys(f.sizes))
	least, most := sizes[0], sizes[len(sizes)-1]
	if t, ok := codec.Find(f.Model); ok {
		l := s.layoutOf(t)
		f.natural = l.Size
		f.numeric = l.Size > 0 || len(l.Rows) == 1 && l.Rows[0].Most > 0 // such as a compact index
	}
	// A text that is not part of the value is a tag, or has any length.
	text := strings.HasSuffix(f.Type, "text") && !(len(f.values) == 1 && f.in > 1 && !f.Repeated)
	switch {
	case text:
	case least == most && (f.numeric && (f.natural == 0 || f.natural == least) || f.natural == least):
		f.Size = least
	case f.numeric && most <= 16:
		f.Least, f.Most = least, most
	}
	if f.Repeated && len(f.counts) == 1 && f.in == vectors && f.fixedCount > 0 {
		f.Count = f.fixedCount
	}
}

// place computes the offsets and the size: up to the first row that is not always
// there or whose size varies.
func (l *layout) place() {
	at, fixed := 0, true
	for _, f := range l.Rows {
		f.Offset = -1
		if fixed && len(f.starts) == 1 && f.starts[at] {
			f.Offset = at
		}
		fixed = fixed && f.Size > 0 && !f.Optional && (!f.Repeated || f.Count > 0)
		at += f.Size * max(f.Count, 1)
	}
	if fixed {
		l.Size = at
	}
}
