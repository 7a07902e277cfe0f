package fuzz

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/internal/mutate"
	"github.com/formatgauge/formatgauge/props"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Subject is a type under one profile in one context.
type Subject struct {
	Type    *codec.Type
	Profile ids.Profile
	Context map[string]string
	Codec   codec.Codec
	oracle  func() *Oracle // made when it is first needed
}

// String returns the type, and the flags of the command that select the same profile
// and context.
func (s *Subject) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "'%s' --profile %s", s.Type.Name, s.Profile)
	for _, k := range slices.Sorted(maps.Keys(s.Context)) {
		fmt.Fprintf(&b, " --context '%s=%s'", k, s.Context[k])
	}
	return b.String()
}

// Subjects returns those of each type of a target.
func (t *Target) Subjects() (all [][]Subject) {
	for _, typ := range t.Types {
		all = append(all, Subjects(typ))
	}
	return all
}

// maxContexts is the number of contexts of vectors that are used: each costs the full
// check two more decodings per input. Without its context, such as a table of names, the
// input of a vector often has no meaning.
const maxContexts = 4

// Subjects binds a type to both base profiles in every context. It also binds it
// to one profile per further side of its flags, in the default context. It panics if a vector
// has a context that its type rejects, which the lint of the corpus excludes.
func Subjects(t *codec.Type) (out []Subject) {
	profiles := []ids.Profile{ids.Observed(), ids.Documented()}
	for _, f := range spec.FlagsOf(t.Structure()) {
		profiles = append(profiles, f.NamedSides()...)
	}
	all := append([]map[string]string{nil}, mutate.Contexts(t, maxContexts)...)
	for i, p := range profiles {
		for j, context := range all {
			if i > 1 && j > 0 {
				continue // further sides in the default context only
			}
			c, err := props.Bind(t, p, context)
			if err != nil {
				panic("fuzz: " + err.Error())
			}
			out = append(out, Subject{t, p, context, c, sync.OnceValue(func() *Oracle { return NewOracle(t, p, context) })})
		}
	}
	return out
}
