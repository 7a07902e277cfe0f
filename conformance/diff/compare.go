package diff

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
)

// An outcome is the result of one input.
type outcome struct {
	in       Input
	diff     *difference // nil if the answers do not differ
	accepted bool        // by both
	skipped  bool
	stopped  string // why no request was made; empty if it was made

	key       string // of its group
	behaviour behaviour
}

// sameAs reports whether two outcomes have the same kind and the same input.
func (o *outcome) sameAs(p *outcome) bool {
	return o.in.Type == p.in.Type && o.diff.kind == p.diff.kind && o.in.key() == p.in.key()
}

// A difference is a difference between two answers.
type difference struct {
	kind       Kind
	op         adapter.Op
	letter     string // A or B: which one has the fault, or accepts if the kind is Verdict
	shape      string // distinguishes it from others of the kind; without numbers
	detail     string // description
	path       string // of the first difference of trees
	span       string // the same path as in spans
	byteOffset int    // of the first difference of encoded bytes; -1 if there is none
	a, b       reply
}

// signature is what must stay the same when an input is shrunk.
func (d *difference) signature() string {
	return string(d.kind) + " " + string(d.op) + " " + d.letter + " " + d.shape
}

// A reply is an answer, or the reason why there is none.
type reply struct {
	adapter.Response
	broken *adapter.Broken
	asked  bool
}

// ask makes the requests for inputs to both implementations, and compares the
// answers.
func (r *run) ask(ctx context.Context, ins []Input) []*outcome {
	out := make([]*outcome, len(ins))
	trees := make([]*tree.Node, len(ins)) // to be encoded
	var at []int
	var qs []adapter.Request
	for i, in := range ins {
		out[i] = &outcome{in: in}
		at, qs = append(at, i), append(qs, r.request(in.op(), in))
	}
	replies := r.askBoth(ctx, qs)
	for k, i := range at {
		switch a, b := replies[0][k], replies[1][k]; {
		case out[i].checkAsked(&a, &b):
		case ins[i].Tree != nil:
			r.opts.compareEncoded(out[i], a, b)
		default:
			trees[i] = r.opts.compareDecoded(out[i], a, b)
		}
	}
	for _, op := range []adapter.Op{adapter.OpRoundtrip, adapter.OpEncode} {
		if !slices.Contains(r.sides[0].ops, op) || !slices.Contains(r.sides[1].ops, op) {
			continue
		}
		at, qs = at[:0], qs[:0]
		for i, o := range out {
			if trees[i] == nil || o.diff != nil {
				continue
			}
			q := r.request(op, o.in)
			if op == adapter.OpEncode {
				q.Hex, q.Tree = nil, trees[i]
			}
			at, qs = append(at, i), append(qs, q)
		}
		replies := r.askBoth(ctx, qs)
		for k, i := range at {
			if a, b := replies[0][k], replies[1][k]; a.asked && b.asked && !a.notAsked() && !b.notAsked() {
				out[i].diff = r.opts.compareWritten(op, a, b)
			}
		}
	}
	return slices.DeleteFunc(out, func(o *outcome) bool { return o.stopped == contextEnded })
}

// op returns the first operation of an input.
func (in *Input) op() adapter.Op {
	if in.Tree != nil {
		return adapter.OpEncode
	}
	return adapter.OpDecode
}

func (r *run) request(op adapter.Op, in Input) adapter.Request {
	q := adapter.Request{
		Op: op, Type: in.Type.Name, Profile: r.report.Profile.String(), Context: in.Context, Tree: in.Tree,
	}
	if in.Tree == nil {
		text := hex.EncodeToString(in.Bytes)
		q.Hex = &text
	}
	return q
}

// askBoth sends requests to both implementations in parallel.
func (r *run) askBoth(ctx context.Context, qs []adapter.Request) [2][]reply {
	var out [2][]reply
	var wg sync.WaitGroup
	for s := range r.sides {
		out[s] = make([]reply, len(qs))
		wg.Go(func() {
			adapter.DoAll(ctx, r.sides[s].impl, qs, func(i int, a adapter.Response, err error) {
				out[s][i] = replyOf(a, err)
			})
		})
	}
	wg.Wait()
	return out
}

func replyOf(a adapter.Response, err error) reply {
	p := reply{Response: a, asked: true}
	if err != nil && !errors.As(err, &p.broken) {
		p.broken = &adapter.Broken{Kind: adapter.Protocol, Detail: err.Error()}
	}
	return p
}

// notAsked reports whether the implementation had been given up.
func (p *reply) notAsked() bool { return p.broken != nil && p.broken.NotAsked }

// contextEnded is the reason if the context has ended.
const contextEnded = "interrupted"

// checkAsked reports whether one of the requests was not made, and sets the
// reason.
func (o *outcome) checkAsked(a, b *reply) bool {
	switch {
	case !a.asked || !b.asked:
		o.stopped = contextEnded
	case a.notAsked():
		o.stopped = "A: " + a.broken.Detail
	case b.notAsked():
		o.stopped = "B: " + b.broken.Detail
	}
	return o.stopped != ""
}

