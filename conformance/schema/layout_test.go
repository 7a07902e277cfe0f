package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestLayouts: each type has a layout, its fields are those of the tree, and no vector
// that a profile accepts has another size than the layout gives.
func TestLayouts(t *testing.T) {
	fixed := 0
	for _, typ := range codec.Types() {
		l, ok := spec.FindLayout(typ.Name)
		if !ok {
			t.Errorf("%s has no layout", typ.Name)
			continue
		}
		s := schema.Of(typ)
		c := &layoutCheck{T: t, schema: s, seen: map[string]bool{}}
		c.layout(l, []schema.Part{s.Tree})
		vectors, err := corpus.Of(typ.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []ids.Profile{ids.Observed(), ids.Documented()} {
			least, most := l.Size(p)
			if least == most && most > 0 {
				fixed++
			}
			for _, v := range vectors {
				if e := v.Select(p); e == nil || e.Outcome == corpus.Reject || v.EncodeOnly() {
					continue
				}
				if n := len(v.Bytes); n < least || most > 0 && n > most {
					t.Errorf("%s under %s: %s has %d bytes, the layout from %d to %d (0: any)", typ.Name, p, v.ID, n, least, most)
				}
			}
		}
	}
	if fixed < 80 {
		t.Errorf("only %d types have a fixed size, counted under both profiles", fixed)
	}
}

// layoutCheck compares a layout with the schema of a type.
type layoutCheck struct {
	*testing.T
	schema *schema.Type
	seen   map[string]bool
}

// resolve returns what parts can be: of a model its part, of a one-of its variants.
func (c *layoutCheck) resolve(parts []schema.Part) (out []schema.Part) {
	for _, p := range parts {
		if p.Kind == schema.ModelPart {
			p = c.schema.Model(p.Model).Part
		}
		out = append(out, p)
		for _, v := range p.Variants {
			out = append(out, c.resolve([]schema.Part{v.Part})...)
		}
	}
	return out
}

// layout checks the fields of a layout inside of parts, one of which has them.
func (c *layoutCheck) layout(l *spec.Layout, around []schema.Part) {
	key := l.Name
	for _, p := range around {
		key += "|" + p.String()
	}
	if c.seen[key] {
		return
	}
	c.seen[key] = true
	for _, f := range l.Fields {
		in := around
		for _, step := range tree.Steps(f.Path) {
			in = c.step(c.resolve(in), step)
		}
		if found := len(in) > 0; found == f.Hidden {
			c.Errorf("%s: in the tree: %t, in parentheses: %t: %s", c.schema.Type, found, f.Hidden, f.Line)
		}
		for _, name := range f.Parts {
			if part, ok := spec.FindLayout(name); !ok {
				c.Errorf("%s has no layout", name)
			} else if !f.Hidden {
				c.layout(part, in)
			}
		}
	}
}

// step returns what a name or [] leads to.
func (c *layoutCheck) step(parts []schema.Part, step string) (out []schema.Part) {
	for _, p := range parts {
		switch {
		case step[0] == '[' && p.Kind == schema.ListPart:
			out = append(out, *p.Elements)
		case step[0] == '[' && p.Kind == schema.BytesPart: // an array of uint8
			out = append(out, schema.Part{Kind: schema.IntegerPart})
		case p.Kind == schema.OneOfPart && step == "type":
			out = append(out, schema.Part{Kind: schema.NamePart})
		case slices.Contains([]string{"s", "text", "bytes"}, step) &&
			(p.Kind == schema.TextPart || p.Kind == schema.BytesPart):
			out = append(out, p) // the tree of a text alone is the text
		}
		for _, f := range p.Fields {
			if f.Name == step && !strings.HasPrefix(step, "[") {
				out = append(out, f.Part)
			}
		}
	}
	return out
}
