package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/find"
	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/shorten"
	"github.com/formatgauge/formatgauge/corpus"
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
	text, exact := explain(query)
	if exact && !r.JSON {
		return writeOutput(cmd, "", []byte(text))
	}
	index, err := theIndex()
	if err != nil {
		return failed(err)
	}
	a := index.Search(query)
	switch {
	case r.JSON:
		return failed(printJSON(cmd.OutOrStdout(), answerOf(index, a, text)))
	case len(a.Found) == 0:
		return fmt.Errorf("nothing is found for %q: see formatgauge list types|clauses|flags|views|vectors|words", query)
	}
	return writeOutput(cmd, "", []byte(foundText(index, a)))
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
}

func answerOf(index *find.Index, a *find.Answer, record string) *answer {
	out := &answer{
		Format: "formatgauge-explain-1", Query: a.Query, Record: record, Some: a.Some, Read: a.Read, Found: len(a.Found),
		Unknown: append([]string{}, a.Unknown...), Results: []foundEntry{},
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
			r.Example = &foundExample{v.ID, v.Bytes[0], v.Verdict}
		}
		out.Results = append(out.Results, r)
	}
	return out
}

// foundText prints the results of a search: the first one whole, then a line for each.
func foundText(index *find.Index, a *find.Answer) string {
	var b bytes.Buffer
	all := answerOf(index, a, "")
	for _, note := range a.Notes() {
		paragraph(&b, "note", note)
	}
	first := all.Results[0]
	fmt.Fprintf(&b, "%s  (%s)\n\n", first.ID, strings.TrimSuffix(first.Kind+", "+first.Parent, ", "))
	paragraph(&b, "text", first.Text)
	if first.Rule != nil {
		paragraph(&b, first.Rule.Clause, first.Rule.Text)
	}
	if len(first.Fails) > 0 {
		paragraph(&b, "failed by", strings.Join(first.Fails, ", "))
	}
	if x := first.Example; x != nil {
		paragraph(&b, "example", x.Vector)
		paragraph(&b, "", strings.Trim(x.Bytes+": "+x.Verdict, ": "))
	}
	if len(all.Results) > 1 {
		b.WriteString("\nalso\n")
	}
	for _, r := range all.Results[1:] {
		line := fmt.Sprintf("  %-36s  %-9s  %s", r.ID, r.Kind, r.Text)
		b.WriteString(page.Cut(line, textWidth) + "\n")
	}
	if n := all.Found - len(all.Results); n > 0 {
		fmt.Fprintf(&b, "  and %d more\n", n)
	}
	return b.String()
}

func explain(id string) (string, bool) {
	if c, ok := spec.FindClause(ids.Clause(strings.ToUpper(id))); ok {
		return explainClause(c), true
	}
	if f, ok := spec.FindFlag(ids.Flag(strings.ToLower(id))); ok {
		return explainFlag(f), true
	}
	if v, ok := spec.FindView(strings.ToLower(id)); ok {
		return explainView(v), true
	}
	vector := strings.TrimSuffix(strings.TrimPrefix(id, "corpus/"), ".txtar")
	if v, ok := corpus.Find(vector); ok {
		return explainVector(v), true
	}
	if s, ok := spec.FindStructure(spec.StructureOf(id)); ok {
		t, _ := codec.Find(id)
		return explainStructure(s, t), true
	}
	if f, ok := spec.FindFamily(strings.ToLower(id)); ok {
		types := slices.DeleteFunc(typeNames(), func(t string) bool { return !strings.HasPrefix(t, f.Name+".") })
		return fmt.Sprintf("%[1]s  (family: %[2]s, %[3]s)\n\n%[4]s\n\nsee docs/conformance/%[1]s.md, list types %[1]s\n",
			f.Name, count(len(f.Structures), "structure"), count(len(types), "type"), f.Title+"\n"+f.Found), true
	}
	if w := spec.FindWords(id); len(w) > 0 {
		return explainWords(w), true
	}
	for _, id := range []string{strings.ToUpper(id), strings.ToLower(id), vector} {
		if r, ok := spec.FindRetired(id); ok {
			return explainRetired(r), true
		}
	}
	return "", false
}

func explainView(v *spec.View) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s  (view)\n\n", v.ID)
	paragraph(&b, "meaning", v.Meaning)
	for _, line := range v.Projections {
		paragraph(&b, "projection", line)
	}
	paragraph(&b, "declare", `"views": ["`+v.ID+`"] in hello, or --view `+v.ID)
	return b.String()
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

