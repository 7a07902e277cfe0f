package chromium

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// process is a browser that all tests of a package share. It is controlled by the
// DevTools protocol: messages in JSON, each followed by a zero, on two pipes. It ends
// when the test program ends, because the pipes are closed then.
type process struct {
	to   io.Writer
	gone chan struct{} // closed when the browser has ended

	mu      sync.Mutex
	last    int
	answers map[int]chan message
	tabs    map[string]*Tab // by session
}

var shared = sync.OnceValues(func() (*process, error) {
	path := find()
	read, toBrowser, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromBrowser, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return nil, err
	}
	// The shell removes the profile after the browser has ended.
	cmd := exec.Command("sh", append([]string{"-c", `"$@"; rm -rf "$0"`, dir, path}, flags(dir)...)...)
	cmd.ExtraFiles = []*os.File{read, write}
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8") // else it does not find files with names beyond ASCII
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	read.Close()
	write.Close()
	p := &process{to: toBrowser, gone: make(chan struct{}), answers: map[int]chan message{}, tabs: map[string]*Tab{}}
	go p.listen(fromBrowser)
	_, err = p.used(3 * patience) // until it has started, it gives no sign of life
	return p, err
})

// A Tab is a page of the shared browser, with storage of its own.
type Tab struct {
	T testing.TB

	process *process
	session string
	console []string // messages and errors of the page, guarded by process.mu
}

