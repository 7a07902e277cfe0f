// Package draw makes random values of types, and lists the contexts in which
// types can be read. Property tests check codecs with these values;
// differential runs start from their bytes.
//
// A value is filled by the kinds of its fields. The package has a function for
// each model in which not every combination of fields is a value.
package draw

import (
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/model/ubi"
	"github.com/formatgauge/formatgauge/model/upkg"
)

// contexts lists the values of each key of a context, other than the default.
var contexts = map[string][]string{
	"order":   {"little", "big"},
	"version": {"0", "49", "50", "63", "64", "69", "128"},
	"names":   {strings.Join(uassetNames, "|")},
	"class":   {"Texture2D", "Material"},
	"offset":  {"100"},
	"slices":  {"6"},
	"width":   {"127", "128"},
	"height":  {"128"},
	"format":  {"PF_G8", "PF_B8G8R8A8", "PF_BC5"},
}

// ContextValues lists the values that a context can have for a key, other than
// the default.
func ContextValues(key string) []string { return contexts[key] }

// UsualContext returns the context for which values of a type are drawn. It
// contains only the keys that do not have their default.
func UsualContext(t *codec.Type) map[string]string {
	context := map[string]string{}
	if _, ok := t.Context["names"]; ok {
		context["names"] = strings.Join(uassetNames, "|")
	}
	return context
}

// Values draws values of one type.
type Values struct {
	t      *codec.Type
	source *filler
}

// New returns a source of values; the same seed gives the same values.
func New(t *codec.Type, seed int64) *Values {
	return &Values{t, newFiller(seed, Funcs(t))}
}

// Funcs returns the functions for values of a type. Each is a func(*T, Source)
// that draws a T.
func Funcs(t *codec.Type) []any {
	out := slices.Concat(funcs, new(kaDrawer).funcs())
	if t.Family() == "uasset" {
		in := []reflect.Type{reflect.TypeOf(t.New()), reflect.TypeFor[Source]()}
		draw := func(args []reflect.Value) []reflect.Value {
			NewUasset(args[1].Interface().(Source)).Draw(t, args[0].Interface())
			return nil
		}
		out = append(out, reflect.MakeFunc(reflect.FuncOf(in, nil, false), draw).Interface())
	}
	if t.Operation() {
		out = append(out, quaternion)
	}
	return out
}

// quaternion draws values of which half have no great components: few others can
// be compressed.
func quaternion(v *ubi.Quaternion, s Source) {
	s.FuzzNoCustom(v)
	if s.Intn(2) == 0 {
		for _, c := range []*float32{&v.X, &v.Y, &v.Z, &v.W} {
			*c = float32(s.Intn(2001)-1000) / 1000
		}
	}
}

// Next draws a value, in the form that [codec.Codec] takes. Not every value
// can be written under every profile.
func (v *Values) Next() any {
	p := v.t.New()
	v.source.Fuzz(p)
	return codec.Deref(p)
}

