// Package judge runs vectors against an implementation and gives each a
// definite result. It prints nothing.
package judge

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

// Status is the result of a case.
type Status string

const (
	// Pass: every answer is the expected one.
	Pass Status = "pass"
	// Fail: an answer is not the expected one.
	Fail Status = "fail"
	// Skip: the implementation leaves this out, and says why.
	Skip Status = "skip"
	// Open: the vector does not say what is expected of this mixture of sides.
	Open Status = "open"
	// Crash: the implementation ended.
	Crash Status = "crash"
	// Hang: the implementation did not answer in time.
	Hang Status = "hang"
	// Protocol: the implementation did not keep to the protocol.
	Protocol Status = "protocol"
)

// Bad reports whether a case with this result speaks against the implementation.
func (s Status) Bad() bool { return s == Fail || s == Crash || s == Hang || s == Protocol }

// A Result is what became of one case under one profile.
type Result struct {
	// ID is the vector's id, or begins with it if the case is derived.
	ID      string
	Vector  *corpus.Vector
	Profile spec.Profile
	Status  Status
	// Derived is set for a case that follows from a vector by a rule.
	Derived bool
	// Input is what was decoded: the vector's bytes, or what a rule made of them.
	Input []byte
	// Known is the reason given for a failure that is listed as known.
	Known  string
	Op     adapter.Op // the operation that decided, if not all passed
	Want   string     // in short; only if Op failed
	Got    string
	Detail string // where they part, or the reason of a skip
	// Side names the section of the vector that the answer would have met.
	Side string
}

// Options choose what is judged. The zero value judges everything.
type Options struct {
	// Profiles to judge an implementation under that follows any; both, if empty.
	Profiles []spec.Profile
	// Profile replaces the one that the implementation declares.
	Profile *spec.Profile
	// Filter leaves out vectors for which it is false.
	Filter func(*corpus.Vector) bool
}

// A Report is what became of all vectors.
type Report struct {
	Hello   adapter.Hello
	Results []Result // by profile, then in the order of the vectors
}

// Count returns how many results have one of the statuses.
func (r *Report) Count(statuses ...Status) int {
	n := 0
	for i := range r.Results {
		if slices.Contains(statuses, r.Results[i].Status) {
			n++
		}
	}
	return n
}

// Conformant reports whether something was judged and nothing is bad.
func (r *Report) Conformant() bool {
	return r.Count(Pass) > 0 && r.Count(Fail, Crash, Hang, Protocol) == 0
}

// Run judges an implementation. When the context ends, the report holds what
// is known so far and the error is the context's.
func Run(ctx context.Context, impl adapter.Implementation, vectors []*corpus.Vector, opts Options) (*Report, error) {
	hello, err := impl.Hello()
	if err != nil {
		return nil, fmt.Errorf("the adapter does not introduce itself: %w", err)
	}
	profiles, err := profilesFor(hello, opts)
	if err != nil {
		return nil, err
	}
	report := &Report{Hello: hello}
	j := &judge{impl: impl, hello: hello}
	for _, p := range profiles {
		for _, v := range vectors {
			if opts.Filter != nil && !opts.Filter(v) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return report, err
			}
			report.Results = append(report.Results, j.judge(v, p))
		}
	}
	return report, nil
}

func profilesFor(h adapter.Hello, opts Options) ([]spec.Profile, error) {
	switch {
	case opts.Profile != nil:
		return []spec.Profile{*opts.Profile}, nil
	case !h.AnyProfile:
		p, err := spec.ParseProfile(h.Profile)
		if err != nil {
			return nil, fmt.Errorf("the adapter declares a profile that there is not: %w", err)
		}
		return []spec.Profile{p}, nil
	case len(opts.Profiles) > 0:
		return opts.Profiles, nil
	}
	return []spec.Profile{spec.Documented(), spec.Observed()}, nil
}

type judge struct {
	impl  adapter.Implementation
	hello adapter.Hello
}

