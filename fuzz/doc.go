// Package fuzz contains the fuzz targets of all types, and the two checks that an
// execution of a target makes.
//
// There is one native target per type of the list, with its name:
//
//	go test -fuzz '^FuzzUpkgPackage$' ./fuzz
//
// [Targets] lists the targets of libFuzzer. README.md says how to build and run
// both.
//
// The full check, [Full], decodes the input under several profiles and contexts, and
// checks the properties of props.CheckBytes. It also asks an [Oracle], which sees
// wrong sizes and offsets that a codec reads and writes in the same way. The quick
// check, [Quick], is for campaigns: it checks the properties of props.CheckRoundTrip
// under one profile and context.
package fuzz
