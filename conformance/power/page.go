package power

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/corpus"
)

// Page is the path of the published matrix, in the repository.
const Page = "docs/power.md"

// Command writes the page.
const Command = "go run ./conformance/power/measure"

// A Count is the number of mutants in each state.
type Count map[State]int

// Made returns the number of mutants that a vector could kill or that are
// declared equivalent.
func (c Count) Made() int { return c[Killed] + c[Equivalent] + c[Survived] }

// Counts counts the mutants by a name.
func Counts(mutants []*Mutant, by func(*Mutant) string) map[string]Count {
	out := map[string]Count{}
	for _, m := range mutants {
		if out[by(m)] == nil {
			out[by(m)] = Count{}
		}
		out[by(m)][m.State]++
	}
	return out
}

func (c Count) row(name string) string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d |\n", name, c.Made(), c[Killed], c[Acceptable], c[Equivalent], c[Survived])
}

// authors is the result of a measure that no command repeats.
const authors = `
## Mistakes of authors

Mutants are as regular as the rules that make them. Authors are not. So somebody who had read only the documents, the records and the example adapters made mistakes in copies of these adapters, in reading and in writing, with the habits of seven languages. The kinds that no vector killed got vectors; then somebody else made others. A mistake counts if a document, an engine or real files demand otherwise, and if an answer can show it. A smaller number of needed bytes, for example, only moves the error inside the permitted range.

| family | first round, killed | second round, killed |
| --- | ---: | ---: |
| ubi | 97 of 97 | 46 of 47 (97.9 %) |
| upkg | 97 of 97 | 48 of 50 (96.0 %) |
| ka | 92 of 97 (94.8 %) | 45 of 49 (91.8 %) |
| uasset | 97 of 99 (98.0 %) | 49 of 50 (98.0 %) |

The first round had 400 mistakes, at 3,289 vectors. What passed: least sizes of pairs, names that scripts treat specially, a NUL at the end of a wide text, the top bit of a count, a GUID of zeros, the kind of a list to write. The second had 200, at 3,424 vectors. What passed: a surrogate pair after other letters, rows that the header does not count, a byte order mark in four bytes, the top bit of a type id, a text to write that begins the entry of its id or has no entry, and a valid input rejected as unsupported, which is a skip. All of them have vectors now, but for the last and for the kind of a list.
`

// Markdown returns the page about the result of a complete measure, with the section
// of Primitives.
func Markdown(mutants []*Mutant, vectors []*corpus.Vector, primitives string) string {
	var b strings.Builder
	total := Counts(mutants, func(*Mutant) string { return "" })[""]
	fmt.Fprintf(&b, `# Which mutants the corpus kills

%s

The corpus is judged too: by implementations that are wrong in one place. Such a mutant is made from the right answers of the reference. It changes one field of one type of the model by one operator, wherever this type occurs; or it drops, renames or moves a rejection; or it takes the other side of a flag. The judge decides about the changed answers. A mutant is killed if a case fails. `+"`differs`, `wider` and `open`"+` do not count: a mutant with no other effect is acceptable. A mutant that no vector can kill is declared equivalent, with a reason, in [equivalent.toml](../conformance/power/equivalent.toml). Every other mutant that no case fails survives: a vector is missing.

`+"`"+Command+"`"+` writes this page. `+"`"+Command+` -family ka -survived`+"`"+` prints the surviving mutants of a family with what a vector needs to kill each.

%s
`, generated, headline(total))
	b.WriteString("\n## By family and kind\n")
	for _, family := range familiesOf(mutants) {
		own := ofFamily(mutants, family)
		counts := Counts(own, func(m *Mutant) string { return m.Kind })
		fmt.Fprintf(&b, "\n### %s\n\n| kind | made | killed | acceptable | equivalent | survived |\n| --- | ---: | ---: | ---: | ---: | ---: |\n", family)
		for _, kind := range slices.Sorted(maps.Keys(counts)) {
			b.WriteString(counts[kind].row(kind))
		}
		b.WriteString(Counts(own, func(*Mutant) string { return "" })[""].row("all"))
	}
	b.WriteString(authors)
	b.WriteString(primitives)
	b.WriteString(survivedTitle)
	b.WriteString(byState(mutants, Survived))
	b.WriteString("\n## Equivalent\n")
	for _, family := range familiesOf(mutants) {
		reasons := map[string][]string{}
		for _, m := range ofFamily(mutants, family) {
			if m.State == Equivalent {
				reasons[m.Reason] = append(reasons[m.Reason], m.Subject)
			}
		}
		if len(reasons) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n", family)
		for _, r := range slices.Sorted(maps.Keys(reasons)) {
			n := len(reasons[r])
			fmt.Fprintf(&b, "* %s (%d) %s\n", strings.Join(slices.Compact(slices.Sorted(slices.Values(reasons[r]))), ", "), n, r)
		}
	}
	b.WriteString(rulesSection(mutants))
	writeVectors(&b, mutants, vectors)
	return b.String()
}

const survivedTitle = "\n## Survived\n"

const generated = "<!-- Generated: do not edit. -->"

func headline(c Count) string {
	return fmt.Sprintf("Of %d mutants, %d are killed, %d are equivalent and %d survive. %d are acceptable.", c.Made(), c[Killed], c[Equivalent], c[Survived], c[Acceptable])
}

