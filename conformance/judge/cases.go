package judge

import (
	"hash/fnv"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Case is one thing to be judged: a vector, or what a rule makes of it,
// under one profile.
type Case struct {
	// ID is the vector's id; #rule and a place follow if the case is derived.
	ID      string
	Vector  *corpus.Vector
	Profile ids.Profile
	Rule    Rule // "" for the vector itself
	Input   []byte
	Context map[string]string
	// Expect is the verdict; nil if the vector does not say for this profile.
	Expect *corpus.Expectation
}

// Derived reports whether a rule made the case.
func (c *Case) Derived() bool { return c.Rule != "" }

// Cases lists what is to be judged: for each profile each vector, and behind
// it what follows from it.
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

// InShard reports whether a vector belongs to part i of n, counted from 1.
// Which part it is depends on its id alone, so that a vector stays where it is
// when others come and go.
func InShard(id string, i, n int) bool {
	h := fnv.New32a()
	h.Write([]byte(id))
	return int(h.Sum32()%uint32(n)) == i-1
}
