package register

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// The fixed texts of the pages.
var (
	//go:embed head.md
	headText string
	//go:embed proofs.md
	proofsText string
	//go:embed structures.md
	structuresText string
	//go:embed flags.md
	flagsText string
	//go:embed views.md
	viewsText string
	//go:embed basis.md
	basisText string
)

// folder contains the pages of the families, relative to the repository.
const folder = "docs/conformance"

// allPages returns the text of each generated page by its path in the repository.
func allPages(t *testing.T, plants ...judgetest.Plant) map[string][]byte {
	t.Helper()
	vectors := corpustest.All(t)
	vectors = judgetest.Planted(vectors, plants...)
	s := sources{vectors, vectors[0].Records}
	pages := map[string][]byte{
		"CONFORMANCE.md":     s.overview(),
		folder + "/views.md": s.views(),
		folder + "/basis.md": s.bases(),
	}
	for _, f := range s.records.Families() {
		pages[pageOf(f)] = s.familyPage(f)
	}
	return pages
}

func pageOf(f *spec.Family) string { return folder + "/" + f.Name + ".md" }

type sources struct {
	vectors []*corpus.Vector
	records *spec.Records
}

// overview begins with one screen: what is wrong with the documents, and how the
// structures are proven. A row for each structure follows.
func (s sources) overview() []byte {
	b := bytes.NewBufferString(headText)
	for _, f := range s.records.Families() {
		of := counts(f.Flags, func(fl spec.Flag) spec.FlagKind { return fl.Kind })
		for _, d := range f.Documents {
			var worst []string
			for _, w := range d.Worst {
				fl, _ := s.records.Flag(w.Flag)
				worst = append(worst, fmt.Sprintf("%s ([%s](%s#%s))", prose(w.Text), w.Flag, pageOf(f), anchor(flagHeading(fl))))
			}
			if worst != nil { // otherwise it is another revision of a page that has a row
				row(b, fmt.Sprintf("[%s](%s)", prose(d.Title), d.Address), fmt.Sprintf("[`%s`](%s): %s", f.Name, pageOf(f), f.Title),
					of[spec.Contradiction]+of[spec.Erratum], of[spec.Omission]+of[spec.Ambiguity], strings.Join(worst, " "))
			}
		}
	}
	b.WriteString(proofsText)
	for _, f := range s.records.Families() {
		proven := counts(f.Structures, func(st spec.Structure) spec.Proof { return st.Proven })
		cells := []any{fmt.Sprintf("[`%s`](%s)", f.Name, pageOf(f)), len(f.Structures)}
		for _, p := range spec.Proofs {
			cells = append(cells, proven[p])
		}
		row(b, cells...)
	}
	b.WriteString(structuresText)
	vectors := counts(s.vectors, (*corpus.Vector).Structure)
	for _, f := range s.records.Families() {
		for _, st := range f.Structures {
			row(b, fmt.Sprintf("[%s](%s#%s)", st.Name, pageOf(f), anchor(st.Name)), proofTexts[st.Proven],
				len(s.records.ClausesOf(st.Name)), len(s.records.FlagsOf(st.Name)), vectors[st.Name])
		}
	}
	return b.Bytes()
}

// row writes a row of a table.
func row(b *bytes.Buffer, cells ...any) {
	fmt.Fprintf(b, "|"+strings.Repeat(" %v |", len(cells))+"\n", cells...)
}

// counts says how many items have each key.
func counts[T any, K comparable](all []T, key func(T) K) map[K]int {
	n := map[K]int{}
	for _, x := range all {
		n[key(x)]++
	}
	return n
}

var proofTexts = map[spec.Proof]string{
	spec.ProvenHere:          "files here",
	spec.ProvenElsewhere:     "files elsewhere",
	spec.ProvenByComputation: "computation",
	spec.NotProven:           "by hand only",
}

