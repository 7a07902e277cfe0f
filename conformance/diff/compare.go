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

// An outcome is what became of one input.
type outcome struct {
	in       Input
	diff     *difference // nil if they do not part
	accepted bool        // by both
	skipped  bool
	stopped  string // why nobody was asked

	key       string // of its group
	behaviour behaviour
}

// sameAs reports whether two outcomes are the same input.
func (o *outcome) sameAs(p *outcome) bool {
	return o.in.Type == p.in.Type && o.diff.kind == p.diff.kind && o.in.key() == p.in.key()
}

// A difference is where two answers part.
type difference struct {
	kind       Kind
	op         adapter.Op
	letter     string // A or B, if the fault is that of one; who accepts, of a verdict
	shape      string // what tells it from others of the kind, without numbers
	detail     string // in words
	path       string // where trees part
	span       string // the same place, as spans name it
	byteOffset int    // where written bytes part; -1 if nowhere
	a, b       reply
}

// same is what has to stay as it is when an input is shrunk.
func (d *difference) signature() string {
	return string(d.kind) + " " + string(d.op) + " " + d.letter + " " + d.shape
}

// A reply is an answer, or why there is none.
type reply struct {
	adapter.Response
	broken *adapter.Broken
	asked  bool
}

// ask asks both about inputs, and compares.
func (r *run) ask(ctx context.Context, ins []Input) []*outcome {
	out := make([]*outcome, len(ins))
	trees := make([]*tree.Node, len(ins)) // to be written yet
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
	for _, op := range []adapter.Op{adapter.OpRecode, adapter.OpEncode} {
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

// op is what an input is for.
func (in *Input) op() adapter.Op {
	if in.Tree != nil {
		return adapter.OpEncode
	}
	return adapter.OpDecode
}

func (r *run) request(op adapter.Op, in Input) adapter.Request {
	q := adapter.Request{Op: op, Type: in.Type.Name, Profile: r.report.Profile.String(), Context: in.Context, Tree: in.Tree}
	if in.Tree == nil {
		text := hex.EncodeToString(in.Bytes)
		q.Hex = &text
	}
	return q
}

// both puts requests to both sides at once.
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

// notAsked reports whether an implementation was given up before.
func (p *reply) notAsked() bool { return p.broken != nil && p.broken.NotAsked }

// interrupted is why nobody was asked when the context has ended.
const contextEnded = "interrupted"

// unasked reports whether one of the two was not asked, and notes why.
func (o *outcome) checkAsked(a, b *reply) bool {
	switch {
	case !a.asked || !b.asked:
		o.stopped = contextEnded
	case a.notAsked():
		o.stopped = "A is " + a.broken.Detail
	case b.notAsked():
		o.stopped = "B is " + b.broken.Detail
	}
	return o.stopped != ""
}

// decoded compares two answers to decode. It returns the tree if both read
// the same.
func (opts *Options) compareDecoded(o *outcome, a, b reply) *tree.Node {
	if o.diff, o.skipped = compareNoAnswer(adapter.OpDecode, a, b); o.diff != nil || o.skipped {
		return nil
	}
	if a.Reject != nil || b.Reject != nil {
		o.diff, o.skipped = opts.compareRejected(adapter.OpDecode, a, b)
		return nil
	}
	d, n := compareRead(o.in.Type, len(o.in.Bytes), a, b)
	o.diff, o.accepted = d, true
	return n
}

// encoded compares two answers to encode, of an input that is a value.
func (opts *Options) compareEncoded(o *outcome, a, b reply) {
	if o.diff, o.skipped = compareNoAnswer(adapter.OpEncode, a, b); o.diff != nil || o.skipped {
		return
	}
	if a.Reject != nil || b.Reject != nil {
		o.diff, o.skipped = opts.compareRejected(adapter.OpEncode, a, b)
		return
	}
	o.diff, o.accepted = opts.compareWritten(adapter.OpEncode, a, b), true
}

// unanswered finds what is no answer to compare. It reports whether one of
// the two leaves the question out.
func compareNoAnswer(op adapter.Op, a, b reply) (d *difference, skipped bool) {
	d = &difference{op: op, byteOffset: -1, a: a, b: b}
	setLetter := func(bad func(*reply) bool) bool {
		switch x, y := bad(&a), bad(&b); {
		case x && y:
			d.letter = "A and B"
		case x:
			d.letter = "A"
		case y:
			d.letter = "B"
		}
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
			d.kind = Unsteady
			d.detail = string(broken.Kind) + ", and an answer when it is asked this alone: " + broken.Detail
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
		d.kind, d.detail = Errored, "the answer lacks what was asked for"
		return d, false
	}
	return nil, false
}

func (p *reply) incomplete(op adapter.Op) bool {
	return p.Reject == nil && (p.OK == nil || op == adapter.OpDecode && p.OK.Tree == nil || op != adapter.OpDecode && p.OK.Hex == nil)
}

// lastWords lead, in the detail of a crash, to what the process has said.
const stderrPrefix = "stderr: "

var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+|'[^']*'|"[^"]*"`)

// unnumbered makes one of messages that differ in numbers and quotations only.
func withoutNumbers(s string) string { return numbers.ReplaceAllString(s, "#") }

// A refusal of these classes says something of the reader, not of the input.
var readerClasses = []string{"limit", "unsupported"}

// refused compares answers of which one at least is a refusal.
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
		d.detail = fmt.Sprintf("A refuses it as %s, B as %s", a.Reject.Class, b.Reject.Class)
	case limited:
		return nil, true
	case a.Reject != nil:
		d.kind, d.letter, d.shape = Verdict, "B", a.Reject.Class
		d.detail = fmt.Sprintf("A refuses it as %s, B accepts it", a.Reject.Class)
	default:
		d.kind, d.letter, d.shape = Verdict, "A", b.Reject.Class
		d.detail = fmt.Sprintf("A accepts it, B refuses it as %s", b.Reject.Class)
	}
	if op != adapter.OpDecode && d.kind == Verdict {
		d.kind = Written
		d.detail = fmt.Sprintf("%s writes the value, %s refuses it as %s", d.letter, map[string]string{"A": "B", "B": "A"}[d.letter], d.shape)
	}
	return d, false
}

