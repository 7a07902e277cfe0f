package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A place is the field of a layout at which an answer is wrong.
type place struct {
	name    string // structure and path
	clauses []ids.Clause
	layout  *spec.Layout
	field   *spec.Field // nil if no layout has the field
	list    bool        // the number of elements is wrong
}

// kindText is the kind of all fields with a text.
const kindText = "text"

// kind returns the kind of what the field contains.
func (p place) kind() string {
	switch {
	case p.list:
		return "list"
	case p.field == nil:
		return ""
	case p.field.Kind != "" && p.field.Kind[0] == '=': // a number that is always the same
		return fmt.Sprintf("uint%d", 4*len(p.field.Kind[1:]))
	case strings.Contains(p.field.KindText(), "text") || strings.HasPrefix(p.field.KindText(), "units"):
		return kindText
	case p.field.Kind == "guid":
		return "bytes"
	}
	return p.field.KindText()
}

// size says whether the field always has the same size; empty if that is not known.
func (p place) size() string {
	if p.field == nil || p.field.Kind == "" {
		return ""
	}
	if _, most := p.field.KindSize(); most == 0 && p.field.Kind[0] != '=' {
		return "runs"
	}
	return "fixed"
}

// key returns a text for the field that is the same for all types of a structure.
func (p place) key() string {
	name := p.name
	if i := strings.IndexByte(name, '<'); i >= 0 {
		name = name[:i] + name[strings.LastIndexByte(name, '>')+1:]
	}
	return name + " " + p.kind()
}

// places finds the places of failures. It keeps what the reference reads of vectors.
type places map[traceKey]*trace

type traceKey struct {
	vector  *corpus.Vector
	profile string
	written bool // the canonical bytes, not the input
}

type trace struct {
	spans []wire.Span
	fault *wire.Error // nil if the bytes are accepted
}

// trace reads the bytes of the vector of a result, as the reference does.
func (p places) trace(r *judge.Result, written bool) *trace {
	key := traceKey{r.Vector, r.Profile.String(), written}
	if p[key] != nil {
		return p[key]
	}
	b := r.Vector.Bytes
	if e := judge.Verdict(r.Vector, r.Profile); written && e != nil && e.Canonical != nil {
		b = e.Canonical
	}
	p[key] = &trace{}
	if b != nil || !r.Vector.EncodeOnly() {
		p[key] = read(r, r.Vector.Context, b)
	}
	return p[key]
}

// read reads bytes as the type of a result, as the reference does.
func read(r *judge.Result, context map[string]string, b []byte) *trace {
	out := &trace{}
	if t, known := codec.Find(r.Vector.Type); known {
		if c, err := t.Bind(wire.Settings{Profile: r.Profile}, context); err == nil {
			_, out.spans, err = c.Trace(b)
			errors.As(err, &out.fault)
		}
	}
	return out
}

// of returns the place of a failure: that of the difference, of what was edited, of the
// expected rejection, or of the actual one.
func (p places) of(r *judge.Result) place {
	t := p.trace(r, r.Class == judge.WrongBytes)
	at := rejection(r.Got).From
	switch {
	case r.Class == judge.WrongTree && r.Difference != nil:
		return t.placeOf(r)
	case r.Class == judge.WrongBytes && r.Difference != nil:
		at, _ = strconv.Atoi(strings.TrimPrefix(r.Difference.Path, "byte "))
	case r.Derived && r.Edit != nil:
		at = r.Edit.At
	case t.fault != nil:
		out := placeAt(r, t.fault.Path, t.fault.Clause)
		if t.fault.Clause != "" {
			out.clauses = []ids.Clause{t.fault.Clause}
		}
		return out
	}
	for _, s := range t.spans {
		if s.Start <= at && at < s.End {
			return placeAt(r, s.Path, s.Clause)
		}
	}
	return place{name: r.Vector.Type}
}

