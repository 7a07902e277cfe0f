package power

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
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
		return adapter.Response{OK: &adapter.OK{Tree: &nullTree}}
	}
	return okBytes(nil)
}

var nullTree tree.Node

// answerMutants makes the mutants that change whole answers.
func answerMutants(cases []*testCase) []*Mutant {
	return slices.Concat(rejectionMutants(cases), structureMutants(cases), computedMutants(cases), contextMutants(cases), sizeMutants(cases))
}

// A rejection is a check of the reference.
type rejection struct {
	family string
	class  wire.Class
	clause ids.Clause
}

func rejectionOf(family string, e *wire.Error) rejection { return rejection{family, e.Class, e.Clause} }

func (r rejection) String() string {
	if r.clause == "" {
		return fmt.Sprintf("%s without a clause, %s", r.family, r.class)
	}
	return fmt.Sprintf("%s, %s", r.clause, r.class)
}

// rejectionMutants makes mutants of each check: dropped, with each other class, and
// with another offset.
func rejectionMutants(cases []*testCase) []*Mutant {
	var out []*Mutant
	all := sync.OnceValue(func() map[subject][]reflect.Value { return goodParts(cases) })
	for _, w := range []struct {
		kind string
		err  func(*testCase, adapter.Op) *wire.Error
	}{
		{"rejections, read", func(tc *testCase, op adapter.Op) *wire.Error {
			if op == adapter.OpDecode {
				return tc.readErr
			}
			return nil
		}},
		{"rejections, written", func(tc *testCase, op adapter.Op) *wire.Error {
			if op != adapter.OpDecode {
				return tc.writeErr
			}
			return nil
		}},
	} {
		byRejection := map[rejection][]*testCase{}
		for _, tc := range cases {
			for _, op := range tc.ops {
				if e := w.err(tc, op); e != nil {
					r := rejectionOf(tc.Vector.Family(), e)
					if n := len(byRejection[r]); n == 0 || byRejection[r][n-1] != tc {
						byRejection[r] = append(byRejection[r], tc)
					}
				}
			}
		}
		for r, found := range byRejection {
			add := func(operator string, answer func(*wire.Error, adapter.Op) adapter.Response) {
				out = append(out, &Mutant{
					Family: r.family, Kind: w.kind, Subject: r.String(), Operator: operator, Needs: "an input or a value with this fault alone", cases: found,
					change: func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
						e := w.err(tc, op)
						if e == nil || rejectionOf(tc.Vector.Family(), e) != r {
							return adapter.Response{}, false
						}
						return answer(e, op), true
					},
				})
			}
			add("accepted", func(_ *wire.Error, op adapter.Op) adapter.Response { return accepted(op) })
			if w.kind == "rejections, written" {
				// If the check is dropped, another one must not reject the value.
				out[len(out)-1].load = func() ([]*testCase, error) {
					return slices.DeleteFunc(slices.Clone(found), func(tc *testCase) bool { return tc.writeErr == nil || !tc.canBeRepaired(all) }), nil
				}
			}
			for _, class := range wire.Classes() {
				if class != r.class {
					add("as "+string(class), func(e *wire.Error, _ adapter.Op) adapter.Response { return rejects(string(class), e.Offset) })
				}
			}
			if w.kind == "rejections, read" {
				add("offset + 1", func(e *wire.Error, _ adapter.Op) adapter.Response { return rejects(string(e.Class), e.Offset+1) })
				add("offset - 1", func(e *wire.Error, _ adapter.Op) adapter.Response {
					return rejects(string(e.Class), max(0, e.Offset-1))
				})
			}
		}
	}
	return out
}

// goodParts returns some values of each subject that can be written.
func goodParts(cases []*testCase) map[subject][]reflect.Value {
	const enough = 12
	out := map[subject][]reflect.Value{}
	for _, tc := range cases {
		if tc.write == nil || tc.writeErr != nil {
			continue
		}
		for s, parts := range tc.write.wholes {
			for _, p := range parts[:min(len(parts), enough-min(enough, len(out[s])))] {
				out[s] = append(out[s], p.v)
			}
		}
	}
	return out
}

