package report

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/hexdump"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
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

// rejectPattern matches a rejection with offset as the judge writes it.
var rejectPattern = regexp.MustCompile(`^reject [a-z|]+ @(\d+)(?:-(\d+))?$`)

func rejectRange(verdict string) (from, to int, ok bool) {
	match := rejectPattern.FindStringSubmatch(verdict)
	if match == nil {
		return 0, 0, false
	}
	from, _ = strconv.Atoi(match[1])
	to = from
	if match[2] != "" {
		to, _ = strconv.Atoi(match[2])
	}
	return from, to, true
}

// marksOf marks bytes of a case: those that a rule changed, the expected and
// the actual offset of a rejection, and those of the part of the value that
// differs.
func marksOf(r *judge.Result) []hexdump.Mark {
	if r.Vector.EncodeOnly() || r.Op == adapter.OpEncode {
		return nil
	}
	var out []hexdump.Mark
	if r.Derived {
		out = append(out, changedBytes(r)...)
	}
	if from, to, ok := rejectRange(r.Want); ok {
		text := "rejection expected here"
		if to > from {
			text = fmt.Sprintf("rejection expected here, from %d to %d", from, to)
		}
		out = append(out, hexdump.Mark{From: from, To: to, Text: text})
	}
	if from, to, ok := rejectRange(r.Got); ok {
		out = append(out, hexdump.Mark{From: from, To: to, Text: "rejected here", Bad: true})
	}
	if path, _, ok := strings.Cut(r.Detail, ": expected "); ok && r.Op == adapter.OpDecode && r.Got != "" {
		if s, ok := spanOf(r, path); ok {
			out = append(out, hexdump.Mark{From: s.Start, To: s.End - 1, Text: path, Bad: true})
		}
	}
	return out
}

// changedBytes marks the first bytes that a rule changed.
func changedBytes(r *judge.Result) []hexdump.Mark {
	own := r.Vector.Bytes
	n := 0
	for n < len(own) && n < len(r.Input) && own[n] == r.Input[n] {
		n++
	}
	switch {
	case n == len(own) && n == len(r.Input):
		return nil
	case n == len(r.Input):
		return []hexdump.Mark{{From: n, To: n, Text: fmt.Sprintf("truncated: the vector has %d bytes", len(own))}}
	case n == len(own):
		return []hexdump.Mark{{From: n, To: len(r.Input) - 1, Text: "not in the vector"}}
	}
	end := n
	for end < len(own) && end < len(r.Input) && own[end] != r.Input[end] {
		end++
	}
	return []hexdump.Mark{{From: n, To: end - 1, Text: fmt.Sprintf("% x in the vector", own[n:end])}}
}

// spanOf returns the bytes of the part of the value at a path.
func spanOf(r *judge.Result, path string) (wire.Span, bool) {
	t, ok := codec.Find(r.Vector.Type)
	if !ok {
		return wire.Span{}, false
	}
	c, err := t.Bind(wire.Settings{Profile: r.Profile}, r.Context)
	if err != nil {
		return wire.Span{}, false
	}
	_, spans, _ := c.Trace(r.Input) // the spans before a fault are enough
	var found wire.Span
	ok = false
	for _, s := range spans {
		rest, in := strings.CutPrefix(s.Path, path)
		if !in || rest != "" && rest[0] != '.' && rest[0] != '[' || s.End <= s.Start {
			continue
		}
		if !ok {
			found, ok = s, true
		}
		found.End = s.End
	}
	return found, ok && found.End <= len(r.Input)
}

// splitValue splits an expected or actual answer into lines: bytes into rows, a
// tree into its indented lines.
func splitValue(text string) []string {
	if b, more, ok := hexBytes(text); ok {
		var out []string
		for at := 0; at < len(b); at += bytesPerRow {
			out = append(out, fmt.Sprintf("%04x  % x", at, b[at:min(at+bytesPerRow, len(b))]))
		}
		if len(b) == 0 {
			out = append(out, "no bytes")
		}
		if more != "" {
			out = append(out, "... "+more)
		}
		return out
	}
	value, more := text, "" // a long tree is shortened: {...} ... (length and hash)
	if i := strings.LastIndex(text, " ... ("); i >= 0 && strings.HasSuffix(text, ")") {
		value, more = text[:i], "\n... "+text[i+len(" ... ("):len(text)-1]
	}
	if n, err := tree.Parse([]byte(value)); err == nil {
		return strings.Split(strings.TrimSuffix(n.Indent(), "\n")+more, "\n")
	}
	return strings.Split(text, "\n")
}

const bytesPerRow = 8