// at returns the span at a path of a tree, or the last one below it, and its path without
// the steps to the value of a part that can have several types: spans do not have them.
// inside is the step to a part of the span.
func (t *trace) at(path string) (found wire.Span, here, inside string) {
	for _, step := range append([]string{""}, tree.Steps(path)...) {
		next := here + step
		if here != "" && step[0] != '[' {
			next = here + "." + step
		}
		below := func(s wire.Span) bool { return next == "" || tree.Below(s.Path, next) }
		switch i := slices.IndexFunc(t.spans, below); {
		case i >= 0:
			here = next
			for ; i < len(t.spans) && below(t.spans[i]); i++ {
				found = t.spans[i]
			}
		case step == "value":
		case found.Path == here:
			return found, here, step
		default:
			return wire.Span{}, next, ""
		}
	}
	return found, here, ""
}

// placeOf returns the place of the difference of a value.
func (t *trace) placeOf(r *judge.Result) place {
	s, here, inside := t.at(r.Difference.Path)
	if strings.HasSuffix(r.Difference.Want, " items") {
		out := placeAt(r, here, "")
		out.list = true
		return out
	}
	out := placeAt(r, cmp.Or(s.Path, here), s.Clause)
	if out.field != nil && out.field.Hidden { // such as the length of what has no bytes
		out = out.beside(r)
	}
	if inside != "" && out.field != nil && out.field.Kind != "" && len(out.field.Structures()) > 0 {
		out.name = out.field.Structures()[0] + "." + inside
	}
	return out
}

// beside returns the next field with a clause of a hidden one that is part of the value.
func (p place) beside(r *judge.Result) place {
	for _, f := range layoutFields()[r.Vector.Family()] {
		if f.layout == p.layout && !f.Hidden && f.Applies(r.Profile) && slices.Contains(f.Clauses, p.clauses[0]) {
			return f.place()
		}
	}
	return p
}

// placeAt returns the field with the longest part of a path, of those with a clause if
// there are such fields.
func placeAt(r *judge.Result, path string, clause ids.Clause) place {
	path = indices.ReplaceAllString(path, "[]")
	best, least := layoutField{}, -1
	for _, f := range layoutFields()[r.Vector.Family()] {
		name := strings.TrimSuffix(f.path, "[]")
		own, cites := f.layout.Name == r.Vector.Type, slices.Contains(f.Clauses, clause)
		switch {
		case !f.Applies(r.Profile), !endsIn(path, f.path) && !endsIn(path, name):
			continue
		case name == "" && !cites && (!own || path != "" || len(f.Parts) > 0):
			continue
		}
		rank := 2 * len(name)
		if own {
			rank++
		}
		if cites {
			rank += 1 << 16
		}
		if rank > least {
			best, least = f, rank
		}
	}
	if least < 0 {
		out := place{name: strings.TrimSuffix(r.Vector.Type+"."+path, ".")}
		if _, ok := spec.FindClause(clause); ok {
			out.clauses = []ids.Clause{clause}
		}
		return out
	}
	return best.place()
}

func (f layoutField) place() place {
	out := place{name: f.layout.Name, layout: f.layout, field: f.Field, clauses: slices.Clone(f.Clauses)}
	for _, b := range f.Bits {
		out.clauses = append(out.clauses, b.Clause)
	}
	if name := strings.TrimSuffix(f.Path, "[]"); name != "" {
		out.name += "." + name
	}
	return out
}

// endsIn reports whether the last steps of a path are those of another path.
func endsIn(path, end string) bool {
	rest, ok := strings.CutSuffix(path, end)
	return ok && (end == "" || rest == "" || strings.HasSuffix(rest, ".") || end[0] == '[')
}

// A layoutField is a field of a layout.
type layoutField struct {
	layout *spec.Layout
	*spec.Field
	path string // without the lengths of lists
}

// layoutFields returns the fields of all layouts, by family.
var layoutFields = sync.OnceValue(func() map[string][]layoutField {
	out := map[string][]layoutField{}
	for _, family := range spec.Families() {
		for _, l := range spec.Layouts(family.Name) {
			for _, f := range l.Fields {
				out[family.Name] = append(out[family.Name], layoutField{l, f, indices.ReplaceAllString(f.Path, "[]")})
			}
		}
	}
	return out
})
