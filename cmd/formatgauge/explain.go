package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/find"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/shorten"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// explainSchema describes the output of explain --json.
//
//go:embed schema/explain.json
var explainSchema []byte

// explainRun is formatgauge explain.
type explainRun struct {
	jsonFlag
}

// theIndex is the index of what explain finds. It depends on nothing.
var theIndex = sync.OnceValues(find.New)

func (r *explainRun) run(cmd *cobra.Command, args []string) error {
	query := strings.Join(args, " ")
	text, err := explain(query)
	if err != nil {
		return failed(err)
	}
	if text != "" && !r.JSON {
		return writeOutput(cmd, "", []byte(text))
	}
	index, err := theIndex()
	if err != nil {
		return failed(err)
	}
	a := index.Search(query)
	if len(a.Found) == 0 && !r.JSON {
		return fmt.Errorf("nothing is found for %q: see formatgauge list types|clauses|flags|views|vectors|words", query)
	}
	return r.print(cmd, "found", answerOf(index, a, text))
}

const (
	maxWords = 100 // of a query
	maxFound = 10  // results that are printed
)

// foundEntry is a result of explain --json.
type foundEntry struct {
	Kind    string        `json:"kind"`
	ID      string        `json:"id"`
	Parent  string        `json:"parent,omitempty"`
	Page    string        `json:"page"`
	Text    string        `json:"text"`
	Fails   []string      `json:"fails"`
	Rule    *foundRule    `json:"rule,omitempty"`
	Example *foundExample `json:"example,omitempty"`
}

type foundRule struct {
	Clause string `json:"clause"`
	Text   string `json:"text"`
}

type foundExample struct {
	Vector  string `json:"vector"`
	Bytes   string `json:"bytes"`
	Shown   string `json:"-"` // the bytes in the text
	Verdict string `json:"verdict,omitempty"`
}

// answer is the output of explain --json.
type answer struct {
	Format  string            `json:"format"`
	Query   string            `json:"query"`
	Record  string            `json:"record,omitempty"` // what explain prints of an id
	Some    bool              `json:"some"`
	Unknown []string          `json:"unknown"`
	Read    map[string]string `json:"read"`
	Found   int               `json:"found"`
	Results []foundEntry      `json:"results"`
	Notes   []string          `json:"-"`
}

// More returns the number of results that are not printed.
func (a *answer) More() int { return a.Found - len(a.Results) }

func answerOf(index *find.Index, a *find.Answer, record string) *answer {
	out := &answer{
		Format: "formatgauge-explain-1", Query: a.Query, Record: record, Some: a.Some, Read: a.Read, Found: len(a.Found),
		Unknown: append([]string{}, a.Unknown...), Results: []foundEntry{}, Notes: a.Notes(),
	}
	for _, e := range a.Found[:min(len(a.Found), maxFound)] {
		r := foundEntry{Kind: e.Kind, ID: e.ID, Page: e.Page(), Text: e.Text, Fails: append([]string{}, e.Wrong...)}
		if e.Parent != nil {
			r.Parent = e.Parent.ID
		}
		if c := index.Rule(e); c != nil {
			r.Rule = &foundRule{c.ID, c.Text}
		}
		if v := index.Example(e); v != nil {
			r.Example = &foundExample{v.ID, v.Bytes[0], v.Shown(), v.Verdict}
		}
		out.Results = append(out.Results, r)
	}
	return out
}

// explain explains an id or word in whole; it returns "" for any other query.
func explain(id string) (string, error) {
	form, record := recordOf(id)
	if form == "" {
		return "", nil
	}
	return filled(form, hexdump.Style{}, record)
}

