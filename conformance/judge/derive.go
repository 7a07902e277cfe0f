package judge

import (
	"encoding/binary"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Rule makes cases from a vector whose bytes are accepted. A case is made
// only where its verdict follows for certain, from the vector's own bytes,
// verdict and annotation, and from what the records say of the structure:
// never from the reference, because then the reference would vouch for itself
// and everybody else would be measured against its code.
//
// Truncated and Trailing follow from every structure being its own measure:
// where it ends follows from its bytes alone. If a part cut off the front of
// an accepted input were accepted too, the whole input would have bytes left
// over and could not be accepted. The one fault of such a part is that it
// ends. Structures that take all they are given are no such measure, nor is
// anything on a side that is lenient about lengths; the records name both.
//
// Which bytes are a length or a count follows from the marks of the annotation
// alone ([corpus.Mark]). Where a record says that counts are loose, none is
// changed. The spans of the reference would name more fields, but a span that
// is wrong in the codec would make a wrong case, and nobody could tell which
// of the two is at fault.
type Rule string

const (
	// Truncated: the input ends early. It must be refused as truncated.
	Truncated Rule = "truncated"
	// Trailing: one byte follows. It must be refused as trailing, there.
	Trailing Rule = "trailing"
	// Raised: a length or count is more than what is left of the input: by one,
	// by as much as its field holds, or because one of its upper bytes is, which
	// a reader of a narrower field never looks at. It must be refused.
	Raised Rule = "raised"
	// Lowered: a length or count is less by one. It must not be the same value.
	Lowered Rule = "lowered"
	// OtherOrder: the same bytes in the other byte order. It must not be the same value.
	OtherOrder Rule = "other-order"
	// Mirrored: every number is turned round, and so is the byte order. It
	// must be the same value.
	Mirrored Rule = "mirrored"
)

// Rules lists all rules.
func Rules() []Rule { return []Rule{Truncated, Trailing, Raised, Lowered, OtherOrder, Mirrored} }

// differs is the verdict of a case that may be refused or be another value.
const differs corpus.Outcome = "differs"

// everyCut is the length up to which an input is cut at each byte. Longer ones
// are cut around each line of their annotation, and near both ends.
const (
	everyCut = 2048
	nearEnds = 64
)

// Derive makes the cases that follow from a vector under a profile.
func Derive(v *corpus.Vector, p ids.Profile) []Case {
	e := v.Select(p)
	if e == nil || e.Outcome != corpus.Accept && e.Outcome != corpus.Noncanonical {
		return nil
	}
	s, ok := spec.FindStructure(v.Structure())
	if !ok || s.TakesAll != "" || lenient(v.Family(), p) {
		return nil
	}
	d := &derivation{v: v, p: p, e: e}
	d.cuts()
	d.add(Trailing, "", append(slices.Clip(v.Bytes), 0), &corpus.Expectation{
		Outcome: corpus.Reject, Class: "trailing", From: len(v.Bytes), To: len(v.Bytes),
	})
	if s.LooseCounts == "" {
		d.lengths()
	}
	d.orders()
	return d.out
}

// lenient reports whether a profile takes a side on which lengths may not fit.
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
	v   *corpus.Vector
	p   ids.Profile
	e   *corpus.Expectation
	out []Case
}

func (d *derivation) add(rule Rule, where string, input []byte, e *corpus.Expectation) {
	id := d.v.ID + "#" + string(rule)
	if where != "" {
		id += "-" + where
	}
	e.Profile = d.e.Profile
	d.out = append(d.out, Case{ID: id, Vector: d.v, Profile: d.p, Rule: rule, Input: input, Context: d.v.Context, Expect: e})
}

func (d *derivation) cuts() {
	b := d.v.Bytes
	cut := func(n int) {
		d.add(Truncated, strconv.Itoa(n), b[:n:n], &corpus.Expectation{Outcome: corpus.Reject, Class: "truncated", From: 0, To: n})
	}
	if len(b) <= everyCut {
		for n := range b {
			cut(n)
		}
		return
	}
	at := map[int]bool{}
	for n := range nearEnds {
		at[n], at[len(b)-1-n] = true, true
	}
	for _, l := range d.v.Lines {
		for n := l.Offset - 1; n <= l.Offset+1; n++ {
			at[n] = true
		}
	}
	for _, n := range slices.Sorted(maps.Keys(at)) {
		if n >= 0 && n < len(b) {
			cut(n)
		}
	}
}

// lengths changes each length and count.
func (d *derivation) lengths() {
	for _, f := range lengthFields(d.v) {
		left := uint64(len(d.v.Bytes) - f.at - f.width)
		change := func(rule Rule, suffix string, to uint64, e *corpus.Expectation) {
			b := slices.Clone(d.v.Bytes)
			f.put(b, to)
			d.add(rule, strconv.Itoa(f.at)+suffix, b, e)
		}
		// An element takes a byte at least, so one more than there are bytes
		// left is too many, in whatever unit.
		if left+1 <= f.most() {
			change(Raised, "", left+1, &corpus.Expectation{Outcome: corpus.Reject, From: -1})
		}
		if f.width > 1 && f.most() > left+1 {
			change(Raised, "-most", f.most(), &corpus.Expectation{Outcome: corpus.Reject, From: -1})
		}
		for bit := 8; bit < 8*f.width; bit += 8 {
			if to := f.value + 1<<bit; to > left+1 && to < f.most() {
				change(Raised, "-by-"+strconv.Itoa(1<<bit), to, &corpus.Expectation{Outcome: corpus.Reject, From: -1})
			}
		}
		if f.value > 0 {
			change(Lowered, "", f.value-1, &corpus.Expectation{Outcome: differs, Tree: d.e.Tree, From: -1})
		}
	}
}

