package adapter

import (
	"bufio"
	"bytes"
	"cmp"
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

	"github.com/formatgauge/formatgauge/internal/printable"
	"github.com/formatgauge/formatgauge/spec"
)

// Options say how a child process is run. The zero value is valid.
type Options struct {
	// Timeout is the time limit for an answer. 0 means ten seconds until the first
	// timeout, and then 20 times that of the slowest answer so far, from 1 to 10 seconds.
	Timeout time.Duration
	// HelloTimeout is the time limit for the answer to hello, the first of each
	// process; 0 means ten seconds, or Timeout if that is longer.
	HelloTimeout time.Duration
	// Memory limits the memory that the child can allocate, in bytes; 0 means no
	// limit. NewChild returns an error if the system does not support it.
	Memory int64
	// Views are added to the views that the implementation declares.
	Views []string
	// Stderr receives the standard error of the child, in which characters that
	// are not printable are replaced, up to 64 KiB of each process; nil discards
	// it.
	Stderr io.Writer
	// Exchange, if not nil, is called with each line sent or received, without
	// its newline.
	Exchange func(sent bool, line []byte)
}

const (
	// MaxHex is the size in bytes above which an input is sent in a file.
	MaxHex = 16 << 10
	// closeGrace is how long a child may run after the end of its output. After the end of
	// its input it may run as long as it may take for an answer, and at least this.
	closeGrace = 2 * time.Second
	// window is the number of requests that may be sent and not answered. After
	// a fault these requests are repeated one by one to find the cause.
	window = 64
	// linesAhead is the number of lines that are read before they are needed. Each
	// can be as long as an answer may be.
	linesAhead = 4
	// drainTimeout is how long to wait for remaining output of an ended process.
	drainTimeout = 250 * time.Millisecond
	// A child is given up after so many hangs, or so many protocol faults: each costs the
	// time limit, or two starts. Crashes have no limit: a reader that crashes on
	// all truncated input still gets a result for each case.
	maxFaults = 200
	// maxFaultsUnanswered is the limit for a child that has never answered.
	maxFaultsUnanswered = 5
)

// Child is an implementation in a process of its own. The first request starts
// the process, and so does the first request after a fault. The first request
// to each process is hello. Its answer must be the same in all processes of a
// child and its forks; otherwise the request is a protocol fault.
//
// A request that may have caused a fault is repeated alone in a fresh process,
// so that the fault is assigned to its cause.
type Child struct {
	*shared

	mu         sync.Mutex
	proc       *process
	lastID     int64
	rng        *rand.Rand
	dir        string // for inputs that are sent in files
	faults     map[BrokenKind]int
	givenUp    *Broken // not nil after the child has been given up
	exchangeMu sync.Mutex
}

// shared is what a child and its forks have in common.
type shared struct {
	command []string
	opts    Options
	limit   *patience

	helloMu  sync.Mutex
	hello    *Hello      // the answer of the first process; nil before it
	answered atomic.Bool // a request other than hello has been answered, in any process
}

// checkHello returns an error if h differs from the first answer.
func (s *shared) checkHello(h *Hello) error {
	s.helloMu.Lock()
	defer s.helloMu.Unlock()
	s.hello = cmp.Or(s.hello, h)
	if d := s.hello.difference(h); d != "" {
		return protocolFault("the answer differs from that of the first process: %s", d)
	}
	return nil
}

// process is one run of the command.
type process struct {
	cmd         *exec.Cmd
	in          io.WriteCloser
	lines       chan received
	readerDone  chan struct{} // closed when no more lines are read
	ended       chan struct{} // closed when the process and its standard error have ended and err is set
	err         error         // of Wait; valid after ended is closed
	stderrTail  *tailWriter
	partialLine partialLine
	requests    int     // sent after hello
	last        Request // with an answer
	limits      answerLimits
	hello       Hello
}

type received struct {
	line    []byte
	tooLong *Broken // the answer exceeds its limit; line contains only its start
	err     error
}

// NewChild returns an implementation that runs a command.
func NewChild(command []string, opts Options) (*Child, error) {
	if len(command) == 0 {
		return nil, errors.New("adapter: no command")
	}
	if opts.HelloTimeout == 0 {
		opts.HelloTimeout = max(opts.Timeout, defaultTimeout)
	}
	if err := opts.check(command[0]); err != nil {
		return nil, err
	}
	return (&shared{command: command, opts: opts, limit: newPatience(&opts)}).child(), nil
}

func (s *shared) child() *Child {
	rng := rand.New(rand.NewPCG(1, 1)) // the same ids in every run
	return &Child{shared: s, rng: rng, faults: map[BrokenKind]int{}}
}

