package tree

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/formatgauge/formatgauge/codec"
)

// lines lists a part and those in it, one a line.
func lines(p Part, indent string) string {
	s := indent + strings.TrimSpace(fmt.Sprintf("%s %s%s", p.Name, p.Kind, p.Number))
	if p.Length > 0 {
		s += fmt.Sprintf(" of %d", p.Length)
	}
	if p.Null {
		s += " or null"
	}
	if p.Node != nil {
		s += " " + p.Node.String()
	}
	s += "\n"
	for i := range p.Len() {
		s += lines(p.Item(i), indent+" ")
	}
	return s
}

// TestParts: a part has the items that its type and its tree have.
func TestParts(t *testing.T) {
	node := func(text string) *Node {
		n := parsed(t, text)
		return &n
	}
	everything := formOf(reflect.TypeFor[everything]())
	array, _ := codec.Find("ka.Array")
	for _, c := range []struct {
		part Part
		want string
	}{
		{Part{Form: everything}, `
 object
  b boolean
  i integerint8
  u integeruint64
  f floatfloat32
  d floatfloat64
  s text
  hex bytes
  arr bytes of 2
  l list
   [] object
    x floatfloat32
    y floatfloat32
  a list of 2
   [0] integeruint16
   [1] integeruint16
  p object or null
   count integeruint32
   offset integeruint32
  t name
`},
		{Part{Form: everything.Parts[8].Form, Node: node(`[{"y": "1"}, "x", null]`)}, `
 list [{"y": "1"}, "x", null]
  [0] object {"y": "1"}
   x floatfloat32 null
   y floatfloat32 "1"
  [1] object "x"
  [2] object null
`},
		{Part{Form: everything.Parts[8].Form, Node: node(`{}`)}, "\n list {}\n"},
		{Part{Form: everything.Parts[5].Form, Node: node(`{"hex": "ff"}`)}, "\n text {\"hex\": \"ff\"}\n"},
		{Whole(array, node(`[{"type": "INT8", "value": "1"}, {"type": "INT7", "value": "1"}, null]`)), `
 list [{"type": "INT8", "value": "1"}, {"type": "INT7", "value": "1"}, null]
  [0] one-of {"type": "INT8", "value": "1"}
   INT8 integerint8 "1"
  [1] one-of {"type": "INT7", "value": "1"}
  [2] one-of null
`},
	} {
		if d := cmp.Diff(strings.TrimPrefix(c.want, "\n"), lines(c.part, " ")); d != "" {
			t.Error(d)
		}
	}
}

func TestReplace(t *testing.T) {
	n := parsed(t, `{"a": ["1", ["1"], "1"], "b": "1"}`)
	before := n.String()
	list := n.Items[0].Items
	got := n.Replace(map[*Node]Node{
		&list[1]: text("x"), &list[1].Items[0]: text("inside of what is replaced"), &n.Items[1]: {},
	})
	if want := `{"a": ["1", "x", "1"], "b": null}`; got.String() != want || n.String() != before {
		t.Errorf("%s becomes %s, want %s", n, got, want)
	}
}
