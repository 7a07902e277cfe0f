// Package schematest compares JSON with JSON schemas in tests. The validator is
// independent of this module.
package schematest

import (
	"bytes"
	"cmp"
	"io/fs"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Compile returns the schema with a text. It may refer to others by their $id.
func Compile(t testing.TB, text []byte, others ...[]byte) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	name := ""
	for _, text := range append(others, text) {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		id, _ := doc.(map[string]any)["$id"].(string)
		name = cmp.Or(id, "urn:schema") // no address of a file, in which blanks are escaped
		if err := c.AddResource(name, doc); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// Protocol returns the schema of requests or of responses, from the schemas of the adapter.
func Protocol(t testing.TB, schemas fs.FS, name string) *jsonschema.Schema {
	t.Helper()
	tree, err1 := fs.ReadFile(schemas, "schema/tree.json")
	text, err2 := fs.ReadFile(schemas, "schema/"+name+".json")
	if err := cmp.Or(err1, err2); err != nil {
		t.Fatal(err)
	}
	return Compile(t, text, tree)
}

// Validate returns the value of a JSON text, and whether it matches a schema.
func Validate[T string | []byte](schema *jsonschema.Schema, text T) (any, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err == nil {
		err = schema.Validate(v)
	}
	return v, err
}

// Check returns the value of a JSON text. If the text does not match a schema, the test fails
// with the names of what the text is of, and the value is nil.
func Check[T string | []byte](t testing.TB, schema *jsonschema.Schema, text T, of ...any) any {
	t.Helper()
	v, err := Validate(schema, text)
	if err != nil {
		t.Errorf("%v: %v\n%s", of, err, text)
		return nil
	}
	return v
}
