package fuzz

import (
	"encoding/binary"
	"testing"

	kacodec "github.com/formatgauge/formatgauge/codec/ka"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/props"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// FuzzKaArchive also compares the short cuts of archives with the structure
// without them, for the archive and for each archive nested in it, and checks the
// canonical form of each accepted archive.
func FuzzKaArchive(f *testing.F) {
	c := kacodec.New(wire.Settings{})
	fuzz(f, "ka.Archive", func(t *testing.T, src []byte) {
		if a, ok := props.CheckShortcuts(t, c, src); ok {
			props.CheckCanonical(t, ids.Observed(), a)
		}
		for _, nested := range nestedArchives(c, src) {
			props.CheckShortcuts(t, c, nested)
		}
	})
}

// nestedArchives returns the bytes of the archives in an archive, if it is accepted;
// of many, the first.
func nestedArchives(c *kacodec.Codec, src []byte) (out [][]byte) {
	const most = 100
	_, spans, err := c.Archive().Trace(src)
	for _, s := range spans {
		if err == nil && s.Clause == "KA-NEST-1" && len(out) < most {
			out = append(out, src[s.End:][:binary.LittleEndian.Uint32(src[s.Start:])])
		}
	}
	return out
}

// TestNestedArchives: an archive in an array in an archive is one of two.
func TestNestedArchives(t *testing.T) {
	inner := "\x04\x00\x00\x00KA\x02\xff"
	middle := "KA\x01\x00\x01\x00\x00\x00\x04\x00\x00\x00\x00\x08" + inner
	src := "KA\x01\x00\x01\x00\x00\x00\x04\x00\x00\x00\x00\x1b\x01\x00\x00\x00\x08" +
		string(rune(len(middle))) + "\x00\x00\x00" + middle
	got := nestedArchives(kacodec.New(wire.Settings{}), []byte(src))
	if len(got) != 2 || string(got[0]) != middle || string(got[1]) != "KA\x02\xff" {
		t.Errorf("%q", got)
	}
}

func FuzzKaHeader(f *testing.F)          { fuzz(f, "ka.Header") }
func FuzzKaBodyV0x0001(f *testing.F)     { fuzz(f, "ka.BodyV0x0001") }
func FuzzKaBodyV0x0002(f *testing.F)     { fuzz(f, "ka.BodyV0x0002") }
func FuzzKaFastNameString(f *testing.F)  { fuzz(f, "ka.FastNameString") }
func FuzzKaBodyV0x0002Pair(f *testing.F) { fuzz(f, "ka.BodyV0x0002Pair") }
func FuzzKaBodyV0x0102(f *testing.F)     { fuzz(f, "ka.BodyV0x0102") }
func FuzzKaBodyV0x0102Pair(f *testing.F) { fuzz(f, "ka.BodyV0x0102Pair") }
func FuzzKaBodyV0xff02(f *testing.F)     { fuzz(f, "ka.BodyV0xff02") }
func FuzzKaPair(f *testing.F)            { fuzz(f, "ka.Pair") }
func FuzzKaValue(f *testing.F)           { fuzz(f, "ka.Value") }
func FuzzKaValueHeader(f *testing.F)     { fuzz(f, "ka.ValueHeader") }
