package main

import (
	"strings"
	"testing"

	"github.com/formatgauge/formatgauge/codec"
)

// TestBugs: each bug changes the present code of a codec, and each family has at
// least two.
func TestBugs(t *testing.T) {
	t.Chdir("../..")
	families := map[string]int{}
	for _, b := range bugs {
		typ, ok := codec.Find(b.typ)
		if !ok {
			t.Fatalf("%s: no type %s", b.name, b.typ)
		}
		families[typ.Family()]++
		if !strings.HasPrefix(b.name, typ.Family()+"-") {
			t.Errorf("%s: the name does not begin with the family", b.name)
		}
		if _, err := b.overlay(t.TempDir()); err != nil {
			t.Errorf("%s: %v", b.name, err)
		}
	}
	for family, n := range families {
		if n < 2 {
			t.Errorf("%s: %d bugs", family, n)
		}
	}
	if len(families) != 4 || len(bugs) < 12 {
		t.Errorf("%d bugs in %d families", len(bugs), len(families))
	}
}
