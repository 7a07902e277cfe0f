package power

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

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
	byStructure, byFamily := map[string][]*testCase{}, map[string][]*testCase{}
	for _, tc := range cases {
		byStructure[tc.typ.Structure()] = append(byStructure[tc.typ.Structure()], tc)
		byFamily[tc.Vector.Family()] = append(byFamily[tc.Vector.Family()], tc)
	}
	out := slices.Concat(rejectionMutants(cases), computedMutants(byStructure))
	done := map[string]bool{}
	for _, t := range codec.Types() {
		if s := t.Structure(); !done[s] {
			done[s] = true
			out = append(out, structureMutants(t, byStructure[s])...)
			out = append(out, contextMutants(t, byStructure[s])...)
		}
	}
	for family, own := range byFamily {
		out = append(out, sizeMutants(family, own)...)
	}
	return out
}

// A rejection is a check of the reference.
type rejection struct {
	family  string
	class   wire.Class
	clause  ids.Clause
	reading bool
}

// rejectionOf returns the check that an operation meets, and its error; nil if there
// is none.
func (tc *testCase) rejectionOf(op adapter.Op) (rejection, *wire.Error) {
	e := tc.writeErr
	if op == adapter.OpDecode {
		e = tc.readErr
	}
	if e == nil {
		return rejection{}, nil
	}
	return rejection{tc.Vector.Family(), e.Class, e.Clause, op == adapter.OpDecode}, e
}

func (r rejection) String() string {
	if r.clause == "" {
		return fmt.Sprintf("%s without a clause, %s", r.family, r.class)
	}
	return fmt.Sprintf("%s, %s", r.clause, r.class)
}

func (r rejection) kind() string {
	if r.reading {
		return "rejections, read"
	}
	return "rejections, written"
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
	good := sync.OnceValue(func() map[subject][]*valuePart { return goodParts(cases) })
	for r, found := range byRejection {
		found = slices.Compact(found)
		add := func(operator string, answer func(*wire.Error, adapter.Op) adapter.Response) *Mutant {
			m := &Mutant{
				Family: r.family, Kind: r.kind(), Subject: r.String(), Operator: operator, cases: found,
				Needs: "an input or a value with this fault alone",
				change: func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
					own, e := tc.rejectionOf(op)
					if e == nil || own != r {
						return adapter.Response{}, false
					}
					return answer(e, op), true
				},
			}
			out = append(out, m)
			return m
		}
		dropped := add("accepted", func(_ *wire.Error, op adapter.Op) adapter.Response { return accepted(op) })
		for _, class := range wire.Classes() {
			if class != r.class {
				add("as "+string(class),
					func(e *wire.Error, _ adapter.Op) adapter.Response { return reject(string(class), e.Offset) })
			}
		}
		if !r.reading { // if the check is dropped, another one must not reject the value
			dropped.load = func() ([]*testCase, error) {
				return slices.DeleteFunc(slices.Clone(found),
					func(tc *testCase) bool { return tc.writeErr == nil || !tc.canBeRepaired(good) }), nil
			}
			continue
		}
		for name, by := range map[string]int{"offset + 1": 1, "offset - 1": -1} {
			add(name, func(e *wire.Error, _ adapter.Op) adapter.Response {
				return reject(string(e.Class), max(0, e.Offset+by))
			})
		}
	}
	return out
}

// goodParts returns some parts of values that can be written, by subject.
func goodParts(cases []*testCase) map[subject][]*valuePart {
	const enough = 12
	out := map[subject][]*valuePart{}
	for _, tc := range cases {
		if tc.write == nil || tc.writeErr != nil {
			continue
		}
		for on, ps := range tc.write.parts {
			if n := enough - len(out[on.subject]); on.whole && n > 0 {
				out[on.subject] = append(out[on.subject], ps[:min(len(ps), n)]...)
			}
		}
	}
	return out
}

// canBeRepaired reports whether a value that the reference does not write can be
// written with another value of one part: then it has a single fault.
func (tc *testCase) canBeRepaired(good func() map[subject][]*valuePart) bool {
	const enough = 1500
	tries := 0
	// The parts near the fault first.
	var near, far []*valuePart
	for _, p := range tc.write.all {
		if strings.HasPrefix(tc.writeErr.Path, p.path) || strings.HasPrefix(p.path, tc.writeErr.Path) {
			near = append(near, p)
		} else {
			far = append(far, p)
		}
	}
	for _, p := range append(near, far...) {
		if tries > enough {
			return false
		}
		for to := range otherValues(p, good) {
			tries++
			root, _ := tc.write.with(map[int]reflect.Value{p.number: to})
			if _, err := tc.codec.Append(nil, modelOf(root)); err == nil {
				return true
			}
		}
	}
	return false
}

// otherValues yields other values for a part: wrong ones, none, and those of values
// that can be written.
func otherValues(p *valuePart, good func() map[subject][]*valuePart) iter.Seq[reflect.Value] {
	return func(yield func(reflect.Value) bool) {
		for i := range operators {
			if to, ok := operators[i].change(p); ok && !operators[i].perFamily && !yield(to) {
				return
			}
		}
		if !yield(reflect.Zero(p.t)) {
			return
		}
		for _, q := range good()[p.fieldOf] {
			if q.t == p.t && !yield(q.v) {
				return
			}
		}
	}
}

