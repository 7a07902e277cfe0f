package judge_test

import (
	"context"
	"encoding/hex"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/judge/judgetest"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// undeclared is the reference with a fixed profile that hello does not declare.
type undeclared struct {
	*adapter.Reference
	takes ids.Profile
	asked map[adapter.Op]int
}

func (s *undeclared) Hello(ctx context.Context) (adapter.Hello, error) {
	h, err := s.Reference.Hello(ctx)
	h.AnyProfile = false
	return h, err
}

func (s *undeclared) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	s.asked[q.Op]++
	q.Profile = s.takes.String()
	return s.Reference.Do(ctx, q)
}

func undeclaredReference(p ids.Profile) *undeclared {
	return &undeclared{Reference: adapter.NewReference(), takes: p, asked: map[adapter.Op]int{}}
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

// TestFingerprintOfMixtures checks that any combination of sides is found: each
// flag has the side that is taken, or lists it as an alternative, and the
// implementation conforms under the profile to declare.
func TestFingerprintOfMixtures(t *testing.T) {
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	profiles := []ids.Profile{ids.Observed(), ids.Documented()}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, share := range []float64{0.03, 0.1, 0.3, 1} {
		for range 5 {
			profiles = append(profiles, randomProfile(rng, share))
		}
	}
	for i, p := range profiles {
		impl := undeclaredReference(p)
		got, err := judge.Fingerprint(t.Context(), impl, vectors, judge.Options{})
		if err != nil {
			t.Fatal(err)
		}
		none := 0
		for _, f := range got.Flags {
			want := p.Side(f.Flag.ID)
			switch {
			case f.Side == judge.SideNotShown:
				none++
			case f.Side != want && !slices.Contains(f.Alternatives, want):
				t.Errorf("%s under %s: %s, by %d vectors, or %v", f.Flag.ID, p, f.Side, f.Agree, f.Alternatives)
			}
		}
		if !got.Definite() || none > len(got.Flags)/5 {
			t.Errorf("under %s: definite %v, none %d", p, got.Definite(), none)
		}
		if i < 2 && got.Profile.String() != p.String() {
			t.Errorf("under %s the profile to declare is %s", p, got.Profile)
		}
		if impl.asked[adapter.OpDecode] > got.Vectors || impl.asked[adapter.OpRecode] > got.Vectors {
			t.Errorf("%d vectors answered, requests %v", got.Vectors, impl.asked)
		}
		report, err := judge.Run(t.Context(), undeclaredReference(p), vectors, judge.Options{Profile: &got.Profile, NoDerived: true, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range report.Results {
			if r.Status.Failed() {
				t.Errorf("%s, declared as %s: %s: %s", p, got.Profile, r.ID, r.Detail)
			}
		}
	}
}

// TestFingerprintOfAnyProfile: an implementation that follows any profile has the
// sides of the requested one.
func TestFingerprintOfAnyProfile(t *testing.T) {
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	p, err := ids.ParseProfile("documented,ka.bool=one,upkg.ci-range=observed,ubi.quat-u32-nan=clamp")
	if err != nil {
		t.Fatal(err)
	}
	got, err := judge.Fingerprint(t.Context(), adapter.NewReference(), vectors, judge.Options{Profile: &p})
	if err != nil {
		t.Fatal(err)
	}
	if got.Profile.String() != p.String() || got.Asked.String() != p.String() || !got.Definite() {
		t.Errorf("requested %s, found %s", got.Asked, got.Profile)
	}
}

// oneOtherAnswer decodes one input under another profile.
type oneOtherAnswer struct {
	*undeclared
	vector *corpus.Vector
}

func (m *oneOtherAnswer) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	other := q
	other.Profile = "documented"
	if q.Hex != nil && q.Type == m.vector.Type && *q.Hex == hex.EncodeToString(m.vector.Bytes) {
		return m.Reference.Do(ctx, other)
	}
	return m.undeclared.Do(ctx, q)
}

// TestFingerprintOfOneOtherAnswer: one answer of another side is shown, and
// does not change the side.
func TestFingerprintOfOneOtherAnswer(t *testing.T) {
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(vectors, func(v *corpus.Vector) bool {
		observed, documented := v.Select(ids.Observed()), v.Select(ids.Documented())
		return len(v.Flags) == 1 && observed != nil && documented != nil && observed.Outcome == corpus.Accept && documented.Outcome == corpus.Reject
	})
	v := vectors[at]
	got, err := judge.Fingerprint(t.Context(), &oneOtherAnswer{undeclaredReference(ids.Observed()), v}, vectors, judge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Definite() || got.Profile.String() != "observed" {
		t.Errorf("definite %v, profile to declare %s", got.Definite(), got.Profile)
	}
	found := false
	for _, f := range got.Flags {
		for _, a := range f.Against {
			found = true
			if a.Vector != v || f.Side == judge.SideNotShown || a.Section == "" || a.Got == "" || !slices.Contains(v.Flags, f.Flag.ID) {
				t.Errorf("%s %s: %+v", f.Flag.ID, f.Side, a)
			}
		}
	}
	if !found {
		t.Error("no answer contradicts a side")
	}
}

// TestFingerprintOfFaulty checks the fingerprints of faulty adapters.
func TestFingerprintOfFaulty(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the adapters are started by env")
	}
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
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
			opts := adapter.Options{Timeout: 10 * time.Second}
			if mode == "hangs-always" {
				opts.Timeout = 200 * time.Millisecond
			}
			child, err := adapter.NewChild(judgetest.Command(mode), opts)
			if err != nil {
				t.Fatal(err)
			}
			defer child.Close()
			got, err := judge.Fingerprint(t.Context(), child, vectors, judge.Options{
				Filter: func(v *corpus.Vector) bool { return v.Structure() == "upkg.CompactIndex" },
			})
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(got.Flags, func(f judge.FlagSide) bool { return f.Flag.ID == "upkg.ci-minus-zero" })
			if have := (result{got.Profile.String(), got.Definite(), got.Flags[i].Side}); have != want {
				t.Errorf("%+v, want %+v", have, want)
			}
			for _, f := range got.Flags {
				if f.Flag.Family() == "ka" && (f.Side != judge.SideNotShown || f.Reason == "") {
					t.Errorf("%s, of a family that was not asked about: %s %s", f.Flag.ID, f.Side, f.Reason)
				}
			}
		})
	}
}

