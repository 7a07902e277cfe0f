package mutate

import (
	"bytes"
	"slices"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func mustFind(t *testing.T, name string) *codec.Type {
	t.Helper()
	typ, ok := codec.Find(name)
	if !ok {
		t.Fatalf("no type %s", name)
	}
	return typ
}

func mustBind(t *testing.T, name string) codec.Codec {
	t.Helper()
	typ := mustFind(t, name)
	c, err := typ.Bind(wire.Settings{Profile: ids.Observed()}, ValuesOf(typ, nil).Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// inputsOf returns the bytes of the vectors of a type.
func inputsOf(t *testing.T, name string) (out [][]byte) {
	t.Helper()
	for _, v := range corpustest.Of(t, name) {
		if !v.EncodeOnly() {
			out = append(out, v.Bytes)
		}
	}
	return out
}

// TestMutator: for every type, the same seed gives the same results, of an
// allowed length, and neither the input nor an earlier result changes.
func TestMutator(t *testing.T) {
	for _, typ := range codec.Types() {
		inputs := append(inputsOf(t, typ.Name), nil, make([]byte, maxTraced+1))
		results := func(seed uint64) (out [][]byte) {
			m := New(typ, int64(seed))
			for i, in := range slices.Concat(inputs, inputs, inputs) {
				before := slices.Clone(in)
				limit := []int{1, 40, 4096, 1 << 20}[i%4]
				one := m.Mutate(in, limit)
				kept := slices.Clone(one)
				two := m.Mutate(inputs[i/2%len(inputs)], limit)
				if len(one) == 0 || len(two) == 0 || len(one) > limit || len(two) > limit {
					t.Fatalf("%s: %d and %d bytes, the limit is %d", typ.Name, len(one), len(two), limit)
				}
				if !bytes.Equal(before, in) || !bytes.Equal(kept, one) {
					t.Fatalf("%s: the input or a result has changed", typ.Name)
				}
				out = append(out, one, two)
			}
			return out
		}
		same := func(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }
		first := results(testrun.Seed())
		if !same(first, results(testrun.Seed())) {
			t.Errorf("%s: the same seed gives other results", typ.Name)
		}
		if same(first, results(testrun.Seed()+1)) {
			t.Errorf("%s: another seed gives the same results", typ.Name)
		}
	}
}

// TestMutationsAreReached: changes of an accepted input often keep it
// acceptable, otherwise only the first check of a reader would be tested; and
// they seldom leave it as it is.
func TestMutationsAreReached(t *testing.T) {
	const n = 1000
	for name, least := range map[string]int{
		"ka.Archive": n / 3, "uasset.Package": n / 4, "upkg.Package": n / 3,
		"ubi.Array<BasicString>": n / 3,
	} {
		c := mustBind(t, name)
		var accepted [][]byte
		for _, b := range inputsOf(t, name) {
			if _, err := c.Decode(b); err == nil {
				accepted = append(accepted, b)
			}
		}
		m := New(mustFind(t, name), int64(testrun.Seed()))
		again, unchanged := 0, 0
		for i := range n {
			in := accepted[i%len(accepted)]
			out := m.Mutate(in, 1<<16)
			if _, err := c.Decode(out); err == nil {
				again++
			}
			if bytes.Equal(in, out) {
				unchanged++
			}
		}
		t.Logf("%s: of %d changes, %d are accepted and %d are none", name, n, again, unchanged)
		if again < least || again > n*9/10 || unchanged > n/100 {
			t.Errorf("%s: of %d changes, %d are accepted and %d are none", name, n, again, unchanged)
		}
	}
}

// listParts returns the structure of an array of texts.
func listParts(t *testing.T, src []byte) *Parts {
	t.Helper()
	_, spans, err := mustBind(t, "ubi.Array<BasicString>").Trace(src)
	if err != nil {
		t.Fatal(err)
	}
	return partsOf(src, spans, false)
}

func TestParts(t *testing.T) {
	src := []byte("\x02\x00\x00\x00\x01\x00\x00\x00a\x03\x00\x00\x00bcd")
	p := listParts(t, src)
	if len(p.Elements) != 2 || p.Elements[1].Start != 9 || p.Elements[1].End != 16 || p.countOf(&p.Elements[1]) != 0 {
		t.Fatalf("the elements are %+v", p.Elements)
	}
	for _, c := range []struct {
		fix  Updates
		want string
	}{
		{UpdateAll, "\x01\x00\x00\x00\x01\x00\x00\x00a"},
		{0, "\x02\x00\x00\x00\x01\x00\x00\x00a"},
	} {
		if got := p.Replace(src, 9, 16, nil, &p.Elements[1], -1, c.fix); string(got) != c.want {
			t.Errorf("with updates %b: %q, want %q", c.fix, got, c.want)
		}
	}
	// Inserted bytes increase the length of the text.
	if got := p.Replace(src, 16, 16, []byte("e"), nil, 0,
		UpdateLengths); string(got) != "\x02\x00\x00\x00\x01\x00\x00\x00a\x04\x00\x00\x00bcde" {
		t.Errorf("%q", got)
	}
}

// TestRuns: a run has adjacent elements of one list only.
func TestRuns(t *testing.T) {
	src := []byte("\x05\x00\x00\x00" + "\x01\x00\x00\x00a" + "\x01\x00\x00\x00b" + "\x01\x00\x00\x00c" +
		"\x01\x00\x00\x00d" + "\x01\x00\x00\x00e")
	p := listParts(t, src)
	for size, want := range map[int][][]int{5: {{0, 1, 2, 3, 4}}, 2: {{0, 1}, {2, 3}}, 6: nil} {
		var got [][]int
		for run := range p.Runs(size) {
			got = append(got, run)
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("runs of %d are %v, want %v", size, got, want)
		}
	}
	// Elements of two lists, with a gap between two elements of the first one.
	gap := []wire.Span{
		{Start: 0, End: 1, Path: "a[0]"},
		{Start: 1, End: 2, Path: "b[0]"},
		{Start: 2, End: 3, Path: "a[1]"},
		{Start: 3, End: 4, Path: "a[2]"},
	}
	for run := range partsOf(make([]byte, 4), gap, false).Runs(2) {
		if !slices.Equal(run, []int{2, 3}) {
			t.Errorf("a run is %v", run)
		}
	}
}
