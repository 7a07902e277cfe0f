package register

import (
	"bytes"
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
	var b bytes.Buffer
	b.WriteString(headText)
	for _, f := range s.records.Families() {
		for _, d := range f.Documents {
			if len(d.Worst) == 0 {
				continue // another revision of a page that has a row
			}
			wrong := count(f.Flags, func(fl spec.Flag) bool { return fl.Kind == spec.Contradiction || fl.Kind == spec.Erratum })
			silent := count(f.Flags, func(fl spec.Flag) bool { return fl.Kind == spec.Omission || fl.Kind == spec.Ambiguity })
			var worst []string
			for _, w := range d.Worst {
				fl, _ := s.records.Flag(w.Flag)
				worst = append(worst, fmt.Sprintf("%s ([%s](%s#%s))", prose(w.Text), w.Flag, pageOf(f), anchor(flagHeading(fl))))
			}
			fmt.Fprintf(&b, "| [%s](%s) | [`%s`](%s): %s | %d | %d | %s |\n", prose(d.Title), d.Address, f.Name, pageOf(f),
				f.Title, wrong, silent, strings.Join(worst, " "))
		}
	}
	b.WriteString(proofsText)
	for _, f := range s.records.Families() {
		fmt.Fprintf(&b, "| [`%s`](%s) | %d |", f.Name, pageOf(f), len(f.Structures))
		for _, p := range spec.Proofs {
			fmt.Fprintf(&b, " %d |", count(f.Structures, func(st spec.Structure) bool { return st.Proven == p }))
		}
		b.WriteByte('\n')
	}
	b.WriteString(structuresText)
	for _, f := range s.records.Families() {
		for _, st := range f.Structures {
			clauses, vectors := s.records.ClausesOf(st.Name),
				count(s.vectors, func(v *corpus.Vector) bool { return v.Structure() == st.Name })
			fmt.Fprintf(&b, "| [%s](%s#%s) | %s | %d | %d | %d |\n", st.Name, pageOf(f), anchor(st.Name), proofTexts[st.Proven],
				len(clauses), len(s.records.FlagsOf(st.Name)), vectors)
		}
	}
	return b.Bytes()
}

var proofTexts = map[spec.Proof]string{
	spec.ProvenHere:          "files here",
	spec.ProvenElsewhere:     "files elsewhere",
	spec.ProvenByComputation: "computation",
	spec.NotProven:           "by hand only",
}

func (s sources) views() []byte {
	var b bytes.Buffer
	b.WriteString(viewsText)
	for _, v := range spec.Views() {
		fmt.Fprintf(&b, "| %s | %s | `%s` |\n", v.ID, prose(v.Meaning), strings.Join(v.Projections, "`<br>`"))
	}
	return b.Bytes()
}

