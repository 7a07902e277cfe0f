package ka

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/formatgauge/formatgauge/internal/testrun"
	model "github.com/formatgauge/formatgauge/model/ka"
)

// TestChangesInPlace tests the rule of the package comment about changes of a
// decoded archive, with and without the short cut.
func TestChangesInPlace(t *testing.T) {
	for _, profile := range []string{"observed", "observed,ka.bool=nonzero"} {
		for _, v := range []model.Version{model.V0x0001, model.V0x0002} {
			c := codecFor(profile)
			s := c.Archive()
			child := func() model.Value {
				return model.KeyedArchive(plainArchive(pairOf("b", model.ByteArray("bytes")), pairOf("n", model.Int32(1)),
					pairOf("t", text("x"))))
			}
			list := model.Array{model.Int32(1), model.Int32(2)}
			tree, src := encoded(c, plainArchive(pairOf("1", child()), pairOf("2", child()), pairOf("3", list),
				pairOf("4", list)), v)
			input := bytes.Clone(src)
			a, other := testrun.Must(s.Decode(input)), testrun.Must(s.Decode(input))
			first, second := a.Children[0].Value.(model.KeyedArchive), a.Children[1].Value.(model.KeyedArchive)
			unchanged := func(what string) {
				t.Helper()
				if !reflect.DeepEqual(second, tree.Children[1].Value) || !reflect.DeepEqual(a.Children[3], tree.Children[3]) {
					t.Errorf("%s, %s: %s changes another part of the archive", profile, v, what)
				}
				if !reflect.DeepEqual(other, tree) || !bytes.Equal(input, src) {
					t.Errorf("%s, %s: %s changes another archive or the input", profile, v, what)
				}
			}
			_ = append(first.Children, model.Pair{Key: text("new"), Value: text("new")})
			_ = append(a.Children, model.Pair{})
			_ = append(a.FastNames, model.FastNameEntry{})
			_ = append(a.Children[2].Value.(model.Array), model.Int32(3))
			_ = append(first.Children[0].Value.(model.ByteArray), 'x')
			unchanged("appending")
			first.Children[0].Value = model.ByteArray("new")
			first.Children[1] = model.Pair{Key: text("new"), Value: nil}
			a.Children[2].Value.(model.Array)[0] = text("new")
			if len(a.FastNames) > 0 {
				a.FastNames[0] = model.FastNameEntry{ID: 1, Name: "new"}
			}
			unchanged("assigning")
			// Byte arrays are the input.
			b := second.Children[0].Value.(model.ByteArray)
			if b[0] = 'B'; !bytes.Contains(input, []byte("Bytes")) {
				t.Errorf("%s, %s: a byte array is a copy", profile, v)
			}
			// Texts are not.
			clear(input)
			if k := other.Children[0].Key.(model.String); k.Text != "1" {
				t.Errorf("%s, %s: the text %q is part of the input", profile, v, k.Text)
			}
		}
	}
}
