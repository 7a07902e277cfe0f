package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/internal/lazyregexp"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Finding is one fault that the lint reports.
type Finding struct {
	Where string // id of a vector, clause or flag, or name of a structure
	What  string // what is wrong, and what corrects it
}

// String returns where the fault is and what it is.
func (f Finding) String() string { return f.Where + ": " + f.What }

// LintForm checks each vector alone.
func LintForm(vectors []*Vector) []Finding {
	var out []Finding
	for _, v := range vectors {
		out = append(out, lintVector(v)...)
	}
	return out
}

// LintCoverage checks the vectors together: each must clause has a vector; for
// each two sides of a switchable flag a vector gives different verdicts; each
// structure has accepting, noncanonical and rejecting vectors; each type has an
// example.
func LintCoverage(vectors []*Vector) []Finding {
	out := lintTypical(vectors)
	for _, f := range spec.Families() {
		out = append(out, lintFamily(f, vectors)...)
		out = append(out, lintOpen(f, vectors)...)
	}
	return out
}

// lintTypical checks that each type has one example: a vector that the profile
// observed accepts and, if the type has such a one, with plain bytes.
func lintTypical(vectors []*Vector) (out []Finding) {
	byType := map[string][]*Vector{}
	for _, v := range vectors {
		byType[v.Type] = append(byType[v.Type], v)
	}
	for _, name := range slices.Sorted(maps.Keys(byType)) {
		var typical []*Vector
		for _, v := range byType[name] {
			if v.Typical {
				typical = append(typical, v)
			}
		}
		if len(typical) != 1 {
			out = append(out, Finding{name, fmt.Sprintf("%d vectors have the field typical; expected 1", len(typical))})
			continue
		}
		switch v := typical[0]; {
		case !v.isAccepted():
			out = append(out, Finding{v.ID, "is typical, but the profile observed does not accept it"})
		case !v.isPlain() && slices.ContainsFunc(byType[name], func(v *Vector) bool { return v.isAccepted() && v.isPlain() }):
			out = append(out, Finding{v.ID, "is typical, but its bytes are none, all 0, all FF or big-endian; others are not"})
		}
	}
	return out
}

func (v *Vector) isAccepted() bool {
	e := v.Select(ids.Observed())
	return e != nil && e.Outcome == Accept
}

// isPlain reports whether bytes show more than one value, in the usual order.
func (v *Vector) isPlain() bool {
	all := func(b byte) bool { return bytes.Count(v.Bytes, []byte{b}) == len(v.Bytes) }
	return !all(0) && !all(0xFF) && v.Context["order"] != "big"
}

func lintVector(v *Vector) []Finding {
	var out []Finding
	want := func(ok bool, format string, args ...any) {
		if !ok {
			out = append(out, Finding{v.ID, fmt.Sprintf(format, args...)})
		}
	}
	if r, ok := spec.FindRetired(v.ID); ok {
		want(false, "the id is retired since %s and must not be used again", r.Since)
	}
	want(v.Comment != "", "the comment is missing: it says what the vector shows")
	want(v.Source != "", "the field source is missing: it says where bytes and verdict come from")
	structure, known := spec.FindStructure(v.Structure())
	want(known, "structure %s is not in the records", v.Structure())
	want(v.Structure() == structureOf(v.ID), "type %s is in the folder of %s", v.Type, structureOf(v.ID))
	want(len(v.Clauses) > 0, "the field clauses is missing")
	for _, id := range v.Clauses {
		_, ok := spec.FindClause(id)
		want(ok, "clause %s is not in the records", id)
	}
	for _, id := range v.Flags {
		_, ok := spec.FindFlag(id)
		want(ok, "flag %s is not in the records", id)
	}
	what := v.lintBasis()
	want(what == "", "%s", what)
	what = v.lintPermitted()
	want(what == "", "%s", what)
	for _, l := range v.Lines {
		want(l.Note != "", "the bytes at %d have no annotation", l.Offset)
		what := v.lintMark(l)
		want(what == "", "annotation %q of the bytes at %d: %s", l.Note, l.Offset, what)
	}
	out = append(out, v.lintValues()...)
	var named []ids.Profile // of the sections so far
	for i := range v.Expect {
		e := &v.Expect[i]
		want(e.Outcome != Reject || e.From >= 0 || v.EncodeOnly(), "section %s rejects without an offset", e.Profile)
		if known && len(structure.TruncatedFrom) > 0 && e.Outcome == Reject && e.From >= 0 &&
			slices.Contains(strings.Split(e.Class, "|"), "truncated") {
			want(slices.Contains(structure.TruncatedFrom, e.From),
				"section %s: truncated begins at byte %d; the clauses of %s permit an earlier offset, one of %v", e.Profile,
				e.From, structure.Name, structure.TruncatedFrom)
		}
		if e.Profile == ExpectAll {
			continue
		}
		q, _ := ids.ParseProfile(e.Profile) // the section has been parsed
		for _, p := range named {
			want(!v.agree(p, q), "sections %s and %s have the same sides of the vector's flags", p, e.Profile)
		}
		named = append(named, q)
	}
	want(len(named) == 0 || slices.ContainsFunc(v.Flags, switchable),
		"verdicts differ by profile, but the field flags names no switchable flag")
	return out
}

