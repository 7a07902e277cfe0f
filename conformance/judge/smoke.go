package judge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/shorten"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Step is one check of a smoke test.
type Step struct {
	Name string `json:"name"`
	// Fault says what the adapter does wrong; empty if the step passed.
	Fault string `json:"fault,omitempty"`
	// OfReader says that the fault is one of the reader that the adapter calls: the adapter
	// keeps to the protocol.
	OfReader bool `json:"ofReader,omitempty"`
	// SameAs names an earlier step with the same fault.
	SameAs string `json:"sameAs,omitempty"`
	// Note says what is unusual but not a fault of the adapter, or why the step
	// was skipped.
	Note string `json:"note,omitempty"`
	// Example is a result that shows the fault.
	Example *Result `json:"-"`
	// Exchange holds the lines sent and received, without the hello of processes
	// that were started again.
	Exchange []Line `json:"-"`
}

// A Line is one line on the standard streams of the adapter.
type Line struct {
	Sent bool // sent to the adapter; false if received from it
	Text string
}

// Smoke judges a few cases, and of the results takes what says whether an adapter keeps to
// the protocol: the form of answers, not whether values are correct. Of each type, one right
// value suffices. If hello fails, there are no further steps.
func Smoke(ctx context.Context, command []string, opts adapter.Options, vectors []*corpus.Vector) ([]Step, error) {
	s := &smoke{ctx: ctx}
	opts.Exchange = s.recordLine
	child, err := adapter.NewChild(command, opts)
	if err != nil {
		return nil, err
	}
	defer child.Close()
	s.child = child
	s.step("hello", s.checkHello)
	if s.hello == nil {
		return s.steps, ctx.Err()
	}
	s.chooseCases(vectors)
	decode := []adapter.Op{adapter.OpDecode}
	s.step("decode", func(now *Step) { s.whole = s.form(now, "", decode, s.sample...) })
	s.step("decode truncated input", func(now *Step) {
		s.cut = s.form(now, "invalid input must be answered with reject and a class (catch exceptions of the decoder)",
			decode, s.truncated...)
		s.checkEnds(now)
	})
	s.step("encode", func(now *Step) {
		s.written = s.form(now, "", []adapter.Op{adapter.OpRoundtrip, adapter.OpEncode}, s.sample...)
	})
	s.step("unknown type", func(now *Step) { s.checkUnknown(now, "type", adapter.OpDecode, "none.Such") })
	s.step("unknown operation", func(now *Step) { s.checkUnknown(now, "operation", "dance", s.hello.Types[0]) })
	s.step("input in a file", s.checkFile)
	s.step("many requests at once", s.checkMany)
	s.step("each listed type", func(now *Step) { s.checkTypes(now, vectors) })
	s.step("end of input", func(now *Step) {
		if err := s.child.End(); err != nil {
			now.Fault = faultText(err)
		}
	})
	return s.steps, ctx.Err()
}

type smoke struct {
	ctx     context.Context
	child   *adapter.Child
	steps   []Step
	hello   *adapter.Hello
	profile ids.Profile // that hello declares

	sample, truncated, long []Case   // an accepted input, the same without its last byte, and one for a file
	whole, cut, written     []Result // of the first steps
}

func (s *smoke) recordLine(sent bool, line []byte) {
	if len(s.steps) > 0 {
		now := &s.steps[len(s.steps)-1]
		now.Exchange = append(now.Exchange, Line{sent, strings.TrimRight(string(line), "\r\n")})
	}
}

// step runs one step.
func (s *smoke) step(name string, try func(*Step)) {
	n := len(s.steps)
	s.steps = append(s.steps, Step{Name: name})
	now := &s.steps[n]
	if s.ctx.Err() == nil {
		try(now)
	}
	switch {
	case s.ctx.Err() != nil: // the adapter is not at fault
		now.Fault, now.Note = "", "interrupted"
	case now.Fault == notAsked:
		now.Fault, now.Note = "", "skipped: "+notAsked
	case now.Fault != "":
		if i := slices.IndexFunc(s.steps[:n], func(before Step) bool { return sameFault(before.Fault, now.Fault) }); i >= 0 {
			now.SameAs = s.steps[i].Name
		}
	}
	now.OfReader = now.OfReader && now.Fault != ""
	if n > 0 { // a process that is started again is asked for hello again
		now.Exchange = slices.DeleteFunc(now.Exchange, func(l Line) bool {
			return l.Sent && strings.HasSuffix(l.Text, `"op":"hello"}`) || !l.Sent && strings.Contains(l.Text, `"hello":`)
		})
	}
}

// sameFault reports whether a fault is one of before, without what inMessage is.
func sameFault(before, fault string) bool {
	return strings.HasSuffix(inMessage.ReplaceAllString(before, ""), inMessage.ReplaceAllString(fault, ""))
}