func (s sources) views() []byte {
	b := bytes.NewBufferString(viewsText)
	for _, v := range spec.Views() {
		row(b, v.ID, prose(v.Meaning), "`"+strings.Join(v.Projections, "`<br>`")+"`")
	}
	return b.Bytes()
}

// bases counts clauses, sides and vectors by who demands them, with their shares, and flags
// by kind.
func (s sources) bases() []byte {
	b := bytes.NewBufferString(basisText)
	names := []string{"clauses", "sides", "vectors"}
	var total [3][]spec.Basis
	rows := func(family string, bases [3][]spec.Basis) {
		for i, all := range bases {
			cells := []any{family, fmt.Sprintf("%d %s", len(all), names[i])}
			n := counts(all, func(basis spec.Basis) spec.Basis { return basis })
			for _, basis := range spec.Bases {
				share := (200*n[basis] + len(all)) / max(2*len(all), 1)
				cells = append(cells, fmt.Sprintf("%d (%d %%)", n[basis], share))
			}
			row(b, cells...)
			family = "" // only in the first row
		}
	}
	for _, f := range s.records.Families() {
		var bases [3][]spec.Basis
		for i := range f.Clauses {
			bases[0] = append(bases[0], f.Clauses[i].Basis)
		}
		for i := range f.Flags {
			for _, side := range f.Flags[i].Sides {
				bases[1] = append(bases[1], side.Basis)
			}
		}
		for _, v := range s.vectors {
			if v.Family() == f.Name {
				bases[2] = append(bases[2], basisOf(v))
			}
		}
		rows(fmt.Sprintf("[%s](%s.md)", f.Name, f.Name), bases)
		for i := range total {
			total[i] = append(total[i], bases[i]...)
		}
	}
	rows("all", total)
	b.WriteString("\n" + flagsText)
	for _, f := range s.records.Families() {
		cells := []any{fmt.Sprintf("[%s](%s.md#flags)", f.Name, f.Name)}
		kinds := counts(f.Flags, func(fl spec.Flag) spec.FlagKind { return fl.Kind })
		for _, k := range spec.FlagKinds {
			cells = append(cells, kinds[k])
		}
		row(b, cells...)
	}
	return b.Bytes()
}

// cited names the sources of a clause.
func cited(f *spec.Family, c *spec.Clause) string {
	var titles []string
	for _, d := range f.Sources(c) {
		titles = append(titles, "*"+prose(d.Title)+"*")
	}
	return strings.Join(titles, ", ")
}

// basisOf returns the basis of a vector, under observed if it says something about that.
func basisOf(v *corpus.Vector) spec.Basis {
	p := ids.Observed()
	if v.Select(p) == nil {
		p = ids.Documented()
	}
	return v.Basis(p)
}

// withReason returns a source or a reading, followed by the reason of a choice and by
// the answers that are acceptable.
func withReason(text, reason, permits string) string {
	if reason == "" {
		return text
	}
	return text + " *Reason*: " + prose(reason) + " *Acceptable*: " + permits + "."
}

