package judge

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Rule derives cases from a vector whose bytes are accepted. A case is derived
// only if its verdict follows with certainty from the bytes, the verdict and the
// annotation of the vector, and from what the records state about the structure.
// The reference never makes an expectation: a fault in it would become a wrong
// expectation for every implementation. Under a side that is lenient about lengths it
// decides which cases are left out: those whose answer the side changes.
//
// Truncated and Trailing rest on one property: the bytes of a structure determine
// where it ends. If a proper prefix of an accepted input were accepted, the whole
// input would have trailing bytes and would be rejected. So the only fault of a
// prefix is that it ends early. The property does not hold for structures that
// consume all input, and not always for sides that are lenient about lengths. The
// records mark both.
//
// What a rule demands is no choice of this reference: every reader must notice that its
// input ends early. But a rule presumes that the bytes of the vector are accepted. Where
// that is a choice, a reader that rejects them may reject the derived bytes with another
// class or at another byte: for it, a failed case is [Acceptable]. A reader that accepts
// the vector must pass the cases.
//
// The marks of the annotation ([corpus.Mark]) are the only source for which bytes
// are a length or a count. Where a record says that counts are loose, no count is
// changed. An edit that only a choice of this reference forbids derives no case.
// The spans of the reference would give more fields, but an incorrect
// span would derive an incorrect case, and the result would not show which of the
// two is at fault.
type Rule string

const (
	// Truncated: the input ends early. It must be rejected as truncated, or, if it
	// ends before or inside a fixed tag, as truncated or as magic.
	Truncated Rule = "truncated"
	// Trailing: one byte follows the input. It must be rejected as trailing, at
	// that byte.
	Trailing Rule = "trailing"
	// Raised: a length or count exceeds the remaining input: by one, by the
	// maximum of its field, or by one bit in an upper byte, which a reader that
	// reads too few bytes ignores. It must be rejected.
	Raised Rule = "raised"
	// Lowered: a length or count is decremented. The input must be rejected or
	// decode to another value.
	Lowered Rule = "lowered"
	// OtherOrder: the same bytes in the other byte order. The input must be
	// rejected or decode to another value.
	OtherOrder Rule = "other-order"
	// Mirrored: the bytes of every number are reversed, and the byte order is the
	// other one. The input must decode to the same value.
	Mirrored Rule = "mirrored"
)

// Rules lists all rules.
func Rules() []Rule { return []Rule{Truncated, Trailing, Raised, Lowered, OtherOrder, Mirrored} }

// otherValue is the verdict of a case that must be rejected or decode to another
// value.
const otherValue corpus.Outcome = "other-value"

// cutEveryByte is the length in bytes up to which an input is cut at each
// offset. A longer input is cut near each line of its annotation, and in its
// first and last cutNearEnds bytes; in fewer if these inputs together have more
// than cutBytes. One of more than cutBytes is cut only where a line begins.
const (
	cutEveryByte = 512
	cutNearEnds  = 64
	cutBytes     = 1 << 18
)

// Derive derives cases from a vector under a profile.
func Derive(v *corpus.Vector, p ids.Profile) []Case {
	e := Verdict(v, p)
	if e == nil || e.Outcome != corpus.Accept && e.Outcome != corpus.Noncanonical {
		return nil
	}
	s, ok := spec.FindStructure(v.Structure())
	if !ok || s.TakesAll != "" {
		return nil
	}
	d := &derivation{v: v, p: p, e: e, choices: newCase(v, p).Choices}
	d.addTruncated()
	d.add(Trailing, "", Edit{At: len(v.Bytes), Inserted: []byte{0}}, &corpus.Expectation{
		Outcome: corpus.Reject, Class: "trailing", From: len(v.Bytes), To: len(v.Bytes),
	})
	if s.LooseCounts == "" {
		d.addLengths()
	}
	d.out = slices.DeleteFunc(d.out, func(c Case) bool { return onlyByChoice(&c) })
	d.addOrders()
	if lenient(v.Family(), p) {
		// The reference decides only what is left out: where the side changes the answer.
		d.out = slices.DeleteFunc(d.out, func(c Case) bool { return !c.right() })
	}
	return d.out
}

