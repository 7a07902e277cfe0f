package judge

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/shorten"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// Status is the result of a case or of one of its operations.
type Status string

const (
	// Pass: the answer is as expected.
	Pass Status = "pass"
	// Fail: the answer is not as expected.
	Fail Status = "fail"
	// Skip: the implementation does not support the case, or the case was not asked for.
	Skip Status = "skip"
	// NotApplicable: no section of the vector applies to this combination of sides, or
	// the verdict concerns only what the declared views lose.
	NotApplicable Status = "not-applicable"
	// Crash: the process of the implementation ended, also when the request was
	// repeated alone in a fresh process.
	Crash Status = "crash"
	// Timeout: the implementation did not answer in time.
	Timeout Status = "timeout"
	// Protocol: the implementation violated the protocol.
	Protocol Status = "protocol"
	// Acceptable: the answer is not as expected, but it is no failure, for one of the
	// reasons [Choice], [Limit] and [Unsupported].
	Acceptable Status = "acceptable"
)

// Statuses lists all statuses in the order in which they are shown.
var Statuses = []Status{Pass, Fail, Crash, Timeout, Protocol, Acceptable, Skip, NotApplicable}

// Failed reports whether a case with this status counts against the
// implementation.
func (s Status) Failed() bool { return s == Fail || s == Crash || s == Timeout || s == Protocol }

// Disagrees reports whether the answer is missing or is not the expected one,
// whether or not that counts against the implementation.
func (s Status) Disagrees() bool { return s.Failed() || s == Acceptable }

// Class says how a case failed, or how an answer differs. A list of known
// failures contains the class, so that a failure that becomes a different failure
// is noticed.
type Class string

const (
	// Accepted: the input must be rejected and was accepted.
	Accepted Class = "accepted"
	// Rejected: the input must be accepted and was rejected.
	Rejected Class = "rejected"
	// WrongClass: rejected with a class other than the expected one.
	WrongClass Class = "class"
	// WrongOffset: rejected with the expected class at an offset that is not
	// expected.
	WrongOffset Class = "offset"
	// WrongTree: decoded to a value that is not expected.
	WrongTree Class = "tree"
	// WrongBytes: encoded to bytes that are not expected.
	WrongBytes Class = "bytes"
	// Errored: the adapter answered error, or the answer lacks a required field.
	Errored Class = "error"
	// Flaky: no answer or a wrong one, and another one when the request was repeated alone.
	Flaky Class = "flaky"
	// Crashed, as the status Crash.
	Crashed Class = "crash"
	// TimedOut, as the status Timeout.
	TimedOut Class = "timeout"
	// BrokeProtocol, as the status Protocol.
	BrokeProtocol Class = "protocol"
)

// Classes lists all classes.
func Classes() []Class {
	return []Class{
		Accepted, Rejected, WrongClass, WrongOffset, WrongTree, WrongBytes, Errored, Flaky, Crashed, TimedOut, BrokeProtocol,
	}
}

// isAnswer reports whether the class is that of a valid answer: such a case can
// be acceptable.
func (c Class) isAnswer() bool {
	return slices.Contains([]Class{Accepted, Rejected, WrongClass, WrongOffset, WrongTree, WrongBytes}, c)
}

// Reason says why an answer is acceptable, or why there is none to judge.
type Reason string

const (
	// ByChoice: only a choice of this reference demands the expected answer, and it
	// permits this one.
	ByChoice Reason = "choice"
	// Limit: the implementation accepts what a reader may reject because of a limit.
	Limit Reason = "limit"
	// Unsupported: the same for what is unsupported; or the implementation rejects as
	// unsupported what it must reject with another class, and accepts nothing of that kind.
	// Of a skip: it rejects a valid input as unsupported.
	Unsupported Reason = "unsupported"

	// Unlisted: hello does not list the type.
	Unlisted Reason = "unlisted"
	// Declared: hello lists the type in skips.
	Declared Reason = "declared"
	// NoOperation: hello lists none of the operations that the vector needs.
	NoOperation Reason = "no-operation"
	// Answered: the answer is skip.
	Answered Reason = "answered"
	// NotAsked: the implementation had been given up.
	NotAsked Reason = "not-asked"
	// HungAlike: not asked either, because the implementation hung on an input with the same
	// fault. Message is the id of that case.
	HungAlike Reason = "hung-alike"

	// NoSection: no section of the vector applies to the profile.
	NoSection Reason = "no-section"
	// SideView: a side keeps the value only in a view, in which it need not be encoded.
	SideView Reason = "side-view"
	// LostFault: the fault is in a part that a view loses.
	LostFault Reason = "lost-fault"
	// LostValue: the value differs from that of the vector only in what a view loses.
	LostValue Reason = "lost-value"
	// LostPart: the views do not keep the whole value, so it need not be encoded. Of a pass:
	// what is written is right as far as they keep it.
	LostPart Reason = "lost-part"
	// NoValue: the input may be accepted, and nothing states its value.
	NoValue Reason = "no-value"
)

