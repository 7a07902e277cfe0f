package adapter

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options are how a child is run. The zero value serves.
type Options struct {
	// Timeout for one answer; 0 means ten seconds.
	Timeout time.Duration
	// Start is the time limit for the answer to hello, which is the first of a
	// process; 0 means ten seconds, or Timeout if that is longer.
	HelloTimeout time.Duration
	// Memory bounds what the child may allocate, in bytes; 0 leaves it to the
	// system. It is an error where the system cannot do it.
	Memory int64
	// Stderr receives what the child prints there; nil drops it.
	Stderr io.Writer
	// Exchange is told every line that is sent or received, without its end.
	Exchange func(sent bool, line []byte)
}

const (
	defaultTimeout = 10 * time.Second
	// fileAbove is the size of input in bytes above which it travels in a file.
	maxHexBytes = 4096
	// closeGrace is how long a child may take to end when its input ends.
	closeGrace = 2 * time.Second
	// window is how many requests may be on their way at once. When a child
	// breaks, so many are asked again one by one to find the one at fault.
	window = 64
	// lastWords is how long the output of a process that has ended is waited for.
	drainTimeout = 250 * time.Millisecond
	// A child that hangs so often, or is out of step, is given up: each time
	// costs the time limit, or two starts. Crashes are not counted: a reader
	// that crashes on whatever is cut short still gets a result for each case.
	maxHangs          = 20
	maxProtocolFaults = 200
	// patienceMute is the same for a child that has never answered.
	maxFaultsUnanswered = 5
)

// Child is an implementation in a process of its own. The process is started
// by the first request, and again by the first request after it broke; hello
// is the first thing that each process is asked.
//
// Whatever breaks the child is asked again, alone in a fresh process, so that
// a fault is put down to the request that causes it.
type Child struct {
	command []string
	opts    Options

	mu         sync.Mutex
	proc       *process
	lastID     int64
	rng        *rand.Rand
	dir        string // for inputs that travel in files
	answered   bool   // a request other than hello was answered, ever
	faults     map[Kind]int
	givenUp    *Broken // given up: the reason
	exchangeMu sync.Mutex
}

// process is one run of the command.
type process struct {
	cmd         *exec.Cmd
	in          io.WriteCloser
	lines       chan received
	readerDone  chan struct{} // closed when nobody reads lines any more
	ended       chan struct{} // closed when the process has ended, and why is known
	err         error         // what Wait said; read it after ended
	stderrTail  *tailWriter
	partialLine partialLine
	stderrDone  chan struct{} // closed when its standard error has ended
	requests    int           // requests behind hello
	hello       Hello
}

