package judge_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/corpus"
)

// compact leaves the vectors of one structure, and a long one.
func compactIndexVectors(vectors []*corpus.Vector) []*corpus.Vector {
	var out []*corpus.Vector
	for _, v := range vectors {
		if v.Structure() == "upkg.CompactIndex" || v.Type == "upkg.Name" && len(v.Bytes) > 4096 {
			out = append(out, v)
		}
	}
	return out
}

func protocolSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	for _, part := range []string{"tree", "request", "response"} {
		text, err := fs.ReadFile(adapter.Schemas, "schema/"+part+".json")
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource("urn:formatgauge:schema:protocol:1:"+part, doc); err != nil {
			t.Fatal(err)
		}
	}
	return c.MustCompile("urn:formatgauge:schema:protocol:1:" + name)
}

// An adapter that keeps to the protocol is told so, whatever else is wrong
// with it; one that does not is told what it does wrong, and the exchange is
// what the schemas say or the reason why it is wrong.
func TestSmoke(t *testing.T) {
	want := map[string]string{ // mode: the step, and what is said of it
		"crashes-always": "reads a value: it crashes: it ended: exit status 3; its last words: segmentation fault",
		"hangs-always":   "reads a value: it hangs: no answer within",
		"no-newline":     "reads a value: it hangs: no answer within 500ms; it wrote \"{",
		"garbage":        "reads a value: it does not keep to the protocol",
		"errors":         "reads a value: it answers error",
		"two-parts":      "reads a value: it does not keep to the protocol: an answer has exactly one of",
		"no-part":        "reads a value: it does not keep to the protocol: an answer has exactly one of",
		"unknown-class":  "refuses what is cut short: it does not keep to the protocol: there is no class",
		"unknown-field":  `refuses what is cut short: it does not keep to the protocol: reject: there is no field "ofset"`,
		"disorder":       "reads a value: it hangs",
		"guesses":        "reads a value: it does not keep to the protocol",
		"accepts":        "reads a value: the tree does not have the form of",
		"numbers":        "reads a value: it does not keep to the protocol: ok: tree: 63 is a JSON number; numbers are strings",
		"hello-garbage":  "introduces itself: it does not keep to the protocol: asked for hello",
		"hello-version":  `introduces itself: it does not keep to the protocol: asked for hello: the adapter speaks protocol "0.9"`,
		"hello-silent":   "introduces itself: it hangs: asked for hello: no answer within",
		"hello-dies":     "introduces itself: it crashes: asked for hello: it ended: exit status 127; its last words: cannot find my shared library",
		"hello-no-types": "introduces itself: it does not keep to the protocol: asked for hello: hello: types: want an array",
		"shape":          "skips a type that it does not have: a type that there is not is answered",
		"rejects":        "skips a type that it does not have: a type that there is not is answered",
	}
	fine := []string{"right", "right-on-stderr", "right-with-spaces", "right-by-structure", "off-by-one", "wrong-class", "pads", "skips", "hangs-nth"}
	requests, responses := protocolSchema(t, "request"), protocolSchema(t, "response")
	vectors := allVectors(t)
	try := func(t *testing.T, mode string) []judge.Step {
		steps, err := judge.Smoke(t.Context(), judgetest.Command(mode), adapter.Options{Timeout: 500 * time.Millisecond, HelloTimeout: 3 * time.Second}, compactIndexVectors(vectors))
		if err != nil {
			t.Fatal(err)
		}
		return steps
	}
	for mode, text := range want {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			var said []string
			found := false
			for _, s := range try(t, mode) {
				if s.Fault != "" {
					said = append(said, s.Name+": "+s.Fault)
					found = found || strings.HasPrefix(s.Name+": "+s.Fault, text)
					if len(s.Exchange) == 0 {
						t.Errorf("%s: the exchange is not shown", s.Name)
					}
				}
			}
			if !found {
				t.Errorf("it is not told\n%s\nbut\n%s", text, strings.Join(said, "\n"))
			}
		})
	}
	for _, mode := range fine {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			n := 0
			for _, s := range try(t, mode) {
				if s.Fault != "" {
					t.Errorf("%s: %s", s.Name, s.Fault)
				}
				for _, l := range s.Exchange {
					n++
					schema := responses
					if l.Sent {
						schema = requests
					}
					doc, err := jsonschema.UnmarshalJSON(strings.NewReader(l.Text))
					if err != nil || schema.Validate(doc) != nil {
						t.Errorf("%s: %v %v", l.Text, err, schema.Validate(doc))
					}
				}
			}
			if n < 60 {
				t.Errorf("%d lines were exchanged", n)
			}
		})
	}
	whole := fmt.Sprintf(": %d types, ", len(codec.Types()))
	for mode, note := range map[string]string{
		"right": whole, "right-by-structure": whole, "right-and-more": "types that nobody asks for: ubi.Arrays, ubi.Array<Vector9>; ",
	} {
		if first := try(t, mode)[0]; !strings.Contains(first.Note, note) {
			t.Errorf("%s: the note is %q", mode, first.Note)
		}
	}
	if _, err := judge.Smoke(t.Context(), []string{"no-such-adapter"}, adapter.Options{}, vectors); err == nil {
		t.Error("a command that there is not is run")
	}
}
