// Package hexdump prints bytes for people: with the meaning of each run of
// bytes, and with marks at the bytes of an error.
package hexdump

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/printable"
)

// Style colours parts of the output. The zero value writes no colour codes.
type Style struct {
	Color bool
	guard string // part of each colour code until Printable removes it
}

// Guarded returns the same style with colour codes that nobody can forge. Only
// [Style.Printable] makes them valid.
func (s Style) Guarded() Style {
	s.guard = rand.Text()
	return s
}

// Printable replaces all characters of a text that are not printable (see
// [printable.Text]), except the colour codes of a guarded style.
func (s Style) Printable(text string) string {
	if !s.Color || s.guard == "" {
		return printable.Text(text)
	}
	parts := strings.Split(text, "\x1b["+s.guard)
	for i, p := range parts {
		parts[i] = printable.Text(p)
	}
	return strings.Join(parts, "\x1b[")
}

// These codes follow ESC [. They use the palette of the terminal, so the colours suit light and
// dark backgrounds.
const (
	reset  = "0m"
	faint  = "2m"
	bold   = "1m"
	red    = "31m"
	green  = "32m"
	cyan   = "36m"
	purple = "35m"
)

func (s Style) paint(code, text string) string {
	if !s.Color || text == "" {
		return text
	}
	begin := "\x1b[" + s.guard
	return begin + code + text + begin + reset
}

const (
	perLine  = 8  // bytes per line
	maxLines = 4  // lines per span; the rest is omitted
	maxPath  = 44 // characters of the column; a longer path is whole
	maxValue = 60 // characters
)

// Spans writes one to four lines per span: offset, bytes, path, value, clause.
func Spans(w io.Writer, src []byte, spans []wire.Span, style Style) error {
	pathWidth, valueWidth := 4, 5
	for _, s := range spans {
		pathWidth = max(pathWidth, min(utf8.RuneCountInString(s.Path), maxPath))
		valueWidth = max(valueWidth, min(utf8.RuneCountInString(s.Value), maxValue))
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, strings.TrimRight(style.paint(faint, fmt.Sprintf("%-8s  %-*s  %-*s  %-*s  clause",
		"offset", 3*perLine-1, "bytes", pathWidth, "path", valueWidth, "value")), " "))
	for i, s := range spans {
		tint := cyan
		if i%2 == 1 {
			tint = purple
		}
		path := s.Path
		if path == "" {
			path = "."
		}
		for line, at := 0, s.Start; at < s.End; line, at = line+1, at+perLine {
			if line == maxLines-1 && s.End-at > perLine {
				fmt.Fprintf(&b, "%s\n", style.paint(faint, fmt.Sprintf("%8s  ... %d more bytes", "", s.End-at)))
				break
			}
			hex := fmt.Sprintf("% x", src[at:min(at+perLine, s.End)])
			fmt.Fprintf(&b, "%s  %s", style.paint(faint, fmt.Sprintf("%08x", at)),
				style.paint(tint, fmt.Sprintf("%-*s", 3*perLine-1, hex)))
			if line == 0 {
				fmt.Fprintf(&b, "  %s  %s  %s", style.paint(bold, fmt.Sprintf("%-*s", pathWidth, path)),
					style.paint(green, pad(s.Value, valueWidth)), style.paint(faint, string(s.Clause)))
			}
			trimLine(&b)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// trimLine removes the trailing spaces of the last line and ends the line.
func trimLine(b *bytes.Buffer) {
	b.Truncate(len(bytes.TrimRight(b.Bytes(), " ")))
	b.WriteByte('\n')
}

// pad pads s with spaces to width characters. It shortens a longer s in the
// middle.
func pad(s string, width int) string {
	r := []rune(s)
	if len(r) > width {
		head := (width - 1) / 2
		return string(r[:head]) + "…" + string(r[len(r)-(width-1-head):])
	}
	return s + strings.Repeat(" ", width-len(r))
}

// Fault writes the error, then the bytes of src around its offset, with a mark
// at the offset. src is nil for an error of encoding.
func Fault(w io.Writer, src []byte, e *wire.Error, style Style) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, style.paint(red, "error: ")+e.Error())
	if src != nil {
		markOffset(&b, src, e.Offset, style)
	}
	_, err := w.Write(b.Bytes())
	return err
}

const (
	rowBytes   = 16
	rowsAround = 1 // before and after the row with the mark
)

// markOffset writes the rows around offset, with a mark at offset.
func markOffset(b *bytes.Buffer, src []byte, offset int, style Style) {
	if offset < 0 || offset > len(src) {
		return
	}
	row := offset / rowBytes
	for at := max(row-rowsAround, 0) * rowBytes; at <= min((row+rowsAround)*rowBytes, len(src)); at += rowBytes {
		line := src[at:min(at+rowBytes, len(src))]
		if len(line) == 0 && at/rowBytes != row {
			break
		}
		var hex strings.Builder
		for i, c := range line {
			cell := fmt.Sprintf("%02x", c)
			if at+i == offset {
				cell = style.paint(red, cell)
			}
			hex.WriteString(cell + " ")
		}
		fmt.Fprintf(b, "  %s  %s%s  %s\n", style.paint(faint, fmt.Sprintf("%08x", at)), hex.String(),
			strings.Repeat("   ", rowBytes-len(line)), style.paint(faint, ascii(line)))
		if at/rowBytes == row {
			fmt.Fprintf(b, "  %8s  %s%s\n", "", strings.Repeat("   ", offset%rowBytes), style.paint(red, "^^"))
		}
	}
}

// ascii replaces each byte that is not printable ASCII with a full stop.
func ascii(b []byte) string {
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = '.'
		if c >= 0x20 && c < 0x7F {
			out[i] = c
		}
	}
	return string(out)
}
