package judge

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/schema"
	"github.com/formatgauge/formatgauge/conformance/shorten"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Step is one check of a smoke test.
type Step struct {
	Name string
	// Fault says what the adapter does wrong; empty if the step passed.
	Fault string
	// OfReader says that the fault is one of the reader that the adapter calls: the adapter
	// keeps to the protocol.
	OfReader bool
	// SameAs names an earlier step with the same fault.
	SameAs string
	// Note says what is unusual but not a fault of the adapter, or why the step
	// was skipped.
	Note string
	// Example is a result that shows the fault.
	Example *Result
	// Exchange holds the lines sent and received, without the hello of processes
	// that were started again.
	Exchange []Line
}

// A Line is one line on the standard streams of the adapter.
type Line struct {
	Sent bool // sent to the adapter; false if received from it
	Text string
}

// Smoke checks whether an adapter keeps to the protocol. It checks the form of
// answers, not whether values are correct: of each type, one right value suffices. If
// hello fails, there are no further
// steps.
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
	if s.hello != nil {
		s.chooseVectors(vectors)
		empty := ""
		s.sampleStep("decode", s.answered(s.whole, s.checkDecode))
		s.sampleStep("decode truncated input", s.checkTruncated)
		s.step("encode", s.checkEncode)
		s.step("unknown type", s.answered(
			adapter.Request{Op: adapter.OpDecode, Type: "none.Such", Hex: &empty}, checkUnknown("type")))
		s.step("unknown operation", s.answered(
			adapter.Request{Op: "dance", Type: s.typ, Hex: &empty}, checkUnknown("operation")))
		s.sampleStep("decode again after errors", s.answered(s.whole, s.checkAfterError))
		s.step("input in a file", s.checkFileInput)
		s.sampleStep("many requests at once", s.checkManyRequests)
		s.step("each listed type", func(now *Step) string { return s.checkTypes(now, vectors) })
		s.step("end of input", s.checkEnd)
	}
	return s.steps, ctx.Err()
}

type smoke struct {
	ctx   context.Context
	child *adapter.Child
	steps []Step
	hello *adapter.Hello
	// broken are the operations without an answer because of the reader.
	broken []adapter.Op
	// profile is the one that hello declares.
	profile ids.Profile

	sample      *corpus.Vector   // a short accepted input; nil if there is none
	whole, cut  adapter.Request  // to decode the sample, and the sample without its last byte
	longSamples []*corpus.Vector // inputs that are sent in files
	typ         string           // a type that the adapter lists
	firstAnswer string           // to decode of the sample
	accepted    bool             // it is accepted
}

func (s *smoke) recordLine(sent bool, line []byte) {
	if len(s.steps) > 0 {
		now := &s.steps[len(s.steps)-1]
		now.Exchange = append(now.Exchange, Line{sent, strings.TrimRight(string(line), "\r\n")})
	}
}

// sampleStep runs a step that decodes the sample, if there is one.
func (s *smoke) sampleStep(name string, try func(*Step) string) {
	s.step(name, func(now *Step) string {
		if s.sample == nil || !s.has(adapter.OpDecode) {
			now.Note = noSample
			return ""
		}
		return try(now)
	})
}

// step runs one step. try returns the fault, or "".
func (s *smoke) step(name string, try func(*Step) string) {
	s.steps = append(s.steps, Step{Name: name})
	if s.ctx.Err() != nil {
		s.steps[len(s.steps)-1].Note = "interrupted"
		return
	}
	n := len(s.steps) - 1
	fault := try(&s.steps[n])
	now := &s.steps[n]
	if s.ctx.Err() != nil { // the adapter is not at fault
		now.Note = "interrupted"
		return
	}
	now.Fault, now.OfReader = fault, now.OfReader && fault != ""
	if fault == notAsked {
		now.Fault, now.Note = "", "skipped: "+notAsked
	}
	same := func(before Step) bool { return now.Fault != "" && sameFault(before.Fault, fault) }
	if i := slices.IndexFunc(s.steps[:n], same); i >= 0 {
		now.SameAs = s.steps[i].Name
	}
	if n > 0 { // a process that is started again is asked for hello again
		now.Exchange = slices.DeleteFunc(now.Exchange, func(l Line) bool {
			return l.Sent && strings.HasSuffix(l.Text, `"op":"hello"}`) || !l.Sent && strings.Contains(l.Text, `"hello":`)
		})
	}
}

