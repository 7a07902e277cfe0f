package fuzz

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/corpus"
)

var check = flag.String("check", os.Getenv(CheckVariable), "what an execution checks, quick or full; FORMATGAUGE_CHECK is its default, "+
	"then quick in a search with a compiled program, and full otherwise")

func flagValue(name string) string { return flag.Lookup(name).Value.String() }

// isQuick reports whether an execution makes the quick check. Only the go command sets
// paniconexit0.
func isQuick(f *testing.F) bool {
	f.Helper()
	switch *check {
	case "":
		return flagValue("test.fuzz") != "" && flagValue("test.paniconexit0") == "false"
	case "quick", "full":
		return *check == "quick"
	}
	f.Fatalf("-check: expected quick or full, found %q", *check)
	return false
}

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
	run := Full
	if isQuick(f) {
		run, extra = Quick, nil
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

// seeds returns the empty input and those of the vectors of a type. Those above [MaxSeed]
// are tested, but not changed. Go's engine takes milliseconds for each before it begins
// the search, so it does without the derived cases.
func seeds(f *testing.F, typ *codec.Type) [][]byte {
	f.Helper()
	vectors, err := corpus.Of(typ.Name)
	if err != nil {
		f.Fatal(err)
	}
	out := [][]byte{{}}
	for _, v := range vectors {
		out = append(out, v.Inputs()...)
	}
	if flagValue("test.fuzz") != "" {
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
	if files == nil {
		t.Skip("the sources of the package are not in the current folder")
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
