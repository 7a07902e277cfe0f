package diff

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus/draft"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Finding is a difference with the smallest input that shows it.
type Finding struct {
	Kind Kind `json:"kind"`
	// Op is the operation of the request.
	Op adapter.Op `json:"op"`
	// Input is the smallest one that shows the difference. If it is a value, Offset is -1.
	Input
	// Letter is A or B: which one has the fault, or accepts if the kind is
	// Verdict.
	Letter string `json:"who,omitempty"`
	Detail string `json:"detail"` // description
	// Path, Offset and Clause describe the place of the difference in the
	// input, as the reference decodes it. Offset is -1 if unknown.
	Location
	// Readings may explain the difference.
	Readings []Reading `json:"-"`
	// A and B are the answers.
	A Answer `json:"a"`
	B Answer `json:"b"`
	// Count is the number of inputs with a similar difference, Types the number
	// by type.
	Count int            `json:"count"`
	Types map[string]int `json:"types"`

	behaviour behaviour // of the reference
}

// An Answer is the answer of one implementation: a line, and its content if it has a
// valid one.
type Answer struct {
	Text   string          `json:"text"`
	OK     *adapter.OK     `json:"ok,omitempty"`
	Reject *adapter.Reject `json:"reject,omitempty"`
	Error  *adapter.Fault  `json:"error,omitempty"`
}

func (r *run) finding(g *group) *Finding {
	o, d := g.best, g.best.diff
	f := &Finding{
		Kind: d.kind, Op: d.op, Letter: d.letter, Detail: d.detail, Input: o.in, Readings: g.readings,
		Location: o.behaviour.differenceLocation(d), behaviour: o.behaviour, A: answerOf(&d.a), B: answerOf(&d.b),
		Count: g.count, Types: g.types,
	}
	if f.Tree != nil {
		f.Offset = -1
	}
	return f
}

func answerOf(p *reply) Answer {
	a, text := &p.Response, textOf(&p.Response)
	if p.broken != nil {
		text = string(p.broken.Kind) + ": " + p.broken.Detail
		if a = p.broken.Alone; a == nil {
			a = &adapter.Response{}
		}
	}
	return Answer{text, a.OK, a.Reject, a.Error}
}

func textOf(a *adapter.Response) string {
	switch {
	case a.Reject != nil:
		text := "reject " + a.Reject.Class
		if a.Reject.Offset != nil {
			text += fmt.Sprintf(" @%d", *a.Reject.Offset)
		}
		if a.Reject.Message != "" {
			text += ": " + a.Reject.Message
		}
		return text
	case a.OK != nil && a.OK.Tree != nil:
		text := "accept " + a.OK.Tree.String()
		if a.OK.Consumed != nil {
			text += fmt.Sprintf(", %d bytes", *a.OK.Consumed)
		}
		return text
	case a.OK != nil && a.OK.Hex != nil:
		if *a.OK.Hex == "" {
			return "no bytes"
		}
		b, err := hex.DecodeString(*a.OK.Hex)
		if err != nil {
			return *a.OK.Hex
		}
		return fmt.Sprintf("% x", b)
	case a.Error != nil:
		return "error: " + a.Error.Message
	case a.Skip != nil:
		return "skip: " + a.Skip.Reason
	}
	return "an answer without content"
}

// Flags lists the flags of the readings.
func (f *Finding) Flags() []ids.Flag {
	var out []ids.Flag
	for _, r := range f.Readings {
		for _, s := range r.Sides {
			if !slices.Contains(out, s.Flag) {
				out = append(out, s.Flag)
			}
		}
	}
	return out
}

var notInID = regexp.MustCompile(`[^a-z0-9]+`)

// ID returns the id for a vector of the finding: FAMILY/Structure and a name
// that contains the kind, the flag or clause, and a hash. The same input has
// the same id in every run.
func (f *Finding) ID() string {
	words := []string{"diff", string(f.Kind)}
	switch flags := f.Flags(); {
	case len(flags) > 0:
		words = append(words, afterFamily(flags[0], "."))
	case f.Clause != "":
		words = append(words, afterFamily(f.Clause, "-"))
	}
	return f.vectorID(words)
}

