package tree

import (
	"fmt"
	"strings"
)

// A Difference is the first place where two trees part.
type Difference struct {
	Path      string
	Want, Got string // short forms of the two parts
}

func (d *Difference) String() string {
	where := d.Path
	if where == "" {
		where = "the value"
	}
	return fmt.Sprintf("%s is %s, want %s", where, d.Got, d.Want)
}

// Compare returns where got parts from want, or nil. Both are in the form
// that [FromModel] gives. raw is want as somebody wrote it: where it says nan
// without bits, any NaN will do.
func Compare(raw, want, got Node) *Difference { return compare(raw, want, got, "") }

func compare(raw, want, got Node, path string) *Difference {
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
			var r Node
			if i < len(raw.Items) {
				r = raw.Items[i]
			}
			if d := compare(r, want.Items[i], got.Items[i], fmt.Sprintf("%s[%d]", path, i)); d != nil {
				return d
			}
		}
	case Object:
		if strings.Join(want.Names, " ") != strings.Join(got.Names, " ") {
			difference.Want, difference.Got = "fields "+strings.Join(want.Names, ", "), "fields "+strings.Join(got.Names, ", ")
			return difference
		}
		for i, name := range want.Names {
			if d := compare(raw.Field(name), want.Items[i], got.Items[i], strings.TrimPrefix(path+"."+name, ".")); d != nil {
				return d
			}
		}
	default:
		anyNaN := raw.Kind == Text && raw.Text == "nan" && strings.HasPrefix(got.Text, "nan")
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
		return strings.ToValidUTF8(s[:shortLength], "") + "..." // no half of a character
	}
	return s
}