// read compares two values that were read.
func compareRead(t *codec.Type, size int, a, b reply) (*difference, *tree.Node) {
	d := &difference{kind: Tree, op: adapter.OpDecode, byteOffset: -1, a: a, b: b}
	na, errA := tree.Normalize(t, *a.OK.Tree)
	nb, errB := tree.Normalize(t, *b.OK.Tree)
	if errA != nil || errB != nil {
		d.letter = map[bool]string{true: "A", false: "B"}[errA != nil]
		if errA != nil && errB != nil {
			d.letter = "A and B"
		}
		d.detail = fmt.Sprintf("the tree of %s does not fit the model: %v", d.letter, errors.Join(errA, errB))
		d.shape = withoutNumbers(d.detail)
		return d, nil
	}
	raw := tree.Node{}
	if t.Operation() {
		raw = anyNaN(na) // computed, so that its bits are nobody's business
	}
	if parts := tree.Compare(raw, na, nb); parts != nil {
		d.path, d.span, d.shape = parts.Path, spanPath(na, parts.Path), lastStep(parts.Path)
		where := parts.Path
		if where == "" {
			where = "the value"
		}
		d.detail = fmt.Sprintf("%s is %s for A, %s for B", where, parts.Want, parts.Got)
		return d, nil
	}
	partial := func(p *reply) bool { return p.OK.Consumed != nil && *p.OK.Consumed != size }
	if x, y := partial(&a), partial(&b); x != y {
		d.kind, d.letter = Consumed, map[bool]string{true: "A", false: "B"}[x]
		p := map[bool]*reply{true: &a, false: &b}[x]
		d.detail = fmt.Sprintf("%s says that the value takes %d of %d bytes", d.letter, *p.OK.Consumed, size)
		return d, nil
	}
	return nil, &na
}

// openNaN is the tree with every NaN as one that admits all others.
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

// written compares two answers to recode or encode.
func (opts *Options) compareWritten(op adapter.Op, a, b reply) *difference {
	if d, leftOut := compareNoAnswer(op, a, b); d != nil || leftOut {
		return d
	}
	if a.Reject != nil || b.Reject != nil {
		d, _ := opts.compareRejected(op, a, b)
		return d
	}
	if *a.OK.Hex == *b.OK.Hex {
		return nil
	}
	x, errA := hex.DecodeString(*a.OK.Hex)
	y, errB := hex.DecodeString(*b.OK.Hex)
	d := &difference{kind: Written, op: op, byteOffset: 0, a: a, b: b}
	if errA != nil || errB != nil {
		d.kind, d.letter, d.detail = Errored, map[bool]string{true: "A", false: "B"}[errA != nil], errors.Join(errA, errB).Error()
		return d
	}
	for d.byteOffset < min(len(x), len(y)) && x[d.byteOffset] == y[d.byteOffset] {
		d.byteOffset++
	}
	if d.byteOffset == len(x) && d.byteOffset == len(y) {
		return nil // the same in other letters
	}
	byteAt := func(b []byte) string {
		if d.byteOffset < len(b) {
			return fmt.Sprintf("%02x", b[d.byteOffset])
		}
		return "past its end"
	}
	d.detail = fmt.Sprintf("A writes %d bytes, B %d; byte %d is %s for A, %s for B", len(x), len(y), d.byteOffset, byteAt(x), byteAt(y))
	return d
}
