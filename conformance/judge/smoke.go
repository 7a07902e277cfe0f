package judge

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A Step is one thing that a smoke test tries.
type Step struct {
	Name string
	// Wrong says what the adapter does wrong; empty if it is right.
	Wrong string
	// Note says what is unusual and not the adapter's fault, or why the step
	// was left out.
	Note string
	// Exchange is what was said, hello of later processes left out.
	Exchange []Line
}

// A Line is what went over the adapter's standard streams.
type Line struct {
	Sent bool // to the adapter
	Text string
}

// Smoke tries whether an adapter keeps to the protocol. It judges form only:
// whether what is decoded is right is not its business. The steps end with the
// first one if the adapter does not introduce itself.
func Smoke(ctx context.Context, command []string, opts adapter.Options, vectors []*corpus.Vector) ([]Step, error) {
	s := &smoke{ctx: ctx}
	opts.Exchange = s.listen
	child, err := adapter.NewChild(command, opts)
	if err != nil {
		return nil, err
	}
	defer child.Close()
	s.child = child
	s.step("introduces itself", s.introduces)
	if s.hello != nil {
		s.choose(vectors)
		s.step("reads a value", s.reads)
		s.step("refuses what is cut short", s.refuses)
		s.step("writes a value", s.writes)
		s.step("skips a type that it does not have", s.skips)
		s.step("goes on after an operation that there is not", s.unknownOp)
		s.step("goes on after an error", s.afterError)
		s.step("takes a long input from a file", s.long)
		s.step("answers many requests at once, in their order", s.many)
		s.step("ends when its input ends", s.ends)
	}
	return s.steps, ctx.Err()
}

type smoke struct {
	ctx   context.Context
	child *adapter.Child
	steps []Step
	hello *adapter.Hello

	accept *corpus.Vector // something to read; nil if there is nothing
	big    *corpus.Vector // of more than 4096 bytes
	typ    string         // a type that it lists
	first  string         // how it answered accept
}

func (s *smoke) listen(sent bool, line []byte) {
	if len(s.steps) > 0 {
		now := &s.steps[len(s.steps)-1]
		now.Exchange = append(now.Exchange, Line{sent, strings.TrimRight(string(line), "\r\n")})
	}
}

// step runs one; what it returns is wrong, or nothing.
func (s *smoke) step(name string, try func(*Step) string) {
	s.steps = append(s.steps, Step{Name: name})
	if s.ctx.Err() != nil {
		s.steps[len(s.steps)-1].Note = "interrupted"
		return
	}
	n := len(s.steps) - 1
	wrong := try(&s.steps[n])
	now := &s.steps[n]
	now.Wrong = wrong
	if wrong == notAsked {
		now.Wrong, now.Note = "", "left out: "+notAsked
	}
	if n > 0 { // a process that was started again is asked for hello again
		now.Exchange = slices.DeleteFunc(now.Exchange, func(l Line) bool {
			return l.Sent && strings.HasSuffix(l.Text, `"op":"hello"}`) || !l.Sent && strings.Contains(l.Text, `"hello":`)
		})
	}
}

func (s *smoke) introduces(now *Step) string {
	h, err := s.child.Hello(s.ctx)
	if err != nil {
		return brokenWords(err)
	}
	s.hello = &h
	var unknown, twice []string
	seen := map[string]bool{}
	types := map[string]bool{}
	for _, t := range codec.Types() {
		types[t.Name], types[spec.StructureOf(t.Name)] = true, true
	}
	for _, t := range h.Types {
		if !types[t] {
			unknown = append(unknown, t)
		}
		if seen[t] {
			twice = append(twice, t)
		}
		seen[t] = true
	}
	profile, err := ids.ParseProfile(h.Profile)
	switch {
	case err != nil:
		return fmt.Sprintf("the profile that it declares is none: %v; formatgauge list flags shows flags and sides", err)
	case len(unknown) == len(h.Types):
		return fmt.Sprintf("none of its types is known: %s; formatgauge list types shows the names", strings.Join(unknown, ", "))
	case len(twice) > 0:
		return "types are listed twice: " + strings.Join(twice, ", ")
	case len(unknown) > 0:
		now.Note = fmt.Sprintf("types that nobody asks for: %s; formatgauge list types shows the names", strings.Join(unknown, ", "))
	default:
		n := 0
		for _, t := range codec.Types() {
			if h.Lists(t.Name) {
				n++
			}
		}
		about := []string{fmt.Sprintf("%d types", n)}
		for _, op := range h.Operations {
			about = append(about, string(op))
		}
		if h.AnyProfile {
			about = append(about, "any profile")
		} else {
			about = append(about, "profile "+profile.String())
		}
		now.Note = strings.TrimSpace(h.Name+" "+h.Version) + ": " + strings.Join(about, ", ")
	}
	return ""
}