func (j *judge) judge(v *corpus.Vector, p spec.Profile) Result {
	r := Result{ID: v.ID, Vector: v, Profile: p, Status: Pass, Input: v.Bytes}
	if reason, ok := j.skips(v.Type); ok {
		r.Status, r.Detail = Skip, reason
		return r
	}
	e := v.Select(p)
	if e == nil {
		r.Status, r.Detail = Open, "no section of the vector names this mixture of sides"
		return r
	}
	t, ok := codec.Find(v.Type)
	if !ok {
		r.Status, r.Detail = Fail, "the corpus asks for a type that is not in the list of types"
		return r
	}
	asked := false
	for _, op := range opsFor(v, e) {
		if !slices.Contains(j.hello.Operations, op) {
			continue
		}
		asked = true
		if !j.try(&r, t, e, op) {
			return r
		}
	}
	if !asked {
		r.Status, r.Detail = Skip, "it has none of the operations that the vector needs"
	}
	return r
}

func (j *judge) skips(typ string) (string, bool) {
	for _, s := range j.hello.Skips {
		if s.Type == typ || s.Type == spec.StructureOf(typ) {
			return s.Reason, true
		}
	}
	if !slices.Contains(j.hello.Types, typ) {
		return "the adapter does not list the type", true
	}
	return "", false
}

// opsFor lists what shows a verdict, the most telling first.
func opsFor(v *corpus.Vector, e *corpus.Expectation) []adapter.Op {
	switch {
	case v.EncodeOnly():
		return []adapter.Op{adapter.OpEncode}
	case e.Outcome == corpus.Reject:
		return []adapter.Op{adapter.OpDecode}
	}
	return []adapter.Op{adapter.OpDecode, adapter.OpRecode, adapter.OpEncode}
}

// try asks one question and reports whether the answer is the expected one.
func (j *judge) try(r *Result, t *codec.Type, e *corpus.Expectation, op adapter.Op) bool {
	q, err := request(r.Vector, r.Profile, e, op)
	if err != nil {
		r.Status, r.Op, r.Detail = Fail, op, err.Error()
		return false
	}
	a, err := j.impl.Do(q)
	var broken *adapter.Broken
	switch {
	case errors.As(err, &broken):
		r.Status, r.Op, r.Detail = Status(broken.Kind), op, broken.Detail
		r.Want = want(e, r.Vector, op)
		return false
	case err != nil:
		r.Status, r.Op, r.Detail = Protocol, op, err.Error()
		return false
	case a.Skip != nil:
		// What is left out after decoding passed is no reason to call it all skipped.
		if op == opsFor(r.Vector, e)[0] {
			r.Status, r.Op, r.Detail = Skip, op, a.Skip.Reason
			return false
		}
		return true
	}
	detail := check(r.Vector, t, e, op, a)
	if detail == "" {
		return true
	}
	r.Status, r.Op, r.Detail = Fail, op, detail
	r.Want, r.Got = want(e, r.Vector, op), got(a)
	for i := range r.Vector.Expect {
		other := &r.Vector.Expect[i]
		if other != e && slices.Contains(opsFor(r.Vector, other), op) && check(r.Vector, t, other, op, a) == "" {
			r.Side = other.Profile
			break
		}
	}
	return false
}

func request(v *corpus.Vector, p spec.Profile, e *corpus.Expectation, op adapter.Op) (adapter.Request, error) {
	q := adapter.Request{Op: op, Type: v.Type, Profile: p.String(), Context: v.Context}
	if op != adapter.OpEncode {
		s := hex.EncodeToString(v.Bytes)
		q.Hex = &s
		return q, nil
	}
	text := v.Tree
	if !v.EncodeOnly() {
		text = e.Tree
	}
	n, err := tree.Parse([]byte(text))
	q.Tree = &n
	return q, err
}

