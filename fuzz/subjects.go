package fuzz

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/corpus"
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

// contexts are used in addition to the default context.
var contexts = map[string][]string{
	"order":   {"big"},
	"version": {"49"},
}

// Subjects binds a type to both base profiles in every context. It also binds it
// to one profile per further side of its flags, in the default context.
func Subjects(t *codec.Type) ([]Subject, error) {
	vectors, err := corpus.Of(t.Name)
	if err != nil {
		return nil, err
	}
	profiles := []ids.Profile{ids.Observed(), ids.Documented()}
	for _, f := range spec.FlagsOf(t.Structure()) {
		for _, side := range f.Sides {
			if side.Name == f.InDocumented || side.Name == f.InObserved {
				continue
			}
			p, err := ids.Observed().With(f.ID, side.Name)
			if err != nil {
				return nil, err
			}
			profiles = append(profiles, p)
		}
	}
	all := []map[string]string{nil}
	for k := range t.Context {
		for _, v := range contexts[k] {
			all = append(all, map[string]string{k: v})
		}
	}
	all = append(all, vectorContexts(t, vectors)...)
	var out []Subject
	for i, p := range profiles {
		for j, context := range all {
			if i > 1 && j > 0 {
				continue // further sides in the default context only
			}
			c, err := props.Bind(t, p, context)
			if err != nil {
				return nil, err
			}
			out = append(out, Subject{t, p, context, c, sync.OnceValue(func() *Oracle { return NewOracle(t, p, context) })})
		}
	}
	return out, nil
}

// maxVectorContexts is the greatest number of contexts of vectors that are used:
// each costs the full check two more decodings per input.
const maxVectorContexts = 4

// vectorContexts returns the most frequent contexts of the vectors of a type,
// except those in contexts. Without its context, such as a table of names, the
// input of a vector often has no meaning.
func vectorContexts(t *codec.Type, vectors []*corpus.Vector) []map[string]string {
	times := map[string]int{}
	context := map[string]map[string]string{}
	for _, v := range vectors {
		known := false
		for k := range v.Context {
			known = known || contexts[k] != nil
		}
		if v.Type == t.Name && len(v.Context) > 0 && !known {
			key := fmt.Sprint(v.Context)
			times[key]++
			context[key] = v.Context
		}
	}
	keys := slices.SortedFunc(maps.Keys(times), func(a, b string) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b))
	})
	var out []map[string]string
	for _, k := range keys[:min(len(keys), maxVectorContexts)] {
		out = append(out, context[k])
	}
	return out
}