var (
	lengthWords = lazyregexp.New(`\b(?:len|length|count)\b[^0-9]*\b([0-9]+)\b|\b([0-9]+) (?:elements?|pairs?|fast names?|generations?|entries|rows)\b`)
	otherWords  = lazyregexp.New(`\bor\b`) // in an annotation with several readings of the bytes
	numbers     = lazyregexp.New(`\b[0-9]+\b`)
)

// lintMark returns the fault of a line's mark, or "". The marked number must be
// in the annotation. A mark must not be missing if the annotation names a length
// or count that the bytes contain; vectors that every profile rejects need no
// marks, because the judge derives nothing from their lines.
func (v *Vector) lintMark(l Line) string {
	value := func(width int) string { return strconv.FormatUint(v.Value(Line{Offset: l.Offset, Width: width}), 10) }
	if l.Mark != "" {
		if !slices.Contains(numbers().FindAllString(l.Note, -1), value(l.Width)) {
			return fmt.Sprintf("the marked field contains %s, which the annotation does not name", value(l.Width))
		}
		return ""
	}
	accepted := slices.ContainsFunc(v.Expect,
		func(e Expectation) bool { return e.Outcome == Accept || e.Outcome == Noncanonical })
	words := lengthWords().FindStringSubmatch(l.Note)
	if !accepted || words == nil || otherWords().MatchString(l.Note) {
		return ""
	}
	for _, width := range fieldWidths {
		if width <= l.Len && value(width) == words[1]+words[2] {
			return fmt.Sprintf("names a length or count: mark it with #%s or #%s", MarkLen, MarkCount)
		}
	}
	return ""
}

const number = `-?(?:inf|nan:[0-9a-f]+|0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)`

var (
	valueNote = lazyregexp.New(`^([A-Za-z]\w*(?:\.[A-Za-z]\w*)*): (` + number + `)$`)
	isNumber  = lazyregexp.New(`^` + number + `$`)
)

// lintValues compares annotations such as "normal.x: 0" with the trees of the
// vector. One tree must contain the number at this path.
func (v *Vector) lintValues() (out []Finding) {
	var trees []any // those of all sections
	for _, l := range v.Lines {
		m := valueNote().FindStringSubmatch(l.Note)
		if m == nil {
			continue
		}
		if trees == nil {
			for i := range v.Expect {
				var tree any
				if json.Unmarshal([]byte(v.Expect[i].Tree), &tree) == nil {
					trees = append(trees, tree)
				}
			}
		}
		var values []string
		for _, tree := range trees {
			values = append(values, numbersAt(tree, strings.Split(m[1], "."))...)
		}
		if len(values) > 0 && !slices.ContainsFunc(values, func(value string) bool { return sameNumber(value, m[2]) }) {
			what := fmt.Sprintf("annotation %q of the bytes at %d: the tree contains %s", l.Note, l.Offset, values[0])
			out = append(out, Finding{v.ID, what})
		}
	}
	return out
}

