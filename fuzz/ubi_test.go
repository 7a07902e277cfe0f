package fuzz

import "testing"

func FuzzUbiFileMagic(f *testing.F)                    { fuzz(f, "ubi.FileMagic") }
func FuzzUbiBasicString(f *testing.F)                  { fuzz(f, "ubi.BasicString") }
func FuzzUbiBasicWString(f *testing.F)                 { fuzz(f, "ubi.BasicWString") }
func FuzzUbiEncryptedString(f *testing.F)              { fuzz(f, "ubi.EncryptedString") }
func FuzzUbiVector2(f *testing.F)                      { fuzz(f, "ubi.Vector2") }
func FuzzUbiVector3(f *testing.F)                      { fuzz(f, "ubi.Vector3") }
func FuzzUbiVector4(f *testing.F)                      { fuzz(f, "ubi.Vector4") }
func FuzzUbiQuaternion(f *testing.F)                   { fuzz(f, "ubi.Quaternion") }
func FuzzUbiMatrix22(f *testing.F)                     { fuzz(f, "ubi.Matrix22") }
func FuzzUbiMatrix33(f *testing.F)                     { fuzz(f, "ubi.Matrix33") }
func FuzzUbiMatrix44(f *testing.F)                     { fuzz(f, "ubi.Matrix44") }
func FuzzUbiColor(f *testing.F)                        { fuzz(f, "ubi.Color") }
func FuzzUbiBox(f *testing.F)                          { fuzz(f, "ubi.Box") }
func FuzzUbiArrayUint32(f *testing.F)                  { fuzz(f, "ubi.Array<uint32>") }
func FuzzUbiArrayUint16(f *testing.F)                  { fuzz(f, "ubi.Array<uint16>") }
func FuzzUbiArrayUint8(f *testing.F)                   { fuzz(f, "ubi.Array<uint8>") }
func FuzzUbiArrayVector3(f *testing.F)                 { fuzz(f, "ubi.Array<Vector3>") }
func FuzzUbiArrayMatrix44(f *testing.F)                { fuzz(f, "ubi.Array<Matrix44>") }
func FuzzUbiArrayBasicString(f *testing.F)             { fuzz(f, "ubi.Array<BasicString>") }
func FuzzUbiArrayEncryptedString(f *testing.F)         { fuzz(f, "ubi.Array<EncryptedString>") }
func FuzzUbiArrayCompressedQuaternionU32(f *testing.F) { fuzz(f, "ubi.Array<CompressedQuaternionU32>") }
func FuzzUbiArrayArrayUint32(f *testing.F)             { fuzz(f, "ubi.Array<Array<uint32>>") }
func FuzzUbiPairArrayUint32Uint32(f *testing.F)        { fuzz(f, "ubi.PairArray<uint32,uint32>") }
func FuzzUbiPairArrayBasicStringBasicString(f *testing.F) {
	fuzz(f, "ubi.PairArray<BasicString,BasicString>")
}

func FuzzUbiPairArrayBasicStringArrayVector3(f *testing.F) {
	fuzz(f, "ubi.PairArray<BasicString,Array<Vector3>>")
}
func FuzzUbiPairUint32Float32(f *testing.F)        { fuzz(f, "ubi.Pair<uint32,float32>") }
func FuzzUbiPairBasicStringVector3(f *testing.F)   { fuzz(f, "ubi.Pair<BasicString,Vector3>") }
func FuzzUbiCompressedQuaternion3U16(f *testing.F) { fuzz(f, "ubi.CompressedQuaternion3U16") }
func FuzzUbiCompressedQuaternion3U16Quaternion(f *testing.F) {
	fuzz(f, "ubi.CompressedQuaternion3U16.Quaternion")
}
func FuzzUbiCompressedQuaternionU32(f *testing.F) { fuzz(f, "ubi.CompressedQuaternionU32") }
func FuzzUbiCompressedQuaternionU32Quaternion(f *testing.F) {
	fuzz(f, "ubi.CompressedQuaternionU32.Quaternion")
}
