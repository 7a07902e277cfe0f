package spec

import (
	"fmt"
	"slices"
	"strings"
)

// A Profile chooses a side for every switchable flag: a base, documented or
// observed, and exceptions from it. The zero value is the observed profile,
// which reads real files.
type Profile struct {
	documented bool
	exceptions map[FlagID]string
}

// Documented is the profile that takes the documents at their word.
func Documented() Profile { return Profile{documented: true} }

// Observed is the profile of engines and real files.
func Observed() Profile { return Profile{} }

// With returns the profile with one flag on another side. The flag must be
// switchable and have that side.
func (p Profile) With(id FlagID, side string) (Profile, error) {
	f, ok := FindFlag(id)
	if !ok {
		return p, fmt.Errorf("spec: no flag %q", id)
	}
	if !f.Switchable() {
		return p, fmt.Errorf("spec: flag %s has no sides: the bytes come out the same", id)
	}
	s, ok := f.Side(side)
	if !ok {
		var names []string
		for _, s := range f.Sides {
			names = append(names, s.Name)
		}
		return p, fmt.Errorf("spec: flag %s has no side %q, only %s", id, side, strings.Join(names, ", "))
	}
	ex := make(map[FlagID]string, len(p.exceptions)+1)
	for k, v := range p.exceptions {
		ex[k] = v
	}
	ex[id] = s.Name
	if base, _ := f.Side(p.Base()); base.Name == s.Name {
		delete(ex, id)
	}
	return Profile{documented: p.documented, exceptions: ex}, nil
}

// Departures lists the profiles that leave the documented or the observed one
// at a single flag of the family, in the order of the records.
func (f *Family) Departures() []Profile {
	var out []Profile
	for i := range f.Flags {
		for _, side := range f.Flags[i].Sides {
			for _, base := range []Profile{Documented(), Observed()} {
				if p, err := base.With(f.Flags[i].ID, side.Name); err == nil && len(p.exceptions) > 0 {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// WithSides returns the profile with each flag=side of a list taken.
func (p Profile) WithSides(sides []string) (Profile, error) {
	for _, s := range sides {
		id, side, ok := strings.Cut(s, "=")
		if !ok {
			return p, fmt.Errorf("spec: %q is not flag=side", s)
		}
		var err error
		if p, err = p.With(FlagID(strings.TrimSpace(id)), strings.TrimSpace(side)); err != nil {
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
func (p Profile) Side(id FlagID) string {
	if s, ok := p.exceptions[id]; ok {
		return s
	}
	f, ok := FindFlag(id)
	if !ok {
		return ""
	}
	s, _ := f.Side(p.Base())
	return s.Name
}

// Takes reports whether the profile takes the named side at a flag, where
// observed stands for documented at a flag without an observed side.
func (p Profile) Takes(id FlagID, side string) bool {
	f, ok := FindFlag(id)
	if !ok {
		return false
	}
	s, ok := f.Side(side)
	return ok && s.Name == p.Side(id)
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
			if p, err = p.With(FlagID(id), side); err != nil {
				return p, err
			}
		case i == 0 && part == SideDocumented:
			p.documented = true
		case i == 0 && (part == SideObserved || part == ""):
		default:
			return p, fmt.Errorf("spec: %q is neither a profile (documented, observed) nor flag=side", part)
		}
	}
	return p, nil
}