func (s *smoke) checkHello(now *Step) string {
	h, err := s.child.Hello(s.ctx)
	if err != nil {
		return faultText(err)
	}
	if s.profile, err = h.DeclaredProfile(); err != nil {
		return err.Error()
	}
	s.hello = &h
	var unknown, repeated []string
	types := map[string]bool{}
	n := 0
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
	switch {
	case len(unknown) == len(h.Types):
		return fmt.Sprintf("no known type in hello: %s; formatgauge list types shows the names", strings.Join(unknown, ", "))
	case len(repeated) > 0:
		return "types listed twice in hello: " + strings.Join(repeated, ", ")
	case len(unknown) > 0:
		now.Note = fmt.Sprintf("unknown types in hello: %s; formatgauge list types shows the names",
			strings.Join(unknown, ", "))
	default:
		about := []string{fmt.Sprintf("%d types", n)}
		for _, op := range h.Operations {
			about = append(about, string(op))
		}
		if h.AnyProfile {
			about = append(about, "any profile")
		} else {
			about = append(about, "profile "+s.profile.String())
		}
		if len(h.Views) > 0 {
			about = append(about, strings.TrimPrefix(spec.InViews(h.Views), " in the "))
		}
		now.Note = strings.TrimSpace(h.Name+" "+h.Version) + ": " + strings.Join(about, ", ")
	}
	return ""
}

// chooseVectors chooses the sample and the long samples from the listed types.
func (s *smoke) chooseVectors(vectors []*corpus.Vector) {
	for _, v := range vectors {
		if skipped(s.hello, v.Type) != nil || v.EncodeOnly() {
			continue
		}
		if s.typ == "" {
			s.typ = v.Type
		}
		e := Verdict(v, s.profile)
		if len(v.Bytes) > fileAbove {
			s.longSamples = append(s.longSamples, v)
		}
		st, ok := spec.FindStructure(v.Structure())
		if e == nil || e.Outcome != corpus.Accept || len(v.Bytes) == 0 || ok && st.TakesAll != "" ||
			lenient(v.Family(), s.profile) {
			continue
		}
		if s.sample == nil || simplerVector(v, s.sample) {
			s.sample = v
			s.whole, s.cut = decodeRequest(v, v.Bytes), decodeRequest(v, v.Bytes[:len(v.Bytes)-1])
		}
	}
}

// fileAbove is the length in bytes above which inputs are sent in files.
const fileAbove = 4096

// simplerVector prefers vectors that depend on no flag, then vectors without a
// context, then short vectors.
func simplerVector(v, than *corpus.Vector) bool {
	rank := func(v *corpus.Vector) []int { return []int{len(v.Flags), len(v.Context), len(v.Bytes)} }
	return slices.Compare(rank(v), rank(than)) < 0
}

const noSample = "skipped: the corpus has no vector for the listed types, or decode is not listed"

// ask sends a request. The text is empty unless there is no answer.
func (s *smoke) ask(q adapter.Request) (adapter.Response, string) {
	q.Profile = s.profile.String()
	a, err := s.child.Do(s.ctx, q)
	if err != nil {
		return a, s.noAnswer(q, err)
	}
	return a, ""
}