// Reasons lists all reasons.
func Reasons() []Reason {
	return []Reason{
		ByChoice, Limit, Unsupported, Unlisted, Declared, NoOperation, Answered, NotAsked, HungAlike,
		NoSection, SideView, LostFault, LostValue, LostPart, NoValue,
	}
}

// An Outcome is the result of one operation of a case.
type Outcome struct {
	Op     adapter.Op `json:"op,omitempty"` // empty if nothing was asked for
	Status Status     `json:"status"`
	// Class says how the answer disagrees; empty unless [Status.Disagrees].
	Class Class `json:"class,omitempty"`
	// Reason is set if the status is Acceptable, Skip or NotApplicable; of a pass it is empty or
	// LostPart. With [Options.FailAcceptable] a failure has the reason for which it is acceptable otherwise.
	Reason Reason `json:"reason,omitempty"`
	// Difference is the first one of a tree or of bytes. Only its path is set if the
	// status is NotApplicable.
	Difference *tree.Difference `json:"difference,omitempty"`
	Expected   *Answer          `json:"expected,omitempty"`
	Got        *Answer          `json:"got,omitempty"`
	// Message is in the words of the implementation: with a rejection, an error or a
	// skip. If there is no valid answer, it says what happened.
	Message string `json:"message,omitempty"`
	// Alone reports that Got is the answer to the request alone in a fresh process.
	Alone bool `json:"alone,omitempty"`
	// Choices are the choices of this reference because of which the reason is ByChoice.
	Choices []Choice `json:"choices,omitempty"`
	// Side names the section of the vector that the answer satisfies, if it is
	// not the section that applies.
	Side string `json:"side,omitempty"`
	// View is a view that is not declared and in which the value is the expected one, or
	// the view that loses the fault.
	View string `json:"view,omitempty"`
	// Ignored is a parameter of the context, as name=value, without which the answer is
	// the one that the reference gives.
	Ignored string `json:"ignored,omitempty"`
}

// A Choice is a clause, or a side of a flag, that only this reference demands.
type Choice struct {
	By     string `json:"by"`     // the clause, or flag=side
	Reason string `json:"reason"` // from the records
	// Open says which answers besides the expected one the choice permits.
	Open spec.Open `json:"open,omitempty"`
}

// passes holds the outcomes of cases of one operation that pass, so that they need no
// memory each.
var passes = map[adapter.Op][]Outcome{
	adapter.OpDecode:    {{Op: adapter.OpDecode, Status: Pass}},
	adapter.OpRoundtrip: {{Op: adapter.OpRoundtrip, Status: Pass}},
	adapter.OpEncode:    {{Op: adapter.OpEncode, Status: Pass}},
}

// Decisive returns the outcome that decides a case: the first failure, then the first that
// is acceptable, then one of an operation that was not asked for, then the first.
func Decisive(outcomes []Outcome) *Outcome {
	for _, decides := range []func(Outcome) bool{
		func(o Outcome) bool { return o.Status.Failed() },
		func(o Outcome) bool { return o.Status == Acceptable },
		func(o Outcome) bool { return o.Reason == NotAsked },
	} {
		if i := slices.IndexFunc(outcomes, decides); i >= 0 {
			return &outcomes[i]
		}
	}
	return &outcomes[0]
}

// NewResult returns a result with outcomes.
func NewResult(id string, v *corpus.Vector, p ids.Profile, outcomes ...Outcome) Result {
	r := Result{ID: id, Vector: v, Profile: p, Outcomes: outcomes, Outcome: &Outcome{}}
	if len(outcomes) > 0 {
		r.Outcome = Decisive(outcomes)
	}
	return r
}

