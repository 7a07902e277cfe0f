package report

import (
	"bytes"
	"fmt"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/hexdump"
)

// notesOf returns the notes of the vector. In a derived case the bytes differ,
// the notes do not.
func notesOf(r *judge.Result) []hexdump.Note {
	out := make([]hexdump.Note, len(r.Vector.Lines))
	for i, l := range r.Vector.Lines {
		out[i] = hexdump.Note{Offset: l.Offset, Len: l.Len, Text: l.Note}
	}
	return out
}

// marksOf marks bytes of a case: those that a rule changed, the expected and
// the actual offset of a rejection, and those of the part of the value that
// differs.
func marksOf(r *judge.Result) []hexdump.Mark {
	if r.Vector.EncodeOnly() || r.Op == adapter.OpEncode { // the bytes were not decoded
		return nil
	}
	out := editMark(r)
	if e := rejection(r.Expected); e.From >= 0 {
		text := "rejection expected here"
		if e.To > e.From {
			text = fmt.Sprintf("rejection expected here, from %d to %d", e.From, e.To)
		}
		out = append(out, hexdump.Mark{From: e.From, To: e.To, Text: text})
	}
	if e := rejection(r.Got); e.From >= 0 {
		out = append(out, hexdump.Mark{From: e.From, To: e.From, Text: "rejected here", Bad: true})
	}
	if r.Class == judge.WrongTree && r.Difference != nil && r.Difference.Path != "" {
		if s, ok := spanOf(r, r.Difference.Path); ok {
			out = append(out, hexdump.Mark{From: s.Start, To: s.End - 1, Text: r.Difference.Path, Bad: true})
		}
	}
	return out
}

// editMark marks what a rule changed, if one did.
func editMark(r *judge.Result) []hexdump.Mark {
	const shown = 8 // bytes of the vector
	if r.Edit == nil {
		return nil
	}
	e, own := r.Edit, r.Vector.Bytes
	m := hexdump.Mark{From: e.At, To: e.At + len(e.Inserted) - 1}
	switch {
	case e.Deleted == 0 && len(e.Inserted) == 0 || e.At+e.Deleted > len(own):
		return nil
	case len(e.Inserted) == 0:
		m.To, m.Text = e.At, fmt.Sprintf("truncated: the vector has %d bytes", len(own))
	case e.Deleted == 0:
		m.Text = "not in the vector"
	case e.Deleted > shown:
		m.Text = "other bytes in the vector"
	default:
		m.Text = fmt.Sprintf("% x in the vector", own[e.At:e.At+e.Deleted])
	}
	return []hexdump.Mark{m}
}

// spanOf returns the bytes of the part of the value at a path.
func spanOf(r *judge.Result, path string) (found wire.Span, ok bool) {
	for _, s := range read(r, r.Context, r.Input).spans { // those before a fault are enough
		if tree.Below(s.Path, path) && s.End > s.Start {
			if !ok {
				found, ok = s, true
			}
			found.End = s.End
		}
	}
	return found, ok && found.End <= len(r.Input)
}

// A pair is a line of each text; one of them may be missing.
type pair struct {
	want, got       string
	hasWant, hasGot bool
}

func (p *pair) same() bool { return p.hasWant && p.hasGot && p.want == p.got }

// maxAlign limits the work of align, as the product of the numbers of lines.
const maxAlign = 1 << 20

// align pairs the lines so that as many pairs as possible are equal.
func align(want, got []string) []pair {
	if len(want)*len(got) > maxAlign {
		return appendPairs(nil, want, got)
	}
	var out []pair
	// common[i][j] is the length of the longest common subsequence of want[i:]
	// and got[j:].
	common := make([][]int, len(want)+1)
	for i := range common {
		common[i] = make([]int, len(got)+1)
	}
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(got) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if want[i] == got[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	i, j, fromI, fromJ := 0, 0, 0, 0 // changed lines, up to the next common line
	for i < len(want) && j < len(got) {
		switch {
		case want[i] == got[j]:
			out = append(appendPairs(out, want[fromI:i], got[fromJ:j]), pair{want[i], got[j], true, true})
			i, j = i+1, j+1
			fromI, fromJ = i, j
		case common[i+1][j] >= common[i][j+1]:
			i++
		default:
			j++
		}
	}
	return appendPairs(out, want[fromI:], got[fromJ:])
}

// appendPairs pairs the lines in order.
func appendPairs(out []pair, want, got []string) []pair {
	for i := range max(len(want), len(got)) {
		p := pair{hasWant: i < len(want), hasGot: i < len(got)}
		if p.hasWant {
			p.want = want[i]
		}
		if p.hasGot {
			p.got = got[i]
		}
		out = append(out, p)
	}
	return out
}

// dumpOf returns the input of a case as text.
func dumpOf(r *judge.Result, indent string, style hexdump.Style) string {
	var b bytes.Buffer
	switch {
	case r.Vector.EncodeOnly():
		for _, l := range treeLines(r.Vector.Tree) {
			b.WriteString(indent + truncate(l, textWidth) + "\n")
		}
	case len(r.Input) == 0 && len(r.Vector.Bytes) == 0:
		b.WriteString(indent + style.Faint("no bytes") + "\n")
	default:
		hexdump.Notes(&b, indent, r.Input, notesOf(r), marksOf(r), style)
	}
	return b.String()
}
