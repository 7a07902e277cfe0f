package diff

import (
	"bytes"
	"cmp"
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
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/spec"
)

// An outcome is the result of one input.
type outcome struct {
	in       Input
	diff     *difference // nil if the answers do not differ
	accepted bool        // by both
	skipped  bool
	// acceptable: a choice leaves the difference open.
	acceptable bool
	stopped    string // why no request was made; empty if it was made

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
	trees := map[*outcome]*tree.Node{} // to be encoded
	var qs []adapter.Request
	for i, in := range ins {
		out[i], qs = &outcome{in: in}, append(qs, r.request(in.op(), in))
	}
	r.askBoth(ctx, qs, func(i int, a, b reply) {
		if o := out[i]; !o.checkAsked(&a, &b) {
			trees[o] = r.compare(o, o.in.op(), a, b, r.opts.Classes)
			r.excuse(o)
		}
	})
	for _, op := range []adapter.Op{adapter.OpRoundtrip, adapter.OpEncode} {
		if !r.bothSupport(op) {
			continue
		}
		var again []*outcome
		qs = nil
		for _, o := range out {
			if trees[o] == nil || o.diff != nil {
				continue
			}
			q := r.request(op, o.in)
			if op == adapter.OpEncode {
				q.Hex, q.Tree = nil, trees[o]
			}
			again, qs = append(again, o), append(qs, q)
		}
		r.askBoth(ctx, qs, func(i int, a, b reply) {
			if written := (outcome{in: again[i].in}); !written.checkAsked(&a, &b) {
				r.compare(&written, op, a, b, r.opts.Classes)
				again[i].diff = written.diff
			}
		})
	}
	return slices.DeleteFunc(out, func(o *outcome) bool { return o.stopped == contextEnded })
}

// excuse removes a difference that a choice leaves open: whether an input is accepted that
// only this choice rejects, or a part of a value.
func (r *run) excuse(o *outcome) {
	d := o.diff
	if d == nil || d.op != adapter.OpDecode {
		return
	}
	switch d.kind {
	case Verdict:
		if a := r.askReference(d.op, o.in, r.report.Profile); a.Reject != nil {
			c, ok := spec.FindChoice(a.Reject.Clause)
			o.acceptable = ok && c.Open.LeavesAcceptance()
		}
	case Tree:
		o.acceptable = d.path != "" && schema.LeftOpen(o.in.Type.Family(), *d.a.OK.Tree, *d.b.OK.Tree)
	}
	if o.acceptable {
		o.diff = nil
	}
}

// op returns the first operation of an input.
func (in *Input) op() adapter.Op {
	if in.Tree != nil {
		return adapter.OpEncode
	}
	return adapter.OpDecode
}

// treePerByte bounds how much longer the tree of an input is than the input. An import of
// an old package has 4 bytes, and 124 in the tree.
const treePerByte = 32

func (r *run) request(op adapter.Op, in Input) adapter.Request {
	q := adapter.Request{
		Op: op, Type: in.Type.Name, Profile: r.report.Profile.String(), Context: in.Context, Tree: in.Tree,
	}
	if in.Tree == nil {
		text := hex.EncodeToString(in.Bytes)
		q.Hex = &text
		q.Expected = treePerByte * len(in.Bytes)
	}
	return q
}

// askBoth sends requests to both implementations in parallel. Then it calls use with
// the answers to each.
func (r *run) askBoth(ctx context.Context, qs []adapter.Request, use func(i int, a, b reply)) {
	var out [2][]reply
	var wg sync.WaitGroup
	for s, impl := range r.impls {
		out[s] = make([]reply, len(qs))
		wg.Go(func() {
			adapter.DoAll(ctx, impl, qs, func(i int, a adapter.Response, err error) {
				out[s][i] = replyOf(a, err)
			})
		})
	}
	wg.Wait()
	for i := range qs {
		use(i, out[0][i], out[1][i])
	}
}

