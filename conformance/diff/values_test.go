package diff

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func mustParse(t *testing.T, text string) tree.Node {
	t.Helper()
	n, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestShrinkTree: a value shrinks to the part that matters, and remains valid.
func TestShrinkTree(t *testing.T) {
	for _, c := range []struct{ typ, tree, has, want string }{
		{"ubi.Array<BasicString>", `["hello", "world", "again"]`, "w", `["w"]`},
		{"ubi.Array<uint32>", `["17", "4294967295", "3"]`, "7", `["17"]`},
		{
			"ka.Value",
			`{"type": "KEYED_ARCHIVE", "value": {"version": "0x0001", "fastNames": null, "children": [` +
				`{"key": {"type": "STRING", "value": {"text": "k", "id": null}}, "value": {"type": "INT64", "value": "-900"}}]}}`,
			"INT64", `{"type": "INT64", "value": "0"}`,
		},
	} {
		n := mustParse(t, c.tree)
		s := &shrinker{
			in: Input{Type: types(t, c.typ)[0], Tree: &n}, profile: ids.Observed(), batch: 4,
			firstKept: func(ins []Input) int {
				return slices.IndexFunc(ins, func(in Input) bool { return strings.Contains(in.Tree.String(), c.has) })
			},
		}
		if s.run(); s.in.Tree.String() != c.want {
			t.Errorf("%s: %s, want %s", c.typ, s.in.Tree, c.want)
		}
	}
}

// writesZero encodes a value without an encoding as zero.
type writesZero struct{ *adapter.Reference }

func (c writesZero) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	a, err := c.Reference.Do(ctx, q)
	if q.Op == adapter.OpEncode && a.Reject != nil {
		zero := "00"
		a.Reject, a.OK = nil, &adapter.OK{Hex: &zero}
	}
	return a, err
}

// TestValuesWithoutEncoding: values without an encoding are inputs, and shrink
// to the smallest one.
func TestValuesWithoutEncoding(t *testing.T) {
	r := mustRun(t, writesZero{adapter.NewReference()}, adapter.NewReference(), Options{
		Types: types(t, "upkg.CompactIndex"), Count: 1500, Seed: testrun.Seed(),
	})
	if len(r.Findings) != 1 {
		t.Fatalf("%d findings, want 1", len(r.Findings))
	}
	f := r.Findings[0]
	if f.Kind != Written || f.Op != adapter.OpEncode || f.Letter != "A" || f.Tree == nil || f.Clause != "UPKG-CI-7" {
		t.Fatalf("%+v", f)
	}
	if text := f.Tree.Text; text != "2147483648" && text != "-2147483649" {
		t.Errorf("the value is %s", text)
	}
	text := strings.Replace(string(r.Draft(f).Text()), "WHAT IS SHOWN, AND WHY IT MATTERS", "What is shown", 1)
	if _, err := corpus.Parse(f.ID(), []byte(text)); err == nil ||
		!strings.Contains(err.Error(), "a verdict is missing") {
		t.Errorf("without a verdict the error is %v", err)
	}
	v, err := corpus.Parse(f.ID(), []byte(text+"reject range\n"))
	if err != nil || !v.EncodeOnly() || mustParse(t, v.Tree).String() != f.Tree.String() {
		t.Errorf("%v in\n%s", err, text)
	}
}
