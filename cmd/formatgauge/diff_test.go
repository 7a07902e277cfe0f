package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
)

// The output of --json matches its schema, also for wrong adapters.
func TestDiffSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(diffSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("diff.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("diff.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"right", "shape", "crashes-on", "crashes-nth", "garbage-on", "undeclared-flag", "errors", "skips", "crashes-always"} {
		var out, errOut bytes.Buffer
		args := append([]string{"diff", "upkg.CompactIndex", "ubi.Vector3", "--count", "300", "--json", "--out", t.TempDir(), "--"}, judgetest.Command(mode)...)
		run(args, strings.NewReader(""), &out, &errOut)
		v, err := jsonschema.UnmarshalJSON(&out)
		if err == nil {
			err = schema.Validate(v)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", mode, err, &errOut)
		}
	}
}
