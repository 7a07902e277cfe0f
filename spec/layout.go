package spec

import (
	"cmp"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/formatgauge/formatgauge/spec/ids"
)

// One file of layouts per family.
//
//go:embed layouts/*.txt
var layoutFiles embed.FS

// A Layout says how the bytes of a structure are divided into fields. It is written
// from the clauses: nothing generates it, and no codec, vector or test value is generated
// from it. So it is a third statement of the format, beside codec and vectors.
type Layout struct {
	Name   string   // of a structure, of a type such as ubi.Array<Vector3>, or of a part that several layouts share
	Fields []*Field // in the order in which they are stored
}

// A Field is a run of bytes, or a part with a layout of its own. Several fields of a
// layout can have one path: they are alternatives, and of those that cite the same
// clauses the first that applies is in force.
type Field struct {
	// Path leads to the field from the value: names separated by dots, with [] for any
	// element of a list and [4] for those of a list of four. The path of a value that
	// has no fields, and of a layout whose fields are inserted here, is empty.
	Path   string
	Hidden bool // the value does not contain the field, such as a count
	// Kind is a key of the table of kinds, or = and bytes in hex. It is empty if the
	// field has a layout of its own.
	Kind  string
	Loose bool     // the value contains something else that is computed from the field
	Parts []string // the names of layouts, of which one applies
	// Clauses are those that the reference may cite for the bytes of the field.
	Clauses   []ids.Clause
	Relations []Relation
	Sides     []Condition // all have to be met
	If        string      // when the field is present, if it is not always
	Bits      []Bits
	Line      string // where the field is defined, and its text
}

// A Relation says what a field is to other fields, such as count:names.
type Relation struct{ Name, Arg string }

// A Condition names the sides of a flag.
type Condition struct {
	Flag  ids.Flag
	Sides []string
}

// Bits are a run of bits of a field. Bit 0 is the least significant one.
type Bits struct {
	Byte      int // of a field of a variable number of bytes
	High, Low int
	Name      string
	Clause    ids.Clause
	Text      string // a few words, or empty
}

// A fieldKind is what a field without a layout of its own contains.
type fieldKind struct {
	least, most int // bytes; most is 0 if there is no bound
	title       string
}

// fieldKinds are the kinds of fields, by name.
var fieldKinds = map[string]fieldKind{
	"u1": {1, 1, "uint8"}, "u2": {2, 2, "uint16"}, "u4": {4, 4, "uint32"}, "u8": {8, 8, "uint64"},
	"i1": {1, 1, "int8"}, "i2": {2, 2, "int16"}, "i4": {4, 4, "int32"}, "i8": {8, 8, "int64"},
	"f4": {4, 4, "float32"}, "f8": {8, 8, "float64"},
	"bool1": {1, 1, "bool"}, "bool2": {2, 2, "bool"},
	"raw": {0, 0, "bytes"}, "raw16": {16, 16, "bytes"},
	"text": {0, 0, "text"}, "text8": {8, 8, "text"}, "textz": {1, 0, "text and NUL"},
	"swizzled": {0, 0, "text, bits swapped"},
	"utf16":    {0, 0, "units of UTF-16"}, "utf16z": {2, 0, "units of UTF-16 and NUL"},
	"utf32": {0, 0, "units of UTF-32"},
	"ci":    {1, 5, "CompactIndex"}, "ref": {1, 5, "ObjectReference"}, "ref4": {4, 4, "ObjectReference"}, // UPKG-REF-7
	"type": {1, 1, "type id"}, "version": {2, 2, "version"}, // of ka
	"fname": {8, 8, "FName"}, "guid": {1, 17, "0, or 1 and GUID"}, "element": {4, 8, "element"}, // of uasset
}

// kindStructures are the structures that kinds have.
var kindStructures = map[string]string{
	"ci": "upkg.CompactIndex", "ref": "upkg.ObjectReference", "ref4": "upkg.ObjectReference", "fname": "uasset.FName",
	"type": "ka.ValueHeader",
}

