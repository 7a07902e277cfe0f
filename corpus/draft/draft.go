// Package draft writes vectors without a verdict. It knows neither records nor
// vectors.
package draft

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/spec/ids"
)

// The placeholders in the comment and in the source of a draft: the corpus rejects a text with
// one of them.
const (
	NoComment = "WHAT IS SHOWN, AND WHY IT MATTERS"
	NoSource  = "WHO WORKED OUT BYTES AND VERDICT, AND HOW"
)

// A Draft is a vector without verdicts. The corpus rejects its text until
// somebody has worked out the verdicts and added them.
type Draft struct {
	ID      string
	Type    string
	Comment string
	Clauses []ids.Clause
	Flags   []ids.Flag
	Context map[string]string
	Source  string
	Bytes   []byte
	Lines   []Line // annotations; each byte belongs to one line
	Tree    string // JSON of the value to encode, instead of Bytes
}

// A Line is one annotated run of bytes.
type Line struct {
	Offset, Len int
	Note        string
}

// Text returns the draft in the form of a vector file.
func (d *Draft) Text() []byte {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(d.Comment) + "\n\n")
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	if folder := strings.Join(strings.Split(d.ID, "/")[:2], "."); folder != d.Type {
		field("type", d.Type)
	}
	field("clauses", commaList(d.Clauses))
	field("flags", commaList(d.Flags))
	field("context", ContextText(d.Context))
	field("source", d.Source)
	if d.Tree != "" {
		b.WriteString("-- tree --\n" + strings.TrimSpace(d.Tree) + "\n")
	} else {
		b.WriteString("-- bytes --\n")
		writeHex(&b, d.Bytes, d.Lines)
	}
	for _, name := range d.sections() {
		b.WriteString("-- " + name + " --\n")
	}
	return []byte(b.String())
}

// sections returns the sections that need a verdict: one for all profiles or, if the
// draft lists flags, one for each side, while the other flags have those of a base.
func (d *Draft) sections() (out []string) {
	family, _, _ := strings.Cut(d.Type, ".")
	sides, taken := ids.Sides(family), map[string]bool{}
	add := func(p ids.Profile) {
		var own string // the sides of the listed flags
		for _, id := range d.Flags {
			own += p.Side(id) + ","
		}
		if !taken[own] {
			taken[own] = true
			out = append(out, strings.TrimPrefix(p.String(), ids.Observed().String()+","))
		}
	}
	add(ids.Observed())
	add(ids.Documented())
	for _, id := range d.Flags {
		for _, side := range sides[id] {
			if p, err := ids.Observed().With(id, side); err == nil {
				add(p)
			}
		}
	}
	if len(out) == 1 {
		return []string{"expect"}
	}
	return out
}

// ContextText returns a context in the form of a vector file: order=big,
// version=63.
func ContextText(context map[string]string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(context)) {
		parts = append(parts, k+"="+context[k])
	}
	return strings.Join(parts, ", ")
}

func commaList[T ~string](ids []T) string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return strings.Join(out, ", ")
}

const (
	hexPerLine  = 16
	fewestTimes = 8 // from this length on, a run of equal bytes is written as one byte and *N
	noteColumn  = 24
)

// writeHex writes annotated bytes in the form of a vector file.
func writeHex(b *strings.Builder, src []byte, lines []Line) {
	for _, l := range lines {
		note := l.Note
		for _, part := range rows(src[l.Offset : l.Offset+l.Len]) {
			fmt.Fprintf(b, "%-*s  %s\n", noteColumn, part, note)
			note = "..."
		}
	}
}

// rows writes bytes in hex, at most hexPerLine tokens per row.
func rows(src []byte) (out []string) {
	var tokens []string
	for len(src) > 0 {
		times := 1
		for times < len(src) && src[times] == src[0] {
			times++
		}
		token := fmt.Sprintf("%02X", src[0])
		if times >= fewestTimes {
			token += fmt.Sprintf(" *%d", times)
		} else {
			times = 1
		}
		tokens, src = append(tokens, token), src[times:]
	}
	for row := range slices.Chunk(tokens, hexPerLine) {
		out = append(out, strings.Join(row, " "))
	}
	return out
}
