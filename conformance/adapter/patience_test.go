package adapter

import (
	"cmp"
	"strings"
	"testing"
	"time"
)

// TestPatience: the limit depends on the answers after the first timeout only, and one
// line says so. A limit of the user stays.
func TestPatience(t *testing.T) {
	t.Parallel()
	q := &Request{Op: OpDecode, Type: "upkg.Name"}
	const without = "formatgauge: no answer to decode of upkg.Name within 7s"
	for _, c := range []struct {
		fixed, slowest time.Duration
		before, after  time.Duration
		alone          time.Duration // after
		line           string
	}{
		{0, 0, 10 * time.Second, 10 * time.Second, 10 * time.Second, without + "; the time limit is now 10s (--timeout changes it)\n"},
		{0, time.Millisecond, 10 * time.Second, time.Second, time.Second / 4, without + "; the time limit is now 1s (--timeout changes it)\n"},
		{0, 200 * time.Millisecond, 10 * time.Second, 4 * time.Second, time.Second, without + "; the time limit is now 4s (--timeout changes it)\n"},
		{0, 9 * time.Second, 10 * time.Second, 10 * time.Second, 10 * time.Second / 4, without + "; the time limit is now 10s (--timeout changes it)\n"},
		{7 * time.Second, time.Millisecond, 7 * time.Second, 7 * time.Second, 7 * time.Second, without + "\n"},
	} {
		var line strings.Builder
		p := newPatience(&Options{Timeout: c.fixed, Stderr: &line})
		p.answered(q, c.slowest)
		p.answered(q, c.slowest/2)
		if got := p.of(q, false); got != c.before {
			t.Errorf("%+v: %v before the first timeout", c, got)
		}
		long := &Request{Op: OpDecode, Expected: maxMeasured + 1}
		p.answered(long, time.Hour)
		p.timedOut(q, 7*time.Second)
		if got, want := p.of(long, true), cmp.Or(c.fixed, 10*time.Second); got != want {
			t.Errorf("%+v: %v for a long answer", c, got)
		}
		p.timedOut(q, time.Second)
		if p.of(q, false) != c.after || p.of(q, true) != c.alone || line.String() != c.line {
			t.Errorf("%+v: %v, alone %v after it: %s", c, p.of(q, false), p.of(q, true), line.String())
		}
	}
}
