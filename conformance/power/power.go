// Package power measures which wrong implementations the corpus kills. A wrong
// implementation is made from the right answers of the reference: a mutant changes
// one field of one model type by one operator, wherever the type occurs, or all
// answers of one kind. The judge decides about the changed answers. No process is
// started, so that there are thousands of mutants.
package power

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/conformance/adapter"
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

	State   State
	Killers []string // vectors that kill it; at most two
	Cases   int      // cases in which the subject occurs
	Changed int      // cases whose answer differs; not counted further after two killers
	Reason  string   // of equivalence

	excuse string // why it is equivalent if it survives, from the records
	cases  []*testCase
	load   func() ([]*testCase, error) // of cases, if they take long to make; may be nil
	change change
	err    error  // of load
	same   string // of a rule: mutants that break it; see resolve
}

// String returns the subject and the operator.
func (m *Mutant) String() string { return m.Subject + ": " + m.Operator }

// run judges the wrong answers until two vectors kill the mutant.
func (m *Mutant) run() {
	if m.load != nil {
		m.cases, m.err = m.load()
	}
	m.Cases = len(m.cases)
	for _, tc := range m.cases {
		differs := false
		for _, op := range tc.ops {
			if m.tryCase(tc, op, &differs) {
				break
			}
		}
		if differs {
			m.Changed++
		}
		if len(m.Killers) == 2 {
			break
		}
	}
	switch {
	case len(m.Killers) > 0:
		m.State = Killed
	case m.Changed > 0:
		m.State = Acceptable
	case m.excuse != "":
		m.State, m.Reason = Equivalent, m.excuse
	default:
		m.State = Survived
	}
	m.cases, m.load, m.change = nil, nil, nil
}

// tryCase reports whether the vector kills the mutant.
func (m *Mutant) tryCase(tc *testCase, op adapter.Op, differs *bool) bool {
	a, ok := m.change(tc, op)
	if !ok || a.Error != nil { // a value without a tree is no answer
		return false
	}
	*differs = true
	if !tc.single.Judge(op, a).Status.Failed() {
		return false
	}
	if !slices.Contains(m.Killers, tc.Vector.ID) {
		m.Killers = append(m.Killers, tc.Vector.ID)
	}
	return true
}

// Options choose what is measured.
type Options struct {
	Filter func(*Mutant) bool // nil: all mutants; only then each declaration has to match
	Jobs   int                // 0: one per processor
}

// Measure makes all mutants, in a fixed order, and judges them by the vectors. If
// declarations of equivalence are not true, it returns the mutants and an error.
func Measure(ctx context.Context, vectors []*corpus.Vector, opts Options) ([]*Mutant, error) {
	cases, err := newCases(allCases(vectors))
	if err != nil {
		return nil, err
	}
	fields := fieldMutants(cases)
	rules, err := ruleMutants(cases)
	if err != nil {
		return nil, err
	}
	mutants := slices.Concat(fields, answerMutants(cases), sideMutants(vectors), unseenRejections(cases), rules)
	slices.SortFunc(mutants, ByFamily)
	if opts.Filter != nil {
		mutants = slices.DeleteFunc(mutants, func(m *Mutant) bool { return !opts.Filter(m) })
	}
	work := make(chan *Mutant)
	var wg sync.WaitGroup
	for range cmp.Or(opts.Jobs, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for m := range work {
				m.run()
			}
		})
	}
	for _, m := range mutants {
		if ctx.Err() != nil {
			break
		}
		work <- m
	}
	close(work)
	wg.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, m := range mutants {
		if m.err != nil {
			return nil, m.err
		}
	}
	list, err := declarations(equivalentText)
	if err != nil {
		return nil, err
	}
	err = declare(mutants, list, opts.Filter == nil)
	return mutants, errors.Join(err, resolve(mutants, opts.Filter == nil))
}

// way is reading or writing.
type way struct {
	name   string
	value  func(*testCase) *value
	answer func(*testCase, reflect.Value) adapter.Response
	ops    []adapter.Op
}

var ways = []way{
	{
		name: "read", value: func(tc *testCase) *value { return tc.read }, ops: []adapter.Op{adapter.OpDecode},
		answer: func(tc *testCase, root reflect.Value) adapter.Response { return decoded(tc.typ, root) },
	},
	{
		// An answer to roundtrip is wrong in the same way as the answer to encode.
		name: "written", value: func(tc *testCase) *value { return tc.write }, ops: []adapter.Op{adapter.OpEncode},
		answer: func(tc *testCase, root reflect.Value) adapter.Response {
			b, err := tc.codec.Append(nil, modelOf(root))
			if err != nil {
				return rejects(classOf(err), 0)
			}
			return okBytes(b)
		},
	},
}