func (s *smoke) checkHello(now *Step) {
	h, err := s.child.Hello(s.ctx)
	if err != nil {
		now.Fault = faultText(err)
		return
	}
	if s.profile, err = h.DeclaredProfile(); err != nil {
		now.Fault = err.Error()
		return
	}
	s.hello = &h
	var unknown, repeated []string
	types, n := map[string]bool{}, 0
	for _, t := range codec.Types() {
		types[t.Name], types[spec.StructureOf(t.Name)] = true, true
		if h.Lists(t.Name) {
			n++
		}
	}
	for i, t := range h.Types {
		if !types[t] {
			unknown = append(unknown, t)
		}
		if slices.Contains(h.Types[:i], t) {
			repeated = append(repeated, t)
		}
	}
	names := strings.Join(unknown, ", ") + "; formatgauge list types shows the names"
	switch {
	case len(unknown) == len(h.Types):
		now.Fault = "no known type in hello: " + names
	case len(repeated) > 0:
		now.Fault = "types listed twice in hello: " + strings.Join(repeated, ", ")
	case len(unknown) > 0:
		now.Note = "unknown types in hello: " + names
	default:
		about := []string{fmt.Sprintf("types: %d", n)}
		for _, op := range h.Operations {
			about = append(about, string(op))
		}
		about = append(about, map[bool]string{true: "any profile", false: "profile " + s.profile.String()}[h.AnyProfile])
		if len(h.Views) > 0 {
			about = append(about, strings.TrimPrefix(spec.InViews(h.Views), " in the "))
		}
		now.Note = strings.TrimSpace(h.Name+" "+h.Version) + ": " + strings.Join(about, ", ")
	}
}

// chooseCases chooses cases of the listed types: of accepted inputs the simplest one, and those
// that are sent in a file.
func (s *smoke) chooseCases(vectors []*corpus.Vector) {
	var sample *corpus.Vector
	for _, v := range vectors {
		if skipped(s.hello, v.Type) != nil || v.EncodeOnly() || len(v.Bytes) == 0 {
			continue
		}
		e := Verdict(v, s.profile)
		if len(v.Bytes) > adapter.MaxHex && e != nil {
			s.long = append(s.long, newCase(v, s.profile))
		}
		st, ok := spec.FindStructure(v.Structure())
		if e != nil && e.Outcome == corpus.Accept && !(ok && st.TakesAll != "") && !lenient(v.Family(), s.profile) &&
			(sample == nil || simplerVector(v, sample)) {
			sample = v
		}
	}
	if sample == nil {
		return
	}
	n := len(sample.Bytes) - 1
	c := newCase(sample, s.profile)
	s.sample = []Case{c}
	c.ID, c.Rule = fmt.Sprintf("%s#%s-%d", c.ID, Truncated, n), Truncated
	c.Edit = &Edit{At: n, Deleted: 1}
	c.Expect = &corpus.Expectation{Outcome: corpus.Reject, From: -1}
	s.truncated = []Case{c}
	if s.long == nil { // only to get an answer
		c.ID, c.Rule, c.Edit = sample.ID+"#long", Trailing, &Edit{Inserted: make([]byte, adapter.MaxHex+1)}
		s.long = []Case{c}
	}
}

// simplerVector prefers vectors that depend on no flag, then vectors without a
// context, then short vectors.
func simplerVector(v, than *corpus.Vector) bool {
	rank := func(v *corpus.Vector) []int { return []int{len(v.Flags), len(v.Context), len(v.Bytes)} }
	return slices.Compare(rank(v), rank(than)) < 0
}

// judge judges cases by some operations.
func (s *smoke) judge(cases []Case, ops []adapter.Op) []Result {
	h := *s.hello
	h.Operations = only(h.Operations, ops)
	j, err := newJudge(h)
	if err != nil { // hello was checked
		return nil
	}
	return j.judgeAll(s.ctx, s.child, cases, 1)
}

// form judges cases, and enters the first fault in the form of their answers. hint says what
// to answer in place of error.
func (s *smoke) form(now *Step, hint string, ops []adapter.Op, cases ...Case) []Result {
	results := s.judge(cases, ops)
	switch {
	case len(results) == 0:
		now.Note = "skipped: the corpus has no vector for the listed types"
	case results[0].Reason == NoOperation:
		now.Note = "skipped: hello does not list the operation"
	}
	for i := range results {
		r := &results[i]
		if now.Fault == "" {
			now.Fault, now.OfReader = s.fault(r, hint)
		}
		switch {
		case now.Fault != "" || r.Derived || now.Name != "decode":
		case r.Reason == Answered:
			now.Note = fmt.Sprintf("skip of %s: not implemented yet, or to be named in skips of hello, with the reason",
				r.Vector.Type)
		case r.Class == Rejected || r.Reason == Unsupported:
			now.Note = fmt.Sprintf("%s was rejected; smoke does not judge verdicts, formatgauge test does", r.ID)
		}
	}
	return results
}

