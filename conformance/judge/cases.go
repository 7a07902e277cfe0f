package judge

import (
	"hash/fnv"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Case is one vector, or one case derived from it, under one profile.
type Case struct {
	// ID is the id of the vector. A derived case appends #, the rule and an offset.
	ID      string
	Vector  *corpus.Vector
	Profile ids.Profile
	Rule    Rule // empty for the vector itself
	Input   []byte
	Context map[string]string
	// Expect is the expected verdict; nil if no section of the vector applies.
	Expect *corpus.Expectation
}

// Derived reports whether a rule derived the case.
func (c *Case) Derived() bool { return c.Rule != "" }

// Cases lists the cases to judge: for each profile each vector, followed by the
// cases derived from it if derived is true.
func Cases(vectors []*corpus.Vector, profiles []ids.Profile, derived bool) []Case {
	var out []Case
	for _, p := range profiles {
		for _, v := range vectors {
			out = append(out, Case{ID: v.ID, Vector: v, Profile: p, Input: v.Bytes, Context: v.Context, Expect: v.Select(p)})
			if derived {
				out = append(out, Derive(v, p)...)
			}
		}
	}
	return out
}

// InShard reports whether a vector belongs to part i of n, counted from 1. The
// part depends only on the id, so it does not change when other vectors are
// added or removed.
func InShard(id string, i, n int) bool {
	h := fnv.New32a()
	h.Write([]byte(id))
	return int(h.Sum32()%uint32(n)) == i-1
}