func explainWords(words []spec.Word) string {
	var b bytes.Buffer
	for i, w := range words {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s  (%s)\n\n", w.Name, wordPages[w.Kind])
		label := "meaning"
		if w.Kind == spec.UsageWord {
			label = "not"
		}
		paragraph(&b, label, w.Text)
		if w.Doc != "" {
			paragraph(&b, "see", w.Doc)
		}
	}
	return b.String()
}

func explainRetired(r *spec.Retired) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s  (retired since %s)\n\n", r.ID, r.Since)
	paragraph(&b, "why", r.Why)
	return b.String()
}

const (
	textWidth  = 96
	labelWidth = 14
)

// paragraph writes a label and, in a column to the right of it, a text that is
// broken into lines.
func paragraph(b *bytes.Buffer, label, text string) {
	indent := strings.Repeat(" ", labelWidth)
	if len(label) >= labelWidth {
		b.WriteString(label + "\n")
		label = ""
	}
	fmt.Fprintf(b, "%-*s", labelWidth, label)
	wrap(b, indent, text, textWidth)
}

// wrap writes a text in lines, of which all but the first are indented.
func wrap(b *bytes.Buffer, indent, text string, width int) {
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
	b.WriteByte('\n')
}

func explainClause(c *spec.Clause) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s  (%s, %s)\n\n", c.ID, c.Level, c.Structure)
	paragraph(&b, "text", c.Text)
	paragraph(&b, "basis", basisText(c.Basis, c.Reason))
	if c.Reason != "" {
		paragraph(&b, "acceptable", c.Open.Permits())
	}
	for _, from := range sourcesOf(c) {
		paragraph(&b, "source", from)
	}
	paragraph(&b, "place", c.Place)
	for _, f := range spec.FlagsOf(c.Structure) {
		if slices.Contains(f.Clauses, c.ID) {
			paragraph(&b, "flag", flagText(f))
		}
	}
	writeVectors(&b, c.Structure, string(c.ID), func(v *corpus.Vector) bool { return slices.Contains(v.Clauses, c.ID) })
	return b.String()
}

// flagText says what is observed, and which sides the profiles take if that is not expected.
func flagText(f *spec.Flag) string {
	text := string(f.ID) + ", observed: " + f.Observed
	if f.Switchable() && f.InObserved != ids.SideObserved {
		text += " " + f.ProfileSides()
	}
	return text
}

// sourcesOf names the sources of a clause with their addresses.
func sourcesOf(c *spec.Clause) (out []string) {
	f, _ := spec.FindFamily(spec.FamilyOf(c.Structure))
	for _, d := range f.Sources(c) {
		out = append(out, strings.TrimSpace(d.Title+" "+d.Address))
	}
	return out
}

func explainFlag(f *spec.Flag) string {
	var b bytes.Buffer
	switchable := "informational: no profile changes it"
	if f.Switchable() {
		switchable = "switchable"
	}
	fmt.Fprintf(&b, "%s  (%s, %s)\n\n", f.ID, f.Kind, switchable)
	paragraph(&b, "documented", f.Documented)
	paragraph(&b, "observed", f.Observed)
	for _, e := range f.Evidence {
		paragraph(&b, "evidence", e)
	}
	for _, s := range f.Sides {
		paragraph(&b, "side", s.Name+": "+s.Reading)
		paragraph(&b, "", "Basis: "+basisText(s.Basis, s.Reason))
		if s.Reason != "" {
			paragraph(&b, "", "Acceptable: "+s.Open.Permits()+".")
		}
	}
	if f.Switchable() {
		paragraph(&b, "profiles", f.ProfileSides())
	}
	for _, id := range f.Clauses {
		if c, ok := spec.FindClause(id); ok {
			paragraph(&b, "clause", string(id)+": "+c.Text)
		}
	}
	writeVectors(&b, string(f.ID), string(f.ID), func(v *corpus.Vector) bool { return slices.Contains(v.Flags, f.ID) })
	return b.String()
}

// basisText says who demands a clause or side. A choice has a reason.
func basisText(b spec.Basis, reason string) string {
	if b != spec.Choice {
		return string(b) + "."
	}
	return "choice of this reference. No document, engine or real file demands it. " + reason
}

// writeVectors lists the vectors that match. Their files contain id.
func writeVectors(b *bytes.Buffer, inFamily, id string, match func(*corpus.Vector) bool) {
	vectors, err := corpus.Mentioning(spec.FamilyOf(inFamily), id)
	if err != nil {
		return
	}
	vectors = slices.DeleteFunc(vectors, func(v *corpus.Vector) bool { return !match(v) })
	for _, name := range find.Fail(vectors, find.Failing()) {
		paragraph(b, "failed by", name)
	}
	for _, v := range vectors {
		paragraph(b, "vector", v.ID)
	}
}

