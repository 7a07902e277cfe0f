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

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus/draft"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Finding is a difference with the smallest input that shows it.
type Finding struct {
	Kind Kind
	// Op is the operation of the request.
	Op      adapter.Op
	Type    *codec.Type
	Context map[string]string
	Input   []byte     // the bytes to decode
	Tree    *tree.Node // or the value to encode; then Offset is -1
	// Letter is A or B: which one has the fault, or accepts if the kind is
	// Verdict.
	Letter string
	Detail string // description
	// Path, Offset and Clause describe the place of the difference in the
	// input, as the reference decodes it. Offset is -1 if unknown. Readings may
	// explain the difference.
	Path     string
	Offset   int
	Clause   ids.Clause
	Readings []Reading
	// A and B are the answers.
	A, B Answer
	// Count is the number of inputs with a similar difference, Types the number
	// by type.
	Count int
	Types map[string]int

	spans []wire.Span
	fault *wire.Error
}

// An Answer is the answer of one implementation.
type Answer struct {
	Text     string            // one line
	Response *adapter.Response // nil if there was none
}

func (r *run) finding(g *group) *Finding {
	o := g.best
	d := o.diff
	at := o.behaviour.differenceLocation(d)
	f := &Finding{
		Kind: d.kind, Op: d.op, Type: o.in.Type, Context: o.in.Context, Input: o.in.Bytes, Tree: o.in.Tree, Letter: d.letter, Detail: d.detail,
		Path: at.path, Offset: at.offset, Clause: at.clause, Readings: g.readings, A: answerOf(&d.a), B: answerOf(&d.b),
		Count: g.count, Types: g.types,
	}
	if f.Tree != nil {
		f.Offset = -1
	} else {
		f.spans, f.fault = o.behaviour.spans, o.behaviour.fault
	}
	return f
}

func answerOf(p *reply) Answer {
	if p.broken != nil {
		text := string(p.broken.Kind) + ": " + p.broken.Detail
		return Answer{Text: text, Response: p.broken.Alone}
	}
	return Answer{Text: textOf(&p.Response), Response: &p.Response}
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
		_, name, _ := strings.Cut(string(flags[0]), ".")
		words = append(words, name)
	case f.Clause != "":
		_, name, _ := strings.Cut(string(f.Clause), "-")
		words = append(words, name)
	}
	sum := sha256.Sum256([]byte(f.Type.Name + (&Input{Context: f.Context, Bytes: f.Input, Tree: f.Tree}).key()))
	return vectorID(f.Type, append(words, hex.EncodeToString(sum[:3])))
}

// Draft returns the finding as a vector without a verdict. The comment contains
// the difference and both answers. The verdict has to be derived from the
// documents.
func (r *Report) Draft(f *Finding) *draft.Draft {
	d := &draft.Draft{
		ID: f.ID(), Type: f.Type.Name, Flags: f.Flags(), Context: f.Context,
		Source: fmt.Sprintf("DRAFT from a differential run of %s and %s: SOURCE OF THE VERDICT", r.A.Hello.Name, r.B.Hello.Name),
	}
	if f.Clause != "" {
		d.Clauses = []ids.Clause{f.Clause}
	}
	var b strings.Builder
	b.WriteString("DRAFT: WHAT IS SHOWN, AND WHY IT MATTERS.\n\n")
	fmt.Fprintf(&b, "Two implementations give different answers: %s. The answers to %s under %s are\n", f.Sentence(), f.Op, r.Profile)
	for _, s := range []struct {
		side *Side
		a    Answer
	}{{&r.A, f.A}, {&r.B, f.B}} {
		fmt.Fprintf(&b, "  %s: %s\n", s.side.Name(), oneLine(s.a.Text))
	}
	for _, reading := range f.Readings {
		fmt.Fprintf(&b, "%s.\n", reading)
	}
	b.WriteString("Neither answer is the verdict: the documents decide.")
	if f.Tree != nil {
		d.Tree = f.Tree.Indent()
	} else {
		b.WriteString(" The annotations of the bytes are those of the reference.")
		d.Bytes, d.Lines = f.Input, annotate(f.Input, f.spans, f.fault)
	}
	d.Comment = b.String()
	return d
}

// Sentence describes the difference.
func (f *Finding) Sentence() string {
	switch f.Kind {
	case Crash:
		return f.Letter + " crashes"
	case Timeout:
		return f.Letter + " does not answer in time"
	case Protocol:
		return f.Letter + " violates the protocol: " + f.Detail
	case Flaky:
		return f.Letter + " fails, and answers when asked alone"
	case Errored:
		return f.Letter + " fails: " + f.Detail
	}
	return f.Detail
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// vectorID returns the id of a vector whose name consists of words.
func vectorID(t *codec.Type, words []string) string {
	family, structure, _ := strings.Cut(t.Structure(), ".")
	return family + "/" + structure + "/" + strings.Trim(notInID.ReplaceAllString(strings.ToLower(strings.Join(words, "-")), "-"), "-")
}

// annotate describes bytes by the path and the value of each span, up to the
// offset where the reference stops.
func annotate(src []byte, spans []wire.Span, fault *wire.Error) []draft.Line {
	var out []draft.Line
	at := 0
	gap := func(to int) {
		if to > at {
			note := "not part of the value"
			if fault != nil {
				note = "not decoded by the reference"
			}
			out = append(out, draft.Line{Offset: at, Len: to - at, Note: note})
		}
	}
	for _, s := range spans {
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
	if fault != nil { // mark the offset of the fault
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