// reference keeps the codecs of profiles that it has seen.
var reference = adapter.NewReference()

// askReference returns the answer of the reference to a request about a case, under a
// profile and in a context.
func (c *Case) askReference(q adapter.Request, p ids.Profile, in map[string]string) adapter.Response {
	q.Type, q.Profile, q.Context = c.Vector.Type, p.String(), in
	a, _ := reference.Do(context.Background(), q) // it never returns an error
	return a
}

// decoded returns the answer of the reference to a request to decode bytes in hex in place
// of the input.
func (c *Case) decoded(text string) adapter.Response {
	return c.askReference(adapter.Request{Op: adapter.OpDecode, Hex: &text}, c.Profile, c.Context)
}

// onlyByChoice reports whether a choice of this reference alone forbids an edit: then no
// case is derived from it. The reference names the clause by which it rejects the input.
func onlyByChoice(c *Case) bool {
	if c.Rule != Raised && c.Rule != Lowered {
		return false
	}
	a := c.decoded(hex.EncodeToString(c.Input()))
	if a.Reject == nil {
		return false
	}
	_, only := spec.FindChoice(a.Reject.Clause)
	return only
}

// excuseDerived makes failed derived cases acceptable where a choice decides the vector and
// the implementation rejects it: see [Rule]. A reader that does not support the vector itself need not
// find other faults in it.
func excuseDerived(results []Result) {
	var own *Result // of the vector; its derived cases follow it
	eachOutcome(results, func(r *Result, o *Outcome) {
		if !r.Derived {
			own = r
			return
		}
		sameVector := own != nil && own.Vector == r.Vector
		switch {
		case sameVector && own.Status == Skip && o.Got != nil && o.Got.Reject != nil &&
			o.Got.Reject.Class == string(Unsupported):
			*o = Outcome{Op: o.Op, Status: Skip, Reason: Unsupported}
		case len(o.Choices) == 0:
		case o.Status.Failed() && sameVector && own.Profile.String() == r.Profile.String() && own.rejects() &&
			o.Class.isAnswer():
			o.Status, o.Reason = Acceptable, ByChoice
		case o.Status.Failed():
			o.Choices = nil
		}
	})
}

// rejects reports whether the implementation rejects the input.
func (r *Result) rejects() bool {
	return slices.ContainsFunc(r.Outcomes,
		func(o Outcome) bool { return o.Op == adapter.OpDecode && o.Got != nil && o.Got.Reject != nil })
}

// lenient reports whether a profile takes a side that is lenient about lengths.
func lenient(family string, p ids.Profile) bool {
	f, ok := spec.FindFamily(family)
	if !ok {
		return true
	}
	for i := range f.Flags {
		fl := &f.Flags[i]
		if s, ok := fl.Side(p.Side(fl.ID)); fl.Switchable() && ok && s.Lenient != "" {
			return true
		}
	}
	return false
}

type derivation struct {
	v       *corpus.Vector
	p       ids.Profile
	e       *corpus.Expectation
	choices []Choice // that decide the vector
	out     []Case
}

func (d *derivation) add(rule Rule, where string, edit Edit, e *corpus.Expectation) {
	id := d.v.ID + "#" + string(rule)
	if where != "" {
		id += "-" + where
	}
	e.Profile = d.e.Profile
	d.out = append(d.out, Case{
		ID: id, Vector: d.v, Profile: d.p, Rule: rule, Edit: &edit,
		Context: d.v.Context, Expect: e, Choices: d.choices,
	})
}

