package diff

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/draft"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Promoter makes drafts of vectors from inputs of one type that a fuzzer has
// found. It knows what vectors reach in the reference.
type Promoter struct {
	// AsIs keeps inputs as they are.
	AsIs bool

	t        *codec.Type
	profiles []ids.Profile
	vectors  []*corpus.Vector // of the type, with bytes
	seen     map[string]bool  // what inputs have reached: see reaction.code
	ref      *adapter.Reference
	bind     func(t *codec.Type, profile string, context map[string]string) (codec.Codec, error) // a test replaces it
}

// NewPromoter returns a promoter. The behaviour of an input is that under all
// given profiles. The inputs shown are those of the vectors of the type, and of
// the cases that are derived from them.
func NewPromoter(t *codec.Type, profiles []ids.Profile, vectors []*corpus.Vector, shown []Input) *Promoter {
	p := &Promoter{t: t, profiles: profiles, seen: map[string]bool{}, ref: adapter.NewReference()}
	p.bind = p.ref.Bind
	for _, v := range vectors {
		if v.Type == t.Name && !v.EncodeOnly() {
			p.vectors = append(p.vectors, v)
		}
	}
	for _, in := range shown {
		p.see(in)
	}
	return p
}

// see adds what an input reaches, and returns what is new.
func (p *Promoter) see(in Input) (fresh []string) {
	for _, c := range p.reaction(in).code {
		if !p.seen[c] {
			p.seen[c], fresh = true, append(fresh, c)
		}
	}
	return fresh
}

// A reaction is the behaviour of the reference under all profiles.
type reaction struct {
	features []string
	// verdicts contains, for each profile, whether the input is accepted,
	// noncanonical or rejected, for which fault, and what was expected and got.
	verdicts []string
	// code lists what is decided in one place of a codec, whatever the depth, the
	// lengths and the numbers: the class, the clause and the last step of the path
	// of a fault; the last step and the clause of each part of an accepted input.
	code []string
}

func (p *Promoter) reaction(in Input) (r reaction) {
	for _, profile := range p.profiles {
		c, err := p.bind(p.t, profile.String(), in.Context)
		if err != nil {
			r.verdicts = append(r.verdicts, "no context")
			continue
		}
		o := observeBytes(c, in.Bytes)
		r.verdicts = append(r.verdicts, o.verdict)
		name := profile.String() + " "
		switch f := o.behaviour.fault; {
		case f != nil:
			r.code = append(r.code, name+"! "+string(f.Class)+" "+step(f.Path, f.Clause))
			continue
		case o.panicked:
			r.code = append(r.code, name+o.verdict)
			continue
		case o.verdict != canonical:
			at := o.behaviour.spanAt(o.different)
			r.code = append(r.code, name+o.kind+" "+step(at.Path, at.Clause))
		}
		for _, s := range o.behaviour.spans {
			r.code = append(r.code, name+step(s.Path, s.Clause))
		}
		o.behaviour.features(func(f string) { r.features = append(r.features, name+f) })
	}
	slices.Sort(r.code)
	r.code = slices.Compact(r.code)
	return r
}

// step returns the last step of a path and a clause. An element of an element is
// an element.
func step(path string, clause ids.Clause) string {
	last := tree.LastName(path)
	if name, _, ok := strings.Cut(last, "["); ok {
		last = name + "[]"
	}
	return last + " " + string(clause)
}

// canonical is the verdict on bytes that are accepted and encoded again.
const canonical = "accepted"

// observed is what the reference does with bytes.
type observed struct {
	behaviour behaviour
	panicked  bool
	verdict   string
	kind      string // of an encoding that differs: noncanonical, possibly with another value, or none
	different int    // offset of the first byte that is encoded in another way; -1 if there is none
}

// observeBytes decodes bytes, encodes the value again and compares.
func observeBytes(c codec.Codec, src []byte) (o observed) {
	o.different = -1
	defer func() {
		if x := recover(); x != nil {
			o.panicked, o.verdict = true, "panic "+withoutNumbers(fmt.Sprint(x))
		}
	}()
	v, spans, err := c.Trace(src)
	o.behaviour = behaviourOf(spans, err)
	if err != nil {
		o.behaviour.features(func(f string) { o.verdict = f })
		o.verdict += " " + strings.ReplaceAll(withoutNumbers(o.behaviour.fault.Detail), "bytes", "byte")
		return o
	}
	again, err := c.Append(nil, v)
	if err != nil {
		o.kind = "not encoded again"
		o.verdict = o.kind
		return o
	}
	if bytes.Equal(again, src) {
		o.verdict = canonical
		return o
	}
	o.different = firstDifference(src, again)
	o.kind = "noncanonical"
	if other, err := c.Decode(again); err != nil || !sameValue(c, v, other, again) {
		o.kind = "noncanonical with another value"
	}
	at := o.behaviour.spanAt(o.different)
	difference := differenceOf(src, again, o.different)
	o.verdict = o.kind + " " + tree.Shape(at.Path) + " " + string(at.Clause) + " " + difference
	return o
}

