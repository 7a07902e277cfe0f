package judge_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	words "github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// undeclaredReference is the reference with a fixed profile that hello does not declare.
func undeclaredReference(p ids.Profile, alter alteration) *altered {
	return &altered{Reference: adapter.NewReference(), follows: p.String(), undeclared: true, alter: alter}
}

func fingerprintOf(t *testing.T, impl adapter.Implementation, vectors []*corpus.Vector,
	opts judge.Options,
) *judge.FingerprintResult {
	t.Helper()
	got, err := judge.Fingerprint(t.Context(), impl, vectors, opts)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// sideOf returns what a fingerprint says of a flag.
func sideOf(got *judge.FingerprintResult, id ids.Flag) judge.FlagSide {
	return got.Flags[slices.IndexFunc(got.Flags, func(f judge.FlagSide) bool { return f.Flag == id })]
}

// randomProfile draws a base profile, and another side for a share of the flags.
func randomProfile(rng *rand.Rand, share float64) ids.Profile {
	p := ids.Observed()
	if rng.IntN(2) == 0 {
		p = ids.Documented()
	}
	for _, f := range spec.Families() {
		for i := range f.Flags {
			if fl := &f.Flags[i]; fl.Switchable() && rng.Float64() < share {
				p, _ = p.With(fl.ID, fl.Sides[rng.IntN(len(fl.Sides))].Name) // the flag has this side
			}
		}
	}
	return p
}

// drawn returns how many of n random choices an ordinary run makes.
func drawn(n int) int {
	if testrun.Exhaustive {
		return n
	}
	return max(1, n/5)
}

// TestFingerprintOfMixtures checks that any combination of sides is found, also when an
// eighth of the vectors is missing: each flag has the side that is taken, lists it as an
// alternative, or is not shown. An answer fails under the profile to declare only where
// such a flag is in doubt.
func TestFingerprintOfMixtures(t *testing.T) {
	all := flaggedVectors(t)
	profiles := []ids.Profile{ids.Observed(), ids.Documented()}
	rng := testrun.Rand(t)
	shares := []float64{0.1, 1}
	if testrun.Exhaustive {
		shares = append(shares, 0.03, 0.3)
	}
	for _, share := range shares {
		for range drawn(5) {
			profiles = append(profiles, randomProfile(rng, share))
		}
	}
	failing := 0
	for i, p := range profiles {
		impl := remember(undeclaredReference(p, nil))
		got := checkMixture(t, impl, all, p)
		if i < 2 && (got.Profile.String() != p.String() || !got.Definite()) {
			t.Errorf("under %s the profile to declare is %s", p, got.Profile)
		}
		if !got.Definite() {
			failing++
		}
		if testrun.Exhaustive || i >= 2 {
			checkMixture(t, impl, only(all, func(*corpus.Vector) bool { return rng.IntN(8) > 0 }), p)
		}
	}
	if failing > len(profiles)/4 {
		t.Errorf("of %d mixtures %d do not conform under the profile to declare", len(profiles), failing)
	}
}

func checkMixture(t *testing.T, impl adapter.Implementation, vectors []*corpus.Vector,
	p ids.Profile,
) *judge.FingerprintResult {
	t.Helper()
	got := fingerprintOf(t, impl, vectors, judge.Options{})
	none := 0
	doubtful := map[ids.Flag]bool{}
	for _, f := range got.Flags {
		want := p.Side(f.Flag)
		doubtful[f.Flag] = f.Side == judge.SideNotShown || len(f.Alternatives) > 0
		switch {
		case f.Side == judge.SideNotShown:
			none++
		case f.Side != want && !slices.Contains(f.Alternatives, want):
			t.Errorf("%s under %s: %s, by %d vectors, or %v", f.Flag, p, f.Side, len(f.For), f.Alternatives)
		}
	}
	if none > len(got.Flags)/5 {
		t.Errorf("under %s: none %d", p, none)
	}
	report := judgedBy(t, impl, vectors,
		judge.Options{Profile: &got.Profile, NoDerived: true, FailAcceptable: true})
	for _, r := range report.Results {
		if r.Status.Failed() && !slices.ContainsFunc(r.Vector.Flags, func(f ids.Flag) bool { return doubtful[f] }) {
			t.Errorf("%s, declared as %s: %s: %s", p, got.Profile, r.ID, words.What(r.Outcome))
		}
	}
	return got
}

// TestFingerprintOfAnyProfile: an implementation that follows any profile has the
// sides of the requested one.
func TestFingerprintOfAnyProfile(t *testing.T) {
	vectors := flaggedVectors(t)
	p := profileOf(t, "documented,ka.bool=one,upkg.ci-range=observed,ubi.quat-u32-nan=clamp")
	got := fingerprintOf(t, adapter.NewReference(), vectors, judge.Options{Profile: &p})
	if got.Profile.String() != p.String() || got.Asked.String() != p.String() || !got.Definite() {
		t.Errorf("requested %s, found %s", got.Asked, got.Profile)
	}
}

// TestFingerprintOfOneOtherAnswer: one answer of another side is shown, and
// does not change the side.
func TestFingerprintOfOneOtherAnswer(t *testing.T) {
	vectors := flaggedVectors(t)
	at := slices.IndexFunc(vectors, func(v *corpus.Vector) bool {
		observed, documented := v.Select(ids.Observed()), v.Select(ids.Documented())
		return len(v.Flags) == 1 && observed != nil && documented != nil && observed.Outcome == corpus.Accept &&
			documented.Outcome == corpus.Reject
	})
	v := vectors[at]
	impl := undeclaredReference(ids.Observed(), nil)
	impl.alter = func(q adapter.Request, a adapter.Response) adapter.Response {
		if q.Hex != nil && q.Type == v.Type && *q.Hex == hex.EncodeToString(v.Bytes) {
			q.Profile = "documented"
			a, _ = impl.Reference.Do(t.Context(), q)
		}
		return a
	}
	got := fingerprintOf(t, impl, vectors, judge.Options{})
	asked := map[adapter.Op]int{}
	for _, q := range impl.requests {
		asked[q.Op]++
	}
	if asked[adapter.OpDecode] > got.Vectors || asked[adapter.OpRoundtrip] > got.Vectors {
		t.Errorf("%d vectors answered, requests %v", got.Vectors, asked)
	}
	if got.Definite() || got.Profile.String() != "observed" {
		t.Errorf("definite %v, profile to declare %s", got.Definite(), got.Profile)
	}
	found := false
	for _, f := range got.Flags {
		for _, a := range f.Against {
			found = true
			if a.Vector != v.ID || f.Side == judge.SideNotShown || a.Section == "" || a.Got == nil ||
				!slices.Contains(v.Flags, f.Flag) {
				t.Errorf("%s %s: %+v", f.Flag, f.Side, a)
			}
		}
	}
	if !found {
		t.Error("no answer contradicts a side")
	}
}

// TestFingerprintOfFaulty checks the fingerprints of faulty adapters.
func TestFingerprintOfFaulty(t *testing.T) {
	t.Parallel()
	vectors := flaggedVectors(t)
	type result struct {
		profile  string
		definite bool
		side     string // at upkg.ci-minus-zero
	}
	for mode, want := range map[string]result{
		"right":           {"observed", true, "documented"},
		"undeclared-flag": {"observed,upkg.ci-minus-zero=strict", true, "strict"},
		"forgets-flag":    {"observed", true, "documented"},
		"skips":           {"observed", true, judge.SideNotShown},
		"errors":          {"observed", false, judge.SideNotShown},
		"accepts":         {"observed", false, judge.SideNotShown},
		"garbage":         {"observed", false, judge.SideNotShown},
		"crashes-always":  {"observed", false, judge.SideNotShown},
		"hangs-always":    {"observed", false, judge.SideNotShown},
		"crashes-nth":     {"observed", false, "documented"},
		"off-by-one":      {"observed", false, judge.SideNotShown},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			opts := adapter.Options{Timeout: testrun.Answer}
			if mode == "hangs-always" {
				opts.Timeout = time.Millisecond
			}
			silent := slices.Contains([]string{"garbage", "crashes-always", "hangs-always"}, mode) // each vector starts a process
			got := fingerprintOf(t, faulty(t, mode, opts), vectors, judge.Options{
				Filter: func(v *corpus.Vector) bool {
					return v.Structure() == "upkg.CompactIndex" && (!silent || v.ID == "upkg/CompactIndex/minus-zero")
				},
			})
			if have := (result{got.Profile.String(), got.Definite(), sideOf(got, "upkg.ci-minus-zero").Side}); have != want {
				t.Errorf("%+v, want %+v", have, want)
			}
			for _, f := range got.Flags {
				if spec.FamilyOf(string(f.Flag)) == "ka" && (f.Side != judge.SideNotShown || f.Reason == "") {
					t.Errorf("%s, of a family that was not asked about: %s %s", f.Flag, f.Side, f.Reason)
				}
			}
		})
	}
}