// hexBytes parses bytes as the judge writes them: "40 01 ... (300 bytes)".
func hexBytes(text string) (b []byte, more string, ok bool) {
	head, more, _ := strings.Cut(text, " ... (")
	more = strings.TrimSuffix(more, ")")
	for _, w := range strings.Fields(head) {
		if len(w) != 2 {
			return nil, "", false
		}
	}
	b, err := hex.DecodeString(strings.ReplaceAll(head, " ", ""))
	return b, more, err == nil && (head != "" || text == "")
}

// answerIsBytes reports whether an empty answer means no bytes.
func answerIsBytes(r *judge.Result) bool {
	return r.Op == adapter.OpEncode || r.Op == adapter.OpRoundtrip
}

// expectedAndGot returns the expected and the actual answer in lines; nil if
// there is nothing to compare.
func expectedAndGot(r *judge.Result) (want, got []string) {
	if r.Want == "" && r.Got == "" && !answerIsBytes(r) || !r.Status.Failed() {
		return nil, nil
	}
	if r.Want != "" || answerIsBytes(r) {
		want = splitValue(r.Want)
	}
	if r.Got != "" || answerIsBytes(r) && r.Status == judge.Fail {
		got = splitValue(r.Got)
	}
	if len(want) <= 1 && len(got) <= 1 && strings.HasPrefix(strings.Join(want, "")+strings.Join(got, ""), zeroOffset) {
		want, got = withoutOffset(want), withoutOffset(got)
	}
	if !isValue(want) || !isValue(got) { // nothing differs in particular
		return beginning(want), beginning(got)
	}
	return want, got
}

// isValue reports whether an answer is neither missing nor a rejection or an error.
func isValue(lines []string) bool {
	return len(lines) > 0 && !strings.HasPrefix(lines[0], "reject") && !strings.HasPrefix(lines[0], "error: ")
}

// maxBeginning is the maximum number of lines of a value that is not compared.
const maxBeginning = 6

// beginning returns the first lines of a value.
func beginning(lines []string) []string {
	if len(lines) <= maxBeginning {
		return lines
	}
	return append(slices.Clone(lines[:maxBeginning-1]), fmt.Sprintf("... %d more lines", len(lines)-maxBeginning+1))
}

const zeroOffset = "0000  "

// withoutOffset removes the offset of a single row.
func withoutOffset(rows []string) []string {
	if len(rows) != 1 {
		return rows
	}
	return []string{strings.TrimPrefix(rows[0], zeroOffset)}
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
	i, j := 0, 0
	for i < len(want) || j < len(got) {
		if i < len(want) && j < len(got) && want[i] == got[j] {
			out = append(out, pair{want[i], got[j], true, true})
			i, j = i+1, j+1
			continue
		}
		// Changed lines, up to the next common line.
		fromI, fromJ := i, j
		for (i < len(want) || j < len(got)) && !(i < len(want) && j < len(got) && want[i] == got[j]) {
			if j >= len(got) || i < len(want) && common[i+1][j] >= common[i][j+1] {
				i++
			} else {
				j++
			}
		}
		out = appendPairs(out, want[fromI:i], got[fromJ:j])
	}
	return out
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

// sideNames lists the sides of the section that the answer satisfies, where
// they differ from the sides of the profile.
func sideNames(r *judge.Result) []string {
	p, err := ids.ParseProfile(r.Side)
	if err != nil {
		return nil
	}
	var names []string
	for _, id := range r.Vector.Flags {
		if f, ok := spec.FindFlag(id); ok && f.Switchable() && p.Side(id) != r.Profile.Side(id) {
			names = append(names, string(id)+"="+p.Side(id))
		}
	}
	return names
}

// sideSentence says that the answer is correct for other sides; "" if it is not.
func sideSentence(r *judge.Result) string {
	switch names := sideNames(r); {
	case r.Side == "":
		return ""
	case r.Side == corpus.ExpectAll || len(names) == 0:
		return "The answer is the expected one under other sides (" + r.Side + ")"
	default:
		return "The answer is the expected one under " + strings.Join(names, ", ") + ": declare this if it is intended"
	}
}

// dumpOf returns the input of a case as text.
func dumpOf(r *judge.Result, indent string, style hexdump.Style) string {
	var b bytes.Buffer
	switch {
	case r.Vector.EncodeOnly():
		for _, l := range splitValue(r.Vector.Tree) {
			b.WriteString(indent + truncate(l, textWidth) + "\n")
		}
	case len(r.Input) == 0 && len(r.Vector.Bytes) == 0:
		b.WriteString(indent + style.Faint("no bytes") + "\n")
	default:
		hexdump.Notes(&b, indent, r.Input, notesOf(r), marksOf(r), style)
	}
	return b.String()
}
