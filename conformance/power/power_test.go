package power

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/testrun"
)

func allVectors(t *testing.T) []*corpus.Vector {
	t.Helper()
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

func measure(t *testing.T, vectors []*corpus.Vector, filter func(*Mutant) bool) []*Mutant {
	t.Helper()
	mutants, err := Measure(context.Background(), vectors, filter)
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
		t.Errorf(format+"; run "+Command, args...)
	}
	i := 0
	made := map[string]int{}
	vectors := slices.DeleteFunc(slices.Clone(allVectors(t)),
		func(v *corpus.Vector) bool { return !measured(v.Family()) })
	sample := measure(t, vectors, func(m *Mutant) bool {
		if !measured(m.Family) {
			return false
		}
		made[m.Family+" "+m.Kind]++
		i++
		return i%sampleStep == 0 && m.same == "" // a rule that names mutants needs them all
	})
	section := func(name string) string {
		_, s, _ := strings.Cut(page, "\n## "+name+"\n")
		s, _, _ = strings.Cut(s, "\n## ")
		return s
	}
	survived := map[string][]string{} // operators by subject and kind
	for line := range strings.Lines(section("Survived")) {
		if name, operators, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "): "); ok {
			survived[strings.TrimPrefix(name, "* ")] = strings.Split(operators, "; ")
		}
	}
	for _, m := range sample {
		listed := slices.Contains(survived[m.Subject+" ("+m.Kind], m.Operator)
		if (m.State == Survived) != listed {
			outdated("%s (%s) is %s, and listed as surviving: %t", m, m.Kind, m.State, listed)
		}
		if m.State == Equivalent && !strings.Contains(section("Equivalent"), m.Reason) {
			outdated("%s: the page lacks the reason %q", m, m.Reason)
		}
	}
	family := ""
	row := regexp.MustCompile(`^\| (.*) \| (\d+) \| \d+ \| (\d+) \| \d+ \| \d+ \|\n$`)
	for line := range strings.Lines(section("By family and kind")) {
		if name, ok := strings.CutPrefix(line, "### "); ok {
			family = strings.TrimSpace(name)
		}
		f := row.FindStringSubmatch(line)
		if f == nil || f[1] == "all" || !measured(family) {
			continue
		}
		counted, _ := strconv.Atoi(f[2])
		acceptable, _ := strconv.Atoi(f[3])
		if kind := family + " " + f[1]; counted+acceptable != made[kind] {
			outdated("%s: the page has %d mutants, there are %d", kind, counted+acceptable, made[kind])
		} else {
			delete(made, kind)
		}
	}
	for kind := range made {
		outdated("the page lacks %s", kind)
	}
}

// TestKills: without the only vector that kills a mutant, the mutant survives.
func TestKills(t *testing.T) {
	vectors := slices.DeleteFunc(slices.Clone(allVectors(t)),
		func(v *corpus.Vector) bool { return v.Structure() != "uasset.Mip" })
	of := func(m *Mutant) bool { return strings.HasPrefix(m.Subject, "uasset.Mip.") }
	n := 0
	for _, m := range measure(t, vectors, of) {
		if m.State != Killed || len(m.Killers) != 1 || n == 3 {
			continue
		}
		n++
		without := slices.DeleteFunc(slices.Clone(vectors), func(v *corpus.Vector) bool { return v.ID == m.Killers[0] })
		for _, other := range measure(t, without, of) {
			if other.Subject == m.Subject && other.Kind == m.Kind && other.Operator == m.Operator && other.State != Survived &&
				other.State != Acceptable {
				t.Errorf("%s is %s without %s", m, other.State, m.Killers[0])
			}
		}
	}
	if n == 0 {
		t.Error("every mutant is killed by two vectors: choose another subject")
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
		if op.needs == "" || op.group == "" || len(op.kinds) == 0 || op.apply == nil {
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

// TestComputations: without a fault the computations give the right answers.
func TestComputations(t *testing.T) {
	for i, c := range computations {
		vectors := slices.DeleteFunc(slices.Clone(allVectors(t)),
			func(v *corpus.Vector) bool { return v.Structure() != c.structure })
		cases, err := newCases(allCases(vectors))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, tc := range cases {
			for _, op := range tc.ops {
				a, ok := computed(i, tc, op, "")
				if !ok {
					continue
				}
				n++
				if textOf(a) != textOf(tc.answer(op)) {
					t.Errorf("%s under %s: %s: %s, expected %s", tc.ID, tc.Profile, op, textOf(a), textOf(tc.answer(op)))
				}
			}
		}
		if n < 5 {
			t.Errorf("%s: %d answers compared", c.structure, n)
		}
	}
}
