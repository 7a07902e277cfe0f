// Package judgetest provides faulty adapters for tests. The tests show that the
// judge, the smoke test and the differential run find each fault.
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
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Env is the environment variable that turns a test binary into an adapter. Its
// value is the mode.
const Env = "FORMATGAUGE_FAULTY"

// TypesEnv is the environment variable with the types that an adapter lists, separated
// by commas; if it is empty, an adapter lists all types. Few types make a run short.
const TypesEnv = "FORMATGAUGE_TYPES"

// RunIfRequested runs the adapter and does not return, if [Env] is set.
// TestMain calls it first.
func RunIfRequested() {
	if mode, ok := os.LookupEnv(Env); ok {
		if err := Main(mode, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// Command returns the command that runs this test binary as an adapter.
func Command(mode string) []string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return []string{"/usr/bin/env", Env + "=" + mode, "GORACE=atexit_sleep_ms=0", self}
}

// A Plant is a change of the records and of the vectors that cite them.
type Plant func(records *spec.Records, vectors []*corpus.Vector) *spec.Records

// Basis gives a clause a basis. A choice has a reason, and leaves open what can be
// left open of any value.
func Basis(id ids.Clause, basis spec.Basis, reason string) Plant {
	return func(records *spec.Records, _ []*corpus.Vector) *spec.Records {
		return withClause(records, id, func(c *spec.Clause) { c.Basis, c.Reason, c.Open = basis, reason, openOf(basis) })
	}
}

func withClause(records *spec.Records, id ids.Clause, change func(*spec.Clause)) *spec.Records {
	old, ok := records.Clause(id)
	if !ok {
		panic("no clause " + string(id))
	}
	return records.With(spec.FamilyOf(old.Structure), func(f *spec.Family) {
		change(&f.Clauses[slices.IndexFunc(f.Clauses, func(c spec.Clause) bool { return c.ID == id })])
	})
}

// open are the bounds of a planted choice.
const open = spec.Rejection + ", " + spec.Stated + ", " + spec.OtherSide

func openOf(basis spec.Basis) spec.Open {
	if basis == spec.Choice {
		return open
	}
	return ""
}

// Opens makes a choice leave open what bounds say.
func Opens(id ids.Clause, bounds spec.Open) Plant {
	return func(records *spec.Records, _ []*corpus.Vector) *spec.Records {
		return withClause(records, id, func(c *spec.Clause) { c.Open = bounds })
	}
}

// Choice makes a clause a choice of this reference that alone decides each vector
// that cites it.
func Choice(id ids.Clause, reason string) Plant {
	return func(records *spec.Records, vectors []*corpus.Vector) *spec.Records {
		for _, v := range vectors {
			if slices.Contains(v.Clauses, id) {
				v.Decided = []corpus.Decider{{Clause: id}}
			}
		}
		return Basis(id, spec.Choice, reason)(records, vectors)
	}
}

// SideChoice makes a side of a flag a choice of this reference.
func SideChoice(id ids.Flag, side, reason string) Plant {
	return func(records *spec.Records, _ []*corpus.Vector) *spec.Records {
		return records.With(spec.FamilyOf(string(id)), func(f *spec.Family) {
			i := slices.IndexFunc(f.Flags, func(fl spec.Flag) bool { return fl.ID == id })
			k := slices.IndexFunc(f.Flags[i].Sides, func(s spec.Side) bool { return s.Name == side })
			s := &f.Flags[i].Sides[k]
			s.Basis, s.Reason, s.Open = spec.Choice, reason, open
		})
	}
}

// Planted returns copies of vectors with changes, which refer to the changed records.
func Planted(vectors []*corpus.Vector, plants ...Plant) []*corpus.Vector {
	out := corpus.Under(nil, vectors)
	return corpus.Under(Records(out, plants...), out)
}

// Records returns the records with changes. The changes of vectors are made in place.
func Records(vectors []*corpus.Vector, plants ...Plant) *spec.Records {
	records := spec.Embedded()
	for _, plant := range plants {
		records = plant(records, vectors)
	}
	return records
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

// Hostile is a text that changes a terminal, or the order of the text around it,
// if it is printed unchanged.
const Hostile = "\x1b[2J\x00\b\r10 passed, 0 failed: conformant\u009b1m\u202e\u2067\u200e\u061c\nconformant\n"

// profile is the profile that the adapters declare, unless it is part of the
// fault.
const profile = "observed"

// faultPeriod is the number of requests from one fault to the next, in modes with
// occasional faults.
const faultPeriod = 50

// isTrigger reports whether a request triggers the fault in modes with faults
// on some inputs: empty input of a type with many cases.
func isTrigger(q *adapter.Request) bool {
	return q.Op == adapter.OpDecode && q.Type == "upkg.CompactIndex" && q.Hex != nil && *q.Hex == ""
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

var exceeds = regexp.MustCompile(` for a (?:length|size|count) of (\d+), found `)

// faultyAdapter is the state of a running adapter.
type faultyAdapter struct {
	mode       string
	out        *bufio.Writer
	reference  *adapter.Reference
	requests   int // so far, without hello
	lastID     int64
	context    map[string]string // of the last request that had each parameter
	heldAnswer []byte
}

// Main answers requests with the faults of the mode until the input ends.
func Main(mode string, in io.Reader, out io.Writer) error {
	if !slices.Contains(Modes(), mode) {
		return fmt.Errorf("unknown mode %q; the modes are %v", mode, Modes())
	}
	p := &faultyAdapter{mode: mode, out: bufio.NewWriter(out), reference: adapter.NewReference()}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var q adapter.Request
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return err
		}
		p.handle(&q)
		if err := p.out.Flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}

// Adapter returns an adapter of this process. It has the faults of a mode in its
// hello and in its answers, and crashes as crashes-on does. All other faults need a
// process.
func Adapter(mode string) adapter.Implementation {
	return &inProcess{faultyAdapter{mode: mode, reference: adapter.NewReference()}}
}

type inProcess struct{ faultyAdapter }

func (p *inProcess) Hello(context.Context) (adapter.Hello, error) { return p.declares(), nil }
func (p *inProcess) Close() error                                 { return nil }

func (p *inProcess) Do(ctx context.Context, q adapter.Request) (adapter.Response, error) {
	if p.mode == "crashes-on" && isTrigger(&q) {
		return adapter.Response{}, &adapter.Broken{Kind: adapter.Crash, Detail: "the process ended"}
	}
	a, err := p.reference.Do(ctx, q)
	return p.answer(&q, a), err
}

// Modes lists all modes.
func Modes() []string {
	return []string{
		// correct, with unusual behaviour
		"right", "right-on-stderr", "right-with-spaces", "right-but-slow-to-start", "right-by-structure", "right-and-more",
		// correct in the view that it declares: it resolves ids of texts
		"right-in-a-view",
		// correct, but without limits: accepts all that is rejected as limit or
		// unsupported, as some value of the type
		"wider",
		// incorrect answers
		"accepts", "rejects", "unsupported", "schema", "off-by-one", "forgets-flag", "undeclared-flag", "wrong-class", "wrong-offset",
		"wrong-consumed", "wrong-bytes", "errors", "errors-below-64", "errors-on-files", "skips",
		// correct, and says in hello that it does not have a type
		"declares-skips",
		// correct, but skips the cases of one type, which it lists
		"skips-some",
		// control characters in all texts
		"control-characters",
		// lenient readers, which only derived cases detect
		"ignores-trailing", "pads", "ignores-order", "clamps-counts", "narrow-counts",
		// state that lasts from one request to the next
		"keeps-context",
		// faults of the process
		"crashes-nth", "crashes-on", "crashes-always", "ends-early", "hangs-on", "hangs-always", "hangs-nth", "hangs-on-lengths",
		"leaves-a-child", "allocates-memory",
		"closes-input",
		// faults of the protocol
		"garbage", "garbage-on", "extra-lines", "disorder", "leaks-ids", "two-parts", "no-part", "unknown-class",
		"unknown-field",
		"numbers", "no-newline", "answers-twice", "answers-early", "hello-garbage", "hello-version", "hello-silent",
		"hello-dies", "hello-no-types", "hello-view",
		"hello-changes",
	}
}

func (p *faultyAdapter) write(id int64, a adapter.Response) {
	a.ID = id
	b, err := json.Marshal(a)
	if err != nil {
		panic(err)
	}
	p.out.Write(append(b, '\n'))
}

func (p *faultyAdapter) handle(q *adapter.Request) {
	if q.Op == adapter.OpHello {
		p.hello(q)
		return
	}
	p.requests++
	a, _ := p.reference.Do(context.Background(), *q) // the reference never returns an error
	p.processFault(q, a)
	if !p.protocolFault(q, a) {
		p.write(q.ID, p.answer(q, a))
	}
}

// declares returns the answer to hello of the modes that answer it.
func (p *faultyAdapter) declares() adapter.Hello {
	h, _ := p.reference.Hello(context.Background())
	h.Name, h.AnyProfile, h.Profile = "wrong-"+p.mode, false, profile
	if types := os.Getenv(TypesEnv); types != "" {
		h.Types = strings.Split(types, ",")
	}
	switch p.mode {
	case "right-by-structure":
		for i, t := range h.Types {
			h.Types[i] = spec.StructureOf(t)
		}
		h.Types = slices.Compact(slices.Sorted(slices.Values(h.Types)))
	case "right-and-more":
		h.Types = append(h.Types, "ubi.Arrays", "ubi.Array<Vector9>")
	case "control-characters":
		h.Name, h.Version, h.Language = h.Name+Hostile, Hostile, Hostile
		h.Skips = []adapter.Skip{{Type: "ubi.Box", Reason: Hostile}}
	case "right-in-a-view":
		h.Views, h.Operations = []string{"ka.texts"}, []adapter.Op{adapter.OpDecode}
	case "hello-view":
		h.Views = []string{"ka.maps"}
	case "forgets-flag":
		h.Profile = "observed,upkg.ci-minus-zero=strict"
	case "declares-skips":
		h.Skips = []adapter.Skip{{Type: "ubi.Box", Reason: "not yet"}}
	case "hello-changes":
		h.Version = strconv.Itoa(os.Getpid())
	case "hello-version":
		h.Protocol = "0.9"
	case "hello-no-types":
		h.Types = nil
	case "disorder":
		h.Operations = []adapter.Op{adapter.OpDecode}
	}
	return h
}

func (p *faultyAdapter) hello(q *adapter.Request) {
	h := p.declares()
	switch p.mode {
	case "right-but-slow-to-start":
		time.Sleep(300 * time.Millisecond)
	case "control-characters":
		fmt.Fprint(os.Stderr, Hostile+"\x9b1m\n")
	case "hello-garbage":
		fmt.Fprintln(p.out, "Hello! I am an adapter.")
		return
	case "hello-silent":
		return
	case "hello-dies":
		fmt.Fprintln(os.Stderr, "cannot find my shared library")
		os.Exit(127)
	case "answers-early":
		p.write(q.ID, adapter.Response{Hello: &h})
		for i := range int64(4) {
			p.write(q.ID+1+i, adapter.Response{Reject: &adapter.Reject{Class: "value"}})
		}
		return
	}
	p.write(q.ID, adapter.Response{Hello: &h})
}

// processFault makes the process fail, if the mode says so.
func (p *faultyAdapter) processFault(q *adapter.Request, a adapter.Response) {
	nth := p.requests%faultPeriod == 0
	switch {
	case p.mode == "right-on-stderr":
		fmt.Fprintln(os.Stderr, strings.Repeat("all is well ", 50))
	case p.mode == "crashes-nth" && nth, p.mode == "crashes-on" && isTrigger(q), p.mode == "crashes-always",
		p.mode == "hello-changes" && isTrigger(q):
		fmt.Fprintln(os.Stderr, "segmentation fault")
		os.Exit(3)
	case p.mode == "ends-early" && isTrigger(q):
		os.Exit(0)
	case p.mode == "hangs-nth" && nth, p.mode == "hangs-on" && isTrigger(q), p.mode == "hangs-always",
		p.mode == "hangs-on-lengths" && ExceedsInput(a, 0):
		time.Sleep(time.Minute)
	case p.mode == "closes-input" && isTrigger(q):
		os.Stdin.Close()
		signal.Ignore(os.Interrupt)
		time.Sleep(time.Minute)
	case p.mode == "leaves-a-child" && isTrigger(q):
		c := exec.Command("sleep", "60")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if c.Start() == nil {
			os.Exit(4)
		}
	case p.mode == "allocates-memory" && isTrigger(q):
		var kept [][]byte
		for range 64 {
			kept = append(kept, make([]byte, 64<<20))
		}
		fmt.Fprintln(os.Stderr, len(kept))
	}
}

// protocolFault writes an answer that violates the protocol. It reports whether
// no other answer must follow.
func (p *faultyAdapter) protocolFault(q *adapter.Request, a adapter.Response) bool {
	last := p.lastID
	p.lastID = q.ID
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
	case "extra-lines":
		if p.requests%faultPeriod == 0 {
			fmt.Fprintln(p.out, "DEBUG: still here")
		}
	case "disorder":
		if p.heldAnswer == nil {
			p.heldAnswer, _ = json.Marshal(a)
			return true
		}
		p.write(q.ID, a)
		p.out.Write(append(p.heldAnswer, '\n'))
		p.heldAnswer = nil
		return true
	case "leaks-ids":
		if p.requests%faultPeriod == 0 {
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
		if p.requests%faultPeriod == 0 {
			p.write(q.ID, a)
		}
	}
	return false
}

// answer returns an answer that is valid in form and incorrect in content.
func (p *faultyAdapter) answer(q *adapter.Request, a adapter.Response) adapter.Response {
	if p.mode == "right-in-a-view" && a.OK != nil && a.OK.Tree != nil {
		n := resolveTexts(*a.OK.Tree)
		a.OK.Tree = &n
	}
	switch p.mode {
	case "accepts", "schema":
		// Values with the correct fields and without content, as the models alone
		// give them. Input bytes are returned unchanged.
		n := tree.Node{}
		if t, ok := codec.Find(q.Type); ok && p.mode == "schema" {
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
	case "control-characters":
		switch {
		case q.Type == "ubi.Vector2":
			return adapter.Response{Skip: &adapter.Skip{Reason: Hostile}}
		case q.Type == "ubi.Vector3": // not a message of the protocol
			return adapter.Response{Reject: &adapter.Reject{Class: Hostile}}
		case q.Op != adapter.OpDecode:
			return adapter.Response{Error: &adapter.Fault{Message: Hostile}}
		case a.OK != nil:
			text := tree.Node{Kind: tree.Text, Text: Hostile}
			return adapter.Response{OK: &adapter.OK{Tree: &tree.Node{
				Kind: tree.Object, Names: []string{Hostile},
				Items: []tree.Node{text},
			}}}
		default:
			return adapter.Response{Reject: &adapter.Reject{Class: "value", Path: Hostile, Message: Hostile}}
		}
	case "rejects":
		return adapter.Response{Reject: &adapter.Reject{Class: "value"}}
	case "errors":
		return adapter.Response{Error: &adapter.Fault{Message: "not implemented"}}
	case "errors-below-64", "errors-on-files":
		if q.File != "" && (p.mode == "errors-on-files" || q.Context["version"] == "60") {
			return adapter.Response{Error: &adapter.Fault{Message: "no space"}}
		}
	case "skips-some":
		if q.Type == "upkg.CompactIndex" {
			return adapter.Response{Skip: &adapter.Skip{Reason: "not yet"}}
		}
	case "skips":
		return adapter.Response{Skip: &adapter.Skip{Reason: "not yet"}}
	case "undeclared-flag", "forgets-flag":
		q.Profile = profile
		if p.mode == "undeclared-flag" {
			q.Profile = "observed,upkg.ci-minus-zero=strict"
		}
		a, _ = p.reference.Do(context.Background(), *q)
	case "ignores-trailing":
		if q.Op == adapter.OpDecode && a.Reject != nil && a.Reject.Class == "trailing" && q.Hex != nil {
			a = p.askAgain(q, (*q.Hex)[:2**a.Reject.Offset])
		}
	case "pads":
		for n := 1; n < 64 && q.Op == adapter.OpDecode && a.Reject != nil && a.Reject.Class == "truncated" &&
			q.Hex != nil; n++ {
			a = p.askAgain(q, *q.Hex+strings.Repeat("00", n))
		}
	case "wider":
		if a.Reject != nil && q.Op == adapter.OpDecode && (a.Reject.Class == "limit" || a.Reject.Class == "unsupported") {
			a = Wider(*q)
		}
	case "keeps-context":
		kept := map[string]string{}
		if t, ok := codec.Find(q.Type); ok {
			for k := range t.Context {
				if v, ok := p.context[k]; ok {
					kept[k] = v
				}
			}
		}
		maps.Copy(kept, q.Context)
		if p.context == nil {
			p.context = map[string]string{}
		}
		maps.Copy(p.context, q.Context)
		q.Context = kept
		a, _ = p.reference.Do(context.Background(), *q)
	case "ignores-order":
		delete(q.Context, "order")
		a, _ = p.reference.Do(context.Background(), *q)
	case "clamps-counts":
		// The first number is the count. Missing elements are omitted.
		for n := 64; n >= 0 && q.Op == adapter.OpDecode && a.Reject != nil && a.Reject.Class == "truncated" &&
			q.Hex != nil && len(*q.Hex) >= 8; n-- {
			a = p.askAgain(q, fmt.Sprintf("%02x000000", n)+(*q.Hex)[8:])
		}
	case "narrow-counts":
		// The low byte of the first number is the count. Its other bytes are
		// ignored.
		if q.Op == adapter.OpDecode && a.Reject != nil && a.Reject.Class == "truncated" && q.Hex != nil && len(*q.Hex) >= 8 {
			a = p.askAgain(q, (*q.Hex)[:2]+"000000"+(*q.Hex)[8:])
		}
	case "off-by-one":
		if a.OK != nil && a.OK.Tree != nil {
			n := incrementLast(*a.OK.Tree)
			a.OK.Tree = &n
		}
	case "wrong-class":
		if a.Reject != nil && a.Reject.Class == "truncated" {
			a.Reject.Class = "value"
		}
	case "unsupported":
		if a.Reject != nil && a.Reject.Class == "truncated" {
			a.Reject.Class = "unsupported"
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

// askAgain returns the answer of the reference to other bytes.
func (p *faultyAdapter) askAgain(q *adapter.Request, hex string) adapter.Response {
	other := *q
	other.Hex = &hex
	a, _ := p.reference.Do(context.Background(), other)
	return a
}

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