func familiesOf(mutants []*Mutant) []string {
	seen := map[string]bool{}
	for _, m := range mutants {
		seen[m.Family] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

func ofFamily(mutants []*Mutant, family string) []*Mutant {
	return slices.DeleteFunc(slices.Clone(mutants), func(m *Mutant) bool { return m.Family != family })
}

// byState lists the mutants in a state: one line per subject and kind.
func byState(mutants []*Mutant, s State) string {
	var b strings.Builder
	for _, family := range familiesOf(mutants) {
		lines := map[string][]string{}
		for _, m := range ofFamily(mutants, family) {
			if m.State == s {
				k := fmt.Sprintf("%s (%s)", m.Subject, m.Kind)
				lines[k] = append(lines[k], m.Operator)
			}
		}
		if len(lines) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n", family)
		for _, k := range slices.Sorted(maps.Keys(lines)) {
			fmt.Fprintf(&b, "* %s: %s\n", k, strings.Join(lines[k], "; "))
		}
	}
	return b.String()
}

// rulesSection lists how each clause of level must is broken.
func rulesSection(mutants []*Mutant) string {
	var b strings.Builder
	b.WriteString("\n## Rules\n\nHow each clause of level must is broken. *not checked*: what the reference rejects because of the clause is accepted. *read wrong*, *written wrong*: the parts that the clause describes. *accepted*, *rejected*, *echoed*: the opposite of what the vectors that cite the clause show. Everything else names mutants above ([rules.toml](../conformance/power/rules.toml)).\n")
	for _, family := range familiesOf(mutants) {
		fmt.Fprintf(&b, "\n### %s\n\n", family)
		clause := ""
		for _, m := range ofFamily(mutants, family) {
			if m.Kind != rulesKind {
				continue
			}
			switch {
			case m.Subject != clause && clause == "":
				fmt.Fprintf(&b, "* %s: ", m.Subject)
			case m.Subject != clause:
				fmt.Fprintf(&b, "\n* %s: ", m.Subject)
			default:
				b.WriteString("; ")
			}
			clause = m.Subject
			b.WriteString(strings.ReplaceAll(m.Operator, "*", "\\*"))
			if m.State != Killed {
				fmt.Fprintf(&b, " (%s)", m.State)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// writeVectors lists the vectors that alone kill a mutant, and those that
// kill nothing that others do not.
func writeVectors(b *strings.Builder, mutants []*Mutant, vectors []*corpus.Vector) {
	alone := map[string]int{}
	for _, m := range mutants {
		if len(m.Killers) == 1 {
			alone[m.Killers[0]]++
		}
	}
	list := func(title, text string, want bool) {
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n", title, text)
		folders := map[string][]string{}
		for _, v := range vectors {
			if n := alone[v.ID]; n > 0 == want {
				i := strings.LastIndexByte(v.ID, '/')
				name := v.ID[i+1:]
				if n > 0 {
					name += fmt.Sprintf(" (%d)", n)
				}
				folders[v.ID[:i]] = append(folders[v.ID[:i]], name)
			}
		}
		for _, f := range slices.Sorted(maps.Keys(folders)) {
			fmt.Fprintf(b, "* %s: %s\n", f, strings.Join(folders[f], ", "))
		}
	}
	list("Vectors that alone kill a mutant", fmt.Sprintf("%d of %d vectors, with the number of mutants that no other vector kills.", len(alone), len(vectors)), true)
	list("Vectors that kill nothing that others do not", fmt.Sprintf("%d of %d vectors. They can still show a behaviour that no mutant has.", len(vectors)-len(alone), len(vectors)), false)
}

// ForAuthors lists mutants for those who write vectors: per subject, what each one
// needs, and the vector that alone kills it.
func ForAuthors(mutants []*Mutant) string {
	var b strings.Builder
	slices.SortStableFunc(mutants, func(a, c *Mutant) int {
		return cmp.Or(cmp.Compare(a.Family, c.Family), cmp.Compare(a.Subject, c.Subject))
	})
	type need struct{ kind, needs, alone string }
	for i := 0; i < len(mutants); {
		subject := mutants[i].Subject
		fmt.Fprintf(&b, "%s (in %d cases)\n", subject, mutants[i].Cases)
		var order []need
		ways := map[need]map[string][]string{} // operator to read, written or both
		for ; i < len(mutants) && mutants[i].Subject == subject; i++ {
			kind, way, _ := strings.Cut(mutants[i].Kind, ", ")
			n := need{kind, mutants[i].Needs, ""}
			if len(mutants[i].Killers) == 1 {
				n.alone = "\n        killed only by " + mutants[i].Killers[0]
			}
			if ways[n] == nil {
				order, ways[n] = append(order, n), map[string][]string{}
			}
			ways[n][mutants[i].Operator] = append(ways[n][mutants[i].Operator], way)
		}
		for _, n := range order {
			var names []string
			for _, o := range slices.Sorted(maps.Keys(ways[n])) {
				if way := ways[n][o]; len(way) == 1 && way[0] != "" {
					o += " (only " + way[0] + ")"
				}
				names = append(names, o)
			}
			fmt.Fprintf(&b, "    %s: %s\n        needs %s%s\n", n.kind, strings.Join(names, "; "), n.needs, n.alone)
		}
	}
	return b.String()
}
