package props

import (
	"math/rand/v2"
	"reflect"
	"testing"

	fuzz "github.com/google/gofuzz"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/internal/mutate"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// gofuzzDice draws the numbers of gofuzz.
type gofuzzDice struct{ fuzz.Continue }

func (d gofuzzDice) IntN(n int) int { return d.Intn(n) }

// gofuzzFuncs returns functions for gofuzz that draw values of a type, and of the
// interfaces of its family. Without them gofuzz fills a structure field by field.
func gofuzzFuncs(typ *codec.Type) (funcs []any) {
	drawn := func(t *codec.Type, fill bool) any {
		values := mutate.ValuesOf(t, nil)
		in := []reflect.Type{reflect.PointerTo(t.Model()), reflect.TypeFor[fuzz.Continue]()}
		return reflect.MakeFunc(reflect.FuncOf(in, nil, false), func(args []reflect.Value) []reflect.Value {
			c := args[1].Interface().(fuzz.Continue)
			if fill && c.Intn(3) == 0 {
				c.FuzzNoCustom(args[0].Interface())
				return nil
			}
			values.Dice = gofuzzDice{c}
			next, _ := values.Next()
			args[0].Elem().Set(reflect.Indirect(reflect.ValueOf(next)))
			return nil
		}).Interface()
	}
	for _, t := range codec.Types() {
		if t.Family() == typ.Family() && t != typ && t.Model().Kind() == reflect.Interface {
			funcs = append(funcs, drawn(t, false))
		}
	}
	// Not every value of an interface of uasset fits in each structure that has one.
	return append(funcs, drawn(typ, typ.Model().Kind() != reflect.Interface && typ.Family() != "uasset"))
}

// TestFilledValues checks the round trip of values that gofuzz fills or draws, and of
// those that are drawn without gofuzz.
func TestFilledValues(t *testing.T) {
	eachType(t, func(t *testing.T, typ *codec.Type) {
		// Decoders never return nil for an empty list.
		fuzzer := fuzz.NewWithSeed(int64(testrun.Seed())).NilChance(0).NumElements(0, 6).MaxDepth(12)
		fuzzer.Funcs(gofuzzFuncs(typ)...)
		plain := mutate.ValuesOf(typ, rand.New(rand.NewPCG(testrun.Seed(), 0)))
		for name, next := range map[string]func() any{
			"plain": func() any {
				v, _ := plain.Next()
				return v
			},
			"gofuzz": func() any {
				v := typ.New()
				fuzzer.Fuzz(v)
				return codec.Deref(v)
			},
		} {
			written := 0
			for i := range 150 {
				profile := ids.Observed()
				if i%3 == 0 {
					profile = ids.Documented()
				}
				c := testrun.Must(Bind(typ, profile, plain.Context()))
				if checkValue(t, typ, c, next()) {
					written++
				}
			}
			if written < 15 {
				t.Errorf("%s: only %d of 150 values could be encoded, want at least 15", name, written)
			}
		}
	})
}
