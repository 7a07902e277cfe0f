package fuzz

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
)

// fuzz is the body of the target of a type.
func fuzz(f *testing.F, name string, extra ...func(*testing.T, []byte)) {
	typ, ok := codec.Find(name)
	if !ok {
		f.Fatalf("type %s does not exist", name)
	}
	(&Target{Types: []*codec.Type{typ}}).Native(f, extra...)
}

// TestEveryTypeHasATarget compares the targets of this package's files with
// the list of types.
func TestEveryTypeHasATarget(t *testing.T) {
	have := fuzzTargets(t)
	for _, typ := range codec.Types() {
		name := "Fuzz"
		for part := range strings.FieldsFuncSeq(typ.Name, func(r rune) bool { return strings.ContainsRune(".<>,", r) }) {
			name += strings.ToUpper(part[:1]) + part[1:]
		}
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
