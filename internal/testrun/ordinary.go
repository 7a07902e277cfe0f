//go:build !exhaustive

package testrun

// Exhaustive reports whether the tests run whole what an ordinary run samples. It
// is the build tag exhaustive.
const Exhaustive = false
