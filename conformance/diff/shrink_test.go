package diff

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// shrinkTo shrinks an input as long as keep returns true. It returns the number
// of tries.
func shrinkTo(t *testing.T, in Input, keep func(Input) bool) (Input, int) {
	t.Helper()
	asked := 0
	s := &shrinker{
		in: in, profile: ids.Observed(), batch: 4,
		firstKept: func(ins []Input) int {
			asked += len(ins)
			return slices.IndexFunc(ins, keep)
		},
	}
	if s.run(); !keep(s.in) {
		t.Fatalf("the result %x does not satisfy the condition", s.in.Bytes)
	}
	return s.in, asked
}

func TestShrinkBytes(t *testing.T) {
	long := append(bytes.Repeat([]byte{7, 8, 9}, 40), 0x81, 5, 5, 0x42, 6)
	for _, c := range []struct {
		name string
		keep func(Input) bool
		want string
	}{
		{"anything", func(Input) bool { return true }, ""},
		{"one byte", func(in Input) bool { return bytes.Contains(in.Bytes, []byte{0x42}) }, "\x42"},
		{"two bytes apart", func(in Input) bool {
			i := bytes.IndexByte(in.Bytes, 0x81)
			return i >= 0 && bytes.IndexByte(in.Bytes[i:], 0x42) > 0
		}, "\x81\x42"},
		{"a length", func(in Input) bool { return len(in.Bytes) > 4 }, "\x00\x00\x00\x00\x00"},
		{"a bound", func(in Input) bool { return len(in.Bytes) > 0 && in.Bytes[len(in.Bytes)-1] >= 5 }, "\x05"},
	} {
		got, asked := shrinkTo(t, Input{Type: types(t, "upkg.Integer<uint8>")[0], Bytes: long}, c.keep)
		if string(got.Bytes) != c.want || asked > 2000 {
			t.Errorf("%s: %x after %d inputs, want %x", c.name, got.Bytes, asked, c.want)
		}
	}
}

// TestShrinkParts: elements are removed together with counts, and texts with
// lengths, so that the reference still accepts the input.
func TestShrinkParts(t *testing.T) {
	accepted := func(in Input) bool {
		c, err := in.Type.Bind(wire.Settings{}, in.Context)
		if err == nil {
			_, err = c.Decode(in.Bytes)
		}
		return err == nil
	}
	for _, c := range []struct{ typ, in, has, want string }{
		{
			"ubi.Array<BasicString>",
			"\x03\x00\x00\x00" + "\x05\x00\x00\x00hello" + "\x09\x00\x00\x00remaining" + "\x01\x00\x00\x00x",
			"m", "\x01\x00\x00\x00" + "\x01\x00\x00\x00m",
		},
		{
			"ubi.PairArray<uint32,uint32>",
			"\x02\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x63\x00\x00\x00",
			"\x63", "\x01\x00\x00\x00\x00\x00\x00\x00\x63\x00\x00\x00",
		},
		// The length counts units of two bytes.
		{"ubi.BasicWString", "\x05\x00\x00\x00h\x00e\x00m\x00l\x00o\x00", "m", "\x03\x00\x00\x00\x00\x00\x00\x00m\x00"},
	} {
		got, _ := shrinkTo(t, Input{Type: types(t, c.typ)[0], Bytes: []byte(c.in)},
			func(in Input) bool { return accepted(in) && strings.Contains(string(in.Bytes), c.has) })
		if string(got.Bytes) != c.want {
			t.Errorf("%s: %q, want %q", c.typ, got.Bytes, c.want)
		}
	}
}

// TestShrinkContext: keys of the context that are not needed are removed, and a list of
// names is shortened to the names that are needed.
func TestShrinkContext(t *testing.T) {
	for _, c := range []struct {
		typ, key, value, needed string
		bytes                   int
	}{
		{"ubi.Vector2", "order", "big", "", 8},
		{"ubi.Vector2", "order", "big", "big", 0},
		{"uasset.FName", "names", "None|a|b|c|d|e|f", "None|a|b", 8},
	} {
		context := map[string]string{c.key: c.value}
		got, _ := shrinkTo(t, Input{Type: types(t, c.typ)[0], Bytes: make([]byte, 8), Context: context}, func(in Input) bool {
			return len(in.Bytes) >= c.bytes && strings.HasPrefix(in.Context[c.key], c.needed)
		})
		if got.Context[c.key] != c.needed || len(got.Bytes) != c.bytes || context[c.key] != c.value {
			t.Errorf("%+v: %d bytes, the context is %v, it was %v", c, len(got.Bytes), got.Context, context)
		}
	}
}

// TestShrinkReading: an input whose difference a side of a flag explains does not become a
// simpler one for which no side does, although the answers differ in the same way.
func TestShrinkReading(t *testing.T) {
	a := changed{adapter.NewReference(), func(q adapter.Request, a *adapter.Response) {
		if *q.Hex == "80" || *q.Hex == "00" { // -0, as under upkg.ci-minus-zero=strict, and 0
			*a = adapter.Response{Reject: &adapter.Reject{Class: "noncanonical", Offset: new(0)}}
		}
	}}
	r := &run{
		impls: [2]adapter.Implementation{a, adapter.NewReference()}, ref: adapter.NewReference(),
		report: &Report{Profile: ids.Observed()},
	}
	in := NewInput(types(t, "upkg.CompactIndex")[0], []byte{0x80}, nil)
	g := &group{best: r.ask(t.Context(), []Input{in})[0]}
	if r.shrink(t.Context(), g, ""); string(g.best.in.Bytes) != "\x80" {
		t.Errorf("the input becomes %x, with the readings %v", g.best.in.Bytes, r.readings(g.best, 1))
	}
}

// TestShrinkStops: a shrinker that must stop keeps its input.
func TestShrinkStops(t *testing.T) {
	left := 10
	s := &shrinker{
		in: Input{Type: types(t, "ubi.BasicString")[0], Bytes: make([]byte, 100)}, profile: ids.Observed(), batch: 1,
		firstKept: func(ins []Input) int {
			if left -= len(ins); left < 0 {
				return stopShrinking
			}
			return noInput
		},
	}
	s.run()
	if !s.stopped || len(s.in.Bytes) != 100 {
		t.Errorf("%+v", s)
	}
}

// TestSpanPath: a value with a type has an additional step in the path of a tree.
func TestSpanPath(t *testing.T) {
	n := mustParse(
		`{"children": [{"key": {"type": "STRING", "value": {"text": "", "id": null}}, "value": {"type": "ARRAY", "value": [{"type": "INT8", "value": "1"}]}}]}`)
	for path, want := range map[string]string{
		"":                                 "",
		"children":                         "children",
		"children[0].key.value.text":       "children[0].key.text",
		"children[0].value.type":           "children[0].value.type",
		"children[0].value.value":          "children[0].value",
		"children[0].value.value[0].value": "children[0].value[0]",
		"children[7].value.value":          "children[7].value.value",
	} {
		if got := spanPath(n, path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}
