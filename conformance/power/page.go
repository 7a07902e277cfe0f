package power

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
)

// Page is the path of the published matrix, in the repository.
const Page = "docs/power.md"

// Command writes the page.
const Command = "go run ./conformance/power/measure"

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

// a group lists mutants by a text, in the order of the texts.
func by(mutants []*Mutant, text func(*Mutant) string) (names []string, groups map[string][]*Mutant) {
	groups = map[string][]*Mutant{}
	for _, m := range mutants {
		if k := text(m); k != "" {
			groups[k] = append(groups[k], m)
		}
	}
	return slices.Sorted(maps.Keys(groups)), groups
}

// lines returns a line for each group of mutants.
func lines(mutants []*Mutant, text func(*Mutant) string, line func(name string, group []*Mutant) string) (out []string) {
	names, groups := by(mutants, text)
	for _, n := range names {
		out = append(out, line(n, groups[n]))
	}
	return out
}

// texts lists a text of each mutant, without repetitions of neighbours.
func textsOf(mutants []*Mutant, separator string, text func(*Mutant) string) string {
	var out []string
	for _, m := range mutants {
		out = append(out, text(m))
	}
	return strings.Join(slices.Compact(out), separator)
}

func operatorOf(m *Mutant) string { return m.Operator }

// when limits a text to mutants in a state.
func when(s State, text func(*Mutant) string) func(*Mutant) string {
	return func(m *Mutant) string {
		if m.State == s {
			return text(m)
		}
		return ""
	}
}

// Markdown returns the page about the result of a complete measure.
func Markdown(mutants []*Mutant) string {
	type family struct{ Name, Kinds, Survived, Equivalent, Rules any }
	var page struct {
		Headline string
		Families []family
		Alone    []string
	}
	page.Headline = CountOf(mutants).Headline()
	names, families := by(mutants, func(m *Mutant) string { return m.Family })
	for _, name := range names {
		own := families[name]
		row := func(name string, ms []*Mutant) string {
			c := CountOf(ms)
			return fmt.Sprintf("%s | %d | %d | %d | %d | %d", name, c.Made(), c[Killed], c[Acceptable], c[Equivalent], c[Survived])
		}
		page.Families = append(page.Families, family{
			Name:  name,
			Kinds: append(lines(own, func(m *Mutant) string { return m.Kind }, row), row("all", own)),
			Survived: lines(own, when(Survived, func(m *Mutant) string { return fmt.Sprintf("%s (%s)", m.Subject, m.Kind) }), func(name string, ms []*Mutant) string {
				return name + ": " + textsOf(ms, "; ", operatorOf)
			}),
			Equivalent: lines(own, when(Equivalent, func(m *Mutant) string { return m.Reason }), func(reason string, ms []*Mutant) string {
				slices.SortFunc(ms, func(a, b *Mutant) int { return strings.Compare(a.Subject, b.Subject) })
				return fmt.Sprintf("%s (%d) %s", textsOf(ms, ", ", func(m *Mutant) string { return m.Subject }), len(ms), reason)
			}),
			Rules: lines(own, func(m *Mutant) string {
				if m.Kind == rulesKind {
					return m.Subject
				}
				return ""
			}, func(clause string, ms []*Mutant) string {
				return clause + ": " + textsOf(ms, "; ", func(m *Mutant) string {
					text := strings.ReplaceAll(m.Operator, "*", "\\*")
					if m.State != Killed {
						text += fmt.Sprintf(" (%s)", m.State)
					}
					return text
				})
			}),
		})
	}
	page.Alone = lines(mutants, func(m *Mutant) string {
		if len(m.Killers) == 1 {
			return m.Killers[0]
		}
		return ""
	}, func(id string, ms []*Mutant) string { return fmt.Sprintf("%s (%d)", id, len(ms)) })
	var b strings.Builder
	if err := template.Must(template.New("page").Parse(pageText)).Execute(&b, page); err != nil {
		panic(err) // the page and its data are fixed
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// ForAuthors lists mutants for those who write vectors: per subject, what each one
// needs, and the vector that alone kills it.
func ForAuthors(mutants []*Mutant) string {
	return strings.Join(lines(mutants, func(m *Mutant) string { return m.Subject }, func(subject string, ms []*Mutant) string {
		return subject + "\n" + strings.Join(lines(ms, func(m *Mutant) string {
			if len(m.Killers) == 1 {
				return m.Needs + "\n        killed only by " + m.Killers[0]
			}
			return m.Needs
		}, func(needs string, ms []*Mutant) string {
			operators := textsOf(ms, "; ", func(m *Mutant) string { return m.Kind + ": " + m.Operator })
			return fmt.Sprintf("    %s\n        needs %s\n", operators, needs)
		}), "")
	}), "")
}
