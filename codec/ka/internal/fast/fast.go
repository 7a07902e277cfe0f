// Package fast reads and writes keyed archives of the dialect of real files:
// the observed profile. It is a short cut for codec/ka, which describes all
// dialects and names faults.
//
// Each function takes an archive with everything nested in it, or declines: for
// a fault and for what real files do not have. Then codec/ka reads or writes the
// archive from its start. The build tag purego, for a build without package
// unsafe, makes this package decline everything.
package fast

// A Codec reads and writes archives of at most that many levels.
type Codec struct{ MaxDepth int }
