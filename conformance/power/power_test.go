package power

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

func measure(t *testing.T, vectors []*corpus.Vector, filter func(*Mutant) bool) []*Mutant {
	t.Helper()
	mutants, err := Measure(vectors, filter)
	if err != nil {
		t.Fatal(err)
	}
	return mutants
}

// sampleStep: the test of the page measures one mutant of so many.
const sampleStep = 41

// measured reports whether the test of the page measures a family: an ordinary run
// measures only the smallest.
func measured(family string) bool { return testrun.Exhaustive || family == "upkg" }

// TestPage compares the page with a fixed sample of the mutants, and the size of
// the matrix with the number of all mutants.
func TestPage(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", Page))
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	outdated := func(format string, args ...any) {
		t.Helper()
		t.Errorf(format+"; run go run ./conformance/power/measure", args...)
	}
	i := 0
	made := map[string]int{}
	vectors := slices.DeleteFunc(slices.Clone(corpustest.All(t)),
		func(v *corpus.Vector) bool { return !measured(v.Family()) })
	sample := measure(t, vectors, func(m *Mutant) bool {
		if !measured(m.Family) {
			return false
		}
		made["| "+m.Family+" | "+m.Kind+" |"]++
		i++
		return i%sampleStep == 0
	})
	for _, m := range sample {
		listed := strings.Contains(page, fmt.Sprintf("* %s (%s).", m, m.Kind))
		if (m.State == Survived) != listed {
			outdated("%s is %s, and listed as surviving: %t", m, m.State, listed)
		}
	}
	row := regexp.MustCompile(`(?m)^(\| (\w+) \| .* \|) (\d+) \| \d+ \| (\d+) \| \d+ \| \d+ \|$`)
	for _, f := range row.FindAllStringSubmatch(page, -1) {
		if !measured(f[2]) || strings.HasSuffix(f[1], "| all |") {
			continue
		}
		survived, _ := strconv.Atoi(f[4]) // digits
		if sum := fmt.Sprint(made[f[1]] - survived); sum != f[3] {
			outdated("%s the page has %s mutants, there are %s", f[1], f[3], sum)
		}
		delete(made, f[1])
	}
	for kind := range made {
		outdated("the page lacks %s", kind)
	}
}

// TestKills: without the vectors that kill a mutant, the mutant survives.
func TestKills(t *testing.T) {
	vectors := corpustest.Of(t, "uasset.Mip")
	all := len(vectors)
	of := func(m *Mutant) bool { return m.Subject == "uasset.Mip.size" && m.Operator == "sign lost" }
	var m *Mutant
	for range 5 {
		if m = measure(t, vectors, of)[0]; m.State != Killed {
			break
		}
		vectors = slices.DeleteFunc(vectors, func(v *corpus.Vector) bool { return v.ID == m.Killer })
	}
	if m.State != Survived || len(vectors) == all {
		t.Errorf("%s is %s by %d of %d vectors", m, m.State, len(vectors), all)
	}
}

// TestOperators: the table of operators is complete, and no two have one name.
func TestOperators(t *testing.T) {
	seen := map[string]bool{}
	for i := range operators {
		op := &operators[i]
		id := op.group + " " + op.name
		if seen[id] {
			t.Errorf("two operators %s", id)
		}
		seen[id] = true
		if op.needs == "" || op.group == "" || op.fits == nil || op.apply == nil {
			t.Errorf("%s is not complete", id)
		}
	}
}

func TestDeclare(t *testing.T) {
	mutants := func() []*Mutant {
		return []*Mutant{
			{Subject: "ka.Int8", Kind: "numbers, read", Operator: "low 8 bits", State: Survived},
			{Subject: "ka.Int8", Kind: "numbers, read", Operator: "zero", State: Killed},
		}
	}
	for _, c := range []struct {
		subject, kind, operator string
		want                    State // of the first mutant
		fails                   bool
	}{
		{"ka.Int8", "", "low 8 bits", Equivalent, false},
		{"ka.*", "numbers, *", "low*", Equivalent, false},
		{"ka.Int8", "lists", "low 8 bits", Survived, true},
		{"ka.Int8", "", "zero", Survived, true},
		{"ka.Int16", "", "*", Survived, true},
	} {
		ms := mutants()
		err := declare(ms,
			[]declaration{{Subjects: []string{c.subject}, Kind: c.kind, Operators: []string{c.operator}, Reason: "r"}}, true)
		if ms[0].State != c.want || ms[1].State != Killed || (err != nil) != c.fails {
			t.Errorf("%+v: %s, %s, %v", c, ms[0].State, ms[1].State, err)
		}
	}
	for _, bad := range []string{
		"[[equivalent]]\nsubjects = [\"a\"]\noperators = [\"b\"]",
		"[[equivalent]]\nsubject = \"a\"", "x",
	} {
		if _, err := declarations(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	if _, err := declarations(equivalentText); err != nil {
		t.Error(err)
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true},
		{"a", "a", true},
		{"a", "b", false},
		{"*", "", true},
		{"a*c", "abc", true},
		{"a*c", "abcd", false},
		{"a*c*", "abcd", true},
		{"*[0]", "x[0]", true},
		{"%.7g", "%.7g", true},
	} {
		if matches(c.pattern, c.s) != c.want {
			t.Errorf("matches(%q, %q) is %t", c.pattern, c.s, !c.want)
		}
	}
}

func ExampleCount_Made() {
	fmt.Println(Count{Killed: 3, Acceptable: 5, Survived: 1}.Made())
	// Output: 4
}
