package ka_test

import (
	"fmt"
	"testing"

	"github.com/formatgauge/formatgauge/codec/ka"
)

// TestGet: all values of a key, in their order, whatever the type of the key is.
func TestGet(t *testing.T) {
	t.Parallel()
	children := []ka.Pair{
		{Key: ka.String{Text: "a"}, Value: ka.Int32(1)},
		{Key: ka.String{Text: "b"}, Value: ka.Int32(2)},
		{Key: ka.WideString{Text: "a"}, Value: ka.Boolean(1)},
		{Key: ka.Int32(7), Value: ka.Int32(4)},
		{Key: ka.String{Text: "a"}, Value: ka.None{}},
		{},
	}
	for key, want := range map[string]string{"a": "[0 1 2 1 4 {}]", "b": "[1 2]", "": "[]", "7": "[]"} {
		got := []any{}
		for i, v := range ka.Get(children, key) {
			got = append(got, i, v)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q: %v, want %s", key, got, want)
		}
	}
	for range ka.Get(children, "a") {
		break // stops without a panic
	}
	for range ka.Get(nil, "a") {
		t.Error("an archive without children has a value")
	}
}