// canBeRepaired reports whether a value that the reference does not write can be
// written with another value of one part: then it has a single fault.
func (tc *testCase) canBeRepaired(good func() map[subject][]reflect.Value) bool {
	const enough = 1500
	tries := 0
	written := func(p *valuePart, to reflect.Value) bool {
		tries++
		root, _ := tc.write.with(map[int]reflect.Value{p.number: to})
		_, err := tc.codec.Append(nil, modelOf(root))
		return err == nil
	}
	// The parts near the fault first.
	parts := slices.Clone(tc.write.parts)
	near := func(p *valuePart) int {
		if strings.HasPrefix(tc.writeErr.Path, p.path) || strings.HasPrefix(p.path, tc.writeErr.Path) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(parts, func(a, b *valuePart) int { return near(a) - near(b) })
	for _, p := range parts {
		if tries > enough {
			return false
		}
		for i := range operators {
			if op := &operators[i]; !op.perFamily && op.fits(p.v.Type()) {
				if to, ok := op.apply(p); ok && written(p, to) {
					return true
				}
			}
		}
		if written(p, reflect.Zero(p.v.Type())) {
			return true
		}
		for _, v := range good()[p.fieldOf] {
			if v.Type() == p.v.Type() && written(p, v) {
				return true
			}
		}
	}
	return false
}

// structureMutants makes mutants of a whole structure: it accepts what is
// truncated or has trailing bytes; it has no writer and repeats what it has read.
func structureMutants(cases []*testCase) []*Mutant {
	byStructure := map[string][]*testCase{}
	for _, tc := range cases {
		byStructure[tc.typ.Structure()] = append(byStructure[tc.typ.Structure()], tc)
	}
	var out []*Mutant
	done := map[string]bool{}
	for _, t := range codec.Types() {
		name := t.Structure()
		if done[name] {
			continue
		}
		done[name] = true
		own := byStructure[name]
		s, _ := spec.FindStructure(name)
		add := func(kind, operator, needs, excuse string, cases []*testCase, change change) {
			out = append(out, &Mutant{Family: t.Family(), Kind: kind, Subject: name, Operator: operator, Needs: needs, excuse: excuse, cases: cases, change: change})
		}
		all := slices.Concat(own, derivedCases(own))
		ends := func(class string, admits func(*testCase) bool) change {
			return func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
				e := tc.Expect
				wrong := op == adapter.OpDecode && e.Outcome == corpus.Reject && e.Class != "" && corpus.Admits(e.Class, class) && admits(tc)
				return accepted(op), wrong
			}
		}
		always := func(*testCase) bool { return true }
		add("ends", "truncated input accepted", "an input that is truncated", s.TakesAll, all, ends("truncated", always))
		add("ends", "input without its last byte accepted", "an accepted input, from which the judge derives the cut", s.TakesAll, all,
			ends("truncated", func(tc *testCase) bool { return tc.Rule == judge.Truncated && len(tc.Input) == len(tc.Vector.Bytes)-1 }))
		add("ends", "trailing bytes accepted", "an input with bytes after the value", s.TakesAll, all, ends("trailing", always))
		add("writing", "roundtrip echoes its input", "a noncanonical input", s.OneSpelling, own, echo)
		add("writing", "encode repeats inputs whose tree it has seen", "a value to encode that no vector decodes to", "", own, remember(own))
	}
	return out
}

// derivedCases returns the cases that are derived from the ends of inputs: one
// cut in the middle, the cut of the last byte, and a trailing byte.
func derivedCases(cases []*testCase) []*testCase {
	var out []*testCase
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
		switch {
		case len(inputs) == 0:
			return rejects("range", 0), true
		case slices.ContainsFunc(inputs, func(b []byte) bool { return bytes.Equal(b, tc.written) }):
			return adapter.Response{}, false
		}
		return okBytes(inputs[0]), true
	}
}

