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
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/internal/wrong"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// secretive is the reference on the sides of one profile, whatever it is
// asked for, and says nothing of it.
type secretive struct {
	*adapter.Reference
	takes ids.Profile
	asked map[adapter.Op]int
}

func (s *secretive) Hello(ctx context.Context) (adapter.Hello, error) {
	h, err := s.Reference.Hello(ctx)
	h.AnyProfile = false
	return h, err
}

func (s *secretive) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	s.asked[q.Op]++
	q.Profile = s.takes.String()
	return s.Reference.Do(ctx, q)
}

func keeping(p ids.Profile) *secretive {
	return &secretive{Reference: adapter.NewReference(), takes: p, asked: map[adapter.Op]int{}}
}

// mixture draws a base, and another side for a share of the flags.
func mixture(rng *rand.Rand, share float64) ids.Profile {
	p := ids.Observed()
	if rng.IntN(2) == 0 {
		p = ids.Documented()
	}
	for _, f := range spec.Families() {
		for i := range f.Flags {
			if fl := &f.Flags[i]; fl.Switchable() && rng.Float64() < share {
				p, _ = p.With(fl.ID, fl.Sides[rng.IntN(len(fl.Sides))].Name) // it has that side
			}
		}
	}
	return p
}

// Whatever sides are taken, they are found: each flag is on the side that is
// taken or said to be hidden by others, and what is to be declared is met.
func TestFingerprintOfMixtures(t *testing.T) {
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	profiles := []ids.Profile{ids.Observed(), ids.Documented()}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, share := range []float64{0.03, 0.1, 0.3, 1} {
		for range 5 {
			profiles = append(profiles, mixture(rng, share))
		}
	}
	for i, p := range profiles {
		impl := keeping(p)
		got, err := judge.Fingerprint(t.Context(), impl, vectors, judge.Options{})
		if err != nil {
			t.Fatal(err)
		}
		none := 0
		for _, f := range got.Flags {
			want := p.Side(f.Flag.ID)
			switch {
			case f.Side == judge.SideNone:
				none++
			case f.Side != want && !slices.Contains(f.AsWell, want):
				t.Errorf("%s under %s: %s, by %d vectors, or %v", f.Flag.ID, p, f.Side, f.Agree, f.AsWell)
			}
		}
		if !got.Definite() || none > len(got.Flags)/5 {
			t.Errorf("under %s: definite %v, none %d", p, got.Definite(), none)
		}
		if i < 2 && got.Profile.String() != p.String() {
			t.Errorf("%s is to be declared as %s", p, got.Profile)
		}
		if impl.asked[adapter.OpDecode] > got.Vectors || impl.asked[adapter.OpRecode] > got.Vectors {
			t.Errorf("of %d vectors it is asked %v", got.Vectors, impl.asked)
		}
		report, err := judge.Run(t.Context(), keeping(p), vectors, judge.Options{Profile: &got.Profile, NoDerived: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range report.Results {
			if r.Status.Bad() {
				t.Errorf("%s declared as %s: %s: %s", p, got.Profile, r.ID, r.Detail)
			}
		}
	}
}

// What follows any profile has the sides that it is asked for.
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
		t.Errorf("asked for %s it is %s", got.Asked, got.Profile)
	}
}

// twoMinds decodes one input as another profile has it.
type twoMinds struct {
	*secretive
	vector *corpus.Vector
}

func (m *twoMinds) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	other := q
	other.Profile = "documented"
	if q.Hex != nil && q.Type == m.vector.Type && *q.Hex == hex.EncodeToString(m.vector.Bytes) {
		return m.Reference.Do(ctx, other)
	}
	return m.secretive.Do(ctx, q)
}

// One answer that is another side's does not change the side; it is shown.
func TestFingerprintOfTwoMinds(t *testing.T) {
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(vectors, func(v *corpus.Vector) bool {
		observed, documented := v.Select(ids.Observed()), v.Select(ids.Documented())
		return len(v.Flags) == 1 && observed != nil && documented != nil && observed.Outcome == corpus.Accept && documented.Outcome == corpus.Reject
	})
	v := vectors[at]
	got, err := judge.Fingerprint(t.Context(), &twoMinds{keeping(ids.Observed()), v}, vectors, judge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Definite() || got.Profile.String() != "observed" {
		t.Errorf("definite %v, to declare %s", got.Definite(), got.Profile)
	}
	found := false
	for _, f := range got.Flags {
		for _, a := range f.Against {
			found = true
			if a.Vector != v || f.Side == judge.SideOther || a.Like == "" || a.Got == "" || !slices.Contains(v.Flags, f.Flag.ID) {
				t.Errorf("%s %s: %+v", f.Flag.ID, f.Side, a)
			}
		}
	}
	if !found {
		t.Error("nothing speaks against a side")
	}
}

// Adapters that are wrong on purpose get the fingerprint that they have earned.
func TestFingerprintOfWrong(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the adapters are started by env")
	}
	vectors, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	type earned struct {
		profile  string
		definite bool
		side     string // at upkg.ci-minus-zero
	}
	for mode, want := range map[string]earned{
		"right":           {"observed", true, "documented"},
		"undeclared-flag": {"observed,upkg.ci-minus-zero=strict", true, "strict"},
		"forgets-flag":    {"observed", true, "documented"},
		"skips":           {"observed", true, judge.SideNone},
		"errors":          {"observed", false, judge.SideOther},
		"accepts":         {"observed", false, judge.SideOther},
		"garbage":         {"observed", false, judge.SideOther},
		"crashes-always":  {"observed", false, judge.SideOther},
		"hangs-always":    {"observed", false, judge.SideOther},
		"crashes-nth":     {"observed", false, "documented"},
		"off-by-one":      {"observed", false, judge.SideOther},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			opts := adapter.Options{Timeout: 10 * time.Second}
			if mode == "hangs-always" {
				opts.Timeout = 200 * time.Millisecond
			}
			child, err := adapter.NewChild(wrong.Command(mode), opts)
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
			if have := (earned{got.Profile.String(), got.Definite(), got.Flags[i].Side}); have != want {
				t.Errorf("%+v, want %+v", have, want)
			}
			for _, f := range got.Flags {
				if f.Flag.Family() == "ka" && (f.Side != judge.SideNone || f.Why == "") {
					t.Errorf("%s was not asked about: %s %s", f.Flag.ID, f.Side, f.Why)
				}
			}
		})
	}
}
