package site

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/spec"
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

// Diagram returns a layout as SVG: a box per field. Boxes of fields whose size
// varies have a torn edge, those of elements a shadow, and those of fields that may be
// missing a dashed line.
func (p *sheet) Diagram(l *spec.Outline) template.HTML {
	d := &diagram{y: 2}
	for _, f := range l.Rows {
		d.field(f)
	}
	d.newLine()
	for _, f := range l.Rows {
		d.bits(f)
	}
	const width = gutter + perLine*byteWidth + 8
	return template.HTML(fmt.Sprintf(`<svg class=diagram viewBox="0 0 %d %d" width=%d height=%d role=img aria-label="%s">%s</svg>`,
		width, d.y+6, width, d.y+6, template.HTMLEscapeString("The bytes of "+
			l.Name+", four per line. The table contains the same."), d.b.String()))
}

func (d *diagram) newLine() {
	if d.at > 0 {
		d.y += lineHigh
		d.at = 0
	}
}

func (d *diagram) field(f *spec.Row) {
	if f.Under != "" {
		return // not in force
	}
	if !f.Fixed() || f.Count() > 1 || f.Least > longField {
		d.newLine()
		d.offset(f.Offset)
		d.wide(f)
		return
	}
	if d.at == 0 {
		d.offset(f.Offset)
	}
	// The widest part has the label.
	size := f.Least
	widest := min(size, perLine-d.at)
	if size-widest > widest {
		widest = min(size-widest, perLine)
	}
	labelled := false
	for rest := size; rest > 0; {
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
				d.offset(f.Offset + size - rest)
			}
		}
	}
}

// wide draws a field as a whole line.
func (d *diagram) wide(f *spec.Row) {
	const x, w = gutter, perLine * byteWidth
	class, repeated := "", f.Count() != 1
	if f.Optional() {
		class = ` class=optional`
	}
	if repeated {
		fmt.Fprintf(&d.b, `<rect x=%d y=%d width=%d height=%d></rect>`, x+5, d.y+5, w, lineHigh)
	}
	if f.Least == f.Most && f.Most > 0 {
		fmt.Fprintf(&d.b, `<rect%s x=%d y=%d width=%d height=%d></rect>`, class, x, d.y, w, lineHigh)
	} else {
		// The right edge is torn.
		fmt.Fprintf(&d.b, `<path%s d="M%d %dH%dl-6 7l6 8l-6 8l6 7H%dz"></path>`, class, x, d.y, x+w, x)
	}
	d.text(x+w/2, w, f)
	d.y += lineHigh
	if repeated {
		d.y += 6
	}
}

func (d *diagram) offset(n int) {
	if n >= 0 {
		fmt.Fprintf(&d.b, `<text class=offset x=%d y=%d>%d</text>`, gutter-8, d.y+lineHigh/2+4, n)
	}
}

// text writes the name and, if there is room, the size of a field.
func (d *diagram) text(x, width int, f *spec.Row) {
	room := int(float64(width-8) / charWidth)
	label := f.Name()
	if size := f.SizeText(); utf8.RuneCountInString(label)+len(size)+3 <= room &&
		(f.Least != f.Most || f.Least > perLine || f.Count() != 1) {
		label += " · " + size
	}
	if r := []rune(label); len(r) > room {
		label = string(r[:max(room-1, 1)]) + "…"
	}
	fmt.Fprintf(&d.b, `<text x=%d y=%d>%s</text>`, x, d.y+lineHigh/2+4, template.HTMLEscapeString(label))
}

// bits draws the bits of a field, a line per byte or number. A name that has no room
// is only in the table.
func (d *diagram) bits(f *spec.Row) {
	for i, b := range f.Bits {
		if i == 0 || b.Byte != f.Bits[i-1].Byte {
			d.y += 8
		}
		total := (f.Bits[slices.IndexFunc(f.Bits, func(x spec.Bits) bool { return x.Byte == b.Byte })].High/8 + 1) * 8
		width := float64(perLine*byteWidth) / float64(total)
		x, w := gutter+float64(total-1-b.High)*width, float64(b.High-b.Low+1)*width
		fmt.Fprintf(&d.b, `<rect x=%.1f y=%d width=%.1f height=%d></rect>`, x, d.y, w, lineHigh)
		label := b.Name
		if float64(len(label))*charWidth > w {
			label = strconv.Itoa(b.High)
		}
		fmt.Fprintf(&d.b, `<text x=%.1f y=%d>%s</text>`, x+w/2, d.y+lineHigh/2+4, template.HTMLEscapeString(label))
		if last := i == len(f.Bits)-1; last || f.Bits[i+1].Byte != b.Byte {
			line := "bits"
			if f.Bits[len(f.Bits)-1].Byte > 0 {
				line = fmt.Sprint("byte ", b.Byte)
			}
			fmt.Fprintf(&d.b, `<text class=offset x=%d y=%d>%s</text>`, gutter-4, d.y+lineHigh/2+4, line)
			d.y += lineHigh
		}
	}
}