// compareDecoded compares two answers to decode. It returns the tree if both
// are equal.
func (opts *Options) compareDecoded(o *outcome, a, b reply) *tree.Node {
	if opts.view != nil && (a.Reject != nil && b.OK != nil || a.OK != nil && b.Reject != nil) && opts.isOpen(o.in) {
		o.skipped = true
		return nil
	}
	if d, skipped, done := opts.compareFailed(adapter.OpDecode, a, b); done {
		o.diff, o.skipped = d, skipped
		return nil
	}
	d, n := opts.compareRead(o.in.Type, len(o.in.Bytes), a, b)
	o.diff, o.accepted = d, true
	return n
}

// compareEncoded compares two answers to encode for an input that is a value.
func (opts *Options) compareEncoded(o *outcome, a, b reply) {
	if opts.view != nil && o.in.Tree != nil {
		if _, whole, err := opts.view.Project(o.in.Type, *o.in.Tree); err == nil && !whole {
			o.diff, _ = compareNoAnswer(adapter.OpEncode, a, b)
			o.skipped = o.diff == nil
			return
		}
	}
	d, skipped, done := opts.compareFailed(adapter.OpEncode, a, b)
	if !done {
		d = opts.compareWritten(adapter.OpEncode, a, b)
	}
	o.diff, o.skipped, o.accepted = d, skipped, !done
}

// compareFailed compares two answers unless both accept the input. done reports
// whether one does not.
func (opts *Options) compareFailed(op adapter.Op, a, b reply) (d *difference, skipped, done bool) {
	if d, skipped = compareNoAnswer(op, a, b); d != nil || skipped {
		return d, skipped, true
	}
	if a.Reject == nil && b.Reject == nil {
		return nil, false, false
	}
	d, skipped = opts.compareRejected(op, a, b)
	return d, skipped, true
}

// letters names the implementations of which something is true.
func letters(a, b bool) string {
	return map[[2]bool]string{{true, true}: "A and B", {true, false}: "A", {false, true}: "B"}[[2]bool{a, b}]
}

// compareNoAnswer returns a difference if an answer is missing, is error or
// lacks a field. It reports whether one implementation skips the request.
func compareNoAnswer(op adapter.Op, a, b reply) (d *difference, skipped bool) {
	d = &difference{op: op, byteOffset: -1, a: a, b: b}
	setLetter := func(isFault func(*reply) bool) bool {
		d.letter = letters(isFault(&a), isFault(&b))
		return d.letter != ""
	}
	first := func() *reply {
		if strings.HasPrefix(d.letter, "A") {
			return &a
		}
		return &b
	}
	switch {
	case setLetter(func(p *reply) bool { return p.broken != nil }):
		broken := first().broken
		d.kind, d.detail = Kind(broken.Kind), broken.Detail
		if said := strings.Index(d.detail, stderrPrefix); said >= 0 && d.kind == Crash {
			d.shape = withoutNumbers(d.detail[said:])
		}
		if broken.Alone != nil {
			d.kind = Flaky
			d.detail = string(broken.Kind) + ", answered when asked alone: " + broken.Detail
		}
		return d, false
	case a.Skip != nil || b.Skip != nil:
		return nil, true
	case a.Error != nil && b.Error != nil:
		return nil, true
	case setLetter(func(p *reply) bool { return p.Error != nil }):
		d.kind, d.detail = Errored, first().Error.Message
		d.shape = withoutNumbers(d.detail)
		return d, false
	case setLetter(func(p *reply) bool { return p.incomplete(op) }):
		d.kind, d.detail = Errored, "the answer lacks a required field"
		return d, false
	}
	return nil, false
}

func (p *reply) incomplete(op adapter.Op) bool {
	return p.Reject == nil && (p.OK == nil ||
		op == adapter.OpDecode && p.OK.Tree == nil || op != adapter.OpDecode && p.OK.Hex == nil)
}

// stderrPrefix precedes the standard error of the process in the detail of a
// crash.
const stderrPrefix = "stderr: "

var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+|'[^']*'|"[^"]*"`)

// withoutNumbers makes messages equal that differ only in numbers and quoted
// text.
func withoutNumbers(s string) string { return numbers.ReplaceAllString(s, "#") }

// readerClasses are classes of rejection that depend on the reader, not on the
// input.
var readerClasses = []string{"limit", "unsupported"}

