package fuzz

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/corpus"
)

// check selects what an execution checks.
var check = flag.String("check", "full", "quick: one profile and context per input; full: all of them, and spans "+
	"and memory")

// fuzz is the body of every native target. extra are full checks for one type only.
func fuzz(f *testing.F, name string, extra ...func(*testing.T, []byte)) {
	typ, ok := codec.Find(name)
	if !ok {
		f.Fatalf("type %s does not exist", name)
	}
	subjects, err := Subjects(typ)
	if err != nil {
		f.Fatal(err)
	}
	for _, b := range seeds(f, typ) {
		f.Add(b)
	}
	checks := map[string]func([]Subject, []byte) error{"quick": Quick, "full": Full}
	run, ok := checks[*check]
	if !ok {
		f.Fatalf("-check: expected quick or full, found %q", *check)
	}
	if *check == "quick" {
		extra = nil
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if err := run(subjects, src); err != nil {
			t.Fatal(err)
		}
		for _, check := range extra {
			check(t, src)
		}
	})
}

// seeds returns the seeds of a campaign for the quick check. Otherwise it returns the
// empty input and those of the vectors of a type. Those above [MaxSeed] are tested, but not changed.
func seeds(f *testing.F, typ *codec.Type) [][]byte {
	f.Helper()
	if *check == "quick" {
		out, err := Seeds(typ.Name)
		if err != nil {
			f.Fatal(err)
		}
		return out
	}
	vectors, err := corpus.Of(typ.Name)
	if err != nil {
		f.Fatal(err)
	}
	out := [][]byte{{}}
	for _, v := range vectors {
		out = append(out, v.Inputs()...)
	}
	if flag.Lookup("test.fuzz").Value.String() != "" {
		out = slices.DeleteFunc(out, func(b []byte) bool { return len(b) > MaxSeed })
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