// funcs draw floats from all bit patterns, integers that are often small,
// strings of any bytes, and models in which not every combination of fields is
// a value.
var funcs = []any{
	func(v *float32, s Source) { *v = math.Float32frombits(s.Uint32()) },
	func(v *float64, s Source) { *v = math.Float64frombits(s.Uint64()) },
	func(v *uint32, s Source) { *v = s.Uint32() >> s.Intn(32) },
	func(v *int64, s Source) { *v = int64(s.Uint64()) >> s.Intn(64) },
	func(v *string, s Source) { *v = text(s) },
	func(v *ubi.BasicWString, s Source) {
		*v = ubi.BasicWString(wideText(s))
		if s.Intn(4) == 0 {
			*v = ubi.BasicWString(text(s)) // mostly not WTF-8
		}
	},
	func(v *ubi.FileMagic, s Source) {
		*v = []ubi.FileMagic{ubi.MagicLittle, ubi.MagicBig}[s.Intn(2)]
	},
	func(v *upkg.CompactIndex, s Source) {
		*v = upkg.CompactIndex(int64(s.Uint64()) >> (29 + s.Intn(35)))
	},
	func(v *upkg.ObjectReference, s Source) {
		*v = upkg.ReferenceTo(int64(int32(s.Uint32())) >> s.Intn(32))
	},
	func(v *upkg.Header, s Source) {
		s.FuzzNoCustom(v)
		v.Signature = []uint32{upkg.Signature, upkg.TripwireSignature}[s.Intn(8)/7]
		v.Version %= 179
		v.Heritage, v.Identity = nil, nil
		if v.Version < 68 {
			v.Heritage = &upkg.Heritage{Count: s.Uint32(), Offset: s.Uint32()}
			return
		}
		v.Identity = &upkg.Identity{}
		s.Fuzz(&v.Identity.Guid)
		s.Fuzz(&v.Identity.Generations)
	},
	func(v *upkg.ImportEntry, s Source) {
		s.FuzzNoCustom(v)
		v.PackageName = nil // for the default version
	},
	func(v *upkg.ExportEntry, s Source) {
		s.FuzzNoCustom(v)
		v.SerialOffset = nil
		if v.SerialSize = max(0, v.SerialSize); v.SerialSize > 0 {
			var at upkg.CompactIndex
			s.Fuzz(&at)
			v.SerialOffset = &at
		}
	},
	// A package can be written only if its offsets match its tables: this one
	// has a single table, directly after the header.
	func(v *upkg.Package, s Source) {
		s.Fuzz(&v.Header)
		v.Header.NameCount, v.Header.ImportCount, v.Header.ExportCount = 0, 0, 0
		v.Names, v.Imports, v.Exports, v.Data = []upkg.NameEntry{}, []upkg.ImportEntry{}, []upkg.ExportEntry{},
			[]upkg.Chunk{}
		v.Heritages = [][16]byte{}
		n := uint32(s.Intn(4))
		size := uint32(44)
		if id := v.Header.Identity; id != nil {
			size = 56 + 8*uint32(len(id.Generations))
		}
		v.Header.ImportCount, v.Header.ImportOffset = n, size
		for range n {
			e := upkg.ImportEntry{ClassPackage: upkg.CompactIndex(s.Intn(64)), ObjectName: upkg.CompactIndex(-s.Intn(64))}
			if v.Header.Version < 50 {
				e.PackageName = &e.ClassPackage
			}
			v.Imports = append(v.Imports, e)
		}
	},
}

// text draws a string of any bytes, mostly ASCII.
func text(d Dice) string {
	b := make([]byte, d.Intn(80))
	for i := range b {
		b[i] = byte(d.Intn(256))
		if d.Intn(4) > 0 {
			b[i] &= 0x7F
		}
	}
	return string(b)
}

// wideText draws units of UTF-16, and returns them as WTF-8: ASCII, any unit,
// and mostly surrogates.
func wideText(d Dice) string {
	units := make([]uint16, d.Intn(12))
	for i := range units {
		switch d.Intn(3) {
		case 0:
			units[i] = uint16(d.Intn(0x80))
		case 1:
			units[i] = uint16(d.Intn(1 << 16))
		default:
			units[i] = uint16(0xD7FE + d.Intn(0x804))
		}
	}
	return string(wire.AppendWTF8(nil, units))
}

// nilIsAbsent lists the slice types in which nil is a value of its own.
var nilIsAbsent = []reflect.Type{reflect.TypeFor[[]ka.FastNameEntry](), reflect.TypeFor[[]upkg.Encoding]()}

// NilIsAbsent reports whether nil is a value of its own in a slice type. In others
// drawn values have an empty slice instead: a decoder never returns nil for an empty
// list.
func NilIsAbsent(t reflect.Type) bool { return slices.Contains(nilIsAbsent, t) }
