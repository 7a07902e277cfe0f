package judge

import (
	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus"
)

// A Single judges answers to one case of a vector itself that come from a computation, not from an
// implementation. It is safe for concurrent use.
type Single struct {
	testCase *Case
	typ      *codec.Type
	expected expectedTree
}

// NewSingle returns nil if no section of the vector applies under the profile of
// the case. It returns an error if the type does not exist or the tree of the
// vector is invalid.
func NewSingle(c *Case) (*Single, error) {
	if err := checkTypes([]*corpus.Vector{c.Vector}); err != nil || c.Expect == nil {
		return nil, err
	}
	s := &Single{testCase: c}
	s.typ, _ = codec.Find(c.Vector.Type)
	if c.Expect.Tree == "" {
		return s, nil
	}
	return s, s.expected.prepare(s.typ, c.Expect.Tree)
}

// Operations lists the operations that test the verdict.
func (s *Single) Operations() []adapter.Op { return Operations(s.testCase.Vector, s.testCase.Expect) }

// Judge returns the result of the case if an operation gets this answer and every
// other operation gets the expected one.
func (s *Single) Judge(op adapter.Op, a adapter.Response) *Result {
	p := &pending{
		testCase: s.testCase, result: newResult(s.testCase), typ: s.typ, ops: []adapter.Op{op}, first: op,
		expected: &s.expected,
	}
	p.record(a, nil)
	return p.result
}
