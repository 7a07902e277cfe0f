package upkg_test

import (
	"testing"

	"github.com/formatgauge/formatgauge/codec/upkg"
)

// TestIndexClauses: an index of one byte is described by the clause about the
// first byte, and a longer one by the clause about further bytes.
func TestIndexClauses(t *testing.T) {
	c := upkg.New(upkg.Settings{}).CompactIndex()
	for src, want := range map[string]string{
		"\x05": "UPKG-CI-2", "\x85": "UPKG-CI-2", "\x45\x01": "UPKG-CI-3",
		"\x40\x80\x80\x80\x01": "UPKG-CI-3",
	} {
		if _, spans, err := c.Trace([]byte(src)); err != nil || len(spans) != 1 || string(spans[0].Clause) != want {
			t.Errorf("%x: %+v, %v, want %s", src, spans, err, want)
		}
	}
}