// A leniency makes a reader accept more than it should.
type leniency struct {
	name string
	// sides are those that a reader with this leniency takes. It may be told so.
	sides map[ids.Flag]string
	// instead returns the request whose answer replaces a rejection.
	instead func(adapter.Request, *adapter.Reject) (adapter.Request, bool)
}

// replaces returns the request with other bytes in place of the n bytes at an
// offset.
func replaces(q adapter.Request, at *int, n int, hex string) (adapter.Request, bool) {
	if at == nil || len(*q.Hex) < 2*(*at+n) {
		return q, false
	}
	changed := (*q.Hex)[:2**at] + hex + (*q.Hex)[2*(*at+n):]
	old := *q.Hex
	q.Hex = &changed
	return q, changed != old
}

const tagUnchecked = "does not check the tag"

func leniencies() []leniency {
	out := []leniency{
		{name: tagUnchecked, instead: func(q adapter.Request, r *adapter.Reject) (adapter.Request, bool) {
			if r.Class != "magic" {
				return q, false
			}
			return replaces(q, r.Offset, 2, "4b41")
		}},
		{name: "ignores trailing bytes", instead: func(q adapter.Request, r *adapter.Reject) (adapter.Request, bool) {
			if r.Class != "trailing" {
				return q, false
			}
			return replaces(q, r.Offset, len(*q.Hex)/2-*r.Offset, "")
		}},
		{name: "reads zeros after the end", instead: func(q adapter.Request, r *adapter.Reject) (adapter.Request, bool) {
			end := len(*q.Hex) / 2
			if r.Class != "truncated" || end > 200 {
				return q, false
			}
			return replaces(q, &end, 0, "00")
		}},
		{
			name:  "reads an invalid byte as zero",
			sides: map[ids.Flag]string{"upkg.name-terminator": "drop", "ka.nested-length-mismatch": "slice", "ka.bool": "one"},
			instead: func(q adapter.Request, r *adapter.Reject) (adapter.Request, bool) {
				if r.Class != "value" && r.Class != "kind" {
					return q, false
				}
				return replaces(q, r.Offset, 1, "00")
			},
		},
	}
	for _, f := range spec.Families() {
		for i := range f.Flags {
			for _, side := range f.Flags[i].Sides {
				out = append(out, acceptsAs(f.Flags[i].ID, side.Name))
			}
		}
	}
	return out
}

