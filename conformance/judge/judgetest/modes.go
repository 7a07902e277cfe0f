package judgetest

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

// Hostile is a text that changes a terminal, or the order of the text around it,
// if it is printed unchanged.
const Hostile = "\x1b[2J\x00\b\r10 passed, 0 failed: conformant\u009b1m\u202e\u2067\u200e\u061c\nconformant\n"

// profile is the profile that the adapters declare, unless it is part of the
// fault.
const profile = "observed"

// faultyAdapter is the state of a running adapter.
type faultyAdapter struct {
	name string
	mode
	out       *bufio.Writer
	reference adapter.Implementation
	requests  int // so far, without hello
	lastID    int64
	context   map[string]string // of the last request that had each parameter
	held      *adapter.Response
}

func newFaulty(name string, out io.Writer) faultyAdapter {
	return faultyAdapter{
		name: name, mode: modes[name], out: bufio.NewWriter(out), reference: adapter.NewReference(),
		context: map[string]string{},
	}
}

// Main answers requests with the faults of the mode until the input ends.
func Main(mode string, in io.Reader, out io.Writer) error {
	if _, ok := modes[mode]; !ok {
		return fmt.Errorf("unknown mode %q; the modes are %v", mode, Modes())
	}
	p := newFaulty(mode, out)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var q adapter.Request
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return err
		}
		if c := p.answer(&q); !c.written {
			c.write(q.ID, c.a)
		}
		if err := p.out.Flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}

// Adapter returns an adapter of this process. It has the faults of a mode in its
// hello and in its answers, and crashes as crashes-on does. All other faults need a
// process.
func Adapter(mode string) adapter.Implementation { return Over(mode, adapter.NewReference()) }

// Over is [Adapter] with the faults in the answers of another implementation.
func Over(mode string, impl adapter.Implementation) adapter.Implementation {
	p := newFaulty(mode, nil)
	p.reference = impl
	return &inProcess{p}
}

// OfAnswers reports whether a mode differs from the reference in no more than that.
func OfAnswers(mode string) bool { _, ok := ofAnswers[mode]; return ok }

type inProcess struct{ faultyAdapter }

func (p *inProcess) Hello(context.Context) (adapter.Hello, error) { return p.declares(), nil }
func (p *inProcess) Close() error                                 { return nil }

func (p *inProcess) Do(_ context.Context, q adapter.Request) (adapter.Response, error) {
	if p.name == "crashes-on" && onTrigger(&call{q: &q}) {
		return adapter.Response{}, &adapter.Broken{Kind: adapter.Crash, Detail: "the process ended"}
	}
	return p.answer(&q).a, nil
}

// Modes lists all modes.
func Modes() []string { return slices.Sorted(maps.Keys(modes)) }

// declares returns the answer to hello of the modes that answer it.
func (p *faultyAdapter) declares() adapter.Hello {
	h, _ := p.reference.Hello(context.Background())
	h.Name, h.AnyProfile, h.Profile = "wrong-"+p.name, false, profile
	if types := os.Getenv(TypesEnv); types != "" {
		h.Types = strings.Split(types, ",")
	}
	if p.declare != nil {
		p.declare(&h)
	}
	return h
}

// answer returns the answer to a request, which may be written already.
func (p *faultyAdapter) answer(q *adapter.Request) *call {
	c, do := &call{faultyAdapter: p, q: q}, p.do
	if q.Op == adapter.OpHello {
		c.a.Hello, do = new(p.declares()), p.greet
	} else {
		p.requests++
		c.ask()
		if p.when != nil && !p.when(c) {
			do = nil
		}
	}
	if do != nil {
		do(c)
	}
	p.lastID = q.ID
	return c
}

// A mode is how an adapter differs from the reference: in hello, or in what it does with
// the requests for which when holds, or with all.
type mode struct {
	declare func(*adapter.Hello)
	greet   func(*call) // with the answer to hello
	when    func(*call) bool
	do      func(*call)
}

// A call is a request with the right answer, which a mode changes or writes itself.
type call struct {
	*faultyAdapter
	q       *adapter.Request
	a       adapter.Response
	written bool
}

// faultPeriod is the number of requests from one fault to the next, in modes with
// occasional faults.
const faultPeriod = 50

