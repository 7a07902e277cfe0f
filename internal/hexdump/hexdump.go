// Package hexdump shows bytes to people: what each run of them means, and
// where in them something went wrong.
package hexdump

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/codec/wire"
)

// Style colours parts of the output; the zero value leaves them plain.
type Style struct{ Color bool }

// The colours are those of the terminal's own palette, so that they fit a
// light background as well as a dark one.
const (
	reset  = "\x1b[0m"
	faint  = "\x1b[2m"
	bold   = "\x1b[1m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	cyan   = "\x1b[36m"
	purple = "\x1b[35m"
)

func (s Style) paint(code, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return code + text + reset
}

const (
	perLine  = 8 // bytes
	maxLines = 4 // of one span; what is longer is cut short
	maxPath  = 44
	maxValue = 60
)

// Spans writes a line or a few for each span: offset, bytes, path, value, clause.
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
				fmt.Fprintf(&b, "%s\n", style.paint(faint, fmt.Sprintf("%8s  ... %d bytes more", "", s.End-at)))
				break
			}
			hex := fmt.Sprintf("% x", src[at:min(at+perLine, s.End)])
			fmt.Fprintf(&b, "%s  %s", style.paint(faint, fmt.Sprintf("%08x", at)), style.paint(tint, fmt.Sprintf("%-*s", 3*perLine-1, hex)))
			if line == 0 {
				fmt.Fprintf(&b, "  %s  %s  %s", style.paint(bold, pad(path, pathWidth)),
					style.paint(green, pad(s.Value, valueWidth)), style.paint(faint, string(s.Clause)))
			}
			trimLine(&b)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// trimLine ends a line without the blanks that pad its last column.
func trimLine(b *bytes.Buffer) {
	b.Truncate(len(bytes.TrimRight(b.Bytes(), " ")))
	b.WriteByte('\n')
}

// pad fills up to a width, or cuts in the middle.
func pad(s string, width int) string {
	r := []rune(s)
	if len(r) > width {
		head := (width - 1) / 2
		return string(r[:head]) + "…" + string(r[len(r)-(width-1-head):])
	}
	return s + strings.Repeat(" ", width-len(r))
}

// Fault writes the error and the bytes around its place, which is marked. src
// is nil for an error of writing.
func Fault(w io.Writer, src []byte, e *wire.Error, style Style) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, style.paint(red, "error: ")+e.Error())
	if src != nil {
		Place(&b, src, e.Offset, 1, style)
	}
	_, err := w.Write(b.Bytes())
	return err
}

const (
	rowBytes   = 16
	rowsAround = 1
)

// Place writes the rows around an offset and marks n bytes from there.
func Place(b *bytes.Buffer, src []byte, offset, n int, style Style) {
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
			if at+i >= offset && at+i < offset+n {
				cell = style.paint(red, cell)
			}
			hex.WriteString(cell + " ")
		}
		fmt.Fprintf(b, "  %s  %s%s  %s\n", style.paint(faint, fmt.Sprintf("%08x", at)), hex.String(),
			strings.Repeat("   ", rowBytes-len(line)), style.paint(faint, printable(line)))
		if at/rowBytes == row {
			marks := strings.Repeat("^^ ", max(1, min(n, rowBytes-offset%rowBytes)))
			fmt.Fprintf(b, "  %8s  %s%s\n", "", strings.Repeat("   ", offset%rowBytes), style.paint(red, strings.TrimRight(marks, " ")))
		}
	}
}

func printable(b []byte) string {
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = '.'
		if c >= 0x20 && c < 0x7F {
			out[i] = c
		}
	}
	return string(out)
}
