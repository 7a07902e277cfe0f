package fuzz

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/register"
	"github.com/formatgauge/formatgauge/props"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// fuzz is the body of every target. more are tests for one type.
func fuzz(f *testing.F, name string, more ...func(*testing.T, []byte)) {
	typ, ok := codec.Find(name)
	if !ok {
		f.Fatalf("no type %s", name)
	}
	vectors, err := corpus.All()
	if err != nil {
		f.Fatal(err)
	}
	for _, v := range vectors {
		if v.Type == name && !v.EncodeOnly() {
			f.Add(v.Bytes)
		}
	}
	subjects := subjectsOf(f, typ, vectors)
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, s := range subjects {
			t.Helper()
			props.CheckBytes(prefixed{t, s.profile}, typ, s.codec, src)
		}
		for _, check := range more {
			check(t, src)
		}
	})
}

// A subject is a type under one profile in one context.
type subject struct {
	profile string
	codec   codec.Codec
}

// prefixed prefixes a failure with the profile.
type prefixed struct {
	*testing.T
	profile string
}

func (p prefixed) Fatalf(format string, args ...any) {
	p.Helper()
	p.T.Fatalf("under "+p.profile+": "+format, args...)
}

// contexts are values of context keys besides the default ones.
var contexts = map[string][]string{
	"order":   {"big"},
	"version": {"63"},
}

// subjectsOf binds a type to both profiles in every context, and to a profile
// for each further side of a flag that touches it.
func subjectsOf(tb testing.TB, t *codec.Type, vectors []*corpus.Vector) []subject {
	tb.Helper()
	profiles := []ids.Profile{ids.Observed(), ids.Documented()}
	for _, f := range spec.FlagsOf(t.Structure()) {
		for _, side := range f.Sides {
			if side.Name == ids.SideDocumented || side.Name == ids.SideObserved {
				continue
			}
			p, err := ids.Observed().With(f.ID, side.Name)
			if err != nil {
				tb.Fatal(err)
			}
			profiles = append(profiles, p)
		}
	}
	settings := []map[string]string{nil}
	for k := range t.Context {
		for _, v := range contexts[k] {
			settings = append(settings, map[string]string{k: v})
		}
	}
	settings = append(settings, frequentContexts(t, vectors)...)
	var out []subject
	for i, p := range profiles {
		for j, context := range settings {
			if i > 1 && j > 0 {
				continue // third sides in the default context only
			}
			c, err := props.Bind(t, p, context)
			if err != nil {
				tb.Fatal(err)
			}
			out = append(out, subject{p.String(), c})
		}
	}
	return out
}

// maxContexts limits the contexts from vectors. Each of them adds two decodings
// of every input.
const maxContexts = 4

// frequentContexts returns the most frequent contexts in the vectors of a type.
// Without its table of names, for example, a property list is never accepted.
func frequentContexts(t *codec.Type, vectors []*corpus.Vector) []map[string]string {
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
	for _, k := range keys[:min(len(keys), maxContexts)] {
		out = append(out, context[k])
	}
	return out
}

// TestEveryTypeHasATarget compares the targets of this package's files with
// the list of types.
func TestEveryTypeHasATarget(t *testing.T) {
	have, err := register.FuzzTargets(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range codec.Types() {
		name := corpus.FuzzTargetOf(typ.Name)
		if !have[name] {
			t.Errorf("add: func %s(f *testing.F) { fuzz(f, %q) }", name, typ.Name)
		}
		delete(have, name)
	}
	for name := range have {
		t.Errorf("%s belongs to no type", name)
	}
}