// noAnswer returns the fault of a request without an answer. The reader is at fault if it
// crashes, or hangs although the adapter has answered, at a request that hello offers.
func (s *smoke) noAnswer(q adapter.Request, err error) string {
	var b *adapter.Broken
	_, known := codec.Find(q.Type)
	if known && s.has(q.Op) && errors.As(err, &b) &&
		(b.Kind == adapter.Crash || b.Kind == adapter.Timeout && s.firstAnswer != "") {
		s.steps[len(s.steps)-1].OfReader = true
		if b.Alone == nil && q.Op != adapter.OpDecode {
			s.broken = append(s.broken, q.Op)
		}
	}
	return faultText(err)
}

// sameFault reports whether a fault is one of before, without what inMessage is.
func sameFault(before, fault string) bool {
	return strings.HasSuffix(inMessage.ReplaceAllString(before, ""), inMessage.ReplaceAllString(fault, ""))
}

// answerText returns an answer as JSON, shortened if it is long.
func answerText(a adapter.Response) string {
	a.ID = 0
	text, _ := json.Marshal(a) // it was JSON
	return shorten.Text(strings.TrimPrefix(string(text), `{"id":0,`), maxText)
}

const notAsked = "the adapter was given up after too many faults"

func faultText(err error) string {
	var b *adapter.Broken
	if !errors.As(err, &b) {
		return err.Error()
	}
	if b.NotAsked {
		return notAsked
	}
	text := b.Detail
	if b.Alone != nil {
		text += "; answered when asked alone: the fault depends on earlier requests"
	}
	if b.Kind == adapter.Protocol {
		return "protocol violation: " + text
	}
	return string(b.Kind) + ": " + text
}

func (s *smoke) has(op adapter.Op) bool { return slices.Contains(s.hello.Operations, op) }

func decodeRequest(v *corpus.Vector, b []byte) adapter.Request {
	h := hex.EncodeToString(b)
	return adapter.Request{Op: adapter.OpDecode, Type: v.Type, Context: v.Context, Hex: &h}
}

// answered returns the check of an answer as one of a step. Without an answer, the step
// has failed.
func (s *smoke) answered(q adapter.Request, check func(*Step, adapter.Response) string) func(*Step) string {
	return func(now *Step) string {
		a, broken := s.ask(q)
		if broken != "" {
			return broken
		}
		return check(now, a)
	}
}

func (s *smoke) checkDecode(now *Step, a adapter.Response) string {
	s.firstAnswer, s.accepted = answerText(a), a.OK != nil
	switch {
	case a.Error != nil:
		return "the answer is error: error reports a failure of the adapter itself and does not say whether the input is accepted or rejected"
	case a.Skip != nil:
		now.Note = fmt.Sprintf("skip of %s: not implemented yet, or to be named in skips of hello, with the reason", s.sample.Type)
	case a.Reject != nil:
		now.Note = fmt.Sprintf("%s was rejected; smoke does not judge verdicts, formatgauge test does", s.sample.ID)
	case a.OK == nil || a.OK.Tree == nil:
		return "the answer to decode has ok without tree"
	default:
		return s.checkTree(&a)
	}
	return ""
}

// checkTree returns the fault in the form of a tree.
func (s *smoke) checkTree(a *adapter.Response) string {
	t, ok := codec.Find(s.sample.Type)
	if !ok {
		return ""
	}
	view, err := schema.NewView(s.hello.Views)
	if err == nil {
		_, _, err = view.Project(t, *a.OK.Tree)
	}
	if err != nil {
		return fmt.Sprintf("the tree does not match %s: %v; a correct tree is %s", s.sample.Type, err,
			expectedTreeText(s.sample, s.profile))
	}
	return ""
}

func expectedTreeText(v *corpus.Vector, p ids.Profile) string {
	if e := Verdict(v, p); e != nil {
		return strings.Join(strings.Fields(e.Tree), " ")
	}
	return ""
}