func replyOf(a adapter.Response, err error) reply {
	p := reply{Response: a, asked: true}
	if err != nil && !errors.As(err, &p.broken) {
		p.broken = &adapter.Broken{Kind: adapter.Protocol, Detail: err.Error()}
	}
	return p
}

// contextEnded is the reason if the context has ended.
const contextEnded = "interrupted"

// checkAsked reports whether one of the requests was not made, and sets the
// reason.
func (o *outcome) checkAsked(a, b *reply) bool {
	switch notAsked := func(p *reply) bool { return p.broken != nil && p.broken.NotAsked }; {
	case !a.asked || !b.asked:
		o.stopped = contextEnded
	case notAsked(a):
		o.stopped = "A: " + a.broken.Detail
	case notAsked(b):
		o.stopped = "B: " + b.broken.Detail
	}
	return o.stopped != ""
}

// compare compares two answers to a request. It returns the tree if both decode the
// input to the same value, and the views keep all of it. Different classes of rejection are
// a difference if classes is true.
func (r *run) compare(o *outcome, op adapter.Op, a, b reply, classes bool) (n *tree.Node) {
	d := &difference{op: op, byteOffset: -1, a: a, b: b}
	switch {
	case d.broken():
	case a.Skip != nil, b.Skip != nil, a.Error != nil && b.Error != nil:
		o.skipped = true
	case d.failed():
	case r.loses(&o.in, d):
		o.skipped = true
	case a.Reject != nil || b.Reject != nil:
		o.skipped = d.compareRejected(classes)
	case op == adapter.OpDecode:
		o.accepted = true
		n = d.compareRead(r.view, o.in.Type, len(o.in.Bytes))
	default:
		o.accepted = true
		d.compareWritten()
	}
	if d.kind != "" {
		o.diff = d
	}
	return n
}

// loses reports whether the answers may differ in a part that the views lose.
func (r *run) loses(in *Input, d *difference) bool {
	switch {
	case r.view == nil:
		return false
	case d.op == adapter.OpDecode && (d.a.Reject == nil) != (d.b.Reject == nil):
		a := r.askReference(d.op, *in, r.report.Profile)
		return a.Reject != nil && r.view.Loses(in.Type, a.Reject.Path) != ""
	case d.op == adapter.OpDecode, in.Tree == nil:
		return false
	}
	_, whole, err := r.view.Project(in.Type, *in.Tree)
	return err == nil && !whole
}

// letters names the implementations of which something is true.
func letters(a, b bool) string {
	return map[[2]bool]string{{true, true}: "A and B", {true, false}: "A", {false, true}: "B"}[[2]bool{a, b}]
}

// blame sets the letter by the answers that have a fault. It returns the first of
// them; nil if there is none.
func (d *difference) blame(isFault func(*reply) bool) *reply {
	a, b := isFault(&d.a), isFault(&d.b)
	switch d.letter = letters(a, b); {
	case a:
		return &d.a
	case b:
		return &d.b
	}
	return nil
}

// broken reports whether an answer is missing.
func (d *difference) broken() bool {
	p := d.blame(func(p *reply) bool { return p.broken != nil })
	if p == nil {
		return false
	}
	d.kind, d.detail = Kind(p.broken.Kind), p.broken.Detail
	if said := strings.Index(d.detail, stderrPrefix); said >= 0 && d.kind == Crash {
		d.shape = withoutNumbers(d.detail[said:])
	}
	if p.broken.Alone != nil {
		d.kind, d.detail = Flaky, string(d.kind)+", answered when asked alone: "+d.detail
	}
	return true
}

