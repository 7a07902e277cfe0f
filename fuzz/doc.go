// Package fuzz contains one native fuzz target per type of the list. Its name
// comes from corpus.FuzzTargetOf, its seeds are the vectors of the type:
//
//	go test -fuzz '^FuzzUpkgPackage$' ./fuzz
//
// A target decodes the input under several profiles and contexts and checks the
// properties of props.CheckBytes. It also asks an [Oracle], which sees wrong sizes
// and offsets that a codec reads and writes in the same way.
package fuzz
