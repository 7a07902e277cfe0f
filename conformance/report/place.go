package report

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"regexp"
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

// notes returns what the vector says of the bytes of a case. A derived case
// has other bytes; the words are those of the place.
func notes(r *judge.Result) []hexdump.Note {
	out := make([]hexdump.Note, len(r.Vector.Lines))
	for i, l := range r.Vector.Lines {
		out[i] = hexdump.Note{Offset: l.Offset, Len: l.Len, Text: l.Note}
	}
	return out
}

// rejected finds the place of a refusal in the words of the judge.
var rejected = regexp.MustCompile(`^reject [a-z]+ @(\d+)(?:-(\d+))?$`)

func placeOf(verdict string) (from, to int, ok bool) {
	m := rejected.FindStringSubmatch(verdict)
	if m == nil {
		return 0, 0, false
	}
	from, _ = strconv.Atoi(m[1])
	to = from
	if m[2] != "" {
		to, _ = strconv.Atoi(m[2])
	}
	return from, to, true
}

// marks points at the bytes of a case that matter: where a rule changed them,
// where they should be refused, where they were, which of them make the value
// that differs.
func marks(r *judge.Result) []hexdump.Mark {
	if r.Vector.EncodeOnly() || r.Op == adapter.OpEncode {
		return nil
	}
	var out []hexdump.Mark
	if r.Derived {
		out = append(out, changed(r)...)
	}
	if from, to, ok := placeOf(r.Want); ok {
		text := "to be refused here"
		if to > from {
			text = fmt.Sprintf("to be refused here, from %d to %d", from, to)
		}
		out = append(out, hexdump.Mark{From: from, To: to, Text: text})
	}
	if from, to, ok := placeOf(r.Got); ok {
		out = append(out, hexdump.Mark{From: from, To: to, Text: "refused here", Bad: true})
	}
	if path, _, ok := strings.Cut(r.Detail, " is "); ok && r.Op == adapter.OpDecode && r.Got != "" {
		if s, ok := spanOf(r, path); ok {
			out = append(out, hexdump.Mark{From: s.Start, To: s.End - 1, Text: path, Bad: true})
		}
	}
	return out
}

// changed points at the first byte that a rule made different.
func changed(r *judge.Result) []hexdump.Mark {
	own := r.Vector.Bytes
	n := 0
	for n < len(own) && n < len(r.Input) && own[n] == r.Input[n] {
		n++
	}
	switch {
	case n == len(own) && n == len(r.Input):
		return nil
	case n == len(r.Input):
		return []hexdump.Mark{{From: n, To: n, Text: fmt.Sprintf("cut: the vector has %d bytes", len(own))}}
	case n == len(own):
		return []hexdump.Mark{{From: n, To: len(r.Input) - 1, Text: "not in the vector"}}
	}
	end := n
	for end < len(own) && end < len(r.Input) && own[end] != r.Input[end] {
		end++
	}
	return []hexdump.Mark{{From: n, To: end - 1, Text: fmt.Sprintf("% x in the vector", own[n:end])}}
}

