package export

import (
	"slices"
	"testing"
)

// TestNPMVersion: only a release gives its version to the npm package.
func TestNPMVersion(t *testing.T) {
	for program, want := range map[string]string{
		"v0.3.1": "0.3.1", "v0.3.1-rc.1": "0.3.1-rc.1", "v0.3.1+dirty": "0.0.0-devel.corpus.1",
		"devel-0123456789ab+dirty": "0.0.0-devel.corpus.1",
	} {
		if got := npmVersion(program); got != want {
			t.Errorf("%s: got %s, want %s", program, got, want)
		}
	}
}

// TestConstants: what a clause says that bytes are, in the byte order of the family.
func TestConstants(t *testing.T) {
	for _, c := range []struct {
		family, text string
		want         []constant
	}{
		{"ka", "0x0102, at most 0x7F", []constant{{"0x0102", "\x02\x01"}}},
		{"ubi", "0x0102", []constant{{"0x0102_big", "\x01\x02"}, {"0x0102", "\x02\x01"}}},
		{"upkg", `C1 83 2A 9E, or "ab", or "two words"`, []constant{{"C1832A9E", "\xC1\x83\x2A\x9E"}, {"ab", "ab"}}},
	} {
		if got := constants(c.family, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
}
