// Package judgetest provides faulty adapters. Tests run them to show that the
// judge finds each fault: without these tests, a judge that passes every
// adapter would not be noticed.
package judgetest

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/spec"
)

// Env names the environment variable that makes a test binary an adapter: its
// value is the mode.
const Env = "FORMATGAUGE_WRONG"

// RunIfRequested is called first by TestMain: it turns the test binary into an
// adapter if the environment says so, and then does not return.
func RunIfRequested() {
	if mode, ok := os.LookupEnv(Env); ok {
		if err := Main(mode, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// Command returns the command that runs this binary as an adapter.
func Command(mode string) []string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return []string{"/usr/bin/env", Env + "=" + mode, "GORACE=atexit_sleep_ms=0", self}
}

// Profile is what the adapters declare, unless their fault is about it.
const profile = "observed"

// nth is which request, or multiple of it, the adapters choose that are wrong now and then.
const nth = 50

// isTrigger reports whether a request is among those that the adapters choose
// that are wrong on some inputs: an empty one, of a type that is often asked for.
func isTrigger(q *adapter.Request) bool {
	return q.Op == adapter.OpDecode && q.Type == "upkg.CompactIndex" && q.Hex != nil && *q.Hex == ""
}

// program is an adapter at work.
type program struct {
	mode string
	out  *bufio.Writer
	ref  *adapter.Reference
	n    int // requests so far, without hello
	last int64
	held []byte
}

// Main answers requests until the input ends, in the way that the mode names.
func Main(mode string, in io.Reader, out io.Writer) error {
	if !slices.Contains(Modes(), mode) {
		return fmt.Errorf("there is no mode %q, only %v", mode, Modes())
	}
	p := &program{mode: mode, out: bufio.NewWriter(out), ref: adapter.NewReference()}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var q adapter.Request
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return err
		}
		p.one(&q)
		if err := p.out.Flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}

// Modes lists all modes.
func Modes() []string {
	return []string{
		// right, in ways that need care
		"right", "right-on-stderr", "right-with-spaces", "right-but-slow-to-start", "right-by-structure", "right-and-more",
		// wrong answers
		"accepts", "rejects", "shape", "off-by-one", "forgets-flag", "undeclared-flag", "wrong-class", "wrong-offset",
		"wrong-consumed", "wrong-bytes", "errors", "skips",
		// lenient readers, which only what follows from a vector shows
		"ignores-trailing", "pads", "ignores-order", "clamps-counts", "narrow-counts",
		// broken processes
		"crashes-nth", "crashes-on", "crashes-always", "ends-early", "hangs-on", "hangs-always", "hangs-nth", "leaves-a-child", "eats-memory",
		"deaf",
		// broken protocol
		"garbage", "garbage-on", "chatters", "disorder", "leaks-ids", "two-parts", "no-part", "unknown-class", "unknown-field",
		"numbers", "no-newline", "answers-twice", "guesses", "hello-garbage", "hello-version", "hello-silent", "hello-dies", "hello-no-types",
	}
}

func (p *program) write(id int64, a adapter.Response) {
	a.ID = id
	b, err := json.Marshal(a)
	if err != nil {
		panic(err)
	}
	p.out.Write(append(b, '\n'))
}

func (p *program) one(q *adapter.Request) {
	if q.Op == adapter.OpHello {
		p.hello(q)
		return
	}
	p.n++
	a, _ := p.ref.Do(context.Background(), *q) // the reference never fails to answer
	if p.broken(q) {
		return
	}
	if p.offProtocol(q, a) {
		return
	}
	p.write(q.ID, p.answer(q, a))
}

func (p *program) hello(q *adapter.Request) {
	h, _ := p.ref.Hello(context.Background())
	h.Name, h.AnyProfile, h.Profile = "wrong-"+p.mode, false, profile
	switch p.mode {
	case "right-but-slow-to-start":
		time.Sleep(300 * time.Millisecond)
	case "right-by-structure":
		for i, t := range h.Types {
			h.Types[i] = spec.StructureOf(t)
		}
		h.Types = slices.Compact(slices.Sorted(slices.Values(h.Types)))
	case "right-and-more":
		h.Types = append(h.Types, "ubi.Arrays", "ubi.Array<Vector9>")
	case "forgets-flag":
		h.Profile = "observed,upkg.ci-minus-zero=strict"
	case "hello-garbage":
		fmt.Fprintln(p.out, "Hello! I am an adapter.")
		return
	case "hello-version":
		h.Protocol = "0.9"
	case "hello-silent":
		return
	case "hello-dies":
		fmt.Fprintln(os.Stderr, "cannot find my shared library")
		os.Exit(127)
	case "hello-no-types":
		h.Types = nil
	case "disorder":
		h.Operations = []adapter.Op{adapter.OpDecode}
	case "guesses":
		p.write(q.ID, adapter.Response{Hello: &h})
		for i := range int64(4) {
			p.write(q.ID+1+i, adapter.Response{Reject: &adapter.Reject{Class: "value"}})
		}
		return
	}
	p.write(q.ID, adapter.Response{Hello: &h})
}

// broken is wrong about being a process at all.
func (p *program) broken(q *adapter.Request) bool {
	nth := p.n%nth == 0
	switch {
	case p.mode == "right-on-stderr":
		fmt.Fprintln(os.Stderr, strings.Repeat("all is well ", 50))
	case p.mode == "crashes-nth" && nth, p.mode == "crashes-on" && isTrigger(q), p.mode == "crashes-always":
		fmt.Fprintln(os.Stderr, "segmentation fault")
		os.Exit(3)
	case p.mode == "ends-early" && isTrigger(q):
		os.Exit(0)
	case p.mode == "hangs-nth" && nth, p.mode == "hangs-on" && isTrigger(q), p.mode == "hangs-always":
		time.Sleep(time.Hour)
	case p.mode == "deaf" && isTrigger(q):
		os.Stdin.Close()
		signal.Ignore(os.Interrupt)
		time.Sleep(time.Hour)
	case p.mode == "leaves-a-child" && isTrigger(q):
		c := exec.Command("sleep", "3600")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if c.Start() == nil {
			os.Exit(4)
		}
	case p.mode == "eats-memory" && isTrigger(q):
		var kept [][]byte
		for range 64 {
			b := make([]byte, 64<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			kept = append(kept, b)
		}
		fmt.Fprintln(os.Stderr, len(kept))
	}
	return false
}

// offProtocol writes what is no answer, and reports whether that was all.
func (p *program) offProtocol(q *adapter.Request, a adapter.Response) bool {
	last := p.last
	p.last = q.ID
	switch p.mode {
	case "right-with-spaces":
		b, _ := json.MarshalIndent(a, "", "\t")
		p.out.WriteString(strings.ReplaceAll(string(b), "\n", " ") + " \r\n")
		return true
	case "garbage":
		fmt.Fprintln(p.out, "\x00\xff{]")
		return true
	case "garbage-on":
		if isTrigger(q) {
			fmt.Fprintln(p.out, "decoding nothing...")
			return true
		}
	case "chatters":
		if p.n%nth == 0 {
			fmt.Fprintln(p.out, "DEBUG: still here")
		}
	case "disorder":
		if p.held == nil {
			p.held, _ = json.Marshal(a)
			return true
		}
		p.write(q.ID, a)
		p.out.Write(append(p.held, '\n'))
		p.held = nil
		return true
	case "leaks-ids":
		if p.n%nth == 0 {
			p.write(last, a)
			return true
		}
	case "two-parts":
		if a.OK != nil {
			a.Reject = &adapter.Reject{Class: "value"}
		}
		p.write(q.ID, a)
		return true
	case "no-part":
		p.write(q.ID, adapter.Response{})
		return true
	case "unknown-class":
		if a.Reject != nil {
			a.Reject.Class = "bad"
		}
	case "unknown-field":
		if a.Reject != nil {
			fmt.Fprintf(p.out, `{"id":%d,"reject":{"class":%q,"ofset":3}}`+"\n", q.ID, a.Reject.Class)
			return true
		}
	case "numbers":
		if a.OK != nil && a.OK.Tree != nil && q.Type == "upkg.CompactIndex" {
			fmt.Fprintf(p.out, `{"id":%d,"ok":{"tree":%s}}`+"\n", q.ID, a.OK.Tree.Text)
			return true
		}
	case "no-newline":
		b, _ := json.Marshal(a)
		p.out.Write(b)
		return true
	case "answers-twice":
		if p.n%nth == 0 {
			p.write(q.ID, a)
		}
	}
	return false
}

// answer is wrong in what it says, and right in how it says it.
func (p *program) answer(q *adapter.Request, a adapter.Response) adapter.Response {
	switch p.mode {
	case "accepts", "shape":
		// Right names and no content: what somebody could make of the models
		// alone; bytes and trees come back as they are given.
		n := tree.Node{}
		if t, ok := codec.Find(q.Type); ok && p.mode == "shape" {
			n, _ = tree.FromModel(codec.Deref(t.New()))
		}
		echo := ""
		if q.Hex != nil {
			echo = *q.Hex
		}
		if q.Op == adapter.OpDecode {
			return adapter.Response{OK: &adapter.OK{Tree: &n}}
		}
		return adapter.Response{OK: &adapter.OK{Hex: &echo}}
	case "rejects":
		return adapter.Response{Reject: &adapter.Reject{Class: "value"}}
	case "errors":
		return adapter.Response{Error: &adapter.Fault{Message: "not implemented"}}
	case "skips":
		return adapter.Response{Skip: &adapter.Skip{Reason: "not yet"}}
	case "undeclared-flag", "forgets-flag":
		q.Profile = profile
		if p.mode == "undeclared-flag" {
			q.Profile = "observed,upkg.ci-minus-zero=strict"
		}
		a, _ = p.ref.Do(context.Background(), *q)
	case "ignores-trailing":
		if q.Op == adapter.OpDecode && a.Reject != nil && a.Reject.Class == "trailing" {
			a = p.again(q, (*q.Hex)[:2**a.Reject.Offset])
		}
	case "pads":
		for n := 1; n < 64 && q.Op == adapter.OpDecode && a.Reject != nil && a.Reject.Class == "truncated"; n++ {
			a = p.again(q, *q.Hex+strings.Repeat("00", n))
		}
	case "ignores-order":
		delete(q.Context, "order")
		a, _ = p.ref.Do(context.Background(), *q)
	case "clamps-counts":
		// The first number counts; what is not there is left out.
		for n := 64; n >= 0 && q.Op == adapter.OpDecode && a.Reject != nil && a.Reject.Class == "truncated" && len(*q.Hex) >= 8; n-- {
			a = p.again(q, fmt.Sprintf("%02x000000", n)+(*q.Hex)[8:])
		}
	case "narrow-counts":
		// Of the first number the low byte counts; the others are passed over.
		if q.Op == adapter.OpDecode && a.Reject != nil && a.Reject.Class == "truncated" && len(*q.Hex) >= 8 {
			a = p.again(q, (*q.Hex)[:2]+"000000"+(*q.Hex)[8:])
		}
	case "off-by-one":
		if a.OK != nil && a.OK.Tree != nil {
			n := nudge(*a.OK.Tree)
			a.OK.Tree = &n
		}
	case "wrong-class":
		if a.Reject != nil && a.Reject.Class == "truncated" {
			a.Reject.Class = "value"
		}
	case "wrong-offset":
		if a.Reject != nil && a.Reject.Offset != nil {
			*a.Reject.Offset += 100
		}
	case "wrong-consumed":
		if a.OK != nil && a.OK.Consumed != nil {
			*a.OK.Consumed++
		}
	case "wrong-bytes":
		if a.OK != nil && a.OK.Hex != nil {
			b, _ := hex.DecodeString(*a.OK.Hex)
			if len(b) > 0 {
				b[len(b)-1] ^= 1
			}
			*a.OK.Hex = hex.EncodeToString(b)
		}
	}
	return a
}

// again asks the reference about other bytes.
func (p *program) again(q *adapter.Request, hex string) adapter.Response {
	other := *q
	other.Hex = &hex
	a, _ := p.ref.Do(context.Background(), other)
	return a
}

// nudge adds one to the last integer of a tree.
func nudge(n tree.Node) tree.Node {
	if n.Kind == tree.Text {
		if v, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
			n.Text = strconv.FormatInt(v+1, 10)
		}
	}
	if len(n.Items) > 0 {
		n.Items = slices.Clone(n.Items)
		n.Items[len(n.Items)-1] = nudge(n.Items[len(n.Items)-1])
	}
	return n
}
