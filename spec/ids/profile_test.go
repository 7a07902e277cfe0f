package ids

import (
	"strings"
	"testing"
)

func TestProfile(t *testing.T) {
	for _, c := range []struct{ in, want, err string }{
		{"", "observed", ""},
		{"documented", "documented", ""},
		{" observed , upkg.ci-minus-zero=strict", "observed,upkg.ci-minus-zero=strict", ""},
		{"upkg.ci-range=documented", "observed,upkg.ci-range=documented", ""},
		{
			"documented,upkg.ci-range=observed,upkg.ci-minus-zero=strict",
			"documented,upkg.ci-minus-zero=strict,upkg.ci-range=observed", "",
		},
		// A side that the base takes anyway is no exception.
		{"observed,upkg.ci-range=observed", "observed", ""},
		{"documented,upkg.ci-range=observed,upkg.ci-range=documented", "documented", ""},
		// A profile takes one of the sides that exist.
		{"documented,upkg.ci-minus-zero=observed", "", "has no side \"observed\""},
		{"observed,upkg.ref-range=kept", "observed", ""},
		{"documented,ka.bool=zero-one,ka.wide-unit=observed", "documented,ka.wide-unit=observed", ""},
		{"strict", "", `"strict" is neither`},
		{"upkg.ci-range=documented,documented", "", "is not flag=side"},
		{"upkg.no-such=documented", "", `flag "upkg.no-such" does not exist`},
		{"upkg.ci-range=strict", "", "has no side \"strict\": expected documented, observed"},
		{"upkg.ci-truncated=strict", "", "has no sides"},
	} {
		p, err := ParseProfile(c.in)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: error is %v, want %q in it", c.in, err, c.err)
			}
			continue
		}
		if err != nil || p.String() != c.want {
			t.Errorf("%q is %q, %v, want %q", c.in, p, err, c.want)
		}
		again, err := ParseProfile(p.String())
		if err != nil || again.String() != p.String() {
			t.Errorf("%q does not come back: %q, %v", p, again, err)
		}
	}
}

func TestProfileSides(t *testing.T) {
	for _, c := range []struct {
		profile Profile
		flag    Flag
		want    string
	}{
		{Documented(), "upkg.ci-range", "documented"},
		{Observed(), "upkg.ci-range", "observed"},
		{Observed(), "upkg.ci-minus-zero", "documented"},
		{Observed(), "upkg.no-such", ""},
		{Observed(), "upkg.ci-truncated", ""},
	} {
		if got := c.profile.Side(c.flag); got != c.want {
			t.Errorf("%s takes %q at %s, want %q", c.profile, got, c.flag, c.want)
		}
	}
	if Observed().Takes("upkg.ci-minus-zero", "observed") || !Observed().Takes("upkg.ci-minus-zero", "documented") ||
		Observed().Takes("upkg.ci-minus-zero", "strict") || Observed().Takes("no.flag", "documented") {
		t.Error("Takes does not follow Side")
	}
	// With leaves the profile it starts from alone.
	base := Observed()
	if _, err := base.With("upkg.ci-range", "documented"); err != nil || base.Side("upkg.ci-range") != "observed" {
		t.Error("With changes its receiver")
	}
}