func nth(c *call) bool { return c.requests%faultPeriod == 0 }

// onTrigger is true for empty input of a type with many cases.
func onTrigger(c *call) bool {
	return c.q.Op == adapter.OpDecode && c.q.Type == "upkg.CompactIndex" && c.q.Hex != nil && *c.q.Hex == ""
}

func onFile(c *call) bool { return c.q.File != "" }

func onIndex(c *call) bool { return c.q.Type == "upkg.CompactIndex" }

func withTree(c *call) bool { return c.a.OK != nil && c.a.OK.Tree != nil }

func (c *call) isRejected(classes ...string) bool {
	return c.a.Reject != nil && (len(classes) == 0 || slices.Contains(classes, c.a.Reject.Class))
}

func rejected(classes ...string) func(*call) bool {
	return func(c *call) bool { return c.isRejected(classes...) }
}

// undecoded is true for bytes that the reference does not decode because of a class.
func undecoded(class string) func(*call) bool {
	return func(c *call) bool { return c.q.Op == adapter.OpDecode && c.q.Hex != nil && c.isRejected(class) }
}

func says(a adapter.Response) func(*call) { return func(c *call) { c.a = a } }

func classed(class string) func(*call) { return func(c *call) { c.a.Reject.Class = class } }

func mapped(change func(tree.Node) tree.Node) func(*call) {
	return func(c *call) { c.a.OK.Tree = new(change(*c.a.OK.Tree)) }
}

func fails(message string) func(*call) {
	return says(adapter.Response{Error: &adapter.Fault{Message: message}})
}

func prints(line string) func(*call) { return func(c *call) { c.print("%s\n", line) } }

func complains(text string) func(*call) { return func(*call) { fmt.Fprintln(os.Stderr, text) } }

func ends(status int, text string) func(*call) {
	return func(*call) {
		fmt.Fprint(os.Stderr, text)
		os.Exit(status)
	}
}

func pauses(d time.Duration) func(*call) { return func(*call) { time.Sleep(d) } }

// under answers under a profile, whatever was asked for.
func under(profile string) func(*call) {
	return func(c *call) {
		c.q.Profile = profile
		c.ask()
	}
}

var (
	crash = ends(3, "segmentation fault\n")
	hang  = pauses(time.Minute)
	value = adapter.Response{Reject: &adapter.Reject{Class: "value"}}
	skip  = says(adapter.Response{Skip: &adapter.Skip{Reason: "not yet"}})
)

const strictZero = "observed,upkg.ci-minus-zero=strict"

var modes = func() map[string]mode {
	all := maps.Clone(ofAnswers)
	maps.Copy(all, ofProcess)
	return all
}()

