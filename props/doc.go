// Package props tests properties of every type on generated values and bytes:
// identity in both directions, prefixes, spans, bounds. The tests use the list
// of types, so that a new type in the list is tested without further code.
//
// Values come from two generators. rapid draws values and shrinks failing ones.
// gofuzz fills models from random bytes. Both have one generator per basic
// kind, and one per model of which not every combination of fields is valid.
package props
