package props

import (
	"math"
	"reflect"
	"slices"
	"testing"

	fuzz "github.com/google/gofuzz"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/model/ubi"
	"github.com/formatgauge/formatgauge/model/upkg"
	"github.com/formatgauge/formatgauge/spec"
)

// fuzzFuncs tell gofuzz what it does not do by itself: floats from all bit
// patterns, integers that are often small, strings of any bytes, and the
// models that not every combination of fields makes.
var fuzzFuncs = []any{
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

// fuzzByName fills in values of types that share their model with others.
var fuzzByName = map[string]any{}

// nilIsAbsent lists the slices for which nil is a value of its own.
var nilIsAbsent = []reflect.Type{}

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

// TestGofuzz: identity again, for values that gofuzz fills in.
func TestGofuzz(t *testing.T) {
	eachType(t, func(t *testing.T, typ *codec.Type) {
		f := fuzz.NewWithSeed(1).NilChance(0.2).NumElements(0, 6).MaxDepth(12).Funcs(fuzzFuncs...)
		if fill, ok := fuzzByName[typ.Name]; ok {
			f.Funcs(fill)
		}
		written := 0
		for i := range 300 {
			v := typ.New()
			f.Fuzz(v)
			fillNil(reflect.ValueOf(v).Elem())
			profile := spec.Observed()
			if i%3 == 0 {
				profile = spec.Documented()
			}
			c, err := Bind(typ, profile, usual(typ))
			if err != nil {
				t.Fatal(err)
			}
			if CheckValue(t, typ, c, codec.Deref(v)) {
				written++
			}
		}
		if written < 30 {
			t.Errorf("only %d of 300 values could be written: the generator does not know the model", written)
		}
	})
}
