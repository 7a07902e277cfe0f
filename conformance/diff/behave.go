package diff

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

var indices = regexp.MustCompile(`\[\d+\]`)

const shapeSteps = 8

// shapeOf is a path without indices. Of a deep one the last steps are kept,
// since depth alone is nothing new.
func shapeOf(path string) string {
	s := indices.ReplaceAllString(path, "[]")
	steps := strings.Split(s, ".")
	if len(steps) > shapeSteps {
		return "…" + strings.Join(steps[len(steps)-shapeSteps:], ".")
	}
	return s
}

// A behaviour is what the reference makes of an input.
type behaviour struct {
	spans []wire.Span
	fault *wire.Error // nil if it accepts
}

func behaviourOf(spans []wire.Span, err error) behaviour {
	b := behaviour{spans: spans}
	if err != nil && !errors.As(err, &b.fault) {
		b.fault = &wire.Error{Detail: err.Error()}
	}
	return b
}

// behave watches the reference read an input, or write it.
func behave(c codec.Codec, in Input) behaviour {
	src := in.Bytes
	if in.Tree != nil {
		v := in.Type.New()
		err := tree.ToModel(*in.Tree, v)
		if err == nil {
			src, err = c.Append(nil, codec.Deref(v))
		}
		if err != nil {
			return behaviourOf(nil, err)
		}
	}
	_, spans, err := c.Trace(src)
	return behaviourOf(spans, err)
}

// features lists what is told apart.
func (b *behaviour) features(yield func(string)) {
	if f := b.fault; f != nil {
		yield("! " + string(f.Class) + " " + string(f.Clause) + " " + shapeOf(f.Path))
		return
	}
	times := map[string]int{}
	for _, s := range b.spans {
		place := shapeOf(s.Path) + " " + string(s.Clause)
		yield(fmt.Sprintf("%s of %d", place, bits.Len(uint(s.End-s.Start))))
		times[place]++
	}
	for place, n := range times {
		if n > 1 {
			yield(fmt.Sprintf("%s times %d", place, bits.Len(uint(n))))
		}
	}
	if len(b.spans) == 0 {
		yield("empty")
	}
}

// placeOf is where, in what the reference reads, two answers part.
type place struct {
	path   string
	clause ids.Clause
	at     int // first byte; -1 if it is not known
}

// String is what places have in common that look alike. A clause tells what
// it is about however deep it lies.
func (p place) String() string {
	if p.clause != "" {
		return lastStep(p.path) + " " + string(p.clause)
	}
	return shapeOf(p.path)
}

// lastStep is the end of a path, without an index.
func lastStep(path string) string {
	s := shapeOf(path)
	return s[strings.LastIndexByte(s, '.')+1:]
}

// spanPath is the path that spans have for a part of a tree. Where a value may
// be of several types the tree has a step more, to what stands beside the type.
func spanPath(n tree.Node, path string) string {
	var out strings.Builder
	for path != "" {
		step := path
		if i := strings.IndexAny(path[1:], ".["); i >= 0 {
			step = path[:i+1]
		}
		path = path[len(step):]
		name := strings.TrimPrefix(step, ".")
		variant := isVariant(n)
		if strings.HasPrefix(step, "[") {
			if i, err := strconv.Atoi(strings.Trim(step, "[]")); err == nil && i < len(n.Items) {
				n = n.Items[i]
			}
		} else {
			n = n.Field(name)
		}
		if variant && name == "value" {
			continue
		}
		out.WriteString(step)
	}
	return strings.TrimPrefix(out.String(), ".")
}

// isVariant reports whether a node is a value of one of several types.
func isVariant(n tree.Node) bool { return slices.Equal(n.Names, []string{"type", "value"}) }

// placeOf finds the place of a difference: the fault, if the reference
// refuses the input; the part of the value that differs; or the place that
// whoever refuses it tells.
func (b *behaviour) placeOf(d *difference) place {
	if f := b.fault; f != nil {
		return place{f.Path, f.Clause, f.Offset}
	}
	switch {
	case d.path != "" || d.kind == Tree:
		// The tree may have parts that no span of their own tells: then those
		// around them do.
		for path := d.span; ; path = path[:max(strings.LastIndexAny(path, ".["), 0)] {
			if s, ok := b.within(path); ok {
				return place{d.path, s.Clause, s.Start}
			}
			if path == "" {
				return place{path: d.path, at: -1}
			}
		}
	case d.at >= 0:
		return b.at(d.at)
	}
	for _, p := range []*reply{&d.a, &d.b} {
		if p.Reject != nil && p.Reject.Offset != nil && d.op == adapter.OpDecode {
			return b.at(*p.Reject.Offset)
		}
	}
	return place{at: -1}
}

// within is the first span of the part at a path.
func (b *behaviour) within(path string) (wire.Span, bool) {
	for _, s := range b.spans {
		if rest, in := strings.CutPrefix(s.Path, path); in && (rest == "" || path == "" || rest[0] == '.' || rest[0] == '[') {
			return s, true
		}
	}
	return wire.Span{}, false
}

