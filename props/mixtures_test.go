package props

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestVectorsUnderMixtures: the verdict of a vector does not depend on flags that it does
// not list, so its list is complete. From both base profiles every vector runs under each
// side of its family, and under every two sides of which it lists one. Every two sides that
// it does not list meet in mixtures where all such flags have random sides. With one or two
// flags removed from a list, these mixtures notice as much as all pairs of sides alone,
// which an exhaustive run has too. Of the mixtures that change no listed flag, an ordinary run
// has a part for each vector (see [mixture.oneIn]), and notices as much.
//
// The sides of the listed flags alone select a verdict. Of the mixtures with the
// same sides there, the judge judges the first, which has the sides of its base at
// all other flags. Where the codec does the same under another mixture, the judge
// would find the same, because it compares nothing else. Where it does not, as with
// a fault at another offset that the verdict permits, the judge decides again.
func TestVectorsUnderMixtures(t *testing.T) {
	vectors := corpustest.All(t)
	ref := adapter.NewReference()
	for _, f := range spec.Families() {
		t.Run(f.Name, func(t *testing.T) {
			subjects, mixtures := subjectsOf(f.Name, vectors), mixturesOf(t, f)
			count := map[step]int{}
			for _, m := range mixtures {
				asked := map[string][]*corpus.Vector{}
				profiles := map[string]ids.Profile{}
				codecs := map[string]codec.Codec{}
				for _, s := range subjects {
					p := m.of(s)
					next := s.step(t, m, p, codecs)
					if count[next]++; next == judged {
						name := p.String()
						asked[name], profiles[name] = append(asked[name], s.vector), p
					}
				}
				for name, vectors := range asked {
					judgeUnder(t, ref, profiles[name], vectors)
				}
			}
			for _, s := range subjects {
				if !s.decided() {
					t.Errorf("%s has no verdict under any mixture", s.vector.ID)
				}
			}
			t.Logf("%d mixtures, %d vectors: %v", len(mixtures), len(subjects), count)
		})
	}
}

// A step is what happens to a vector under a mixture.
type step string

const (
	omitted  step = "omitted"  // an exhaustive run includes it
	open     step = "open"     // no section of the vector applies
	compared step = "compared" // the codec does the same as under another mixture
	judged   step = "judged"
)

// A mixture is a base profile with other sides.
type mixture struct {
	profile, base ids.Profile
	changed       changes
}

// changes are the flags of a mixture that can be on another side than in the base.
type changes int

const (
	none changes = iota
	one
	two
	all // each has a random side
)

// oneIn is 4 if an ordinary run has a mixture for about one of 4 vectors that list no flag that
// it changes.
func (m *mixture) oneIn(s *subject) uint32 {
	switch {
	case m.changed == none:
		return 1
	case m.changed == all && s.size < long:
		return 2
	}
	return 4
}

// of returns the profile for a vector: it has the sides of the base at the flags that the
// vector lists, if the sides are random.
func (m *mixture) of(s *subject) ids.Profile {
	p := m.profile
	for _, id := range s.flags {
		if m.changed == all {
			p = with(p, id, m.base.Side(id))
		}
	}
	return p
}

func with(p ids.Profile, id ids.Flag, side string) ids.Profile { return testrun.Must(p.With(id, side)) }

// mixturesOf returns the mixtures of the sides of a family.
func mixturesOf(t *testing.T, f *spec.Family) (out []*mixture) {
	flags := slices.DeleteFunc(slices.Clone(f.Flags), func(f spec.Flag) bool { return !f.Switchable() })
	random := testrun.Rand(t)
	for _, base := range []ids.Profile{ids.Documented(), ids.Observed()} {
		out = append(out, &mixture{base, base, none})
		open := map[string]bool{} // two sides that no random mixture has
		for i, f := range flags {
			for _, side := range f.Sides {
				p := with(base, f.ID, side.Name)
				if p.Departs(f.ID) {
					out = append(out, &mixture{p, base, one})
				}
				for _, g := range flags[:i] {
					for _, other := range g.Sides {
						open[side.Name+" "+string(f.ID)+other.Name+string(g.ID)] = true
						q := with(p, g.ID, other.Name)
						if q.Departs(f.ID) && q.Departs(g.ID) {
							out = append(out, &mixture{q, base, two})
						}
					}
				}
			}
		}
		for len(open) > 0 {
			var best ids.Profile
			var most []string
			for range 20 {
				p, meet := base, []string{}
				for i, f := range flags {
					side := f.Sides[random.IntN(len(f.Sides))].Name
					p = with(p, f.ID, side)
					for _, g := range flags[:i] {
						if sides := side + " " + string(f.ID) + p.Side(g.ID) + string(g.ID); open[sides] {
							meet = append(meet, sides)
						}
					}
				}
				if len(meet) > len(most) {
					best, most = p, meet
				}
			}
			for _, sides := range most {
				delete(open, sides)
			}
			if len(most) > 0 {
				out = append(out, &mixture{best, base, all})
			}
		}
	}
	return out
}