// checkTruncated asks for the sample without its last byte. A reader that accepts both
// reads what is not there.
func (s *smoke) checkTruncated(now *Step) string {
	const outside = "the reader does not stop where its input ends: "
	a, broken := s.ask(s.cut)
	switch {
	case now.OfReader:
		return outside + broken
	case broken != "":
		return broken
	case a.Error != nil:
		return "the answer is error: invalid input must be answered with reject and a class; error reports a failure of the adapter itself (catch exceptions of the decoder and answer reject)"
	case a.OK != nil && s.accepted:
		now.OfReader = true
		return outside + "it accepts the input with and without its last byte. It reads outside its input, or fills up what is missing"
	case a.Reject != nil && a.Reject.Offset == nil:
		now.Note = "reject has no offset, which is optional: offsets will not be judged"
	}
	return ""
}

func (s *smoke) checkEncode(now *Step) string {
	if s.sample == nil || !s.has(adapter.OpEncode) && !s.has(adapter.OpRoundtrip) {
		now.Note = "skipped: neither encode nor roundtrip is listed"
		return ""
	}
	c := newCase(s.sample, s.profile)
	for _, op := range []adapter.Op{adapter.OpEncode, adapter.OpRoundtrip} {
		if !s.has(op) {
			continue
		}
		q, err := (&pending{testCase: &c, expected: &expectedTree{}}).request(op)
		if err != nil {
			return err.Error()
		}
		a, broken := s.ask(q)
		switch {
		case broken != "":
			return broken
		case a.Error != nil:
			return fmt.Sprintf("the answer to %s is error: error reports a failure of the adapter itself", op)
		case a.OK != nil && a.OK.Hex == nil:
			return fmt.Sprintf("the answer to %s has ok without hex", op)
		case a.OK != nil:
			if _, err := hex.DecodeString(*a.OK.Hex); err != nil {
				return fmt.Sprintf("invalid hex: %v", err)
			}
		}
	}
	return ""
}

func checkUnknown(what string) func(*Step, adapter.Response) string {
	return func(now *Step, a adapter.Response) string {
		switch {
		case a.OK != nil || a.Reject != nil || a.Hello != nil:
			return fmt.Sprintf("the answer to an unknown %s must be skip with a reason", what)
		case a.Error != nil:
			now.Note = "the answer is error, which is allowed; skip with a reason is preferred"
		}
		return ""
	}
}

func (s *smoke) checkAfterError(_ *Step, a adapter.Response) string {
	if now := answerText(a); s.firstAnswer != "" && now != s.firstAnswer {
		return fmt.Sprintf("the same request was answered with %s before and is answered with %s now", s.firstAnswer, now)
	}
	return ""
}

func (s *smoke) checkFileInput(now *Step) string {
	if s.typ == "" || !s.has(adapter.OpDecode) {
		now.Note = noSample
		return ""
	}
	fault := ""
	// A decoder may fail at one long input. An adapter that does not know files
	// fails at all of them.
	for i := range max(1, len(s.longSamples)) {
		zeros := hex.EncodeToString(make([]byte, fileAbove+1))
		q := adapter.Request{Op: adapter.OpDecode, Type: s.typ, Hex: &zeros}
		switch {
		case len(s.longSamples) > 0:
			q = decodeRequest(s.longSamples[i], s.longSamples[i].Bytes)
		case s.sample != nil:
			q.Type, q.Context = s.sample.Type, s.sample.Context
		}
		a, broken := s.ask(q)
		switch {
		case broken != "":
			return broken
		case a.Error != nil:
			fault = cmp.Or(fault, fmt.Sprintf("the answer is error: %s; an input of more than %d bytes is sent as the path of a file, in the field file instead of hex", a.Error.Message, fileAbove))
			continue
		case len(s.longSamples) == 0 && s.sample != nil && a.Reject == nil && a.Skip == nil:
			now.Note = "input with trailing bytes was accepted; smoke does not judge verdicts, formatgauge test does"
		}
		return ""
	}
	return fault
}

