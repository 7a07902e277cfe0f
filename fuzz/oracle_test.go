package fuzz

import (
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestOracleOfVectors checks the vectors under both base profiles.
func TestOracleOfVectors(t *testing.T) {
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, v := range vectors {
		if v.EncodeOnly() {
			continue
		}
		typ, _ := codec.Find(v.Type)
		for _, p := range []ids.Profile{ids.Observed(), ids.Documented()} {
			c, err := typ.Bind(wire.Settings{Profile: p}, v.Context)
			if err != nil {
				t.Fatal(err)
			}
			value, spans, err := c.Trace(v.Bytes)
			if err != nil {
				continue
			}
			n++
			node, err := tree.FromModel(value)
			if err != nil {
				t.Fatal(err)
			}
			if err := NewOracle(typ, p, v.Context).Check(v.Bytes, spans, node); err != nil {
				t.Errorf("%s under %s: %v", v.ID, p, err)
			}
		}
	}
	t.Logf("%d checks", n)
}