// differenceOf describes how the bytes that are written differ from those that were
// read, whatever the other bytes are: in which bits at the first difference, and by how
// many bytes.
func differenceOf(src, again []byte, at int) string {
	if at >= len(src) || at >= len(again) {
		return fmt.Sprintf("%+d bytes", len(again)-len(src))
	}
	return fmt.Sprintf("bits %08b, %+d bytes", src[at]^again[at], len(again)-len(src))
}

// sameValue reports whether a value is equal to that of its own encoding. NaNs
// are compared by their bytes.
func sameValue(c codec.Codec, v, other any, encoded []byte) bool {
	a, errA := tree.FromModel(v)
	b, errB := tree.FromModel(other)
	if errA != nil || errB != nil || a.String() != b.String() {
		return false
	}
	twice, err := c.Append(nil, other)
	return err == nil && bytes.Equal(twice, encoded)
}

// maxReduce limits the number of inputs that are tried to reduce one, and
// maxReduceBytes the number of their bytes.
const (
	maxReduce      = 20_000
	maxReduceBytes = 64 << 20
)

// A Promotion is an input that can become a vector.
type Promotion struct {
	Input Input // reduced
	// New lists what it reaches and no vector of the type does, and no input that
	// was promoted before.
	New []string
	// From describes the input before it was reduced, and Size is its length.
	From string
	Size int
	// SameAs is the id of a vector with the same bytes; empty if there is none.
	SameAs string

	p *Promoter
	// profile is the first one under which the input shows something new, or the first
	// of all. The annotations, the clauses and the flags are those under it.
	profile   ids.Profile
	reference observed // under the profile
}

// Promote reduces an input as long as the reference reacts in the same way: the
// verdict under each profile is the same, with what was expected and got, and
// everything new is reached. If nothing is new, all features of the behaviour remain.
func (p *Promoter) Promote(in Input, from string) *Promotion {
	first := p.reaction(in)
	out := &Promotion{From: from, Size: len(in.Bytes), New: p.see(in), p: p, profile: p.profiles[0]}
	shows := func(profile ids.Profile) bool {
		return slices.ContainsFunc(out.New, func(c string) bool { return strings.HasPrefix(c, profile.String()+" ") })
	}
	if i := slices.IndexFunc(p.profiles, shows); i > 0 {
		out.profile = p.profiles[i]
	}
	same := func(r reaction) bool { return containsAll(r.code, out.New) }
	if len(out.New) == 0 {
		same = func(r reaction) bool { return containsAll(r.features, first.features) }
	}
	asks, size := maxReduce, maxReduceBytes
	s := &shrinker{
		in: in, profile: out.profile, batch: shrinkBatch,
		firstKept: func(ins []Input) int {
			for _, less := range ins {
				asks, size = asks-1, size-len(less.Bytes)
			}
			if asks < 0 || size < 0 {
				return stopShrinking
			}
			return slices.IndexFunc(ins, func(less Input) bool {
				r := p.reaction(less)
				return slices.Equal(r.verdicts, first.verdicts) && same(r)
			})
		},
	}
	if len(in.Bytes) <= maxInput && !p.AsIs {
		s.run()
	}
	out.Input, out.reference.different = s.in, -1
	if c, err := p.bind(p.t, out.profile.String(), s.in.Context); err == nil {
		out.reference = observeBytes(c, s.in.Bytes)
	}
	for _, v := range p.vectors {
		if same := NewInput(p.t, v.Bytes, v.Context); same.key() == out.Input.key() {
			out.SameAs = v.ID
		}
	}
	return out
}

func containsAll(all, some []string) bool {
	have := map[string]bool{}
	for _, s := range all {
		have[s] = true
	}
	return !slices.ContainsFunc(some, func(s string) bool { return !have[s] })
}

