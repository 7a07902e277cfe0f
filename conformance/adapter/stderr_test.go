package adapter

import (
	"bytes"
	"strings"
	"testing"
)

// TestStderrIsBounded: of an endless standard error, the beginning is passed
// through, then one line, and the end is kept.
func TestStderrIsBounded(t *testing.T) {
	var b bytes.Buffer
	w := newTailWriter(&b)
	exact := newTailWriter(&b)
	if _, err := exact.Write(bytes.Repeat([]byte("y"), maxStderr)); err != nil || b.Len() != maxStderr {
		t.Errorf("%d bytes, want all %d (%v)", b.Len(), maxStderr, err)
	}
	b.Reset()
	for range 3 * maxStderr / 1000 {
		if n, err := w.Write([]byte(strings.Repeat("x", 1000))); n != 1000 || err != nil {
			t.Fatal(n, err)
		}
	}
	if _, err := w.Write([]byte("the end")); err != nil {
		t.Fatal(err)
	}
	w.flush()
	want := strings.Repeat("x", maxStderr) + "\nformatgauge: the rest of the standard error of this process is not " +
		"shown: it exceeds 64 KiB\n"
	if b.String() != want {
		t.Errorf("%d bytes, want %d; the end is %q", b.Len(), len(want), b.String()[max(0, b.Len()-200):])
	}
	if !strings.HasSuffix(w.String(), "the end") {
		t.Errorf("the end is not kept: %q", w.String())
	}
	full := &fullDisk{}
	w = newTailWriter(full)
	for range 3 {
		if n, err := w.Write([]byte("abc")); n != 3 || err != nil || full.writes != 1 {
			t.Errorf("after an error: %d, %v, %d writes", n, err, full.writes)
		}
	}
}
