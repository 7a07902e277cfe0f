package corpus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Decider is a clause, or a side of a flag, that decides the verdict of a
// vector.
type Decider struct {
	Clause  ids.Clause // empty for a side
	Flag    ids.Flag
	Side    string
	Section string // the profile of the section that it decides; empty for all without one of their own
}

// String returns the clause, or flag=side.
func (d Decider) String() string {
	if d.Clause != "" {
		return string(d.Clause)
	}
	return string(d.Flag) + "=" + d.Side
}

// parseDecider reads the id of a clause, or flag=side.
func parseDecider(s string) (Decider, error) {
	id, side, isSide := strings.Cut(strings.TrimSpace(s), "=")
	if !isSide {
		if _, ok := spec.FindClause(ids.Clause(id)); !ok {
			return Decider{}, fmt.Errorf("decided: %q is neither a clause nor flag=side", s)
		}
		return Decider{Clause: ids.Clause(id)}, nil
	}
	f, _ := spec.FindFlag(ids.Flag(id))
	if _, ok := f.Side(side); !ok {
		return Decider{}, fmt.Errorf("decided: %q is no side of a flag", s)
	}
	return Decider{Flag: ids.Flag(id), Side: side}, nil
}

// basisOf returns the basis of a decider under a profile. It is empty if the
// profile has another side, or one under which the clause does not apply.
func (v *Vector) basisOf(d Decider, p ids.Profile) spec.Basis {
	if d.Clause != "" {
		if c, ok := v.lookup().Clause(d.Clause); ok && c.Level != spec.Info && c.Applies(p) {
			return c.Basis
		}
		return ""
	}
	if p.Side(d.Flag) != d.Side {
		return ""
	}
	f, _ := v.lookup().Flag(d.Flag)
	side, _ := f.Side(d.Side)
	return side.Basis
}

// Writing is the section of the field decided that says what decides to which
// bytes the value of a vector encodes, if that is a choice but its reading is
// none.
const Writing = "canonical"

// DecidedIn returns what the field decided says of a section, or of all
// sections if it is empty.
func (v *Vector) DecidedIn(section string) (out []Decider) {
	for _, d := range v.Decided {
		if d.Section == section {
			out = append(out, d)
		}
	}
	return out
}

// A Demand says which deciders demand a verdict on one basis.
type Demand struct {
	Basis spec.Basis
	By    []Decider
}

// String returns the basis, followed by the deciders in parentheses.
func (d Demand) String() string {
	by := make([]string, len(d.By))
	for i, x := range d.By {
		by[i] = x.String()
	}
	return strings.TrimSuffix(fmt.Sprintf("%s (%s)", d.Basis, strings.Join(by, ", ")), " ()")
}

// demands lists what decides the verdict of a vector under a profile by its basis, the
// strongest first. Without the field decided, all cited clauses and the sides of all cited
// flags decide. If none of them applies, the document does.
func (v *Vector) demands(p ids.Profile) []Demand {
	var own, cited []Decider
	if e := v.Select(p); e != nil {
		own = v.DecidedIn(e.Profile)
	}
	for _, id := range v.Clauses {
		cited = append(cited, Decider{Clause: id})
	}
	for _, id := range v.Flags {
		cited = append(cited, Decider{Flag: id, Side: p.Side(id)})
	}
	for _, deciders := range [][]Decider{own, v.DecidedIn(""), cited} {
		if out := v.byBasis(deciders, p); out != nil {
			return out
		}
	}
	return []Demand{{Basis: spec.Document}}
}

func (v *Vector) byBasis(deciders []Decider, p ids.Profile) (out []Demand) {
	by := map[spec.Basis][]Decider{}
	for _, d := range deciders {
		b := v.basisOf(d, p)
		by[b] = append(by[b], d)
	}
	for _, b := range spec.Bases {
		if by[b] != nil {
			out = append(out, Demand{b, by[b]})
		}
	}
	return out
}

// Basis says who demands the verdict of a vector under a profile: the strongest
// basis of what decides it. A verdict that is a [spec.Choice] cannot fail an
// implementation.
func (v *Vector) Basis(p ids.Profile) spec.Basis { return v.demands(p)[0].Basis }

// Choices lists the choices of this reference that decide the verdict of a
// vector under a profile. It is empty if something stronger decides.
func (v *Vector) Choices(p ids.Profile) []Decider {
	if strongest := v.demands(p)[0]; strongest.Basis == spec.Choice {
		return strongest.By
	}
	return nil
}

