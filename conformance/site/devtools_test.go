package site

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/formatgauge/formatgauge/internal/chromium"
)

// devtools controls a browser by its DevTools protocol: messages in JSON, each followed
// by a zero, on two pipes.
type devtools struct {
	t       *testing.T
	to      io.Writer
	session string

	mu      sync.Mutex
	last    int
	answers map[int]chan json.RawMessage
	console []string // messages and errors of the page
}

// browser starts a browser with an empty page of a size in pixels.
func browser(t *testing.T, width, height int, dark bool) *devtools {
	t.Helper()
	path := chromium.Path(t)
	read, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append(chromium.Flags(t), "--hide-scrollbars", "--remote-debugging-pipe")...)
	cmd.ExtraFiles = []*os.File{read, write}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read.Close()
	write.Close()
	d := &devtools{t: t, to: toBrowser, answers: map[int]chan json.RawMessage{}}
	ended := make(chan struct{})
	go func() { d.listen(fromBrowser); close(ended) }()
	t.Cleanup(func() {
		toBrowser.Close() // the browser ends
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			_ = cmd.Process.Kill()
			<-done
		}
		fromBrowser.Close()
		<-ended
	})
	target := struct{ TargetID string }{}
	d.call(&target, "Target.createTarget", object{"url": "about:blank"})
	session := struct{ SessionID string }{}
	d.call(&session, "Target.attachToTarget", object{"targetId": target.TargetID, "flatten": true})
	d.session = session.SessionID
	for _, domain := range []string{"Runtime", "Page", "Log", "DOM"} {
		d.call(nil, domain+".enable", nil)
	}
	theme := "light"
	if dark {
		theme = "dark"
	}
	d.call(nil, "Emulation.setDeviceMetricsOverride", object{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
	d.call(nil, "Emulation.setEmulatedMedia", object{"features": []object{{"name": "prefers-color-scheme", "value": theme}}})
	return d
}

type object = map[string]any

type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

func (d *devtools) listen(from io.Reader) {
	r := bufio.NewReaderSize(from, 1<<20)
	for {
		line, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(line[:len(line)-1], &m) != nil {
			continue
		}
		d.mu.Lock()
		if answer := d.answers[m.ID]; answer != nil && m.ID != 0 {
			delete(d.answers, m.ID)
			if m.Error != nil {
				m.Result, _ = json.Marshal(object{"failed": m.Error.Message})
			}
			answer <- m.Result
		}
		switch m.Method {
		case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled":
			if strings.Contains(string(m.Params), "willReadFrequently") { // this test reads the canvas
				break
			}
			d.console = append(d.console, m.Method+" "+string(m.Params))
		}
		d.mu.Unlock()
	}
}

// call calls a method and waits for its result.
func (d *devtools) call(result any, method string, params object) {
	d.t.Helper()
	d.mu.Lock()
	d.last++
	answer := make(chan json.RawMessage, 1)
	d.answers[d.last] = answer
	request := object{"id": d.last, "method": method, "params": params}
	if params == nil {
		request["params"] = object{}
	}
	if d.session != "" {
		request["sessionId"] = d.session
	}
	d.mu.Unlock()
	b, err := json.Marshal(request)
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.to.Write(append(b, 0)); err != nil {
		d.t.Fatal(err)
	}
	select {
	case b = <-answer:
	case <-time.After(5 * time.Minute):
		d.t.Fatalf("%s: no answer", method)
	}
	var failed struct{ Failed string }
	if json.Unmarshal(b, &failed) == nil && failed.Failed != "" {
		d.t.Fatalf("%s: %s", method, failed.Failed)
	}
	if result != nil {
		if err := json.Unmarshal(b, result); err != nil {
			d.t.Fatalf("%s: %v in %s", method, err, b)
		}
	}
}

// eval returns the value of an expression, after waiting for it if it is a promise.
func (d *devtools) eval(format string, args ...any) string {
	d.t.Helper()
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	expression := fmt.Sprintf(format, args...)
	d.call(&r, "Runtime.evaluate", object{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true})
	if e := r.ExceptionDetails; e != nil {
		d.t.Fatalf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if s, ok := r.Result.Value.(string); ok {
		return s
	}
	b, _ := json.Marshal(r.Result.Value)
	return string(b)
}

// until waits until an expression is true.
func (d *devtools) until(format string, args ...any) {
	d.t.Helper()
	expression := fmt.Sprintf(format, args...)
	for range 1500 {
		if d.eval("Boolean(%s)", expression) == "true" {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	d.t.Fatalf("does not become true: %s\nthe page says %s\nconsole: %s", expression, d.eval("document.getElementById(`result`)?.innerText.replace(/Type[\\s\\S]*Profile/, ``).slice(0, 1500)"), strings.Join(d.console, "\n"))
}

// open opens an address.
func (d *devtools) open(address string) {
	d.t.Helper()
	d.call(nil, "Page.navigate", object{"url": address})
	d.until("document.readyState === 'complete' && location.href.startsWith(%q)", address[:strings.IndexByte(address+"#", '#')])
}

// press presses a key.
func (d *devtools) press(key string) {
	d.t.Helper()
	code := map[string]int{"ArrowDown": 40, "ArrowRight": 39, "ArrowLeft": 37, "ArrowUp": 38, "Enter": 13, "F2": 113, "Tab": 9, "Home": 36, "End": 35, "Escape": 27}[key]
	text := ""
	if key == "Enter" {
		text = "\r"
	}
	d.call(nil, "Input.dispatchKeyEvent", object{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text})
	d.call(nil, "Input.dispatchKeyEvent", object{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code})
}

// drop drops a file on the page.
func (d *devtools) drop(name string) {
	d.t.Helper()
	for _, kind := range []string{"dragEnter", "dragOver", "drop"} {
		d.call(nil, "Input.dispatchDragEvent", object{"type": kind, "x": 100, "y": 100, "data": object{"items": []object{}, "files": []string{name}, "dragOperationsMask": 1}})
	}
}

// picture writes a screenshot of the whole page.
func (d *devtools) picture(name string) {
	d.t.Helper()
	var shot struct{ Data string }
	d.call(&shot, "Page.captureScreenshot", object{"format": "png", "captureBeyondViewport": true})
	b, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(name, b, 0o600)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}
