package ids

import (
	"fmt"
	"slices"
	"strings"
)

// Names of the two sides that profiles are made of.
const (
	SideDocumented = "documented"
	SideObserved   = "observed"
)

// resolve returns the name of a side of a flag. A flag on which real files
// follow the document has no side named observed: its documented side then has
// both names.
func resolve(id Flag, side string) (string, bool) {
	sides := sidesOf[id]
	if slices.Contains(sides, side) {
		return side, true
	}
	if side == SideObserved && slices.Contains(sides, SideDocumented) {
		return SideDocumented, true
	}
	return "", false
}

// Sides returns the names of the sides of each flag of a family that has sides.
// Callers must not change them.
func Sides(family string) map[Flag][]string {
	out := map[Flag][]string{}
	for id, sides := range sidesOf {
		if strings.HasPrefix(string(id), family+".") && len(sides) > 0 {
			out[id] = sides
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
	sides, ok := sidesOf[id]
	if !ok {
		return p, fmt.Errorf("flag %q does not exist", id)
	}
	if len(sides) == 0 {
		return p, fmt.Errorf("flag %s has no sides: it changes no bytes", id)
	}
	name, ok := resolve(id, side)
	if !ok {
		return p, fmt.Errorf("flag %s has no side %q: expected %s", id, side, strings.Join(sides, ", "))
	}
	ex := make(map[Flag]string, len(p.exceptions)+1)
	for k, v := range p.exceptions {
		ex[k] = v
	}
	ex[id] = name
	if base, _ := resolve(id, p.Base()); base == name {
		delete(ex, id)
	}
	return Profile{documented: p.documented, exceptions: ex}, nil
}

// WithSides returns the profile with exceptions, each in the form flag=side.
func (p Profile) WithSides(sides []string) (Profile, error) {
	for _, s := range sides {
		id, side, ok := strings.Cut(s, "=")
		if !ok {
			return p, fmt.Errorf("%q is not flag=side", s)
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
	side, _ := resolve(id, p.Base())
	return side
}

// Departs reports whether a flag is an exception: its side is not that of the base.
func (p Profile) Departs(id Flag) bool {
	_, ok := p.exceptions[id]
	return ok
}

// Takes reports whether the profile selects the named side of a flag. At a flag
// without a side named observed, this name means documented.
func (p Profile) Takes(id Flag, side string) bool {
	name, ok := resolve(id, side)
	return ok && name == p.Side(id)
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