// compareRejected compares two answers, at least one of which is a rejection.
func (opts *Options) compareRejected(op adapter.Op, a, b reply) (d *difference, skipped bool) {
	d = &difference{op: op, byteOffset: -1, a: a, b: b}
	limited := false
	for _, p := range []*reply{&a, &b} {
		limited = limited || p.Reject != nil && slices.Contains(readerClasses, p.Reject.Class)
	}
	switch {
	case a.Reject != nil && b.Reject != nil:
		if !opts.Classes || limited || a.Reject.Class == b.Reject.Class {
			return nil, false
		}
		d.kind, d.shape = Class, a.Reject.Class+"/"+b.Reject.Class
		d.detail = fmt.Sprintf("A rejects it as %s, B rejects it as %s", a.Reject.Class, b.Reject.Class)
	case limited:
		return nil, true
	case a.Reject != nil:
		d.kind, d.letter, d.shape = Verdict, "B", a.Reject.Class
		d.detail = fmt.Sprintf("A rejects it as %s, B accepts it", a.Reject.Class)
	default:
		d.kind, d.letter, d.shape = Verdict, "A", b.Reject.Class
		d.detail = fmt.Sprintf("A accepts it, B rejects it as %s", b.Reject.Class)
	}
	if op != adapter.OpDecode && d.kind == Verdict {
		d.kind = Written
		rejects := letters(a.Reject != nil, b.Reject != nil)
		d.detail = fmt.Sprintf("%s encodes the value, %s rejects it as %s", d.letter, rejects, d.shape)
	}
	return d, false
}

// compareRead compares two decoded values. It returns the tree if both are equal
// and the views keep all of it.
func (opts *Options) compareRead(t *codec.Type, size int, a, b reply) (*difference, *tree.Node) {
	d := &difference{kind: Tree, op: adapter.OpDecode, byteOffset: -1, a: a, b: b}
	na, whole, errA := opts.view.Project(t, *a.OK.Tree)
	nb, errB := na, errA
	if !tree.Equal(*a.OK.Tree, *b.OK.Tree) { // to normalise a tree takes longer than to compare it
		nb, _, errB = opts.view.Project(t, *b.OK.Tree)
	}
	if errA != nil || errB != nil {
		d.letter = letters(errA != nil, errB != nil)
		d.detail = fmt.Sprintf("the tree of %s does not match the model: %v", d.letter, errors.Join(errA, errB))
		d.shape = withoutNumbers(d.detail)
		return d, nil
	}
	want := na
	if t.Operation() {
		want = anyNaN(na) // the bits of a computed NaN are not specified
	}
	if parts := tree.Compare(want, nb); parts != nil {
		d.path, d.span, d.shape = parts.Path, spanPath(na, parts.Path), lastStep(parts.Path)
		where := parts.Path
		if where == "" {
			where = "the value"
		}
		d.detail = fmt.Sprintf("%s: A has %s, B has %s", where, parts.Want, parts.Got)
		return d, nil
	}
	partial := func(p *reply) bool { return p.OK.Consumed != nil && *p.OK.Consumed != size }
	if x, y := partial(&a), partial(&b); x != y {
		d.kind, d.letter = Consumed, letters(x, y)
		p := map[bool]*reply{true: &a, false: &b}[x]
		d.detail = fmt.Sprintf("%s consumes %d of %d bytes", d.letter, *p.OK.Consumed, size)
		return d, nil
	}
	if !whole {
		return nil, nil
	}
	return nil, &na
}

// anyNaN returns the tree with each NaN replaced by nan, which matches any NaN.
func anyNaN(n tree.Node) tree.Node {
	if n.Kind == tree.Text && strings.HasPrefix(n.Text, "nan:") {
		n.Text = "nan"
	}
	n.Items = slices.Clone(n.Items)
	for i := range n.Items {
		n.Items[i] = anyNaN(n.Items[i])
	}
	return n
}

// compareWritten compares two answers to roundtrip or encode.
func (opts *Options) compareWritten(op adapter.Op, a, b reply) *difference {
	if d, _, done := opts.compareFailed(op, a, b); done {
		return d
	}
	if *a.OK.Hex == *b.OK.Hex {
		return nil
	}
	x, errA := hex.DecodeString(*a.OK.Hex)
	y, errB := hex.DecodeString(*b.OK.Hex)
	d := &difference{kind: Written, op: op, byteOffset: 0, a: a, b: b}
	if errA != nil || errB != nil {
		d.kind, d.letter, d.detail = Errored, letters(errA != nil, errB != nil), errors.Join(errA, errB).Error()
		return d
	}
	for d.byteOffset < min(len(x), len(y)) && x[d.byteOffset] == y[d.byteOffset] {
		d.byteOffset++
	}
	if d.byteOffset == len(x) && d.byteOffset == len(y) {
		return nil // the same bytes in other letters
	}
	byteAt := func(b []byte) string {
		if d.byteOffset < len(b) {
			return fmt.Sprintf("%02x", b[d.byteOffset])
		}
		return "missing"
	}
	d.detail = fmt.Sprintf("A writes %d bytes, B writes %d; byte %d: A has %s, B has %s",
		len(x), len(y), d.byteOffset, byteAt(x), byteAt(y))
	return d
}
