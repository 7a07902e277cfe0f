package page

import (
	"fmt"
	"slices"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

const (
	// maxRowBytes is the number of bytes that a row shows.
	maxRowBytes = 16
	// maxRows is the number of rows up to which all are shown. Of more, those around
	// what the vector shows are.
	maxRows    = 30
	rowsAround = 2
	// maxValue is the number of characters of the value of a span that are shown.
	maxValue = 44
)

// A Row is a run of bytes that belong to one span and to one annotation.
type Row struct {
	At     int
	Hex    string
	More   int // number of bytes that are not shown
	Path   string
	Value  string
	Clause ids.Clause
	Note   string
	Fault  string // what is said where the rejection is expected, else empty
	Gap    int    // if above 0: number of rows that are left out here, with Hex empty
	Other  bool   // it differs under the other side; only on the pages of flags
	Start  bool   // the span begins here
}

// An Excerpt is what the template "bytes" shows.
type Excerpt struct {
	Caption string
	Rows    []*Row
	Clause  func(ids.Clause) string // returns the address of a clause
}

// Cut returns the first n characters of a text.
func Cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// ShortHex returns at most n bytes in hex.
func ShortHex(b []byte, n int) string {
	if len(b) > n {
		return fmt.Sprintf("% x … %d more", b[:n], len(b)-n)
	}
	return fmt.Sprintf("% x", b)
}

// RowsOf divides bytes where spans or annotations begin and end. It marks the first
// place where the section e rejects them.
func RowsOf(src []byte, spans []wire.Span, lines []corpus.Line, e *corpus.Expectation) (out []*Row) {
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
	at := func(from, to int) string {
		switch {
		case !reject || e.From < from || e.From >= to:
			return ""
		case e.To >= to:
			return "rejected here or later"
		}
		return "rejected here"
	}
	si, li := 0, 0
	for i := 0; i+1 < len(cuts); i++ {
		from, to := cuts[i], cuts[i+1]
		r := &Row{
			At: from, Hex: fmt.Sprintf("% x", src[from:min(to, from+maxRowBytes)]), More: max(0, to-from-maxRowBytes),
			Fault: at(from, to),
		}
		for si < len(spans) && spans[si].End <= from {
			si++
		}
		if si < len(spans) && spans[si].Start <= from {
			span := spans[si]
			r.Start = span.Start == from
			r.Path, r.Value, r.Clause = span.Path, Cut(span.Value, maxValue), span.Clause
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
	if fault := at(len(src), len(src)+1); fault != "" {
		out = append(out, &Row{At: len(src), Note: "end of input", Fault: fault})
	}
	return out
}

// Shorten keeps the rows around those that a vector is about, if there are many.
func Shorten(rows []*Row, about []ids.Clause) []*Row {
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
		if r.Fault != "" || n < maxRows/2 && (r.Other || slices.Contains(about, r.Clause)) {
			n++
			mark(i)
		}
	}
	var out []*Row
	for i, r := range rows {
		switch {
		case keep[i]:
			out = append(out, r)
			continue
		case i == 0 || keep[i-1]:
			out = append(out, &Row{At: r.At})
		}
		out[len(out)-1].Gap++
	}
	return out
}
