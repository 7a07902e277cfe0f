package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A View is a kind of information that the values of an implementation may not
// contain. An implementation declares views; the judge applies their projections
// to the expected tree and to the tree in the answer before it compares them. A view is
// data: one function applies projections to any tree, and no package has code for a view.
type View struct {
	ID      string `toml:"id"`      // such as ka.texts
	Meaning string `toml:"meaning"` // what the values of the implementation do not contain
	// Projections are the lines that [ParseProjection] parses.
	Projections []string `toml:"projections"`
}

// ProjectionKind is the kind of a projection. The set is closed.
type ProjectionKind string

const (
	// Drop: a field is not kept.
	Drop ProjectionKind = "drop"
	// End: a field is not read, so the end of what contains it is not known either.
	End ProjectionKind = "end"
	// Map: a list is kept as a map. The order of its elements is lost, and of the
	// elements with the same key only the last one is kept.
	Map ProjectionKind = "map"
	// Sort: the order of the elements of a list is not kept.
	Sort ProjectionKind = "sort"
	// Fold: upper and lower case are not told apart in a text.
	Fold ProjectionKind = "fold"
	// NaN: the bits of a NaN are not kept, in any float.
	NaN ProjectionKind = "nan"
)

// A Projection removes one kind of information from a tree.
type Projection struct {
	Kind ProjectionKind
	// Field is the field of a model with the name of its type, both as trees and
	// types name them: ka.Archive.fastNames. Empty for NaN.
	Field string
	// By is the path of the key within an element; only for Map and Sort.
	By []string
}

// ParseProjection parses one of these lines:
//
//	drop TYPE.FIELD
//	end TYPE.FIELD
//	fold TYPE.FIELD
//	map TYPE.FIELD by PATH
//	sort TYPE.FIELD by PATH
//	nan
func ParseProjection(line string) (Projection, error) {
	words := strings.Fields(line)
	switch {
	case line == string(NaN):
		return Projection{Kind: NaN}, nil
	case len(words) == 2 && slices.Contains([]ProjectionKind{Drop, End, Fold}, ProjectionKind(words[0])) && isField(words[1]):
		return Projection{Kind: ProjectionKind(words[0]), Field: words[1]}, nil
	case len(words) == 4 && (words[0] == string(Map) || words[0] == string(Sort)) && isField(words[1]) &&
		words[2] == "by":
		return Projection{Kind: ProjectionKind(words[0]), Field: words[1], By: strings.Split(words[3], ".")}, nil
	}
	return Projection{}, fmt.Errorf("expected drop, end or fold TYPE.FIELD, map or sort TYPE.FIELD by PATH, or nan, found %q",
		line)
}

// isField reports whether a name has the form family.Type.field.
func isField(name string) bool {
	parts := strings.Split(name, ".")
	return len(parts) == 3 && !slices.Contains(parts, "")
}

// Views lists all views in the order of the records. They are shared: callers
// must not change them.
func Views() []*View { return embedded.views() }

// ViewIDs lists the ids of all views in the order of the records.
func ViewIDs() (out []string) {
	for _, v := range Views() {
		out = append(out, v.ID)
	}
	return out
}

// FindView finds a view by its id.
func FindView(id string) (*View, bool) {
	i := slices.IndexFunc(Views(), func(v *View) bool { return v.ID == id })
	if i < 0 {
		return nil, false
	}
	return Views()[i], true
}

// CheckViews returns an error that names the known views if an id is unknown.
func CheckViews(list []string) error {
	for _, id := range list {
		if _, ok := FindView(id); !ok {
			return fmt.Errorf("unknown view %q; the views are %s", id, strings.Join(ViewIDs(), ", "))
		}
	}
	return nil
}

// MergeViews returns the views of both lists, without repetitions, in the order
// of the records. Unknown ones follow.
func MergeViews(a, b []string) []string {
	all := slices.Concat(a, b)
	var out []string
	for _, id := range append(ViewIDs(), all...) {
		if slices.Contains(all, id) && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// InViews returns " in the view ka.texts", or the same for several views, or "".
func InViews(list []string) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return " in the view " + list[0]
	}
	return " in the views " + strings.Join(list, ", ")
}

// checkViews checks the views. That no id is in use otherwise is checked by a test.
func checkViews(views []*View) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	seen := map[string]bool{}
	for _, v := range views {
		family, name, _ := strings.Cut(v.ID, ".")
		if family == "" || name == "" || seen[v.ID] {
			bad("view %q: not of the form SUBJECT.NAME, or listed twice", v.ID)
		}
		seen[v.ID] = true
		if v.Meaning == "" || len(v.Projections) == 0 {
			bad("view %s: meaning and projections are required", v.ID)
		}
		for i, line := range v.Projections {
			if _, err := ParseProjection(line); err != nil {
				bad("view %s: %v", v.ID, err)
			}
			if slices.Contains(v.Projections[:i], line) {
				bad("view %s: %q is listed twice", v.ID, line)
			}
		}
	}
	return errors.Join(errs...)
}