// check compares an answer with the verdict; "" means that it is met.
func check(v *corpus.Vector, t *codec.Type, e *corpus.Expectation, op adapter.Op, a adapter.Response) string {
	if a.Error != nil {
		return "the adapter failed: " + a.Error.Message
	}
	wantReject, bytes := e.Outcome == corpus.Reject, v.Bytes
	class := e.Class
	if op != adapter.OpDecode {
		switch {
		case e.CanonicalClass != "":
			wantReject, class = true, e.CanonicalClass
		case e.Outcome != corpus.Accept:
			bytes = e.Canonical
		}
	}
	switch {
	case wantReject:
		return checkReject(e, op, class, a)
	case a.Reject != nil:
		return fmt.Sprintf("it is refused (%s): %s", a.Reject.Class, a.Reject.Message)
	case a.OK == nil:
		return "the answer is neither ok nor reject"
	case op == adapter.OpDecode:
		return checkTree(v, t, e, a.OK)
	case a.OK.Hex == nil:
		return "the answer has no hex"
	}
	b, err := hex.DecodeString(*a.OK.Hex)
	if err != nil {
		return err.Error()
	}
	return diffBytes(bytes, b)
}

func checkReject(e *corpus.Expectation, op adapter.Op, class string, a adapter.Response) string {
	if a.Reject == nil {
		return "it is accepted"
	}
	if a.Reject.Class != class {
		return fmt.Sprintf("it is refused as %s, want %s: %s", a.Reject.Class, class, a.Reject.Message)
	}
	if at := a.Reject.Offset; at != nil && op == adapter.OpDecode && e.From >= 0 && (*at < e.From || *at > e.To) {
		return fmt.Sprintf("it is refused at byte %d, want %s", *at, e.Short())
	}
	return ""
}

func checkTree(v *corpus.Vector, t *codec.Type, e *corpus.Expectation, ok *adapter.OK) string {
	if ok.Tree == nil {
		return "the answer has no tree"
	}
	raw, err := tree.Parse([]byte(e.Tree))
	if err != nil {
		return "the vector's tree: " + err.Error()
	}
	wantTree, err := normal(t, raw)
	if err != nil {
		return "the vector's tree: " + err.Error()
	}
	gotTree, err := normal(t, *ok.Tree)
	if err != nil {
		return "the answer's tree does not fit the model: " + err.Error()
	}
	if d := tree.Compare(raw, wantTree, gotTree); d != nil {
		return d.String()
	}
	if ok.Consumed != nil && *ok.Consumed != len(v.Bytes) {
		return fmt.Sprintf("%d of %d bytes are said to be consumed", *ok.Consumed, len(v.Bytes))
	}
	return ""
}

// normal brings a tree into the one form that the model gives, so that 0.50
// and 0.5 are the same number and a field left out is null.
func normal(t *codec.Type, n tree.Node) (tree.Node, error) {
	m := t.New()
	if err := tree.ToModel(n, m); err != nil {
		return n, err
	}
	return tree.FromModel(codec.Deref(m))
}

func diffBytes(want, got []byte) string {
	n := min(len(want), len(got))
	for i := range n {
		if want[i] != got[i] {
			return fmt.Sprintf("byte %d is %02x, want %02x", i, got[i], want[i])
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf("%d bytes, want %d", len(got), len(want))
	}
	return ""
}

const shownBytes = 64

func shortHex(b []byte) string {
	if len(b) > shownBytes {
		return fmt.Sprintf("% x ... (%d bytes)", b[:shownBytes], len(b))
	}
	return fmt.Sprintf("% x", b)
}

// want says what an operation should have given.
func want(e *corpus.Expectation, v *corpus.Vector, op adapter.Op) string {
	switch {
	case e.Outcome == corpus.Reject:
		return e.Short()
	case op == adapter.OpDecode:
		return e.Tree
	case e.CanonicalClass != "":
		return "reject " + e.CanonicalClass
	case e.Outcome == corpus.Accept:
		return shortHex(v.Bytes)
	}
	return shortHex(e.Canonical)
}

// got says what it has given.
func got(a adapter.Response) string {
	switch {
	case a.Reject != nil && a.Reject.Offset != nil:
		return fmt.Sprintf("reject %s @%d", a.Reject.Class, *a.Reject.Offset)
	case a.Reject != nil:
		return "reject " + a.Reject.Class
	case a.OK != nil && a.OK.Tree != nil:
		return a.OK.Tree.String()
	case a.OK != nil && a.OK.Hex != nil:
		b, err := hex.DecodeString(*a.OK.Hex)
		if err != nil {
			return *a.OK.Hex
		}
		return shortHex(b)
	case a.Error != nil:
		return "error: " + a.Error.Message
	}
	return "nothing"
}