// ofAnswers are the modes that differ from the reference in their answers and in hello only.
var ofAnswers = map[string]mode{
	"right-by-structure": {declare: func(h *adapter.Hello) {
		for i, t := range h.Types {
			h.Types[i] = spec.StructureOf(t)
		}
		h.Types = slices.Compact(slices.Sorted(slices.Values(h.Types)))
	}},
	"right-and-more": {declare: func(h *adapter.Hello) { h.Types = append(h.Types, "ubi.Arrays", "ubi.Array<Vector9>") }},
	// correct in the view that it declares: it resolves ids of texts
	"right-in-a-view": {when: withTree, do: mapped(resolveTexts), declare: func(h *adapter.Hello) {
		h.Views, h.Operations = []string{"ka.texts"}, []adapter.Op{adapter.OpDecode}
	}},
	// correct, but without limits: accepts all that is rejected as limit or
	// unsupported, as some value of the type
	"wider": {when: rejected("limit", "unsupported"), do: func(c *call) {
		if c.q.Op == adapter.OpDecode {
			c.a = Wider(*c.q)
		}
	}},

	// incorrect answers
	"accepts": {do: func(c *call) { c.accept(tree.Node{}) }},
	"schema": {do: func(c *call) {
		n := tree.Node{}
		if t, ok := codec.Find(c.q.Type); ok {
			n, _ = tree.FromModel(codec.Deref(t.New()))
		}
		c.accept(n)
	}},
	"rejects":         {do: says(value)},
	"unsupported":     {when: rejected("truncated"), do: classed("unsupported")},
	"off-by-one":      {when: withTree, do: mapped(incrementLast)},
	"forgets-flag":    {do: under(profile), declare: func(h *adapter.Hello) { h.Profile = strictZero }},
	"undeclared-flag": {do: under(strictZero)},
	"wrong-class":     {when: rejected("truncated"), do: classed("value")},
	"wrong-offset": {when: rejected(), do: func(c *call) {
		if c.a.Reject.Offset != nil {
			*c.a.Reject.Offset += 100
		}
	}},
	"wrong-consumed": {do: func(c *call) {
		if c.a.OK != nil && c.a.OK.Consumed != nil {
			*c.a.OK.Consumed++
		}
	}},
	"wrong-bytes": {do: func(c *call) {
		if c.a.OK != nil && c.a.OK.Hex != nil && *c.a.OK.Hex != "" {
			b, _ := hex.DecodeString(*c.a.OK.Hex)
			b[len(b)-1] ^= 1
			*c.a.OK.Hex = hex.EncodeToString(b)
		}
	}},
	"errors": {do: fails("not implemented")},
	"skips":  {do: skip},
	// correct, but skips the cases of one type, which it lists, or says so in hello
	"skips-some":     {when: onIndex, do: skip},
	"declares-skips": {declare: func(h *adapter.Hello) { h.Skips = []adapter.Skip{{Type: "ubi.Box", Reason: "not yet"}} }},

	// lenient readers, which only derived cases detect
	"ignores-trailing": {when: undecoded("trailing"), do: func(c *call) { c.askAgain((*c.q.Hex)[:2**c.a.Reject.Offset]) }},
	"ignores-order": {do: func(c *call) {
		c.q.Context = maps.Clone(c.q.Context) // which the judge uses too
		delete(c.q.Context, "order")
		c.ask()
	}},
	"pads": {when: undecoded("truncated"), do: func(c *call) {
		for n := 1; n < 64 && c.isRejected("truncated"); n++ {
			c.askAgain(*c.q.Hex + strings.Repeat("00", n))
		}
	}},
	// The first number is the count. Missing elements are omitted.
	"clamps-counts": {when: undecoded("truncated"), do: func(c *call) {
		for n := 64; n >= 0 && len(*c.q.Hex) >= 8 && c.isRejected("truncated"); n-- {
			c.askAgain(fmt.Sprintf("%02x000000", n) + (*c.q.Hex)[8:])
		}
	}},
	// The low byte of the first number is the count. Its other bytes are ignored.
	"narrow-counts": {when: undecoded("truncated"), do: func(c *call) {
		switch h := *c.q.Hex; {
		case len(h) < 8:
		case c.q.Context["order"] == "big":
			c.askAgain("000000" + h[6:])
		default:
			c.askAgain(h[:2] + "000000" + h[8:])
		}
	}},
	// state that lasts from one request to the next
	"keeps-context": {do: (*call).keepContext},
}

