// Package fuzz has one native fuzz target for each type of the list, named by
// corpus.FuzzTargetOf and seeded with its vectors:
//
//	go test -fuzz '^FuzzUpkgPackage$' ./fuzz
//
// A target reads the input under several profiles and contexts and tests the
// properties of props.CheckBytes: no panic, bounded memory, identity of
// accepted inputs, spans that cover every byte.
package fuzz
