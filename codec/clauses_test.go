package codec_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestConstantsExist: every clause and flag that a codec names is in the
// records of its family.
func TestConstantsExist(t *testing.T) {
	files, err := filepath.Glob("*/clauses.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no constants found: %v", err)
	}
	for _, name := range files {
		family := filepath.Dir(name)
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		ast.Inspect(f, func(node ast.Node) bool {
			lit, ok := node.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			id, err := strconv.Unquote(lit.Value)
			if err != nil || strings.Contains(id, "/") {
				return true // an import
			}
			n++
			if strings.HasPrefix(id, family+".") {
				fl, ok := spec.FindFlag(ids.Flag(id))
				if !ok || !fl.Switchable() {
					t.Errorf("%s: no switchable flag %s", name, id)
				}
				return true
			}
			c, ok := spec.FindClause(ids.Clause(id))
			if !ok || !strings.HasPrefix(c.Structure, family+".") {
				t.Errorf("%s: no clause %s of the family", name, id)
			}
			return true
		})
		if n == 0 {
			t.Errorf("%s names no clauses", name)
		}
	}
}

// TestSwitchableFlagsAreSwitches: every codec names the flags with sides of its
// family.
func TestSwitchableFlagsAreSwitches(t *testing.T) {
	for _, f := range spec.Families() {
		name := filepath.Join(f.Name, "clauses.go")
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		ast.Inspect(file, func(node ast.Node) bool {
			if lit, ok := node.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				id, _ := strconv.Unquote(lit.Value)
				named[id] = true
			}
			return true
		})
		for i := range f.Flags {
			if fl := &f.Flags[i]; fl.Switchable() && !named[string(fl.ID)] {
				t.Errorf("%s has sides, and the codec does not name it", fl.ID)
			}
		}
	}
}