// acceptsAs accepts also what another side accepts, with the value of that side.
func acceptsAs(id ids.Flag, side string) leniency {
	return leniency{
		string(id) + "=" + side,
		map[ids.Flag]string{id: side},
		func(q adapter.Request, _ *adapter.Reject) (adapter.Request, bool) {
			p, _ := ids.ParseProfile(q.Profile)
			p, _ = p.With(id, side)
			q.Profile = p.String()
			return q, true
		},
	}
}

// lenientReader is the reference under a fixed profile, with leniencies.
func lenientReader(p ids.Profile, leniencies ...leniency) *altered {
	l := undeclaredReference(p, nil)
	l.alter = func(q adapter.Request, a adapter.Response) adapter.Response {
		for range 20 { // replacements
			if q.Hex == nil || a.Reject == nil {
				break
			}
			for _, x := range leniencies {
				other, ok := x.instead(q, a.Reject)
				if !ok {
					continue
				}
				if b, _ := l.Reference.Do(context.Background(), other); b.OK != nil || other.Profile == q.Profile {
					a, q = b, other
					break
				}
			}
		}
		return a
	}
	return l
}

// remembered is an implementation whose answers do not depend on the profile of the
// request. It computes each answer once.
type remembered struct {
	adapter.Implementation
	answers map[string]adapter.Response
}