// recordOf finds what an id or word names, and the form that explains it.
func recordOf(id string) (form string, record any) {
	if c, ok := spec.FindClause(ids.Clause(strings.ToUpper(id))); ok {
		return "clause", c
	}
	if f, ok := spec.FindFlag(ids.Flag(strings.ToLower(id))); ok {
		return "flag", f
	}
	if v, ok := spec.FindView(strings.ToLower(id)); ok {
		return "view", v
	}
	vector := strings.TrimSuffix(strings.TrimPrefix(id, "corpus/"), ".txtar")
	if v, ok := corpus.Find(vector); ok {
		return "vector", v
	}
	if s, ok := spec.FindStructure(spec.StructureOf(id)); ok {
		return "structure", structureOf(s, id)
	}
	if f, ok := spec.FindFamily(strings.ToLower(id)); ok {
		return "family", f
	}
	if w := spec.FindWords(id); len(w) > 0 {
		return "words", w
	}
	for _, id := range []string{strings.ToUpper(id), strings.ToLower(id), vector} {
		if r, ok := spec.FindRetired(id); ok {
			return "retired", r
		}
	}
	return "", nil
}

// explainFunctions are the functions of the forms that explain records.
var explainFunctions = template.FuncMap{
	"annotated": annotated, "atEnd": atEnd, "basis": basisText, "classes": classesOf, "column": column,
	"demands": demandsText, "flagText": flagText, "flags": spec.FlagsOf, "has": slices.Contains[[]ids.Clause],
	"layout": layoutText, "mentions": mentionsOf, "permitted": permittedText, "rules": spec.ClausesOf,
	"schema": schema.Of, "sections": sectionsOf, "shorten": shortened, "sides": sidesTaken, "sources": sourcesOf,
	"typesIn": typesIn, "unjudged": unjudged,
	"wordPage": func(k spec.WordKind) string { return wordPages[k] },

	"informs": func(c *spec.Clause) string {
		if c.Level == spec.Info {
			return " (info)"
		}
		return ""
	},
	"clause": func(id ids.Clause) *spec.Clause { c, _ := spec.FindClause(id); return c },
	"flag":   func(id ids.Flag) *spec.Flag { f, _ := spec.FindFlag(id); return f },
	"type":   func(name string) *codec.Type { t, _ := codec.Find(name); return t },
}

// wordPages are the pages that explain more about a kind of words.
var wordPages = map[spec.WordKind]string{
	spec.ClassWord:       "class of errors; conformance/PROTOCOL.md#answers",
	spec.ResultWord:      "result; conformance/PROTOCOL.md#results",
	spec.FailureWord:     "how a case failed; conformance/PROTOCOL.md#faults-of-an-adapter",
	spec.TermWord:        "term; docs/glossary.md",
	spec.ContributorWord: "term; docs/glossary-contributors.md",
	spec.TaskWord:        "what people do",
	spec.OutsideWord:     "what is not covered",
	spec.UsageWord:       "expression for texts; CONTRIBUTING.md#language",
}

const (
	textWidth  = 96
	labelWidth = 14
)

// paragraph returns a label and, in a column to the right of it, a text that is
// broken into lines.
func paragraph(label, text string) string {
	indent := strings.Repeat(" ", labelWidth)
	if len(label) >= labelWidth {
		return label + "\n" + indent + wrapped(indent, text, textWidth)
	}
	return fmt.Sprintf("%-*s", labelWidth, label) + wrapped(indent, text, textWidth)
}

// wrapped returns a text in lines, of which all but the first are indented.
func wrapped(indent, text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i > 0 && column+1+len(word) > width-len(indent):
			b.WriteString("\n" + indent)
			column = 0
		case i > 0:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String() + "\n"
}

// flagText says which sides the profiles take, and what is observed.
func flagText(f *spec.Flag) string {
	text := string(f.ID) + ". "
	if f.Switchable() {
		text += f.ProfileSides() + " "
	}
	return text + "Observed: " + f.Observed
}

// sourcesOf names the sources of a clause with their addresses.
func sourcesOf(c *spec.Clause) (out []string) {
	f, _ := spec.FindFamily(spec.FamilyOf(c.Structure))
	for _, d := range f.Sources(c) {
		out = append(out, strings.TrimSpace(d.Title+" "+d.Address))
	}
	return out
}

// basisText says who demands a clause or side. A choice has a reason.
func basisText(b spec.Basis, reason string) string {
	if b != spec.Choice {
		return string(b) + "."
	}
	return "choice of this reference. No document, engine or real file demands it. " + reason
}

