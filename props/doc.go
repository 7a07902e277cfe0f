// Package props holds what has to be true of every type for values and bytes
// that nobody wrote down: identity both ways, prefixes, spans, bounds. Its
// tests walk the list of types; a new type is in them by being listed.
//
// Values come from two generators. rapid draws them for properties that it
// can then shrink; gofuzz fills models from random bytes. Both know each
// basic kind once, and of a model only what its zero value does not say.
package props
