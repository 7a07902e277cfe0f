package power

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Page is the path of the published matrix, in the repository.
const Page = "docs/power.md"

//go:embed page.md
var pageText string

// A Count is the number of mutants in each state.
type Count map[State]int

// Made returns the number of mutants that a vector could kill or that are declared
// equivalent.
func (c Count) Made() int { return c[Killed] + c[Equivalent] + c[Survived] }

// CountOf counts mutants.
func CountOf(mutants []*Mutant) Count {
	c := Count{}
	for _, m := range mutants {
		c[m.State]++
	}
	return c
}

// Headline returns the result in a sentence.
func (c Count) Headline() string {
	return fmt.Sprintf("Of %d mutants, %d are killed, %d are equivalent and %d survive. %d more are acceptable.",
		c.Made(), c[Killed], c[Equivalent], c[Survived], c[Acceptable])
}

// lines returns a line for each group of mutants with the same text, in the order of
// the texts.
func lines(mutants []*Mutant, text func(*Mutant) string,
	line func(text string, group []*Mutant) string,
) (out []string) {
	groups := map[string][]*Mutant{}
	for _, m := range mutants {
		groups[text(m)] = append(groups[text(m)], m)
	}
	for _, k := range slices.Sorted(maps.Keys(groups)) {
		out = append(out, line(k, groups[k]))
	}
	return out
}

// Survivors lists the surviving mutants, with what a vector needs to kill each.
func Survivors(mutants []*Mutant) string {
	var b strings.Builder
	for _, m := range mutants {
		if m.State == Survived {
			fmt.Fprintf(&b, "* %s (%s). It needs %s.\n", m, m.Kind, m.Needs)
		}
	}
	return b.String()
}

// Markdown returns the page about the result of a complete measure.
func Markdown(mutants []*Mutant) string {
	row := func(name string, ms []*Mutant) string {
		c := CountOf(ms)
		return fmt.Sprintf("| %s | %d | %d | %d | %d | %d |\n",
			name, c.Made(), c[Killed], c[Acceptable], c[Equivalent], c[Survived])
	}
	rows := lines(mutants, func(m *Mutant) string { return m.Family + " | " + m.Kind }, row)
	rows = append(rows, lines(mutants, func(m *Mutant) string { return m.Family + " | all" }, row)...)
	return strings.NewReplacer("HEADLINE", CountOf(mutants).Headline(), "ROWS\n", strings.Join(rows, ""),
		"SURVIVED\n", cmp.Or(Survivors(mutants), "None.\n")).Replace(pageText)
}