type received struct {
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
	if opts.HelloTimeout == 0 {
		opts.HelloTimeout = max(opts.Timeout, defaultTimeout)
	}
	if opts.Memory > 0 && !canLimitMemory {
		return nil, errors.New("adapter: this system cannot limit the memory of another process; leave the limit out")
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	return &Child{command: command, opts: opts}, nil
}

// Fork returns a child that runs the same command in another process.
func (c *Child) Fork() Implementation { return &Child{command: c.command, opts: c.opts} }

// start runs the command and asks it to introduce itself.
func (c *Child) start(ctx context.Context) error {
	p, err := c.spawn()
	if err != nil {
		return &Broken{Kind: Crash, Detail: err.Error()}
	}
	c.proc = p
	var hello *Hello
	var fault error
	_, err = c.exchange(ctx, c.opts.HelloTimeout, []Request{{Op: OpHello}}, func(_ int, a Response, f error) { hello, fault = a.Hello, f })
	switch {
	case err != nil:
	case fault != nil:
		err = fault
	case hello == nil:
		err = protocolFault("hello was not answered with hello")
	default:
		p.hello, p.requests = *hello, 0
		return nil
	}
	c.kill()
	var broken *Broken
	if errors.As(err, &broken) {
		broken.Detail = "asked for hello: " + broken.Detail
	}
	return err
}

func (c *Child) spawn() (*process, error) {
	cmd := exec.Command(c.command[0], c.command[1:]...)
	ownGroup(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Pipes of our own: with those of the package, Wait takes either too little
	// time, before everything is read, or too much, if something that the
	// process started lives on and holds them open.
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stderr, childErr, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &process{
		cmd: cmd, in: in, lines: make(chan received, window), readerDone: make(chan struct{}), ended: make(chan struct{}),
		stderrTail: &tailWriter{next: c.opts.Stderr}, stderrDone: make(chan struct{}),
	}
	cmd.Stdout, cmd.Stderr = childOut, childErr
	err = cmd.Start()
	childOut.Close()
	childErr.Close()
	if err == nil && c.opts.Memory > 0 {
		if err = limitMemory(cmd.Process.Pid, c.opts.Memory); err != nil {
			killGroup(cmd)
			_ = cmd.Wait() // it was made to end
		}
	}
	if err != nil {
		out.Close()
		stderr.Close()
		return nil, err
	}
	go func() {
		p.err = cmd.Wait()
		close(p.ended)
		<-p.readerDone // until then, what it started may still write there
		out.Close()
		stderr.Close()
	}()
	go func() {
		io.Copy(p.stderrTail, stderr)
		close(p.stderrDone)
	}()
	go p.read(&p.partialLine, out)
	return p, nil
}

func (p *process) read(w *partialLine, out io.Reader) {
	r := bufio.NewReaderSize(io.TeeReader(out, w), 1<<16)
	for {
		line, err := readLine(r)
		// A copy: the reader's buffer is used again.
		select {
		case p.lines <- received{append([]byte(nil), line...), err}:
		case <-p.readerDone:
			return
		}
		if err != nil {
			return
		}
	}
}

// Hello asks the implementation to introduce itself.
func (c *Child) Hello(ctx context.Context) (Hello, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.proc == nil {
		if err := c.start(ctx); err != nil {
			return Hello{}, err
		}
	}
	return c.proc.hello, nil
}

// Do sends a request and waits for its answer.
func (c *Child) Do(ctx context.Context, q Request) (a Response, err error) {
	c.DoAll(ctx, []Request{q}, func(_ int, got Response, fault error) { a, err = got, fault })
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return a, err
}

// DoAll sends requests without waiting for each answer before the next one.
func (c *Child) DoAll(ctx context.Context, qs []Request, answer func(i int, a Response, err error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for from := 0; from < len(qs); {
		if c.givenUp != nil {
			answer(from, Response{}, c.givenUp)
			from++
			continue
		}
		r := c.run(ctx, qs[from:], func(i int, a Response, err error) {
			c.answered = c.answered || err == nil
			answer(from+i, a, err)
		})
		from += r.answered
		if ctx.Err() != nil {
			return
		}
		if r.broken != nil {
			from += c.replay(ctx, qs[from:], r, func(i int, a Response, err error) { answer(from+i, a, err) })
		}
	}
}

// outcome is how far a run of requests got.
type runResult struct {
	answered     int     // requests that were answered
	sent         int     // requests behind those that may have been seen
	broken       *Broken // why not all were answered
	firstRequest bool    // the request that broke it was the first and only one of its process
}

// run starts the command if need be and asks requests.
func (c *Child) run(ctx context.Context, qs []Request, answer func(i int, a Response, err error)) runResult {
	if c.proc == nil {
		if err := c.start(ctx); err != nil {
			return runResult{broken: asBroken(err), sent: 1, firstRequest: true}
		}
	}
	before, n := c.proc.requests, 0
	sent, err := c.exchange(ctx, c.opts.Timeout, qs, func(i int, a Response, err error) { n++; answer(i, a, err) })
	out := runResult{answered: n, sent: sent - n}
	if err != nil {
		out.broken, out.firstRequest = asBroken(err), before == 0 && n == 0 && sent == 1
	}
	return out
}

func asBroken(err error) *Broken {
	var b *Broken
	if errors.As(err, &b) {
		return b
	}
	return &Broken{Kind: Protocol, Detail: err.Error()}
}

// replay finds out which request broke the child, by asking those that it may
// have seen again: the first one alone in a fresh process, the others behind
// it one by one. It returns how many it has dealt with.
func (c *Child) replay(ctx context.Context, qs []Request, r runResult, answer func(i int, a Response, err error)) int {
	c.countFault(r.broken)
	if r.firstRequest {
		answer(0, Response{}, r.broken)
		return 1
	}
	c.kill()
	var answers []Response
	var faults []error
	latest := r
	for len(answers) < max(r.sent, 1) {
		latest = c.run(ctx, qs[len(answers):len(answers)+1], func(_ int, a Response, err error) {
			answers, faults = append(answers, a), append(faults, err)
		})
		if ctx.Err() != nil {
			return 0
		}
		if latest.broken != nil {
			break
		}
	}
	deliver := func() int {
		for i := range answers {
			answer(i, answers[i], faults[i])
		}
		return len(answers)
	}
	switch {
	case len(answers) == 0: // alone, too
		answer(0, Response{}, latest.broken)
		return 1
	case latest.broken != nil: // the fault belongs to a later request: is it at fault alone?
		n := deliver()
		latest.sent = 1
		return n + c.replay(ctx, qs[n:], latest, func(i int, a Response, err error) { answer(n+i, a, err) })
	}
	// It does not happen again: what came before had a part in it.
	unsteady := *r.broken
	if faults[0] == nil {
		alone := answers[0]
		unsteady.Alone = &alone
		faults[0], answers[0] = &unsteady, Response{}
	}
	return deliver()
}

// giveUp stops asking a child that only costs time.
func (c *Child) countFault(b *Broken) {
	limit := map[Kind]int{Hang: maxHangs, Protocol: maxProtocolFaults}[b.Kind]
	if c.faults == nil {
		c.faults = map[Kind]int{}
	}
	c.faults[b.Kind]++
	if !c.answered {
		limit = maxFaultsUnanswered
	}
	if n := c.faults[b.Kind]; limit > 0 && n >= limit {
		c.givenUp = &Broken{Kind: b.Kind, NotAsked: true, Detail: fmt.Sprintf("not asked any more, it broke like this %d times; the last time: %s", n, b.Detail)}
	}
}

// exchange sends requests to the running process and reads their answers. It
// returns how many requests the process may have seen. The process is gone
// when the error is not nil. A wrong answer that is the request's own is no
// such error.
func (c *Child) exchange(ctx context.Context, timeout time.Duration, qs []Request, answer func(i int, a Response, err error)) (int, error) {
	p := c.proc
	ids := c.newIDs(len(qs))
	p.requests += len(qs)
	o := &sendState{slots: make(chan struct{}, window), stop: make(chan struct{}), done: make(chan error, 1)}
	go func() { o.done <- c.send(p, qs, ids, o) }()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	err := c.receive(ctx, qs, ids, o, timer, timeout, answer)
	if err == nil { // everything is answered, so everything was sent
		return len(qs), nil
	}
	close(o.stop)
	c.kill()
	if local := <-o.done; local != nil {
		err = local
	}
	return int(o.sent.Load()), err
}

// number makes ids for requests. They have gaps, so that an answer to a
// request that nobody has made yet is not taken for one.
func (c *Child) newIDs(n int) []int64 {
	if c.rng == nil {
		c.rng = rand.New(rand.NewPCG(1, 1)) // the same ids in every run
	}
	out := make([]int64, n)
	for i := range out {
		c.lastID += 1 + c.rng.Int64N(1000)
		out[i] = c.lastID
	}
	return out
}

// outbox is what the sender of requests and the receiver of answers share.
type sendState struct {
	sent  atomic.Int64  // requests that the process may have seen
	slots chan struct{} // one for each request on its way
	stop  chan struct{} // closed when nobody waits for answers any more
	done  chan error    // told when everything is sent, or why it cannot be
}

func (c *Child) receive(ctx context.Context, qs []Request, ids []int64, o *sendState, timer *time.Timer, timeout time.Duration, answer func(i int, a Response, err error)) error {
	for i := range qs {
		id := ids[i]
		got := c.nextLine(ctx, timer, timeout)
		if got.err != nil {
			return got.err
		}
		c.traceLine(false, got.line)
		if int(o.sent.Load()) <= i {
			return protocolFault("an answer before the request: %.200q", got.line)
		}
		a, fault, sameID := parseResponse(got.line, id)
		if !sameID {
			return fault // whatever comes next belongs to something else
		}
		if needsFile(&qs[i]) {
			os.Remove(c.fileOf(id))
		}
		<-o.slots
		timer.Reset(timeout)
		a.ID = qs[i].ID
		if fault != nil {
			answer(i, Response{}, fault)
		} else {
			answer(i, a, nil)
		}
	}
	return nil
}

// next waits for a line; its error is a *Broken, or the context's.
func (c *Child) nextLine(ctx context.Context, timer *time.Timer, timeout time.Duration) received {
	p := c.proc
	var got received
	select {
	case got = <-p.lines:
	case <-ctx.Done():
		return received{err: ctx.Err()}
	case <-p.ended:
		// It may have said something before. What it started would hold its
		// output open, and ends with it.
		killGroup(p.cmd)
		select {
		case got = <-p.lines:
		case <-time.After(drainTimeout):
			got.err = io.EOF
		}
	case <-timer.C:
		select {
		case got = <-p.lines: // it was us who were late
		default:
			detail := fmt.Sprintf("no answer within %v", timeout)
			switch partial := p.partialLine.String(); {
			case partial != "":
				detail += fmt.Sprintf("; it wrote %.100q, and no end of the line", partial)
			case !c.answered:
				detail += "; does it write its output out at once, or only when a buffer is full?"
			}
			got.err = &Broken{Kind: Hang, Detail: detail}
		}
	}
	if got.err != nil {
		got.err = c.crashed(got.err)
	}
	return got
}

func (c *Child) traceLine(sent bool, line []byte) {
	if c.opts.Exchange != nil {
		c.exchangeMu.Lock()
		defer c.exchangeMu.Unlock()
		c.opts.Exchange(sent, line)
	}
}

// send writes requests, at most a window ahead of the answers. That the
// process does not read them is no error here: it shows in the answers.
func (c *Child) send(p *process, qs []Request, ids []int64, o *sendState) error {
	w := bufio.NewWriterSize(p.in, 1<<15)
	var line []byte
	for i := range qs {
		select {
		case o.slots <- struct{}{}:
		default: // the window is full: what is written has to be on its way
			if w.Flush() != nil {
				return nil
			}
			select {
			case o.slots <- struct{}{}:
			case <-o.stop:
				return nil
			}
		}
		q := qs[i]
		q.ID = ids[i]
		if err := c.moveToFile(&q); err != nil {
			return fmt.Errorf("a file for a long input: %w", err)
		}
		line = appendRequest(line[:0], &q)
		c.traceLine(true, line[:len(line)-1])
		o.sent.Add(1)
		if _, err := w.Write(line); err != nil {
			return nil
		}
	}
	w.Flush()
	return nil
}

func needsFile(q *Request) bool { return q.Hex != nil && len(*q.Hex) > 2*maxHexBytes }

// moveToFile puts a long input into a file and its path into the request.
func (c *Child) moveToFile(q *Request) error {
	if !needsFile(q) {
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
	q.File, q.Hex = c.fileOf(q.ID), nil
	return os.WriteFile(q.File, b, 0o600)
}

func (c *Child) fileOf(id int64) string {
	return filepath.Join(c.dir, "input-"+strconv.FormatInt(id, 10))
}

// ended describes a child whose output ended.
func (c *Child) crashed(err error) error {
	var broken *Broken
	if errors.As(err, &broken) {
		return err
	}
	// The process has closed its output; it ends by itself or is made to.
	p, detail := c.proc, "its output ended, and it did not"
	select {
	case <-p.ended:
		detail = "it ended"
		if p.err != nil {
			detail += ": " + p.err.Error()
		}
		select {
		case <-p.stderrDone:
		case <-time.After(drainTimeout):
		}
	case <-time.After(closeGrace):
	}
	return &Broken{Kind: Crash, Detail: detail + stderrText(p.stderrTail.String())}
}

// quoted returns what a process has said last, without the middle if it is much.
func stderrText(stderr string) string {
	const half = 400
	stderr = strings.TrimSpace(strings.ToValidUTF8(stderr, "\uFFFD"))
	if stderr == "" {
		return ""
	}
	if r := []rune(stderr); len(r) > 2*half {
		stderr = string(r[:half]) + " … " + string(r[len(r)-half:])
	}
	return "; its last words: " + stderr
}

// kill ends the child and what it started.
func (c *Child) kill() {
	p := c.proc
	if p == nil {
		return
	}
	c.proc = nil
	close(p.readerDone)
	killGroup(p.cmd)
	p.in.Close()
	<-p.ended
}

// End closes the child's input and waits for it to end by itself. It is a
// [*Broken] if it does not, or not well.
func (c *Child) End() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.proc
	if p == nil {
		return nil
	}
	p.in.Close()
	deadline := time.After(closeGrace)
	for {
		select {
		case got := <-p.lines:
			if got.err == nil {
				c.traceLine(false, got.line)
				c.kill()
				return protocolFault("it still talks when its input has ended: %.200q", got.line)
			}
		case <-p.ended:
			c.kill()
			if p.err != nil {
				return &Broken{Kind: Crash, Detail: "it ended with its input: " + p.err.Error() + stderrText(p.stderrTail.String())}
			}
			return nil
		case <-deadline:
			c.kill()
			return &Broken{Kind: Hang, Detail: fmt.Sprintf("its input has ended, and %v later it has not", closeGrace)}
		}
	}
}

// Close ends the child: by closing its input first, by force if that is not enough.
func (c *Child) Close() error {
	_ = c.End() // nobody is left to be told
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dir != "" {
		os.RemoveAll(c.dir)
		c.dir = ""
	}
	return nil
}

// unended keeps the beginning of a line that has not ended yet.
type partialLine struct {
	mu  sync.Mutex
	buf []byte
}

func (u *partialLine) Write(p []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	rest := p
	if i := bytes.LastIndexByte(p, '\n'); i >= 0 {
		u.buf, rest = u.buf[:0], p[i+1:]
	}
	u.buf = append(u.buf, rest[:min(len(rest), max(0, tailSize-len(u.buf)))]...)
	return len(p), nil
}

func (u *partialLine) String() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return string(u.buf)
}

// tailWriter keeps the end of what it is given.
type tailWriter struct {
	mu   sync.Mutex
	next io.Writer
	buf  []byte
}

const tailSize = 8192

func (t *tailWriter) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if len(t.buf) > tailSize {
		t.buf = t.buf[len(t.buf)-tailSize:]
	}
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