// bases counts flags by kind, and clauses, sides and vectors by who demands them.
func (s sources) bases() []byte {
	var b bytes.Buffer
	b.WriteString(basisText)
	s.basisTable(&b)
	b.WriteString("\n" + flagsText)
	fmt.Fprintf(&b, "| family |")
	for _, k := range spec.FlagKinds {
		fmt.Fprintf(&b, " %s |", k)
	}
	fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("---|", len(spec.FlagKinds)))
	for _, f := range s.records.Families() {
		fmt.Fprintf(&b, "| [%s](%s.md#flags) |", f.Name, f.Name)
		for _, k := range spec.FlagKinds {
			fmt.Fprintf(&b, " %d |", count(f.Flags, func(fl spec.Flag) bool { return fl.Kind == k }))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// basisTable counts clauses, sides and vectors by basis, with their shares.
func (s sources) basisTable(b *bytes.Buffer) {
	names := []string{}
	for _, basis := range spec.Bases {
		names = append(names, string(basis))
	}
	fmt.Fprintf(b, "| family | of | %s |\n|---|---|%s\n", strings.Join(names, " | "), strings.Repeat("--:|", len(names)))
	var clauses, sides, vectors []string // of all families
	row := func(family, of string, all []string) {
		fmt.Fprintf(b, "| %s | %d %s |", family, len(all), of)
		for _, name := range names {
			n := count(all, func(x string) bool { return x == name })
			fmt.Fprintf(b, " %d (%d %%) |", n, (200*n+len(all))/max(2*len(all), 1))
		}
		b.WriteByte('\n')
	}
	for _, f := range s.records.Families() {
		var c, sd, v []string
		for i := range f.Clauses {
			c = append(c, string(f.Clauses[i].Basis))
		}
		for i := range f.Flags {
			for _, side := range f.Flags[i].Sides {
				sd = append(sd, string(side.Basis))
			}
		}
		for _, x := range s.vectors {
			if x.Family() == f.Name {
				v = append(v, string(basisOf(x)))
			}
		}
		row(fmt.Sprintf("[%s](%s.md)", f.Name, f.Name), "clauses", c)
		row("", "sides", sd)
		row("", "vectors", v)
		clauses, sides, vectors = append(clauses, c...), append(sides, sd...), append(vectors, v...)
	}
	row("all", "clauses", clauses)
	row("", "sides", sides)
	row("", "vectors", vectors)
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

func count[T any](all []T, is func(T) bool) int {
	n := 0
	for _, x := range all {
		if is(x) {
			n++
		}
	}
	return n
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
		"different verdicts under different profiles.\n\n")
	fmt.Fprintf(&b, "| structure | %s |\n|---|%s\n", strings.Join(proofNames[:oracle], " | "),
		strings.Repeat("---|", oracle))
	for _, st := range f.Structures {
		name := fmt.Sprintf("[%s](#%s)", st.Name, anchor(st.Name))
		if st.Extension {
			name += " *extension*"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", name, strings.Join(s.proofs(st)[:oracle], " | "))
	}
	b.WriteString("\n## Clauses\n")
	for _, st := range f.Structures {
		fmt.Fprintf(&b, "\n### %s\n\n%s. Oracle: %s\n\n", st.Name, prose(st.Title), prose(st.Oracle))
		if flags := s.records.FlagsOf(st.Name); len(flags) > 0 {
			var links []string
			for _, fl := range flags {
				links = append(links, fmt.Sprintf("[%s](#%s)", fl.ID, anchor(flagHeading(fl))))
			}
			fmt.Fprintf(&b, "Flags: %s\n\n", strings.Join(links, ", "))
		}
		b.WriteString("| clause | level | text | basis | source |\n|---|---|---|---|---|\n")
		for _, c := range s.records.ClausesOf(st.Name) {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", c.ID, c.Level, prose(c.Text), string(c.Basis),
				withReason(cited(f, c)+": "+prose(c.Place), c.Reason, c.Permits()))
		}
	}
	b.WriteString("\n## Flags\n")
	for i := range f.Flags {
		fl := &f.Flags[i]
		fmt.Fprintf(&b, "\n### %s\n\nKind: %s. Vectors: %d.\n\n* **Documented**: %s\n* **Observed**: %s\n",
			flagHeading(fl), fl.Kind,
			count(s.vectors, func(v *corpus.Vector) bool { return slices.Contains(v.Flags, fl.ID) }), prose(fl.Documented),
			prose(fl.Observed))
		if fl.Switchable() {
			fmt.Fprintf(&b, "* **Profiles**: %s\n", fl.ProfileSides())
		}
		for _, side := range fl.Sides {
			fmt.Fprintf(&b, "* Side `%s` (basis: %s): %s\n", side.Name, string(side.Basis),
				withReason(prose(side.Reading), side.Reason, side.Open.Permits()))
		}
	}
	return b.Bytes()
}

// proofNames heads the columns of the proofs. The last one is too long for a
// table of structures.
var proofNames = []string{"model", "codec", "clauses", "vectors", "properties", "fuzz", "snapshot", "oracle"}

const (
	oracle  = 7 // its index in proofNames
	missing = "**missing**"
)

// proofs describes the proofs of a structure in the order of proofNames.
func (s sources) proofs(st spec.Structure) []string {
	var types []*codec.Type
	for _, t := range codec.Types() {
		if t.Structure() == st.Name {
			types = append(types, t)
		}
	}
	model, codecs, all := missing, missing, missing
	if len(types) > 0 {
		model, codecs, all = goType(types[0]), "yes", "yes"
	}
	if len(types) > 1 {
		codecs = fmt.Sprintf("%d instances", len(types))
	}
	var levels []spec.Level
	for _, c := range s.records.ClausesOf(st.Name) {
		levels = append(levels, c.Level)
	}
	var outcomes []corpus.Outcome
	for _, v := range s.vectors {
		if v.Structure() == st.Name {
			outcomes = append(outcomes, v.Expect[len(v.Expect)-1].Outcome)
		}
	}
	return []string{
		model, codecs, tally(levels, spec.Must, spec.Should, spec.Info),
		tally(outcomes, corpus.Accept, corpus.Noncanonical, corpus.Reject, corpus.Encodes), all, all, all, "stated",
	}
}

// goType names the model without its instance's arguments.
func goType(t *codec.Type) string {
	name := t.Model().String()
	if i := strings.IndexByte(name, '['); i >= 0 {
		name = name[:i] + "[…]"
	}
	return "`" + name + "`"
}

// tally counts each of the values: "3 accept, 9 reject".
func tally[T ~string](all []T, values ...T) string {
	var parts []string
	for _, v := range values {
		if n := count(all, func(x T) bool { return x == v }); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if parts == nil {
		return missing
	}
	return strings.Join(parts, ", ")
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