// fieldMutants crosses the parts of all model types with the operators.
func fieldMutants(cases []*testCase) []*Mutant {
	type identity struct {
		s        subject
		name     string
		operator string
	}
	made := map[identity]bool{}
	var out []*Mutant
	add := func(s subject, op *operator, w *way, byContents, byWhole map[subject][]*testCase) {
		if op.perFamily {
			s = subject{family: s.family, typ: "*"}
		}
		id := identity{s, w.name, op.name}
		if made[id] {
			return
		}
		made[id] = true
		m := &Mutant{Family: s.family, Kind: op.group + ", " + w.name, Subject: s.String(), Operator: op.name, Needs: op.needs, cases: byContents[s]}
		if op.whole {
			m.cases = byWhole[s]
		}
		m.change = func(tc *testCase, asked adapter.Op) (adapter.Response, bool) {
			if !slices.Contains(w.ops, asked) {
				return adapter.Response{}, false
			}
			root, ok := w.value(tc).mutate(s, op)
			if !ok {
				return adapter.Response{}, false
			}
			return w.answer(tc, root), true
		}
		out = append(out, m)
	}
	for k := range ways {
		w := &ways[k]
		byContents, byWhole := map[subject][]*testCase{}, map[subject][]*testCase{}
		for _, tc := range cases {
			if v := w.value(tc); v != nil {
				v.index(tc.typ.Name)
			}
		}
		linkAnswers(cases, w.value)
		// Long values last: two vectors before them kill most mutants.
		ordered := slices.Clone(cases)
		slices.SortStableFunc(ordered, func(a, b *testCase) int {
			return cmp.Compare(w.value(a).excess(), w.value(b).excess())
		})
		for _, tc := range ordered {
			v := w.value(tc)
			if v == nil {
				continue
			}
			families := map[string]bool{}
			for s := range v.contents {
				byContents[s] = append(byContents[s], tc)
				if !families[s.family] {
					families[s.family] = true
					all := subject{family: s.family, typ: "*"}
					byContents[all] = append(byContents[all], tc)
				}
			}
			for s := range v.wholes {
				byWhole[s] = append(byWhole[s], tc)
			}
		}
		for _, t := range codec.Types() {
			walkType(t.Model(), t.Name, func(p typePart) {
				for i := range operators {
					op := &operators[i]
					s := p.as
					if op.whole {
						s = p.fieldOf
					}
					if op.isMade(p) {
						add(s, op, w, byContents, byWhole)
					}
				}
				if p.fieldOf != (subject{}) {
					for _, op := range fieldPairs(p) {
						add(p.fieldOf, &op, w, byContents, byWhole)
					}
				}
			})
		}
	}
	return out
}

// mutate returns a copy of the value with an operator applied to each part of a
// subject, or false if that changes nothing.
func (v *value) mutate(s subject, op *operator) (reflect.Value, bool) {
	parts := v.contents[s]
	switch {
	case op.perFamily:
		parts = v.parts
	case op.whole:
		parts = v.wholes[s]
	}
	wrong := map[int]reflect.Value{}
	for _, p := range parts {
		if p.as.family != s.family || !op.fits(p.v.Type()) {
			continue
		}
		to, ok := op.apply(p)
		if !ok {
			continue
		}
		if op.swap > 0 {
			around := clone(p.up.v)
			fieldOf(around, p.index).Set(to)
			fieldOf(around, op.swap).Set(p.v)
			wrong[p.up.number] = around
			continue
		}
		wrong[p.number] = to
	}
	return v.with(wrong)
}

// with returns a copy of the value with other parts, by number, or false if there
// are none.
func (v *value) with(wrong map[int]reflect.Value) (reflect.Value, bool) {
	if len(wrong) == 0 {
		return reflect.Value{}, false
	}
	root := clone(v.root)
	walkValue(root, "", true, func(p *valuePart) {
		if to, ok := wrong[p.number]; ok {
			p.v.Set(to)
		}
	})
	return root, true
}

// ByFamily orders mutants by family, kind, subject and operator.
func ByFamily(a, b *Mutant) int {
	return cmp.Or(cmp.Compare(a.Family, b.Family), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Operator, b.Operator))
}