// contextMutants makes mutants that take a part of the request from elsewhere.
func contextMutants(cases []*testCase) []*Mutant {
	before := map[*testCase]map[string]string{} // the context of the request before, to the same structure
	last := map[string]map[string]string{}
	byStructure := map[string][]*testCase{}
	for _, tc := range cases {
		s := tc.typ.Structure()
		full := maps.Clone(tc.typ.Context)
		maps.Copy(full, tc.Context)
		before[tc], last[s] = last[s], full
		byStructure[s] = append(byStructure[s], tc)
	}
	var out []*Mutant
	done := map[string]bool{}
	for _, t := range codec.Types() {
		s := t.Structure()
		for _, k := range slices.Sorted(maps.Keys(t.Context)) {
			if done[s+" "+k] {
				continue
			}
			done[s+" "+k] = true
			add := func(operator, needs string, from func(*testCase) map[string]string) {
				out = append(out, &Mutant{
					Family: t.Family(), Kind: "requests", Subject: s + ", context " + k, Operator: operator, Needs: needs, cases: byStructure[s],
					change: func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
						other := from(tc)
						if other == nil || !slices.Contains([]adapter.Op{adapter.OpDecode, adapter.OpEncode}, op) {
							return adapter.Response{}, false
						}
						context := maps.Clone(tc.typ.Context)
						maps.Copy(context, tc.Context)
						context[k] = other[k]
						return tc.answerUnder(tc.Profile, context, op)
					},
				})
			}
			add("default", "a vector with another value of the context", func(tc *testCase) map[string]string { return tc.typ.Context })
			add("from the previous request", "two vectors with different values of the context", func(tc *testCase) map[string]string { return before[tc] })
		}
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
func sideMutants(vectors []*corpus.Vector) []*Mutant {
	var out []*Mutant
	for _, f := range spec.Families() {
		for i := range f.Flags {
			flag := &f.Flags[i]
			listing := slices.DeleteFunc(slices.Clone(vectors), func(v *corpus.Vector) bool { return !slices.Contains(v.Flags, flag.ID) })
			for _, declared := range flag.Sides {
				load := sync.OnceValues(func() ([]*testCase, error) {
					var out []*testCase
					for _, base := range []ids.Profile{ids.Documented(), ids.Observed()} {
						p, err := base.With(flag.ID, declared.Name)
						if err != nil {
							return nil, err
						}
						cs, err := newCases(judge.Cases(listing, []ids.Profile{p}, false))
						if err != nil {
							return nil, err
						}
						out = append(out, cs...)
					}
					return out, nil
				})
				for _, taken := range flag.Sides {
					for _, w := range ways {
						if declared.Name == taken.Name {
							continue
						}
						out = append(out, &Mutant{
							Family: f.Name, Kind: "sides, " + w.name, Subject: string(flag.ID), Operator: taken.Name + " instead of " + declared.Name,
							Needs: "a vector whose answers differ between the sides", load: load,
							change: func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
								p, err := tc.Profile.With(flag.ID, taken.Name)
								if err != nil || !slices.Contains(w.ops, op) {
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

// sizeMutants makes mutants with a limit of their own for whole inputs and
// outputs.
func sizeMutants(cases []*testCase) []*Mutant {
	byFamily := map[string][]*testCase{}
	for _, tc := range cases {
		byFamily[tc.Vector.Family()] = append(byFamily[tc.Vector.Family()], tc)
	}
	var out []*Mutant
	for family, own := range byFamily {
		for _, n := range []int{255, 4 << 10, 64 << 10} {
			add := func(operator string, change change) {
				out = append(out, &Mutant{
					Family: family, Kind: "sizes", Subject: family, Operator: fmt.Sprintf(operator, n), Needs: fmt.Sprintf("a structure of more than %d bytes", n), cases: own, change: change,
				})
			}
			read := func(tc *testCase, op adapter.Op) bool {
				return op == adapter.OpDecode && tc.read != nil && len(tc.Input) > n
			}
			written := func(op adapter.Op, tc *testCase) bool {
				return op == adapter.OpEncode && tc.writeErr == nil && len(tc.written) > n
			}
			add("inputs longer than %d rejected", func(tc *testCase, op adapter.Op) (adapter.Response, bool) { return rejects("limit", 0), read(tc, op) })
			add("inputs cut at %d", func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
				if !read(tc, op) {
					return adapter.Response{}, false
				}
				v, err := tc.codec.Decode(tc.Input[:n])
				if err != nil {
					return rejects(classOf(err), n), true
				}
				return decoded(tc.typ, clone(rootOf(tc.typ, v))), true
			})
			add("outputs longer than %d rejected", func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
				return rejects("limit", 0), written(op, tc)
			})
			add("outputs cut at %d", func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
				if !written(op, tc) {
					return adapter.Response{}, false
				}
				return okBytes(tc.written[:n]), true
			})
		}
	}
	return out
}
