package power

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

//go:embed equivalent.toml
var equivalentText string

// A declaration says that surviving mutants are equivalent: no right answer differs
// from theirs. It consists of patterns, in which * matches any text.
type declaration struct {
	Subjects  []string `toml:"subjects"`
	Kind      string   `toml:"kind"` // empty: any
	Operators []string `toml:"operators"`
	Reason    string   `toml:"reason"`
}

func declarations(text string) ([]declaration, error) {
	var file struct {
		Equivalent []declaration `toml:"equivalent"`
	}
	meta, err := toml.Decode(text, &file)
	if keys := meta.Undecoded(); err == nil && len(keys) > 0 {
		err = fmt.Errorf("unknown key %s", keys[0])
	}
	for _, d := range file.Equivalent {
		if err == nil && (len(d.Subjects) == 0 || len(d.Operators) == 0 || d.Reason == "") {
			err = fmt.Errorf("a declaration must have subjects, operators and a reason: %v", d)
		}
	}
	return file.Equivalent, err
}

// matches reports whether a text matches a pattern.
func matches(pattern, s string) bool {
	expr := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	return regexp.MustCompile("^" + expr + "$").MatchString(s)
}

// declare makes the surviving mutants equivalent that are declared so. If all mutants
// were measured, each pair of a subject and an operator of a declaration must match
// one: otherwise it is not true any more.
func declare(mutants []*Mutant, list []declaration, all bool) error {
	var errs []error
	for _, d := range list {
		for _, subject := range d.Subjects {
			for _, operator := range d.Operators {
				if !d.mark(mutants, subject, operator) && all {
					errs = append(errs, fmt.Errorf("equivalent.toml: no surviving mutant matches %s: %s", subject, operator))
				}
			}
		}
	}
	return errors.Join(errs...)
}

// mark makes the surviving mutants of a subject and an operator equivalent, and reports
// whether there are any.
func (d *declaration) mark(mutants []*Mutant, subject, operator string) (found bool) {
	for _, m := range mutants {
		if (m.State == Survived || m.State == Equivalent) && matches(operator, m.Operator) &&
			matches(subject, m.Subject) && (d.Kind == "" || matches(d.Kind, m.Kind)) {
			m.State, m.Reason, found = Equivalent, d.Reason, true
		}
	}
	return found
}
