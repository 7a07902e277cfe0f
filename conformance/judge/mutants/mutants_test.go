package main

import (
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/internal/testrun"
)

const sample = `package sample

type class uint8

const (
	range_ class = iota
	value
	truncated
)

var failure error

var table = [...]int{1: 10, 2: 20}

type reader struct{ n int }

func (r *reader) Enter(name string)                                 {}
func (r *reader) Fail(c class, offset int, format string, a ...any) {}
func (r *reader) Uint8(field string) uint8                          { return 0 }
func (r *reader) Uint16(field string) uint16                        { return 0 }
func (*reader) tracing() bool                                       { return false }

func (r *reader) f(_ string, list ...int16) (bool, error) {
	r.Enter("n")
	if r.n < 5 && r.tracing() {
		r.n = 7
	}
	n := int(r.Uint16("n"))
	if n > 1.5*2 {
		r.Fail(value, 3, "%d", n+1)
		return false, nil
	}
	for _, x := range list {
		n += int(x)
	}
	return n > 0, failure
}

func swapped[T any](a, b T, s string) (T, T) {
	if s == "UE" {
		return swapped(b, a, s)
	}
	return a, b
}
`

// samplePackage returns the sample with types.
func samplePackage(t *testing.T) *pkg {
	t.Helper()
	set := token.NewFileSet()
	p := &pkg{dir: "sample", name: "sample", path: "sample", set: set}
	p.sources = []*source{{pkg: p, name: "sample/sample.go", text: []byte(sample)}}
	if err := p.parse(); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestOperators lists the mutants of the sample. Nothing changes what is for people
// only: names, formats, spans.
func TestOperators(t *testing.T) {
	var got []string
	for _, m := range compiling(enumerate([]*pkg{samplePackage(t)})) {
		if !strings.HasSuffix(m.Function, ").Uint8") && !strings.HasSuffix(m.Function, ").Uint16") && !strings.HasSuffix(m.Function, ").tracing") {
			got = append(got, strings.TrimPrefix(m.key.String(), "sample/sample.go "))
		}
	}
	slices.Sort(got)
	want, err := os.ReadFile("testdata/operators.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(got, "\n") + "\n"; got != string(want) {
		t.Errorf("got\n%s", got)
	}
}

// TestCompose: the copies and the calls of the copies compile, all at once.
func TestCompose(t *testing.T) {
	p := samplePackage(t)
	var inside []*mutant
	for _, m := range compiling(enumerate([]*pkg{p})) {
		if m.function != nil {
			inside = append(inside, m)
		}
	}
	s := p.sources[0]
	text, _ := s.compose(inside, true)
	lines := strings.Split(text, "\n")
	s.check(text+pick+"\nvar mutantReached = func(int) {}\n", func(offset int) {
		t.Errorf("does not compile: %s", lines[strings.Count(text[:offset], "\n")])
	})
	if calls := strings.Count(text, " case "); calls < 20 {
		t.Errorf("expected a call of each copy, found %d", calls)
	}
}

// TestInOrder: the choice does not depend on the order of enumeration, and changes
// with the seed. Each operator has its turn.
func TestInOrder(t *testing.T) {
	all := enumerate([]*pkg{samplePackage(t)})
	keys := func(ms []*mutant) (out []key) {
		for _, m := range ms {
			out = append(out, m.key)
		}
		return out
	}
	first := keys(inOrder(all, "1"))
	reversed := slices.Clone(all)
	slices.Reverse(reversed)
	if !slices.Equal(first, keys(inOrder(reversed, "1"))) {
		t.Error("the order of enumeration changes the choice")
	}
	if slices.Equal(first, keys(inOrder(all, "2"))) {
		t.Error("the seed does not change the choice")
	}
	kinds := map[string]bool{}
	for _, k := range first {
		kinds[k.Operator] = true
	}
	turn := map[string]bool{}
	for _, k := range first[:len(kinds)] {
		turn[k.Operator] = true
	}
	if !maps.Equal(kinds, turn) {
		t.Errorf("the first %d mutants are of %d operators", len(kinds), len(turn))
	}
}

// TestState: a later run knows the results of an earlier one, of its own target only.
func TestState(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state.jsonl")
	k := key{File: "a.go", Operator: "bound", Original: "a < b", Change: "a <= b"}
	s, err := openState(name, "ka")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []result{{"ka", k, 3, survives, ""}, {"ka", key{File: "b.go"}, 4, detected, "ka/x/y"}} {
		if err := s.add(r); err != nil {
			t.Fatal(err)
		}
	}
	s.close()
	for target, want := range map[string]int{"ka": 1, "ubi": 0} {
		s, err := openState(name, target)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.survivors(); len(got) != want || want == 1 && got[0].key != k {
			t.Errorf("%s: %v", target, got)
		}
		s.close()
	}
}

// TestSurvivors: the file is valid, and faults of such a file are noticed.
func TestSurvivors(t *testing.T) {
	if _, err := loadSurvivors("survivors.toml"); err != nil {
		t.Error(err)
	}
	name := filepath.Join(t.TempDir(), "survivors.toml")
	const entry = "[[survivor]]\nfile = \"sample/sample.go\"\n"
	for text, fault := range map[string]string{
		entry + "gap = \"x\"\n": "",
		entry:                   "either equivalent or gap",
		entry + "gap = \"x\"\nequivalent = \"x\"\n":              "either equivalent or gap",
		entry + "gap = \"x\"\n" + entry + "equivalent = \"x\"\n": "listed twice",
		entry + "gap = \"x\"\nlines = 3\n":                       "unknown key",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := loadSurvivors(name)
		switch {
		case fault == "" && err != nil, fault != "" && (err == nil || !strings.Contains(err.Error(), fault)):
			t.Errorf("%q: %v", text, err)
		case fault == "":
			all := enumerate([]*pkg{samplePackage(t)})
			if got := s.missing(target{packages: []string{"sample"}}, all); len(got) != 1 {
				t.Errorf("an entry without a mutant: %q", got)
			}
			if got := s.missing(target{packages: []string{"other"}}, all); len(got) != 0 {
				t.Errorf("an entry of another target: %q", got)
			}
		}
	}
}

// TestSummarize: a survivor has to be declared, and a declared one has to survive.
func TestSummarize(t *testing.T) {
	ms := enumerate([]*pkg{samplePackage(t)})[:4]
	s := &state{results: map[key]result{}}
	declared := survivors{ms[1].key: {Gap: "x"}, ms[2].key: {Equivalent: "x"}, ms[3].key: {Gap: "x"}}
	for i, o := range []outcome{survives, survives, survives, detected} {
		s.put(result{Target: "sample", key: ms[i].key, Outcome: o})
	}
	got := summarize(target{name: "sample"}, ms, s, declared)
	if len(got) != 2 || !strings.Contains(got[0], "is not in") || !strings.Contains(got[1], "is detected") {
		t.Errorf("%q", got)
	}
}

// TestJudge: a mutant that violates a vector is detected, one without effect
// survives, and the others in the same program are not selected.
func TestJudge(t *testing.T) {
	if !testrun.Exhaustive {
		t.Skip("builds the judge: needs the build tag exhaustive")
	}
	t.Chdir("../../..")
	upkg, _ := findTarget("upkg")
	pkgs, err := load(upkg.tags, upkg.packages)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]outcome{
		"codec/upkg/index.go rejectIndex: string: \"\\\"\\\"\" becomes \"\\\"?\\\"\"":               survives,
		"model/upkg/upkg.go ReferenceTo: condition: \"value < 0\" becomes \"(value < 0) && false\"": detected,
	}
	var chosen []*mutant
	for _, m := range enumerate(pkgs) {
		if want[m.key.String()] != "" {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) != len(want) {
		t.Fatalf("expected %d mutants, found %v", len(want), chosen)
	}
	s := &state{results: map[key]result{}}
	if err := judgeAll(upkg, chosen, s, nil, 1); err != nil {
		t.Fatal(err)
	}
	for k, r := range s.results {
		if r.Outcome != want[k.String()] {
			t.Errorf("%s: %s", k, r.Outcome)
		}
	}
}
