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

// rows returns a row of the table for each group of mutants with the same name, in the
// order of the names.
func rows(mutants []*Mutant, name func(*Mutant) string) string {
	groups := map[string][]*Mutant{}
	for _, m := range mutants {
		groups[name(m)] = append(groups[name(m)], m)
	}
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(groups)) {
		c := CountOf(groups[k])
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n",
			k, c.Made(), c[Killed], c[Acceptable], c[Equivalent], c[Survived])
	}
	return b.String()
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
	ofKinds := rows(mutants, func(m *Mutant) string { return m.Family + " | " + m.Kind })
	ofFamilies := rows(mutants, func(m *Mutant) string { return m.Family + " | all" })
	return strings.NewReplacer("HEADLINE", CountOf(mutants).Headline(), "ROWS\n", ofKinds+ofFamilies,
		"SURVIVED\n", cmp.Or(Survivors(mutants), "None.\n")).Replace(pageText)
}
