package site

import (
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/page"
	"github.com/formatgauge/formatgauge/conformance/shorten"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

const (
	// maxWhole is the number of rows of an example that are all shown.
	maxWhole = 400
	// maxContext is the number of bytes of a context that are shown.
	maxContext = 400
	// maxTree is the number of bytes of a tree that is shown.
	maxTree = 3000
)

// shown is a vector as its page shows it.
type shown struct {
	*corpus.Vector
	Context  string
	Sections []*section
	Under    string // the profile under which the bytes are read, and its rows named
	Rows     []*page.Row
	Written  bool // the rows are those of the bytes to write
}

// Caption says which bytes are shown, if that is not clear.
func (x *shown) Caption() string {
	switch {
	case x.Written:
		return "The bytes to write, under " + x.Under
	case len(x.Sections) > 1:
		return "Under " + x.Under
	}
	return ""
}

// section is a verdict.
type section struct {
	*corpus.Expectation
	Under     string // for people
	Basis     string
	Reasons   []string // of choices
	Tree      string
	Omitted   int // number of bytes of the tree that are not shown
	Canonical string
}

// show prepares a vector, with all rows if whole is true and they are not too many.
func (s *site) show(v *corpus.Vector, whole bool) *shown {
	x := &shown{Vector: v, Context: shorten.Text(corpus.ContextText(v.Context), maxContext)}
	for i := range v.Expect {
		x.Sections = append(x.Sections, newSection(v, &v.Expect[i]))
	}
	t, ok := codec.Find(v.Type)
	if !ok {
		return x
	}
	src, e, p := best(v)
	spans, _ := trace(t, v.Context, p, src)
	x.Under = p.String()
	x.Written = v.EncodeOnly()
	lines := v.Lines
	if x.Written {
		lines = nil
	}
	x.Rows = page.RowsOf(src, spans, lines, e)
	if !whole || len(x.Rows) > maxWhole {
		x.Rows = page.Shorten(x.Rows, v.Clauses)
	}
	return x
}

// best returns the bytes of a vector that say most, and the section that says it: one
// that accepts them, if there is one, preferably under observed.
func best(v *corpus.Vector) ([]byte, *corpus.Expectation, ids.Profile) {
	good := func(e *corpus.Expectation) bool {
		if v.EncodeOnly() {
			return e.Outcome == corpus.Encodes
		}
		return e.Outcome != corpus.Reject
	}
	e, p := v.Select(ids.Observed()), ids.Observed()
	if e == nil || !good(e) {
		for i := range v.Expect {
			if x := &v.Expect[i]; e == nil || good(x) {
				e, p = x, v.ProfileOf(x)
				if good(x) {
					break
				}
			}
		}
	}
	if v.EncodeOnly() {
		return e.Canonical, e, p
	}
	return v.Bytes, e, p
}

func newSection(v *corpus.Vector, e *corpus.Expectation) *section {
	s := &section{Expectation: e, Under: v.Under(e), Tree: strings.TrimSpace(e.Tree)}
	var bases []string
	for _, d := range v.Demands(e) {
		bases = append(bases, string(d.Basis))
	}
	s.Basis = strings.Join(bases, ", ")
	if s.Basis == string(spec.Choice) {
		for _, d := range v.Choices(v.ProfileOf(e)) {
			reason, _ := v.Reason(d)
			s.Reasons = append(s.Reasons, d.String()+": "+reason)
		}
	}
	if s.Tree != "" && len(s.Tree) <= maxTree {
		if n, err := tree.Parse([]byte(s.Tree)); err == nil {
			s.Tree = strings.TrimSpace(n.Indent())
		}
	} else if s.Tree != "" {
		s.Omitted = len(s.Tree) - maxTree
		s.Tree = s.Tree[:maxTree]
	}
	if e.Canonical != nil {
		s.Canonical = page.ShortHex(e.Canonical, 64)
	}
	return s
}

// trace reads bytes under a profile. After a fault it returns the spans before it.
func trace(t *codec.Type, context map[string]string, p ids.Profile, src []byte) ([]wire.Span, error) {
	c, err := t.Bind(wire.Settings{Profile: p}, context)
	if err != nil {
		return nil, err
	}
	_, spans, err := c.Trace(src)
	return spans, err
}
