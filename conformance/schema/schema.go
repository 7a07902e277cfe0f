package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Type describes the trees of a type.
type Type struct {
	Type    string            `json:"type"`
	Title   string            `json:"title,omitempty"`   // of the structure
	Context map[string]string `json:"context,omitempty"` // the keys that the type takes, with their defaults
	Tree    Part              `json:"tree"`
	Models  []NamedPart       `json:"models,omitempty"` // all that Tree refers to, in the order of the first use
	Example *Example          `json:"example,omitempty"`
}

// NamedPart is a part with a name: a model, a field of an object, or a variant of a
// one-of.
type NamedPart struct {
	Name    string       `json:"name"`
	Clauses []ids.Clause `json:"clauses,omitempty"` // of a field or variant: those of its bytes in the layout
	Part
}

// Part describes a part of a tree.
type Part struct {
	Kind     tree.FormKind `json:"kind"`
	Null     bool          `json:"null,omitempty"`     // the part can be null, and can be omitted
	Number   string        `json:"number,omitempty"`   // of an integer or float: uint8, int64, float32, ...
	Length   int           `json:"length,omitempty"`   // of bytes or a list, if it is fixed
	Names    []string      `json:"names,omitempty"`    // of a name: all valid ones
	Model    string        `json:"model,omitempty"`    // the name of the model
	Elements *Part         `json:"elements,omitempty"` // of a list
	Fields   []NamedPart   `json:"fields,omitempty"`   // of an object, in their order
	Variants []NamedPart   `json:"variants,omitempty"` // of a one-of
}

// ModelPart is the kind of a part that refers to a model by its name.
const ModelPart tree.FormKind = "model"

// Example is what a vector of the corpus, the typical one of the type, decodes to.
type Example struct {
	Vector  string            `json:"vector"`
	Context map[string]string `json:"context,omitempty"`
	Hex     string            `json:"hex"`
	Tree    tree.Node         `json:"tree"`
}

// Model returns the model with a name, or nil.
func (s *Type) Model(name string) *NamedPart {
	for i := range s.Models {
		if s.Models[i].Name == name {
			return &s.Models[i]
		}
	}
	return nil
}

// schemas has the results of [Of].
var schemas sync.Map

// Of describes the trees of a type: its parts follow from the model, the clauses from
// its layout. The result is shared.
func Of(t *codec.Type) *Type {
	if s, known := schemas.Load(t); known {
		return s.(*Type)
	}
	s := &Type{Type: t.Name, Context: t.Context}
	if structure, ok := spec.FindStructure(t.Structure()); ok {
		s.Title = structure.Title
	}
	s.Tree = s.part(tree.Whole(t, nil).Form)
	s.cite()
	s.exemplify(t)
	schemas.Store(t, s)
	return s
}

func (s *Type) part(f *tree.Form) Part {
	switch f.Kind {
	case tree.ListForm:
		elements := s.part(f.Elements)
		return Part{Kind: f.Kind, Length: f.Length, Elements: &elements}
	case tree.ObjectForm, tree.OneOfForm:
		if s.Model(f.Model) == nil {
			i := len(s.Models)
			s.Models = append(s.Models, NamedPart{Name: f.Model}) // before its parts: they may refer to it
			p := s.model(f)
			s.Models[i].Part = p
		}
		return Part{Kind: ModelPart, Model: f.Model}
	}
	return Part{Kind: f.Kind, Number: f.Number, Length: f.Length, Names: f.Names()}
}

func (s *Type) model(f *tree.Form) Part {
	var parts []NamedPart
	for _, p := range f.Parts {
		named := NamedPart{Name: p.Name, Part: s.part(p.Form)}
		named.Null = p.Null
		parts = append(parts, named)
	}
	if f.Kind == tree.OneOfForm {
		return Part{Kind: f.Kind, Variants: parts}
	}
	return Part{Kind: f.Kind, Fields: parts}
}

// exemplify adds the example: the vector of the type that is typical.
func (s *Type) exemplify(t *codec.Type) {
	vectors, err := corpus.Of(t.Name)
	if err != nil {
		return
	}
	for _, v := range vectors {
		if !v.Typical {
			continue
		}
		if n, err := tree.ParseVector(v.Select(ids.Observed()).Tree); err == nil {
			s.Example = &Example{v.ID, v.Context, fmt.Sprintf("%x", v.Bytes), n}
		}
	}
}

// A spot is a part of the tree, with the field or variant that it belongs to, if any.
type spot struct {
	Part
	owner *NamedPart
}