func remember(impl adapter.Implementation) *remembered {
	return &remembered{impl, map[string]adapter.Response{}}
}

func (m *remembered) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	key := fmt.Sprint(q.Op, q.Type, q.Context)
	if q.Tree != nil {
		key += q.Tree.String()
	} else {
		key += *q.Hex
	}
	a, ok := m.answers[key]
	if !ok {
		var err error
		if a, err = m.Implementation.Do(ctx, q); err != nil {
			return a, err
		}
		m.answers[key] = a
	}
	return a, nil
}

// judged judges the vectors under a profile.
func judged(t *testing.T, impl adapter.Implementation, vectors []*corpus.Vector, p ids.Profile) *judge.Report {
	t.Helper()
	return judgedBy(t, impl, vectors, judge.Options{Profile: &p, NoDerived: true})
}

// disagrees reports whether an answer fails, or differs from a choice. Both are
// evidence.
func disagrees(r string) bool { return r == fail || r == byChoice }

// checkSound checks what holds for each fingerprint, whatever the implementation
// answers.
func checkSound(t *testing.T, name string, impl adapter.Implementation, vectors []*corpus.Vector,
	got *judge.FingerprintResult,
) {
	t.Helper()
	report := judged(t, impl, vectors, got.Profile)
	status := map[string]string{}
	for _, r := range report.Results {
		status[r.Vector.ID] = resultOf(&r)
	}
	for _, a := range got.Unexplained {
		if status[a.Vector] != fail {
			t.Errorf("%s: %s fails under %s; judged: %s", name, a.Vector, got.Profile, status[a.Vector])
		}
	}
	base, _ := ids.ParseProfile(got.Profile.Base())
	for _, f := range got.Flags {
		id, side := f.Flag, got.Profile.Side(f.Flag)
		shown := f.Side != judge.SideNotShown
		for _, a := range f.Against {
			if !disagrees(status[a.Vector]) {
				t.Errorf("%s: %s contradicts %s=%s; judged: %s", name, a.Vector, id, side, status[a.Vector])
			}
		}
		switch {
		case shown && (f.Side != side || len(f.For) == 0 || len(f.Against) > len(f.For) || f.Reason != ""):
			t.Errorf("%s: %s is %s with %d for and %d against", name, id, f.Side, len(f.For), len(f.Against))
		case !shown && (side != base.Side(id) || f.Reason == ""):
			t.Errorf("%s: %s is not shown (%s), and %s in the profile", name, id, f.Reason, side)
		case shown && side != base.Side(id):
			listing := only(vectors, func(v *corpus.Vector) bool { return slices.Contains(v.Flags, id) })
			without, _ := got.Profile.With(id, base.Side(id))
			is, not := judged(t, impl, listing, got.Profile), judged(t, impl, listing, without)
			if i, n := is.Count(judge.Fail), not.Count(judge.Fail); i > n {
				t.Errorf("%s: %s=%s fails %d vectors, the base %d", name, id, side, i, n)
			}
			if i, n := is.Count(judge.Fail)+countReason(is, judge.ByChoice),
				not.Count(judge.Fail)+countReason(not, judge.ByChoice); i >= n {
				t.Errorf("%s: %d vectors disagree with %s=%s, %d with the base", name, i, id, side, n)
			}
		}
	}
}

