// Package grouped contains native fuzz targets with several types, for engines that build
// all targets of a package one after the other: two for each family. The first byte of
// an input selects the type, as in a fuzz.Target.
package grouped
