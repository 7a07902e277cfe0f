package props

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec/ids"
)

func eachType(t *testing.T, f func(*testing.T, *codec.Type)) {
	for _, typ := range codec.Types() {
		t.Run(typ.Name, func(t *testing.T) { f(t, typ) })
	}
}

// long is the size from which an ordinary run of some tests omits a vector.
const long = 1 << 12

// eachReading calls f with each vector to decode, under both base profiles.
func eachReading(t *testing.T, f func(*corpus.Vector, ids.Profile, codec.Codec)) {
	t.Helper()
	for _, v := range corpustest.All(t) {
		if v.EncodeOnly() || len(v.Bytes) >= long && !testrun.Exhaustive {
			continue
		}
		typ, _ := codec.Find(v.Type)
		for _, p := range []ids.Profile{ids.Observed(), ids.Documented()} {
			f(v, p, testrun.Must(typ.Bind(wire.Settings{Profile: p}, v.Context)))
		}
	}
}

// TestValueIdentity: an encoded value decodes to the same value, which encodes
// to the same bytes; see CheckValue.
func TestValueIdentity(t *testing.T) {
	eachType(t, func(t *testing.T, typ *codec.Type) {
		written := 0
		rapid.Check(t, func(rt *rapid.T) {
			c := drawCodec(rt, typ)
			if checkValue(rt, typ, c, drawValue(rt, typ)) {
				written++
			}
		})
		if written == 0 && !testing.Short() { // with -short rapid draws a fifth, which may be too few
			t.Error("no drawn value could be encoded")
		}
	})
}

// TestBytesIdentity: an accepted input encodes to the same bytes, or to
// canonical bytes of the same value; see CheckBytes.
func TestBytesIdentity(t *testing.T) {
	eachType(t, func(t *testing.T, typ *codec.Type) {
		var seeds [][]byte
		var contexts []map[string]string
		for _, v := range corpustest.Of(t, typ.Name) {
			if !v.EncodeOnly() && len(v.Bytes) < 2000 {
				seeds = append(seeds, v.Bytes)
				contexts = append(contexts, v.Context)
			}
		}
		if len(seeds) == 0 {
			t.Fatal("the type has no vectors")
		}
		rapid.Check(t, func(rt *rapid.T) {
			if i := rapid.IntRange(0, 2*len(seeds)).Draw(rt, "which"); i < len(seeds) {
				c := testrun.Must(Bind(typ, drawProfile(rt, typ.Family()), contexts[i]))
				CheckBytes(rt, typ, c, drawBytes(rt, seeds[i:i+1]))
				return
			}
			CheckBytes(rt, typ, drawCodec(rt, typ), drawBytes(rt, seeds))
		})
	})
}

// drawBytes draws random bytes, or the input of a vector with up to three
// changes.
func drawBytes(t *rapid.T, seeds [][]byte) []byte {
	if rapid.IntRange(0, 4).Draw(t, "random") == 0 {
		return rapid.SliceOfN(rapid.Byte(), 0, 80).Draw(t, "bytes")
	}
	b := bytes.Clone(rapid.SampledFrom(seeds).Draw(t, "seed"))
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		at := rapid.IntRange(0, len(b)).Draw(t, "at")
		switch rapid.IntRange(0, 2).Draw(t, "change") {
		case 0:
			b = slices.Insert(b, at, rapid.Byte().Draw(t, "byte"))
		case 1:
			if at < len(b) {
				b[at] = rapid.Byte().Draw(t, "byte")
			}
		case 2:
			b = b[:at]
		}
	}
	return b
}

// checkValue checks the properties that hold for every value: an encoded value
// decodes to the same value, which encodes to the same bytes; encoding fails
// only with class range, or with class limit for a value that is nested too
// deep. It reports whether v could be encoded.
func checkValue(t TB, typ *codec.Type, c codec.Codec, v any) bool {
	t.Helper()
	prefix := []byte("before")
	b, err := c.Append(bytes.Clone(prefix), v)
	if err != nil {
		if !errors.Is(err, wire.Range) && !errors.Is(err, wire.Limit) {
			t.Fatalf("encoding fails with %v: expected class range or limit", err)
		}
		if !bytes.Equal(b, prefix) {
			t.Fatalf("after an error Append returns %x, want %x", b, prefix)
		}
		return false
	}
	if !bytes.HasPrefix(b, prefix) {
		t.Fatalf("Append changes the bytes before the value: %x", b)
	}
	b = b[len(prefix):]
	got, err := c.Decode(b)
	if err != nil {
		t.Fatalf("the encoded value %x is rejected: %v", b, err)
	}
	if Lossy(typ) {
		return true
	}
	want, have := mustTree(t, v), treeOf(t, got)
	if !tree.Equal(want, have) {
		t.Fatalf("encoded %s, decoded %s", want, have)
	}
	again, err := c.Append(nil, got)
	if err != nil || !bytes.Equal(b, again) {
		t.Fatalf("encoded as %x, and after decoding as %x, %v", b, again, err)
	}
	return true
}
