package codec_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/ubi"
	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
)

// checkZero checks that a structure reads and writes nothing, and says so.
func checkZero[T any](t *testing.T, s wire.Structure[T]) {
	t.Helper()
	var v T
	dst := []byte{7}
	_, errDecode := s.Decode(make([]byte, 64))
	_, _, errPrefix := s.DecodePrefix(nil)
	_, spans, errTrace := s.Trace(nil)
	out, errAppend := s.Append(dst, v)
	if len(spans) > 0 || !bytes.Equal(out, dst) {
		t.Errorf("%s: %v, %x", s.Name(), spans, out)
	}
	for _, err := range []error{errDecode, errPrefix, errTrace} {
		if !errors.Is(err, wire.Unsupported) {
			t.Errorf("%s: read with %v", s.Name(), err)
		}
	}
	if !errors.Is(errAppend, wire.Range) {
		t.Errorf("%s: written with %v", s.Name(), errAppend)
	}
}

// TestZeroValues: the zero Structure, those of a zero Codec, and what consists of them,
// give an error.
func TestZeroValues(t *testing.T) {
	checkZero(t, wire.Structure[int]{})
	var u ubi.Codec
	checkZero(t, u.FileMagic())
	checkZero(t, u.Uint8())
	checkZero(t, u.Box())
	checkZero(t, ubi.ArrayOf(u.Box()))
	checkZero(t, ubi.ArrayOf(ubi.Structure[string]{}))
	checkZero(t, ubi.PairOf(u.Uint32(), u.Box()))
	checkZero(t, ubi.PairArrayOf(u.Uint32(), u.Box()))
	var p upkg.Codec
	checkZero(t, p.CompactIndex())
	checkZero(t, p.Name(69))
	checkZero(t, p.ImportEntry(69))
	checkZero(t, p.Package())
	checkZero(t, upkg.IntegerOf[int8](&p))
	var k ka.Codec
	checkZero(t, k.Archive())
	checkZero(t, k.Value())
	checkZero(t, k.BodyV0x0001())
	checkZero(t, k.BodyV0x0002Pair())
	checkZero(t, k.Vector3())
	if found, err := k.Scan([]byte("KA\x01\x00\x00\x00\x00\x00")); err == nil {
		t.Errorf("a zero Codec finds %v", found)
	}
	if a, err := k.Canonical(ka.Archive{Version: ka.V0x0001}, ka.V0x0001); err == nil {
		t.Errorf("a zero Codec returns %v", a)
	}
	var a uasset.Codec
	checkZero(t, a.Package())
	checkZero(t, a.Summary())
	checkZero(t, a.Guid())
	checkZero(t, a.FontCharacter())
	for _, part := range []*uasset.Part{a.In(uasset.Scope{}), {}} {
		checkZero(t, part.Import())
		checkZero(t, part.Object())
		checkZero(t, part.Property())
		checkZero(t, part.MaterialTextureInfo())
		checkZero(t, part.Mip())
	}
	if _, _, err := a.Rebuild(uasset.Package{Exports: make([]uasset.Export, 1), Objects: []uasset.Object{{
		Properties: &uasset.PropertyList{},
	}}}); !errors.Is(err, wire.Range) {
		t.Errorf("a zero Codec rebuilds with %v", err)
	}
	if _, _, err := p.Rebuild(upkg.Package{Header: upkg.Header{Heritage: &upkg.Heritage{}}}); !errors.Is(err, wire.Range) {
		t.Errorf("a zero Codec rebuilds with %v", err)
	}
	// A structure of another codec does not make one of a zero value.
	checkZero(t, ubi.PairOf(ubi.Structure[int]{}, ubi.New(ubi.Settings{}).Box()))
	pair := ubi.PairOf(ubi.New(ubi.Settings{}).Uint8(), ubi.Structure[int]{})
	if _, err := pair.Decode(make([]byte, 8)); !errors.Is(err, wire.Unsupported) {
		t.Errorf("a pair with a zero Structure: %v", err)
	}
	if _, err := pair.Append(nil, ubi.Pair[uint8, int]{}); !errors.Is(err, wire.Range) {
		t.Errorf("a pair with a zero Structure: %v", err)
	}
}
