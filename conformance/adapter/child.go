package adapter

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Options are how a child is run. The zero value serves.
type Options struct {
	// Timeout for one answer; 0 means ten seconds.
	Timeout time.Duration
	// Stderr receives what the child prints there; nil drops it.
	Stderr io.Writer
}

const (
	defaultTimeout = 10 * time.Second
	// fileAbove is the size of input in bytes above which it travels in a file.
	fileAbove = 4096
	// closeGrace is how long a child may take to end when its input ends.
	closeGrace = 2 * time.Second
)

// Child is an implementation in a process of its own. It is started by the
// first request, and again by the first request after it broke. It answers
// one request at a time.
type Child struct {
	command []string
	opts    Options

	mu     sync.Mutex
	proc   *exec.Cmd
	in     io.WriteCloser
	lines  chan lineOrError
	done   chan struct{} // closed when nobody reads lines any more
	nextID int64
	tail   *tailWriter
	dir    string // for inputs that travel in files
}

type lineOrError struct {
	line []byte
	err  error
}

// NewChild returns an implementation that runs a command.
func NewChild(command []string, opts Options) (*Child, error) {
	if len(command) == 0 {
		return nil, errors.New("adapter: no command")
	}
	if opts.Timeout == 0 {
		opts.Timeout = defaultTimeout
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	return &Child{command: command, opts: opts}, nil
}

func (c *Child) start() error {
	cmd := exec.Command(c.command[0], c.command[1:]...)
	ownGroup(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	c.tail = &tailWriter{next: c.opts.Stderr}
	cmd.Stderr = c.tail
	if err := cmd.Start(); err != nil {
		return &Broken{Crash, err.Error()}
	}
	c.proc, c.in = cmd, in
	c.lines, c.done = make(chan lineOrError), make(chan struct{})
	go func(lines chan<- lineOrError, done <-chan struct{}) {
		r := bufio.NewReaderSize(out, 1<<16)
		for {
			line, err := readLine(r)
			// A copy: the reader's buffer is used again.
			select {
			case lines <- lineOrError{append([]byte(nil), line...), err}:
			case <-done:
				return
			}
			if err != nil {
				return
			}
		}
	}(c.lines, c.done)
	return nil
}

// Hello asks the implementation to introduce itself.
func (c *Child) Hello() (Hello, error) {
	a, err := c.Do(Request{Op: OpHello})
	if err != nil {
		return Hello{}, err
	}
	if a.Hello == nil {
		return Hello{}, protocolFault("hello was not answered with hello")
	}
	if a.Hello.Protocol != Version {
		return Hello{}, protocolFault("the adapter speaks protocol %q, this is %q", a.Hello.Protocol, Version)
	}
	return *a.Hello, nil
}

// Do sends a request and waits for its answer.
func (c *Child) Do(q Request) (Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.proc == nil {
		if err := c.start(); err != nil {
			return Response{}, err
		}
	}
	c.nextID++
	own := q.ID
	q.ID = c.nextID
	if err := c.moveToFile(&q); err != nil {
		return Response{}, err
	}
	line, err := json.Marshal(q)
	if err != nil {
		return Response{}, err
	}
	timer := time.NewTimer(c.opts.Timeout)
	defer timer.Stop()
	sent := make(chan error, 1)
	go func(in io.Writer) { // a child that does not read must not hold us up
		_, err := in.Write(append(line, '\n'))
		sent <- err
	}(c.in)
	select {
	case got := <-c.lines:
		if got.err != nil {
			return Response{}, c.ended(got.err)
		}
		a, err := parseResponse(got.line, q.ID)
		if err != nil {
			// Out of step: whatever comes next belongs to something else.
			c.kill()
			return Response{}, err
		}
		<-sent
		a.ID = own
		return a, nil
	case <-timer.C:
		c.kill()
		return Response{}, &Broken{Hang, fmt.Sprintf("no answer within %v", c.opts.Timeout)}
	}
}

// moveToFile puts a long input into a file and its path into the request.
func (c *Child) moveToFile(q *Request) error {
	if q.Hex == nil || len(*q.Hex) <= 2*fileAbove {
		return nil
	}
	b, err := hex.DecodeString(*q.Hex)
	if err != nil {
		return err
	}
	if c.dir == "" {
		if c.dir, err = os.MkdirTemp("", "formatgauge-"); err != nil {
			return err
		}
	}
	q.File, q.Hex = filepath.Join(c.dir, "input"), nil
	return os.WriteFile(q.File, b, 0o600)
}

// ended describes a child whose output ended.
func (c *Child) ended(cause error) error {
	var broken *Broken
	if errors.As(cause, &broken) {
		c.kill()
		return broken
	}
	// The process has closed its output; it ends by itself or is made to.
	done := make(chan error, 1)
	go func(p *exec.Cmd) { done <- p.Wait() }(c.proc)
	detail := "its output ended"
	select {
	case err := <-done:
		detail = "it ended"
		if err != nil {
			detail += ": " + err.Error()
		}
		c.forget()
	case <-time.After(closeGrace):
		c.kill()
	}
	if last := strings.TrimSpace(c.tail.String()); last != "" {
		detail += "; its last words: " + last
	}
	return &Broken{Crash, detail}
}

func (c *Child) forget() {
	close(c.done)
	c.in.Close()
	c.proc = nil
}

// kill ends the child and what it started.
func (c *Child) kill() {
	if c.proc == nil {
		return
	}
	killGroup(c.proc)
	p := c.proc
	c.forget()
	_ = p.Wait() // it was made to end; how does not matter
}

// Close ends the child: by closing its input first, by force if that is not enough.
func (c *Child) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dir != "" {
		defer os.RemoveAll(c.dir)
	}
	if c.proc == nil {
		return nil
	}
	c.in.Close()
	deadline := time.After(closeGrace)
	for {
		select {
		case got := <-c.lines:
			if got.err == nil {
				continue
			}
		case <-deadline:
		}
		c.kill()
		return nil
	}
}

// tailWriter keeps the end of what it is given.
type tailWriter struct {
	mu   sync.Mutex
	next io.Writer
	buf  []byte
}

const tailSize = 2048

func (t *tailWriter) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.buf = append(t.buf, p...)
	if len(t.buf) > tailSize {
		t.buf = t.buf[len(t.buf)-tailSize:]
	}
	t.mu.Unlock()
	if t.next != nil {
		return t.next.Write(p)
	}
	return len(p), nil
}

func (t *tailWriter) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
