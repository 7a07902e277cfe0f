//go:build exhaustive

package export_test

const part = 1

// faults are those of testdata/plant.py.
var faults = []string{
	"none", "mixed", "typed", "number", "spelling", "null", "omit", "field", "list", "hex", "upper", "consumed", "bytes", "class", "offset",
	"no-offset", "refuse", "accept", "skip", "error", "crash",
}