func (d *derivation) addTruncated() {
	b := d.v.Bytes
	inTag := tagBytes(d.v)
	cut := func(n int) {
		class := "truncated"
		if inTag[n] {
			class += "|magic"
		}
		d.add(Truncated, strconv.Itoa(n), Edit{At: n, Deleted: len(b) - n},
			&corpus.Expectation{Outcome: corpus.Reject, Class: class, From: 0, To: n})
	}
	if len(b) <= cutEveryByte {
		for n := range b {
			cut(n)
		}
		return
	}
	at := map[int]bool{}
	for n := range min(cutNearEnds, cutBytes/len(b)) {
		at[n], at[len(b)-1-n] = true, true
	}
	near := min(1, len(at)) // of a very long input only at each line
	for _, l := range d.v.Lines {
		for n := l.Offset - near; n <= l.Offset+near; n++ {
			at[n] = true
		}
	}
	for _, n := range slices.Sorted(maps.Keys(at)) {
		if n >= 0 && n < len(b) {
			cut(n)
		}
	}
}

// tagBytes returns the offsets of the bytes of fixed tags, also of nested ones, that
// begin a line of the annotation. An input that is cut there may be reported as
// truncated or as one without its tag: a reader that compares bytes with a tag need
// not distinguish a tag that is cut from another one.
func tagBytes(v *corpus.Vector) map[int]bool {
	out := map[int]bool{}
	f, ok := spec.FindFamily(v.Family())
	if !ok {
		return out
	}
	for i := range f.Structures {
		for _, text := range f.Structures[i].Tags {
			tag, _ := hex.DecodeString(text) // see the checks of the records
			for _, l := range v.Lines {
				for n := l.Offset; bytes.HasPrefix(v.Bytes[l.Offset:], tag) && n < l.Offset+len(tag); n++ {
					out[n] = true
				}
			}
		}
	}
	return out
}

// addLengths adds cases for each length and count that the annotation marks.
func (d *derivation) addLengths() {
	for _, l := range d.v.Lines {
		if l.Mark == "" {
			continue
		}
		remaining := uint64(len(d.v.Bytes) - l.Offset - l.Width)
		value, most := d.v.Value(l), maxOf(l.Width)
		change := func(rule Rule, suffix string, to uint64, e corpus.Expectation) {
			edit := Edit{l.Offset, l.Width, numberBytes(to, l.Width, d.v.Context["order"] == "big")}
			d.add(rule, strconv.Itoa(l.Offset)+suffix, edit, &e)
		}
		rejected := corpus.Expectation{Outcome: corpus.Reject, From: -1}
		// An element takes at least one byte, so a value greater than the
		// number of remaining bytes is too great in any unit.
		if remaining+1 <= most {
			change(Raised, "", remaining+1, rejected)
		}
		if l.Width > 1 && most > remaining+1 {
			change(Raised, "-most", most, rejected)
		}
		for bit := 8; bit < 8*l.Width; bit += 8 {
			if to := value + 1<<bit; to > remaining+1 && to < most {
				change(Raised, "-by-"+strconv.Itoa(1<<bit), to, rejected)
			}
		}
		if value > 0 {
			change(Lowered, "", value-1, corpus.Expectation{Outcome: otherValue, Tree: d.e.Tree, From: -1})
		}
	}
}

// maxOf is the greatest value of a field that no reader takes for a negative number, and in
// one byte for a prefix of a longer number.
func maxOf(width int) uint64 {
	if width == 1 {
		return 0x3F
	}
	return 1<<(8*width-1) - 1
}

// numberBytes returns the bytes of a number in one of the byte orders.
func numberBytes(v uint64, width int, big bool) []byte {
	b := binary.LittleEndian.AppendUint64(nil, v)[:width]
	if big {
		slices.Reverse(b)
	}
	return b
}

var widths = []int{1, 2, 4, 8}

