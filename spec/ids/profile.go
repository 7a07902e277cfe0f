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

// SidesOf returns the names of the sides of a flag, in the order of the
// records: none if the flag is not switchable or does not exist. The slice is
// shared: callers must not change it.
func SidesOf(id Flag) []string { return sidesOf[id] }

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

// A Profile chooses a side for every switchable flag: a base, documented or
// observed, and exceptions from it. The zero value is the observed profile,
// which reads real files.
type Profile struct {
	documented bool
	exceptions map[Flag]string
}

// Documented is the profile that takes the documents at their word.
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

// WithSides returns the profile with each flag=side of a list taken.
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

// Base returns the name of the profile that the exceptions depart from.
func (p Profile) Base() string {
	if p.documented {
		return SideDocumented
	}
	return SideObserved
}

// Side returns the name of the side taken at a switchable flag, and "" for
// any other id.
func (p Profile) Side(id Flag) string {
	if s, ok := p.exceptions[id]; ok {
		return s
	}
	side, _ := resolve(id, p.Base())
	return side
}

// Takes reports whether the profile takes the named side at a flag, where
// observed stands for documented at a flag without an observed side.
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

// ParseProfile reads a comma-separated list: optionally documented or
// observed first (observed if left out), then flag=side exceptions.
func ParseProfile(s string) (Profile, error) {
	var p Profile
	for i, part := range strings.Split(s, ",") {
		part = strings.TrimSpace(part)
		id, side, isFlag := strings.Cut(part, "=")
		switch {
		case isFlag:
			var err error
			if p, err = p.With(Flag(id), side); err != nil {
				return p, err
			}
		case i == 0 && part == SideDocumented:
			p.documented = true
		case i == 0 && (part == SideObserved || part == ""):
		default:
			return p, fmt.Errorf("%q is neither a profile (documented, observed) nor flag=side", part)
		}
	}
	return p, nil
}