// relations are the words for relations, with a text for people, in which % is the
// argument. The oracle of package fuzz checks most of them.
var relations = map[string]string{
	"count": "number of elements of %", "bytes": "size of %", "rest": "number of bytes that follow",
	"after": "number of bytes after %",
	"start": "offset of %", "end": "end of %", "table": "offset of %", "same": "equal to %",
	"extent": "size of the object", "chain": "offset of the object",
	"elements": "size of the elements", "elementCount": "number of elements", "mip": "size of the pixels",
	"payload": "offset of the payload",
	"lookup":  "id of a fast name", "name": "the name %", "format": "name of the pixel format",
	"variant":   "type of the value",
	"heritages": "number of heritages", "from": "from version % on", "below": "below version %",
	"serial":  "", // its value determines whether the next field is present
	"chunk":   "", // the value has the offset of the field
	"apart":   "", // the parts around the field have other bytes before it
	"within":  "", // the part value begins before the field and may end after it
	"outside": "", // the field is not among the bytes of the parts around it
}

// Place says which bits of a field they are: bits 31-30, or byte 1, bit 7.
func (b *Bits) Place(f *Field) string {
	text := fmt.Sprintf("bits %d-%d", b.High, b.Low)
	if b.High == b.Low {
		text = fmt.Sprintf("bit %d", b.High)
	}
	if len(f.Bits) > 0 && f.Bits[len(f.Bits)-1].Byte > 0 {
		text = fmt.Sprintf("byte %d, %s", b.Byte, text)
	}
	return text
}

// Structures returns the layouts of the field, or the structure that its kind has.
func (f *Field) Structures() []string {
	if name := kindStructures[f.Kind]; name != "" {
		return []string{name}
	}
	return f.Parts
}

// KindText describes what the field contains.
func (f *Field) KindText() string {
	switch {
	case len(f.Parts) > 1:
		return fmt.Sprintf("one of %d layouts", len(f.Parts))
	case f.Kind == "":
		return f.Parts[0]
	case f.Kind[0] == '=':
		b, _ := hex.DecodeString(f.Kind[1:]) // checked when it was parsed
		return fmt.Sprintf("% x", b)
	}
	return fieldKinds[f.Kind].title
}

// KindSize returns the least and the greatest number of bytes of the kind. The greatest
// is 0 if there is no bound, and for bytes in hex.
func (f *Field) KindSize() (least, most int) {
	return fieldKinds[f.Kind].least, fieldKinds[f.Kind].most
}

// Note says when the field is present, what it is to others, and whether the value
// contains it.
func (f *Field) Note() string {
	var notes []string
	for _, r := range f.Relations {
		path, unit, units := strings.Cut(strings.TrimPrefix(strings.Split(r.Arg, "|")[0], "/"), "*")
		text := strings.Replace(relations[r.Name], "%", path, 1)
		if path == "." {
			text = "number of elements"
		}
		switch {
		case units && unit == "1":
			text += " in bytes"
		case units:
			text += " in units of " + unit + " bytes"
		}
		if text != "" {
			notes = append(notes, text)
		}
	}
	if f.If != "" {
		notes = append(notes, "if "+f.If)
	}
	return strings.Join(notes, "; ")
}

// Has reports whether a field has a relation.
func (f *Field) Has(relation string) bool {
	return slices.ContainsFunc(f.Relations, func(r Relation) bool { return r.Name == relation })
}

// Optional reports whether the field can be absent.
func (f *Field) Optional() bool { return f.If != "" || f.Has("from") || f.Has("below") }

// Count returns the number of elements that the field has in total: 1 if it is in no
// list, and 0 if a list may have any length.
func (f *Field) Count() int {
	n := 1
	for rest := f.Path; ; {
		_, after, found := strings.Cut(rest, "[")
		if !found {
			return n
		}
		length, after, _ := strings.Cut(after, "]")
		k, _ := strconv.Atoi(length) // 0 without a number
		n, rest = n*k, after
	}
}

// Applies reports whether a profile takes one of the sides of each condition.
func (f *Field) Applies(p ids.Profile) bool { return f.unmet(p) == "" }

// unmet returns the conditions that a profile does not meet, in words.
func (f *Field) unmet(p ids.Profile) string {
	var out []string
	for _, c := range f.Sides {
		if !slices.Contains(c.Sides, p.Side(c.Flag)) {
			out = append(out, string(c.Flag)+"="+strings.Join(c.Sides, " or "))
		}
	}
	return strings.Join(out, " and ")
}

