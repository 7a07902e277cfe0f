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
	differ := &Difference{Path: path, Want: brief(want), Got: brief(got)}
	if want.Kind != got.Kind {
		return differ
	}
	switch want.Kind {
	case List:
		if len(want.Items) != len(got.Items) {
			differ.Want, differ.Got = fmt.Sprintf("%d items", len(want.Items)), fmt.Sprintf("%d items", len(got.Items))
			return differ
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
			differ.Want, differ.Got = "fields "+strings.Join(want.Names, ", "), "fields "+strings.Join(got.Names, ", ")
			return differ
		}
		for i, name := range want.Names {
			if d := compare(raw.Field(name), want.Items[i], got.Items[i], strings.TrimPrefix(path+"."+name, ".")); d != nil {
				return d
			}
		}
	default:
		anyNaN := raw.Kind == Text && raw.Text == "nan" && strings.HasPrefix(got.Text, "nan")
		if want.Text != got.Text && !anyNaN {
			return differ
		}
	}
	return nil
}

const briefLength = 80

func brief(n Node) string {
	s := n.String()
	if len(s) > briefLength {
		return strings.ToValidUTF8(s[:briefLength], "") + "..." // no half of a character
	}
	return s
}