func (s *smoke) checkManyRequests(*Step) string {
	const n = 24
	var requests []adapter.Request
	for i := range n {
		q := s.whole
		if i%3 == 1 {
			q = s.cut
		}
		q.Profile = s.profile.String()
		requests = append(requests, q)
	}
	var answers [n]string
	fault := ""
	s.child.DoAll(s.ctx, requests, func(i int, a adapter.Response, err error) {
		if answers[i] = answerText(a); err != nil && fault == "" {
			fault = s.noAnswer(requests[i], err)
		}
	})
	for i := range answers {
		if fault == "" && answers[i] != answers[i%3] {
			fault = fmt.Sprintf("the same request is answered with %s and with %s: answers must have the order of the requests",
				answers[i%3], answers[i])
		}
	}
	return fault
}

const (
	// firstAsked is the number of valid inputs of a type that are asked about first.
	firstAsked = 4
	shownTypes = 6
)

// checkTypes looks for a listed type of which no valid value is read or written
// correctly.
func (s *smoke) checkTypes(now *Step, vectors []*corpus.Vector) string {
	h := *s.hello // without what cannot pass: each crash would cost two starts
	h.Operations = slices.DeleteFunc(slices.Clone(h.Operations),
		func(op adapter.Op) bool { return slices.Contains(s.broken, op) })
	j, err := newJudge(h)
	if err != nil {
		return err.Error()
	}
	ofType := map[string][]*corpus.Vector{}
	var types []string
	for _, v := range vectors {
		e := Verdict(v, s.profile)
		if skipped(s.hello, v.Type) != nil || e == nil || e.Outcome == corpus.Reject ||
			v.EncodeOnly() && s.has(adapter.OpDecode) {
			continue
		}
		if ofType[v.Type] == nil {
			types = append(types, v.Type)
		}
		ofType[v.Type] = append(ofType[v.Type], v)
	}
	ask := func(part func([]*corpus.Vector) []*corpus.Vector) map[string][]Result {
		var chosen []*corpus.Vector
		for _, t := range types {
			chosen = append(chosen, part(ofType[t])...)
		}
		out := map[string][]Result{}
		for _, r := range j.judgeAll(s.ctx, s.child, Cases(chosen, []ids.Profile{s.profile}, false), 1) {
			out[r.Vector.Type] = append(out[r.Vector.Type], r)
		}
		return out
	}
	wrong := func(results []Result) bool {
		failed := false
		for i := range results {
			if results[i].Status == Pass || results[i].Status == Acceptable {
				return false
			}
			failed = failed || results[i].Status.Failed()
		}
		return failed
	}
	for _, list := range ofType {
		slices.SortStableFunc(list, func(a, b *corpus.Vector) int { return cmp.Compare(len(a.Bytes)+len(a.Tree), len(b.Bytes)+len(b.Tree)) })
	}
	first := ask(func(list []*corpus.Vector) []*corpus.Vector { return list[:min(firstAsked, len(list))] })
	types = slices.DeleteFunc(types, func(t string) bool { return !wrong(first[t]) })
	rest := ask(func(list []*corpus.Vector) []*corpus.Vector { return list[min(firstAsked, len(list)):] })
	types = slices.DeleteFunc(types, func(t string) bool { return !wrong(slices.Concat(first[t], rest[t])) })
	now.Exchange = nil
	if len(types) == 0 {
		return ""
	}
	example := &first[types[0]][slices.IndexFunc(first[types[0]], func(r Result) bool { return r.Status.Failed() })]
	if !example.Vector.EncodeOnly() {
		s.ask(decodeRequest(example.Vector, example.Vector.Bytes))
	}
	now.Example, now.OfReader = example, example.Class != BrokeProtocol && example.Class != Errored
	what := fmt.Sprintf("no valid value of %s is read or written correctly", types[0])
	if more := types[1:min(len(types), shownTypes)]; len(more) > 0 {
		what += "; the same is so for " + strings.Join(more, ", ")
		if n := len(types) - shownTypes; n > 0 {
			what += fmt.Sprintf(" and %d more", n)
		}
	}
	return what
}

func (s *smoke) checkEnd(*Step) string {
	if err := s.child.End(); err != nil {
		return faultText(err)
	}
	return ""
}