// InForce returns the fields that are in force under a profile.
func (l *Layout) InForce(p ids.Profile) (out []*Field) {
	for _, f := range l.Fields {
		same := func(g *Field) bool {
			return g.Path == f.Path && g.If == f.If && slices.Equal(g.Clauses, f.Clauses) && (f.Path != "" || f.Kind != "")
		}
		if f.Applies(p) && !slices.ContainsFunc(out, same) {
			out = append(out, f)
		}
	}
	return out
}

// Size returns the least and the greatest number of bytes under a profile. The
// greatest is 0 if there is no bound.
func (l *Layout) Size(p ids.Profile) (least, most int) { return l.size(p, nil) }

// size computes the size of a layout inside of others.
func (l *Layout) size(p ids.Profile, around []string) (least, most int) {
	if slices.Contains(around, l.Name) {
		return 0, 0
	}
	around = append(around, l.Name)
	bounded := true
	for _, f := range l.InForce(p) {
		if f.Has("outside") {
			bounded = false
			continue
		}
		a, b, known := f.size(p, around)
		if f.Optional() {
			a = 0
		}
		least, most, bounded = least+a*f.Count(), most+b*f.Count(), bounded && known && f.Count() > 0
	}
	if !bounded {
		most = 0
	}
	return least, most
}

// size returns the size of one occurrence of a field, and whether it is bounded.
func (f *Field) size(p ids.Profile, around []string) (least, most int, bounded bool) {
	if strings.HasPrefix(f.Kind, "=") {
		n := len(f.Kind) / 2
		return n, n, true
	}
	if f.Kind != "" {
		k := fieldKinds[f.Kind]
		return k.least, k.most, k.most > 0
	}
	bounded = true
	for i, name := range f.Parts {
		part, _ := FindLayout(name)
		a, b := part.size(p, around)
		if i == 0 || a < least {
			least = a
		}
		most, bounded = max(most, b), bounded && (b > 0 || len(part.Fields) == 0)
	}
	if !bounded {
		most = 0
	}
	return least, most, bounded
}

// A Row is a line of a table that shows a layout.
type Row struct {
	*Field
	Offset      int    // -1 if it is not always the same
	Least, Most int    // the size of one occurrence; Most is 0 if there is no bound
	Under       string // the sides under which the field is in force, if the profile of the table does not take them
}

// Name returns the path, or says what a row without one is.
func (r *Row) Name() string {
	switch {
	case r.Path != "":
		return r.Path
	case len(r.Parts) > 0:
		return "contents"
	}
	return "value"
}

// Fixed reports whether the field is always present with one size.
func (r *Row) Fixed() bool {
	return r.Least == r.Most && r.Most > 0 && !r.Optional() && r.Under == "" && r.Count() > 0
}

// SizeText describes the size in bytes.
func (r *Row) SizeText() string {
	text := sizeText(r.Least, r.Most)
	if r.Count() > 1 {
		text = fmt.Sprintf("%d × %s", r.Count(), text)
	}
	return text
}

