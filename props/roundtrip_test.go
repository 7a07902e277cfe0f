package props

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/corpus"
)

func eachType(t *testing.T, f func(*testing.T, *codec.Type)) {
	for _, typ := range codec.Types() {
		t.Run(typ.Name, func(t *testing.T) { f(t, typ) })
	}
}

// TestValueIdentity: an encoded value decodes to the same value, which encodes
// to the same bytes; see CheckValue.
func TestValueIdentity(t *testing.T) {
	eachType(t, func(t *testing.T, typ *codec.Type) {
		written := 0
		rapid.Check(t, func(rt *rapid.T) {
			c := drawCodec(rt, typ)
			if CheckValue(rt, typ, c, drawValue(rt, typ)) {
				written++
			}
		})
		if written == 0 {
			t.Error("no drawn value could be encoded")
		}
	})
}

// TestBytesIdentity: an accepted input encodes to the same bytes, or to
// canonical bytes of the same value; see CheckBytes.
func TestBytesIdentity(t *testing.T) {
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	eachType(t, func(t *testing.T, typ *codec.Type) {
		var seeds [][]byte
		var contexts []map[string]string
		for _, v := range vectors {
			if v.Type == typ.Name && !v.EncodeOnly() && len(v.Bytes) < 2000 {
				seeds = append(seeds, v.Bytes)
				contexts = append(contexts, v.Context)
			}
		}
		if len(seeds) == 0 {
			t.Fatal("the type has no vectors")
		}
		rapid.Check(t, func(rt *rapid.T) {
			if i := rapid.IntRange(0, 2*len(seeds)).Draw(rt, "which"); i < len(seeds) {
				c, err := Bind(typ, drawProfile(rt, typ.Family()), contexts[i])
				if err != nil {
					rt.Fatal(err)
				}
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
