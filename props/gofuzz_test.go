package props

import (
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/internal/draw"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestGofuzz checks the same properties as TestValueIdentity, for values that
// gofuzz fills in.
func TestGofuzz(t *testing.T) {
	eachType(t, func(t *testing.T, typ *codec.Type) {
		values := draw.New(typ, 1)
		written := 0
		for i := range 300 {
			profile := ids.Observed()
			if i%3 == 0 {
				profile = ids.Documented()
			}
			c, err := Bind(typ, profile, draw.UsualContext(typ))
			if err != nil {
				t.Fatal(err)
			}
			if CheckValue(t, typ, c, values.Next()) {
				written++
			}
		}
		if written < 30 {
			t.Errorf("only %d of 300 values could be encoded, want at least 30: add a generator for the model", written)
		}
	})
}
