package judge_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	words "github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// undeclaredReference is the reference with a fixed profile that hello does not declare. It
// computes each answer once.
func undeclaredReference(p ids.Profile, alter alteration) *altered {
	return &altered{
		Reference: adapter.NewReference(), follows: p.String(), undeclared: true, alter: alter,
		answers: map[string]adapter.Response{},
	}
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
	for _, f := range spec.Flags() {
		if f.Switchable() && rng.Float64() < share {
			p, _ = p.With(f.ID, f.Sides[rng.IntN(len(f.Sides))].Name) // the flag has this side
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
		impl := undeclaredReference(p, nil)
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
// does not change the side. Each answer is asked for once.
func TestFingerprintOfOneOtherAnswer(t *testing.T) {
	vectors := flaggedVectors(t)
	v := vectors[slices.IndexFunc(vectors, func(v *corpus.Vector) bool {
		observed, documented := v.Select(ids.Observed()), v.Select(ids.Documented())
		return len(v.Flags) == 1 && observed != nil && documented != nil && observed.Outcome == corpus.Accept &&
			documented.Outcome == corpus.Reject
	})]
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
	f := sideOf(got, v.Flags[0])
	if len(f.Against) != 1 || f.Against[0].Vector != v.ID || f.Against[0].Section == "" || f.Against[0].Got == nil ||
		f.Side == judge.SideNotShown || got.Profile.String() != "observed" || got.Definite() {
		t.Errorf("profile to declare %s, definite %t, %+v", got.Profile, got.Definite(), f)
	}
	for _, other := range got.Flags {
		if other.Flag != f.Flag && other.Against != nil {
			t.Errorf("%+v", other)
		}
	}
}

// TestFingerprintOfFaulty checks the fingerprints of faulty adapters.
func TestFingerprintOfFaulty(t *testing.T) {
	t.Parallel()
	vectors := flaggedVectors(t)
	for mode, want := range map[string]string{ // profile, definite, side at upkg.ci-minus-zero
		"right":           "observed true documented",
		"undeclared-flag": "observed,upkg.ci-minus-zero=strict true strict",
		"forgets-flag":    "observed true documented",
		"skips":           "observed true not shown",
		"errors":          "observed false not shown",
		"accepts":         "observed false not shown",
		"garbage":         "observed false not shown",
		"crashes-always":  "observed false not shown",
		"hangs-always":    "observed false not shown",
		"crashes-nth":     "observed false documented",
		"off-by-one":      "observed false not shown",
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
			side := sideOf(got, "upkg.ci-minus-zero").Side
			if have := fmt.Sprintf("%s %t %s", got.Profile, got.Definite(), side); have != want {
				t.Errorf("%s, want %s", have, want)
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

// replaces returns the request with other bytes in place of the n bytes at an offset; with n
// below 0, in place of all that follow.
func replaces(q adapter.Request, at *int, n int, hex string) (adapter.Request, bool) {
	if at == nil || len(*q.Hex) < 2*(*at+n) {
		return q, false
	}
	rest := ""
	if n >= 0 {
		rest = (*q.Hex)[2*(*at+n):]
	}
	old := *q.Hex
	q.Hex = new(old[:2**at] + hex + rest)
	return q, *q.Hex != old
}

// replacing replaces bytes where an input is rejected with one of the classes.
func replacing(n int, hex string, classes ...string) func(adapter.Request, *adapter.Reject) (adapter.Request, bool) {
	return func(q adapter.Request, r *adapter.Reject) (adapter.Request, bool) {
		if !slices.Contains(classes, r.Class) {
			return q, false
		}
		return replaces(q, r.Offset, n, hex)
	}
}

func leniencies() []leniency {
	out := []leniency{
		{name: "does not check the tag", instead: replacing(2, "4b41", "magic")},
		{name: "ignores trailing bytes", instead: replacing(-1, "", "trailing")},
		{name: "reads zeros after the end", instead: func(q adapter.Request, r *adapter.Reject) (adapter.Request, bool) {
			end := len(*q.Hex) / 2
			if r.Class != "truncated" || end > 200 {
				return q, false
			}
			return replaces(q, &end, 0, "00")
		}},
		{
			name:    "reads an invalid byte as zero",
			sides:   map[ids.Flag]string{"upkg.name-terminator": "drop", "ka.nested-length-mismatch": "slice", "ka.bool": "one"},
			instead: replacing(1, "00", "value", "kind"),
		},
	}
	for _, f := range spec.Flags() {
		for _, side := range f.Sides {
			out = append(out, acceptsAs(f.ID, side.Name))
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
		impl := lenientReader(p, planted...)
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

// TestFingerprint: what the answers of readers show.
func TestFingerprint(t *testing.T) {
	observed, ref := ids.Observed(), adapter.NewReference()
	const colors, wide = "documented,ka.color=observed,ka.magic=observed", "observed,ka.wide-unit=utf16"
	const sides, unknown = "observed,ka.bool=one,upkg.ci-minus-zero=strict", "observed,ka.unknown-id=documented"
	undeclared := func(profile string, alter alteration) *altered {
		return undeclaredReference(profileOf(t, profile), alter)
	}
	rejects := func(class string) *altered { return undeclaredReference(observed, always(t, class+" @")) }
	inView := losing(adapter.NewReferenceUnder(profileOf(t, wide)), lossOf(t, "ka.texts"), "ka.texts")
	withoutView := losing(adapter.NewReferenceUnder(profileOf(t, wide)), lossOf(t, "ka.texts"))
	for name, c := range map[string]struct {
		impl     *altered
		families string
		want     string // what is shown; empty: no side
		definite bool
	}{
		"gives no offsets, takes several sides": {undeclared(sides, classOnly), "ka upkg", sides, true},
		"gives no offsets, takes one side":      {undeclared(unknown, classOnly), "ka upkg", unknown, true},
		// Acceptance of what one side rejects as unsupported shows the side that accepts.
		"accepts colors":                    {undeclared(colors, nil), "ka", colors, true},
		"accepts colors, gives no offsets":  {undeclared(colors, classOnly), "ka", colors, true},
		"rejects everything as reference":   {rejects("reference"), "ka upkg ubi uasset", "", false},
		"rejects everything as kind":        {rejects("kind"), "ka upkg ubi uasset", "", false},
		"rejects everything as unsupported": {rejects("unsupported"), "ka upkg ubi uasset", "", false},
		"rejects everything as version":     {rejects("version"), "ka upkg ubi uasset", "", false},
		// Under the side documented of ka.key-type, keys of type 5 are rejected.
		"lacks type 5": {undeclaredReference(observed, func(q adapter.Request, a adapter.Response) adapter.Response {
			for i := 0; a.OK != nil && q.Hex != nil && 2*i < len(*q.Hex); i++ {
				other, changed := replaces(q, &i, 1, "7f")
				if !changed || (*q.Hex)[2*i:2*i+2] != "05" {
					continue
				}
				b, _ := ref.Do(t.Context(), other)
				if b.Reject != nil && b.Reject.Class == "kind" && *b.Reject.Offset == i {
					return b
				}
			}
			return a
		}), "ka", "observed", false},
		// Under the side headerless of ka.magic, the bytes in place of a tag are the type of a key.
		"rejects a missing tag with another class": {
			undeclaredReference(observed, func(_ adapter.Request, a adapter.Response) adapter.Response {
				if a.Reject != nil && a.Reject.Class == "magic" {
					a.Reject.Class = "kind"
				}
				return a
			}), "ka", "observed", false,
		},
		// What a view loses contradicts no side.
		"loses ids in a view":      {inView, "ka", wide, true},
		"loses ids without a view": {withoutView, "ka", wide, false},
	} {
		t.Run(name, func(t *testing.T) {
			vectors := only(flaggedVectors(t), func(v *corpus.Vector) bool { return strings.Contains(c.families, v.Family()) })
			got := fingerprintOf(t, c.impl, vectors, judge.Options{})
			told := got.Profile.String()
			if !got.Proposes() {
				told = ""
			}
			if told != c.want || got.Definite() != c.definite || (len(got.Unexplained) == 0) != c.definite {
				t.Errorf("told %q, definite %t, want %q; %d unexplained", told, got.Definite(), c.want, len(got.Unexplained))
			}
			if c.want != "" {
				checkSound(t, name, c.impl, vectors, got)
			}
		})
	}
}

// TestFingerprintOfStrength: which answers about two sides of a flag outweigh which others.
// Each letter is a vector.
func TestFingerprintOfStrength(t *testing.T) {
	const head = "An index.\n\nclauses: UPKG-CI-8\nflags: upkg.ci-minus-zero\nsource: by hand\n-- bytes --\n"
	const one, two, none = "accept\n\"1\"\n", "accept\n\"2\"\n", "reject value @0\n"
	kinds := map[rune]struct{ documented, strict, answer string }{
		'b': {one, one, `"1"`},      // the value of both sides
		'd': {one, two, `"1"`},      // the value of documented
		'a': {none, one, `"1"`},     // accepted as under strict
		'r': {one, none, "value @"}, // rejected as under strict, without an offset
	}
	for letters, want := range map[string]string{
		"bd": ids.SideDocumented,
		// A rejection without an offset may be for another reason. Two show the side.
		"br": judge.SideNotShown, "brr": "strict",
		// A reader that is too lenient accepts too. That does not outweigh a value.
		"bda": ids.SideDocumented,
		// But if the side of the value explains less than the other one, it is in doubt.
		"bdaa": judge.SideNotShown,
	} {
		var vectors []*corpus.Vector
		answers := map[string]adapter.Response{}
		for i, letter := range letters {
			k, src := kinds[letter], fmt.Sprintf("%02x", 3+i)
			answers[src] = answerOf(t, k.answer)
			vectors = append(vectors, vector(t, fmt.Sprintf("upkg/CompactIndex/strength-%d", i), head+src+
				"\n-- observed --\n"+k.documented+"-- upkg.ci-minus-zero=strict --\n"+k.strict))
		}
		impl := observing(func(q adapter.Request, _ adapter.Response) adapter.Response {
			if q.Op != adapter.OpDecode {
				return answerOf(t, "skip decode only")
			}
			return answers[*q.Hex]
		})
		got := fingerprintOf(t, impl, vectors, judge.Options{})
		if f := sideOf(got, "upkg.ci-minus-zero"); f.Side != want {
			t.Errorf("%s: told %s, %s with %d for and %d against", letters, got.Profile, f.Side, len(f.For), len(f.Against))
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
	try := func(flag *spec.Flag, takes, accepts string) {
		vectors := only(all, func(v *corpus.Vector) bool { return slices.Contains(v.Flags, flag.ID) })
		p, _ := ids.Observed().With(flag.ID, takes)
		impl := lenientReader(p, acceptsAs(flag.ID, accepts))
		got := fingerprintOf(t, impl, vectors, judge.Options{})
		is, told := got.Profile.Side(flag.ID), sideOf(got, flag.ID).Side
		results := map[string][]judge.Result{}
		for _, side := range flag.Sides {
			q, _ := got.Profile.With(flag.ID, side.Name)
			results[side.Name] = judged(t, impl, vectors, q).Results
		}
		valued := func(r *judge.Result) bool { // it disagrees, and not only in how it rejects
			return disagrees(resultOf(r)) && r.Class != judge.WrongClass && r.Class != judge.WrongOffset
		}
		var accepted, other, against, failed int
		for k, r := range results[is] {
			if valued(&r) {
				failed++ // so the side does not explain everything
			}
			for _, o := range results {
				switch {
				case r.Status == judge.Pass && o[k].Class == judge.Accepted && disagrees(resultOf(&o[k])):
					accepted++
				case r.Status == judge.Pass && valued(&o[k]):
					other++
				case valued(&r) && o[k].Status == judge.Pass:
					against++
				}
			}
		}
		base, _ := ids.ParseProfile(got.Profile.Base())
		if shown := told != judge.SideNotShown; !shown && is != base.Side(flag.ID) ||
			shown && (accepted+other == 0 || other == 0 && against > 0) || !shown && accepted > 0 && failed == 0 {
			t.Errorf("%s: %s + %s: told %s, %s in the profile; %d accepted, %d others, %d against, %d failed", flag.ID, p,
				accepts, told, is, accepted, other, against, failed)
		} else if !shown && accepted > 0 {
			rejected++
		}
	}
	for _, flag := range spec.Flags() {
		if !testrun.Sampled(string(flag.ID), 8) && flag.ID != acceptsMore {
			continue
		}
		for _, takes := range flag.Sides {
			for _, accepts := range flag.Sides {
				try(flag, takes.Name, accepts.Name)
			}
		}
	}
	if rejected == 0 {
		t.Error("no reader accepts what each of two sides rejects")
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
	impl := observing(answering(t, map[adapter.Op]string{adapter.OpDecode: `"2"`, adapter.OpEncode: "skip decode only"}))
	for n, want := range map[int]string{3: "observed,upkg.ci-minus-zero=strict", 8: "observed"} {
		got := fingerprintOf(t, impl, vectors[:n], judge.Options{})
		side := sideOf(got, "upkg.ci-minus-zero")
		if got.Profile.String() != want || n == 3 && !slices.Equal(side.For, []string{vectors[0].ID}) ||
			n == 8 && side.Side != judge.SideNotShown {
			t.Errorf("%d vectors: told %s, %s by %d vectors", n, got.Profile, side.Side, len(side.For))
		}
	}
}