const notAsked = "the adapter was given up after too many faults"

// fault returns the fault that a result shows; empty if its answer has the form of one. The
// reader is at fault if it crashes, or hangs although the adapter has answered.
func (s *smoke) fault(r *Result, hint string) (text string, ofReader bool) {
	switch o := r.Outcome; {
	case o.Reason == NotAsked:
		return notAsked, false
	case o.Class == Errored && o.Got != nil && o.Got.Error != "":
		return fmt.Sprintf("%s: %s; %s", isError, o.Message, cmp.Or(hint,
			"error reports a failure of the adapter itself and does not say whether the input is accepted or rejected")), false
	case o.Class == Errored:
		return fmt.Sprintf("%s: %s", o.Op, o.Message), false
	case o.Class == BrokeProtocol:
		return violation + o.Message, false
	case o.Class == Crashed || o.Class == TimedOut:
		return string(o.Class) + ": " + o.Message, o.Class == Crashed || hasAnswer(s.whole)
	case o.Class == Flaky && strings.HasPrefix(o.Message, string(TimedOut)+": "), o.Class == Flaky && o.Alone:
		return o.Message + dependsOnOthers, true
	case o.Class == WrongTree && o.Difference.Want == "" && !r.Derived:
		correct := strings.Join(strings.Fields(Verdict(r.Vector, r.Profile).Tree), " ")
		return fmt.Sprintf("the tree does not match %s: %s: %s; a correct tree is %s", r.Vector.Type,
			cmp.Or(o.Difference.Path, "tree"), o.Message, shorten.Text(correct, maxText)), false
	}
	return "", false
}

const (
	isError         = "the answer is error"
	violation       = "protocol violation: "
	dependsOnOthers = "; answered when asked alone: the fault depends on earlier requests"
)

// hasAnswer reports whether the adapter has answered at all.
func hasAnswer(results []Result) bool {
	return slices.ContainsFunc(results, func(r Result) bool { return r.Status == Pass || r.Got != nil })
}

// accepted reports whether the sample was accepted.
func accepted(results []Result) bool {
	return slices.ContainsFunc(results, func(r Result) bool {
		return r.Status == Pass || r.Got != nil && r.Got.Tree != nil
	})
}

// checkEnds looks for a reader that accepts the sample with and without its last byte, and so
// reads what is not there.
func (s *smoke) checkEnds(now *Step) {
	const outside = "the reader does not stop where its input ends: "
	offset := func(l Line) bool { return !l.Sent && strings.Contains(l.Text, `"offset":`) }
	switch {
	case len(s.cut) == 0:
	case now.OfReader && accepted(s.whole):
		now.Fault = outside + now.Fault
	case s.cut[0].Class == Accepted && accepted(s.whole):
		now.OfReader, now.Fault = true, outside+
			"it accepts the input with and without its last byte. It reads outside its input, or fills up what is missing"
	case s.cut[0].Status == Pass && !slices.ContainsFunc(now.Exchange, offset):
		now.Note = "reject has no offset, which is optional: offsets will not be judged"
	}
}

// checkFile asks for long inputs until one is answered. A decoder may fail at one of them. An
// adapter that does not know files fails at all.
func (s *smoke) checkFile(now *Step) {
	hint := fmt.Sprintf("an input of more than %d bytes is sent as the path of a file, in the field file instead of hex",
		adapter.MaxHex)
	for i := 0; i == 0 || i < len(s.long) && strings.HasPrefix(now.Fault, isError); i++ {
		now.Fault = ""
		s.form(now, hint, []adapter.Op{adapter.OpDecode}, s.long[min(i, len(s.long)):min(i+1, len(s.long))]...)
	}
}

// checkUnknown asks for what no adapter has.
func (s *smoke) checkUnknown(now *Step, what string, op adapter.Op, typ string) {
	empty := ""
	a, err := s.child.Do(s.ctx, adapter.Request{Op: op, Type: typ, Profile: s.profile.String(), Hex: &empty})
	switch {
	case err != nil:
		now.Fault = faultText(err)
	case a.OK != nil || a.Reject != nil || a.Hello != nil:
		now.Fault = fmt.Sprintf("the answer to an unknown %s must be skip with a reason", what)
	case a.Error != nil:
		now.Note = "the answer is error, which is allowed; skip with a reason is preferred"
	}
}

