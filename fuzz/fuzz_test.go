package fuzz

import (
	"os"
	"path/filepath"
	"regexp"
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

var target = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// TestEveryTypeHasATarget compares the targets of this package's files with
// the list of types.
func TestEveryTypeHasATarget(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if files == nil {
		t.Skip("the sources of the package are not in the current folder")
	}
	have := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range target.FindAllSubmatch(text, -1) {
			have[string(m[1])] = true
		}
	}
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
