package corpus

import (
	"fmt"
	"path"
	"strings"

	"github.com/formatgauge/formatgauge/corpus/draft"
	"github.com/formatgauge/formatgauge/spec"
)

// The placeholders of a form. [Parse] rejects a text that contains one of them.
const (
	blankComment = draft.NoComment
	blankClauses = "THE CLAUSES THAT IT TESTS"
	blankSource  = draft.NoSource
	blankBytes   = "MEANING OF THE BYTES"
	blankVerdict = "VERDICT, AND THE TREE ON THE NEXT LINE"
)

// Blank returns the form of a new vector: capitals mark what to replace.
func Blank(id string) ([]byte, error) {
	parts := strings.Split(id, "/")
	if len(parts) != 3 || path.Clean(id) != id {
		return nil, fmt.Errorf("the id of a vector is FAMILY/Structure/name, not %q", id)
	}
	structure := parts[0] + "." + parts[1]
	if _, ok := spec.FindStructure(structure); !ok {
		return nil, fmt.Errorf("structure %s is not in the records", structure)
	}
	return fmt.Appendf(nil, `%s.

clauses: %s
source: %s
-- bytes --
00  %s
-- expect --
%s
`, blankComment, blankClauses, blankSource, blankBytes, blankVerdict), nil
}

// checkFilled returns an error that names the lines of a form that still contain
// a placeholder.
func checkFilled(text string) error {
	var lines []string
	for _, blank := range []string{blankComment, blankClauses, blankSource, blankBytes, blankVerdict} {
		if before, _, found := strings.Cut(text, blank); found {
			lines = append(lines, fmt.Sprintf("line %d: %q", 1+strings.Count(before, "\n"), blank))
		}
	}
	if len(lines) > 0 {
		return fmt.Errorf("the form is not complete, placeholders to replace: %s", strings.Join(lines, "; "))
	}
	return nil
}

// ContextText returns a context in the form of a vector file: order=big,
// version=63.
func ContextText(context map[string]string) string { return draft.ContextText(context) }