// mostTree is the number of bytes of a tree, or of a context, that are shown.
const mostTree = 8192

func explainVector(v *corpus.Vector) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s  (%s)\n\n", v.ID, v.Type)
	paragraph(&b, "shows", v.Comment)
	paragraph(&b, "source", v.Source)
	if len(v.Context) > 0 {
		paragraph(&b, "context", shorten.Text(corpus.ContextText(v.Context), mostTree))
	} else if t, ok := codec.Find(v.Type); ok && len(t.Context) > 0 {
		paragraph(&b, "context", "none, so "+corpus.ContextText(t.Context))
	}
	b.WriteByte('\n')
	annotated(&b, v.Bytes, v.Lines)
	if v.EncodeOnly() {
		fmt.Fprintf(&b, "  %s\n", shorten.Text(v.Tree, mostTree))
	}
	b.WriteByte('\n')
	for _, others := range []bool{false, true} { // which say of what others they are
		for i := range v.Expect {
			if e := &v.Expect[i]; (e.Profile == corpus.ExpectAll) == others {
				writeVerdict(&b, v, e)
			}
		}
	}
	for _, p := range []ids.Profile{ids.Documented(), ids.Observed()} {
		if sides := v.Unjudged(p); sides != "" {
			paragraph(&b, "verdict", fmt.Sprintf("under %s: none. Other vectors show %s.", p, sides))
		}
	}
	for _, w := range spec.Words() {
		rejected := func(e corpus.Expectation) bool { return e.Class != "" && corpus.Admits(e.Class, w.Name) }
		if w.Kind == spec.ClassWord && slices.ContainsFunc(v.Expect, rejected) {
			paragraph(&b, "class", w.Name+": "+w.Text)
		}
	}
	for _, x := range v.Permitted {
		paragraph(&b, "permitted", "an answer that is acceptable too:")
		text := strings.TrimSpace(x.Text)
		if like, ok := strings.CutPrefix(text, "like "); ok {
			text = "the tree of the vector " + strings.Replace(like, "\n", ", but with\n", 1)
		}
		writeColumn(&b, text)
	}
	b.WriteByte('\n')
	for _, id := range v.Clauses {
		if c, ok := spec.FindClause(id); ok {
			paragraph(&b, "clause", string(id)+": "+c.Text)
		}
	}
	for _, id := range v.Flags {
		if f, ok := spec.FindFlag(id); ok {
			writeSides(&b, v, f)
		}
	}
	return b.String()
}

// writeVerdict prints what a section expects, who demands it, and which other answers are
// acceptable.
func writeVerdict(b *bytes.Buffer, v *corpus.Vector, e *corpus.Expectation) {
	text := "under " + v.Under(e) + ": " + e.Text()
	if e.Outcome == corpus.Reject && e.To == len(v.Bytes) && e.To > 0 {
		text += ", the end of the input"
	}
	paragraph(b, "verdict", text)
	if e.Tree != "" {
		writeColumn(b, e.Tree)
	}
	if strings.Contains(e.Tree, `"repeat":`) {
		paragraph(b, "", `{"repeat": N, "item": X} stands for X N times, and {"repeat": N, "text": X} for one such text. An adapter returns the whole.`)
	}
	if e.Canonical != nil {
		b.WriteString("  encodes to\n")
		annotated(b, e.Canonical, e.CanonicalLines)
	}
	var bases []string
	for _, d := range v.Demands(e) {
		bases = append(bases, d.String())
	}
	paragraph(b, "", "Basis: "+strings.Join(bases, ", ")+".")
	for _, d := range v.Choices(v.ProfileOf(e)) {
		if open := v.Open(d); open != "" {
			paragraph(b, "", "Acceptable too ("+d.String()+"): "+open.Permits()+".")
		}
	}
}

// writeSides prints the readings of the sides that the sections of a vector take. Of a flag
// without sides it prints what is observed.
func writeSides(b *bytes.Buffer, v *corpus.Vector, f *spec.Flag) {
	if !f.Switchable() {
		paragraph(b, "flag", flagText(f))
		return
	}
	paragraph(b, "flag", string(f.ID)+". "+f.ProfileSides())
	taken := []string{f.InDocumented, f.InObserved}
	for i := range v.Expect {
		taken = append(taken, v.ProfileOf(&v.Expect[i]).Side(f.ID))
	}
	for _, s := range f.Sides {
		if slices.Contains(taken, s.Name) {
			paragraph(b, "", "Side "+s.Name+": "+s.Reading)
		}
	}
}

