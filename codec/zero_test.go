package codec_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/ubi"
	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
)

// checkZero checks that a structure reads and writes nothing, and says so.
func checkZero(t *testing.T, name string, structure any) {
	t.Helper()
	s, dst := reflect.ValueOf(structure), []byte{7}
	value := reflect.Zero(s.MethodByName("Append").Type().In(1))
	call := func(method string, want wire.Class, in ...reflect.Value) reflect.Value {
		t.Helper()
		out := s.MethodByName(method).Call(in)
		if err, _ := out[len(out)-1].Interface().(error); !errors.Is(err, want) {
			t.Errorf("%s: %s gives the error %v", name, method, err)
		}
		return out[len(out)-2]
	}
	none := reflect.ValueOf([]byte(nil))
	call("Decode", wire.Unsupported, reflect.ValueOf(make([]byte, 64)))
	call("DecodePrefix", wire.Unsupported, none)
	spans := call("Trace", wire.Unsupported, none)
	if out := call("Append", wire.Range, reflect.ValueOf(dst), value); spans.Len() > 0 || !bytes.Equal(out.Bytes(), dst) {
		t.Errorf("%s: %v, %x", name, spans, out)
	}
}

// TestZeroValues: the zero Structure, those of a zero Codec, and what consists of them,
// give an error.
func TestZeroValues(t *testing.T) {
	var u ubi.Codec
	var p upkg.Codec
	var k ka.Codec
	var a uasset.Codec
	var part uasset.Part
	for name, s := range map[string]any{
		"zero": wire.Structure[int]{}, "integer": upkg.IntegerOf[int8](&p),
		"array": ubi.ArrayOf(u.Box()), "array of zero": ubi.ArrayOf(ubi.Structure[string]{}),
		"pair": ubi.PairOf(u.Uint32(), u.Box()), "pairs": ubi.PairArrayOf(u.Uint32(), u.Box()),
		"import": part.Import(), "object": part.Object(), "property": part.Property(), "mip": part.Mip(),
		"texture info": part.MaterialTextureInfo(),
		// A structure of another codec does not make one of a zero value.
		"pair with another": ubi.PairOf(ubi.Structure[int]{}, ubi.New(ubi.Settings{}).Box()),
	} {
		checkZero(t, name, s)
	}
	for _, c := range []any{&u, &p, &k, &a, a.In(uasset.Scope{})} {
		n := 0
		for method, accessor := range reflect.ValueOf(c).Methods() {
			if _, ok := accessor.Type().Out(0).MethodByName("Trace"); !ok {
				continue // of no structure
			}
			var in []reflect.Value
			for version := range accessor.Type().Ins() {
				in = append(in, reflect.Zero(version))
			}
			checkZero(t, method.Name, accessor.Call(in)[0].Interface())
			n++
		}
		if n < 5 {
			t.Errorf("%T has %d structures", c, n)
		}
	}
	pair := ubi.PairOf(ubi.New(ubi.Settings{}).Uint8(), ubi.Structure[int]{})
	_, read := pair.Decode(make([]byte, 8))
	_, written := pair.Append(nil, ubi.Pair[uint8, int]{})
	if !errors.Is(read, wire.Unsupported) || !errors.Is(written, wire.Range) {
		t.Errorf("a pair with a zero Structure: %v, %v", read, written)
	}
	if found, err := k.Scan([]byte("KA\x01\x00\x00\x00\x00\x00")); err == nil {
		t.Errorf("a zero Codec finds %v", found)
	}
	if a, err := k.Canonical(ka.Archive{Version: ka.V0x0001}, ka.V0x0001); err == nil {
		t.Errorf("a zero Codec returns %v", a)
	}
	_, _, cooked := a.Rebuild(uasset.Package{Exports: make([]uasset.Export, 1), Objects: []uasset.Object{{
		Properties: &uasset.PropertyList{},
	}}})
	_, _, old := p.Rebuild(upkg.Package{Header: upkg.Header{Heritage: &upkg.Heritage{}}})
	if !errors.Is(cooked, wire.Range) || !errors.Is(old, wire.Range) {
		t.Errorf("a zero Codec rebuilds with %v, %v", cooked, old)
	}
}
