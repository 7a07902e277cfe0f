package site

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// structurePageData is what the page of a structure shows.
type structurePageData struct {
	*structure
	Types   []*typeEntry
	Clauses []*clauseEntry
	Groups  []*vectorGroup
}

// typeEntry is a type of a structure.
type typeEntry struct {
	*codec.Type
	Context    string
	Layouts    []*spec.Outline // with those of parts that no page of their own describes
	Schema     *schema.Type
	Example    string
	JSONSchema string // the path of its JSON Schema
}

// Tree describes the tree of a type without a model of its own.
func (t *typeEntry) Tree() string {
	if t.Schema.Tree.Kind == schema.ModelPart && !t.Schema.Tree.Null && t.Schema.Tree.Model == t.Name {
		return ""
	}
	return t.Schema.Tree.String()
}

// Models lists the parts of the trees that no page of their own describes.
func (t *typeEntry) Models() (out []*schema.NamedPart) {
	for i := range t.Schema.Models {
		m := &t.Schema.Models[i]
		_, documented := spec.FindStructure(m.Name)
		if !documented || m.Name == t.Schema.Tree.Model {
			out = append(out, m)
		}
	}
	return out
}

// clauseEntry is a clause with what belongs to it.
type clauseEntry struct {
	*spec.Clause
	New []*spec.Flag // flags that are described here
	Old []*spec.Flag // flags that an earlier clause of the page describes
}

// vectorGroup contains vectors with the same kind of verdict.
type vectorGroup struct {
	Outcome   corpus.Outcome
	Title, ID string
	Entries   []*vectorEntry
}

// vectorEntry is a line of a list of vectors.
type vectorEntry struct {
	*corpus.Vector
	Verdicts []string
	Hex      string
}

// BasesOf lists who demands the sides of a flag.
func (p *sheet) BasesOf(f *spec.Flag) (out []spec.Basis) {
	for _, side := range f.Sides {
		if !slices.Contains(out, side.Basis) {
			out = append(out, side.Basis)
		}
	}
	return out
}

// ShownBy returns the vectors of a clause or a flag.
func (p *sheet) ShownBy(id any) []*corpus.Vector { return p.shown[fmt.Sprint(id)] }

func (s *site) writeStructures() {
	for _, f := range s.families {
		for _, st := range f.Structures {
			d := &structurePageData{structure: st}
			for _, t := range st.Types {
				d.Types = append(d.Types, s.typeEntry(t))
			}
			d.Clauses = clauses(st)
			d.Groups = groups(st.Vectors)
			s.write("structure", structurePage(st.Name), st.Name+": "+st.Title, f.Name, d)
			s.writeVectors(st)
		}
	}
}

func (s *site) typeEntry(t *codec.Type) *typeEntry {
	e := &typeEntry{Type: t, Context: corpus.ContextText(t.Context), Schema: s.schemas[t.Name], JSONSchema: "schema/" +
		corpus.FolderOf(t.Name) + ".json"}
	if l, ok := spec.FindLayout(t.Name); ok {
		e.Layouts = l.Outlines(ids.Observed())
	}
	if x := e.Schema.Example; x != nil && len(x.Tree.String()) <= maxTree {
		e.Example = strings.TrimSpace(x.Tree.Indent())
	}
	s.add(e.JSONSchema, s.json(e.Schema.JSONSchema())+"\n")
	return e
}

// json returns a value as JSON.
func (s *site) json(v any) string {
	text, err := json.Marshal(v)
	s.check(err)
	return printable.Text(string(text))
}

// Documents lists the documents that a clause restates.
func (p *sheet) Documents(c *spec.Clause) (out []*spec.Source) {
	f, _ := spec.FindFamily(spec.FamilyOf(c.Structure))
	for i := range f.Documents {
		if d := &f.Documents[i]; slices.Contains(strings.Split(c.Document, ", "), d.ID) {
			out = append(out, d)
		}
	}
	return out
}

func clauses(st *structure) (out []*clauseEntry) {
	described := map[ids.Flag]bool{}
	for _, c := range st.Clauses {
		e := &clauseEntry{Clause: c}
		for _, f := range st.Flags {
			switch {
			case !slices.Contains(f.Clauses, c.ID):
			case described[f.ID]:
				e.Old = append(e.Old, f)
			default:
				described[f.ID] = true
				e.New = append(e.New, f)
			}
		}
		out = append(out, e)
	}
	return out
}

// groups divides vectors by their verdict under observed, or their first one.
func groups(vectors []*corpus.Vector) (out []*vectorGroup) {
	out = []*vectorGroup{
		{Outcome: corpus.Accept, Title: "Accepted", ID: "accepted"},
		{Outcome: corpus.Noncanonical, Title: "Accepted and written in another form", ID: "noncanonical"},
		{Outcome: corpus.Reject, Title: "Rejected", ID: "rejected"},
		{Outcome: corpus.Encodes, Title: "Values to write", ID: "written"},
	}
	for _, v := range vectors {
		e := v.Select(ids.Observed())
		if e == nil {
			e = &v.Expect[0]
		}
		x := &vectorEntry{Vector: v}
		for i := range v.Expect {
			if short := v.Expect[i].Short(); !slices.Contains(x.Verdicts, short) {
				x.Verdicts = append(x.Verdicts, short)
			}
		}
		outcome := corpus.Encodes
		if !v.EncodeOnly() {
			x.Hex, outcome = page.ShortHex(v.Bytes, 12), e.Outcome
		}
		g := out[slices.IndexFunc(out, func(g *vectorGroup) bool { return g.Outcome == outcome })]
		g.Entries = append(g.Entries, x)
	}
	return slices.DeleteFunc(out, func(g *vectorGroup) bool { return len(g.Entries) == 0 })
}

