package codec_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

var (
	clauseForm = regexp.MustCompile(`^[A-Z]{2,4}-[A-Z0-9]+-[0-9]+$`)
	flagForm   = regexp.MustCompile(`^(ubi|upkg|ka|uasset)\.[a-z0-9-]+$`)
)

// named returns the literals in the code of a family that have the form of an id.
func named(t *testing.T, family string) (clauses []ids.Clause, flags []ids.Flag) {
	t.Helper()
	files, err := filepath.Glob(family + "/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no code found: %v", err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(node ast.Node) bool {
			lit, ok := node.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING || strings.HasSuffix(name, "_test.go") {
				return true
			}
			switch id, _ := strconv.Unquote(lit.Value); {
			case clauseForm.MatchString(id):
				clauses = append(clauses, ids.Clause(id))
			case flagForm.MatchString(id):
				flags = append(flags, ids.Flag(id))
			}
			return true
		})
	}
	return clauses, flags
}

// TestNamedIDsExist: every clause and flag that a codec names is in the records of its
// family, and every codec names the flags with sides of its family.
func TestNamedIDsExist(t *testing.T) {
	for _, family := range spec.Families() {
		clauses, flags := named(t, family.Name)
		if len(clauses) == 0 {
			t.Errorf("%s names no clauses", family.Name)
		}
		for _, id := range clauses {
			if c, ok := spec.FindClause(id); !ok || !strings.HasPrefix(c.Structure, family.Name+".") {
				t.Errorf("%s: no clause %s of the family", family.Name, id)
			}
		}
		for _, id := range flags {
			if f, ok := spec.FindFlag(id); !ok || !f.Switchable() || !strings.HasPrefix(string(id), family.Name+".") {
				t.Errorf("%s: no switchable flag %s", family.Name, id)
			}
		}
		for i := range family.Flags {
			if f := &family.Flags[i]; f.Switchable() && !slices.Contains(flags, f.ID) {
				t.Errorf("%s has sides, and the codec does not name it", f.ID)
			}
		}
	}
}
