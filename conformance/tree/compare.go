package tree

import (
	"fmt"
	"strings"
)

// A Difference is the first difference of two trees.
type Difference struct {
	Path      string
	Want, Got string // the two parts in short form
}

func (d *Difference) String() string {
	where := d.Path
	if where == "" {
		where = "the value"
	}
	return fmt.Sprintf("%s: expected %s, got %s", where, d.Want, d.Got)
}

// Compare returns the first difference of got from want, or nil. Both have the
// form that [View.Project] returns. Where want has nan without bits, as
// [View.Expected] keeps it, got can have any NaN.
func Compare(want, got Node) *Difference { return compare(want, got, "") }

func compare(want, got Node, path string) *Difference {
	difference := &Difference{Path: path, Want: shortForm(want), Got: shortForm(got)}
	if want.Kind != got.Kind {
		return difference
	}
	switch want.Kind {
	case List:
		if len(want.Items) != len(got.Items) {
			difference.Want, difference.Got = fmt.Sprintf("%d items", len(want.Items)), fmt.Sprintf("%d items", len(got.Items))
			return difference
		}
		for i := range want.Items {
			if d := compare(want.Items[i], got.Items[i], fmt.Sprintf("%s[%d]", path, i)); d != nil {
				return d
			}
		}
	case Object:
		if strings.Join(want.Names, " ") != strings.Join(got.Names, " ") {
			difference.Want, difference.Got = "fields "+strings.Join(want.Names, ", "), "fields "+strings.Join(got.Names, ", ")
			return difference
		}
		for i, name := range want.Names {
			if d := compare(want.Items[i], got.Items[i], strings.TrimPrefix(path+"."+name, ".")); d != nil {
				return d
			}
		}
	default:
		anyNaN := want.Text == nan && strings.HasPrefix(got.Text, nanBits)
		if want.Text != got.Text && !anyNaN {
			return difference
		}
	}
	return nil
}

const shortLength = 80

func shortForm(n Node) string {
	s := n.String()
	if len(s) > shortLength {
		return strings.ToValidUTF8(s[:shortLength], "") + "..." // does not end within a character
	}
	return s
}