// ofProcess are the modes that need a process, or show what one says beside its answers.
var ofProcess = map[string]mode{
	// correct, with unusual behaviour
	"right":                   {},
	"right-on-stderr":         {do: complains(strings.Repeat("all is well ", 50))},
	"right-but-slow-to-start": {greet: pauses(300 * time.Millisecond)},
	"right-with-spaces": {do: func(c *call) {
		b, _ := json.MarshalIndent(c.a, "", "\t")
		c.print("%s \r\n", strings.ReplaceAll(string(b), "\n", " "))
	}},
	// errors of whole files, and of those below version 64
	"errors-on-files": {when: onFile, do: fails("no space")},
	"errors-below-64": {do: fails("no space"), when: func(c *call) bool { return onFile(c) && c.q.Context["version"] == "60" }},
	// control characters in all texts
	"control-characters": {greet: complains(Hostile + "\x9b1m"), do: (*call).turnHostile, declare: func(h *adapter.Hello) {
		h.Name, h.Version, h.Language = h.Name+Hostile, Hostile, Hostile
		h.Skips = []adapter.Skip{{Type: "ubi.Box", Reason: Hostile}}
	}},

	// faults of the process
	"crashes-nth":      {when: nth, do: crash},
	"crashes-on":       {when: onTrigger, do: crash},
	"crashes-always":   {do: crash},
	"ends-early":       {when: onTrigger, do: ends(0, "")},
	"hangs-on":         {when: onTrigger, do: hang},
	"hangs-always":     {do: hang},
	"hangs-nth":        {when: nth, do: hang},
	"hangs-on-lengths": {when: func(c *call) bool { return ExceedsInput(c.a, 0) }, do: hang},
	"leaves-a-child": {when: onTrigger, do: func(*call) {
		c := exec.Command("sleep", "60")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if c.Start() == nil {
			os.Exit(4)
		}
	}},
	"allocates-memory": {when: onTrigger, do: func(*call) {
		var kept [][]byte
		for range 64 {
			kept = append(kept, make([]byte, 64<<20))
		}
		fmt.Fprintln(os.Stderr, len(kept))
	}},
	"closes-input": {when: onTrigger, do: func(c *call) {
		os.Stdin.Close()
		signal.Ignore(os.Interrupt)
		hang(c)
	}},

	// faults of the protocol
	"garbage":     {do: prints("\x00\xff{]")},
	"garbage-on":  {when: onTrigger, do: prints("decoding nothing...")},
	"extra-lines": {when: nth, do: func(c *call) { fmt.Fprintln(c.out, "DEBUG: still here") }},
	"disorder":    {do: (*call).hold, declare: func(h *adapter.Hello) { h.Operations = []adapter.Op{adapter.OpDecode} }},
	"leaks-ids":   {when: nth, do: func(c *call) { c.write(c.lastID, c.a) }},
	"two-parts": {do: func(c *call) {
		if c.a.OK != nil {
			c.a.Reject = value.Reject
		}
	}},
	"no-part":       {do: says(adapter.Response{})},
	"unknown-class": {when: rejected(), do: classed("bad")},
	"unknown-field": {when: rejected(), do: func(c *call) {
		c.print(`{"id":%d,"reject":{"class":%q,"ofset":3}}`+"\n", c.q.ID, c.a.Reject.Class)
	}},
	"numbers": {when: onIndex, do: func(c *call) {
		if withTree(c) {
			c.print(`{"id":%d,"ok":{"tree":%s}}`+"\n", c.q.ID, c.a.OK.Tree.Text)
		}
	}},
	"no-newline": {do: func(c *call) { c.print("%s", encode(c.a)) }},
	"answers-twice": {when: nth, do: func(c *call) {
		c.write(c.q.ID, c.a)
		c.written = false
	}},
	"answers-early": {greet: func(c *call) {
		c.write(c.q.ID, c.a)
		for i := range int64(4) {
			c.write(c.q.ID+1+i, value)
		}
	}},
	"hello-garbage":  {greet: prints("Hello! I am an adapter.")},
	"hello-version":  {declare: func(h *adapter.Hello) { h.Protocol = "0.9" }},
	"hello-silent":   {greet: func(c *call) { c.written = true }},
	"hello-dies":     {greet: ends(127, "cannot find my shared library\n")},
	"hello-no-types": {declare: func(h *adapter.Hello) { h.Types = nil }},
	"hello-view":     {declare: func(h *adapter.Hello) { h.Views = []string{"ka.maps"} }},
	"hello-changes": {when: onTrigger, do: crash, declare: func(h *adapter.Hello) {
		h.Version = strconv.Itoa(os.Getpid())
	}},
}

func (c *call) print(format string, args ...any) {
	fmt.Fprintf(c.out, format, args...)
	c.written = true
}

func (c *call) write(id int64, a adapter.Response) {
	a.ID = id
	c.print("%s\n", encode(a))
}

func encode(a adapter.Response) []byte {
	b, err := json.Marshal(a)
	if err != nil {
		panic(err)
	}
	return b
}

// hold answers every other request, with two answers in the wrong order.
func (c *call) hold() {
	held := c.held
	c.held, c.written = &c.a, true
	if held != nil {
		c.write(c.q.ID, c.a)
		c.write(held.ID, *held)
		c.held = nil
	}
}

// ask takes the answer of the reference to a changed request.
func (c *call) ask() { c.a, _ = c.reference.Do(context.Background(), *c.q) }