func (s sources) familyPage(f *spec.Family) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s: %s\n\nGenerated; [CONFORMANCE.md](../../CONFORMANCE.md) explains the proofs, and "+
		"[basis.md](basis.md#flags) explains flags. On this page: [structures](#structures), [clauses](#clauses), [flags](#flags).\n\n", f.Name, f.Title)
	for _, d := range f.Documents {
		fmt.Fprintf(&b, "* [%s](%s). %s\n", prose(d.Title), d.Address, prose(d.About))
	}
	b.WriteString("\n## Structures\n\nNo document describes an *extension*: it exists so that the documented " +
		"structures can be tested on real files. A vector counts under the last verdict that it gives; many give " +
		"different verdicts under different profiles.\n\n" +
		"| structure | model | codec | clauses | vectors | properties | fuzz | snapshot |\n|---|---|---|---|---|---|---|---|\n")
	for _, st := range f.Structures {
		name := fmt.Sprintf("[%s](#%s)", st.Name, anchor(st.Name))
		if st.Extension {
			name += " *extension*"
		}
		row(&b, append([]any{name}, s.proofs(st)...)...)
	}
	b.WriteString("\n## Clauses\n")
	for _, st := range f.Structures {
		fmt.Fprintf(&b, "\n### %s\n\n%s. Oracle: %s\n\n", st.Name, prose(st.Title), prose(st.Oracle))
		var links []string
		for _, fl := range s.records.FlagsOf(st.Name) {
			links = append(links, fmt.Sprintf("[%s](#%s)", fl.ID, anchor(flagHeading(fl))))
		}
		if links != nil {
			fmt.Fprintf(&b, "Flags: %s\n\n", strings.Join(links, ", "))
		}
		b.WriteString("| clause | level | text | basis | source |\n|---|---|---|---|---|\n")
		for _, c := range s.records.ClausesOf(st.Name) {
			row(&b, c.ID, c.Level, prose(c.Text), c.Basis, withReason(cited(f, c)+": "+prose(c.Place), c.Reason, c.Permits()))
		}
	}
	b.WriteString("\n## Flags\n")
	for i := range f.Flags {
		fl := &f.Flags[i]
		names := counts(s.vectors, func(v *corpus.Vector) bool { return slices.Contains(v.Flags, fl.ID) })
		fmt.Fprintf(&b, "\n### %s\n\nKind: %s. Vectors: %d.\n\n* **Documented**: %s\n* **Observed**: %s\n",
			flagHeading(fl), fl.Kind, names[true], prose(fl.Documented), prose(fl.Observed))
		if fl.Switchable() {
			fmt.Fprintf(&b, "* **Profiles**: %s\n", fl.ProfileSides())
		}
		for _, side := range fl.Sides {
			fmt.Fprintf(&b, "* Side `%s` (basis: %s): %s\n", side.Name, side.Basis,
				withReason(prose(side.Reading), side.Reason, side.Open.Permits()))
		}
	}
	return b.Bytes()
}

const missing = "**missing**"

// proofs describes the proofs of a structure: model, codec, clauses, vectors, and what the
// tests that walk the list of types prove.
func (s sources) proofs(st spec.Structure) []any {
	types := slices.DeleteFunc(slices.Clone(codec.Types()), func(t *codec.Type) bool { return t.Structure() != st.Name })
	model, codecs, all := missing, missing, missing
	if len(types) > 0 {
		model, codecs, all = goType(types[0]), "yes", "yes"
	}
	if len(types) > 1 {
		codecs = fmt.Sprintf("%d instances", len(types))
	}
	levels := counts(s.records.ClausesOf(st.Name), func(c *spec.Clause) spec.Level { return c.Level })
	outcomes := counts(s.vectors, func(v *corpus.Vector) corpus.Outcome {
		if v.Structure() != st.Name {
			return ""
		}
		return v.Expect[len(v.Expect)-1].Outcome
	})
	return []any{
		model, codecs, tally(levels, spec.Must, spec.Should, spec.Info),
		tally(outcomes, corpus.Accept, corpus.Noncanonical, corpus.Reject, corpus.Encodes), all, all, all,
	}
}

// goType names the model without its instance's arguments.
func goType(t *codec.Type) string {
	name, _, generic := strings.Cut(t.Model().String(), "[")
	if generic {
		name += "[…]"
	}
	return "`" + name + "`"
}

// tally says how many have each of the values: "3 accept, 9 reject".
func tally[T ~string](n map[T]int, values ...T) string {
	var parts []string
	for _, v := range values {
		if n[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[v], v))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), missing)
}

// flagHeading differs from the headings of structures: ka.None is one, and
// ka.none a flag.
func flagHeading(f *spec.Flag) string { return "Flag " + string(f.ID) }

// anchor returns the name that renderers of Markdown give to a heading.
func anchor(heading string) string {
	return strings.NewReplacer(".", "", " ", "-").Replace(strings.ToLower(heading))
}

// prose escapes what Markdown would interpret.
func prose(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`).Replace(s)
}