// TestFingerprintOfLenient: a reader with one to three leniencies is told no side
// that it does not take.
func TestFingerprintOfLenient(t *testing.T) {
	vectors, all := flaggedVectors(t), leniencies()
	rng := testrun.Rand(t)
	try := func(vectors []*corpus.Vector, p ids.Profile, planted ...leniency) (adapter.Implementation,
		*judge.FingerprintResult,
	) {
		name := p.String()
		for _, l := range planted {
			name += " + " + l.name
		}
		impl := remember(lenientReader(p, planted...))
		got := fingerprintOf(t, impl, vectors, judge.Options{})
		checkSound(t, name, impl, vectors, got)
		for _, f := range got.Flags {
			sides := append([]string{judge.SideNotShown, p.Side(f.Flag)}, f.Alternatives...)
			for _, l := range planted {
				sides = append(sides, l.sides[f.Flag])
			}
			if !slices.Contains(sides, f.Side) && !slices.Contains(f.Alternatives, p.Side(f.Flag)) {
				t.Errorf("%s: %s is told %s with %d for and %d against", name, f.Flag, f.Side, len(f.For), len(f.Against))
			}
		}
		return impl, got
	}
	for range drawn(8) {
		var planted []leniency
		for range 1 + rng.IntN(3) {
			planted = append(planted, all[[]int{rng.IntN(4), rng.IntN(len(all))}[rng.IntN(2)]])
		}
		try(vectors, randomProfile(rng, 0.05), planted...)
	}
	// Without the check of the tag the answers are like those of some mixtures
	// under which many vectors have no verdict.
	vectors = only(vectors, func(v *corpus.Vector) bool { return v.Family() == "ka" }) // the tag is theirs
	impl, got := try(vectors, ids.Observed(), all[0])
	open := judged(t, impl, vectors, got.Profile).Count(judge.NotApplicable)
	if want := judged(t, impl, vectors, ids.Observed()).Count(judge.NotApplicable); got.Profile.String() != "observed" ||
		open != want {
		t.Errorf("%s: told %s, with %d vectors without a verdict", all[0].name, got.Profile, open)
	}
	// A reader that takes a side, and also accepts what the other side accepts.
	for _, id := range []ids.Flag{"uasset.mip-rule", "uasset.mip-tail", "ka.fastname-v1", "ka.nested-length"} {
		of, _ := spec.FindFlag(id)
		family := only(flaggedVectors(t), func(v *corpus.Vector) bool { return v.Family() == of.Family() })
		_, got := try(family, ids.Observed(), acceptsAs(id, "documented"))
		if f := sideOf(got, id); got.Profile.String() != "observed" || f.Side != "observed" {
			t.Errorf("%s: told %s; %s with %d for and %d against", id, got.Profile, f.Side, len(f.For), len(f.Against))
		}
	}
}

// TestFingerprintWithoutOffsets: rejections of the right class show a side also without
// offsets, if none contradicts it.
func TestFingerprintWithoutOffsets(t *testing.T) {
	vectors := only(flaggedVectors(t), func(v *corpus.Vector) bool { return v.Family() == "ka" || v.Family() == "upkg" })
	for _, text := range []string{"observed,ka.bool=one,upkg.ci-minus-zero=strict", "observed,ka.unknown-id=documented"} {
		p := profileOf(t, text)
		impl := remember(undeclaredReference(p, classOnly))
		got := fingerprintOf(t, impl, vectors, judge.Options{})
		if got.Profile.String() != text || !got.Definite() {
			t.Errorf("told %v, want %s", got.Profile, text)
		}
		checkSound(t, text, impl, vectors, got)
	}
}

// TestFingerprintOfRejections: a reader that rejects everything, with one class, takes no
// side.
func TestFingerprintOfRejections(t *testing.T) {
	vectors := flaggedVectors(t)
	for _, class := range []string{"reference", "kind", "unsupported", "version"} {
		impl := observing(always(t, class+" @"))
		if got := fingerprintOf(t, impl, vectors, judge.Options{}); got.Proposes() || got.Profile.String() != "observed" {
			t.Errorf("%s: told %s", class, got.Profile)
		}
	}
}