// A field is a number in a vector's bytes.
type field struct {
	at, width int
	value     uint64
	big       bool
}

// most is the greatest value that no reader takes for a negative one, or for a
// byte that says something else, such as that more follow.
func (f field) most() uint64 {
	if f.width == 1 {
		return 0x3F
	}
	return 1<<(8*f.width-1) - 1
}

func (f field) put(b []byte, v uint64) { putNumber(b[f.at:f.at+f.width], v, f.big) }

func putNumber(b []byte, v uint64, big bool) {
	var eight [8]byte
	binary.LittleEndian.PutUint64(eight[:], v)
	copy(b, eight[:])
	if big {
		slices.Reverse(b[:min(8, len(b))])
	}
}

func number(b []byte, big bool) uint64 {
	var eight [8]byte
	copy(eight[:], b)
	if big {
		slices.Reverse(eight[:min(8, len(b))])
	}
	return binary.LittleEndian.Uint64(eight[:])
}

// lengthFields lists the fields that the annotation marks as a length or count.
func lengthFields(v *corpus.Vector) []field {
	var out []field
	for _, l := range v.Lines {
		if l.Mark != "" {
			out = append(out, field{at: l.Offset, width: l.Width, value: v.Value(l), big: v.Context["order"] == "big"})
		}
	}
	return out
}

var widths = []int{1, 2, 4, 8}

// orders reads the vector in the other byte order, as it stands and turned round.
func (d *derivation) orders() {
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
	lengths := lengthFields(d.v)
	apart, all := false, len(d.v.Lines) > 0
	mirrored := slices.Clone(d.v.Bytes)
	for _, l := range d.v.Lines {
		b := d.v.Bytes[l.Offset : l.Offset+l.Len]
		numbers, width := spelled(l.Note, b, big)
		if numbers == nil {
			all = false
			continue
		}
		for i, text := range numbers {
			at := l.Offset + i*width
			one := mirrored[at : at+width]
			slices.Reverse(one)
			same := string(one) == string(d.v.Bytes[at:at+width])
			isLength := slices.ContainsFunc(lengths, func(f field) bool { return f.at == at && f.width == width })
			apart = apart || !same && (leaves[text] || isLength)
		}
	}
	before := len(d.out)
	if apart {
		d.add(OtherOrder, "", d.v.Bytes, &corpus.Expectation{Outcome: differs, Tree: d.e.Tree, From: -1})
	}
	if all && d.e.Outcome == corpus.Accept && string(mirrored) != string(d.v.Bytes) {
		d.add(Mirrored, "", mirrored, &corpus.Expectation{Outcome: corpus.Accept, Tree: d.e.Tree, From: -1})
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
	if n, err := tree.Parse([]byte(text)); err == nil {
		walk(n)
	}
	return out
}

var numberToken = regexp.MustCompile(`-?\d+(?:\.\d+)?(?:e[+-]?\d+)?`)

// numbersIn lists the numbers that stand in a note as words of their own.
func numbersIn(note string) []string {
	var out []string
	for _, m := range numberToken.FindAllStringIndex(note, -1) {
		before, after := " ", " "
		if m[0] > 0 {
			before = note[m[0]-1 : m[0]]
		}
		if m[1] < len(note) {
			after = note[m[1] : m[1]+1]
		}
		if strings.Contains(" (", before) && strings.Contains(" ,;:)", after) {
			out = append(out, note[m[0]:m[1]])
		}
	}
	return out
}

// spelled returns the numbers at the end of a note if they, and they alone,
// are what the bytes of its line spell; and how many bytes each takes.
func spelled(note string, b []byte, big bool) ([]string, int) {
	tokens := numbersIn(note)
	for k := 1; k <= len(tokens); k++ {
		width := len(b) / k
		if width*k != len(b) || width < 2 || !slices.Contains(widths, width) {
			continue
		}
		last := tokens[len(tokens)-k:]
		ok := true
		for i, t := range last {
			ok = ok && spells(t, b[i*width:(i+1)*width], big)
		}
		if ok {
			return last, width
		}
	}
	return nil, 0
}

func spells(text string, b []byte, big bool) bool {
	have := number(b, big)
	if v, err := strconv.ParseInt(text, 10, 8*len(b)); err == nil && uint64(v)<<(64-8*len(b)) == have<<(64-8*len(b)) {
		return true
	}
	if v, err := strconv.ParseUint(text, 10, 8*len(b)); err == nil && v == have {
		return true
	}
	switch len(b) {
	case 4:
		f, err := strconv.ParseFloat(text, 32)
		return err == nil && uint64(math.Float32bits(float32(f))) == have
	case 8:
		f, err := strconv.ParseFloat(text, 64)
		return err == nil && math.Float64bits(f) == have
	}
	return false
}

// Words says in words what a case of the rule is.
func (r Rule) Words() string {
	switch r {
	case Truncated:
		return "an accepted input that ends early"
	case Trailing:
		return "an accepted input and a byte behind it"
	case Raised:
		return "a length or count beyond the end of the input"
	case Lowered:
		return "a length or count less by one"
	case OtherOrder:
		return "the same bytes in the other byte order"
	case Mirrored:
		return "every number turned round, and the byte order with them"
	}
	return ""
}
