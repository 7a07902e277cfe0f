package ids

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Names of the two profiles, and of sides: a document demands the side documented,
// and engines or real files show the side observed. Not every flag has both.
const (
	SideDocumented = "documented"
	SideObserved   = "observed"
)

// A flag is what codecs need of a flag: the sides that the two profiles take, and all
// sides. It has none if it changes no bytes.
type flag struct {
	documented, observed string
	sides                []string
}

// Sides returns the names of the sides of each flag of a family that has sides.
// Callers must not change them.
func Sides(family string) map[Flag][]string {
	out := map[Flag][]string{}
	for id, f := range flags {
		if strings.HasPrefix(string(id), family+".") && len(f.sides) > 0 {
			out[id] = f.sides
		}
	}
	return out
}

// A Profile selects a side for every switchable flag: a base, documented or
// observed, and exceptions from it. The zero value is the observed profile,
// which reads real files.
type Profile struct {
	documented bool
	exceptions map[Flag]string
}

// Documented is the profile that follows the documents literally.
func Documented() Profile { return Profile{documented: true} }

// Observed is the profile of engines and real files.
func Observed() Profile { return Profile{} }

// With returns the profile with one flag on another side. The flag must be
// switchable and have that side.
func (p Profile) With(id Flag, side string) (Profile, error) {
	f, ok := flags[id]
	if !ok {
		return p, fmt.Errorf("flag %q does not exist", id)
	}
	if len(f.sides) == 0 {
		return p, fmt.Errorf("flag %s has no sides: it changes no bytes", id)
	}
	if !slices.Contains(f.sides, side) {
		return p, fmt.Errorf("flag %s has no side %q: expected %s", id, side, strings.Join(f.sides, ", "))
	}
	ex := map[Flag]string{}
	maps.Copy(ex, p.exceptions)
	ex[id] = side
	if (Profile{documented: p.documented}).Side(id) == side {
		delete(ex, id)
	}
	return Profile{documented: p.documented, exceptions: ex}, nil
}

// WithSides returns the profile with exceptions, each in the form flag=side.
func (p Profile) WithSides(sides []string) (Profile, error) {
	for _, s := range sides {
		id, side, ok := strings.Cut(s, "=")
		if !ok {
			return p, fmt.Errorf("%q is not flag=side, such as upkg.ci-minus-zero=strict", s)
		}
		var err error
		if p, err = p.With(Flag(strings.TrimSpace(id)), strings.TrimSpace(side)); err != nil {
			return p, err
		}
	}
	return p, nil
}

// Base returns the name of the profile without the exceptions.
func (p Profile) Base() string {
	if p.documented {
		return SideDocumented
	}
	return SideObserved
}

// Side returns the name of the selected side of a switchable flag, and "" for
// any other id.
func (p Profile) Side(id Flag) string {
	if s, ok := p.exceptions[id]; ok {
		return s
	}
	if p.documented {
		return flags[id].documented
	}
	return flags[id].observed
}

// Departs reports whether a flag is an exception: its side is not that of the base.
func (p Profile) Departs(id Flag) bool {
	_, ok := p.exceptions[id]
	return ok
}

// Takes reports whether the profile selects the named side of a flag.
func (p Profile) Takes(id Flag, side string) bool { return p.Side(id) == side }

// A Rule gives sides a meaning, by name. The zero value is that of all others.
type Rule[T any] map[string]T

// Of returns the meaning of the side that the profile selects. It panics if the flag does
// not have one of the sides.
func (r Rule[T]) Of(p Profile, id Flag) T {
	for side := range r {
		if !slices.Contains(flags[id].sides, side) {
			panic(fmt.Sprintf("flag %s has no side %q", id, side))
		}
	}
	return r[p.Side(id)]
}

// String gives the form that [ParseProfile] reads: the base, then the
// exceptions by flag id, such as "observed,upkg.ci-range=documented".
func (p Profile) String() string {
	parts := make([]string, 0, len(p.exceptions))
	for id, side := range p.exceptions {
		parts = append(parts, string(id)+"="+side)
	}
	slices.Sort(parts)
	return strings.Join(append([]string{p.Base()}, parts...), ",")
}

// ParseProfile reads a comma-separated list: documented or observed, which is the
// default and can be omitted, then exceptions in the form flag=side.
func ParseProfile(s string) (Profile, error) {
	parts := strings.Split(s, ",")
	var p Profile
	switch first := strings.TrimSpace(parts[0]); {
	case first == SideDocumented:
		p.documented = true
	case first != SideObserved && first != "" && !strings.Contains(first, "="):
		return p, fmt.Errorf("%q is neither a profile (documented, observed) nor flag=side", first)
	case strings.Contains(first, "="):
		return p.WithSides(parts)
	}
	return p.WithSides(parts[1:])
}