// spanOf finds the bytes that make the part of the value at a path.
func spanOf(r *judge.Result, path string) (wire.Span, bool) {
	t, ok := codec.Find(r.Vector.Type)
	if !ok {
		return wire.Span{}, false
	}
	c, err := t.Bind(wire.Settings{Profile: r.Profile}, r.Context)
	if err != nil {
		return wire.Span{}, false
	}
	_, spans, _ := c.Trace(r.Input) // the spans before a fault will do
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

// lines breaks what was expected, or what was answered: bytes are broken into rows, trees into their lines.
func lines(text string) []string {
	if b, more, ok := hexBytes(text); ok {
		var out []string
		for at := 0; at < len(b); at += rowBytes {
			out = append(out, fmt.Sprintf("%04x  % x", at, b[at:min(at+rowBytes, len(b))]))
		}
		if len(b) == 0 {
			out = append(out, "no bytes")
		}
		if more != "" {
			out = append(out, "... "+more)
		}
		return out
	}
	if n, err := tree.Parse([]byte(text)); err == nil {
		return strings.Split(strings.TrimSuffix(n.Indent(), "\n"), "\n")
	}
	return strings.Split(text, "\n")
}

const rowBytes = 8

// hexBytes reads bytes as the judge shows them: "40 01 ... (300 bytes)".
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

// showsBytes reports whether an empty text stands for no bytes.
func showsBytes(r *judge.Result) bool {
	return r.Op == adapter.OpEncode || r.Op == adapter.OpRecode
}

// sides returns what was expected and what was answered, in lines; nil if
// there is nothing to compare.
func sides(r *judge.Result) (want, got []string) {
	if r.Want == "" && r.Got == "" && !showsBytes(r) || !r.Status.Bad() {
		return nil, nil
	}
	if r.Want != "" || showsBytes(r) {
		want = lines(r.Want)
	}
	if r.Got != "" || showsBytes(r) && r.Status == judge.Fail {
		got = lines(r.Got)
	}
	if len(want) <= 1 && len(got) <= 1 && strings.HasPrefix(strings.Join(want, "")+strings.Join(got, ""), firstRow) {
		want, got = withoutOffset(want), withoutOffset(got)
	}
	return want, got
}

const firstRow = "0000  "

// withoutOffset leaves out the offset of a single row: it says nothing.
func withoutOffset(rows []string) []string {
	if len(rows) != 1 {
		return rows
	}
	return []string{strings.TrimPrefix(rows[0], firstRow)}
}

// A pair is a line of each side; one of them may be missing.
type pair struct {
	want, got       string
	hasWant, hasGot bool
}

func (p *pair) same() bool { return p.hasWant && p.hasGot && p.want == p.got }

// maxAlign bounds the work of aligning, in products of lines.
const maxAlign = 1 << 20

// align puts lines beside each other so that as many as possible are the same.
func align(want, got []string) []pair {
	var out []pair
	if len(want)*len(got) > maxAlign {
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
	// common[i][j] is the length of the longest common part of what follows.
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
		// Up to the next common line: changed lines side by side.
		fromI, fromJ := i, j
		for (i < len(want) || j < len(got)) && !(i < len(want) && j < len(got) && want[i] == got[j]) {
			if j >= len(got) || i < len(want) && common[i+1][j] >= common[i][j+1] {
				i++
			} else {
				j++
			}
		}
		for k := range max(i-fromI, j-fromJ) {
			p := pair{hasWant: fromI+k < i, hasGot: fromJ+k < j}
			if p.hasWant {
				p.want = want[fromI+k]
			}
			if p.hasGot {
				p.got = got[fromJ+k]
			}
			out = append(out, p)
		}
	}
	return out
}

// sideNames spells out which sides the section stands for that would have
// been met.
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

// sideSentence tells that the answer is that of another side; "" if it is not.
func sideSentence(r *judge.Result) string {
	switch names := sideNames(r); {
	case r.Side == "":
		return ""
	case r.Side == corpus.ExpectAll || len(names) == 0:
		return "this is what the vector expects of other sides (" + r.Side + ")"
	default:
		return "answers as " + strings.Join(names, ", ") + ": declare it if it is meant"
	}
}

// dumpOf shows the input of a case as text.
func dumpOf(r *judge.Result, indent string, style hexdump.Style) string {
	var b bytes.Buffer
	switch {
	case r.Vector.EncodeOnly():
		for _, l := range lines(r.Vector.Tree) {
			b.WriteString(indent + cut(l, textWidth) + "\n")
		}
	case len(r.Input) == 0 && len(r.Vector.Bytes) == 0:
		b.WriteString(indent + style.Faint("no bytes") + "\n")
	default:
		hexdump.Notes(&b, indent, r.Input, notes(r), marks(r), style)
	}
	return b.String()
}