// writeColumn writes the lines of a text, at most mostTree bytes, in the column of texts.
func writeColumn(b *bytes.Buffer, text string) {
	for line := range strings.Lines(shorten.Text(text, mostTree)) {
		fmt.Fprintf(b, "%*s%s\n", labelWidth, "", strings.TrimRight(line, "\n"))
	}
}

// annotated writes bytes line by line, as the vector divides them. A line without a note is
// written in whole, if it is not long.
func annotated(b *bytes.Buffer, src []byte, lines []corpus.Line) {
	for _, l := range lines {
		row := src[l.Offset : l.Offset+l.Len]
		if l.Note == "" && len(row) <= 512 {
			for i := 0; i < len(row); i += 16 {
				fmt.Fprintf(b, "  %08x  % x\n", l.Offset+i, row[i:min(i+16, len(row))])
			}
			continue
		}
		fmt.Fprintf(b, "  %08x  %-24s  %s\n", l.Offset, shortHex(row), l.Note)
	}
}

// shortHex returns at most eight bytes in hexadecimal.
func shortHex(b []byte) string {
	if len(b) > 8 {
		return fmt.Sprintf("% x…", b[:7])
	}
	return fmt.Sprintf("% x", b)
}

// explainStructure explains a structure and the trees of one of its types, t. If t is
// nil, it is the only type of the structure, if there is just one.
func explainStructure(s *spec.Structure, t *codec.Type) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n", s.Name)
	paragraph(&b, "title", s.Title)
	if s.Extension {
		paragraph(&b, "", "This structure is an extension: none of the documents describes it.")
	}
	paragraph(&b, "oracle", s.Oracle)
	if s.Support != nil {
		paragraph(&b, "support", "depends on "+strings.Join(s.Support, "; "))
	}
	var types []*codec.Type
	for _, t := range codec.Types() {
		if t.Structure() == s.Name {
			types = append(types, t)
			paragraph(&b, "type", strings.TrimSpace(t.Name+"  "+corpus.ContextText(t.Context)))
		}
	}
	if t == nil && len(types) == 1 {
		t = types[0]
	}
	switch {
	case t != nil:
		writeLayout(&b, t)
		writeTreeSchema(&b, t)
	case len(types) > 1:
		paragraph(&b, "tree", "see formatgauge explain '"+types[0].Name+"'")
	}
	for _, c := range spec.ClausesOf(s.Name) {
		paragraph(&b, string(c.ID), "("+string(c.Level)+") "+c.Text)
	}
	for _, f := range spec.FlagsOf(s.Name) {
		paragraph(&b, "flag", flagText(f))
	}
	return b.String()
}

// writeLayout describes the bytes of a type, and of parts without a structure.
func writeLayout(b *bytes.Buffer, t *codec.Type) {
	l, ok := spec.FindLayout(t.Name)
	if !ok {
		return
	}
	paragraph(b, "layout", "of "+t.Name+" under the profile observed. \"then\" is after the preceding field, \"or\" "+
		"in its place. The value does not contain a field in parentheses.")
	b.WriteByte('\n')
	for i, l := range l.Outlines(ids.Observed()) {
		if i > 0 {
			fmt.Fprintf(b, "\n  %s\n", l.Name)
		}
		writeRows(b, l.Rows)
	}
	b.WriteByte('\n')
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
		case r.Under != "" || i > 0 && rows[i-1].Path == r.Path:
			offset = "or"
		case r.Offset >= 0:
			offset = strconv.Itoa(r.Offset)
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
				b.WriteString(indent)
				wrap(b, indent, text, layoutWidth)
			}
		}
		for _, x := range r.Bits {
			text := fmt.Sprintf("%10s%-16s  %-11s %-9s  %s", "", x.Place(r.Field), x.Name, x.Clause, x.Text)
			b.WriteString(strings.TrimRight(text, " ") + "\n")
		}
	}
}

// writeTreeSchema describes the trees of a type, with an example from the corpus.
func writeTreeSchema(b *bytes.Buffer, t *codec.Type) {
	s := schema.Of(t)
	paragraph(b, "tree", "of "+t.Name+"; every number is a string (corpus/README.md describes trees):")
	b.WriteByte('\n')
	writeIndented(b, s.Text(nil))
	if e := s.Example; e != nil {
		b.WriteByte('\n')
		paragraph(b, "example", strings.TrimSpace(e.Vector+"  "+corpus.ContextText(e.Context)))
		if len(e.Hex) <= textWidth {
			paragraph(b, "bytes", e.Hex)
		}
		writeIndented(b, e.Tree.Indent())
	}
	b.WriteByte('\n')
}

func writeIndented(b *bytes.Buffer, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(b, "  %s", line)
	}
}
