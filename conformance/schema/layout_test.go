package schema

import (
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestLayouts: each type has a layout, its fields are those of the tree, and no vector
// that a profile accepts has another size than the layout gives.
func TestLayouts(t *testing.T) {
	fixed := 0
	for _, typ := range codec.Types() {
		l, ok := spec.FindLayout(typ.Name)
		if !ok {
			t.Errorf("%s has no layout", typ.Name)
			continue
		}
		s := Of(typ)
		s.walk(l, []spot{{Part: s.Tree}}, map[string]bool{}, func(f *spec.Field, _ []spot, found bool) {
			if found == f.Hidden {
				t.Errorf("%s: in the tree: %t, in parentheses: %t: %s", typ.Name, found, f.Hidden, f.Line)
			}
			for _, name := range f.Parts {
				if _, ok := spec.FindLayout(name); !ok {
					t.Errorf("%s has no layout", name)
				}
			}
		})
		vectors := corpustest.Of(t, typ.Name)
		for _, p := range []ids.Profile{ids.Observed(), ids.Documented()} {
			least, most := l.Size(p)
			if least == most && most > 0 {
				fixed++
			}
			for _, v := range vectors {
				if e := v.Select(p); e == nil || e.Outcome == corpus.Reject || v.EncodeOnly() {
					continue
				}
				if n := len(v.Bytes); n < least || most > 0 && n > most {
					t.Errorf("%s under %s: %s has %d bytes, the layout from %d to %d (0: any)", typ.Name, p, v.ID, n, least, most)
				}
			}
		}
	}
	if fixed < 80 {
		t.Errorf("only %d types have a fixed size, counted under both profiles", fixed)
	}
}
