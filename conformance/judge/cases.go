package judge

import (
	"encoding/hex"
	"slices"
	"sync"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Case is one vector, or one case derived from it, under one profile.
type Case struct {
	// ID is the id of the vector. A derived case appends #, the rule and an
	// offset.
	ID      string
	Vector  *corpus.Vector
	Profile ids.Profile
	Rule    Rule  // empty for the vector itself
	Edit    *Edit // what the rule changed; nil for the vector itself
	Context map[string]string
	// Expect is the expected verdict; nil if no section of the vector applies.
	Expect *corpus.Expectation
	// Choices are the choices of this reference that decide the verdict of the
	// vector. It is empty if something stronger decides, or a side that the
	// profile takes as an exception from its base.
	Choices []Choice
	// Writing are the choices that decide only to which bytes the value of the
	// vector encodes.
	Writing []Choice

	selected ids.Profile // for which Expect was selected
}

// Input returns the bytes of the case. Those of a derived case are made at each call: a run
// has too many to keep them.
func (c *Case) Input() []byte {
	if c.Edit == nil {
		return c.Vector.Bytes
	}
	return c.Edit.apply(c.Vector.Bytes)
}

// An Edit makes the input of a derived case from that of its vector.
type Edit struct {
	At       int      `json:"at"`
	Deleted  int      `json:"deleted,omitempty"` // number of bytes
	Inserted hexBytes `json:"inserted,omitempty"`
}

// hexBytes are bytes that are written in hex.
type hexBytes []byte

// MarshalText implements encoding.TextMarshaler.
func (b hexBytes) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, b), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *hexBytes) UnmarshalText(text []byte) (err error) {
	*b, err = hex.AppendDecode(nil, text)
	return err
}

// apply returns the edited bytes.
func (e *Edit) apply(b []byte) []byte {
	if e.At+e.Deleted == len(b) && len(e.Inserted) == 0 {
		return b[:e.At:e.At] // of truncated inputs there are many
	}
	return slices.Concat(b[:e.At], e.Inserted, b[e.At+e.Deleted:])
}

// Derived reports whether a rule derived the case.
func (c *Case) Derived() bool { return c.Rule != "" }

// Value returns the tree of the value that is read or written, as the vector writes it.
func (c *Case) Value() string {
	if c.Vector.EncodeOnly() {
		return c.Vector.Tree
	}
	return c.Expect.Tree
}

// ChoicesOf returns the choices that decide the answer to an operation.
func (c *Case) ChoicesOf(op adapter.Op) []Choice {
	if op == adapter.OpDecode {
		return c.Choices
	}
	return slices.Concat(c.Choices, c.Writing)
}

// Cases lists the cases to judge: for each profile each vector, followed by the cases derived
// from it if derives, which can be nil, is true of it.
func Cases(vectors []*corpus.Vector, profiles []ids.Profile, derives func(*corpus.Vector) bool) []Case {
	var lists [][]Case
	for _, p := range profiles {
		for _, v := range vectors {
			lists = append(lists, []Case{newCase(v, p)})
			if derives != nil && derives(v) {
				lists = append(lists, Derive(v, p))
			}
		}
	}
	return slices.Concat(lists...)
}

// Derives is true of every vector.
func Derives(*corpus.Vector) bool { return true }

func newCase(v *corpus.Vector, p ids.Profile) Case {
	e, section := verdict(v, p)
	c := Case{ID: v.ID, Vector: v, Profile: p, Context: v.Context, Expect: e, selected: p}
	c.Choices = undeclared(v, v.Choices(section), p)
	c.Writing = undeclared(v, v.DecidedIn(corpus.Writing), p)
	return c
}

// Verdict returns what a vector demands under a profile. If no section has the sides of
// the profile, that of its base applies where the sides do not change the answer: the
// reference gives under them what the section demands, and no section with one of them
// says otherwise. It is nil if no section applies.
func Verdict(v *corpus.Vector, p ids.Profile) *corpus.Expectation {
	e, _ := verdict(v, p)
	return e
}

// kept are the verdicts of vectors under profiles of which they have no section.
var kept sync.Map

// verdict returns the profile too by which the section was selected.
func verdict(v *corpus.Vector, p ids.Profile) (*corpus.Expectation, ids.Profile) {
	base, _ := ids.ParseProfile(p.Base())
	e, of := v.Select(p), v.Select(base)
	if e != nil || of == nil || !agree(v, p, of) {
		return e, p
	}
	type combination struct {
		vector  *corpus.Vector
		profile string
	}
	key := combination{v, p.String()}
	same, ok := kept.Load(key)
	if !ok {
		c := Case{Vector: v, Profile: p, Context: v.Context, Expect: of}
		same = c.right()
		kept.Store(key, same)
	}
	if same == true {
		return of, base
	}
	return nil, p
}

// agree reports whether each section of a vector that has a side of a profile, where this
// departs from its base, says the same as the section of the base.
func agree(v *corpus.Vector, p ids.Profile, base *corpus.Expectation) bool {
	says := base.Short() + base.Tree + string(base.Canonical)
	return !slices.ContainsFunc(v.Expect, func(e corpus.Expectation) bool {
		q, err := ids.ParseProfile(e.Profile)
		return err == nil && e.Short()+e.Tree+string(e.Canonical) != says && slices.ContainsFunc(v.Flags, func(id ids.Flag) bool {
			return p.Departs(id) && q.Takes(id, p.Side(id))
		})
	})
}

// right reports whether the reference gives every answer that the verdict of a case demands.
func (c *Case) right() bool {
	t, ok := codec.Find(c.Vector.Type)
	if !ok {
		return false
	}
	p := pending{testCase: c, typ: t, expected: &expectedTree{}}
	for _, op := range Operations(c.Vector, c.Expect) {
		q, err := p.request(op)
		if err != nil || check(c, t, c.Expect, op, c.askReference(q, c.Profile, c.Context), p.expected).Status != Pass {
			return false
		}
	}
	return true
}

// undeclared returns choices, or none if the profile declares one of them.
func undeclared(v *corpus.Vector, choices []corpus.Decider, p ids.Profile) (out []Choice) {
	for _, d := range choices {
		if declared(d, p) {
			return nil
		}
		reason, open := v.Reason(d)
		out = append(out, Choice{d.String(), reason, open})
	}
	return out
}

// declared reports whether a decider is a side that the profile takes as an
// exception from its base. The implementation has declared this side, or was asked
// for it: so it has to follow it, whoever demands the side.
func declared(d corpus.Decider, p ids.Profile) bool { return d.Flag != "" && p.Departs(d.Flag) }

// NamedSideCases lists, for each side that is neither documented nor observed,
// the vectors that list its flag and have a verdict, under observed with this
// side.
func NamedSideCases(vectors []*corpus.Vector) []Case {
	var bySide []*[]Case
	var wg sync.WaitGroup
	for _, f := range spec.Flags() {
		listing := slices.DeleteFunc(slices.Clone(vectors),
			func(v *corpus.Vector) bool { return !slices.Contains(v.Flags, f.ID) })
		for _, p := range f.NamedSides() {
			out := new([]Case)
			bySide = append(bySide, out)
			wg.Go(func() { // the reference answers for most verdicts
				*out = slices.DeleteFunc(Cases(listing, []ids.Profile{p}, nil), func(c Case) bool { return c.Expect == nil })
			})
		}
	}
	wg.Wait()
	var out []Case
	for _, cases := range bySide {
		out = append(out, *cases...)
	}
	return out
}
