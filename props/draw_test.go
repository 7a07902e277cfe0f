package props

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/draw"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// draws contains generators for model types whose values are rarely encodable
// if each field is drawn by its kind. Each family adds its own.
var draws = map[reflect.Type]func(*rapid.T) any{}

// drawFor registers a generator for a model type.
func drawFor[T any](draw func(*rapid.T) T) {
	draws[reflect.TypeFor[T]()] = func(t *rapid.T) any { return draw(t) }
}

// drawsByName contains generators for types that share their model with others.
var drawsByName = map[string]func(*rapid.T) any{}

// drawValue draws a value of a type.
func drawValue(t *rapid.T, typ *codec.Type) any {
	if draw, ok := drawsByName[typ.Name]; ok {
		return draw(t)
	}
	return drawModel(t, typ.Model())
}

// drawModel draws a value of a model type, field by field.
func drawModel(t *rapid.T, typ reflect.Type) any {
	v := reflect.New(typ)
	drawInto(t, v.Elem())
	return codec.Deref(v.Interface())
}

func drawInto(t *rapid.T, v reflect.Value) {
	if draw, ok := draws[v.Type()]; ok {
		v.Set(reflect.ValueOf(draw(t)))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		limit := int64(1)<<(v.Type().Bits()-1) - 1
		v.SetInt(rapid.Int64Range(-limit-1, limit).Draw(t, "int"))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(rapid.Uint64Range(0, math.MaxUint64>>(64-v.Type().Bits())).Draw(t, "uint"))
	case reflect.Float32:
		v.Set(reflect.ValueOf(drawFloat32(t)).Convert(v.Type()))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(rapid.Uint64().Draw(t, "float64")))
	case reflect.String:
		v.SetString(drawText(t))
	case reflect.Slice:
		n := rapid.IntRange(0, 5).Draw(t, "len")
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			drawInto(t, v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			drawInto(t, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			drawInto(t, v.Field(i))
		}
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "present") {
			v.Set(reflect.New(v.Type().Elem()))
			drawInto(t, v.Elem())
		}
	default:
		panic(fmt.Sprintf("props: no generator for %s: add one to draws", v.Type()))
	}
}

// drawFloat32 draws bits, so that it also gives NaNs, infinities and subnormals.
func drawFloat32(t *rapid.T) float32 {
	return math.Float32frombits(rapid.OneOf(
		rapid.Uint32(),
		rapid.SampledFrom([]uint32{
			0, 0x80000000, 0x3F800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001,
			0xFFBFFFFF, 1,
		}),
	).Draw(t, "float32"))
}

// drawText draws UTF-8, raw bytes, and WTF-8 with lone surrogates.
func drawText(t *rapid.T) string {
	return rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 70), func(b []byte) string { return string(b) }),
		rapid.Map(rapid.SliceOfN(rapid.OneOf(rapid.Uint16(), rapid.Uint16Range(0xD7FF, 0xE000)), 0, 20),
			func(u []uint16) string { return string(wire.AppendWTF8(nil, u)) }),
		rapid.Map(rapid.StringOfN(rapid.RuneFrom([]rune("ab\x00é")), 0, 70, -1), strings.Clone),
	).Draw(t, "text")
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
		names := make([]string, len(fl.Sides))
		for i, s := range fl.Sides {
			names[i] = s.Name
		}
		side := rapid.SampledFrom(names).Draw(t, string(fl.ID))
		var err error
		if p, err = p.With(fl.ID, side); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// drawCodec draws settings and a context for a type.
func drawCodec(t *rapid.T, typ *codec.Type) codec.Codec {
	context := map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(typ.Context)) {
		values := append([]string{typ.Context[k]}, draw.ContextValues(k)...)
		context[k] = rapid.SampledFrom(values).Draw(t, k)
	}
	c, err := Bind(typ, drawProfile(t, typ.Family()), context)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