func sizeText(least, most int) string {
	switch {
	case most == 0 && least == 0:
		return "any"
	case most == 0:
		return fmt.Sprintf("at least %d", least)
	case least == most:
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d-%d", least, most)
}

// An Outline shows a layout under a profile.
type Outline struct {
	Name, Size string // the size in bytes
	Rows       []*Row
}

// Outlines returns the outline of a layout and those of the parts to which its rows refer,
// also through others, that are no structures of their own. It has the fields in
// force, in the place of inserted layouts their fields, and after each the alternatives
// of another kind that other sides give.
func (l *Layout) Outlines(p ids.Profile) (out []*Outline) {
	for _, l := range l.withParts(p) {
		t := &Outline{Name: l.Name, Size: "0", Rows: l.rows(p)}
		if len(l.Fields) > 0 {
			t.Size = sizeText(l.Size(p))
		}
		offset := 0
		for _, r := range t.Rows {
			r.Offset = offset
			if r.Under != "" || r.Has("outside") {
				r.Offset = -1
			} else if offset >= 0 {
				offset += r.Least * r.Count()
				if !r.Fixed() {
					offset = -1
				}
			}
		}
		out = append(out, t)
	}
	return out
}

func (l *Layout) rows(p ids.Profile) (out []*Row) {
	inForce := l.InForce(p)
	for _, f := range l.Fields {
		in := slices.Contains(inForce, f)
		if f.Path == "" && len(f.Parts) == 1 {
			part, _ := FindLayout(f.Parts[0])
			for _, r := range part.rows(p) {
				inserted := *r.Field
				inserted.If = cmp.Or(f.If, r.If)
				r.Field = &inserted
				out = append(out, r)
			}
			continue
		}
		r := &Row{Field: f}
		r.Least, r.Most, _ = f.size(p, []string{l.Name})
		if !in {
			if slices.ContainsFunc(l.Fields, func(g *Field) bool {
				return g != f && g.Path == f.Path && g.Kind == f.Kind &&
					(slices.Contains(inForce, g) || slices.Index(l.Fields, g) < slices.Index(l.Fields, f))
			}) || len(f.Sides) == 0 {
				continue
			}
			r.Under = "under " + f.unmet(p)
		}
		out = append(out, r)
	}
	return out
}

func (l *Layout) withParts(p ids.Profile) []*Layout {
	out := []*Layout{l}
	for i := 0; i < len(out); i++ {
		for _, r := range out[i].rows(p) {
			for _, name := range r.Parts {
				part, _ := FindLayout(name)
				if _, documented := FindStructure(StructureOf(name)); !documented && !slices.Contains(out, part) {
					out = append(out, part)
				}
			}
		}
	}
	return out
}

// layouts are the layouts of the families, by name. Like the records, they are parsed
// when somebody asks for them.
var layouts = func() map[string]func() map[string]*Layout {
	out := map[string]func() map[string]*Layout{}
	for _, f := range families {
		out[f.name] = sync.OnceValue(func() map[string]*Layout {
			list, err := loadLayouts(layoutFiles, "layouts/"+f.name+".txt", embedded)
			if err != nil {
				panic("spec: " + err.Error()) // part of the program: a test loads it first
			}
			return list
		})
	}
	return out
}()

// Layouts lists the layouts of a family by name.
func Layouts(family string) []*Layout {
	byName := func(a, b *Layout) int { return strings.Compare(a.Name, b.Name) }
	return slices.SortedFunc(maps.Values(layouts[family]()), byName)
}

// FindLayout finds the layout of a structure, a type or a part by its name.
func FindLayout(name string) (*Layout, bool) {
	load := layouts[FamilyOf(name)]
	if load == nil {
		return nil, false
	}
	l, ok := load()[name]
	return l, ok
}

// loadLayouts parses a file of layouts strictly: an unknown word is an error.
func loadLayouts(fsys fs.FS, name string, records *Records) (map[string]*Layout, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	out := map[string]*Layout{}
	p := layoutParser{records: records}
	var last *Layout
	var lastFields []*Field
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		words := strings.Fields(line)
		switch indent := len(line) - len(strings.TrimLeft(line, " ")); {
		case len(words) == 0 || line[0] == '#':
		case indent == 0:
			if out[line] != nil || len(words) > 1 || p.records.of(line).family == nil {
				err = fmt.Errorf("%q is not the name of a layout, or is listed twice", line)
			}
			last, lastFields = &Layout{Name: line}, nil
			out[line] = last
		case indent == 2 && last != nil:
			lastFields, err = p.fields(words, fmt.Sprintf("%s:%d", name, n))
			last.Fields = append(last.Fields, lastFields...)
		case indent == 4 && lastFields != nil:
			err = p.bits(words, lastFields)
		default:
			err = fmt.Errorf("a layout is not indented, a field by two spaces, bits by four")
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	for _, l := range out {
		for _, f := range l.Fields {
			for _, part := range f.Parts {
				if out[part] == nil {
					return nil, fmt.Errorf("%s: unknown kind or layout %q", f.Line, part)
				}
			}
		}
	}
	return out, nil
}

// A layoutParser parses the lines of a file of layouts.
type layoutParser struct{ records *Records }

// fields parses a line: fields, kind, clauses, relations and conditions.
func (p *layoutParser) fields(words []string, at string) (out []*Field, err error) {
	if len(words) < 3 {
		return nil, fmt.Errorf("expected a field, a kind and a clause, found %q", strings.Join(words, " "))
	}
	f := Field{Line: at + ": " + strings.Join(words, " ")}
	f.Kind, f.Loose = strings.CutSuffix(words[1], "!")
	if _, known := fieldKinds[f.Kind]; !known {
		if b, err := hex.DecodeString(strings.TrimPrefix(f.Kind, "=")); f.Kind[:1] != "=" || err != nil || len(b) == 0 {
			if !strings.Contains(f.Kind, ".") {
				return nil, fmt.Errorf("unknown kind %q", f.Kind)
			}
			f.Parts, f.Kind = strings.Split(f.Kind, "|"), ""
		}
	}
	for id := range strings.SplitSeq(words[2], ",") {
		if id == "-" {
			id = "" // the reference cites no clause
		} else if _, ok := p.records.Clause(ids.Clause(id)); !ok {
			return nil, fmt.Errorf("unknown clause %q", id)
		}
		f.Clauses = append(f.Clauses, ids.Clause(id))
	}
	for i, w := range words[3:] {
		if w == "if" {
			f.If = strings.Join(words[3+i+1:], " ")
			break
		}
		if flag, sides, ok := strings.Cut(w, "="); ok {
			c := Condition{ids.Flag(flag), strings.Split(sides, "|")}
			record, _ := p.records.Flag(c.Flag)
			for _, side := range c.Sides {
				if _, ok := record.Side(side); !ok {
					return nil, fmt.Errorf("unknown side %q", w)
				}
			}
			f.Sides = append(f.Sides, c)
			continue
		}
		name, arg, _ := strings.Cut(w, ":")
		if _, known := relations[name]; !known {
			return nil, fmt.Errorf("unknown relation %q", w)
		}
		f.Relations = append(f.Relations, Relation{name, arg})
	}
	for path := range strings.SplitSeq(words[0], ",") {
		g := f
		if g.Path = path; path == "." {
			g.Path = ""
		}
		if inner, ok := strings.CutPrefix(path, "("); ok {
			g.Path, g.Hidden = strings.TrimSuffix(inner, ")"), true
		}
		out = append(out, &g)
	}
	return out, nil
}

var bitPlace = regexp.MustCompile(`^(?:(\d{1,3}):)?(\d{1,3})(?:-(\d{1,3}))?$`)

// bits parses a line of bits: [BYTE:]HIGH[-LOW], name, clause, text.
func (p *layoutParser) bits(words []string, fields []*Field) error {
	if len(words) < 3 {
		return fmt.Errorf("expected bits, a name and a clause, found %q", strings.Join(words, " "))
	}
	b := Bits{Name: words[1], Clause: ids.Clause(words[2]), Text: strings.Join(words[3:], " ")}
	if _, ok := p.records.Clause(b.Clause); !ok {
		return fmt.Errorf("unknown clause %q", b.Clause)
	}
	m := bitPlace.FindStringSubmatch(words[0])
	if m != nil {
		b.Byte, _ = strconv.Atoi(m[1]) // 0 without a number
		b.High, _ = strconv.Atoi(m[2])
		b.Low, _ = strconv.Atoi(cmp.Or(m[3], m[2]))
	}
	k := fieldKinds[fields[0].Kind]
	bound := 8 * k.most
	if k.least == 0 || m != nil && m[1] != "" {
		bound = 8 // of each byte
	}
	if m == nil || b.Low > b.High || b.High >= bound {
		return fmt.Errorf("%q are no bits of a field of kind %q", words[0], fields[0].Kind)
	}
	if n := len(fields[0].Bits); n > 0 {
		if last := fields[0].Bits[n-1]; last.Byte > b.Byte || last.Byte == b.Byte && last.Low <= b.High {
			return fmt.Errorf("the bits %q follow bit %d", words[0], last.Low)
		}
	}
	for _, f := range fields {
		f.Bits = append(f.Bits, b)
	}
	return nil
}