// numbersAt returns the number at a path of a tree. If there is none, it returns
// those at this path in each part of the tree: an annotation may omit the first
// step, such as "summary".
func numbersAt(tree any, path []string) (out []string) {
	at := func(tree any) {
		for _, name := range path {
			fields, _ := tree.(map[string]any)
			tree = fields[strings.ToLower(name[:1])+name[1:]]
		}
		if value, ok := tree.(string); ok && isNumber().MatchString(value) {
			out = append(out, value)
		}
	}
	if at(tree); out != nil {
		return out
	}
	switch t := tree.(type) {
	case []any:
		for _, part := range t {
			at(part)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(t)) {
			at(t[name])
		}
	}
	return out
}

// sameNumber reports whether two numbers are the same, in any form; 0 and -0 are
// not.
func sameNumber(a, b string) bool {
	x, isX := new(big.Rat).SetString(a)
	y, isY := new(big.Rat).SetString(b)
	return a == b || isX && isY && x.Cmp(y) == 0 && strings.HasPrefix(a, "-") == strings.HasPrefix(b, "-")
}

func switchable(id ids.Flag) bool {
	f, ok := spec.FindFlag(id)
	return ok && f.Switchable()
}

func lintFamily(f *spec.Family, vectors []*Vector) []Finding {
	var out []Finding
	want := func(ok bool, where, format string, args ...any) {
		if !ok {
			out = append(out, Finding{where, fmt.Sprintf(format, args...)})
		}
	}
	for _, c := range f.Clauses {
		want(c.Level != spec.Must ||
			slices.ContainsFunc(vectors, func(v *Vector) bool { return slices.Contains(v.Clauses, c.ID) }),
			string(c.ID), "this must clause has no vector")
	}
	for i := range f.Flags {
		fl := &f.Flags[i]
		for k, a := range fl.Sides {
			for _, b := range fl.Sides[:k] {
				want(ToldApart(fl, a.Name, b.Name, vectors), string(fl.ID),
					"no vector gives different verdicts for the sides %s and %s", b.Name, a.Name)
			}
		}
	}
	for _, s := range f.Structures {
		has := map[Outcome]bool{}
		for _, v := range vectors {
			if v.Structure() == s.Name {
				for _, e := range v.Expect {
					has[e.Outcome] = true
				}
			}
		}
		want(has[Accept], s.Name, "no vector has the verdict accept")
		want(has[Noncanonical] || s.OneSpelling != "", s.Name, "no vector has the verdict noncanonical; "+
			"if no input can be noncanonical, the key one-spelling of the record says why")
		want(has[Reject] || s.NeverRejects != "", s.Name, "no vector has the verdict reject; "+
			"if no input can be rejected, the key never-rejects of the record says why")
		want(!has[Noncanonical] || s.OneSpelling == "", s.Name,
			"a vector is noncanonical, but the key one-spelling of the record says that no input is")
	}
	return out
}

// ToldApart reports whether some vector gives different verdicts for two sides
// of a flag while the sides of all its other flags are the same.
func ToldApart(f *spec.Flag, side1, side2 string, vectors []*Vector) bool {
	for _, v := range vectors {
		if !slices.Contains(v.Flags, f.ID) {
			continue
		}
		for _, base := range v.profiles() {
			p, err1 := base.With(f.ID, side1)
			q, err2 := base.With(f.ID, side2)
			a, b := v.Select(p), v.Select(q)
			if err1 == nil && err2 == nil && a != nil && b != nil && a != b && !SameVerdict(a, b) {
				return true
			}
		}
	}
	return false
}

// profiles lists observed, documented and the profiles of the vector's sections.
func (v *Vector) profiles() []ids.Profile {
	out := []ids.Profile{ids.Observed(), ids.Documented()}
	for _, e := range v.Expect {
		if p, err := ids.ParseProfile(e.Profile); err == nil { // not of ExpectAll
			out = append(out, p)
		}
	}
	return out
}

// SameVerdict reports whether two expectations have the same verdict, tree and bytes.
func SameVerdict(a, b *Expectation) bool {
	return a.Outcome == b.Outcome && a.Tree == b.Tree && a.Class == b.Class &&
		a.From == b.From && a.To == b.To && string(a.Canonical) == string(b.Canonical) &&
		a.CanonicalClass == b.CanonicalClass
}