// mentions are the vectors that name a clause or a flag, and the implementations that fail
// one of them.
type mentions struct {
	FailedBy []string
	Vectors  []*corpus.Vector
}

// mentionsOf returns the vectors of a family that name an id. It returns none if they cannot be read.
func mentionsOf(inFamily, id string) (out mentions) {
	vectors, err := corpus.Mentioning(spec.FamilyOf(inFamily), id)
	if err != nil {
		return out
	}
	out.Vectors = slices.DeleteFunc(vectors, func(v *corpus.Vector) bool {
		return !slices.Contains(v.Clauses, ids.Clause(id)) && !slices.Contains(v.Flags, ids.Flag(id))
	})
	out.FailedBy = find.Fail(out.Vectors, find.Failing())
	return out
}

// mostTree is the number of bytes of a tree, or of a context, that are shown.
const mostTree = 8192

func shortened(text string) string { return shorten.Text(text, mostTree) }

// sectionsOf returns the sections of a vector, at last that of all other profiles: it says
// which others they are.
func sectionsOf(v *corpus.Vector) (out []*corpus.Expectation) {
	var others []*corpus.Expectation
	for i := range v.Expect {
		if e := &v.Expect[i]; e.Profile == corpus.ExpectAll {
			others = append(others, e)
		} else {
			out = append(out, e)
		}
	}
	return append(out, others...)
}

// demandsText says who demands what a section expects.
func demandsText(demands []corpus.Demand) string {
	var out []string
	for _, d := range demands {
		out = append(out, d.String())
	}
	return strings.Join(out, ", ")
}

// atEnd says that the offset of a rejection is the end of the input.
func atEnd(v *corpus.Vector, e *corpus.Expectation) string {
	if e.Outcome == corpus.Reject && e.To == len(v.Bytes) && e.To > 0 {
		return ", the end of the input"
	}
	return ""
}

// unjudged says under which profiles a vector has no verdict.
func unjudged(v *corpus.Vector) (out []string) {
	for _, p := range []ids.Profile{ids.Documented(), ids.Observed()} {
		if sides := v.Unjudged(p); sides != "" {
			out = append(out, fmt.Sprintf("under %s: none. Other vectors show %s.", p, sides))
		}
	}
	return out
}

// classesOf returns the words for the classes with which a vector demands a rejection.
func classesOf(v *corpus.Vector) []spec.Word {
	return slices.DeleteFunc(slices.Clone(spec.Words()), func(w spec.Word) bool {
		rejected := func(e corpus.Expectation) bool { return e.Class != "" && corpus.Admits(e.Class, w.Name) }
		return w.Kind != spec.ClassWord || !slices.ContainsFunc(v.Expect, rejected)
	})
}

// permittedText returns an answer that is acceptable too.
func permittedText(text string) string {
	text = strings.TrimSpace(text)
	if like, ok := strings.CutPrefix(text, "like "); ok {
		return "the tree of the vector " + strings.Replace(like, "\n", ", but with\n", 1)
	}
	return text
}

// sidesTaken returns the sides of a flag that the base profiles and the sections of a vector take.
func sidesTaken(v *corpus.Vector, f *spec.Flag) []spec.Side {
	taken := []string{f.InDocumented, f.InObserved}
	for i := range v.Expect {
		taken = append(taken, v.ProfileOf(&v.Expect[i]).Side(f.ID))
	}
	return slices.DeleteFunc(slices.Clone(f.Sides), func(s spec.Side) bool { return !slices.Contains(taken, s.Name) })
}

// column returns the lines of a text in the column of texts.
func column(text string) string { return indented(shortened(text), strings.Repeat(" ", labelWidth)) }

// annotated returns bytes line by line, as the vector divides them. A line without a note is
// whole, if it is not long.
func annotated(src []byte, lines []corpus.Line) string {
	var b strings.Builder
	for _, l := range lines {
		row := src[l.Offset : l.Offset+l.Len]
		if l.Note == "" && len(row) <= 512 {
			for i := 0; i < len(row); i += 16 {
				fmt.Fprintf(&b, "  %08x  % x\n", l.Offset+i, row[i:min(i+16, len(row))])
			}
			continue
		}
		fmt.Fprintf(&b, "  %08x  %-24s  %s\n", l.Offset, shortHex(row), l.Note)
	}
	return b.String()
}