// Reason returns why this reference made a choice, and what the choice leaves open;
// both are empty for another basis.
func (v *Vector) Reason(d Decider) (string, spec.Open) {
	if c, ok := v.lookup().Clause(d.Clause); ok {
		return c.Reason, c.Open
	}
	f, _ := v.lookup().Flag(d.Flag)
	side, _ := f.Side(d.Side)
	return side.Reason, side.Open
}

// Open returns what a choice leaves open at this vector. If every section rejects, it leaves no
// part of a value open. If there is one section, there is no other side. If the vector states a
// permitted answer, that is the only one in place of any.
func (v *Vector) Open(d Decider) spec.Open {
	_, open := v.Reason(d)
	rejected := !slices.ContainsFunc(v.Expect, func(e Expectation) bool { return e.Outcome != Reject })
	var out []string
	for bound := range strings.SplitSeq(string(open), ", ") {
		switch {
		case rejected && (strings.Contains(bound, ": ") || bound == spec.Charset),
			bound == spec.OtherSide && len(v.Expect) == 1:
			continue
		case bound == spec.Unstated && v.Permitted != nil:
			bound = spec.Stated
		}
		if !slices.Contains(out, bound) {
			out = append(out, bound)
		}
	}
	return spec.Open(strings.Join(out, ", "))
}

// lintBasis asks for the field decided where a choice is cited beside something
// that is none: the verdict cannot be attributed otherwise.
func (v *Vector) lintBasis() string {
	for _, p := range v.profiles() {
		if demands := v.demands(p); len(demands) > 1 && demands[len(demands)-1].Basis == spec.Choice {
			return fmt.Sprintf("under %s a choice and another basis are cited: the field decided must say which of them decides", p)
		}
		for _, d := range v.DecidedIn(Writing) {
			if v.basisOf(d, p) != spec.Choice {
				return fmt.Sprintf("decided %s: %s is no choice under %s", Writing, d, p)
			}
		}
	}
	return ""
}

// ProfileOf returns a profile under which a section applies: its own, and for [ExpectAll]
// observed if the section applies there, otherwise documented.
func (v *Vector) ProfileOf(e *Expectation) ids.Profile {
	switch p, err := ids.ParseProfile(e.Profile); {
	case err == nil:
		return p
	case v.Select(ids.Observed()) == e:
		return ids.Observed()
	}
	return ids.Documented()
}

// Demands lists what decides a section by its basis, the strongest first, under the profile
// that [Vector.ProfileOf] returns. If nothing that is cited decides, the document does.
func (v *Vector) Demands(e *Expectation) []Demand { return v.demands(v.ProfileOf(e)) }

// lintPermitted compares the answers that a vector permits with what its choices leave open.
func (v *Vector) lintPermitted() string {
	used := false
	for i := range v.Expect {
		e := &v.Expect[i]
		for _, class := range strings.Split(cmp.Or(e.Class, e.CanonicalClass), "|") {
			used = used || class == "limit" || class == "unsupported"
		}
	}
	for _, p := range v.profiles() {
		for _, d := range v.Choices(p) {
			_, open := v.Reason(d)
			used = used || open.Leaves(spec.Stated) || open.Leaves(spec.Unstated)
			if e := v.Select(p); e != nil && e.Outcome == Reject && open.Leaves(spec.Stated) && v.Permitted == nil {
				return fmt.Sprintf("%s leaves acceptance open: a section permitted must state the answer", d)
			}
			if open == "" && (d.Flag == "" || !p.Departs(d.Flag)) {
				return fmt.Sprintf("%s decides under %s and leaves nothing open", d, p)
			}
		}
	}
	if v.Permitted != nil && !used {
		return "a section permitted, but no choice and no limit leaves acceptance open"
	}
	return ""
}

// lintOpen returns the choices of a family that say what they leave open, but decide no vector.
func lintOpen(f *spec.Family, vectors []*Vector) []Finding {
	decides := map[string]bool{}
	for _, v := range vectors {
		for _, p := range v.profiles() {
			for _, d := range append(v.Choices(p), v.DecidedIn(Writing)...) {
				decides[d.String()] = decides[d.String()] || d.Flag == "" || !p.Departs(d.Flag)
			}
		}
	}
	var out []Finding
	add := func(id string, open spec.Open) {
		if open != "" && !decides[id] {
			out = append(out, Finding{id, "it decides no vector, so nothing is left open: remove open"})
		}
	}
	for i := range f.Clauses {
		add(string(f.Clauses[i].ID), f.Clauses[i].Open)
	}
	for i := range f.Flags {
		for _, s := range f.Flags[i].Sides {
			add(string(f.Flags[i].ID)+"="+s.Name, s.Open)
		}
	}
	return out
}
