package chromium

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// failing records the failure of a test, and ends its goroutine.
type failing struct {
	testing.TB
	text string
}

func (f *failing) Helper() {}
func (f *failing) Fatalf(format string, _ ...any) {
	f.text = format
	runtime.Goexit()
}

// TestPatience: a wait for what an idle page will not do ends; one for a page that works for
// longer goes on.
func TestPatience(t *testing.T) {
	d := New(t, 100, 100, false)
	d.Eval("0") // the browser has started
	defer func(p time.Duration, w float64) { patience, work = p, w }(patience, work)
	patience, work = time.Second, 0.15
	d.Eval("void setTimeout(() => { for (const end = Date.now() + 2500; Date.now() < end;); window.done = true })")
	d.Until("window.done")
	for name, wait := range map[string]func(*Tab){
		"does not become true": func(d *Tab) { d.Until("window.never") },
		"no answer":            func(d *Tab) { d.Eval("new Promise(() => {})") },
	} {
		f := &failing{TB: t}
		idle := *d
		idle.T = f
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			wait(&idle)
		}()
		<-ended
		if !strings.Contains(f.text, name) {
			t.Errorf("%q, want %s", f.text, name)
		}
	}
}
