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
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Finding is a difference, with the smallest input that shows it.
type Finding struct {
	Kind Kind
	// Op is what they were asked.
	Op      adapter.Op
	Type    *codec.Type
	Context map[string]string
	Input   []byte     // what was to be read
	Tree    *tree.Node // or the value that was to be written; then Offset says nothing
	// Who is at fault, if the fault is one's own; of a verdict, who accepts.
	Who    string
	Detail string // in words
	// Path, Clause and Flags are what the reference makes of the place where
	// they part. Offset is -1 if it is not known.
	Path     string
	Offset   int
	Clause   ids.Clause
	Readings []Reading
	// A and B are the answers.
	A, B Answer
	// Count is how many of the inputs showed a difference like it, Types where.
	Count int
	Types map[string]int

	spans []wire.Span
	fault *wire.Error
}

// An Answer is what one of the two says.
type Answer struct {
	Text   string            // in one line
	Answer *adapter.Response // nil if there was none
}

func (r *run) finding(g *group) *Finding {
	o := g.best
	d := o.d
	at := o.ref.placeOf(d)
	f := &Finding{
		Kind: d.kind, Op: d.op, Type: o.in.Type, Context: o.in.Context, Input: o.in.Bytes, Tree: o.in.Tree, Who: d.who, Detail: d.detail,
		Path: at.path, Offset: at.at, Clause: at.clause, Readings: g.readings, A: answerOf(&d.a), B: answerOf(&d.b),
		Count: g.count, Types: g.types,
	}
	if f.Tree != nil {
		f.Offset = -1
	} else {
		f.spans, f.fault = o.ref.spans, o.ref.fault
	}
	return f
}

func answerOf(p *reply) Answer {
	if p.broken != nil {
		text := string(p.broken.Kind) + ": " + p.broken.Detail
		return Answer{Text: text, Answer: p.broken.Alone}
	}
	return Answer{Text: textOf(&p.Response), Answer: &p.Response}
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

var unfit = regexp.MustCompile(`[^a-z0-9]+`)

// ID is where a vector of the finding would stand: FAMILY/Structure, and a
// name that says what it is about. The same input has the same name in every
// run.
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
	sum := sha256.Sum256([]byte(f.Type.Name + (&Input{Context: f.Context, Bytes: f.Input, Tree: f.Tree}).text()))
	words = append(words, hex.EncodeToString(sum[:3]))
	family, structure, _ := strings.Cut(f.Type.Structure(), ".")
	return family + "/" + structure + "/" + strings.Trim(unfit.ReplaceAllString(strings.ToLower(strings.Join(words, "-")), "-"), "-")
}

// Draft writes the finding as a vector without a verdict: what was found and
// both answers stand in its comment, for somebody to decide by the documents.
func (r *Report) Draft(f *Finding) *corpus.Draft {
	d := &corpus.Draft{
		ID: f.ID(), Type: f.Type.Name, Flags: f.Flags(), Context: f.Context,
		Source: fmt.Sprintf("DRAFT of a differential run of %s and %s: WHOSE VERDICT, AND WORKED OUT HOW", r.A.Hello.Name, r.B.Hello.Name),
	}
	if f.Clause != "" {
		d.Clauses = []ids.Clause{f.Clause}
	}
	var b strings.Builder
	b.WriteString("DRAFT: WHAT IS SHOWN, AND WHY IT MATTERS.\n\n")
	fmt.Fprintf(&b, "Two implementations part here: %s. Asked to %s under %s, they say\n", f.Sentence(), f.Op, r.Profile)
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
		b.WriteString(" The notes beside the bytes are the reference's reading.")
		d.Bytes, d.Lines = f.Input, f.lines()
	}
	d.Comment = b.String()
	return d
}

// Sentence says what they part on.
func (f *Finding) Sentence() string {
	switch f.Kind {
	case Crash:
		return f.Who + " crashes"
	case Hang:
		return f.Who + " does not answer in time"
	case Protocol:
		return f.Who + " breaks the protocol: " + f.Detail
	case Unsteady:
		return f.Who + " breaks, and does not when it is asked this alone"
	case Errored:
		return f.Who + " fails: " + f.Detail
	}
	return f.Detail
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// lines annotates the input with the reference's spans: each with its path
// and value, up to where the reference stops.
func (f *Finding) lines() []corpus.Line {
	var out []corpus.Line
	at := 0
	gap := func(to int) {
		if to > at {
			note := "no part of the value"
			if f.fault != nil {
				note = "not read by the reference"
			}
			out = append(out, corpus.Line{Offset: at, Len: to - at, Note: note})
		}
	}
	for _, s := range f.spans {
		if s.Start < at || s.End <= s.Start || s.End > len(f.Input) {
			continue
		}
		gap(s.Start)
		note := oneLine(s.Value)
		if s.Path != "" {
			note = strings.TrimSuffix(s.Path+": "+note, ": ")
		}
		out = append(out, corpus.Line{Offset: s.Start, Len: s.End - s.Start, Note: cmp.Or(note, "the value")})
		at = s.End
	}
	gap(len(f.Input))
	if f.fault != nil { // said where it is found
		for i := range out {
			if l := &out[i]; l.Offset <= f.fault.Offset && f.fault.Offset < l.Offset+l.Len {
				l.Note += fmt.Sprintf(" (the reference refuses it here, byte %d: %s)", f.fault.Offset, f.fault.Class)
			}
		}
	}
	return out
}

// TypesSeen lists the types that a finding was seen on, the most frequent first.
func (f *Finding) TypesSeen() []string {
	return slices.SortedFunc(maps.Keys(f.Types), func(a, b string) int {
		return cmp.Or(-cmp.Compare(f.Types[a], f.Types[b]), cmp.Compare(a, b))
	})
}