// askAgain takes the answer of the reference to other bytes.
func (c *call) askAgain(hex string) {
	q := *c.q
	q.Hex = &hex
	c.a, _ = c.reference.Do(context.Background(), q)
}

// accept answers with a value, whatever the input is, and with input bytes unchanged.
func (c *call) accept(n tree.Node) {
	if c.q.Op == adapter.OpDecode {
		c.a = adapter.Response{OK: &adapter.OK{Tree: &n}}
		return
	}
	echo := ""
	if c.q.Hex != nil {
		echo = *c.q.Hex
	}
	c.a = adapter.Response{OK: &adapter.OK{Hex: &echo}}
}

func (c *call) turnHostile() {
	switch {
	case c.q.Type == "ubi.Vector2":
		c.a = adapter.Response{Skip: &adapter.Skip{Reason: Hostile}}
	case c.q.Type == "ubi.Vector3": // not a message of the protocol
		c.a = adapter.Response{Reject: &adapter.Reject{Class: Hostile}}
	case c.q.Op != adapter.OpDecode:
		fails(Hostile)(c)
	case c.a.OK != nil:
		text := tree.Node{Kind: tree.Text, Text: Hostile}
		c.accept(tree.Node{Kind: tree.Object, Names: []string{Hostile}, Items: []tree.Node{text}})
	default:
		c.a = adapter.Response{Reject: &adapter.Reject{Class: "value", Path: Hostile, Message: Hostile}}
	}
}

// keepContext takes parameters that a request does not have from earlier ones.
func (c *call) keepContext() {
	kept := map[string]string{}
	if t, ok := codec.Find(c.q.Type); ok {
		for k := range t.Context {
			if v, ok := c.context[k]; ok {
				kept[k] = v
			}
		}
	}
	maps.Copy(kept, c.q.Context)
	maps.Copy(c.context, c.q.Context)
	c.q.Context = kept
	c.ask()
}

// Wider answers a request to decode what vectors reject as limit or unsupported: with a
// tree that the vector states for others, otherwise with some value of the type.
func Wider(q adapter.Request) adapter.Response {
	vectors, _ := corpus.Of(q.Type)
	t, _ := codec.Find(q.Type)
	n, _ := tree.FromModel(codec.Deref(t.New()))
	for _, v := range vectors {
		if q.Hex == nil || hex.EncodeToString(v.Bytes) != *q.Hex || v.EncodeOnly() {
			continue
		}
		for _, e := range v.Expect {
			if e.Tree != "" {
				n, _ = tree.ParseVector(e.Tree)
			}
		}
		if v.Permitted != nil {
			n, _ = tree.ParseVector(v.Permitted[0].Tree)
		}
	}
	return adapter.Response{ID: q.ID, OK: &adapter.OK{Tree: &n}}
}

// ExceedsInput reports whether the reference rejects an input because of a length, size
// or count of at least some units that exceeds it.
func ExceedsInput(a adapter.Response, least uint64) bool {
	if a.Reject == nil {
		return false
	}
	found := exceeds.FindStringSubmatch(a.Reject.Message)
	if found == nil {
		return false
	}
	n, err := strconv.ParseUint(found[1], 10, 64)
	return err == nil && n >= least
}

var exceeds = regexp.MustCompile(` for a (?:length|size|count) of (\d+)(?:, found | \()`)

// incrementLast adds one to the last integer of a tree.
func incrementLast(n tree.Node) tree.Node {
	if n.Kind == tree.Text {
		if v, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
			n.Text = strconv.FormatInt(v+1, 10)
		}
	}
	if len(n.Items) > 0 {
		n.Items = slices.Clone(n.Items)
		n.Items[len(n.Items)-1] = incrementLast(n.Items[len(n.Items)-1])
	}
	return n
}

// resolveTexts omits the ids of texts and the tables of fast names.
func resolveTexts(n tree.Node) tree.Node {
	out := tree.Node{Kind: n.Kind, Text: n.Text}
	for i, item := range n.Items {
		if n.Kind == tree.Object {
			if n.Names[i] == "fastNames" || n.Names[i] == "id" && slices.Contains(n.Names, "text") {
				continue
			}
			out.Names = append(out.Names, n.Names[i])
		}
		out.Items = append(out.Items, resolveTexts(item))
	}
	return out
}