// faultText describes a request without an answer, or a process that has not ended well.
func faultText(err error) string {
	b, ok := errors.AsType[*adapter.Broken](err)
	switch {
	case !ok:
		return err.Error()
	case b.NotAsked:
		return notAsked
	}
	text := map[adapter.BrokenKind]string{adapter.Protocol: violation}[b.Kind]
	text = cmp.Or(text, string(b.Kind)+": ") + b.Detail
	if b.Alone != nil {
		text += dependsOnOthers
	}
	return text
}

// checkMany asks again for the sample and the truncated sample, many times: the answers must
// be those of the steps before.
func (s *smoke) checkMany(now *Step) {
	const n = 24
	var cases []Case
	for i := range n {
		cases = append(cases, [][]Case{s.sample, s.truncated, s.sample}[i%3]...)
	}
	results := s.form(now, "", []adapter.Op{adapter.OpDecode}, cases...)
	for i := range results {
		before := s.whole
		if results[i].Derived {
			before = s.cut
		}
		if x, y := answerText(before), answerText(results[i:i+1]); now.Fault == "" && x != y {
			now.Fault = fmt.Sprintf("the same request was answered with %s before and is answered with %s now: answers must "+
				"have the order of the requests, and not depend on others", x, y)
		}
	}
}

// answerText returns the outcome of the first of some results, with the answer if it is not
// the expected one.
func answerText(results []Result) string {
	if len(results) == 0 {
		return ""
	}
	text, _ := json.Marshal(results[0].Got) // it was JSON
	return shorten.Text(strings.TrimSuffix(fmt.Sprintf("%s %s", results[0].Status, text), " null"), maxText)
}

const (
	// firstAsked is the number of valid inputs of a type that are asked about first.
	firstAsked = 4
	shownTypes = 6
)

// checkTypes looks for a listed type of which no valid value is read or written
// correctly.
func (s *smoke) checkTypes(now *Step, vectors []*corpus.Vector) {
	ops := slices.DeleteFunc(slices.Clone(s.hello.Operations), func(op adapter.Op) bool {
		return slices.ContainsFunc(s.written, func(r Result) bool { // each crash would cost two starts
			return r.Op == op && (r.Class == Crashed || r.Class == TimedOut)
		})
	})
	ofType, types := map[string][]*corpus.Vector{}, []string{}
	for _, v := range vectors {
		e := Verdict(v, s.profile)
		if skipped(s.hello, v.Type) != nil || e == nil || e.Outcome == corpus.Reject ||
			v.EncodeOnly() && slices.Contains(ops, adapter.OpDecode) {
			continue
		}
		if ofType[v.Type] == nil {
			types = append(types, v.Type)
		}
		ofType[v.Type] = append(ofType[v.Type], v)
	}
	size := func(v *corpus.Vector) int { return len(v.Bytes) + len(v.Tree) }
	results := map[string][]Result{}
	for _, part := range [][2]int{{0, firstAsked}, {firstAsked, len(vectors)}} {
		var chosen []*corpus.Vector
		for _, t := range types {
			slices.SortStableFunc(ofType[t], func(a, b *corpus.Vector) int { return cmp.Compare(size(a), size(b)) })
			n := len(ofType[t])
			chosen = append(chosen, ofType[t][min(part[0], n):min(part[1], n)]...)
		}
		for _, r := range s.judge(Cases(chosen, []ids.Profile{s.profile}, nil), ops) {
			results[r.Vector.Type] = append(results[r.Vector.Type], r)
		}
		types = slices.DeleteFunc(types, func(t string) bool { return !onlyWrong(results[t]) })
	}
	now.Exchange = nil
	if len(types) == 0 {
		return
	}
	of := results[types[0]]
	example := &of[slices.IndexFunc(of, func(r Result) bool { return r.Status.Failed() })]
	if c := newCase(example.Vector, s.profile); !c.Vector.EncodeOnly() {
		q, _ := (&pending{testCase: &c}).request(adapter.OpDecode)
		_, _ = s.child.Do(s.ctx, q) // to show it
	}
	now.Example, now.OfReader = example, example.Class != BrokeProtocol && example.Class != Errored
	now.Fault = fmt.Sprintf("no valid value of %s is read or written correctly", types[0])
	if more := types[1:min(len(types), shownTypes)]; len(more) > 0 {
		now.Fault += "; the same is so for " + strings.Join(more, ", ")
		if n := len(types) - shownTypes; n > 0 {
			now.Fault += fmt.Sprintf(" and %d more", n)
		}
	}
}

// onlyWrong reports whether a result failed and none is right.
func onlyWrong(results []Result) bool {
	right := func(r Result) bool { return r.Status == Pass || r.Status == Acceptable }
	return !slices.ContainsFunc(results, right) &&
		slices.ContainsFunc(results, func(r Result) bool { return r.Status.Failed() })
}
