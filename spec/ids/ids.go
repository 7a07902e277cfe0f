// Package ids names the clauses and flags of the records, and chooses between
// the sides of flags by a [Profile].
//
// It is all that a codec needs to know of the records: it contains no texts
// and parses nothing. Package spec has the texts.
package ids

// A Clause is the permanent id of a clause, such as UPKG-CI-5. Ids are never
// reused.
type Clause string

// A Flag is the permanent id of a flag, such as upkg.ci-range. Ids are never
// reused.
type Flag string
