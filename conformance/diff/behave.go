package diff

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/internal/mutate"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A behaviour is the reaction of the reference to an input.
type behaviour struct {
	spans []wire.Span
	fault *wire.Error // nil if it accepts the input
}

func behaviourOf(spans []wire.Span, err error) behaviour {
	b := behaviour{spans: spans}
	if err != nil && !errors.As(err, &b.fault) {
		b.fault = &wire.Error{Detail: err.Error()}
	}
	return b
}

// observe returns the behaviour of the reference when it decodes or encodes an
// input.
func observe(c codec.Codec, in Input) behaviour {
	src := in.Bytes
	if in.Tree != nil {
		v, err := tree.Value(in.Type, *in.Tree)
		if err == nil {
			src, err = c.Append(nil, v)
		}
		if err != nil {
			return behaviourOf(nil, err)
		}
	}
	_, spans, err := c.Trace(src)
	return behaviourOf(spans, err)
}

// features lists the features that distinguish behaviours.
func (b *behaviour) features(yield func(string)) {
	if f := b.fault; f != nil {
		yield("! " + string(f.Class) + " " + string(f.Clause) + " " + tree.Shape(f.Path))
		return
	}
	times := map[string]int{}
	for _, s := range b.spans {
		where := tree.Shape(s.Path) + " " + string(s.Clause)
		yield(fmt.Sprintf("%s of %d", where, bits.Len(uint(s.End-s.Start))))
		times[where]++
	}
	for where, n := range times {
		if n > 1 {
			yield(fmt.Sprintf("%s times %d", where, bits.Len(uint(n))))
		}
	}
	if len(b.spans) == 0 {
		yield("empty")
	}
}

// A Location is the part of the input, as the reference decodes it, where two
// answers differ.
type Location struct {
	Path   string     `json:"path,omitempty"`
	Offset int        `json:"-"` // of the first byte; -1 if unknown
	Clause ids.Clause `json:"clause,omitempty"`
}

// similar returns the same text for similar places: the clause and the last step
// of the path, whatever the depth, or the path if there is no clause.
func (p Location) similar() string {
	if p.Clause != "" {
		return tree.LastName(p.Path) + " " + string(p.Clause)
	}
	return tree.Shape(p.Path)
}

// spanPath converts a path in a tree to a path in spans. Where a value can have
// several types, the path in a tree has an additional step "value".
func spanPath(n tree.Node, path string) string {
	var out strings.Builder
	for _, step := range tree.Steps(path) {
		variant := mutate.IsVariant(n)
		if i := n.Index(step); i >= 0 {
			n = n.Items[i]
		} else {
			n = tree.Node{}
		}
		if variant && step == "value" {
			continue
		}
		if step[0] != '[' {
			out.WriteByte('.')
		}
		out.WriteString(step)
	}
	return strings.TrimPrefix(out.String(), ".")
}

// differenceLocation returns the location of a difference: the fault if the reference
// rejects the input, otherwise the part of the value that differs, otherwise
// the offset of the rejection.
func (b *behaviour) differenceLocation(d *difference) Location {
	if f := b.fault; f != nil {
		return Location{f.Path, f.Offset, f.Clause}
	}
	switch {
	case d.path != "" || d.kind == Tree:
		// A part of the tree may have no span of its own. Then the span of the
		// enclosing part is used.
		for path := d.span; ; path = tree.Around(path) {
			at := b.firstSpan(func(s wire.Span) bool { return tree.Below(s.Path, path) })
			if at.Offset >= 0 || path == "" {
				at.Path = d.path
				return at
			}
		}
	case d.byteOffset >= 0:
		return b.spanAt(d.byteOffset)
	}
	for _, p := range []*reply{&d.a, &d.b} {
		if p.Reject != nil && p.Reject.Offset != nil && d.op == adapter.OpDecode {
			return b.spanAt(*p.Reject.Offset)
		}
	}
	return Location{Offset: -1}
}

// spanAt returns the location of the span that contains an offset.
func (b *behaviour) spanAt(offset int) Location {
	return b.firstSpan(func(s wire.Span) bool { return s.Start <= offset && offset < s.End })
}

// firstSpan returns the location of the first span that has a property.
func (b *behaviour) firstSpan(has func(wire.Span) bool) Location {
	i := slices.IndexFunc(b.spans, has)
	if i < 0 {
		return Location{Offset: -1}
	}
	s := b.spans[i]
	return Location{s.Path, s.Start, s.Clause}
}

// A Reading lists sides of flags, mostly of one flag, for which the answer of the
// reference is that of one of the implementations.
type Reading struct {
	Letter string // A or B
	Sides  []FlagSide
}

