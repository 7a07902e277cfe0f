package export_test

import (
	"bytes"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
		if len(seeds) == 0 || seeds[0] == "" || !slices.IsSorted(seeds) ||
			len(slices.Compact(slices.Clone(seeds))) != len(seeds) {
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

// entry is a line of a dictionary as AFL++ and libFuzzer read it.
var entry = regexp.MustCompile(`^([A-Za-z0-9_]+)="((?:[ !#-\[\]-~]|\\x[0-9a-f]{2})+)"$`)

// TestDictionary: each dictionary has the syntax, and the constants of its family.
func TestDictionary(t *testing.T) {
	files, err := kitFiles()
	if err != nil {
		t.Fatal(err)
	}
	for family, constants := range map[string][]string{
		"ubi":    {"ubi/b0-l", "ubi/b0-b", "\x00\x00\x80\x3F", "\x3F\x80\x00\x00"}, // 1.0 in both byte orders
		"upkg":   {"\xC1\x83\x2A\x9E", "\x44\x00", "None\x00", "\x05None\x00", "\xC0\x80\x80\x80\x10"},
		"ka":     {"KA", "\x02\x00", "\x02\xFF", "\x02\x01"},
		"uasset": {"\xC1\x83\x2A\x9E", "\xF9\xFF\xFF\xFF", "\x0C\x00\x00\x00IntProperty\x00"},
	} {
		text, err := export.Dictionary(family)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text, content(t, files, "dict/"+family+".dict")) {
			t.Errorf("%s: the dictionary of the kit differs", family)
		}
		names, tokens := map[string]bool{}, map[string]bool{}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			m := entry.FindStringSubmatch(line)
			if m == nil {
				t.Errorf("%s: %s is no entry", family, line)
				continue
			}
			token, err := strconv.Unquote(`"` + m[2] + `"`)
			if err != nil || names[m[1]] || tokens[token] || len(token) < 2 || len(token) > 64 {
				t.Errorf("%s: %s occurs twice, or has the wrong length (%v)", family, line, err)
			}
			names[m[1]], tokens[token] = true, true
		}
		if len(tokens) > 200 {
			t.Errorf("%s: %d entries", family, len(tokens))
		}
		for _, c := range constants {
			if !tokens[c] {
				t.Errorf("%s: %q is missing", family, c)
			}
		}
	}
	if _, err := export.Dictionary("unreal"); err == nil {
		t.Error("an unknown family has a dictionary")
	}
}