// addOrders adds cases in the other byte order, with the same bytes and with
// reversed ones.
func (d *derivation) addOrders() {
	t, ok := codec.Find(d.v.Type)
	if !ok || t.Context["order"] == "" {
		return
	}
	big := d.v.Context["order"] == "big"
	context := maps.Clone(d.v.Context)
	if context == nil {
		context = map[string]string{}
	}
	context["order"] = map[bool]string{true: "little", false: "big"}[big]
	leaves := leafTexts(d.e.Tree)
	orderMatters, allNumbers := false, len(d.v.Lines) > 0
	mirrored := slices.Clone(d.v.Bytes)
	for _, l := range d.v.Lines {
		b := d.v.Bytes[l.Offset : l.Offset+l.Len]
		numbers, width := numbersOf(l.Note, b, big)
		if numbers == nil {
			allNumbers = false
			continue
		}
		for i, text := range numbers {
			at := l.Offset + i*width
			one := mirrored[at : at+width]
			slices.Reverse(one)
			same := string(one) == string(d.v.Bytes[at:at+width])
			isLength := slices.ContainsFunc(d.v.Lines, func(l corpus.Line) bool {
				return l.Mark != "" && l.Offset == at && l.Width == width
			})
			orderMatters = orderMatters || !same && (leaves[text] || isLength)
		}
	}
	before := len(d.out)
	if orderMatters {
		d.add(OtherOrder, "", Edit{}, &corpus.Expectation{Outcome: otherValue, Tree: d.e.Tree, From: -1})
	}
	if allNumbers && d.e.Outcome == corpus.Accept && string(mirrored) != string(d.v.Bytes) {
		d.add(Mirrored, "", Edit{0, len(mirrored), mirrored},
			&corpus.Expectation{Outcome: corpus.Accept, Tree: d.e.Tree, From: -1})
	}
	for i := before; i < len(d.out); i++ {
		d.out[i].Context = context
	}
}

// leafTexts collects the texts of a tree.
func leafTexts(text string) map[string]bool {
	out := map[string]bool{}
	var walk func(tree.Node)
	walk = func(n tree.Node) {
		if n.Kind == tree.Text {
			out[n.Text] = true
		}
		for _, item := range n.Items {
			walk(item)
		}
	}
	if n, err := tree.ParseVector(text); err == nil {
		walk(n)
	}
	return out
}

var numberToken = regexp.MustCompile(`^-?\d+(\.\d+)?(e[+-]?\d+)?$`)

// numbersIn lists the numbers in a note that are words of their own.
func numbersIn(note string) []string {
	words := strings.FieldsFunc(note, func(r rune) bool { return strings.ContainsRune(" (,;:)", r) })
	return slices.DeleteFunc(words, func(word string) bool { return !numberToken.MatchString(word) })
}

// numbersOf returns the numbers at the end of a note if they are exactly what the
// bytes of its line encode, and the width of each in bytes.
func numbersOf(note string, b []byte, big bool) ([]string, int) {
	tokens := numbersIn(note)
	for k := 1; k <= len(tokens); k++ {
		width := len(b) / k
		if width*k != len(b) || width < 2 || !slices.Contains(widths, width) {
			continue
		}
		last := tokens[len(tokens)-k:]
		ok := true
		for i, t := range last {
			ok = ok && encodes(t, b[i*width:(i+1)*width], big)
		}
		if ok {
			return last, width
		}
	}
	return nil, 0
}

func encodes(text string, b []byte, big bool) bool {
	is := func(v uint64, err error) bool { return err == nil && bytes.Equal(numberBytes(v, len(b), big), b) }
	signed, err1 := strconv.ParseInt(text, 10, 8*len(b))
	unsigned, err2 := strconv.ParseUint(text, 10, 8*len(b))
	if is(uint64(signed), err1) || is(unsigned, err2) {
		return true
	}
	f, err := strconv.ParseFloat(text, 8*len(b)) // of 64 bits unless of 32
	return len(b) == 4 && is(uint64(math.Float32bits(float32(f))), err) || len(b) == 8 && is(math.Float64bits(f), err)
}

var ruleTexts = map[Rule]string{
	Truncated:  "The input ends early: bytes at the end of a vector were removed.",
	Trailing:   "One byte follows the input of a vector.",
	Raised:     "A length or count in the bytes of a vector was raised above the remaining input.",
	Lowered:    "A length or count in the bytes of a vector was lowered by one.",
	OtherOrder: "The bytes of a vector in the other byte order.",
	Mirrored:   "The bytes of each number of a vector were reversed, and the byte order is the other one.",
}

// Description says what the rule does.
func (r Rule) Description() string { return ruleTexts[r] }