// resolve returns what spots can be: of a model its part, of a one-of also its variants.
func (s *Type) resolve(spots []spot) (out []spot) {
	for _, at := range spots {
		at.Part = s.resolved(at.Part)
		out = append(out, at)
		for i := range at.Variants {
			v := &at.Variants[i]
			out = append(out, s.resolve([]spot{{v.Part, v}})...)
		}
	}
	return out
}

// resolved returns the part of a model, and other parts as they are.
func (s *Type) resolved(p Part) Part {
	if p.Kind == ModelPart {
		p = s.Model(p.Model).Part
	}
	return p
}

// step returns what a step of a path leads to: a name, or an element.
func step(spots []spot, name string) (out []spot) {
	for _, at := range spots {
		switch {
		case name[0] == '[' && at.Kind == tree.ListForm:
			out = append(out, spot{*at.Elements, at.owner})
		case name[0] == '[' && at.Kind == tree.BytesForm: // an array of uint8
			out = append(out, spot{Part{Kind: tree.IntegerForm}, at.owner})
		case name == "type" && at.Kind == tree.OneOfForm:
			out = append(out, spot{Part{Kind: tree.NameForm}, at.owner})
		case slices.Contains([]string{"s", "text", "bytes"}, name) && (at.Kind == tree.TextForm || at.Kind == tree.BytesForm):
			out = append(out, at) // the tree of a text alone is the text
		}
		for i := range at.Fields {
			if f := &at.Fields[i]; f.Name == name {
				out = append(out, spot{f.Part, f})
			}
		}
	}
	return out
}

// variants returns the variants of spots with the name of a layout, or the spots
// themselves if there is none.
func (s *Type) variants(spots []spot, layout string) (out []spot) {
	_, name, _ := strings.Cut(layout, ".")
	for _, at := range spots {
		list := s.resolved(at.Part).Variants
		for i := range list {
			if strings.EqualFold(strings.ReplaceAll(list[i].Name, "_", ""), name) {
				out = append(out, spot{list[i].Part, &list[i]})
			}
		}
	}
	if len(out) == 0 {
		return spots
	}
	return out
}

// walk visits the fields of a layout, and those of the layouts of its fields, with the
// spots to which their paths lead: from the variants that have the name of the layout, or
// else from all spots around it, or else those themselves.
func (s *Type) walk(
	l *spec.Layout, around []spot, seen map[string]bool, visit func(f *spec.Field, in []spot, found bool),
) {
	key := l.Name
	for _, at := range around {
		key += fmt.Sprintf(" %p %s %p %p", at.owner, at.Model, at.Fields, at.Variants)
	}
	if seen[key] {
		return
	}
	seen[key] = true
	for _, f := range l.Fields {
		in := s.follow(s.variants(around, l.Name), f.Path)
		if len(in) == 0 {
			in = s.follow(around, f.Path)
		}
		if len(in) == 0 {
			visit(f, s.variants(around, l.Name), false)
			continue
		}
		if of := slices.DeleteFunc(slices.Clone(in), func(at spot) bool {
			return !slices.Contains(f.Parts, at.Model) && (at.Kind != tree.BooleanForm || !strings.HasPrefix(f.Kind, "bool"))
		}); len(of) > 0 { // the lists of variants whose elements the field can be
			in = of
		}
		visit(f, s.variants(in, l.Name), true)
		for _, name := range f.Parts {
			if part, ok := spec.FindLayout(name); ok {
				s.walk(part, in, seen, visit)
			}
		}
	}
}

// follow returns what a path from spots leads to.
func (s *Type) follow(spots []spot, path string) []spot {
	for _, name := range tree.Steps(path) {
		spots = step(s.resolve(spots), name)
	}
	return spots
}

// cite adds the clauses of the layout of a type to fields and variants.
func (s *Type) cite() {
	l, _ := spec.FindLayout(s.Type)
	s.walk(l, []spot{{Part: s.Tree}}, map[string]bool{}, func(f *spec.Field, in []spot, _ bool) {
		for _, at := range in {
			if at.owner == nil {
				continue
			}
			for _, c := range f.Clauses {
				if i, found := slices.BinarySearchFunc(at.owner.Clauses, c, compareClauses); !found {
					at.owner.Clauses = slices.Insert(at.owner.Clauses, i, c)
				}
			}
		}
	})
}

// compareClauses orders UPKG-CI-9 before UPKG-CI-10.
func compareClauses(a, b ids.Clause) int {
	i, j := strings.LastIndex(string(a), "-"), strings.LastIndex(string(b), "-")
	return cmp.Or(cmp.Compare(a[:i], b[:j]), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