// choose finds short vectors of what the adapter lists.
func (s *smoke) choose(vectors []*corpus.Vector) {
	j := &judge{hello: *s.hello}
	p, err := ids.ParseProfile(s.hello.Profile)
	if err != nil {
		return
	}
	for _, v := range vectors {
		if _, left := j.skips(v.Type); left || v.EncodeOnly() {
			continue
		}
		if s.typ == "" {
			s.typ = v.Type
		}
		e := v.Select(p)
		if len(v.Bytes) > smokeLong && s.big == nil {
			s.big = v
		}
		takesAll := false
		if st, ok := spec.FindStructure(v.Structure()); ok {
			takesAll = st.TakesAll != ""
		}
		if e == nil || e.Outcome != corpus.Accept || len(v.Bytes) == 0 || takesAll || lenient(v.Family(), p) {
			continue
		}
		if s.accept == nil || better(v, s.accept) {
			s.accept = v
		}
	}
}

// smokeLong is the length above which inputs travel in files.
const smokeLong = 4096

// better prefers vectors that hang on no flag, then such that need to be told
// nothing, then short ones.
func better(v, than *corpus.Vector) bool {
	rank := func(v *corpus.Vector) []int { return []int{len(v.Flags), len(v.Context), len(v.Bytes)} }
	return slices.Compare(rank(v), rank(than)) < 0
}

const nothingToRead = "the corpus has no vector for what it lists, or its list leaves out decode"

// ask puts a request; the text is empty unless the adapter broke.
func (s *smoke) ask(q adapter.Request) (adapter.Response, string) {
	q.Profile = s.profile()
	a, err := s.child.Do(s.ctx, q)
	if err != nil {
		return a, brokenWords(err)
	}
	return a, ""
}

func (s *smoke) profile() string {
	p, err := ids.ParseProfile(s.hello.Profile)
	if err != nil {
		return ""
	}
	return p.String()
}

const notAsked = "it has broken too often to be asked again"

func brokenWords(err error) string {
	var b *adapter.Broken
	if !errors.As(err, &b) {
		return err.Error()
	}
	if b.NotAsked {
		return notAsked
	}
	text := b.Detail
	if b.Alone != nil {
		text += "; asked alone, it answers: it depends on what came before"
	}
	switch b.Kind {
	case adapter.Crash:
		return "it crashes: " + text
	case adapter.Hang:
		return "it hangs: " + text
	}
	return "it does not keep to the protocol: " + text
}

func (s *smoke) has(op adapter.Op) bool { return slices.Contains(s.hello.Operations, op) }

func decodeOf(v *corpus.Vector, b []byte) adapter.Request {
	h := hex.EncodeToString(b)
	return adapter.Request{Op: adapter.OpDecode, Type: v.Type, Context: v.Context, Hex: &h}
}

func (s *smoke) reads(now *Step) string {
	if s.accept == nil || !s.has(adapter.OpDecode) {
		now.Note = nothingToRead
		return ""
	}
	a, broken := s.ask(decodeOf(s.accept, s.accept.Bytes))
	s.first = got(a)
	switch {
	case broken != "":
		return broken
	case a.Error != nil:
		return "it answers error: that is for faults of its own, and hides whether the input is read or refused"
	case a.Skip != nil:
		now.Note = fmt.Sprintf("it skips %s although hello lists it; put the reason into skips", s.accept.Type)
	case a.Reject != nil:
		now.Note = fmt.Sprintf("it refuses %s, which is not for this test to judge: formatgauge test does", s.accept.ID)
	case a.OK == nil || a.OK.Tree == nil:
		return "decode is answered with ok and no tree"
	default:
		return s.fits(&a)
	}
	return ""
}

// fits says what is wrong with the form of a tree.
func (s *smoke) fits(a *adapter.Response) string {
	t, ok := codec.Find(s.accept.Type)
	if !ok {
		return ""
	}
	if _, err := tree.Normal(t, *a.OK.Tree); err != nil {
		return fmt.Sprintf("the tree does not have the form of %s: %v; a right one is %s", s.accept.Type, err, treeOf(s.accept, s.profile()))
	}
	return ""
}

func treeOf(v *corpus.Vector, profile string) string {
	p, err := ids.ParseProfile(profile)
	if e := v.Select(p); err == nil && e != nil {
		return strings.Join(strings.Fields(e.Tree), " ")
	}
	return ""
}

func (s *smoke) refuses(now *Step) string {
	if s.accept == nil || !s.has(adapter.OpDecode) {
		now.Note = nothingToRead
		return ""
	}
	b := s.accept.Bytes
	a, broken := s.ask(decodeOf(s.accept, b[:len(b)-1]))
	switch {
	case broken != "":
		return broken
	case a.Error != nil:
		return "it answers error: what is wrong with the input is reject, with a class; error is for faults of its own (an exception that belongs to the decoder has to be caught and told as reject)"
	case a.OK != nil:
		now.Note = "it accepts an input that is cut short, which is not for this test to judge: formatgauge test does"
	case a.Reject != nil && a.Reject.Offset == nil:
		now.Note = "it tells no offset, so none will be judged"
	}
	return ""
}