// structureMutants makes mutants of a whole structure: it accepts what is
// truncated or has trailing bytes; it has no writer and repeats what it has read.
func structureMutants(t *codec.Type, own []*testCase) (out []*Mutant) {
	s, _ := spec.FindStructure(t.Structure())
	all := slices.Concat(own, derivedCases(own))
	add := func(kind, operator, needs, excuse string, cases []*testCase, change change) {
		m := &Mutant{
			Family: t.Family(), Kind: kind, Subject: t.Structure(), Operator: operator, Needs: needs, cases: cases,
			change: change,
		}
		if excuse != "" {
			m.State, m.Reason = Equivalent, excuse
		}
		out = append(out, m)
	}
	ends := func(class string, admits func(*testCase) bool) change {
		return func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
			e := tc.Expect
			wrong := op == adapter.OpDecode && e.Outcome == corpus.Reject && e.Class != "" && corpus.Admits(e.Class, class) &&
				admits(tc)
			return accepted(op), wrong
		}
	}
	always := func(*testCase) bool { return true }
	lastByte := func(tc *testCase) bool { return tc.Rule == judge.Truncated && len(tc.Input) == len(tc.Vector.Bytes)-1 }
	add("ends", "truncated input accepted", "an input that is truncated", s.TakesAll, all, ends("truncated", always))
	add("ends", "input without its last byte accepted", "an accepted input, from which the judge derives the cut",
		s.TakesAll, all,
		ends("truncated", lastByte))
	add("ends", "trailing bytes accepted", "an input with bytes after the value", s.TakesAll, all,
		ends("trailing", always))
	add("writing", "roundtrip echoes its input", "a noncanonical input", s.OneSpelling, own, echo)
	add("writing", "encode repeats inputs whose tree it has seen", "a value to encode that no vector decodes to", "",
		own, remember(own))
	return out
}

// derivedCases returns the cases that are derived from the ends of inputs: one
// cut in the middle, the cut of the last byte, and a trailing byte.
func derivedCases(cases []*testCase) (out []*testCase) {
	for _, tc := range cases {
		if tc.read == nil {
			continue
		}
		derived := judge.Derive(tc.Vector, tc.Profile)
		for i := range derived {
			c := &derived[i]
			n := len(tc.Vector.Bytes)
			if c.Rule != judge.Trailing && (c.Rule != judge.Truncated || len(c.Input) != n-1 && len(c.Input) != n/2) {
				continue
			}
			if single, err := judge.NewSingle(c); err == nil {
				out = append(out, &testCase{Case: c, single: single, typ: tc.typ, ops: single.Operations()})
			}
		}
	}
	return out
}

func echo(tc *testCase, op adapter.Op) (adapter.Response, bool) {
	if op != adapter.OpRoundtrip || tc.read == nil {
		return adapter.Response{}, false
	}
	return okBytes(tc.Input), !bytes.Equal(tc.Input, tc.written) || tc.writeErr != nil
}