// vectorsPageData is what the page of the vectors of a structure shows.
type vectorsPageData struct {
	*structure
	Shown   []*shown
	Clauses []*spec.Clause // that the vectors and rows cite
}

func (s *site) writeVectors(st *structure) {
	d := &vectorsPageData{structure: st}
	cited := map[ids.Clause]bool{}
	examples := map[string]bool{}
	for _, t := range st.Types {
		if e := s.schemas[t.Name].Example; e != nil {
			examples[e.Vector] = true
		}
	}
	for _, v := range st.Vectors {
		x := s.show(v, examples[v.ID])
		d.Shown = append(d.Shown, x)
		for _, id := range v.Clauses {
			cited[id] = true
		}
		for _, r := range x.Rows {
			cited[r.Clause] = true
		}
	}
	for i := range st.Family.Clauses {
		if c := &st.Family.Clauses[i]; cited[c.ID] {
			d.Clauses = append(d.Clauses, c)
		}
	}
	s.write("vectors", vectorsPage(st.Name), "Vectors of "+st.Name, st.Family.Name, d)
}

// flagPageData is what the page of a flag shows.
type flagPageData struct {
	*spec.Flag
	Clauses  []*spec.Clause
	Vectors  []*corpus.Vector
	Compared []*compared
	Others   int // number of compared vectors that are not shown
}

// compared is a vector whose verdict depends on the side of a flag.
type compared struct {
	*corpus.Vector
	Readings []*reading
}

// reading is what a vector demands under one side or under several.
type reading struct {
	Sides []string
	*section
	Rows []*page.Row
}

// maxCompared is the number of vectors that the page of a flag compares.
const maxCompared = 5

func (s *site) writeFlags() {
	var all []*spec.Flag
	for _, family := range s.records.Families() {
		for i := range family.Flags {
			f := &family.Flags[i]
			all = append(all, f)
			d := &flagPageData{Flag: f, Clauses: s.clausesOf(f.Clauses), Vectors: s.shown[string(f.ID)]}
			for _, v := range d.Vectors {
				if c := compare(f, v); c != nil {
					d.Compared = append(d.Compared, c)
				}
			}
			// Inputs before values to write; those with the most readings, which depend on
			// the fewest other flags; the shortest ones.
			slices.SortStableFunc(d.Compared, func(a, b *compared) int {
				return cmp.Or(len(a.Tree)-len(b.Tree), len(b.Readings)-len(a.Readings), len(a.Flags)-len(b.Flags),
					len(a.Bytes)-len(b.Bytes))
			})
			if len(d.Compared) > maxCompared {
				d.Others = len(d.Compared) - maxCompared
				d.Compared = d.Compared[:maxCompared]
			}
			s.write("flag", flagPage(f.ID), string(f.ID)+": "+string(f.Kind), "flags", d)
		}
	}
	s.write("flags", "flags/index.html", "Flags", "flags", all)
}

// clausesOf returns the clauses with some ids.
func (s *site) clausesOf(list []ids.Clause) (out []*spec.Clause) {
	for _, id := range list {
		if c, ok := s.records.Clause(id); ok {
			out = append(out, c)
		}
	}
	return out
}

// compare returns the readings of a vector under the sides of a flag, from the
// observed profile, or nil if they are the same.
func compare(f *spec.Flag, v *corpus.Vector) *compared {
	t, ok := codec.Find(v.Type)
	if !ok {
		return nil
	}
	c := &compared{Vector: v}
	for _, side := range f.Sides {
		p, _ := ids.Observed().With(f.ID, side.Name) // the flag has the side
		e := v.Select(p)
		if e == nil {
			continue
		}
		i := slices.IndexFunc(c.Readings, func(r *reading) bool { return corpus.SameVerdict(r.Expectation, e) })
		if i >= 0 {
			c.Readings[i].Sides = append(c.Readings[i].Sides, side.Name)
			continue
		}
		r := &reading{Sides: []string{side.Name}, section: newSection(v, e)}
		r.Basis = string(v.Basis(p))
		if !v.EncodeOnly() {
			spans, _ := trace(t, v.Context, p, v.Bytes)
			r.Rows = page.RowsOf(v.Bytes, spans, nil, e)
		}
		c.Readings = append(c.Readings, r)
	}
	if len(c.Readings) < 2 {
		return nil
	}
	mark(c.Readings)
	for _, r := range c.Readings {
		r.Rows = page.Shorten(r.Rows, nil)
	}
	return c
}

// mark marks the rows that are not the same in all readings.
func mark(readings []*reading) {
	count := map[page.Row]int{}
	for _, r := range readings {
		for _, x := range r.Rows {
			count[*x]++
		}
	}
	for _, r := range readings {
		for _, x := range r.Rows {
			x.Other = count[*x] < len(readings)
		}
	}
}
