package power

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/judge"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// change returns the wrong answer to an operation, and whether it is another than
// the right one.
type change func(*testCase, adapter.Op) (adapter.Response, bool)

// accepted is the answer of an implementation that has no check. The judge looks
// at no value if it expects a rejection.
func accepted(op adapter.Op) adapter.Response {
	if op == adapter.OpDecode {
		return adapter.Response{OK: &adapter.OK{Tree: &tree.Node{}}}
	}
	return okBytes(nil)
}

// answerMutants makes the mutants that change whole answers.
func answerMutants(cases []*testCase) []*Mutant {
	byStructure := map[string][]*testCase{}
	for _, tc := range cases {
		byStructure[tc.typ.Structure()] = append(byStructure[tc.typ.Structure()], tc)
	}
	out := rejectionMutants(cases)
	done := map[string]bool{}
	for _, t := range codec.Types() {
		if s := t.Structure(); !done[s] {
			done[s] = true
			out = slices.Concat(out, writingMutants(t, byStructure[s]), contextMutants(t, byStructure[s]))
		}
	}
	return out
}

// A rejection is a check of the reference.
type rejection struct {
	family string
	class  wire.Class
	clause ids.Clause
	way    string
}

// rejectionOf returns the check that an operation meets, and its error; nil if there
// is none.
func (tc *testCase) rejectionOf(op adapter.Op) (rejection, *wire.Error) {
	e, way := tc.writeErr, "written"
	if op == adapter.OpDecode {
		e, way = tc.readErr, "read"
	}
	if e == nil {
		return rejection{}, nil
	}
	return rejection{tc.Vector.Family(), e.Class, e.Clause, way}, e
}

func (r rejection) String() string {
	if r.clause == "" {
		return fmt.Sprintf("%s without a clause, %s", r.family, r.class)
	}
	return fmt.Sprintf("%s, %s", r.clause, r.class)
}

// rejectionMutants makes mutants of each check: dropped, with each other class, and
// with another offset.
func rejectionMutants(cases []*testCase) (out []*Mutant) {
	byRejection := map[rejection][]*testCase{}
	for _, tc := range cases {
		for _, op := range tc.ops {
			if r, e := tc.rejectionOf(op); e != nil {
				byRejection[r] = append(byRejection[r], tc)
			}
		}
	}
	for r, found := range byRejection {
		found = slices.Compact(found)
		add := func(operator string, answer func(*wire.Error, adapter.Op) adapter.Response) {
			out = append(out, &Mutant{
				Family: r.family, Kind: "rejections, " + r.way, Subject: r.String(), Operator: operator, cases: found,
				Needs: "an input or a value with this fault alone",
				change: func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
					own, e := tc.rejectionOf(op)
					if e == nil || own != r {
						return adapter.Response{}, false
					}
					return answer(e, op), true
				},
			})
		}
		add("accepted", func(_ *wire.Error, op adapter.Op) adapter.Response { return accepted(op) })
		for _, class := range wire.Classes() {
			if class != r.class {
				add("as "+string(class),
					func(e *wire.Error, _ adapter.Op) adapter.Response { return reject(string(class), e.Offset) })
			}
		}
		for name, by := range map[string]int{"offset + 1": 1, "offset - 1": -1} {
			if r.way == "read" {
				add(name, func(e *wire.Error, _ adapter.Op) adapter.Response {
					return reject(string(e.Class), max(0, e.Offset+by))
				})
			}
		}
	}
	return out
}

// writingMutants makes mutants of a structure that have no writer: they repeat what
// they have read.
func writingMutants(t *codec.Type, own []*testCase) []*Mutant {
	s, _ := spec.FindStructure(t.Structure())
	echoes := &Mutant{
		Family: t.Family(), Kind: "writing", Subject: t.Structure(), Operator: "roundtrip echoes its input",
		Needs: "a noncanonical input", cases: own, change: echo,
	}
	if s.OneSpelling != "" {
		echoes.State, echoes.Reason = Equivalent, s.OneSpelling
	}
	return []*Mutant{echoes, {
		Family: t.Family(), Kind: "writing", Subject: t.Structure(), cases: own, change: remember(own),
		Operator: "encode repeats inputs whose tree it has seen", Needs: "a value to encode that no vector decodes to",
	}}
}

