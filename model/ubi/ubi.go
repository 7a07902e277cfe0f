// Package ubi models the base types of the asset files of Myst IV, most of
// which begin with "ubi/b0-l" (see [Base types]).
//
// The types are plain data. Fields have the names and the order of the
// documents. Text is kept as bytes. A sequence of UTF-16 units is kept as
// WTF-8: UTF-8 for well-formed text, and three bytes per unpaired surrogate.
// The conversion is exact in both directions.
//
// [Base types]: https://tomahnaproject.github.io/tomahna-project-wiki/myst4/file-reference/base
package ubi

import "unicode/utf8"

// FileMagic begins most asset files and gives their byte order. It has two
// valid values.
type FileMagic string

const (
	// MagicLittle marks a little-endian file. All known files are little-endian.
	MagicLittle FileMagic = "ubi/b0-l"
	// MagicBig marks a big-endian file.
	MagicBig FileMagic = "ubi/b0-b"
)

// BasicString is a string of single bytes, at most 2^32-1. No document states
// its character set. It has no terminator.
type BasicString string

// Text returns the string if it is valid UTF-8.
func (s BasicString) Text() (string, bool) { return string(s), utf8.ValidString(string(s)) }

// BasicWString is a string of 16-bit units, kept as WTF-8.
type BasicWString string

// Text returns the string if it is well-formed: no unpaired surrogates.
func (s BasicWString) Text() (string, bool) { return string(s), utf8.ValidString(string(s)) }

// EncryptedString is a string of bytes in clear text. In a file the
// neighbouring bits of each byte are exchanged.
type EncryptedString string

// Text returns the string if it is valid UTF-8.
func (s EncryptedString) Text() (string, bool) { return string(s), utf8.ValidString(string(s)) }

// Vector2 has two components.
type Vector2 struct{ X, Y float32 }

// Vector3 has three components.
type Vector3 struct{ X, Y, Z float32 }

// Vector4 has four components.
type Vector4 struct{ X, Y, Z, W float32 }

// Quaternion is a rotation, stored like a [Vector4]. W is the scalar part.
type Quaternion struct{ X, Y, Z, W float32 }

// Matrix22 has two rows.
type Matrix22 struct{ X, Y Vector2 }

// Matrix33 has three rows.
type Matrix33 struct{ X, Y, Z Vector3 }

// Matrix44 has four rows. A translation is in the last components of the
// first three.
type Matrix44 struct{ X, Y, Z, W Vector4 }

// Color has red, green, blue and alpha, usually in [0, 1].
type Color struct{ R, G, B, A float32 }

// Box extends from PMin to PMax. No component of PMin has to be the lesser one.
type Box struct{ PMin, PMax Vector3 }

// Array contains at most 2^32-1 elements of one type.
type Array[T any] []T

// Pair is a key with its value.
type Pair[K, V any] struct {
	K K
	V V
}

// PairArray contains pairs in the order of the file. Keys may repeat.
type PairArray[K, V any] []Pair[K, V]

// CompressedQuaternion3U16 contains the codes of three components of a unit
// quaternion: 0 is -1, 32767 is 0, and 65534 is +1. The fourth component, w,
// is never negative and follows from the others.
type CompressedQuaternion3U16 struct{ X, Y, Z uint16 }

// CompressedQuaternionU32 is a unit quaternion in 32 bits. Two bits give the
// component of the greatest magnitude, which is omitted; three times ten bits
// contain the others.
type CompressedQuaternionU32 uint32

// Greatest returns the omitted component: 0 is x, 1 is y, 2 is z, 3 is w.
func (v CompressedQuaternionU32) Greatest() int { return int(v >> 30) }

// Elements returns the codes of the three stored components, each in
// [0, 1023], in the order of x, y, z, w without the greatest.
func (v CompressedQuaternionU32) Elements() (a, b, c uint16) {
	return uint16(v >> 20 & 0x3FF), uint16(v >> 10 & 0x3FF), uint16(v & 0x3FF)
}
