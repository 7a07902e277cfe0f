package schema

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/tree"
)

// JSONSchema returns the JSON Schema of the trees of the type, as a value for package
// encoding/json. It does not limit the size of integers.
func (s *Type) JSONSchema() any {
	out := s.Tree.jsonSchema()
	out["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	out["title"] = "Formatgauge: a tree of the type " + s.Type
	if s.Title != "" {
		out["description"] = s.Title
	}
	defs := object{}
	for _, m := range s.Models {
		defs[m.Name] = m.jsonSchema()
	}
	if len(defs) > 0 {
		out["$defs"] = defs
	}
	return out
}

type object = map[string]any

// The forms of numbers.
const (
	unsignedForm = `^(0|[1-9][0-9]*)$`
	signedForm   = `^(0|-?[1-9][0-9]*)$`
	floatForm    = `^([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|-?inf|nan(:[0-9a-fA-F]{%d})?)$`
)

func (p *Part) jsonSchema() object {
	if p.Null {
		q := *p
		q.Null = false
		return object{"anyOf": []object{q.jsonSchema(), {"type": "null"}}}
	}
	text := func(form string) object { return object{"type": "string", "pattern": form, "description": p.Number} }
	switch p.Kind {
	case tree.BooleanForm:
		return object{"type": "boolean"}
	case tree.IntegerForm:
		if strings.HasPrefix(p.Number, "u") {
			return text(unsignedForm)
		}
		return text(signedForm)
	case tree.FloatForm:
		return text(fmt.Sprintf(floatForm, map[string]int{"float32": 8, "float64": 16}[p.Number]))
	case tree.TextForm:
		bytes := closed([]string{"hex"}, object{"hex": hexForm(0)})
		return object{"anyOf": []object{{"type": "string"}, bytes}}
	case tree.BytesForm:
		return hexForm(p.Length)
	case tree.NameForm:
		return object{"enum": p.Names}
	case tree.ListForm:
		out := object{"type": "array", "items": p.Elements.jsonSchema()}
		if p.Length > 0 {
			out["minItems"], out["maxItems"] = p.Length, p.Length
		}
		return out
	case tree.ObjectForm:
		required, properties := []string{}, object{}
		for i := range p.Fields {
			f := &p.Fields[i]
			properties[f.Name] = f.jsonSchema()
			if !f.Null {
				required = append(required, f.Name)
			}
		}
		return closed(required, properties)
	case tree.OneOfForm:
		// Not oneOf: validators would report the faults of all variants.
		var names []string
		var variants []object
		for i := range p.Variants {
			v := &p.Variants[i]
			names = append(names, v.Name)
			variants = append(variants, object{
				"if":   object{"properties": object{"type": object{"const": v.Name}}},
				"then": object{"properties": object{"value": v.jsonSchema()}},
			})
		}
		out := closed([]string{"type", "value"}, object{"type": object{"enum": names}, "value": true})
		out["allOf"] = variants
		return out
	}
	return object{"$ref": "#/$defs/" + url.PathEscape(p.Model)}
}

// hexForm is the JSON Schema of bytes, of any number if length is 0.
func hexForm(length int) object {
	times := "*"
	if length > 0 {
		times = fmt.Sprintf("{%d}", length)
	}
	return object{"type": "string", "pattern": "^([0-9a-f]{2})" + times + "$", "description": "bytes in hex"}
}

// closed is the JSON Schema of an object without other fields.
func closed(required []string, properties object) object {
	return object{"type": "object", "required": required, "properties": properties, "additionalProperties": false}
}
