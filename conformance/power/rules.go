package power

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

//go:embed rules.toml
var rulesText string

// ruleTable says how to break clauses for which no change of answers follows from
// the reference.
type ruleTable struct {
	// Changes lists, for a clause, operators on the vectors that cite it (accepted,
	// rejected, echoed), or other mutants as "subject: operator", in which * matches
	// any text.
	Changes map[ids.Clause][]string `toml:"changes"`
	// Untestable says why no answer shows whether a clause is met.
	Untestable map[ids.Clause]string `toml:"untestable"`
}

// citing are the operators of the table on the vectors that cite a clause.
var citing = map[string]struct {
	needs  string
	change change
}{
	"accepted": {
		"a vector that cites the clause and is rejected",
		func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
			wrong := op == adapter.OpDecode && tc.readErr != nil || op != adapter.OpDecode && tc.writeErr != nil
			return accepted(op), wrong
		},
	},
	"rejected": {
		"a vector that cites the clause and is accepted",
		func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
			wrong := op == adapter.OpDecode && tc.readErr == nil || op != adapter.OpDecode && tc.writeErr == nil
			return reject(string(wire.Value), 0), wrong
		},
	},
	"echoed": {"a noncanonical vector that cites the clause", echo},
}

const rulesKind = "rules"

// ruleMutants makes the mutants that break one clause of level must. Those that
// follow from the reference: what it rejects because of the clause is accepted;
// the parts that the clause describes are read or written wrong. The others are in
// rules.toml.
func ruleMutants(cases []*testCase) ([]*Mutant, error) {
	var table ruleTable
	err := decodeStrictly(rulesText, &table)
	if err != nil {
		return nil, err
	}
	rejecting, describing, cited := map[ids.Clause][]*testCase{}, map[ids.Clause][]*testCase{},
		map[ids.Clause][]*testCase{}
	put := func(m map[ids.Clause][]*testCase, c ids.Clause, tc *testCase) {
		if n := len(m[c]); n == 0 || m[c][n-1] != tc {
			m[c] = append(m[c], tc)
		}
	}
	for _, tc := range cases {
		put(rejecting, clauseOf(tc.readErr), tc)
		put(rejecting, clauseOf(tc.writeErr), tc)
		if tc.read != nil {
			_, tc.spans, _ = tc.codec.Trace(tc.Input) // the reference accepts the input
			for _, s := range tc.spans {
				put(describing, s.Clause, tc)
			}
		}
		for _, c := range tc.Vector.Clauses {
			put(cited, c, tc)
		}
	}
	var out []*Mutant
	for _, f := range spec.Families() {
		for _, c := range f.Clauses {
			if c.Level != spec.Must {
				continue
			}
			before := len(out)
			add := func(operator, needs string, cases []*testCase, change change) *Mutant {
				m := &Mutant{
					Family: f.Name, Kind: rulesKind, Subject: string(c.ID), Operator: operator, Needs: needs, cases: cases,
					change: change,
				}
				out = append(out, m)
				return m
			}
			if found := rejecting[c.ID]; found != nil {
				add("not checked", "an input or value that only this clause rejects", found,
					func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
						r, e := tc.rejectionOf(op)
						return accepted(op), e != nil && r.clause == c.ID
					})
			}
			readable := slices.DeleteFunc(slices.Clone(describing[c.ID]),
				func(tc *testCase) bool { return len(tc.wrongAt(c.ID)) == 0 })
			if len(readable) > 0 {
				add("read wrong", "an accepted input", readable, func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
					if op != adapter.OpDecode {
						return adapter.Response{}, false
					}
					root, _ := tc.read.with(tc.wrongAt(c.ID))
					return decoded(tc.typ, root), true
				})
			}
			writable := slices.DeleteFunc(slices.Clone(describing[c.ID]),
				func(tc *testCase) bool { return tc.Expect.Outcome != corpus.Accept })
			if len(writable) > 0 {
				add("written wrong", "an accepted input", writable, func(tc *testCase, op adapter.Op) (adapter.Response, bool) {
					return okBytes(tc.wrongBytes(c.ID)), op == adapter.OpRoundtrip
				})
			}
			for _, text := range table.Changes[c.ID] {
				if by, ok := citing[text]; ok {
					add(text, by.needs, cited[c.ID], by.change)
				} else {
					add(text, "what the mutant needs that is named here", nil, nil).same = text
				}
			}
			switch reason := table.Untestable[c.ID]; {
			case len(out) > before && reason != "":
				err = errors.Join(err, fmt.Errorf("rules.toml: %s is untestable and has a change", c.ID))
			case reason != "":
				m := add("untestable", "", nil, nil)
				m.State, m.Reason = Equivalent, reason
			case len(out) == before:
				add("no change of answers is known", "a vector that shows the clause, or an entry in rules.toml", nil, nil)
			}
			delete(table.Changes, c.ID)
			delete(table.Untestable, c.ID)
		}
	}
	for _, c := range slices.AppendSeq(slices.Collect(maps.Keys(table.Changes)), maps.Keys(table.Untestable)) {
		err = errors.Join(err, fmt.Errorf("rules.toml: no clause %s of level must", c))
	}
	return out, err
}

// wrongAt returns a wrong value for each part that a clause describes. A length, a
// count or a tag has no part of its own: it belongs to the part around it.
func (tc *testCase) wrongAt(c ids.Clause) map[int]reflect.Value {
	at := map[string]bool{}
	for _, s := range tc.spans {
		if s.Clause == c {
			at[s.Path] = true
		}
	}
	own := map[string]bool{}
	for _, p := range tc.read.all {
		own[p.path] = true
	}
	for path := range at {
		if !own[path] {
			at[path[:max(0, strings.LastIndexByte(path, '.'))]] = true
		}
	}
	wrong := map[int]reflect.Value{}
	for _, p := range tc.read.all {
		for i := 0; at[p.path] && i < len(operators); i++ {
			if to, ok := operators[i].change(p); ok && !operators[i].whole && !operators[i].perFamily {
				wrong[p.number] = to
				break
			}
		}
	}
	return wrong
}

// wrongBytes returns the input with one bit changed in each part that a clause
// describes.
func (tc *testCase) wrongBytes(c ids.Clause) []byte {
	b := slices.Clone(tc.Input)
	for _, s := range tc.spans {
		if s.Clause == c && s.End > s.Start {
			b[s.Start] ^= 1
		}
	}
	return b
}

// resolve gives mutants that name other ones the state of these.
func resolve(mutants []*Mutant, all bool) error {
	var errs []error
	rank := []State{Survived, Equivalent, Acceptable, Killed}
	for _, m := range mutants {
		if m.same == "" {
			continue
		}
		m.State = Survived
		found := !all
		for _, o := range mutants {
			if o.same != "" || o.Family != m.Family || o.Kind == rulesKind || !matches(m.same, o.String()) {
				continue
			}
			found = true
			if slices.Index(rank, o.State) > slices.Index(rank, m.State) || o.State == Killed &&
				len(o.Killers) > len(m.Killers) {
				m.State, m.Killers, m.Reason = o.State, o.Killers, o.Reason
			}
		}
		if !found {
			errs = append(errs, fmt.Errorf("rules.toml: %s names a mutant that does not exist: %s", m.Subject, m.same))
		}
	}
	return errors.Join(errs...)
}
