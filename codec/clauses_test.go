package codec_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

var (
	clauseForm = regexp.MustCompile(`"([A-Z]{2,4}-[A-Z0-9]+-[0-9]+)"`)
	flagForm   = regexp.MustCompile(`"((?:ubi|upkg|ka|uasset)\.[a-z0-9-]+)"`)
)

// codeOf returns the code of a family without its tests.
func codeOf(family string) (code []byte) {
	for _, name := range testrun.Must(filepath.Glob(family + "/*.go")) {
		if !strings.HasSuffix(name, "_test.go") {
			code = append(code, testrun.Must(os.ReadFile(name))...)
		}
	}
	return code
}

// TestNamedIDsExist: every clause and flag that a codec names is in the records of its
// family, and every codec names the flags with sides of its family.
func TestNamedIDsExist(t *testing.T) {
	for _, family := range spec.Families() {
		code := codeOf(family.Name)
		clauses := clauseForm.FindAllSubmatch(code, -1)
		if len(clauses) == 0 {
			t.Errorf("%s names no clauses", family.Name)
		}
		for _, id := range clauses {
			if c, ok := spec.FindClause(ids.Clause(id[1])); !ok || !strings.HasPrefix(c.Structure, family.Name+".") {
				t.Errorf("%s: no clause %s of the family", family.Name, id[1])
			}
		}
		for _, id := range flagForm.FindAllSubmatch(code, -1) {
			if f, ok := spec.FindFlag(ids.Flag(id[1])); !ok || !f.Switchable() || f.Family() != family.Name {
				t.Errorf("%s: no switchable flag %s", family.Name, id[1])
			}
		}
		for _, f := range family.Flags {
			if f.Switchable() && !bytes.Contains(code, []byte(`"`+f.ID+`"`)) {
				t.Errorf("%s has sides, and the codec does not name it", f.ID)
			}
		}
	}
}
