package judge

import (
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

// ofLimit are the bounds where a limit, or what is unsupported, decides.
const ofLimit = spec.OtherSide + ", " + spec.Stated + ", " + spec.Unstated

// excuse sets the status of an answer that is not the expected one, if a choice leaves it
// open, or if it accepts what others reject as a limit or as unsupported.
func (p *pending) excuse(o *Outcome, a adapter.Response, choices []Choice) {
	if !o.Class.isAnswer() {
		return
	}
	want := WantOf(p.testCase.Expect, p.testCase.Input, o.Op)
	if reason := want.Acceptable(); o.Class == Accepted && reason != "" {
		if o.Status = p.within(ofLimit, "", o, a); o.Status != Fail {
			o.Reason = reason
		}
	}
	for _, c := range choices {
		if o.Status == Acceptable {
			break
		}
		if status := p.within(c.Open, c.By, o, a); status == Acceptable || status == NotApplicable && o.Status == Fail {
			o.Status, o.Reason, o.Choices = status, ByChoice, choices
		}
	}
	if o.Status == NotApplicable {
		*o = Outcome{Op: o.Op, Status: NotApplicable, Reason: NoValue}
	}
}

// within says what an answer is that differs from the expected one: acceptable if bounds
// permit it, not applicable if they leave open an acceptance that cannot be compared with
// anything, and otherwise a failure.
func (p *pending) within(open spec.Open, by string, o *Outcome, a adapter.Response) Status {
	if open.Leaves(spec.OtherSide) && p.isOtherSide(o.Op, a) {
		return Acceptable
	}
	switch {
	case a.Reject != nil:
		if open.Leaves(spec.Rejection) {
			return Acceptable
		}
		return Fail
	case o.Op == adapter.OpDecode:
		return p.valueWithin(open, a.OK)
	}
	return p.bytesWithin(open, by, o, *a.OK.Hex)
}

// isOtherSide reports whether an answer is the verdict of another section of the vector. If
// the input is a value, this is the same in all sections.
func (p *pending) isOtherSide(op adapter.Op, a adapter.Response) bool {
	c := p.testCase
	return slices.ContainsFunc(c.Vector.Expect, func(e corpus.Expectation) bool {
		if !slices.Contains(Operations(c.Vector, &e), op) || op == adapter.OpEncode && e.Tree != c.Expect.Tree {
			return false
		}
		return check(c, p.typ, &e, op, a, &expectedTree{view: p.expected.view}).Status == Pass
	})
}

// valueWithin judges a value that is not the expected one.
func (p *pending) valueWithin(open spec.Open, ok *adapter.OK) Status {
	if ok.Consumed != nil && *ok.Consumed != len(p.testCase.Input) {
		return Fail
	}
	if open.Leaves(spec.Stated) || open.Leaves(spec.Unstated) {
		for _, stated := range p.testCase.Vector.Permitted {
			want := &expectedTree{view: p.expected.view}
			if d, err := want.compare(p.typ, stated.Tree, *ok.Tree); d == nil && err == nil {
				return Acceptable
			}
		}
	}
	if p.testCase.Expect.Tree != "" {
		return p.settledWithin(open, p.testCase.Expect.Tree, *ok.Tree)
	}
	if _, _, err := p.expected.view.Project(p.typ, *ok.Tree); err != nil || !p.isUnstated(open) {
		return Fail
	}
	return NotApplicable
}

// isUnstated reports whether bounds leave acceptance open and the vector states no answer
// for it, neither as permitted nor for another side.
func (p *pending) isUnstated(open spec.Open) bool {
	v := p.testCase.Vector
	accepts := func(e corpus.Expectation) bool {
		return e.Profile != p.testCase.Expect.Profile && e.Outcome != corpus.Reject && e.CanonicalClass == ""
	}
	return open.Leaves(spec.Unstated) && len(v.Permitted) == 0 &&
		(!open.Leaves(spec.OtherSide) || !slices.ContainsFunc(v.Expect, accepts))
}

// settledWithin compares a value with the tree of the vector, except at the leaves that
// bounds leave open.
func (p *pending) settledWithin(open spec.Open, text string, got tree.Node) Status {
	want := &expectedTree{view: p.expected.view}
	written, err := want.parse(text)
	if err != nil {
		return Fail
	}
	s := settling{open: open.Bounds()}
	// The whole value must have the form of the type; only the sign may lack in it.
	signs := settling{open: slices.DeleteFunc(open.Bounds(), func(b spec.Bound) bool { return b.How != spec.Sign })}
	if _, _, err := want.view.Project(p.typ, signs.settle("", *written, got)); err != nil {
		return Fail
	}
	if d, err := want.compare(p.typ, text, s.settle("", *written, got)); d != nil || err != nil {
		return Fail
	}
	if s.unstated {
		return NotApplicable
	}
	return Acceptable
}

// LeftOpen reports whether two values of a family differ only as far as its choices leave
// parts of a value open, in any input: not where a vector has to state them.
func LeftOpen(family string, a, b tree.Node) bool {
	f, _ := spec.FindFamily(family)
	s := settling{}
	for i := range f.Clauses {
		s.open = append(s.open, f.Clauses[i].Open.Bounds()...)
	}
	for i := range f.Flags {
		for _, side := range f.Flags[i].Sides {
			s.open = append(s.open, side.Open.Bounds()...)
		}
	}
	s.open = slices.DeleteFunc(s.open, func(b spec.Bound) bool {
		return b.How == spec.Unstated || b.Path == "" && b.How != spec.Charset
	})
	return tree.Equal(a, s.settle("", a, b)) || tree.Equal(b, s.settle("", b, a))
}

// bytesWithin judges bytes that are not the expected ones. They must be those that the
// vector states, or an encoding of a value within the bounds. The reference decodes them:
// what it rejects is no encoding, unless it rejects it because of this choice.
func (p *pending) bytesWithin(open spec.Open, by string, o *Outcome, text string) Status {
	v := p.testCase.Vector
	if open.Leaves(spec.Stated) || open.Leaves(spec.Unstated) {
		for _, stated := range v.Permitted {
			if v.EncodeOnly() && strings.EqualFold(text, hex.EncodeToString(stated.Bytes)) {
				return Acceptable
			}
		}
	}
	c := p.testCase
	a := c.askReference(adapter.Request{Op: adapter.OpDecode, Hex: &text}, c.Profile, c.Context)
	unstated := o.Class == Accepted && p.isUnstated(open)
	switch {
	case a.Reject != nil && unstated && by != "" && string(a.Reject.Clause) == by:
		return NotApplicable
	case a.OK == nil || a.OK.Tree == nil:
		return Fail
	}
	read := a.OK.Tree
	value := p.testCase.Expect.Tree
	if v.EncodeOnly() {
		value = v.Tree
	}
	same := p.settledWithin("", value, *read) == Acceptable
	status := Fail
	switch {
	case same && open.Leaves(spec.OtherBytes):
		status = Acceptable
	case !same:
		status = p.settledWithin(open, value, *read)
	}
	if status == Fail && unstated {
		return NotApplicable
	}
	return status
}

// settling replaces the leaves of a value that bounds leave open by the expected ones.
type settling struct {
	open     []spec.Bound
	unstated bool // a leaf cannot be compared
}

func (s *settling) settle(path string, want, got tree.Node) tree.Node {
	for _, b := range s.open {
		if b.Path != "" && !strings.HasSuffix("."+path, "."+b.Path) || tree.Equal(want, got) {
			continue
		}
		if b.How == spec.Unstated && b.Path != "" {
			s.unstated = true
			return want
		}
		if isNear(b, want, got) {
			return want
		}
	}
	if isText(want) || want.Kind != got.Kind {
		return got
	}
	got.Items, got.Names = slices.Clone(got.Items), slices.Clone(got.Names)
	for i, item := range want.Items {
		switch {
		case want.Kind == tree.List && i < len(got.Items):
			got.Items[i] = s.settle(path, item, got.Items[i])
		case want.Kind == tree.Object:
			name := want.Names[i]
			settled := s.settle(strings.TrimPrefix(path+"."+name, "."), item, got.Field(name))
			if k := slices.Index(got.Names, name); k >= 0 {
				got.Items[k] = settled
			} else if settled.Kind != tree.Null {
				got.Names, got.Items = append(got.Names, name), append(got.Items, settled)
			}
		}
	}
	return got
}

// isNear reports whether a part of a value differs from the expected one by no more than
// a bound.
func isNear(b spec.Bound, want, got tree.Node) bool {
	if b.How == spec.Absent {
		return got.Kind == tree.Null
	}
	if !isText(want) || !isText(got) {
		return false
	}
	x, err1 := tree.TextOf(want)
	y, err2 := tree.TextOf(got)
	if err1 != nil || err2 != nil {
		return false
	}
	switch b.How {
	case spec.Sign:
		return isOtherSign(x, y)
	case spec.Name:
		return true // the form of the value is that of its type
	case spec.Charset:
		return isSameText(x, y)
	}
	return ulps(x, y) <= int64(b.ULPs())
}

// isText reports whether a node is a text, or an object with the bytes of one that is
// not UTF-8.
func isText(n tree.Node) bool {
	return n.Kind == tree.Text || n.Kind == tree.Object && slices.Equal(n.Names, []string{"hex"})
}

// isOtherSign reports whether two integers have the same 32 bits.
func isOtherSign(a, b string) bool {
	x, err1 := strconv.ParseInt(a, 10, 64)
	y, err2 := strconv.ParseInt(b, 10, 64)
	low, high := min(x, y), max(x, y)
	return err1 == nil && err2 == nil && high-low == 1<<32 && low >= math.MinInt32 && high <= math.MaxUint32
}

// ulps returns how many units in the last place of binary32 are between two numbers.
func ulps(a, b string) int64 {
	x, err1 := strconv.ParseFloat(a, 32)
	y, err2 := strconv.ParseFloat(b, 32)
	if err1 != nil || err2 != nil || math.IsInf(x-y, 0) || math.IsNaN(x-y) {
		return math.MaxInt64
	}
	place := func(f float64) int64 {
		n := int64(math.Float32bits(float32(math.Abs(f))))
		if f < 0 {
			return -n
		}
		return n
	}
	d := place(x) - place(y)
	return max(d, -d)
}

// isSameText reports whether a text has the units of the expected one in another character
// set. ASCII is unchanged. Each run of other bytes has one character for each byte, or is
// UTF-8 in which replacement characters stand for what is malformed.
func isSameText(want, got string) bool {
	for want != "" || got != "" {
		a, restA := cutRun(want, true)
		b, restB := cutRun(got, true)
		if a != b {
			return false
		}
		x, _ := cutRun(restA, false)
		y, _ := cutRun(restB, false)
		if utf8.RuneCountInString(y) != len(x) && !isReplaced(x, y) {
			return false
		}
		want, got = restA[len(x):], restB[len(y):]
	}
	return true
}

// cutRun splits a text after the characters at its start that are ASCII, or that are not.
// Malformed bytes are not.
func cutRun(s string, ascii bool) (run, rest string) {
	if i := strings.IndexFunc(s, func(r rune) bool { return r < utf8.RuneSelf != ascii }); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// isReplaced reports whether got is want with one or more replacement characters, but not
// more than bytes, in the place of each run of malformed bytes.
func isReplaced(want, got string) bool {
	const replacement = string(utf8.RuneError)
	for want != "" {
		r, n := utf8.DecodeRuneInString(want)
		if r != utf8.RuneError || n > 1 {
			if !strings.HasPrefix(got, want[:n]) {
				return false
			}
			want, got = want[n:], got[n:]
			continue
		}
		bad, marks := 0, 0
		for ; want != ""; bad, want = bad+1, want[1:] {
			if r, n := utf8.DecodeRuneInString(want); r != utf8.RuneError || n > 1 {
				break
			}
		}
		for ; strings.HasPrefix(got, replacement); marks, got = marks+1, got[len(replacement):] {
		}
		if marks < 1 || marks > bad {
			return false
		}
	}
	return got == ""
}