// IsNew reports whether an input reaches something that no vector of the type
// does, and no input that was promoted.
func (p *Promoter) IsNew(in Input) bool {
	return slices.ContainsFunc(p.reaction(in).code, func(c string) bool { return !p.seen[c] })
}

// ID returns the id for a vector of the input. The same input has the same id.
func (m *Promotion) ID() string {
	words := []string{"fuzz"}
	switch o := &m.reference; {
	case o.panicked:
		words = append(words, "panic")
	case o.behaviour.fault != nil:
		words = append(words, string(o.behaviour.fault.Class))
	case o.verdict == canonical:
		words = append(words, "accept")
	default:
		words = append(words, "noncanonical")
	}
	if clauses := m.clauses(); len(clauses) > 0 {
		words = append(words, afterFamily(clauses[0], "-"))
	}
	return m.Input.vectorID(words)
}

// clauses lists the clause of the fault, or of the part that has another
// encoding, or those of the new parts, or of all parts.
func (m *Promotion) clauses() (out []ids.Clause) {
	o := &m.reference
	add := func(c ids.Clause) {
		if c != "" && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	switch f := o.behaviour.fault; {
	case f != nil:
		add(f.Clause)
		return out
	case o.different >= 0:
		if add(o.behaviour.spanAt(o.different).Clause); len(out) > 0 {
			return out
		}
	}
	profile := m.profile.String()
	for _, onlyNew := range []bool{true, false} {
		for _, s := range o.behaviour.spans {
			if !onlyNew || slices.Contains(m.New, profile+" "+step(s.Path, s.Clause)) {
				add(s.Clause)
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}

// Draft returns the input as a vector without a verdict. The comment contains
// the answers of the reference as information. The verdict has to be derived
// from the documents.
func (m *Promotion) Draft() *draft.Draft {
	d := &draft.Draft{
		ID: m.ID(), Type: m.Input.Type.Name, Context: m.Input.Context, Clauses: m.clauses(), Flags: m.flags(),
		Source: fmt.Sprintf("DRAFT from %s (%s): %s", oneLine(m.From), wire.CountBytes(m.Size), draft.NoSource),
		Bytes:  m.Input.Bytes, Lines: annotate(m.Input.Bytes, &m.reference.behaviour),
	}
	var b strings.Builder
	b.WriteString(draftHead + "The answers of the reference are\n")
	told := map[string]bool{}
	for _, profile := range slices.Concat([]ids.Profile{ids.Observed(), ids.Documented()}, m.p.profiles) {
		if name := profile.String(); !told[name] {
			told[name] = true
			fmt.Fprintf(&b, "  under %s: %s\n", name, oneLine(m.answer(profile)))
		}
	}
	const mostNew = 8
	for i, f := range m.New {
		if i == 0 {
			b.WriteString("No vector reaches\n")
		}
		if i == mostNew {
			fmt.Fprintf(&b, "  and %d more\n", len(m.New)-i)
			break
		}
		fmt.Fprintf(&b, "  %s\n", oneLine(f))
	}
	d.Comment = b.String() +
		"No answer is the verdict: the documents decide. The annotations of the bytes are those of the reference."
	return d
}

// answer returns the answer of the reference under a profile, in one line.
func (m *Promotion) answer(profile ids.Profile) (text string) {
	defer func() {
		if x := recover(); x != nil {
			text = fmt.Sprint("panic: ", x)
		}
	}()
	src := hex.EncodeToString(m.Input.Bytes)
	ask := func(op adapter.Op) adapter.Response {
		q := adapter.Request{Op: op, Type: m.Input.Type.Name, Profile: profile.String(), Context: m.Input.Context, Hex: &src}
		a, _ := m.p.ref.Do(context.Background(), q) // the reference returns no error
		return a
	}
	a := ask(adapter.OpDecode)
	if a.OK == nil {
		return textOf(&a)
	}
	again := ask(adapter.OpRoundtrip)
	if again.OK != nil && again.OK.Hex != nil && *again.OK.Hex == src {
		return textOf(&a)
	}
	return textOf(&a) + ", encoded again: " + textOf(&again)
}

// flags lists the flags that have a side that changes the answer of the
// reference.
func (m *Promotion) flags() (out []ids.Flag) {
	usual := m.answer(m.profile)
	for _, s := range otherSides(m.Input.Type.Family(), m.profile) {
		p, _ := m.profile.With(s.Flag, s.Side) // the flag has this side
		if !slices.Contains(out, s.Flag) && m.answer(p) != usual {
			out = append(out, s.Flag)
		}
	}
	return out
}
