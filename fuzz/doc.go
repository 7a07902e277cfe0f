// Package fuzz has one native fuzz target for each type of the list, named by
// corpus.FuzzTargetOf and seeded with its vectors:
//
//	go test -fuzz '^FuzzUpkgPackage$' ./fuzz
//
// A target gives the input to the type under several profiles and contexts
// and holds it to what is true of every input: no panic; no memory beyond
// what the input justifies; what is accepted is written as the same bytes, or
// as other bytes that are a fixed point and read as the same value; tracing
// agrees and covers every byte.
package fuzz
