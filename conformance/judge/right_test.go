package judge_test

import (
	"encoding/hex"
	"errors"
	"math"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// stream does not know how many bytes remain: it notices a length or count that
// exceeds the input, and a field that is cut, at the end of the input.
func stream(q adapter.Request, a adapter.Response) adapter.Response {
	if a.Reject != nil && a.Reject.Class == "truncated" && q.Hex != nil {
		a.Reject.Offset = new(len(*q.Hex) / 2)
	}
	return a
}

// deeper reads and writes any number of levels.
func deeper(q adapter.Request, a adapter.Response) adapter.Response {
	if a.Reject == nil || a.Reject.Class != "limit" {
		return a
	}
	p, _ := ids.ParseProfile(q.Profile)
	t, _ := codec.Find(q.Type)
	c, err := t.Bind(wire.Settings{Profile: p, Limits: wire.Limits{MaxDepth: math.MaxInt}}, q.Context)
	if err != nil {
		panic(err)
	}
	v := t.New()
	out := &adapter.OK{}
	if q.Op == adapter.OpEncode {
		err = tree.ToModel(*q.Tree, v)
		v = codec.Deref(v)
	} else {
		src, _ := hex.DecodeString(*q.Hex)
		v, err = c.Decode(src)
	}
	if err == nil && q.Op == adapter.OpDecode {
		var n tree.Node
		n, err = tree.FromModel(v)
		out.Tree = &n
	} else if err == nil {
		var b []byte
		b, err = c.Append(nil, v)
		text := hex.EncodeToString(b)
		out.Hex = &text
	}
	var fault *wire.Error
	switch {
	case err == nil:
		return adapter.Response{ID: q.ID, OK: out}
	case errors.As(err, &fault):
		a.Reject.Class, a.Reject.Offset = string(fault.Class), &fault.Offset
	}
	return a
}

// newer reads everything that the reference does not support, as some value.
func newer(q adapter.Request, a adapter.Response) adapter.Response {
	if a.Reject == nil || a.Reject.Class != "unsupported" {
		return a
	}
	t, _ := codec.Find(q.Type)
	n, _ := tree.FromModel(codec.Deref(t.New()))
	text := "00"
	if q.Op == adapter.OpDecode {
		return adapter.Response{ID: q.ID, OK: &adapter.OK{Tree: &n}}
	}
	return adapter.Response{ID: q.ID, OK: &adapter.OK{Hex: &text}}
}

// classOnly says only why an input is rejected.
func classOnly(_ adapter.Request, a adapter.Response) adapter.Response {
	if a.Reject != nil {
		a.Reject.Offset = nil
	}
	return a
}

// TestPlantedRight: implementations that work in another way than the reference,
// and that nobody can call wrong, conform with what they declare.
func TestPlantedRight(t *testing.T) {
	altering := func(alter func(adapter.Request, adapter.Response) adapter.Response) adapter.Implementation {
		return &altered{Reference: adapter.NewReference(), alter: alter}
	}
	for name, c := range map[string]struct {
		family string
		impl   adapter.Implementation
	}{
		"stream":  {"", altering(stream)},
		"deeper":  {"", altering(deeper)},
		"newer":   {"", altering(newer)},
		"offsets": {"", altering(classOnly)},
		"documented": {"", adapter.NewReferenceUnder(ids.Documented())},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := judge.Run(t.Context(), c.impl, allVectors(t), judge.Options{
				Filter: func(v *corpus.Vector) bool { return c.family == "" || v.Family() == c.family },
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Results {
				if res := &r.Results[i]; res.Status.Failed() {
					t.Errorf("%s under %s: %s %s %s", res.ID, res.Profile, res.Op, res.Class, res.Detail)
				}
			}
		})
	}
}