// shortHex returns at most eight bytes in hexadecimal.
func shortHex(b []byte) string {
	if len(b) > 8 {
		return fmt.Sprintf("% x…", b[:7])
	}
	return fmt.Sprintf("% x", b)
}

// aStructure is a structure with its types.
type aStructure struct {
	*spec.Structure
	Types []*codec.Type
	Shown *codec.Type // whose bytes and trees are described; nil if none is
}

// structureOf returns a structure with the type that an id names, or with its only type.
func structureOf(s *spec.Structure, id string) aStructure {
	out := aStructure{Structure: s}
	out.Types = slices.DeleteFunc(slices.Clone(codec.Types()), func(t *codec.Type) bool { return t.Structure() != s.Name })
	if t, ok := codec.Find(id); ok {
		out.Shown = t
	} else if len(out.Types) == 1 {
		out.Shown = out.Types[0]
	}
	return out
}

// typesIn returns the number of types of a family.
func typesIn(family string) (n int) {
	for _, t := range codec.Types() {
		if t.Family() == family {
			n++
		}
	}
	return n
}

// layoutText describes the bytes of a type, and of parts without a structure. It is empty if
// the type has no layout.
func layoutText(t *codec.Type) string {
	l, ok := spec.FindLayout(t.Name)
	if !ok {
		return ""
	}
	var b bytes.Buffer
	for i, l := range l.Outlines(ids.Observed()) {
		if i > 0 {
			fmt.Fprintf(&b, "\n  %s\n", l.Name)
		}
		writeRows(&b, l.Rows)
	}
	return b.String()
}

// layoutWidth is the width of the table of a layout, if its names leave room.
const layoutWidth = 80

// writeRows writes a line per field, and further lines for notes and bits.
func writeRows(b *bytes.Buffer, rows []*spec.Row) {
	if len(rows) == 0 {
		b.WriteString("  no bytes\n")
		return
	}
	name := func(r *spec.Row) string {
		if r.Hidden {
			return "(" + r.Name() + ")"
		}
		return r.Name()
	}
	sizes, names, kinds := len(" bytes"), len("field"), len("contains")
	for _, r := range rows {
		sizes = max(sizes, utf8.RuneCountInString(r.SizeText()))
		names, kinds = max(names, min(len(name(r)), 31)), max(kinds, min(len(r.KindText()), 15))
	}
	fmt.Fprintf(b, "  offset  %*s  %-*s  %-*s  clause\n", sizes, "bytes", names, "field", kinds, "contains")
	indent := strings.Repeat(" ", 13+sizes)
	for i, r := range rows {
		offset := "then"
		switch {
		case i > 0 && rows[i-1].Path == r.Path, r.Under != "" && (i+1 == len(rows) || rows[i+1].Path != r.Path):
			offset = "or"
		case r.Offset >= 0 || i == 0: // a layout states no offset of a field that a flag decides
			offset = strconv.Itoa(max(r.Offset, 0))
		case r.Has("outside"):
			offset = "-"
		}
		field := fmt.Sprintf("%-*s  %s", names, name(r), r.KindText())
		line := fmt.Sprintf("  %6s  %*s  %-*s ", offset, sizes, r.SizeText(), names+2+kinds, field)
		for _, c := range r.Clauses {
			line += " " + string(c)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
		var parts string
		if len(r.Parts) > 1 {
			parts = strings.Join(r.Parts, ", ")
		}
		for _, text := range []string{parts, r.Note(), r.Under} {
			if text != "" {
				b.WriteString(indent + wrapped(indent, text, layoutWidth))
			}
		}
		for _, x := range r.Bits {
			text := fmt.Sprintf("%10s%-16s  %-11s %-9s  %s", "", x.Place(r.Field), x.Name, x.Clause, x.Text)
			b.WriteString(strings.TrimRight(text, " ") + "\n")
		}
	}
}
