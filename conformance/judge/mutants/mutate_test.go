package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const sample = `package sample

func f(r reader, n int) bool {
	r.Enter("n")
	if n < 5 && ok() {
		r.Fail("n")
	}
	n = n + 0
	return true
}
`

func TestMutantsOf(t *testing.T) {
	ms, err := mutantsOf("sample.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range ms {
		lines := strings.Split(string(m.apply([]byte(sample))), "\n")
		if len(lines) != strings.Count(sample, "\n")+1 {
			t.Errorf("%s changes the number of lines", m)
			continue
		}
		got = append(got, strings.TrimSpace(lines[m.line-1]))
	}
	slices.Sort(got)
	want := []string{
		`_ = n + 0`,
		`if !(n < 5 && ok()) {`,
		`if (n < 5 && ok()) && false {`,
		`if (n < 5 && ok()) || true {`,
		`if n < (5+1) && ok() {`,
		`if n < (5-1) && ok() {`,
		`if n < 5 || ok() {`,
		`if n <= 5 && ok() {`,
		`if n >= 5 && ok() {`,
		`n = n + (0+1)`,
		`n = n - 0`,
		`return false`,
		`{}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestJudgeMutant: a mutant that violates a vector is detected, and one without effect
// survives.
func TestJudgeMutant(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the judge several times")
	}
	t.Chdir("../../..")
	const file = "codec/upkg/index.go"
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for change, want := range map[[2]string]outcome{
		{"const maxIndexSize = 5", "const maxIndexSize = 5"}: survives,
		{"& 0x3F", "& 0x1F"}: detected,
		{"const maxIndexSize = 5", "const maxIndexSize = x"}: unbuilt,
	} {
		at := strings.Index(string(src), change[0])
		if change[1] == "& 0x1F" { // the last occurrence decodes; an earlier one is in the exported function
			at = strings.LastIndex(string(src), change[0])
		}
		if at < 0 {
			t.Fatalf("the source does not contain %q", change[0])
		}
		got, err := judgeMutant(t.TempDir(), "upkg", mutant{file: file, from: at, to: at + len(change[0]), text: change[1]})
		if err != nil || got != want {
			t.Errorf("%q: %s, %v", change[1], got, err)
		}
	}
}
