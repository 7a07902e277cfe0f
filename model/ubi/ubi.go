// Package ubi models the base types of the asset files of Myst IV, which
// begin with "ubi/b0-l" (documents 000 and 001).
//
// The types are plain data in the document's order and under its names. Text
// is kept as bytes; sequences of UTF-16 units are kept as WTF-8, which is
// UTF-8 for well-formed text and three bytes per lone surrogate otherwise, so
// that nothing is lost either way.
package ubi

import "unicode/utf8"

// FileMagic opens most asset files and tells their byte order. The two values
// are the only ones there are.
type FileMagic string

const (
	// MagicLittle marks a little-endian file, the only kind ever seen.
	MagicLittle FileMagic = "ubi/b0-l"
	// MagicBig marks a big-endian file.
	MagicBig FileMagic = "ubi/b0-b"
)

// BasicString is a string of single bytes in no stated character set. It has
// no terminator. At most 2^32-1 bytes.
type BasicString string

// Text returns the string if it is valid UTF-8.
func (s BasicString) Text() (string, bool) { return string(s), utf8.ValidString(string(s)) }

// BasicWString is a string of 16-bit units, held as WTF-8.
type BasicWString string

// Text returns the string if it is well-formed: no lone surrogates.
func (s BasicWString) Text() (string, bool) { return string(s), utf8.ValidString(string(s)) }

// EncryptedString is a string of bytes in clear; in a file each byte has its
// neighbouring bits exchanged.
type EncryptedString string

// Text returns the string if it is valid UTF-8.
func (s EncryptedString) Text() (string, bool) { return string(s), utf8.ValidString(string(s)) }

// Vector2 has two components.
type Vector2 struct{ X, Y float32 }

// Vector3 has three components.
type Vector3 struct{ X, Y, Z float32 }

// Vector4 has four components.
type Vector4 struct{ X, Y, Z, W float32 }

// Quaternion is a rotation, stored like a [Vector4]: W, the scalar part, is last.
type Quaternion struct{ X, Y, Z, W float32 }

// Matrix22 has two rows.
type Matrix22 struct{ X, Y Vector2 }

// Matrix33 has three rows.
type Matrix33 struct{ X, Y, Z Vector3 }

// Matrix44 has four rows; a translation stands at the end of the first three.
type Matrix44 struct{ X, Y, Z, W Vector4 }

// Color has red, green, blue and alpha, usually in [0, 1].
type Color struct{ R, G, B, A float32 }

// Box spans from PMin to PMax. That PMin is the lesser is usual, not required.
type Box struct{ PMin, PMax Vector3 }

// Array holds elements of one type. At most 2^32-1.
type Array[T any] []T

// Pair is a key with its value.
type Pair[K, V any] struct {
	K K
	V V
}

// PairArray holds pairs in file order; keys may repeat.
type PairArray[K, V any] []Pair[K, V]

// CompressedQuaternion3U16 holds three components of a unit quaternion, 0 for
// -1, 32767 for 0 and 65534 for +1; the fourth, w, is not negative and follows
// from the others.
type CompressedQuaternion3U16 struct{ X, Y, Z uint16 }

// CompressedQuaternionU32 is a unit quaternion in 32 bits: two bits tell
// which component is greatest and left out, three times ten bits hold the others.
type CompressedQuaternionU32 uint32

// Greatest returns the component that is left out: 0 is x, 1 is y, 2 is z, 3 is w.
func (v CompressedQuaternionU32) Greatest() int { return int(v >> 30) }

// Elements returns the codes of the three stored components, each in
// [0, 1023], in the order of x, y, z, w without the greatest.
func (v CompressedQuaternionU32) Elements() (a, b, c uint16) {
	return uint16(v >> 20 & 0x3FF), uint16(v >> 10 & 0x3FF), uint16(v & 0x3FF)
}