// A leniency changes the answer of a reader: it accepts more than it should.
type leniency struct {
	name string
	// sides are those that a reader with this leniency may be told to take,
	// besides its own.
	sides map[ids.Flag]string
	// retry returns the request whose answer replaces a rejection.
	retry func(adapter.Request, *adapter.Reject) (adapter.Request, bool)
}

// withHex returns the request with other bytes.
func withHex(q adapter.Request, hex string) (adapter.Request, bool) {
	q.Hex = &hex
	return q, true
}

func leniencies() []leniency {
	out := []leniency{
		{name: "does not check the tag", retry: func(q adapter.Request, r *adapter.Reject) (adapter.Request, bool) {
			if r.Class != "magic" || r.Offset == nil || len(*q.Hex) < 2**r.Offset+4 {
				return q, false
			}
			return withHex(q, (*q.Hex)[:2**r.Offset]+"4b41"+(*q.Hex)[2**r.Offset+4:])
		}},
		{name: "ignores trailing bytes", retry: func(q adapter.Request, r *adapter.Reject) (adapter.Request, bool) {
			if r.Class != "trailing" || r.Offset == nil {
				return q, false
			}
			return withHex(q, (*q.Hex)[:2**r.Offset])
		}},
		{name: "reads zeros after the end", retry: func(q adapter.Request, r *adapter.Reject) (adapter.Request, bool) {
			if r.Class != "truncated" || len(*q.Hex) > 400 {
				return q, false
			}
			return withHex(q, *q.Hex+"00")
		}},
		{name: "reads an invalid byte as zero", retry: func(q adapter.Request, r *adapter.Reject) (adapter.Request, bool) {
			if r.Class != "value" && r.Class != "kind" || r.Offset == nil || len(*q.Hex) < 2**r.Offset+2 || (*q.Hex)[2**r.Offset:2**r.Offset+2] == "00" {
				return q, false
			}
			return withHex(q, (*q.Hex)[:2**r.Offset]+"00"+(*q.Hex)[2**r.Offset+2:])
		}},
	}
	for _, f := range spec.Families() {
		for i := range f.Flags {
			for _, side := range f.Flags[i].Sides {
				id := f.Flags[i].ID
				out = append(out, leniency{"accepts what " + string(id) + "=" + side.Name + " accepts", map[ids.Flag]string{id: side.Name}, func(q adapter.Request, _ *adapter.Reject) (adapter.Request, bool) {
					p, _ := ids.ParseProfile(q.Profile)
					p, _ = p.With(id, side.Name)
					q.Profile = p.String()
					return q, true
				}})
			}
		}
	}
	return out
}

