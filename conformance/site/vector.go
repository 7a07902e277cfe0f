package site

import (
	"fmt"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

const (
	// maxRowBytes is the number of bytes that a row shows.
	maxRowBytes = 16
	// maxRows is the number of rows up to which all are shown. Of more, those around
	// what the vector shows are.
	maxRows    = 40
	rowsAround = 2
	// maxWhole is the number of rows of an example that are all shown.
	maxWhole = 400
	// maxTree is the number of bytes of a tree that is shown.
	maxTree = 3000
	// maxValue is the number of characters of the value of a span that are shown.
	maxValue = 44
)

// shown is a vector as its page shows it.
type shown struct {
	*corpus.Vector
	Context  string
	Sections []*section
	Under    string // the profile under which the bytes are read, and its rows named
	Rows     []*row
	Written  bool // the rows are those of the bytes to write
}

// section is a verdict.
type section struct {
	*corpus.Expectation
	Under     string // for people
	Basis     spec.Basis
	Reasons   []string // of choices
	Tree      string
	Omitted   int // number of bytes of the tree that are not shown
	Canonical string
}

// Short repeats the method of the expectation, which the field Tree does not hide.
func (s *section) Short() string { return s.Expectation.Short() }

// row is a run of bytes that belong to one span and to one annotation.
type row struct {
	At     int
	Hex    string
	More   int // number of bytes that are not shown
	Path   string
	Value  string
	Clause ids.Clause
	Note   string
	Fault  bool // the rejection is expected here
	Gap    int  // if above 0: number of rows that are left out here, with Hex empty
	Other  bool // it differs under the other side; only on the pages of flags
	Start  bool // the span begins here
}

// show prepares a vector, with all rows if whole is true and they are not too many.
func (s *site) show(v *corpus.Vector, whole bool) *shown {
	x := &shown{Vector: v, Context: corpus.ContextText(v.Context)}
	for i := range v.Expect {
		x.Sections = append(x.Sections, newSection(v, &v.Expect[i]))
	}
	t, ok := codec.Find(v.Type)
	if !ok {
		return x
	}
	src, e, p := best(v)
	spans, _ := trace(t, v, p, src)
	x.Under = under(v, e)
	x.Written = v.EncodeOnly()
	lines := v.Lines
	if x.Written {
		lines = nil
	}
	x.Rows = rowsOf(src, spans, lines, e)
	if !whole || len(x.Rows) > maxWhole {
		x.Rows = shorten(x.Rows, v.Clauses)
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
				e, p = x, profileOf(v, x)
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

// profileOf returns a profile under which a section applies.
func profileOf(v *corpus.Vector, e *corpus.Expectation) ids.Profile {
	p, err := ids.ParseProfile(e.Profile)
	switch {
	case err == nil:
		return p
	case v.Select(ids.Observed()) == e:
		return ids.Observed()
	}
	return ids.Documented()
}

// under names the profile of a section for people.
func under(v *corpus.Vector, e *corpus.Expectation) string {
	switch {
	case e.Profile != corpus.ExpectAll:
		return e.Profile
	case len(v.Expect) > 1:
		return "every other profile"
	}
	return "every profile"
}

func newSection(v *corpus.Vector, e *corpus.Expectation) *section {
	s := &section{Expectation: e, Under: under(v, e), Basis: v.SectionBasis(e), Tree: strings.TrimSpace(e.Tree)}
	if s.Basis == spec.Choice {
		for _, d := range v.Choices(profileOf(v, e)) {
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
		s.Canonical = shortHex(e.Canonical, 64)
	}
	return s
}

// cut returns the first n characters of a text.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// shortHex returns at most n bytes in hex.
func shortHex(b []byte, n int) string {
	if len(b) > n {
		return fmt.Sprintf("% x … %d more", b[:n], len(b)-n)
	}
	return fmt.Sprintf("% x", b)
}

// rowsOf divides bytes where spans or annotations begin and end. It marks where the
// section e rejects them.
func rowsOf(src []byte, spans []wire.Span, lines []corpus.Line, e *corpus.Expectation) (out []*row) {
	cuts := []int{0, len(src)}
	for _, s := range spans {
		cuts = append(cuts, s.Start, s.End)
	}
	for _, l := range lines {
		cuts = append(cuts, l.Offset, l.Offset+l.Len)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	reject := e.Outcome == corpus.Reject && e.From >= 0
	at := func(from, to int) bool { return reject && e.From < to && e.To >= from }
	si, li := 0, 0
	for i := 0; i+1 < len(cuts); i++ {
		from, to := cuts[i], cuts[i+1]
		r := &row{
			At: from, Hex: fmt.Sprintf("% x", src[from:min(to, from+maxRowBytes)]), More: max(0, to-from-maxRowBytes),
			Fault: at(from, to),
		}
		for si < len(spans) && spans[si].End <= from {
			si++
		}
		if si < len(spans) && spans[si].Start <= from {
			span := spans[si]
			r.Start = span.Start == from
			r.Path, r.Value, r.Clause = span.Path, cut(span.Value, maxValue), span.Clause
			if r.Path == "" {
				r.Path = "."
			}
		}
		for li < len(lines) && lines[li].Offset+lines[li].Len <= from {
			li++
		}
		if li < len(lines) && lines[li].Offset == from {
			r.Note = lines[li].Note
		}
		out = append(out, r)
	}
	if at(len(src), len(src)+1) {
		out = append(out, &row{At: len(src), Note: "end of input", Fault: true})
	}
	return out
}

// shorten keeps the rows around those that a vector is about, if there are many.
func shorten(rows []*row, about []ids.Clause) []*row {
	if len(rows) <= maxRows {
		return rows
	}
	keep := make([]bool, len(rows))
	mark := func(i int) {
		for k := max(i-rowsAround, 0); k < min(i+rowsAround+1, len(rows)); k++ {
			keep[k] = true
		}
	}
	mark(0)
	mark(len(rows) - 1)
	n := 0
	for i, r := range rows {
		if r.Fault || n < maxRows/2 && (r.Other || slices.Contains(about, r.Clause)) {
			n++
			mark(i)
		}
	}
	var out []*row
	for i, r := range rows {
		switch {
		case keep[i]:
			out = append(out, r)
			continue
		case i == 0 || keep[i-1]:
			out = append(out, &row{At: r.At})
		}
		out[len(out)-1].Gap++
	}
	return out
}

// trace reads bytes under a profile. After a fault it returns the spans before it.
func trace(t *codec.Type, v *corpus.Vector, p ids.Profile, src []byte) ([]wire.Span, error) {
	c, err := t.Bind(wire.Settings{Profile: p}, v.Context)
	if err != nil {
		return nil, err
	}
	_, spans, err := c.Trace(src)
	return spans, err
}
