package adapter

import (
	"slices"
	"strings"
	"testing"
)

// TestDifferenceOfHello: each field counts, the order of lists does not.
func TestDifferenceOfHello(t *testing.T) {
	first := func() *Hello {
		return &Hello{
			Protocol: "1", Name: "a", Types: []string{"x.A", "x.B"}, Operations: []Op{OpDecode, OpEncode},
			Views: []string{"v"}, Skips: []Skip{{Type: "x.C", Reason: "no"}},
		}
	}
	same := first()
	slices.Reverse(same.Types)
	slices.Reverse(same.Operations)
	if d := first().difference(same); d != "" {
		t.Errorf("the order of lists is a difference: %s", d)
	}
	for want, change := range map[string]func(*Hello){
		`name: "a", then "b"`:             func(h *Hello) { h.Name = "b" },
		`version: "", then "2"`:           func(h *Hello) { h.Version = "2" },
		`language: "", then "C"`:          func(h *Hello) { h.Language = "C" },
		`profile: "", then "documented"`:  func(h *Hello) { h.Profile = "documented" },
		`anyProfile: "false"`:             func(h *Hello) { h.AnyProfile = true },
		`types: "x.B" is missing`:         func(h *Hello) { h.Types = h.Types[:1] },
		`types: "x.D" was not in`:         func(h *Hello) { h.Types = append(h.Types, "x.D") },
		`operations: "roundtrip" was not`: func(h *Hello) { h.Operations = append(h.Operations, OpRoundtrip) },
		`views: "v" is missing`:           func(h *Hello) { h.Views = nil },
		`skips: "{x.C no }" is missing`:   func(h *Hello) { h.Skips[0].Reason = "yes" },
	} {
		other := first()
		change(other)
		if d := first().difference(other); !strings.HasPrefix(d, want) {
			t.Errorf("got %q, want %q", d, want)
		}
	}
}
