// Package draw makes values of types with gofuzz, and knows what types may be
// told from outside. Properties hold codecs to what is true of such values;
// differential runs begin with their bytes.
//
// gofuzz knows each basic kind; this package adds what the zero value of a
// model does not say.
package draw

import (
	"math"
	"reflect"
	"slices"
	"strings"

	fuzz "github.com/google/gofuzz"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/model/uasset"
	"github.com/formatgauge/formatgauge/model/ubi"
	"github.com/formatgauge/formatgauge/model/upkg"
)

// contexts are what a context may say, beside its default.
var contexts = map[string][]string{
	"order":   {"little", "big"},
	"version": {"0", "63", "64", "69", "128"},
	"names":   {strings.Join(uassetNames, "|")},
	"class":   {"Texture2D", "Material"},
	"offset":  {"100"},
	"slices":  {"6"},
	"width":   {"127", "128"},
	"height":  {"128"},
	"format":  {"PF_G8", "PF_B8G8R8A8", "PF_BC5"},
}

// ContextValues lists what a context may say under a key, beside its default.
func ContextValues(key string) []string { return contexts[key] }

// UsualContext returns the context that values of a type are made for, where
// it is not the default.
func UsualContext(t *codec.Type) map[string]string {
	context := map[string]string{}
	if _, ok := t.Context["names"]; ok {
		context["names"] = strings.Join(uassetNames, "|")
	}
	return context
}

// Values draws values of one type.
type Values struct {
	t *codec.Type
	f *fuzz.Fuzzer
}

// New returns a source of values; the same seed gives the same values.
func New(t *codec.Type, seed int64) *Values {
	f := fuzz.NewWithSeed(seed).NilChance(0.2).NumElements(0, 6).MaxDepth(12)
	f.Funcs(funcs...).Funcs(new(kaFuzz).funcs()...).Funcs(uassetFuncs...)
	if family, kind, _ := strings.Cut(t.Name, "."); family == "uasset" && slices.Contains(uassetKinds, kind) {
		f.Funcs(func(v *uasset.Property, c fuzz.Continue) { *v = NewUasset(c).Property(kind) })
	}
	return &Values{t, f}
}

// Next draws a value, in the form in which values travel ([codec.Codec]). Not
// every value can be written under every profile.
func (v *Values) Next() any {
	p := v.t.New()
	v.f.Fuzz(p)
	fillNil(reflect.ValueOf(p).Elem())
	return codec.Deref(p)
}

// funcs tell gofuzz what it does not do by itself: floats from all bit
// patterns, integers that are often small, strings of any bytes, and the
// models that not every combination of fields makes.
var funcs = []any{
	func(v *float32, c fuzz.Continue) { *v = math.Float32frombits(c.Uint32()) },
	func(v *float64, c fuzz.Continue) { *v = math.Float64frombits(c.Uint64()) },
	func(v *uint32, c fuzz.Continue) { *v = c.Uint32() >> c.Intn(32) },
	func(v *int64, c fuzz.Continue) { *v = int64(c.Uint64()) >> c.Intn(64) },
	func(v *string, c fuzz.Continue) {
		b := make([]byte, c.Intn(80))
		for i := range b {
			b[i] = byte(c.Uint32())
			if c.Intn(4) > 0 {
				b[i] &= 0x7F
			}
		}
		*v = string(b)
	},
	func(v *ubi.FileMagic, c fuzz.Continue) {
		*v = []ubi.FileMagic{ubi.MagicLittle, ubi.MagicBig}[c.Intn(2)]
	},
	func(v *upkg.CompactIndex, c fuzz.Continue) {
		*v = upkg.CompactIndex(int64(c.Uint64()) >> (29 + c.Intn(35)))
	},
	func(v *upkg.ObjectReference, c fuzz.Continue) {
		*v = upkg.ReferenceTo(int64(int32(c.Uint32())) >> c.Intn(32))
	},
	func(v *upkg.Header, c fuzz.Continue) {
		c.FuzzNoCustom(v)
		v.Signature, v.Version = upkg.Signature, v.Version%179
		v.Heritage, v.Identity = nil, nil
		if v.Version < 68 {
			v.Heritage = &upkg.Heritage{Count: c.Uint32(), Offset: c.Uint32()}
			return
		}
		v.Identity = &upkg.Identity{}
		c.Fuzz(&v.Identity.Guid)
		c.Fuzz(&v.Identity.Generations)
	},
	func(v *upkg.ExportEntry, c fuzz.Continue) {
		c.FuzzNoCustom(v)
		v.SerialOffset = nil
		if v.SerialSize = max(0, v.SerialSize); v.SerialSize > 0 {
			var at upkg.CompactIndex
			c.Fuzz(&at)
			v.SerialOffset = &at
		}
	},
	// A package whose offsets do not fit its rows cannot be written; this one
	// has its rows in one block behind the header.
	func(v *upkg.Package, c fuzz.Continue) {
		c.Fuzz(&v.Header)
		v.Header.NameCount, v.Header.ImportCount, v.Header.ExportCount = 0, 0, 0
		v.Names, v.Imports, v.Exports, v.Data = []upkg.NameEntry{}, []upkg.ImportEntry{}, []upkg.ExportEntry{}, []upkg.Chunk{}
		n := uint32(c.Intn(4))
		size := uint32(44)
		if id := v.Header.Identity; id != nil {
			size = 56 + 8*uint32(len(id.Generations))
		}
		v.Header.ImportCount, v.Header.ImportOffset = n, size
		for range n {
			v.Imports = append(v.Imports, upkg.ImportEntry{ClassPackage: upkg.CompactIndex(c.Intn(64)), ObjectName: upkg.CompactIndex(-c.Intn(64))})
		}
	},
}

// nilIsAbsent lists the slices for which nil is a value of its own.
var nilIsAbsent = []reflect.Type{reflect.TypeFor[[]ka.FastNameEntry]()}

// fillNil makes the slices empty that gofuzz left nil: where nil says nothing
// that empty does not, what is read is never nil.
func fillNil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		if v.IsNil() && !slices.Contains(nilIsAbsent, v.Type()) {
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
