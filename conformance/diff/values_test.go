package diff

import (
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

func mustParse(text string) tree.Node { return testrun.Must(tree.Parse([]byte(text))) }

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
		n := mustParse(c.tree)
		got, _ := shrinkTo(t, Input{Type: types(t, c.typ)[0], Tree: &n},
			func(in Input) bool { return strings.Contains(in.Tree.String(), c.has) })
		if got.Tree.String() != c.want {
			t.Errorf("%s: %s, want %s", c.typ, got.Tree, c.want)
		}
	}
}

// TestValuesWithoutEncoding: values without an encoding are inputs, and shrink
// to the smallest one.
func TestValuesWithoutEncoding(t *testing.T) {
	writesZero := changed{adapter.NewReference(), func(q adapter.Request, a *adapter.Response) {
		if q.Op == adapter.OpEncode && a.Reject != nil {
			zero := "00"
			a.Reject, a.OK = nil, &adapter.OK{Hex: &zero}
		}
	}}
	r := mustRun(t, writesZero, adapter.NewReference(), Options{
		Types: types(t, "upkg.CompactIndex"), Count: 1500,
	})
	if len(r.Findings) != 1 || r.Findings[0].Tree == nil {
		t.Fatalf("%+v, want one finding", r.Findings)
	}
	f := r.Findings[0]
	if f.Kind != Written || f.Op != adapter.OpEncode || f.Letter != "A" || f.Clause != "UPKG-CI-7" {
		t.Errorf("%+v", f)
	}
	if text := f.Tree.Text; text != "2147483648" && text != "-2147483649" {
		t.Errorf("the value is %s", text)
	}
	if v := vectorOf(t, r.Draft(f), "reject range"); !v.EncodeOnly() || mustParse(v.Tree).String() != f.Tree.String() {
		t.Errorf("the vector is %+v", v)
	}
}
