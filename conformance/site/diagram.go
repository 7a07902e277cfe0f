package site

import (
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"
)

// The measures of a diagram, in pixels: four bytes per line.
const (
	gutter    = 46
	byteWidth = 74
	perLine   = 4
	lineHigh  = 30
	charWidth = 7.3
	longField = 16 // bytes; a longer field is one line
)

// diagram draws lines of four bytes from top to bottom.
type diagram struct {
	b  strings.Builder
	y  int
	at int // the column of the next byte
}

// Diagram returns the layout as SVG: a box per field. Boxes of fields whose size
// varies have a torn edge, those of elements a shadow, and those of fields that may be
// missing a dashed line.
func (l *layout) Diagram() template.HTML {
	d := &diagram{y: 2}
	for _, f := range l.Rows {
		d.field(f)
	}
	d.newLine()
	const width = gutter + perLine*byteWidth + 8
	return template.HTML(fmt.Sprintf(`<svg class=diagram viewBox="0 0 %d %d" width=%d height=%d role=img aria-label="%s">%s</svg>`,
		width, d.y+6, width, d.y+6, template.HTMLEscapeString("The bytes of "+l.Type+", four per line. The table contains the same."), d.b.String()))
}

func (d *diagram) newLine() {
	if d.at > 0 {
		d.y += lineHigh
		d.at = 0
	}
}

func (d *diagram) field(f *field) {
	plain := f.Size > 0 && !f.Optional && !f.Repeated
	if !plain || f.Size > longField {
		d.newLine()
		d.offset(f.Offset)
		d.wide(f)
		return
	}
	if d.at == 0 {
		d.offset(f.Offset)
	}
	// The widest part has the label.
	widest := min(f.Size, perLine-d.at)
	if f.Size-widest > widest {
		widest = min(f.Size-widest, perLine)
	}
	labelled := false
	for rest := f.Size; rest > 0; {
		n := min(rest, perLine-d.at)
		x := gutter + d.at*byteWidth
		fmt.Fprintf(&d.b, `<rect x=%d y=%d width=%d height=%d></rect>`, x, d.y, n*byteWidth, lineHigh)
		if n == widest && !labelled {
			d.text(x+n*byteWidth/2, n*byteWidth, f)
			labelled = true
		}
		rest -= n
		if d.at += n; d.at == perLine {
			d.newLine()
			if rest > 0 && f.Offset >= 0 {
				d.offset(f.Offset + f.Size - rest)
			}
		}
	}
}

// wide draws a field as a whole line.
func (d *diagram) wide(f *field) {
	const x, w = gutter, perLine * byteWidth
	class := ""
	if f.Optional {
		class = ` class=optional`
	}
	if f.Repeated {
		fmt.Fprintf(&d.b, `<rect x=%d y=%d width=%d height=%d></rect>`, x+5, d.y+5, w, lineHigh)
	}
	if f.Size > 0 {
		fmt.Fprintf(&d.b, `<rect%s x=%d y=%d width=%d height=%d></rect>`, class, x, d.y, w, lineHigh)
	} else {
		// The right edge is torn.
		fmt.Fprintf(&d.b, `<path%s d="M%d %dH%dl-6 7l6 8l-6 8l6 7H%dz"></path>`, class, x, d.y, x+w, x)
	}
	d.text(x+w/2, w, f)
	d.y += lineHigh
	if f.Repeated {
		d.y += 6
	}
}

func (d *diagram) offset(n int) {
	if n >= 0 {
		fmt.Fprintf(&d.b, `<text class=offset x=%d y=%d>%d</text>`, gutter-8, d.y+lineHigh/2+4, n)
	}
}

// text writes the name and, if there is room, the size of a field.
func (d *diagram) text(x, width int, f *field) {
	room := int(float64(width-8) / charWidth)
	label := f.Name
	if size := f.Bytes(); utf8.RuneCountInString(label)+len(size)+3 <= room && (f.Size == 0 || f.Size > perLine || f.Repeated) {
		label += " · " + size
	}
	if r := []rune(label); len(r) > room {
		label = string(r[:max(room-1, 1)]) + "…"
	}
	fmt.Fprintf(&d.b, `<text x=%d y=%d>%s</text>`, x, d.y+lineHigh/2+4, template.HTMLEscapeString(label))
}
