// Package power measures which wrong implementations the corpus kills. A wrong
// implementation is made from the right answers of the reference: a mutant changes
// one field of one model type by one operator, wherever the type occurs, or all
// answers of one kind. The judge decides about the changed answers. No process is
// started, so that there are thousands of mutants.
package power

import (
	"cmp"
	"runtime"
	"slices"
	"sync"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
)

// State is what became of a mutant.
type State string

const (
	// Killed: at least one case fails.
	Killed State = "killed"
	// Acceptable: some answers differ, but none fails: the difference is allowed.
	Acceptable State = "acceptable"
	// Equivalent: declared in equivalent.toml, with a reason.
	Equivalent State = "equivalent"
	// Survived: no answer differs.
	Survived State = "survived"
)

// A Mutant is a wrong implementation.
type Mutant struct {
	Family   string
	Kind     string // row of the matrix
	Subject  string // such as ka.Vector3.x
	Operator string
	Needs    string // what a vector has to contain to kill it

	State  State
	Killer string // a vector that kills it
	Reason string // of equivalence

	cases  []*testCase
	change change
}

// String returns the subject and the operator.
func (m *Mutant) String() string { return m.Subject + ": " + m.Operator }

// run judges the wrong answers until a vector kills the mutant.
func (m *Mutant) run() {
	m.State = cmp.Or(m.State, Survived)
	for _, tc := range m.cases {
		for _, op := range tc.ops {
			a, ok := m.change(tc, op)
			if !ok || a.Error != nil { // a value without a tree is no answer
				continue
			}
			m.State = Acceptable
			if tc.single.Judge(op, a).Status.Failed() {
				m.State, m.Killer = Killed, tc.Vector.ID
				return
			}
		}
	}
}

// Measure makes all mutants, in a fixed order, and judges those that are wanted (nil:
// all) by the vectors. If declarations of equivalence are not true, it returns the
// mutants and an error; only a measure of all mutants finds declarations of none.
func Measure(vectors []*corpus.Vector, wanted func(*Mutant) bool) ([]*Mutant, error) {
	cases, err := newCases(allCases(vectors))
	if err != nil {
		return nil, err
	}
	sides, err := sideMutants(vectors)
	if err != nil {
		return nil, err
	}
	list, err := declarations(equivalentText)
	if err != nil {
		return nil, err
	}
	mutants := slices.Concat(fieldMutants(cases), answerMutants(cases), sides, unseenRejections(cases))
	slices.SortFunc(mutants, func(a, b *Mutant) int {
		return cmp.Or(cmp.Compare(a.Family, b.Family), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Subject, b.Subject),
			cmp.Compare(a.Operator, b.Operator))
	})
	if wanted != nil {
		mutants = slices.DeleteFunc(mutants, func(m *Mutant) bool { return !wanted(m) })
	}
	work := make(chan *Mutant)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for m := range work {
				m.run()
			}
		})
	}
	for _, m := range mutants {
		work <- m
	}
	close(work)
	wg.Wait()
	return mutants, declare(mutants, list, wanted == nil)
}

// ways are reading and writing. An answer to roundtrip is wrong in the same way as the
// answer to encode.
var ways = []struct {
	name string
	op   adapter.Op
}{{"read", adapter.OpDecode}, {"written", adapter.OpEncode}}

// An edit applies an operator to a target.
type edit struct {
	operator
	on target
}

// edits are all edits of the model types, each once.
func edits() (out []edit) {
	made := map[string]bool{}
	for _, t := range codec.Types() {
		walkParts(t, nil, func(p *valuePart) {
			for _, op := range operatorsFor(p) {
				e := edit{op, op.targetOf(p)}
				if id := e.on.String() + ": " + op.name; !made[id] {
					made[id] = true
					out = append(out, e)
				}
			}
		})
	}
	return out
}

// targetOf returns what an operator changes that is applied to a part.
func (o *operator) targetOf(p *valuePart) target {
	switch o.scope {
	case family:
		return target{subject: p.everywhere()}
	case whole:
		return target{p.fieldOf, true}
	}
	return target{subject: p.as}
}

// fieldMutants crosses the parts of all model types with the operators.
func fieldMutants(cases []*testCase) (out []*Mutant) {
	all := edits()
	for _, w := range ways {
		by := casesByTarget(cases, w.op)
		for _, e := range all {
			out = append(out, &Mutant{
				Family: e.on.family, Kind: e.group + ", " + w.name, Subject: e.on.String(), Operator: e.name,
				Needs: e.needs, cases: by[e.on],
				change: func(tc *testCase, asked adapter.Op) (adapter.Response, bool) {
					if asked != w.op {
						return adapter.Response{}, false
					}
					root, ok := tc.value(w.op).mutate(&e)
					if !ok {
						return adapter.Response{}, false
					}
					return tc.answerWith(w.op, root), true
				},
			})
		}
	}
	return out
}

// casesByTarget returns the cases whose values have parts of a target. Long values are
// last: a vector before them kills most mutants.
func casesByTarget(cases []*testCase, op adapter.Op) map[target][]*testCase {
	ordered := slices.DeleteFunc(slices.Clone(cases), func(tc *testCase) bool { return tc.value(op) == nil })
	for _, tc := range ordered {
		tc.value(op).index(tc.typ)
	}
	slices.SortStableFunc(ordered,
		func(a, b *testCase) int { return cmp.Compare(a.value(op).excess(), b.value(op).excess()) })
	by := map[target][]*testCase{}
	for _, tc := range ordered {
		for t := range tc.value(op).parts {
			by[t] = append(by[t], tc)
		}
	}
	return by
}

// mutate returns the value with an edit of each part of the target, or false if that
// changes nothing.
func (v *value) mutate(e *edit) (tree.Node, bool) {
	wrong := map[*tree.Node]tree.Node{}
	for _, p := range v.parts[e.on] {
		if to, ok := e.change(p); ok {
			wrong[p.Node] = to
		}
	}
	return v.root.Replace(wrong), len(wrong) > 0
}
