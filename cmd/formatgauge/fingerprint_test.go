package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
)

// The output of --json matches its schema, also for wrong adapters.
func TestFingerprintSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(fingerprintSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("fingerprint.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("fingerprint.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"right", "shape", "rejects", "crashes-nth", "garbage", "undeclared-flag", "off-by-one", "errors", "skips"} {
		var out, errOut bytes.Buffer
		args := append([]string{"fingerprint", "--run", "upkg", "--json", "--"}, judgetest.Command(mode)...)
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