// check returns an error if a command cannot run.
func (o *Options) check(command string) error {
	if o.Memory > 0 && !canLimitMemory {
		return errors.New("adapter: this system cannot limit the memory of another process; omit the limit")
	}
	if _, err := exec.LookPath(command); err != nil {
		return fmt.Errorf("adapter: %w", err)
	}
	return nil
}

// start starts a command with the limit of its memory.
func (o *Options) start(cmd *exec.Cmd) error {
	err := cmd.Start()
	if err == nil && o.Memory > 0 {
		if err = limitMemory(cmd.Process.Pid, o.Memory); err != nil {
			killGroup(cmd)
			_ = cmd.Wait() // it has been killed
		}
	}
	return err
}

// Fork returns a child that runs the same command in another process.
func (c *Child) Fork() Implementation { return c.child() }

// start runs the command and sends hello.
func (c *Child) start(ctx context.Context) error {
	p, err := c.spawn()
	if err != nil {
		return &Broken{Kind: Crash, Detail: err.Error()}
	}
	c.proc = p
	var hello *Hello
	var fault error
	_, err = c.exchange(ctx, false, []Request{{Op: OpHello}},
		func(_ int, a Response, f error) { hello, fault = a.Hello, f })
	switch {
	case err != nil:
	case fault != nil:
		err = fault
	case hello == nil:
		err = protocolFault("the answer to hello has no field hello")
	default:
		if err = c.checkHello(hello); err != nil {
			break
		}
		p.hello, p.requests = *hello, 0
		p.hello.Views = spec.MergeViews(hello.Views, c.opts.Views)
		return nil
	}
	c.kill()
	if broken, ok := errors.AsType[*Broken](err); ok {
		broken.Detail = "hello request: " + broken.Detail
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
	// Wait does not fit the pipe of package exec for answers: it may return before all
	// output is read, or wait for a process that the child has started and that
	// holds the pipe open.
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &process{
		cmd: cmd, in: in, lines: make(chan received, linesAhead), readerDone: make(chan struct{}),
		ended: make(chan struct{}), stderrTail: newTailWriter(c.opts.Stderr),
	}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = childOut, p.stderrTail, drainTimeout
	err = c.opts.start(cmd)
	childOut.Close()
	if err != nil {
		out.Close()
		return nil, err
	}
	go func() {
		if err := cmd.Wait(); !errors.Is(err, exec.ErrWaitDelay) {
			p.err = err
		}
		p.stderrTail.flush()
		close(p.ended)
		<-p.readerDone // processes that the child started may still write
		out.Close()
	}()
	go p.read(&p.partialLine, out)
	return p, nil
}

func (p *process) read(w *partialLine, out io.Reader) {
	r := bufio.NewReaderSize(io.TeeReader(out, w), 1<<16)
	for n := 0; ; n++ {
		got := readAnswer(r, func() int { return p.limits.of(n) })
		select {
		case p.lines <- got:
		case <-p.readerDone:
			return
		}
		if got.err != nil {
			return
		}
	}
}

// Hello returns the answer of the process to hello, and starts it if necessary.
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

// Do sends a request and waits for the answer.
func (c *Child) Do(ctx context.Context, q Request) (a Response, err error) {
	c.DoAll(ctx, []Request{q}, func(_ int, got Response, fault error) { a, err = got, fault })
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return a, err
}

// DoAll sends requests without waiting for the answers to earlier ones.
func (c *Child) DoAll(ctx context.Context, qs []Request, answer func(i int, a Response, err error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for from := 0; from < len(qs) && ctx.Err() == nil; {
		if c.givenUp != nil {
			answer(from, Response{}, c.givenUp)
			from++
			continue
		}
		deliver := func(i int, a Response, err error) { answer(from+i, a, err) }
		r := c.run(ctx, false, qs[from:], deliver)
		from += r.answered
		if ctx.Err() != nil {
			return
		}
		if r.broken != nil {
			from += c.replay(ctx, qs[from:], r, deliver)
		}
	}
}

// runResult says how many requests of a run were answered.
type runResult struct {
	answered     int     // requests with an answer
	sent         int     // further requests that the process may have read
	broken       *Broken // why a request has no answer; nil if all have one
	firstRequest bool    // the request without an answer was the only one of its process
}

// run starts the process if necessary and sends requests. again says that the request
// is a repeated one that has timed out.
func (c *Child) run(
	ctx context.Context, again bool, qs []Request, answer func(i int, a Response, err error),
) runResult {
	if c.proc == nil {
		if err := c.start(ctx); err != nil {
			return runResult{broken: asBroken(err), sent: 1, firstRequest: true}
		}
	}
	before, n := c.proc.requests, 0
	sent, err := c.exchange(ctx, again, qs, func(i int, a Response, err error) {
		if n++; err == nil {
			c.answered.Store(true)
		}
		answer(i, a, err)
	})
	out := runResult{answered: n, sent: sent - n}
	if err != nil {
		out.broken, out.firstRequest = asBroken(err), before == 0 && n == 0 && sent == 1
	}
	return out
}

func asBroken(err error) *Broken {
	if b, ok := errors.AsType[*Broken](err); ok {
		return b
	}
	return &Broken{Kind: Protocol, Detail: err.Error()}
}

// replay finds the request that caused a fault. It repeats the requests that the
// process may have read: the first one alone in a fresh process, then the others
// one by one. It returns the number of requests that have a result.
func (c *Child) replay(ctx context.Context, qs []Request, r runResult, answer func(i int, a Response, err error)) int {
	c.countFault(r.broken)
	if r.firstRequest {
		answer(0, Response{}, r.broken)
		return 1
	}
	c.kill()
	var answers []func() (Response, error)
	latest := r
	for len(answers) < max(r.sent, 1) {
		again := len(answers) == 0 && r.broken.Kind == Timeout
		latest = c.run(ctx, again, qs[len(answers):len(answers)+1], func(_ int, a Response, err error) {
			answers = append(answers, kept(a, err))
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
			a, err := answers[i]()
			answer(i, a, err)
		}
		return len(answers)
	}
	switch {
	case len(answers) == 0: // a fault also when asked alone
		if r.broken.Kind == Timeout && latest.broken.Kind == Timeout { // after less time
			latest.broken = r.broken
		}
		answer(0, Response{}, latest.broken)
		return 1
	case latest.broken != nil: // the fault belongs to a later request: repeat that one alone
		n := deliver()
		latest.sent = 1
		return n + c.replay(ctx, qs[n:], latest, func(i int, a Response, err error) { answer(n+i, a, err) })
	}
	// The fault does not occur again: it depends on earlier requests.
	flaky := *r.broken
	if alone, err := answers[0](); err == nil {
		flaky.Alone = &alone
		answers[0] = kept(Response{}, &flaky)
	}
	return deliver()
}

// kept returns a function that returns an answer later. It keeps the text: parsed, an
// answer with many small parts needs much more memory.
func kept(a Response, err error) func() (Response, error) {
	id, text := a.ID, appendMessage(nil, &a)
	return func() (Response, error) {
		if err != nil {
			return Response{}, err
		}
		a, _, _ := parseResponse(text, id) // it has been parsed before
		return a, nil
	}
}

// countFault counts a fault, and gives the child up at the limit of its kind, or, if
// it has never answered, at that of all kinds.
func (c *Child) countFault(b *Broken) {
	c.faults[b.Kind]++
	n, limit := c.faults[b.Kind], map[BrokenKind]int{Timeout: maxFaults, Protocol: maxFaults}[b.Kind]
	what := map[BrokenKind]string{Timeout: "timeouts", Protocol: "protocol faults"}[b.Kind]
	if !c.answered.Load() {
		n, limit = c.faults[Crash]+c.faults[Timeout]+c.faults[Protocol], maxFaultsUnanswered
		what = "faults without an answer"
	}
	if limit > 0 && n >= limit {
		c.givenUp = &Broken{
			Kind: b.Kind, NotAsked: true,
			Detail: fmt.Sprintf("the adapter was given up after %d %s; the last one: %s", n, what, b.Detail),
		}
	}
}

// exchange sends requests to the running process and reads the answers. It
// returns how many requests the process may have read. If the error is not nil,
// the process has been killed. A protocol fault in one answer that does not
// affect the next answers is passed to answer and is not returned.
func (c *Child) exchange(ctx context.Context, again bool, qs []Request,
	answer func(i int, a Response, err error),
) (int, error) {
	p := c.proc
	ids := c.newIDs(len(qs))
	p.requests += len(qs)
	o := &sendState{slots: make(chan struct{}, window), stop: make(chan struct{}), done: make(chan error, 1)}
	go func() { o.done <- c.send(p, qs, ids, o) }()
	err := c.receive(ctx, again, qs, ids, o, answer)
	if err == nil { // all are answered, so all were sent
		return len(qs), nil
	}
	close(o.stop)
	c.kill()
	if local := <-o.done; local != nil {
		err = local
	}
	return int(o.sent.Load()), err
}

// newIDs returns ids for requests. They have gaps, so that an adapter cannot
// answer a request before it is sent.
func (c *Child) newIDs(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		c.lastID += 1 + c.rng.Int64N(1000)
		out[i] = c.lastID
	}
	return out
}

// sendState is shared by the sender of requests and the receiver of answers.
type sendState struct {
	sent  atomic.Int64  // requests that the process may have read
	slots chan struct{} // one per request without an answer
	stop  chan struct{} // closed when no more answers are read
	done  chan error    // receives nil when all requests are sent, or an error
}

func (c *Child) receive(ctx context.Context, again bool, qs []Request, ids []int64, o *sendState,
	answer func(i int, a Response, err error),
) error {
	p := c.proc
	for i := range qs {
		id := ids[i]
		got := c.answerTo(ctx, &qs[i], again)
		if got.err != nil {
			return got.err
		}
		c.traceLine(false, got.line)
		a, fault, sameID := Response{}, got.tooLong, false
		switch {
		case int(o.sent.Load()) <= i:
			fault = protocolFault("answer received before its request was sent: %.200q", got.line)
		case fault == nil:
			a, fault, sameID = parseResponse(got.line, id)
		default:
			sameID = hasID(got.line, id)
		}
		if !sameID { // the next lines cannot be assigned to requests
			if p.last.ID != 0 && hasID(got.line, p.last.ID) {
				return protocolFault("expected id %d, found a second answer to %.200q: %.200q",
					id, bytes.TrimSpace(appendMessage(nil, &p.last)), got.line)
			}
			return fault
		}
		p.last = qs[i]
		p.last.ID = id
		if needsFile(&qs[i]) {
			os.Remove(c.fileOf(id))
		}
		<-o.slots
		a.ID = qs[i].ID
		if fault != nil {
			answer(i, Response{}, fault)
		} else {
			answer(i, a, nil)
		}
	}
	return nil
}

// answerTo waits for the answer to a request.
func (c *Child) answerTo(ctx context.Context, q *Request, again bool) received {
	if q.Op == OpHello {
		return c.nextLine(ctx, c.opts.HelloTimeout)
	}
	limit, began := c.limit.of(q, again), time.Now()
	got := c.nextLine(ctx, limit)
	switch b, ok := errors.AsType[*Broken](got.err); {
	case got.err == nil:
		c.limit.answered(q, time.Since(began))
	case ok && b.Kind == Timeout:
		c.limit.timedOut(q, limit)
	}
	return got
}

// nextLine waits for a line. The error is a *Broken or the error of the context.
func (c *Child) nextLine(ctx context.Context, timeout time.Duration) received {
	p := c.proc
	var got received
	select {
	case got = <-p.lines:
	case <-ctx.Done():
		return received{err: ctx.Err()}
	case <-p.ended:
		// Lines may remain. Processes that the child has started would hold its
		// output open, so they are killed.
		killGroup(p.cmd)
		select {
		case got = <-p.lines:
		case <-time.After(drainTimeout):
			got.err = io.EOF
		}
	case <-time.After(timeout):
		select {
		case got = <-p.lines: // the line arrived in time
		default:
			detail := fmt.Sprintf("no answer within %v", timeout)
			partial := p.partialLine.text()
			if partial == "" && !c.answered.Load() {
				partial = "; check that the adapter flushes its output after each answer"
			}
			got.err = &Broken{Kind: Timeout, Detail: detail + partial}
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

// send writes requests, at most window ahead of the answers. It does not return
// write errors: receive detects the end of the process.
func (c *Child) send(p *process, qs []Request, ids []int64, o *sendState) error {
	w := bufio.NewWriterSize(p.in, 1<<15)
	var line []byte
	for i := range qs {
		select {
		case o.slots <- struct{}{}:
		default: // the window is full: the process must get the written requests
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
		expected := q.Expected
		if q.Hex != nil {
			expected = max(expected, len(*q.Hex))
		}
		if err := c.moveToFile(&q); err != nil {
			return fmt.Errorf("write a long input to a file: %w", err)
		}
		line = appendMessage(line[:0], &q)
		p.limits.add(answerLimit(max(expected, len(line))))
		c.traceLine(true, line[:len(line)-1])
		o.sent.Add(1)
		if _, err := w.Write(line); err != nil {
			return nil
		}
	}
	w.Flush()
	return nil
}

func needsFile(q *Request) bool { return q.Hex != nil && len(*q.Hex) > 2*MaxHex }

// moveToFile writes a long input to a file and puts the path into the request.
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

// crashed returns the error for a child whose output has ended.
func (c *Child) crashed(err error) error {
	if _, ok := errors.AsType[*Broken](err); ok {
		return err
	}
	// The process has closed its output. Wait until it ends; the caller kills it.
	p, detail := c.proc, "the process closed its standard output and did not end"
	select {
	case <-p.ended:
		detail = "the process ended"
		if p.err != nil {
			detail += ": " + p.err.Error()
		} else {
			detail += " before its input did: an adapter reads requests until its input ends"
		}
	case <-time.After(closeGrace):
	}
	return &Broken{Kind: Crash, Detail: detail + p.partialLine.text() + stderrText(p.stderrTail.String())}
}

// stderrText returns the last output on standard error, without the middle if it
// is long.
func stderrText(stderr string) string {
	const half = 400
	stderr = strings.TrimSpace(strings.ToValidUTF8(stderr, "\uFFFD"))
	if stderr == "" {
		return ""
	}
	if r := []rune(stderr); len(r) > 2*half {
		stderr = string(r[:half]) + " … " + string(r[len(r)-half:])
	}
	return "; stderr: " + stderr
}

// kill ends the child and the processes that it started.
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

// End closes the input of the child and waits until the process ends. It
// returns a [*Broken] if the process does not end, writes output, or exits with
// an error.
func (c *Child) End() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.proc
	if p == nil {
		return nil
	}
	p.in.Close()
	limit := max(closeGrace, cmp.Or(c.opts.Timeout, defaultTimeout))
	got := c.nextLine(context.Background(), limit) // without a line, waits until the process ends
	running := true
	select {
	case <-p.ended:
		running = false
	default:
	}
	c.kill()
	switch partial := p.partialLine.text(); {
	case got.err == nil:
		c.traceLine(false, got.line)
		what := "output after the end of the input"
		if hasID(got.line, p.last.ID) {
			what = fmt.Sprintf("second answer to %.200q", bytes.TrimSpace(appendMessage(nil, &p.last)))
		}
		return protocolFault("%s: %.200q", what, got.line)
	case partial != "":
		return protocolFault("output after the end of the input%s", partial)
	case running:
		return &Broken{Kind: Timeout, Detail: fmt.Sprintf("the process did not end within %v after the end of its input",
			limit)}
	case p.err != nil:
		return &Broken{Kind: Crash, Detail: "after the end of its input the process ended: " + p.err.Error() +
			stderrText(p.stderrTail.String())}
	}
	return nil
}

// Close ends the child as [Child.End] does, and returns its error. The process has
// ended in any case.
func (c *Child) Close() error {
	err := c.End()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dir != "" {
		os.RemoveAll(c.dir)
		c.dir = ""
	}
	return err
}

// partialLine keeps the start of a line that has no newline yet.
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

// text returns the line for the detail of a fault.
func (u *partialLine) text() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.buf) == 0 {
		return ""
	}
	return fmt.Sprintf("; received %.100q without a newline", u.buf)
}

// stderrLock is held while standard error is passed through: several processes can
// have the same writer.
var stderrLock sync.Mutex

// tailWriter keeps the last bytes written to it.
type tailWriter struct {
	mu   sync.Mutex
	next *printable.Writer // with stderrLock
	room int               // bytes that may still be passed through; -1 after more than these
	buf  []byte
}

// maxStderr is the number of bytes of the standard error of a process that are
// passed through.
const maxStderr = 64 << 10

func newTailWriter(next io.Writer) *tailWriter {
	if next == nil {
		next = io.Discard
	}
	return &tailWriter{next: printable.NewWriter(next), room: maxStderr}
}

// flush passes the end of the stream through.
func (t *tailWriter) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	stderrLock.Lock()
	defer stderrLock.Unlock()
	_ = t.next.Flush() // nobody reads the standard error
}

const tailSize = 8192

// Write never returns an error: package exec would close the standard error of the
// process. After an error of next nothing more is passed through.
func (t *tailWriter) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	t.buf = t.buf[max(0, len(t.buf)-tailSize):]
	if t.room < 0 {
		return len(p), nil
	}
	stderrLock.Lock()
	defer stderrLock.Unlock()
	shown := p[:min(len(p), t.room)]
	t.room -= len(shown)
	if _, err := t.next.Write(shown); err != nil {
		t.room = -1
	} else if len(shown) < len(p) {
		t.room = -1
		_ = t.next.Flush() // nobody reads the standard error
		fmt.Fprintf(t.next, "\nformatgauge: the rest of the standard error of this process is not shown: "+
			"it exceeds %d KiB\n", maxStderr>>10)
	}
	return len(p), nil
}

func (t *tailWriter) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
