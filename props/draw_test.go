package props

import (
	"pgregory.net/rapid"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/internal/mutate"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// rapidDice is a source of numbers that rapid makes smaller.
type rapidDice struct{ t *rapid.T }

func (d rapidDice) IntN(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "n") }

// drawValue draws a value of a type.
func drawValue(t *rapid.T, typ *codec.Type) any {
	v, _ := mutate.ValuesOf(typ, rapidDice{t}).Next()
	return v
}

// drawSound draws values until one is sound.
func drawSound[T any](t *rapid.T, typ *codec.Type, sound func(T) bool) (v T) {
	for range 100 {
		if v = drawValue(t, typ).(T); sound(v) {
			return v
		}
	}
	t.Fatalf("of 100 values of %s none is sound", typ.Name)
	return v
}

// drawProfile draws a profile with any side at each flag of a family.
func drawProfile(t *rapid.T, family string) ids.Profile {
	p := rapid.SampledFrom([]ids.Profile{ids.Observed(), ids.Documented()}).Draw(t, "profile")
	f, _ := spec.FindFamily(family)
	for i := range f.Flags {
		fl := &f.Flags[i]
		if !fl.Switchable() || rapid.IntRange(0, 3).Draw(t, "keep") > 0 {
			continue
		}
		side := rapid.SampledFrom(fl.Sides).Draw(t, string(fl.ID))
		p, _ = p.With(fl.ID, side.Name) // the flag has this side
	}
	return p
}

// drawCodec draws settings and a context for a type.
func drawCodec(t *rapid.T, typ *codec.Type) codec.Codec {
	contexts := append([]map[string]string{mutate.ValuesOf(typ, nil).Context()}, mutate.Contexts(typ, 20)...)
	context := rapid.SampledFrom(contexts).Draw(t, "context")
	return testrun.Must(Bind(typ, drawProfile(t, typ.Family()), context))
}