// lenientReader is the reference under a fixed profile, with leniencies.
type lenientReader struct {
	*undeclared
	leniencies []leniency
}

func (l *lenientReader) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	a, err := l.undeclared.Do(ctx, q)
	if q.Hex == nil {
		return a, err
	}
	for range 64 {
		if a.Reject == nil {
			break
		}
		again := false
		for _, x := range l.leniencies {
			other := q
			other.Profile = l.takes.String()
			other, ok := x.retry(other, a.Reject)
			if !ok {
				continue
			}
			if b, err := l.Reference.Do(ctx, other); err == nil && (b.OK != nil || *other.Hex != *q.Hex) {
				a, q, again = b, other, true
				break
			}
		}
		if !again {
			break
		}
	}
	return a, err
}

// failing counts the vectors that fail under a profile.
func failing(t *testing.T, impl adapter.Implementation, vectors []*corpus.Vector, p ids.Profile) (failed, passed, open int) {
	t.Helper()
	r, err := judge.Run(t.Context(), impl, vectors, judge.Options{Profile: &p, NoDerived: true})
	if err != nil {
		t.Fatal(err)
	}
	return r.Count(judge.Fail), r.Count(judge.Pass), r.Count(judge.Open)
}

func TestFingerprintOfLenient(t *testing.T) {
	vectors := allVectors(t)
	rng := rand.New(rand.NewPCG(3, 4))
	all := leniencies()
	for n := range 40 {
		p := ids.Observed()
		if n >= 8 {
			p = randomProfile(rng, 0.1)
		}
		var planted []leniency
		var names []string
		for range 1 + rng.IntN(3) {
			k := rng.IntN(len(all))
			if rng.IntN(2) == 0 {
				k = rng.IntN(4)
			}
			if n == 0 {
				k = 0
			}
			planted = append(planted, all[k])
			names = append(names, all[k].name)
		}
		impl := &lenientReader{undeclaredReference(p), planted}
		got, err := judge.Fingerprint(t.Context(), impl, vectors, judge.Options{})
		if err != nil {
			t.Fatal(err)
		}
		fo, po, oo := failing(t, impl, vectors, ids.Observed())
		fd, pd, od := failing(t, impl, vectors, ids.Documented())
		ft, pt, ot := failing(t, impl, vectors, p)
		f, pp, o := failing(t, impl, vectors, got.Profile)
		t.Logf("%s %q: %s: failed/pass/open %d/%d/%d, observed %d/%d/%d documented %d/%d/%d true %d/%d/%d", p, names, got.Profile, f, pp, o, fo, po, oo, fd, pd, od, ft, pt, ot)
		if f > fo || f > fd {
			t.Errorf("   fails more than a base")
		}
		if f > ft {
			t.Errorf("   fails more than the truth")
		}
		for _, s := range got.Flags {
			want := p.Side(s.Flag.ID)
			ok := s.Side == judge.SideNotShown || s.Side == want || slices.ContainsFunc(planted, func(l leniency) bool { return l.sides[s.Flag.ID] == s.Side })
			if !ok {
				t.Errorf("   %s: %s (%d/%d), alternatives %v, truth %s", s.Flag.ID, s.Side, s.Agree, len(s.Against), s.Alternatives, want)
			}
		}
	}
}
