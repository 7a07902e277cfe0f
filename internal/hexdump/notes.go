package hexdump

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A Note describes Len bytes at Offset. Notes are in ascending order of Offset.
type Note struct {
	Offset, Len int
	Text        string
}

// A Mark points at the bytes From to To, both included. A mark at the length of
// the input points at the end of the input.
type Mark struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`
	Bad  bool   `json:"bad"` // marks an error (red) instead of an expected position (green)
}

const (
	maxNotes    = 24 // if an input has more, only those around the marks are shown
	notesAround = 3  // notes shown before and after a mark
	maxMarkRows = 2  // rows in which one mark is shown
)

// Notes writes src with its notes, and marks below the bytes that they point
// at. Each line begins with indent.
func Notes(b *bytes.Buffer, indent string, src []byte, notes []Note, marks []Mark, style Style) {
	d := dump{
		Buffer: b, indent: indent, src: src, marks: slices.Clone(marks), style: style,
		rows: make([]int, len(marks)),
	}
	notes = cover(src, notes)
	atEnd := slices.ContainsFunc(marks, func(m Mark) bool { return m.To >= len(src) })
	if atEnd {
		notes = append(notes, Note{Offset: len(src), Text: "end of input"})
	}
	d.elide(notes)
}

// cover returns notes that cover exactly the bytes of src: it drops notes after
// the first gap or after the end, and adds an empty note for the other bytes.
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
	rows   []int // number of rows in which each mark was shown
	style  Style
}

// elide writes all notes if there are at most maxNotes. Otherwise it writes the
// first ones and those around the marks.
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
	// A mark may cover all notes. Then only the first ones are shown.
	remaining := maxNotes * 2
	for i := 0; i < len(notes); {
		if keep[i] && remaining > 0 {
			d.note(notes[i])
			i, remaining = i+1, remaining-1
			continue
		}
		from := i
		for i < len(notes) && (!keep[i] || remaining == 0) {
			i++
		}
		last := notes[i-1]
		fmt.Fprintf(d, "%s%s\n", d.indent,
			d.style.paint(faint, fmt.Sprintf("%8s  ... %d more bytes", "", last.Offset+last.Len-notes[from].Offset)))
	}
}

// note writes the rows of one note.
func (d *dump) note(n Note) {
	end := n.Offset + n.Len
	for row, at := 0, n.Offset; row == 0 || at < end; row, at = row+1, at+perLine {
		to := min(at+perLine, end)
		if row >= maxLines-1 && end-at > perLine && !d.pending(at, to) {
			skipped := at
			for at+perLine < end && !d.pending(at, min(at+perLine, end)) {
				at += perLine
			}
			fmt.Fprintf(d, "%s%s\n", d.indent, d.style.paint(faint, fmt.Sprintf("%8s  ... %d more bytes", "", at-skipped)))
			to = min(at+perLine, end)
		}
		d.row(at, to, n.Text, row == 0)
	}
}

// pending reports whether a mark must still be shown in [from, to).
func (d *dump) pending(from, to int) bool {
	for i, m := range d.marks {
		if d.rows[i] < maxMarkRows && m.From < to && m.To >= from {
			return true
		}
	}
	return false
}

// row writes the bytes [at, to), the text of the note if it is its first row,
// and the marks.
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

// mark writes the part of mark i that is in the row [at, to).
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

// Strong returns text in bold.
func (s Style) Strong(text string) string { return s.paint(bold, text) }

// Faint returns text with reduced intensity.
func (s Style) Faint(text string) string { return s.paint(faint, text) }

// Good returns text in the colour of success.
func (s Style) Good(text string) string { return s.paint(green, text) }

// Bad returns text in the colour of failure.
func (s Style) Bad(text string) string { return s.paint(red, text) }
