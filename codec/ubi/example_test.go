package ubi_test

import (
	"errors"
	"fmt"
	"io"

	"github.com/formatgauge/formatgauge/codec/ubi"
)

// A codec is created once. Its methods return the structures.
func Example() {
	c := ubi.New(ubi.Settings{})
	src := []byte("\x05\x00\x00\x00Atrus")
	name, err := c.BasicString().Decode(src)
	fmt.Println(name, err)

	dst, err := c.BasicString().Append(nil, "Yeesha")
	fmt.Printf("% x %v\n", dst, err)
	// Output:
	// Atrus <nil>
	// 06 00 00 00 59 65 65 73 68 61 <nil>
}

// The zero codec, such as a field that was never set, returns errors. New makes a codec.
func ExampleCodec() {
	var made struct{ codec ubi.Codec }
	_, err := made.codec.Vector3().Decode(make([]byte, 12))
	fmt.Println(errors.Is(err, ubi.ClassUnsupported))
	fmt.Println(err)
	_, err = made.codec.Vector3().Append(nil, ubi.Vector3{})
	fmt.Println(err)
	// Output:
	// true
	// wire.Structure: unsupported at byte 0 (0x0): expected a structure of a codec from New, found the zero Structure
	// wire.Structure: cannot be encoded: expected a structure of a codec from New, found the zero Structure
}

// A generic structure is a function of others.
func ExamplePairArrayOf() {
	c := ubi.New(ubi.Settings{BigEndian: true})
	places := ubi.PairArrayOf(c.BasicString(), ubi.ArrayOf(c.Uint32()))
	v, err := places.Decode([]byte("\x00\x00\x00\x01\x00\x00\x00\x02id\x00\x00\x00\x02\x00\x00\x00\x07\x00\x00\x00\x08"))
	fmt.Println(v, err)
	// Output: [{id [7 8]}] <nil>
}

// An error has a class, an offset, a path and a clause.
func Example_errors() {
	c := ubi.New(ubi.Settings{})
	_, err := c.Box().Decode(make([]byte, 22))
	fmt.Println(err)
	fmt.Println(errors.Is(err, io.ErrUnexpectedEOF))
	if e, ok := errors.AsType[*ubi.Error](err); ok {
		fmt.Println(e.Offset, e.Path, e.Clause)
	}
	// Output:
	// ubi.Box pMax.z: truncated at byte 20 (0x14): expected 4 bytes, found 2 [UBI-MAGIC-8]
	// true
	// 20 pMax.z UBI-MAGIC-8
}

// A profile selects a side for each flag.
func Example_profile() {
	p, err := ubi.ParseProfile("observed,ubi.quat-u32-nan=clamp")
	if err != nil {
		fmt.Println(err)
		return
	}
	const tooLong = 0 // three components of -0.707
	for _, s := range []ubi.Settings{{}, {Profile: p}} {
		q, _ := ubi.New(s).DecompressU32(ubi.CompressedQuaternionU32(tooLong))
		fmt.Println(q.X)
	}
	// Output:
	// NaN
	// 0
}

// Compression changes the rotation by at most 0.5506 degrees.
func ExampleCodec_CompressU32() {
	c := ubi.New(ubi.Settings{})
	v, err := c.CompressU32(ubi.Quaternion{X: 0.5, Y: -0.5, Z: 0.5, W: 0.5})
	a, b, d := v.Elements()
	fmt.Println(v.Greatest(), a, b, d, err)
	q, err := c.DecompressU32(v)
	fmt.Printf("%.3f %.3f %.3f %.3f %v\n", q.X, q.Y, q.Z, q.W, err)
	// Output:
	// 3 874 149 874 <nil>
	// 0.500 -0.501 0.500 0.499 <nil>
}
