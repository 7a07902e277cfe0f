package judge

import (
	"context"
	"slices"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// SideNotShown is the value of [FlagSide.Side] if the answers show no side.
const SideNotShown = "not shown"

// A FingerprintResult says which side of each switchable flag an implementation
// takes.
type FingerprintResult struct {
	Hello adapter.Hello `json:"-"`
	// Asked is the profile in the requests.
	Asked ids.Profile `json:"-"`
	// Vectors is the number of vectors that were answered.
	Vectors int `json:"vectors"`
	// NotAsked is the number of vectors that were not asked because the implementation had
	// been given up. Unless it is 0, the answers are too few, and no side is shown.
	NotAsked int `json:"notAsked,omitempty"`
	// Acceptable is the number of vectors with this result under Profile.
	Acceptable int `json:"acceptable"`
	// Flags lists all switchable flags, in the order of the records.
	Flags []FlagSide `json:"flags"`
	// Unexplained lists the answers that fail under Profile and are no evidence
	// about a flag.
	Unexplained []Contradiction `json:"unexplained,omitempty"`
	// Profile is the profile to declare: the sides that are shown, and the sides
	// of a base for all other flags.
	Profile ids.Profile `json:"-"`
}

// Proposes reports whether the answers show a side, so that there is a profile to declare.
func (s *FingerprintResult) Proposes() bool {
	return slices.ContainsFunc(s.Flags, func(f FlagSide) bool { return f.Side != SideNotShown })
}

// Definite reports whether every vector was asked, and no answer fails under the profile to
// declare or shows another side.
func (s *FingerprintResult) Definite() bool {
	return s.NotAsked == 0 && len(s.Unexplained) == 0 &&
		!slices.ContainsFunc(s.Flags, func(f FlagSide) bool { return len(f.Against) > 0 })
}

// A FlagSide is the side of one flag, with the evidence.
type FlagSide struct {
	Flag ids.Flag `json:"flag"`
	// Side is the side that the answers show, or SideNotShown.
	Side string `json:"side"`
	// For lists the vectors that are evidence for the side of the profile.
	For []string `json:"for,omitempty"`
	// Against lists the answers that are evidence for another side.
	Against []Contradiction `json:"against,omitempty"`
	// Alternatives are other sides under which the same vectors pass.
	Alternatives []string `json:"asWell,omitempty"`
	// Reason says why no side is shown. If nothing was asked for, Unasked is the outcome of
	// a vector.
	Reason  SideReason `json:"why,omitempty"`
	Unasked *Outcome   `json:"unasked,omitempty"`
}

// A Contradiction is an answer that fails or is acceptable under the profile to declare.
type Contradiction struct {
	Vector string `json:"vector"`
	*Outcome
	// Section names the section of the vector that the answers satisfy, if any.
	Section string `json:"like,omitempty"`
}

// SideReason says why no side of a flag is shown.
type SideReason string

const (
	// NoVector: no chosen vector distinguishes the sides.
	NoVector SideReason = "no-vector"
	// Contradictory: the answers contradict each other.
	Contradictory SideReason = "contradictory"
	// NoEvidence: no answer shows one of the sides.
	NoEvidence SideReason = "no-evidence"
	// Unjudged: no answer was judged.
	Unjudged SideReason = "unjudged"
	// GivenUp: the implementation had been given up before all vectors were asked.
	GivenUp SideReason = "given-up"
)

// Fingerprint determines which sides an implementation takes, from the vectors that list
// flags. It asks for each answer once, and judges the stored answers under many profiles. Of
// the options it uses Profile, Sides and Filter.
func Fingerprint(ctx context.Context, impl adapter.Implementation, vectors []*corpus.Vector,
	opts Options,
) (*FingerprintResult, error) {
	opts.Profiles = []ids.Profile{ids.Observed()}
	j, chosen, profiles, err := begin(ctx, impl, vectors, opts)
	if err != nil {
		return nil, err
	}
	s := &search{judge: j, byFlag: map[ids.Flag][]*stored{}, unfounded: map[string]map[string]bool{}}
	for _, v := range chosen {
		s.add(v)
	}
	s.ask(ctx, impl, profiles[0])
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := &FingerprintResult{Hello: j.hello, Asked: profiles[0]}
	s.count(out)
	if out.NotAsked > 0 {
		s.eachFlag(func(f *spec.Flag) {
			out.Flags = append(out.Flags, FlagSide{Flag: f.ID, Side: SideNotShown, Reason: GivenUp})
		})
		return out, nil
	}
	s.describe(out, s.propose(ids.Observed()))
	if p := s.propose(ids.Documented()); s.cost(s.vectors, p) < s.cost(s.vectors, out.Profile) {
		if other := *out; s.describe(&other, p).Proposes() {
			*out = other
		}
	}
	return out, nil
}

// A Fit is the profile that the answers of an implementation show, and the number of vectors
// that fail under it.
type Fit struct {
	Profile string `json:"profile"`
	Failed  int    `json:"failed"`
}

// FindFit asks for the answers to the vectors again. It returns nil if they show no side.
func FindFit(ctx context.Context, impl adapter.Implementation, vectors []*corpus.Vector, opts Options) (*Fit, error) {
	s, err := Fingerprint(ctx, impl, vectors, opts)
	if err != nil || !s.Proposes() {
		return nil, err
	}
	opts.Profile, opts.Sides, opts.NoDerived, opts.Known, opts.Progress = &s.Profile, nil, true, nil, nil
	r, err := Run(ctx, impl, vectors, opts)
	if err != nil {
		return nil, err
	}
	return &Fit{s.Profile.String(), r.Count(Fail, Crash, Timeout, Protocol)}, nil
}

// search holds the answers to vectors, and finds the profile that agrees best with them.
type search struct {
	judge     *judge
	vectors   []*stored
	byFlag    map[ids.Flag][]*stored     // the vectors that list a switchable flag
	unfounded map[string]map[string]bool // see [search.lacks]
}

// stored is a vector with the answers to it.
type stored struct {
	vector   *corpus.Vector
	flags    []ids.Flag // those with sides
	sections []*pending
	answers  map[string]storedAnswer // by [key]
	// answered and explained report whether there are answers to judge, and whether they
	// pass by some section.
	answered, explained bool
	// verdicts holds the verdicts under profiles. Those with the same sides share one, as
	// do those with the same section and the same choices: see [stored.under].
	verdicts map[string]*pending
}

type storedAnswer struct {
	adapter.Response
	err error
}

// add adds a vector if its verdict depends on sides.
func (s *search) add(v *corpus.Vector) {
	t := &stored{vector: v, answers: map[string]storedAnswer{}, verdicts: map[string]*pending{}}
	for _, id := range v.Flags {
		if f, ok := spec.FindFlag(id); ok && f.Switchable() {
			t.flags = append(t.flags, id)
		}
	}
	if len(t.flags) == 0 || len(v.Expect) == 1 && v.Expect[0].Profile == corpus.ExpectAll {
		return
	}
	for i := range v.Expect {
		p, _ := ids.ParseProfile(v.Expect[i].Profile) // of ExpectAll any
		c := newCase(v, p)
		c.Expect = &v.Expect[i]
		t.sections = append(t.sections, s.judge.pending(&c))
	}
	s.vectors = append(s.vectors, t)
	for _, id := range t.flags {
		s.byFlag[id] = append(s.byFlag[id], t)
	}
}

// ask asks for the answers by which each section of each vector can be judged.
func (s *search) ask(ctx context.Context, impl adapter.Implementation, profile ids.Profile) {
	for ctx.Err() == nil {
		var asked []map[string]storedAnswer
		var keys []string
		var requests []adapter.Request
		for _, t := range s.vectors {
			first := len(keys)
			for _, p := range t.sections {
				q, missing := t.judge(p)
				if !missing || slices.Contains(keys[first:], key(p)) {
					continue
				}
				q.Profile = profile.String()
				asked, keys, requests = append(asked, t.answers), append(keys, key(p)), append(requests, q)
			}
		}
		if len(requests) == 0 {
			return
		}
		adapter.DoAll(ctx, impl, requests, func(i int, a adapter.Response, err error) {
			asked[i][keys[i]] = storedAnswer{a, err}
		})
	}
}

// key names the next request of a verdict among those of its vector.
func key(p *pending) string {
	if p.ops[0] == adapter.OpEncode {
		return string(adapter.OpEncode) + p.testCase.Expect.Tree
	}
	return string(p.ops[0])
}

// judge judges the stored answers until one does not pass. If one is missing, it returns
// the request.
func (t *stored) judge(p *pending) (adapter.Request, bool) {
	for len(p.ops) > 0 {
		q, ok := p.nextRequest()
		if !ok {
			p.ops = nil
			break
		}
		a, ok := t.answers[key(p)]
		if !ok {
			return q, true
		}
		if p.open != nil && check(p.testCase, p.typ, p.testCase.Expect, p.ops[0], a.Response, p.expected).Status == Pass {
			p.open = nil // a right rejection shows a side, although every answer is right
		}
		if p.record(a.Response, a.err) && p.passed() {
			p.ops = p.ops[1:]
		} else {
			p.ops = nil
		}
	}
	return adapter.Request{}, false
}

// count counts the vectors that were answered.
func (s *search) count(out *FingerprintResult) {
	for _, t := range s.vectors {
		t.answered = slices.ContainsFunc(t.sections, (*pending).judged)
		t.explained = slices.ContainsFunc(t.sections, (*pending).passed)
		switch {
		case t.answered:
			out.Vectors++
		case slices.ContainsFunc(t.sections, func(p *pending) bool { return p.result.Reason == NotAsked }):
			out.NotAsked++
		}
	}
}

// under returns the verdict under a profile; nil if there is none.
func (t *stored) under(s *search, p ids.Profile) *pending {
	sides := append(make([]byte, 0, 256), p.Base()...) // it decides which sides are exceptions
	for _, id := range t.flags {
		sides = append(append(sides, ','), p.Side(id)...)
	}
	if known, ok := t.verdicts[string(sides)]; ok { // without a copy: this is most of a search
		return known
	}
	name := string(sides)
	c := newCase(t.vector, p)
	if c.Expect == nil {
		t.verdicts[name] = nil
		return nil
	}
	for _, o := range t.verdicts {
		if o != nil && o.testCase.Expect == c.Expect && slices.Equal(o.testCase.Choices, c.Choices) {
			t.verdicts[name] = o
			return o
		}
	}
	out := s.judge.pending(&c)
	for _, p := range t.sections {
		if p.testCase.Expect == c.Expect && p.expected != nil && out.expected != nil && p.expected.view == out.expected.view {
			out.expected = p.expected // its trees are parsed already
		}
	}
	t.judge(out)
	t.verdicts[name] = out
	return out
}

func (p *pending) passed() bool  { return p != nil && p.result.Status == Pass }
func (p *pending) failed() bool  { return p != nil && p.result.Status.Failed() }
func (p *pending) rejects() bool { return p.testCase.Expect.Outcome == corpus.Reject }

// disagrees reports whether the answer is not the expected one. One that is acceptable is no
// failure, but it can show another side.
func (p *pending) disagrees() bool { return p != nil && p.result.Status.Disagrees() }

// judged reports whether there is an answer to compare with the verdict, or a
// fault in place of one.
func (p *pending) judged() bool { return p.passed() || p.disagrees() }

// Costs of vectors whose answers pass by some section, and of exceptions.
const (
	costDisagrees = 6 // another side gives some of the answers of this one by coincidence
	costSilent    = 1 // there is no verdict
	costException = 1
)

// cost is the less, the better a profile agrees with the answers to vectors.
func (s *search) cost(vectors []*stored, p ids.Profile) int {
	sum := 0
	for _, t := range vectors {
		switch v := t.under(s, p); {
		case v.passed() || !t.explained:
		case v.disagrees():
			sum += costDisagrees
		default:
			sum += costSilent
		}
	}
	for id := range s.byFlag {
		if p.Departs(id) {
			sum += costException
		}
	}
	return sum
}

// propose starts from a base. It takes the change of one flag that lowers the cost the most,
// the first one of equal changes, until none lowers it. Then it starts again without the
// exceptions that the answers do not show.
func (s *search) propose(base ids.Profile) ids.Profile {
	excluded := map[string]bool{}
	for {
		p, gains := base, map[ids.Flag][]int{}
		for gain := 1; gain > 0; {
			p, gain = s.improve(p, gains, excluded)
		}
		n := len(excluded)
		s.eachFlag(func(f *spec.Flag) {
			if p.Departs(f.ID) && (s.flagSide(f, p).Side == SideNotShown || !s.compare(f, base.Side(f.ID), p).shows()) {
				excluded[string(f.ID)+"="+p.Side(f.ID)] = true
			}
		})
		if len(excluded) == n {
			return p
		}
	}
}

// improve changes the side of one flag. The gain is by how much that lowers the cost. gains
// keeps that of each side, until a flag changes on which it depends.
func (s *search) improve(
	p ids.Profile, gains map[ids.Flag][]int, excluded map[string]bool,
) (best ids.Profile, gain int) {
	best = p
	var changed ids.Flag
	s.eachFlag(func(f *spec.Flag) {
		if gains[f.ID] == nil {
			gains[f.ID] = s.gains(f, p)
		}
		for i, side := range f.Sides {
			if g := gains[f.ID][i]; g > gain && !excluded[string(f.ID)+"="+side.Name] {
				best, _ = p.With(f.ID, side.Name) // the flag has this side
				gain, changed = g, f.ID
			}
		}
	})
	for _, t := range s.byFlag[changed] {
		for _, id := range t.flags {
			delete(gains, id)
		}
	}
	return best, gain
}

// gains returns by how much each side of a flag lowers the cost.
func (s *search) gains(f *spec.Flag, p ids.Profile) (out []int) {
	vectors := s.byFlag[f.ID]
	before := s.cost(vectors, p)
	for _, side := range f.Sides {
		q, _ := p.With(f.ID, side.Name) // the flag has this side
		out = append(out, before-s.cost(vectors, q))
	}
	return out
}

// eachFlag calls do for each flag with sides, in the order of the records.
func (s *search) eachFlag(do func(*spec.Flag)) {
	for _, f := range spec.Flags() {
		if f.Switchable() {
			do(f)
		}
	}
}

// strength says what an answer shows about two sides.
type strength int

const (
	// none: the answer agrees with both verdicts or with neither, or both sides reject, or
	// it is a rejection without class, or one that the reader gives also where no side does.
	none strength = iota
	// slight: the answer is a rejection without an offset where the other side accepts, or
	// the right value where the other side rejects as unsupported or for a limit.
	slight
	// weak: the answer is the right value where the other side rejects. A reader that is
	// too lenient gives it too.
	weak
	// strong: the answer is the right value where the other side demands another one, or
	// the right rejection at the right offset where the other side accepts.
	strong
)

// evidence says whether the answers show the verdict v under a profile and not the verdict o
// under another.
func (s *search) evidence(t *stored, p ids.Profile, v, o *pending) strength {
	switch a := t.reject(); {
	case !v.passed() || !o.disagrees() || v.rejects() && (o.rejects() || a.Class == "" || s.lacks(p)[t.rejection()]):
		return none
	case v.rejects() && (a.Offset == nil || v.testCase.Expect.From < 0), o.result.Status == Acceptable && o.rejects():
		return slight
	case !v.rejects() && o.rejects():
		return weak
	}
	return strong
}

// lacks returns each [stored.rejection] of an input that the profile accepts: the reader
// lacks something, and takes no side.
func (s *search) lacks(p ids.Profile) map[string]bool {
	if known := s.unfounded[p.String()]; known != nil {
		return known
	}
	out := map[string]bool{}
	for _, t := range s.vectors {
		if v := t.under(s, p); v.failed() && !v.rejects() && t.reject() != nil {
			out[t.rejection()] = true
		}
	}
	s.unfounded[p.String()] = out
	return out
}

// reject returns the rejection that was answered first; nil if there is none.
func (t *stored) reject() *adapter.Reject {
	for _, p := range t.sections {
		if a, ok := t.answers[string(p.first)]; ok {
			return a.Reject
		}
	}
	return nil
}

// rejection names what a reader rejects: the class, and the byte at the offset or, without
// an offset, the type.
func (t *stored) rejection() string {
	r := t.reject()
	if r.Offset == nil {
		return r.Class + " " + t.vector.Type
	}
	at := min(max(*r.Offset, 0), len(t.vector.Bytes))
	return r.Class + string(t.vector.Bytes[at:min(at+1, len(t.vector.Bytes))])
}

// A comparison tells the side of a flag in a profile from another one.
type comparison struct {
	is, not []*stored // the vectors that are evidence for the one and for the other
	by      strength
	gain    int // how much more the other side costs
}

// compare compares the side of a flag in a profile with another one. Only the strongest
// evidence counts.
func (s *search) compare(f *spec.Flag, other string, p ids.Profile) comparison {
	q, _ := p.With(f.ID, other) // the flag has this side
	vectors := s.byFlag[f.ID]
	c := comparison{gain: s.cost(vectors, q) - s.cost(vectors, p)}
	var is, not [strong + 1][]*stored
	for _, t := range vectors {
		a, b := t.under(s, p), t.under(s, q)
		by, against := s.evidence(t, p, a, b), s.evidence(t, q, b, a)
		is[by], not[against] = append(is[by], t), append(not[against], t)
		c.by = max(c.by, by, against)
	}
	if c.by > none {
		c.is, c.not = is[c.by], not[c.by]
	}
	return c
}

// shows reports whether the answers show the side of the profile and not the other.
func (c comparison) shows() bool {
	switch {
	case c.gain <= 0:
		return false
	case c.by == strong:
		return len(c.is) > len(c.not)
	}
	return len(c.not) == 0 && len(c.is) > int(weak-c.by)
}

// flagSide collects the evidence about one flag. The side of the profile is shown if the
// answers show it and not another one, and say nothing about the rest, which are its
// alternatives. It is not shown if the reader accepts nothing of the types of the flag.
func (s *search) flagSide(f *spec.Flag, p ids.Profile) FlagSide {
	out := FlagSide{Flag: f.ID, Side: SideNotShown}
	shown, doubtful := false, false
	var evidence, against []*stored
	for _, side := range f.Sides {
		if side.Name == p.Side(f.ID) {
			continue
		}
		c := s.compare(f, side.Name, p)
		switch {
		case c.shows():
			shown = true
		case len(c.is)+len(c.not) > 0:
			doubtful = true
		default:
			out.Alternatives = append(out.Alternatives, side.Name)
		}
		evidence, against = append(evidence, c.is...), append(against, c.not...)
	}
	for _, t := range s.byFlag[f.ID] {
		if slices.Contains(evidence, t) {
			out.For = append(out.For, t.vector.ID)
		}
		if slices.Contains(against, t) {
			out.Against = append(out.Against, t.answer(t.under(s, p)))
		}
	}
	if shown && !doubtful && s.acceptsAny(s.byFlag[f.ID], p) {
		out.Side = p.Side(f.ID)
	} else {
		out.Alternatives = nil
		out.Reason, out.Unasked = s.reason(&out)
	}
	return out
}

// acceptsAny reports whether the reader accepts, as the profile demands, an input of one of
// the types of vectors.
func (s *search) acceptsAny(of []*stored, p ids.Profile) bool {
	return slices.ContainsFunc(s.vectors, func(t *stored) bool {
		v := t.under(s, p)
		return v.passed() && !v.rejects() &&
			slices.ContainsFunc(of, func(o *stored) bool { return o.vector.Type == t.vector.Type })
	})
}

// reason returns why no side of a flag is shown.
func (s *search) reason(side *FlagSide) (SideReason, *Outcome) {
	vectors := s.byFlag[side.Flag]
	switch {
	case len(vectors) == 0:
		return NoVector, nil
	case len(side.Against) > 0:
		return Contradictory, nil
	case slices.ContainsFunc(vectors, func(t *stored) bool { return t.answered }):
		return NoEvidence, nil
	}
	return Unjudged, vectors[0].sections[0].result.Outcome
}

// answer returns the answer that disagrees with a verdict.
func (t *stored) answer(p *pending) Contradiction {
	a := Contradiction{Vector: t.vector.ID, Outcome: p.result.Outcome}
	if i := slices.IndexFunc(t.sections, (*pending).passed); i >= 0 {
		a.Section = t.sections[i].testCase.Expect.Profile
	}
	return a
}

// describe sets the profile, the evidence about each flag, and what the profile does not
// explain.
func (s *search) describe(out *FingerprintResult, p ids.Profile) *FingerprintResult {
	out.Profile, out.Flags, out.Unexplained, out.Acceptable = p, nil, nil, 0
	explained := map[string]bool{}
	s.eachFlag(func(f *spec.Flag) {
		side := s.flagSide(f, p)
		out.Flags = append(out.Flags, side)
		for _, a := range side.Against {
			explained[a.Vector] = true
		}
	})
	for _, t := range s.vectors {
		switch v := t.under(s, p); {
		case v.failed() && !explained[t.vector.ID]:
			out.Unexplained = append(out.Unexplained, t.answer(v))
		case v != nil && v.result.Status == Acceptable:
			out.Acceptable++
		}
	}
	return out
}