// A FlagSide is a flag and one of its sides.
type FlagSide struct {
	Flag ids.Flag
	Side string
}

// String returns flag=side.
func (s FlagSide) String() string { return string(s.Flag) + "=" + s.Side }

// String says which implementation answers as which sides.
func (r Reading) String() string {
	sides := make([]string, len(r.Sides))
	for i, s := range r.Sides {
		sides[i] = s.String()
	}
	return r.Letter + " answers as " + strings.Join(sides, " with ")
}

// observe returns the behaviour of the reference under the profile of the run.
func (r *run) observe(in Input) (behaviour, error) {
	c, err := r.ref.Bind(in.Type, r.report.Profile.String(), in.Context)
	if err != nil {
		return behaviour{}, err
	}
	return observe(c, in), nil
}

// assignGroup sets the behaviour of an outcome and the key of its group.
func (r *run) assignGroup(o *outcome) {
	var err error
	if o.behaviour, err = r.observe(o.in); err != nil {
		o.key = err.Error()
		return
	}
	if readings := r.readings(o, 1); len(readings) > 0 {
		// A reading explains the difference, so all differences with this reading
		// are one group, of any type and kind.
		o.key = readings[0].String()
		return
	}
	if k := o.diff.kind; k == Flaky || (k == Crash || k == Errored) && o.diff.shape != "" {
		// The message of the implementation identifies the fault better than
		// the input.
		o.key = o.diff.signature()
		return
	}
	o.key = o.in.Type.Name + " " + o.diff.signature() + " " + o.behaviour.differenceLocation(o.diff).similar()
	if f := o.behaviour.fault; f != nil {
		o.key += " " + string(f.Class)
	}
}

// readings lists the sides that explain a difference: one of the two answers is
// that of the reference under the profile, and the other one is that of the
// reference with these flags on these sides. The number of flags that change at a
// time is given: more than one takes longer, and is used only for reported findings.
func (r *run) readings(o *outcome, flags int) (out []Reading) {
	d := o.diff
	if d.kind != Verdict && d.kind != Tree && d.kind != Written && d.kind != Class {
		return nil
	}
	others := otherSides(o.in.Type.Family(), r.report.Profile)
	base := r.askReference(d.op, o.in, r.report.Profile)
	for _, who := range []string{"A", "B"} {
		mine, other := &d.a, &d.b
		if who == "B" {
			mine, other = other, mine
		}
		if !r.sameAnswer(o, other, &base) {
			continue
		}
		var try func(p ids.Profile, from int, sides []FlagSide)
		try = func(p ids.Profile, from int, sides []FlagSide) {
			if len(sides) == flags {
				if answer := r.askReference(d.op, o.in, p); r.sameAnswer(o, mine, &answer) {
					out = append(out, Reading{who, sides})
				}
				return
			}
			for i, s := range others[from:] {
				if len(sides) == 0 || sides[len(sides)-1].Flag != s.Flag { // the sides of a flag are adjacent
					with, _ := p.With(s.Flag, s.Side) // the flag has this side
					try(with, from+i+1, append(slices.Clip(sides), s))
				}
			}
		}
		try(r.report.Profile, 0, nil)
	}
	return out
}

// otherSides lists the sides of a family's flags that a profile does not have.
func otherSides(family string, p ids.Profile) (out []FlagSide) {
	f, _ := spec.FindFamily(family)
	for i := range f.Flags {
		fl := &f.Flags[i]
		for _, s := range fl.Sides {
			if s.Name != p.Side(fl.ID) {
				out = append(out, FlagSide{fl.ID, s.Name})
			}
		}
	}
	return out
}

// askReference returns the answer of the reference to a request, under a profile.
func (r *run) askReference(op adapter.Op, in Input, p ids.Profile) reply {
	q := r.request(op, in)
	q.Profile = p.String()
	if q.Op == adapter.OpEncode && q.Tree == nil {
		q.Op = adapter.OpRoundtrip // the encoded value is that of the input
	}
	a, err := r.ref.Do(context.Background(), q)
	return replyOf(a, err)
}

// sameAnswer reports whether two answers are equal, including the class.
func (r *run) sameAnswer(o *outcome, a, b *reply) bool {
	if (a.Reject != nil) != (b.Reject != nil) {
		return false
	}
	if a.Reject != nil && a.Reject.Class == b.Reject.Class {
		return true
	}
	other := outcome{in: o.in}
	r.compare(&other, o.diff.op, *a, *b, true)
	return other.diff == nil && !other.skipped
}
