package judge

import (
	"regexp"
	"strings"
)

// entryLine matches the line of an entry: the indent, the pattern, the space
// before the class, the class, the space before the reason.
var entryLine = regexp.MustCompile(`^(\s*)(\S+)(\s+)(\S+)(?:(\s+)#.*)?`)

// usualGap separates the parts of an entry in a list without a layout of its own.
const usualGap = "  "

// layout is how the entries of a list are written.
type layout struct {
	class, reason int       // the columns in which they are aligned, from 0; 0 if they are not
	last          knownLine // the last entry, with the line end of the list
}

func layoutOf(lines []knownLine) layout {
	l := layout{last: knownLine{end: "\n"}}
	var classes, reasons columns
	for _, line := range lines {
		if m := entryLine.FindStringSubmatch(line.text); m != nil && line.entry != nil {
			classes.add(len(m[1]+m[2]), m[3])
			reasons.add(len(m[1]+m[2]+m[3]+m[4]), m[5])
			l.last.text = line.text
		}
	}
	if len(lines) > 0 && lines[0].end != "" {
		l.last.end = lines[0].end
	}
	l.class, l.reason = classes.aligned(), reasons.aligned()
	return l
}

// line writes an entry in the layout of the list. What is not aligned has the
// indent and the gaps of the line old.
func (l layout) line(e *Entry, old knownLine) knownLine {
	m := entryLine.FindStringSubmatch(old.text)
	if m == nil {
		m = make([]string, 6)
	}
	text := pad(m[1]+e.Pattern, l.class, m[3]) + string(e.Class)
	if e.Reason != "" {
		text = pad(text, l.reason, m[5]) + "# " + e.Reason
	}
	return knownLine{text: text, end: old.end, entry: e}
}

// pad appends spaces up to a column, or gap if the column is 0.
func pad(text string, column int, gap string) string {
	switch {
	case column > len(text):
		return text + strings.Repeat(" ", column-len(text))
	case column > 0 || gap == "":
		gap = usualGap
	}
	return text + gap
}

// columns counts the gaps that end in each column.
type columns map[int]map[int]int // by column, then by length of the gap

func (c *columns) add(at int, gap string) {
	if strings.Trim(gap, " ") != "" || gap == "" {
		return // a tab aligns by itself
	}
	if *c == nil {
		*c = columns{}
	}
	column := at + len(gap)
	if (*c)[column] == nil {
		(*c)[column] = map[int]int{}
	}
	(*c)[column][len(gap)]++
}

// aligned returns the column in which gaps of several lengths end, and most of
// them; 0 if there is none.
func (c *columns) aligned() int {
	best, most := 0, 0
	for column, gaps := range *c {
		n := 0
		for _, lines := range gaps {
			n += lines
		}
		if len(gaps) > 1 && (n > most || n == most && column > best) {
			best, most = column, n
		}
	}
	return best
}