// Draft returns the finding as a vector without a verdict. The comment contains
// the difference and both answers. The verdict has to be derived from the
// documents.
func (r *Report) Draft(f *Finding) *draft.Draft {
	d := &draft.Draft{
		ID: f.ID(), Type: f.Type.Name, Flags: f.Flags(), Context: f.Context,
		Source: "DRAFT from a differential run of " + r.A.Hello.Name + " and " + r.B.Hello.Name + ": " + draft.NoSource,
	}
	if f.Clause != "" {
		d.Clauses = []ids.Clause{f.Clause}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%sTwo implementations give different answers: %s. ", draftHead, f.Sentence())
	fmt.Fprintf(&b, "The answers to %s under %s are\n", f.Op, r.Profile)
	fmt.Fprintf(&b, "  %s: %s\n  %s: %s\n", r.A.Name(), oneLine(f.A.Text), r.B.Name(), oneLine(f.B.Text))
	for _, reading := range f.Readings {
		fmt.Fprintf(&b, "%s.\n", reading)
	}
	b.WriteString("Neither answer is the verdict: the documents decide.")
	if f.Tree != nil {
		d.Tree = f.Tree.Indent()
	} else {
		b.WriteString(" The annotations of the bytes are those of the reference.")
		d.Bytes, d.Lines = f.Bytes, annotate(f.Bytes, &f.behaviour)
	}
	d.Comment = b.String()
	return d
}

// sentences describe the kinds whose detail alone does not: %[1]s is the letter, and %[2]s
// the detail.
var sentences = map[Kind]string{
	Crash:    "%[1]s crashes",
	Timeout:  "%[1]s does not answer in time",
	Protocol: "%[1]s violates the protocol: %[2]s",
	Flaky:    "%[1]s fails, and answers when asked alone",
	Errored:  "%[1]s fails: %[2]s",
}

// Sentence describes the difference.
func (f *Finding) Sentence() string {
	return fmt.Sprintf(cmp.Or(sentences[f.Kind], "%[2]s"), f.Letter, f.Detail)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// draftHead begins the comment of each draft.
const draftHead = "DRAFT: " + draft.NoComment + ".\n\n"

// afterFamily returns the part of an id that follows the family.
func afterFamily[T ~string](id T, separator string) string {
	_, name, _ := strings.Cut(string(id), separator)
	return name
}

// vectorID returns the id of a vector of the input, whose name consists of words
// and a hash.
func (in *Input) vectorID(words []string) string {
	sum := sha256.Sum256([]byte(in.Type.Name + in.key()))
	name := strings.ToLower(strings.Join(words, "-") + "-" + hex.EncodeToString(sum[:3]))
	structure := strings.Replace(in.Type.Structure(), ".", "/", 1)
	return structure + "/" + strings.Trim(notInID.ReplaceAllString(name, "-"), "-")
}

// annotate describes bytes by the path and the value of each span, up to the
// offset where the reference stops.
func annotate(src []byte, b *behaviour) []draft.Line {
	var out []draft.Line
	at := 0
	gap := func(to int) {
		if to > at {
			note := "not part of the value"
			if b.fault != nil {
				note = "not decoded by the reference"
			}
			out = append(out, draft.Line{Offset: at, Len: to - at, Note: note})
		}
	}
	for _, s := range b.spans {
		if s.Start < at || s.End <= s.Start || s.End > len(src) {
			continue
		}
		gap(s.Start)
		note := oneLine(s.Value)
		if s.Path != "" {
			note = strings.TrimSuffix(s.Path+": "+note, ": ")
		}
		out = append(out, draft.Line{Offset: s.Start, Len: s.End - s.Start, Note: cmp.Or(note, "the value")})
		at = s.End
	}
	gap(len(src))
	if fault := b.fault; fault != nil { // mark the offset of the fault
		for i := range out {
			if l := &out[i]; l.Offset <= fault.Offset && fault.Offset < l.Offset+l.Len {
				l.Note += fmt.Sprintf(" (rejected by the reference at byte %d: %s)", fault.Offset, fault.Class)
			}
		}
	}
	return out
}

// TypesSeen lists the types with a similar difference, the most frequent first.
func (f *Finding) TypesSeen() []string {
	return slices.SortedFunc(maps.Keys(f.Types), func(a, b string) int {
		return cmp.Or(-cmp.Compare(f.Types[a], f.Types[b]), cmp.Compare(a, b))
	})
}