// add adds the outcome of an operation.
func (r *Result) add(o Outcome) {
	if one := passes[o.Op]; r.Outcomes == nil && o.Status == Pass && o.Reason == "" && one != nil {
		r.Outcomes = one
	} else {
		r.Outcomes = append(slices.Clip(r.Outcomes), o)
	}
	r.Outcome = Decisive(r.Outcomes)
}

// An Answer is an expected or an actual answer, shortened if it is long. Exactly one of
// Reject, Tree, Hex, Error and Skip is set.
type Answer struct {
	Reject *Rejection `json:"reject,omitempty"`
	// Tree is JSON. If it was shortened, a text that begins with "…" replaces what was
	// left out.
	Tree json.RawMessage `json:"tree,omitempty"`
	// Other demands any other value than Tree, or a rejection.
	Other bool    `json:"other,omitempty"`
	Hex   *string `json:"hex,omitempty"`
	Error string  `json:"error,omitempty"`
	Skip  string  `json:"skip,omitempty"`
	// Of the whole answer, if Tree or Hex was shortened.
	*shorten.Whole
}

// A Rejection is an expected or an actual one.
type Rejection struct {
	Class string `json:"class,omitempty"` // several expected ones are separated by "|"; empty if each is valid
	// From and To are the first and the last valid offset, or both the actual one.
	// They are nil if each offset is valid or there is none.
	From *int `json:"from,omitempty"`
	To   *int `json:"to,omitempty"`
}

const (
	// An answer of more than longAnswer bytes is shortened to about maxAnswer bytes,
	// and a text in it to maxText bytes, before it becomes part of a result: the
	// results of an implementation with long answers must fit into memory.
	longAnswer = 2 << 10
	maxAnswer  = 1 << 10
	maxText    = 1 << 8
	shownBytes = 64
)

func treeAnswer(n tree.Node, path string) *Answer {
	room := maxAnswer
	if path == "" {
		room /= 2 // for its start
	}
	text, whole := shorten.Tree(n, path, longAnswer, room)
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		return &Answer{Error: err.Error(), Whole: whole} // a tree is JSON
	}
	return &Answer{Tree: compact.Bytes(), Whole: whole}
}

func bytesAnswer(b []byte) *Answer {
	out := &Answer{}
	if len(b) > shownBytes {
		out.Whole = shorten.WholeOf(b)
	}
	text := hex.EncodeToString(b[:min(len(b), shownBytes)])
	out.Hex = &text
	return out
}

// answerOf returns the short form of an answer; nil if it is none. path is the first
// difference of its tree.
func answerOf(a adapter.Response, path string) *Answer {
	switch {
	case a.Reject != nil:
		return &Answer{Reject: &Rejection{a.Reject.Class, a.Reject.Offset, a.Reject.Offset}}
	case a.OK != nil && a.OK.Tree != nil:
		return treeAnswer(*a.OK.Tree, path)
	case a.OK != nil && a.OK.Hex != nil:
		if b, err := hex.DecodeString(*a.OK.Hex); err == nil {
			return bytesAnswer(b)
		}
	case a.Error != nil:
		return &Answer{Error: shorten.Text(a.Error.Message, maxText)}
	case a.Skip != nil:
		return &Answer{Skip: shorten.Text(a.Skip.Reason, maxText)}
	}
	return nil
}

// expectedAnswer returns the short form of the expected answer to an operation. path is
// the first difference.
func (p *pending) expectedAnswer(op adapter.Op, path string) *Answer {
	want := WantOf(p.testCase.Expect, p.testCase.Input(), op)
	switch {
	case want.Reject:
		out := &Rejection{Class: want.Class}
		if want.From >= 0 {
			out.From, out.To = &want.From, &want.To
		}
		return &Answer{Reject: out}
	case op != adapter.OpDecode:
		return bytesAnswer(want.Bytes)
	}
	n, err := p.expected.parse(want.Tree)
	if err != nil {
		return nil // the class is Errored, with this fault
	}
	if path != "" && len(want.Tree) > longAnswer && p.expected.ready {
		n = &p.expected.tree // so that the two can be compared
	}
	out := treeAnswer(*n, path)
	out.Other = want.Other
	return out
}

// message returns what an implementation says of its answer in its own words.
func message(a adapter.Response) string {
	switch {
	case a.Reject != nil:
		return shorten.Text(a.Reject.Message, maxText)
	case a.Error != nil:
		return shorten.Text(a.Error.Message, maxText)
	case a.Skip != nil:
		return shorten.Text(a.Skip.Reason, maxText)
	}
	return ""
}
