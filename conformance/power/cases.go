package power

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A testCase is a case with the right answers, computed once.
type testCase struct {
	*judge.Case
	single *judge.Single
	typ    *codec.Type
	codec  codec.Codec
	ops    []adapter.Op

	read, write *value      // what is decoded, and what is encoded; nil if there is none
	readErr     *wire.Error // of decode
	written     []byte      // the answer to encode and roundtrip
	writeErr    *wire.Error
}

// A value is a right value with its parts.
type value struct {
	root  tree.Node
	all   []*valuePart
	parts map[target][]*valuePart // by what operators change
}

// index lists the parts.
func (v *value) index(t *codec.Type) {
	v.parts = map[target][]*valuePart{}
	walkParts(t, &v.root, func(p *valuePart) {
		v.all = append(v.all, p)
		for _, on := range []target{{p.as, false}, {p.fieldOf, true}, {p.everywhere(), false}} {
			if on.subject != (subject{}) {
				v.parts[on] = append(v.parts[on], p)
			}
		}
	})
}

// excess returns how many parts a value has more than usual. Each change of a long
// value takes long.
func (v *value) excess() int {
	const usual = 5000
	return max(0, len(v.all)-usual)
}

// allCases returns the cases under documented, observed and each side with another
// name.
func allCases(vectors []*corpus.Vector) []judge.Case {
	return append(judge.Cases(vectors, []ids.Profile{ids.Documented(), ids.Observed()}, nil),
		judge.NamedSideCases(vectors)...)
}

// newCases asks the reference about cases. Profiles under which a vector has the
// same verdict for the same reason share a case.
func newCases(all []judge.Case) ([]*testCase, error) {
	seen := map[string]bool{}
	var out []*testCase
	for i := range all {
		c := &all[i]
		if c.Expect == nil {
			continue
		}
		tc, err := newCase(c)
		if err != nil {
			return nil, fmt.Errorf("%s under %s: %w", c.ID, c.Profile, err)
		}
		id := fmt.Sprintf("%s %p %t %v, %v", c.ID, c.Expect, len(c.Choices) > 0, tc.readErr, tc.writeErr)
		if !seen[id] {
			seen[id] = true
			out = append(out, tc)
		}
	}
	// In the order of the vectors: this is the order of the requests.
	slices.SortStableFunc(out, func(a, b *testCase) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// newCase asks the reference. The answers have to be right.
func newCase(c *judge.Case) (*testCase, error) {
	single, err := judge.NewSingle(c)
	if err != nil {
		return nil, err
	}
	typ, _ := codec.Find(c.Vector.Type)
	bound, err := typ.Bind(wire.Settings{Profile: c.Profile}, c.Context)
	if err != nil {
		return nil, err
	}
	tc := &testCase{Case: c, single: single, typ: typ, codec: bound, ops: single.Operations()}
	if !c.Vector.EncodeOnly() {
		tc.decode()
	}
	if slices.Contains(tc.ops, adapter.OpEncode) {
		n, err := tc.toEncode()
		if err != nil {
			return nil, err
		}
		tc.write = &value{root: n}
		tc.encode()
	}
	for _, op := range tc.ops {
		if r := single.Judge(op, tc.answer(op)); r.Status != judge.Pass {
			return nil, fmt.Errorf("the reference does not pass %s: %s", op, r.Class)
		}
	}
	return tc, nil
}

func (tc *testCase) decode() {
	v, err := tc.codec.Decode(tc.Input())
	var n tree.Node
	if err == nil {
		n, err = tree.FromModel(v)
	}
	if tc.readErr = faultOf(err); err == nil {
		tc.read = &value{root: n}
	}
}

// toEncode returns the value that the judge asks to encode.
func (tc *testCase) toEncode() (tree.Node, error) {
	n, err := tree.ParseVector(tc.Value())
	if err != nil {
		return n, err
	}
	return tree.Normalize(tc.typ, n)
}

func (tc *testCase) encode() {
	var err error
	tc.written, err = tc.append(tc.write.root)
	tc.writeErr = faultOf(err)
}

// append returns the bytes of a value.
func (tc *testCase) append(n tree.Node) ([]byte, error) {
	v, err := tree.Value(tc.typ, n)
	if err != nil {
		return nil, err
	}
	return tc.codec.Append(nil, v)
}

// faultOf returns the error of a codec. One without a class is a wrong answer.
func faultOf(err error) *wire.Error {
	var e *wire.Error
	if err != nil && !errors.As(err, &e) {
		e = &wire.Error{}
	}
	return e
}

// answer returns the right answer.
func (tc *testCase) answer(op adapter.Op) adapter.Response {
	switch {
	case op == adapter.OpDecode && tc.readErr != nil:
		return rejected(tc.readErr)
	case op == adapter.OpDecode:
		return decoded(tc.read.root)
	case tc.writeErr != nil:
		return rejected(tc.writeErr)
	}
	return okBytes(tc.written)
}

func rejected(e *wire.Error) adapter.Response { return reject(string(e.Class), e.Offset) }

func reject(class string, offset int) adapter.Response {
	return adapter.Response{Reject: &adapter.Reject{Class: class, Offset: &offset}}
}

func okBytes(b []byte) adapter.Response {
	s := hex.EncodeToString(b)
	return adapter.Response{OK: &adapter.OK{Hex: &s}}
}

// decoded returns the answer with a value.
func decoded(n tree.Node) adapter.Response { return adapter.Response{OK: &adapter.OK{Tree: &n}} }

// value returns the right value that an operation is about; nil if there is none.
func (tc *testCase) value(op adapter.Op) *value {
	if op == adapter.OpDecode {
		return tc.read
	}
	return tc.write
}

// answerWith returns the answer with another value.
func (tc *testCase) answerWith(op adapter.Op, n tree.Node) adapter.Response {
	if op == adapter.OpDecode {
		return decoded(n)
	}
	b, err := tc.append(n)
	if err != nil {
		return rejected(faultOf(err))
	}
	return okBytes(b)
}
