package corpus

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Finding is something that the lint asks to mend.
type Finding struct {
	Where string // a vector, clause, flag or structure
	What  string
}

func (f Finding) String() string { return f.Where + ": " + f.What }

// Lint checks the vectors one by one, and then what they prove together: each
// must clause has a vector, each switchable flag has vectors that tell its
// sides apart, each structure has accepting, noncanonical and rejecting ones.
func Lint(vectors []*Vector) []Finding {
	var out []Finding
	for _, v := range vectors {
		out = append(out, lintVector(v)...)
	}
	for _, f := range spec.Families() {
		out = append(out, lintFamily(f, vectors)...)
	}
	return out
}

func lintVector(v *Vector) []Finding {
	var out []Finding
	bad := func(format string, args ...any) {
		out = append(out, Finding{v.ID, fmt.Sprintf(format, args...)})
	}
	if r, ok := spec.FindRetired(v.ID); ok {
		bad("the id is retired since %s and must not be used again", r.Since)
	}
	if v.Comment == "" {
		bad("the comment does not say what is shown")
	}
	if v.Source == "" {
		bad("the source of bytes and verdict is missing")
	}
	if _, ok := spec.FindStructure(v.Structure()); !ok {
		bad("no structure %s in the records", v.Structure())
	}
	if want := strings.Replace(strings.Join(strings.Split(v.ID, "/")[:2], "/"), "/", ".", 1); v.Structure() != want {
		bad("type %s stands in the folder of %s", v.Type, want)
	}
	if len(v.Clauses) == 0 {
		bad("names no clause")
	}
	for _, id := range v.Clauses {
		if _, ok := spec.FindClause(id); !ok {
			bad("no clause %s", id)
		}
	}
	for _, id := range v.Flags {
		if _, ok := spec.FindFlag(id); !ok {
			bad("no flag %s", id)
		}
	}
	for _, l := range v.Lines {
		if l.Note == "" {
			bad("bytes at %d are not annotated", l.Offset)
		}
		if what := v.lintMark(l); what != "" {
			bad("annotation %q of the bytes at %d: %s", l.Note, l.Offset, what)
		}
	}
	named := 0
	for i := range v.Expect {
		e := &v.Expect[i]
		if e.Outcome == Reject && e.From < 0 && !v.EncodeOnly() {
			bad("-- %s -- rejects without an offset", e.Profile)
		}
		if e.Profile == ExpectAll {
			continue
		}
		named++
		q, err := ids.ParseProfile(e.Profile)
		if err != nil {
			bad("%v", err)
			continue
		}
		for j := range v.Expect[:i] {
			if other := &v.Expect[j]; other.Profile != ExpectAll {
				if p, err := ids.ParseProfile(other.Profile); err == nil && v.agree(p, q) {
					bad("-- %s -- and -- %s -- stand for the same sides of its flags", other.Profile, e.Profile)
				}
			}
		}
	}
	if named > 0 && !slices.ContainsFunc(v.Flags, switchable) {
		bad("verdicts differ by profile, yet no switchable flag is named")
	}
	return out
}

var (
	lengthWords = regexp.MustCompile(`\b(?:len|length|count)\b[^0-9]*\b([0-9]+)\b|\b([0-9]+) (?:elements?|pairs?|fast names?|generations?|entries|rows)\b`)
	otherWords  = regexp.MustCompile(`\bor\b`) // the annotation gives several readings of its bytes
	numbers     = regexp.MustCompile(`\b[0-9]+\b`)
)

// lintMark says what is wrong with the mark of a line: it marks a number that
// the annotation does not name, or it is missing where the words name a length
// or a count that the bytes contain. Lines without consequences, those of
// vectors that every profile rejects, need no mark.
func (v *Vector) lintMark(l Line) string {
	value := func(width int) string { return strconv.FormatUint(v.number(l.Offset, width), 10) }
	if l.Mark != "" {
		if !slices.Contains(numbers.FindAllString(l.Note, -1), value(l.Width)) {
			return fmt.Sprintf("the marked field contains %s, which the annotation does not name", value(l.Width))
		}
		return ""
	}
	accepted := slices.ContainsFunc(v.Expect, func(e Expectation) bool { return e.Outcome == Accept || e.Outcome == Noncanonical })
	words := lengthWords.FindStringSubmatch(l.Note)
	if !accepted || words == nil || otherWords.MatchString(l.Note) {
		return ""
	}
	for _, width := range fieldWidths {
		if width <= l.Len && value(width) == words[1]+words[2] {
			return fmt.Sprintf("names a length or count: mark it with #%s or #%s", MarkLen, MarkCount)
		}
	}
	return ""
}

func switchable(id ids.Flag) bool {
	f, ok := spec.FindFlag(id)
	return ok && f.Switchable()
}

func lintFamily(f *spec.Family, vectors []*Vector) []Finding {
	var out []Finding
	for _, c := range f.Clauses {
		if c.Level == spec.Must && !slices.ContainsFunc(vectors, func(v *Vector) bool { return slices.Contains(v.Clauses, c.ID) }) {
			out = append(out, Finding{string(c.ID), "a must clause without a vector"})
		}
	}
	for i := range f.Flags {
		fl := &f.Flags[i]
		for a := range fl.Sides {
			for b := range a {
				if !ToldApart(fl, fl.Sides[a].Name, fl.Sides[b].Name, vectors) {
					out = append(out, Finding{string(fl.ID), fmt.Sprintf("no vector tells %s from %s", fl.Sides[b].Name, fl.Sides[a].Name)})
				}
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
		for _, o := range []Outcome{Accept, Noncanonical, Reject} {
			excused := o == Noncanonical && s.OneSpelling != "" || o == Reject && s.NeverRejects != ""
			if !has[o] && !excused {
				out = append(out, Finding{s.Name, "has no vector with the verdict " + string(o)})
			}
			if has[o] && excused && o == Noncanonical {
				out = append(out, Finding{s.Name, "has a noncanonical vector, yet its record says there can be none"})
			}
		}
	}
	return out
}

// ToldApart reports whether some vector gives different verdicts on two sides
// of a flag while all its other flags stay where they are.
func ToldApart(f *spec.Flag, side1, side2 string, vectors []*Vector) bool {
	for _, v := range vectors {
		if !slices.Contains(v.Flags, f.ID) {
			continue
		}
		for _, base := range v.profiles() {
			p, err1 := base.With(f.ID, side1)
			q, err2 := base.With(f.ID, side2)
			if err1 != nil || err2 != nil {
				continue
			}
			a, b := v.Select(p), v.Select(q)
			if a != nil && b != nil && a != b && !SameVerdict(a, b) {
				return true
			}
		}
	}
	return false
}

// profiles lists the profiles that the vector's sections name.
func (v *Vector) profiles() []ids.Profile {
	out := []ids.Profile{ids.Observed(), ids.Documented()}
	for _, e := range v.Expect {
		if e.Profile == ExpectAll {
			continue
		}
		if p, err := ids.ParseProfile(e.Profile); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// SameVerdict reports whether two expectations ask for the same.
func SameVerdict(a, b *Expectation) bool {
	return a.Outcome == b.Outcome && a.Tree == b.Tree && a.Class == b.Class &&
		a.From == b.From && a.To == b.To && string(a.Canonical) == string(b.Canonical) && a.CanonicalClass == b.CanonicalClass
}