func (s *smoke) writes(now *Step) string {
	if s.accept == nil || !s.has(adapter.OpEncode) && !s.has(adapter.OpRecode) {
		now.Note = "its list has neither encode nor recode"
		return ""
	}
	p, _ := ids.ParseProfile(s.hello.Profile) // hello was looked at before
	c := Case{Vector: s.accept, Profile: p, Input: s.accept.Bytes, Context: s.accept.Context, Expect: s.accept.Select(p)}
	for _, op := range []adapter.Op{adapter.OpEncode, adapter.OpRecode} {
		if !s.has(op) {
			continue
		}
		q, err := (&pending{c: &c}).request(op)
		if err != nil {
			return err.Error()
		}
		a, broken := s.ask(q)
		switch {
		case broken != "":
			return broken
		case a.Error != nil:
			return fmt.Sprintf("it answers %s with error: that is for faults of its own", op)
		case a.OK != nil && a.OK.Hex == nil:
			return fmt.Sprintf("%s is answered with ok and no hex", op)
		case a.OK != nil:
			if _, err := hex.DecodeString(*a.OK.Hex); err != nil {
				return fmt.Sprintf("the hex is none: %v", err)
			}
		}
	}
	return ""
}

func (s *smoke) skips(now *Step) string {
	empty := ""
	a, broken := s.ask(adapter.Request{Op: adapter.OpDecode, Type: "none.Such", Hex: &empty})
	return s.doesNotHave(now, a, broken, "a type")
}

func (s *smoke) unknownOp(now *Step) string {
	empty := ""
	a, broken := s.ask(adapter.Request{Op: "dance", Type: s.typ, Hex: &empty})
	return s.doesNotHave(now, a, broken, "an operation")
}

func (s *smoke) doesNotHave(now *Step, a adapter.Response, broken, what string) string {
	switch {
	case broken != "":
		return broken
	case a.OK != nil || a.Reject != nil || a.Hello != nil:
		return fmt.Sprintf("%s that there is not is answered as if there were: it has to be skip, with a reason", what)
	case a.Error != nil:
		now.Note = "error will do; skip with a reason says it better"
	}
	return ""
}

func (s *smoke) afterError(now *Step) string {
	if s.accept == nil || !s.has(adapter.OpDecode) {
		now.Note = nothingToRead
		return ""
	}
	a, broken := s.ask(decodeOf(s.accept, s.accept.Bytes))
	switch {
	case broken != "":
		return broken
	case s.first != "" && got(a) != s.first:
		return fmt.Sprintf("the same question as before is answered with %s, and was with %s", got(a), s.first)
	}
	return ""
}

func (s *smoke) long(now *Step) string {
	if s.typ == "" || !s.has(adapter.OpDecode) {
		now.Note = nothingToRead
		return ""
	}
	zeros := hex.EncodeToString(make([]byte, smokeLong+1))
	q := adapter.Request{Op: adapter.OpDecode, Type: s.typ, Hex: &zeros}
	switch {
	case s.big != nil:
		q = decodeOf(s.big, s.big.Bytes)
	case s.accept != nil:
		q.Type, q.Context = s.accept.Type, s.accept.Context
	}
	a, broken := s.ask(q)
	switch {
	case broken != "":
		return broken
	case a.Error != nil:
		return fmt.Sprintf("it answers error: %s; an input above %d bytes comes as the path of a file, in the field file and not in hex", a.Error.Message, smokeLong)
	case s.big == nil && s.accept != nil && a.Reject == nil && a.Skip == nil:
		now.Note = "it accepts an input that is too long, which is not for this test to judge: formatgauge test does"
	}
	return ""
}

func (s *smoke) many(now *Step) string {
	if s.accept == nil || !s.has(adapter.OpDecode) {
		now.Note = nothingToRead
		return ""
	}
	const n = 24
	var qs []adapter.Request
	for i := range n {
		b := s.accept.Bytes
		if i%3 == 1 {
			b = b[:len(b)-1]
		}
		q := decodeOf(s.accept, b)
		q.Profile = s.profile()
		qs = append(qs, q)
	}
	var answers [n]string
	wrong := ""
	s.child.DoAll(s.ctx, qs, func(i int, a adapter.Response, err error) {
		if answers[i] = got(a); err != nil && wrong == "" {
			wrong = brokenWords(err)
		}
	})
	for i := range answers {
		if wrong == "" && answers[i] != answers[i%3] {
			wrong = fmt.Sprintf("the same question is answered with %s and with %s: are answers in the order of the requests?", answers[i%3], answers[i])
		}
	}
	return wrong
}

func (s *smoke) ends(*Step) string {
	if err := s.child.End(); err != nil {
		return brokenWords(err)
	}
	return ""
}