// remember is an implementation without a writer: it knows the bytes of each tree
// that it has returned, and rejects every other.
func remember(cases []*testCase) change {
	known := map[string][][]byte{}
	treeOf := func(tc *testCase, v *value) string {
		a := decoded(tc.typ, v.root)
		if a.OK == nil {
			return ""
		}
		return tc.typ.Name + a.OK.Tree.String()
	}
	for _, tc := range cases {
		if tc.read != nil {
			k := treeOf(tc, tc.read)
			known[k] = append(known[k], tc.Input)
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

// contextMutants makes mutants that take a part of the request from elsewhere.
func contextMutants(t *codec.Type, own []*testCase) (out []*Mutant) {
	before := map[*testCase]map[string]string{} // the context of the request before
	var last map[string]string
	for _, tc := range own {
		before[tc], last = last, tc.fullContext()
	}
	for _, k := range slices.Sorted(maps.Keys(t.Context)) {
		add := func(operator, needs string, from func(*testCase) map[string]string) {
			out = append(out, &Mutant{
				Family: t.Family(), Kind: "requests", Subject: t.Structure() + ", context " + k, Operator: operator,
				Needs: needs, cases: own,
				change: func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
					other := from(tc)
					if other == nil || op == adapter.OpRoundtrip {
						return adapter.Response{}, false
					}
					context := tc.fullContext()
					context[k] = other[k]
					return tc.answerUnder(tc.Profile, context, op)
				},
			})
		}
		add("default", "a vector with another value of the context",
			func(tc *testCase) map[string]string { return tc.typ.Context })
		add("from the previous request", "two vectors with different values of the context",
			func(tc *testCase) map[string]string { return before[tc] })
	}
	return out
}

func (tc *testCase) fullContext() map[string]string {
	out := maps.Clone(tc.typ.Context)
	maps.Copy(out, tc.Context)
	return out
}

// answerUnder returns the answer under another profile or in another context, and
// whether it is another one.
func (tc *testCase) answerUnder(p ids.Profile, context map[string]string, op adapter.Op) (adapter.Response, bool) {
	bound, err := tc.typ.Bind(wire.Settings{Profile: p}, context)
	if err != nil {
		return adapter.Response{}, false
	}
	c := *tc.Case
	c.Context = context
	wrong := &testCase{Case: &c, typ: tc.typ, codec: bound}
	if op == adapter.OpDecode {
		err = wrong.decode()
	} else {
		err = wrong.encode()
	}
	if err != nil {
		return adapter.Response{}, false
	}
	a := wrong.answer(op)
	return a, textOf(a) != textOf(tc.answer(op))
}

// sideMutants makes mutants that declare one side of a flag and take another one,
// when they read or when they write. Their other sides are documented or observed.
func sideMutants(vectors []*corpus.Vector) (out []*Mutant) {
	for _, f := range spec.Families() {
		for _, flag := range f.Flags {
			listing := slices.DeleteFunc(slices.Clone(vectors),
				func(v *corpus.Vector) bool { return !slices.Contains(v.Flags, flag.ID) })
			for _, declared := range flag.Sides {
				load := sync.OnceValues(func() ([]*testCase, error) {
					var out []*testCase
					for _, base := range []ids.Profile{ids.Documented(), ids.Observed()} {
						p, err := base.With(flag.ID, declared.Name)
						if err != nil {
							return nil, err
						}
						cases, err := newCases(judge.Cases(listing, []ids.Profile{p}, false))
						if err != nil {
							return nil, err
						}
						out = append(out, cases...)
					}
					return out, nil
				})
				for _, taken := range flag.Sides {
					for _, w := range ways {
						if declared.Name == taken.Name {
							continue
						}
						out = append(out, &Mutant{
							Family: f.Name, Kind: "sides, " + w.name, Subject: string(flag.ID), Operator: taken.Name + " instead of " +
								declared.Name,
							Needs: "a vector whose answers differ between the sides", load: load,
							change: func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
								p, err := tc.Profile.With(flag.ID, taken.Name)
								if err != nil || op != w.op {
									return adapter.Response{}, false
								}
								return tc.answerUnder(p, tc.Context, op)
							},
						})
					}
				}
			}
		}
	}
	return out
}

// textOf returns an answer as text, for comparison.
func textOf(a adapter.Response) string {
	switch {
	case a.Reject != nil:
		return fmt.Sprint(a.Reject.Class, *a.Reject.Offset)
	case a.OK.Tree != nil:
		return a.OK.Tree.String()
	}
	return *a.OK.Hex
}

// sizeMutants makes mutants with a limit of their own for whole inputs and outputs,
// and for counts.
func sizeMutants(family string, own []*testCase) (out []*Mutant) {
	add := func(kind, operator, needs string, change change) {
		out = append(out, &Mutant{
			Family: family, Kind: kind, Subject: family, Operator: operator, Needs: needs, cases: own,
			change: change,
		})
	}
	for _, n := range []int{255, 4 << 10, 64 << 10} {
		longer := func(tc *testCase, op adapter.Op) bool {
			return op == adapter.OpDecode && tc.read != nil && len(tc.Input) > n || op == adapter.OpEncode &&
				tc.writeErr == nil && len(tc.written) > n
		}
		for op, name := range map[adapter.Op]string{adapter.OpDecode: "inputs", adapter.OpEncode: "outputs"} {
			needs := fmt.Sprintf("a structure of more than %d bytes", n)
			add("sizes", fmt.Sprintf("%s longer than %d rejected", name, n), needs,
				func(tc *testCase, asked adapter.Op) (adapter.Response, bool) {
					return reject("limit", 0), asked == op && longer(tc, op)
				})
			add("sizes", fmt.Sprintf("%s cut at %d", name, n), needs,
				func(tc *testCase, asked adapter.Op) (adapter.Response, bool) {
					if asked != op || !longer(tc, op) {
						return adapter.Response{}, false
					}
					if op == adapter.OpEncode {
						return okBytes(tc.written[:n]), true
					}
					v, err := tc.codec.Decode(tc.Input[:n])
					if err != nil {
						return reject(classOf(err), n), true
					}
					return decoded(tc.typ, clone(rootOf(tc.typ, v))), true
				})
		}
	}
	add("rejections, read", "counts and lengths from 2^31 on accepted", "a count or length from 2^31 on",
		func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
			if op != adapter.OpDecode || tc.readErr == nil {
				return adapter.Response{}, false
			}
			m := exceeding.FindStringSubmatch(tc.readErr.Detail)
			return accepted(op), m != nil && (len(m[1]) > 10 || len(m[1]) == 10 && m[1] >= "2147483648")
		})
	return out
}

// exceeding finds a count or length that exceeds the input in the detail of an error
// of the reference.
var exceeding = regexp.MustCompile(`for a (?:count|length) of (\d+)`)
