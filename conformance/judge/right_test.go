package judge_test

import (
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/testrun"
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
	out := &adapter.OK{}
	var v any
	if q.Op == adapter.OpEncode {
		v, err = tree.Value(t, *q.Tree)
	} else {
		src, _ := hex.DecodeString(*q.Hex)
		v, err = c.Decode(src)
	}
	switch {
	case err != nil:
	case q.Op == adapter.OpDecode:
		var n tree.Node
		n, err = tree.FromModel(v)
		out.Tree = &n
	default:
		var b []byte
		b, err = c.Append(nil, v)
		out.Hex = new(hex.EncodeToString(b))
	}
	switch fault, ok := errors.AsType[*wire.Error](err); {
	case err == nil:
		return adapter.Response{ID: q.ID, OK: out}
	case ok:
		a.Reject.Class, a.Reject.Offset = string(fault.Class), &fault.Offset
	}
	return a
}

// newer returns a reader of what the reference does not support, with some value.
// It reads the inputs of vectors: a derived input with a raised count is not valid.
func newer(vectors []*corpus.Vector) alteration {
	valid := map[string]bool{}
	for _, v := range vectors {
		admits := func(class string) bool {
			return slices.ContainsFunc(v.Expect, func(e corpus.Expectation) bool {
				return e.Class != "" && corpus.Admits(e.Class, class) ||
					e.CanonicalClass != "" && corpus.Admits(e.CanonicalClass, class)
			})
		}
		// Of an input that is too short, a newer reader makes no value either.
		if admits("unsupported") && !admits("truncated") {
			valid[v.Type+hex.EncodeToString(v.Bytes)] = true
		}
	}
	return func(q adapter.Request, a adapter.Response) adapter.Response {
		if a.Reject == nil || a.Reject.Class != "unsupported" || q.Op != adapter.OpDecode || q.Hex != nil && !valid[q.Type+*q.Hex] {
			return a
		}
		return judgetest.Wider(q)
	}
}

// isLimit reports whether a reader that accepts the vector can be wider.
func isLimit(v *corpus.Vector) bool {
	return slices.ContainsFunc(v.Expect, func(e corpus.Expectation) bool {
		return e.Class != "" && (corpus.Admits(e.Class, "limit") || corpus.Admits(e.Class, "unsupported"))
	})
}

// classOnly says only why an input is rejected.
func classOnly(_ adapter.Request, a adapter.Response) adapter.Response {
	if a.Reject != nil {
		a.Reject.Offset = nil
	}
	return a
}

// TestPlantedRight: implementations that work in another way than the reference,
// and that nobody can call wrong, conform with what they declare. Those that only
// lose what a view loses are in TestViewsPlantedRight.
func TestPlantedRight(t *testing.T) {
	vectors := smallVectors(t)
	ref := adapter.NewReference()
	last := profileOf(t, "observed,ka.duplicate-key=last")
	for name, c := range map[string]struct {
		family string // empty: all
		impl   adapter.Implementation
		wider  bool
	}{
		"keeps a map":           {"ka", losing(adapter.NewReferenceUnder(last), lossOf(t, "ka.map"), "ka.map"), false},
		"computes in doubles":   {"", losing(adapter.NewReference(), lossOf(t, "float.values"), "float.values"), false},
		"reads a stream":        {"", &altered{Reference: ref, alter: stream}, false},
		"gives no offsets":      {"", &altered{Reference: ref, alter: classOnly}, false},
		"has no limit":          {"", &altered{Reference: ref, alter: deeper}, true},
		"reads newer engines":   {"", &altered{Reference: ref, alter: newer(vectors)}, true},
		"follows the documents": {"", adapter.NewReferenceUnder(ids.Documented()), false},
	} {
		t.Run(name, func(t *testing.T) {
			var profiles []ids.Profile // in an ordinary run only one
			if !testrun.Exhaustive {
				profiles = []ids.Profile{ids.Observed()}
			}
			r := judgedBy(t, c.impl, vectors, judge.Options{
				Profiles: profiles,
				Filter: func(v *corpus.Vector) bool {
					return (c.family == "" || v.Family() == c.family) && (testrun.Sampled(v.ID, 16) || c.wider && isLimit(v))
				},
			})
			if !r.Conformant() || c.wider != (countReason(r, judge.Limit, judge.Unsupported, judge.NoValue) > 0) || countReason(r, judge.ByChoice) > 0 {
				t.Errorf("%q; %d acceptable, %d by choice", listFailed(r), r.Count(judge.Acceptable),
					countReason(r, judge.ByChoice))
			}
		})
	}
}
