package fuzz

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/props"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// fuzz is the body of every target. extra are checks for one type only.
func fuzz(f *testing.F, name string, extra ...func(*testing.T, []byte)) {
	typ, ok := codec.Find(name)
	if !ok {
		f.Fatalf("type %s does not exist", name)
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
			props.CheckBytes(profileT{t, s.profile}, typ, s.codec, src)
			checkOracle(profileT{t, s.profile}, s.oracle, s.codec, src)
		}
		for _, check := range extra {
			check(t, src)
		}
	})
}

// A subject is a type under one profile in one context.
type subject struct {
	profile string
	codec   codec.Codec
	oracle  *Oracle
}

// profileT adds the profile to messages of failure.
type profileT struct {
	*testing.T
	profile string
}

func (p profileT) Fatalf(format string, args ...any) {
	p.Helper()
	p.T.Fatalf("under "+p.profile+": "+format, args...)
}

// contexts are used in addition to the default context.
var contexts = map[string][]string{
	"order":   {"big"},
	"version": {"63"},
}

// subjectsOf binds a type to both base profiles in every context. It also binds
// it to one profile per further side of its flags, in the default context.
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
	all := []map[string]string{nil}
	for k := range t.Context {
		for _, v := range contexts[k] {
			all = append(all, map[string]string{k: v})
		}
	}
	all = append(all, vectorContexts(t, vectors)...)
	var out []subject
	for i, p := range profiles {
		for j, context := range all {
			if i > 1 && j > 0 {
				continue // further sides in the default context only
			}
			c, err := props.Bind(t, p, context)
			if err != nil {
				tb.Fatal(err)
			}
			out = append(out, subject{p.String(), c, NewOracle(t, p, context)})
		}
	}
	return out
}

// maxVectorContexts is the greatest number of contexts of vectors that are used:
// each costs two more decodings per input.
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

// TestEveryTypeHasATarget compares the targets of this package's files with
// the list of types.
func TestEveryTypeHasATarget(t *testing.T) {
	have := fuzzTargets(t)
	for _, typ := range codec.Types() {
		name := corpus.FuzzTargetOf(typ.Name)
		if !have[name] {
			t.Errorf("missing target, add: func %s(f *testing.F) { fuzz(f, %q) }", name, typ.Name)
		}
		delete(have, name)
	}
	for name := range have {
		t.Errorf("no type has the target %s", name)
	}
}

// fuzzTargets lists the fuzz functions of this package.
func fuzzTargets(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Fuzz") {
				out[fn.Name.Name] = true
			}
		}
	}
	return out
}
