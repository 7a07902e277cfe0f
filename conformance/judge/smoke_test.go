package judge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/schematest"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

// TestSmoke checks that an adapter that keeps to the protocol passes, whatever
// its other faults, that each violation is named, by a few vectors, and that the exchange
// matches the schemas unless it is the violation.
func TestSmoke(t *testing.T) {
	t.Parallel()
	want := map[string]string{ // by mode: the step and its fault, or a line for each of several
		"crashes-always":  "decode: crash: the process ended: exit status 3; stderr: segmentation fault",
		"hangs-always":    "decode: timeout: no answer within",
		"no-newline":      "decode: timeout: no answer within 2s; received \"{",
		"garbage":         "decode: protocol violation",
		"errors":          "decode: the answer is error",
		"errors-on-files": "input in a file: the answer is error: no space; an input of more than 16384 bytes is sent as the path of a file",
		"two-parts":       "decode: protocol violation: expected exactly one of",
		"no-part":         "decode: protocol violation: expected exactly one of",
		"unknown-class":   "decode truncated input: protocol violation: unknown class",
		"unknown-field":   `decode truncated input: protocol violation: reject: unknown field "ofset"`,
		"disorder":        "decode: timeout",
		"answers-early":   "decode: protocol violation",
		"accepts":         "decode: the tree does not match\nunknown type: the answer to an unknown type must be skip",
		"numbers":         "decode: protocol violation: ok: tree: expected a string, found the JSON number 63; numbers are strings",
		"hello-garbage":   "hello: protocol violation: hello request",
		"hello-version":   `hello: protocol violation: hello request: hello: expected protocol "1", got "0.9"`,
		"hello-silent":    "hello: timeout: hello request: no answer within",
		"hello-dies":      "hello: crash: hello request: the process ended: exit status 127; stderr: cannot find my shared library",
		"hello-no-types":  "hello: protocol violation: hello request: hello: types: expected an array",
		"pads":            "decode truncated input: the reader does not stop where its input ends: it accepts the input",
		"off-by-one":      "each listed type: no valid value of upkg.CompactIndex is read or written correctly",
		"rejects":         "unknown type: the answer to an unknown type must be skip",
	}
	ofReader := []string{"crashes-always", "off-by-one", "pads"}
	whole := fmt.Sprintf(": types: %d, ", len(codec.Types()))
	fine := map[string]string{ // by mode: what the note of the first step contains
		"right": whole, "right-by-structure": whole, "right-and-more": "unknown types in hello: ubi.Arrays, ubi.Array<Vector9>; ",
		"right-on-stderr": "", "right-with-spaces": "", "wrong-class": "", "errors-below-64": "", "skips": "", "hangs-nth": "",
	}
	requests, responses := schematest.Protocol(t, adapter.Schemas, "request"), schematest.Protocol(t, adapter.Schemas, "response")
	vectors := only(corpustest.All(t), func(v *corpus.Vector) bool { // of one structure, and a long one
		return v.Structure() == "upkg.CompactIndex" || v.Type == "upkg.Name" && len(v.Bytes) > 4096
	})
	few := only(vectors, func(v *corpus.Vector) bool {
		return v.ID == "upkg/CompactIndex/63-fills-one-byte" || isSmall(v) && sampled(v)
	})
	try := func(t *testing.T, mode string, vectors []*corpus.Vector) []judge.Step {
		opts := adapter.Options{Timeout: testrun.Answer, HelloTimeout: testrun.Answer}
		switch {
		case mode == "hello-silent":
			opts.HelloTimeout = time.Second
		case mode == "hangs-nth" || strings.Contains(want[mode], "timeout"):
			opts.Timeout = 2 * time.Second
		}
		steps, err := judge.Smoke(t.Context(), judgetest.Command(mode), opts, vectors)
		if err != nil {
			t.Fatal(err)
		}
		return steps
	}
	for mode, text := range want {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			var said []string
			missing := strings.Split(text, "\n")
			for _, s := range try(t, mode, few) {
				if s.Fault == "" {
					continue
				}
				fault := s.Name + ": " + s.Fault
				said = append(said, fault)
				before := len(missing)
				missing = slices.DeleteFunc(missing, func(text string) bool { return strings.HasPrefix(fault, text) })
				if len(missing) < before && s.OfReader != slices.Contains(ofReader, mode) || len(s.Exchange) == 0 {
					t.Errorf("%s: of the reader %v, %d lines were exchanged", fault, s.OfReader, len(s.Exchange))
				}
			}
			if len(missing) > 0 {
				t.Errorf("missing faults\n%s\ngot\n%s", strings.Join(missing, "\n"), strings.Join(said, "\n"))
			}
		})
	}
	for mode, note := range fine {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			n := 0
			steps := try(t, mode, vectors)
			if !strings.Contains(steps[0].Note, note) {
				t.Errorf("the note is %q", steps[0].Note)
			}
			for _, s := range steps {
				if s.Fault != "" {
					t.Errorf("%s: %s", s.Name, s.Fault)
				}
				for _, l := range s.Exchange {
					n++
					schema := responses
					if l.Sent {
						schema = requests
					}
					schematest.Check(t, schema, l.Text)
				}
			}
			if n < 60 {
				t.Errorf("%d lines were exchanged, expected at least 60", n)
			}
		})
	}
	if _, err := judge.Smoke(t.Context(), []string{"no-such-adapter"}, adapter.Options{}, vectors); err == nil {
		t.Error("Smoke accepts a command that does not exist")
	}
}
