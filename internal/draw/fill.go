package draw

import (
	"math"
	"math/rand"
	"reflect"
)

// Dice is the common part of all sources of random numbers.
type Dice interface{ Intn(n int) int }

// A Source returns pseudo-random numbers and fills models with them. The
// method names are those of gofuzz's Continue: the functions that [Funcs]
// returns also work with gofuzz, and this package does not depend on it.
type Source interface {
	integers
	// Fuzz fills the value that p points to.
	Fuzz(p any)
	// FuzzNoCustom does the same without the function for the type of p.
	FuzzNoCustom(p any)
}

// filler is a Source that fills a value by its kind, unless its type has a
// function.
type filler struct {
	integers
	funcs map[reflect.Type]reflect.Value // by pointer type
	self  reflect.Value                  // the second argument of the functions
}

type integers interface {
	Dice
	Uint32() uint32
	Uint64() uint64
}

func newFiller(seed int64, funcs []any) *filler {
	f := &filler{integers: rand.New(rand.NewSource(seed)), funcs: byType(funcs)}
	f.self = reflect.ValueOf(f)
	return f
}

// byType returns functions by the type of their first argument.
func byType(funcs []any) map[reflect.Type]reflect.Value {
	out := map[reflect.Type]reflect.Value{}
	for _, fn := range funcs {
		v := reflect.ValueOf(fn)
		out[v.Type().In(0)] = v
	}
	return out
}

// Fuzz fills the value that p points to.
func (f *filler) Fuzz(p any) { f.fill(reflect.ValueOf(p).Elem()) }

// FuzzNoCustom does the same without the function for the type of p.
func (f *filler) FuzzNoCustom(p any) { f.fillKind(reflect.ValueOf(p).Elem()) }

func (f *filler) fill(v reflect.Value) {
	if fn, ok := f.funcs[reflect.PointerTo(v.Type())]; ok {
		fn.Call([]reflect.Value{v.Addr(), f.self})
		return
	}
	f.fillKind(v)
}

// nilOneIn is the inverse of the probability that a pointer or a slice is nil.
const nilOneIn = 5

func (f *filler) fillKind(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.Intn(2) == 0)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.Uint64()) >> (64 - v.Type().Bits()))
	case reflect.Uint8:
		v.SetUint(uint64(f.Intn(256)))
	case reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(f.Uint64() >> (64 - v.Type().Bits()))
	case reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(f.Uint32())))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(f.Uint64()))
	case reflect.String:
		v.SetString(text(f))
	case reflect.Pointer:
		if v.SetZero(); f.Intn(nilOneIn) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem())
		}
	case reflect.Slice:
		n := f.Intn(7)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		if NilIsAbsent(v.Type()) && f.Intn(nilOneIn) == 0 {
			v.SetZero()
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	default:
		panic("draw: no function for " + v.Type().String())
	}
}
