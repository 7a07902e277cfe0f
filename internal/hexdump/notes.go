package hexdump

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A Note says what a run of bytes is. Notes come in the order of the bytes.
type Note struct {
	Offset, Len int
	Text        string
}

// A Mark points at bytes: From to To, both included. The end of the input is
// a place too: the one behind its last byte.
type Mark struct {
	From, To int
	Text     string
	Bad      bool // what is wrong, not what is right
}

const (
	maxNotes    = 24 // of one input; of more, those around the marks are shown
	notesAround = 3
	maxMarkRows = 2 // of a mark that covers many rows
)

// Notes writes bytes with what each run of them is, and points at the marked
// ones. indent leads every line.
func Notes(b *bytes.Buffer, indent string, src []byte, notes []Note, marks []Mark, style Style) {
	d := dump{Buffer: b, indent: indent, src: src, marks: slices.Clone(marks), style: style, rows: make([]int, len(marks))}
	notes = cover(src, notes)
	atEnd := slices.ContainsFunc(marks, func(m Mark) bool { return m.To >= len(src) })
	if atEnd {
		notes = append(notes, Note{Offset: len(src), Text: "end of input"})
	}
	d.elide(notes)
}

// cover makes the notes reach over all bytes and not beyond.
func cover(src []byte, notes []Note) []Note {
	var out []Note
	at := 0
	for _, n := range notes {
		if n.Offset != at || n.Offset >= len(src) {
			break
		}
		n.Len = min(n.Len, len(src)-n.Offset)
		out = append(out, n)
		at += n.Len
	}
	if at < len(src) {
		out = append(out, Note{Offset: at, Len: len(src) - at})
	}
	return out
}

type dump struct {
	*bytes.Buffer
	indent string
	src    []byte
	marks  []Mark
	rows   []int // how many rows of each mark are done
	style  Style
}

// elide writes all notes if they are few, and those that matter otherwise.
func (d *dump) elide(notes []Note) {
	keep := make([]bool, len(notes))
	for i, n := range notes {
		keep[i] = len(notes) <= maxNotes || i < notesAround
		for _, m := range d.marks {
			if m.From < n.Offset+max(n.Len, 1) && m.To >= n.Offset {
				for k := max(i-notesAround, 0); k < min(i+notesAround, len(notes)); k++ {
					keep[k] = true
				}
			}
		}
	}
	// A mark may cover everything: then the first ones have to do.
	left := maxNotes * 2
	for i := 0; i < len(notes); {
		if keep[i] && left > 0 {
			d.note(notes[i])
			i, left = i+1, left-1
			continue
		}
		from := i
		for i < len(notes) && (!keep[i] || left == 0) {
			i++
		}
		last := notes[i-1]
		fmt.Fprintf(d, "%s%s\n", d.indent, d.style.paint(faint, fmt.Sprintf("%8s  ... %d bytes more", "", last.Offset+last.Len-notes[from].Offset)))
	}
}

func (d *dump) note(n Note) {
	end := n.Offset + n.Len
	for row, at := 0, n.Offset; row == 0 || at < end; row, at = row+1, at+perLine {
		to := min(at+perLine, end)
		if row >= maxLines-1 && end-at > perLine && !d.pending(at, to) {
			skipped := at
			for at+perLine < end && !d.pending(at, min(at+perLine, end)) {
				at += perLine
			}
			fmt.Fprintf(d, "%s%s\n", d.indent, d.style.paint(faint, fmt.Sprintf("%8s  ... %d bytes more", "", at-skipped)))
			to = min(at+perLine, end)
		}
		d.row(at, to, n.Text, row == 0)
	}
}

// pending reports whether a mark still has to be shown between two offsets.
func (d *dump) pending(from, to int) bool {
	for i, m := range d.marks {
		if d.rows[i] < maxMarkRows && m.From < to && m.To >= from {
			return true
		}
	}
	return false
}

func (d *dump) row(at, to int, text string, first bool) {
	var hex strings.Builder
	for i := at; i < to; i++ {
		cell := fmt.Sprintf("%02x", d.src[i])
		code := cyan
		for _, m := range d.marks {
			if i >= m.From && i <= m.To {
				code = m.code()
			}
		}
		hex.WriteString(d.style.paint(code, cell))
		hex.WriteByte(' ')
	}
	fmt.Fprintf(d, "%s%s  %s", d.indent, d.style.paint(faint, fmt.Sprintf("%08x", at)), hex.String())
	if first && text != "" {
		fmt.Fprintf(d, "%s %s", strings.Repeat("   ", perLine-(to-at)), text)
	}
	trimLine(d.Buffer)
	for i := range d.marks {
		d.mark(i, at, to)
	}
}

func (m *Mark) code() string {
	if m.Bad {
		return red
	}
	return green
}

// mark points at the part of a mark that lies in a row.
func (d *dump) mark(i, at, to int) {
	m := &d.marks[i]
	atEnd := to == at // a row without bytes
	to = max(to, at+1)
	if m.From >= to || m.To < at || d.rows[i] >= maxMarkRows || atEnd && m.From < at {
		return
	}
	from, end := max(m.From, at), min(m.To+1, to)
	line := strings.Repeat("   ", from-at) + d.style.paint(m.code(), strings.TrimSpace(strings.Repeat("^^ ", end-from)))
	if d.rows[i] == 0 {
		line += " " + d.style.paint(m.code(), m.Text)
	}
	d.rows[i]++
	fmt.Fprintf(d, "%s%8s  %s\n", d.indent, "", line)
}

// Strong makes a text stand out.
func (s Style) Strong(text string) string { return s.paint(bold, text) }

// Faint makes a text step back.
func (s Style) Faint(text string) string { return s.paint(faint, text) }

// Good colours what is right or expected.
func (s Style) Good(text string) string { return s.paint(green, text) }

// Bad colours what is wrong.
func (s Style) Bad(text string) string { return s.paint(red, text) }