// TestFingerprintOfAcceptable: acceptance of what one side rejects as unsupported shows the
// side that accepts.
func TestFingerprintOfAcceptable(t *testing.T) {
	vectors := only(flaggedVectors(t), func(v *corpus.Vector) bool { return v.Family() == "ka" })
	p := profileOf(t, "documented,ka.color=observed,ka.magic=observed")
	for _, alter := range []alteration{nil, classOnly} {
		got := fingerprintOf(t, undeclaredReference(p, alter), vectors, judge.Options{})
		if f := sideOf(got, "ka.color"); f.Side != "observed" {
			t.Errorf("told %s; ka.color is %s: %s", got.Profile, f.Side, f.Reason)
		}
	}
}

// TestFingerprintOfGivenUp: from the answers before an implementation was given up nothing is
// proposed.
func TestFingerprintOfGivenUp(t *testing.T) {
	vectors := flaggedVectors(t)
	impl := undeclaredReference(ids.Documented(), nil)
	impl.fails = givenUpAfter(499)
	got := fingerprintOf(t, impl, vectors, judge.Options{})
	if got.NotAsked == 0 || got.Vectors == 0 || got.Vectors > 500 || got.Proposes() || got.Definite() || got.Flags[0].Reason != judge.GivenUp {
		t.Errorf("%d vectors answered, %d not asked, told %s", got.Vectors, got.NotAsked, got.Profile)
	}
}

// TestFingerprintOfBothSides: a reader that accepts what either of two sides
// accepts is told one of them only if it shows it in another way, or if the side
// explains everything.
func TestFingerprintOfBothSides(t *testing.T) {
	all := smallVectors(t)
	const acceptsMore ids.Flag = "uasset.bool-property" // each side accepts what the other rejects
	rejected := 0
	for _, family := range spec.Families() {
		for i := range family.Flags {
			flag := &family.Flags[i]
			if !testrun.Sampled(string(flag.ID), 8) && flag.ID != acceptsMore {
				continue
			}
			vectors := only(all, func(v *corpus.Vector) bool { return slices.Contains(v.Flags, flag.ID) })
			for _, takes := range flag.Sides {
				for _, accepts := range flag.Sides {
					p, _ := ids.Observed().With(flag.ID, takes.Name)
					impl := remember(lenientReader(p, acceptsAs(flag.ID, accepts.Name)))
					got := fingerprintOf(t, impl, vectors, judge.Options{})
					told := sideOf(got, flag.ID).Side
					results := map[string][]judge.Result{}
					for _, side := range flag.Sides {
						q, _ := got.Profile.With(flag.ID, side.Name)
						results[side.Name] = judged(t, impl, vectors, q).Results
					}
					is := got.Profile.Side(flag.ID)
					var accepted, other, against, failed int
					rejections := []judge.Class{judge.WrongClass, judge.WrongOffset}
					for k, r := range results[is] {
						if disagrees(resultOf(&r)) && !slices.Contains(rejections, r.Class) {
							failed++ // so the side does not explain everything
						}
						for _, o := range results {
							switch {
							case r.Status == judge.Pass && o[k].Class == judge.Accepted && disagrees(resultOf(&o[k])):
								accepted++
							case r.Status == judge.Pass && disagrees(resultOf(&o[k])) && !slices.Contains(rejections, o[k].Class):
								other++
							case disagrees(resultOf(&r)) && o[k].Status == judge.Pass && !slices.Contains(rejections, r.Class):
								against++
							}
						}
					}
					name := string(flag.ID) + ": " + p.String() + " + " + accepts.Name
					base, _ := ids.ParseProfile(got.Profile.Base())
					switch {
					case told == judge.SideNotShown && is != base.Side(flag.ID):
						t.Errorf("%s: told nothing; %s in the profile", name, is)
					case told != judge.SideNotShown && accepted+other == 0, told != judge.SideNotShown && other == 0 && against > 0:
						t.Errorf("%s: told %s; %d accepted, %d others, %d against", name, told, accepted, other, against)
					case told == judge.SideNotShown && accepted > 0 && failed == 0:
						t.Errorf("%s: told nothing; %d accepted, %d others", name, accepted, other)
					case told == judge.SideNotShown && accepted > 0:
						rejected++
					}
				}
			}
		}
	}
	if rejected == 0 {
		t.Error("no reader accepts what each of two sides rejects")
	}
}