// New opens an empty page of a size in pixels. It skips the test if there is no browser.
func New(t testing.TB, width, height int, dark bool) *Tab {
	t.Helper()
	Need(t)
	p, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	d := &Tab{T: t, process: p}
	var context struct{ BrowserContextID string }
	d.Call(&context, "Target.createBrowserContext", nil)
	var target struct{ TargetID string }
	d.Call(&target, "Target.createTarget", Object{"url": "about:blank", "browserContextId": context.BrowserContextID})
	var session struct{ SessionID string }
	d.Call(&session, "Target.attachToTarget", Object{"targetId": target.TargetID, "flatten": true})
	p.mu.Lock()
	d.session = session.SessionID
	p.tabs[d.session] = d
	p.mu.Unlock()
	t.Cleanup(func() {
		p.mu.Lock()
		delete(p.tabs, d.session)
		d.session = ""
		p.mu.Unlock()
		d.Call(nil, "Target.disposeBrowserContext", Object{"browserContextId": context.BrowserContextID})
	})
	for _, domain := range []string{"Runtime", "Page", "Log", "DOM"} {
		d.Call(nil, domain+".enable", nil)
	}
	theme := "light"
	if dark {
		theme = "dark"
	}
	d.Call(nil, "Emulation.setDeviceMetricsOverride",
		Object{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
	d.Call(nil, "Emulation.setEmulatedMedia",
		Object{"features": []Object{{"name": "prefers-color-scheme", "value": theme}}})
	return d
}

// Object is an object in JSON.
type Object = map[string]any

type message struct {
	ID        int
	SessionID string
	Method    string
	Params    json.RawMessage
	Result    json.RawMessage
	Error     *struct{ Message string }
}

func (p *process) listen(from io.Reader) {
	r := bufio.NewReaderSize(from, 1<<20)
	for {
		line, err := r.ReadBytes(0)
		if err != nil {
			close(p.gone)
			return
		}
		var m message
		if json.Unmarshal(line[:len(line)-1], &m) != nil {
			continue
		}
		p.mu.Lock()
		if answer := p.answers[m.ID]; answer != nil && m.ID != 0 {
			delete(p.answers, m.ID)
			answer <- m
		}
		if d := p.tabs[m.SessionID]; d != nil {
			d.event(&m)
		}
		p.mu.Unlock()
	}
}

func (d *Tab) event(m *message) {
	switch m.Method {
	case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled":
		if !strings.Contains(string(m.Params), "willReadFrequently") { // tests read the canvas
			d.console = append(d.console, m.Method+" "+string(m.Params))
		}
	}
}

// Console returns the messages and errors of the page since the last call.
func (d *Tab) Console() []string {
	d.process.mu.Lock()
	defer d.process.mu.Unlock()
	out := d.console
	d.console = nil
	return out
}

// patience is the time without a sign of life after which a wait fails a test: not after a
// time alone, which a busy machine would exceed.
var patience = 15 * time.Second

// work is the processor time of the browser, in seconds, that is a sign of life. The requests
// of a few waits use less in a time of patience. A test changes both.
var work = 2.0

// life is what a wait knows of the browser.
type life struct {
	sign time.Time // when there was a sign of life
	used float64   // the seconds of processor time of the browser until then
}

// goesOn reports whether a wait is not in vain.
func (l *life) goesOn(p *process) bool {
	used, err := p.used(patience)
	if used > l.used+work {
		l.sign, l.used = time.Now(), used
	}
	return err == nil && time.Since(l.sign) < patience
}

// used returns the seconds of processor time of the browser, if it answers in time.
func (p *process) used(limit time.Duration) (seconds float64, err error) {
	answer, err := p.send("", "SystemInfo.getProcessInfo", nil)
	if err != nil {
		return 0, err
	}
	select {
	case m := <-answer:
		var info struct{ ProcessInfo []struct{ CPUTime float64 } }
		_ = json.Unmarshal(m.Result, &info) // no processes then
		for _, process := range info.ProcessInfo {
			seconds += process.CPUTime
		}
		return seconds, nil
	case <-p.gone:
		return 0, errors.New("the browser ends")
	case <-time.After(limit):
		return 0, errors.New("the browser does not answer")
	}
}

// send sends a request and returns what will give its answer.
func (p *process) send(session, method string, params Object) (<-chan message, error) {
	if params == nil {
		params = Object{}
	}
	answer := make(chan message, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	p.answers[p.last] = answer
	request := Object{"id": p.last, "method": method, "params": params}
	if session != "" {
		request["sessionId"] = session
	}
	b, err := json.Marshal(request)
	if err == nil {
		_, err = p.to.Write(append(b, 0))
	}
	return answer, err
}

// Call calls a method of the protocol and waits for its result.
func (d *Tab) Call(result any, method string, params Object) {
	d.T.Helper()
	answer, err := d.process.send(d.session, method, params)
	if err != nil {
		d.T.Fatal(err)
	}
	var m message
	for l, answered := (life{sign: time.Now()}), false; !answered; {
		select {
		case m = <-answer:
			answered = true
		case <-time.After(time.Second):
			if !l.goesOn(d.process) {
				d.T.Fatalf("%s: no answer", method)
			}
		}
	}
	if m.Error != nil {
		d.T.Fatalf("%s: %s", method, m.Error.Message)
	}
	if result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			d.T.Fatalf("%s: %v in %s", method, err, m.Result)
		}
	}
}

// Eval returns the value of an expression, after waiting for it if it is a promise.
func (d *Tab) Eval(format string, args ...any) string {
	d.T.Helper()
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	expression := fmt.Sprintf(format, args...)
	d.Call(&r, "Runtime.evaluate", Object{
		"expression": expression, "awaitPromise": true, "returnByValue": true,
		"userGesture": true,
	})
	if e := r.ExceptionDetails; e != nil {
		d.T.Fatalf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if s, ok := r.Result.Value.(string); ok {
		return s
	}
	b, _ := json.Marshal(r.Result.Value)
	return string(b)
}

// Until waits until an expression is true.
func (d *Tab) Until(format string, args ...any) {
	d.T.Helper()
	expression := fmt.Sprintf(format, args...)
	l := life{sign: time.Now()}
	for pause := 20 * time.Millisecond; ; pause = min(pause+pause/8, time.Second/2) {
		if d.Eval("Boolean(%s)", expression) == "true" {
			return
		}
		if time.Sleep(pause); pause == time.Second/2 && !l.goesOn(d.process) {
			break
		}
	}
	d.T.Fatalf("does not become true: %s\nthe page says %s\nconsole: %s", expression,
		d.Eval("document.body.innerText.slice(0, 1500)"), strings.Join(d.Console(), "\n"))
}

// Open opens an address.
func (d *Tab) Open(address string) {
	d.T.Helper()
	d.Call(nil, "Page.navigate", Object{"url": address})
	// The browser escapes blanks in an address.
	d.Until("document.readyState === 'complete' && decodeURI(location.href).startsWith(decodeURI(%q))",
		address[:strings.IndexByte(address+"#", '#')])
}

// Press presses a key.
func (d *Tab) Press(key string) {
	d.T.Helper()
	code := map[string]int{
		"ArrowDown": 40, "ArrowRight": 39, "ArrowLeft": 37, "ArrowUp": 38, "Enter": 13, "F2": 113,
		"Tab": 9, "Home": 36, "End": 35, "Escape": 27,
	}[key]
	text := ""
	switch {
	case key == "Enter":
		text = "\r"
	case len(key) == 1: // it types itself
		text = key
	}
	d.Call(nil, "Input.dispatchKeyEvent",
		Object{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text})
	d.Call(nil, "Input.dispatchKeyEvent", Object{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code})
}

// Drop drops a file on the page.
func (d *Tab) Drop(name string) {
	d.T.Helper()
	for _, kind := range []string{"dragEnter", "dragOver", "drop"} {
		d.Call(nil, "Input.dispatchDragEvent",
			Object{
				"type": kind, "x": 100, "y": 100,
				"data": Object{"items": []Object{}, "files": []string{name}, "dragOperationsMask": 1},
			})
	}
}

// Picture writes a screenshot of the whole page.
func (d *Tab) Picture(name string) {
	d.T.Helper()
	var shot struct{ Data string }
	d.Call(&shot, "Page.captureScreenshot", Object{"format": "png", "captureBeyondViewport": true})
	b, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(name, b, 0o600)
	}
	if err != nil {
		d.T.Fatal(err)
	}
}
