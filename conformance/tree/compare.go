package tree

import (
	"fmt"
	"slices"
	"strings"
)

// A Difference is the first difference of two trees.
type Difference struct {
	Path string `json:"path,omitempty"`
	Want string `json:"expected,omitempty"` // the two parts in short form
	Got  string `json:"got,omitempty"`
}

// String returns the path, the expected and the found value.
func (d *Difference) String() string {
	where := d.Path
	if where == "" {
		where = "the value"
	}
	return fmt.Sprintf("%s: expected %s, got %s", where, d.Want, d.Got)
}

// Compare returns the first difference of got from want, or nil. Both have the
// form that schema.View.Project returns. Where want has nan without bits, as
// schema.View.Expected keeps it, got can have any NaN.
func Compare(want, got Node) *Difference {
	d := compare(want, got)
	if d != nil {
		d.Path = strings.TrimPrefix(d.Path, ".")
	}
	return d
}

func compare(want, got Node) *Difference {
	if want.Kind != got.Kind {
		return &Difference{Want: shortForm(want), Got: shortForm(got)}
	}
	switch want.Kind {
	case List:
		if len(want.Items) != len(got.Items) {
			return &Difference{Want: fmt.Sprintf("%d items", len(want.Items)), Got: fmt.Sprintf("%d items", len(got.Items))}
		}
		for i := range want.Items {
			if d := compare(want.Items[i], got.Items[i]); d != nil {
				d.Path = fmt.Sprintf("[%d]", i) + d.Path
				return d
			}
		}
	case Object:
		if !slices.Equal(want.Names, got.Names) {
			return &Difference{Want: "fields " + strings.Join(want.Names, ", "), Got: "fields " + strings.Join(got.Names, ", ")}
		}
		for i, name := range want.Names {
			if d := compare(want.Items[i], got.Items[i]); d != nil {
				d.Path = "." + name + d.Path
				return d
			}
		}
	default:
		anyNaN := want.Text == NaN && strings.HasPrefix(got.Text, NaNBits)
		if want.Text != got.Text && !anyNaN {
			a, b := fromDifference(want, got)
			return &Difference{Want: shortForm(a), Got: shortForm(b)}
		}
	}
	return nil
}

// Equal reports whether two trees are written alike: with the same fields in the
// same order, and the same texts.
func Equal(a, b Node) bool {
	return a.Kind == b.Kind && a.Text == b.Text && slices.Equal(a.Names, b.Names) &&
		slices.EqualFunc(a.Items, b.Items, Equal)
}

const shortLength = 80

// fromDifference omits most of a start that two texts have in common, if the short
// forms would not show the difference otherwise.
func fromDifference(a, b Node) (Node, Node) {
	const kept = 16
	n := 0
	for n < min(len(a.Text), len(b.Text)) && a.Text[n] == b.Text[n] {
		n++
	}
	if a.Kind != Text || n < shortLength-kept {
		return a, b
	}
	from := n - kept
	after := func(n Node) Node { return text("…" + strings.ToValidUTF8(n.Text[from:], "")) }
	return after(a), after(b)
}

func shortForm(n Node) string {
	s := n.String()
	if len(s) > shortLength {
		return strings.ToValidUTF8(s[:shortLength], "") + "..." // does not end within a character
	}
	return s
}
