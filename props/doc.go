// Package props contains properties that hold for every type, checked with
// generated values and bytes: identity of decoding and encoding, prefixes,
// spans, bounds. Its tests run over the list of types, so they include each new
// type.
//
// Values come from two generators. rapid draws values and shrinks those that
// fail; gofuzz fills models from random bytes. Both have one generator per basic
// kind, and a generator for a model only if arbitrary field values are rarely
// encodable.
package props