// TestFingerprintOfFaults: a fault is not taken for a side.
func TestFingerprintOfFaults(t *testing.T) {
	ka := only(flaggedVectors(t), func(v *corpus.Vector) bool { return v.Family() == "ka" })
	ref := adapter.NewReference()
	for name, fault := range map[string]alteration{
		// Under the side documented of ka.key-type, keys of type 5 are rejected.
		"type 5 is missing": func(q adapter.Request, a adapter.Response) adapter.Response {
			for i := 0; a.OK != nil && q.Hex != nil && 2*i < len(*q.Hex); i++ {
				other, changed := replaces(q, &i, 1, "7f")
				if !changed || (*q.Hex)[2*i:2*i+2] != "05" {
					continue
				}
				if b, _ := ref.Do(t.Context(), other); b.Reject != nil && b.Reject.Class == "kind" && *b.Reject.Offset == i {
					return b
				}
			}
			return a
		},
		// Under the side headerless of ka.magic, the bytes in place of a tag are the type of a key.
		"a missing tag is rejected with another class": func(_ adapter.Request, a adapter.Response) adapter.Response {
			if a.Reject != nil && a.Reject.Class == "magic" {
				return adapter.Response{Reject: &adapter.Reject{Class: "kind", Offset: a.Reject.Offset}}
			}
			return a
		},
	} {
		got := fingerprintOf(t, observing(fault), ka, judge.Options{})
		if got.Profile.String() != "observed" || len(got.Unexplained) == 0 {
			t.Errorf("%s: told %s, %d unexplained", name, got.Profile, len(got.Unexplained))
		}
	}
}

// TestFingerprintOfCoincidence: one answer of another side does not outweigh seven
// answers of which this side says nothing, but does outweigh two. The vectors that are
// evidence are named.
func TestFingerprintOfCoincidence(t *testing.T) {
	head := "An index.\n\nclauses: UPKG-CI-8\nflags: upkg.ci-minus-zero, upkg.ci-non-minimal\nsource: by hand\n-- bytes --\n"
	other := vector(t, "upkg/CompactIndex/other", head+
		"01\n-- observed --\naccept\n\"1\"\n-- upkg.ci-minus-zero=strict --\naccept\n\"2\"\n")
	vectors := []*corpus.Vector{other}
	for i := range 7 {
		vectors = append(vectors, vector(t, fmt.Sprintf("upkg/CompactIndex/silent-%d", i), head+fmt.Sprintf("%02x", 2+i)+
			"\n-- observed --\naccept\n\"2\"\n-- upkg.ci-minus-zero=strict,upkg.ci-non-minimal=strict --\naccept\n\"3\"\n"))
	}
	impl := observing(func(q adapter.Request, _ adapter.Response) adapter.Response {
		if q.Hex == nil {
			return adapter.Response{Skip: &adapter.Skip{Reason: "decode only"}}
		}
		return adapter.Response{OK: &adapter.OK{Tree: &tree.Node{Kind: tree.Text, Text: "2"}, Hex: q.Hex}}
	})
	for n, want := range map[int]string{3: "observed,upkg.ci-minus-zero=strict", 8: "observed"} {
		got := fingerprintOf(t, impl, vectors[:n], judge.Options{})
		side := sideOf(got, "upkg.ci-minus-zero")
		if got.Profile.String() != want || n == 3 && !slices.Equal(side.For, []string{vectors[0].ID}) ||
			n == 8 && side.Side != judge.SideNotShown {
			t.Errorf("%d vectors: told %s, %s by %d vectors", n, got.Profile, side.Side, len(side.For))
		}
	}
}