// failed reports whether an answer is error or lacks a field.
func (d *difference) failed() bool {
	if p := d.blame(func(p *reply) bool { return p.Error != nil }); p != nil {
		d.kind, d.detail, d.shape = Errored, p.Error.Message, withoutNumbers(p.Error.Message)
	} else if d.blame(func(p *reply) bool { return p.incomplete(d.op) }) != nil {
		d.kind, d.detail = Errored, "the answer lacks a required field"
	}
	return d.kind != ""
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

// compareRejected compares two answers, at least one of which is a rejection. It
// reports whether a limit of one reader decides.
func (d *difference) compareRejected(classes bool) (limited bool) {
	a, b := d.a.Reject, d.b.Reject
	for _, r := range []*adapter.Reject{a, b} {
		limited = limited || r != nil && slices.Contains(readerClasses, r.Class)
	}
	switch {
	case a != nil && b != nil:
		if classes && !limited && a.Class != b.Class {
			d.kind, d.shape = Class, a.Class+"/"+b.Class
			d.detail = fmt.Sprintf("A rejects it as %s, B rejects it as %s", a.Class, b.Class)
		}
		return false
	case limited:
		return true
	case a != nil:
		d.kind, d.letter, d.shape = Verdict, "B", a.Class
		d.detail = fmt.Sprintf("A rejects it as %s, B accepts it", a.Class)
	default:
		d.kind, d.letter, d.shape = Verdict, "A", b.Class
		d.detail = fmt.Sprintf("A accepts it, B rejects it as %s", b.Class)
	}
	if d.op != adapter.OpDecode {
		d.kind = Written
		d.detail = fmt.Sprintf("%s encodes the value, %s rejects it as %s", d.letter, letters(a != nil, b != nil), d.shape)
	}
	return false
}

// compareRead compares two decoded values. It returns the tree if both are equal
// and the views keep all of it.
func (d *difference) compareRead(view *schema.View, t *codec.Type, size int) *tree.Node {
	a, b := d.a.OK, d.b.OK
	na, whole, errA := view.Project(t, *a.Tree)
	nb, errB := na, errA
	if !tree.Equal(*a.Tree, *b.Tree) { // to normalise a tree takes longer than to compare it
		nb, _, errB = view.Project(t, *b.Tree)
	}
	if errA != nil || errB != nil {
		d.kind, d.letter = Tree, letters(errA != nil, errB != nil)
		d.detail = fmt.Sprintf("the tree of %s does not match the model: %v", d.letter, errors.Join(errA, errB))
		d.shape = withoutNumbers(d.detail)
		return nil
	}
	want := na
	if t.Operation() {
		want = anyNaN(na) // the bits of a computed NaN are not specified
	}
	if parts := tree.Compare(want, nb); parts != nil {
		d.kind, d.path, d.span, d.shape = Tree, parts.Path, spanPath(na, parts.Path), tree.LastName(parts.Path)
		d.detail = fmt.Sprintf("%s: A has %s, B has %s", cmp.Or(parts.Path, "the value"), parts.Want, parts.Got)
		return nil
	}
	p := d.blame(func(p *reply) bool { return p.OK.Consumed != nil && *p.OK.Consumed != size })
	if p != nil && d.letter != letters(true, true) {
		d.kind = Consumed
		d.detail = fmt.Sprintf("%s consumes %d of %d bytes", d.letter, *p.OK.Consumed, size)
		return nil
	}
	if !whole {
		return nil
	}
	return &na
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

// compareWritten compares two encodings of a value.
func (d *difference) compareWritten() {
	x, errA := hex.DecodeString(*d.a.OK.Hex)
	y, errB := hex.DecodeString(*d.b.OK.Hex)
	switch {
	case *d.a.OK.Hex == *d.b.OK.Hex:
		return
	case errA != nil || errB != nil:
		d.kind, d.letter, d.detail = Errored, letters(errA != nil, errB != nil), errors.Join(errA, errB).Error()
		return
	case bytes.Equal(x, y):
		return // in other letters
	}
	at := firstDifference(x, y)
	byteAt := func(b []byte) string {
		if at < len(b) {
			return fmt.Sprintf("%02x", b[at])
		}
		return "missing"
	}
	d.kind, d.byteOffset = Written, at
	d.detail = fmt.Sprintf("A writes %d bytes, B writes %d; byte %d: A has %s, B has %s",
		len(x), len(y), at, byteAt(x), byteAt(y))
}

// firstDifference returns the offset of the first byte that differs.
func firstDifference(a, b []byte) int {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	return at
}