func judgeUnder(t *testing.T, ref adapter.Implementation, p ids.Profile, vectors []*corpus.Vector) {
	r := testrun.Must(judge.Run(t.Context(), ref, vectors,
		judge.Options{Profile: &p, NoDerived: true, FailAcceptable: true}))
	for _, res := range r.Results {
		if res.Status != judge.Pass && res.Status != judge.NotApplicable {
			t.Errorf("%s under %s: %s: %s: expected %s, got %s: does the vector list every flag that its verdict depends on?",
				res.Vector.ID, p, res.Op, report.What(res.Outcome), report.AnswerText(res.Expected), report.AnswerText(res.Got))
		}
	}
}

// A subject is a vector with what the codec does with it.
type subject struct {
	vector   *corpus.Vector
	typ      *codec.Type
	key      string              // of the type, the context and the flags
	size     int                 // of the input and the context
	flags    []ids.Flag          // the listed ones that have sides
	outcomes map[string]*outcome // by the sides of flags
}

func subjectsOf(family string, vectors []*corpus.Vector) []*subject {
	var out []*subject
	for _, v := range vectors {
		if v.Family() != family {
			continue
		}
		typ, _ := codec.Find(v.Type)
		s := &subject{vector: v, typ: typ, outcomes: map[string]*outcome{}}
		for _, id := range v.Flags {
			if f, _ := spec.FindFlag(id); f.Switchable() {
				s.flags = append(s.flags, id)
			}
		}
		s.key, s.size = fmt.Sprint(v.Type, v.Context, s.flags), len(v.Bytes)+len(fmt.Sprint(v.Context))
		out = append(out, s)
	}
	return out
}

func (s *subject) decided() bool {
	for _, o := range s.outcomes {
		if o.verdict != nil {
			return true
		}
	}
	return false
}

// step runs the codec under the profile of a mixture, and says what else is necessary.
func (s *subject) step(t *testing.T, m *mixture, p ids.Profile, codecs map[string]codec.Codec) step {
	if !slices.ContainsFunc(s.flags, p.Departs) &&
		(m.changed == two && !testrun.Exhaustive || !testrun.Sampled(s.vector.ID+p.String(), m.oneIn(s))) {
		return omitted
	}
	var sides []byte
	for _, id := range s.flags {
		sides = append(append(sides, p.Side(id)...), ',')
	}
	first, known := s.outcomes[string(sides)]
	if !known {
		first = &outcome{verdict: s.vector.Select(p)}
		s.outcomes[string(sides)] = first
	} else if (testrun.Exhaustive || m.changed != two) && s.vector.Select(p) != first.verdict {
		t.Errorf("%s under %s: the side of an unlisted flag selects another section", s.vector.ID, p)
	}
	if first.verdict == nil {
		return open
	}
	c := codecs[s.key]
	if c == nil {
		c = testrun.Must(s.typ.Bind(wire.Settings{Profile: p}, s.vector.Context))
		codecs[s.key] = c
	}
	if known {
		now := outcome{tree: first.tree}
		if now.run(t, c, s.vector); now.same(first) {
			return compared
		}
		return judged
	}
	first.tree = s.modelOf(first.verdict)
	if first.run(t, c, s.vector); first.again.bytes != nil && first.tree != nil &&
		tree.Equal(first.value, treeOf(t, first.tree)) {
		first.tree = nil // it encodes like the value
	}
	return judged
}

// modelOf returns the value that the judge asks to encode; nil if there is none.
func (s *subject) modelOf(e *corpus.Expectation) any {
	text := cmp.Or(s.vector.Tree, e.Tree)
	if text == "" {
		return nil
	}
	return testrun.Must(tree.Value(s.typ, testrun.Must(tree.ParseVector(text))))
}

// An outcome is what a codec does with the bytes of a vector and with the tree of
// its verdict.
type outcome struct {
	verdict        *corpus.Expectation // nil if no section applies
	value          tree.Node
	decoding       error
	again, encoded written
	tree           any // nil if there is none, or if it is the value
}

type written struct {
	bytes []byte
	err   error
}

func (o *outcome) run(t *testing.T, c codec.Codec, v *corpus.Vector) {
	if !v.EncodeOnly() {
		var value any
		if value, o.decoding = c.Decode(v.Bytes); o.decoding == nil {
			o.value = treeOf(t, value)
			o.again.bytes, o.again.err = c.Append(nil, value)
		}
	}
	if o.tree != nil {
		o.encoded.bytes, o.encoded.err = c.Append(nil, o.tree)
	}
}

func (o *outcome) same(p *outcome) bool {
	return sameFault(o.decoding, p.decoding, true) && tree.Equal(o.value, p.value) &&
		o.again.same(p.again) && (o.tree == nil || o.encoded.same(p.encoded))
}

func (w written) same(x written) bool {
	return bytes.Equal(w.bytes, x.bytes) && sameFault(w.err, x.err, false)
}

// sameFault compares what the judge compares of errors.
func sameFault(a, b error, offset bool) bool {
	x, isX := errors.AsType[*wire.Error](a)
	y, isY := errors.AsType[*wire.Error](b)
	if !isX || !isY {
		return a == b
	}
	return x.Class == y.Class && (!offset || x.Offset == y.Offset)
}