// at is the span that holds a byte.
func (b *behaviour) at(offset int) place {
	for _, s := range b.spans {
		if s.Start <= offset && offset < s.End {
			return place{s.Path, s.Clause, s.Start}
		}
	}
	return place{at: -1}
}

// A Reading names the sides of flags, mostly of one, on which the reference
// answers as one of the two does.
type Reading struct {
	Who   string // A or B
	Sides []FlagSide
}

// A FlagSide is a flag on one of its sides.
type FlagSide struct {
	Flag ids.Flag
	Side string
}

func (s FlagSide) String() string { return string(s.Flag) + "=" + s.Side }

func (r Reading) String() string {
	sides := make([]string, len(r.Sides))
	for i, s := range r.Sides {
		sides[i] = s.String()
	}
	return r.Who + " answers as " + strings.Join(sides, " with ")
}

// examine finds out what the reference makes of the input, which flag may be
// behind the difference, and from that the group that it belongs to.
func (r *run) examine(o *outcome) {
	c, err := bind(o.in.Type, r.report.Profile, o.in.Context)
	if err != nil {
		o.key = err.Error()
		return
	}
	o.ref = behave(c, o.in)
	if readings := r.readings(o); len(readings) > 0 {
		// The answers are those of a known reading to the letter: whatever the
		// type and the kind, this is one thing.
		o.key = readings[0].String()
		return
	}
	switch k := o.d.kind; {
	case k == Unsteady, (k == Crash || k == Errored) && o.d.shape != "":
		// What it says of itself tells more than where the input leads.
		o.key = o.d.same()
		return
	}
	o.key = o.in.Type.Name + " " + o.d.same() + " " + o.ref.placeOf(o.d).String()
	if f := o.ref.fault; f != nil {
		o.key += " " + string(f.Class)
	}
}

// readings lists the sides that explain a difference: one of the two answers
// as the reference does under the profile, and the other as it does with that
// one flag on that side.
func (r *run) readings(o *outcome) []Reading {
	return r.readingsOf(o, func(others []FlagSide, try func(...FlagSide)) {
		for _, s := range others {
			try(s)
		}
	})
}

// pairedReadings is the same with two flags at once. It takes long enough to
// be kept for what is told.
func (r *run) pairedReadings(o *outcome) []Reading {
	return r.readingsOf(o, func(others []FlagSide, try func(...FlagSide)) {
		for i, s := range others {
			for _, t := range others[i+1:] {
				if s.Flag != t.Flag {
					try(s, t)
				}
			}
		}
	})
}

func (r *run) readingsOf(o *outcome, each func(others []FlagSide, try func(...FlagSide))) []Reading {
	d := o.d
	if d.kind != Verdict && d.kind != Tree && d.kind != Written && d.kind != Class {
		return nil
	}
	base := r.refer(o, r.report.Profile)
	var out []Reading
	for _, who := range []string{"A", "B"} {
		mine, other := &d.a, &d.b
		if who == "B" {
			mine, other = other, mine
		}
		if !alike(o, other, &base) {
			continue
		}
		each(r.otherSides(o.in.Type.Family()), func(sides ...FlagSide) {
			p := r.report.Profile
			for _, s := range sides {
				p, _ = p.With(s.Flag, s.Side) // it has that side
			}
			if answer := r.refer(o, p); alike(o, mine, &answer) {
				out = append(out, Reading{who, sides})
			}
		})
	}
	return out
}

// otherSides lists the sides that the profile does not take.
func (r *run) otherSides(family string) []FlagSide {
	var out []FlagSide
	f, _ := spec.FindFamily(family)
	for i := range f.Flags {
		fl := &f.Flags[i]
		for _, s := range fl.Sides {
			if s.Name != r.report.Profile.Side(fl.ID) {
				out = append(out, FlagSide{fl.ID, s.Name})
			}
		}
	}
	return out
}

// refer asks the reference what a difference is about.
func (r *run) refer(o *outcome, p ids.Profile) reply {
	q := r.request(o.d.op, o.in)
	q.Profile = p.String()
	if q.Op == adapter.OpEncode && q.Tree == nil {
		q.Op = adapter.OpRecode // what is written has been read
	}
	a, err := r.ref.Do(context.Background(), q)
	return replyOf(a, err)
}

// alike reports whether two answers are the same, class included.
func alike(o *outcome, a, b *reply) bool {
	strict := Options{Classes: true}
	if (a.Reject != nil) != (b.Reject != nil) {
		return false
	}
	if a.Reject != nil && a.Reject.Class == b.Reject.Class {
		return true
	}
	other := outcome{in: o.in}
	if o.d.op == adapter.OpDecode {
		strict.decoded(&other, *a, *b)
	} else {
		strict.encoded(&other, *a, *b)
	}
	return other.d == nil && !other.leftOut
}
