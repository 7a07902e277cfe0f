package props

import (
	"reflect"
	"testing"

	fuzz "github.com/google/gofuzz"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/internal/draw"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// gofuzzFunc returns a function of package draw as gofuzz takes it: with a
// Continue as its Source.
func gofuzzFunc(f any) any {
	v := reflect.ValueOf(f)
	in := []reflect.Type{v.Type().In(0), reflect.TypeFor[fuzz.Continue]()}
	return reflect.MakeFunc(reflect.FuncOf(in, nil, false), v.Call).Interface()
}

// TestFilledValues checks the round trip of values that gofuzz fills, and of
// those that package draw fills without gofuzz.
func TestFilledValues(t *testing.T) {
	eachType(t, func(t *testing.T, typ *codec.Type) {
		fuzzer := fuzz.NewWithSeed(int64(testrun.Seed())).NilChance(0.2).NumElements(0, 6).MaxDepth(12)
		for _, f := range draw.Funcs(typ) {
			fuzzer.Funcs(gofuzzFunc(f))
		}
		for name, next := range map[string]func() any{
			"draw": draw.New(typ, int64(testrun.Seed())).Next,
			"gofuzz": func() any {
				v := typ.New()
				fuzzer.Fuzz(v)
				fillNil(reflect.ValueOf(v).Elem())
				return codec.Deref(v)
			},
		} {
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
				if checkValue(t, typ, c, next()) {
					written++
				}
			}
			if written < 30 {
				t.Errorf("%s: only %d of 300 values could be encoded, want at least 30: add a function for the model to "+
					"package draw", name, written)
			}
		}
	})
}

// fillNil replaces each nil slice by an empty one, unless nil has a meaning of its own:
// gofuzz leaves slices nil.
func fillNil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		if v.IsNil() && !draw.NilIsAbsent(v.Type()) {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			fillNil(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			fillNil(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fillNil(v.Field(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			fillNil(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			inner := reflect.New(v.Elem().Type()).Elem()
			inner.Set(v.Elem())
			fillNil(inner)
			v.Set(inner)
		}
	}
}
