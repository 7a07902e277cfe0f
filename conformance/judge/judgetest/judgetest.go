// Package judgetest provides faulty adapters for tests. The tests show that the
// judge, the smoke test and the differential run find each fault.
package judgetest

import (
	"os"
	"slices"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TypesEnv is the environment variable with the types that an adapter lists, separated
// by commas; if it is empty, an adapter lists all types. Few types make a run short.
const TypesEnv = "FORMATGAUGE_TYPES"

// Command returns the command that runs this test binary as an adapter.
func Command(mode string) []string {
	self, err := os.Executable()
	if err == nil {
		err = os.Setenv("GORACE", "atexit_sleep_ms=0") // of the adapter
	}
	if err != nil {
		panic(err)
	}
	return []string{self, Program, mode}
}

// A Plant is a change of the records and of the vectors that cite them.
type Plant func(records *spec.Records, vectors []*corpus.Vector) *spec.Records

// Basis gives a clause a basis. A choice has a reason, and leaves open what can be
// left open of any value.
func Basis(id ids.Clause, basis spec.Basis, reason string) Plant {
	return func(records *spec.Records, _ []*corpus.Vector) *spec.Records {
		return withClause(records, id, func(c *spec.Clause) {
			c.Basis, c.Reason, c.Open = basis, reason, ""
			if basis == spec.Choice {
				c.Open = open
			}
		})
	}
}

func withClause(records *spec.Records, id ids.Clause, change func(*spec.Clause)) *spec.Records {
	old, ok := records.Clause(id)
	if !ok {
		panic("no clause " + string(id))
	}
	return records.With(spec.FamilyOf(old.Structure), func(f *spec.Family) {
		change(&f.Clauses[slices.IndexFunc(f.Clauses, func(c spec.Clause) bool { return c.ID == id })])
	})
}

// open are the bounds of a planted choice.
const open = spec.Rejection + ", " + spec.Stated + ", " + spec.OtherSide

// Opens makes a choice leave open what bounds say.
func Opens(id ids.Clause, bounds spec.Open) Plant {
	return func(records *spec.Records, _ []*corpus.Vector) *spec.Records {
		return withClause(records, id, func(c *spec.Clause) { c.Open = bounds })
	}
}

// Choice makes a clause a choice of this reference that alone decides each vector
// that cites it.
func Choice(id ids.Clause, reason string) Plant {
	return func(records *spec.Records, vectors []*corpus.Vector) *spec.Records {
		for _, v := range vectors {
			if slices.Contains(v.Clauses, id) {
				v.Decided = []corpus.Decider{{Clause: id}}
			}
		}
		return Basis(id, spec.Choice, reason)(records, vectors)
	}
}

// SideChoice makes a side of a flag a choice of this reference.
func SideChoice(id ids.Flag, side, reason string) Plant {
	return func(records *spec.Records, _ []*corpus.Vector) *spec.Records {
		return records.With(spec.FamilyOf(string(id)), func(f *spec.Family) {
			i := slices.IndexFunc(f.Flags, func(fl spec.Flag) bool { return fl.ID == id })
			k := slices.IndexFunc(f.Flags[i].Sides, func(s spec.Side) bool { return s.Name == side })
			s := &f.Flags[i].Sides[k]
			s.Basis, s.Reason, s.Open = spec.Choice, reason, open
		})
	}
}

// Planted returns copies of vectors with changes, which refer to the changed records.
func Planted(vectors []*corpus.Vector, plants ...Plant) []*corpus.Vector {
	out := corpus.Under(nil, vectors)
	return corpus.Under(Records(out, plants...), out)
}

// Records returns the records with changes. The changes of vectors are made in place.
func Records(vectors []*corpus.Vector, plants ...Plant) *spec.Records {
	records := spec.Embedded()
	for _, plant := range plants {
		records = plant(records, vectors)
	}
	return records
}
