// Package schema describes the trees of each type, applies the projections of views, and
// says which parts of a value a choice leaves open.
//
// A schema follows from the models: package tree, the only one that reflects on them, gives
// the parts of a type. The only addition is the tag `tree:"null"` on a list that can be absent.
// Examples come from vectors. A test changes the trees of vectors, and compares what the
// JSON Schema rejects with what the conversion to a model rejects.
package schema
