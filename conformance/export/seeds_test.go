package export_test

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/export"
)

// seedsOf returns the seeds of a type as text.
func seedsOf(t *testing.T, typ string) (out []string) {
	t.Helper()
	seeds, err := export.Seeds(typ)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range seeds {
		out = append(out, string(s))
	}
	return out
}

// TestSeeds: no seed is empty or occurs twice, and those of each vector are there.
func TestSeeds(t *testing.T) {
	all := map[string][]string{}
	for _, typ := range codec.Types() {
		seeds := seedsOf(t, typ.Name)
		if len(seeds) == 0 || seeds[0] == "" || !slices.IsSorted(seeds) || len(slices.Compact(slices.Clone(seeds))) != len(seeds) {
			t.Errorf("%s: %d seeds, want some, none empty, none twice", typ.Name, len(seeds))
		}
		all[typ.Name] = seeds
	}
	for _, v := range sample(t) {
		for _, e := range v.Expect {
			for _, want := range [][]byte{v.Bytes, e.Canonical} {
				if _, ok := slices.BinarySearch(all[v.Type], string(want)); !ok && len(want) > 0 {
					t.Errorf("%s: %x is missing", v.ID, want)
				}
			}
		}
	}
	if _, err := export.Seeds("upkg.Nothing"); err == nil {
		t.Error("an unknown type has seeds")
	}
}

// TestSeedsOfDerivedCases names seeds of each kind, by hand.
func TestSeedsOfDerivedCases(t *testing.T) {
	for _, c := range []struct{ typ, hex, what string }{
		{"upkg.CompactIndex", "40", "64, truncated"},
		{"upkg.CompactIndex", "400100", "64, followed by one byte"},
		{"ubi.FileMagic", hex.EncodeToString([]byte("ubi/b0-")), "a tag without its last byte"},
		{"ubi.Array<uint8>", "01000000", "a count of 1 without its element"},
		{"upkg.CompactIndex", "c080808010", "what only a value to encode gives"},
	} {
		want, err := hex.DecodeString(c.hex)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(seedsOf(t, c.typ), string(want)) {
			t.Errorf("%s: %s is missing: %s", c.typ, c.hex, c.what)
		}
	}
}
