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
		if a, ok := props.CheckQuick(t, c, src); ok {
			props.CheckCanonical(t, ids.Observed(), a)
		}
		for _, nested := range nestedArchives(c, src) {
			props.CheckQuick(t, c, nested)
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
	src := "KA\x01\x00\x01\x00\x00\x00\x04\x00\x00\x00\x00\x1b\x01\x00\x00\x00\x08" + string(rune(len(middle))) + "\x00\x00\x00" + middle
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
func FuzzKaNone(f *testing.F)            { fuzz(f, "ka.None") }
func FuzzKaBoolean(f *testing.F)         { fuzz(f, "ka.Boolean") }
func FuzzKaInt32(f *testing.F)           { fuzz(f, "ka.Int32") }
func FuzzKaFloat(f *testing.F)           { fuzz(f, "ka.Float") }
func FuzzKaString(f *testing.F)          { fuzz(f, "ka.String") }
func FuzzKaWideString(f *testing.F)      { fuzz(f, "ka.WideString") }
func FuzzKaByteArray(f *testing.F)       { fuzz(f, "ka.ByteArray") }
func FuzzKaUint32(f *testing.F)          { fuzz(f, "ka.Uint32") }
func FuzzKaKeyedArchive(f *testing.F)    { fuzz(f, "ka.KeyedArchive") }
func FuzzKaInt64(f *testing.F)           { fuzz(f, "ka.Int64") }
func FuzzKaUint64(f *testing.F)          { fuzz(f, "ka.Uint64") }
func FuzzKaVector2(f *testing.F)         { fuzz(f, "ka.Vector2") }
func FuzzKaVector3(f *testing.F)         { fuzz(f, "ka.Vector3") }
func FuzzKaVector4(f *testing.F)         { fuzz(f, "ka.Vector4") }
func FuzzKaMatrix2(f *testing.F)         { fuzz(f, "ka.Matrix2") }
func FuzzKaMatrix3(f *testing.F)         { fuzz(f, "ka.Matrix3") }
func FuzzKaMatrix4(f *testing.F)         { fuzz(f, "ka.Matrix4") }
func FuzzKaColor(f *testing.F)           { fuzz(f, "ka.Color") }
func FuzzKaFastName(f *testing.F)        { fuzz(f, "ka.FastName") }
func FuzzKaAABBox3(f *testing.F)         { fuzz(f, "ka.AABBox3") }
func FuzzKaFilePath(f *testing.F)        { fuzz(f, "ka.FilePath") }
func FuzzKaFloat64(f *testing.F)         { fuzz(f, "ka.Float64") }
func FuzzKaInt8(f *testing.F)            { fuzz(f, "ka.Int8") }
func FuzzKaUint8(f *testing.F)           { fuzz(f, "ka.Uint8") }
func FuzzKaInt16(f *testing.F)           { fuzz(f, "ka.Int16") }
func FuzzKaUint16(f *testing.F)          { fuzz(f, "ka.Uint16") }
func FuzzKaRect(f *testing.F)            { fuzz(f, "ka.Rect") }
func FuzzKaArray(f *testing.F)           { fuzz(f, "ka.Array") }
func FuzzKaQuaternion(f *testing.F)      { fuzz(f, "ka.Quaternion") }
func FuzzKaTransform(f *testing.F)       { fuzz(f, "ka.Transform") }
func FuzzKaAABBox2(f *testing.F)         { fuzz(f, "ka.AABBox2") }
