package schema

import (
	"fmt"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/tree"
)

// Text describes the tree of a type for people: each model in a block with a line
// per field or variant, which gives the name, the kind and the clauses. It omits the
// models in known, and adds the others to it; known can be nil.
func (s *Type) Text(known map[string]bool) string {
	var b strings.Builder
	if s.Tree.Kind != ModelPart || s.Tree.Null || known[s.Tree.Model] {
		b.WriteString(s.Tree.String() + "\n")
	}
	for i := range s.Models {
		m := &s.Models[i]
		if known[m.Name] {
			continue
		}
		if known != nil {
			known[m.Name] = true
		}
		rows := m.Fields
		b.WriteString(m.Name)
		switch {
		case m.Kind == tree.OneOfForm:
			b.WriteString(`  {"type": NAME, "value": TREE}, one of`)
			rows = m.Variants
		case len(rows) == 0:
			b.WriteString("  {}, an object without fields")
		}
		b.WriteByte('\n')
		var names, kinds int
		for _, r := range rows {
			names, kinds = max(names, len(r.Name)), max(kinds, min(len(r.String()), kindWidth))
		}
		for _, r := range rows {
			line := fmt.Sprintf("  %-*s  %-*s ", names, r.Name, kinds, r.String())
			for _, c := range r.Clauses {
				line += " " + string(c)
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return b.String()
}

// kindWidth is the greatest width of the column of kinds.
const kindWidth = 44

// String describes a part in a few words, such as "list of upkg.NameEntry".
func (p *Part) String() string {
	s := string(p.Kind)
	switch p.Kind {
	case tree.IntegerForm:
		s = "integer " + p.Number
	case tree.FloatForm:
		s = p.Number
	case tree.BytesForm:
		s = "bytes as hex"
		if p.Length > 0 {
			s = fmt.Sprintf("%d bytes as hex", p.Length)
		}
	case tree.NameForm:
		s = fmt.Sprintf("one of %q", p.Names)
		s = strings.NewReplacer("[", "", "]", "", `" "`, `", "`).Replace(s)
	case tree.ListForm:
		if s = "list"; p.Length > 0 {
			s = fmt.Sprintf("list of %d", p.Length)
		}
		if p.Elements.Kind == ModelPart && p.Length == 0 {
			s += " of " + p.Elements.Model
		} else {
			s += ", each: " + p.Elements.String()
		}
	case ModelPart:
		s = p.Model
	}
	if p.Null {
		s += ", or null"
	}
	return s
}