func echo(tc *testCase, op adapter.Op) (adapter.Response, bool) {
	if op != adapter.OpRoundtrip || tc.read == nil {
		return adapter.Response{}, false
	}
	return okBytes(tc.Input()), !bytes.Equal(tc.Input(), tc.written) || tc.writeErr != nil
}

// remember is an implementation without a writer: it knows the bytes of each tree
// that it has returned, and rejects every other.
func remember(cases []*testCase) change {
	known := map[string][][]byte{}
	treeOf := func(tc *testCase, v *value) string { return tc.typ.Name + v.root.String() }
	for _, tc := range cases {
		if tc.read != nil {
			k := treeOf(tc, tc.read)
			known[k] = append(known[k], tc.Input())
		}
	}
	return func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
		if op != adapter.OpEncode || tc.writeErr != nil {
			return adapter.Response{}, false
		}
		inputs := known[treeOf(tc, tc.write)]
		if len(inputs) == 0 {
			return reject("range", 0), true
		}
		return okBytes(inputs[0]), !slices.ContainsFunc(inputs, func(b []byte) bool { return bytes.Equal(b, tc.written) })
	}
}

// contextMutants makes mutants that ignore a part of the context.
func contextMutants(t *codec.Type, own []*testCase) (out []*Mutant) {
	for k, value := range t.Context {
		out = append(out, &Mutant{
			Family: t.Family(), Kind: "requests", Subject: t.Structure() + ", context " + k, Operator: "default",
			Needs: "a vector with another value of the context", cases: own,
			change: func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
				context := maps.Clone(tc.typ.Context)
				maps.Copy(context, tc.Context)
				if context[k] == value || op == adapter.OpRoundtrip {
					return adapter.Response{}, false
				}
				context[k] = value
				return tc.answerUnder(tc.Profile, context, op)
			},
		})
	}
	return out
}

// answerUnder returns the answer under another profile or in another context, and
// whether it is another one.
func (tc *testCase) answerUnder(p ids.Profile, context map[string]string, op adapter.Op) (adapter.Response, bool) {
	bound, err := tc.typ.Bind(wire.Settings{Profile: p}, context)
	if err != nil {
		return adapter.Response{}, false
	}
	wrong := &testCase{Case: tc.Case, typ: tc.typ, codec: bound, write: tc.write}
	if op == adapter.OpDecode {
		wrong.decode()
	} else {
		wrong.encode()
	}
	a := wrong.answer(op)
	return a, !reflect.DeepEqual(a, tc.answer(op))
}

// sideMutants makes mutants that declare one side of a flag and take another one,
// when they read or when they write. Their other sides are documented or observed.
func sideMutants(vectors []*corpus.Vector) (out []*Mutant, err error) {
	for _, flag := range spec.Flags() {
		for _, declared := range flag.Sides {
			cases, err := sideCases(vectors, flag.ID, declared.Name)
			if err != nil {
				return nil, err
			}
			for _, taken := range flag.Sides {
				if declared.Name == taken.Name {
					continue
				}
				for _, w := range ways {
					out = append(out, &Mutant{
						Family: spec.FamilyOf(string(flag.ID)), Kind: "sides, " + w.name, Subject: string(flag.ID),
						Operator: taken.Name + " instead of " + declared.Name,
						Needs:    "a vector whose answers differ between the sides", cases: cases,
						change: takesSide(w.op, flag.ID, taken.Name),
					})
				}
			}
		}
	}
	return out, nil
}

// sideCases returns the cases of vectors that list a flag, under profiles with a side.
func sideCases(vectors []*corpus.Vector, flag ids.Flag, side string) ([]*testCase, error) {
	listing := slices.DeleteFunc(slices.Clone(vectors),
		func(v *corpus.Vector) bool { return !slices.Contains(v.Flags, flag) })
	documented, _ := ids.Documented().With(flag, side) // the flag has this side
	observed, _ := ids.Observed().With(flag, side)
	return newCases(judge.Cases(listing, []ids.Profile{documented, observed}, nil))
}

// takesSide changes the answers of one operation to those of another side.
func takesSide(op adapter.Op, flag ids.Flag, side string) change {
	return func(tc *testCase, asked adapter.Op) (adapter.Response, bool) {
		if asked != op {
			return adapter.Response{}, false
		}
		p, _ := tc.Profile.With(flag, side) // the flag has this side
		return tc.answerUnder(p, tc.Context, asked)
	}
}
