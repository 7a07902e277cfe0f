package ubi_test

import (
	"errors"
	"testing"

	"github.com/formatgauge/formatgauge/codec/ubi"
)

// TestMagicClauses: a FileMagic that is cut cites the clause about its length,
// another text the clause about its letters.
func TestMagicClauses(t *testing.T) {
	c := ubi.New(ubi.Settings{})
	for src, want := range map[string]string{
		"": "UBI-MAGIC-3", "ubi/b0-": "UBI-MAGIC-3", "UBI/b0-": "UBI-MAGIC-3",
		"UBI/b0-l": "UBI-MAGIC-2",
	} {
		_, err := c.FileMagic().Decode([]byte(src))
		if e, ok := errors.AsType[*ubi.Error](err); !ok || string(e.Clause) != want {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
	_, spans, err := c.FileMagic().Trace([]byte("ubi/b0-l"))
	if err != nil || len(spans) != 1 || spans[0].Clause != "UBI-MAGIC-1" {
		t.Errorf("%+v, %v", spans, err)
	}
}
